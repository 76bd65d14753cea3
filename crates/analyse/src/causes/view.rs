//! The sender's place: what it knew when it sent, worked out from where the capture was made.
//!
//! Data passes here some time after it was sent, and acknowledgements are heard by the sender
//! some time after they pass here. The sum of both is the round trip between here and the sender:
//! so much later than an acknowledgement the first data passes that was sent in its knowledge. So
//! acknowledgements wait here for that long, and then the state is the sender's as of the data
//! that passes. That round trip is measured by timestamps that come back (as K. Nichols's pping
//! does), or else taken from the handshake.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use super::judge::Judge;
use super::position::{Place, Position};
use super::rounds::{Kind, Range, Round, mark};
use super::sums::{Causes, Origin};
use super::{Confidence, Interval};
use crate::tcp::after;

/// Acknowledgements that wait; when there are more, the oldest are heard too early.
const MOST_WORDS: usize = 1024;
/// Stretches that wait to be judged; when there are more, half of them are.
const MOST_ROUNDS: usize = 64;
/// A shift below this changes nothing.
const NO_SHIFT: u64 = 200_000;
/// The timer does not strike sooner (as in [`tcp`](crate::tcp)).
const LEAST_TIMEOUT: u64 = 190_000_000;
/// A receiver may keep an ACK back for as long: 200 ms in most stacks (RFC 9293, 3.8.6.3 allows
/// 500), and what else comes on top.
const DELAYED_ACK: u64 = 250_000_000;
/// A silence that is shorter is no stall, however short the round trip.
const LEAST_STALL: u64 = 100_000_000;
/// A radio may sleep after so long (Huang et al., MobiSys 2012: DRX begins after 100 ms).
const DOZE: u64 = 100_000_000;

/// A segment with data, as it passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) at: Time,
    /// Sequence number behind it.
    pub(crate) end: u32,
    pub(crate) len: u32,
    /// Largest segment that the SYNs allow, without options; zero if not known.
    pub(crate) mss: u32,
    /// Whether it was sent again, and whether by the timer.
    pub(crate) copy: Option<bool>,
    /// Timestamp that comes back.
    pub(crate) echo: Option<u32>,
    /// Whether a loss is being repaired.
    pub(crate) recovering: bool,
}

/// What the receiver says, as it passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    pub(crate) at: Time,
    pub(crate) una: u32,
    /// Right edge of its window, if its scale is known, and whether the window is closed.
    pub(crate) edge: Option<u32>,
    pub(crate) closed: bool,
    /// Its timestamp.
    pub(crate) value: Option<u32>,
}

/// What the sender has yet to hear.
#[derive(Clone, Copy, Debug)]
struct Word {
    due: Time,
    una: u32,
    edge: Option<u32>,
    closed: bool,
}

/// Follows the sender of one direction.
#[derive(Debug)]
pub(crate) struct Watch {
    words: VecDeque<Word>,
    pending: Vec<Round>,
    judge: Judge,
    kept: Option<Vec<Interval>>,
    /// The present stretch.
    now: Round,
    /// When it was begun in all, and the flow.
    first: Time,
    /// Behind the last data when the round began, behind the highest, and what the sender knows
    /// to be acknowledged; the right edge that it knows.
    round: u32,
    next: u32,
    una: u32,
    edge: Option<u32>,
    /// Until this is acknowledged, the timer's doing is not over.
    timer: Option<u32>,
    /// Timers since something was heard.
    unanswered: u32,
    /// When it sent last, heard last, and since when it heard something without sending.
    sent_at: Time,
    heard_at: Time,
    free_at: Time,
    /// Since when the application is known to have nothing more; zero if it may have.
    drained_at: Time,
    /// When the peer's data came last, as heard by the sender.
    asked_at: Time,
    /// A timestamp that will come back, and when it passed.
    probe: Option<(u32, Time)>,
    /// Last round trips to sender and receiver in nanoseconds; zero if not known.
    far: [u64; 2],
    near: u64,
    /// Round trip of the whole path, smoothed.
    typical: u64,
    /// Greatest segment up to what the SYNs allow, and whether larger ones passed.
    largest: u32,
    offload: bool,
    /// Whether the window's scale is not known.
    unscaled: bool,
}

impl Watch {
    /// Before the first data, with round trips from the handshake, that to the sender first; a
    /// list of intervals is kept if `keep`.
    pub(crate) fn new(una: u32, sides: [u64; 2], keep: bool) -> Watch {
        let [far, near] = sides;
        Watch {
            words: VecDeque::new(),
            pending: Vec::new(),
            judge: Judge::default(),
            kept: keep.then(Vec::new),
            now: Round::default(),
            first: Time::ZERO,
            round: una,
            next: una,
            una,
            edge: None,
            timer: None,
            unanswered: 0,
            sent_at: Time::ZERO,
            heard_at: Time::ZERO,
            free_at: Time::ZERO,
            drained_at: Time::ZERO,
            asked_at: Time::ZERO,
            probe: None,
            far: [far, far],
            near,
            typical: far.saturating_add(near),
            largest: 0,
            offload: false,
            unscaled: false,
        }
    }

    /// A segment with data passes.
    #[inline]
    pub(crate) fn sent(&mut self, seg: &Sending) {
        self.settle(seg.at);
        if self.first == Time::ZERO {
            (self.first, self.now.from) = (seg.at, seg.at);
            self.now.marks |= mark::FIRST;
        }
        self.came_back(seg);
        match seg.copy {
            Some(timer) => self.again(seg.at, timer),
            None if after(seg.end, self.next) => self.fresh(seg),
            None => {}
        }
        self.sent_at = seg.at;
    }

    /// New data.
    #[inline]
    fn fresh(&mut self, seg: &Sending) {
        let at = seg.at;
        if self.now.kind == Kind::Pause {
            self.resume(at);
        } else {
            self.now.drained += self.withheld(seg);
        }
        self.next = seg.end;
        let mss = self.size(seg);
        let at_edge = self.at_edge(mss);
        self.drained_at = if at_edge || seg.len.is_multiple_of(mss) { Time::ZERO } else { at };
        self.free_at = Time::ZERO;
        self.now.flight = self.now.flight.max(self.flight());
    }

    /// For how long the sender could have sent this and did not.
    #[inline]
    fn withheld(&self, seg: &Sending) -> u64 {
        if self.drained_at > Time::ZERO {
            return seg.at.saturating_since(self.drained_at).as_nanos();
        }
        if self.free_at == Time::ZERO || seg.recovering || self.timer.is_some() {
            return 0;
        }
        let free = seg.at.saturating_since(self.free_at).as_nanos();
        if free > self.typical / 4 { free } else { 0 }
    }

    /// Size of a full segment.
    #[inline]
    fn size(&mut self, seg: &Sending) -> u32 {
        let most = if seg.mss > 0 { seg.mss } else { 1460 };
        if seg.len <= most {
            self.largest = self.largest.max(seg.len);
        } else {
            self.offload = true;
        }
        // A path's MTU is at least 1280 (RFC 8200, 5): what is larger than four fifths may be
        // what it leaves of the MSS; what is smaller is the application's.
        if self.largest > most - most / 5 { self.largest } else { most }
    }

    /// Whether there is no room for another segment; marks the round.
    #[inline]
    fn at_edge(&mut self, mss: u32) -> bool {
        let Some(edge) = self.edge else { return false };
        let room = edge.wrapping_sub(self.next) as i32;
        let full = room < mss as i32;
        if full {
            self.now.marks |= mark::EDGE;
        }
        full
    }

    fn flight(&self) -> u32 {
        (self.next.wrapping_sub(self.una) as i32).max(0) as u32
    }

    /// A timestamp has come back with data: that took the round trip to the sender, if it did not
    /// wait for anything else.
    #[inline]
    fn came_back(&mut self, seg: &Sending) {
        let (Some((value, at)), Some(echo)) = (self.probe, seg.echo) else { return };
        if after(value, echo) {
            return;
        }
        self.probe = None;
        let waited = self.drained_at > Time::ZERO || self.now.kind != Kind::Round;
        if seg.copy.is_none() && !seg.recovering && !waited {
            let far = seg.at.saturating_since(at).as_nanos();
            self.far = [far, self.far[0]];
            self.now.far.add(far);
        }
    }

    /// Something is sent again.
    fn again(&mut self, at: Time, timer: bool) {
        let quiet = self.sent_at.max(self.heard_at);
        let last = Range { least: 0, most: (self.near.saturating_add(self.far[0]) / 1000) as u32 };
        if timer && at.saturating_since(quiet).as_nanos() >= LEAST_TIMEOUT {
            self.cut(quiet, Kind::Timer);
            self.cut(at, Kind::Round);
            self.timer = Some(self.next);
            self.unanswered += 1;
        } else if !self.now.has(mark::LOST) {
            self.now.at_loss = last.most;
        }
        self.now.marks |= mark::LOST;
        self.marked();
    }

    /// What goes on from stretch to stretch.
    fn marked(&mut self) {
        if self.timer.is_some() {
            self.now.marks |= mark::TIMER;
        }
    }

    /// A pause ends. One that is not longer than it takes to answer is none.
    fn resume(&mut self, at: Time) {
        let pause = at.saturating_since(self.now.from).as_nanos();
        if pause <= self.typical / 4 && self.drained_at == Time::ZERO {
            self.now.kind = Kind::Round;
        } else {
            let asked = self.asked_at.max(self.now.from).min(at);
            if self.asked_at > self.now.from {
                self.now.kind = Kind::Idle;
                self.cut(asked, Kind::Pause);
            }
            self.cut(at, Kind::Round);
            if pause >= DOZE {
                self.now.marks |= mark::FIRST;
            }
        }
        self.round = self.next.wrapping_add(1);
    }

    /// Data of the receiver's passes: a request, if the sender is a server.
    #[inline]
    pub(crate) fn asked(&mut self, at: Time) {
        self.asked_at = later(at, self.shift());
    }

    /// A round trip from here to the receiver.
    #[inline]
    pub(crate) fn rtt(&mut self, nanos: u64) {
        self.near = nanos;
        self.now.near.add(nanos);
        let whole = nanos.saturating_add(self.shift());
        self.typical = if self.typical == 0 { whole } else { self.typical / 8 * 7 + whole / 8 };
    }

    /// The receiver says something.
    #[inline]
    pub(crate) fn heard(&mut self, word: &Heard) {
        self.settle(word.at);
        if let (None, Some(value)) = (self.probe, word.value) {
            self.probe = Some((value, word.at));
        }
        self.unscaled = word.edge.is_none();
        let Heard { at, una, edge, closed, .. } = *word;
        let shift = self.shift();
        if shift < NO_SHIFT && self.words.is_empty() {
            self.arrive(&Word { due: at, una, edge, closed });
            return;
        }
        if self.words.len() >= MOST_WORDS
            && let Some(word) = self.words.pop_front()
        {
            self.arrive(&Word { due: at, ..word });
        }
        let due = later(at, shift).max(self.words.back().map_or(Time::ZERO, |last| last.due));
        self.words.push_back(Word { due, una, edge, closed });
    }

    /// Round trip between here and the sender.
    #[inline]
    fn shift(&self) -> u64 {
        self.far[0].min(self.far[1])
    }

    /// What the sender has heard by now.
    #[inline]
    fn settle(&mut self, at: Time) {
        while let Some(word) = self.words.front().copied().filter(|word| word.due <= at) {
            self.words.pop_front();
            self.arrive(&word);
        }
    }

    /// The sender hears something.
    #[inline]
    fn arrive(&mut self, word: &Word) {
        if after(word.una, self.una) {
            self.acknowledged(word);
        }
        self.edge = word.edge.or(if word.closed { Some(word.una) } else { None });
        if word.closed {
            self.now.marks |= mark::CLOSED;
        }
    }

    fn acknowledged(&mut self, word: &Word) {
        let at = word.due;
        let fresh = word.una.wrapping_sub(self.una);
        self.stalled(at);
        self.unanswered = 0;
        self.heard_at = at;
        if self.free_at == Time::ZERO {
            self.free_at = at;
        }
        self.una = word.una;
        self.now.delivered = self.now.delivered.saturating_add(fresh);
        if self.timer.is_some_and(|end| !after(end, self.una)) {
            self.timer = None;
        }
        if self.now.kind == Kind::Pause {
            return;
        }
        if self.flight() == 0 {
            self.cut(at, Kind::Pause);
        } else if !after(self.round, self.una) {
            self.cut(at, Kind::Round);
            self.round = self.next;
            self.now.flight = self.flight();
        }
    }

    /// A silence with data under way ends. It is a stall if it was longer than twice the round
    /// trip (TAPO, 3.1), and a delayed ACK cannot be why.
    fn stalled(&mut self, at: Time) {
        let quiet = self.sent_at.max(self.heard_at);
        let silence = at.saturating_since(quiet).as_nanos();
        let mss = self.largest.max(1);
        let slack = if self.flight() > 2 * mss { LEAST_STALL } else { DELAYED_ACK };
        let patience = self.typical.saturating_add(self.typical.max(slack));
        if silence <= patience || self.now.kind != Kind::Round || self.timer.is_some() {
            return;
        }
        let since = if self.sent_at >= self.heard_at { self.typical } else { 0 };
        let waking = self.now.has(mark::FIRST);
        self.cut(later(quiet, since), if waking { Kind::Waking } else { Kind::Gap });
        self.cut(at, Kind::Round);
    }

    /// The present stretch ends, and one of another kind begins.
    fn cut(&mut self, at: Time, next: Kind) {
        let at = at.max(self.now.from);
        if self.drained_at > Time::ZERO {
            let since = self.drained_at.max(self.now.from);
            self.now.drained += at.saturating_since(since).as_nanos();
            self.drained_at = at;
        }
        let marks = self.now.marks & mark::CLOSED;
        let done = Round { to: at, ..std::mem::take(&mut self.now) };
        self.now = Round { from: at, kind: next, ..Round::default() };
        if next == Kind::Pause {
            self.now.marks = marks;
        }
        self.marked();
        if done.nanos() == 0 && done.delivered == 0 {
            return;
        }
        self.pending.push(done);
        if self.pending.len() > MOST_ROUNDS {
            self.judge(MOST_ROUNDS / 2);
        }
    }

    /// Judges the first `n` stretches that wait.
    fn judge(&mut self, n: usize) {
        self.judge.learn(&self.pending);
        for round in self.pending.drain(..n) {
            let cause = self.judge.judge(&round);
            if let Some(kept) = &mut self.kept {
                keep(kept, &round, cause);
            }
        }
    }

    /// What is to be said in the end; `place` as the handshake has it.
    pub(crate) fn causes(&self, place: Place, start: Time) -> Option<(Causes, Vec<Interval>)> {
        let mut done = self.copied();
        done.finish();
        let place = self.place(place);
        let origin = Origin { position: place.position(), confidence: self.confidence(&place) };
        let mut list = done.kept.unwrap_or_default();
        let begun = start.as_secs_f64();
        list.iter_mut().for_each(|interval| {
            (interval.from_s, interval.to_s) = (interval.from_s - begun, interval.to_s - begun);
        });
        Some((done.judge.causes(origin)?, list))
    }

    /// All that is known of the place.
    fn place(&self, place: Place) -> Place {
        let base = self.judge.base(&self.pending);
        let nanos = |micros: Option<u32>| micros.map(|micros| 1000 * u64::from(micros));
        Place {
            to_sender: place.to_sender.or(nanos(base[1])),
            to_receiver: place.to_receiver.or(nanos(base[0])),
            offload: self.offload,
        }
    }

    fn confidence(&self, place: &Place) -> Confidence {
        match place.position() {
            Position::Unknown => Confidence::Doubtful,
            _ if self.unscaled => Confidence::Doubtful,
            Position::Sender => Confidence::Certain,
            _ => Confidence::Likely,
        }
    }

    fn copied(&self) -> Watch {
        Watch {
            words: self.words.clone(),
            pending: self.pending.clone(),
            judge: self.judge.clone(),
            kept: self.kept.clone(),
            ..*self
        }
    }

    /// The capture has ended: what the sender heard last ends what is judged, unless it waits
    /// for an answer still.
    fn finish(&mut self) {
        self.settle(Time::from_nanos(u64::MAX));
        let (sent, heard) = (self.sent_at, self.heard_at);
        if self.now.kind == Kind::Round && self.flight() > 0 {
            let gone = self.unanswered >= 2;
            let end = sent.max(heard);
            if gone {
                let since = heard.max(self.now.from);
                // Timers since the peer was heard last are its silence, too.
                self.pending.retain(|round| round.from < since);
                self.now = Round { from: since, kind: Kind::Gone, ..Round::default() };
            }
            self.cut(end, Kind::Pause);
        }
        let all = self.pending.len();
        self.judge(all);
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let kept = self.kept.as_ref().map_or(0, |kept| kept.capacity() * size_of::<Interval>());
        self.words.capacity() * size_of::<Word>()
            + self.pending.capacity() * size_of::<Round>()
            + kept
    }
}

/// Adds to a list, in which neighbours with one cause are one.
fn keep(list: &mut Vec<Interval>, round: &Round, cause: super::Cause) {
    const MOST: usize = 100_000;
    let (from_s, to_s) = (round.from.as_secs_f64(), round.to.as_secs_f64());
    let full = list.len() >= MOST;
    match list.last_mut() {
        Some(last) if last.cause == cause || full => {}
        _ => list.push(Interval { from_s, to_s, cause }),
    }
    if let Some(last) = list.last_mut() {
        last.to_s = to_s;
    }
}

fn later(at: Time, nanos: u64) -> Time {
    at.saturating_add(Duration::from_nanos(nanos))
}
