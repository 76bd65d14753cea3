//! Packets into the cell and out of it, and the data that decoded blocks bring.

use airpath_base::{Duration, Time};
use airpath_net::{Direction, DropCause, Outer, Packet, TunnelKind};
use airpath_wire::{GtpuRepr, tunnel};

use super::Ran;
use super::cell::Cell;
use super::common::Moment;
use super::steps::Work;
use crate::block::Block;
use crate::index::{BearerIndex, FlowIndex, UeIndex};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

impl Cell {
    /// A packet of a QoS flow enters, or is dropped.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        ue: UeIndex,
        flow: FlowIndex,
        direction: Direction,
        packet: Packet,
        at: &mut Moment<'_, '_>,
    ) {
        if !self.ues[ue.index()].config.served {
            at.cx.drop(packet, DropCause::NoService);
            return;
        }
        let admitted = match self.rrc.is_empty() && self.radio_links.are_up() {
            true => Some(packet),
            false => self.admit(ue, (flow, direction), packet, at),
        };
        let Some(packet) = admitted else { return };
        let before = match direction {
            Direction::Uplink => self.queued(UP, ue, at.now),
            Direction::Downlink => 0,
        };
        let bearer = &mut self.ues[ue.index()].bearers[flow.bearer.index()];
        bearer.enqueue(direction, at.now, packet, usize::from(flow.number), at.cx);
        if direction == DOWN {
            bearer.report_arrival();
        }
        self.bearers_used(ue);
        match direction {
            Direction::Downlink => self.notice_downlink(at.now, ue),
            Direction::Uplink => self.notice_uplink(at.now, ue, before == 0),
        }
    }

    /// Something may have changed in the queues of a UE's bearers.
    pub fn notice(&mut self, now: Time, ue: UeIndex) {
        self.notice_downlink(now, ue);
        if self.queued(UP, ue, now) > 0 {
            let forgotten = self.is_forgotten(ue);
            self.notice_uplink(now, ue, forgotten);
        }
    }

    pub fn notice_downlink(&mut self, now: Time, ue: UeIndex) {
        if !self.radio_links.is_up(ue) || self.sleeps(now, ue) {
            return;
        }
        self.touch(ue);
        if self.secondary.is_some() && !self.may_serve(now, ue) {
            return;
        }
        self.watch_link(now, ue);
        self.backlogged.set(ue, true);
        self.want(Work::Serve(DOWN), now);
    }

    /// Hands up the data of a decoded block.
    #[inline(always)]
    pub fn accept(&mut self, mut block: Block, at: &mut Moment<'_, '_>) {
        let first = block.first_decoding.unwrap_or(at.now);
        let mut acknowledged = false;
        let bearers = &mut self.ues[block.ue.index()].bearers;
        for (own, pdu) in block.pdus.drain(..) {
            acknowledged |= pdu.is_status();
            let up = &mut self.up_packets;
            let out = &mut |direction, packet| up.push((own, direction, packet));
            bearers[own.index()].receive(block.direction, at.now, pdu, first, at.cx, out);
        }
        self.blocks.recycle(block.pdus);
        if let Some(report) = block.report {
            self.take_report_with_data(at.now, block.ue, (report, block.deadline));
        }
        self.hand_up(block.ue, at);
        if acknowledged && self.secondary.is_none() {
            self.look_at_retransmissions(block.ue, at);
        }
        self.settle(at.now, block.ue);
    }

    /// A block will not be sent again: its data are lost.
    #[cold]
    pub fn give_up(&mut self, mut block: Block, at: &mut Moment<'_, '_>) {
        let first = block.first_decoding.unwrap_or(at.now);
        let bearers = &mut self.ues[block.ue.index()].bearers;
        for (own, pdu) in block.pdus.drain(..) {
            bearers[own.index()].lost(block.direction, at.now, pdu, first, at.cx);
        }
        self.blocks.recycle(block.pdus);
        self.settle(at.now, block.ue);
    }

    /// After a block: status reports may wait now, and timers have moved.
    #[inline(always)]
    pub fn settle(&mut self, now: Time, ue: UeIndex) {
        self.bearers_used(ue);
        if !self.backlogged.contains(ue) && self.queued(DOWN, ue, now) > 0 {
            self.notice_downlink(now, ue);
        }
        if self.secondary.is_none() && self.is_forgotten(ue) && self.queued(UP, ue, now) > 0 {
            self.notice_uplink(now, ue, true);
        }
    }

    /// Passes on the packets of a UE that its RLC and PDCP handed up.
    #[inline(always)]
    pub fn hand_up(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        if self.up_packets.is_empty() {
            return;
        }
        let mut up = std::mem::take(&mut self.up_packets);
        for (own, direction, mut packet) in up.drain(..) {
            match direction {
                Direction::Downlink => at.cx.send(Ran::ue(self.ues[ue.index()].id), packet),
                Direction::Uplink => {
                    if self.ues[ue.index()].bearers[own.index()].marks_uplink() {
                        self.mark_uplink(ue, own, &mut packet, at);
                    }
                    self.pass_to_core(ue, own, packet, at);
                }
            }
        }
        self.up_packets = up;
    }

    /// Marks an uplink packet at the cell. Bytes that wait in the UE are known by the last report,
    /// less grants since then. Their delay follows from the mean of the bytes granted.
    #[cold]
    fn mark_uplink(
        &mut self,
        index: UeIndex,
        own: BearerIndex,
        packet: &mut Packet,
        at: &mut Moment<'_, '_>,
    ) {
        let ue = &mut self.ues[index.index()];
        let bearer = &mut ue.bearers[own.index()];
        let waiting = ue.uplink.reported.of(ue.reports.group(bearer.config.channel.group));
        let ttis = f64::from(waiting) / self.means[UP as usize].of(index).max(1.0);
        let delay = Duration::from_secs_f64(ttis * self.config.tti.length().as_secs_f64());
        bearer.mark_uplink(at.now, delay, packet, at.cx);
    }

    fn pass_to_core(
        &mut self,
        ue: UeIndex,
        own: BearerIndex,
        mut packet: Packet,
        at: &mut Moment<'_, '_>,
    ) {
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        let congestion = bearer.congestion_due(at.now);
        let extension = congestion.map_or(0, |_| GtpuRepr::CONGESTION_EXTENSION);
        let bearer = &bearer.config;
        let outer = Outer {
            kind: TunnelKind::Gtpu { teid: bearer.teid, qfi: None, congestion },
            ends: (self.config.endpoint, self.config.gateway),
            dscp: bearer.outer_dscp.unwrap_or(packet.dscp),
            ecn: tunnel::encapsulate(packet.ecn, at.common.ecn),
            overhead: extension
                + match self.config.endpoint.addr.is_ipv4() {
                    true => GtpuRepr::OVERHEAD_V4,
                    false => GtpuRepr::OVERHEAD_V6,
                },
        };
        match packet.push_outer(outer) {
            Ok(()) => at.cx.send(Ran::CORE, packet),
            Err(_) => at.cx.drop(packet, DropCause::Unexpected),
        }
    }
}
