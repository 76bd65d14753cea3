//! Requests of the receiver's to a sender that is a server.

use airpath_base::Time;

/// Requests of the receiver's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    /// True if the sender is the server.
    serves: bool,
    /// Time at which the receiver's last data reaches the sender; zero before the first.
    last_at: Time,
}

impl Requests {
    /// Before the first one.
    pub(crate) fn new(serves: bool) -> Requests {
        Requests { serves, last_at: Time::ZERO }
    }

    /// Data of the receiver's reaches the sender at `at`.
    #[inline]
    pub(crate) fn add(&mut self, at: Time) {
        self.last_at = at;
    }

    /// Time of the last data of the receiver's; zero before the first.
    pub(crate) fn last_at(&self) -> Time {
        self.last_at
    }

    /// Time of the request that ended a client's silence between two times.
    pub(crate) fn within(&self, from: Time, to: Time) -> Option<Time> {
        (self.serves && self.last_at > from).then(|| self.last_at.min(to))
    }
}
