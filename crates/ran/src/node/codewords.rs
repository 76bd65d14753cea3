//! Two transport blocks of a UE in a TTI of LTE downlink: codewords on layers of the same resource blocks.
//!
//! - Both are of one HARQ process (TS 36.321, 5.3.2.1; TS 36.212, 5.3.3.1.5). Each has its MCS, its ACK and
//!   its retransmissions.
//! - Blocks that failed together are sent again together, on the same layers.
//! - One that failed alone is sent again with new data as the other, where the last report allows as many
//!   layers. Else it is alone on its own layers, which then have all of the power.
//! - A block that was once alone stays alone. Alone it is codeword 0 (TS 36.212, table 5.3.3.1.5-2).

use airpath_net::Direction;

use super::cell::Cell;
use super::common::Moment;
use crate::block::{AirSlot, Block, Plan};
use crate::rates::Scheme;

const DOWN: Direction = Direction::Downlink;

impl Cell {
    /// Fills the two blocks of a plan. Data that fit one block are sent alone, on the layers of that block.
    pub fn send_two(&mut self, plan: Plan, at: &mut Moment<'_, '_>) {
        let layers = plan.scheme.layers;
        let codewords = self.config.technology_in(DOWN).codewords(layers);
        let missed = self.misses_grant(plan.ue, plan.slot, plan.process, at.common);
        let mut blocks = Vec::with_capacity(codewords.len());
        for (scheme, codeword) in plan.scheme.each().zip(codewords) {
            let Some(filled) = self.fill(plan.ue, scheme.bytes, at) else { break };
            let block = Block::new(Plan { scheme, ..plan }, filled).codeword(*codeword);
            let block = Block { missed, ..block };
            self.report_made(&block, at);
            blocks.push(block);
        }
        if let [alone] = &mut blocks[..] {
            alone.allocation.layers = alone.layers;
        }
        let sends = !blocks.is_empty();
        blocks.into_iter().for_each(|block| self.send_made(block, at));
        if sends {
            self.sends_to(plan.ue, at);
        }
    }

    /// Sends one of two blocks again in TTI `tti`, with the other one or with new data.
    pub fn resend_codeword(&mut self, key: u32, tti: u64, at: &mut Moment<'_, '_>) {
        let Block { ue, process, transport_block, allocation, missed, .. } = *self.blocks.get(key);
        let other = self.harq[ue.index()].entity_mut(DOWN, 1 - transport_block);
        if let Some(other) = other.waiting(process) {
            self.failed[DOWN as usize].retain(|(_, waiting)| *waiting != other);
            let block = self.blocks.get_mut(other);
            (block.allocation, block.missed) = (allocation, missed);
            self.resend(key, tti, at);
            return self.resend(other, tti, at);
        }
        let new = self.new_data_beside(key, tti, at);
        if new.is_none() {
            let block = self.blocks.get_mut(key);
            (block.first_layer, block.allocation.layers) = (0, block.layers);
        }
        self.resend(key, tti, at);
        if let Some(block) = new {
            self.means[DOWN as usize].serve(ue, f64::from(block.bytes));
            self.send_first(block, at);
            self.sends_to(ue, at);
            self.bearers_used(ue);
        }
    }

    /// New data as the other codeword beside a block that is sent again in TTI `tti`.
    fn new_data_beside(&mut self, key: u32, tti: u64, at: &mut Moment<'_, '_>) -> Option<Block> {
        let block = self.blocks.get(key);
        let (ue, process, allocation, missed) =
            (block.ue, block.process, block.allocation, block.missed);
        let (other, layers) = (1 - block.transport_block, allocation.layers);
        let slot = AirSlot { direction: DOWN, tti };
        let room = (DOWN, allocation.symbols);
        let is_idle = self.harq[ue.index()].entity_mut(DOWN, other).is_idle(process);
        let most = self.links.layers_in(room, ue, allocation.blocks.count());
        if !is_idle || most < layers || !self.links.in_range(DOWN, ue) {
            return None;
        }
        let codeword = self.config.technology_in(DOWN).codewords(layers)[usize::from(other)];
        let coded = self.links.coded((room, layers), ue, codeword, &allocation.blocks);
        if !self.may_have(ue, slot, coded.bytes) {
            return None;
        }
        let scheme = Scheme { mcs: coded.mcs, bytes: coded.bytes, layers, second: None };
        let plan = Plan { ue, slot, process, allocation, scheme };
        let block = Block::new(plan, self.fill(ue, scheme.bytes, at)?);
        Some(Block { missed, ..block.codeword(codeword) })
    }
}

#[cfg(test)]
#[path = "codewords_tests.rs"]
mod tests;
