//! Addition, change and release of a leg, in steps (TS 37.340, 10.2, 10.5 and 10.4).
//!
//! 1. The anchor receives the report, and prepares the secondary node. A release needs no preparation.
//! 2. The anchor sends the reconfiguration, as it sends the command of a handover. With its reception the UE leaves the
//!    old leg, whose packets come back to the host.
//! 3. The UE processes it (TS 36.331, 11.2), synchronises, and begins its random access to the new leg. T304 limits it
//!    from the reception on (TS 38.331, 5.3.5.8.3).
//! 4. With the completed random access the leg serves the UE. The path of the core network stays.

use airpath_base::{CellId, Db, Time, UeId, math};
use airpath_net::{Cx, LegOutcome};

use super::Leg;
use super::Legs;
use super::split::Flow;
use crate::bearer::Bearer;
use crate::handover::{Access, AccessStep, Reception, Steps};
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::handovers::{PREAMBLE_BLOCKS, Transmitted};
use crate::node::serving::Serving;
use crate::ue::Ue;

/// Step of a change of the leg.
pub(super) enum Phase {
    /// No change goes on.
    Still,
    /// The secondary node is prepared.
    Preparing { ready: Time },
    /// The anchor sends the reconfiguration, for this time.
    Commanding { due: Time, attempt: u32 },
    /// It is on the air.
    Commanded { received: Time },
    /// The UE has it and tunes to the leg.
    Switching { access: Time, t304: Time },
    /// Random access; it may have failed.
    Accessing { access: Box<Access>, t304: Time },
}

impl Phase {
    pub fn due(&self) -> Option<Time> {
        match self {
            Phase::Still => None,
            Phase::Preparing { ready } => Some(*ready),
            Phase::Commanding { due, .. } => Some(*due),
            Phase::Commanded { received } => Some(*received),
            Phase::Switching { access, t304 } => Some(*access.min(t304)),
            Phase::Accessing { access, t304 } => {
                Some(access.next_due().map_or(*t304, |due| due.min(*t304)))
            }
        }
    }
}

impl Ran {
    /// A UE sends a report: its anchor begins to change the leg, if it receives it and no change goes on.
    pub(super) fn begin_change(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        aim: Option<CellId>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let anchor = &self.cells[cell.index()];
        let still = matches!(legs.ue(ue).phase, Phase::Still);
        if !still || !anchor.has_link(index) || !anchor.hears(index) {
            return;
        }
        let now = anchor.after_gap(index, now);
        let coordinates = [u64::from(ue.0), legs.ue(ue).number, 0];
        let preparation = legs.config.procedure.preparation.draw(legs.preparations, coordinates);
        let own = legs.ue(ue);
        own.number += 1;
        own.aim = aim;
        own.steps = Steps::begin(ue, cell, aim.unwrap_or(cell), now);
        own.phase = match aim {
            Some(_) => Phase::Preparing { ready: now + preparation },
            None => Phase::Commanding { due: now, attempt: 0 },
        };
    }

    /// Does the steps of a change whose time has come.
    pub(super) fn step_leg(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        while legs.ue(ue).phase.due().is_some_and(|due| due <= now) {
            if !self.has_anchor(ue, legs.ue(ue).steps.source) {
                self.end_attempt(legs, (now, ue), LegOutcome::AnchorLeft, cx);
                return;
            }
            match &mut legs.ue(ue).phase {
                Phase::Still => {}
                Phase::Preparing { .. } => {
                    legs.ue(ue).phase = Phase::Commanding { due: now, attempt: 0 };
                }
                Phase::Commanding { attempt, .. } => {
                    let attempt = *attempt;
                    self.send_reconfiguration(legs, (now, ue), attempt, cx);
                }
                Phase::Commanded { .. } => self.take_reconfiguration(legs, (now, ue), cx),
                Phase::Switching { t304, .. } | Phase::Accessing { t304, .. } if now >= *t304 => {
                    self.end_attempt(legs, (now, ue), LegOutcome::T304Expired, cx);
                }
                Phase::Switching { t304, .. } => {
                    let t304 = *t304;
                    self.begin_leg_access(legs, (now, ue), t304, cx);
                }
                Phase::Accessing { .. } => self.go_on_with_leg_access(legs, (now, ue), cx),
            }
        }
    }

    /// True if this cell serves a UE, by a link that is up.
    pub(super) fn has_anchor(&self, ue: UeId, anchor: CellId) -> bool {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        cell == anchor && self.cells[cell.index()].has_link(index)
    }

    fn send_reconfiguration(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        attempt: u32,
        cx: &mut Cx<'_>,
    ) {
        legs.ue(ue).steps.command_sent.get_or_insert(now);
        match self.transmit_command((now, ue), attempt, cx) {
            Transmitted::Received(received) => {
                legs.ue(ue).phase = Phase::Commanded { received };
            }
            Transmitted::Again { due, attempt } => {
                legs.ue(ue).phase = Phase::Commanding { due, attempt };
            }
            Transmitted::Lost => self.end_attempt(legs, (now, ue), LegOutcome::CommandLost, cx),
        }
    }

    /// The UE has the reconfiguration: it leaves its leg, and goes to another one or to none.
    fn take_reconfiguration(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        legs.ue(ue).steps.command_received = Some(now);
        let source = legs.leg(ue);
        let recovered = self.end_leg(legs, (now, ue), cx);
        let procedure = &legs.config.procedure;
        let access = now + procedure.rrc_processing + procedure.synchronisation;
        let t304 = now + procedure.t304;
        let own = legs.ue(ue);
        (own.source, own.recovered) = (source, recovered);
        if own.aim.is_none() {
            return self.end_attempt(legs, (now, ue), LegOutcome::Released, cx);
        }
        own.phase = Phase::Switching { access, t304 };
    }

    fn begin_leg_access(
        &mut self,
        legs: &mut Legs,
        (now, ue): (Time, UeId),
        t304: Time,
        cx: &mut Cx<'_>,
    ) {
        legs.ue(ue).steps.access = Some(now);
        let Some(config) = legs.config.access else {
            legs.ue(ue).steps.enter(now, &AccessStep::Completed);
            return self.add_leg(legs, (now, ue), cx);
        };
        let (target, seed) = (legs.target(ue), legs.seed);
        let occasions = &mut legs.occasions[target.index()];
        let preamble = config.dedicated.then(|| occasions.reserve(ue, config.preambles)).flatten();
        let access = Box::new(Access::begin(&config, ue, seed, now, preamble));
        legs.ue(ue).phase = Phase::Accessing { access, t304 };
    }

    /// The random access goes on. After its failure the UE waits for T304.
    fn go_on_with_leg_access(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let target = legs.target(ue);
        let own = &mut legs.ues[ue.index()];
        let Some(link) = own.channel.mean_link(ue, target) else { return };
        let noise = link.noise_at_cell + Db(10.0 * math::log10(PREAMBLE_BLOCKS));
        let reception = Reception { path_loss: link.path_loss, noise };
        let Phase::Accessing { access, .. } = &mut own.phase else { return };
        let occasions = &mut legs.occasions[target.index()];
        while let Some((at, step)) = access.poll(now, &reception, occasions) {
            own.steps.enter(at, &step);
            if step == AccessStep::Completed {
                return self.add_leg(legs, (now, ue), cx);
            }
        }
    }

    /// The leg serves the UE.
    fn add_leg(&mut self, legs: &mut Legs, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let Serving { cell: anchor, ue: index } = self.serving[ue.index()];
        let Some(target) = legs.ue(ue).aim else { return };
        if let Some(mobility) = &mut self.mobility {
            mobility.serve_beside(now, ue, target);
        }
        let own = &self.cells[anchor.index()].ues[index.index()];
        let cell = &self.cells[target.index()].config;
        let bearers = legs.ues[ue.index()].splits.iter().map(|split| {
            let host = &own.bearers[split.own.index()].config;
            let (rlc, duplicates) = (split.config.rlc, split.config.duplicates);
            Bearer::leg(split.bearer, host, (rlc, duplicates), cell.mac_header)
        });
        let leg = Ue::leg(own, (target, cell), legs.config.radio_link, bearers.collect());
        let at = &mut Moment { now, common: &self.common, cx };
        self.cells[target.index()].admit_leg(index, leg, at);
        for split in legs.ues[ue.index()].splits.iter().filter(|split| split.duplicates()) {
            self.cells[anchor.index()].bearer_of((index, split.own)).begin_copying();
        }
        let flows = legs.ues[ue.index()].splits.iter().map(|_| Flow::new(&legs.config)).collect();
        let next_status = now + legs.config.status_period;
        legs.ue(ue).leg = Some(Leg { cell: target, anchor, next_status, flows });
        let n = legs.active.partition_point(|other| *other < ue);
        legs.active.insert(n, ue);
        let outcome = match legs.ue(ue).source {
            None => LegOutcome::Added,
            Some(_) => LegOutcome::Changed,
        };
        self.end_attempt(legs, (now, ue), outcome, cx);
        self.share_downlink(legs, (now, ue), cx);
        self.share_uplink(legs, (now, ue), cx);
    }
}

impl Legs {
    /// The number of the cell to which a UE goes, on the carrier of legs.
    fn target(&self, ue: UeId) -> CellId {
        self.position(self.ues[ue.index()].steps.target)
    }
}
