//! Links of UEs that move.

use super::{Headroom, Links, UP};
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
}
