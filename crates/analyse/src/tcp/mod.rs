//! Classifies the segments of a TCP connection.
//!
//! Duplicate ACKs, zero windows, full windows, keep-alives and probes follow the rules of
//! Wireshark's analysis, so that the counts can be compared. Retransmissions do not. A segment that
//! passed the capture point before is a retransmission at any time. It was lost behind the capture
//! point, or not lost at all. A segment that fills a gap was lost, or overtaken, before the capture
//! point, and only the time decides between the two.

mod again;
mod copies;
mod fast_path;
mod half_connection;
mod holes;
mod idents;
mod kinds;
mod notes;
mod queue;
mod watched;

use airpath_base::{Duration, Time};
use airpath_wire::{TcpFlags, TcpRepr, Timestamps};

use again::{count_resent, fate, reported_twice};
pub(crate) use copies::{Origin, Sight, digest, print, print_of, sight};
pub(crate) use fast_path::fast_path;
pub(crate) use half_connection::{Counts, HalfConnection, Signals, Study, mark};
use half_connection::{LEAST_TIMEOUT, MOST_SCALE, NOT_OFFERED, UNKNOWN_SCALE};
use kinds::{Kind, classify, count_windows, follows_probe};
pub(crate) use notes::Premises;
pub use notes::{Note, NoteKind};
use queue::{Passes, Segment};
use watched::{hear, watch};

use crate::causes::Event;
use crate::methods::{Duplicate, Point};
use crate::sequence::after;

/// Time after which a segment that fills a gap no more counts as overtaken. The handshake's RTT is
/// used instead if it is known (Wireshark, out-of-order).
const OVERTAKEN: Duration = Duration::from_millis(3);
/// Fewest duplicate ACKs that show fast retransmit; one may be missing in the capture
/// (Wireshark, fast retransmission).
const FEW_DUPLICATES: u16 = 2;
/// Time after duplicate ACKs within which a segment that fills a gap is the requested one.
const ASKED: Duration = Duration::from_millis(20);

/// Path of the flow by the handshake, and the options of the analysis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    /// RTT of the whole path, if known.
    pub(crate) rtt: Option<u64>,
    /// Round trips between the capture point and the two ends, in nanoseconds; that of
    /// the segment's sender first.
    pub(crate) sides: [u64; 2],
    /// Begin of the flow.
    pub(crate) start: Time,
    /// Options of the study's methods.
    pub(crate) study: &'a Study,
    /// True if there is memory for more than counts.
    pub(crate) detailed: bool,
    /// True if the segment's sender is the client.
    pub(crate) up: bool,
    /// True if the causes' intervals are kept.
    pub(crate) keep: bool,
    /// True if the snap length has cut the header's options.
    pub(crate) cut: bool,
    /// Fingerprint of the segment ([`print`]), and IPv4's identification.
    pub(crate) print: u32,
    pub(crate) ident: u16,
}

/// A segment passes from `fwd`'s host to `rev`'s.
pub(crate) fn step(
    fwd: &mut HalfConnection,
    rev: &mut HalfConnection,
    at: Time,
    seg: &TcpRepr,
    path: &Path<'_>,
) {
    let kind = classify(fwd, rev, seg);
    fwd.identified(rev, path.ident, seg.payload_len, seg.timestamps.is_some());
    fwd.begin_estimators(path.study, path.start, path.detailed);
    if let (Some(estimators), Some(timestamps)) = (&mut fwd.estimators, seg.timestamps) {
        estimators.clock.add(at, timestamps.value);
    }
    count_windows(fwd, rev, at, seg, kind);
    let mut copy = None;
    if seg.seq_len() > 0 && kind != Kind::KeepAlive && !follows_probe(fwd, seg) {
        copy = data(fwd, rev, at, seg, kind, path);
    }
    advance(fwd, at, seg, kind, path.print);
    if seg.flags.contains(TcpFlags::ACK) {
        acknowledge(fwd, rev, at, seg, kind, path);
    }
    fwd.ack_print = path.print as u16;
    remember(fwd, rev, at, seg, (kind, path.cut));
    if seg.payload_len > 0 && !matches!(kind, Kind::Probe | Kind::KeepAlive) {
        watch(fwd, rev, at, seg, copy, path);
    }
    let stamps = seg.timestamps.map(|timestamps| (timestamps.value, timestamps.echo));
    let closes = seg.flags.contains(TcpFlags::FIN);
    hear(rev, fwd, at, stamps, (!seg.sack.is_empty(), closes, seg.payload_len > 0));
    in_flight(fwd);
    in_flight(rev);
    announced(fwd, rev);
    announced(rev, fwd);
}

/// Data (or SYN, or FIN): new, sent again, or filling a gap. Of what is sent again, gives
/// whether the timer may have done so.
fn data(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    kind: Kind,
    path: &Path<'_>,
) -> Option<bool> {
    let (seq, end) = (seg.seq.0, seg.seq.0.wrapping_add(seg.seq_len()));
    let timestamp = seg.timestamps.map_or(0, |timestamps| timestamps.value);
    let passes = Passes { at, timestamp, print: path.print, ident: path.ident };
    let known = fwd.has(mark::NEXT);
    let mut copy = None;
    if !known {
        fwd.base = seq;
    }
    let (next, base) = (fwd.next, fwd.base);
    let old = known && after(next, seq);
    let mut retransmission = false;
    if old {
        let fate = fate(fwd, rev, &passes, (seq, end), path.rtt);
        let filled = after(base, seq)
            || fwd.sent.as_mut().is_some_and(|sent| sent.queue.fill(seq, end, passes));
        retransmission = fate.is_resent();
        let last = if after(end, next) { next } else { end };
        let packets = fwd.packets_of(rev, last.wrapping_sub(seq), seg.timestamps.is_some());
        count_resent(fwd, fate, packets);
        if retransmission {
            let range = (seq, end);
            copy = Some(retransmitted(fwd, rev, passes, range, (filled, packets)));
        } else {
            fwd.tally().out_of_order += 1;
        }
        if let Some(estimators) = &mut fwd.estimators {
            estimators.disturbed();
        }
    }
    let fin = seg.flags.contains(TcpFlags::FIN);
    if seg.payload_len > 0 || fin || known && after(seq, next) {
        new_data(fwd, rev, passes, seg, kind, path.detailed);
    }
    if let Some(estimators) = &mut fwd.estimators {
        estimators.slow.data(at, seq, seg.payload_len, retransmission);
    }
    copy
}

/// A retransmission of [seq, end): by fast retransmit, by the timer, or for nothing.
/// `filled` says that it did not pass before, and `packets` how many of the MSS it has. Gives whether the timer may
/// have sent it.
fn retransmitted(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    passes: Passes,
    (seq, end): (u32, u32),
    (filled, packets): (bool, u32),
) -> bool {
    let (at, stamp) = (passes.at, passes.timestamp);
    let spurious = rev.has(mark::ACK) && !after(end, rev.last_ack);
    let next = fwd.next;
    let recovering = fwd.sent.as_ref().and_then(|s| s.recovery.map(|_| s.fast));
    let copy = timer_copy(fwd, at, seq);
    // A copy that something has overtaken is lost, and is sent again for that (RFC 8985).
    let overtaken = fwd.estimators.as_ref().and_then(|estimators| estimators.slow.overtaken());
    let noticed = overtaken.is_some_and(|since| at.saturating_since(since) < ASKED);
    let timer = copy.is_some() && !noticed;
    // The timer strikes in a silence: it has not filled a hole just behind new data.
    let flows = filled && at.saturating_since(fwd.next_at) < LEAST_TIMEOUT;
    let fast = !timer && (rev.duplicates >= FEW_DUPLICATES || recovering == Some(true) || flows);
    let fast = fast && recovering != Some(false);
    if let Some(sent) = &mut fwd.sent {
        sent.queue.copied(at);
        sent.queue.sent_again((seq, end), &passes, filled);
    }
    match (spurious, fast) {
        (true, _) => {
            let tally = fwd.tally();
            tally.spurious += 1;
            tally.acknowledged = tally.acknowledged.saturating_add(packets);
        }
        (_, true) => fwd.tally().fast += 1,
        _ => fwd.tally().timeout += 1,
    }
    let Some(sent) = fwd.sent.as_mut().filter(|_| !spurious) else { return !fast };
    if sent.recovery.is_none() || timer {
        // The first SACK block may be enough (RFC 8985, 6.2), if it cannot be the timer.
        let reported = fwd
            .estimators
            .as_ref()
            .is_some_and(|estimators| !estimators.sacked.as_slice().is_empty());
        sent.fast = fast || reported && !sent.timer_ran(at);
    }
    sent.recovery = Some(next);
    let head = seq == sent.una;
    match filled {
        true => sent.queue.resent(end),
        false => sent.queue.repeat(seq, end, passes),
    }
    let Some(estimators) = &mut fwd.estimators else { return !fast };
    if let (Some(copy), Some(true)) = (copy, recovering) {
        estimators.slow.timer(at, copy.at, (stamp != copy.timestamp).then_some(stamp));
    }
    if head {
        estimators.slow.copied(at);
    }
    !fast
}

/// The copy that passed before of what begins at `seq`, if it can be the timer that sends it
/// now. It runs since data was last acknowledged (RFC 6298, 5.3) and sends the first segment
/// that is not (5.4). A recovery that begins where another ends sends its first segment once
/// more, too (RFC 6675, 5, 4.3), but with the ACK that ends the other.
fn timer_copy(fwd: &HalfConnection, at: Time, seq: u32) -> Option<Segment> {
    let sent = fwd.sent.as_ref()?;
    let copy = sent.queue.copy(seq)?;
    // Sooner, the copy was made on the way.
    let sent_later = at.saturating_since(copy.at) > OVERTAKEN;
    (seq == sent.una && sent.timer_ran(at) && sent_later).then_some(*copy)
}

/// Takes data beyond the highest sequence number.
fn new_data(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    passes: Passes,
    seg: &TcpRepr,
    kind: Kind,
    detailed: bool,
) {
    let (seq, end) = (seg.seq.0, seg.seq.0.wrapping_add(seg.seq_len()));
    let (next, known) = (fwd.next, fwd.has(mark::NEXT));
    let Some(sent) = fwd.sent(rev, detailed) else { return };
    if known && !after(end, next) || kind == Kind::Probe {
        return;
    }
    if !detailed && !sent.queue.is_kept() {
        return;
    }
    if known && after(seq, next) {
        sent.queue.gap(next, seq, &passes);
    }
    sent.queue.push(end, passes);
}

/// The highest sequence number moves on; a probe's byte does not count.
fn advance(fwd: &mut HalfConnection, at: Time, seg: &TcpRepr, kind: Kind, print: u32) {
    let end = seg.seq.0.wrapping_add(seg.seq_len());
    let known = fwd.has(mark::NEXT);
    // A SYN that is sent again may be captured twice, as the first.
    let again = seg.flags.contains(TcpFlags::SYN) && end == fwd.next;
    if kind == Kind::Probe || known && !again && !after(end, fwd.next) {
        return;
    }
    if !known {
        fwd.base = seg.seq.0;
    }
    (fwd.next, fwd.next_at, fwd.next_print) = (end, at, print);
    fwd.marks |= mark::NEXT;
}

/// Takes `fwd`'s acknowledgement of `rev`'s data.
fn acknowledge(
    fwd: &mut HalfConnection,
    rev: &mut HalfConnection,
    at: Time,
    seg: &TcpRepr,
    kind: Kind,
    path: &Path<'_>,
) {
    sack_reported(fwd, rev, at, seg);
    if let Some(bytes) = reported_twice(seg) {
        let packets = rev.packets_of(fwd, bytes, seg.timestamps.is_some());
        let tally = rev.tally();
        tally.reported_twice = tally.reported_twice.saturating_add(packets);
    }
    let Some(sent) = &mut rev.sent else { return };
    if after(seg.ack.0, sent.una) {
        // The data's sender is on the other side of the ACK's.
        let ack = Ack { at, ack: seg.ack.0, timestamps: seg.timestamps, beyond: path.sides[1] };
        advanced(rev, &ack);
    } else if kind == Kind::Duplicate {
        duplicate(fwd, rev, at, seg, path);
    }
}

/// An ACK of what was not acknowledged before.
#[derive(Clone, Copy, Debug)]
struct Ack {
    at: Time,
    ack: u32,
    timestamps: Option<Timestamps>,
    /// Round trip between the capture point and the data's sender, in nanoseconds.
    beyond: u64,
}

/// Data of `rev`'s is acknowledged for the first time.
#[inline]
fn advanced(rev: &mut HalfConnection, by: &Ack) {
    let Ack { at, ack, timestamps, beyond } = *by;
    let Some(sent) = &mut rev.sent else { return };
    let echo = timestamps.map(|timestamps| timestamps.echo);
    let fresh = ack.wrapping_sub(std::mem::replace(&mut sent.una, ack));
    sent.una_at = at;
    let recovering = sent.recovery.is_some();
    let recovered = sent.recovery.is_some_and(|end| !after(end, ack));
    if recovered {
        sent.recovery = None;
    }
    let acked = sent.queue.ack(ack, at, echo);
    if let Some(rtt) = acked.rtt {
        sent.rtt.add(rtt);
    }
    // A capture that begins in the middle of a flow has not seen what lies before its first data.
    let part = acked.part.filter(|_| after(ack, rev.base));
    if let (Some(rtt), Some(watch)) = (acked.rtt.or(part), &mut sent.watch) {
        watch.take(&Event::Rtt(rtt));
    }
    if let Some(estimators) = &mut rev.estimators {
        estimators.series.iter_mut().for_each(|series| series.acknowledged(at, fresh));
        if recovering || acked.resent {
            // It tells when the gap was filled, not when the data behind it arrived.
            estimators.disturbed();
        }
        if let Some(rtt) = acked.rtt {
            estimators.slow.rtt(rtt.saturating_add(beyond));
        }
        estimators.slow.advanced(at, ack, echo, beyond);
        if let Some(sent) = acked.exact {
            let timestamp = timestamps.map(|timestamps| timestamps.value);
            estimators.point(Point { ack, sent, at, timestamp, packets: acked.segments });
        }
        if recovered {
            estimators.slow.recovered();
        }
    }
    rev.tidy();
}

/// Takes the SACK blocks of an ACK for the study's methods.
fn sack_reported(fwd: &mut HalfConnection, rev: &mut HalfConnection, at: Time, seg: &TcpRepr) {
    let (Some(sent), Some(estimators)) = (&rev.sent, &mut rev.estimators) else { return };
    fwd.mark(mark::SACKED, !seg.sack.is_empty());
    let known = std::mem::replace(&mut estimators.sacked, seg.sack);
    if sent.recovery.is_none() {
        return;
    }
    // RFC 2018, 4: the latest block first.
    let block = seg.sack.as_slice().first().map(|(left, right)| (left.0, right.0));
    if let Some(latest) = block.and_then(|block| sent.queue.latest(block, &known)) {
        estimators.slow.reported(at, latest);
    }
}

/// A duplicate ACK for the study's methods.
fn duplicate(
    fwd: &HalfConnection,
    rev: &mut HalfConnection,
    at: Time,
    seg: &TcpRepr,
    path: &Path<'_>,
) {
    let (Some(sent), Some(estimators)) = (&rev.sent, &mut rev.estimators) else { return };
    let run = u32::from(fwd.duplicates);
    let first = seg.sack.as_slice().first();
    let cause = match first {
        Some((_, right)) => sent.queue.sent(right.0), // RFC 2018, 4: the latest block first
        None => sent.queue.behind(run),
    };
    let rtt = cause.map(|sent| at.saturating_since(sent).as_nanos().saturating_add(path.sides[1]));
    let (lost, sack) = (seg.ack.0, first.is_some());
    estimators.slow.duplicate(at, &Duplicate { lost, run, sack, rtt });
    estimators.disturbed();
}

/// Keeps what the next segment will be compared with.
fn remember(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    (kind, cut): (Kind, bool),
) {
    fwd.marks &= !(mark::PROBE | mark::KEEP_ALIVE);
    match kind {
        Kind::Probe => fwd.marks |= mark::PROBE,
        Kind::KeepAlive => fwd.marks |= mark::KEEP_ALIVE,
        _ => {}
    }
    let syn = seg.flags.contains(TcpFlags::SYN);
    if syn {
        fwd.marks |= mark::SYN;
        if seg.sack_permitted {
            fwd.marks |= mark::SACK;
        }
        let none = if cut { UNKNOWN_SCALE } else { NOT_OFFERED };
        fwd.scale = seg.window_scale.map_or(none, |scale| scale.min(MOST_SCALE));
        fwd.mss = seg.mss.unwrap_or(0);
    }
    if seg.flags.contains(TcpFlags::FIN) {
        fwd.marks |= mark::FIN;
    }
    if seg.flags.contains(TcpFlags::ACK) {
        (fwd.last_ack, fwd.ack_at) = (seg.ack.0, at);
        fwd.marks |= mark::ACK;
    }
    fwd.raw_window = seg.window;
    fwd.shift = if syn { 0 } else { fwd.shift(rev) };
}

/// Notes how much is under way.
#[inline]
fn in_flight(half: &mut HalfConnection) {
    let outstanding = half.outstanding();
    if let Some(sent) = &mut half.sent {
        sent.most_in_flight = sent.most_in_flight.max(outstanding);
    }
}

/// Notes the window that `half`'s data has, as `peer` has announced.
fn announced(half: &mut HalfConnection, peer: &HalfConnection) {
    if let Some(sent) = half.sent.as_mut().filter(|_| peer.has(mark::ACK)) {
        let window = peer.window();
        let (least, most) = sent.windows.unwrap_or((window, window));
        sent.windows = Some((least.min(window), most.max(window)));
    }
}

#[cfg(test)]
#[path = "../tcp_tests.rs"]
mod tests;
