//! Silences of a sender: the timer, a path that stands still, an application without data.

use airpath_base::{Duration, Time};

use super::event::Segment;
use super::evidence::delay::{Arrival, NO_SHIFT};
use super::evidence::{earlier, later};
use super::stretch::{Kind, Wait, mark};
use super::watch::{BLUR, Watch};

/// Least retransmission timeout in nanoseconds, as in [`tcp`](crate::tcp).
const LEAST_TIMEOUT: u64 = 190_000_000;
/// Least time after which the timer of a tail loss probe strikes, in nanoseconds. It is two round trips behind the data (RFC
/// 8985, 7.2), of which nearly one or more are silent.
const LEAST_PROBE: u64 = 10_000_000;
/// Time for which a receiver may keep an ACK back, in nanoseconds. It is 200 ms in most stacks, and some more for the
/// rest of the way. RFC 9293, 3.8.6.3 allows 500 ms.
const DELAYED_ACK: u64 = 250_000_000;
/// Least silence that is a stall, in nanoseconds, however short the round trip.
const LEAST_STALL: u64 = 100_000_000;
/// Least silence that is a stall of a radio that may have slept, in nanoseconds. Most receivers keep an ACK of
/// several segments back for less (40 ms). DRX costs more (a long cycle of 40 to 320 ms, Huang et al.).
const LEAST_WAKING: u64 = 50_000_000;
/// Round trip to the sender, in nanoseconds, above which losses before the capture point may hide.
const LEAST_AFAR: u64 = 5_000_000;
/// Silence after which a radio may sleep, in nanoseconds. Huang et al. (MobiSys 2012) found 100 ms. Inactivity timers
/// of DRX may be shorter (TS 36.331, drx-InactivityTimer; TS 38.331).
const DOZE: u64 = 20_000_000;

impl Watch {
    /// Data is sent again.
    pub(super) fn again(&mut self, seg: &Segment, by_timer: bool) {
        let (at, from) = (seg.at, self.stretches.from());
        // The timer runs since data was last acknowledged, or sent into an empty path (RFC 6298, 5).
        let quiet = self.answered_at.max(from);
        // Nothing but the timer sends without an ACK.
        let silent = self.acked_at.max(self.sent_at).max(from);
        let probe = self.to_receiver.whole() / 4 * 3;
        let least = if seg.recovering || probe == 0 {
            LEAST_TIMEOUT
        } else {
            LEAST_TIMEOUT.min(probe.max(LEAST_PROBE))
        };
        let by_timer = by_timer || at.saturating_since(silent).as_nanos() >= least;
        if by_timer && at.saturating_since(quiet).as_nanos() >= least {
            let first = self.stretches.is_first();
            self.cut(quiet, Kind::Timer);
            self.cut(at, Kind::Round);
            let stamp = seg.stamps.map(|(value, _)| value);
            self.recovery.strike(self.flight.next(), stamp, first);
        }
        self.recovery.lost();
    }

    /// A pause ends with new data that was due at `due`.
    pub(super) fn pause_ends(&mut self, seg: &Segment, due: Time) {
        let from = self.stretches.from();
        if self.lacks(seg) {
            self.stretches.turn(Kind::Timer);
            self.cut(due, Kind::Round);
            self.recovery.lost();
        } else {
            self.resume(due);
            self.alone(seg, from);
        }
        self.flight.begin_with_next();
    }

    /// The sender goes on. A pause that is not longer than an answer takes is none.
    fn resume(&mut self, at: Time) {
        let from = self.stretches.from();
        let pause = at.saturating_since(from);
        if pause.as_nanos() <= self.to_receiver.whole() / 4 && !self.supply.is_drained() {
            return self.stretches.turn(Kind::Round);
        }
        if self.serves && self.request_at > from {
            self.stretches.turn(Kind::Idle);
            self.cut(self.request_at.min(at), Kind::Pause);
        }
        self.cut(at, Kind::Round);
        self.dozed(pause);
    }

    /// True if a pause is ended by data that does not follow the data before it, far from the sender. The data
    /// between was sent, and was lost before the capture point. The sender had data and waited for its timer. One
    /// segment may have been lost of the data that ends the pause. Packets that were sent again leave a gap among the
    /// identifications alone.
    fn lacks(&mut self, seg: &Segment) -> bool {
        if seg.skips {
            return true;
        }
        let missing = seg.end.wrapping_sub(seg.len).wrapping_sub(self.flight.next()) as i32;
        let from = self.stretches.from();
        let long = seg.at.saturating_since(from).as_nanos() >= LEAST_TIMEOUT;
        long && self.is_afar() && missing >= 2 * self.segments.size(seg) as i32
    }

    /// A pause that began at `from` is ended by a segment. Far from the sender, the segment may be one of many that
    /// were lost before the capture point.
    fn alone(&mut self, seg: &Segment, from: Time) {
        let long = seg.at.saturating_since(from).as_nanos() >= LEAST_TIMEOUT;
        let whole = seg.len >= self.segments.size(seg) && self.request_at < from;
        let alone = long && whole && self.is_afar();
        self.recovery.wait_behind(alone.then_some((from, seg.at)));
    }

    /// The segment behind such a one comes. If that took a round trip, the window was one segment: the timer had
    /// struck (RFC 5681, 3.1). A sender that begins anew after a pause has a greater window. Nagle's algorithm
    /// holds back no full segment.
    #[inline]
    pub(super) fn was_alone(&mut self, seg: &Segment) {
        let Some((from, since)) = self.recovery.take_alone() else { return };
        let soon = seg.at.saturating_since(since).as_nanos() < self.to_sender.shift() / 2;
        if soon || seg.len < self.segments.size(seg) {
            return;
        }
        self.stretches.were_timers(from);
        self.recovery.lost_by_timer();
    }

    /// True if the sender is so far away that losses before the capture point are not seen.
    fn is_afar(&self) -> bool {
        self.to_sender.shift() >= LEAST_AFAR
    }

    /// Marks data that is sent after so long a silence.
    pub(super) fn dozed(&mut self, silence: Duration) {
        if silence.as_nanos() >= DOZE {
            self.stretches.mark(mark::FIRST);
        }
    }

    /// Takes back what the timer did, if it struck in vain: the silence was the path's.
    #[inline]
    pub(super) fn needless(&mut self, ack: &Arrival) {
        let Some((strikes, waking)) = self.recovery.in_vain(ack.echo) else { return };
        self.wakes |= waking;
        let kind = if waking { Kind::Waking } else { Kind::Gap };
        self.stretches.were_no_timers(strikes, kind);
        self.recovery.forgive();
        self.stretches.turn(kind);
        self.cut(ack.due, Kind::Round);
    }

    /// An ACK shows how long the data took. The path may have stood still if nothing arrived before (TAPO: packet
    /// delay).
    pub(super) fn measured(&mut self, ack: &Arrival) {
        let (at, from, shift) = (ack.due, self.stretches.from(), self.to_sender.shift());
        let answered = self.answered_at;
        let begun = answered.max(self.first).max(from);
        // The first ACK answers the first data behind a pause.
        let first = self.stretches.is_first() && answered <= from;
        let since = if first { from } else { self.sent_at };
        let took = ack.sample.filter(|_| !first);
        let took =
            took.unwrap_or_else(|| at.saturating_since(since).as_nanos().saturating_sub(shift));
        let slack = self.slack();
        let quiet = at.saturating_since(begun).as_nanos().min(took);
        let round = self.stretches.kind() == Kind::Round;
        if quiet > slack && round && !self.recovery.is_by_timer() {
            let free = self.supply.is_drained() || self.stretches.is_first();
            let usual = if free { 0 } else { self.standing() };
            self.silent(begun, at, [took, usual, slack]);
        }
        if let Some(sample) = ack.sample {
            self.judge.began(sample.saturating_add(shift));
            self.to_receiver.sample(at, sample, shift);
        }
    }

    /// Duration of an answer where a queue stands, in nanoseconds. It is the least of this round trip, or of the last
    /// that was measured, as no packet passes such a queue sooner (CoDel: RFC 8289, 3.1).
    fn standing(&self) -> u64 {
        let here = Some(self.to_receiver.here()).filter(|near| !near.is_empty());
        let near = here.or_else(|| self.stretches.last_near());
        near.map_or(self.to_receiver.usual(), |near| 1000 * u64::from(near.least))
    }

    /// No ACK arrived from `begun` until now. `wait` is the time that the answer took, the usual one, and what it may
    /// take longer, in nanoseconds.
    fn silent(&mut self, begun: Time, at: Time, wait: [u64; 3]) {
        let sent = earlier(at, wait[0]);
        let again = self.wakes && later(self.slept_at, BLUR) >= sent;
        let first = if self.stretches.is_first() || again { mark::FIRST } else { 0 };
        self.cut(begun, Kind::Quiet);
        let micros = |nanos: u64| u32::try_from(nanos / 1000).unwrap_or(u32::MAX);
        let [took, usual, slack] = wait.map(micros);
        self.stretches.waited(Wait { took, usual, slack });
        self.stretches.mark(first | mark::ON);
        self.cut(at, Kind::Round);
        self.stretches.mark(mark::ON);
        let least = u32::try_from(self.to_receiver.least() / 1000).unwrap_or(0);
        if took > usual.max(least).saturating_add(slack) {
            self.to_receiver.stalled(at);
            self.wakes |= first > 0;
        }
    }

    /// Greatest wait for an answer that is no stall, in nanoseconds.
    fn slack(&self) -> u64 {
        match (self.flight.bytes() > 2 * self.segments.largest(), self.stretches.is_first()) {
            (false, _) => DELAYED_ACK,
            (true, true) => LEAST_WAKING,
            (true, false) => LEAST_STALL,
        }
    }

    /// The path stood still up to now: a radio that woke up, if there was a pause before.
    pub(super) fn stall(&mut self, at: Time, nanos: u64) {
        let kind = if self.stretches.is_first() { self.stretches.woke(nanos) } else { Kind::Gap };
        self.cut(earlier(at, nanos), kind);
        self.cut(at, Kind::Round);
        self.to_receiver.stalled(at);
    }

    /// By how much new data comes later than its timestamp says, behind a silence that is as long; in nanoseconds.
    #[inline]
    pub(super) fn late(&mut self, seg: &Segment) -> u64 {
        let late = self.to_sender.late(seg);
        let sent_at = self.sent_at;
        if self.to_sender.shift() < NO_SHIFT || sent_at == Time::ZERO {
            return 0;
        }
        let stall = late.min(seg.at.saturating_since(sent_at).as_nanos());
        let paused = self.stretches.kind() == Kind::Pause;
        let slack = if paused { LEAST_WAKING } else { LEAST_STALL };
        if stall > slack { stall } else { 0 }
    }
}
