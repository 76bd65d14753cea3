//! Scale of the receiver's window, where the capture has not seen the SYNs.
//!
//! The least scale counts with which the sender never exceeded the window. It is known once the sender has come to the
//! window's edge in several round trips, and not beyond. Source: RFC 7323, 2.2; RFC 9293, 3.8.6 (a sender keeps within the
//! window).

use crate::sequence::after;

/// Round trips at the edge from which the scale is known.
const KNOWN: u8 = 4;
/// Segments that are under way near the receiver, where the sender's state is inexact. A receiver acknowledges two at
/// once (RFC 9293, 3.8.6.3).
const FEW: u32 = 2;
/// The greatest scale (RFC 7323, 2.3).
const MOST: u8 = 14;

/// Scale of the window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    shift: u8,
    /// The last ACK's number, and its window as the header has it.
    una: u32,
    window: u16,
    /// True if the sender came to the edge in the present stretch, and the number of such stretches.
    touched: bool,
    rounds: u8,
}

impl Scale {
    /// An ACK reaches the sender. Gives the window's edge, if it is known.
    #[inline]
    pub(crate) fn announce(&mut self, una: u32, window: u16) -> Option<u32> {
        (self.una, self.window) = (una, window);
        (self.rounds >= KNOWN).then(|| self.edge())
    }

    /// The sender has sent up to `next`, in segments of `mss` bytes, the last of which was full or not. A small one may
    /// be all that there was to send. The times of ACKs at the sender are inexact by two segments.
    #[inline]
    pub(crate) fn sent(&mut self, next: u32, mss: u32, full: bool) {
        if after(next, self.edge().wrapping_add(2 * mss)) {
            (self.touched, self.rounds) = (false, 0);
            while self.shift < MOST && after(next, self.edge()) {
                self.shift += 1;
            }
        }
        let many = after(next, self.una.wrapping_add(FEW * mss));
        self.touched |= full && many && after(next.wrapping_add(mss), self.edge());
    }

    /// Ends a stretch.
    pub(crate) fn cut(&mut self) {
        self.rounds = self.rounds.saturating_add(u8::from(std::mem::take(&mut self.touched)));
    }

    fn edge(&self) -> u32 {
        self.una.wrapping_add(u32::from(self.window) << self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_at_the_edge_shows_the_scale() {
        let mut scale = Scale::default();
        for n in 0..6 {
            // A window of 160 with a scale of 7 holds 20 480 bytes, 14 segments of 1460.
            let una = 20_440 * n;
            assert_eq!(scale.announce(una, 160), (n > 3).then_some(una + 20_480), "{n}");
            scale.sent(una + 20_440, 1460, true);
            scale.cut();
        }
    }

    #[test]
    fn a_sender_that_grows_shows_none() {
        let mut scale = Scale::default();
        for n in 1..40 {
            assert_eq!(scale.announce(0, 160), None, "{n}");
            scale.sent(14_600 * n, 1460, true);
            scale.cut();
        }
    }
}
