//! Queue delay by one-way delays (RFC 8698, 5.1.1).

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use crate::paced::Window;

/// Packets whose least delay counts (RFC 8698, 5.1.1: a minimum filter of 15 taps).
const TAPS: usize = 15;

/// One-way delay over the least so far, filtered.
#[derive(Debug)]
pub(super) struct QueueDelay {
    /// Least one-way delay (d_base).
    base: Option<Duration>,
    taps: VecDeque<Duration>,
    last: Duration,
    /// Queue delays in seconds.
    window: Window,
}

impl QueueDelay {
    pub fn new(span: Duration) -> QueueDelay {
        let (base, last) = (None, Duration::ZERO);
        QueueDelay { base, taps: VecDeque::new(), last, window: Window::new(span) }
    }

    /// A packet has arrived after a one-way delay.
    pub fn add(&mut self, at: Time, delay: Duration) {
        let base = self.base.map_or(delay, |base| base.min(delay));
        self.base = Some(base);
        if self.taps.len() == TAPS {
            self.taps.pop_front();
        }
        self.taps.push_back(delay);
        let least = self.taps.iter().min().copied().unwrap_or(delay);
        self.last = least.saturating_sub(base);
        self.window.add(at, self.last.as_secs_f64());
    }

    pub fn forget(&mut self, now: Time) {
        self.window.forget(now);
    }

    /// Queue delay of the packet that arrived last.
    pub fn last(&self) -> Duration {
        self.last
    }

    /// Largest queue delay in the window.
    pub fn largest(&self) -> Duration {
        Duration::from_secs_f64(self.window.largest())
    }
}
