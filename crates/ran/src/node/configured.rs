//! Grants that a UE has without asking, once a period.
//!
//! A grant is for one TTI of the uplink: with time division duplex, for the next uplink slot. The UE fills it `data_preparation` before, if it
//! has data; the cell leaves its resource blocks out of what it grants otherwise, used or
//! not. If the UE has to send something else in that TTI (what it was granted after a
//! report, or again what failed), that takes the place (TS 38.321, 5.4.1).
//!
//! A UE without service has no grant. While the cell measures that a UE is out of range, its grant is deactivated (type 2: TS 38.321,
//! 5.8.2). Its resource blocks stay set aside, as RRC has configured them.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::{Cell, Job, Ran, Work};
use crate::config::{Access, CellConfig};
use crate::duplex::Purpose;
use crate::mac::ResourceBlocks;
use crate::ue::Ue;

const UP: Direction = Direction::Uplink;

/// Resource blocks that are set aside for UEs of a cell in each TTI of a period.
/// Gives also, for each UE, those of UEs before it in the same TTI.
pub(super) fn reserved<'a>(
    cell: &CellConfig,
    ues: impl Iterator<Item = &'a Ue>,
) -> (Vec<u16>, Vec<u16>) {
    let Access::Configured { period, resource_blocks } = cell.uplink.access else {
        return (Vec::new(), Vec::new());
    };
    let mut reserved = vec![0u16; usize::try_from(period.max(1)).unwrap_or(usize::MAX)];
    let mut before = Vec::new();
    for ue in ues {
        let all = &mut reserved[(ue.config.offset % period.max(1)) as usize];
        before.push(*all);
        let own = if ue.config.served { resource_blocks } else { 0 };
        *all = all.saturating_add(own);
    }
    (reserved, before)
}

impl Ran {
    /// Begins the rows of grants of a cell's UEs: the first that it could have decided.
    pub(super) fn begin_configured(&mut self, c: usize) {
        let Access::Configured { period, .. } = self.cells[c].config.uplink.access else { return };
        let cell = &self.cells[c];
        let preparation = Time::ZERO + cell.config.timing.data_preparation;
        let decided = cell.steps.uplink(cell.steps.next_decision(Work::Serve(UP), 0));
        let earliest = decided.start.max(cell.config.tti.number_from(preparation));
        for n in 0..self.cells[c].members.len() {
            let ue = self.cells[c].members[n];
            if self.ues[ue.index()].config.served {
                self.expect_configured(ue, earliest, period);
            }
        }
    }

    /// The UE's next grant, from TTI `from` on.
    fn expect_configured(&mut self, ue: UeId, from: u64, period: u64) {
        let c = self.serving(ue).0;
        let offset = self.ues[ue.index()].config.offset;
        let tti = self.cells[c].steps.opportunity(Purpose::UplinkData, from, (offset, period));
        let start = self.cells[c].config.tti.start(tti);
        let due = start.saturating_sub(self.cells[c].config.timing.data_preparation);
        self.schedule(c, due, Job::Configured { ue, tti });
    }

    /// The moment has come to fill the grant for the TTI of number `tti`.
    #[inline(never)]
    pub(super) fn use_configured(&mut self, now: Time, ue: UeId, tti: u64, cx: &mut Cx<'_>) {
        let (c, place) = self.serving(ue);
        let Access::Configured { period, resource_blocks } = self.cells[c].config.uplink.access
        else {
            return;
        };
        self.expect_configured(ue, tti + 1, period);
        self.measure((c, place), UP, now, cx);
        let process = self.cells[c].harq[place].up.uplink_process(tti, self.cells[c].up_processes);
        if let Some(process) = process
            && self.is_connected(ue)
            && self.radio_links.is_up(ue)
            && self.queued(UP, ue, now) > 0
            && self.may_send(c, place, tti)
        {
            let blocks = self.configured_blocks(tti, ue);
            let decided = self.cells[c].decided(tti, UP);
            let scheme = self.cells[c].scheme(decided, (UP, tti), place, &blocks);
            self.fill_block(now, ue, (blocks, scheme), (tti, process), cx);
            return;
        }
        let cell = self.cells[c].id;
        cx.emit(|| Event::Radio(RadioEvent::Unused { cell, ue, direction: UP, resource_blocks }));
    }

    /// Whether the cell has not deactivated the configured grant of a UE for TTI `tti`.
    fn may_send(&self, c: usize, place: usize, tti: u64) -> bool {
        let cell = &self.cells[c];
        !cell.config.uplink.is_sounded(cell.decided(tti, UP)) || cell.links.in_range(UP, place)
    }

    /// Resource blocks set aside in TTI `tti` uplink.
    pub(super) fn reserved_in(&self, c: usize, tti: u64) -> u16 {
        let Cell { reserved, steps, .. } = &self.cells[c];
        match reserved.len() as u64 {
            0 => 0,
            period => {
                let waiting = steps.waiting_for(tti, period);
                let all = waiting.map(|n| reserved[(n % period) as usize]);
                all.fold(0, u16::saturating_add)
            }
        }
    }

    /// Those of them that are the UE's: at the end of the carrier, side by side with those of
    /// other UEs in the same TTI.
    pub(super) fn configured_blocks(&self, tti: u64, ue: UeId) -> ResourceBlocks {
        let (c, place) = self.serving(ue);
        let cell = &self.cells[c];
        let Access::Configured { period, resource_blocks } = cell.config.uplink.access else {
            return ResourceBlocks::EMPTY;
        };
        let (offset, period) = (self.ues[ue.index()].config.offset, period.max(1));
        let mut waiting = cell.steps.waiting_for(tti, period);
        let first = waiting.start;
        let Some(own) = waiting.find(|n| n % period == offset % period) else {
            return ResourceBlocks::EMPTY;
        };
        let earlier = (first..own).map(|n| cell.reserved[(n % period) as usize]);
        let before = earlier.fold(cell.configured_before[place], u16::saturating_add);
        let end = cell.config.resource_blocks.saturating_sub(before);
        ResourceBlocks::range(end.saturating_sub(resource_blocks), resource_blocks)
    }
}
