//! One synchronisation source.

use airpath_base::Time;
use airpath_wire::RtpRepr;
use serde::Serialize;

use super::clock::{Clock, ClockSource};
use super::frames::{Counted, Frames, Packet};
use super::rtcp::{Block, SenderReport};
use super::sequence::{Place, Sequence};
use crate::causes::{Beside, MediaPacket, MediaWatch, Outcome};

/// Packets in order that make a stream.
const CONFIRMED: u8 = 4;
/// The next packet of what is not confirmed is at most so far ahead.
const NEAR: u16 = 16;

/// RTP stream at the capture point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RtpStream {
    /// Its synchronisation source.
    pub ssrc: u32,
    /// The payload type of its first packet.
    pub payload_type: u8,
    /// Packets, those included that came twice.
    pub packets: u64,
    /// Bytes of payload of those that came once.
    pub payload_bytes: u64,
    /// Packets that the sequence numbers tell of (RFC 3550, A.3).
    pub expected: u64,
    /// Those that did not pass.
    pub lost: u64,
    /// Packets that came again.
    pub duplicates: u64,
    /// Packets that came after one with a greater number.
    pub late: u64,
    /// Number of jumps of the sequence numbers.
    pub restarts: u64,
    /// Rate of the timestamps' clock (Hz).
    pub clock_hz: Option<u32>,
    /// Source of the clock rate.
    pub clock_source: Option<ClockSource>,
    /// Interarrival jitter (RFC 3550, A.8), its mean over all packets.
    pub jitter_mean_ms: Option<f64>,
    /// Its greatest.
    pub jitter_max_ms: Option<f64>,
    /// Its frames.
    pub frames: Option<Frames>,
    /// Reports of the receiver.
    pub reported: Option<Reported>,
}

/// Reports of a receiver on a stream (RFC 3550, 6.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reported {
    /// Reports.
    pub reports: u64,
    /// Packets lost since its beginning, by the last report; duplicates count against it.
    pub lost: i64,
    /// The greatest share of packets lost between two reports.
    pub lost_share_max: f64,
    /// Jitter by the last report, if the clock's rate is known.
    pub jitter_ms: Option<f64>,
    /// The greatest of all reports.
    pub jitter_max_ms: Option<f64>,
}

/// A stream, or what may become one.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) ssrc: u32,
    payload_type: u8,
    /// Packets in order so far, until it is confirmed.
    in_order: u8,
    packets: u64,
    bytes: u64,
    sequence: Sequence,
    clock: Clock,
    frames: Counted,
    reported: Option<Told>,
    watch: Option<Box<MediaWatch>>,
}

/// Reports in the units that they have.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    reports: u64,
    lost: i32,
    most_lost: u8,
    jitter: u32,
    most_jitter: u32,
}

impl Stream {
    pub(super) fn new(at: Time, head: &RtpRepr) -> Stream {
        let sequence = Sequence::new(head.seq);
        let mut stream = Stream {
            ssrc: head.ssrc,
            payload_type: head.payload_type,
            in_order: 1,
            packets: 1,
            bytes: head.payload_len.into(),
            clock: Clock::new(head.payload_type, at, head.timestamp),
            frames: Counted::default(),
            reported: None,
            watch: None,
            sequence,
        };
        stream.frame(at, head, stream.sequence.first());
        stream
    }

    /// True if enough packets came in order.
    pub(super) fn is_confirmed(&self) -> bool {
        self.in_order >= CONFIRMED
    }

    /// The next packet; false if it does not go with those before, which are no stream then.
    /// `others` are the other flows of the client's host.
    pub(super) fn packet(&mut self, at: Time, head: &RtpRepr, others: Beside) -> bool {
        if !self.is_confirmed() {
            let ahead = head.seq.wrapping_sub(self.sequence.last());
            // Packets that were captured twice do not count, but speak against nothing.
            if ahead > NEAR || head.payload_type != self.payload_type {
                return false;
            }
            self.in_order += u8::from(ahead > 0);
        }
        self.packets += 1;
        let restarts = self.sequence.restarts;
        let Place::New(number) = self.sequence.packet(head.seq) else { return true };
        self.bytes += u64::from(head.payload_len);
        if self.is_confirmed() {
            self.watch(at, head, others);
        }
        match self.sequence.restarts > restarts {
            true => self.clock.restart(at, head.timestamp),
            false => self.clock.packet(at, head.timestamp),
        }
        self.frame(at, head, number);
        true
    }

    fn watch(&mut self, at: Time, head: &RtpRepr, others: Beside) {
        let RtpRepr { seq: sequence, timestamp, payload_len: bytes, .. } = *head;
        let packet = MediaPacket { at, sequence, timestamp, bytes, others };
        match &mut self.watch {
            Some(watch) => watch.packet(packet),
            None => self.watch = Some(Box::new(MediaWatch::new(packet))),
        }
    }

    /// Bytes of payload.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Causes of its quality, with times since `start`.
    pub(super) fn causes(&self, start: Time) -> Option<Outcome> {
        self.watch.as_ref()?.causes(start)
    }

    fn frame(&mut self, at: Time, head: &RtpRepr, number: u64) {
        let RtpRepr { timestamp, marker, payload_len: bytes, .. } = *head;
        self.frames.packet(&Packet { at, number, timestamp, marker, bytes });
    }

    /// Its sender tells the time.
    pub(super) fn sender_report(&mut self, report: &SenderReport) {
        self.clock.reported(report.seconds, report.timestamp);
    }

    /// Its receiver reports.
    pub(super) fn receiver_report(&mut self, block: &Block) {
        let told = self.reported.get_or_insert_default();
        told.reports += 1;
        (told.lost, told.jitter) = (block.lost, block.jitter);
        told.most_lost = told.most_lost.max(block.fraction);
        told.most_jitter = told.most_jitter.max(block.jitter);
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        let watch = self.watch.as_ref().map_or(0, |_| size_of::<MediaWatch>());
        self.clock.heap() + self.frames.heap() + watch
    }

    /// Record of the stream.
    pub(super) fn report(&self) -> RtpStream {
        let clock = self.clock.rate();
        let jitter = self.clock.jitter_ms();
        let ms = |ticks: u32| clock.map(|(hz, _)| 1e3 * f64::from(ticks) / f64::from(hz));
        let reported = self.reported.map(|told| Reported {
            reports: told.reports,
            lost: told.lost.into(),
            lost_share_max: f64::from(told.most_lost) / 256.0,
            jitter_ms: ms(told.jitter),
            jitter_max_ms: ms(told.most_jitter),
        });
        RtpStream {
            ssrc: self.ssrc,
            payload_type: self.payload_type,
            packets: self.packets,
            payload_bytes: self.bytes,
            expected: self.sequence.expected(),
            lost: self.sequence.lost(),
            duplicates: self.sequence.duplicates,
            late: self.sequence.late,
            restarts: self.sequence.restarts,
            clock_hz: clock.map(|(hz, _)| hz),
            clock_source: clock.map(|(_, source)| source),
            jitter_mean_ms: jitter.map(|[mean, _]| mean),
            jitter_max_ms: jitter.map(|[_, most]| most),
            frames: self.frames.report(),
            reported,
        }
    }
}
