//! Configured grants: a UE has a grant once a period without a scheduling request.
//!
//! - A grant is for one TTI of the uplink: with time division duplex, for the next uplink slot.
//! - The UE fills it `data_preparation` before, if it has data.
//! - The cell leaves its resource blocks out of other grants, used or not.
//! - If the UE has another block to send in that TTI, that goes first (TS 38.321, 5.4.1): one that
//!   was granted after a report, or one that failed. The cell makes a grant that replaces a configured one
//!   larger by what that would have carried.
//! - A UE without service has no grant.
//! - While the cell measures that a UE is out of range, its grant is deactivated (type 2: TS 38.321,
//!   5.8.2). Its resource blocks stay set aside, as RRC has configured them.
//! - Several grants in consecutive TTIs of a period are [`occasions`](super::occasions).

use airpath_base::Time;
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use super::occasions::{UnusedOccasions, first_occasions};
use super::steps::{Steps, Work};
use crate::block::AirSlot;
use crate::config::{Access, CellConfig};
use crate::duplex::Purpose;
use crate::harq::Outstanding;
use crate::index::UeIndex;
use crate::mac::ResourceBlocks;
use crate::ue::Ue;

const UP: Direction = Direction::Uplink;

/// Configured grants of a cell's UEs. All is empty without UEs, and on a carrier with another number than 0: a UE has its
/// configured grants in the primary cell.
#[derive(Debug, Default)]
pub(super) struct Configured {
    /// Resource blocks that are set aside in each TTI of a period.
    reserved: Vec<u16>,
    /// For each UE, those of UEs before it in the same TTI.
    before: Vec<u16>,
    /// Occasions that UEs have indicated as unused.
    pub unused: Vec<UnusedOccasions>,
}

impl Configured {
    pub fn new(cell: &CellConfig, (ues, number): (&[Ue], usize)) -> Configured {
        let mut own = Configured::default();
        let Access::Configured { period, resource_blocks } = cell.uplink.access else { return own };
        if ues.is_empty() || number > 0 {
            return own;
        }
        own.reserved = vec![0; usize::try_from(period.max(1)).unwrap_or(usize::MAX)];
        for ue in ues {
            let all = &mut own.reserved[(ue.config.offset % period.max(1)) as usize];
            own.before.push(*all);
            let blocks = if ue.config.served { resource_blocks } else { 0 };
            *all = all.saturating_add(blocks);
        }
        own
    }

    /// True if the cell has none.
    pub fn is_empty(&self) -> bool {
        self.reserved.is_empty()
    }
}

/// Bytes of a UE's configured grant in TTI `tti`, which a grant of at most `most` resource blocks would override (TS 38.321, 5.8.2). Zero
/// without a configured grant; none if the other grant would carry no more. `bytes` has them by resource blocks.
pub(super) fn overridden_bytes(
    configured: &Configured,
    (config, steps): (&CellConfig, &Steps),
    (ue, tti, most): (&Ue, u64, u16),
    bytes: &[u32],
) -> Option<u32> {
    let Access::Configured { period, resource_blocks } = config.uplink.access else {
        return Some(0);
    };
    if configured.is_empty() || !steps.serves(Purpose::ConfiguredData, tti) {
        return Some(0);
    }
    let (offset, period) = (ue.config.offset, period.max(1));
    let mut all = first_occasions(config, steps, tti, period).flatten();
    let own = all.any(|n| n % period == offset % period);
    let of = |blocks: u16| {
        bytes.get(usize::from(blocks).min(bytes.len().saturating_sub(1))).copied().unwrap_or(0)
    };
    match own {
        false => Some(0),
        true => Some(of(resource_blocks)).filter(|own| of(most) > *own),
    }
}

impl Cell {
    /// Begins the configured grants of the UEs: each from the first that the cell could have
    /// decided.
    pub fn begin_configured(&mut self) {
        let Access::Configured { period, .. } = self.config.uplink.access else { return };
        let preparation = Time::ZERO + self.config.timing.data_preparation;
        let decided = self.steps.uplink(self.steps.next_decision(Work::Serve(UP), 0));
        let earliest = decided.start.max(self.config.tti.number_from(preparation));
        for ue in UeIndex::all(self.ues.len()) {
            if self.ues[ue.index()].config.served {
                self.expect_configured(ue, earliest, period);
            }
        }
    }

    /// The UE's next grant, from TTI `from` on.
    fn expect_configured(&mut self, ue: UeIndex, from: u64, period: u64) {
        let cycle = (self.ues[ue.index()].config.offset, period);
        let first = self.steps.opportunity(Purpose::ConfiguredData, from, cycle);
        let tti = match self.config.uplink.occasions.repetitions {
            1 => self.next_occasion(ue, from).map_or(first, |next| next.min(first)),
            _ => first,
        };
        let start = self.config.tti.start(tti);
        let due = start.saturating_sub(self.config.timing.data_preparation);
        self.jobs.push(due, Job::Configured { ue, tti });
    }

    /// The UE fills its configured grant for TTI `tti`, if it may and has data.
    #[inline(never)]
    pub fn use_configured(&mut self, ue: UeIndex, tti: u64, at: &mut Moment<'_, '_>) {
        let Access::Configured { period, resource_blocks } = self.config.uplink.access else {
            return;
        };
        self.expect_configured(ue, tti + 1, period);
        let cx = &mut *at.cx;
        let indicated = self.ues[ue.index()].uplink.unused;
        if (indicated.0..indicated.1).contains(&tti) {
            return self.leave_occasion(ue, tti, cx);
        }
        self.measure(UP, ue, at);
        let processes = self.steps.processes(tti, self.up_processes);
        let process = self.harq[ue.index()].up.uplink_process(tti, processes);
        if let Some(process) = process
            && self.is_connected(ue)
            && self.radio_links.is_up(ue)
            && self.queued(UP, ue, at.now) > 0
            && self.may_send(ue, tti)
        {
            let (blocks, slot) = (self.configured_blocks(tti, ue), AirSlot { direction: UP, tti });
            let scheme = self.scheme(self.decided(slot), slot, ue, &blocks);
            let (last, repetitions) = self.repetitions(ue, tti);
            let grant = Outstanding { tti: last, blocks, scheme };
            self.plan_occasions(ue, tti, (scheme.bytes, at.now));
            return self.fill_repeated(self.uplink_plan(ue, process, grant), repetitions, at);
        }
        let (_, lost) = self.repetitions(ue, tti);
        self.report_unused(ue, resource_blocks.saturating_mul(lost.into()), at.cx);
    }

    /// Reports resource blocks that were set aside for a UE and not used.
    pub(super) fn report_unused(&self, ue: UeIndex, resource_blocks: u16, cx: &mut Cx<'_>) {
        let (cell, ue, direction) = (self.id, self.ues[ue.index()].id, UP);
        cx.emit(|| Event::Radio(RadioEvent::Unused { cell, ue, direction, resource_blocks }));
    }

    /// True if the cell has not deactivated the configured grant of a UE for TTI `tti`.
    fn may_send(&self, ue: UeIndex, tti: u64) -> bool {
        let decided = self.decided(AirSlot { direction: UP, tti });
        !self.config.uplink.is_sounded(decided) || self.links.in_range(UP, ue)
    }

    /// Resource blocks set aside in TTI `tti` uplink.
    pub fn reserved_in(&self, tti: u64) -> u16 {
        match self.configured.reserved.len() as u64 {
            _ if !self.steps.serves(Purpose::ConfiguredData, tti) => 0,
            0 => 0,
            period => {
                let waiting = first_occasions(&self.config, &self.steps, tti, period);
                let all =
                    waiting.flatten().map(|n| self.configured.reserved[(n % period) as usize]);
                all.fold(0, u16::saturating_add)
            }
        }
    }

    /// Those of them that are the UE's, unless the cell knows that it will not use them.
    pub fn configured_blocks(&self, tti: u64, ue: UeIndex) -> ResourceBlocks {
        match self.knows_unused(tti, ue) {
            true => ResourceBlocks::EMPTY,
            false => self.occasion_blocks(tti, ue),
        }
    }

    /// Resource blocks of the configured grant of a UE for TTI `tti`. They are at the end of the carrier, side by side with
    /// those of other UEs in the same TTI.
    pub(super) fn occasion_blocks(&self, tti: u64, ue: UeIndex) -> ResourceBlocks {
        let Access::Configured { period, resource_blocks } = self.config.uplink.access else {
            return ResourceBlocks::EMPTY;
        };
        if self.configured.is_empty() || !self.steps.serves(Purpose::ConfiguredData, tti) {
            return ResourceBlocks::EMPTY; // a secondary cell has none
        }
        let (offset, period) = (self.ues[ue.index()].config.offset, period.max(1));
        let mut before = self.configured.before[ue.index()];
        for n in first_occasions(&self.config, &self.steps, tti, period).flatten() {
            if n % period == offset % period {
                let end = self.config.resource_blocks.saturating_sub(before);
                return ResourceBlocks::range(end.saturating_sub(resource_blocks), resource_blocks);
            }
            before = before.saturating_add(self.configured.reserved[(n % period) as usize]);
        }
        ResourceBlocks::EMPTY
    }
}
