//! BBR: a model of the path instead of a window that answers losses.
//!
//! [`Bbr`] is the third version as in draft-ietf-ccwg-bbr-06. The draft leaves out the answer to
//! congestion marks, which is that of the second version
//! (draft-cardwell-iccrg-bbr-congestion-control-02, 4.5.4; Linux, google/bbr, v2alpha). [`Bbr1`] is
//! the first version as in Linux.
//!
//! Modules: the model of the path in `model`, Startup, Drain and ProbeRTT in `phases`, the ProbeBW
//! cycle in `cycle`. Answers to losses and marks are in `congestion`, window and rate in `output`,
//! the first version in `v1`. Names are the draft's. Leaves out offload's larger quanta, and counts
//! losses by acknowledgement, not by packet.

mod congestion;
mod cycle;
mod filter;
mod model;
mod output;
mod phases;
mod v1;

use airpath_base::random::{Seed, Stream};
use airpath_base::{BitRate, Duration, Time};
use airpath_net::{PathModel, PathPhase as State};
use airpath_schema::{between, record};
use airpath_wire::Ecn;

use self::filter::MaxFilter;
use super::{AckSample, CongestionControl, EcnFeedback, LossEvent, Lost, Start};

pub use self::v1::Bbr1;

/// No bound.
const UNBOUNDED: u64 = u64::MAX;
/// BBR.StartupPacingGain: 4 ln 2 (2.8).
pub(super) const STARTUP_PACING_GAIN: f64 = 2.772_588_722_239_781;
const DEFAULT_CWND_GAIN: f64 = 2.0;
/// BBR.LossThresh, BBR.Beta, BBR.Headroom (2.8).
const LOSS_THRESH: f64 = 0.02;
const BETA: f64 = 0.7;
const HEADROOM: f64 = 0.15;
const MIN_PIPE_SEGMENTS: u64 = 4;
/// Weight of a round in the share of marked bytes (second version).
const ECN_GAIN: f64 = 1.0 / 16.0;
/// Share of marked bytes in a round that means too much in flight (second version).
const ECN_THRESH: f64 = 0.5;

record! {
    /// Options of BBR's third version.
    pub struct BbrConfig: Default {
        /// Answers marks, as the second version does, if there is accurate feedback. Default: true.
        ecn: bool = true;
        /// Marks are answered only if the lowest RTT is not above this; if it is, packets are
        /// not ECN-capable. Default: 5 ms (Linux, google/bbr, v2alpha).
        ecn_max_rtt: Duration = Duration::from_millis(5)
            => between(Duration::ZERO, Duration::from_secs(3_600));
        /// Part of the share of marked bytes that the window gives up. Default: 0.333 (as the
        /// second version).
        ecn_factor: f64 = 1.0 / 3.0 => between(0.0, 1.0);
    }
}

/// Phase of a probe whose data the acknowledgements are for (5.3.3.9, BBR.ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Rounds of packets (5.5.1).
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// Bytes delivered in all with which the next round begins.
    next_delivered: u64,
    /// True if the acknowledgement begins a round.
    start: bool,
    count: u64,
}

/// Aggregation of acknowledgements (5.5.9).
#[derive(Clone, Debug, Default)]
struct Aggregation {
    extra_acked: MaxFilter,
    interval_start: Time,
    /// Bytes delivered since then.
    delivered: u64,
}

/// State to go back to if losses were none (5.5.11.1).
#[derive(Clone, Copy, Debug)]
struct Undo {
    state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
}

/// Marks in the round that is going on, and their moving average.
#[derive(Clone, Copy, Debug)]
struct Marks {
    usable: bool,
    alpha: f64,
    ce: u64,
    delivered: u64,
    in_round: bool,
    rounds_too_high: u32,
}

/// A loss recovery that goes on.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    /// Rounds when it began.
    began: u64,
    /// False after a timeout.
    is_fast: bool,
}

impl Undo {
    const NONE: Undo =
        Undo { state: None, bw_shortterm: 0.0, inflight_shortterm: 0, inflight_longterm: 0 };
}

impl Marks {
    const NONE: Marks = Marks {
        usable: false,
        alpha: 1.0,
        ce: 0,
        delivered: 0,
        in_round: false,
        rounds_too_high: 0,
    };
}

/// The controller of draft-ietf-ccwg-bbr. Rates are bytes / s.
pub struct Bbr {
    config: BbrConfig,
    draws: Stream,
    segment: u64,
    initial_cwnd: u64,
    cwnd: u64,
    pacing_rate: f64,
    send_quantum: u64,
    now: Time,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    rounds: Rounds,
    // Bandwidth (5.5.2)
    max_bw: [f64; 2],
    bw: f64,
    bw_latest: f64,
    inflight_latest: u64,
    // Bounds
    bw_shortterm: f64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
    // RTT (5.3.4.3)
    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    // Full pipe (5.3.1.2)
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_start_round: u64,
    // Cycle (5.3.3)
    cycle_stamp: Time,
    bw_probe_wait: Duration,
    rounds_since_probe_up: u64,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: u64,
    probe_up_acked_per_inc: u64,
    is_bw_probe_sample: bool,
    ack_phase: AckPhase,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    aggregation: Aggregation,
    // Losses and marks (5.5.10)
    delivered: u64,
    loss_round_delivered: u64,
    loss_round_start: bool,
    is_loss_in_round: bool,
    lost_in_round: u64,
    lost_ranges_in_round: u32,
    recovery: Option<Recovery>,
    marks: Marks,
    undo: Undo,
    prior_cwnd: u64,
    idle_restart: bool,
    app_limited: bool,
    /// True after an acknowledgement in ProbeRTT (5.3.4.3).
    marks_app_limited: bool,
    /// C.has_selective_acks.
    selective_acks: bool,
}

impl Bbr {
    /// A controller that waits for [`CongestionControl::on_start`]. The random waits between
    /// probes for bandwidth (5.3.3.8) come from `seed`, in which flows should differ.
    pub fn new(config: BbrConfig, seed: u64) -> Bbr {
        Bbr {
            draws: Seed(seed).stream("bbr probe wait"),
            config,
            segment: 1,
            initial_cwnd: 1,
            cwnd: 1,
            pacing_rate: 1.0,
            send_quantum: 0,
            now: Time::ZERO,
            state: State::Startup,
            pacing_gain: STARTUP_PACING_GAIN,
            cwnd_gain: DEFAULT_CWND_GAIN,
            rounds: Rounds::default(),
            max_bw: [0.0; 2],
            bw: 0.0,
            bw_latest: 0.0,
            inflight_latest: 0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: UNBOUNDED,
            inflight_longterm: UNBOUNDED,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            cycle_stamp: Time::ZERO,
            bw_probe_wait: Duration::ZERO,
            rounds_since_probe_up: 0,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0,
            probe_up_acked_per_inc: UNBOUNDED,
            is_bw_probe_sample: false,
            ack_phase: AckPhase::Init,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            aggregation: Aggregation::default(),
            delivered: 0,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            lost_in_round: 0,
            lost_ranges_in_round: 0,
            recovery: None,
            marks: Marks::NONE,
            undo: Undo::NONE,
            prior_cwnd: 0,
            idle_restart: false,
            app_limited: false,
            marks_app_limited: false,
            selective_acks: true,
        }
    }

    /// The estimated bandwidth.
    pub fn bandwidth(&self) -> BitRate {
        BitRate::from_bps((self.bw * 8.0) as u64)
    }

    fn is_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }
}

impl CongestionControl for Bbr {
    /// 5.2.1.
    fn on_start(&mut self, start: &Start) {
        self.segment = u64::from(start.segment).max(1);
        self.initial_cwnd = start.initial_window;
        self.cwnd = start.initial_window;
        self.now = start.now;
        self.selective_acks = start.selective_acks;
        self.min_rtt = start.rtt;
        self.probe_rtt_min_delay = start.rtt;
        (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (start.now, start.now);
        self.aggregation.interval_start = start.now;
        self.marks.usable = start.feedback == EcnFeedback::Accurate && self.config.ecn;
        let rtt = start.rtt.unwrap_or(Duration::from_millis(1)).max(Duration::from_nanos(1));
        self.pacing_rate = STARTUP_PACING_GAIN * start.initial_window as f64 / rtt.as_secs_f64(); // 5.6.2
        self.set_send_quantum();
    }

    /// 5.4.1, HandleRestartFromIdle.
    fn on_sent(&mut self, now: Time, _bytes: u32, in_flight: u64) {
        self.now = now;
        if in_flight > 0 || !self.app_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.interval_start = now;
        if self.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done();
        }
    }

    /// 5.2.3.
    fn on_ack(&mut self, sample: &AckSample) {
        if sample.delivered == 0 {
            return;
        }
        self.now = sample.now;
        self.delivered = sample.delivered_in_all;
        self.marks_app_limited = false;
        self.update_latest_delivery_signals(sample);
        self.update_congestion_signals(sample);
        self.update_ack_aggregation(sample);
        self.check_full_bw_reached(sample);
        self.check_startup_done();
        self.check_drain_done(sample);
        self.update_probe_bw_cycle(sample);
        self.update_min_rtt(sample);
        self.check_probe_rtt(sample);
        self.advance_latest_delivery_signals(sample);
        self.bw = self.model_bw().min(self.bw_shortterm);
        self.update_output(sample);
        self.app_limited = sample.app_limited || self.marks_app_limited;
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        self.handle_lost(lost);
    }

    /// 5.6.4.4, OnEnterFastRecovery.
    fn on_loss(&mut self, _loss: &LossEvent) {
        self.save_cwnd();
        self.save_state_upon_loss();
        self.recovery = Some(Recovery { began: self.rounds.count, is_fast: true });
    }

    /// Marks are answered in [`on_ack`](Self::on_ack).
    fn on_congestion(&mut self, _mark: &LossEvent) {}

    fn on_recovered(&mut self, _now: Time) {
        self.recovery = None;
        self.restore_cwnd();
        self.bound_cwnd();
    }

    /// 5.6.4.4, OnEnterRTO. Nothing is in flight then, as all that has not arrived counts as lost.
    fn on_rto(&mut self, _loss: &LossEvent) {
        self.save_cwnd();
        self.save_state_upon_loss();
        self.recovery = Some(Recovery { began: self.rounds.count, is_fast: false });
        self.cwnd = self.segment;
    }

    fn on_spurious(&mut self, now: Time) {
        self.now = now;
        self.recovery = None;
        self.handle_spurious_loss();
        self.bound_cwnd();
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

    fn send_quantum(&self) -> u64 {
        self.send_quantum
    }

    fn marks_app_limited(&self) -> bool {
        self.marks_app_limited
    }

    fn model(&self) -> Option<PathModel> {
        let phase = self.state;
        let max_bw = BitRate::from_bps((self.model_bw() * 8.0) as u64);
        self.pacing_rate().map(|pacing| PathModel { phase, max_bw, pacing })
    }

    /// ECT(1) while marks are answered in proportion (RFC 9331, 4.3). Where they are not,
    /// because of the options, the feedback or the RTT, nothing: ECT(0) too promises an
    /// answer (RFC 3168, 5).
    fn ect(&self) -> Ecn {
        if self.answers_marks() { Ecn::Ect1 } else { Ecn::NotEct }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
