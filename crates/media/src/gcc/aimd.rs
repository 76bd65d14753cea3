//! Rate by the detector: it grows, holds or shrinks (draft-ietf-rmcat-gcc-02, 5.5; libwebrtc,
//! aimd_rate_control.cc and link_capacity_estimator.cc).

use airpath_base::{Duration, Time, math};

use super::Variant;
use super::detector::Usage;
use crate::paced::Rates;

/// Share of the receiving rate after over-use (beta).
const BETA: f64 = 0.85;
/// Largest growth in a second away from the capacity.
const GROWTH: f64 = 1.08;
/// Largest rate over the receiving rate.
const OVER_RECEIVED: f64 = 1.5;
/// Time of the detector beside the RTT, in seconds.
const RESPONSE: f64 = 0.1;
/// Frames a second and bits of a packet from which the mean packet is computed.
const FRAMES: f64 = 30.0;
const PACKET: f64 = 8.0 * 1200.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Increase,
    Hold,
    Decrease,
}

#[derive(Debug)]
pub(super) struct Aimd {
    variant: Variant,
    rates: Rates,
    rate: f64,
    state: State,
    changed: Option<Time>,
    capacity: Option<Capacity>,
}

/// Receiving rates at over-use, in kbit/s.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    mean: f64,
    /// Variance over the mean.
    variance: f64,
}

impl Aimd {
    pub fn new(variant: Variant, rates: Rates) -> Aimd {
        let (state, rate) = (State::Increase, rates.start);
        Aimd { variant, rates, rate, state, changed: None, capacity: None }
    }

    /// The rate that a probe has found.
    pub fn set(&mut self, now: Time, rate: f64) -> f64 {
        (self.rate, self.changed) = (self.rates.hold(rate), Some(now));
        self.rate
    }

    /// The rate after a report.
    pub fn update(&mut self, now: Time, usage: Usage, received: Option<f64>, rtt: Duration) -> f64 {
        let Some(received) = received else { return self.rate };
        let before = self.state;
        self.state = match (usage, before) {
            (Usage::Over, _) => State::Decrease,
            (Usage::Under, _) | (Usage::Normal, State::Decrease) => State::Hold,
            (Usage::Normal, _) => State::Increase,
        };
        // Time in which the rate is held is none of growth: that of the draft ends a report earlier.
        let held = match self.variant {
            Variant::Draft => self.state == State::Hold,
            Variant::Libwebrtc => before == State::Hold && self.state == State::Increase,
        };
        if held {
            self.changed = Some(now);
        }
        match self.state {
            State::Increase => self.increase(now, received, rtt.as_secs_f64()),
            State::Hold => {}
            State::Decrease => self.decrease(now, received, rtt),
        }
        self.rate
    }

    fn increase(&mut self, now: Time, received: f64, rtt: f64) {
        let since = now.saturating_since(self.changed.replace(now).unwrap_or(now)).as_secs_f64();
        if self.capacity.is_some_and(|capacity| received / 1e3 > capacity.bounds().1) {
            self.capacity = None;
        }
        let step = match self.capacity {
            Some(_) => self.additive(since, rtt + RESPONSE),
            None => self.multiplicative(since),
        };
        let beside = if self.variant == Variant::Draft { 0.0 } else { 10e3 };
        let limit = (OVER_RECEIVED * received + beside).max(self.rate);
        self.rate = self.rates.hold((self.rate + step).min(limit));
    }

    fn multiplicative(&self, since: f64) -> f64 {
        let step = self.rate * (math::pow(GROWTH, since.min(1.0)) - 1.0);
        match self.variant {
            Variant::Draft => step,
            Variant::Libwebrtc => step.max(1_000.0),
        }
    }

    /// Half a packet in each time of response.
    fn additive(&self, since: f64, response: f64) -> f64 {
        let frame = self.rate / FRAMES;
        let packet = frame / (frame / PACKET).ceil().max(1.0);
        match self.variant {
            Variant::Draft => (0.5 * packet * (since / response).min(1.0)).max(1_000.0),
            Variant::Libwebrtc => (0.5 * packet / response).max(4_000.0) * since,
        }
    }

    fn decrease(&mut self, now: Time, received: f64, rtt: Duration) {
        if self.variant == Variant::Libwebrtc && !self.may_decrease(now, received, rtt) {
            return;
        }
        let mut rate = BETA * received;
        if self.variant == Variant::Libwebrtc {
            rate = if rate > 5e3 { rate - 5e3 } else { rate };
            // The receiving rate may be above the rate after a queue has drained.
            if let Some(capacity) = self.capacity.filter(|_| rate > self.rate) {
                rate = BETA * 1e3 * capacity.mean;
            }
            self.state = State::Hold;
        }
        self.rate = self.rates.hold(rate.min(self.rate));
        self.changed = Some(now);
        if self.capacity.is_some_and(|capacity| received / 1e3 < capacity.bounds().0) {
            self.capacity = None;
        }
        self.capacity = Some(Capacity::with(self.capacity, received / 1e3));
    }

    /// True an RTT after the last change, or at once if less than half arrives.
    fn may_decrease(&self, now: Time, received: f64, rtt: Duration) -> bool {
        let apart = rtt.clamp(Duration::from_millis(10), Duration::from_millis(200));
        let waited = self.changed.is_none_or(|changed| now.saturating_since(changed) >= apart);
        waited || received < 0.5 * self.rate
    }
}

impl Capacity {
    /// Share of a new sample.
    const ALPHA: f64 = 0.05;

    fn with(before: Option<Capacity>, sample: f64) -> Capacity {
        let Some(Capacity { mean, variance }) = before else {
            return Capacity { mean: sample, variance: 0.4 };
        };
        let mean = (1.0 - Capacity::ALPHA) * mean + Capacity::ALPHA * sample;
        let error = mean - sample;
        let variance =
            (1.0 - Capacity::ALPHA) * variance + Capacity::ALPHA * error * error / mean.max(1.0);
        Capacity { mean, variance: variance.clamp(0.4, 2.5) }
    }

    /// Three deviations below and above the mean.
    fn bounds(self) -> (f64, f64) {
        let three = 3.0 * (self.variance * self.mean).sqrt();
        ((self.mean - three).max(0.0), self.mean + three)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { min: 100e3, start: 1e6, max: 100e6 };
    const RTT: Duration = Duration::from_millis(100);

    fn at(ms: u64) -> Time {
        Time::from_millis(ms)
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6 * expected, "{value} not {expected}");
    }

    #[test]
    fn a_rate_grows_by_eight_percent_in_a_second() {
        let mut aimd = Aimd::new(Variant::Draft, RATES);
        aimd.update(at(0), Usage::Normal, Some(1e6), RTT);
        near(aimd.update(at(1000), Usage::Normal, Some(1e6), RTT), 1.08e6);
        near(aimd.update(at(1500), Usage::Normal, Some(1e6), RTT), 1.08e6 * 1.08f64.sqrt());
        // At most 1.5 times what arrives.
        near(aimd.update(at(2500), Usage::Normal, Some(0.76e6), RTT), 1.14e6);
    }

    #[test]
    fn over_use_takes_085_of_what_arrives_and_the_rate_holds_once() {
        let mut aimd = Aimd::new(Variant::Draft, RATES);
        aimd.update(at(0), Usage::Normal, Some(1e6), RTT);
        near(aimd.update(at(100), Usage::Over, Some(0.9e6), RTT), 0.765e6);
        near(aimd.update(at(200), Usage::Normal, Some(0.9e6), RTT), 0.765e6);
        // Near the capacity: half a packet of 8500 bits, in half a time of response.
        near(aimd.update(at(300), Usage::Normal, Some(0.9e6), RTT), 0.765e6 + 0.25 * 8500.0);
        near(aimd.update(at(400), Usage::Under, Some(0.9e6), RTT), 0.765e6 + 0.25 * 8500.0);
    }

    #[test]
    fn the_capacity_is_forgotten_when_more_arrives() {
        let mut aimd = Aimd::new(Variant::Libwebrtc, RATES);
        near(aimd.update(at(0), Usage::Over, Some(1e6), RTT), 0.845e6);
        assert!(aimd.capacity.is_some());
        // Three deviations of sqrt(0.4 * 1000) kbit/s are 60 kbit/s.
        aimd.update(at(1000), Usage::Normal, Some(1.05e6), RTT);
        assert!(aimd.capacity.is_some());
        aimd.update(at(2000), Usage::Normal, Some(1.07e6), RTT);
        assert!(aimd.capacity.is_none());
    }

    #[test]
    fn libwebrtc_waits_an_rtt_between_decreases() {
        let mut aimd = Aimd::new(Variant::Libwebrtc, RATES);
        near(aimd.update(at(0), Usage::Over, Some(0.9e6), RTT), 0.76e6);
        near(aimd.update(at(50), Usage::Over, Some(0.8e6), RTT), 0.76e6);
        near(aimd.update(at(100), Usage::Over, Some(0.8e6), RTT), 0.675e6);
    }
}
