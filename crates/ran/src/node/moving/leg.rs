//! The leg of a UE in a cell beside its anchor: its begin and end, and packets between both.

use airpath_base::Time;
use airpath_net::{Direction, Packet};

use super::Moving;
use crate::bearer::Bearer;
use crate::index::{BearerIndex, UeIndex};
use crate::node::cell::Cell;
use crate::node::common::Moment;
use crate::radio_link::RadioLink;
use crate::ue::Ue;

impl Cell {
    /// Takes in the leg of a UE. The failure of its link concerns no other cell.
    pub fn admit_leg(&mut self, ue: UeIndex, leg: Ue, at: &mut Moment<'_, '_>) {
        let mut link = RadioLink::new(leg.config.radio_link);
        link.kept = true;
        self.admit_ue(ue, Moving { ue: leg, rrc: None, link, buffers: Vec::new() });
        self.resume(ue, at);
    }

    /// The leg of a UE ends: MAC is reset, and RLC is released. Gives its bearers, of which nothing is on the air.
    pub fn release_leg(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) -> Vec<Bearer> {
        self.suspend_ue(ue, at);
        self.release_ue(ue).ue.bearers
    }

    /// Takes in packets of a leg, with their counts. Gives their bytes.
    pub fn take_in(
        &mut self,
        (ue, own): (UeIndex, BearerIndex),
        direction: Direction,
        packets: Vec<(u64, Packet)>,
        at: &mut Moment<'_, '_>,
    ) -> u64 {
        let first = self.queued(direction, ue, at.now) == 0;
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        let way = (direction, at.now);
        let bytes = packets.into_iter().map(|packet| bearer.accept(way, packet, at.cx)).sum();
        bearer.report_arrival();
        self.bearers_used(ue);
        match direction {
            Direction::Downlink => self.notice_downlink(at.now, ue),
            Direction::Uplink => self.notice_uplink(at.now, ue, first),
        }
        bytes
    }

    /// A packet has come by a leg to the receiver of its host in this cell.
    pub fn receive_from_leg(
        &mut self,
        (ue, own): (UeIndex, BearerIndex),
        direction: Direction,
        packet: (u64, Packet),
        at: &mut Moment<'_, '_>,
    ) {
        let up = &mut self.up_packets;
        let out = &mut |way, packet| up.push((own, way, packet));
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        bearer.receive_from_leg((direction, at.now), packet, at.cx, out);
        self.bearers_used(ue);
        self.hand_up(ue, at);
    }

    /// Hands packets of a host over to its leg, of this many bytes; the last may exceed them. Gives their bytes, too.
    pub fn hand_over(
        &mut self,
        (ue, own): (UeIndex, BearerIndex),
        direction: Direction,
        most: u64,
        at: &mut Moment<'_, '_>,
    ) -> (Vec<(u64, Packet)>, u64) {
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        let handed = bearer.hand_over((direction, at.now), most, at.cx);
        if !handed.0.is_empty() {
            self.bearers_used(ue);
            if direction == Direction::Uplink {
                self.end_request(ue, at.now);
            }
        }
        handed
    }

    /// Uplink data have gone to a leg. Without others the UE does not ask this cell for a grant.
    fn end_request(&mut self, ue: UeIndex, now: Time) {
        if self.queued(Direction::Uplink, ue, now) > 0 {
            return;
        }
        let state = &mut self.ues[ue.index()].uplink;
        (state.sr_pending, state.awaits_grant) = (false, false);
        self.pending_bsr.set(ue, false);
    }

    /// A bearer of a UE.
    pub fn bearer_of(&mut self, (ue, own): (UeIndex, BearerIndex)) -> &mut Bearer {
        &mut self.ues[ue.index()].bearers[own.index()]
    }

    /// The other path of a bearer with duplication has confirmed packets, which are taken out of this cell where nothing of
    /// them has been sent. Gives their counts.
    pub fn confirm(
        &mut self,
        bearer: (UeIndex, BearerIndex),
        direction: Direction,
        counts: &[u64],
        at: &mut Moment<'_, '_>,
    ) -> Vec<u64> {
        if counts.is_empty() {
            return Vec::new();
        }
        let took = self.bearer_of(bearer).confirm((direction, at.now), counts, at.cx);
        if !took.is_empty() {
            self.bearers_used(bearer.0);
            if direction == Direction::Uplink {
                self.end_request(bearer.0, at.now);
            }
        }
        took
    }

    /// The leg of a bearer with duplication has withdrawn copies.
    pub fn note_withdrawals(
        &mut self,
        bearer: (UeIndex, BearerIndex),
        direction: Direction,
        counts: &[u64],
    ) {
        self.bearer_of(bearer).note_withdrawals(direction, counts);
    }

    /// Packets that a leg has not delivered come back to their host.
    pub fn give_back(
        &mut self,
        (ue, own): (UeIndex, BearerIndex),
        direction: Direction,
        mut packets: Vec<(u64, Packet)>,
        at: &mut Moment<'_, '_>,
    ) {
        if packets.is_empty() {
            return;
        }
        packets.iter_mut().for_each(|(_, packet)| packet.queued = at.now);
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        bearer.give_back(direction, packets, at.cx);
        bearer.report_arrival();
        self.bearers_used(ue);
        if self.has_link(ue) {
            self.notice(at.now, ue);
        }
    }
}
