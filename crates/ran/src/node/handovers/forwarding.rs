//! Downlink packets on their way between the cells of a handover.
//!
//! - From the command on, the source cell forwards what it has and what comes to it. A forwarded packet comes to
//!   the target after the delay of transport, and waits there in the stage `handover`.
//! - A UE whose link has failed has not been sent to a cell. Its packets wait in the source cell, which forwards them
//!   when the connection is re-established in another.
//! - The path of the core network is switched after the handover. The end marker follows the last packet of the
//!   old path (TS 29.281, 7.3.2), and the target holds packets of the new path until then: all stay in order.
//! - With DAPS the source forwards what it has when it is released ([`daps`](super::daps)).
//! - Without forwarding, packets that come to the source are dropped until the path is switched.
//!
//! Left out: delay of packets that the source cell had before the command. The interruption is longer.

use std::collections::VecDeque;

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, DropCause, Event, Held, Packet, PathEvent, RadioEnd, Stage};

use super::{Handovers, Phase, UeHandover};
use crate::config::QosFlow;
use crate::node::Ran;
use crate::node::serving::Serving;

/// Path of a UE's downlink packets.
pub(super) struct Path {
    /// Cell to which the core network sends.
    cell: CellId,
    /// Packets that are forwarded, or held until the end marker, with their times at the target.
    pub packets: VecDeque<(Time, QosFlow, Packet)>,
    /// Arrival of the last of them.
    pub last: Time,
    /// True while the core network sends to the source.
    pub old: bool,
    /// Time at which the path is switched.
    pub switched: Option<Time>,
    /// Packets of the present handover.
    pub count: Count,
}

/// Packets of a handover.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub forwarded: u64,
    pub lost: u64,
    /// Copies that the source has forwarded to candidates, or with DAPS to the target.
    pub copies: u64,
}

/// Way of a packet from the core network.
pub(crate) enum Route {
    /// Into the bearer.
    Bearer(Packet),
    /// On its way between cells, or dropped.
    Taken,
}

impl Path {
    /// The path of a UE that this cell serves.
    pub fn new(cell: CellId) -> Path {
        Path {
            cell,
            packets: VecDeque::new(),
            last: Time::ZERO,
            old: false,
            switched: None,
            count: Count::default(),
        }
    }

    /// Time of the next arrival, or of the switch of the path.
    pub fn due(&self) -> Option<Time> {
        self.packets.front().map(|(at, ..)| *at).into_iter().chain(self.switched).min()
    }

    /// Packets on their way.
    pub fn held(&self) -> Held {
        Held::of(self.packets.iter().map(|(.., packet)| packet))
    }
}

impl Ran {
    /// Chooses the way of a packet from the core network to a UE.
    pub(in crate::node) fn route(
        &mut self,
        now: Time,
        (ue, flow): (UeId, QosFlow),
        packet: Packet,
        cx: &mut Cx<'_>,
    ) -> Route {
        let Some(all) = &mut self.handovers else { return Route::Bearer(packet) };
        let delay = all.config.forwarding;
        let own = &all.ues[ue.index()];
        let (end, behind) = (RadioEnd::Cell(own.steps.source), !own.is_between());
        let serving = self.serving[ue.index()];
        let (source, target) = (own.path.cell, own.forwards_to().unwrap_or(serving.cell));
        // A cell forwards nothing to itself.
        let old = own.path.old && (delay.is_none() || source != target);
        if old && behind {
            let forwarded = delay.is_some();
            cx.emit(|| Event::BehindHandover { ue, forwarded });
        }
        let copies = all.copies(ue);
        let path = &mut all.ues[ue.index()].path;
        path.count.copies += copies;
        match (old, delay) {
            (false, _) if path.packets.is_empty() => return Route::Bearer(packet),
            (true, None) => {
                path.count.lost += u64::from(!behind);
                cx.at_end(end, |cx| cx.drop(packet, DropCause::Handover));
                return Route::Taken;
            }
            (old, _) => {
                let transport = delay.filter(|_| old).unwrap_or(Duration::ZERO);
                path.count.forwarded += u64::from(old && !behind);
                path.last = path.last.max(now + transport);
                if old {
                    let (_, bearer) = self.bearers[flow.bearer.index()];
                    let bearers = &self.cells[serving.cell.index()].ues[serving.ue.index()].bearers;
                    let teid = bearers[bearer.index()].config.teid;
                    let packet = &packet;
                    cx.emit(|| Event::Path(PathEvent::Forwarded { teid, source, target, packet }));
                }
                path.packets.push_back((path.last, flow, packet));
            }
        }
        all.rearm(ue);
        Route::Taken
    }

    /// With forwarding, the serving cell of a UE forwards to another what waits there. In acknowledged mode what the UE
    /// has not received goes along (TS 36.300, 10.1.2.3.1; TS 38.300, 9.2.3.2.2).
    pub(super) fn forward_waiting(
        &mut self,
        all: &mut Handovers,
        ue: UeId,
        target: CellId,
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        if all.config.forwarding.is_none() || source == target {
            return;
        }
        let count = &mut all.ue(ue).path.count.forwarded;
        for bearer in &mut self.cells[source.index()].ues[index.index()].bearers {
            let teid = bearer.config.teid;
            bearer.for_each_undelivered(Direction::Downlink, &mut |packet| {
                *count += 1;
                cx.emit(|| Event::Path(PathEvent::Forwarded { teid, source, target, packet }));
            });
        }
    }

    /// The core network sends to another cell, whose end marker follows the packets to the old one, unless the UE was
    /// idle. The old cell passes the marker on if it has forwarded.
    pub(super) fn switch_tunnels(
        &self,
        all: &mut Handovers,
        ue: UeId,
        (target, marked): (CellId, bool),
        cx: &mut Cx<'_>,
    ) {
        let forwards = marked && all.config.forwarding.is_some();
        let source = core::mem::replace(&mut all.ue(ue).path.cell, target);
        if source == target {
            return;
        }
        let own = |(_, flow): &&(u32, QosFlow)| self.bearers[flow.bearer.index()].0 == ue;
        for &(teid, flow) in self.teids.iter().filter(own) {
            cx.emit(|| Event::Path(PathEvent::Switched { teid, source, target, marked }));
            if forwards && flow == QosFlow::first(flow.bearer) {
                cx.emit(|| Event::Path(PathEvent::ForwardingEnds { teid, source, target }));
            }
        }
    }

    /// Forwarded packets come to the target, and the path may be switched.
    pub(super) fn deliver_forwarded(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let own = &mut all.ues[ue.index()];
        if own.path.switched.is_some_and(|at| at <= now) {
            (own.path.old, own.path.switched) = (false, None);
            self.switch_tunnels(all, ue, (self.serving[ue.index()].cell, true), cx);
        }
        let own = all.ue(ue);
        // A UE between cells has its bearers in the source cell, where packets wait likewise.
        while let Some((_, flow, mut packet)) = own.path.packets.pop_front_if(|(at, ..)| *at <= now)
        {
            packet.charge(Stage::Handover, now.max(packet.stages.until()));
            self.enter_bearer(now, (ue, flow), packet, cx);
        }
    }

    /// The core network sends to the target cell from `at` on.
    pub(super) fn switch_path(all: &mut Handovers, ue: UeId, at: Time) {
        let own = all.ue(ue);
        own.steps.path_switched = Some(at);
        own.path.switched = Some(at);
    }
}

impl UeHandover {
    /// Cell to which a UE without a cell has been sent, so that packets are forwarded there.
    pub(super) fn forwards_to(&self) -> Option<CellId> {
        let sent = self.is_between() && self.steps.command_received.is_some();
        sent.then_some(self.steps.target)
    }
}

impl Phase {
    /// True if the UE goes to another cell or seeks one. With DAPS it may keep the source.
    pub fn is_between(&self) -> bool {
        matches!(
            self,
            Phase::Switching { .. }
                | Phase::Accessing { .. }
                | Phase::Seeking { .. }
                | Phase::Reestablishing { .. }
        )
    }
}
