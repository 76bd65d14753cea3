//! Congestion control by airpath's interface on a connection of quinn-proto.
//!
//! quinn-proto calls a controller several times for an ACK. [`Adapted`] gathers these calls, and hands them on as one
//! [`AckSample`] when quinn-proto next asks for the window. Samples of the delivery rate follow from bytes that were sent
//! and acknowledged. `docs/stacks.md` lists what quinn-proto does not carry.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use airpath_base::{Duration, Time};
use airpath_transport::control::{
    AckSample, CongestionControl, EcnFeedback, LossEvent, Lost, Start,
};
use airpath_transport::tcp::{RateSampler, Snapshot};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::control::MakeControl;
use crate::clock::Clock;

/// Initial window in bytes, and its bounds in packets (RFC 9002, 7.2).
const INITIAL_WINDOW: u64 = 14_720;
const LEAST_PACKETS: u64 = 2;
const INITIAL_PACKETS: u64 = 10;

/// Makes the controller of one connection.
pub(super) struct AdaptedFactory {
    pub clock: Clock,
    pub make: MakeControl,
    /// Number of the connection, from 0.
    pub number: u32,
    /// Bytes of a full packet: the largest payload of UDP that path MTU discovery tries.
    pub segment: u16,
    pub feedback: EcnFeedback,
}

impl ControllerFactory for AdaptedFactory {
    fn build(self: Arc<Self>, _: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mtu = u64::from(current_mtu);
        let initial_window = INITIAL_WINDOW.clamp(LEAST_PACKETS * mtu, INITIAL_PACKETS * mtu);
        let state = State {
            clock: self.clock,
            control: (self.make)(self.number),
            segment: u32::from(self.segment),
            mtu,
            initial_window,
            feedback: self.feedback,
            started: false,
            sampler: RateSampler::default(),
            sent: VecDeque::new(),
            in_flight: 0,
            lost: 0,
            newest: None,
            srtt: None,
            min_rtt: None,
            recovery: None,
            marked: None,
            now: Time::ZERO,
            events: Events::default(),
        };
        Box::new(Adapted { state: Arc::new(Mutex::new(state)), initial_window })
    }
}

/// A controller by airpath's interface. A connection that changes its path keeps the state.
#[derive(Clone)]
struct Adapted {
    state: Arc<Mutex<State>>,
    initial_window: u64,
}

/// Recovery after a loss (RFC 9002, 7.3.2).
#[derive(Clone, Copy)]
struct Recovery {
    since: Time,
    /// True after persistent congestion: the window then grows as after a timeout.
    is_persistent: bool,
}

/// Events of one ACK or one timer, which are not yet handed on.
#[derive(Clone, Copy, Default)]
struct Events {
    now: Time,
    /// True if all packets of the ACK are counted.
    is_whole: bool,
    acked: u64,
    packets: u32,
    /// Time of sending of the newest packet that was acknowledged.
    newest: Option<Time>,
    app_limited: bool,
    in_flight_before: u64,
    /// Time of sending of the newest packet of an ACK that reports marks.
    marked: Option<Time>,
    ce_packets: u32,
    loss: Option<Loss>,
}

#[derive(Clone, Copy)]
struct Loss {
    /// Time of sending of the newest packet.
    sent: Time,
    bytes: u64,
    is_persistent: bool,
}

struct State {
    clock: Clock,
    /// None if there is none for this connection.
    control: Option<Box<dyn CongestionControl>>,
    segment: u32,
    mtu: u64,
    initial_window: u64,
    feedback: EcnFeedback,
    started: bool,
    sampler: RateSampler,
    /// States of the sender by the time of sending.
    sent: VecDeque<(Time, Snapshot)>,
    in_flight: u64,
    /// Bytes that were declared lost.
    lost: u64,
    /// Time of sending of the newest packet that was ever acknowledged.
    newest: Option<Time>,
    srtt: Option<Duration>,
    min_rtt: Option<Duration>,
    recovery: Option<Recovery>,
    /// Time of the last answer to marks.
    marked: Option<Time>,
    /// Time of the last events.
    now: Time,
    events: Events,
}

impl State {
    fn on_sent(&mut self, now: Time, bytes: u64) {
        self.settle();
        let snapshot = self.sampler.on_sent(now, self.in_flight == 0);
        if let Some(control) = self.control.as_mut().filter(|_| self.started) {
            control.on_sent(now, u32::try_from(bytes).unwrap_or(u32::MAX), self.in_flight);
        }
        self.in_flight += bytes;
        let snapshot = snapshot.with_flight(self.in_flight, self.lost);
        match self.sent.back_mut() {
            Some((at, last)) if *at == now => *last = snapshot,
            _ => self.sent.push_back((now, snapshot)),
        }
    }

    fn on_ack(&mut self, now: Time, sent: Time, bytes: u64) {
        if self.events.is_whole {
            self.settle();
        }
        if self.events.packets == 0 {
            self.events.in_flight_before = self.in_flight;
        }
        self.in_flight = self.in_flight.saturating_sub(bytes);
        self.events.now = now;
        self.events.acked += bytes;
        self.events.packets += 1;
        self.events.newest = self.events.newest.max(Some(sent));
    }

    fn on_end_acks(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.in_flight = in_flight;
        self.events.now = now;
        self.events.app_limited = app_limited;
        self.events.is_whole = true;
    }

    fn on_event(&mut self, now: Time, sent: Time, is_persistent: bool, lost: u64) {
        self.events.now = now;
        if lost == 0 {
            self.events.marked = Some(sent);
            return;
        }
        self.in_flight = self.in_flight.saturating_sub(lost);
        let before = self.events.loss;
        self.events.loss = Some(Loss {
            sent: before.map_or(sent, |before| before.sent.max(sent)),
            bytes: lost + before.map_or(0, |before| before.bytes),
            is_persistent: is_persistent || before.is_some_and(|before| before.is_persistent),
        });
    }

    /// Hands on all events that were gathered.
    fn settle(&mut self) {
        let Events { is_whole, marked, loss, .. } = self.events;
        if !is_whole && marked.is_none() && loss.is_none() {
            return;
        }
        let events = std::mem::take(&mut self.events);
        self.now = events.now;
        let Some(mut control) = self.control.take() else { return };
        if events.packets > 0 {
            self.acknowledge(&events, control.as_mut());
        }
        if self.started {
            self.answer(&events, control.as_mut());
        }
        let over = |own: &Recovery| events.newest.is_some_and(|newest| newest > own.since);
        if self.recovery.take_if(|own| over(own)).is_some() {
            control.on_recovered(events.now);
        }
        self.control = Some(control);
    }

    /// Tells of what has arrived. The first ACK starts the controller, as it brings the first RTT.
    fn acknowledge(&mut self, events: &Events, control: &mut dyn CongestionControl) {
        let rtt = self.measure(events);
        if !self.started {
            self.started = true;
            control.on_start(&Start {
                now: events.now,
                segment: self.segment,
                initial_window: self.initial_window,
                initial_ssthresh: u64::MAX,
                feedback: self.feedback,
                selective_acks: true,
                rtt,
            });
        }
        let sent = events.newest.and_then(|at| Some((self.state_at(at)?, at)));
        let rate = self.sampler.on_ack(events.now, events.acked, sent, self.min_rtt);
        let state = sent.map(|(state, _)| state).unwrap_or_default();
        let repeats = |marked| events.newest <= Some(marked);
        let classic = self.feedback == EcnFeedback::Classic;
        control.on_ack(&AckSample {
            now: events.now,
            acked: events.acked,
            sacked: 0,
            delivered: events.acked,
            packets: events.packets,
            delivered_in_all: self.sampler.delivered(),
            prior_delivered: state.delivered,
            sent_in_flight: state.in_flight,
            lost_since_sent: sent.map_or(0, |(state, _)| self.lost.saturating_sub(state.lost)),
            sent_app_limited: state.app_limited,
            rtt,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            rate,
            in_flight_before: events.in_flight_before,
            in_flight: self.in_flight,
            ce_bytes: u64::from(events.ce_packets.min(events.packets)) * u64::from(self.segment),
            ce_packets: events.ce_packets.min(events.packets),
            ece: classic && (events.marked.is_some() || self.marked.is_some_and(repeats)),
            app_limited: events.app_limited,
            cwnd_limited: !events.app_limited,
            pacing_limited: false,
            in_recovery: self.recovery.is_some_and(|own| !own.is_persistent),
        });
        if events.app_limited || control.marks_app_limited() {
            self.sampler.app_limited(self.in_flight);
        }
    }

    /// RTT of the newest packet, if no later one was acknowledged before (RFC 9002, 5.1). The delay of the ACK is in it.
    fn measure(&mut self, events: &Events) -> Option<Duration> {
        let newest = events.newest.filter(|_| events.newest > self.newest)?;
        self.newest = Some(newest);
        let rtt = events.now.saturating_since(newest);
        // RFC 6298, 2.3: a weight of 1/8.
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| srtt * 7 / 8 + rtt / 8));
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        Some(rtt)
    }

    /// State of the sender when a packet left. Older states than those of the last three RTTs are forgotten.
    fn state_at(&mut self, sent: Time) -> Option<Snapshot> {
        let kept = self.srtt.unwrap_or_default() * 3;
        let oldest = self.newest.unwrap_or(Time::ZERO).saturating_sub(kept);
        while self.sent.pop_front_if(|(at, _)| *at < oldest).is_some() {}
        let n = self.sent.binary_search_by_key(&sent, |(at, _)| *at).ok()?;
        Some(self.sent[n].1)
    }

    /// Tells of marks and losses: each once for a window (RFC 9002, 7.3.2).
    fn answer(&mut self, events: &Events, control: &mut dyn CongestionControl) {
        let now = events.now;
        let of_window = |since: Option<Time>, sent: Time| since.is_none_or(|since| sent > since);
        let event = |in_flight| LossEvent { now, in_flight, repeated: false };
        let since = self.recovery.map(|own| own.since).max(self.marked);
        if events.marked.is_some_and(|sent| of_window(since, sent)) {
            self.marked = Some(now);
            control.on_congestion(&event(control.cwnd()));
        }
        let Some(loss) = events.loss else { return };
        self.lost += loss.bytes;
        let recovery = Recovery { since: now, is_persistent: loss.is_persistent };
        let is_new = of_window(self.recovery.map(|own| own.since), loss.sent);
        let was_fast = self.recovery.is_some_and(|own| !own.is_persistent);
        if loss.is_persistent && (is_new || was_fast) {
            self.recovery = Some(recovery);
            control.on_rto(&LossEvent { repeated: !is_new, ..event(control.cwnd()) });
        } else if is_new {
            self.recovery = Some(recovery);
            control.on_loss(&event(control.cwnd()));
        }
        let state = self.state_at(loss.sent);
        control.on_lost(&Lost {
            now,
            packets: u32::try_from(loss.bytes.div_ceil(u64::from(self.segment)))
                .unwrap_or(u32::MAX),
            ranges: 1,
            bytes: loss.bytes,
            sent_in_flight: state.map_or(self.in_flight + loss.bytes, |state| state.in_flight),
            lost_since_sent: state.map_or(loss.bytes, |state| self.lost - state.lost),
            app_limited: state.is_some_and(|state| state.app_limited),
        });
    }

    /// Window in bytes. RFC 9002, 7.2, has two packets as the least, and quinn-proto sends nothing below.
    fn window(&mut self) -> u64 {
        self.settle();
        match &self.control {
            None => 0,
            Some(_) if !self.started => self.initial_window,
            Some(control) if control.cwnd() == 0 => 0,
            Some(control) => control.cwnd().max(LEAST_PACKETS * self.mtu),
        }
    }
}

impl Adapted {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Controller for Adapted {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let mut state = self.state();
        let now = state.clock.time(now);
        state.on_sent(now, bytes);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        let mut state = self.state();
        let (now, sent) = (state.clock.time(now), state.clock.time(sent));
        state.on_ack(now, sent, bytes);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _: Option<u64>) {
        let mut state = self.state();
        let now = state.clock.time(now);
        state.on_end_acks(now, in_flight, app_limited);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        #[cfg(feature = "quinn-main")] _is_ecn: bool,
        lost: u64,
    ) {
        let mut state = self.state();
        let (now, sent) = (state.clock.time(now), state.clock.time(sent));
        state.on_event(now, sent, persistent, lost);
    }

    #[cfg(feature = "quinn-main")]
    fn on_spurious_congestion_event(&mut self) {
        let mut state = self.state();
        state.settle();
        let now = state.now;
        if let Some(control) = state.control.as_mut() {
            control.on_spurious(now);
        }
        state.recovery = None;
    }

    #[cfg(feature = "accurate-ecn")]
    fn on_ce_marks(&mut self, _: Instant, packets: u64) {
        let mut state = self.state();
        if state.feedback == EcnFeedback::Accurate {
            state.events.ce_packets += u32::try_from(packets).unwrap_or(u32::MAX);
        }
    }

    #[cfg(feature = "accurate-ecn")]
    fn pacing_rate(&self) -> Option<quinn_proto::congestion::PacingRate> {
        let mut state = self.state();
        state.settle();
        let control = state.control.as_ref().filter(|_| state.started)?;
        let bytes_per_second = control.pacing_rate()?.as_bps() / 8;
        Some(quinn_proto::congestion::PacingRate {
            bytes_per_second,
            burst: control.send_quantum(),
        })
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.state().mtu = u64::from(new_mtu);
    }

    fn window(&self) -> u64 {
        self.state().window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut state = self.state();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = state.window();
        if let Some(control) = state.control.as_ref().filter(|_| state.started) {
            metrics.ssthresh = Some(control.ssthresh()).filter(|own| *own < u64::MAX);
            if cfg!(feature = "accurate-ecn") {
                metrics.pacing_rate = control.pacing_rate().map(|rate| rate.as_bps());
            }
        }
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.initial_window
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
#[path = "adapted_tests.rs"]
mod tests;
