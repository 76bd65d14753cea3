//! Secondary cells: further carriers of a cell's UEs (TS 36.300, 7.5; TS 38.300, 6.7).
//!
//! A carrier is a serving cell of its own in both standards, and here too. It has its links, HARQ,
//! blocks on their way, schedulers, control channel and steps. Bearers, RRC and radio links belong to
//! the UE. The primary cell owns them, and lends them to the secondary cell that acts.
//!
//! - Cells act one after another: the primary cell first, secondary cells in their order. Each sees
//!   what the one before has left in the queues.
//! - A UE whose bearers one of them has used is looked up again by the others ([`Cell::share`]).
//! - Timers, RRC, radio links and requests are work of the primary cell, whichever made the job.
//! - Feedback goes in the primary cell, in its only PUCCH group. Beside a primary cell with frequency
//!   division duplex, any slot has feedback.
//! - A secondary cell is activated for a UE by its data, and deactivated by a timer (`secondary/activation.rs`).
//! - With handover it is released with the connection, and added with the next one.
//!
//! Its uplink is in `secondary_uplink.rs`. Left out: cross-carrier scheduling, reports on links of
//! secondary cells before the activation, and the control elements that activate.

use std::mem;
use std::sync::Arc;

use airpath_base::{CellId, Time};
use airpath_net::{Direction, SecondaryStay};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use super::stage::Stage;
use super::tables::Tables;
use crate::config::{CellConfig, Secondary, UeCarrier};
use crate::duplex::Duplex;
use crate::index::UeIndex;
use crate::tti::earlier;
use crate::ue::UeSet;
use activation::Activity;

/// The role of a secondary cell.
pub(super) struct Role {
    config: Secondary,
    /// Its number among the carriers of its primary cell, which is 0.
    number: u64,
    /// Link of each UE here.
    links: Vec<UeCarrier>,
    /// True if any UE sends here.
    has_uplink: bool,
    /// Jobs that it leaves to the primary cell.
    left: Vec<Job>,
    /// Activation for each UE.
    activity: Vec<Activity>,
    /// UEs for which it stays deactivated.
    barred: UeSet,
    /// The present stay of each UE, and those that have ended in the present call; empty where UEs keep their cells.
    stays: Vec<Option<SecondaryStay>>,
    ended: Vec<SecondaryStay>,
}

impl Role {
    /// True if a UE sends here.
    pub fn sends(&self, ue: UeIndex) -> bool {
        self.links[ue.index()].uplink
    }

    /// True if any UE sends here.
    pub fn has_uplink(&self) -> bool {
        self.has_uplink
    }

    /// True if it is active for a UE.
    pub fn is_active(&self, ue: UeIndex) -> bool {
        matches!(self.activity[ue.index()], Activity::Active(_))
    }

    /// Number of resource blocks uplink that get a UE's greatest power.
    pub fn full_power(&self, ue: UeIndex) -> f64 {
        self.links[ue.index()].full_power
    }
}

/// The key of a draw of a carrier. Carrier 0 has that of a cell alone.
pub(super) fn of_carrier(carrier: u64, [ue, process, tti]: [u64; 3]) -> [u64; 3] {
    [ue, process | carrier << 32, tti]
}

impl Cell {
    /// A further carrier of its UEs.
    pub fn add_secondary(
        &mut self,
        id: CellId,
        config: CellConfig,
        role: Secondary,
        tables: Arc<Tables>,
    ) {
        let number = self.secondaries.len() + 1;
        let links: Vec<UeCarrier> = self.ues.iter().map(|ue| ue.carrier(number)).collect();
        let has_uplink = links.iter().any(|link| link.uplink);
        let (activity, stays) = self.activities(id, &role);
        let touched = || Some(UeSet::new(self.ues.len()));
        let role = Role {
            config: role,
            number: number as u64,
            links,
            has_uplink,
            left: Vec::new(),
            activity,
            barred: UeSet::new(self.ues.len()),
            stays,
            ended: Vec::new(),
        };
        let mut cell = Cell {
            secondary: Some(role),
            touched: touched(),
            ..Cell::without_ues(id, config, (&self.ues, number), tables)
        };
        if self.config.duplex == Duplex::Fdd {
            cell.steps.send_feedback_in_any_slot();
        }
        self.touched = touched();
        self.secondaries.push(cell);
        self.share_power();
    }

    /// Lets a secondary cell act on the UEs.
    pub fn lend<R>(&mut self, n: usize, act: impl FnOnce(&mut Cell) -> R) -> R {
        let Cell { ues, rrc, radio_links, secondaries, .. } = self;
        let cell = &mut secondaries[n];
        mem::swap(ues, &mut cell.ues);
        mem::swap(rrc, &mut cell.rrc);
        mem::swap(radio_links, &mut cell.radio_links);
        let result = act(cell);
        mem::swap(ues, &mut cell.ues);
        mem::swap(rrc, &mut cell.rrc);
        mem::swap(radio_links, &mut cell.radio_links);
        result
    }

    /// Lets each secondary cell act on the UEs.
    pub fn for_each_secondary(&mut self, mut act: impl FnMut(&mut Cell)) {
        for n in 0..self.secondaries.len() {
            self.lend(n, &mut act);
        }
    }

    /// Secondary cells act in a stage, after the primary cell.
    pub fn act_in_secondaries(&mut self, stage: Stage, at: &mut Moment<'_, '_>) {
        self.share(at);
        for n in 0..self.secondaries.len() {
            self.lend(n, |cell| cell.act_in(stage, at));
            self.follow(n, at);
            self.share(at);
        }
    }

    /// The next time at which any of its carriers has work in a stage.
    pub fn due_of_carriers(&self, stage: Stage) -> Option<Time> {
        let others = self.secondaries.iter().map(|cell| cell.own_due(stage));
        others.fold(self.own_due(stage), earlier)
    }

    /// True if a job is of a UE and this is a secondary cell. Its primary cell then does the job in the
    /// same instant.
    pub fn leaves_to_primary(&mut self, job: Job) -> bool {
        match &mut self.secondary {
            Some(role) if job.is_of_ue() => {
                role.left.push(job);
                true
            }
            _ => false,
        }
    }

    /// The bearers of a UE have been used, which concerns the other carriers.
    pub fn touch(&mut self, ue: UeIndex) {
        if let Some(touched) = &mut self.touched {
            touched.set(ue, true);
            if let Some(book) = &mut self.guests {
                book.use_away(ue);
            }
        }
    }

    /// The primary cell heeds what a secondary cell has done to bearers.
    fn follow(&mut self, n: usize, at: &mut Moment<'_, '_>) {
        let Cell { secondaries, jobs, guests, .. } = self;
        let left = secondaries[n].secondary.iter_mut().flat_map(|role| role.left.drain(..));
        for job in left {
            if !guests.as_mut().is_some_and(|book| book.take_job(job)) {
                jobs.push_timer(at.now, job);
            }
        }
        let Some(mut touched) = self.secondaries[n].touched.take() else { return };
        for ue in touched.iter() {
            if self.guests.as_mut().is_some_and(|book| book.use_here(ue)) {
                continue;
            }
            self.look_at_retransmissions(ue, at);
            self.heed_estimate(at.now, ue);
            self.heed_unreported(n, at.now, ue);
            self.settle(at.now, ue);
        }
        touched.clear();
        self.secondaries[n].touched = Some(touched);
    }

    /// Secondary cells heed what the primary cell has done to bearers.
    pub fn share(&mut self, at: &mut Moment<'_, '_>) {
        if !self.secondaries.is_empty() {
            self.share_with_secondaries(at);
        }
    }

    fn share_with_secondaries(&mut self, at: &mut Moment<'_, '_>) {
        let Some(mut touched) = self.touched.take() else { return };
        if !touched.is_empty() {
            for n in 0..self.secondaries.len() {
                self.lend(n, |cell| touched.iter().for_each(|ue| cell.heed(at.now, ue)));
            }
        }
        touched.clear();
        self.touched = Some(touched);
    }

    /// The bearers of a UE have been used by another carrier.
    pub fn heed(&mut self, now: Time, ue: UeIndex) {
        self.stale.set(ue, true);
        if self.queued(Direction::Downlink, ue, now) > 0 {
            let touched = self.touched.take();
            self.notice_downlink(now, ue);
            self.touched = touched;
        }
        self.heed_estimate(now, ue);
    }

    /// Ratio of the SNR of a UE in a direction to that in the primary cell.
    pub fn gain(&self, direction: Direction, ue: UeIndex) -> f64 {
        match &self.secondary {
            None => 1.0,
            Some(role) => role.links[ue.index()].gains[direction as usize],
        }
    }

    /// Its number among the carriers of its UEs, as an index.
    pub fn carrier_index(&self) -> usize {
        self.number_of_carrier() as usize
    }

    /// Its position in the network of its carrier: that of its primary cell, or its own among cells on several carriers.
    pub fn site(&self) -> CellId {
        match (&self.secondary, self.config.frequency) {
            (Some(role), _) => role.config.of,
            (None, Some(own)) => own.position,
            (None, None) => self.id,
        }
    }

    /// Number of the carrier on whose air it is.
    pub fn air_index(&self) -> usize {
        self.config.frequency.map_or(self.carrier_index(), |own| own.carrier.into())
    }

    /// Its number among the carriers of its UEs.
    pub fn number_of_carrier(&self) -> u64 {
        self.secondary.as_ref().map_or(0, |role| role.number)
    }

    /// A UE has the most power uplink in another number of resource blocks from now on.
    pub fn set_full_power(&mut self, ue: UeIndex, full_power: f64) {
        if let Some(role) = &mut self.secondary {
            role.links[ue.index()].full_power = full_power;
        }
        self.links.set_full_power(ue, full_power as f32);
    }

    /// The link of a UE in the primary cell has another ratio from now on, uplink in any number of
    /// resource blocks.
    pub fn fix_link(&mut self, direction: Direction, ue: UeIndex, ratio: f64) {
        let sinr = self.gain(direction, ue) * ratio;
        if let (Direction::Uplink, Some(role)) = (direction, &mut self.secondary) {
            role.links[ue.index()].full_power = f64::INFINITY;
        }
        self.links.fix(&self.config, direction, ue, sinr);
    }
}

mod activation;

#[cfg(test)]
#[path = "secondary_tests.rs"]
pub(super) mod tests;
