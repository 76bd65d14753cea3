//! Full buffers: data without packets, which begin and end.

use airpath_base::{BearerId, FlowId, Time};
use airpath_net::{AppEvent, Cx, Direction, Event};

use super::{Job, Ran};

impl Ran {
    /// Full buffers begin and end at their times.
    pub(super) fn expect_full_buffers(&mut self) {
        for (bearer, entity) in (0..).map(BearerId).zip(&self.bearers) {
            let jobs = &mut self.cells[self.serving[entity.config.ue.index()].cell].jobs;
            for direction in [Direction::Downlink, Direction::Uplink] {
                let Some(full) = entity.config.full_buffers[direction as usize] else { continue };
                let job = |flow| Job::FullBuffer { bearer, direction, flow };
                jobs.push_timer(full.start, job(Some(full.flow)));
                full.stop.into_iter().for_each(|stop| jobs.push_timer(stop, job(None)));
            }
        }
    }

    /// A full buffer begins, or ends: what of it is in blocks still arrives.
    #[cold]
    pub(super) fn change_full_buffer(
        &mut self,
        now: Time,
        (bearer, direction): (BearerId, Direction),
        flow: Option<FlowId>,
        cx: &mut Cx<'_>,
    ) {
        if let Some(flow) = flow {
            cx.emit(|| Event::App(flow, AppEvent::Started));
        }
        self.set_full_buffer(now, (bearer, direction), flow, cx);
    }

    /// From now on there is a full buffer of this flow, or none. There is none while it is paused,
    /// and for a UE without service.
    pub(super) fn set_full_buffer(
        &mut self,
        now: Time,
        (bearer, direction): (BearerId, Direction),
        flow: Option<FlowId>,
        cx: &mut Cx<'_>,
    ) {
        let entity = &mut self.bearers[bearer.index()];
        let ue = entity.config.ue;
        let served = self.ues[ue.index()].config.served;
        let flow = flow.filter(|_| served && !entity.paused[direction as usize]);
        entity.rlc_mut().set_full(direction, flow);
        self.bearers_used(ue);
        if flow.is_none() {
            return;
        }
        match self.is_connected(ue) {
            true => self.notice(now, bearer),
            false => self.call_for_connection(now, (ue, direction), cx),
        }
    }
}

#[cfg(test)]
#[path = "full_buffer_tests.rs"]
pub(super) mod tests;
