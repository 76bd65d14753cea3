//! Steps from a decision to the slots that it is about. Each step of a transmission takes at least
//! its time and ends in the next slot that serves it.
//!
//! - Downlink, data are sent `downlink_preparation` after a decision, with their assignment in
//!   the same slot (k0 = 0). Only TTIs whose slot then carries data are decided.
//! - Uplink, each slot is decided for the latest grant that is `grant_to_transmission` (k2) or
//!   more before it. So one decision may be about several slots.
//! - Feedback for the downlink is sent in the first slot with uplink symbols that is
//!   `data_to_feedback` (k1) or more after the data.
//!
//! With frequency division duplex each step takes exactly its time. With a configuration of LTE,
//! tables have the grant of each uplink subframe and the feedback of each downlink subframe.

use std::ops::Range;

use airpath_base::{Duration, Time};
use airpath_net::Direction;

use crate::config::{Access, CellConfig};
use crate::duplex::{Duplex, Purpose};
use crate::harq::{OfTti, UplinkProcesses};

/// TTIs from a grant to its data, the fewest and the most, where tables have them (TS 36.213, table
/// 8-2).
const TABLE_K: [u64; 2] = [4, 7];

/// Purpose of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// UEs are served in a direction.
    Serve(Direction),
    /// UEs report their buffers without a grant.
    Report,
}

/// The steps of a cell, in TTIs.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    duplex: Duplex,
    /// From a decision to the data downlink.
    down: u64,
    /// From a decision to the grant uplink; none where UEs need no grant.
    grant: Option<u64>,
    /// From the grant, or else the decision, to the data uplink.
    up: u64,
    /// From the making of a report to its transmission.
    report: u64,
    /// From data downlink to their feedback.
    feedback: u64,
    /// From data downlink to their retransmission.
    round_trip: u64,
    /// From data downlink until their process is free.
    busy: u64,
    /// True if any slot has feedback for the downlink: that of a primary cell with frequency
    /// division duplex.
    any_feedback: bool,
}

impl Steps {
    /// Those of a cell; a process downlink is busy for `busy` TTIs with frequency division
    /// duplex.
    pub fn new(config: &CellConfig, busy: u64) -> Steps {
        let timing = &config.timing;
        let begun = |span: Duration| config.tti.number_from(Time::ZERO + span);
        let lead = begun(super::harq::uplink_lead(config));
        let instant = config.uplink.access == Access::Instant;
        let grant = begun(timing.grant_preparation).min(lead);
        let table = config.duplex.processes().map(|_| TABLE_K[0]);
        Steps {
            duplex: config.duplex.clone(),
            down: begun(timing.downlink_preparation),
            grant: (!instant).then_some(grant),
            up: if instant { lead } else { table.unwrap_or(lead - grant) },
            report: begun(timing.report_preparation),
            feedback: begun(timing.data_to_feedback),
            round_trip: config.tti.number(Time::ZERO + timing.harq_round_trip).max(1),
            busy,
            any_feedback: false,
        }
    }

    /// From now on, feedback for the downlink needs no uplink symbols of this carrier.
    pub fn send_feedback_in_any_slot(&mut self) {
        self.any_feedback = true;
    }

    /// True if the slot that TTI `tti` is serves a purpose.
    pub fn serves(&self, purpose: Purpose, tti: u64) -> bool {
        self.duplex.serves(purpose, tti)
    }

    /// The first TTI from `tti` on that serves a purpose.
    pub fn next(&self, purpose: Purpose, tti: u64) -> u64 {
        self.duplex.next(purpose, tti)
    }

    /// Symbols of TTI `tti` on the air that carry data.
    pub fn symbols(&self, tti: u64, direction: Direction) -> u8 {
        self.duplex.data_symbols(tti, direction)
    }

    /// The TTI on the air of what is decided downlink in TTI `decided`, if that carries data.
    #[inline]
    pub fn downlink(&self, decided: u64) -> Option<u64> {
        let tti = decided + self.down;
        self.serves(Purpose::DownlinkData, tti).then_some(tti)
    }

    /// TTIs on the air of which TTI `decided` decides the uplink, as far as it
    /// [does](Steps::decides).
    pub fn uplink(&self, decided: u64) -> Range<u64> {
        let Some(preparation) = self.grant else {
            return decided + self.up..decided + self.up + 1;
        };
        let grant = decided + preparation;
        let later = match self.by_table() {
            true => grant + TABLE_K[1] + 1 - TABLE_K[0],
            false => self.duplex.next(Purpose::Grant, grant + 1),
        };
        match self.serves(Purpose::Grant, grant) {
            true => grant + self.up..later + self.up,
            false => 0..0,
        }
    }

    /// True if TTI `decided` decides TTI `tti` uplink, one of [`uplink`](Steps::uplink).
    pub fn decides(&self, decided: u64, tti: u64) -> bool {
        let granted = |preparation| Some(decided + preparation) == self.grant_of(tti);
        let own = !self.by_table() || self.grant.is_none_or(granted);
        own && self.serves(Purpose::UplinkData, tti)
    }

    /// True if tables have the steps.
    fn by_table(&self) -> bool {
        self.duplex.processes().is_some()
    }

    /// The TTI of the grant for TTI `tti` uplink; none before the first.
    fn grant_of(&self, tti: u64) -> Option<u64> {
        match self.duplex.grant_to_data(tti) {
            Some(steps) => tti.checked_sub(steps),
            None => self.duplex.last(Purpose::Grant, tti.saturating_sub(self.up)),
        }
    }

    /// The TTI uplink whose synchronous process, of so many, is the next of TTI `tti`.
    pub fn again_uplink(&self, tti: u64, processes: u64) -> u64 {
        match self.duplex {
            Duplex::Fdd => tti + processes,
            Duplex::Tdd(_) => {
                (0..processes).fold(tti, |tti, _| self.next(Purpose::UplinkData, tti + 1))
            }
        }
    }

    /// The processes that TTI `tti` uplink may have.
    #[inline]
    pub fn processes(&self, tti: u64, all: UplinkProcesses) -> OfTti {
        match all {
            UplinkProcesses::Synchronous(count) => {
                OfTti::One((self.duplex.uplink_before(tti) % count) as u16)
            }
            UplinkProcesses::Asynchronous(count) => OfTti::Any(count),
        }
    }

    /// TTIs whose control channel elements the decisions of TTI `decided` take, downlink and uplink:
    /// with time division duplex those of the slots on the air.
    pub fn control(&self, decided: u64) -> [u64; 2] {
        match self.duplex {
            Duplex::Fdd => [decided; 2],
            Duplex::Tdd(_) => [self.down, self.grant.unwrap_or(self.down)].map(|n| decided + n),
        }
    }

    /// The TTI in which what is on the air in TTI `tti` is decided, or would have been before
    /// the first.
    pub fn decided(&self, tti: u64, direction: Direction) -> u64 {
        match (direction, self.grant) {
            (Direction::Downlink, _) => tti.saturating_sub(self.down),
            (Direction::Uplink, None) => tti.saturating_sub(self.up),
            (Direction::Uplink, Some(preparation)) => {
                self.grant_of(tti).unwrap_or(0).saturating_sub(preparation)
            }
        }
    }

    /// The first TTI from `from` on in which there may be something to decide.
    #[inline]
    pub fn next_decision(&self, work: Work, from: u64) -> u64 {
        let ahead = |purpose, lead| self.next(purpose, from + lead) - lead;
        match (work, self.grant) {
            (Work::Serve(Direction::Downlink), _) => ahead(Purpose::DownlinkData, self.down),
            (Work::Serve(Direction::Uplink), None) => ahead(Purpose::UplinkData, self.up),
            (Work::Serve(Direction::Uplink), Some(preparation)) if self.by_table() => {
                let mut tti = self.next(Purpose::UplinkData, from + preparation + self.up);
                while self.grant_of(tti).is_none_or(|grant| grant < from + preparation) {
                    tti = self.next(Purpose::UplinkData, tti + 1);
                }
                self.decided(tti, Direction::Uplink)
            }
            (Work::Serve(Direction::Uplink), Some(preparation)) => {
                let grant = self.next(Purpose::Grant, from + preparation);
                let tti = self.next(Purpose::UplinkData, grant + self.up);
                self.decided(tti, Direction::Uplink)
            }
            (Work::Report, _) => ahead(Purpose::UplinkControl, self.report),
        }
    }

    /// The last TTI up to `tti` that carries data in a direction; the first of all before that.
    pub fn last_data(&self, tti: u64, direction: Direction) -> u64 {
        let purpose = match direction {
            Direction::Downlink => Purpose::DownlinkData,
            Direction::Uplink => Purpose::UplinkData,
        };
        self.duplex.last(purpose, tti).unwrap_or(0)
    }

    /// TTIs after which slots repeat.
    pub fn period(&self) -> u64 {
        self.duplex.period()
    }

    /// TTIs from a decision to the transmission at most.
    pub fn longest_lead(&self) -> u64 {
        let (first, period) = (self.down + self.up + self.grant.unwrap_or(0), self.duplex.period());
        let ahead = |tti| {
            let tti = self.next(Purpose::UplinkData, tti);
            tti - self.decided(tti, Direction::Uplink)
        };
        // From where on every slot has a decision.
        let start = first + period;
        (start..start + period).map(ahead).max().unwrap_or(0).max(self.down)
    }

    /// The TTI of the feedback for data downlink of TTI `tti`.
    #[inline]
    pub fn feedback(&self, tti: u64) -> u64 {
        let feedback = tti + self.duplex.data_to_feedback(tti).unwrap_or(self.feedback);
        match self.duplex {
            Duplex::Tdd(_) if !self.any_feedback => self.next(Purpose::UplinkControl, feedback),
            _ => feedback,
        }
    }

    /// The TTI from which on data downlink of TTI `tti` may be sent again.
    #[inline]
    pub fn again(&self, tti: u64) -> u64 {
        match self.duplex {
            Duplex::Fdd => tti + self.round_trip,
            Duplex::Tdd(_) => {
                let rest = self.round_trip.saturating_sub(self.feedback);
                self.next(Purpose::DownlinkData, self.feedback(tti) + rest)
            }
        }
    }

    /// True if the process of data downlink of TTI `sent` may have others in TTI `tti`.
    #[inline]
    pub fn is_free(&self, sent: u64, tti: u64) -> bool {
        match self.duplex {
            Duplex::Fdd => sent + self.busy <= tti,
            Duplex::Tdd(_) => self.again(sent) <= tti,
        }
    }

    /// The first TTI from `from` on that serves an opportunity `offset` into a period. Each
    /// opportunity waits for the next TTI that serves its purpose.
    pub fn opportunity(&self, purpose: Purpose, from: u64, (offset, period): (u64, u64)) -> u64 {
        let waiting_since = match from {
            0 => 0,
            _ => self.duplex.last(purpose, from - 1).map_or(0, |last| last + 1),
        };
        self.next(purpose, next_opportunity(waiting_since, offset, period))
    }

    /// The direction that TTI `tti` is for first, if it is given by need.
    #[inline]
    pub fn by_need(&self, tti: u64) -> Option<Direction> {
        self.duplex.by_need(tti)
    }

    /// TTIs whose opportunities for uplink data wait for TTI `tti`, which carries them; of each
    /// offset in a period the last one.
    pub fn waiting_for(&self, tti: u64, period: u64) -> Range<u64> {
        let before = tti.checked_sub(1).and_then(|n| self.duplex.last(Purpose::ConfiguredData, n));
        let first = before.map_or(0, |before| before + 1);
        first.max((tti + 1).saturating_sub(period))..tti + 1
    }
}

/// The first TTI from `tti` on that is `offset` into a period.
fn next_opportunity(tti: u64, offset: u64, period: u64) -> u64 {
    let period = period.max(1);
    offset + tti.saturating_sub(offset).div_ceil(period) * period
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
