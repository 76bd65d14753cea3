//! UEs that move: at an instant first they do, then all else happens.
//!
//! The cell of a UE learns at once how many resource blocks its power suffices for, as it does at the beginning. Rates
//! follow with measurements.

use airpath_base::Time;
use airpath_net::{Cx, Direction};

use super::Ran;
use super::cell::Cell;
use super::handovers::Handovers;
use super::serving::Serving;
use crate::air::Link;
use crate::config::Frequency;
use crate::index::UeIndex;
use crate::mobility::Mobility;

impl Ran {
    /// Moves UEs from now on. To be done before the run begins.
    pub fn set_mobility(&mut self, mut mobility: Mobility) {
        let frequencies = self.cells.iter().map(|cell| cell.config.frequency);
        if let Some(cells) = frequencies.collect::<Option<Vec<Frequency>>>() {
            let offsets = self.handovers.as_ref().map_or(Vec::new(), Handovers::carrier_offsets);
            let serving = self.serving.iter().map(|serving| serving.cell).collect();
            mobility.follow_cells(cells, offsets, serving);
        }
        self.mobility = Some(mobility);
    }

    /// The next instant at which UEs move.
    pub(super) fn next_move(&self) -> Option<Time> {
        self.mobility.as_ref().map(Mobility::next)
    }

    /// Moves the UEs, if it is time.
    pub(super) fn move_ues(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(mobility) = self.mobility.as_mut().filter(|own| own.next() <= now) else { return };
        for id in mobility.act(now) {
            let Serving { cell, ue } = self.serving[id.index()];
            self.cells[cell.index()].moved(ue);
        }
        mobility.report(now, cx);
    }
}

impl Cell {
    /// Takes over the power and the expected ratios of a UE that has moved.
    fn moved(&mut self, index: UeIndex) {
        let ue = &mut self.ues[index.index()];
        let Link::Network(channel) = &ue.config.link else { return };
        ue.expected = Direction::ALL.map(|direction| channel.expected_sinr(ue.id, direction));
        let full_power = channel.full_power(ue.id);
        ue.full_power = full_power.into();
        self.links.set_full_power(index, full_power);
        for n in 0..self.secondaries.len() {
            let full_power = self.ues[index.index()].carrier(n + 1).full_power;
            self.secondaries[n].set_full_power(index, full_power);
        }
    }
}
