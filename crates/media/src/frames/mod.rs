//! Frames by a statistical model (TR 38.838, 5.1), without rate control: each becomes packets at once.
//!
//! Sizes are those of IP packets, headers included, as TR 38.838 has them at the cell. A frame's packets are one PDU set
//! (TS 23.501, 5.37.5). Draws belong to the number of a frame, so a pause changes no later frame. Streams
//! with the same draws have the same times. Port 0 is the network. [`MediaSink`](crate::MediaSink) takes the packets.

mod law;
mod part;
mod times;

use core::fmt;
use std::sync::Arc;

use airpath_base::random::Keyed;
use airpath_base::{Duration, FlowId, Port, Time};
use airpath_net::{
    AppEvent, Change, ChangeError, Cx, DropCause, Event, FrameMade, Leg, Node, Packet, Payload,
    PduSet,
};
use airpath_wire::{Endpoint, Protocol, RtpRepr, Tuple, UDP_HEADER};

pub use law::TruncatedNormal;
pub use part::Part;
pub use times::Arrivals;

use crate::timestamp;
use times::Times;

const NETWORK: Port = Port(0);

/// Options of a [`FrameSource`].
#[derive(Clone, Debug, PartialEq)]
pub struct FramesConfig {
    /// The flow for which packets are counted.
    pub flow: FlowId,
    /// The source.
    pub source: Endpoint,
    /// The sink.
    pub sink: Endpoint,
    /// Differentiated services code point (6 bits).
    pub dscp: u8,
    /// Synchronisation source.
    pub ssrc: u32,
    /// Start of the source.
    pub start: Time,
    /// From when on no frame is made; none for never.
    pub stop: Option<Time>,
    /// Times of frames.
    pub arrivals: Arrivals,
    /// Bytes of a whole picture, headers of IP, UDP and RTP included.
    pub size: TruncatedNormal,
    /// Part of each picture that this stream carries.
    pub part: Part,
    /// Most bytes of an IP packet.
    pub packet: u32,
    /// Importance of the frames' PDU sets, from 1 for the most important.
    pub importance: u8,
    /// Time from a frame's last packet to its picture.
    pub processing: Duration,
    /// Frames that take longer from source to picture are late.
    pub deadline: Duration,
}

/// Draws of a [`FrameSource`]: streams of one encoder share those of times.
#[derive(Clone, Copy, Debug)]
pub struct FrameDraws {
    /// Of times.
    pub times: Keyed,
    /// Of sizes.
    pub sizes: Keyed,
}

/// Reason for which a source of frames cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramesError {
    /// Packets have no room for their headers and a byte, or are larger than IP allows.
    Packet,
    /// One end has an IPv4 and the other an IPv6 address.
    Addresses,
    /// The jitter is larger than half of the time between frames.
    Jitter,
    /// The mean time between frames is zero.
    Period,
}

/// Makes frames and sends each at once.
#[derive(Debug)]
pub struct FrameSource {
    config: FramesConfig,
    tuple: Tuple,
    draws: FrameDraws,
    times: Times,
    frames: u64,
    sent: u64,
}

impl FrameSource {
    /// The source that `config` describes.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: FramesConfig, draws: FrameDraws) -> Result<FrameSource, FramesError> {
        let tuple = Tuple { src: config.source, dst: config.sink, protocol: Protocol::UDP };
        if config.source.addr.is_ipv4() != config.sink.addr.is_ipv4() {
            return Err(FramesError::Addresses);
        }
        if !(headers(&tuple) + 1..=65_535).contains(&config.packet) {
            return Err(FramesError::Packet);
        }
        let (mean, range) = match config.arrivals {
            Arrivals::Periodic { period, jitter_range, .. } => (period, jitter_range),
            Arrivals::Poisson { mean } => (mean, Duration::ZERO),
        };
        if mean.is_zero() {
            return Err(FramesError::Period);
        }
        if range * 2 > mean {
            return Err(FramesError::Jitter);
        }
        let times = Times::new(config.arrivals, (config.start, config.stop), draws.times);
        Ok(FrameSource { config, tuple, draws, times, frames: 0, sent: 0 })
    }

    /// Makes picture `number`, if the stream has a part of it.
    fn make(&mut self, now: Time, number: u64, cx: &mut Cx<'_>) {
        let Some(share) = self.config.part.share(number) else { return };
        if self.frames == 0 {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Started));
        }
        let bytes = share * self.config.size.draw(self.draws.sizes, number);
        let bytes = (bytes.round() as u32).max(headers(&self.tuple) + 1);
        let packets = bytes.div_ceil(self.config.packet);
        let made = FrameMade {
            timestamp: timestamp(now),
            bytes: bytes.saturating_sub(packets * headers(&self.tuple)),
            packets,
            key: self.config.part.is_key(),
            processing: self.config.processing,
            deadline: self.config.deadline,
        };
        cx.emit(|| Event::App(self.config.flow, AppEvent::Frame(made)));
        let set = Arc::new(PduSet {
            number: self.frames,
            first: self.sent,
            packets,
            bytes,
            importance: self.config.importance,
            ends_burst: self.config.part.ends_picture(),
            made: now,
            deadline: self.config.deadline,
        });
        (0..packets).for_each(|n| self.send(now, n, &set, cx));
        self.frames += 1;
    }

    /// Sends packet `n` of a frame, whose bytes are shared out evenly.
    fn send(&mut self, now: Time, n: u32, set: &Arc<PduSet>, cx: &mut Cx<'_>) {
        let size = set.bytes / set.packets + u32::from(n < set.bytes % set.packets);
        let mut packet = Packet::new(self.config.flow, Leg::Data, size, self.tuple, now);
        packet.number = self.sent;
        packet.dscp = self.config.dscp;
        packet.payload = Payload::Rtp(RtpRepr {
            payload_type: 96,
            marker: set.ends_with(self.sent),
            seq: self.sent as u16,
            timestamp: timestamp(now),
            ssrc: self.config.ssrc,
            payload_len: size.saturating_sub(headers(&self.tuple)),
        });
        packet.set = Some(Arc::clone(set));
        self.sent += 1;
        cx.originate(&mut packet);
        cx.send(NETWORK, packet);
    }
}

/// Bytes of the headers of IP, UDP and RTP.
fn headers(tuple: &Tuple) -> u32 {
    tuple.ip_header() + UDP_HEADER + RtpRepr::HEADER
}

impl Node for FrameSource {
    fn receive(&mut self, _: Time, _: Port, packet: Packet, cx: &mut Cx<'_>) {
        cx.drop(packet, DropCause::Unexpected);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((number, _)) = self.times.due().filter(|(_, due)| *due <= now) {
            self.make(now, number, cx);
            self.times.made();
        }
    }

    fn change(&mut self, now: Time, change: &Change, _: &mut Cx<'_>) -> Result<(), ChangeError> {
        let Change::Active(active) = *change else {
            return Err(ChangeError::new("is a source of frames"));
        };
        self.times.set_active(now, active);
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        self.times.due().map(|(_, due)| due)
    }
}

impl fmt::Display for FramesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FramesError::Packet => "packets must have room for their headers and a byte",
            FramesError::Addresses => "both ends must have IPv4 or both IPv6 addresses",
            FramesError::Jitter => "the jitter must be at most half of the time between frames",
            FramesError::Period => "the time between frames must be above zero",
        })
    }
}

impl std::error::Error for FramesError {}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
