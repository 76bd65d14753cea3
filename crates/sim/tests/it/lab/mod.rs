//! A world of a scenario with impairments in its wires, watched packet by packet.
//!
//! What `airpath_sim::run` checks are the books that the nodes keep. [`Auditor`] keeps
//! its own from the events alone, so that an event that is not emitted shows.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{Duration, FlowId, NodeId, Port, Time};
use airpath_net::{AppEvent, Class, DropCause, Engine, Event, Held, Packet, Probe, StackEvent};
use airpath_path::{Impair, ImpairConfig};
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

pub mod draw;

/// A world that is run by hand.
pub struct Lab {
    pub engine: Engine,
    pub auditor: Auditor,
}

/// Follows every packet by the events that are reported of it.
#[derive(Default)]
pub struct Auditor {
    /// Packets that are in the network, by number, with their size.
    alive: BTreeMap<u64, u32>,
    /// By node: packets that were originated, dropped and consumed.
    told: BTreeMap<NodeId, [u64; 3]>,
    /// Number of drops by cause.
    pub drops: BTreeMap<DropCause, u64>,
    /// Bytes that reached each flow's application.
    pub delivered: BTreeMap<FlowId, u64>,
    /// Times at which transfers were complete.
    pub finished: BTreeMap<FlowId, Time>,
    /// Reasons for which real stacks gave up.
    pub failed: BTreeMap<FlowId, &'static str>,
    /// Requests that were answered.
    pub answered: BTreeMap<FlowId, u64>,
    flaws: Vec<String>,
}

impl Lab {
    /// Builds the world of a scenario. What comes out of SGi is held back in either
    /// direction as `impair` says, and may be overtaken.
    pub fn new(text: &str, seed: u64, impair: ImpairConfig) -> Lab {
        let scenario = match Scenario::parse("random.toml", text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        let seed = Seed(seed);
        let World { mut engine, facts, .. } = World::build(&scenario, seed).expect("a world");
        for link in facts.links.iter().filter(|link| link.name.starts_with("sgi")) {
            let name = format!("{} / impairments", link.name);
            let stream = |purpose| seed.stream(&format!("{name} / {purpose}"));
            let node = Impair::new(impair, stream("loss"), stream("reordering"));
            let node = engine.add(name.clone(), Class::Packets, Box::new(node));
            engine.insert((link.node, Port(0)), node, Port(0));
        }
        Lab { engine, auditor: Auditor::default() }
    }

    /// Lets time go on in steps until `end`, with an audit after each, or until
    /// nothing will ever happen again.
    pub fn run(&mut self, step: Duration, end: Time) -> Result<(), String> {
        while self.engine.now() < end && self.engine.next_wake().is_some() {
            let next = end.min(self.engine.now() + step);
            // A world that is idle for hours is not looked at every second.
            let next = self.engine.next_wake().map_or(next, |due| next.max(due).min(end));
            let ran = self.engine.run_until(next, Some(&mut self.auditor));
            ran.map_err(|error| error.to_string())?;
            self.audit()?;
        }
        Ok(())
    }

    /// Checks that each packet is in one node, once, and that all books agree on it.
    pub fn audit(&mut self) -> Result<(), String> {
        if let Some(stray) = self.engine.drain().next() {
            return Err(format!("{stray:?} left the world"));
        }
        self.engine.audit().map_err(|(node, books)| format!("{node}: {books}"))?;
        self.auditor.check(&self.engine)
    }

    /// All that is in the world.
    pub fn held(&self) -> Held {
        self.engine.books().fold(Held::default(), |sum, (.., held)| Held {
            packets: sum.packets + held.packets,
            bytes: sum.bytes + held.bytes,
        })
    }
}

impl Auditor {
    fn entered(&mut self, packet: &Packet) {
        if self.alive.insert(packet.id, packet.size).is_some() {
            self.flaws.push(format!("packet {} was originated twice", packet.id));
        }
    }

    fn ended(&mut self, node: NodeId, packet: &Packet) {
        let size = self.alive.remove(&packet.id);
        if size != Some(packet.size) {
            let (id, now) = (packet.id, packet.size);
            self.flaws.push(format!("packet {id} of {now} B ended at {node} and was {size:?}"));
        }
    }

    /// Compares the reported events with the books of the nodes.
    fn check(&self, engine: &Engine) -> Result<(), String> {
        if let Some(flaw) = self.flaws.first() {
            return Err(flaw.clone());
        }
        let (mut sent, mut received, mut held) = (0, 0, Held::default());
        for (id, name, ledger, inside) in engine.books() {
            let told = self.told.get(&id).copied().unwrap_or_default();
            let booked = [ledger.originated, ledger.dropped, ledger.consumed];
            if told != booked.map(|account| account.packets) {
                return Err(format!("{name} booked {ledger:?} and told {told:?}"));
            }
            sent += ledger.sent.packets;
            received += ledger.received.packets;
            held.packets += inside.packets;
            held.bytes += inside.bytes;
        }
        let bytes = self.alive.values().map(|&size| u64::from(size)).sum();
        let alive = Held { packets: self.alive.len() as u64, bytes };
        match sent == received && alive == held {
            true => Ok(()),
            false => Err(format!("{alive:?} alive, {held:?}; {sent} sent, {received} received")),
        }
    }
}

impl Probe for Auditor {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        let told = match event {
            Event::Originated(packet) => {
                self.entered(packet);
                0
            }
            Event::Dropped { packet, cause, .. } => {
                *self.drops.entry(*cause).or_default() += 1;
                self.ended(node, packet);
                1
            }
            Event::Consumed(packet) => {
                self.ended(node, packet);
                2
            }
            Event::App(flow, AppEvent::Delivered { bytes }) => {
                *self.delivered.entry(*flow).or_default() += bytes;
                return;
            }
            Event::App(flow, AppEvent::Stack(StackEvent::Failed(cause))) => {
                self.failed.entry(*flow).or_insert(cause);
                return;
            }
            Event::App(flow, AppEvent::Exchange(own)) if own.done.is_some() => {
                *self.answered.entry(*flow).or_default() += 1;
                return;
            }
            Event::App(flow, AppEvent::Finished) => {
                self.finished.entry(*flow).or_insert(now);
                return;
            }
            _ => return,
        };
        self.told.entry(node).or_default()[told] += 1;
    }
}
