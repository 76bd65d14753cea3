//! A sender, a path and a receiver for tests: what limits the sender is known by construction.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};

use super::truth::Truth;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, seg, stamped};
use crate::{Causes, FlowRecord};

mod client;

/// Bytes of data in a full segment, with timestamps beside it.
pub(crate) const MSS: u64 = 1448;
const MS: u64 = 1000;

/// Path between the server, which sends, and the client. Times are in microseconds.
#[derive(Clone)]
pub(crate) struct Model {
    /// Link in front of the queue, in bits a microsecond (Mbit/s), and packets that wait for it.
    pub(crate) rate: f64,
    pub(crate) queue: usize,
    /// Round trip without the queue.
    pub(crate) rtt: u64,
    /// Each so many-th packet is lost behind the queue; zero for none.
    pub(crate) lost: u64,
    /// Position of the capture: at the server 0, at the client 1.
    pub(crate) place: f64,
    /// Bytes of the client's buffer, and how fast it is read in bytes a millisecond.
    pub(crate) buffer: u64,
    pub(crate) reads: f64,
    /// Writes of the server: bytes, and time from each to the next; none for all at once.
    pub(crate) writes: Option<(u64, u64)>,
    /// Bytes of the server's send buffer.
    pub(crate) host: u64,
    /// Rate of the server's pacer in bytes a millisecond; zero for none.
    pub(crate) pace: u64,
    /// Rate of the link on the way back, in Mbit/s; zero for any.
    pub(crate) back: f64,
    /// True if segments are spread over the round trip.
    pub(crate) paced: bool,
    /// Delay of the queue that others keep filled, in microseconds.
    pub(crate) others: u64,
    /// True if the link is a cell's: subframes, and some of them sent again.
    pub(crate) cell: bool,
    /// Begin and end of a time in which all that is sent is lost.
    pub(crate) outage: (u64, u64),
    /// Time without data after which the path sleeps, and time that it takes to wake up.
    pub(crate) sleeps: (u64, u64),
    /// Time from which nothing arrives.
    pub(crate) dead: u64,
    /// Begin and end of a time in which nothing passes; all of it passes behind that.
    pub(crate) still: (u64, u64),
    /// Time at which the server stops.
    pub(crate) until: u64,
    /// True if the SYNs are seen.
    pub(crate) shakes: bool,
    /// Segments that the first burst is merged to.
    pub(crate) merged: u64,
    /// True if all is captured twice.
    pub(crate) twice: bool,
    /// Bytes of a packet that are captured.
    pub(crate) snap: usize,
    /// Time from which another model holds, and that model.
    pub(crate) turn: Option<(u64, Box<Model>)>,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            rate: 10.0,
            queue: 100,
            rtt: 50 * MS,
            lost: 0,
            place: 0.0,
            buffer: 4 << 20,
            reads: 1e9,
            writes: None,
            host: u64::MAX / 2,
            pace: 0,
            back: 0.0,
            paced: false,
            others: 0,
            cell: false,
            outage: (u64::MAX, u64::MAX),
            sleeps: (u64::MAX, 0),
            dead: u64::MAX,
            still: (u64::MAX, u64::MAX),
            until: 4000 * MS,
            shakes: true,
            merged: 1,
            twice: false,
            snap: 200,
            turn: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Data { from: u64, to: u64, stamp: u64 },
    Ack { ack: u64, edge: u64, stamp: u64, beyond: u64 },
    Timer(u64),
    Send,
    Read,
}

/// A run of it.
pub(super) struct Run {
    pub(super) model: Model,
    pub(super) now: u64,
    pub(super) truth: Truth,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    frames: Vec<(u64, bool, TcpRepr)>,
    /// The server: bytes sent, acknowledged, the edge, window in bytes.
    pub(super) next: u64,
    pub(super) una: u64,
    pub(super) edge: u64,
    cwnd: u64,
    thresh: u64,
    repeats: u32,
    recover: Option<u64>,
    timer: u64,
    backoff: u64,
    by_timer: bool,
    /// Bytes that are reported behind gaps, and number up to which gaps have been filled.
    sacked: u64,
    resent: u64,
    paced_at: u64,
    echo: u64,
    count: u64,
    /// Time at which the application began to write so, and the number of its first byte.
    wrote: (u64, u64),
    /// Times at which data was sent last, and arrives last.
    pub(super) sent_at: u64,
    arrived: u64,
    /// Time from which the link is free.
    pub(super) free: u64,
    free_back: u64,
    /// The client: bytes that came in order, and beyond.
    got: u64,
    beyond: BTreeSet<(u64, u64)>,
    told: u64,
    /// Bytes that its program has read, and the time until which it did.
    read: (f64, u64),
}

const SHIFT: u32 = 7;

impl Model {
    /// The packets that are captured.
    pub(crate) fn capture(&self) -> Capture {
        self.run().capture()
    }

    /// Runs the model.
    pub(super) fn run(&self) -> Run {
        let mut run = Run {
            model: self.clone(),
            now: 0,
            truth: Truth::default(),
            events: BinaryHeap::new(),
            frames: Vec::new(),
            next: 0,
            una: 0,
            edge: self.buffer,
            cwnd: 10 * MSS,
            thresh: u64::MAX,
            repeats: 0,
            recover: None,
            timer: 0,
            backoff: 1,
            by_timer: false,
            sacked: 0,
            resent: 0,
            paced_at: 0,
            echo: 0,
            count: 0,
            wrote: (0, 0),
            sent_at: 0,
            arrived: 0,
            free: 0,
            free_back: 0,
            got: 0,
            beyond: BTreeSet::new(),
            told: self.buffer,
            read: (0.0, 0),
        };
        run.all();
        run
    }

    pub(crate) fn flow(&self) -> FlowRecord {
        self.capture().flow()
    }

    /// Causes of the server's limited rate.
    pub(crate) fn causes(&self) -> Causes {
        self.flow().down.causes.expect("causes")
    }
}

impl Run {
    /// The packets that are captured.
    pub(super) fn capture(mut self) -> Capture {
        if self.model.twice {
            let frames = self.frames.iter();
            self.frames = frames.flat_map(|one| [*one, (one.0 + 2, one.1, one.2)]).collect();
        }
        self.frames.sort_by_key(|(at, ..)| *at);
        let mut capture = Capture::new();
        capture.snap = self.model.snap;
        for (at, by_server, segment) in &self.frames {
            capture.tcp(*at, if *by_server { Server } else { Client }, segment);
        }
        capture
    }

    fn all(&mut self) {
        self.shake();
        self.plan(0, Event::Send);
        self.plan(10 * MS, Event::Read);
        while let Some(Reverse((at, event))) = self.events.pop() {
            if at > self.model.until + 60_000 * MS || self.frames.len() > 200_000 {
                break;
            }
            self.observe(at);
            self.now = at;
            if let Some((_, then)) = self.model.turn.take_if(|(turn, _)| at >= *turn) {
                self.model = *then;
                self.wrote = (at, self.next);
            }
            match event {
                Event::Data { from, to, stamp } => self.arrives(from, to, stamp),
                Event::Ack { ack, edge, stamp, beyond } => {
                    self.acknowledged(ack, edge, stamp, beyond)
                }
                Event::Timer(set) if set == self.timer => self.strikes(),
                Event::Timer(_) => {}
                Event::Send => self.send(),
                Event::Read => self.read(),
            }
        }
    }

    fn plan(&mut self, at: u64, event: Event) {
        self.events.push(Reverse((at, event)));
    }

    /// A segment as the capture has it; the handshake takes a round trip before time zero.
    fn frame(&mut self, at: i64, by_server: bool, mut segment: TcpRepr, stamp: u64, echo: u64) {
        segment = stamped(segment, 1000 + (stamp / MS) as u32, 1000 + (echo / MS) as u32);
        self.frames.push(((at + 10_000_000) as u64, by_server, segment));
    }

    fn shake(&mut self) {
        let there = (self.model.place * self.model.rtt as f64 / 2.0) as i64;
        let flags = TcpFlags::SYN;
        let syn =
            TcpRepr { flags, mss: Some(1460), window_scale: Some(SHIFT as u8), ..seg(0, 0, 0) };
        if self.model.shakes {
            let (rtt, back) = (self.model.rtt as i64, self.model.rtt as i64 / 2 - there);
            // The SYN passes on its way to the server, whose answer leaves at once.
            let answers = -rtt - self.model.others as i64;
            self.frame(answers - there, false, syn, 0, 0);
            let answer = TcpRepr { flags: flags.with(TcpFlags::ACK), ack: SeqNumber(1), ..syn };
            let waits = if self.model.place > 0.0 { self.model.others as i64 } else { 0 };
            self.frame(answers + there + waits, true, answer, 0, 0);
            let at_client = answers + rtt / 2 + self.model.others as i64;
            self.frame(at_client + back, false, self.said(1, self.edge), 0, 0);
        }
    }

    fn said(&self, ack: u64, edge: u64) -> TcpRepr {
        let window = (edge + 1 - ack.min(edge + 1)) >> SHIFT;
        TcpRepr { window: window.min(65_535) as u16, ..seg(1, ack as u32, 0) }
    }

    /// Bytes that the application has written by now.
    pub(super) fn written(&self) -> u64 {
        match self.model.writes {
            None if self.now < self.model.until => u64::MAX / 2,
            None => self.next,
            Some((bytes, every)) => {
                let (since, from) = self.wrote;
                from + ((self.now.min(self.model.until).max(since) - since) / every + 1) * bytes
            }
        }
    }

    fn send(&mut self) {
        let room = if self.recover.is_some() { self.cwnd / 2 } else { self.cwnd };
        let window = self.una + room + self.sacked;
        let limit = self.written().min(self.edge).min(window).min(self.una + self.model.host);
        let mut burst = if self.next == 0 { self.model.merged } else { 1 };
        while self.next < limit {
            if (self.model.paced || self.model.pace > 0) && self.paced_at > self.now {
                return self.plan(self.paced_at, Event::Send);
            }
            let len = (limit - self.next).min(MSS * burst);
            // No small segment for the congestion window's sake.
            if len < MSS && window == limit && self.next > self.una {
                break;
            }
            self.emit(self.next, self.next + len);
            self.next += len;
            burst = 1;
            let gap = self.model.rtt * MSS / self.cwnd.min(self.edge - self.una).max(MSS);
            self.paced_at = self.now + (MSS * MS).checked_div(self.model.pace).unwrap_or(gap);
        }
        if let Some((_, every)) = self.model.writes
            && self.now < self.model.until
        {
            let since = self.wrote.0;
            self.plan(since + ((self.now - since) / every + 1) * every, Event::Send);
        }
    }

    fn emit(&mut self, from: u64, to: u64) {
        let (model, now) = (self.model.clone(), self.now);
        if self.timer == 0 || self.una == from {
            self.set_timer();
        }
        let segment = seg(1 + from as u32, 1, (to - from) as u32);
        let there = (model.place * model.rtt as f64 / 2.0) as i64;
        if model.place == 0.0 {
            self.frame(now as i64, true, segment, now, self.echo);
        }
        if self.sent_at > 0 && now - self.sent_at >= model.sleeps.0 {
            self.truth.awake = now + model.sleeps.1;
        }
        self.sent_at = now;
        let packets = (to - from).div_ceil(MSS);
        let took = (12_000.0 / model.rate) as u64;
        let mut at = from;
        for _ in 0..packets {
            let end = to.min(at + MSS);
            let begin = now.max(self.truth.awake) + model.others;
            let free = self.free.max(begin);
            if (free - begin) / took.max(1) >= model.queue as u64 {
                at = end;
                continue;
            }
            self.free = free + took;
            let mut arrives = self.free + model.rtt / 2;
            if arrives >= model.still.0 && arrives < model.still.1 {
                arrives = model.still.1 + (arrives - model.still.0) / 50;
            }
            self.count += 1;
            if model.cell {
                // Each tenth transport block is sent again 8 ms later (TS 36.321, 5.4.2: HARQ).
                let again = (arrives / MS).wrapping_mul(2_654_435_761) >> 7;
                arrives = (arrives / MS + 1 + if again.is_multiple_of(10) { 8 } else { 0 }) * MS;
                arrives = arrives.max(self.arrived);
                self.arrived = arrives;
            }
            let lost = model.lost > 0 && self.count.is_multiple_of(model.lost)
                || now >= model.outage.0 && now < model.outage.1;
            if lost || arrives >= model.dead {
                at = end;
                continue;
            }
            if model.place > 0.0 {
                let passes = arrives as i64 - model.rtt as i64 / 2 + there;
                let one = seg(1 + at as u32, 1, (end - at) as u32);
                self.frame(passes, true, one, now, self.echo);
            }
            self.plan(arrives, Event::Data { from: at, to: end, stamp: now });
            at = end;
        }
    }

    fn set_timer(&mut self) {
        let queue = self.free.saturating_sub(self.now);
        let wait = (self.model.rtt + queue + self.model.others + 200 * MS) * self.backoff;
        self.timer = self.now + wait;
        self.plan(self.timer, Event::Timer(self.timer));
    }

    fn strikes(&mut self) {
        if self.una == self.next || self.now > self.model.until + 8_000 * MS {
            self.timer = 0;
            return;
        }
        self.truth.strikes(self.next);
        self.thresh = ((self.next - self.una) / 2).max(2 * MSS);
        (self.cwnd, self.recover, self.repeats) = (MSS, Some(self.next), 0);
        self.by_timer = true;
        self.resent = self.una + MSS;
        self.backoff = (self.backoff * 2).min(64);
        self.emit(self.una, (self.una + MSS).min(self.next));
        self.set_timer();
    }

    fn acknowledged(&mut self, ack: u64, edge: u64, stamp: u64, beyond: u64) {
        self.sacked = beyond;
        self.echo = self.echo.max(stamp);
        let moved = edge > self.edge;
        self.edge = self.edge.max(edge);
        if ack > self.una {
            let fresh = ack - self.una;
            // RFC 7661, 4.3: a window that is not filled does not grow.
            let filled = 2 * (self.next - self.una) >= self.cwnd;
            self.truth.heard = self.now;
            (self.una, self.repeats, self.backoff) = (ack, 0, 1);
            self.next = self.next.max(ack);
            if self.recover.is_some_and(|end| ack >= end) {
                (self.recover, self.by_timer) = (None, false);
            }
            if filled && self.cwnd < self.thresh {
                self.cwnd += fresh.min(2 * MSS);
            } else if filled {
                self.cwnd += (MSS * fresh / self.cwnd).max(1);
            }
            self.set_timer();
            if self.una == self.next {
                self.timer = 0;
            }
        } else if ack == self.una && self.next > self.una && !moved {
            self.repeats += 1;
            if self.repeats == 3 && self.recover.is_none() {
                self.thresh = ((self.next - self.una) / 2).max(2 * MSS);
                (self.cwnd, self.recover) = (self.thresh, Some(self.next));
                self.truth.reduced = true;
                self.resent = self.una;
            }
        }
        self.fill();
        self.send();
    }

    /// Sends again what is missing, one segment for each ACK.
    fn fill(&mut self) {
        if self.recover.is_none() {
            return;
        }
        if self.by_timer {
            let end = self.recover.unwrap_or(0).min(self.una + self.cwnd);
            self.resent = self.resent.max(self.una);
            while self.resent < end {
                let to = (self.resent + MSS).min(self.next);
                self.emit(self.resent, to);
                self.resent = to;
            }
            return;
        }
        let mut hole = self.una.max(self.resent);
        for (from, to) in &self.beyond {
            if hole < *from {
                break;
            }
            hole = hole.max(*to);
        }
        let last = self.beyond.last().map_or(self.una + 1, |(from, _)| *from);
        if hole < last.min(self.next) {
            let end = (hole + MSS).min(self.next);
            self.emit(hole, end);
            self.resent = end;
        }
    }
}
