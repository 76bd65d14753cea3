//! Decisions on what passes again: which packets were sent again, and which of them came twice.

use airpath_base::Time;
use airpath_wire::TcpRepr;

use super::half_connection::HalfConnection;
use super::holes::Fate;
use super::queue::Passes;
use super::{ASKED, FEW_DUPLICATES, OVERTAKEN};
use crate::sequence::after;

/// Fate of [seq, end), which passes behind later segments.
pub(super) fn fate(
    fwd: &HalfConnection,
    rev: &HalfConnection,
    passes: &Passes,
    (seq, end): (u32, u32),
    rtt: Option<u64>,
) -> Fate {
    let before = after(fwd.base, seq);
    let by_marks = match &fwd.sent {
        Some(sent) if !before => sent.queue.fate((seq, end), passes, rtt),
        None if !before => Some(Fate::SentAgain),
        _ => None,
    };
    // Wireshark's rule, if nothing better is known.
    let guess = || {
        let patience = rtt.unwrap_or(OVERTAKEN.as_nanos());
        let soon = passes.at.saturating_since(fwd.next_at).as_nanos() < patience;
        Fate::Either(!soon || end == fwd.next || requested(rev, passes.at, seq))
    };
    by_marks.unwrap_or_else(guess)
}

/// Counts so many packets as sent again, if that is their fate, or may be.
pub(super) fn count_resent(fwd: &mut HalfConnection, fate: Fate, packets: u32) {
    let [least, most] = match fate {
        Fate::Overtaken => return,
        Fate::SentAgain => [packets, packets],
        Fate::Either(_) => [0, packets],
    };
    let resent = &mut fwd.tally().resent;
    *resent = [resent[0].saturating_add(least), resent[1].saturating_add(most)];
}

/// True if duplicate ACKs have just requested the segment at `seq` (Wireshark, fast
/// retransmission).
pub(super) fn requested(rev: &HalfConnection, at: Time, seq: u32) -> bool {
    let just = at.saturating_since(rev.ack_at) < ASKED;
    rev.duplicates >= FEW_DUPLICATES && rev.last_ack == seq && just
}

/// Bytes that came twice, if the ACK reports it (RFC 2883, 4): its first block lies before the ACK's number, or in the
/// second block.
pub(super) fn reported_twice(seg: &TcpRepr) -> Option<u32> {
    let mut blocks = seg.sack.as_slice().iter().map(|(left, right)| (left.0, right.0));
    let (left, right) = blocks.next().filter(|(left, right)| after(*right, *left))?;
    let within = |(from, to): (u32, u32)| !after(from, left) && !after(right, to);
    let twice = !after(right, seg.ack.0) || blocks.next().is_some_and(within);
    twice.then(|| right.wrapping_sub(left))
}
