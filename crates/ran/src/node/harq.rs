//! Transport blocks on the air: their first transmission, decoding and feedback, and what is
//! sent again.

use airpath_base::{Duration, Time};
use airpath_net::Direction;
use airpath_net::layers::LayerEvent;

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use super::steps::Work;
use crate::air::{Link, OnAir, Sent};
use crate::block::{AirSlot, Block};
use crate::config::{Access, CellConfig, HarqConfig};
use crate::duplex::Duplex;
use crate::harq::{Entity, OfTti, UplinkProcesses};
use crate::index::UeIndex;
use crate::mac::{Placement, ResourceAllocation, ResourceBlocks, allocate};
use crate::ue::{Ue, UeSet};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// HARQ of a UE.
#[derive(Clone, Debug, Default)]
pub(super) struct Harq {
    pub down: Entity,
    pub up: Entity,
    /// Second transport blocks of the processes downlink.
    pub second: Entity,
}

impl Harq {
    /// Processes with the first or second transport blocks in a direction.
    pub fn entity_mut(&mut self, direction: Direction, transport_block: u8) -> &mut Entity {
        match (direction, transport_block) {
            (Direction::Downlink, 0) => &mut self.down,
            (Direction::Downlink, _) => &mut self.second,
            (Direction::Uplink, _) => &mut self.up,
        }
    }

    /// True if a block is sent in TTI `tti`.
    fn sends(&mut self, direction: Direction, tti: u64) -> bool {
        let second = direction == DOWN && self.second.sends(tti);
        second || self.entity_mut(direction, 0).sends(tti)
    }

    /// Downlink process for new blocks in TTI `tti` on the air ([`Entity::free_process`]).
    pub fn free_downlink(
        &self,
        tti: u64,
        processes: u64,
        is_free: impl Fn(u64) -> bool,
    ) -> Option<u16> {
        match self.second.is_unused() {
            true => self.down.free_process(tti, processes, is_free),
            false => self.down.free_process_beside(&self.second, (tti, processes), is_free),
        }
    }
}

/// The processes of a UE, downlink and uplink.
///
/// With synchronous HARQ downlink as many as keep it busy until the first is free again;
/// uplink the number is the round trip. With a configuration of LTE they are those of its tables.
pub(super) fn processes(config: &CellConfig) -> (u64, UplinkProcesses) {
    match config.harq {
        HarqConfig::Synchronous => {
            let [down, up] = config.duplex.processes().unwrap_or_else(|| round_trips(config));
            (down, UplinkProcesses::Synchronous(up))
        }
        HarqConfig::Asynchronous { processes } => {
            (u64::from(processes), UplinkProcesses::Asynchronous(processes))
        }
    }
}

/// TTIs from a transmission to the next of its process, downlink and uplink, with frequency
/// division duplex and synchronous HARQ. Where that would be before the UE has used its grant,
/// or knows whether to send the block again, it is longer than configured.
pub(super) fn round_trips(config: &CellConfig) -> [u64; 2] {
    let (tti, timing) = (config.tti, &config.timing);
    let whole = |span: Duration| tti.number(Time::ZERO + span);
    let begun = |span: Duration| tti.number_from(Time::ZERO + span);
    let round_trip = whole(timing.harq_round_trip).max(1);
    let feedback = timing.downlink_preparation + tti.length() + timing.downlink_processing;
    let received = timing.uplink_transmission + timing.uplink_processing;
    let decoding = timing.grant_transmission + timing.grant_decoding;
    let filling = timing.grant_to_transmission.saturating_sub(decoding);
    // Decisions of an instant come after the feedback of that instant. A UE fills a block perhaps
    // before it.
    let up = match config.uplink.access {
        Access::Instant => begun(received + timing.data_preparation),
        Access::Configured { .. } => whole(received + filling.max(timing.data_preparation)) + 1,
        Access::SchedulingRequest { .. } | Access::Reported { .. } => whole(received + filling) + 1,
    };
    let used = begun(timing.grant_preparation + decoding);
    [round_trip.max(begun(feedback)), round_trip.max(up).max(used)]
}

/// The rings of transmissions on the air by carrier, if a UE's link is of a network. They are deep enough
/// for transmissions that are decided, that are not decoded yet, and that may still be measured.
pub(super) fn on_air(cells: &[Cell]) -> Vec<OnAir> {
    let in_network = |ue: &Ue| matches!(ue.config.link, Link::Network(_));
    if !cells.iter().flat_map(|cell| &cell.ues).any(in_network) {
        return Vec::new();
    }
    let all = || cells.iter().chain(cells.iter().flat_map(|cell| &cell.secondaries));
    let carriers = all().map(Cell::air_index).max().unwrap_or(0);
    let sites = all().map(|cell| cell.site().index() + 1).max().unwrap_or(0);
    let of = |n: usize| all().filter(|cell| cell.air_index() == n).collect::<Vec<&Cell>>();
    (0..=carriers).map(|n| on_air_of(&of(n), sites)).collect()
}

/// The ring of a carrier that so many cells may have.
fn on_air_of(own: &[&Cell], cells: usize) -> OnAir {
    let depth = |cell: &&Cell| cell.in_flight() + cell.links.memory() + cell.steps.period();
    let depth = own.iter().map(depth);
    let carrier = own.iter().map(|cell| cell.config.resource_blocks);
    let layers = own.iter().map(|cell| cell.config.layers[DOWN as usize]).max();
    OnAir::new(cells, carrier.max().unwrap_or(0), depth.max().unwrap_or(1))
        .layered(layers.unwrap_or(1))
}

impl Cell {
    /// TTIs from the decision of a transmission until it has been decoded.
    fn in_flight(&self) -> u64 {
        let timing = &self.config.timing;
        let up = timing.uplink_transmission + timing.uplink_processing;
        let down = self.config.tti.length() + timing.downlink_processing;
        let decoding = self.config.tti.number_from(Time::ZERO + up.max(down));
        self.steps.longest_lead() + decoding + 2
    }

    /// The UEs that have something as far as the cell knows.
    pub fn having(&mut self, direction: Direction) -> &mut UeSet {
        match direction {
            Direction::Downlink => &mut self.backlogged,
            Direction::Uplink => &mut self.reported,
        }
    }

    /// The next TTI of the process of TTI `tti`, if HARQ is synchronous in a direction.
    pub fn synchronous(&self, AirSlot { direction, tti }: AirSlot) -> Option<u64> {
        match (direction, self.up_processes) {
            (Direction::Uplink, UplinkProcesses::Synchronous(count)) => {
                Some(self.steps.again_uplink(tti, count))
            }
            _ => None,
        }
    }

    /// True if each retransmission in a direction needs an assignment or a grant.
    fn assigns(&self, direction: Direction) -> bool {
        let instant = self.config.uplink.access == Access::Instant;
        let asynchronous = matches!(self.up_processes, UplinkProcesses::Asynchronous(_));
        direction == DOWN || asynchronous && !instant
    }

    /// The `n`th failed block, if it may be sent again by now.
    fn failed_by(&self, direction: Direction, now: Time, n: usize) -> Option<u32> {
        let (ready, key) = self.failed[direction as usize].get(n)?;
        (*ready <= now).then_some(*key)
    }

    /// Keeps a failed block until a decision at `ready` may send it again, behind those that
    /// may be sent no later.
    pub fn await_tti(&mut self, direction: Direction, ready: Time, key: u32) {
        let queue = &mut self.failed[direction as usize];
        let behind = queue.partition_point(|(earlier, _)| *earlier <= ready);
        queue.insert(behind, (ready, key));
        self.want(Work::Serve(direction), ready);
    }

    /// Asks for a decision when the first of the failed blocks may be sent again.
    pub fn want_for_failed(&mut self, direction: Direction, now: Time) {
        if let Some((ready, _)) = self.failed[direction as usize].front() {
            self.want(Work::Serve(direction), now.max(*ready));
        }
    }

    /// Time of the decision about a TTI on the air.
    pub fn decided(&self, slot: AirSlot) -> Time {
        self.config.tti.start(self.steps.decided(slot.tti, slot.direction))
    }

    /// Begin of a transmission in a TTI on the air.
    pub fn starts_at(&self, slot: AirSlot) -> Time {
        let lead = match slot.direction {
            Direction::Downlink => self.config.timing.downlink_preparation,
            Direction::Uplink => uplink_lead(&self.config),
        };
        match self.config.duplex {
            Duplex::Fdd => self.decided(slot) + lead,
            Duplex::Tdd(_) => self.config.tti.start(slot.tti),
        }
    }

    /// Time at which a transmission in a TTI on the air has been received and decoding has been
    /// tried.
    pub fn decoded_at(&self, slot: AirSlot) -> Time {
        let timing = &self.config.timing;
        let rest = match slot.direction {
            Direction::Downlink => self.config.tti.length() + timing.downlink_processing,
            Direction::Uplink => timing.uplink_transmission + timing.uplink_processing,
        };
        self.starts_at(slot) + rest
    }
}

/// From a decision about the uplink to its transmission.
pub(super) fn uplink_lead(config: &CellConfig) -> Duration {
    let timing = &config.timing;
    match config.uplink.access {
        Access::Instant => timing.data_preparation,
        _ => timing.grant_preparation + timing.grant_to_transmission,
    }
}

impl Cell {
    /// Gives a new block to its HARQ process and sends it.
    #[inline]
    pub fn send_first(&mut self, block: Block, at: &mut Moment<'_, '_>) {
        self.report_made(&block, at);
        self.send_made(block, at);
    }

    /// Reports that a block has been made of the PDUs since the one before.
    pub fn report_made(&self, block: &Block, at: &mut Moment<'_, '_>) {
        let Block { ue, direction, process, transport_block, .. } = *block;
        at.cx.tell_layer(|| LayerEvent::Block {
            cell: self.id,
            ue: self.ues[ue.index()].id,
            direction,
            process,
            transport_block,
            bytes: block.bytes,
            report: block.report.map(|report| report.as_made()),
        });
    }

    /// Sends a new block that has been reported.
    pub fn send_made(&mut self, block: Block, at: &mut Moment<'_, '_>) {
        let Block { ue, direction, process, tti, transport_block, .. } = block;
        let key = self.blocks.insert(block);
        let entity = self.harq[ue.index()].entity_mut(direction, transport_block);
        self.blocks.get_mut(key).new_data = entity.begin(process, tti, key);
        self.transmit(key, at);
        self.send_power(at.now, key);
        self.count_bytes(key);
        self.count_exposed(key);
        let received = self.decoded_at(AirSlot { direction, tti }).max(at.now);
        self.jobs.push(received, Job::Decode { block: key });
        self.carries_block(received, ue);
        // A grant uplink counted when it was given.
        if direction == DOWN || self.config.uplink.access == Access::Instant {
            self.assign(at.now, ue);
        }
        self.report_sent(key, received, at.cx);
    }

    /// Sends again in a TTI on the air what failed and has waited its round trip; gives the
    /// resource blocks that are left of `free`. Retransmissions go first, with as many resource
    /// blocks as before (with groups perhaps more, to fill them). A UE's own resource blocks that
    /// are set aside in this TTI are the first it uses, so that it may have two clusters (TS
    /// 36.213, 8.1.2).
    #[inline(always)]
    pub fn send_again(
        &mut self,
        slot: AirSlot,
        free: ResourceBlocks,
        at: &mut Moment<'_, '_>,
    ) -> ResourceBlocks {
        match self.failed[slot.direction as usize].is_empty() {
            true => free,
            false => self.send_failed(slot, free, at),
        }
    }

    #[inline(never)]
    fn send_failed(
        &mut self,
        slot: AirSlot,
        mut free: ResourceBlocks,
        at: &mut Moment<'_, '_>,
    ) -> ResourceBlocks {
        let AirSlot { direction, tti } = slot;
        let symbols = self.steps.symbols(tti, direction);
        let format = self.config.format(direction);
        let mut n = 0;
        while let Some(key) = self.failed_by(direction, at.now, n) {
            let block = self.blocks.get(key);
            let (ue, resource_blocks) = (block.ue, block.resource_blocks_in(symbols, &format));
            let process = OfTti::One(block.process);
            let of_another = direction == UP
                && matches!(self.up_processes, UplinkProcesses::Synchronous(_))
                && self.steps.processes(tti, self.up_processes) != process;
            let sends = self.misses(slot, ue) || self.harq[ue.index()].sends(direction, tti);
            let exceeds = self.exceeds_category(block, slot);
            if sends || of_another || exceeds || resource_blocks > self.config.resource_blocks {
                // A TTI has one block of a UE, and none in a gap. With synchronous HARQ it is of its own
                // process, and with other carriers no more than its category allows. A special slot may
                // be too small for a block. This one waits for another TTI.
                n += 1;
                continue;
            }
            let elements = self.links.control_elements(ue);
            let assigned = self.assigns(direction);
            if assigned && !self.control.has(elements, self.ues[ue.index()].id, direction) {
                n += 1; // another may need fewer elements
                continue;
            }
            let found = self.allocate_again(slot, ue, resource_blocks, &free);
            let again = self.synchronous(slot);
            if found.is_none() && again.is_none() {
                break;
            }
            self.failed[direction as usize].remove(n);
            let Some(blocks) = found else {
                // Its process comes round again a round trip later.
                let next = AirSlot { direction: UP, tti: again.unwrap_or(tti + 1) };
                self.await_tti(direction, self.decided(next), key);
                continue;
            };
            if assigned {
                self.control.take(u16::from(elements), direction);
            }
            free = free.without(&blocks);
            self.repeat((key, slot), (blocks, symbols), assigned, at);
        }
        free
    }

    /// Sends a block again in these resource blocks and symbols, with an assignment or without.
    fn repeat(
        &mut self,
        (key, slot): (u32, AirSlot),
        (blocks, symbols): (ResourceBlocks, u8),
        assigned: bool,
        at: &mut Moment<'_, '_>,
    ) {
        let Block { ue, process, .. } = *self.blocks.get(key);
        let missed = assigned && self.misses_grant(ue, slot, process, at.common);
        let allocation = match slot.direction {
            Direction::Downlink => ResourceAllocation::first_symbols(blocks, symbols),
            Direction::Uplink => ResourceAllocation::last_symbols(blocks, symbols),
        };
        let block = self.blocks.get_mut(key);
        block.allocation = allocation.layered(block.allocation.layers);
        (block.missed, block.paired) = (missed, None);
        match block.layers == block.allocation.layers {
            true => self.resend(key, slot.tti, at),
            false => self.resend_codeword(key, slot.tti, at),
        }
    }

    /// Resource blocks of a retransmission, if there are enough.
    fn allocate_again(
        &self,
        slot: AirSlot,
        ue: UeIndex,
        count: u16,
        free: &ResourceBlocks,
    ) -> Option<ResourceBlocks> {
        let carrier = self.config.resource_blocks;
        if slot.direction == DOWN {
            return allocate(self.placement, free, count, carrier);
        }
        let own = self.configured_blocks(slot.tti, ue).lowest(count);
        let needed = count - own.count();
        // Retransmissions leave one piece, unless they have their own resource blocks besides.
        let more = free
            .contiguous(needed)
            .or_else(|| allocate(Placement::Blocks, free, needed, carrier))?;
        Some(own.with(&more))
    }

    pub fn resend(&mut self, key: u32, tti: u64, at: &mut Moment<'_, '_>) {
        let block = self.blocks.get_mut(key);
        block.tti = tti;
        let Block { ue, direction, process, transport_block, .. } = *block;
        self.harq[ue.index()].entity_mut(direction, transport_block).resend(process, tti, key);
        self.transmit(key, at);
        self.send_power(at.now, key);
        self.wait_no_longer(key);
        self.count_bytes(key);
        self.count_exposed(key);
        let received = self.decoded_at(AirSlot { direction, tti });
        self.jobs.push(received, Job::Decode { block: key });
        if self.assigns(direction) {
            self.assign(at.now, ue);
        }
        if direction == DOWN {
            self.resume_monitoring(at.now, ue, at.cx);
        }
        self.report_sent(key, received, at.cx);
    }

    /// A transmission has been received: decoded, to be sent again, or given up.
    #[inline(always)]
    pub fn decode(&mut self, key: u32, at: &mut Moment<'_, '_>) {
        let decoded = !self.was_missed(key, at) && self.is_decoded(key, at);
        let block = self.blocks.get_mut(key);
        let most = self.config.max_transmissions;
        if !decoded && block.attempt + 1 < most && !block.pdus.is_empty() {
            block.attempt += 1;
            return self.await_retransmission(key, at);
        }
        let block = self.blocks.remove(key);
        let Block { ue, direction, transport_block, .. } = block;
        self.harq[ue.index()].entity_mut(direction, transport_block).end(block.process);
        self.ends_block(block.ue);
        match decoded {
            true => self.accept(block, at),
            false => self.give_up(block, at),
        }
    }

    /// A block that failed is sent again a round trip after its last transmission, with
    /// synchronous HARQ uplink exactly so, downlink not before. With asynchronous HARQ uplink it
    /// is granted again as soon as may be.
    #[cold]
    fn await_retransmission(&mut self, key: u32, at: &mut Moment<'_, '_>) {
        let block = self.blocks.get(key);
        let Block { ue, direction, process, tti, transport_block, .. } = *block;
        self.harq[ue.index()].entity_mut(direction, transport_block).wait(process, key);
        let bytes = block.bytes;
        if let (Direction::Downlink, Some(limit)) = (direction, &mut self.ues[ue.index()].tti_limit)
        {
            limit.wait(bytes);
        }
        let next = match direction {
            Direction::Downlink => Some(self.steps.again(tti)),
            Direction::Uplink => {
                self.synchronous(AirSlot { direction, tti }).map(|tti| self.again_outside(ue, tti))
            }
        };
        let ready = match next {
            Some(tti) => {
                let decided = self.decided(AirSlot { direction, tti });
                if direction == UP && decided < at.now {
                    return self.resend_in_granted_tti(key, tti, at);
                }
                decided.max(at.now)
            }
            None => at.now,
        };
        self.await_tti(direction, ready, key);
    }

    /// Sends a block uplink again in a TTI that has been decided already: feedback may come after
    /// the cell has granted that TTI. A grant of the UE for it is void.
    /// The block is sent in the same resource blocks as before (TS 36.213, 8.0), which are
    /// taken off the next decision.
    fn resend_in_granted_tti(&mut self, key: u32, tti: u64, at: &mut Moment<'_, '_>) {
        let block = self.blocks.get(key);
        let (ue, resource_blocks) = (block.ue, block.resource_blocks());
        let void = self.harq[ue.index()].up.take_grant(tti);
        let freed = void.map_or(0, |(_, grant)| self.withdraw(at.now, ue, grant));
        self.resend(key, tti, at);
        let next = self.config.tti.number_from(at.now);
        let (of, debt) = self.retransmission_debt;
        let debt = if of == next { debt } else { 0 };
        let more = resource_blocks.saturating_sub(freed);
        self.retransmission_debt = (next, debt.saturating_add(more));
    }

    /// Puts a block on the air, for the receivers of a network.
    #[inline]
    fn transmit(&mut self, key: u32, at: &mut Moment<'_, '_>) {
        if at.common.air.is_empty() {
            return;
        }
        let Block { ue, direction, tti, allocation, missed, first_layer, .. } =
            *self.blocks.get(key);
        if missed && direction == UP || first_layer > 0 {
            return; // the UE does not know that it should send, or the first codeword counts
        }
        let index = ue;
        let ue = &self.ues[ue.index()];
        let Some(channel) = ue.channel(self.carrier_index()) else { return };
        let (ue, blocks, layers) = (ue.id, allocation.blocks, allocation.layers);
        let slot = AirSlot { direction, tti };
        let power = channel.power(ue, self.site(), direction, blocks.count());
        let Some(paired) = &self.blocks.get(key).paired else {
            return self.sent.push((slot, Sent { ue, blocks, power, layers }));
        };
        for (count, blocks) in paired.by_ues(index) {
            self.sent.push((slot, Sent { ue, blocks, power: power / count as f32, layers }));
        }
    }
}

#[cfg(test)]
#[path = "harq_tests.rs"]
mod tests;
