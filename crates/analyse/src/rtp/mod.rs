//! RTP and RTCP over UDP, where they can be recognised (RFC 3550).
//!
//! No field of a packet identifies RTP. Four packets of one synchronisation source and payload type
//! with rising sequence numbers make a flow RTP, and so do two compound RTCP packets. The first
//! byte distinguishes other protocols on the same ports (RFC 7983; RFC 5761, 4).
//!
//! Left out: RTP within TURN channels; what is encrypted of RTCP (SRTCP).

mod clock;
mod frames;
mod rtcp;
mod sequence;
mod stream;

use airpath_base::Time;
use airpath_wire::{ParseError, RtpRepr};
use serde::Serialize;

use crate::causes::{Beside, Outcome};
use crate::datagram::Datagram;
use crate::over_time::{OverTime, RttWindow};
use crate::sketch::{Sketch, Spread};
use rtcp::{Block, Said, is_compound, is_rtcp};
use stream::Stream;

pub use clock::ClockSource;
pub use frames::Frames;
pub use rtcp::RtcpCounts;
pub use stream::{Reported, RtpStream};

/// Streams of a direction.
const MOST_STREAMS: usize = 8;
/// Sender reports of which the time is kept.
const MOST_REPORTS: usize = 8;
/// Compound packets that make a flow one of RTCP.
const CONFIRMED: u8 = 2;
/// Datagrams after which a flow that was not recognised is none of RTP.
const MOST_IN_VAIN: u8 = 32;

/// RTP and RTCP of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rtp {
    /// Its streams, at most 8, in the order in which they came.
    pub streams: Vec<RtpStream>,
    /// RTCP that the same end sent.
    pub rtcp: RtcpCounts,
    /// Packets of STUN (RFC 8489), as for setting up a path.
    pub stun_packets: u64,
    /// Packets of DTLS, by which keys are agreed on (RFC 5764).
    pub dtls_packets: u64,
    /// Packets of ZRTP (RFC 6189).
    pub zrtp_packets: u64,
    /// All others that are not RTP.
    pub other_packets: u64,
}

/// State of a flow that may be RTP, both directions.
#[derive(Debug, Default)]
pub(crate) struct Session {
    ends: [End; 2],
    compounds: u8,
    in_vain: u8,
    confirmed: bool,
}

#[derive(Debug, Default)]
struct End {
    streams: Vec<Stream>,
    rtcp: RtcpCounts,
    /// Middle bits of its sender reports' times, and when they passed.
    reports: Vec<(u32, Time)>,
    rtt: Sketch,
    over_time: Option<OverTime>,
    stun: u32,
    dtls: u32,
    zrtp: u32,
    others: u32,
    /// Bytes that other flows of the client's host have carried in the direction.
    beside: Beside,
}

/// Kind of a datagram, by its first bytes.
enum Kind {
    Stun,
    Zrtp,
    Dtls,
    Rtcp,
    Rtp(RtpRepr),
    Other,
}

/// True if a datagram may belong to a flow of RTP.
pub(crate) fn may_begin(datagram: &Datagram<'_>) -> bool {
    match kind(datagram) {
        Kind::Rtp(_) => true,
        Kind::Rtcp => is_compound(datagram.payload, datagram.len),
        _ => false,
    }
}

fn kind(datagram: &Datagram<'_>) -> Kind {
    const STUN_COOKIE: u32 = 0x2112_a442;
    const ZRTP_COOKIE: u32 = 0x5a52_5450;
    let Datagram { payload, len, .. } = *datagram;
    let cookie = rtcp::word(payload, 4);
    match payload.first() {
        Some(0..=3) if cookie == Some(STUN_COOKIE) => Kind::Stun,
        Some(16..=19) if cookie == Some(ZRTP_COOKIE) => Kind::Zrtp,
        Some(20..=63) if matches!(*payload, [_, 0xfe, ..]) => Kind::Dtls,
        Some(128..=191) if is_rtcp(payload) => Kind::Rtcp,
        Some(128..=191) => head(payload, len).map_or(Kind::Other, Kind::Rtp),
        _ => Kind::Other,
    }
}

/// The header; what is cut behind the fixed part counts as payload.
fn head(payload: &[u8], len: u32) -> Option<RtpRepr> {
    match RtpRepr::parse(payload, len) {
        Err(ParseError::Truncated) => {
            let mut fixed = *payload.first_chunk::<12>()?;
            fixed[0] = 0x80;
            RtpRepr::parse(&fixed, len).ok()
        }
        parsed => parsed.ok(),
    }
}

impl Session {
    /// A datagram; false if the flow is none of RTP.
    pub(crate) fn datagram(&mut self, datagram: &Datagram<'_>) -> bool {
        let Datagram { at, side, payload, len, .. } = *datagram;
        let end = &mut self.ends[side];
        match kind(datagram) {
            Kind::Stun => end.stun = end.stun.saturating_add(1),
            Kind::Zrtp => end.zrtp = end.zrtp.saturating_add(1),
            Kind::Dtls => end.dtls = end.dtls.saturating_add(1),
            Kind::Other => end.others = end.others.saturating_add(1),
            Kind::Rtp(head) => self.confirmed |= end.rtp(at, &head),
            Kind::Rtcp => {
                self.compounds = self.compounds.saturating_add(is_compound(payload, len).into());
                self.rtcp(side, at, payload);
            }
        }
        self.confirmed |= self.compounds >= CONFIRMED;
        self.in_vain = self.in_vain.saturating_add(1);
        self.confirmed || self.in_vain < MOST_IN_VAIN
    }

    fn rtcp(&mut self, side: usize, at: Time, payload: &[u8]) {
        let [a, b] = &mut self.ends;
        let (own, peer) = if side == 0 { (a, b) } else { (b, a) };
        let mut counts = own.rtcp;
        rtcp::read(payload, &mut counts, |said| match said {
            Said::Sender(report) => {
                if own.reports.len() == MOST_REPORTS {
                    own.reports.remove(0);
                }
                own.reports.push((report.middle, at));
                own.of(report.ssrc).into_iter().for_each(|stream| stream.sender_report(&report));
            }
            Said::Block(block) => {
                peer.answered(at, &block);
                peer.of(block.ssrc).into_iter().for_each(|stream| stream.receiver_report(&block));
            }
        });
        own.rtcp = counts;
    }

    /// True if the flow was recognised.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// RTTs of what `side` sends: from the capture point to the other end and back.
    pub(crate) fn spread(&self, side: usize) -> Option<Spread> {
        self.ends[side].rtt.spread()
    }

    /// RTTs of what `side` sends, over time; `flow` is the flow's beginning.
    pub(crate) fn over_time(&self, side: usize, flow: Time) -> Vec<RttWindow> {
        let told = self.ends[side].over_time.as_ref();
        told.map(|rtts| rtts.windows(flow)).unwrap_or_default()
    }

    /// Other flows of the client's host in the direction of `side`.
    pub(crate) fn beside(&mut self, side: usize, others: Beside) {
        self.ends[side].beside = others;
    }

    /// Causes of the quality of the largest stream that `side` sends.
    pub(crate) fn causes(&self, side: usize, start: Time) -> Option<Outcome> {
        self.ends[side].streams.iter().max_by_key(|stream| stream.bytes())?.causes(start)
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.ends.iter().map(End::heap).sum()
    }

    /// Record of a direction.
    pub(crate) fn report(&self, side: usize) -> Rtp {
        let end = &self.ends[side];
        let streams = end.streams.iter().filter(|stream| stream.is_confirmed());
        Rtp {
            streams: streams.map(Stream::report).collect(),
            rtcp: end.rtcp,
            stun_packets: end.stun.into(),
            dtls_packets: end.dtls.into(),
            zrtp_packets: end.zrtp.into(),
            other_packets: end.others.into(),
        }
    }
}

impl End {
    /// A packet of RTP; whether its stream is one for certain.
    fn rtp(&mut self, at: Time, head: &RtpRepr) -> bool {
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.ssrc == head.ssrc) {
            if !stream.packet(at, head, self.beside) {
                *stream = Stream::new(at, head);
            }
            return stream.is_confirmed();
        }
        if self.streams.len() == MOST_STREAMS {
            let doubtful = self.streams.iter().position(|stream| !stream.is_confirmed());
            let Some(doubtful) = doubtful else {
                self.others = self.others.saturating_add(1);
                return false;
            };
            self.streams.remove(doubtful);
        }
        // Most have one; a flood of what looks like RTP must not take memory for more.
        self.streams.reserve_exact(1);
        self.streams.push(Stream::new(at, head));
        false
    }

    /// A stream that is one for certain.
    fn of(&mut self, ssrc: u32) -> Option<&mut Stream> {
        let ours = |stream: &&mut Stream| stream.ssrc == ssrc && stream.is_confirmed();
        self.streams.iter_mut().find(ours)
    }

    /// The other end reports on what this one sent.
    fn answered(&mut self, at: Time, block: &Block) {
        let named = |(middle, _): &&(u32, Time)| *middle == block.last;
        let Some((_, sent)) = self.reports.iter().rev().find(named) else { return };
        // In units of 1/65536 s.
        let delay = (u64::from(block.delay) * 1_000_000_000) >> 16;
        if let Some(rtt) = at.as_nanos().checked_sub(sent.as_nanos().saturating_add(delay)) {
            self.rtt.add(rtt);
            self.over_time.get_or_insert_with(|| OverTime::new(*sent)).add(at, rtt);
        }
    }

    fn heap(&self) -> usize {
        let streams = self.streams.iter().map(|stream| size_of::<Stream>() + stream.heap());
        let reports = self.reports.capacity() * size_of::<(u32, Time)>();
        let rtts = self.rtt.heap() + self.over_time.as_ref().map_or(0, OverTime::heap);
        streams.sum::<usize>() + reports + rtts
    }
}

#[cfg(test)]
#[path = "rtp_tests.rs"]
mod tests;
