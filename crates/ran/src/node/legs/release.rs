//! End of a leg, and records of changes.
//!
//! With the end of a leg its packets come back to the host, and go by the anchor before all others (PDCP data recovery,
//! TS 38.323, 5.5):
//!
//! - those on their way between the nodes;
//! - those that wait in the leg;
//! - those that RLC of the leg has sent and the receiver does not have. In unacknowledged mode they are lost.
//!
//! With duplication only those come back of which nothing else is on its way or has come.
//!
//! Simplified: the host knows at once what the receiver has. A receiver would discard what comes twice.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Direction, DropCause, Event, LegChange, LegOutcome, Packet, Stage};

use super::Legs;
use super::procedure::Phase;
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

impl Ran {
    /// The link of a UE's leg may have failed, or its anchor may have left it: then the leg ends.
    pub(super) fn look_at_leg(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let index = self.serving[ue.index()].ue;
        let Some(leg) = &legs.ue(ue).leg else { return };
        let (cell, anchor) = (leg.cell, leg.anchor);
        let outcome = match self.cells[cell.index()].abandoned_since(index) {
            Some(_) => LegOutcome::LinkFailed,
            None if !self.has_anchor(ue, anchor) => LegOutcome::AnchorLeft,
            None => return,
        };
        let recovered = self.end_leg(legs, (now, ue), cx);
        let own = legs.ue(ue);
        // A change that goes on ends with its leg.
        own.steps = crate::handover::Steps { ue, source: anchor, ..Default::default() };
        (own.source, own.recovered, own.aim) = (Some(cell), recovered, None);
        self.end_attempt(legs, (now, ue), outcome, cx);
    }

    /// The leg of a UE ends, if it has one. Gives the number of packets that come back to the host, downlink and uplink.
    pub(super) fn end_leg(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) -> [u64; 2] {
        self.collect(legs, (now, ue), cx);
        legs.active.retain(|other| *other != ue);
        let own = legs.ue(ue);
        let Some(mut leg) = own.leg.take() else { return [0; 2] };
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let bearers = self.cells[leg.cell.index()].release_leg(index, at);
        let mut recovered = [0; 2];
        for ((mut bearer, flow), split) in bearers.into_iter().zip(&mut leg.flows).zip(&own.splits)
        {
            for direction in Direction::ALL {
                let [mut packets, lost] = bearer.take_back((direction, now), at.cx);
                if direction == Direction::Downlink {
                    packets.extend(
                        flow.take_back().map(|(count, packet)| (count, rests(now, packet))),
                    );
                }
                let to = (index, split.own);
                let host = self.cells[cell.index()].bearer_of(to);
                for packet in lost {
                    host.lose_copy(direction, packet, DropCause::LinkFailure, at.cx);
                }
                let mut packets = host.without_others(direction, packets);
                packets.extend(host.end_copying(direction));
                recovered[direction as usize] += packets.len() as u64;
                self.cells[cell.index()].give_back(to, direction, packets, at);
            }
            debug_assert_eq!(bearer.held().packets, 0, "a leg keeps nothing");
        }
        recovered
    }

    /// A change of a UE's leg has come to its end.
    pub(super) fn end_attempt(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        outcome: LegOutcome,
        cx: &mut Cx<'_>,
    ) {
        for occasions in &mut legs.occasions {
            occasions.release(ue);
        }
        let own = legs.ue(ue);
        own.phase = Phase::Still;
        let steps = &own.steps;
        let record = LegChange {
            ue,
            anchor: steps.source,
            source: own.source.take(),
            target: own.aim.take(),
            outcome,
            at: now,
            report: steps.report,
            command_sent: steps.command_sent,
            command_received: steps.command_received,
            access: steps.access,
            completed: steps.completed,
            preambles: steps.preambles.len() as u32,
            recovered: std::mem::take(&mut own.recovered),
        };
        cx.emit(|| Event::Leg(&record));
    }
}

/// A packet that has been between the nodes until now.
fn rests(now: Time, mut packet: Packet) -> Packet {
    packet.charge(Stage::Pdcp, now.max(packet.stages.until()));
    packet
}
