//! RLC of a bearer whose radio link fails.

use airpath_base::Time;
use airpath_net::{Cx, Direction, DropCause, Packet, RadioEnd, Stage};

use super::{Channel, Peers, Side};
use crate::rlc::Handed;

impl Channel {
    /// The direction whose transmitter has reached maxRetxThreshold, if one has.
    #[inline]
    pub fn failed(&self) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| match &self.side(*direction).peers {
            Peers::Um(..) | Peers::NrUm(_) => false,
            Peers::Am(pair) => pair.has_failed(),
        })
    }

    /// MAC is reset (TS 36.321, 5.9; TS 38.321, 5.12): a PDU that HARQ had on the air is void.
    pub fn void(&mut self, direction: Direction) {
        self.side_mut(direction).on_air -= 1;
    }

    /// The radio link has failed. Books the time of each packet by where it stands.
    pub fn charge_before_failure(&mut self, now: Time) {
        for Side { store, peers, .. } in [&mut self.down, &mut self.up] {
            let acknowledged = matches!(peers, Peers::Am(_));
            store.charge(now, if acknowledged { Stage::Arq } else { Stage::Radio });
        }
    }

    /// Books the time of each packet to a stage.
    pub fn charge_all(&mut self, now: Time, stage: Stage) {
        for side in [&mut self.down, &mut self.up] {
            side.store.charge_all(now, stage);
        }
    }

    /// Books the time of each packet of a direction to a stage.
    pub fn charge_side(&mut self, direction: Direction, now: Time, stage: Stage) {
        self.side_mut(direction).store.charge_all(now, stage);
    }

    /// Calls `visit` for each packet that a re-establishment sends again: in acknowledged mode those that the receiver
    /// does not have as a whole.
    pub fn for_each_undelivered(&self, direction: Direction, visit: &mut dyn FnMut(&Packet)) {
        let Side { store, peers, .. } = self.side(direction);
        if matches!(peers, Peers::Am(_)) {
            store.for_each_undelivered(visit);
        }
    }

    /// Takes out the packets of a direction that the receiver does not have, with their counts. The bearer ends, and
    /// nothing of it may be on the air.
    pub fn take_back(&mut self, direction: Direction) -> Vec<(u64, Packet)> {
        self.side_mut(direction).store.take_back()
    }

    /// Both ends of both directions are re-established (TS 36.322, 5.4; TS 38.322, 5.1.2). In
    /// acknowledged mode PDCP's SDUs are sent again from the first whose delivery is not confirmed
    /// (TS 36.323, 5.2.1.1; TS 38.323, 5.1.2). In unacknowledged mode what RLC has is dropped.
    /// Nothing may be on the air. Gives the number of the next new SDU downlink and uplink in
    /// unacknowledged mode.
    pub fn reestablish(
        &mut self,
        (now, cause): (Time, DropCause),
        ends: impl Fn(Direction) -> [RadioEnd; 2],
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Handed),
    ) -> [Option<u64>; 2] {
        Direction::ALL.map(|direction| {
            let [_, end] = ends(direction);
            let Side { store, peers, .. } = self.side_mut(direction);
            match peers {
                Peers::Um(transmitter, receiver) => {
                    transmitter.reestablish();
                    cx.at_end(end, |cx| receiver.reestablish(now, store, cx, out));
                }
                Peers::NrUm(pair) => pair.reestablish(),
                Peers::Am(pair) => {
                    pair.reestablish(store);
                    return None;
                }
            }
            Some(cx.at_end(end, |cx| store.clear(cause, cx)))
        })
    }

    /// The transmitter in a direction does not go along to another cell. What the receiver has out of turn is handed
    /// up, and the rest is dropped. Nothing may be on the air. Gives the number of the next SDU.
    pub fn leave_behind(
        &mut self,
        (direction, now): (Direction, Time),
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Handed),
    ) -> u64 {
        let Side { store, peers, .. } = self.side_mut(direction);
        store.hand_up_all_kept(now, out);
        let next = store.clear(DropCause::Handover, cx);
        if let Peers::Am(pair) = peers {
            pair.restart(next);
        }
        next
    }

    /// The bearer is released: drops all, and begins anew. Nothing may be on the air. Gives the
    /// number of the next SDU downlink and uplink.
    pub fn release(
        &mut self,
        ends: impl Fn(Direction) -> [RadioEnd; 2],
        cx: &mut Cx<'_>,
    ) -> [u64; 2] {
        Direction::ALL.map(|direction| {
            let [end, _] = ends(direction);
            let Side { store, peers, .. } = self.side_mut(direction);
            let next = cx.at_end(end, |cx| store.clear(DropCause::LinkFailure, cx));
            match peers {
                Peers::Um(transmitter, receiver) => {
                    transmitter.reestablish();
                    receiver.restart();
                }
                Peers::NrUm(pair) => pair.reestablish(),
                Peers::Am(pair) => pair.restart(next),
            }
            next
        })
    }
}
