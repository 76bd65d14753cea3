//! Full buffers: data without packets, which begin and end.

use airpath_base::FlowId;
use airpath_net::{AppEvent, Direction, Event};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use crate::index::{BearerIndex, UeIndex};

impl Cell {
    /// Full buffers of a bearer begin and end at their times.
    pub fn expect_full_buffers(&mut self, ue: UeIndex, bearer: BearerIndex) {
        let full_buffers = self.ues[ue.index()].bearers[bearer.index()].config.full_buffers;
        for (direction, full) in Direction::ALL.into_iter().zip(full_buffers) {
            let Some(full) = full else { continue };
            let job = |flow| Job::FullBuffer { ue, bearer, direction, flow };
            self.jobs.push_timer(full.start, job(Some(full.flow)));
            full.stop.into_iter().for_each(|stop| self.jobs.push_timer(stop, job(None)));
        }
    }

    /// A full buffer begins, or ends: bytes of it that are in blocks still arrive.
    #[cold]
    pub fn change_full_buffer(
        &mut self,
        ue: UeIndex,
        bearer: BearerIndex,
        (direction, flow): (Direction, Option<FlowId>),
        at: &mut Moment<'_, '_>,
    ) {
        if let Some(flow) = flow {
            at.cx.emit(|| Event::App(flow, AppEvent::Started));
        }
        self.set_full_buffer(ue, bearer, (direction, flow), at);
    }

    /// From now on there is a full buffer of this flow, or none. There is none while it is paused,
    /// and for a UE without service.
    pub fn set_full_buffer(
        &mut self,
        ue: UeIndex,
        bearer: BearerIndex,
        (direction, flow): (Direction, Option<FlowId>),
        at: &mut Moment<'_, '_>,
    ) {
        let own = &mut self.ues[ue.index()];
        let (served, bearer) = (own.config.served, &mut own.bearers[bearer.index()]);
        let flow = flow.filter(|_| served && !bearer.paused[direction as usize]);
        bearer.rlc_mut().set_full(direction, flow);
        self.bearers_used(ue);
        if flow.is_none() {
            return;
        }
        match self.is_connected(ue) {
            true => self.notice(at.now, ue),
            false => self.request_connection(ue, direction, at),
        }
    }
}

#[cfg(test)]
#[path = "full_buffer_tests.rs"]
pub(super) mod tests;
