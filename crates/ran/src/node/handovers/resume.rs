//! Resume of a suspended connection in another cell than that of the last serving gNB (TS 38.300, 9.2.2.4.1).
//!
//! The new gNB has fetched the context of the UE before it answers. With the connection it sends addresses to the last
//! serving gNB (Xn-U Address Indication, TS 38.423, 8.2.6), which forwards the packets that it has, in order. At the
//! same time the path is switched. Without forwarding the packets are dropped.

use airpath_base::Time;
use airpath_net::{Cx, DropCause, Event, HandoverCause, HandoverOutcome, PathEvent, RadioEnd};

use super::{Handovers, Phase};
use crate::config::QosFlow;
use crate::handover::Steps;
use crate::node::Ran;
use crate::node::rrc::Resumed;

impl Ran {
    /// Resumes of this call in other cells.
    pub(in crate::node) fn act_on_resumes(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.cells.iter().all(|cell| cell.resumed.is_empty()) {
            return;
        }
        let Some(mut all) = self.handovers.take() else { return };
        for n in 0..self.order.len() {
            let cell = self.order[n].index();
            for resumed in std::mem::take(&mut self.cells[cell].resumed) {
                self.take_over(&mut all, now, resumed, cx);
            }
        }
        self.handovers = Some(all);
    }

    /// The cell that serves a UE takes it over from the last serving gNB, with its downlink packets.
    fn take_over(
        &mut self,
        all: &mut Handovers,
        now: Time,
        Resumed { ue, anchor, transport, packets }: Resumed,
        cx: &mut Cx<'_>,
    ) {
        let (target, forwarding) = (self.serving[ue.index()].cell, all.config.forwarding);
        let own = all.ue(ue);
        own.number += 1;
        own.cause = HandoverCause::Resume;
        own.steps = Steps { ue, source: anchor, target, completed: Some(now), ..Steps::default() };
        (own.reached, own.failure, own.geometry_db) = (Some(target), None, None);
        (own.phase, own.path.old) = (Phase::Served, true);
        cx.emit(|| Event::LeavesCell(ue));
        let mut lost = 0;
        match forwarding {
            None => {
                lost = packets.len() as u64;
                for (_, packet) in packets {
                    cx.at_end(RadioEnd::Cell(anchor), |cx| cx.drop(packet, DropCause::Handover));
                }
            }
            Some(delay) => {
                own.path.last = own.path.last.max(now + transport + delay);
                own.path.count.forwarded += packets.len() as u64;
                let bearers = &self.cells[target.index()].ues[self.serving[ue.index()].ue.index()];
                for (flow, packet) in packets {
                    let bearer = &bearers.bearers[flow.bearer.index()];
                    let (teid, source) = (bearer.config.teid, anchor);
                    let copy = &packet;
                    cx.emit(|| {
                        Event::Path(PathEvent::Forwarded { teid, source, target, packet: copy })
                    });
                    let flow = QosFlow { bearer: bearer.id(), number: flow.number };
                    own.path.packets.push_back((own.path.last, flow, packet));
                }
            }
        }
        self.arrive(all, (now, ue), lost);
        let record = all.record(ue, HandoverOutcome::Success);
        Ran::report_handover(all, ue, record, cx);
        self.keep_rooms(all, ue);
        all.rearm(ue);
    }
}
