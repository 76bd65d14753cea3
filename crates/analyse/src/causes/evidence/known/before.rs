//! Time before a flow could fill a queue.

use super::path::Path;
use super::queues::{MOST_JITTER, rise};

/// Round trips of the handshake and of the first data, in microseconds; zero if not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before([u32; 2]);

impl Before {
    /// Begins with the round trip of the handshake in nanoseconds; zero if not known.
    pub(crate) fn new(handshake: u64) -> Before {
        Before([micros(handshake), 0])
    }

    /// Time that data took, in nanoseconds. The first one counts: the flow could not fill a queue before it.
    pub(crate) fn data(&mut self, nanos: u64) {
        if self.0[1] == 0 {
            self.0[1] = micros(nanos);
        }
    }

    /// True if a queue stood before this flow. A radio that wakes up makes the handshake or the first data slow, not
    /// both. Both may be slow by a cell's requests and HARQ.
    pub(crate) fn was_full(&self, path: &Path) -> bool {
        let least = path.least();
        let above = MOST_JITTER.max(2 * rise(least));
        least > 0 && self.0.iter().all(|took| *took >= least.saturating_add(above))
    }
}

fn micros(nanos: u64) -> u32 {
    u32::try_from(nanos / 1000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::stretch::{Range, Stretch};

    /// True if a queue stood, where the handshake and the first data took so many milliseconds on a path of 60.
    fn stood(handshake: u64, data: u64) -> bool {
        let mut before = Before::new(1_000_000 * handshake);
        before.data(1_000_000 * data);
        let mut path = Path::new(0);
        let near = Range { least: 60_000, most: 60_000 };
        path.meet(&Stretch { near, ..Stretch::default() });
        before.was_full(&path)
    }

    #[test]
    fn what_a_cell_adds_is_no_queue_that_stood_before() {
        // Two round trips of HARQ of 8 ms, and a scheduling request with its grant of 9 ms.
        assert!(!stood(84, 84));
        assert!(stood(85, 85));
        assert!(!stood(300, 60), "a radio woke up");
    }
}
