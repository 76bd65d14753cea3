//! A node of a stack: packets on one side, datagrams on the other.
//!
//! Port 0 is the network. A packet has the bytes of its IP packet, so captures have what the stack sent. It counts as born
//! when it leaves the stack.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use airpath_base::random::Stream;
use airpath_base::{Duration, FlowId, Port, Time};
use airpath_net::{
    AppEvent, Change, ChangeError, Cx, DropCause, Event, Leg, Node, Packet, Payload, StackEvent,
    Stage, TcpEvent,
};
use airpath_wire::{Ecn, Endpoint, IpRepr, Protocol, Tuple, UDP_HEADER, udp};

use crate::random;
use crate::stack::{Content, Datagram, Outcome, Report, Sending, Stack, Transmit};

const NETWORK: Port = Port(0);

/// Options of a [`StackEnd`].
#[derive(Clone, Copy, Debug)]
pub struct EndConfig {
    /// Flow whose data this end sends, or the only one. Events are counted for it.
    pub flow: FlowId,
    /// Flow whose data this end receives: another one if both ends send.
    pub received: FlowId,
    /// Leg of the packets of this end that are no media, within the received flow. Media are data of `flow`.
    pub leg: Leg,
    /// True if the begin of the flow is that of its data; otherwise the stack reports that.
    pub starts: bool,
    /// This end.
    pub local: Endpoint,
    /// Time from which packets of this end have the next port as their source: a NAT has made a new binding
    /// (RFC 9000, 9.3.3). Never without.
    pub next_port: Option<Time>,
    /// Differentiated services code point of all packets (6 bits).
    pub dscp: u8,
    /// True if packets have the ECN field of the stack; otherwise they are not ECN-capable.
    pub ecn: bool,
    /// Begin of the flow.
    pub start: Time,
    /// Time at which the application stops to send, if it does.
    pub stop: Option<Time>,
}

/// One end of a flow whose transport is a stack.
pub struct StackEnd<S> {
    config: EndConfig,
    stack: S,
    draws: Option<Stream>,
    /// Packets sent.
    number: u64,
    /// Next times of the flow itself: its begin and its stop.
    begin: Option<Time>,
    stop: Option<Time>,
    timeout: Option<Time>,
    outcome: Option<Outcome>,
    has_panicked: bool,
    /// Times of the packet that the stack takes: until it was sent, and since.
    arrived: Option<[Duration; 2]>,
}

impl<S: Stack> StackEnd<S> {
    /// An end whose stack draws its random numbers from this stream.
    pub fn new(config: EndConfig, stack: S, draws: Stream) -> StackEnd<S> {
        StackEnd {
            stack,
            draws: Some(draws),
            number: 0,
            begin: Some(config.start),
            stop: config.stop,
            timeout: None,
            outcome: None,
            has_panicked: false,
            arrived: None,
            config,
        }
    }

    /// Calls the stack, and takes what comes of it. A stack that panics is an end of its flow, and is not called again.
    fn call(&mut self, now: Time, cx: &mut Cx<'_>, act: impl FnOnce(&mut S)) {
        if self.has_panicked {
            return;
        }
        let called = AssertUnwindSafe(|| self.calls(now, cx, act));
        if panic::catch_unwind(called).is_err() {
            random::clear();
            (self.has_panicked, self.timeout) = (true, None);
            self.end(Outcome::Failed("its stack has panicked"), cx);
        }
    }

    fn calls(&mut self, now: Time, cx: &mut Cx<'_>, act: impl FnOnce(&mut S)) {
        let (stack, draws) = (&mut self.stack, &mut self.draws);
        random::with(draws, || act(stack));
        while let Some(sent) = random::with(&mut self.draws, || self.stack.transmit(now)) {
            self.send(now, &sent, cx);
        }
        while let Some(report) = self.stack.report() {
            self.heed(report, cx);
        }
        self.timeout = self.stack.timeout();
    }

    fn send(&mut self, now: Time, sent: &Transmit, cx: &mut Cx<'_>) {
        let EndConfig { mut local, next_port, dscp, .. } = self.config;
        local.port += u16::from(next_port.is_some_and(|at| at <= now));
        let ecn = if self.config.ecn { sent.ecn } else { Ecn::NotEct };
        let tuple = Tuple { src: local, dst: sent.remote, protocol: Protocol::UDP };
        let mut bytes = Vec::with_capacity(sent.payload.len() + 48);
        if udp::emit_packet(tuple, &sent.payload, &mut bytes).is_err() {
            return cx.abort("a stack sent a datagram that no IP packet can have");
        }
        let (flow, leg, made) = match sent.content {
            Content::Media { made } => (self.config.flow, Leg::Data, made),
            Content::Other => (self.config.received, self.config.leg, None),
        };
        let mut packet = Packet::new(flow, leg, bytes.len() as u32, tuple, made.unwrap_or(now));
        (packet.dscp, packet.ecn, packet.number) = (dscp, ecn, self.number);
        packet.payload = Payload::Bytes(Arc::from(bytes));
        self.number += 1;
        if made.is_some() {
            packet.charge(Stage::Sender, now);
        }
        cx.originate(&mut packet);
        cx.send(NETWORK, packet);
    }

    fn heed(&mut self, report: Report, cx: &mut Cx<'_>) {
        let EndConfig { flow, received, .. } = self.config;
        match report {
            Report::Sending(Sending { cwnd, in_flight, srtt }) => {
                let (ssthresh, srtt) = (u64::MAX, Some(srtt));
                let state = TcpEvent::State { cwnd, ssthresh, in_flight, srtt };
                cx.emit(|| Event::Tcp(flow, state));
            }
            Report::Rtt(sample) => cx.emit(|| Event::Tcp(flow, TcpEvent::Rtt(sample))),
            Report::Recovery => cx.emit(|| Event::Tcp(flow, TcpEvent::Recovery)),
            Report::Exchange(own) => cx.emit(|| Event::App(flow, AppEvent::Exchange(own))),
            Report::Page(page) => cx.emit(|| Event::App(flow, AppEvent::Page(page))),
            Report::Event(event) => cx.emit(|| Event::App(flow, AppEvent::Stack(event))),
            Report::Delivered { bytes } => {
                cx.emit(|| Event::App(received, AppEvent::Delivered { bytes }));
            }
            Report::Media { timestamp, bytes, repeated } => {
                let delays = self.arrived.filter(|_| !repeated);
                cx.emit(|| Event::App(received, AppEvent::Delivered { bytes }));
                cx.emit(|| Event::App(received, AppEvent::FramePacket { timestamp, delays }));
            }
            Report::Started => cx.emit(|| Event::App(flow, AppEvent::Started)),
            Report::Frame(frame) => cx.emit(|| Event::App(flow, AppEvent::Frame(frame))),
            Report::State(state) => cx.emit(|| Event::App(flow, AppEvent::Media(state))),
            Report::GaveUp => cx.emit(|| Event::App(flow, AppEvent::GaveUp)),
            Report::Ended(outcome) => self.end(outcome, cx),
        }
    }
}

impl<S> StackEnd<S> {
    /// Ends the flow at this end. The first outcome counts.
    fn end(&mut self, outcome: Outcome, cx: &mut Cx<'_>) {
        if self.outcome.is_some() {
            return;
        }
        self.outcome = Some(outcome);
        let event = match outcome {
            Outcome::Finished => AppEvent::Finished,
            Outcome::Failed(cause) => AppEvent::Stack(StackEvent::Failed(cause)),
        };
        cx.emit(|| Event::App(self.config.flow, event));
    }
}

impl<S: Stack> Node for StackEnd<S> {
    fn receive(&mut self, now: Time, _: Port, packet: Packet, cx: &mut Cx<'_>) {
        let Payload::Bytes(bytes) = &packet.payload else {
            return cx.drop(packet, DropCause::Unexpected);
        };
        let Some((remote, payload)) = datagram(bytes) else {
            return cx.drop(packet, DropCause::Unexpected);
        };
        cx.consume(&packet);
        let (ecn, queued) = (packet.ecn, packet.stages.spent(Stage::Sender));
        let network = now.saturating_since(packet.born()).saturating_sub(queued);
        self.arrived = Some([queued, network]);
        self.call(now, cx, |stack| stack.receive(now, Datagram { ecn, remote, payload }));
        self.arrived = None;
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.begin.take_if(|at| *at <= now).is_some() {
            if self.config.starts {
                let flow = self.config.flow;
                cx.emit(|| Event::App(flow, AppEvent::Started));
            }
            // The flow's application reports its bytes, even if none come.
            cx.emit(|| Event::App(self.config.received, AppEvent::Delivered { bytes: 0 }));
            self.call(now, cx, |stack| stack.begin(now));
        }
        if self.stop.take_if(|at| *at <= now).is_some() {
            self.call(now, cx, |stack| stack.stop(now));
        }
        if self.timeout.is_some_and(|at| at <= now) {
            self.call(now, cx, |stack| stack.wake(now));
        }
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        let Change::Active(active) = *change else {
            return Err(ChangeError::new("is an end of a real stack"));
        };
        let mut done = false;
        self.call(now, cx, |stack| done = stack.set_active(now, active));
        if done { Ok(()) } else { Err(ChangeError::new("is an end that cannot pause")) }
    }

    fn finish(&mut self, _now: Time, cx: &mut Cx<'_>) {
        if self.has_panicked {
            return;
        }
        self.stack.finish();
        while let Some(report) = self.stack.report() {
            self.heed(report, cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        [self.begin, self.stop, self.timeout].into_iter().flatten().min()
    }
}

/// Source and payload of the datagram in an IP packet.
fn datagram(bytes: &[u8]) -> Option<(Endpoint, &[u8])> {
    let (ip, rest) = IpRepr::parse(bytes).ok()?;
    let len = u32::try_from(rest.len()).ok()?;
    (ip.tuple.protocol == Protocol::UDP).then_some(())?;
    let (_, payload) = udp::parse(rest, len.max(UDP_HEADER)).ok()?;
    Some((ip.tuple.src, payload))
}
