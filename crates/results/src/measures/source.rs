//! Sources that quantities are read from: the inventory and the counters of a run.

use airpath_base::Time;
use airpath_net::{Direction, DropCause};

use crate::{Collector, Named};

pub(crate) const DOWN: usize = Direction::Downlink as usize;
pub(crate) const UP: usize = Direction::Uplink as usize;

/// The time that statistics are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// End of the warm-up.
    pub(crate) from: Time,
    /// End of the run.
    pub(crate) end: Time,
}

impl Window {
    pub(crate) fn seconds(self) -> f64 {
        self.end.saturating_since(self.from).as_secs_f64()
    }
}

/// Source of the quantities of one flow, UE, cell or bearer.
pub(crate) struct At<'a, Info, Counts, Run = ()> {
    pub collector: &'a Collector,
    pub number: usize,
    /// Entry of the inventory, if there is one.
    pub info: Option<&'a Info>,
    pub counts: &'a Counts,
    pub window: Window,
    /// Values that are computed once for a run.
    pub run: &'a Run,
}

/// The name, or the number where there is none.
pub(crate) fn named(name: Option<&str>, number: impl std::fmt::Display) -> String {
    name.map_or_else(|| number.to_string(), Into::into)
}

/// Drops by the names of their causes, causes that occurred only.
pub(crate) fn causes(drops: &[u64; DropCause::ALL.len()]) -> Named<u64> {
    by_name(DropCause::ALL.into_iter().zip(drops.iter().copied()))
}

/// Pairs of a cause and its drops, by the cause's name, causes that occurred only.
pub(crate) fn by_name(drops: impl Iterator<Item = (DropCause, u64)>) -> Named<u64> {
    drops.filter(|(_, n)| *n > 0).map(|(cause, n)| (cause.name(), n)).collect()
}
