//! Signs of a radio in the times at which a flow's packets pass the capture point.
//!
//! A sign is what a radio leaves there and wires leave in at most 1 of 100 flows. It is named with its measure, and is no
//! cause. One capture of TCP shows three of them: [`SignKind`]. Media at even intervals look like slots, too.

mod slots;
mod waits;

use airpath_base::{Duration, Time};
use serde::Serialize;

use slots::Slots;
use waits::Waits;

/// Packets of a flow behind which its signs are sought.
pub(crate) const FEW: u32 = 8;
/// Silence of both directions behind which a radio may sleep.
const SILENCE: Duration = Duration::from_millis(80);

/// Sign of a radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignKind {
    /// Bursts of packets begin at multiples of a slot, with various numbers of slots between them.
    Slots,
    /// Of the slots in a cycle the same few have bursts: TDD, or requests for grants at a period.
    GrantCycle,
    /// Data behind a silence takes longer: promotion, paging or DRX.
    WakeUp,
}

/// A sign, with its measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sign {
    /// Its kind.
    pub sign: SignKind,
    /// Duration of a slot or of the cycle, or the median of the waits, in ms.
    pub ms: f64,
    /// Number of windows of 64 bursts, or of silences, that show it.
    pub seen: u32,
    /// Number of all of them; with a cycle, of those with various gaps.
    pub of: u32,
}

impl SignKind {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            SignKind::Slots => "slots",
            SignKind::GrantCycle => "grant_cycle",
            SignKind::WakeUp => "wake_up",
        }
    }
}

impl Sign {
    /// The sign in words.
    pub fn sentence(&self) -> String {
        let Sign { sign, ms, seen, of } = self;
        match sign {
            SignKind::Slots => {
                format!("Looks like a radio's slots of {ms} ms, in {seen} of {of} windows.")
            }
            SignKind::GrantCycle => {
                format!("Looks like a radio's grants each {ms} ms, in {seen} of {of} windows.")
            }
            SignKind::WakeUp => {
                format!(
                    "Looks like a radio that wakes up: {ms:.0} ms behind {seen} of {of} silences."
                )
            }
        }
    }
}

/// A segment: end of its data and their number of bytes, and what it acknowledges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) end: u32,
    pub(crate) len: u32,
    pub(crate) ack: Option<u32>,
}

/// Packets of a flow so far.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    last: Time,
    slots: [Slots; 2],
    waits: [Waits; 2],
}

impl Signs {
    /// A packet passes from an end.
    pub(crate) fn take(&mut self, at: Time, side: usize, passed: Passed) {
        let silent = at.saturating_since(self.last) >= SILENCE;
        self.last = at;
        self.slots[side].pass(at);
        let Passed { end, len, ack } = passed;
        if let Some(ack) = ack {
            self.waits[1 - side].acknowledged(at, ack);
        }
        if len > 0 {
            self.waits[side].sent(at, end, len, silent);
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.waits.iter().map(Waits::heap).sum()
    }

    /// Signs that the flow has. Each is of the direction that shows it more often.
    pub(crate) fn found(&self) -> Vec<Sign> {
        let most =
            |signs: [Option<Sign>; 2]| signs.into_iter().flatten().max_by_key(|sign| sign.seen);
        let [a, b] = &self.slots;
        let slots = most([a.slots(), b.slots()]);
        let cycle = most([a.cycle(), b.cycle()]);
        let [a, b] = &self.waits;
        [slots, cycle, most([a.found(), b.found()])].into_iter().flatten().collect()
    }
}

#[cfg(test)]
#[path = "../signs_tests.rs"]
mod tests;
