//! DCTCP (RFC 8257).
//!
//! The window follows the share of marked bytes. Marks are taken from accurate feedback (RFC 9768).
//! With classic feedback all bytes of an acknowledgement with ECE count as marked (3.3, step 3).
//! That is exact only if the receiver echoes as in 3.2. The window answers at the end of an
//! observation window in which something was marked, as the steps of 3.3 have it. Leaves out the
//! treatment of lost SYNs (3.4) and of ECN for control packets (3.5's advice on non-data packets).

use airpath_base::Time;
use airpath_schema::{above_to, between, record};

use super::newreno::threshold;
use super::{AckSample, CongestionControl, EcnFeedback, LossEvent, Start};

record! {
    /// Options of DCTCP (RFC 8257).
    pub struct DctcpConfig: Default {
        /// Weight of a new observation in the share of marked bytes. Default: 0.0625 (RFC
        /// 8257, 4.2).
        gain: f64 = 0.0625 => above_to(0.0, 1.0);
        /// Share of marked bytes before the first observation. Default: 1 (RFC 8257, 3.3).
        initial_alpha: f64 = 1.0 => between(0.0, 1.0);
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
    }
}

/// The controller of RFC 8257.
#[derive(Clone, Debug)]
pub struct Dctcp {
    config: DctcpConfig,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    alpha: f64,
    acked: u64,
    marked: u64,
    /// Bytes delivered when the observation window began.
    window: u64,
    by_flag: bool,
    undo: Option<(f64, f64)>,
}

impl Dctcp {
    /// A controller that waits for [`CongestionControl::on_start`].
    pub fn new(config: DctcpConfig) -> Dctcp {
        Dctcp {
            alpha: config.initial_alpha,
            config,
            segment: 1.0,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            acked: 0,
            marked: 0,
            window: 0,
            by_flag: false,
            undo: None,
        }
    }

    /// The estimated share of marked bytes (3.3, DCTCP.Alpha).
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    fn grow(&mut self, bytes: f64) {
        let mut rest = bytes;
        if self.cwnd < self.ssthresh {
            let growth = rest.min(f64::from(self.config.slow_start_limit) * self.segment);
            self.cwnd += growth;
            rest -= growth;
        }
        if self.cwnd >= self.ssthresh && rest > 0.0 {
            self.cwnd += rest * self.segment / self.cwnd; // RFC 5681, 3.1
        }
    }

    /// The end of an observation window (3.3, steps 5 to 9).
    fn observe(&mut self) {
        let share = self.marked as f64 / self.acked.max(1) as f64;
        let gain = self.config.gain;
        self.alpha = self.alpha * (1.0 - gain) + gain * share.min(1.0);
        if self.marked > 0 {
            self.cwnd = (self.cwnd * (1.0 - self.alpha / 2.0)).max(2.0 * self.segment);
            self.ssthresh = self.cwnd;
        }
        (self.acked, self.marked) = (0, 0);
    }

    fn half(&self, in_flight: u64) -> f64 {
        (in_flight as f64 / 2.0).max(2.0 * self.segment)
    }
}

impl CongestionControl for Dctcp {
    fn on_start(&mut self, start: &Start) {
        self.segment = f64::from(start.segment);
        self.cwnd = start.initial_window as f64;
        self.ssthresh = threshold(start.initial_ssthresh);
        self.by_flag = start.feedback == EcnFeedback::Classic;
    }

    fn on_ack(&mut self, sample: &AckSample) {
        let flagged = if sample.ece { sample.delivered } else { 0 };
        let marked = if self.by_flag { flagged } else { sample.ce_bytes };
        self.acked += sample.delivered;
        self.marked += marked;
        // RFC 3168, 6.1.2: no growth for what was marked.
        let plain = sample.acked.saturating_sub(marked);
        if plain > 0 && !sample.in_recovery && sample.cwnd_limited {
            self.grow(plain as f64);
        }
        if sample.delivered > 0 && sample.prior_delivered >= self.window {
            self.window = sample.delivered_in_all;
            self.observe();
        }
    }

    /// Answers as RFC 5681 does (3.5).
    fn on_loss(&mut self, loss: &LossEvent) {
        self.undo = Some((self.cwnd, self.ssthresh));
        self.ssthresh = self.half(loss.in_flight);
        self.cwnd = self.ssthresh;
    }

    /// The answer to marks is in [`on_ack`](Self::on_ack).
    fn on_congestion(&mut self, _mark: &LossEvent) {}

    fn on_rto(&mut self, loss: &LossEvent) {
        if !loss.repeated {
            self.undo = Some((self.cwnd, self.ssthresh));
            self.ssthresh = self.half(loss.in_flight);
        }
        self.cwnd = self.segment;
    }

    fn on_spurious(&mut self, _now: Time) {
        if let Some((cwnd, ssthresh)) = self.undo.take() {
            self.cwnd = self.cwnd.max(cwnd);
            self.ssthresh = ssthresh;
        }
    }

    fn on_idle(&mut self, restart_window: u64) {
        self.cwnd = self.cwnd.min(restart_window as f64);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(cwnd: u64) -> Dctcp {
        let mut dctcp = Dctcp::new(DctcpConfig::default());
        dctcp.on_start(&Start {
            now: Time::ZERO,
            segment: 1000,
            initial_window: cwnd,
            initial_ssthresh: 1000,
            feedback: EcnFeedback::Accurate,
            selective_acks: true,
            rtt: None,
        });
        dctcp
    }

    /// The end of an observation window with `marked` of `bytes` marked.
    fn window(dctcp: &mut Dctcp, bytes: u64, marked: u64) {
        let all = dctcp.window + bytes;
        dctcp.on_ack(&AckSample {
            delivered: bytes,
            ce_bytes: marked,
            delivered_in_all: all,
            prior_delivered: dctcp.window,
            ..AckSample::default()
        });
    }

    #[test]
    fn the_window_gives_up_half_of_alpha() {
        // RFC 8257, 3.3, step 9: 100,000 bytes, alpha 0.25: 87,500.
        let mut dctcp = started(100_000);
        dctcp.alpha = 0.25;
        window(&mut dctcp, 100_000, 25_000); // M = alpha, which thus stays
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (87_500, 87_500));
    }

    #[test]
    fn alpha_is_a_moving_average_over_windows() {
        // RFC 8257, 3.3, step 6, with g = 1/16: 1 * 15/16, then + 1/16 * 1/2.
        let mut dctcp = started(10_000);
        window(&mut dctcp, 10_000, 0);
        assert!((dctcp.alpha() - 0.9375).abs() < 1e-12);
        window(&mut dctcp, 10_000, 5_000);
        assert!((dctcp.alpha() - (0.9375 * 0.9375 + 0.03125)).abs() < 1e-12);
    }

    #[test]
    fn one_answer_for_each_window() {
        let mut dctcp = started(100_000);
        dctcp.alpha = 0.5;
        let half = AckSample { delivered: 1000, ce_bytes: 1000, ..AckSample::default() };
        window(&mut dctcp, 1000, 0); // begins a window that ends at 1001 and more
        let before = dctcp.cwnd();
        for n in 0..50 {
            dctcp.on_ack(&AckSample { delivered_in_all: 2000 + n, ..half });
        }
        assert_eq!(dctcp.cwnd(), before);
    }

    #[test]
    fn a_loss_halves() {
        let mut dctcp = started(100_000);
        dctcp.on_loss(&LossEvent { now: Time::ZERO, in_flight: 80_000, repeated: false });
        assert_eq!(dctcp.cwnd(), 40_000);
        dctcp.on_spurious(Time::ZERO);
        assert_eq!(dctcp.cwnd(), 100_000);
    }

    #[test]
    fn with_classic_feedback_the_flag_counts() {
        let mut dctcp = started(10_000);
        dctcp.by_flag = true;
        let sample = AckSample {
            delivered: 10_000,
            ece: true,
            delivered_in_all: 10_000,
            ..AckSample::default()
        };
        dctcp.on_ack(&sample);
        assert_eq!(dctcp.cwnd(), 5_000);
    }
}
