//! NewReno: slow start and congestion avoidance of RFC 5681.
//!
//! The recovery side of NewReno (RFC 6582) is the connection's. Congestion marks
//! are answered as losses are (RFC 3168, 6.1.2), or with a factor of their own
//! (RFC 8511).

use airpath_base::Time;
use airpath_schema::{between, choice, record};

use super::slow_start::HyStart;
use super::{AckSample, CongestionControl, HyStartKind, LossEvent, Start};

choice! {
    /// Growth of the window in congestion avoidance (RFC 5681, 3.1).
    pub enum Avoidance {
        /// A segment for each window of bytes acknowledged.
        ByteCounting = "byte-counting",
        /// SMSS * SMSS / cwnd for each acknowledgement.
        PerAck = "per-ack",
    }
}

record! {
    /// Options of NewReno (RFC 5681, 6582).
    pub struct NewRenoConfig: Default {
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
        /// Growth of the window in congestion avoidance. Default: "byte-counting" (RFC 5681, 3.1,
        /// the recommended way).
        avoidance: Avoidance = Avoidance::ByteCounting;
        /// Cuts the growth to whole bytes, at least one. Default: false.
        whole_bytes: bool = false;
        /// Lets the window grow only while it is the limit. Default: true (RFC 7661, 4.3).
        cwnd_limited_only: bool = true;
        /// Ends slow start before it overflows the queue. Default: false.
        hystart: bool = false;
        /// Kind of HyStart, with `hystart`. Default: "plus-plus" (RFC 9406); Linux has "classic".
        hystart_kind: HyStartKind = HyStartKind::PlusPlus;
        /// Share of the window that remains after a congestion mark in congestion avoidance.
        /// Default: as after a loss; RFC 8511, 3, has 0.8.
        ecn_beta: Option<f64> => between(0.1, 0.95);
    }
}

/// The controller of RFC 5681.
#[derive(Clone, Debug)]
pub struct NewReno {
    config: NewRenoConfig,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    /// Bytes acknowledged since the window last grew.
    counted: f64,
    /// Window and threshold before the last reduction.
    undo: Option<(f64, f64)>,
    hystart: Option<HyStart>,
}

impl NewReno {
    /// A controller that waits for [`CongestionControl::on_start`].
    pub fn new(config: NewRenoConfig) -> NewReno {
        NewReno {
            hystart: config.hystart.then(|| HyStart::new(config.hystart_kind)),
            config,
            segment: 1.0,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            counted: 0.0,
            undo: None,
        }
    }

    fn avoid(&mut self, acked: f64) {
        match self.config.avoidance {
            Avoidance::PerAck => {
                let growth = self.segment * self.segment / self.cwnd;
                let whole = self.config.whole_bytes;
                self.cwnd += if whole { growth.floor().max(1.0) } else { growth };
            }
            Avoidance::ByteCounting => {
                self.counted += acked;
                if self.counted >= self.cwnd {
                    self.counted -= self.cwnd;
                    self.cwnd += self.segment;
                }
            }
        }
    }

    /// Part of `acked` bytes that is left for congestion avoidance.
    fn slow_start(&mut self, sample: &AckSample, acked: f64) -> f64 {
        if let Some(hystart) = &mut self.hystart {
            let (growth, over) = hystart.grow(sample, self.cwnd, self.segment);
            self.cwnd += growth;
            if over {
                self.ssthresh = self.cwnd;
            }
            return 0.0;
        }
        let growth = acked.min(f64::from(self.config.slow_start_limit) * self.segment);
        self.cwnd += growth;
        acked - growth
    }

    /// Half of what was in flight, at least two segments (RFC 5681, equation 4).
    fn half(&self, in_flight: u64) -> f64 {
        let half = in_flight as f64 / 2.0;
        let half = if self.config.whole_bytes { half.floor() } else { half };
        half.max(2.0 * self.segment)
    }
}

impl CongestionControl for NewReno {
    fn on_start(&mut self, start: &Start) {
        self.segment = f64::from(start.segment);
        self.cwnd = start.initial_window as f64;
        self.ssthresh = threshold(start.initial_ssthresh);
    }

    fn on_ack(&mut self, sample: &AckSample) {
        let idle_window = self.config.cwnd_limited_only && !sample.cwnd_limited;
        if sample.acked == 0 || sample.in_recovery || sample.reports_marks() || idle_window {
            return;
        }
        let mut acked = sample.acked as f64;
        if self.cwnd < self.ssthresh {
            acked = self.slow_start(sample, acked);
        }
        if self.cwnd >= self.ssthresh && acked > 0.0 {
            self.avoid(acked);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.undo = Some((self.cwnd, self.ssthresh));
        self.ssthresh = self.half(loss.in_flight);
        self.cwnd = self.ssthresh;
        self.counted = 0.0;
        self.hystart = None; // RFC 9406, 4.2: only the first slow start
    }

    fn on_congestion(&mut self, mark: &LossEvent) {
        let Some(beta) = self.config.ecn_beta.filter(|_| self.cwnd >= self.ssthresh) else {
            return self.on_loss(mark);
        };
        self.undo = None;
        self.ssthresh = (mark.in_flight as f64 * beta).max(2.0 * self.segment);
        self.cwnd = self.ssthresh;
        self.counted = 0.0;
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        if !loss.repeated {
            self.undo = Some((self.cwnd, self.ssthresh));
            self.ssthresh = self.half(loss.in_flight);
        }
        self.cwnd = self.segment; // RFC 5681, 3.1: the loss window
        self.counted = 0.0;
        self.hystart = None;
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
        // The conversion of infinity saturates to u64::MAX.
        self.ssthresh as u64
    }
}

/// A threshold in bytes, infinite if there is none.
pub(super) fn threshold(bytes: u64) -> f64 {
    if bytes == u64::MAX { f64::INFINITY } else { bytes as f64 }
}

#[cfg(test)]
#[path = "newreno_tests.rs"]
mod tests;
