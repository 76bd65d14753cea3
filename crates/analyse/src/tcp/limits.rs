//! What kept a sender from sending more, at each time.
//!
//! The sender's view is inferred at the capture point from what is outstanding there, the
//! peer's window and the size of the last segment:
//!
//! | what is seen | limited by |
//! |---|---|
//! | a retransmission is not yet acknowledged | loss |
//! | no room for a full segment in the receive window | receive window |
//! | data outstanding, the last segment was not full | application |
//! | data outstanding, the last segment was full | congestion window |
//! | nothing outstanding | application, unless the sender had just sent a full segment and the pause is no longer than its own round trip to the capture point: then it was waiting for its ACKs, and the congestion window is what held it |

use airpath_base::Time;

/// What limits a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Limit {
    #[default]
    Application,
    ReceiveWindow,
    CongestionWindow,
    Loss,
    /// Nothing is outstanding: the next packet tells.
    Pause,
}

/// Time by what limited it, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Since when, and all since the first data; zero before that.
    since: Time,
    first: Time,
    now: Limit,
    /// Whether the last segment before a pause was full.
    full: bool,
    /// By receive window, congestion window, loss; the rest is the application's.
    spans: [u64; 3],
}

/// What the sender's state is inferred from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View {
    pub(crate) outstanding: u32,
    pub(crate) window: Option<u32>,
    pub(crate) mss: u32,
    pub(crate) recovering: bool,
    /// Whether the last segment was a full one.
    pub(crate) full: bool,
}

impl Limits {
    /// From `at` on, the sender is as `view` has it; `round_trip` gives that between capture
    /// point and sender, in nanoseconds.
    #[inline]
    pub(crate) fn update(&mut self, at: Time, view: &View, round_trip: impl FnOnce() -> u64) {
        let limit = view.limit();
        if limit != self.now || self.first == Time::ZERO {
            self.book(at, round_trip());
            self.now = limit;
            self.full = view.full;
        }
    }

    /// Shares of the time until `at`, by application, receive window, congestion window
    /// and loss; none if no time passed.
    pub(crate) fn shares(&self, at: Time) -> Option<[f64; 4]> {
        let mut done = self.clone();
        done.book(at, 0);
        let all = at.saturating_since(done.first).as_nanos();
        let [window, congestion, loss] = done.spans;
        let known = done.spans.iter().fold(0u64, |sum, span| sum.saturating_add(*span));
        let all = all.max(known); // times that run backwards
        let share = |span: u64| span as f64 / all as f64;
        let shares = [all - known, window, congestion, loss].map(share);
        (all > 0 && done.first > Time::ZERO).then_some(shares)
    }

    #[inline(never)]
    fn book(&mut self, at: Time, round_trip: u64) {
        if self.first == Time::ZERO {
            (self.first, self.since) = (at, at);
        }
        let span = at.saturating_since(self.since).as_nanos();
        self.since = self.since.max(at);
        let waiting = self.full && span <= round_trip.saturating_add(round_trip / 2);
        let booked = match self.now {
            Limit::ReceiveWindow => &mut self.spans[0],
            Limit::CongestionWindow => &mut self.spans[1],
            Limit::Pause if waiting => &mut self.spans[1],
            Limit::Loss => &mut self.spans[2],
            Limit::Application | Limit::Pause => return,
        };
        *booked = booked.saturating_add(span);
    }
}

impl View {
    #[inline]
    fn limit(&self) -> Limit {
        if self.recovering {
            Limit::Loss
        } else if self
            .window
            .is_some_and(|window| window < self.outstanding.saturating_add(self.mss))
        {
            Limit::ReceiveWindow
        } else if self.outstanding == 0 {
            Limit::Pause
        } else if self.full {
            Limit::CongestionWindow
        } else {
            Limit::Application
        }
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
