//! Duplication on split bearers (TS 38.323, 5.11): packets that one path confirms or loses.
//!
//! - **Confirmation.** RLC of a path has the status report of a packet. The other path withdraws its copy, if nothing of it
//!   has been sent. Downlink the nodes learn of it from each other after the delay between them: the host with the next
//!   delivery status, the leg by discard blocks (TS 38.425, 5.5.2). Uplink both paths are in the UE.
//! - **Loss.** The host's register decides whether the packet is lost with its copy.
//!
//! Simplified: a path confirms packets in their order.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Direction, Held};

use super::Legs;
use crate::index::BearerIndex;
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

const UP: Direction = Direction::Uplink;

impl Ran {
    /// Behind the stage of the cells: copies of a UE's split bearer that a path has confirmed or lost.
    pub(super) fn settle_copies(
        &mut self,
        legs: &mut Legs,
        (now, ue, n): (Time, UeId, usize),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell: anchor, ue: index } = self.serving[ue.index()];
        let arrival = now + legs.config.transport;
        let own = legs.ue(ue);
        let (Some(leg), split) = (&mut own.leg, &own.splits[n]) else { return };
        let cells = &mut self.cells;
        let (host, there) = ((index, split.own), (index, BearerIndex::new(n)));
        for direction in Direction::ALL {
            let lost = cells[leg.cell.index()].bearer_of(there).take_lost(direction);
            let bearer = cells[anchor.index()].bearer_of(host);
            for (count, packet, cause) in lost {
                bearer.lose_copy(direction, (count, packet), cause, cx);
            }
        }
        let at = &mut Moment { now, common: &self.common, cx };
        // Copies that the leg has not got yet are at the host.
        let [down, by_anchor] = Direction::ALL.map(|direction| {
            let confirmed = cells[anchor.index()].bearer_of(host).take_confirmed(direction);
            cells[anchor.index()].confirm(host, direction, &confirmed, at);
            confirmed
        });
        if !down.is_empty() {
            leg.flows[n].confirmed.push_back((arrival, down));
        }
        let took = cells[leg.cell.index()].confirm(there, UP, &by_anchor, at);
        cells[anchor.index()].note_withdrawals(host, UP, &took);
        let by_leg = cells[leg.cell.index()].bearer_of(there).take_confirmed(UP);
        cells[anchor.index()].confirm(host, UP, &by_leg, at);
        cells[anchor.index()].bearer_of(host).report_copies(at.cx);
    }

    /// Packets that the node holds, without those that are there twice.
    pub(in crate::node) fn once(&self, held: Held) -> Held {
        let bearers = self.legs.iter().flat_map(|legs| legs.duplicating());
        bearers.fold(held, |held, bearer| {
            let (ue, own) = self.bearers[bearer.index()];
            let Serving { cell, ue } = self.serving[ue.index()];
            let Held { packets, bytes } =
                self.cells[cell.index()].ues[ue.index()].bearers[own.index()].surplus();
            Held { packets: held.packets - packets, bytes: held.bytes - bytes }
        })
    }

    /// Reports the copies since the last report of all bearers with duplication.
    pub(in crate::node) fn report_copies(&mut self, cx: &mut Cx<'_>) {
        let bearers: Vec<_> = self.legs.iter().flat_map(|legs| legs.duplicating()).collect();
        for bearer in bearers {
            self.bearer_mut(bearer).into_iter().for_each(|host| host.report_copies(cx));
        }
    }
}
