//! Data under way, as the sender knows it, in sequence numbers.

use crate::sequence::after;

/// Data under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// Number behind the highest data, and the lowest that is not acknowledged.
    next: u32,
    una: u32,
    /// Number whose acknowledgement ends the round trip.
    round: u32,
    /// Bytes that were acknowledged in the present stretch, and the most that were under way.
    delivered: u32,
    most: u32,
}

impl Flight {
    /// Before the first data, where all up to `una` is acknowledged.
    pub(crate) fn new(una: u32) -> Flight {
        Flight { next: una, una, round: una, delivered: 0, most: 0 }
    }

    /// Number behind the highest data.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Lowest number that is not acknowledged.
    pub(crate) fn una(&self) -> u32 {
        self.una
    }

    /// Bytes under way.
    pub(crate) fn bytes(&self) -> u32 {
        (self.next.wrapping_sub(self.una) as i32).max(0) as u32
    }

    /// Most bytes that were under way in the present stretch.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    /// New data up to `end` is sent.
    #[inline]
    pub(crate) fn send(&mut self, end: u32) {
        self.next = end;
        self.most = self.most.max(self.bytes());
    }

    /// New data up to `una` is acknowledged.
    #[inline]
    pub(crate) fn acknowledge(&mut self, una: u32) {
        self.delivered = self.delivered.saturating_add(una.wrapping_sub(self.una));
        self.una = una;
    }

    /// True if all is acknowledged that was under way as the round trip began.
    pub(crate) fn is_round_over(&self) -> bool {
        !after(self.round, self.una)
    }

    /// A round trip begins with data under way.
    pub(crate) fn begin_round(&mut self) {
        self.round = self.next;
        self.most = self.bytes();
    }

    /// A round trip begins with the data that is sent next.
    pub(crate) fn begin_with_next(&mut self) {
        self.round = self.next.wrapping_add(1);
    }

    /// Ends a stretch: bytes that were acknowledged in it, and the most that were under way.
    pub(crate) fn cut(&mut self) -> (u32, u32) {
        (std::mem::take(&mut self.delivered), std::mem::take(&mut self.most))
    }
}
