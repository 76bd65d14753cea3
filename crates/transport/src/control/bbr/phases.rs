//! Startup, Drain and ProbeRTT (5.3.1, 5.3.2, 5.3.4).

use airpath_base::{Duration, Time};

use super::model::{delivery_rate, is_app_limited};
use super::{AckPhase, Bbr, DEFAULT_CWND_GAIN, LOSS_THRESH, STARTUP_PACING_GAIN, State};
use crate::control::AckSample;

/// BBR.DrainPacingGain.
const DRAIN_PACING_GAIN: f64 = 0.5;
/// BBR.ProbeRTTCwndGain and BBR.ProbeRTTDuration.
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
/// Separate losses in a round that end Startup (BBRStartupFullLossCnt).
const FULL_LOSSES: u32 = 6;
/// Rounds with too many marks that end Startup (Linux, full_ecn_cnt).
const FULL_ECN_ROUNDS: u32 = 2;

impl Bbr {
    pub(super) fn enter_startup(&mut self) {
        self.state = State::Startup;
        (self.pacing_gain, self.cwnd_gain) = (STARTUP_PACING_GAIN, DEFAULT_CWND_GAIN);
    }

    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    /// 5.3.1.2.
    pub(super) fn check_full_bw_reached(&mut self, sample: &AckSample) {
        if self.full_bw_now || !self.rounds.start || is_app_limited(sample) {
            return;
        }
        let rate = delivery_rate(sample);
        if rate >= self.full_bw * 1.25 {
            self.reset_full_bw();
            self.full_bw = rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    pub(super) fn check_startup_done(&mut self) {
        self.check_startup_congestion();
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            (self.pacing_gain, self.cwnd_gain) = (DRAIN_PACING_GAIN, DEFAULT_CWND_GAIN);
            self.drain_start_round = self.rounds.count;
        }
    }

    /// 5.3.1.3, and the same for marks.
    fn check_startup_congestion(&mut self) {
        if self.state != State::Startup || self.full_bw_reached {
            return;
        }
        // Without SACK one loss at most shows in an RTT.
        if !self.selective_acks
            && self.lost_in_round > 0
            && self.recovery.is_some_and(|own| own.is_fast)
        {
            self.undo.state = Some(State::Startup);
            self.end_startup();
        }
        if !self.loss_round_start {
            return;
        }
        let in_recovery =
            self.recovery.is_some_and(|own| own.is_fast && self.rounds.count > own.began);
        let sent = self.inflight_latest + self.lost_in_round;
        let high = self.lost_in_round as f64 > LOSS_THRESH * sent as f64;
        let lossy = in_recovery && high && self.lost_ranges_in_round >= FULL_LOSSES;
        (self.lost_in_round, self.lost_ranges_in_round) = (0, 0);
        if lossy {
            self.undo.state = Some(State::Startup);
        }
        if lossy || self.marks.rounds_too_high >= FULL_ECN_ROUNDS {
            self.end_startup();
        }
    }

    fn end_startup(&mut self) {
        self.full_bw_reached = true;
        self.inflight_longterm = self.bdp(self.bw, 1.0).max(self.inflight_latest);
    }

    /// 5.3.2.
    pub(super) fn check_drain_done(&mut self, sample: &AckSample) {
        let drained = sample.in_flight <= self.quantize(self.bdp(self.bw, 1.0));
        if self.state == State::Drain && (drained || self.rounds.count > self.drain_start_round + 3)
        {
            self.cwnd_gain = DEFAULT_CWND_GAIN;
            self.start_down();
        }
    }

    /// 5.3.4.3.
    pub(super) fn check_probe_rtt(&mut self, sample: &AckSample) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.save_cwnd();
            (self.pacing_gain, self.cwnd_gain) = (1.0, PROBE_RTT_CWND_GAIN);
            self.probe_rtt_done = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(sample);
        }
        self.idle_restart = false;
    }

    fn handle_probe_rtt(&mut self, sample: &AckSample) {
        self.marks_app_limited = true;
        match self.probe_rtt_done {
            None if sample.in_flight <= self.probe_rtt_cwnd() => {
                self.probe_rtt_done = Some(self.now + PROBE_RTT_DURATION);
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            None => {}
            Some(_) => {
                self.probe_rtt_round_done |= self.rounds.start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done();
                }
            }
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done.is_some_and(|done: Time| self.now > done) {
            self.probe_rtt_min_stamp = self.now;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.exit_probe_rtt();
        }
    }

    /// 5.3.4.4.
    fn exit_probe_rtt(&mut self) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.cwnd_gain = DEFAULT_CWND_GAIN;
            self.start_down();
            self.start_cruise();
        } else {
            self.enter_startup();
        }
    }

    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp(self.bw, PROBE_RTT_CWND_GAIN).max(self.min_pipe_cwnd())
    }
}
