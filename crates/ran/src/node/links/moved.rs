//! Links of UEs that move.

use airpath_net::Direction;

use super::{Expected, Headroom, Links, Quality, UP};
use crate::config::CellConfig;
use crate::index::UeIndex;

impl Links {
    /// A measured link has the most power uplink in another number of resource blocks from now on.
    pub fn set_full_power(&mut self, ue: UeIndex, full_power: f32) {
        self.quality[UP as usize][ue.index()].full_power = full_power;
        let own = &mut self.headroom[ue.index()];
        let limited = full_power < f32::from(self.carrier);
        match own {
            Some(own) if limited => return own.set_full_power(full_power.into()),
            None if !limited => return,
            _ => *own = Headroom::of(full_power.into(), self.carrier),
        }
        self.follow_headroom(ue);
    }

    /// A UE of a network comes to the cell, which has no report of its link: the expected one counts.
    pub fn restart(&mut self, cell: &CellConfig, ue: UeIndex, expected: [Expected; 2]) {
        for (direction, expected) in Direction::ALL.into_iter().zip(&expected) {
            let quality = Quality::of(cell, direction, expected);
            for (stream, own) in self.prediction[direction as usize].iter_mut().enumerate() {
                own.restart(ue, quality.levels_db[stream]);
            }
            self.quality[direction as usize][ue.index()] = quality;
        }
        self.headroom[ue.index()] =
            Headroom::of_link(cell, &expected[UP as usize], &self.tables.rates);
        self.begin(ue);
    }
}
