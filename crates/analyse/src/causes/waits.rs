//! What a sender waits for when it does not send: the timer, a path that stands still, an
//! application that has nothing.

use airpath_base::{Duration, Time};

use super::rounds::{Kind, Wait, mark};
use super::view::{NO_SHIFT, Sending, Watch, Word};
use crate::tcp::after;

/// The timer does not strike sooner (as in [`tcp`](crate::tcp)).
const LEAST_TIMEOUT: u64 = 190_000_000;
/// A receiver may keep an ACK back for as long: 200 ms in most stacks (RFC 9293, 3.8.6.3 allows
/// 500), and what else comes on top.
const DELAYED_ACK: u64 = 250_000_000;
/// A silence that is shorter is no stall, however short the round trip.
const LEAST_STALL: u64 = 100_000_000;
/// The same where a radio may have slept: longer than most receivers keep an ACK of several
/// segments back (40 ms), shorter than what DRX costs (a long cycle of 40 to 320 ms, Huang et al.).
const LEAST_WAKING: u64 = 50_000_000;
/// Where the sender is not so far away, what is lost is seen to be sent again.
const LEAST_AFAR: u64 = 5_000_000;
/// A radio may sleep after so long. Huang et al. (MobiSys 2012) found 100 ms; inactivity timers of DRX
/// may be set to less (TS 36.331, drx-InactivityTimer; TS 38.331).
const DOZE: u64 = 20_000_000;

impl Watch {
    /// Something is sent again.
    pub(super) fn again(&mut self, seg: &Sending, timer: bool) {
        let at = seg.at;
        // It runs since data was last acknowledged, or sent into an empty path (RFC 6298, 5).
        let quiet = self.heard_at.max(self.now.from);
        // Nothing else sends anything again without having heard anything.
        let silent = self.told_at.max(self.sent_at).max(self.now.from);
        let timer = timer || at.saturating_since(silent).as_nanos() >= LEAST_TIMEOUT;
        if timer && at.saturating_since(quiet).as_nanos() >= LEAST_TIMEOUT {
            if self.unanswered == 0 {
                self.struck = seg.stamps.map(|(value, _)| value);
                self.waking = self.now.has(mark::FIRST);
            }
            self.cut(quiet, Kind::Timer);
            self.cut(at, Kind::Round);
            self.timer = Some(self.next);
            self.unanswered += 1;
        }
        self.now.marks |= mark::LOST;
        self.marked();
    }

    /// What goes on from stretch to stretch.
    pub(super) fn marked(&mut self) {
        if self.timer.is_some() {
            self.now.marks |= mark::TIMER;
        }
    }

    /// A pause ends. One that is not longer than it takes to answer is none.
    pub(super) fn resume(&mut self, at: Time) {
        let pause = at.saturating_since(self.now.from).as_nanos();
        if pause <= self.typical / 4 && self.drained_at == Time::ZERO {
            self.now.kind = Kind::Round;
        } else {
            let asked = self.asked_at.max(self.now.from).min(at);
            if self.serves && self.asked_at > self.now.from {
                self.now.kind = Kind::Idle;
                self.cut(asked, Kind::Pause);
            }
            self.cut(at, Kind::Round);
            self.now.marks |= self.dozed(Duration::from_nanos(pause));
        }
        self.round = self.next.wrapping_add(1);
    }

    /// Whether a pause is ended by data that does not go on where the data before it ended, seen
    /// from elsewhere than the sender. What lies between had been sent, and was lost before it came
    /// here: the sender had something to send, and waited for its timer. One segment may have been
    /// lost of what ends the pause.
    pub(super) fn lacks(&mut self, seg: &Sending) -> bool {
        let missing = seg.end.wrapping_sub(seg.len).wrapping_sub(self.next) as i32;
        let long = seg.at.saturating_since(self.now.from).as_nanos() >= LEAST_TIMEOUT;
        let afar = self.shift() >= LEAST_AFAR;
        long && afar && missing >= 2 * self.size(seg) as i32
    }

    /// A pause that began then is ended by a segment. Seen from elsewhere, it may be one of many
    /// that were lost before they came here.
    pub(super) fn alone(&mut self, seg: &Sending, from: Time) {
        let long = seg.at.saturating_since(from).as_nanos() >= LEAST_TIMEOUT;
        let whole = seg.len >= self.size(seg) && self.asked_at < from;
        let afar = self.shift() >= LEAST_AFAR;
        self.alone = (long && whole && afar).then_some((from, seg.at));
    }

    /// The next one comes. If that took a round trip, the sender had a window of one segment: its
    /// timer had struck (RFC 5681, 3.1). What begins anew after a pause has a greater one. Nagle's
    /// rule holds back less than a segment only.
    pub(super) fn was_alone(&mut self, seg: &Sending) {
        let Some((from, since)) = self.alone.take() else { return };
        let soon = seg.at.saturating_since(since).as_nanos() < self.shift() / 2;
        if soon || seg.len < self.size(seg) {
            return;
        }
        for round in self.pending.iter_mut().rev().take_while(|round| round.from >= from) {
            if matches!(round.kind, Kind::Pause | Kind::Idle) {
                round.kind = Kind::Timer;
            }
        }
        self.now.marks |= mark::LOST | mark::TIMER;
    }

    /// Marks of what is sent after so long a silence.
    pub(super) fn dozed(&self, silence: Duration) -> u8 {
        if silence.as_nanos() >= DOZE { mark::FIRST } else { 0 }
    }

    /// The first answer since the timer struck. If it is to what had been sent before (RFC 3522),
    /// nothing was lost, and the silence was the path's.
    pub(super) fn needless(&mut self, word: &Word) {
        let (Some(value), Some(echo)) = (self.struck.take(), word.echo) else { return };
        if !after(value, echo) {
            return;
        }
        let kind = if self.waking { Kind::Waking } else { Kind::Gap };
        let timers = self.pending.iter_mut().rev().take(2 * self.unanswered as usize);
        for round in timers {
            match round.kind {
                Kind::Timer => round.kind = kind,
                Kind::Round if round.delivered == 0 && round.has(mark::TIMER) => round.kind = kind,
                _ => break,
            }
        }
        self.timer = None;
        self.now.marks &= !(mark::TIMER | mark::LOST);
        self.now.kind = kind;
        self.cut(word.due, Kind::Round);
    }

    /// An ACK says how long the data took. If nothing was heard in the meantime, the path may have
    /// stood still (TAPO: packet delay).
    pub(super) fn measured(&mut self, word: &Word) {
        let at = word.due;
        let shift = self.shift();
        let begun = self.heard_at.max(self.first).max(self.now.from);
        // What came first behind a pause is what the first ACK answers.
        let first = self.now.has(mark::FIRST) && self.heard_at <= self.now.from;
        let since = if first { self.now.from } else { self.sent_at };
        let took = word.sample.filter(|_| !first);
        let took =
            took.unwrap_or_else(|| at.saturating_since(since).as_nanos().saturating_sub(shift));
        let slack = self.slack();
        let quiet = at.saturating_since(begun).as_nanos().min(took);
        if quiet > slack && self.now.kind == Kind::Round && self.timer.is_none() {
            let free = self.drained_at > Time::ZERO || self.now.has(mark::FIRST);
            let usual = if free { 0 } else { self.standing() };
            self.silent(begun, at, [took, usual, slack]);
        }
        let Some(sample) = word.sample else { return };
        self.judge.began(sample.saturating_add(shift));
        let [usual, least] = &mut self.near;
        *least = (*least).min(sample);
        if earlier(at, sample.saturating_add(shift)) >= self.stalled_at {
            *usual = if *usual == 0 { sample } else { *usual / 8 * 7 + sample / 8 };
            self.now.near.add(sample);
            let whole = sample.saturating_add(shift);
            self.typical = if self.typical == 0 { whole } else { self.typical / 8 * 7 + whole / 8 };
        }
    }

    /// What data takes where a queue stands, in nanoseconds: the least of this round trip, or else of
    /// the last that was measured, as no packet passes such a queue sooner (CoDel: RFC 8289, 3.1).
    fn standing(&self) -> u64 {
        let last =
            || self.pending.iter().rev().map(|round| round.near).find(|near| !near.is_empty());
        let here = Some(self.now.near).filter(|near| !near.is_empty()).or_else(last);
        here.map_or(self.near[0], |near| 1000 * u64::from(near.least))
    }

    /// Nothing was heard from then on, until now something is.
    fn silent(&mut self, begun: Time, at: Time, wait: [u64; 3]) {
        let first = self.now.marks & mark::FIRST;
        self.cut(begun, Kind::Quiet);
        let [took, usual, slack] =
            wait.map(|nanos| u32::try_from(nanos / 1000).unwrap_or(u32::MAX));
        self.now.wait = Wait { took, usual, slack };
        self.now.marks |= first | mark::ON;
        self.cut(at, Kind::Round);
        self.now.marks |= mark::ON;
        let known = usual.max(u32::try_from(self.near[1] / 1000).unwrap_or(0));
        if took > known.saturating_add(slack) {
            self.stalled_at = at;
        }
    }

    /// How long a wait may be that is no stall.
    pub(super) fn slack(&self) -> u64 {
        match (self.flight() > 2 * self.largest, self.now.has(mark::FIRST)) {
            (false, _) => DELAYED_ACK,
            (true, true) => LEAST_WAKING,
            (true, false) => LEAST_STALL,
        }
    }

    /// The path stood still up to now: a radio that woke up, if there was a pause before.
    pub(super) fn stall(&mut self, at: Time, nanos: u64) {
        let waking = self.now.has(mark::FIRST);
        self.cut(earlier(at, nanos), if waking { Kind::Waking } else { Kind::Gap });
        self.cut(at, Kind::Round);
        self.stalled_at = at;
    }

    /// By how much new data comes later than its timestamp says, behind a silence that is as long.
    pub(super) fn late(&mut self, seg: &Sending) -> u64 {
        let late = seg.stamps.map_or(0, |(value, _)| self.ticks.late(seg.at, value));
        if self.shift() < NO_SHIFT || self.sent_at == Time::ZERO {
            return 0;
        }
        let silence = seg.at.saturating_since(self.sent_at).as_nanos();
        let stall = late.min(silence);
        let paused = self.now.kind == Kind::Pause;
        let slack = if paused { LEAST_WAKING } else { LEAST_STALL };
        if stall > slack { stall } else { 0 }
    }
}

pub(super) fn earlier(at: Time, nanos: u64) -> Time {
    at.saturating_sub(Duration::from_nanos(nanos))
}

pub(super) fn later(at: Time, nanos: u64) -> Time {
    at.saturating_add(Duration::from_nanos(nanos))
}
