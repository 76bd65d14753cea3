//! Scheduling requests of a UE: trigger, transmission, detection, retxBSR-Timer (TS 36.321, 5.4.4 and 5.4.5).

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::{Cell, Job, Ran, Work};
use crate::config::Access;
use crate::duplex::Purpose;

const UP: Direction = Direction::Uplink;

impl Ran {
    /// Makes the UE send a scheduling request at its next opportunity.
    #[inline(never)]
    pub(super) fn trigger_request(&mut self, now: Time, ue: UeId) {
        let c = self.serving(ue).0;
        let Access::SchedulingRequest { period, .. } = self.cells[c].config.uplink.access else {
            return;
        };
        let offset = self.ues[ue.index()].config.offset;
        let state = &mut self.ues[ue.index()].uplink;
        if std::mem::replace(&mut state.sr_pending, true) {
            return;
        }
        let Cell { config, steps, .. } = &self.cells[c];
        let from = config.tti.number_from(now);
        let opportunity = steps.opportunity(Purpose::UplinkControl, from, (offset, period));
        self.schedule(c, config.tti.start(opportunity), Job::Opportunity { ue });
    }

    #[inline(never)]
    pub(super) fn request(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let c = self.serving(ue).0;
        let Access::SchedulingRequest { retry, .. } = self.cells[c].config.uplink.access else {
            return;
        };
        let state = &mut self.ues[ue.index()].uplink;
        if !std::mem::take(&mut state.sr_pending) {
            return; // a grant came first, and the report with it
        }
        state.retx_bsr = Some(now + retry);
        cx.emit(|| Event::Radio(RadioEvent::SchedulingRequest { ue }));
        self.asks(now, ue, cx);
        let timing = &self.cells[c].config.timing;
        let detected = now + timing.sr_transmission + timing.sr_detection;
        self.schedule(c, detected, Job::Request { ue });
        self.cells[c].jobs.push_timer(now + retry, Job::Retry { ue });
    }

    #[inline(never)]
    pub(super) fn take_request(&mut self, now: Time, ue: UeId) {
        let c = self.serving(ue).0;
        let Access::SchedulingRequest { grant, .. } = self.cells[c].config.uplink.access else {
            return;
        };
        self.set_reported(ue, |state| {
            // A grant that came first has brought the report.
            state.requested = state.retx_bsr.is_some();
            state.reported.raise(grant);
        });
        self.cells[c].call(Work::Serve(UP), now);
    }

    #[inline(never)]
    pub(super) fn retry(&mut self, now: Time, ue: UeId) {
        let state = &mut self.ues[ue.index()].uplink;
        if state.retx_bsr != Some(now) {
            return;
        }
        state.retx_bsr = None;
        if self.queued(UP, ue, now) > 0 {
            self.trigger_request(now, ue);
        }
    }
}
