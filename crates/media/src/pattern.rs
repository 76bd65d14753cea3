//! When a source sends, as the user decides.

use core::fmt;

use airpath_base::{Duration, Time};

/// Decides when a source of packets sends, and how much.
pub trait Pattern: Send {
    /// A packet is due at `now`: how long after it the next one is, above zero, and its UDP
    /// payload in bytes, 12 of RTP's header included, up to 65,487. None if it was the last.
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
