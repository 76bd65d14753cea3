//! A bench for one node: call it, and see what it did.

use airpath_base::{NodeId, Port, Time};

use crate::engine::Shared;
use crate::{Cx, DropCause, Event, Ledger, Packet, Probe, RadioEnd, Stages};

/// Stands in for the engine around a single node or part of one.
#[derive(Default)]
pub struct Bench {
    ledger: Ledger,
    shared: Shared,
    /// Causes of drops, in order.
    pub drops: Drops,
}

/// The causes of drops, in order, and what else is known of each.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Drops(pub Vec<DropCause>, pub Vec<Dropped>);

/// A packet that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Time of the drop.
    pub at: Time,
    /// Time at which the application made the packet.
    pub born: Time,
    /// Stages of the packet.
    pub stages: Stages,
    /// The end of the radio that dropped it.
    pub end: Option<RadioEnd>,
}

impl Probe for Drops {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Dropped { packet, cause, end } = event {
            self.0.push(*cause);
            let (born, stages, end) = (packet.born(), packet.stages.clone(), *end);
            self.1.push(Dropped { at: now, born, stages, end });
        }
    }
}

impl Bench {
    /// An empty bench.
    pub fn new() -> Bench {
        Bench::default()
    }

    /// A context for a call at `now`.
    pub fn cx(&mut self, now: Time) -> Cx<'_> {
        Cx {
            now,
            node: NodeId(0),
            ledger: &mut self.ledger,
            wires: &[],
            shared: &mut self.shared,
            probe: Some(&mut self.drops),
            waited: None,
            end: None,
            cause: None,
        }
    }

    /// A context whose reports go to `probe`.
    pub fn cx_watched<'a>(&'a mut self, now: Time, probe: &'a mut dyn Probe) -> Cx<'a> {
        Cx {
            now,
            node: NodeId(0),
            ledger: &mut self.ledger,
            wires: &[],
            shared: &mut self.shared,
            probe: Some(probe),
            waited: None,
            end: None,
            cause: None,
        }
    }

    /// Packets sent since the last call, in order.
    pub fn sent(&mut self) -> Vec<(Port, Packet)> {
        self.shared.left.drain(..).map(|arrival| (arrival.port, arrival.packet)).collect()
    }

    /// The ledger of the node.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The error with which the node aborted, if it did.
    pub fn error(&self) -> Option<&str> {
        self.shared.error.as_deref()
    }
}
