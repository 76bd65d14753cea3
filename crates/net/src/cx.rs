//! Actions of a node during a call.

use airpath_base::{NodeId, Port, Time};
use airpath_wire::{Ecn, Tuple};

use crate::engine::{OUTSIDE, Shared, Wire};
use crate::layers::LayerEvent;
use crate::{Arrival, DropCause, Event, Ledger, Packet, Probe, RadioEnd, Stage};

/// The way out of a node during one call: packets, drops, reports, errors.
pub struct Cx<'a> {
    pub(crate) now: Time,
    pub(crate) node: NodeId,
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) wires: &'a [Option<Wire>],
    pub(crate) shared: &'a mut Shared,
    pub(crate) probe: Option<&'a mut dyn Probe>,
    /// Stage in which dropped packets have waited.
    pub(crate) waited: Option<Stage>,
    /// The end of the radio at which packets are dropped.
    pub(crate) end: Option<RadioEnd>,
    /// Cause of all drops of the call, whichever element drops.
    pub(crate) cause: Option<DropCause>,
}

impl Cx<'_> {
    /// Hands a packet to whatever is connected to `port`, in this same instant.
    #[inline(always)]
    pub fn send(&mut self, port: Port, packet: Packet) {
        self.ledger.sent.book(&packet);
        self.route(port, packet);
    }

    /// Hands a packet that has been booked to whatever is connected to `port`.
    #[inline(always)]
    pub(crate) fn route(&mut self, port: Port, packet: Packet) {
        let Some(&Some(wire)) = self.wires.get(port.index()) else {
            self.emit(|| Event::Left(port));
            self.shared.left.push(Arrival { at: self.now, node: self.node, port, packet });
            return;
        };
        if let Some(point) = wire.point {
            self.emit(|| Event::Passed { point, packet: &packet });
        }
        if wire.to == OUTSIDE {
            return self.leave(port, packet);
        }
        self.shared.inbox.push(wire.to, wire.port, packet);
    }

    /// Lets a packet out of the world, where somebody takes it.
    #[cold]
    fn leave(&mut self, port: Port, packet: Packet) {
        self.shared.outside.received.book(&packet);
        self.shared.outside.consumed.book(&packet);
        self.emit(|| Event::Consumed(&packet));
        self.shared.left.push(Arrival { at: self.now, node: self.node, port, packet });
    }

    /// Gives a new packet its number and reports it; it still has to be sent.
    #[inline]
    pub fn originate(&mut self, packet: &mut Packet) {
        packet.id = self.shared.next_packet;
        self.shared.next_packet += 1;
        self.ledger.originated.book(packet);
        self.emit(|| Event::Originated(packet));
    }

    /// Lets `act` drop packets that have waited: the time since their last booking is booked to
    /// `stage`.
    #[inline]
    pub fn waiting_in<T>(&mut self, stage: Stage, act: impl FnOnce(&mut Cx<'_>) -> T) -> T {
        let before = self.waited.replace(stage);
        let done = act(self);
        self.waited = before;
        done
    }

    /// Lets `act` drop packets at an end of the radio.
    #[inline]
    pub fn at_end<T>(&mut self, end: RadioEnd, act: impl FnOnce(&mut Cx<'_>) -> T) -> T {
        let before = self.end.replace(end);
        let done = act(self);
        self.end = before;
        done
    }

    /// Lets `act` drop packets for this cause, whatever cause it names itself.
    pub fn dropping_for<T>(&mut self, cause: DropCause, act: impl FnOnce(&mut Cx<'_>) -> T) -> T {
        let before = self.cause.replace(cause);
        let done = act(self);
        self.cause = before;
        done
    }

    /// Books the time of a packet that has waited since its last booking, as [`drop`](Cx::drop) does.
    pub fn book_wait(&self, packet: &mut Packet) {
        if let Some(stage) = self.waited {
            packet.charge(stage, self.now.max(packet.stages.until()));
        }
    }

    /// Drops a packet and reports it.
    #[cold]
    pub fn drop(&mut self, mut packet: Packet, cause: DropCause) {
        let cause = self.cause.unwrap_or(cause);
        self.book_wait(&mut packet);
        self.ledger.dropped.book(&packet);
        if let Some(set) = packet.set.as_ref().filter(|_| self.shared.notes_sets) {
            self.shared.noted_sets.push((packet.tuple, set.number, cause));
        }
        let end = self.end;
        self.emit(|| Event::Dropped { packet: &packet, cause, end });
    }

    /// From now on keeps the PDU sets of which packets are dropped in this node, or no longer.
    #[inline]
    pub fn note_sets(&mut self, on: bool) {
        self.shared.notes_sets = on;
    }

    /// PDU sets that have been noted since the last call, oldest first: addresses of a packet, number of the set, cause of
    /// the drop.
    pub fn noted_sets(&mut self) -> Vec<(Tuple, u64, DropCause)> {
        std::mem::take(&mut self.shared.noted_sets)
    }

    /// Takes a packet out of the network, at its receiver, and reports it.
    #[inline]
    pub fn consume(&mut self, packet: &Packet) {
        self.ledger.consumed.book(packet);
        self.emit(|| Event::Consumed(packet));
    }

    /// From now on counts the marks of this node instead of making them, or no longer. Gives the marks that were counted.
    pub fn withhold_marks(&mut self, on: bool) -> u64 {
        core::mem::replace(&mut self.shared.withheld_marks, on.then_some(0)).unwrap_or(0)
    }

    /// Sets the visible ECN field to congestion experienced and reports it.
    ///
    /// The packet must be ECN-capable and not marked yet.
    #[cold]
    pub fn mark(&mut self, packet: &mut Packet) {
        let from = packet.visible_ecn();
        debug_assert!(from.is_capable(), "only ECN-capable packets are marked");
        if let Some(count) = &mut self.shared.withheld_marks {
            *count += 1;
            return;
        }
        packet.set_visible_ecn(Ecn::Ce);
        self.emit(|| Event::Marked { packet, from });
    }

    /// Reports what `event` makes; with nobody listening it is not made.
    #[inline]
    pub fn emit<'e>(&mut self, event: impl FnOnce() -> Event<'e>) {
        if let Some(probe) = self.probe.as_deref_mut() {
            probe.on(self.now, self.node, &event());
        }
    }

    /// Reports an event of a layer of the radio, if the engine [reports
    /// layers](crate::Engine::tell_layers).
    #[inline]
    pub fn tell_layer<'e>(&mut self, event: impl FnOnce() -> LayerEvent<'e>) {
        if self.shared.tells_layers {
            self.emit(|| Event::Layer(event()));
        }
    }

    /// Reports likewise what `make` hands to its argument, an event that borrows from what `make` has.
    pub fn tell_layer_with(&mut self, make: impl FnOnce(&mut dyn FnMut(LayerEvent<'_>))) {
        if self.shared.tells_layers {
            make(&mut |event| self.emit(|| Event::Layer(event)));
        }
    }

    /// True if there is a listener.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.probe.is_some()
    }

    /// True if a listener wants each transport block.
    #[inline]
    pub fn wants_blocks(&self) -> bool {
        self.probe.as_deref().is_some_and(|probe| probe.wants_blocks())
    }

    /// Ends the run with an error: a model found itself in an impossible state.
    #[cold]
    pub fn abort(&mut self, message: impl Into<String>) {
        self.shared.error.get_or_insert_with(|| message.into());
    }
}
