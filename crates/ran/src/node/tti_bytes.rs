//! Bytes that a UE is sent in a TTI over its carriers, where its category limits them.

use airpath_net::Direction;

use super::cell::Cell;
use super::harq::Harq;
use crate::block::{AirSlot, Block};
use crate::index::UeIndex;

const DOWN: Direction = Direction::Downlink;

impl Cell {
    /// True if a block that waits would exceed what the category of its UE allows in a TTI.
    pub fn exceeds_category(&self, block: &Block, slot: AirSlot) -> bool {
        let limit = self.ues[block.ue.index()].tti_limit.as_ref();
        let Some(limit) = limit.filter(|_| slot.direction == DOWN) else { return false };
        // The other codeword that failed goes with it.
        let Harq { down, second, .. } = &self.harq[block.ue.index()];
        let other = [second, down][usize::from(block.transport_block)].waiting(block.process);
        let other = other.filter(|_| block.layers != block.allocation.layers);
        let bytes = block.bytes + other.map_or(0, |key| self.blocks.get(key).bytes);
        !limit.fits(self.starts_at(slot), bytes)
    }

    /// True if the category of a UE allows so many bytes of new data in a TTI downlink.
    pub fn may_have(&self, ue: UeIndex, slot: AirSlot, bytes: u32) -> bool {
        let limit = self.ues[ue.index()].tti_limit.as_ref();
        limit.is_none_or(|limit| bytes <= limit.left(self.starts_at(slot)))
    }

    /// Counts the bytes of a block downlink that is sent.
    pub fn count_bytes(&mut self, key: u32) {
        let Block { ue, direction, tti, bytes, .. } = *self.blocks.get(key);
        if direction == DOWN && self.ues[ue.index()].tti_limit.is_some() {
            let start = self.starts_at(AirSlot { direction, tti });
            let limit = self.ues[ue.index()].tti_limit.as_mut();
            limit.into_iter().for_each(|limit| limit.send(start, bytes));
        }
    }

    /// A block downlink has waited to be sent again, and waits no longer.
    pub fn wait_no_longer(&mut self, key: u32) {
        let Block { ue, direction, bytes, .. } = *self.blocks.get(key);
        if let (Direction::Downlink, Some(limit)) = (direction, &mut self.ues[ue.index()].tti_limit)
        {
            limit.resume(bytes);
        }
    }
}
