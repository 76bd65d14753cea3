//! The first version of BBR, with Linux' constants (N. Cardwell et al., "BBR:
//! Congestion-Based Congestion Control", ACM Queue 14(5), 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00; Linux, tcp_bbr.c).
//!
//! Leaves out the detection of policers ("long-term bandwidth"). Marks mean
//! nothing to it, so its packets are not ECN-capable.

use airpath_base::random::{Seed, Stream};
use airpath_base::{BitRate, Duration, Time};
use airpath_net::{PathModel, PathPhase};
use airpath_wire::Ecn;

use super::filter::MaxFilter;
use super::model::{delivery_rate, is_app_limited};
use crate::control::{AckSample, CongestionControl, LossEvent, Start};

/// 2 / ln 2, the least gain that doubles the rate each round trip.
pub(super) const HIGH_GAIN: f64 = 2.885_390_081_777_926_8;
/// ProbeBW's gains, each for a lowest RTT.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const CWND_GAIN: f64 = 2.0;
/// Rounds over which the largest delivery rate counts.
const BW_ROUNDS: u64 = 10;
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
const MIN_SEGMENTS: u64 = 4;
const PACING_MARGIN: f64 = 0.99;
/// Aggregation counts over so many rounds, and at most so long.
const EXTRA_ACKED_ROUNDS: u64 = 10;
const EXTRA_ACKED_MOST: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// The controller. Rates are bytes / s.
pub struct Bbr1 {
    draws: Stream,
    segment: u64,
    initial_cwnd: u64,
    cwnd: u64,
    prior_cwnd: u64,
    pacing_rate: f64,
    mode: Mode,
    pacing_gain: f64,
    cwnd_gain: f64,
    phase: usize,
    phase_start: Time,
    bw: MaxFilter,
    next_round_delivered: u64,
    round_start: bool,
    rounds: u64,
    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    full_bw: f64,
    full_bw_count: u32,
    full_pipe: bool,
    extra_acked: MaxFilter,
    ack_epoch: Time,
    ack_epoch_acked: u64,
    recovers: bool,
    /// Packet conservation: in the first round of a fast recovery only what has arrived leaves.
    conserves: bool,
    lost: u64,
    idle_restart: bool,
    app_limited: bool,
    /// True after an acknowledgement in ProbeRTT.
    marks_app_limited: bool,
    /// Bytes delivered in all, those of the last acknowledgement, and bytes in flight after it.
    delivered: u64,
    last_acked: u64,
    in_flight: u64,
}

impl Bbr1 {
    /// A controller that waits for [`CongestionControl::on_start`]. The phase in which ProbeBW
    /// begins comes from `seed`, in which flows should differ.
    pub fn new(seed: u64) -> Bbr1 {
        Bbr1 {
            draws: Seed(seed).stream("bbr phase"),
            segment: 1,
            initial_cwnd: 1,
            cwnd: 1,
            prior_cwnd: 0,
            pacing_rate: 1.0,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            phase: 0,
            phase_start: Time::ZERO,
            bw: MaxFilter::default(),
            next_round_delivered: 0,
            round_start: false,
            rounds: 0,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            full_bw: 0.0,
            full_bw_count: 0,
            full_pipe: false,
            extra_acked: MaxFilter::default(),
            ack_epoch: Time::ZERO,
            ack_epoch_acked: 0,
            recovers: false,
            conserves: false,
            lost: 0,
            idle_restart: false,
            app_limited: false,
            marks_app_limited: false,
            delivered: 0,
            last_acked: 0,
            in_flight: 0,
        }
    }

    /// The estimated bandwidth in bytes / s.
    fn bandwidth(&self) -> f64 {
        self.bw.max() as f64
    }

    fn update_bandwidth(&mut self, sample: &AckSample) {
        // Linux, bbr_update_bw: an acknowledgement without a rate begins no round.
        let rate = delivery_rate(sample);
        self.round_start = rate > 0.0 && sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = sample.delivered_in_all;
            self.rounds += 1;
            self.conserves = false;
        }
        if rate > 0.0 && (!is_app_limited(sample) || rate >= self.bandwidth()) {
            self.bw.update(self.rounds, rate as u64, BW_ROUNDS);
        }
    }

    fn update_ack_aggregation(&mut self, sample: &AckSample) {
        let interval = sample.now.saturating_since(self.ack_epoch).as_secs_f64();
        let mut expected = (self.bandwidth() * interval) as u64;
        if self.ack_epoch_acked <= expected {
            (self.ack_epoch, self.ack_epoch_acked, expected) = (sample.now, 0, 0);
        }
        self.ack_epoch_acked += sample.delivered;
        let extra = self.ack_epoch_acked.saturating_sub(expected).min(self.cwnd);
        self.extra_acked.update(self.rounds, extra, EXTRA_ACKED_ROUNDS);
    }

    fn update_cycle(&mut self, sample: &AckSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let min_rtt = self.min_rtt.unwrap_or_default();
        let full = sample.now.saturating_since(self.phase_start) > min_rtt;
        let before = sample.in_flight_before;
        let next = if self.pacing_gain > 1.0 {
            full && (self.lost > 0 || before >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full || before <= self.inflight(1.0)
        } else {
            full
        };
        if next {
            self.set_phase(self.phase + 1, sample.now);
        }
    }

    fn set_phase(&mut self, phase: usize, now: Time) {
        self.phase = phase % CYCLE.len();
        self.phase_start = now;
        self.pacing_gain = CYCLE[self.phase];
    }

    fn enter_probe_bw(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        self.cwnd_gain = CWND_GAIN;
        // Any phase but the slow one.
        let draw = self.draws.below(CYCLE.len() as u64 - 1) as usize;
        self.set_phase(CYCLE.len() - draw, now);
    }

    fn check_full_pipe(&mut self, sample: &AckSample) {
        if self.full_pipe || !self.round_start || is_app_limited(sample) {
            return;
        }
        if self.bandwidth() >= self.full_bw * 1.25 {
            (self.full_bw, self.full_bw_count) = (self.bandwidth(), 0);
            return;
        }
        self.full_bw_count += 1;
        self.full_pipe = self.full_bw_count >= 3;
    }

    fn check_drain(&mut self, sample: &AckSample) {
        if self.mode == Mode::Startup && self.full_pipe {
            self.mode = Mode::Drain;
            (self.pacing_gain, self.cwnd_gain) = (1.0 / HIGH_GAIN, HIGH_GAIN);
        }
        if self.mode == Mode::Drain && sample.in_flight <= self.inflight(1.0) {
            self.enter_probe_bw(sample.now);
        }
    }

    fn update_min_rtt(&mut self, sample: &AckSample) {
        let expired = sample.now.saturating_since(self.min_rtt_stamp) > MIN_RTT_WINDOW;
        if let Some(rtt) = sample.rtt
            && (expired || self.min_rtt.is_none_or(|min| rtt < min))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_stamp = sample.now;
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            self.save_cwnd();
            self.probe_rtt_done = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(sample);
        }
        self.idle_restart = false;
    }

    fn probe_rtt(&mut self, sample: &AckSample) {
        self.marks_app_limited = true;
        if self.probe_rtt_done.is_none() {
            if sample.in_flight <= MIN_SEGMENTS * self.segment {
                self.probe_rtt_done = Some(sample.now + PROBE_RTT_DURATION);
                self.probe_rtt_round_done = false;
                self.next_round_delivered = sample.delivered_in_all;
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(sample.now);
        }
    }

    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_done.is_some_and(|done| now > done) {
            self.min_rtt_stamp = now;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            if self.full_pipe {
                self.enter_probe_bw(now);
            } else {
                self.mode = Mode::Startup;
                (self.pacing_gain, self.cwnd_gain) = (HIGH_GAIN, HIGH_GAIN);
            }
        }
    }

    /// `gain` bandwidth-delay products and room for quanta.
    fn inflight(&self, gain: f64) -> u64 {
        let Some(min_rtt) = self.min_rtt else { return self.initial_cwnd };
        let bdp = (gain * self.bandwidth() * min_rtt.as_secs_f64()) as u64;
        let segments = bdp.div_ceil(self.segment) + 3 * self.quantum() / self.segment;
        let segments = segments.next_multiple_of(2);
        let probing = self.mode == Mode::ProbeBw && self.phase == 0;
        (segments + if probing { 2 } else { 0 }) * self.segment
    }

    /// A millisecond at the rate, at least two segments, one below 1.2 Mbit/s.
    fn quantum(&self) -> u64 {
        let least = if self.pacing_rate < 150_000.0 { 1 } else { 2 };
        ((self.pacing_rate / 1e3) as u64).min(64 << 10).max(least * self.segment)
    }

    fn save_cwnd(&mut self) {
        let settled = !self.recovers && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if settled { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    fn set_pacing_rate(&mut self) {
        let rate = self.pacing_gain * self.bandwidth() * PACING_MARGIN;
        if rate > 0.0 && (self.full_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, sample: &AckSample) {
        let most = (EXTRA_ACKED_MOST * self.bandwidth()) as u64;
        let target = self.inflight(self.cwnd_gain)
            + if self.full_pipe { self.extra_acked.max().min(most) } else { 0 };
        if self.conserves {
            self.cwnd = self.cwnd.max(sample.in_flight + sample.delivered);
        } else if self.full_pipe {
            self.cwnd = (self.cwnd + sample.delivered).min(target);
        } else if self.cwnd < target || sample.delivered_in_all < self.initial_cwnd {
            self.cwnd += sample.delivered;
        }
        self.cwnd = self.cwnd.max(MIN_SEGMENTS * self.segment);
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(MIN_SEGMENTS * self.segment);
        }
    }
}

impl CongestionControl for Bbr1 {
    fn on_start(&mut self, start: &Start) {
        self.segment = u64::from(start.segment).max(1);
        self.initial_cwnd = start.initial_window;
        self.cwnd = start.initial_window;
        (self.min_rtt, self.min_rtt_stamp) = (start.rtt, start.now);
        self.ack_epoch = start.now;
        let rtt = start.rtt.unwrap_or(Duration::from_millis(1)).max(Duration::from_nanos(1));
        self.pacing_rate = HIGH_GAIN * start.initial_window as f64 / rtt.as_secs_f64();
    }

    fn on_sent(&mut self, now: Time, _bytes: u32, in_flight: u64) {
        if in_flight == 0 && self.app_limited {
            self.idle_restart = true;
            (self.ack_epoch, self.ack_epoch_acked) = (now, 0);
            if self.mode == Mode::ProbeBw {
                self.pacing_rate = (self.bandwidth() * PACING_MARGIN).max(1.0);
            } else if self.mode == Mode::ProbeRtt {
                self.check_probe_rtt_done(now);
            }
        }
    }

    fn on_ack(&mut self, sample: &AckSample) {
        if sample.delivered == 0 {
            return;
        }
        self.marks_app_limited = false;
        (self.delivered, self.last_acked) = (sample.delivered_in_all, sample.delivered);
        self.in_flight = sample.in_flight;
        self.update_bandwidth(sample);
        self.update_ack_aggregation(sample);
        self.update_cycle(sample);
        self.check_full_pipe(sample);
        self.check_drain(sample);
        self.update_min_rtt(sample);
        self.set_pacing_rate();
        self.set_cwnd(sample);
        self.lost = 0;
        self.app_limited = sample.app_limited || self.marks_app_limited;
    }

    fn on_lost(&mut self, lost: &crate::control::Lost) {
        self.lost += lost.bytes;
        self.cwnd = self.cwnd.saturating_sub(lost.bytes).max(self.segment);
    }

    /// Losses lower the window to what is in flight, for a round (Linux, bbr_set_cwnd_to_recover_or_restore). That the
    /// lost bytes are no longer in flight follows by [`on_lost`](Self::on_lost).
    fn on_loss(&mut self, _loss: &LossEvent) {
        self.save_cwnd();
        (self.recovers, self.conserves) = (true, true);
        self.next_round_delivered = self.delivered;
        self.cwnd = (self.in_flight + self.last_acked).max(self.segment);
    }

    fn on_congestion(&mut self, _mark: &LossEvent) {}

    fn on_recovered(&mut self, _now: Time) {
        if self.recovers {
            (self.recovers, self.conserves) = (false, false);
            self.cwnd = self.cwnd.max(self.prior_cwnd);
        }
    }

    fn on_rto(&mut self, _loss: &LossEvent) {
        self.save_cwnd();
        self.recovers = true;
        (self.full_bw, self.full_bw_count) = (0.0, 0);
        self.cwnd = self.segment;
    }

    fn on_spurious(&mut self, _now: Time) {
        (self.full_bw, self.full_bw_count) = (0.0, 0);
        (self.recovers, self.conserves) = (false, false);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        Some(BitRate::from_bps(((self.pacing_rate * 8.0) as u64).max(1)))
    }

    /// Marks are not answered, so packets are not ECN-capable (RFC 3168, 5).
    fn ect(&self) -> Ecn {
        Ecn::NotEct
    }

    fn send_quantum(&self) -> u64 {
        self.quantum()
    }

    fn marks_app_limited(&self) -> bool {
        self.marks_app_limited
    }

    /// Linux, tcp_update_skb_after_send: the first ten are not paced.
    fn unpaced_segments(&self) -> u64 {
        10
    }

    fn model(&self) -> Option<PathModel> {
        let phase = match self.mode {
            Mode::Startup => PathPhase::Startup,
            Mode::Drain => PathPhase::Drain,
            Mode::ProbeBw if self.pacing_gain > 1.0 => PathPhase::Up,
            Mode::ProbeBw if self.pacing_gain < 1.0 => PathPhase::Down,
            Mode::ProbeBw => PathPhase::Cruise,
            Mode::ProbeRtt => PathPhase::ProbeRtt,
        };
        let max_bw = BitRate::from_bps(self.bw.max().saturating_mul(8));
        self.pacing_rate().map(|pacing| PathModel { phase, max_bw, pacing })
    }
}
