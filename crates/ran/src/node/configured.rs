//! Grants that a UE has without asking, once a period.
//!
//! A grant is for one TTI of the uplink. The UE fills it `data_preparation` before, if it
//! has data; the cell leaves its resource blocks out of what it grants otherwise, used or
//! not. If the UE has to send something else in that TTI (what it was granted after a
//! report, or again what failed), that takes the place (TS 38.321, 5.4.1).

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::uplink::next_opportunity;
use super::{Job, Ran};
use crate::config::{Access, CellConfig};
use crate::ue::Ue;

const UP: Direction = Direction::Uplink;

/// Resource blocks that are set aside in each TTI of a period.
pub(super) fn reserved(cell: &CellConfig, ues: &[Ue]) -> Vec<u16> {
    let Access::Configured { period, resource_blocks } = cell.uplink.access else {
        return Vec::new();
    };
    let mut reserved = vec![0u16; usize::try_from(period.max(1)).unwrap_or(usize::MAX)];
    for ue in ues {
        let at = (ue.config.offset % period.max(1)) as usize;
        reserved[at] = reserved[at].saturating_add(resource_blocks);
    }
    reserved
}

impl Ran {
    /// Begins each UE's row of grants: the first that the cell could have decided.
    pub(super) fn begin_configured(&mut self) {
        let Access::Configured { period, .. } = self.cell.config.uplink.access else { return };
        let preparation = Time::ZERO + self.cell.config.timing.data_preparation;
        let earliest =
            self.cell.on_air(Time::ZERO, UP).max(self.cell.config.tti.number_from(preparation));
        for (n, ue) in
            (0..).zip(&self.ues).map(|(n, ue)| (UeId(n), ue.config.offset)).collect::<Vec<_>>()
        {
            self.expect_configured(n, next_opportunity(earliest, ue, period));
        }
    }

    fn expect_configured(&mut self, ue: UeId, tti: u64) {
        let start = self.cell.config.tti.start(tti);
        let due = start.saturating_sub(self.cell.config.timing.data_preparation);
        self.schedule(due, Job::Configured { ue, tti });
    }

    /// The moment has come to fill the grant for the TTI of number `tti`.
    #[inline(never)]
    pub(super) fn use_configured(&mut self, now: Time, ue: UeId, tti: u64, cx: &mut Cx<'_>) {
        let Access::Configured { period, resource_blocks } = self.cell.config.uplink.access else {
            return;
        };
        self.expect_configured(ue, tti + period.max(1));
        let free = self.harq[ue.index()].up.can_grant(tti, self.cell.processes(UP));
        if free && self.is_connected(ue) && self.queued(UP, ue, now) > 0 {
            self.fill_block(now, ue, resource_blocks, tti, cx);
            return;
        }
        let cell = CellId(0);
        cx.emit(|| Event::Radio(RadioEvent::Unused { cell, ue, direction: UP, resource_blocks }));
    }

    /// Resource blocks set aside in TTI `tti` uplink.
    pub(super) fn reserved_in(&self, tti: u64) -> u16 {
        match self.cell.reserved.len() as u64 {
            0 => 0,
            period => self.cell.reserved[(tti % period) as usize],
        }
    }

    /// Those of them that are the UE's.
    pub(super) fn configured_share(&self, tti: u64, ue: UeId) -> u16 {
        match self.cell.config.uplink.access {
            Access::Configured { period, resource_blocks } => {
                let offset = self.ues[ue.index()].config.offset;
                let own = tti % period.max(1) == offset % period.max(1);
                if own { resource_blocks } else { 0 }
            }
            _ => 0,
        }
    }
}
