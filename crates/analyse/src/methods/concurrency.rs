//! Number of flows of a host that transfer data at a time (section 4.1 of the study): those with
//! data within the last second. The study samples times evenly; here each level's time is added up
//! exactly.

use core::num::NonZeroU32;

use airpath_base::{Duration, Time};

/// Time for which a flow counts as active after its data (the study's 1 s).
pub const ACTIVE: Duration = Duration::from_secs(1);
/// Greatest level; more flows count as this number.
pub const LEVELS: usize = 64;

/// Active flows of one host, and how long there were so many.
#[derive(Clone, Debug, Default)]
pub struct Concurrency {
    /// The flow that had data last comes last.
    active: Vec<(NonZeroU32, Time)>,
    since: Time,
    /// Time with one active flow, with two, and so on.
    levels: Vec<Duration>,
}

impl Concurrency {
    /// Data of this flow passed. Times may not go back by more than they are then taken to.
    pub fn data(&mut self, flow: NonZeroU32, at: Time) {
        match &mut self.active[..] {
            // Its time is added up once that changes.
            [(only, last)] if *only == flow && at.saturating_since(*last) <= ACTIVE => {
                *last = at.max(*last);
            }
            _ => self.other(flow, at),
        }
    }

    /// Books a packet of one of several active flows, if none falls silent; else gives false, and
    /// nothing is done.
    pub(crate) fn goes_on(&mut self, flow: NonZeroU32, at: Time) -> bool {
        let at = at.max(self.since);
        let [(_, first), _, ..] = self.active[..] else { return false };
        first.saturating_add(ACTIVE) > at && self.goes_on_among(flow, at)
    }

    /// The only active flow, and the time of its last data. While it goes on, one later report
    /// ([`went_on`](Concurrency::went_on)) is enough.
    pub(crate) fn only_active(&self) -> Option<(NonZeroU32, Time)> {
        if let [only] = self.active[..] { Some(only) } else { None }
    }

    /// The only active flow had data up to `last`, no two of them more than [`ACTIVE`] apart.
    pub(crate) fn went_on(&mut self, last: Time) {
        if let [only] = &mut self.active[..] {
            only.1 = last;
        }
    }

    fn goes_on_among(&mut self, flow: NonZeroU32, at: Time) -> bool {
        let place = self.active.iter().rposition(|(known, _)| *known == flow);
        let (Some(place), Some(level)) = (place, self.levels.get_mut(self.active.len() - 1)) else {
            return false;
        };
        *level += at.saturating_since(self.since);
        self.since = at;
        self.active[place].1 = at;
        self.active[place..].rotate_left(1);
        true
    }

    fn other(&mut self, flow: NonZeroU32, at: Time) {
        let at = at.max(self.since);
        self.advance(at);
        self.active.retain(|(known, _)| *known != flow);
        if self.active.len() == LEVELS {
            self.active.remove(0);
        }
        self.active.push((flow, at));
    }

    /// Time with one active flow, with two, and so on, until all have fallen silent.
    pub fn levels(&self) -> Vec<Duration> {
        let mut done = self.clone();
        done.advance(Time::MAX);
        done.levels
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        16 * self.active.capacity() + 8 * self.levels.capacity()
    }

    /// Adds up the time until `now`; flows that fall silent on the way are left out from then.
    fn advance(&mut self, now: Time) {
        while let Some((_, last)) = self.active.first() {
            let end = last.saturating_add(ACTIVE);
            self.count(end.min(now));
            if end > now {
                return;
            }
            self.active.remove(0);
        }
        self.since = self.since.max(now);
    }

    fn count(&mut self, until: Time) {
        let level = self.active.len();
        if self.levels.len() < level {
            self.levels.resize(level, Duration::ZERO);
        }
        self.levels[level - 1] += until.saturating_since(self.since);
        self.since = self.since.max(until);
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;
    use proptest::prelude::*;

    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_millis(ms)
    }

    fn levels(events: &[(u64, u64)]) -> Vec<u64> {
        let mut concurrency = Concurrency::default();
        for (flow, at) in events {
            let flow = NonZeroU32::MIN.saturating_add(*flow as u32);
            concurrency.data(flow, ms(*at));
        }
        concurrency.levels().iter().map(|time| time.as_nanos() / 1_000_000).collect()
    }

    #[test]
    fn a_flow_is_active_for_a_second_after_its_data() {
        assert_eq!(levels(&[(1, 5000)]), [1000]);
        assert_eq!(levels(&[(1, 5000), (1, 5900), (1, 9000)]), [2900]);
        // 0 to 0.5 s one flow, to 1 s both, to 1.5 s the second.
        assert_eq!(levels(&[(1, 0), (2, 500)]), [1000, 500]);
        // The first is active until 1.8 s: 0.5, 1.0, 0.3 s.
        assert_eq!(levels(&[(1, 0), (2, 500), (1, 800)]), [800, 1000]);
        assert_eq!(levels(&[]), [0; 0]);
    }

    #[test]
    fn what_goes_back_in_time_counts_as_now() {
        assert_eq!(levels(&[(1, 0), (2, 500), (1, 100)]), [500, 1000]);
    }

    proptest! {
        /// Against counting at many sampled times, as the study did.
        #[test]
        fn it_is_what_sampling_finds(seed in any::<u64>()) {
            let mut random = Seed(seed).stream("concurrency");
            let mut events = Vec::new();
            let mut now = 0;
            for _ in 0..200 {
                now += random.below(700);
                events.push((random.below(5), now));
            }
            let mut sampled = vec![0u64; 5];
            for at in 0..now + 1000 {
                let within = |e: &&(u64, u64)| e.1 <= at && at < e.1 + 1000;
                let mut flows: Vec<u64> = events.iter().filter(within).map(|e| e.0).collect();
                flows.sort_unstable();
                flows.dedup();
                if let Some(level) = flows.len().checked_sub(1) {
                    sampled[level] += 1;
                }
            }
            let mut found = levels(&events);
            found.resize(5, 0);
            prop_assert_eq!(found, sampled);
        }
    }
}
