//! UEs whose HARQ processes limit them.
//!
//! A UE stalls in a TTI if it has data, resource blocks are left, and each of its HARQ processes is busy. It
//! is in range, sends or gets no other block in that TTI, and the control channel has elements left.
//!
//! Left out: HARQ whose processes follow from the round trip, which `cell.harq.processes` does not set.

use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::cell::Cell;
use crate::block::AirSlot;
use crate::config::HarqConfig;

impl Cell {
    /// Reports the UEs that stall in a TTI on the air with so many resource blocks left.
    pub fn report_stalls(
        &mut self,
        AirSlot { direction, tti }: AirSlot,
        left: u16,
        cx: &mut Cx<'_>,
    ) {
        if self.stalled.is_empty() {
            return;
        }
        let fewest = match direction {
            Direction::Downlink => 1,
            Direction::Uplink => self.config.uplink.min_resource_blocks.max(1),
        };
        let room = left >= fewest && self.control.left(direction) != Some(0);
        let Cell { stalled, config, harq, links, ues, .. } = self;
        let by_number = matches!(config.harq, HarqConfig::Asynchronous { .. });
        for ue in stalled.drain(..).filter(|_| room && by_number) {
            let own = &harq[ue.index()];
            let uses = match direction {
                Direction::Downlink => own.down.sends(tti) || own.second.sends(tti),
                Direction::Uplink => own.up.uses(tti),
            };
            if !uses && links.in_range(direction, ue) {
                let (cell, ue) = (self.id, ues[ue.index()].id);
                cx.emit(|| Event::Radio(RadioEvent::Stalled { cell, ue, direction }));
            }
        }
    }
}
