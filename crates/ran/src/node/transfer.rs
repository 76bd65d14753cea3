//! Packets into the network and out of it.

use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, DropCause, Outer, Packet, TunnelKind, decapsulate};
use airpath_wire::{GtpuRepr, tunnel};

use super::{Ran, Work};
use crate::block::Block;
use crate::config::QosFlow;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

impl Ran {
    /// A downlink packet, in its bearer's tunnel.
    pub(super) fn enter_downlink(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let Some((packet, outer)) = decapsulate(packet, cx) else { return };
        let TunnelKind::Gtpu { teid } = outer.kind else {
            cx.drop(packet, DropCause::Unexpected);
            return;
        };
        match self.teids.binary_search_by_key(&teid, |&(teid, _)| teid) {
            Ok(n) => self.enqueue(now, self.teids[n].1, Direction::Downlink, packet, cx),
            Err(_) => cx.drop(packet, DropCause::NoRoute),
        }
    }

    /// An uplink packet; the UE's filters choose its bearer (TS 23.401, 4.7.2.2).
    pub(super) fn enter_uplink(&mut self, now: Time, ue: UeId, packet: Packet, cx: &mut Cx<'_>) {
        let Some(entity) = self.ues.get(ue.index()) else {
            cx.drop(packet, DropCause::NoRoute);
            return;
        };
        let tos = packet.dscp << 2 | packet.ecn.bits();
        let chosen = entity.config.tft.classify(&packet.tuple, tos, Direction::Uplink);
        let flow = chosen.and_then(|n| entity.config.flow(n));
        let flow = flow.unwrap_or(QosFlow::first(entity.config.bearers[0]));
        self.enqueue(now, flow, Direction::Uplink, packet, cx);
    }

    #[inline(always)]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        flow: QosFlow,
        direction: Direction,
        packet: Packet,
        cx: &mut Cx<'_>,
    ) {
        let ue = self.bearers[flow.bearer.index()].config.ue;
        if !self.ues[ue.index()].config.served {
            cx.drop(packet, DropCause::NoService);
            return;
        }
        let admitted = match self.rrc.is_empty() && self.radio_links.are_up() {
            true => Some(packet),
            false => self.admit(now, (flow, direction), packet, cx),
        };
        let Some(packet) = admitted else { return };
        let id = flow.bearer;
        let before = match direction {
            Direction::Uplink => self.queued(UP, ue, now),
            Direction::Downlink => 0,
        };
        let bearer = &mut self.bearers[id.index()];
        bearer.enqueue(direction, now, packet, usize::from(flow.number), cx);
        self.bearers_used(ue);
        match direction {
            Direction::Downlink => {
                self.bearers[id.index()].report_arrival();
                self.notice_downlink(now, ue);
            }
            Direction::Uplink => self.notice_uplink(now, ue, before == 0),
        }
    }

    /// Something may have changed in a bearer's queues.
    pub(super) fn notice(&mut self, now: Time, bearer: BearerId) {
        let ue = self.bearers[bearer.index()].config.ue;
        self.notice_downlink(now, ue);
        if self.queued(UP, ue, now) > 0 {
            let asleep = self.is_forgotten(ue);
            self.notice_uplink(now, ue, asleep);
        }
    }

    pub(super) fn notice_downlink(&mut self, now: Time, ue: UeId) {
        if !self.radio_links.is_up(ue) || self.sleeps(now, ue) {
            return;
        }
        self.watch_link(now, ue);
        let (c, place) = self.serving(ue);
        self.cells[c].backlogged.set(place, true);
        self.cells[c].call(Work::Serve(DOWN), now);
    }

    /// Hands up what a decoded block carries.
    #[inline(always)]
    pub(super) fn accept(&mut self, now: Time, mut block: Block, cx: &mut Cx<'_>) {
        let first = block.first_decoding.unwrap_or(now);
        let mut acknowledged = false;
        for (id, pdu) in block.pdus.drain(..) {
            acknowledged |= pdu.is_status();
            let up = &mut self.up;
            let out = &mut |direction, packet| up.push((id, direction, packet));
            let bearer = &mut self.bearers[id.index()];
            bearer.receive(block.direction, now, pdu, first, cx, out);
        }
        self.blocks.recycle(block.pdus);
        if let Some(report) = block.report {
            self.take_report_with_data(now, block.ue, report);
        }
        self.hand_up(now, cx);
        if acknowledged {
            self.look_at_retransmissions(now, block.ue, cx);
        }
        self.settle(now, block.ue);
    }

    /// A block will not be sent again: what it carries is lost.
    #[cold]
    pub(super) fn give_up(&mut self, now: Time, mut block: Block, cx: &mut Cx<'_>) {
        let first = block.first_decoding.unwrap_or(now);
        for (id, pdu) in block.pdus.drain(..) {
            self.bearers[id.index()].lost(block.direction, now, pdu, first, cx);
        }
        self.blocks.recycle(block.pdus);
        self.settle(now, block.ue);
    }

    /// After a block: status reports may wait now, and timers have moved.
    #[inline(always)]
    fn settle(&mut self, now: Time, ue: UeId) {
        self.bearers_used(ue);
        let (c, place) = self.serving(ue);
        if !self.cells[c].backlogged.contains(place) && self.queued(DOWN, ue, now) > 0 {
            self.notice_downlink(now, ue);
        }
        if self.is_forgotten(ue) && self.queued(UP, ue, now) > 0 {
            self.notice_uplink(now, ue, true);
        }
    }

    /// Passes on what RLC handed up.
    #[inline(always)]
    pub(super) fn hand_up(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.up.is_empty() {
            return;
        }
        let mut up = std::mem::take(&mut self.up);
        for (id, direction, mut packet) in up.drain(..) {
            let ue = self.bearers[id.index()].config.ue;
            match direction {
                Direction::Downlink => cx.send(Ran::ue(ue), packet),
                Direction::Uplink => {
                    if self.bearers[id.index()].marks_uplink() {
                        self.mark_uplink(now, id, &mut packet, cx);
                    }
                    self.to_core(id, packet, cx);
                }
            }
        }
        self.up = up;
    }

    /// Marks an uplink packet at the cell. What waits in the UE is known by the last report, less
    /// what has been granted since; how fast it is served, by the mean of the bytes granted.
    #[cold]
    fn mark_uplink(&mut self, now: Time, id: BearerId, packet: &mut Packet, cx: &mut Cx<'_>) {
        let config = &self.bearers[id.index()].config;
        let (c, place) = self.serving(config.ue);
        let cell = &self.cells[c];
        let ue = &self.ues[config.ue.index()];
        let waiting = ue.uplink.reported.of(ue.reports.group(config.channel.group));
        let ttis = f64::from(waiting) / cell.means[UP as usize].of(place).max(1.0);
        let delay = Duration::from_secs_f64(ttis * cell.config.tti.length().as_secs_f64());
        self.bearers[id.index()].mark_uplink(now, delay, packet, cx);
    }

    fn to_core(&self, id: BearerId, mut packet: Packet, cx: &mut Cx<'_>) {
        let config = &self.bearers[id.index()].config;
        let cell = &self.cells[self.serving(config.ue).0].config;
        let outer = Outer {
            kind: TunnelKind::Gtpu { teid: config.teid },
            ends: (cell.endpoint, cell.gateway),
            dscp: config.outer_dscp.unwrap_or(packet.dscp),
            ecn: tunnel::encapsulate(packet.ecn, self.ecn),
            overhead: match cell.endpoint.addr.is_ipv4() {
                true => GtpuRepr::OVERHEAD_V4,
                false => GtpuRepr::OVERHEAD_V6,
            },
        };
        match packet.push_outer(outer) {
            Ok(()) => cx.send(Ran::CORE, packet),
            Err(_) => cx.drop(packet, DropCause::Unexpected),
        }
    }
}
