//! A bench for one node: call it, and see what it did.

use airpath_base::{NodeId, Port, Time};

use crate::engine::Shared;
use crate::{Cx, DropCause, Event, Ledger, Packet, Probe};

/// Stands in for the engine around a single node or part of one.
#[derive(Default)]
pub struct Bench {
    ledger: Ledger,
    shared: Shared,
    /// Why packets were dropped, in order.
    pub drops: Drops,
}

/// The causes of drops, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Drops(pub Vec<DropCause>);

impl Probe for Drops {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Dropped { cause, .. } = event {
            self.0.push(*cause);
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
        }
    }

    /// What has been sent since the last call, in order.
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
