//! The ProbeBW cycle (5.3.3).

use airpath_base::Duration;

use super::model::{delivery_rate, is_app_limited};
use super::{AckPhase, Bbr, DEFAULT_CWND_GAIN, HEADROOM, State, UNBOUNDED};
use crate::control::AckSample;

/// Most rounds between probes, so that Reno and CUBIC can live beside (5.3.3.8).
const RENO_ROUNDS: u64 = 63;

impl Bbr {
    pub(super) fn start_down(&mut self) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = UNBOUNDED;
        // 5.3.3.8.3, PickProbeWait.
        self.rounds_since_probe_up = self.draws.below(2);
        self.bw_probe_wait = Duration::from_secs_f64(2.0 + self.draws.uniform());
        self.cycle_stamp = self.now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
        (self.pacing_gain, self.cwnd_gain) = (0.9, DEFAULT_CWND_GAIN);
    }

    pub(super) fn start_cruise(&mut self) {
        self.state = State::Cruise;
        self.pacing_gain = 1.0;
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term_model();
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
        self.pacing_gain = 1.0;
    }

    fn start_up(&mut self, sample: &AckSample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = delivery_rate(sample);
        self.state = State::Up;
        (self.pacing_gain, self.cwnd_gain) = (1.25, 2.25);
        self.raise_inflight_longterm_slope();
    }

    /// 5.3.3.9, UpdateProbeBWCyclePhase.
    pub(super) fn update_probe_bw_cycle(&mut self, sample: &AckSample) {
        if !self.full_bw_reached || self.adapt_long_term_model(sample) {
            return;
        }
        let state = self.state;
        match state {
            State::Down if self.is_time_to_probe() => self.start_refill(),
            State::Down if self.is_time_to_cruise(sample) => self.start_cruise(),
            State::Cruise if self.is_time_to_probe() => self.start_refill(),
            State::Refill if self.rounds.start => {
                self.is_bw_probe_sample = true;
                self.start_up(sample);
            }
            State::Up if self.is_time_to_go_down(sample) => {
                self.prev_probe_too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self) -> bool {
        let target = self.target_inflight() / self.segment;
        self.now.saturating_since(self.cycle_stamp) > self.bw_probe_wait
            || self.rounds_since_probe_up >= target.min(RENO_ROUNDS)
    }

    pub(super) fn target_inflight(&self) -> u64 {
        self.bdp(self.bw, 1.0).min(self.cwnd)
    }

    fn is_time_to_cruise(&self, sample: &AckSample) -> bool {
        sample.in_flight <= self.inflight_with_headroom()
            && sample.in_flight <= self.quantize(self.bdp(self.model_bw(), 1.0))
    }

    fn is_time_to_go_down(&mut self, sample: &AckSample) -> bool {
        if self.prev_probe_too_high && sample.in_flight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if sample.cwnd_limited && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = delivery_rate(sample);
            return false;
        }
        self.full_bw_now
    }

    pub(super) fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_longterm == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = ((self.inflight_longterm as f64 * HEADROOM) as u64).max(self.segment);
        self.inflight_longterm.saturating_sub(headroom).max(self.min_pipe_cwnd())
    }

    fn raise_inflight_longterm_slope(&mut self) {
        let growth = 1u64 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.cwnd / growth).max(self.segment);
    }

    fn probe_inflight_longterm_upward(&mut self, sample: &AckSample) {
        if !sample.cwnd_limited || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += sample.delivered;
        let steps = self.bw_probe_up_acked / self.probe_up_acked_per_inc;
        self.bw_probe_up_acked -= steps * self.probe_up_acked_per_inc;
        self.inflight_longterm = self.inflight_longterm.saturating_add(steps * self.segment);
        if self.rounds.start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// 5.3.3.9, AdaptLongTermModel: whether it has changed the state.
    fn adapt_long_term_model(&mut self, sample: &AckSample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.rounds.start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.rounds.start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.is_probe_bw() && !is_app_limited(sample) {
                self.advance_max_bw_filter();
            }
            if self.is_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        // Losses are answered as they are found, with what was in flight when the lost packet left.
        if self.are_marks_too_many() && self.is_bw_probe_sample {
            self.handle_inflight_too_high(sample.sent_in_flight, is_app_limited(sample));
            return true;
        }
        let lossy = self.is_inflight_too_high(sample.lost_since_sent, sample.sent_in_flight);
        if lossy || self.are_marks_too_many() {
            return false;
        }
        if self.inflight_longterm != UNBOUNDED {
            self.inflight_longterm = self.inflight_longterm.max(sample.sent_in_flight);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward(sample);
            }
        }
        false
    }
}
