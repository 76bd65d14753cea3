//! The fast path for nearly all segments: data that follows the last segment, and plain
//! acknowledgements that move on, between ends without an open question.
//!
//! For these, [`step`](super::step) comes to the same in the end, by way of all rules that do
//! not apply. What is not for certain one of these is left to it.

use airpath_base::Time;
use airpath_wire::{SackBlocks, TcpFlags, Timestamps};

use super::half_connection::{HalfConnection, Signals, UNKNOWN_SCALE, mark};
use super::kinds::SPECIAL;
use super::queue::Passes;
use super::watched::{hear, number};
use super::{Ack, advanced, announced, in_flight};
use crate::causes::{self, Event};
use crate::plain::Segment;
use crate::sequence::after;

/// Takes a segment from its sender's host to `rev`'s. Returns false, and does nothing, if the
/// segment is none of these. `len` is the length of its frame in bytes, and `detailed` is true if
/// there is memory for more than counts. `tos` is its octet of DSCP and ECN, and `print` its
/// fingerprint; `ident` is its identification. `beyond` returns the round trip between the capture point and the other end, in
/// nanoseconds.
#[inline(always)]
pub(crate) fn fast_path(
    fwd: &mut HalfConnection,
    rev: &mut HalfConnection,
    (at, len, detailed, tos): (Time, u32, bool, u8),
    seg: &Segment,
    (print, ident): (impl Fn() -> u32, u16),
    beyond: impl Fn() -> u64,
) -> bool {
    let Some(acks) = acknowledges(fwd, rev, seg, detailed) else { return false };
    fwd.count(len, seg.len, Signals::new(tos, seg.flags));
    fwd.report(seg.flags, seg.ack, seg.len, &[]);
    fwd.duplicates = 0;
    fwd.identified(rev, ident, seg.len, seg.stamped);
    let (value, echo) = (seg.value, seg.echo);
    let timestamps = seg.stamped.then_some(Timestamps { value, echo });
    if let Some(estimators) = &mut fwd.estimators
        && seg.stamped
    {
        estimators.clock.add(at, value);
    }
    let print = print();
    fwd.ack_print = print as u16;
    if seg.len > 0 {
        data(fwd, rev, at, seg, (print, ident));
    }
    if fwd.has(mark::SACKED)
        && let (Some(_), Some(estimators)) = (&rev.sent, &mut rev.estimators)
    {
        estimators.sacked = SackBlocks::default();
        fwd.mark(mark::SACKED, false);
    }
    if acks {
        advanced(rev, &Ack { at, ack: seg.ack, timestamps, beyond: beyond() });
    }
    let window = fwd.window();
    (fwd.last_ack, fwd.ack_at) = (seg.ack, at);
    (fwd.raw_window, fwd.shift) = (seg.window, fwd.shift(rev));
    let news = fwd.window() != window;
    if seg.len > 0 {
        in_flight(fwd);
    }
    hear(rev, fwd, at, seg.stamped.then_some((value, echo)), (false, false, seg.len > 0));
    if news {
        announced(rev, fwd);
    }
    true
}

/// None if the segment is not one of these; else whether it acknowledges something anew.
#[inline]
fn acknowledges(
    fwd: &HalfConnection,
    rev: &HalfConnection,
    seg: &Segment,
    detailed: bool,
) -> Option<bool> {
    const FLAGS: u16 = SPECIAL | TcpFlags::ACK.0;
    const MARKS: u8 = mark::NEXT | mark::ACK;
    let known = fwd.marks & (MARKS | mark::KEEP_ALIVE | mark::PROBE) == MARKS;
    let usual = seg.flags & FLAGS == TcpFlags::ACK.0 && seg.window > 0 && seg.len != 1;
    let next = seg.seq == fwd.next && known && usual;
    if !next || fwd.estimators.is_none() && fwd.is_nearly_large() {
        return None;
    }
    // The number acknowledged last is not beyond the acknowledged ones.
    let news = seg.ack != fwd.last_ack;
    let sent = rev.sent.as_deref().filter(|_| news);
    let acks = sent.is_some_and(|sent| after(seg.ack, sent.una));
    if seg.len == 0 {
        return acks.then_some(true);
    }
    let known_window = rev.scale != UNKNOWN_SCALE && rev.has(mark::ACK);
    let end = seg.seq.wrapping_add(seg.len);
    let full = known_window && end == rev.last_ack.wrapping_add(rev.window());
    let sent = fwd.sent.as_ref().is_some_and(|sent| match detailed {
        true => sent.watch.is_some(),
        false => sent.queue.is_kept(),
    });
    (sent && !full).then_some(acks)
}

/// The next data.
#[inline]
fn data(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &Segment,
    (print, ident): (u32, u16),
) {
    let mss = fwd.segment_size(rev, seg.stamped);
    let end = seg.seq.wrapping_add(seg.len);
    if let Some(sent) = &mut fwd.sent {
        sent.queue.push(end, Passes { at, timestamp: seg.value, print, ident });
        let (len, stamps) = (seg.len, seg.stamped.then_some((seg.value, seg.echo)));
        let recovering = sent.recovery.is_some();
        if let Some(watch) = &mut sent.watch {
            let number = number(fwd.packets, rev.packets);
            let skips = fwd.idents.skips();
            let segment = causes::Segment { at, end, len, mss, stamps, recovering, skips, number };
            watch.take(&Event::Sent(segment));
        }
    }
    if let Some(estimators) = &mut fwd.estimators {
        estimators.slow.data(at, seg.seq, seg.len, false);
    }
    (fwd.next, fwd.next_at, fwd.next_print) = (end, at, print);
}

#[cfg(test)]
#[path = "fast_path_tests.rs"]
mod tests;
