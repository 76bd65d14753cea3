//! Supply of data by the sending application.

use airpath_base::Time;

/// Supply of data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Supply {
    /// Begin of the time in which the application is known to have no data; zero if it may have some.
    drained_since: Time,
    /// Begin of the time in which the sender had an ACK and sent nothing; zero if there is none.
    free_since: Time,
    /// Nanoseconds of the present stretch in which the application is known to have had no data.
    drained: u64,
    /// Of this stretch, nanoseconds that an ACK ended.
    held: u64,
    /// Begin of that time, in this stretch or before; zero if there is none.
    begun: Time,
}

impl Supply {
    /// True if the application is known to have no data.
    pub(crate) fn is_drained(&self) -> bool {
        self.drained_since > Time::ZERO
    }

    /// New data was due at `at`, in a stretch since `from`. The time before in which it could have been sent is the
    /// application's. Of the time behind an ACK only what is longer than `least` nanoseconds counts; none is for
    /// a sender that may not send.
    #[inline]
    pub(crate) fn withheld(&mut self, at: Time, from: Time, least: Option<u64>, released: bool) {
        let span = if self.is_drained() {
            at.saturating_since(self.drained_since.max(from)).as_nanos()
        } else if let Some(least) = least.filter(|_| self.free_since > Time::ZERO) {
            let free = at.saturating_since(self.free_since).as_nanos();
            if free > least { free } else { 0 }
        } else {
            0
        };
        *(if released { &mut self.held } else { &mut self.drained }) += span;
    }

    /// Begin of the time in which the application is known to have had no data; none if it had some.
    pub(crate) fn begun(&self) -> Option<Time> {
        (self.begun > Time::ZERO).then_some(self.begun)
    }

    /// Data comes late from the path: nothing is known of the application.
    pub(crate) fn unknown(&mut self) {
        self.drained_since = Time::ZERO;
    }

    /// New data is sent, the application's last for now, or not.
    #[inline]
    pub(crate) fn sent(&mut self, at: Time, last: bool) {
        self.drained_since = if last { at } else { Time::ZERO };
        self.begun = self.drained_since;
        self.free_since = Time::ZERO;
    }

    /// New data is acknowledged.
    #[inline]
    pub(crate) fn answered(&mut self, at: Time) {
        if self.free_since == Time::ZERO {
            self.free_since = at;
        }
    }

    /// The receiver's window gets room.
    pub(crate) fn room(&mut self, at: Time) {
        self.free_since = at;
    }

    /// The receiver's window has no room.
    pub(crate) fn no_room(&mut self) {
        self.free_since = Time::ZERO;
    }

    /// Ends a stretch: nanoseconds in which the application is known to have had no data, and those that an ACK ended.
    pub(crate) fn cut(&mut self, from: Time, to: Time) -> (u64, u64) {
        if self.is_drained() {
            self.drained += to.saturating_since(self.drained_since.max(from)).as_nanos();
            self.drained_since = to;
        }
        (std::mem::take(&mut self.drained), std::mem::take(&mut self.held))
    }
}
