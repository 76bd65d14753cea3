//! Delivery rate samples (draft-ietf-ccwg-bbr, "Delivery Rate Samples").

use airpath_base::{Duration, Time};

use crate::control::RateSample;

/// State of a sender when it sent a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Bytes known to have arrived by then.
    pub delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// True if the application was the limit then.
    pub app_limited: bool,
    /// Bytes in flight then, the segment included.
    pub in_flight: u64,
    /// Bytes found lost by then.
    pub lost: u64,
    /// Number of the transmission, from 1.
    pub order: u64,
}

impl Snapshot {
    /// This state with the bytes in flight and the bytes found lost by then.
    pub fn with_flight(self, in_flight: u64, lost: u64) -> Snapshot {
        Snapshot { in_flight, lost, ..self }
    }
}

/// Counter of delivered bytes, which makes delivery rate samples (draft-ietf-ccwg-bbr, 4.1).
#[derive(Clone, Debug, Default)]
pub struct RateSampler {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// Samples are the application's doing until so much has been delivered.
    app_limited_until: u64,
    /// Transmissions so far.
    sent: u64,
}

impl RateSampler {
    /// A segment leaves; `idle` is true if nothing was in flight.
    pub fn on_sent(&mut self, now: Time, idle: bool) -> Snapshot {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        self.sent += 1;
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited_until > 0,
            order: self.sent,
            ..Snapshot::default()
        }
    }

    /// Transmissions so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes known to have arrived so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The application has nothing to send though the window would allow it.
    pub fn app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
    }

    /// True if the application is the limit of what is in flight.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until > 0
    }

    /// Counts `bytes` that have arrived. `newest` is the segment sent last among them, with the time at which it was
    /// sent. Without it, and for an interval below `min_rtt`, no sample is made.
    pub fn on_ack(
        &mut self,
        now: Time,
        bytes: u64,
        newest: Option<(Snapshot, Time)>,
        min_rtt: Option<Duration>,
    ) -> Option<RateSample> {
        if bytes > 0 {
            self.delivered += bytes;
            self.delivered_at = now;
        }
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let (sent, sent_at) = newest?;
        self.first_sent = sent_at;
        let sending = sent_at.saturating_since(sent.first_sent);
        let arriving = self.delivered_at.saturating_since(sent.delivered_at);
        let interval = sending.max(arriving);
        if interval.is_zero() || min_rtt.is_some_and(|min| interval < min) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - sent.delivered,
            prior_delivered: sent.delivered,
            interval,
            app_limited: sent.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::BitRate;

    #[test]
    fn a_steady_flow_shows_its_rate() {
        // 1000 bytes each millisecond, acknowledged after 10 ms: 8 Mbit/s.
        let mut rate = RateSampler::default();
        let at = Time::from_millis;
        let mut sent = Vec::new();
        let mut last = None;
        for n in 0..40 {
            if n >= 10 {
                let (snapshot, when) = sent[n as usize - 10];
                let min = Some(Duration::from_millis(10));
                last = rate.on_ack(at(n), 1000, Some((snapshot, when)), min).or(last);
            }
            sent.push((rate.on_sent(at(n), n == 0), at(n)));
        }
        let sample = last.expect("a sample");
        assert_eq!(sample.rate(), BitRate::from_mbps(8));
        assert!(!sample.app_limited);
    }

    #[test]
    fn samples_say_when_the_application_was_the_limit() {
        let mut rate = RateSampler::default();
        rate.app_limited(0);
        let snapshot = rate.on_sent(Time::ZERO, true);
        let newest = Some((snapshot, Time::ZERO));
        let sample = rate.on_ack(Time::from_millis(5), 2000, newest, None).expect("a sample");
        assert!(sample.app_limited && !rate.is_app_limited());
    }
}
