//! Video over RTP: an encoder, packets, and, if wanted, congestion control.
//!
//! Each frame is cut into packets, which share its timestamp; the last one has the marker (RFC
//! 3551, 5). With congestion control the packets wait in its RTP queue, which their stage `sender` shows,
//! and the encoder follows its target. Without it the packets leave at once at the encoder's
//! largest bitrate. A packet counts as born with its frame. Port 0 is the network. A source can be
//! paused. It then makes no frames, and waiting packets are still sent. The source goes on at the
//! instants at which it would have, without the frames between.
//!
//! The packets of a frame are a PDU set (TS 23.501, 5.37.5), of importance 1 for key frames and 2 for others.

use core::fmt;
use std::sync::Arc;

use airpath_base::random::Stream;
use airpath_base::{Duration, FlowId, Port, Time};
use airpath_net::{
    AppEvent, Change, ChangeError, Cx, DropCause, Event, ExposedRate, FrameMade, Leg, Node, Packet,
    Payload, PduSet, Stage,
};
use airpath_wire::{Ecn, Endpoint, Protocol, RtcpRepr, RtpRepr, Tuple, UDP_HEADER};

use crate::control::{Control, ControlError, Sender};
use crate::give_up::{GiveUp, Patience};
use crate::queue::MediaPacket;
use crate::receiver::Receiver;
use crate::scream::Poll;
use crate::timetable::Timetable;
use crate::video::{Encoder, Frame, VideoConfig, VideoError};

const NETWORK: Port = Port(0);
/// Ticks of the RTP clock of video in a second (RFC 3551, 5).
const CLOCK: u128 = 90_000;
/// Payload type of video: the first dynamic one (RFC 3551, 6).
const PAYLOAD_TYPE: u8 = 96;

/// Options of a [`MediaSource`] and its [`MediaSink`].
#[derive(Clone, Debug, PartialEq)]
pub struct MediaConfig {
    /// The flow for which packets are counted.
    pub flow: FlowId,
    /// The source.
    pub source: Endpoint,
    /// The sink.
    pub sink: Endpoint,
    /// Differentiated services code points (6 bits) of media and of feedback. Default: 0.
    pub dscp: (u8, u8),
    /// ECN field of the media. Default: not ECN-capable.
    pub ecn: Ecn,
    /// Synchronisation source. Default: 0.
    pub ssrc: u32,
    /// Most bytes of media in a packet. Default: 1200.
    pub payload: u32,
    /// Start of the source. Default: time zero.
    pub start: Time,
    /// Position in the source's cycle at its start. The source goes on as one that had begun so
    /// much earlier, so its first frame is the next frame of that one. Default: the cycle's
    /// beginning, with a frame at once.
    pub phase: Duration,
    /// From when on no frame is made. Default: never.
    pub stop: Option<Time>,
    /// Rule that ends the session for a poor rate; it needs a controller. Default: none.
    pub give_up: Option<GiveUp>,
    /// The encoder.
    pub video: VideoConfig,
    /// Congestion control. Default: none.
    pub control: Option<Control>,
    /// Rate that the network exposes, above which the encoder does not go. Default: none.
    pub exposed: Option<ExposedRate>,
    /// Time from a frame's last packet to its picture. Default: none.
    pub processing: Duration,
    /// Frames that take longer from encoder to picture are late. Default: 100 ms.
    pub deadline: Duration,
}

/// Reason for which a source cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaError {
    /// The payload is zero or does not fit a packet.
    Payload,
    /// One end has an IPv4 and the other an IPv6 address.
    Addresses,
    /// The encoder.
    Video(VideoError),
    /// The congestion control.
    Control(ControlError),
}

/// Makes video and sends it.
#[derive(Debug)]
pub struct MediaSource {
    config: MediaConfig,
    tuple: Tuple,
    encoder: Encoder,
    control: Option<Sender>,
    patience: Option<Patience>,
    /// The session has ended: nothing is sent any more.
    over: bool,
    seq: u16,
    sent: u64,
    times: Timetable,
    send_due: Option<Time>,
    /// Frames whose packets may still wait, and the number of the first.
    made: std::collections::VecDeque<Made>,
    first_made: u64,
}

/// A frame whose packets may still wait.
#[derive(Debug)]
struct Made {
    set: PduSet,
    /// The set with the number of its first packet, once that has been sent.
    shared: Option<Arc<PduSet>>,
}

/// Takes video, and reports on it.
#[derive(Debug)]
pub struct MediaSink {
    config: MediaConfig,
    tuple: Tuple,
    receiver: Option<Receiver>,
    /// Receiver of padding, once any has come.
    of_padding: Option<Receiver>,
    reports: u64,
}

impl MediaConfig {
    /// A source with the defaults.
    pub fn new(flow: FlowId, source: Endpoint, sink: Endpoint) -> MediaConfig {
        MediaConfig {
            flow,
            source,
            sink,
            dscp: (0, 0),
            ecn: Ecn::NotEct,
            ssrc: 0,
            payload: 1200,
            start: Time::ZERO,
            phase: Duration::ZERO,
            stop: None,
            give_up: None,
            video: VideoConfig::new(),
            control: None,
            exposed: None,
            processing: Duration::ZERO,
            deadline: Duration::from_millis(100),
        }
    }

    fn tuple(&self) -> Tuple {
        Tuple { src: self.source, dst: self.sink, protocol: Protocol::UDP }
    }
}

impl MediaSource {
    /// The source that `config` describes; what is random comes from `draws`.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: MediaConfig, draws: Stream) -> Result<MediaSource, MediaError> {
        const LARGEST: u32 = 65_535 - 40 - UDP_HEADER - RtpRepr::HEADER; // beside either IP header
        if !(1..=LARGEST).contains(&config.payload) {
            return Err(MediaError::Payload);
        }
        if config.source.addr.is_ipv4() != config.sink.addr.is_ipv4() {
            return Err(MediaError::Addresses);
        }
        let mut encoder = Encoder::new(config.video.clone(), draws).map_err(MediaError::Video)?;
        let spans = (encoder.period(), config.phase);
        let (times, passed) = Timetable::new(config.start, spans, config.stop);
        encoder.pass(passed);
        let patience = config.give_up.filter(|_| config.control.is_some());
        let patience = patience.map(|give_up| Patience::new(give_up, encoder.period()));
        let control = config.control.map(|control| Sender::new(config.ssrc, control));
        let control = control.transpose().map_err(MediaError::Control)?;
        Ok(MediaSource {
            tuple: config.tuple(),
            config,
            encoder,
            control,
            patience,
            over: false,
            seq: 0,
            sent: 0,
            times,
            send_due: None,
            made: std::collections::VecDeque::new(),
            first_made: 0,
        })
    }

    /// Ends the session if its rate has been poor for too long; says whether it did.
    fn gives_up(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.patience.as_mut().is_some_and(Patience::is_over) {
            (self.over, self.send_due) = (true, None);
            self.times.end();
            cx.emit(|| Event::App(self.config.flow, AppEvent::GaveUp));
        }
        self.over
    }

    fn make_frame(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.gives_up(cx) {
            return;
        }
        if self.times.frames() == 0 {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Started));
        }
        let target = match &mut self.control {
            Some(control) => {
                if control.take_key_frame_request() {
                    self.encoder.request_key_frame();
                }
                control.encoder_target(now)
            }
            None => self.config.video.bitrate.1,
        };
        let exposed = self.config.exposed.as_ref().and_then(|exposed| exposed.of_source(now));
        let frame = self.encoder.encode(now, exposed.map_or(target, |most| target.min(most)));
        let packets = self.cut(now, frame);
        let made = FrameMade {
            timestamp: timestamp(now),
            bytes: frame.bytes,
            packets: packets.len() as u32,
            key: frame.key,
            processing: self.config.processing,
            deadline: self.config.deadline,
        };
        cx.emit(|| Event::App(self.config.flow, AppEvent::Frame(made)));
        let set = self.set_of(now, &frame, made.packets);
        self.made.push_back(Made { set, shared: None });
        match &mut self.control {
            Some(control) => control.on_frame(now, packets),
            None => packets.into_iter().for_each(|packet| self.send(now, packet, cx)),
        }
        self.times.made();
    }

    /// PDU set of a frame, before its first packet has a number.
    fn set_of(&self, made: Time, frame: &Frame, packets: u32) -> PduSet {
        let headers = self.tuple.ip_header() + UDP_HEADER + RtpRepr::HEADER;
        PduSet {
            number: frame.number,
            first: 0,
            packets,
            bytes: frame.bytes.saturating_add(packets.saturating_mul(headers)),
            importance: if frame.key { 1 } else { 2 },
            ends_burst: true,
            made,
            deadline: self.config.deadline,
        }
    }

    /// Cuts a frame into packets.
    fn cut(&mut self, now: Time, frame: Frame) -> Vec<MediaPacket> {
        let count = frame.bytes.div_ceil(self.config.payload).max(1);
        let packets = (0..count).map(|n| {
            let media = (frame.bytes - n * self.config.payload).min(self.config.payload);
            let seq = self.seq;
            self.seq = self.seq.wrapping_add(1);
            let size = RtpRepr::HEADER + media;
            let (timestamp, marker) = (timestamp(now), n + 1 == count);
            let (frame, padding) = (frame.number, false);
            MediaPacket { size, seq, timestamp, marker, frame, padding }
        });
        packets.collect()
    }

    /// Sends what the control lets go.
    fn pump(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.send_due = None;
        while !self.over {
            let Some(control) = &mut self.control else { return };
            match control.poll(now) {
                Poll::Send(packet) => self.send(now, packet, cx),
                Poll::Wait(due) => {
                    self.send_due = due;
                    return;
                }
            }
        }
    }

    fn send(&mut self, now: Time, media: MediaPacket, cx: &mut Cx<'_>) {
        let size = self.tuple.ip_header() + UDP_HEADER + media.size;
        let set = if media.padding { None } else { self.share_set(media.frame) };
        let born = set.as_ref().map_or(now, |set| set.made);
        let (payload_type, stream) = match media.padding {
            true => (RtpRepr::PADDING, padding_of(self.config.ssrc)),
            false => (PAYLOAD_TYPE, self.config.ssrc),
        };
        let mut packet = Packet::new(self.config.flow, Leg::Data, size, self.tuple, born);
        packet.number = self.sent;
        packet.set = set;
        packet.dscp = self.config.dscp.0;
        packet.ecn = self.config.ecn;
        packet.payload = Payload::Rtp(RtpRepr {
            payload_type,
            marker: media.marker,
            seq: media.seq,
            timestamp: media.timestamp,
            ssrc: stream,
            payload_len: media.size - RtpRepr::HEADER,
        });
        self.sent += 1;
        let bytes = if media.padding { 0 } else { media.size - RtpRepr::HEADER };
        self.patience.iter_mut().for_each(|patience| patience.sent(bytes));
        packet.charge(Stage::Sender, now);
        cx.originate(&mut packet);
        cx.send(NETWORK, packet);
    }

    /// PDU set of a frame for its next packet. Packets leave in order, so earlier frames are forgotten.
    fn share_set(&mut self, frame: u64) -> Option<Arc<PduSet>> {
        while self.first_made < frame && self.made.pop_front().is_some() {
            self.first_made += 1;
        }
        let (Made { set, shared }, first) = (self.made.front_mut()?, self.sent);
        let shared = shared.get_or_insert_with(|| Arc::new(PduSet { first, ..set.clone() }));
        Some(Arc::clone(shared))
    }
}

impl Node for MediaSource {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let here = port == NETWORK && packet.tuple == self.tuple.reversed();
        let (Payload::Rtcp(report), Some(control)) = (&packet.payload, &mut self.control) else {
            return cx.drop(packet, DropCause::Unexpected);
        };
        if !here {
            return cx.drop(packet, DropCause::Unexpected);
        }
        control.on_feedback(now, report);
        let state = control.state();
        cx.consume(&packet);
        cx.emit(|| Event::App(self.config.flow, AppEvent::Media(state)));
        self.pump(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while self.times.due().is_some_and(|due| due <= now) {
            self.make_frame(now, cx);
        }
        self.pump(now, cx);
    }

    fn change(&mut self, now: Time, change: &Change, _: &mut Cx<'_>) -> Result<(), ChangeError> {
        let Change::Active(active) = *change else {
            return Err(ChangeError::new("is a source of video"));
        };
        self.times.set_active(now, active);
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        [self.times.due(), self.send_due].into_iter().flatten().min()
    }
}

impl MediaSink {
    /// The sink of the source that `config` describes.
    pub fn new(config: MediaConfig) -> MediaSink {
        let ssrc = config.ssrc.wrapping_add(1);
        let reports = config.control.as_ref().map(Control::reports);
        let receiver = reports.map(|rule| Receiver::new(ssrc, config.ssrc, rule));
        MediaSink { tuple: config.tuple(), config, receiver, of_padding: None, reports: 0 }
    }

    fn report(&mut self, now: Time, cx: &mut Cx<'_>) {
        let receivers = self.receiver.iter_mut().chain(&mut self.of_padding);
        let due: Vec<RtcpRepr> = receivers.filter_map(|receiver| receiver.poll(now)).collect();
        due.into_iter().for_each(|report| self.send(now, report, cx));
    }

    /// Takes padding, which is no media.
    fn take_padding(&mut self, now: Time, rtp: &RtpRepr, ecn: Ecn) {
        let Some(control) = &self.config.control else { return };
        let (own, source) = (self.config.ssrc.wrapping_add(1), padding_of(self.config.ssrc));
        let receiver = || Receiver::new(own, source, control.reports());
        self.of_padding.get_or_insert_with(receiver).on_packet(now, rtp, ecn);
    }

    fn send(&mut self, now: Time, report: RtcpRepr, cx: &mut Cx<'_>) {
        let tuple = self.tuple.reversed();
        let size = tuple.ip_header() + UDP_HEADER + report.len();
        let mut packet = Packet::new(self.config.flow, Leg::Feedback, size, tuple, now);
        packet.number = self.reports;
        packet.dscp = self.config.dscp.1;
        packet.payload = Payload::Rtcp(Box::new(report));
        self.reports += 1;
        cx.originate(&mut packet);
        cx.send(NETWORK, packet);
    }
}

impl Node for MediaSink {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let here = port == NETWORK && packet.tuple == self.tuple;
        let Payload::Rtp(rtp) = packet.payload else {
            return cx.drop(packet, DropCause::Unexpected);
        };
        if !here {
            return cx.drop(packet, DropCause::Unexpected);
        }
        let bytes = u64::from(rtp.payload_len);
        cx.consume(&packet);
        if rtp.payload_type == RtpRepr::PADDING {
            self.take_padding(now, &rtp, packet.ecn);
            return self.report(now, cx);
        }
        cx.emit(|| Event::App(self.config.flow, AppEvent::Delivered { bytes }));
        if let Some(receiver) = &mut self.receiver {
            receiver.on_packet(now, &rtp, packet.ecn);
        }
        self.report(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.report(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        let receivers = self.receiver.iter().chain(&self.of_padding);
        receivers.filter_map(Receiver::next_report).min()
    }
}

/// Synchronisation source of the padding of a stream.
pub(crate) fn padding_of(ssrc: u32) -> u32 {
    ssrc ^ 0x8000_0000
}

/// RTP timestamp of a frame of video that is made now, at 90 kHz (RFC 3551, 5).
pub fn timestamp(now: Time) -> u32 {
    (u128::from(now.as_nanos()) * CLOCK / 1_000_000_000) as u32
}

impl fmt::Display for MediaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MediaError::Payload => f.write_str("the payload must be 1 to 65475 bytes"),
            MediaError::Addresses => f.write_str("both ends must have IPv4 or both IPv6 addresses"),
            MediaError::Video(error) => error.fmt(f),
            MediaError::Control(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MediaError {}

#[cfg(test)]
#[path = "session_tests.rs"]
mod session_tests;
#[cfg(test)]
#[path = "rtp_media_tests.rs"]
mod tests;
