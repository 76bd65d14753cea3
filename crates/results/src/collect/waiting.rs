//! Packets that were sent and have neither arrived nor been dropped.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

/// Births of the packets of a flow that are on their way, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(VecDeque<Time>);

impl Waiting {
    /// A packet of this birth was sent.
    pub(super) fn sent(&mut self, born: Time) {
        match self.0.back() {
            Some(youngest) if *youngest > born => {
                let at = self.0.partition_point(|known| *known <= born);
                self.0.insert(at, born);
            }
            _ => self.0.push_back(born),
        }
    }

    /// A packet of this birth has arrived or was dropped.
    pub(super) fn ended(&mut self, born: Time) {
        let at = self.0.partition_point(|known| *known < born);
        if self.0.get(at) == Some(&born) {
            self.0.remove(at);
        }
    }

    /// Packets that are still on their way at `end` although they had only this time.
    pub(super) fn overdue(&self, end: Time, limit: Duration) -> u64 {
        self.0.partition_point(|born| born.saturating_add(limit) < end) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_on_their_way_are_overdue_behind_their_time() {
        let ms = Time::from_millis;
        let mut waiting = Waiting::default();
        [0, 20, 60, 40, 60].into_iter().for_each(|at| waiting.sent(ms(at)));
        waiting.ended(ms(20));
        waiting.ended(ms(20)); // a copy
        waiting.ended(ms(60));
        let overdue = |end| waiting.overdue(ms(end), Duration::from_millis(10));
        assert_eq!([10, 11, 50, 51, 70, 71].map(overdue), [0, 1, 1, 2, 2, 3]);
    }
}
