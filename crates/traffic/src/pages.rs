//! Rounds of requests, one after the other or by the clock, which know nothing of each other.
//! [`Web`](super::Web) has pages whose objects wait for an index.

use airpath_base::{Duration, Time};

use super::{Sizes, Spans};

/// Objects that a user or a program fetches in rounds.
#[derive(Clone, Debug)]
pub struct PageConfig {
    /// Sizes of the responses.
    pub response: Sizes,
    /// Requests of a round, at least 1.
    pub objects: u32,
    /// Rule for the begin of the next round.
    pub pause: Pause,
    /// Rounds; `None` for no end.
    pub count: Option<u64>,
}

/// Rule for the begin of the next round.
#[derive(Clone, Debug)]
pub enum Pause {
    /// So long after the one before has begun, whether or not it has been answered.
    Period(Duration),
    /// So long after the one before is complete.
    Think(Spans),
}

/// Rounds of requests.
#[derive(Clone, Debug)]
pub struct Pages {
    config: PageConfig,
    next: Option<Time>,
    rounds: u64,
    /// Requests of begun rounds that have not been sent.
    due: u64,
    /// Requests without a complete response.
    open: u64,
}

impl Pages {
    /// Rounds without a request so far.
    pub fn new(config: PageConfig) -> Pages {
        Pages { config, next: None, rounds: 0, due: 0, open: 0 }
    }

    fn more(&self) -> bool {
        self.config.count.is_none_or(|count| self.rounds < count)
    }

    pub(crate) fn begin(&mut self, now: Time) {
        self.next = Some(now);
    }

    /// A round that fell due during the pause begins now.
    pub(crate) fn resume(&mut self, now: Time) {
        self.next = self.next.map(|at| at.max(now));
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        self.next
    }

    pub(crate) fn wake(&mut self, now: Time) {
        while let Some(at) = self.next.take_if(|at| *at <= now) {
            self.rounds += 1;
            self.due += u64::from(self.config.objects.max(1));
            if let (Pause::Period(period), true) = (&self.config.pause, self.more()) {
                self.next = Some(at.saturating_add((*period).max(Duration::from_micros(1))));
            }
        }
    }

    pub(crate) fn wants(&self) -> bool {
        self.due > 0
    }

    pub(crate) fn ask(&mut self) -> u64 {
        (self.due, self.open) = (self.due - 1, self.open + 1);
        self.config.response.draw()
    }

    pub(crate) fn completed(&mut self, now: Time) {
        self.open -= 1;
        let idle = self.due == 0 && self.open == 0 && self.next.is_none();
        if idle
            && self.more()
            && let Pause::Think(spans) = &mut self.config.pause
        {
            self.next = Some(now.saturating_add(spans.draw()));
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.rounds > 0 && !self.more() && self.due == 0 && self.open == 0
    }
}
