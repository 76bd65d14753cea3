//! Watch over one direction: events become stretches of the sender's time, and these are judged.

use airpath_base::{Duration, Time};

use super::Cause;
use super::beside::{Beside, Standing};
use super::event::{Ack, Event, Segment};
use super::evidence::delay::{Arrival, Delay, NO_SHIFT};
use super::evidence::departures::Departures;
use super::evidence::flight::Flight;
use super::evidence::known::path::Path;
use super::evidence::known::queues::rise;
use super::evidence::one_way::OneWay;
use super::evidence::recovery::Recovery;
use super::evidence::room::Room;
use super::evidence::segments::Segments;
use super::evidence::stretches::Stretches;
use super::evidence::supply::Supply;
use super::evidence::to_receiver::ToReceiver;
use super::evidence::to_sender::ToSender;
use super::evidence::{earlier, later};
use super::hypotheses::Rule;
use super::judge::Judge;
use super::stretch::{Kind, Stretch};
use crate::sequence::after;

/// Greatest time by which ACKs count as arrived early, in nanoseconds, since their arrival is computed.
pub(super) const BLUR: u64 = 1_000_000;
/// Silence of a sender behind which a radio that slept before sleeps again. Huang et al. (MobiSys 2012) found 100 ms.
const SLEEP: Duration = Duration::from_millis(100);

/// Follows the sender of one direction. This file alone changes its times; each gauge has a file of its own.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// True if the sender is the server.
    pub(super) serves: bool,
    /// Times of the first data and of the last; zero before.
    pub(super) first: Time,
    pub(super) sent_at: Time,
    /// Time of the last new data.
    pub(super) fresh_at: Time,
    /// Times at which the last ACK of new data reached the sender, and the last one of all.
    pub(super) answered_at: Time,
    /// Time of the first ACK of new data at the sender; the end of time before.
    pub(super) first_answer: Time,
    pub(super) acked_at: Time,
    /// Time at which the receiver's last data reaches the sender; zero before the first.
    pub(super) request_at: Time,
    /// Time of the last data behind a silence in which a radio may have slept; zero before.
    pub(super) slept_at: Time,
    /// True if a radio woke up before.
    pub(super) wakes: bool,
    /// Time at which an ACK released data last.
    released_at: Time,
    /// Bytes that other flows of the client's host have carried in the direction, up to the present stretch and up to now.
    others: [u64; 2],
    /// Greatest queues that these flows measured in the present stretch, along the direction and against it, in
    /// microseconds.
    queues: [u32; 2],
    /// Round trips until now, and the queue of the last one, until it is taken.
    path: Path,
    standing: Option<Standing>,
    /// Numbers of the present stretch's first packet and of the last packet.
    pub(super) packets: [u32; 2],
    pub(super) delay: Delay,
    pub(super) flight: Flight,
    pub(super) segments: Segments,
    pub(super) room: Room,
    pub(super) supply: Supply,
    pub(super) recovery: Recovery,
    pub(super) to_sender: ToSender,
    pub(super) departures: Departures,
    /// Delays of the receiver's segments.
    pub(super) back: OneWay,
    pub(super) to_receiver: ToReceiver,
    pub(super) stretches: Stretches,
    pub(super) judge: Judge,
}

/// State of a connection before the first data of a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Lowest sequence number that is not acknowledged.
    pub(crate) una: u32,
    /// Round trips of the handshake to the sender and to the receiver, in nanoseconds; zero if not known.
    pub(crate) sides: [u64; 2],
    /// True if a list of intervals is kept.
    pub(crate) keep: bool,
    /// True if the sender is the server.
    pub(crate) serves: bool,
    /// Time of the receiver's last segment.
    pub(crate) answered: Time,
}

impl Watch {
    /// Before the first data; `rules` are those of all causes, in their order.
    pub(crate) fn new(start: &Start, rules: &'static [(Cause, Rule)]) -> Watch {
        let [far, near] = start.sides;
        let whole = far.saturating_add(near);
        Watch {
            serves: start.serves,
            first: Time::ZERO,
            sent_at: Time::ZERO,
            fresh_at: Time::ZERO,
            answered_at: start.answered,
            first_answer: Time::from_nanos(u64::MAX),
            acked_at: start.answered,
            request_at: Time::ZERO,
            slept_at: Time::ZERO,
            wakes: false,
            released_at: Time::ZERO,
            others: [0; 2],
            queues: [0; 2],
            path: Path::new(far),
            standing: None,
            packets: [0; 2],
            delay: Delay::new(),
            flight: Flight::new(start.una),
            segments: Segments::default(),
            room: Room::new(),
            supply: Supply::default(),
            recovery: Recovery::default(),
            to_sender: ToSender::new((whole > 0).then_some(far)),
            departures: Departures::default(),
            back: OneWay::default(),
            to_receiver: ToReceiver::new(near, whole),
            stretches: Stretches::new(),
            judge: Judge::new(start.sides, start.keep, rules),
        }
    }

    /// Notes what other flows of the client's host carry and measure.
    #[inline]
    pub(crate) fn beside(&mut self, others: Beside) {
        self.others[1] = others.bytes;
        self.queues = [self.queues[0].max(others.along), self.queues[1].max(others.against)];
    }

    /// Queue of the direction in the last round trip, once.
    #[inline]
    pub(crate) fn take_standing(&mut self) -> Option<Standing> {
        self.standing.take()
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Sent(seg) => self.sent(seg, None),
            Event::Lost(seg, by_timer) => self.sent(seg, Some(*by_timer)),
            Event::Rtt(nanos) => self.delay.sample(*nanos),
            Event::Acknowledged(ack) => self.passes(ack),
            Event::Marked(at) => {
                self.settle(*at);
                self.recovery.marked();
            }
            Event::Request(at) => self.request_at = later(*at, self.to_sender.shift()),
        }
    }

    /// A segment with data passes. `again` is given if it was lost, and true if the timer may have sent it.
    #[inline]
    fn sent(&mut self, seg: &Segment, again: Option<bool>) {
        let far = self.to_sender.shift();
        let early = if far < NO_SHIFT { 0 } else { (far / 16).min(BLUR) };
        self.settle(later(seg.at, early));
        self.packets[1] = seg.number;
        if self.first == Time::ZERO {
            self.first = seg.at;
            self.stretches.begin(seg.at);
            self.dozed(seg.at.saturating_since(self.answered_at));
        }
        if seg.at.saturating_since(self.sent_at) >= SLEEP {
            self.slept_at = seg.at;
        }
        let late = self.late(seg);
        if late > 0 {
            self.to_sender.forget();
        }
        let waited = self.supply.is_drained() || self.stretches.kind() != Kind::Round;
        self.to_sender.sent(seg, waited || seg.recovering || again.is_some());
        match again {
            Some(by_timer) => self.again(seg, by_timer),
            None if after(seg.end, self.flight.next()) => self.fresh(seg, late),
            None => {}
        }
        self.sent_at = seg.at;
    }

    /// New data that comes so many nanoseconds late.
    #[inline]
    fn fresh(&mut self, seg: &Segment, late: u64) {
        let at = seg.at;
        // The time at which the segment was due, had the path not stood still.
        let due = earlier(at, late);
        self.was_alone(seg);
        let from = self.stretches.from();
        let released = self.is_released(seg);
        if self.stretches.kind() == Kind::Pause {
            self.pause_ends(seg, due);
        } else {
            let may_send = !seg.recovering && !self.recovery.is_by_timer();
            let least = may_send.then(|| self.to_receiver.whole() / 4);
            self.supply.withheld(due, from, least, released);
        }
        if let Some(since) = self.supply.begun().filter(|_| released) {
            self.stretches.were_held(since);
        }
        if late > 0 {
            self.supply.unknown();
            self.stall(at, late);
        }
        self.flight.send(seg.end);
        self.fresh_at = at;
        let mss = self.segments.size(seg);
        // Merged segments show no last one, where neither the MSS nor a segment of its size is known.
        let merged = seg.mss == 0 && self.segments.largest() != mss && seg.len > mss;
        let whole = merged || seg.len.is_multiple_of(mss);
        let room = self.room.sent(at, self.stretches.from(), (seg.end, mss), whole);
        if room && !whole {
            self.departures.small(seg.end, self.flight.una());
        }
        self.supply.sent(at, room && !whole);
    }

    /// True if an ACK without data released data that is sent now.
    #[inline]
    fn is_released(&mut self, seg: &Segment) -> bool {
        let at = seg.at;
        let requested = self.request_at >= self.answered_at;
        let answered = if requested { Time::ZERO } else { self.answered_at };
        let released = self.departures.sent(at, seg.len, answered, self.to_sender.shift());
        // Nagle's algorithm delays small writes, too. It slows a dialogue only.
        let dialogue = self.request_at > self.released_at;
        let buffer = self.flight.most().max(self.stretches.flight()) >= 3 * self.segments.size(seg);
        let released = released && (dialogue || buffer);
        if released {
            self.released_at = at;
        }
        released
    }

    /// A segment of the receiver's passes.
    #[inline]
    fn passes(&mut self, ack: &Ack) {
        self.settle(ack.at);
        self.packets[1] = self.packets[1].max(ack.number);
        if let Some((value, _)) = ack.stamps {
            self.back.pass(ack.at, value);
            self.to_sender.probe(value, ack.at);
        }
        self.room.scaled(ack.edge.is_some());
        if ack.recovering {
            self.recovery.repairs();
        }
        if let Some(arrival) = self.delay.pass(ack, self.to_sender.shift()) {
            self.arrive(&arrival);
        }
    }

    /// Takes the ACKs that have reached the sender by `at`.
    #[inline]
    pub(super) fn settle(&mut self, at: Time) {
        while let Some(arrival) = self.delay.arrived(at) {
            self.arrive(&arrival);
        }
    }

    /// An ACK reaches the sender.
    #[inline]
    fn arrive(&mut self, ack: &Arrival) {
        let at = ack.due;
        if after(ack.una, self.flight.una()) {
            self.acknowledged(ack);
        }
        self.acked_at = at;
        let had_room = self.has_room();
        self.room.announce(ack.edge, ack.closed, ack.una, ack.window);
        let room = self.has_room();
        self.room.bounded(at, self.stretches.from(), room);
        match (had_room, room) {
            (_, false) => self.supply.no_room(),
            (false, true) if self.stretches.kind() == Kind::Pause => self.cut(at, Kind::Pause),
            (false, true) => self.supply.room(at),
            _ => {}
        }
    }

    /// True if the receiver's window has room for a segment, or is not known.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.room.holds(self.flight.next(), self.segments.largest())
    }

    /// New data is acknowledged.
    fn acknowledged(&mut self, ack: &Arrival) {
        let at = ack.due;
        self.needless(ack);
        self.measured(ack);
        self.recovery.answered(ack.una);
        self.answered_at = at;
        self.first_answer = self.first_answer.min(at);
        self.supply.answered(at);
        self.flight.acknowledge(ack.una);
        if self.stretches.kind() == Kind::Pause {
            return;
        }
        if self.flight.bytes() == 0 {
            self.cut(at, Kind::Pause);
        } else if self.flight.is_round_over() {
            self.cut(at, Kind::Round);
            self.flight.begin_round();
        }
    }

    /// Ends the present stretch, and begins one of another kind.
    pub(super) fn cut(&mut self, at: Time, next: Kind) {
        let to = at.max(self.stretches.from());
        let gauged = self.gauged(to, next);
        self.stand(&gauged, to);
        let judged = self.stretches.cut(gauged, to, next);
        if judged > 0 {
            self.judge_first(judged);
        }
    }

    /// Measures the queue of a round trip for other flows. Only timestamps of both ends tell its direction.
    fn stand(&mut self, gauged: &Stretch, to: Time) {
        let round = Stretch { from: self.stretches.from(), to, ..*gauged };
        self.path.meet(&round);
        self.path.serve(self.to_sender.serves() && self.back.serves());
        let forth = self.path.queued(&round).map(|queued| queued.forth());
        if let Some(forth) = forth.filter(|_| self.stretches.kind() == Kind::Round) {
            let stands = forth >= rise(self.path.least());
            self.standing = Some(Standing::new(if stands { forth } else { 0 }, &round));
        }
    }

    /// All that gauges have of the present stretch. They begin anew.
    pub(super) fn gauged(&mut self, to: Time, next: Kind) -> Stretch {
        let from = self.stretches.from();
        let edge = next == Kind::Pause && !self.has_room();
        let (edged, bounds) = self.room.cut(from, to, edge);
        let (delivered, flight) = self.flight.cut();
        let (far, sent) = self.to_sender.cut();
        let (drained, held) = self.supply.cut(from, to);
        let packets = self.packets;
        self.packets[0] = packets[1];
        let [since, others] = self.others;
        self.others[0] = others;
        let [along, against] = std::mem::take(&mut self.queues);
        Stretch {
            along,
            against,
            near: self.to_receiver.cut(),
            far,
            sent,
            back: self.back.cut(),
            bursts: self.departures.cut(),
            drained,
            held,
            packets,
            others: u32::try_from(others.saturating_sub(since)).unwrap_or(u32::MAX),
            edged,
            delivered,
            flight,
            marks: bounds | self.recovery.cut(),
            ..Stretch::default()
        }
    }

    /// Judges the first `n` stretches that wait.
    pub(super) fn judge_first(&mut self, n: usize) {
        self.judge.serve(self.to_sender.serves() && self.back.serves());
        self.judge.meet(self.stretches.done());
        self.stretches.resolve(self.judge.path().near());
        self.judge.learn(self.stretches.done(), self.segments.largest());
        self.stretches.take(n).for_each(|stretch| self.judge.judge(&stretch));
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.delay.heap() + self.stretches.heap() + self.judge.heap()
    }
}
