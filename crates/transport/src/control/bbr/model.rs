//! Rounds, bandwidth, RTT and aggregation (5.5.1 to 5.5.9).

use airpath_base::Duration;

use super::{Bbr, State};
use crate::control::AckSample;

/// BBR.MinRTTFilterLen and BBR.ProbeRTTInterval (2.10, 2.11).
const MIN_RTT_FILTER: Duration = Duration::from_secs(10);
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
/// BBR.ExtraAckedFilterLen, in rounds (2.9).
const EXTRA_ACKED_ROUNDS: u64 = 10;

/// RS.delivery_rate in bytes / s; 0 if there is none.
pub(super) fn delivery_rate(sample: &AckSample) -> f64 {
    let Some(rate) = sample.rate else { return 0.0 };
    rate.delivered as f64 / rate.interval.as_secs_f64()
}

/// RS.is_app_limited.
pub(super) fn is_app_limited(sample: &AckSample) -> bool {
    sample.rate.map_or(sample.sent_app_limited, |rate| rate.app_limited)
}

/// RS.delivered.
fn delivered_since_sent(sample: &AckSample) -> u64 {
    sample.delivered_in_all.saturating_sub(sample.prior_delivered)
}

impl Bbr {
    /// 5.5.1, UpdateRound.
    fn update_round(&mut self, sample: &AckSample) {
        self.rounds.start = sample.prior_delivered >= self.rounds.next_delivered;
        if self.rounds.start {
            self.start_round();
            self.rounds.count += 1;
            self.rounds_since_probe_up += 1;
            self.end_round_of_marks();
        }
    }

    pub(super) fn start_round(&mut self) {
        self.rounds.next_delivered = self.delivered;
    }

    /// 5.5.5, UpdateMaxBw.
    pub(super) fn update_max_bw(&mut self, sample: &AckSample) {
        self.update_round(sample);
        let rate = delivery_rate(sample);
        if rate > 0.0 && (rate >= self.model_bw() || !is_app_limited(sample)) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// BBR.max_bw: the largest rate of this cycle and the last.
    pub(super) fn model_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// 5.5.6.
    pub(super) fn advance_max_bw_filter(&mut self) {
        self.max_bw = [self.max_bw[1], 0.0];
    }

    /// 5.5.10.3, UpdateLatestDeliverySignals.
    pub(super) fn update_latest_delivery_signals(&mut self, sample: &AckSample) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(delivery_rate(sample));
        self.inflight_latest = self.inflight_latest.max(delivered_since_sent(sample));
        if sample.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.delivered;
            self.loss_round_start = true;
        }
    }

    pub(super) fn advance_latest_delivery_signals(&mut self, sample: &AckSample) {
        if self.loss_round_start {
            self.bw_latest = delivery_rate(sample);
            self.inflight_latest = delivered_since_sent(sample);
        }
    }

    /// 5.5.9.
    pub(super) fn update_ack_aggregation(&mut self, sample: &AckSample) {
        let interval = self.now.saturating_since(self.aggregation.interval_start);
        let mut expected = (self.bw * interval.as_secs_f64()) as u64;
        if self.aggregation.delivered <= expected {
            self.aggregation.delivered = 0;
            self.aggregation.interval_start = self.now;
            expected = 0;
        }
        self.aggregation.delivered += sample.delivered;
        let extra = self.aggregation.delivered.saturating_sub(expected).min(self.cwnd);
        let rounds = if self.full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        self.aggregation.extra_acked.update(self.rounds.count, extra, rounds);
    }

    /// 5.3.4.3, UpdateMinRTT.
    pub(super) fn update_min_rtt(&mut self, sample: &AckSample) {
        self.probe_rtt_expired =
            self.now.saturating_since(self.probe_rtt_min_stamp) > PROBE_RTT_INTERVAL;
        if let Some(rtt) = sample.rtt {
            let lower = self.probe_rtt_min_delay.is_none_or(|min| rtt < min);
            if lower || self.probe_rtt_expired {
                self.probe_rtt_min_delay = Some(rtt);
                self.probe_rtt_min_stamp = self.now;
            }
        }
        let expired = self.now.saturating_since(self.min_rtt_stamp) > MIN_RTT_FILTER;
        let lower = match (self.probe_rtt_min_delay, self.min_rtt) {
            (Some(probed), Some(min)) => probed < min,
            (probed, None) => probed.is_some(),
            (None, Some(_)) => false,
        };
        if lower || expired {
            self.min_rtt = self.probe_rtt_min_delay;
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// `gain` times the estimated bandwidth-delay product at a rate.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> u64 {
        match self.min_rtt {
            None => self.initial_cwnd,
            Some(rtt) => (gain * bw * rtt.as_secs_f64()) as u64,
        }
    }

    /// 5.6.4.2, QuantizationBudget.
    pub(super) fn quantize(&self, inflight: u64) -> u64 {
        let floor = (3 * self.send_quantum).max(self.min_pipe_cwnd());
        let more = if self.state == State::Up { 2 * self.segment } else { 0 };
        inflight.max(floor).saturating_add(more)
    }

    pub(super) fn min_pipe_cwnd(&self) -> u64 {
        super::MIN_PIPE_SEGMENTS * self.segment
    }
}
