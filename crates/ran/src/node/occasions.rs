//! Several configured grants of a UE in a period (multi-PUSCH configured grant: TS 38.321, 5.8.2; TS 38.214, 6.1.2.3).
//!
//! - The occasions of a period are in consecutive TTIs from the first. Those that are no uplink are left out.
//! - The cell deducts the bytes of the occasions to come from what a report in one of them names.
//! - With an indication (UTO-UCI: TS 38.213, 9.3.1) a block names the following occasions of its period that the data
//!   in the UE do not need. The UE leaves them, and the cell grants their resource blocks in TTIs that it has not decided.
//!
//! - With repetitions (repK: TS 38.214, 6.1.2.3) a UE sends one block in all occasions of a period, from the first on. The
//!   cell decodes it behind the last, by the information of all.
//!
//! Left out: the bits of the indication among those of the block, and indications of later periods. A UE knows no data to
//! come, so that it keeps those. The cell reads the indication even if the data of the block fail.

use std::ops::Range;

use airpath_base::Time;
use airpath_net::{Cx, Direction};

use super::cell::Cell;
use super::jobs::Job;
use super::steps::Steps;
use super::uplink::payload;
use crate::block::AirSlot;
use crate::config::{Access, CellConfig};
use crate::duplex::Purpose;
use crate::index::UeIndex;
use crate::mac::ResourceBlocks;

const UP: Direction = Direction::Uplink;

/// Occasions that the cell knows a UE will not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnusedOccasions {
    ue: UeIndex,
    /// Their TTIs: the first, and the one behind the last.
    ttis: (u64, u64),
    /// Time from which on the cell knows it.
    known: Time,
}

/// Opportunities whose occasions are in TTI `tti`, the earliest first: ranges of those that wait for the same first
/// occasion.
pub(super) fn first_occasions(
    config: &CellConfig,
    steps: &Steps,
    tti: u64,
    period: u64,
) -> impl Iterator<Item = Range<u64>> {
    let earliest = (tti + 1).saturating_sub(config.uplink.occasions.count);
    let first = (earliest..=tti).filter(|n| steps.serves(Purpose::ConfiguredData, *n));
    first.map(move |n| steps.waiting_for(n, period))
}

impl Cell {
    /// The first TTI from `from` on with an occasion of the period that `from` - 1 is in; none if that has no more.
    pub(super) fn next_occasion(&self, ue: UeIndex, from: u64) -> Option<u64> {
        self.later_occasions(ue, from.checked_sub(1)?).next()
    }

    /// TTIs of the occasions of a UE that follow its occasion in TTI `tti` in the same period.
    fn later_occasions(&self, ue: UeIndex, tti: u64) -> impl Iterator<Item = u64> {
        let behind = self.last_occasion(ue, tti).map_or(0, |last| last + 1);
        (tti + 1..behind.max(tti + 1)).filter(|n| self.steps.serves(Purpose::ConfiguredData, *n))
    }

    /// The TTI that ends the occasions of a period of which TTI `tti` is one; none with one occasion a period.
    fn last_occasion(&self, ue: UeIndex, tti: u64) -> Option<u64> {
        let Access::Configured { period, .. } = self.config.uplink.access else { return None };
        let count = self.config.uplink.occasions.count;
        let (offset, period) = (self.ues[ue.index()].config.offset, period.max(1));
        let earliest = (tti + 1).saturating_sub(count);
        let begins = |n: &u64| {
            self.steps.serves(Purpose::ConfiguredData, *n)
                && self.steps.waiting_for(*n, period).any(|own| own % period == offset % period)
        };
        if count < 2 {
            None
        } else {
            (earliest..=tti).rev().find(begins).map(|first| first + count - 1)
        }
    }

    /// The last TTI of a block that a UE sends from its occasion in TTI `tti` on, and the number of its repetitions.
    pub(super) fn repetitions(&self, ue: UeIndex, tti: u64) -> (u64, u8) {
        if self.config.uplink.occasions.repetitions == 1 {
            return (tti, 1);
        }
        self.later_occasions(ue, tti).fold((tti, 1), |(_, count), last| (last, count + 1))
    }

    /// The UE is about to fill its occasion in TTI `tti` with `bytes`. It decides which of the following ones it needs,
    /// and the cell learns of that with the block.
    pub(super) fn plan_occasions(&mut self, ue: UeIndex, tti: u64, (bytes, now): (u32, Time)) {
        let occasions = self.config.uplink.occasions;
        if occasions.count < 2 || occasions.repetitions > 1 {
            return;
        }
        let left = self.queued(UP, ue, now).saturating_sub(payload(bytes));
        let needed = u64::from(left.div_ceil(payload(bytes)));
        // An indication of earlier stays (TS 38.213, 9.3.1).
        let before = self.ues[ue.index()].uplink.unused;
        let before = if before.1 > tti { before } else { (u64::MAX, 0) };
        let (mut ttis, mut usable) = (before, 0u32);
        for (bit, own) in (0..).zip(self.later_occasions(ue, tti)) {
            match (before.0..before.1).contains(&own) {
                true => continue,
                false if bit < occasions.indicated && u64::from(usable) >= needed => {
                    ttis = (ttis.0.min(own), ttis.1.max(own + 1));
                }
                false => usable += 1,
            }
        }
        self.ues[ue.index()].uplink.unused = ttis;
        let known = self.decoded_at(AirSlot { direction: UP, tti });
        let ahead = usable.saturating_mul(payload(bytes));
        self.jobs.push(known, Job::Occasions { ue, ahead, unused: ttis });
    }

    /// The cell has received a block of a configured grant, and with it the indication.
    pub(super) fn take_occasions(
        &mut self,
        now: Time,
        ue: UeIndex,
        ahead: u32,
        (first, end): (u64, u64),
    ) {
        self.ues[ue.index()].uplink.ahead = ahead;
        let past = self.tti_number(now);
        self.configured.unused.retain(|own| own.ttis.1 > past && own.ue != ue);
        if first < end {
            self.configured.unused.push(UnusedOccasions { ue, ttis: (first, end), known: now });
        }
    }

    /// A UE leaves an occasion that it has indicated as unused. Its resource blocks were lost if the cell decided before
    /// it knew.
    pub(super) fn leave_occasion(&mut self, ue: UeIndex, tti: u64, cx: &mut Cx<'_>) {
        let decided = self.decided(AirSlot { direction: UP, tti });
        let in_time = |own: &UnusedOccasions| own.is_of(ue, tti) && own.known <= decided;
        if !self.configured.unused.iter().any(in_time) {
            let blocks = self.occasion_blocks(tti, ue).count();
            self.report_unused(ue, blocks, cx);
        }
    }

    /// True if the cell knows that a UE will not use its occasion in TTI `tti`.
    pub(super) fn knows_unused(&self, tti: u64, ue: UeIndex) -> bool {
        self.configured.unused.iter().any(|own| own.is_of(ue, tti))
    }

    /// Resource blocks of occasions in TTI `tti` that the cell knows to be unused.
    pub(super) fn indicated_unused(&self, tti: u64) -> ResourceBlocks {
        let own = self.configured.unused.iter().filter(|own| own.is_of(own.ue, tti));
        own.fold(ResourceBlocks::EMPTY, |all, own| all.with(&self.occasion_blocks(tti, own.ue)))
    }
}

impl UnusedOccasions {
    fn is_of(&self, ue: UeIndex, tti: u64) -> bool {
        self.ue == ue && (self.ttis.0..self.ttis.1).contains(&tti)
    }
}

#[cfg(test)]
#[path = "occasions_tests.rs"]
mod tests;
