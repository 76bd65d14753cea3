//! Time, order, and the moving of packets between nodes.
//!
//! Delay lives inside nodes: a packet that a node sends reaches the next in the same instant, first
//! in, first out. The engine keeps one pending wake-up a node, ordered by (time, class, node), so
//! that the order of events is total. A timer that moves later keeps its entry: the entry fires
//! early, and the engine reads the node's time again.

use std::fmt;

use airpath_base::{NodeId, Port, Time};
use airpath_wire::Tuple;

use crate::agenda::{Agenda, Seat};
use crate::inbox::Inbox;
use crate::{Change, ChangeFailed, Cx, DropCause, Event, Ledger, Node, Packet, PointId, Probe};

/// More wake-ups than this at one instant mean that a node goes round in a circle.
const MOST_WAKES_AT_ONE_INSTANT: u32 = 1_000_000;
/// Packets that one wake-up may set in motion without time going on.
const MOST_PACKETS_AT_ONE_INSTANT: u32 = 10_000_000;

/// Class of a node: the order among nodes that wake at the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nodes that move packets, which reach a radio's queue before its slot begins.
    Packets,
    /// Radio slots.
    Radio,
}

/// Point at which packets enter the world or leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// The node that they enter, or leave.
    pub node: NodeId,
    /// Its port.
    pub port: Port,
    /// The point that they pass, if it is watched.
    pub point: Option<PointId>,
}

impl From<(NodeId, Port)> for Door {
    fn from((node, port): (NodeId, Port)) -> Door {
        Door { node, port, point: None }
    }
}

/// A packet that left the world: through a [`Door`], or through a port that is connected to
/// nothing.
#[derive(Debug)]
pub struct Arrival {
    /// Time of the arrival.
    pub at: Time,
    /// Node that the packet left.
    pub node: NodeId,
    /// Through which port.
    pub port: Port,
    /// The packet.
    pub packet: Packet,
}

/// Error that ends a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A node wanted further wake-ups at one instant without end.
    Stuck {
        /// Name of the node.
        node: String,
        /// The instant.
        at: Time,
    },
    /// Packets went round and round at one instant.
    Endless {
        /// Name of a node that they pass.
        node: String,
        /// The instant.
        at: Time,
    },
    /// A node found itself in an impossible state.
    Aborted {
        /// Name of the node.
        node: String,
        /// The instant.
        at: Time,
        /// Message of the node.
        message: String,
    },
}

/// Node number of everything outside the world, as the end of a wire.
pub(crate) const OUTSIDE: NodeId = NodeId(u32::MAX);

struct Place {
    name: String,
    seat: Seat,
    node: Box<dyn Node>,
    /// Time of the pending wake-up; the last instant is never.
    armed: Time,
    /// Time of the node's next wake-up, as of its last call.
    due: Time,
    wires: Vec<Option<Wire>>,
    ledger: Ledger,
}

/// Far end of an output.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    /// [`OUTSIDE`] if it is a door.
    pub to: NodeId,
    pub port: Port,
    pub point: Option<PointId>,
}

/// The world: nodes, what connects them, and the present.
#[derive(Default)]
pub struct Engine {
    places: Vec<Place>,
    agenda: Agenda,
    shared: Shared,
    now: Time,
    wakes_at_now: u32,
}

/// Output of nodes during their calls.
#[derive(Default)]
pub(crate) struct Shared {
    pub inbox: Inbox,
    /// Packets that left through a door, or through a port that leads nowhere.
    pub left: Vec<Arrival>,
    /// Ledger of the outside: packets that went through doors.
    pub outside: Ledger,
    pub error: Option<String>,
    pub next_packet: u64,
    /// True if the layers of the radio report what they put into transport blocks.
    pub tells_layers: bool,
    /// True while a node notes PDU sets of which packets are dropped.
    pub notes_sets: bool,
    /// Marks that were counted instead of made; none if they are made.
    pub withheld_marks: Option<u64>,
    /// PDU sets that have been noted.
    pub noted_sets: Vec<(Tuple, u64, DropCause)>,
}

impl Engine {
    /// An empty world at time zero.
    pub fn new() -> Engine {
        Engine::default()
    }

    /// From now on the layers of the radio [tell](crate::layers) what they put into transport
    /// blocks.
    pub fn tell_layers(&mut self) {
        self.shared.tells_layers = true;
    }

    /// Adds a node. Its number decides ties, so the order of adding is part of
    /// the result.
    pub fn add(&mut self, name: impl Into<String>, class: Class, node: Box<dyn Node>) -> NodeId {
        let id = NodeId(self.places.len() as u32);
        let (name, ledger) = (name.into(), Ledger::default());
        self.places.push(Place {
            name,
            seat: self.agenda.admit(class, id),
            node,
            armed: Time::MAX,
            due: Time::MAX,
            wires: Vec::new(),
            ledger,
        });
        self.arm(id, false);
        id
    }

    /// Connects an output to an input, in one direction. With a `point`, packets
    /// that pass are reported as [`Event::Passed`](crate::Event::Passed).
    pub fn connect(&mut self, from: (NodeId, Port), to: (NodeId, Port), point: Option<PointId>) {
        let wires = &mut self.places[from.0.index()].wires;
        if wires.len() <= from.1.index() {
            wires.resize(from.1.index() + 1, None);
        }
        wires[from.1.index()] = Some(Wire { to: to.0, port: to.1, point });
    }

    /// Inserts a node into an existing connection. Packets that leave `from` enter `node` at
    /// `port`. Packets that leave `node` at `port` go to the former end, past the same point.
    pub fn insert(&mut self, from: (NodeId, Port), node: NodeId, port: Port) {
        let wires = &self.places[from.0.index()].wires;
        if let Some(wire) = wires.get(from.1.index()).copied().flatten() {
            self.connect((node, port), (wire.to, wire.port), wire.point);
            self.connect(from, (node, port), None);
        }
    }

    /// Lets what leaves a node through this door out of the world: it is consumed, and handed out
    /// by [`drain`](Engine::drain).
    pub fn open(&mut self, door: Door) {
        self.connect((door.node, door.port), (OUTSIDE, Port(0)), door.point);
    }

    /// Ledger of doors: packets that came in are originated, packets that went out consumed.
    pub fn outside(&self) -> Ledger {
        self.shared.outside
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> &str {
        &self.places[node.index()].name
    }

    /// The nodes with their ledgers and what they hold, in order.
    pub fn books(&self) -> impl Iterator<Item = (NodeId, &str, Ledger, crate::Held)> {
        self.places.iter().enumerate().map(|(n, place)| {
            (NodeId(n as u32), place.name.as_str(), place.ledger, place.node.held())
        })
    }

    /// Checks the ledgers of all nodes, and of the elements inside them.
    ///
    /// # Errors
    ///
    /// The name of the first node whose ledger does not close, and what it says.
    pub fn audit(&self) -> Result<(), (&str, String)> {
        for place in &self.places {
            let (name, ledger, held) = (place.name.as_str(), place.ledger, place.node.held());
            if !ledger.closes(held) {
                return Err((name, format!("{ledger:?}, {held:?}")));
            }
            place.node.audit().map_err(|books| (name, books))?;
        }
        Ok(())
    }

    /// Time of the next event, if there is one.
    pub fn next_wake(&self) -> Option<Time> {
        self.agenda.first().map(|(time, _)| time)
    }

    /// Brings a packet from outside into the world at time `at`, after all earlier events. The
    /// packet gets its number, and is reported and booked as originated.
    ///
    /// # Errors
    ///
    /// As [`run_until`](Engine::run_until).
    pub fn inject(
        &mut self,
        at: Time,
        door: impl Into<Door>,
        mut packet: Packet,
        probe: Option<&mut dyn Probe>,
    ) -> Result<(), RunError> {
        let (mut probe, door) = (probe, door.into());
        self.run_before(at, reborrow(&mut probe))?;
        self.advance(at);
        packet.id = self.shared.next_packet;
        self.shared.next_packet += 1;
        self.shared.outside.originated.book(&packet);
        self.shared.outside.sent.book(&packet);
        if let Some(probe) = reborrow(&mut probe) {
            probe.on(self.now, door.node, &Event::Originated(&packet));
            if let Some(point) = door.point {
                probe.on(self.now, door.node, &Event::Passed { point, packet: &packet });
            }
        }
        self.shared.inbox.push(door.node, door.port, packet);
        self.deliver(&mut probe)
    }

    /// Alters something about a node at time `at`, after all that happens before, and before
    /// whatever else happens then; now, if that is past.
    ///
    /// # Errors
    ///
    /// If the node refuses, or as [`run_until`](Engine::run_until).
    pub fn change(
        &mut self,
        at: Time,
        node: NodeId,
        change: &Change,
        probe: Option<&mut dyn Probe>,
    ) -> Result<(), ChangeFailed> {
        let mut probe = probe;
        if at > self.now {
            self.run_before(at, reborrow(&mut probe))?;
            self.advance(at);
        }
        let mut done = Ok(());
        self.call(node, false, &mut probe, |node, now, cx| done = node.change(now, change, cx))?;
        self.deliver(&mut probe)?;
        done.map_err(|why| ChangeFailed::Refused { node: self.name(node).into(), why })
    }

    /// Lets everything happen that is due up to and at `end`.
    ///
    /// # Errors
    ///
    /// If a node goes round in a circle or reports an impossible state.
    pub fn run_until(&mut self, end: Time, probe: Option<&mut dyn Probe>) -> Result<(), RunError> {
        let mut probe = probe;
        while let Some((next, node)) = self.agenda.first().filter(|(next, _)| *next <= end) {
            self.wake(next, node, &mut probe)?;
        }
        self.advance(end);
        Ok(())
    }

    /// Runs the world as [`run_until`](Engine::run_until) does, with at most `most` wake-ups. True
    /// if all that is due has happened; otherwise the present is that of the last wake-up.
    ///
    /// # Errors
    ///
    /// As [`run_until`](Engine::run_until).
    pub fn run_some(
        &mut self,
        end: Time,
        most: u32,
        probe: Option<&mut dyn Probe>,
    ) -> Result<bool, RunError> {
        let mut probe = probe;
        for _ in 0..most {
            let Some((next, node)) = self.agenda.first().filter(|(next, _)| *next <= end) else {
                self.advance(end);
                return Ok(true);
            };
            self.wake(next, node, &mut probe)?;
        }
        Ok(false)
    }

    /// Packets that have left the world since the last call.
    pub fn drain(&mut self) -> impl Iterator<Item = Arrival> + '_ {
        self.shared.left.drain(..)
    }

    /// Ends the run: every node reports what it still has to report.
    ///
    /// # Errors
    ///
    /// As [`run_until`](Engine::run_until).
    pub fn finish(&mut self, probe: Option<&mut dyn Probe>) -> Result<(), RunError> {
        let mut probe = probe;
        for n in 0..self.places.len() {
            let id = NodeId(n as u32);
            self.call(id, false, &mut probe, |node, now, cx| node.finish(now, cx))?;
        }
        self.shared.inbox.clear();
        Ok(())
    }

    fn run_before(&mut self, end: Time, probe: Option<&mut dyn Probe>) -> Result<(), RunError> {
        match end.as_nanos().checked_sub(1) {
            Some(before) => self.run_until(Time::from_nanos(before).max(self.now), probe),
            None => Ok(()),
        }
    }

    fn advance(&mut self, to: Time) {
        if to > self.now {
            self.now = to;
            self.wakes_at_now = 0;
        }
    }

    fn wake(
        &mut self,
        time: Time,
        id: NodeId,
        probe: &mut Option<&mut dyn Probe>,
    ) -> Result<(), RunError> {
        let place = &mut self.places[id.index()];
        if place.due > time {
            self.arm(id, true);
            return Ok(()); // the timer has moved
        }
        self.advance(time);
        self.wakes_at_now += 1;
        if self.wakes_at_now > MOST_WAKES_AT_ONE_INSTANT {
            return Err(RunError::Stuck { node: self.name(id).into(), at: time });
        }
        self.call(id, true, probe, |node, now, cx| node.wake(now, cx))?;
        self.deliver(probe)
    }

    /// Passes on all packets in the inbox, and all that this causes.
    fn deliver(&mut self, probe: &mut Option<&mut dyn Probe>) -> Result<(), RunError> {
        let mut passed = 0;
        while let Some((id, port, packet)) = self.shared.inbox.pop() {
            passed += 1;
            if passed > MOST_PACKETS_AT_ONE_INSTANT {
                return Err(RunError::Endless { node: self.name(id).into(), at: self.now });
            }
            self.call(id, false, probe, |node, now, cx| {
                cx.ledger.received.book(&packet);
                node.receive(now, port, packet, cx);
            })?;
        }
        Ok(())
    }

    /// Calls a node; `fired` if it is because its time has come.
    #[inline(always)]
    fn call(
        &mut self,
        id: NodeId,
        fired: bool,
        probe: &mut Option<&mut dyn Probe>,
        action: impl FnOnce(&mut dyn Node, Time, &mut Cx<'_>),
    ) -> Result<(), RunError> {
        let place = &mut self.places[id.index()];
        let mut cx = Cx {
            now: self.now,
            node: id,
            ledger: &mut place.ledger,
            wires: &place.wires,
            shared: &mut self.shared,
            probe: reborrow(probe),
            waited: None,
            end: None,
            cause: None,
        };
        action(place.node.as_mut(), self.now, &mut cx);
        if self.shared.error.is_some() {
            return Err(self.aborted(id));
        }
        place.arm(self.now, fired, &mut self.agenda);
        Ok(())
    }

    #[cold]
    fn aborted(&mut self, id: NodeId) -> RunError {
        let message = self.shared.error.take().unwrap_or_default();
        RunError::Aborted { node: self.name(id).into(), at: self.now, message }
    }

    fn arm(&mut self, id: NodeId, fired: bool) {
        self.places[id.index()].arm(self.now, fired, &mut self.agenda);
    }
}

impl Place {
    /// Sees to it that the node is woken in time; `fired` if its time has come.
    #[inline(always)]
    fn arm(&mut self, now: Time, fired: bool, agenda: &mut Agenda) {
        self.due = self.node.next_wake().unwrap_or(Time::MAX);
        let due = self.due.max(now);
        if due < self.armed || fired {
            self.armed = due;
            agenda.set(self.seat, due);
        }
    }
}

fn reborrow<'a>(probe: &'a mut Option<&mut dyn Probe>) -> Option<&'a mut dyn Probe> {
    match probe {
        Some(probe) => Some(&mut **probe),
        None => None,
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Stuck { node, at } => write!(
                f,
                "{node} was woken more than {MOST_WAKES_AT_ONE_INSTANT} times at {at} \
                 without time going on"
            ),
            RunError::Endless { node, at } => write!(
                f,
                "more than {MOST_PACKETS_AT_ONE_INSTANT} packets went round at {at}, by way of \
                 {node}, without time going on"
            ),
            RunError::Aborted { node, at, message } => write!(f, "{node} at {at}: {message}"),
        }
    }
}

impl std::error::Error for RunError {}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
