//! The receiving half: reassembly, delayed acknowledgements, SACK blocks, the
//! window, and the application that reads (RFC 5681, 4.2; RFC 2018, 4; RFC 9293,
//! 3.8.6).

use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_wire::SeqNumber;

use super::ranges::RangeSet;
use super::rtt::after;
use super::{DelayedAck, TcpConfig};

/// Number of SACK blocks that are remembered; with timestamps three fit (RFC 2018, 3).
const MOST_BLOCKS: usize = 4;

/// The receiving half. Positions count from the SYN, which takes 0.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    next: u64,
    /// Data below this position have been read by the application.
    read: u64,
    buffer: u64,
    segment: u64,
    early: RangeSet,
    /// A position in each of the last ranges to grow, the latest first.
    recent: [u64; MOST_BLOCKS],
    fin: Option<u64>,
    finished: bool,
    /// Right edge of the window that the peer knows of.
    offered: u64,
    delayed: Option<DelayedAck>,
    at_once: u32,
    waiting: u32,
    ack_due: Option<Time>,
    ack_now: bool,
    reads_itself: bool,
    read_rate: Option<BitRate>,
    read_due: Option<Time>,
    delivered: u64,
}

impl Receiver {
    pub fn new(config: &TcpConfig) -> Receiver {
        let delayed = config.delayed_ack.options();
        Receiver {
            next: 0,
            read: 1,
            buffer: config.receive_buffer.0,
            segment: config.mss.0,
            early: RangeSet::default(),
            recent: [0; MOST_BLOCKS],
            fin: None,
            finished: false,
            offered: 0,
            delayed,
            at_once: delayed.map_or(0, |d| d.at_once),
            waiting: 0,
            ack_due: None,
            ack_now: false,
            reads_itself: config.reads_itself,
            read_rate: config.read_rate.quantity(),
            read_due: None,
            delivered: 0,
        }
    }

    /// The peer's SYN has arrived; its segments have so many bytes.
    pub fn on_syn(&mut self, segment: u32) {
        self.next = 1;
        self.segment = u64::from(segment);
    }

    /// Next position expected.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// True if all, the FIN too, has arrived.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// True if all that has arrived in order has been read.
    pub fn is_read(&self) -> bool {
        self.read == self.data_end()
    }

    /// End of the data in order.
    fn data_end(&self) -> u64 {
        self.next - u64::from(self.finished)
    }

    /// An acknowledgement must leave at once.
    pub fn acknowledge_now(&mut self) {
        self.ack_now = true;
    }

    pub fn must_acknowledge(&self) -> bool {
        self.ack_now
    }

    pub fn has_holes(&self) -> bool {
        !self.early.is_empty()
    }

    /// True if data have arrived whose acknowledgement waits.
    pub fn has_unacknowledged(&self) -> bool {
        self.waiting > 0 || self.ack_now
    }

    /// A segment of the peer with `len` bytes from `start`.
    pub fn on_segment(&mut self, now: Time, start: u64, len: u32, fin: bool) {
        let end = start + u64::from(len);
        if len == 0 && !fin {
            // RFC 9293, 3.10.7.4: not acceptable, thus answered. Window probes
            // are of this kind.
            self.ack_now |= start < self.next;
            return;
        }
        if fin {
            self.fin.get_or_insert(end);
        }
        if end + u64::from(fin) <= self.next {
            self.ack_now = true; // nothing new in it
            return;
        }
        self.take(now, start, end);
        if self.fin == Some(self.next) && !self.finished {
            self.next += 1;
            self.finished = true;
            self.ack_now = true;
        }
        self.offer_to_reader(now);
    }

    /// Takes what fits into the buffer.
    fn take(&mut self, now: Time, start: u64, end: u64) {
        let (start, end) = (start.max(self.next), end.min(self.read + self.buffer));
        if start > self.next {
            if start < end {
                self.early.insert(start, end, |_, _| ());
                self.remember(start);
            }
            self.ack_now = true; // RFC 5681, 4.2: out of order
        } else if start >= end {
            self.ack_now = true; // no room for it, or nothing but a FIN
        } else if self.has_holes() {
            self.next = end;
            self.early.insert(start, end, |_, _| ());
            self.next = self.early.first().map_or(end, |range| range.1.max(end));
            self.early.remove_below(self.next);
            self.ack_now = true; // RFC 5681, 4.2: fills a gap or part of one
        } else {
            self.next = end;
            self.count(now);
        }
    }

    /// Counts a segment in order towards the next acknowledgement.
    fn count(&mut self, now: Time) {
        let Some(delayed) = self.delayed else {
            self.ack_now = true;
            return;
        };
        self.waiting += 1;
        if self.waiting >= delayed.count || self.at_once > 0 {
            self.at_once = self.at_once.saturating_sub(1);
            self.ack_now = true;
        } else if self.ack_due.is_none() {
            self.ack_due = Some(after(now, delayed.timeout));
        }
    }

    /// Puts the range around `position` first in the list of those to report.
    fn remember(&mut self, position: u64) {
        let range = self.early.containing(position);
        let same = |p: &u64| range.is_some_and(|r| r.0 <= *p && *p < r.1);
        let place = self.recent.iter().position(same).unwrap_or(MOST_BLOCKS - 1);
        self.recent[..=place].rotate_right(1);
        self.recent[0] = position;
    }

    /// The ranges to report by SACK, the latest first (RFC 2018, 4).
    pub fn blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let range = |n: usize| self.early.containing(self.recent[n]);
        (0..MOST_BLOCKS).filter_map(move |n| {
            let found = range(n)?;
            (0..n).all(|earlier| range(earlier) != Some(found)).then_some(found)
        })
    }

    /// The window field for a segment that leaves now, in units of 2^`shift`
    /// bytes. The edge moves only by a segment or half the buffer (RFC 9293,
    /// 3.8.6.2.2).
    pub fn window(&mut self, shift: u8) -> u16 {
        let edge = self.edge();
        let field = (edge.saturating_sub(self.next) >> shift).min(u64::from(u16::MAX));
        self.offered = self.offered.max(self.next + (field << shift));
        field as u16
    }

    fn edge(&self) -> u64 {
        let edge = self.read + self.buffer;
        let step = (self.buffer / 2).min(self.segment);
        if edge >= self.offered + step { edge } else { self.offered.min(edge) }
    }

    /// A segment with an acknowledgement leaves.
    pub fn acknowledged(&mut self) {
        (self.ack_now, self.ack_due, self.waiting) = (false, None, 0);
    }

    /// Time at which to call [`on_timeout`](Receiver::on_timeout).
    pub fn next_timeout(&self) -> Option<Time> {
        match (self.ack_due, self.read_due) {
            (Some(ack), Some(read)) => Some(ack.min(read)),
            (ack, read) => ack.or(read),
        }
    }

    pub fn on_timeout(&mut self, now: Time) {
        if self.ack_due.is_some_and(|due| due <= now) {
            (self.ack_due, self.ack_now) = (None, true);
        }
        if self.read_due.is_some_and(|due| due <= now) {
            self.read_due = None;
            self.hand_over(self.piece());
            self.update_window();
            self.offer_to_reader(now);
        }
    }

    /// Bytes that the reader takes next.
    fn piece(&self) -> u64 {
        (self.data_end() - self.read).min(self.segment)
    }

    fn offer_to_reader(&mut self, now: Time) {
        match self.read_rate {
            _ if self.reads_itself => {}
            None => self.hand_over(self.readable()),
            Some(rate) if self.read_due.is_none() && self.piece() > 0 => {
                let span = rate.time_for(Bytes(self.piece())).max(Duration::from_nanos(1));
                self.read_due = Some(after(now, span));
            }
            Some(_) => {}
        }
    }

    /// Bytes in order that the application has not read.
    pub fn readable(&self) -> u64 {
        self.data_end().saturating_sub(self.read) // nothing before the SYN
    }

    /// The application takes so many bytes of those that are there.
    pub fn read(&mut self, bytes: u64) -> u64 {
        let bytes = bytes.min(self.readable());
        self.hand_over(bytes);
        self.update_window();
        bytes
    }

    fn hand_over(&mut self, bytes: u64) {
        self.read += bytes;
        self.delivered += bytes;
    }

    /// Tells the peer of room that the reader has made, once the window that it
    /// knows of can be doubled (as Linux does).
    fn update_window(&mut self) {
        let known = self.offered.saturating_sub(self.next);
        let room = self.edge().saturating_sub(self.next);
        self.ack_now |= room > known && room >= 2 * known;
    }

    /// Nothing more is acknowledged.
    pub fn stop(&mut self) {
        (self.ack_now, self.ack_due) = (false, None);
    }

    /// Bytes handed to the application since the last call.
    pub fn take_delivered(&mut self) -> u64 {
        std::mem::take(&mut self.delivered)
    }
}

/// The wire form of position `at` of a stream that starts at `initial`.
pub(super) fn wire(initial: SeqNumber, at: u64) -> SeqNumber {
    initial.add(at as u32)
}

/// The position that a wire number means, near `near`; `None` before the start.
pub(super) fn position(initial: SeqNumber, number: SeqNumber, near: u64) -> Option<u64> {
    let at = SeqNumber(number.0.wrapping_sub(initial.0)).unwrap_near(near);
    (at <= near + (1 << 31)).then_some(at)
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
