//! Downlink packets on their way between the cells of a handover.
//!
//! - From the command on, the source cell forwards what it has and what comes to it. A forwarded packet comes to
//!   the target after the delay of transport, and waits there in the stage `handover`.
//! - The path of the core network is switched after the handover. The end marker follows the last packet of the
//!   old path (TS 29.281, 7.3.2), and the target holds packets of the new path until then: all stay in order.
//! - Without forwarding, packets that come to the source are dropped until the path is switched.
//!
//! Left out: delay of packets that the source cell had before the command. The interruption is longer.

use std::collections::VecDeque;

use airpath_base::{Duration, Time, UeId};
use airpath_net::{Cx, DropCause, Event, Held, Packet, RadioEnd, Stage};

use super::{Handovers, Phase};
use crate::config::QosFlow;
use crate::node::Ran;

/// Path of a UE's downlink packets.
#[derive(Default)]
pub(super) struct Path {
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
}

/// Way of a packet from the core network.
pub(crate) enum Route {
    /// Into the bearer.
    Bearer(Packet),
    /// On its way between cells, or dropped.
    Taken,
}

impl Path {
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
        let (source, behind) = (RadioEnd::Cell(own.steps.source), !own.phase.is_between());
        if own.path.old && behind {
            let forwarded = delay.is_some();
            cx.emit(|| Event::BehindHandover { ue, forwarded });
        }
        let path = &mut all.ues[ue.index()].path;
        match (path.old, delay) {
            (false, _) if path.packets.is_empty() => return Route::Bearer(packet),
            (true, None) => {
                path.count.lost += u64::from(!behind);
                cx.at_end(source, |cx| cx.drop(packet, DropCause::Handover));
                return Route::Taken;
            }
            (old, _) => {
                let transport = delay.filter(|_| old).unwrap_or(Duration::ZERO);
                path.count.forwarded += u64::from(old && !behind);
                path.last = path.last.max(now + transport);
                path.packets.push_back((path.last, flow, packet));
            }
        }
        all.rearm(ue);
        Route::Taken
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
        }
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

impl Phase {
    /// True if the UE has left the source cell and is not in another.
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
