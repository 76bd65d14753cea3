//! Notes on segments, as Wireshark's expert information names them (User's Guide 7.5), with the numbers of their packets.
//!
//! A note that is also a count follows the rules of the count. The others follow tshark 4.0.17. Without notes, plain
//! segments take the fast path.

use airpath_wire::{TcpFlags, TcpRepr};
use serde::Serialize;

use super::half_connection::{Counts, HalfConnection, mark};
use super::kinds::SPECIAL;
use crate::sequence::after;

/// Kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Retransmission by the timer, or by a sender whose duplicate ACKs were not seen.
    Retransmission,
    /// Retransmission after duplicate ACKs.
    FastRetransmission,
    /// Retransmission of data that had been acknowledged.
    SpuriousRetransmission,
    /// Segment that was overtaken.
    OutOfOrder,
    /// Sequence numbers before it have not passed.
    PreviousSegmentNotCaptured,
    /// ACK of data that have not passed.
    AckedUnseenSegment,
    /// ACK that repeats the one before.
    DuplicateAck,
    /// Closed receive window.
    ZeroWindow,
    /// Data that fill the receiver's window.
    WindowFull,
    /// ACK that changes the window only.
    WindowUpdate,
    /// Byte that asks for the window while it is closed.
    ZeroWindowProbe,
    /// Answer to that byte.
    ZeroWindowProbeAck,
    /// Segment that repeats the last byte, or none, to draw an ACK.
    KeepAlive,
    /// Answer to that segment.
    KeepAliveAck,
    /// Packet that had just passed.
    Copy,
}

/// Notes of one kind on a direction of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Kind.
    pub kind: NoteKind,
    /// Number of packets with it.
    pub count: u64,
    /// Numbers of the first of these, from 1 in the order of the captures.
    pub packets: Vec<u64>,
}

/// Notes of a direction, by kind, with at most so many packets of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes(Vec<Note>);

/// State before a segment, of which its notes need to know.
pub(crate) struct Premises {
    counts: [u32; COUNTED],
    kinds: [Option<NoteKind>; 5],
}

/// Number of kinds that are counts.
const COUNTED: usize = 8;

impl NoteKind {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            NoteKind::Retransmission => "retransmission",
            NoteKind::FastRetransmission => "fast_retransmission",
            NoteKind::SpuriousRetransmission => "spurious_retransmission",
            NoteKind::OutOfOrder => "out_of_order",
            NoteKind::PreviousSegmentNotCaptured => "previous_segment_not_captured",
            NoteKind::AckedUnseenSegment => "acked_unseen_segment",
            NoteKind::DuplicateAck => "duplicate_ack",
            NoteKind::ZeroWindow => "zero_window",
            NoteKind::WindowFull => "window_full",
            NoteKind::WindowUpdate => "window_update",
            NoteKind::ZeroWindowProbe => "zero_window_probe",
            NoteKind::ZeroWindowProbeAck => "zero_window_probe_ack",
            NoteKind::KeepAlive => "keep_alive",
            NoteKind::KeepAliveAck => "keep_alive_ack",
            NoteKind::Copy => "copy",
        }
    }
}

impl Notes {
    fn add(&mut self, kind: NoteKind, packet: u32, most: usize) {
        let index = self.0.partition_point(|note| note.kind < kind);
        if self.0.get(index).is_none_or(|note| note.kind != kind) {
            self.0.insert(index, Note { kind, count: 0, packets: Vec::new() });
        }
        let note = &mut self.0[index];
        note.count += 1;
        if note.packets.len() < most {
            note.packets.push(packet.into());
        }
    }

    /// In the order of their kinds.
    pub(crate) fn list(&self) -> Vec<Note> {
        self.0.clone()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let numbers: usize = self.0.iter().map(|note| note.packets.capacity() * 8).sum();
        self.0.capacity() * size_of::<Note>() + numbers
    }
}

impl Premises {
    /// Before a segment from `fwd`'s host to `rev`'s.
    pub(crate) fn of(fwd: &HalfConnection, rev: &HalfConnection, seg: &TcpRepr) -> Premises {
        use NoteKind::{
            AckedUnseenSegment, KeepAliveAck, PreviousSegmentNotCaptured, WindowUpdate,
            ZeroWindowProbeAck,
        };
        let plain = seg.flags.0 & SPECIAL == 0;
        let known = fwd.has(mark::NEXT);
        let acks = seg.flags.contains(TcpFlags::ACK);
        let repeats = plain
            && seg.payload_len == 0
            && fwd.has(mark::NEXT | mark::ACK)
            && seg.seq.0 == fwd.next
            && seg.ack.0 == fwd.last_ack;
        let same = seg.window == fwd.raw_window;
        let reset = seg.flags.contains(TcpFlags::RST);
        let kinds = [
            (!reset && known && after(seg.seq.0, fwd.next), PreviousSegmentNotCaptured),
            (
                acks && !reset && rev.has(mark::NEXT) && after(seg.ack.0, rev.next),
                AckedUnseenSegment,
            ),
            (repeats && !same && seg.window != 0, WindowUpdate),
            (repeats && same && seg.window == 0 && rev.has(mark::PROBE), ZeroWindowProbeAck),
            (repeats && same && seg.window != 0 && rev.has(mark::KEEP_ALIVE), KeepAliveAck),
        ];
        Premises { counts: counted(fwd), kinds: kinds.map(|(holds, kind)| holds.then_some(kind)) }
    }

    /// Notes the segment of this number behind it; `most` numbers of each kind are kept.
    pub(crate) fn note(&self, fwd: &mut HalfConnection, packet: u32, most: usize) {
        use NoteKind::{
            Copy, DuplicateAck, FastRetransmission, KeepAlive, OutOfOrder, Retransmission,
            SpuriousRetransmission, WindowFull, ZeroWindow, ZeroWindowProbe,
        };
        const KINDS: [NoteKind; COUNTED] = [
            FastRetransmission,
            Retransmission,
            SpuriousRetransmission,
            OutOfOrder,
            DuplicateAck,
            ZeroWindow,
            WindowFull,
            Copy,
        ];
        let behind = counted(fwd);
        let grown = |n: usize| behind[n] > self.counts[n];
        let counts = KINDS.into_iter().enumerate().filter(|(n, _)| grown(*n)).map(|(_, kind)| kind);
        let copied = grown(COUNTED - 1);
        let marks = [(mark::PROBE, ZeroWindowProbe), (mark::KEEP_ALIVE, KeepAlive)]
            .into_iter()
            .filter(|(mark, _)| !copied && fwd.has(*mark))
            .map(|(_, kind)| kind);
        let premises = self.kinds.into_iter().flatten().filter(|_| !copied);
        let kinds: Vec<NoteKind> = counts.chain(marks).chain(premises).collect();
        if kinds.is_empty() {
            return;
        }
        let notes = fwd.tally().notes.get_or_insert_default();
        kinds.into_iter().for_each(|kind| notes.add(kind, packet, most));
    }
}

fn counted(half: &HalfConnection) -> [u32; COUNTED] {
    let Some(counts) = &half.counts else { return [0; COUNTED] };
    let Counts { fast, timeout, spurious, out_of_order, duplicate_acks, zero_windows, .. } =
        **counts;
    [
        fast,
        timeout,
        spurious,
        out_of_order,
        duplicate_acks,
        zero_windows,
        counts.window_full,
        counts.twice(),
    ]
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
