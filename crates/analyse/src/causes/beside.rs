//! Flows beside a flow: the load of the client's host, and the queues that its other flows have measured.
//!
//! Flows of a host pass its access link. A queue that one of them measures delays the others as well, also those that
//! have never seen the path without it. In the other direction, it delays their ACKs.

use core::num::NonZeroU32;

use airpath_base::Time;

use super::stretch::Stretch;

/// Others' load and queues in a direction, as one flow sees them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    /// Bytes that others have carried in the direction.
    pub(crate) bytes: u64,
    /// Delay of the queue that others have measured in the direction, and against it, in microseconds; zero if none
    /// stands.
    pub(crate) along: u32,
    pub(crate) against: u32,
}

/// Queue of a direction, as a flow has measured it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    micros: u32,
    until: Time,
}

/// Queues of a host, up and down: the longest that stands, with its flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Board([Option<(NonZeroU32, Standing)>; 2]);

impl Standing {
    /// Queue of so many microseconds in a round trip. It counts for two more of them.
    pub(crate) fn new(micros: u32, stretch: &Stretch) -> Standing {
        let span = stretch.to.saturating_since(stretch.from);
        Standing { micros, until: stretch.to.saturating_add(span).saturating_add(span) }
    }

    /// True if a queue stands.
    pub(crate) fn stands(self) -> bool {
        self.micros > 0
    }
}

impl Board {
    /// Notes a queue of the direction `way` that a flow has measured.
    pub(crate) fn note(&mut self, way: usize, flow: NonZeroU32, found: Standing, now: Time) {
        let longest = &mut self.0[way];
        let longer = longest.is_some_and(|(other, before)| {
            other != flow && before.until >= now && before.micros > found.micros
        });
        if !longer {
            *longest = Some((flow, found));
        }
    }

    /// Queues of other flows now, along the direction `way` and against it, in microseconds.
    pub(crate) fn of_others(&self, way: usize, flow: NonZeroU32, now: Time) -> [u32; 2] {
        [way, 1 - way].map(|way| match self.0[way] {
            Some((other, queue)) if other != flow && queue.until >= now => queue.micros,
            _ => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_counts_for_others_for_two_round_trips() {
        let [one, other] = [1, 2].map(|n| NonZeroU32::MIN.saturating_add(n));
        let (from, to) = (Time::from_millis(100), Time::from_millis(200));
        let stretch = Stretch { from, to, ..Stretch::default() };
        let mut board = Board::default();
        board.note(0, one, Standing::new(40_000, &stretch), to);
        assert_eq!(board.of_others(0, one, to), [0, 0]);
        assert_eq!(board.of_others(0, other, to), [40_000, 0]);
        assert_eq!(board.of_others(1, other, Time::from_millis(400)), [0, 40_000]);
        assert_eq!(board.of_others(1, other, Time::from_millis(401)), [0, 0]);
        // A shorter queue of another flow does not replace a longer one.
        board.note(0, other, Standing::new(9_000, &stretch), to);
        assert_eq!(board.of_others(0, other, to), [40_000, 0]);
        board.note(0, one, Standing::new(0, &stretch), to);
        assert_eq!(board.of_others(0, other, to), [0, 0]);
    }
}
