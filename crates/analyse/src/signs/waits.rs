//! Data behind a silence that takes longer than other data.

use airpath_base::{Duration, Time};

use super::{Sign, SignKind};
use crate::sequence::after;

/// Silences that are kept, and the fewest that tell.
const MOST: usize = 64;
const FEWEST: usize = 3;
/// Least time in nanoseconds that three of four take longer: above the delay of an ACK of Linux (40 ms).
const LONGER: u64 = 60_000_000;
/// Bytes of more than one segment.
const SEVERAL: u32 = 2_000;

/// Data of one direction. One segment at a time has its RTT taken.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// End of the data; none before the first.
    next: Option<u32>,
    acked: u32,
    timed: Option<Timed>,
    /// The least RTT; none before the first.
    least: Option<Duration>,
    /// RTTs of data behind silences.
    waits: Vec<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Timed {
    at: Time,
    end: u32,
    /// True if it ends a silence.
    wakes: bool,
    /// True if more data passed since: its receiver acknowledges two segments at once (RFC 5681, 4.2).
    several: bool,
}

impl Waits {
    /// Data passes; `silent` if nothing passed for long.
    pub(super) fn sent(&mut self, at: Time, end: u32, len: u32, silent: bool) {
        let before = self.next;
        if before.is_some_and(|next| !after(end, next)) {
            self.timed = None; // it is sent again, and its ACK is ambiguous
            return;
        }
        self.next = Some(end);
        match &mut self.timed {
            Some(timed) => timed.several = true,
            None => {
                let wakes = silent && before == Some(self.acked);
                self.timed = Some(Timed { at, end, wakes, several: len > SEVERAL });
            }
        }
    }

    /// An acknowledgement passes.
    pub(super) fn acknowledged(&mut self, at: Time, ack: u32) {
        self.acked = ack;
        let Some(timed) = self.timed.take_if(|timed| !after(timed.end, ack)) else { return };
        let rtt = at.saturating_since(timed.at);
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        if timed.wakes && timed.several && self.waits.len() < MOST {
            self.waits.push(rtt);
        }
    }

    pub(super) fn heap(&self) -> usize {
        self.waits.capacity() * size_of::<Duration>()
    }

    /// The sign, if three of four silences show it.
    pub(super) fn found(&self) -> Option<Sign> {
        let least = self.least?.as_nanos();
        let mut longer: Vec<u64> = self.waits.iter().map(|wait| wait.as_nanos() - least).collect();
        longer.sort_unstable();
        let seen = longer.iter().filter(|longer| **longer >= LONGER).count();
        let enough = longer.len() >= FEWEST && longer[longer.len() / 4] >= LONGER;
        enough.then(|| Sign {
            sign: SignKind::WakeUp,
            ms: longer[longer.len() / 2] as f64 / 1e6,
            seen: seen as u32,
            of: longer.len() as u32,
        })
    }
}
