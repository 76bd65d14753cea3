//! Shares of packets, and the distance of losses.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use crate::paced::Window;

/// Weight of a new share in its average (ALPHA; RFC 8698, 5.1.2).
const ALPHA: f64 = 0.1;
/// So many average intervals after a loss the delay is no longer warped (MULTILOSS; RFC 8698, figure 3).
const MULTILOSS: f64 = 7.0;
/// Weights of the last loss intervals, the newest first (RFC 5348, 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Average share of packets of a kind.
#[derive(Debug)]
pub(super) struct Share {
    /// One for a packet of the kind, zero for another.
    window: Window,
    average: f64,
}

impl Share {
    pub fn new(span: Duration) -> Share {
        Share { window: Window::new(span), average: 0.0 }
    }

    pub fn add(&mut self, at: Time, is_one: bool) {
        self.window.add(at, f64::from(u8::from(is_one)));
    }

    /// The average with the share in the window at `now`.
    pub fn update(&mut self, now: Time) -> f64 {
        self.window.forget(now);
        let share = self.window.sum() / self.window.len().max(1) as f64;
        self.average = ALPHA * share + (1.0 - ALPHA) * self.average;
        self.average
    }

    /// True if no packet in the window is of the kind.
    pub fn is_zero(&self) -> bool {
        self.window.largest() == 0.0
    }
}

/// Packets from loss to loss. Losses within an RTT are one (RFC 5348, 5.2).
#[derive(Debug, Default)]
pub(super) struct LossInterval {
    /// Intervals that have ended, the newest first.
    intervals: VecDeque<u64>,
    /// Packets since the last loss, if there was one.
    since: Option<u64>,
    /// Sending time of the packet with which the last loss began.
    began: Option<Time>,
}

impl LossInterval {
    pub fn arrived(&mut self) {
        self.since = self.since.map(|since| since + 1);
    }

    /// A packet that was sent at this time is lost.
    pub fn lost(&mut self, sent: Time, rtt: Duration) {
        if self.began.is_some_and(|began| sent.saturating_since(began) < rtt) {
            return self.arrived();
        }
        if let Some(since) = self.since.replace(0) {
            self.intervals.push_front(since + 1);
            self.intervals.truncate(WEIGHTS.len());
        }
        self.began = Some(sent);
    }

    /// Average interval; none before the second loss.
    fn average(&self) -> Option<f64> {
        let weights = WEIGHTS[..self.intervals.len()].iter();
        let sum: f64 = weights.clone().sum();
        let pairs = weights.zip(&self.intervals);
        let mean = pairs.map(|(weight, packets)| weight * *packets as f64).sum::<f64>() / sum;
        (sum > 0.0).then_some(mean)
    }

    /// True if the last loss lies less than seven average intervals behind. After a single loss, always.
    pub fn is_recent(&self) -> bool {
        let near = |since: u64| self.average().is_none_or(|mean| (since as f64) < MULTILOSS * mean);
        self.since.is_some_and(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_recent_for_seven_intervals() {
        let mut interval = LossInterval::default();
        let mut at = Time::ZERO;
        let mut packets = |interval: &mut LossInterval, arrived: u64| {
            at += Duration::from_secs(1);
            interval.lost(at, Duration::from_millis(100));
            (0..arrived).for_each(|_| interval.arrived());
        };
        assert!(!interval.is_recent());
        packets(&mut interval, 99);
        packets(&mut interval, 299);
        // Intervals of 100, then 699 and 700 packets later.
        assert!(interval.is_recent());
        (0..399).for_each(|_| interval.arrived());
        assert!(interval.is_recent());
        (0..2).for_each(|_| interval.arrived());
        assert!(!interval.is_recent());
    }

    #[test]
    fn losses_within_an_rtt_are_one() {
        let mut interval = LossInterval::default();
        let rtt = Duration::from_millis(100);
        [0, 50, 99].into_iter().for_each(|ms| interval.lost(Time::from_millis(ms), rtt));
        assert_eq!(interval.average(), None);
        interval.lost(Time::from_millis(100), rtt);
        assert_eq!(interval.average(), Some(3.0));
    }
}
