//! Copies of packets, as against retransmissions.
//!
//! A copy was captured twice or made twice on the way. It is equal in all that no hop changes: IP
//! identification, sequence and acknowledgement numbers, control bits, window, timestamps and other
//! options. A retransmission has another identification, as hosts count it up (RFC 791, 3.2), or
//! other timestamps. Without both, the payload of a copy must be equal, too. The decision stays open
//! if the payload was not captured, or if a duplicate ACK for the segment passed in between.

use airpath_base::Time;
use airpath_wire::{TcpFlags, TcpRepr};

use super::OVERTAKEN;
use super::again::requested;
use super::half_connection::{HalfConnection, mark};
use crate::plain;
use crate::sequence::after;

/// Odd numbers, the fraction of the golden ratio among them, that spread sums over a word.
const SPREAD: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// Result of the comparison of a packet with one that has just passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It is none.
    New,
    /// It is one.
    Copy,
    /// It is one, or was sent again.
    CopyOrSentAgain,
}

/// Properties of a packet from IP and the capture, for its comparison with others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    /// IPv4's identification; zero if there is none.
    pub(crate) ident: u16,
    /// Captured bytes of the payload.
    pub(crate) data: &'a [u8],
}

/// A number that packets share which are equal, and others hardly ever do.
#[inline(always)]
fn mix([numbers, stamps, rest, more]: [u64; 4]) -> u32 {
    let sum = numbers.wrapping_mul(SPREAD[0])
        ^ stamps.wrapping_mul(SPREAD[1]).rotate_left(23)
        ^ rest.wrapping_mul(SPREAD[2]).rotate_left(41)
        ^ more;
    (sum.wrapping_mul(SPREAD[3]) >> 32) as u32
}

#[inline(always)]
fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn rest(ident: u16, flags: u16, window: u16, len: u32) -> u64 {
    u64::from(ident) << 48 ^ u64::from(flags) << 36 ^ u64::from(window) << 20 ^ u64::from(len)
}

/// Fingerprint of a plain segment.
#[inline(always)]
pub(crate) fn print_of(seg: &plain::Segment, ident: u16, data: impl Fn() -> u64) -> u32 {
    let more = if ident == 0 && !seg.stamped { data() } else { 0 };
    let stamps = pair(seg.value, seg.echo);
    mix([pair(seg.seq, seg.ack), stamps, rest(ident, seg.flags, seg.window, seg.len), more])
}

/// Fingerprint of any segment.
pub(crate) fn print(seg: &TcpRepr, origin: &Origin<'_>) -> u32 {
    let stamps = seg.timestamps.map_or(0, |stamps| pair(stamps.value, stamps.echo));
    let bare = origin.ident == 0 && seg.timestamps.is_none();
    let mut more = if bare { digest(origin.data) } else { 0 };
    let mut add = |number: u64| more = (more ^ number).wrapping_mul(SPREAD[0]).rotate_left(17);
    for (left, right) in seg.sack.as_slice() {
        add(pair(left.0, right.0));
    }
    if seg.flags.contains(TcpFlags::SYN) {
        let scale = seg.window_scale.map_or(0, |scale| 1 << 8 | u64::from(scale));
        let mss = seg.mss.map_or(0, |mss| 1 << 16 | u64::from(mss));
        add(u64::from(seg.sack_permitted) << 40 | scale << 20 | mss);
    }
    let rest = rest(origin.ident, seg.flags.0, seg.window, seg.payload_len);
    mix([pair(seg.seq.0, seg.ack.0), stamps, rest, more])
}

/// A number for bytes; zero for none.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let (words, left) = bytes.as_chunks::<8>();
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(SPREAD[0]).rotate_left(29);
    let hash = words.iter().fold(bytes.len() as u64, |h, word| step(h, u64::from_le_bytes(*word)));
    let last = left.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    if bytes.is_empty() { 0 } else { step(hash, last) }
}

/// True if the segment, with that [`print`], has just passed. ACKs without data and without an
/// identification may as well be duplicate ACKs. They count as copies if at least a third of the
/// packets are copies, one for each packet that is none.
pub(crate) fn sight(
    fwd: &HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    (print, origin): (u32, &Origin<'_>),
    rtt: Option<u64>,
) -> Sight {
    let end = seg.seq.0.wrapping_add(seg.seq_len());
    if !fwd.has(mark::NEXT) || fwd.has(mark::KEEP_ALIVE) || after(end, fwd.next) {
        return Sight::New;
    }
    // Without an identification, nothing that was sent again in answer to an ACK is taken.
    let half = rtt.filter(|_| origin.ident == 0).map_or(u64::MAX, |rtt| rtt / 2);
    let soon = half.min(OVERTAKEN.as_nanos());
    let just = |since: Time| at.saturating_since(since).as_nanos() <= soon;
    if seg.seq_len() == 0 {
        let copied = just(fwd.ack_at) && ack_came_twice(fwd, rev, seg, (print, origin.ident));
        return if copied { Sight::Copy } else { Sight::New };
    }
    let known = fwd.sent.as_ref().and_then(|sent| sent.queue.passed(end));
    let newest = (end == fwd.next).then_some((fwd.next_at, fwd.next_print));
    let equal = |(since, other): &(Time, u32)| *other == print && just(*since);
    let Some((since, _)) = [known, newest].into_iter().flatten().find(equal) else {
        return Sight::New;
    };
    match origin.ident {
        0 => without_ident(rev, at, seg, origin, since),
        _ => Sight::Copy,
    }
}

/// Sight of a segment without an identification that is equal to one that passed at `since`.
fn without_ident(
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    origin: &Origin<'_>,
    since: Time,
) -> Sight {
    let acknowledged =
        rev.has(mark::ACK) && !after(seg.seq.0.wrapping_add(seg.seq_len()), rev.last_ack);
    if seg.payload_len == 1 && acknowledged {
        return Sight::New; // a keep-alive
    }
    // A segment that duplicate ACKs request comes once behind them.
    if requested(rev, at, seg.seq.0) && since < rev.ack_at {
        return Sight::New;
    }
    if seg.timestamps.is_some() {
        return Sight::Copy;
    }
    let repeated = rev.duplicates > 0 && rev.last_ack == seg.seq.0 && since < rev.ack_at;
    let whole = origin.data.len() as u64 == u64::from(seg.payload_len);
    if whole && !repeated { Sight::Copy } else { Sight::CopyOrSentAgain }
}

/// True if an ACK without data that has just passed is a copy of the packet before it.
fn ack_came_twice(
    fwd: &HalfConnection,
    rev: &HalfConnection,
    seg: &TcpRepr,
    (print, ident): (u32, u16),
) -> bool {
    let same = seg.flags.0 == TcpFlags::ACK.0
        && seg.seq.0 == fwd.next
        && (seg.ack.0, seg.window) == (fwd.last_ack, fwd.raw_window)
        && print as u16 == fwd.ack_print;
    if !same || ident != 0 {
        return same;
    }
    let often =
        |half: &HalfConnection| half.counts.as_ref().is_some_and(|c| c.twice() >= half.packets / 3);
    let copies = fwd.counts.as_ref().map_or(0, |counts| counts.twice());
    let first = copies < fwd.packets / 2;
    first && (often(fwd) || often(rev))
}

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;
