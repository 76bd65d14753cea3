//! Time before a flow could fill a queue.

use super::path::Path;
use super::queues::rise;

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
    /// both.
    pub(crate) fn was_full(&self, path: &Path) -> bool {
        let least = path.least();
        least > 0 && self.0.iter().all(|took| *took >= least.saturating_add(2 * rise(least)))
    }
}

fn micros(nanos: u64) -> u32 {
    u32::try_from(nanos / 1000).unwrap_or(u32::MAX)
}
