//! Survey of a UE along its route, before a run: position, serving cell, levels and reach at a time.
//!
//! Simplified: with handover the strongest cell serves at each position, without hysteresis and delay. Without it the
//! cell of the begin serves.

use airpath_base::{Time, UeId};
use airpath_channel::route::Motion;
use airpath_net::Direction;

use super::Ran;
use super::cell::{Cell, links_of};
use super::reach::Reach;
use super::serving::Serving;
use crate::index::UeIndex;

/// A UE at a position of its route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surveyed {
    /// Time since the begin of the run.
    pub at: Time,
    /// Position, and velocity.
    pub motion: Motion,
    /// Number of the serving cell.
    pub cell: usize,
    /// Power of the serving cell in a resource element in dBm (TS 36.214, 5.1.1), without fast fading.
    pub rsrp_dbm: f64,
    /// Ratio in dB of the serving cell to all others and noise, with all sending.
    pub geometry_db: f64,
    /// MCS and rate of the UE alone in its cell, downlink and uplink, with those of further carriers.
    pub reach: [Reach; 2],
}

impl Ran {
    /// The UE at a time; none if it does not move. It takes the state that a run begins with, so no run can follow.
    pub fn survey(&mut self, at: Time, ue: UeId) -> Option<Surveyed> {
        let follows = self.handovers.is_some();
        let mobility = self.mobility.as_mut()?;
        mobility.act(at);
        let motion = mobility.motion(ue)?;
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        let target = if follows { mobility.strongest(ue)? } else { source };
        match target == source {
            true => self.cells[source.index()].restart_links(index),
            false => self.relocate(at, (ue, target)),
        }
        let (rsrp_dbm, geometry_db) = self.mobility.as_ref()?.serving(ue, target)?;
        let cell = &self.cells[target.index()];
        let reach = Direction::ALL.map(|direction| cell.reach(direction, index));
        Some(Surveyed { at, motion, cell: target.index(), rsrp_dbm, geometry_db, reach })
    }
}

impl Cell {
    /// The links of a UE are those of its present position, here and in the further carriers.
    fn restart_links(&mut self, ue: UeIndex) {
        self.meet(ue);
        let own = &self.ues[ue.index()];
        self.links.restart(&self.config, ue, links_of(own, 0, &self.config));
        for (n, cell) in self.secondaries.iter_mut().enumerate() {
            let links = links_of(own, n + 1, &cell.config);
            cell.links.restart(&cell.config, ue, links);
        }
    }
}
