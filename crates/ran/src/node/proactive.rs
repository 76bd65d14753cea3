//! Proactive grants: a UE without a grant for a time gets one without a scheduling request.
//!
//! - The cell looks at each uplink TTI when it decides that TTI.
//! - A UE that is known to have data is granted by its report, and needs no proactive grant.
//! - A UE without data fills the grant with padding (TS 38.321, 5.4.3.1.3).
//! - A secondary cell has none.

use airpath_base::Time;
use airpath_net::Direction;

use super::cell::Cell;
use super::steps::Work;
use crate::config::ProactiveGrants;
use crate::index::UeIndex;

impl Cell {
    /// The proactive grants of a primary cell.
    fn proactive(&self) -> Option<ProactiveGrants> {
        self.config.uplink.proactive.filter(|_| self.secondary.is_none())
    }

    /// Wants a decision for the next uplink TTI, if that may have a proactive grant.
    pub fn want_proactive(&mut self, now: Time) {
        if self.proactive().is_some() && !self.ues.is_empty() {
            self.want(Work::Serve(Direction::Uplink), now);
        }
    }

    /// Counts a UE whose last grant is a period before TTI `tti` as one with as much data as a proactive grant.
    pub fn grant_proactively(&mut self, tti: u64) {
        let Some(ProactiveGrants { period, bytes }) = self.proactive() else { return };
        for ue in UeIndex::all(self.ues.len()) {
            let state = &self.ues[ue.index()].uplink;
            let is_due = state.last_granted.is_none_or(|last| last + period <= tti);
            if is_due && state.reported.all() == 0 && self.is_connected(ue) {
                self.set_reported(ue, |state| state.reported.raise(bytes));
            }
        }
    }
}
