//! Actions of a part of a node, kept until the node performs them.
//!
//! Parts of a node may act at the same time, each with a [`Cx`] of its own on a thread of its own.
//! The node then performs their actions one part after another: packets, reports and books are
//! those of parts that act one after another. A part does not originate packets, whose numbers
//! are in the order of all nodes.
//!
//! Reports of transport blocks and of layers refer to the state of a part, which changes before
//! they could be performed. Parts therefore do not [defer](Cx::can_defer) their actions if
//! somebody wants these.

use airpath_base::{NodeId, Time};
use airpath_wire::Ecn;

use crate::engine::Shared;
use crate::{Cx, DropCause, Event, Ledger, Packet, Probe, RadioEnd};

/// The way out of a part of a node: packets, drops, reports and errors in their order.
#[derive(Default)]
pub struct Deferred {
    now: Time,
    node: NodeId,
    watched: bool,
    ledger: Ledger,
    /// Packets that were sent stand in `left`: no port of a part is connected.
    shared: Shared,
    reports: Reports,
}

/// Reports in their order; empty if nobody listens.
#[derive(Default)]
struct Reports(Vec<Report>);

enum Report {
    /// The next packet was sent.
    Sent,
    Dropped(Packet, DropCause, Option<RadioEnd>),
    Marked(Packet, Ecn),
    Consumed(Packet),
    /// An event that refers to nothing.
    Other(Event<'static>),
}

impl Probe for Reports {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        self.0.push(match *event {
            Event::Left(_) => Report::Sent,
            Event::Dropped { packet, cause, end } => Report::Dropped(packet.snapshot(), cause, end),
            Event::Marked { packet, from } => Report::Marked(packet.snapshot(), from),
            Event::Consumed(packet) => Report::Consumed(packet.snapshot()),
            Event::Queue(queue) => Report::Other(Event::Queue(queue)),
            Event::Tcp(flow, event) => Report::Other(Event::Tcp(flow, event)),
            Event::App(flow, event) => Report::Other(Event::App(flow, event)),
            Event::Radio(event) => Report::Other(Event::Radio(event)),
            Event::BufferStatus { ue, bytes } => Report::Other(Event::BufferStatus { ue, bytes }),
            Event::Moved(position) => Report::Other(Event::Moved(position)),
            Event::SuspiciousEcn { inner, outer } => {
                Report::Other(Event::SuspiciousEcn { inner, outer })
            }
            Event::Originated(_)
            | Event::Passed { .. }
            | Event::LeavesCell(_)
            | Event::Handover(_)
            | Event::BehindHandover { .. }
            | Event::Leg(_)
            | Event::Secondary(_)
            | Event::Candidate { .. }
            | Event::OffsetByLoad { .. }
            | Event::Path(_)
            | Event::Layer(_)
            | Event::Sent(_) => {
                return debug_assert!(false, "a part cannot defer {event:?}");
            }
        });
    }
}

impl Deferred {
    /// A way out during the call in which [`Cx::defer`] was called.
    pub fn cx(&mut self) -> Cx<'_> {
        Cx {
            now: self.now,
            node: self.node,
            ledger: &mut self.ledger,
            wires: &[],
            shared: &mut self.shared,
            probe: self.watched.then_some(&mut self.reports as &mut dyn Probe),
            waited: None,
            end: None,
            cause: None,
        }
    }
}

impl Cx<'_> {
    /// True if parts of the node may defer their actions: nobody wants transport blocks or layers.
    pub fn can_defer(&self) -> bool {
        !self.shared.tells_layers && !self.wants_blocks()
    }

    /// Lets a part of the node act in this call: its actions are kept in `part`.
    pub fn defer(&self, part: &mut Deferred) {
        (part.now, part.node, part.watched) = (self.now, self.node, self.is_watched());
    }

    /// Performs the actions of a part, and forgets them there.
    pub fn perform(&mut self, part: &mut Deferred) {
        self.ledger.add(&std::mem::take(&mut part.ledger));
        let mut sent = part.shared.left.drain(..);
        for report in part.reports.0.drain(..) {
            match report {
                Report::Sent => sent.next().into_iter().for_each(|p| self.route(p.port, p.packet)),
                Report::Dropped(packet, cause, end) => {
                    self.emit(|| Event::Dropped { packet: &packet, cause, end });
                }
                Report::Marked(packet, from) => {
                    self.emit(|| Event::Marked { packet: &packet, from });
                }
                Report::Consumed(packet) => self.emit(|| Event::Consumed(&packet)),
                Report::Other(event) => self.emit(|| event),
            }
        }
        sent.for_each(|arrival| self.route(arrival.port, arrival.packet));
        if let Some(error) = part.shared.error.take() {
            self.abort(error);
        }
    }
}
