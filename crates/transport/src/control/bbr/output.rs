//! Rate, quantum and window (5.6).

use super::{Bbr, State, UNBOUNDED};
use crate::control::AckSample;

/// BBR.PacingMarginPercent: pace 1% below the bandwidth.
const PACING_MARGIN: f64 = 0.99;

impl Bbr {
    pub(super) fn update_output(&mut self, sample: &AckSample) {
        self.set_pacing_rate(self.pacing_gain);
        self.set_send_quantum();
        self.set_cwnd(sample);
    }

    /// 5.6.2, SetPacingRateWithGain.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * PACING_MARGIN;
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// 5.6.3.
    pub(super) fn set_send_quantum(&mut self) {
        let millisecond = (self.pacing_rate / 1e3) as u64;
        self.send_quantum = millisecond.min(64 << 10).max(2 * self.segment);
    }

    /// 5.6.4.6.
    fn set_cwnd(&mut self, sample: &AckSample) {
        let inflight = self.bdp(self.bw, self.cwnd_gain) + self.aggregation.extra_acked.max();
        let max_inflight = self.quantize(inflight);
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + sample.delivered).min(max_inflight);
        } else if self.cwnd < max_inflight || self.delivered < self.initial_cwnd {
            self.cwnd += sample.delivered;
        }
        self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        self.bound_cwnd();
    }

    /// 5.6.4.5, BoundCwndForProbeRTT, and 5.6.4.7, BoundCwndForModel.
    pub(super) fn bound_cwnd(&mut self) {
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.state {
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Startup | State::Drain => UNBOUNDED,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.min_pipe_cwnd());
        self.cwnd = self.cwnd.min(cap);
    }
}
