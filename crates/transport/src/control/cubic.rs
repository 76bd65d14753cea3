//! CUBIC (RFC 9438).
//!
//! Windows are in segments here, as in the RFC's equations. Congestion marks are
//! answered as losses are (4.6), or with a factor of their own (RFC 8511).

use airpath_base::{Duration, Time, math};
use airpath_schema::{above_to, between, record};

use super::newreno::threshold;
use super::slow_start::HyStart;
use super::{AckSample, CongestionControl, HyStartKind, LossEvent, Start};

/// Segments that the window keeps at least after a loss and after a congestion mark
/// (RFC 9438, 4.6).
const LEAST_AFTER_LOSS: f64 = 2.0;
const LEAST_AFTER_MARK: f64 = 1.0;

record! {
    /// Options of CUBIC (RFC 9438).
    pub struct CubicConfig: Default {
        /// Share of the window that remains after a loss. Default: 0.7 (RFC 9438, 4.6).
        beta: f64 = 0.7 => between(0.1, 0.95);
        /// Steepness of the window's growth, in segments / s^3. Default: 0.4 (RFC 9438, 5.1).
        c: f64 = 0.4 => between(1e-3, 100.0);
        /// Gives way to newcomers (fast convergence). Default: true (RFC 9438, 4.7).
        fast_convergence: bool = true;
        /// Keeps the window at least as large as Reno's would be. Default: true (RFC 9438, 4.3).
        reno_friendly: bool = true;
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
        /// Lets the window grow only while it is the limit. Default: true (RFC 9438, 5.8).
        cwnd_limited_only: bool = true;
        /// Ends slow start before it overflows the queue. Default: false.
        hystart: bool = false;
        /// Kind of HyStart, with `hystart`. Default: "plus-plus" (RFC 9406); Linux has "classic".
        hystart_kind: HyStartKind = HyStartKind::PlusPlus;
        /// Share of the window that remains after a congestion mark in congestion avoidance.
        /// Default: as after a loss; RFC 8511, 3, has 0.85.
        ecn_beta: Option<f64> => between(0.1, 0.95);
        /// Share of the window by which it grows at least in a round trip before the first loss
        /// and after a timeout. Default: none; Linux has 0.05.
        least_growth: Option<f64> => above_to(0.0, 0.5);
    }
}

impl CubicConfig {
    /// Additive increase that makes the Reno-friendly window as fast as Reno
    /// (RFC 9438, 4.3).
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    /// Time in seconds that the window takes from `cwnd` to `w_max` (4.2,
    /// equation 2).
    fn k(&self, w_max: f64, cwnd: f64) -> f64 {
        math::cbrt((w_max - cwnd).max(0.0) / self.c)
    }

    /// The window `t` seconds into the epoch (4.2, equation 1).
    fn w_cubic(&self, t: f64, k: f64, w_max: f64) -> f64 {
        let d = t - k;
        self.c * d * d * d + w_max
    }
}

/// One stage of congestion avoidance (RFC 9438, 4.1: "epoch").
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    k: f64,
    /// Plateau of the cubic function.
    w_max: f64,
    /// Window of a Reno flow since the epoch began.
    w_est: f64,
    /// Time at which the window was last allowed to grow.
    grown: Time,
    /// No loss has shown yet what the path carries.
    unknown: bool,
}

/// State before a reduction, to undo one that was for nothing (4.9).
#[derive(Clone, Copy, Debug)]
struct Saved {
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

/// The controller of RFC 9438.
#[derive(Clone, Debug)]
pub struct Cubic {
    config: CubicConfig,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    /// The next epoch is the first after a timeout.
    after_rto: bool,
    saved: Option<Saved>,
    hystart: Option<HyStart>,
}

impl Cubic {
    /// A controller that waits for [`CongestionControl::on_start`].
    pub fn new(config: CubicConfig) -> Cubic {
        Cubic {
            hystart: config.hystart.then(|| HyStart::new(config.hystart_kind)),
            config,
            segment: 1.0,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            after_rto: false,
            saved: None,
        }
    }

    fn begin_epoch(&mut self, now: Time) -> Epoch {
        // 4.8: the first epoch after a timeout starts at its own plateau; so
        // does one that begins above the last, or after slow start without loss.
        let own = self.after_rto || self.cwnd >= self.w_max;
        let w_max = if own { self.cwnd } else { self.w_max };
        let unknown = self.after_rto || self.w_max == 0.0;
        self.after_rto = false;
        let k = self.config.k(w_max, self.cwnd);
        Epoch { start: now, k, w_max, w_est: self.cwnd, grown: now, unknown }
    }

    fn avoid(&mut self, now: Time, rtt: Duration, segments: f64) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin_epoch(now),
        };
        let t = now.saturating_since(epoch.start);
        let reached = epoch.w_est >= self.cwnd_prior;
        let alpha = if reached { 1.0 } else { self.config.alpha() };
        epoch.w_est += alpha * segments / self.cwnd; // 4.3, equation 4
        epoch.grown = now;
        let least = self.config.least_growth.filter(|_| epoch.unknown).unwrap_or(0.0);
        let least = self.cwnd + least * segments;
        let (t, next) = (t.as_secs_f64(), (t + rtt).as_secs_f64());
        let cubic = self.config.w_cubic(t, epoch.k, epoch.w_max);
        if self.config.reno_friendly && cubic < epoch.w_est {
            self.cwnd = self.cwnd.max(epoch.w_est);
        } else {
            let target = self.config.w_cubic(next, epoch.k, epoch.w_max);
            let target = target.clamp(self.cwnd, 1.5 * self.cwnd); // 4.2
            self.cwnd += (target - self.cwnd) / self.cwnd * segments; // 4.4, 4.5
        }
        self.cwnd = self.cwnd.max(least);
        self.epoch = Some(epoch);
    }

    /// Part of `segments` that is left for congestion avoidance.
    fn slow_start(&mut self, sample: &AckSample, segments: f64) -> f64 {
        if let Some(hystart) = &mut self.hystart {
            let cwnd = self.cwnd * self.segment;
            let (growth, over) = hystart.grow(sample, cwnd, self.segment);
            self.cwnd += growth / self.segment;
            if over {
                self.ssthresh = self.cwnd;
            }
            return 0.0;
        }
        let growth = segments.min(f64::from(self.config.slow_start_limit));
        self.cwnd += growth;
        segments - growth
    }

    /// Changes of window, plateau and threshold by 4.6 and 4.7. `beta` is the share of the flight
    /// that remains, `least` the segments that the window keeps at least. The threshold never falls
    /// below two.
    fn reduce(&mut self, in_flight: u64, beta: f64, least: f64) {
        self.saved = Some(Saved {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            w_max: self.w_max,
            cwnd_prior: self.cwnd_prior,
            epoch: self.epoch,
        });
        self.cwnd_prior = self.cwnd;
        let gives_way = self.config.fast_convergence && self.cwnd < self.w_max;
        let keep = if gives_way { (1.0 + self.config.beta) / 2.0 } else { 1.0 };
        self.w_max = self.cwnd * keep;
        let flight = in_flight as f64 / self.segment;
        self.ssthresh = (flight * beta).max(2.0);
        self.cwnd = (flight * beta).max(least);
        self.epoch = None;
        self.hystart = None; // RFC 9406, 4.2: only the first slow start
    }
}

impl CongestionControl for Cubic {
    fn on_start(&mut self, start: &Start) {
        self.segment = f64::from(start.segment);
        self.cwnd = start.initial_window as f64 / self.segment;
        self.ssthresh = threshold(start.initial_ssthresh) / self.segment;
    }

    fn on_ack(&mut self, sample: &AckSample) {
        if sample.acked == 0 || sample.in_recovery || sample.reports_marks() {
            return;
        }
        if self.config.cwnd_limited_only && !sample.cwnd_limited {
            // 5.8: time in which the window is not the limit does not count.
            if let Some(epoch) = &mut self.epoch {
                epoch.start += sample.now.saturating_since(epoch.grown);
                epoch.grown = sample.now;
            }
            return;
        }
        let mut segments = sample.acked as f64 / self.segment;
        if self.cwnd < self.ssthresh {
            segments = self.slow_start(sample, segments);
        }
        if self.cwnd >= self.ssthresh && segments > 0.0 {
            self.avoid(sample.now, sample.srtt.unwrap_or_default(), segments);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.reduce(loss.in_flight, self.config.beta, LEAST_AFTER_LOSS);
        self.after_rto = false;
    }

    fn on_congestion(&mut self, mark: &LossEvent) {
        let avoiding = self.cwnd >= self.ssthresh;
        let beta = self.config.ecn_beta.filter(|_| avoiding).unwrap_or(self.config.beta);
        self.reduce(mark.in_flight, beta, LEAST_AFTER_MARK);
        self.after_rto = false;
        self.saved = None;
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        if !loss.repeated {
            self.reduce(loss.in_flight, self.config.beta, LEAST_AFTER_LOSS);
        }
        self.epoch = None;
        self.cwnd = 1.0;
        self.after_rto = true;
    }

    fn on_spurious(&mut self, _now: Time) {
        if let Some(saved) = self.saved.take() {
            self.cwnd = self.cwnd.max(saved.cwnd);
            self.ssthresh = saved.ssthresh;
            (self.w_max, self.cwnd_prior) = (saved.w_max, saved.cwnd_prior);
            (self.epoch, self.after_rto) = (saved.epoch, false);
        }
    }

    fn on_idle(&mut self, restart_window: u64) {
        self.cwnd = self.cwnd.min(restart_window as f64 / self.segment);
        self.epoch = None;
    }

    fn cwnd(&self) -> u64 {
        (self.cwnd * self.segment) as u64
    }

    fn ssthresh(&self) -> u64 {
        (self.ssthresh * self.segment) as u64
    }
}

#[cfg(test)]
#[path = "cubic_tests.rs"]
mod tests;
