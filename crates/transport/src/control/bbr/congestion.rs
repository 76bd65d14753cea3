//! Answers to losses (5.5.10, 5.5.11) and to marks (second version).

use super::{BETA, Bbr, ECN_GAIN, ECN_THRESH, LOSS_THRESH, State, UNBOUNDED};
use crate::control::{AckSample, Lost};

impl Bbr {
    /// True if marks are answered on this path.
    pub(super) fn answers_marks(&self) -> bool {
        self.marks.usable && self.min_rtt.is_some_and(|min| min <= self.config.ecn_max_rtt)
    }

    /// A round is over: its share of marked bytes joins the average.
    pub(super) fn end_round_of_marks(&mut self) {
        let share = self.share_of_marks();
        if !self.answers_marks() {
            return;
        }
        self.marks.alpha += ECN_GAIN * (share - self.marks.alpha);
        let high = share > ECN_THRESH;
        self.marks.rounds_too_high = if high { self.marks.rounds_too_high + 1 } else { 0 };
        (self.marks.ce, self.marks.delivered) = (0, 0);
    }

    fn share_of_marks(&self) -> f64 {
        self.marks.ce as f64 / self.marks.delivered.max(1) as f64
    }

    /// 5.5.10.3, UpdateCongestionSignals.
    pub(super) fn update_congestion_signals(&mut self, sample: &AckSample) {
        self.update_max_bw(sample);
        self.marks.ce += sample.ce_bytes;
        self.marks.delivered += sample.delivered;
        self.marks.in_round |= sample.ce_bytes > 0;
        if !self.loss_round_start {
            return;
        }
        self.adapt_lower_bounds();
        (self.is_loss_in_round, self.marks.in_round) = (false, false);
    }

    fn adapt_lower_bounds(&mut self) {
        if matches!(self.state, State::Startup | State::Refill | State::Up) {
            return;
        }
        let mut by_marks = UNBOUNDED;
        if self.marks.in_round && self.answers_marks() {
            self.inflight_shortterm = self.inflight_shortterm.min(self.cwnd.max(self.segment));
            let keep = 1.0 - self.marks.alpha * self.config.ecn_factor;
            by_marks = (self.inflight_shortterm as f64 * keep) as u64;
        }
        if self.is_loss_in_round {
            self.bound_by_losses();
        }
        self.inflight_shortterm = self.inflight_shortterm.min(by_marks);
    }

    /// InitLowerBounds and LossLowerBounds.
    fn bound_by_losses(&mut self) {
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.model_bw();
        }
        if self.inflight_shortterm == UNBOUNDED {
            self.inflight_shortterm = self.cwnd;
        }
        self.bw_shortterm = self.bw_latest.max(BETA * self.bw_shortterm);
        let cut = (BETA * self.inflight_shortterm as f64) as u64;
        self.inflight_shortterm = self.inflight_latest.max(cut);
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        (self.is_loss_in_round, self.marks.in_round) = (false, false);
        (self.bw_latest, self.inflight_latest) = (0.0, 0);
    }

    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, UNBOUNDED);
    }

    /// 5.5.10.2, IsInflightTooHigh, with so many bytes lost since a packet left and so many in flight then.
    pub(super) fn is_inflight_too_high(&self, lost: u64, in_flight: u64) -> bool {
        lost as f64 > in_flight as f64 * LOSS_THRESH || (lost > 0 && !self.selective_acks)
    }

    /// True if too many bytes of the round were marked (second version).
    pub(super) fn are_marks_too_many(&self) -> bool {
        self.answers_marks() && self.marks.ce > 0 && self.share_of_marks() > ECN_THRESH
    }

    pub(super) fn handle_inflight_too_high(&mut self, in_flight: u64, app_limited: bool) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !app_limited {
            let floor = (self.target_inflight() as f64 * BETA) as u64;
            self.inflight_longterm = in_flight.max(floor);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down();
        }
    }

    /// 5.5.10.2, NoteLoss and HandleLostPacket, for all segments found lost at once.
    pub(super) fn handle_lost(&mut self, lost: &Lost) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.delivered;
            self.save_state_upon_loss();
        }
        self.is_loss_in_round = true;
        self.lost_in_round += lost.bytes;
        self.lost_ranges_in_round += lost.ranges;
        let is_high = self.is_inflight_too_high(lost.lost_since_sent, lost.sent_in_flight);
        if self.is_bw_probe_sample && is_high {
            self.handle_inflight_too_high(inflight_at_loss(lost), lost.app_limited);
        }
    }

    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo.state = None;
        self.undo.bw_shortterm = self.bw_shortterm;
        self.undo.inflight_shortterm = self.inflight_shortterm;
        self.undo.inflight_longterm = self.inflight_longterm;
    }

    /// 5.6.4.4, SaveCwnd.
    pub(super) fn save_cwnd(&mut self) {
        let settled = self.recovery.is_none() && self.state != State::ProbeRtt;
        self.prior_cwnd = if settled { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// 5.6.4.4, RestoreCwnd.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// 5.5.11.2.
    pub(super) fn handle_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.enter_startup();
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => {
                self.start_refill();
            }
            _ => {}
        }
    }
}

/// Bytes in flight when losses crossed the threshold (5.5.10.2, InflightAtLoss).
fn inflight_at_loss(lost: &Lost) -> u64 {
    let inflight_prev = lost.sent_in_flight.saturating_sub(lost.bytes) as f64;
    let lost_prev = lost.lost_since_sent.saturating_sub(lost.bytes) as f64;
    let prefix = (LOSS_THRESH * inflight_prev - lost_prev) / (1.0 - LOSS_THRESH);
    (inflight_prev + prefix).max(0.0) as u64
}
