//! Where a packet spent its time.

use airpath_base::{Duration, Time};

/// A place or a reason for which a packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// In the sender, from its creation to its entry into the network.
    Sender,
    /// In the queue of a wired link.
    WiredQueue,
    /// Being put on a wired link, and propagating.
    Wired,
    /// Waiting for an RRC connection: page and promotion.
    Rrc,
    /// At PDCP, before it is handed to RLC.
    Pdcp,
    /// Waiting at the UE for the right to send: scheduling request, its
    /// detection, and the grant.
    UplinkAccess,
    /// In the RLC queue, behind other data or waiting for the scheduler.
    Rlc,
    /// From the scheduling decision to the end of the first transmission, and
    /// decoding.
    Radio,
    /// HARQ retransmissions.
    Harq,
    /// Until RLC AM built the PDU that finally brought it, the first having
    /// been lost for good.
    Arq,
    /// Waiting in the receiver for earlier data: RLC and PDCP reordering.
    Reordering,
    /// In a tunnel end point, gateway or host.
    Processing,
}

impl Stage {
    /// How many stages there are.
    pub const COUNT: usize = 12;

    /// All stages, in the order in which a packet meets them.
    pub const ALL: [Stage; Stage::COUNT] = [
        Stage::Sender,
        Stage::WiredQueue,
        Stage::Wired,
        Stage::Rrc,
        Stage::Pdcp,
        Stage::UplinkAccess,
        Stage::Rlc,
        Stage::Radio,
        Stage::Harq,
        Stage::Arq,
        Stage::Reordering,
        Stage::Processing,
    ];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Sender => "sender",
            Stage::WiredQueue => "wired_queue",
            Stage::Wired => "wired",
            Stage::Rrc => "rrc",
            Stage::Pdcp => "pdcp",
            Stage::UplinkAccess => "uplink_access",
            Stage::Rlc => "rlc",
            Stage::Radio => "radio",
            Stage::Harq => "harq",
            Stage::Arq => "arq",
            Stage::Reordering => "reordering",
            Stage::Processing => "processing",
        }
    }
}

/// The time that a packet has spent in each stage so far.
///
/// Each [`charge`](Stages::charge) books the time since the one before, so the
/// stages add up to the packet's delay exactly, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    spent: [Duration; Stage::COUNT],
    until: Time,
}

impl Stages {
    /// Nothing spent yet, counting from `start`.
    pub const fn starting(start: Time) -> Stages {
        Stages { spent: [Duration::ZERO; Stage::COUNT], until: start }
    }

    /// Books the time since the last booking to `stage`.
    ///
    /// `until` may lie ahead of the present where an element knows the future of
    /// a packet already; it must not lie before the last booking.
    pub fn charge(&mut self, stage: Stage, until: Time) {
        self.spent[stage as usize] += until.since(self.until);
        self.until = until;
    }

    /// The time spent in `stage`.
    pub fn spent(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }

    /// Until when the time has been booked.
    pub const fn until(&self) -> Time {
        self.until
    }

    /// The sum over all stages.
    pub fn total(&self) -> Duration {
        // No more than a run lasts: plain sums, which processors do several at a time.
        let nanos = self.spent.iter().fold(0, |sum: u64, spent| sum.wrapping_add(spent.as_nanos()));
        Duration::from_nanos(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_sum_to_the_delay() {
        let mut stages = Stages::starting(Time::from_nanos(5));
        stages.charge(Stage::Wired, Time::from_nanos(9));
        stages.charge(Stage::Rlc, Time::from_nanos(30));
        stages.charge(Stage::Wired, Time::from_nanos(31));
        assert_eq!(stages.total(), Duration::from_nanos(26));
        assert_eq!(stages.spent(Stage::Wired), Duration::from_nanos(5));
    }
}
