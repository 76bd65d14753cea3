//! Media packets at a constant rate over RTP (RFC 3550), and their receiver.
//!
//! Without rate control; the receiver may answer each packet. Port 0 is the network. A source can
//! be paused: it then makes no packets, and goes on at the instants at which it would have.

use core::fmt;
use std::collections::VecDeque;

use airpath_base::{Duration, FlowId, Port, Time};
use airpath_net::{
    AppEvent, Change, ChangeError, Cx, DropCause, Event, Leg, Node, Packet, Payload,
};
use airpath_wire::{Ecn, Endpoint, Protocol, RtpRepr, Tuple, UDP_HEADER};

use crate::pattern::{OwnPattern, Pattern};
use crate::rtp_answer::{self, Answer, Unanswered};

const NETWORK: Port = Port(0);

/// Rule for the RTP marker of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// The first, and the first behind a pause: the beginning of a talkspurt (RFC 3551, 4.1).
    #[default]
    First,
    /// Each: each packet is a video frame (RFC 3551, 5).
    Every,
}

/// Options of an [`RtpSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtpConfig {
    /// The flow for which packets are counted.
    pub flow: FlowId,
    /// This end.
    pub local: Endpoint,
    /// The other end.
    pub remote: Endpoint,
    /// Differentiated services code point (6 bits). Default: 0.
    pub dscp: u8,
    /// ECN field. Default: not ECN-capable.
    pub ecn: Ecn,
    /// UDP payload of a packet in bytes: the RTP header's 12 and the media.
    /// Default: 172, 20 ms of G.711.
    pub payload: u32,
    /// Time from packet to packet. Default: 20 ms.
    pub interval: Duration,
    /// Time of the first packet. Default: time zero.
    pub start: Time,
    /// Number of packets. Default: no limit.
    pub packets: Option<u64>,
    /// From when on no packet leaves. Default: never.
    pub stop: Option<Time>,
    /// RTP payload type (7 bits). Default: 0, PCMU (RFC 3551, 6).
    pub payload_type: u8,
    /// Ticks of the media clock in a second. Default: 8000 (RFC 3551, 4.5.14).
    pub clock_rate: u32,
    /// Synchronisation source. Default: 0.
    pub ssrc: u32,
    /// Rule for the marker of packets.
    pub marker: Marker,
    /// Answers of the receiver, one to each packet. Default: none.
    pub answer: Option<Answer>,
}

/// Reason for which a source cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtpError {
    /// The payload, or that of an answer, does not hold an RTP header (12 bytes), or does not
    /// fit a UDP packet (65,487 bytes).
    Payload,
    /// The interval is zero.
    Interval,
    /// One end has an IPv4 and the other an IPv6 address.
    Addresses,
}

/// Sends packets at a constant rate.
#[derive(Debug)]
pub struct RtpSource {
    config: RtpConfig,
    tuple: Tuple,
    sent: u64,
    /// Packets that it has not made in pauses.
    skipped: u64,
    /// The next packet is the first behind a pause.
    begins: bool,
    paused: bool,
    due: Option<Time>,
    unanswered: Unanswered,
    /// Pattern that decides the times of packets, instead of the interval.
    pattern: Option<OwnPattern>,
}

/// Takes the packets of an [`RtpSource`].
#[derive(Debug)]
pub struct RtpSink {
    flow: FlowId,
    tuple: Tuple,
    answer: Option<Answer>,
    /// Answers that wait for their time.
    thinking: VecDeque<(Time, RtpRepr)>,
    answers: u64,
}

impl RtpConfig {
    /// A source with the defaults.
    pub fn new(flow: FlowId, local: Endpoint, remote: Endpoint) -> RtpConfig {
        RtpConfig {
            flow,
            local,
            remote,
            dscp: 0,
            ecn: Ecn::NotEct,
            payload: 172,
            interval: Duration::from_millis(20),
            start: Time::ZERO,
            packets: None,
            stop: None,
            payload_type: 0,
            clock_rate: 8000,
            ssrc: 0,
            marker: Marker::First,
            answer: None,
        }
    }
}

impl RtpSource {
    /// The source that `config` describes.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: RtpConfig) -> Result<RtpSource, RtpError> {
        const LARGEST: u32 = 65_535 - 40 - UDP_HEADER; // beside either IP header
        let answer = config.answer.map_or(config.payload, |answer| answer.payload);
        let fits = |payload| (RtpRepr::HEADER..=LARGEST).contains(&payload);
        if !fits(config.payload) || !fits(answer) {
            return Err(RtpError::Payload);
        }
        if config.interval.is_zero() {
            return Err(RtpError::Interval);
        }
        if config.local.addr.is_ipv4() != config.remote.addr.is_ipv4() {
            return Err(RtpError::Addresses);
        }
        let tuple = Tuple { src: config.local, dst: config.remote, protocol: Protocol::UDP };
        let unanswered = Unanswered::default();
        let mut source = RtpSource {
            due: None,
            tuple,
            sent: 0,
            skipped: 0,
            begins: true,
            paused: false,
            config,
            unanswered,
            pattern: None,
        };
        source.due = source.allowed(Some(source.config.start));
        Ok(source)
    }

    /// A source whose `pattern` decides the times of all packets but the first, and their sizes.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn with_pattern(
        config: RtpConfig,
        pattern: Box<dyn Pattern>,
    ) -> Result<RtpSource, RtpError> {
        Ok(RtpSource { pattern: Some(OwnPattern(pattern)), ..RtpSource::new(config)? })
    }

    /// Time and payload of the packet after the one at `due`.
    fn next(&mut self, due: Time) -> Option<Time> {
        let Some(OwnPattern(pattern)) = &mut self.pattern else {
            let next = due.as_nanos().checked_add(self.config.interval.as_nanos());
            return next.map(Time::from_nanos);
        };
        let (wait, payload) = pattern.next(due)?;
        self.config.payload = payload;
        due.as_nanos().checked_add(wait.as_nanos()).map(Time::from_nanos)
    }

    /// The time of the next packet, unless the flow ends before.
    fn allowed(&self, due: Option<Time>) -> Option<Time> {
        let more = self.config.packets.is_none_or(|packets| self.sent < packets);
        due.filter(|due| more && self.config.stop.is_none_or(|stop| *due < stop))
    }

    fn packet(&self, born: Time) -> Packet {
        let RtpConfig { flow, payload, .. } = self.config;
        let size = self.tuple.ip_header() + UDP_HEADER + payload;
        let mut packet = Packet::new(flow, Leg::Data, size, self.tuple, born);
        packet.number = self.sent;
        packet.dscp = self.config.dscp;
        packet.ecn = self.config.ecn;
        packet.payload = Payload::Rtp(self.header(born));
        packet
    }

    fn header(&self, born: Time) -> RtpRepr {
        let made = u128::from(self.sent) + u128::from(self.skipped);
        let elapsed = match self.pattern {
            None => made * u128::from(self.config.interval.as_nanos()),
            Some(_) => u128::from(born.saturating_since(self.config.start).as_nanos()),
        };
        let ticks = elapsed * u128::from(self.config.clock_rate) / 1_000_000_000;
        RtpRepr {
            payload_type: self.config.payload_type,
            marker: self.config.marker == Marker::Every || self.begins,
            seq: self.sent as u16,
            timestamp: ticks as u32,
            ssrc: self.config.ssrc,
            payload_len: self.config.payload - RtpRepr::HEADER,
        }
    }
}

impl RtpSource {
    /// Goes on with the first packet that is due from `now` on.
    fn resume(&mut self, now: Time) {
        let Some(due) = self.due.filter(|due| *due < now) else { return };
        if self.pattern.is_some() {
            self.begins = true;
            self.due = self.allowed(Some(now));
            return;
        }
        let missed = now.since(due).as_nanos().div_ceil(self.config.interval.as_nanos());
        self.skipped += missed;
        self.begins = true;
        self.due = self.allowed(Some(due.saturating_add(self.config.interval * missed)));
    }

    /// Reports a packet and its answer, or that it has none.
    fn report(&self, sent: (u64, Time), done: Option<Time>, cx: &mut Cx<'_>) {
        let Some(answer) = self.config.answer else { return };
        let sizes = [self.config.payload, answer.payload];
        let exchange = rtp_answer::exchange(sent, sizes, done);
        cx.emit(|| Event::App(self.config.flow, AppEvent::Exchange(exchange)));
    }
}

impl Node for RtpSource {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let here = port == NETWORK && packet.tuple == self.tuple.reversed();
        let sent = match packet.payload {
            Payload::Rtp(rtp) if here => self.unanswered.answered(rtp.seq),
            _ => None,
        };
        let Some(sent) = sent else { return cx.drop(packet, DropCause::Unexpected) };
        cx.consume(&packet);
        self.report(sent, Some(now), cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some(due) = self.due.filter(|due| *due <= now && !self.paused) {
            if self.sent == 0 {
                cx.emit(|| Event::App(self.config.flow, AppEvent::Started));
            }
            let mut packet = self.packet(now);
            cx.originate(&mut packet);
            cx.send(NETWORK, packet);
            if self.config.answer.is_some()
                && let Some(lost) = self.unanswered.sent(now, self.sent)
            {
                self.report(lost, None, cx);
            }
            self.sent += 1;
            self.begins = false;
            let next = self.next(due);
            self.due = self.allowed(next);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.due.filter(|_| !self.paused)
    }

    fn change(&mut self, now: Time, change: &Change, _: &mut Cx<'_>) -> Result<(), ChangeError> {
        let Change::Active(active) = *change else {
            return Err(ChangeError::new("is a source of RTP"));
        };
        if std::mem::replace(&mut self.paused, !active) && active {
            self.resume(now);
        }
        Ok(())
    }

    fn finish(&mut self, _now: Time, cx: &mut Cx<'_>) {
        let open: Vec<_> = self.unanswered.take().collect();
        open.into_iter().for_each(|sent| self.report(sent, None, cx));
    }
}

impl RtpSink {
    /// A receiver at `local` of what `remote` sends, counted for `flow`.
    pub fn new(flow: FlowId, local: Endpoint, remote: Endpoint) -> RtpSink {
        let tuple = Tuple { src: remote, dst: local, protocol: Protocol::UDP };
        RtpSink { flow, tuple, answer: None, thinking: VecDeque::new(), answers: 0 }
    }

    /// The receiver of what this source sends, which answers as its options say.
    pub fn of(source: &RtpConfig) -> RtpSink {
        let sink = RtpSink::new(source.flow, source.remote, source.local);
        RtpSink { answer: source.answer, ..sink }
    }

    /// Sends the answers whose time has come.
    fn send_answers(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(answer) = self.answer else { return };
        while let Some((_, to)) = self.thinking.pop_front_if(|(due, _)| *due <= now) {
            let tuple = self.tuple.reversed();
            let size = tuple.ip_header() + UDP_HEADER + answer.payload;
            let mut packet = Packet::new(self.flow, Leg::Feedback, size, tuple, now);
            (packet.number, packet.dscp) = (self.answers, answer.dscp);
            packet.payload = Payload::Rtp(rtp_answer::header(&to, answer.payload));
            self.answers += 1;
            cx.originate(&mut packet);
            cx.send(NETWORK, packet);
        }
    }
}

impl Node for RtpSink {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let here = port == NETWORK && packet.tuple == self.tuple;
        match packet.payload {
            Payload::Rtp(rtp) if here => {
                let bytes = u64::from(RtpRepr::HEADER + rtp.payload_len);
                cx.consume(&packet);
                cx.emit(|| Event::App(self.flow, AppEvent::Delivered { bytes }));
                if let Some(answer) = self.answer {
                    self.thinking.push_back((now.saturating_add(answer.delay), rtp));
                    self.send_answers(now, cx);
                }
            }
            _ => cx.drop(packet, DropCause::Unexpected),
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.send_answers(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        self.thinking.front().map(|(due, _)| *due)
    }
}

impl fmt::Display for RtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RtpError::Payload => "payloads must be 12 to 65487 bytes",
            RtpError::Interval => "the interval must be above zero",
            RtpError::Addresses => "both ends must have IPv4 or both IPv6 addresses",
        })
    }
}

impl std::error::Error for RtpError {}

#[cfg(test)]
#[path = "rtp_tests.rs"]
mod tests;
