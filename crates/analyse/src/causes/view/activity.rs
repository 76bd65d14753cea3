//! Times at which the sender did something last, or something reached it.

use airpath_base::Time;

/// Times of the last activity; at the sender but for [`sent_at`](Activity::sent_at).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    first: Time,
    sent_at: Time,
    answered_at: Time,
    acked_at: Time,
}

impl Activity {
    /// Before the first data, where the receiver's last segment passed at `answered`.
    pub(crate) fn new(answered: Time) -> Activity {
        Activity {
            first: Time::ZERO,
            sent_at: Time::ZERO,
            answered_at: answered,
            acked_at: answered,
        }
    }

    /// Time of the first data; zero before.
    #[inline]
    pub(crate) fn first(&self) -> Time {
        self.first
    }

    /// Time at which data passed last; zero before the first.
    #[inline]
    pub(crate) fn sent_at(&self) -> Time {
        self.sent_at
    }

    /// Time of the last ACK of new data.
    #[inline]
    pub(crate) fn answered_at(&self) -> Time {
        self.answered_at
    }

    /// Time of the last ACK, of new data or not.
    #[inline]
    pub(crate) fn acked_at(&self) -> Time {
        self.acked_at
    }

    /// The first data passes.
    pub(crate) fn begin(&mut self, at: Time) {
        self.first = at;
    }

    /// Data passes.
    #[inline]
    pub(crate) fn sent(&mut self, at: Time) {
        self.sent_at = at;
    }

    /// New data is acknowledged.
    #[inline]
    pub(crate) fn answered(&mut self, at: Time) {
        self.answered_at = at;
    }

    /// An ACK arrives.
    #[inline]
    pub(crate) fn acked(&mut self, at: Time) {
        self.acked_at = at;
    }
}
