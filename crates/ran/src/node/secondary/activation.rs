//! Addition, activation, deactivation and release of a secondary cell for a UE (TS 36.331, 5.3.10.3a and 5.3.10.3b; TS
//! 38.331, 5.3.5.5.8 and 5.3.5.5.9; TS 36.321, 5.13; TS 38.321, 5.9).
//!
//! - Data that wait activate a secondary cell, and a timer deactivates it.
//! - Where UEs go from cell to cell, a connection adds the secondary cells of its cell, deactivated. Its end by a handover, a
//!   failure or RRC releases them. Between both a UE has its primary cell alone.
//! - One that is always active is so an activation after its addition.

use airpath_base::{CellId, Time};
use airpath_net::{Cx, Direction, Event, SecondaryEnd, SecondaryStay};

use super::Role;
use crate::config::Secondary;
use crate::index::UeIndex;
use crate::node::Ran;
use crate::node::cell::Cell;
use crate::node::handovers::Handovers;
use crate::node::jobs::Job;

/// State of a secondary cell for a UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// The UE does not have it.
    Released,
    Inactive,
    /// It is active from then on.
    Activating(Time),
    /// It is active; time of the last assignment or grant, or of the activation.
    Active(Time),
}

impl Role {
    /// True if a UE has it, active or not.
    pub fn is_added(&self, ue: UeIndex) -> bool {
        self.activity[ue.index()] != Activity::Released
    }

    /// The present stay of a UE.
    fn stay(&mut self, ue: UeIndex) -> Option<&mut SecondaryStay> {
        self.stays.get_mut(ue.index())?.as_mut()
    }

    /// It is active for a UE from now on.
    fn become_active(&mut self, now: Time, ue: UeIndex) {
        self.activity[ue.index()] = Activity::Active(now);
        if let Some(stay) = self.stay(ue) {
            stay.first_active.get_or_insert(now);
            stay.activations += 1;
        }
    }
}

impl Cell {
    /// States of a new secondary cell of this one for each UE, and stays in it.
    pub(super) fn activities(
        &self,
        id: CellId,
        config: &Secondary,
    ) -> (Vec<Activity>, Vec<Option<SecondaryStay>>) {
        let has_it = |ue| config.addition.is_none() || self.has_connection(ue);
        let first = match config.activation {
            Some(_) => Activity::Inactive,
            None => Activity::Active(Time::ZERO),
        };
        let all = || UeIndex::all(self.ues.len());
        let of = |ue| if has_it(ue) { first } else { Activity::Released };
        let begin = |ue: UeIndex| {
            let mut stay = SecondaryStay::begin(self.ues[ue.index()].id, id, Time::ZERO);
            if config.activation.is_none() {
                (stay.first_active, stay.activations) = (Some(Time::ZERO), 1);
            }
            has_it(ue).then_some(stay)
        };
        let stays = config.addition.map_or(Vec::new(), |_| all().map(begin).collect());
        (all().map(of).collect(), stays)
    }

    /// True if the cell serves a UE that is connected.
    fn has_connection(&self, ue: UeIndex) -> bool {
        !self.ues[ue.index()].is_absent() && self.is_connected(ue)
    }

    /// The secondary cells of a UE with a new connection are added, those that were released.
    pub fn add_secondaries(&mut self, now: Time, ue: UeIndex) {
        if self.has_connection(ue) {
            self.for_each_secondary(|cell| cell.add(now, ue));
        }
    }

    /// This secondary cell of a UE is added, deactivated, if it was released.
    pub fn add(&mut self, now: Time, ue: UeIndex) {
        let (id, own) = (self.id, self.ues[ue.index()].id);
        let Some(Role { config, activity, stays, barred, .. }) = &mut self.secondary else {
            return;
        };
        let Some(addition) = config.addition else { return };
        if activity[ue.index()] != Activity::Released {
            return;
        }
        barred.set(ue, false);
        stays[ue.index()] = Some(SecondaryStay::begin(own, id, now));
        activity[ue.index()] = Activity::Inactive;
        if config.activation.is_none() {
            self.begin_activation(now + addition, ue);
        }
    }

    /// A secondary cell is active for a UE from `due` on.
    fn begin_activation(&mut self, due: Time, ue: UeIndex) {
        if let Some(role) = &mut self.secondary {
            role.activity[ue.index()] = Activity::Activating(due);
            self.jobs.push_timer(due, Job::Activate { ue });
        }
    }

    /// True if a secondary cell is active for a UE that has data. If it is not, those may activate
    /// it.
    pub fn may_serve(&mut self, now: Time, ue: UeIndex) -> bool {
        let queued = self.queued(Direction::Downlink, ue, now);
        let waits = match self.sends_here(ue) {
            true => queued.max(self.ues[ue.index()].uplink.reported.least()),
            false => queued,
        };
        let serves = self.backlogged.contains(ue) || self.reported.contains(ue);
        let Some(Role { config, activity, barred, .. }) = &mut self.secondary else { return true };
        let activity = &mut activity[ue.index()];
        let Some(activation) = config.activation else {
            return matches!(activity, Activity::Active(_));
        };
        let expired = |last: Time| activation.timer.is_some_and(|timer| now >= last + timer);
        match *activity {
            Activity::Active(last) if !serves && expired(last) => {
                *activity = Activity::Inactive;
            }
            Activity::Active(_) => return true,
            Activity::Activating(_) | Activity::Released => return false,
            Activity::Inactive => {}
        }
        if waits >= activation.bytes && !barred.contains(ue) {
            self.begin_activation(now + activation.delay, ue);
        }
        false
    }

    /// An activation may have ended.
    pub fn activate(&mut self, now: Time, ue: UeIndex) {
        let Some(role) = &mut self.secondary else { return };
        if role.activity[ue.index()] != Activity::Activating(now) {
            return; // its connection has ended
        }
        role.become_active(now, ue);
        if self.queued(Direction::Downlink, ue, now) > 0 {
            self.notice_downlink(now, ue);
        }
        self.heed_estimate(now, ue);
    }

    /// It is deactivated for a UE until further notice, or data may activate it again.
    pub fn bar(&mut self, now: Time, ue: UeIndex, barred: bool) {
        let Some(role) = &mut self.secondary else { return };
        if role.barred.contains(ue) == barred {
            return; // a repeated report
        }
        role.barred.set(ue, barred);
        let Some(addition) = role.config.addition.filter(|_| role.is_added(ue)) else { return };
        if barred {
            role.activity[ue.index()] = Activity::Inactive;
            self.backlogged.set(ue, false);
            return self.reported.set(ue, false);
        }
        match role.config.activation {
            None => self.begin_activation(now + addition, ue),
            Some(_) => self.heed(now, ue),
        }
    }

    /// A UE has an assignment or a grant: its timer begins anew.
    pub fn assign(&mut self, now: Time, ue: UeIndex) {
        let Some(Role { activity, .. }) = &mut self.secondary else { return };
        if let Activity::Active(last) = &mut activity[ue.index()] {
            *last = now;
        }
    }

    /// With the connection of a UE, or its radio link, the activation ends. Where UEs go from cell to cell, the secondary
    /// cell is released.
    pub fn deactivate(&mut self, ue: UeIndex, why_ended: (Time, SecondaryEnd)) {
        let Some(Role { config, activity, stays, ended, .. }) = &mut self.secondary else {
            return self.guests.iter_mut().for_each(|book| book.end_away(ue, why_ended, false));
        };
        let (now, why) = why_ended;
        let own = &mut activity[ue.index()];
        match (config.addition, config.activation) {
            (Some(_), _) => {
                *own = Activity::Released;
                let stay = stays[ue.index()].take();
                ended.extend(stay.map(|stay| SecondaryStay { ended: Some((now, why)), ..stay }));
            }
            (None, Some(_)) => *own = Activity::Inactive,
            (None, None) => {}
        }
    }
}

impl Ran {
    /// UEs that may go from cell to cell may have secondary cells.
    pub(in crate::node) fn begin_aggregation(&mut self) {
        let any = self.cells.iter().any(|cell| !cell.secondaries.is_empty());
        self.aggregates = self.handovers.is_some() && any;
        let changes = |own: &Handovers| own.changes_secondaries();
        if self.aggregates && self.handovers.as_ref().is_some_and(changes) {
            self.allow_guests();
        }
    }

    /// Reports the stays of UEs in secondary cells that have ended.
    pub(in crate::node) fn report_secondaries(&mut self, cx: &mut Cx<'_>) {
        for cell in self.cells.iter_mut() {
            for role in cell.secondaries.iter_mut().filter_map(|cell| cell.secondary.as_mut()) {
                for stay in role.ended.drain(..) {
                    cx.emit(|| Event::Secondary(&stay));
                }
            }
        }
    }

    /// Reports the stays that go on at the end of the run.
    pub(in crate::node) fn report_going_on(&self, cx: &mut Cx<'_>) {
        let all = self.cells.iter().flat_map(|cell| &cell.secondaries);
        for stay in all.filter_map(|cell| cell.secondary.as_ref()).flat_map(|role| &role.stays) {
            stay.iter().for_each(|stay| cx.emit(|| Event::Secondary(stay)));
        }
    }
}
