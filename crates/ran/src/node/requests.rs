//! Scheduling requests of a UE: trigger, transmission, detection, retxBSR-Timer (TS 36.321, 5.4.4 and 5.4.5).

use airpath_base::Time;
use airpath_net::{Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use crate::config::Access;
use crate::duplex::Purpose;
use crate::index::UeIndex;

const UP: Direction = Direction::Uplink;

impl Cell {
    /// Makes the UE send a scheduling request at its next opportunity.
    #[inline(never)]
    pub fn trigger_request(&mut self, now: Time, ue: UeIndex) {
        let Access::SchedulingRequest { period, .. } = self.config.uplink.access else { return };
        let own = &mut self.ues[ue.index()];
        if std::mem::replace(&mut own.uplink.sr_pending, true) {
            return;
        }
        let (from, cycle) = (self.config.tti.number_from(now), (own.config.offset, period));
        let opportunity = self.steps.opportunity(Purpose::UplinkControl, from, cycle);
        self.jobs.push(self.config.tti.start(opportunity), Job::Opportunity { ue });
    }

    /// The UE sends its scheduling request, if that is still pending.
    #[inline(never)]
    pub fn request(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let Access::SchedulingRequest { retry, .. } = self.config.uplink.access else { return };
        if !std::mem::take(&mut self.ues[ue.index()].uplink.sr_pending) {
            return; // a grant came first, and the report with it
        }
        let sent = (at.now, at.now + self.config.timing.sr_transmission);
        if let Some(end) = self.gap_end(ue, sent) {
            return self.trigger_request(end, ue);
        }
        let own = &mut self.ues[ue.index()];
        own.uplink.retx_bsr = Some(at.now + retry);
        at.cx.emit(|| Event::Radio(RadioEvent::SchedulingRequest { ue: own.id }));
        self.wake_for_request(at.now, ue, at.cx);
        let timing = &self.config.timing;
        let detected = at.now + timing.sr_transmission + timing.sr_detection;
        self.jobs.push(detected, Job::Request { ue });
        self.jobs.push_timer(at.now + retry, Job::Retry { ue });
    }

    /// The cell has detected a scheduling request.
    #[inline(never)]
    pub fn take_request(&mut self, now: Time, ue: UeIndex) {
        let Access::SchedulingRequest { grant, .. } = self.config.uplink.access else { return };
        self.set_reported(ue, |state| {
            // A grant that came first has brought the report.
            state.requested = state.retx_bsr.is_some();
            state.reported.raise(grant);
        });
        self.want_uplink(now);
    }

    /// retxBSR-Timer may have run out.
    #[inline(never)]
    pub fn retry(&mut self, now: Time, ue: UeIndex) {
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
