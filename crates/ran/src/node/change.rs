//! Changes of a cell while the network runs.
//!
//! - The SNR of a UE whose link is fixed counts at once: for receptions from then on, also of blocks
//!   that were decided for another SNR, and for decisions. The cell knows it at once, as it knows
//!   fixed links from the beginning. A link of a network follows from the position at which its UE
//!   was dropped.
//! - Queues and markers of bearers change as their kinds do; packets that wait stay.
//! - A full buffer that is paused has no data; bytes of it that are in blocks still arrive.

use airpath_base::Db;
use airpath_net::{ChangeError, Direction};

use super::cell::Cell;
use super::common::Moment;
use super::events::report_range;
use crate::air::Link;
use crate::index::{BearerIndex, UeIndex};

impl Cell {
    /// Changes the SNR of a UE's fixed link in a direction.
    ///
    /// # Errors
    ///
    /// If the link is one of a network.
    pub fn change_snr(
        &mut self,
        index: UeIndex,
        direction: Direction,
        snr: Db,
        at: &mut Moment<'_, '_>,
    ) -> Result<(), ChangeError> {
        let ue = &mut self.ues[index.index()];
        let Link::Fixed { downlink, uplink, full_power } = &mut ue.config.link else {
            let why = "has links that follow from where UEs were dropped, and no SNR to set";
            return Err(ChangeError::new(why));
        };
        let ratio = snr.linear();
        match direction {
            Direction::Downlink => *downlink = ratio,
            Direction::Uplink => (*uplink, *full_power) = (ratio, f64::INFINITY),
        }
        ue.full_power = *full_power;
        ue.power.take_if(|_| direction == Direction::Uplink);
        ue.expected[direction as usize] = ratio;
        if let Some(range) = self.links.fix(&self.config, direction, index, ratio) {
            report_range(ue.id, direction, range, at.cx);
        }
        self.for_each_secondary(|cell| cell.fix_link(direction, index, ratio));
        self.arm_link(at.now, index);
        Ok(())
    }

    /// Pauses a full buffer, or lets it go on.
    ///
    /// # Errors
    ///
    /// If the bearer has none in this direction.
    pub fn pause_full_buffer(
        &mut self,
        ue: UeIndex,
        own: BearerIndex,
        (direction, pause): (Direction, bool),
        at: &mut Moment<'_, '_>,
    ) -> Result<(), ChangeError> {
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        let full = bearer.config.full_buffers[direction as usize];
        let full = full.ok_or_else(|| ChangeError::new("has no full buffer there"))?;
        if std::mem::replace(&mut bearer.paused[direction as usize], pause) != pause {
            let is_on = full.start <= at.now && full.stop.is_none_or(|stop| at.now < stop);
            let flow = Some(full.flow).filter(|_| is_on);
            self.set_full_buffer(ue, own, (direction, flow), at);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
