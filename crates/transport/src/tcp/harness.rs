//! Two ends joined by a pipe, for tests.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use airpath_base::{Duration, Time};
use airpath_wire::Ecn;

use super::{Connection, ConnectionEvent, Segment, TcpConfig};

/// Index of an end.
pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

/// Fate of a segment in the pipe: the delays of the copies that arrive.
pub(super) type Fate = Vec<Duration>;

/// True if an ECN-capable segment of an end is marked.
pub(super) type Marker = Box<dyn FnMut(usize, &Segment) -> bool>;

/// Two ends and what is on its way between them.
pub(super) struct World<F> {
    pub now: Time,
    pub ends: [Connection; 2],
    pub delivered: [u64; 2],
    pub events: [Vec<ConnectionEvent>; 2],
    pub sent: [Vec<(Time, Segment)>; 2],
    /// True if segments and events are kept.
    pub keep: bool,
    /// True if an ECN-capable segment is marked.
    pub mark: Marker,
    /// True if the path clears the ECN field.
    pub bleach: bool,
    /// The time, for a path that needs it.
    pub clock: Rc<Cell<Time>>,
    flying: BTreeMap<(Time, u64), (usize, Segment)>,
    count: u64,
    fate: F,
}

impl<F: FnMut(usize, &Segment) -> Fate> World<F> {
    /// A client that connects to a server at time zero; `fate` is called for each segment with the
    /// end that sends it.
    pub fn new(client: TcpConfig, server: TcpConfig, fate: F) -> World<F> {
        let end = |config| Connection::new(config).expect("options that work");
        let mut world = World {
            now: Time::ZERO,
            ends: [end(client), end(server)],
            delivered: [0; 2],
            events: [Vec::new(), Vec::new()],
            sent: [Vec::new(), Vec::new()],
            keep: false,
            mark: Box::new(|_, _| false),
            bleach: false,
            clock: Rc::default(),
            flying: BTreeMap::new(),
            count: 0,
            fate,
        };
        world.ends[SERVER].listen();
        world.ends[CLIENT].connect(Time::ZERO);
        world
    }

    /// Sends what an end has to send and takes its events.
    pub fn flush(&mut self, n: usize) {
        while let Some(mut segment) = self.ends[n].poll_transmit(self.now) {
            if self.keep {
                self.sent[n].push((self.now, segment));
            }
            let delays = (self.fate)(n, &segment);
            if self.bleach {
                segment.ecn = Ecn::NotEct;
            } else if segment.ecn.is_capable() && (self.mark)(n, &segment) {
                segment.ecn = Ecn::Ce;
            }
            for delay in delays {
                self.flying.insert((self.now + delay, self.count), (1 - n, segment));
                self.count += 1;
            }
        }
        while let Some(event) = self.ends[n].poll_event() {
            if let ConnectionEvent::Delivered { bytes } = event {
                self.delivered[n] += bytes;
            }
            if self.keep {
                self.events[n].push(event);
            }
        }
    }

    /// Lets the next thing happen; false if nothing ever will, or not before `end`.
    pub fn step(&mut self, end: Time) -> bool {
        let arrival = self.flying.first_key_value().map(|((at, _), _)| *at);
        let timer = self.ends.iter().filter_map(Connection::poll_timeout).min();
        let Some(next) = [arrival, timer].into_iter().flatten().min() else { return false };
        if next > end {
            return false;
        }
        self.now = self.now.max(next);
        self.clock.set(self.now);
        if arrival == Some(next) {
            let (_, (to, segment)) = self.flying.pop_first().expect("an arrival");
            self.ends[to].receive(self.now, &segment.repr, segment.ecn);
            self.flush(to);
        } else {
            for n in [CLIENT, SERVER] {
                self.ends[n].on_timeout(self.now);
                self.flush(n);
            }
        }
        true
    }

    /// Starts with what both ends want to send now, then runs.
    pub fn run_until(&mut self, end: Time) {
        self.flush(CLIENT);
        self.flush(SERVER);
        while self.step(end) {}
    }

    /// Number of times that an event has happened at an end.
    pub fn count(&self, n: usize, event: ConnectionEvent) -> usize {
        self.events[n].iter().filter(|e| **e == event).count()
    }

    /// Retransmissions that an end has sent.
    pub fn retransmissions(&self, n: usize) -> usize {
        self.sent[n].iter().filter(|(_, s)| s.retransmission.is_some()).count()
    }
}
