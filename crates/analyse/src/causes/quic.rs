//! Causes of a QUIC direction's rate, as far as its packets show them from outside.
//!
//! Numbers, acknowledgements and windows are encrypted (RFC 9001, 5.4). Seen are times and sizes of datagrams, round trips
//! of the handshake, and those of the spin bit (RFC 9312, 3.8). From these follow
//!
//! - silences of both ends, longer than a round trip: the end that breaks one had something to send only then;
//! - the rate against its own past: while it grows, the path is not full;
//! - a queue: round trips of the spin bit above the least one. An edge waits for the next packet of its end, so the
//!   longest time without one is no queue's.
//!
//! Not seen are losses, the receiver's window, and the direction of a queue. Without the spin bit no queue is seen either.

use airpath_base::{Duration, Time};

use super::beside::Beside;
use super::evidence::known::queues::rise;
use super::hypotheses::{
    Case, Measure, Rule, application, bottleneck, cannot_tell, client_idle, shared_bottleneck,
    slow_start,
};
use super::judge::Judge;
use super::outcome::Outcome;
use super::position::{Place, Position};
use super::stretch::{Kind, Range, Stretch, mark};
use super::sums::Origin;
use super::{Cause, Confidence};

/// Least duration of a stretch, and that of a round trip before one is known.
const SPAN: Duration = Duration::from_millis(100);
/// Greatest delay of an ACK in microseconds (RFC 9000, 18.2: max_ack_delay).
const ACK_DELAY: u64 = 25_000;
/// Growth of the rate in a stretch from which it is no noise.
const GROWS: f64 = 1.2;
/// Bytes of a full segment (RFC 9000, 14: the least that every path carries).
const SEGMENT: u32 = 1200;

/// Rules of QUIC, in the order in which they are tried.
pub(crate) const RULES: &[(Cause, Rule)] = &[
    (
        Cause::ClientIdle,
        Rule {
            rivals: &[Cause::Timeout, Cause::RadioGap],
            trust: |_| 0.9,
            holds: |case| case.stretch.kind == Kind::Idle,
            ..client_idle::RULE
        },
    ),
    (
        Cause::Application,
        Rule {
            rivals: &[Cause::Timeout, Cause::RadioGap],
            trust: |_| 0.85,
            measure: Measure::Time,
            holds: |case| case.stretch.kind == Kind::Pause,
            ..application::RULE
        },
    ),
    (
        Cause::SharedBottleneck,
        Rule {
            trust: |_| 0.85,
            holds: |case| is_full(case) && case.known.company.counts(),
            ..shared_bottleneck::RULE
        },
    ),
    (Cause::Bottleneck, Rule { trust: |_| 0.9, holds: is_full, ..bottleneck::RULE }),
    (
        Cause::SlowStart,
        Rule {
            rivals: &[Cause::Application, Cause::Bottleneck],
            trust: |_| 0.7,
            holds: |case| case.stretch.has(mark::FIRST),
            ..slow_start::RULE
        },
    ),
    (
        Cause::CannotTell,
        Rule {
            rivals: &[
                Cause::Application,
                Cause::LossWithoutQueue,
                Cause::ReceiverWindow,
                Cause::Bottleneck,
            ],
            ..cannot_tell::RULE
        },
    ),
];

fn is_full(case: &Case<'_>) -> bool {
    case.stretch.has(mark::MARKED)
}

/// Follows what one end sends.
#[derive(Clone, Debug)]
pub(crate) struct QuicWatch {
    judge: Judge,
    /// True if the sender is the server.
    serves: bool,
    /// Begin of the present stretch, and the last datagrams of the sender and of the other end.
    from: Time,
    sent_at: Time,
    other_at: Time,
    /// Longest time without a datagram of the sender and of the other end in the stretch, in nanoseconds.
    gaps: [u64; 2],
    /// True in a silence that the other end broke.
    requested: bool,
    /// End of the last silence.
    resumed: Time,
    bytes: u32,
    /// Datagrams of the stretch, and of all before.
    packets: u32,
    count: u32,
    /// Round trips of the stretch to the other end and to the sender.
    near: Range,
    far: Range,
    /// Shortest round trip of the whole path, in nanoseconds; zero if not known.
    trip: u64,
    /// True if a queue stood when round trips were seen last.
    standing: bool,
    /// Greatest rate until now, in bytes a nanosecond.
    most: f64,
    others: [u64; 2],
}

impl QuicWatch {
    /// Before the first datagram, where the handshake took so many nanoseconds to the sender and to the other end.
    pub(crate) fn new(at: Time, serves: bool, [far, near]: [Option<u64>; 2]) -> QuicWatch {
        let sides = [far.unwrap_or(0), near.unwrap_or(0)];
        QuicWatch {
            judge: Judge::new(sides, false, RULES),
            serves,
            from: at,
            sent_at: at,
            other_at: at,
            gaps: [0; 2],
            requested: false,
            resumed: at,
            bytes: 0,
            packets: 0,
            count: 1,
            near: Range::default(),
            far: Range::default(),
            trip: sides[0].saturating_add(sides[1]),
            standing: false,
            most: 0.0,
            others: [0; 2],
        }
    }

    /// Notes what other flows of the client's host carry.
    pub(crate) fn beside(&mut self, others: Beside) {
        self.others[1] = others.bytes;
    }

    /// A round trip by the spin bit in nanoseconds, to the other end or to the sender. One that holds a silence is none.
    pub(crate) fn spun(&mut self, at: Time, to_sender: bool, nanos: u64) {
        let since = at.saturating_since(self.resumed).as_nanos();
        if nanos <= since && !self.requested && !self.is_silent(at) {
            if to_sender { self.far.add(nanos) } else { self.near.add(nanos) }
        }
    }

    /// The other end sends.
    pub(crate) fn answer(&mut self, at: Time) {
        if !self.requested && self.is_silent(at) {
            self.end(self.sent_at.max(self.other_at));
            self.requested = true;
        }
        self.gaps[1] = self.gaps[1].max(at.saturating_since(self.other_at).as_nanos());
        self.other_at = at;
    }

    /// The sender sends so many bytes.
    pub(crate) fn data(&mut self, at: Time, bytes: u32) {
        if !self.requested && self.is_silent(at) {
            self.end(self.sent_at.max(self.other_at));
            self.pause(at, Kind::Pause);
        } else if self.requested {
            // A server that has nothing more to answer waits for its client.
            self.pause(at, if self.serves { Kind::Idle } else { Kind::Pause });
        } else if at.saturating_since(self.from) >= self.span() {
            self.end(at);
        }
        let gap = at.saturating_since(self.sent_at.max(self.resumed)).as_nanos();
        self.gaps[0] = self.gaps[0].max(gap);
        self.bytes = self.bytes.saturating_add(bytes);
        self.packets = self.packets.saturating_add(1);
        self.sent_at = at;
    }

    /// Duration of a stretch: a round trip.
    fn span(&self) -> Duration {
        SPAN.max(Duration::from_nanos(self.trip))
    }

    /// True if neither end has sent for longer than an answer takes.
    fn is_silent(&self, at: Time) -> bool {
        let nanos = self.span().as_nanos().saturating_add(1000 * ACK_DELAY);
        at.saturating_since(self.sent_at.max(self.other_at)).as_nanos() >= nanos
    }

    /// Ends the present stretch with a silence up to `at`.
    fn pause(&mut self, at: Time, kind: Kind) {
        let packets = [self.count; 2];
        self.judge.judge(&Stretch { from: self.from, to: at, kind, packets, ..Stretch::default() });
        (self.from, self.resumed, self.requested, self.gaps) = (at, at, false, [0; 2]);
    }

    /// Ends the present stretch.
    fn end(&mut self, at: Time) {
        let nanos = at.saturating_since(self.from).as_nanos();
        let last = self.count.saturating_add(self.packets);
        let (packets, bytes) = ([self.count, last], self.bytes);
        let [own, theirs] = std::mem::take(&mut self.gaps);
        let rate = f64::from(bytes) / nanos.max(1) as f64;
        let others = self.others[1].saturating_sub(self.others[0]);
        let mut stretch = Stretch {
            from: self.from,
            to: at,
            near: self.near,
            far: self.far,
            flight: (rate * self.trip as f64) as u32,
            delivered: bytes,
            others: u32::try_from(others).unwrap_or(u32::MAX),
            packets,
            kind: Kind::Round,
            ..Stretch::default()
        };
        (self.from, self.count, self.bytes, self.packets) = (at, last, 0, 0);
        (self.near, self.far) = (Range::default(), Range::default());
        self.others[0] = self.others[1];
        if nanos == 0 {
            return;
        }
        self.judge.meet(&[stretch]);
        self.judge.learn(&[stretch], SEGMENT);
        let least = self.judge.path().least();
        if least > 0 {
            self.trip = 1000 * u64::from(least);
        }
        let waits = u32::try_from((own + theirs) / 1000).unwrap_or(u32::MAX);
        if !stretch.near.is_empty() || !stretch.far.is_empty() {
            self.standing = self.judge.path().level(&stretch) >= rise(least).saturating_add(waits);
        }
        let grows = rate > GROWS * self.most;
        self.most = self.most.max(rate);
        stretch.marks =
            if self.standing { mark::MARKED } else { 0 } | if grows { mark::FIRST } else { 0 };
        self.judge.judge(&stretch);
    }

    /// Causes up to now, with times since `start`; none without time. `place` is the position by the handshake, and `spins` is
    /// true if the spin bit gives round trips.
    pub(crate) fn causes(&self, place: Place, start: Time, spins: bool) -> Option<Outcome> {
        let mut done = self.clone();
        done.end(done.sent_at);
        let position = place.position();
        let known = spins && position != Position::Unknown;
        let confidence = if known { Confidence::Likely } else { Confidence::Doubtful };
        let causes = done.judge.causes(Origin { position, confidence })?;
        let hypotheses = done.judge.hypotheses(&causes, start);
        let course = done.judge.course();
        Some(Outcome { causes, hypotheses, intervals: Vec::new(), rounds: Vec::new(), course })
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        size_of::<QuicWatch>() + self.judge.heap()
    }
}
