//! Quantities of a wired link: keys of `summary.json` and columns of `links.parquet`.

use airpath_base::measure::{BPS, Column, PLAIN};
use airpath_base::{fields, measured};
use serde::{Deserialize, Serialize};

use super::queue::QueueAt;
use super::source::{Window, by_name};
use crate::{Collector, LinkInfo, Named, Occupancy, QueueSummary};

/// Source of a link's quantities.
pub(crate) struct LinkAt<'a> {
    pub collector: &'a Collector,
    pub info: &'a LinkInfo,
    pub queue: Occupancy,
    pub window: Window,
}

measured! {
    from |link: &LinkAt<'_>|
    /// A wired link.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LinkSummary {
        /// Name of the link and direction.
        pub name: String = link.info.name.clone(),
        /// Bits a second; none if it changes or is unlimited.
        pub rate_bps: Option<u64> [BPS] = link.info.rate.map(|rate| rate.as_bps()),
        /// Its queue.
        pub queue: QueueSummary =
            QueueSummary::of(&QueueAt { queue: &link.queue, window: link.window }),
        /// Drops by cause.
        pub dropped: Named<u64> = by_name(link.collector.drops_at(link.info.node)),
        /// Times that it set congestion experienced.
        #[serde(default)]
        pub marks: u64 = link.collector.marks_at(link.info.node),
    }
}

/// Columns of `links.parquet` before those of its queue.
pub fn columns() -> Vec<Column<LinkSummary>> {
    let mut all = Vec::from(fields!(LinkSummary: name, rate_bps));
    let dropped = "Packets dropped at the link, by its queue or on the wire.";
    all.push(Column::count("dropped", PLAIN, dropped, |link: &LinkSummary| {
        link.dropped.iter().map(|(_, n)| n).sum()
    }));
    all.extend(fields!(LinkSummary: marks));
    all
}
