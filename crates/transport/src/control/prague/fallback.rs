//! Telling a classic ECN queue from one for L4S, by the RTT's variation and rise
//! (B. Briscoe and A. S. Ahmed, "TCP Prague Fall-back on Detection of a Classic
//! ECN AQM", arXiv:1911.00710; RFC 9331, 4.3 and A.1.5).
//!
//! A score rises with the logarithms of two ratios: the RTT's mean deviation over 750 us, and the
//! queue's delay over 2 ms. It falls while both are small, and is kept between the ends of two
//! sticky ranges. Weights are those of the Linux implementation. Leaves out the paper's term for
//! flows that limit themselves: the score of such a flow does not change.

use airpath_base::math;

use super::core::WHOLE;

/// Deviation of the RTT, in us, at which the score stays (V0).
const DEVIATION: f64 = 750.0;
/// Queueing delay, in us, above which it adds to the score (D0).
const DEPTH: f64 = 2_000.0;
/// Weight of both (V and D).
const WEIGHT: f64 = 0.5;
/// Below this score the queue is taken for one for L4S; the transition is 1 wide.
const STICKY: f64 = 8.0;
/// The largest score.
const LARGEST: f64 = 2.0 * STICKY + 1.0;
/// Share of alpha that makes a classic response: 0.625 halves to a cut by 31%.
const CLASSIC_SHARE: f64 = 0.625;

/// The score and what it is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassicDetector {
    srtt: f64,
    deviation: f64,
    lowest: f64,
    score: f64,
}

impl ClassicDetector {
    /// An RTT sample in us, with a window of so many packets: the averages are
    /// over more samples the larger the window.
    pub fn sample(&mut self, rtt: f64, window: f64) {
        if self.srtt == 0.0 {
            (self.srtt, self.lowest) = (rtt, rtt);
            return;
        }
        self.lowest = self.lowest.min(rtt);
        let log = math::log2(window.max(2.0)).floor();
        let shift = (log + (log / 2.0).floor() + 1.0).min(18.0);
        let error = rtt - self.srtt;
        self.srtt += error * math::exp2(-shift);
        self.deviation += (error.abs() - self.deviation) * math::exp2(-shift - 1.0);
    }

    /// Once in each virtual round trip.
    pub fn round(&mut self) {
        if self.srtt == 0.0 {
            return;
        }
        let deviation = math::log2(self.deviation.max(1.0) / DEVIATION);
        let depth = ((self.srtt - self.lowest) / DEPTH).max(1.0);
        self.score += WEIGHT * (deviation + math::log2(depth));
        self.score = self.score.clamp(0.0, LARGEST);
    }

    /// The least share, of 2^20, that a reduction answers.
    pub fn floor(&self) -> i64 {
        let classic = (self.score - STICKY).clamp(0.0, 1.0);
        (classic * CLASSIC_SHARE * WHOLE as f64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score after `rounds` of ten samples between two RTTs.
    fn after(rounds: u32, low: f64, high: f64) -> ClassicDetector {
        let mut detector = ClassicDetector::default();
        for round in 0..rounds {
            for n in 0..10 {
                let rtt = if (round * 10 + n) % 20 < 10 { low } else { high };
                detector.sample(rtt, 10.0);
            }
            detector.round();
        }
        detector
    }

    #[test]
    fn a_shallow_steady_queue_is_one_for_l4s() {
        let detector = after(500, 20_000.0, 20_600.0);
        assert_eq!((detector.score, detector.floor()), (0.0, 0));
    }

    #[test]
    fn a_deep_queue_that_moves_is_classic() {
        let detector = after(500, 20_000.0, 40_000.0);
        assert_eq!(detector.score, LARGEST);
        assert_eq!(detector.floor(), (0.625 * WHOLE as f64) as i64);
    }
}
