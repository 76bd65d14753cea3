//! Stages in which a packet spends its time.

use airpath_base::{Duration, Time};

/// Reason for which a packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// In the sender, from its creation to its entry into the network.
    Sender,
    /// In the queue of a wired link.
    WiredQueue,
    /// Being put on a wired link, and propagating.
    Wired,
    /// Waiting for an RRC connection: page, and promotion or resume.
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
    /// Time until RLC AM built the PDU that finally brought the packet, the first having been lost
    /// for good.
    Arq,
    /// From a failure of the radio link until it was re-established or the UE gave up
    /// (TS 36.331, 5.3.7; TS 38.331, 5.3.7).
    Reestablishment,
    /// Waiting in the receiver for earlier data: RLC and PDCP reordering.
    Reordering,
    /// In a tunnel end point, gateway or host.
    Processing,
    /// From the begin of a handover of the UE until its end (TS 36.331, 5.3.5.4; TS 38.331, 5.3.5.5).
    Handover,
}

/// Stages that most packets meet: all but [`Stage::Handover`].
const COMMON: usize = Stage::Handover as usize;

impl Stage {
    /// Number of stages.
    pub const COUNT: usize = 14;

    /// All stages, in the order in which a packet meets them; that of handovers is last.
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
        Stage::Reestablishment,
        Stage::Reordering,
        Stage::Processing,
        Stage::Handover,
    ];

    /// Stages in which a packet waits in a queue: for earlier packets, for its turn, and in RLC
    /// until its last byte had room. Not among them: waits for a connection, a grant, a
    /// retransmission or earlier data, and time at the sender.
    pub const QUEUES: [Stage; 3] = [Stage::WiredQueue, Stage::Pdcp, Stage::Rlc];

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
            Stage::Reestablishment => "reestablishment",
            Stage::Reordering => "reordering",
            Stage::Processing => "processing",
            Stage::Handover => "handover",
        }
    }
}

/// The time that a packet has spent in each stage so far, in 64 bytes.
///
/// Each [`charge`](Stages::charge) books the time since the one before, so the
/// stages add up to the packet's delay exactly, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Stages {
    spent: Spent,
    until: Time,
}

/// Nanoseconds in each stage.
#[derive(Clone, Debug)]
enum Spent {
    /// At most 4.29 s in each common stage, and no handover.
    Short([u32; COMMON]),
    /// More in some stage, or a handover.
    Long(Box<[u64; Stage::COUNT]>),
}

impl Stages {
    /// Nothing spent yet, counting from `start`.
    #[inline]
    pub const fn starting(start: Time) -> Stages {
        Stages { spent: Spent::Short([0; COMMON]), until: start }
    }

    /// Books the time since the last booking to `stage`.
    ///
    /// `until` may lie ahead of the present where an element knows the future of
    /// a packet already; it must not lie before the last booking.
    #[inline]
    pub fn charge(&mut self, stage: Stage, until: Time) {
        let more = until.since(self.until);
        self.until = until;
        if let Spent::Short(spent) = &mut self.spent
            && let Some(spent) = spent.get_mut(stage as usize)
            && let Ok(sum) = u32::try_from(more.as_nanos().saturating_add((*spent).into()))
        {
            *spent = sum;
        } else {
            self.set(stage, self.spent(stage) + more);
        }
    }

    /// Takes back what was booked to `stage` behind `until`, which did not come to pass: it must
    /// have been booked last.
    pub fn take_back(&mut self, stage: Stage, until: Time) {
        self.set(stage, self.spent(stage) - self.until.since(until));
        self.until = until;
    }

    /// Sets the time spent in `stage`, which may be long.
    #[cold]
    fn set(&mut self, stage: Stage, to: Duration) {
        let mut all = self.nanos();
        all[stage as usize] = to.as_nanos();
        self.spent = Spent::Long(Box::new(all));
    }

    /// The time spent in `stage`.
    #[inline]
    pub fn spent(&self, stage: Stage) -> Duration {
        Duration::from_nanos(match &self.spent {
            Spent::Short(spent) => spent.get(stage as usize).map_or(0, |nanos| u64::from(*nanos)),
            Spent::Long(spent) => spent[stage as usize],
        })
    }

    /// The time spent in [queues](Stage::QUEUES).
    #[inline]
    pub fn queued(&self) -> Duration {
        Stage::QUEUES.into_iter().fold(Duration::ZERO, |sum, stage| sum + self.spent(stage))
    }

    /// Time from which stages have been booked.
    #[inline]
    pub fn start(&self) -> Time {
        self.until - self.total()
    }

    /// Time until which stages have been booked.
    #[inline]
    pub const fn until(&self) -> Time {
        self.until
    }

    /// Nanoseconds in each stage.
    #[inline]
    pub fn nanos(&self) -> [u64; Stage::COUNT] {
        match &self.spent {
            Spent::Short(spent) => {
                let mut all = [0; Stage::COUNT];
                all.iter_mut().zip(spent).for_each(|(all, own)| *all = u64::from(*own));
                all
            }
            Spent::Long(spent) => **spent,
        }
    }

    /// Adds the nanoseconds in each stage to sums.
    pub fn add_to(&self, sums: &mut [u64; Stage::COUNT]) {
        match &self.spent {
            Spent::Short(spent) => {
                sums.iter_mut().zip(spent).for_each(|(sum, nanos)| *sum += u64::from(*nanos));
            }
            Spent::Long(spent) => {
                sums.iter_mut().zip(&**spent).for_each(|(sum, nanos)| *sum += nanos);
            }
        }
    }

    /// The sum over all stages.
    #[inline]
    pub fn total(&self) -> Duration {
        // No more than a run lasts: plain sums, which processors do several at a time.
        Duration::from_nanos(match &self.spent {
            Spent::Short(spent) => spent.iter().map(|nanos| u64::from(*nanos)).sum(),
            Spent::Long(spent) => spent.iter().sum(),
        })
    }
}

impl PartialEq for Stages {
    fn eq(&self, other: &Stages) -> bool {
        (self.until, self.nanos()) == (other.until, other.nanos())
    }
}

impl Eq for Stages {}

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

    #[test]
    fn what_was_booked_ahead_can_be_taken_back() {
        let at = Time::from_nanos;
        let mut stages = Stages::starting(at(5));
        stages.charge(Stage::WiredQueue, at(9));
        let before = stages.clone();
        stages.charge(Stage::WiredQueue, at(20));
        stages.charge(Stage::Wired, at(50));
        stages.take_back(Stage::Wired, at(20));
        stages.take_back(Stage::WiredQueue, at(9));
        assert_eq!(stages, before);
    }

    #[test]
    fn more_than_a_word_of_nanoseconds_stays_exact() {
        let second = Duration::from_secs(1);
        let mut stages = Stages::starting(Time::from_nanos(7));
        for (stage, seconds) in [(Stage::Pdcp, 4), (Stage::Rrc, 100_000), (Stage::Pdcp, 4)] {
            stages.charge(stage, stages.until() + second * seconds);
        }
        let spent = [Stage::Pdcp, Stage::Rrc, Stage::Rlc].map(|stage| stages.spent(stage));
        assert_eq!(spent, [second * 8, second * 100_000, Duration::ZERO]);
        assert_eq!((stages.total(), stages.start()), (second * 100_008, Time::from_nanos(7)));
        stages.take_back(Stage::Pdcp, stages.until() - second * 4);
        let mut other = Stages::starting(Time::from_nanos(7));
        other.charge(Stage::Rrc, other.until() + second * 100_000);
        other.charge(Stage::Pdcp, other.until() + second * 4);
        assert_eq!(stages, other);
    }

    #[test]
    fn a_handover_is_a_stage_of_its_own() {
        let at = Time::from_millis;
        let mut stages = Stages::starting(at(5));
        stages.charge(Stage::Pdcp, at(9));
        stages.charge(Stage::Handover, at(59));
        stages.charge(Stage::Radio, at(60));
        let spent = [Stage::Pdcp, Stage::Handover, Stage::Radio].map(|stage| stages.spent(stage));
        assert_eq!(spent, [4, 50, 1].map(Duration::from_millis));
        assert_eq!(stages.total(), Duration::from_millis(55));
    }

    #[test]
    fn time_in_queues_is_that_of_links_pdcp_and_rlc() {
        let mut stages = Stages::starting(Time::ZERO);
        for (n, stage) in Stage::ALL.into_iter().enumerate() {
            stages.charge(stage, stages.until() + Duration::from_nanos(1 << n));
        }
        // The second stage, the fifth and the seventh.
        assert_eq!(stages.queued(), Duration::from_nanos(0b101_0010));
    }
}
