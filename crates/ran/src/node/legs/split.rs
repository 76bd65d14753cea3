//! Packets of split bearers between the host, in the anchor, and the leg.
//!
//! - **Downlink.** A packet waits in the queue of the host, where AQM and markers act, until RLC of the anchor takes it or
//!   the leg wants it ([`flow`](super::flow)). The leg is served first: it is the faster one, and its data rest nowhere
//!   else. A packet comes to the leg after the delay between the nodes.
//! - **Uplink.** Below the threshold, data take the primary path alone. From it on they take both (TS 38.323, 5.2.1).
//!   The UE gives the leg what the leg wants by the same rule, without delay. With the leg as the primary path it gives
//!   all below the threshold. The host has what the leg receives after the delay between the nodes.
//! - **Both receivers** put packets into order (TS 38.323, 5.2.2).
//!
//! Simplified: buffer status reports have the data of their own leg, where TS 38.323, 5.6, has all above the threshold
//! in both. Time between the nodes and in the leg's queue counts as that of PDCP.

use std::collections::VecDeque;

use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, Packet, Stage};

use super::flow::{Credit, Status, Window};
use super::{Leg, Legs};
use crate::config::{DualConnectivity, PrimaryPath, SplitBearer};
use crate::index::BearerIndex;
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// A split bearer of a UE.
pub(super) struct Split {
    pub bearer: BearerId,
    /// Index in the UE at the host.
    pub own: BearerIndex,
    pub config: SplitBearer,
}

/// Data of a split bearer with a leg.
pub(super) struct Flow {
    credit: Credit,
    down: Window,
    up: Window,
    /// Packets on their way to the leg, with their counts and their times there.
    packets: VecDeque<(Time, u64, Packet)>,
    /// Reports on their way to the host, with the counts that RLC of the leg has confirmed; none without duplication.
    statuses: VecDeque<(Time, Status, Vec<u64>)>,
    /// Counts that RLC of the anchor has confirmed, on their way to the leg (TS 38.425, 5.5.2.1, DL discard blocks).
    pub(super) confirmed: VecDeque<(Time, Vec<u64>)>,
}

impl Split {
    /// A split bearer of a UE with these bearers.
    pub fn new(config: &SplitBearer, bearers: &[BearerId]) -> Split {
        let own = bearers.iter().position(|own| *own == config.bearer).unwrap_or(0);
        Split { bearer: config.bearer, own: BearerIndex::new(own), config: *config }
    }
}

impl Flow {
    /// Nothing sent by the leg.
    pub fn new(config: &DualConnectivity) -> Flow {
        Flow {
            credit: Credit::new(),
            down: Window::new(config.status_period, config.transport),
            up: Window::new(config.status_period, Duration::ZERO),
            packets: VecDeque::new(),
            statuses: VecDeque::new(),
            confirmed: VecDeque::new(),
        }
    }

    /// Time of the next arrival.
    pub fn due(&self) -> Option<Time> {
        let packet = self.packets.front().map(|(at, ..)| *at);
        let status = self.statuses.front().map(|(at, ..)| *at);
        let confirmed = self.confirmed.front().map(|(at, _)| *at);
        packet.into_iter().chain(status).chain(confirmed).min()
    }

    /// Packets on their way to the leg.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|(.., packet)| packet)
    }

    /// Takes out the packets on their way to the leg, with their counts.
    pub fn take_back(&mut self) -> impl Iterator<Item = (u64, Packet)> {
        self.packets.drain(..).map(|(_, count, packet)| (count, packet))
    }

    /// Takes out the packets that have come to the leg.
    fn take_come(&mut self, now: Time) -> Vec<(u64, Packet)> {
        let mut come = Vec::new();
        while let Some((_, count, packet)) = self.packets.pop_front_if(|(at, ..)| *at <= now) {
            come.push((count, packet));
        }
        come
    }
}

impl Ran {
    /// Packets and reports between the nodes of a UE arrive.
    pub(super) fn carry(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        self.carry_uplink(legs, (now, ue), cx);
        let (period, transport) = (legs.config.status_period, legs.config.transport);
        let own = legs.ue(ue);
        let Some(Leg { cell, next_status, flows, .. }) = &mut own.leg else { return };
        let Serving { cell: anchor, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let leg_cell = *cell;
        let reports = *next_status <= now;
        if reports {
            *next_status = now + period;
        }
        let mut heeded = false;
        for (n, flow) in flows.iter_mut().enumerate() {
            let leg = BearerIndex::new(n);
            let come = flow.take_come(now);
            let cell = &mut self.cells[leg_cell.index()];
            if !come.is_empty() {
                let bytes = cell.take_in((index, leg), DOWN, come, at);
                flow.down.receive(bytes);
            }
            if reports {
                let bearer = &mut cell.ues[index.index()].bearers[n];
                let status = flow.down.report(bearer.waiting(DOWN).bytes);
                flow.up.report(bearer.waiting(UP).bytes);
                flow.statuses.push_back((now + transport, status, bearer.take_confirmed(DOWN)));
            }
            let host = (index, own.splits[n].own);
            while let Some((_, counts)) = flow.confirmed.pop_front_if(|(at, _)| *at <= now) {
                let took = self.cells[leg_cell.index()].confirm((index, leg), DOWN, &counts, at);
                self.cells[anchor.index()].note_withdrawals(host, DOWN, &took);
            }
            while let Some((_, status, counts)) = flow.statuses.pop_front_if(|(at, ..)| *at <= now)
            {
                flow.credit.heed(status);
                heeded = true;
                self.cells[anchor.index()].confirm(host, DOWN, &counts, at);
            }
        }
        if heeded {
            self.share_downlink(legs, (now, ue), cx);
        }
        if reports {
            self.share_uplink(legs, (now, ue), cx);
        }
    }

    /// Uplink packets of a UE come from a leg to the host.
    fn carry_uplink(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let own = legs.ue(ue);
        while let Some((_, n, count, mut packet)) = own.up.pop_front_if(|(at, ..)| *at <= now) {
            packet.charge(Stage::Pdcp, now.max(packet.stages.until()));
            let to = (index, own.splits[n].own);
            self.cells[cell.index()].receive_from_leg(to, UP, (count, packet), at);
        }
    }

    /// Packets that the leg of a UE has handed up go to the receivers. In the UE they come at once, at the host after the
    /// delay between the nodes.
    pub(super) fn collect(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        for n in 0..legs.ue(ue).splits.len() {
            if legs.ue(ue).splits[n].duplicates() {
                self.settle_copies(legs, (now, ue, n), cx);
            }
        }
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let transport = legs.config.transport;
        let own = legs.ue(ue);
        let Some(Leg { cell: leg, .. }) = own.leg else { return };
        for n in 0..own.splits.len() {
            let bearer = &mut self.cells[leg.index()].ues[index.index()].bearers[n];
            if !bearer.has_handed_up() {
                continue;
            }
            for (direction, count, packet) in bearer.take_handed_up() {
                match direction {
                    Direction::Uplink => own.up.push_back((now + transport, n, count, packet)),
                    Direction::Downlink => {
                        let to = (index, own.splits[n].own);
                        self.cells[cell.index()].receive_from_leg(to, DOWN, (count, packet), at);
                    }
                }
            }
        }
    }

    /// The host gives the leg of a UE what that wants.
    pub(super) fn share_downlink(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let arrival = now + legs.config.transport;
        let own = legs.ue(ue);
        let Some(Leg { flows, .. }) = &mut own.leg else { return };
        for (flow, split) in flows.iter_mut().zip(&own.splits) {
            let open = flow.credit.open();
            if open == 0 {
                continue;
            }
            let host = &mut self.cells[cell.index()];
            let (packets, bytes) = host.hand_over((index, split.own), DOWN, open, at);
            flow.credit.give(bytes);
            let packets = packets.into_iter();
            flow.packets.extend(packets.map(|(count, packet)| (arrival, count, packet)));
        }
    }

    /// The UE gives its leg uplink data.
    pub(super) fn share_uplink(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let own = legs.ue(ue);
        let Some(Leg { cell: leg, flows, .. }) = &mut own.leg else { return };
        for (n, (flow, split)) in flows.iter_mut().zip(&own.splits).enumerate() {
            let host = &self.cells[cell.index()].ues[index.index()].bearers[split.own.index()];
            if !host.has_for_leg(UP) {
                continue;
            }
            let beside = &self.cells[leg.index()].ues[index.index()].bearers[n];
            let there = beside.waiting(UP).bytes;
            let both = split.config.duplicates[UP as usize]
                || split.takes_both(host.waiting(UP).bytes + there);
            let most = match (split.config.primary, both) {
                (PrimaryPath::Anchor, false) => 0,
                (PrimaryPath::Leg, false) => u64::MAX,
                (_, true) => flow.up.desired().saturating_sub(there),
            };
            let host = &mut self.cells[cell.index()];
            let (packets, bytes) = host.hand_over((index, split.own), UP, most, at);
            if !packets.is_empty() {
                flow.up.receive(bytes);
                self.cells[leg.index()].take_in((index, BearerIndex::new(n)), UP, packets, at);
            }
        }
    }
}

impl Split {
    /// True if packets of a direction take both paths.
    pub fn duplicates(&self) -> bool {
        self.config.duplicates.contains(&true)
    }

    /// True if so many bytes of uplink data take both paths.
    fn takes_both(&self, bytes: u64) -> bool {
        self.config.threshold.is_some_and(|threshold| bytes >= threshold)
    }
}
