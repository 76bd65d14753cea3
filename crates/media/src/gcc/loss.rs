//! Rate by loss (draft-ietf-rmcat-gcc-02, 6; libwebrtc, send_side_bandwidth_estimation.cc).

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use super::Variant;
use crate::paced::Rates;

/// Shares of loss below which the rate grows, and above which it shrinks.
const LOW: f64 = 0.02;
const HIGH: f64 = 0.10;
/// Packets that a share of libwebrtc takes at least.
const PACKETS: usize = 20;
/// Time over which libwebrtc takes the least rate, and by which its decreases are apart beside an RTT.
const HISTORY: Duration = Duration::from_secs(1);
const APART: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(super) struct Loss {
    variant: Variant,
    rates: Rates,
    rate: f64,
    /// Packets lost and all, not yet a share.
    counted: (usize, usize),
    share: f64,
    /// Rates of the last second, of which the first is the least.
    history: VecDeque<(Time, f64)>,
    decreased: Option<Time>,
}

impl Loss {
    pub fn new(variant: Variant, rates: Rates) -> Loss {
        let (counted, history) = ((0, 0), VecDeque::new());
        Loss { variant, rates, rate: rates.start, counted, share: 0.0, history, decreased: None }
    }

    /// Takes the rate that a probe has found.
    pub fn set(&mut self, rate: f64) {
        self.rate = rate;
        self.history.clear();
    }

    /// The rate after a report on so many packets, of which some are lost. It is not above that by delay.
    pub fn update(
        &mut self,
        now: Time,
        lost: usize,
        packets: usize,
        rtt: Duration,
        by_delay: f64,
    ) -> f64 {
        self.counted = (self.counted.0 + lost, self.counted.1 + packets);
        let least = if self.variant == Variant::Draft { 1 } else { PACKETS };
        let fresh = self.counted.1 >= least;
        if fresh {
            let (lost, packets) = std::mem::take(&mut self.counted);
            self.share = lost as f64 / packets as f64;
        }
        let rate = match self.variant {
            Variant::Draft if !fresh => self.rate,
            Variant::Draft if self.share > HIGH => self.rate * (1.0 - 0.5 * self.share),
            Variant::Draft if self.share < LOW => 1.05 * self.rate,
            Variant::Draft => self.rate,
            Variant::Libwebrtc => self.libwebrtc(now, rtt, fresh),
        };
        self.rate = self.rates.hold(rate.min(by_delay));
        self.rate
    }

    fn libwebrtc(&mut self, now: Time, rtt: Duration, fresh: bool) -> f64 {
        while self.history.pop_front_if(|(at, _)| now.saturating_since(*at) > HISTORY).is_some() {}
        while self.history.pop_back_if(|(_, rate)| self.rate <= *rate).is_some() {}
        self.history.push_back((now, self.rate));
        if self.share <= LOW {
            let least = self.history.front().map_or(self.rate, |(_, rate)| *rate);
            return 1.08 * least + 1_000.0;
        }
        let apart = self.decreased.is_none_or(|at| now.saturating_since(at) >= APART + rtt);
        if self.share > HIGH && fresh && apart {
            self.decreased = Some(now);
            return self.rate * (1.0 - 0.5 * self.share);
        }
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { min: 100e3, start: 1e6, max: 100e6 };

    /// Rates after reports each 100 ms, on so many lost of 100 packets.
    fn rates(variant: Variant, lost: &[usize]) -> Vec<f64> {
        let mut loss = Loss::new(variant, RATES);
        let rtt = Duration::from_millis(50);
        let update = |(n, lost): (usize, &usize)| {
            loss.update(Time::from_millis(100 * n as u64), *lost, 100, rtt, 5e6).round()
        };
        lost.iter().enumerate().map(update).collect()
    }

    #[test]
    fn the_draft_answers_each_report() {
        // 1.05, then 2% to 10% hold, then 1 - 0.5 * 20% twice.
        let seen = rates(Variant::Draft, &[0, 1, 2, 10, 20, 20]);
        assert_eq!(seen, [1.05e6, 1_102_500.0, 1_102_500.0, 1_102_500.0, 992_250.0, 893_025.0]);
    }

    #[test]
    fn libwebrtc_grows_over_the_least_of_a_second_and_waits_between_decreases() {
        let seen = rates(Variant::Libwebrtc, &[0; 12]);
        assert_eq!(seen[..11], [1.081e6; 11]);
        assert_eq!(seen[11], 1_168_480.0);
        let seen = rates(Variant::Libwebrtc, &[20, 20, 20, 20, 20, 5]);
        assert_eq!(seen, [0.9e6, 0.9e6, 0.9e6, 0.9e6, 0.81e6, 0.81e6]);
    }
}
