//! The downlink scheduler, and who goes before others.

use airpath_base::Duration;
use airpath_schema::{above_to, between, choice, kinds, record};

use super::Names;

/// Longest wait that a rule may name.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

kinds! {
    /// A scheduler.
    pub enum Scheduler or "a table with one of these as its kind", as word {
        /// Serves the UE whose rate now is largest in proportion to its past rate.
        ProportionalFair(ProportionalFairScheduler) = "proportional-fair",
        /// Serves UEs in turn.
        RoundRobin(RoundRobinScheduler) = "round-robin",
        /// Serves the UE whose oldest packet is oldest (D. Brunello, "L4S in 5G networks", 2020,
        /// chapter 4.5).
        DelayBased(DelayBasedScheduler) = "delay-based",
    }
}

record! {
    /// Proportional fair; `cell.pf_window` is its window.
    pub struct ProportionalFairScheduler {
        /// Classes of traffic, as bearers name them, with absolute priority. UEs with data of the
        /// first go first, then those with data of the second, and so on. The others get what these
        /// leave. Default: none.
        priority: Names;
        /// A UE that has had data, and no grant, for longer than this goes before all others until
        /// it has one. Default: none.
        starvation: Option<Duration> => above_to(Duration::ZERO, LONGEST_WAIT);
        /// Puts UEs first whose mean rate is below the `guaranteed_bit_rate` of their bearers with
        /// data, together. Default: false.
        minimum_rate: bool = false;
        /// Classes of traffic whose old packets raise the priority of their UE. Default: none.
        raise: Option<RaisedPriority>;
    }
}

record! {
    /// Round robin.
    pub struct RoundRobinScheduler {
        /// Most UEs that are served in an interval. The rest of the interval is unused, but for UEs
        /// of lower priority, of which as many are served. Default: as many as fit, each with what
        /// its data need.
        ues_per_slot: Option<u32> => between(1, 1_000);
        /// Classes of traffic, as bearers name them, with absolute priority: UEs with data of the
        /// first go first, then those with data of the second. Default: none.
        priority: Names;
        /// Longest time that a UE has data, and no grant, before it goes before all others until it
        /// has one. Default: none.
        starvation: Option<Duration> => above_to(Duration::ZERO, LONGEST_WAIT);
        /// Puts UEs first whose mean rate is below the `guaranteed_bit_rate` of their bearers with
        /// data, together. Default: false.
        minimum_rate: bool = false;
        /// Classes of traffic whose old packets raise the priority of their UE. Default: none.
        raise: Option<RaisedPriority>;
    }
}

record! {
    /// Service by the age of the oldest packets.
    pub struct DelayBasedScheduler {
        /// Classes of traffic that are served by the age of their oldest packets. Default: all.
        class: Names;
        /// A UE with a packet of these classes older than this goes before the others until it has
        /// none. It does not count where all of these classes have absolute priority, nor where
        /// there are no others. Default: 10 ms (chapter 4.5).
        threshold: Duration = Duration::from_millis(10)
            => between(Duration::ZERO, LONGEST_WAIT);
        /// Service of UEs without packets of these classes. Default: "round-robin".
        others: OtherTraffic = OtherTraffic::RoundRobin;
        /// Most UEs that are served in an interval. Default: as many as fit, each with what its
        /// data need.
        ues_per_slot: Option<u32> => between(1, 1_000);
        /// Classes of traffic, as bearers name them, with absolute priority: UEs with data of the
        /// first go first, then those with data of the second. Default: none.
        priority: Names;
        /// Longest time that a UE has data, and no grant, before it goes before all others until it
        /// has one. Default: none.
        starvation: Option<Duration> => above_to(Duration::ZERO, LONGEST_WAIT);
        /// Puts UEs first whose mean rate is below the `guaranteed_bit_rate` of their bearers with
        /// data, together. Default: false.
        minimum_rate: bool = false;
    }
}

choice! {
    /// Service by a delay-based scheduler of UEs without packets of its classes.
    pub enum OtherTraffic {
        /// All UEs have turns; those of the classes' UEs go to the one whose packet is oldest.
        RoundRobin = "round-robin",
        /// By the age of their oldest packets, as all others.
        ByAge = "by-age",
    }
}

record! {
    /// Raised priority of old packets.
    pub struct RaisedPriority {
        /// Classes of traffic whose packets count, as bearers name them. Default: all.
        class: Names;
        /// A UE with a packet of these older than this goes before the others until it has none. Default:
        /// 10 ms (chapter 4.5).
        beyond: Duration = Duration::from_millis(10)
            => between(Duration::ZERO, LONGEST_WAIT);
    }
}

impl Scheduler {
    /// Proportional fair for all alike.
    pub(super) fn usual() -> Scheduler {
        Scheduler::ProportionalFair(ProportionalFairScheduler {
            priority: Names::default(),
            starvation: None,
            minimum_rate: false,
            raise: None,
        })
    }

    /// Classes of traffic with absolute priority, the first before the second.
    pub fn priority(&self) -> &Names {
        match self {
            Scheduler::ProportionalFair(scheduler) => &scheduler.priority,
            Scheduler::RoundRobin(scheduler) => &scheduler.priority,
            Scheduler::DelayBased(scheduler) => &scheduler.priority,
        }
    }

    /// Time that a UE may wait before it goes first.
    pub fn starvation(&self) -> Option<Duration> {
        match self {
            Scheduler::ProportionalFair(scheduler) => scheduler.starvation,
            Scheduler::RoundRobin(scheduler) => scheduler.starvation,
            Scheduler::DelayBased(scheduler) => scheduler.starvation,
        }
    }

    /// True if guaranteed rates go first.
    pub fn minimum_rate(&self) -> bool {
        match self {
            Scheduler::ProportionalFair(scheduler) => scheduler.minimum_rate,
            Scheduler::RoundRobin(scheduler) => scheduler.minimum_rate,
            Scheduler::DelayBased(scheduler) => scheduler.minimum_rate,
        }
    }

    /// Classes whose packets raise their UE's priority (all, where none is named), and the age
    /// beyond which they do.
    pub fn raise(&self) -> Option<(&Names, Duration)> {
        let raise = match self {
            Scheduler::ProportionalFair(scheduler) => &scheduler.raise,
            Scheduler::RoundRobin(scheduler) => &scheduler.raise,
            Scheduler::DelayBased(scheduler) => {
                return Some((&scheduler.class, scheduler.threshold));
            }
        };
        raise.as_ref().map(|raise| (&raise.class, raise.beyond))
    }
}
