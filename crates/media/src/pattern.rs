//! A source's times and sizes of packets, by the user's own rule.

use core::fmt;

use airpath_base::{Duration, Time};

/// Decides when a source of packets sends, and how much.
pub trait Pattern: Send {
    /// Returns the time from the packet at `now` to the next, above zero, and the UDP payload of
    /// the packet in bytes. The payload includes 12 bytes of RTP's header, up to 65,487. None if
    /// the packet was the last.
    fn next(&mut self, now: Time) -> Option<(Duration, u32)>;
}

/// One of the user's.
pub(crate) struct OwnPattern(pub Box<dyn Pattern>);

impl fmt::Debug for OwnPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnPattern")
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
