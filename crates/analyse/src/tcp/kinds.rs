//! Kinds of segments, by the rules of Wireshark's analysis but for one: a keep-alive repeats what
//! has been acknowledged.

use airpath_base::Time;
use airpath_wire::{TcpFlags, TcpRepr};

use super::half_connection::{HalfConnection, UNKNOWN_SCALE, mark};
use crate::sequence::after;

/// Flags that make a segment more than data and acknowledgement.
pub(super) const SPECIAL: u16 = TcpFlags::SYN.0 | TcpFlags::FIN.0 | TcpFlags::RST.0;

/// Kinds of segments that Wireshark sets apart, and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Probe,
    KeepAlive,
    Duplicate,
    Ordinary,
}

/// Wireshark's rules, in its order.
pub(super) fn classify(fwd: &HalfConnection, rev: &HalfConnection, seg: &TcpRepr) -> Kind {
    let (seq, len) = (seg.seq.0, seg.payload_len);
    let known = fwd.has(mark::NEXT);
    if len == 1 && known && seq == fwd.next && rev.has(mark::ACK) && rev.raw_window == 0 {
        return Kind::Probe;
    }
    if seg.flags.0 & SPECIAL != 0 || !known {
        return Kind::Ordinary;
    }
    // It asks for an ACK once more when all is acknowledged (RFC 9293, 3.8.4).
    let acknowledged = !rev.has(mark::ACK) || !after(fwd.next, rev.last_ack);
    if len <= 1 && seq == fwd.next.wrapping_sub(1) && acknowledged {
        return Kind::KeepAlive;
    }
    let same = len == 0
        && seg.window != 0
        && seg.window == fwd.raw_window
        && seq == fwd.next
        && fwd.has(mark::ACK)
        && seg.ack.0 == fwd.last_ack;
    match same && !rev.has(mark::KEEP_ALIVE) {
        true => Kind::Duplicate,
        false => Kind::Ordinary,
    }
}

/// Counts windows and duplicates.
pub(super) fn count_windows(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    kind: Kind,
) {
    let plain = seg.flags.0 & SPECIAL == 0;
    if kind != Kind::Probe && plain {
        let end = seg.seq.0.wrapping_add(seg.payload_len);
        let scaled = rev.scale != UNKNOWN_SCALE && rev.has(mark::ACK);
        let full = scaled && seg.payload_len > 0 && end == rev.last_ack.wrapping_add(rev.window());
        if seg.window == 0 {
            fwd.tally().zero_windows += 1;
        }
        if full {
            let tally = fwd.tally();
            tally.window_full += 1;
            tally.first_full.get_or_insert(at);
        }
    }
    if kind == Kind::Duplicate {
        fwd.tally().duplicate_acks += 1;
        fwd.duplicates = fwd.duplicates.saturating_add(1);
    } else {
        fwd.duplicates = 0;
    }
}

/// More than a byte from where a probe was: the probe's byte comes with it.
pub(super) fn follows_probe(fwd: &HalfConnection, seg: &TcpRepr) -> bool {
    seg.payload_len > 1
        && fwd.has(mark::PROBE | mark::NEXT)
        && seg.seq.0 == fwd.next.wrapping_sub(1)
}
