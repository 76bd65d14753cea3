//! Uplink of secondary cells: what the cell knows of a UE's buffers, and the power that carriers share.
//!
//! - A UE has one scheduling request and one estimate of its buffers. Each carrier grants what those
//!   before it left of the estimate.
//! - Each block has a report. Reports arrive in another order than they were made, as round trips
//!   differ. One that is older than the last that counts is ignored.
//! - Configured grants are those of the primary cell.
//! - Power is shared as [`SharedPower`] does it. In a network a transmission is on the air before all that
//!   share its power are known. It is amended until it is over.
//!
//! Left out: one report a TTI for all blocks (TS 36.321 and TS 38.321, 5.4.5). Each has its own, of
//! what is left when that block has been filled.

use airpath_base::{Duration, Time, UeId};
use airpath_net::Direction;

use super::cell::Cell;
use super::secondary::Role;
use super::steps::Work;
use crate::air::Link;
use crate::block::{AirSlot, Block};
use crate::config::{Access, CellConfig};
use crate::duplex::Duplex;
use crate::index::UeIndex;
use crate::power::{Part, Rule, SharedPower};
use crate::ue::Ue;

const UP: Direction = Direction::Uplink;

/// A transmission uplink on the air that gets another power.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amendment {
    /// Number of its carrier, as an index.
    pub carrier: usize,
    /// Its TTI in the carrier.
    pub tti: u64,
    pub ue: UeId,
    /// Power in each resource block in mW.
    pub power: f32,
}

/// Number of resource blocks of a UE uplink that get the most power, in a cell with this role.
pub(super) fn full_power(role: &Option<Role>, ue: &Ue, index: UeIndex) -> f64 {
    role.as_ref().map_or(ue.full_power, |role| role.full_power(index))
}

/// The most resource blocks of a UE's grant in a span, by the power that other carriers leave. So many
/// get the most power here.
pub(super) fn most_by_power(
    ue: &Ue,
    (config, full_power): (&CellConfig, f64),
    span: (Time, Time),
) -> u16 {
    let carrier = config.resource_blocks;
    ue.power.as_ref().map_or(carrier, |power| power.most(span, (carrier, full_power)))
}

impl Cell {
    /// True if a UE may be granted this cell when it has data.
    pub fn may_grant(&self, ue: UeIndex) -> bool {
        self.secondary.as_ref().is_none_or(|role| role.sends(ue) && role.is_active(ue))
    }

    /// True if a UE sends in this cell, once it is active.
    pub fn sends_here(&self, ue: UeIndex) -> bool {
        self.secondary.as_ref().is_none_or(|role| role.sends(ue))
    }

    /// True if its UEs may send on other carriers too.
    pub fn shares_uplink(&self) -> bool {
        let sends = |cell: &Cell| cell.secondary.as_ref().is_some_and(|role| role.has_uplink());
        sends(self) || self.secondaries.iter().any(sends)
    }

    /// Another carrier has changed the estimate of a UE's buffers.
    pub fn heed_estimate(&mut self, now: Time, ue: UeIndex) {
        if !self.shares_uplink() || !self.sends_here(ue) {
            return;
        }
        let waits = self.ues[ue.index()].uplink.reported.all() > 0 && self.radio_links.is_up(ue);
        let serves = waits && self.may_serve(now, ue);
        self.reported.set(ue, serves);
        if serves {
            self.want(Work::Serve(UP), now);
        }
    }

    /// A UE has data after a block in a secondary cell, and reports need no grant: the primary cell has
    /// the report. True if this is such a cell.
    pub fn leaves_report_to_primary(&mut self, ue: UeIndex) -> bool {
        let reported = matches!(self.config.uplink.access, Access::Reported { .. });
        if self.secondary.is_none() || !reported {
            return false;
        }
        self.pending_bsr.set(ue, true);
        self.touch(ue);
        true
    }

    /// A secondary cell has left a report to this primary cell.
    pub fn heed_unreported(&mut self, n: usize, now: Time, ue: UeIndex) {
        let pending = &mut self.secondaries[n].pending_bsr;
        if pending.contains(ue) {
            pending.set(ue, false);
            self.notice_uplink(now, ue, false);
        }
    }

    /// Number of a new report of a UE, in the order of their making.
    pub fn number_report(&mut self, ue: UeIndex) -> u32 {
        let several = self.shares_uplink();
        let state = &mut self.ues[ue.index()].uplink;
        state.reports += u32::from(several);
        state.reports
    }

    /// True if a report counts: none that was made later has come before.
    pub fn is_newest(&mut self, ue: UeIndex, number: u32) -> bool {
        let newest = &mut self.ues[ue.index()].uplink.newest_report;
        let counts = number >= *newest;
        *newest = (*newest).max(number);
        counts
    }
}

/// Power.
impl Cell {
    /// Begins to share the power of the UEs that send here and have limited power, over all carriers of
    /// this primary cell.
    pub fn share_power(&mut self) {
        let rule = match self.config.technology_in(UP).is_nr() {
            true => Rule::InOrder,
            false => Rule::Alike,
        };
        let cells = || core::iter::once(&*self).chain(&self.secondaries);
        let memory = cells().map(Cell::received_after).max().unwrap_or_default();
        let limited = |ue: &UeIndex| cells().all(|cell| cell.full_power(UP, *ue).is_finite());
        let sends = |ue: &UeIndex| self.secondaries.iter().any(|cell| cell.sends_here(*ue));
        let all = UeIndex::all(self.ues.len());
        let ues: Vec<UeIndex> = all.filter(|ue| sends(ue) && limited(ue)).collect();
        for ue in ues {
            self.ues[ue.index()].power = Some(Box::new(SharedPower::new(rule, memory)));
        }
    }

    /// From the begin of a transmission uplink until it is decoded.
    fn received_after(&self) -> Duration {
        self.config.timing.uplink_transmission + self.config.timing.uplink_processing
    }

    /// Number of resource blocks that get the most power.
    pub fn full_power(&self, direction: Direction, ue: UeIndex) -> f64 {
        match (direction, &self.secondary) {
            (Direction::Downlink, _) => f64::INFINITY,
            // A secondary cell is lent its UEs only while it acts.
            (Direction::Uplink, Some(role)) => role.full_power(ue),
            (Direction::Uplink, None) => self.ues[ue.index()].full_power,
        }
    }

    /// Begin and end of a transmission in TTI `tti` uplink.
    pub fn span(&self, tti: u64) -> (Time, Time) {
        let start = self.starts_at(AirSlot { direction: UP, tti });
        (start, start + self.config.tti.length())
    }

    /// A transmission uplink of so many resource blocks, with its share of the UE's power.
    fn part(&self, ue: UeIndex, tti: u64, resource_blocks: u16) -> Part {
        let (start, end) = self.span(tti);
        let share = (f64::from(resource_blocks) / self.full_power(UP, ue)).min(1.0);
        Part { carrier: self.number_of_carrier(), tti, start, end, resource_blocks, share }
    }

    /// A UE has a grant for TTI `tti`.
    pub fn grant_power(&mut self, now: Time, ue: UeIndex, tti: u64, resource_blocks: u16) {
        if self.ues[ue.index()].power.is_some() {
            let part = self.part(ue, tti, resource_blocks);
            let power = self.ues[ue.index()].power.as_mut();
            power.into_iter().for_each(|power| power.grant(now, part));
        }
    }

    /// A block is sent, or feedback for it will be.
    pub fn send_power(&mut self, now: Time, key: u32) {
        let block = self.blocks.get(key);
        let Block { ue, direction, tti, missed, .. } = *block;
        if self.ues[ue.index()].power.is_none() {
            return;
        }
        let part = self.part(ue, tti, block.resource_blocks());
        let feedback = self.feedback_at(tti);
        let Some(power) = &mut self.ues[ue.index()].power else { return };
        match (direction, missed) {
            (Direction::Uplink, false) => power.send(now, part),
            (Direction::Uplink, true) => power.grant(now, part),
            (Direction::Downlink, false) => power.expect_feedback(now, feedback),
            (Direction::Downlink, true) => {}
        }
        self.amend_power(now, ue);
    }

    /// Gives transmissions of a UE that are on the air already the power that they have now, in a network.
    fn amend_power(&mut self, now: Time, ue: UeIndex) {
        let (site, own) = (self.site(), &mut self.ues[ue.index()]);
        let changed = match (&own.config.link, &mut own.power) {
            (Link::Network(_), Some(power)) => power.changed(now),
            _ => return,
        };
        for (part, factor) in changed {
            let (carrier, tti) = (part.carrier as usize, part.tti);
            let Some(channel) = own.channel(carrier) else { continue };
            let power = channel.power(own.id, site, UP, part.resource_blocks) * factor as f32;
            self.amended.push(Amendment { carrier, tti, ue: own.id, power });
        }
    }

    /// The factor by which the power of a UE is scaled down in TTI `tti` uplink, 0 to 1.
    pub fn power_factor(&self, ue: UeIndex, tti: u64) -> f64 {
        let power = self.ues[ue.index()].power.as_ref();
        power.map_or(1.0, |power| power.factor(self.number_of_carrier(), self.span(tti).0))
    }

    /// Begin of the feedback for data downlink of TTI `tti`.
    pub fn feedback_at(&self, tti: u64) -> Time {
        let sent = self.starts_at(AirSlot { direction: Direction::Downlink, tti });
        match self.config.duplex {
            Duplex::Fdd => sent + self.config.timing.data_to_feedback,
            Duplex::Tdd(_) => self.config.tti.start(self.steps.feedback(tti)),
        }
    }

    /// The ratio of each layer of a block on a fixed link, as a factor.
    pub fn fixed_ratio(&self, block: &Block) -> f64 {
        let (ue, direction) = (block.ue, block.direction);
        let own = &self.ues[ue.index()];
        let full_power = match direction {
            Direction::Downlink => f64::INFINITY,
            Direction::Uplink => self.full_power(direction, ue),
        };
        let ratio = own.layer_ratio(full_power, direction, &block.allocation);
        let factor = if direction == UP { self.power_factor(ue, block.tti) } else { 1.0 };
        self.gain(direction, ue) * ratio * factor
    }
}

#[cfg(test)]
#[path = "secondary_uplink_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "network_uplink_tests.rs"]
mod network_tests;
