//! The sender's place: what it knew when it sent, worked out from where the capture was made.
//!
//! Data passes here some time after it was sent, and acknowledgements are heard by the sender
//! some time after they pass here. The sum of both is the round trip between here and the sender:
//! so much later than an acknowledgement the first data passes that was sent in its knowledge. So
//! acknowledgements wait here for that long, and then the state is the sender's as of the data
//! that passes. That round trip is measured by timestamps that come back (as K. Nichols's pping
//! does), or else taken from the handshake.

use std::collections::VecDeque;

use airpath_base::Time;

use super::judge::Judge;
use super::outcome::Kept;
use super::rounds::{Kind, Round, mark};
use super::ticks::Ticks;
use super::waits::{earlier, later};
use crate::tcp::after;

/// Acknowledgements that wait; when there are more, the oldest are heard too early.
const MOST_WORDS: usize = 1024;
/// A shift below this changes nothing.
pub(super) const NO_SHIFT: u64 = 200_000;

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
    /// Its timestamp, and the one that comes back.
    pub(crate) stamps: Option<(u32, u32)>,
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
    /// Its timestamp, and the one that comes back.
    pub(crate) stamps: Option<(u32, u32)>,
    /// Whether a loss is being repaired.
    pub(crate) recovering: bool,
    /// How often it reported marks (CE) until now.
    pub(crate) reports: u32,
    /// Whether it is no plain answer to data that goes on: with a SACK block it answers what came
    /// twice (RFC 2883), or behind a gap; with a FIN it is sent as the receiver's program closes.
    pub(crate) unasked: bool,
}

/// What the sender has yet to hear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) due: Time,
    pub(super) una: u32,
    pub(super) edge: Option<u32>,
    pub(super) closed: bool,
    pub(super) echo: Option<u32>,
    /// The round trip from here to the receiver that it gives.
    pub(super) sample: Option<u64>,
}

/// Follows the sender of one direction.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(super) words: VecDeque<Word>,
    pub(super) pending: Vec<Round>,
    pub(super) judge: Judge,
    pub(super) kept: Option<Vec<Kept>>,
    /// Whether the sender answers requests.
    pub(super) serves: bool,
    /// The present stretch.
    pub(super) now: Round,
    /// When it was begun in all, and the flow.
    pub(super) first: Time,
    /// Behind the last data when the round began, behind the highest, and what the sender knows
    /// to be acknowledged; the right edge that it knows.
    pub(super) round: u32,
    pub(super) next: u32,
    pub(super) una: u32,
    pub(super) edge: Option<u32>,
    /// Until this is acknowledged, the timer's doing is not over.
    pub(super) timer: Option<u32>,
    /// Timestamp of what the timer sent first, while nothing is heard.
    pub(super) struck: Option<u32>,
    /// Timers since something was heard.
    pub(super) unanswered: u32,
    /// When it sent last, heard of data that arrived last, heard anything last, and since when it heard something without sending.
    pub(super) sent_at: Time,
    pub(super) heard_at: Time,
    pub(super) told_at: Time,
    pub(super) free_at: Time,
    /// Since when the application is known to have nothing more; zero if it may have.
    pub(super) drained_at: Time,
    /// When the peer's data came last, as heard by the sender.
    pub(super) asked_at: Time,
    /// Since when the receiver's window has no room; zero if it has.
    pub(super) edge_at: Time,
    /// A timestamp that will come back, and when it passed.
    pub(super) probe: Option<(u32, Time)>,
    /// Whether the timer struck in what came first behind a pause.
    pub(super) waking: bool,
    /// Last round trips to the sender, zero if not known; to the receiver the last and the least.
    pub(super) far: [u64; 2],
    pub(super) near: [u64; 2],
    /// The least round trip to the sender; the greatest number if none is known.
    pub(super) least_far: u64,
    /// Time of the receiver's last segment, at the capture point.
    pub(super) said_at: Time,
    /// The last one that an ACK gave.
    pub(super) sample: Option<u64>,
    /// Round trip of the whole path, smoothed.
    pub(super) typical: u64,
    /// When a pause began, and a full segment that ended it passed, before the next does.
    pub(super) alone: Option<(Time, Time)>,
    /// When the last stall ended.
    pub(super) stalled_at: Time,
    /// The sender's clock.
    pub(super) ticks: Ticks,
    /// Greatest segment up to what the SYNs allow, and whether larger ones passed.
    pub(super) largest: u32,
    pub(super) offload: bool,
    /// Whether the window's scale is not known.
    pub(super) unscaled: bool,
    /// How often marks were reported.
    pub(super) reports: u32,
}

impl Watch {
    /// Before the first data, with round trips from the handshake, that to the sender first; a
    /// list of intervals is kept if `keep`, and `serves` says that the sender is the server; the
    /// receiver was `heard` last before.
    pub(crate) fn new(una: u32, sides: [u64; 2], keep: bool, serves: bool, heard: Time) -> Watch {
        let [far, near] = sides;
        Watch {
            words: VecDeque::new(),
            pending: Vec::new(),
            judge: Judge::new(far.saturating_add(near)),
            kept: keep.then(Vec::new),
            now: Round::default(),
            serves,
            first: Time::ZERO,
            round: una,
            next: una,
            una,
            edge: None,
            timer: None,
            struck: None,
            unanswered: 0,
            sent_at: Time::ZERO,
            heard_at: heard,
            told_at: heard,
            free_at: Time::ZERO,
            drained_at: Time::ZERO,
            asked_at: Time::ZERO,
            edge_at: Time::ZERO,
            probe: None,
            waking: false,
            far: [far, far],
            near: [0, if near > 0 { near } else { u64::MAX }],
            least_far: if far > 0 { far } else { u64::MAX },
            said_at: heard,
            sample: None,
            typical: far.saturating_add(near),
            alone: None,
            stalled_at: Time::ZERO,
            ticks: Ticks::default(),
            largest: 0,
            offload: false,
            unscaled: false,
            reports: 0,
        }
    }

    /// A segment with data passes.
    #[inline]
    pub(crate) fn sent(&mut self, seg: &Sending) {
        self.settle(seg.at);
        if self.first == Time::ZERO {
            (self.first, self.now.from) = (seg.at, seg.at);
            self.now.marks |= self.dozed(seg.at.saturating_since(self.heard_at));
        }
        let late = self.late(seg);
        if late > 0 {
            self.probe = None;
        }
        self.came_back(seg);
        match seg.copy {
            Some(timer) => self.again(seg, timer),
            None if after(seg.end, self.next) => self.fresh(seg, late),
            None => {}
        }
        self.sent_at = seg.at;
    }

    /// New data.
    #[inline]
    fn fresh(&mut self, seg: &Sending, late: u64) {
        let at = seg.at;
        // When it was sent, had the path not stood still.
        let due = earlier(at, late);
        self.was_alone(seg);
        if self.now.kind == Kind::Pause {
            let from = self.now.from;
            if self.lacks(seg) {
                self.now.kind = Kind::Timer;
                self.cut(due, Kind::Round);
                self.now.marks |= mark::LOST;
                self.round = self.next.wrapping_add(1);
            } else {
                self.resume(due);
                self.alone(seg, from);
            }
        } else {
            self.now.drained += self.withheld(due, seg.recovering);
        }
        if late > 0 {
            self.drained_at = Time::ZERO;
            self.stall(at, late);
        }
        self.next = seg.end;
        let mss = self.size(seg);
        let at_edge = self.at_edge(mss);
        self.bounded(at, at_edge);
        // Where the MSS is not known, nor any segment of its size, merged ones tell no last one.
        let merged = seg.mss == 0 && self.largest != mss && seg.len > mss;
        let whole = merged || seg.len.is_multiple_of(mss);
        self.drained_at = if at_edge || whole { Time::ZERO } else { at };
        self.free_at = Time::ZERO;
        self.now.flight = self.now.flight.max(self.flight());
    }

    /// For how long the sender could have sent this and did not.
    #[inline]
    fn withheld(&self, at: Time, recovering: bool) -> u64 {
        if self.drained_at > Time::ZERO {
            return at.saturating_since(self.drained_at.max(self.now.from)).as_nanos();
        }
        if self.free_at == Time::ZERO || recovering || self.timer.is_some() {
            return 0;
        }
        let free = at.saturating_since(self.free_at).as_nanos();
        if free > self.typical / 4 { free } else { 0 }
    }

    /// Size of a full segment.
    #[inline]
    pub(super) fn size(&mut self, seg: &Sending) -> u32 {
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

    pub(super) fn flight(&self) -> u32 {
        (self.next.wrapping_sub(self.una) as i32).max(0) as u32
    }

    /// A timestamp has come back with data: that took the round trip to the sender, if it did not
    /// wait for anything else.
    #[inline]
    fn came_back(&mut self, seg: &Sending) {
        let (Some((value, at)), Some((_, echo))) = (self.probe, seg.stamps) else { return };
        if after(value, echo) {
            return;
        }
        self.probe = None;
        let waited = self.drained_at > Time::ZERO || self.now.kind != Kind::Round;
        if seg.copy.is_none() && !seg.recovering && !waited {
            let far = seg.at.saturating_since(at).as_nanos();
            self.far = [far, self.far[0]];
            self.least_far = self.least_far.min(far);
            self.now.far.add(far);
        }
    }

    /// Data of the receiver's passes: a request, if the sender is a server.
    #[inline]
    pub(crate) fn asked(&mut self, at: Time) {
        self.asked_at = later(at, self.shift());
    }

    /// A round trip from here to the receiver.
    #[inline]
    pub(crate) fn rtt(&mut self, nanos: u64) {
        self.sample = Some(nanos);
    }

    /// The receiver says something.
    #[inline]
    pub(crate) fn heard(&mut self, word: &Heard) {
        self.settle(word.at);
        self.said_at = word.at;
        if let (None, Some((value, _))) = (self.probe, word.stamps) {
            self.probe = Some((value, word.at));
        }
        self.unscaled = word.edge.is_none();
        if word.recovering {
            self.now.marks |= mark::REPAIR;
        }
        let known = std::mem::replace(&mut self.reports, word.reports);
        if known != word.reports && word.at > Time::ZERO {
            self.now.marks |= mark::MARKED;
        }
        let Heard { at, una, edge, closed, stamps, .. } = *word;
        let echo = stamps.map(|(_, echo)| echo).filter(|_| !word.unasked);
        let sample = self.sample.take();
        let shift = self.shift();
        if shift < NO_SHIFT && self.words.is_empty() {
            self.arrive(&Word { due: at, una, edge, closed, echo, sample });
            return;
        }
        if self.words.len() >= MOST_WORDS
            && let Some(word) = self.words.pop_front()
        {
            self.arrive(&Word { due: at, ..word });
        }
        let due = later(at, shift).max(self.words.back().map_or(Time::ZERO, |last| last.due));
        self.words.push_back(Word { due, una, edge, closed, echo, sample });
    }

    /// Round trip between here and the sender.
    #[inline]
    pub(super) fn shift(&self) -> u64 {
        self.far[0].min(self.far[1])
    }

    /// What the sender has heard by now.
    #[inline]
    pub(super) fn settle(&mut self, at: Time) {
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
        self.told_at = word.due;
        let had_room = self.has_room();
        self.edge = word.edge.or(if word.closed { Some(word.una) } else { None });
        if word.closed {
            self.now.marks |= mark::CLOSED;
        }
        self.bounded(word.due, !self.has_room());
        match (had_room, self.has_room()) {
            (_, false) => self.free_at = Time::ZERO,
            (false, true) if self.now.kind == Kind::Pause => self.cut(word.due, Kind::Pause),
            (false, true) => self.free_at = word.due,
            _ => {}
        }
    }

    /// From now on the receiver's window has room, or not.
    #[inline]
    fn bounded(&mut self, at: Time, full: bool) {
        let since = self.edge_at.max(self.now.from);
        match (self.edge_at > Time::ZERO, full) {
            (true, false) => {
                self.now.edged += at.saturating_since(since).as_nanos();
                self.edge_at = Time::ZERO;
            }
            (false, true) => self.edge_at = at,
            _ => {}
        }
    }

    /// Whether the receiver's window, if it is known, has room for a segment.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        let room = |edge: u32| edge.wrapping_sub(self.next) as i32;
        self.edge.is_none_or(|edge| room(edge) >= self.largest as i32)
    }

    fn acknowledged(&mut self, word: &Word) {
        let at = word.due;
        let fresh = word.una.wrapping_sub(self.una);
        self.needless(word);
        self.measured(word);
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
}
