//! Events by hand, for tests of rules: a capture at a sender without timestamps, times in milliseconds.

use airpath_base::Time;

use super::beside::Beside;
use super::event::{Ack, Event, Segment};
use super::hypotheses::Rule;
use super::outcome::Outcome;
use super::position::Place;
use super::watch::{Start, Watch};
use super::{Cause, RULES};

/// A sender, and the numbers of its next byte and of the right edge of the window.
pub(crate) struct Hand {
    watch: Watch,
    next: u32,
    /// Bytes of the receive window.
    window: u32,
    sent_at: u64,
    /// Milliseconds by which data and ACKs are later than their timestamps say.
    lags: Option<[u64; 2]>,
}

impl Hand {
    /// Begins behind a handshake of so many milliseconds.
    pub(crate) fn new(handshake: u64) -> Hand {
        Hand::by(handshake, RULES)
    }

    /// Begins behind a handshake of so many milliseconds, with these rules of causes.
    pub(crate) fn by(handshake: u64, rules: &'static [(Cause, Rule)]) -> Hand {
        let sides = [0, 1_000_000 * handshake];
        let answered = Hand::time(0);
        let start = Start { una: 0, sides, keep: true, serves: true, answered };
        let mut hand = Hand {
            watch: Watch::new(&start, rules),
            next: 0,
            window: 1 << 20,
            sent_at: 0,
            lags: None,
        };
        hand.ack(Time::ZERO);
        hand
    }

    /// Milliseconds since the handshake, which was a second after the epoch.
    fn time(at: u64) -> Time {
        Time::from_millis(1000 + at)
    }

    fn take(&mut self, event: Event) -> &mut Hand {
        self.watch.take(&event);
        self
    }

    fn ack(&mut self, at: Time) {
        let (una, edge) = (self.next, Some(self.next.wrapping_add(self.window)));
        let ack = Ack {
            at,
            una,
            edge,
            closed: false,
            window: 0,
            stamps: self.stamps(at, 1),
            recovering: false,
            plain: true,
            number: 0,
        };
        self.take(Event::Acknowledged(ack));
    }

    fn segment(&self, at: u64, len: u32) -> Segment {
        let at = Hand::time(at);
        let stamps = self.stamps(at, 0);
        let (end, mss, number) = (self.next, 1000, 0);
        let (recovering, skips) = (false, false);
        Segment { at, end, len, mss, stamps, recovering, skips, number }
    }

    /// Timestamps of a segment of the sender's (`way` is 0) or of the receiver's.
    fn stamps(&self, at: Time, way: usize) -> Option<(u32, u32)> {
        let sent =
            |lag: u64| (at.saturating_since(Time::ZERO).as_nanos() / 1_000_000).saturating_sub(lag);
        self.lags.map(|lags| (sent(lags[way]) as u32, 0))
    }

    /// Has timestamps from now on, and data and ACKs late by so many milliseconds at the capture point.
    pub(crate) fn stamped(&mut self, data: u64, acks: u64) -> &mut Hand {
        self.lags = Some([data, acks]);
        self
    }

    /// Sends so many bytes.
    pub(crate) fn sent(&mut self, at: u64, len: u32) -> &mut Hand {
        self.next += len;
        self.sent_at = at;
        self.take(Event::Sent(self.segment(at, len)))
    }

    /// Sends so many segments at once, of so many bytes each.
    pub(crate) fn burst(&mut self, count: u32, at: u64, len: u32) -> &mut Hand {
        for _ in 0..count {
            self.sent(at, len);
        }
        self
    }

    /// Sends the last bytes again.
    pub(crate) fn lost(&mut self, at: u64, len: u32, by_timer: bool) -> &mut Hand {
        self.sent_at = at;
        self.take(Event::Lost(self.segment(at, len), by_timer))
    }

    /// Acknowledges all, with an RTT sample of the last segment.
    pub(crate) fn acknowledged(&mut self, at: u64) -> &mut Hand {
        self.take(Event::Rtt(1_000_000 * (at - self.sent_at)));
        self.ack(Hand::time(at));
        self
    }

    /// Acknowledges so many bytes, without an RTT sample.
    pub(crate) fn acknowledged_to(&mut self, at: u64, una: u32) -> &mut Hand {
        let next = std::mem::replace(&mut self.next, una);
        self.ack(Hand::time(at));
        self.next = next;
        self
    }

    /// Announces a window of so many bytes.
    pub(crate) fn window(&mut self, bytes: u32) -> &mut Hand {
        self.window = bytes;
        self.ack(Hand::time(0));
        self
    }

    /// Reports a congestion mark.
    pub(crate) fn marked(&mut self, at: u64) -> &mut Hand {
        self.take(Event::Marked(Hand::time(at)))
    }

    /// Other flows of the client's host measure queues of so many milliseconds, along the data and against it.
    pub(crate) fn beside(&mut self, along: u32, against: u32) -> &mut Hand {
        self.watch.beside(Beside { bytes: 0, along: 1000 * along, against: 1000 * against });
        self
    }

    /// Requests more of the sender.
    pub(crate) fn request(&mut self, at: u64) -> &mut Hand {
        self.take(Event::Request(Hand::time(at)))
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.watch.causes(Place::default(), Hand::time(0)).expect("causes")
    }

    /// Shares of the causes, the greatest first.
    pub(crate) fn shares(&self) -> Vec<(Cause, f64)> {
        self.outcome().causes.ranked()
    }

    /// Share of a cause.
    pub(crate) fn share(&self, cause: Cause) -> f64 {
        self.outcome().causes.share(cause)
    }

    /// Seconds of a cause.
    pub(crate) fn seconds(&self, cause: Cause) -> f64 {
        let Outcome { causes, .. } = self.outcome();
        causes.share(cause) * causes.judged_s
    }

    /// Cause of the last interval.
    pub(crate) fn last(&self) -> Cause {
        self.outcome().intervals.last().expect("an interval").cause
    }
}
