//! Transport blocks on the air: their first transmission, decoding and feedback, and what is
//! sent again.

use airpath_base::{Duration, Time, UeId};
use airpath_net::layers::LayerEvent;
use airpath_net::{Cx, Direction};

use super::{Cell, Job, Ran, Serving, Work};
use crate::air::{Link, OnAir, Sent};
use crate::block::Block;
use crate::config::{Access, CellConfig, HarqConfig, UeConfig};
use crate::duplex::Duplex;
use crate::harq::{Entity, UplinkProcesses};
use crate::mac::{Placement, ResourceAllocation, ResourceBlocks, place};
use crate::ue::{Ue, UeSet};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// HARQ of a UE.
#[derive(Clone, Debug, Default)]
pub(super) struct Harq {
    pub down: Entity,
    pub up: Entity,
}

impl Harq {
    pub fn entity_mut(&mut self, direction: Direction) -> &mut Entity {
        match direction {
            Direction::Downlink => &mut self.down,
            Direction::Uplink => &mut self.up,
        }
    }
}

/// The processes of a UE, downlink and uplink.
///
/// With synchronous HARQ downlink as many as keep it busy until the first is free again;
/// uplink the number is the round trip.
pub(super) fn processes(config: &CellConfig, [down, up]: [u64; 2]) -> (u64, UplinkProcesses) {
    match config.harq {
        HarqConfig::Synchronous => (down, UplinkProcesses::Synchronous(up)),
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
    // What is decided at an instant comes after the feedback of that instant, what a UE
    // fills perhaps before.
    let up = match config.uplink.access {
        Access::Instant => begun(received + timing.data_preparation),
        Access::Configured { .. } => whole(received + filling.max(timing.data_preparation)) + 1,
        Access::SchedulingRequest { .. } | Access::Reported { .. } => whole(received + filling) + 1,
    };
    let used = begun(timing.grant_preparation + decoding);
    [round_trip.max(begun(feedback)), round_trip.max(up).max(used)]
}

/// The ring of what is on the air, if a UE's link is of a network: deep enough for what has
/// been decided, what has not been decoded, and what may still be measured.
pub(super) fn on_air(cells: &[Cell], ues: &[Ue]) -> Option<OnAir> {
    let in_network = |ue: &Ue| matches!(ue.config.link, Link::Network(_));
    ues.iter().any(in_network).then(|| {
        let depth = |cell: &Cell| cell.in_flight() + cell.links.memory() + cell.steps.period();
        let depth = cells.iter().map(depth);
        let carrier = cells.iter().map(|cell| cell.config.resource_blocks);
        OnAir::new(cells.len(), carrier.max().unwrap_or(0), depth.max().unwrap_or(1))
    })
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
    pub(super) fn having(&mut self, direction: Direction) -> &mut UeSet {
        match direction {
            Direction::Downlink => &mut self.backlogged,
            Direction::Uplink => &mut self.reported,
        }
    }

    /// The round trip of synchronous HARQ in a direction, if it has that.
    fn synchronous(&self, direction: Direction) -> Option<u64> {
        match (direction, self.up_processes) {
            (Direction::Uplink, UplinkProcesses::Synchronous(round_trip)) => Some(round_trip),
            _ => None,
        }
    }

    /// Whether each retransmission in a direction needs an assignment or a grant.
    fn assigns(&self, direction: Direction) -> bool {
        let instant = self.config.uplink.access == Access::Instant;
        self.synchronous(direction).is_none() && (direction == DOWN || !instant)
    }

    /// The failed block at place `n`, if it may be sent again by now.
    fn failed_by(&self, direction: Direction, now: Time, n: usize) -> Option<u32> {
        let (ready, key) = self.failed[direction as usize].get(n)?;
        (*ready <= now).then_some(*key)
    }

    /// Keeps a failed block until a decision at `ready` may send it again, behind those that
    /// may be sent no later.
    fn await_tti(&mut self, direction: Direction, ready: Time, key: u32) {
        let queue = &mut self.failed[direction as usize];
        let place = queue.partition_point(|(earlier, _)| *earlier <= ready);
        queue.insert(place, (ready, key));
        self.call(Work::Serve(direction), ready);
    }

    /// Asks for a decision when the first of the failed blocks may be sent again.
    pub(super) fn call_for_failed(&mut self, direction: Direction, now: Time) {
        if let Some((ready, _)) = self.failed[direction as usize].front() {
            self.call(Work::Serve(direction), now.max(*ready));
        }
    }

    /// When the scheduler decided, or would have decided, what is on the air in TTI `tti`.
    pub(super) fn decided(&self, tti: u64, direction: Direction) -> Time {
        self.config.tti.start(self.steps.decided(tti, direction))
    }

    /// When a transmission in TTI `tti` begins on the air.
    pub(super) fn starts_at(&self, tti: u64, direction: Direction) -> Time {
        let lead = match direction {
            Direction::Downlink => self.config.timing.downlink_preparation,
            Direction::Uplink => uplink_lead(&self.config),
        };
        match self.config.duplex {
            Duplex::Fdd => self.decided(tti, direction) + lead,
            Duplex::Tdd(_) => self.config.tti.start(tti),
        }
    }

    /// When a transmission in TTI `tti` has been received and decoding has been tried.
    pub(super) fn decoded_at(&self, tti: u64, direction: Direction) -> Time {
        let timing = &self.config.timing;
        let rest = match direction {
            Direction::Downlink => self.config.tti.length() + timing.downlink_processing,
            Direction::Uplink => timing.uplink_transmission + timing.uplink_processing,
        };
        self.starts_at(tti, direction) + rest
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

impl Ran {
    /// Gives a new block to its HARQ process and sends it.
    #[inline]
    pub(super) fn send_first(&mut self, now: Time, block: Block, cx: &mut Cx<'_>) {
        let Block { ue, direction, process, tti, .. } = block;
        let (c, place) = self.serving(ue);
        cx.tell_layer(|| LayerEvent::Block {
            cell: self.cells[c].id,
            ue,
            direction,
            process,
            bytes: block.bytes,
            report: block.report.map(|report| report.told()),
        });
        let key = self.blocks.insert(block);
        let entity = self.cells[c].harq[place].entity_mut(direction);
        self.blocks.get_mut(key).new_data = entity.begin(process, tti, key);
        self.put_on_air(key);
        let received = self.cells[c].decoded_at(tti, direction).max(now);
        self.schedule(c, received, Job::Decode { block: key });
        self.carries_block(received, ue);
        self.tell_sent(key, received, cx);
    }

    /// Sends again in TTI `tti` on the air what failed and has waited its round trip; gives the resource
    /// blocks that are left of `free`. Retransmissions go first, with as many resource
    /// blocks as before (with groups perhaps more, to fill them); a UE's own that are set aside
    /// in this TTI are the first it uses, so that it may have two clusters (TS 36.213,
    /// 8.1.2).
    #[inline(always)]
    pub(super) fn send_again(
        &mut self,
        c: usize,
        now: Time,
        (direction, tti): (Direction, u64),
        free: ResourceBlocks,
        cx: &mut Cx<'_>,
    ) -> ResourceBlocks {
        match self.cells[c].failed[direction as usize].is_empty() {
            true => free,
            false => self.send_failed(c, now, (direction, tti), free, cx),
        }
    }

    #[inline(never)]
    fn send_failed(
        &mut self,
        c: usize,
        now: Time,
        (direction, tti): (Direction, u64),
        mut free: ResourceBlocks,
        cx: &mut Cx<'_>,
    ) -> ResourceBlocks {
        let symbols = self.cells[c].steps.symbols(tti, direction);
        let format = self.cells[c].config.format(direction);
        let mut n = 0;
        while let Some(key) = self.cells[c].failed_by(direction, now, n) {
            let block = self.blocks.get(key);
            let (ue, resource_blocks) = (block.ue, block.resource_blocks_in(symbols, &format));
            let place = self.serving(ue).1;
            let sends = self.cells[c].harq[place].entity_mut(direction).sends(tti);
            if sends || resource_blocks > self.cells[c].config.resource_blocks {
                // One block in a TTI, and no block in a special slot that is too large for it:
                // this one waits for another.
                n += 1;
                continue;
            }
            let elements = self.cells[c].links.control_elements(place);
            let assigned = self.cells[c].assigns(direction);
            if assigned && !self.cells[c].control.has(elements, ue, direction) {
                n += 1; // another may need fewer elements
                continue;
            }
            let found = self.place_again(c, (direction, tti), ue, resource_blocks, &free);
            let round_trip = self.cells[c].synchronous(direction);
            if found.is_none() && round_trip.is_none() {
                break;
            }
            self.cells[c].failed[direction as usize].remove(n);
            let Some(blocks) = found else {
                // Its process comes round again a round trip later.
                let next = self.cells[c].decided(tti + round_trip.unwrap_or(1), UP);
                self.cells[c].await_tti(direction, next, key);
                continue;
            };
            if assigned {
                self.cells[c].control.take(u16::from(elements), direction);
            }
            free = free.without(&blocks);
            let process = self.blocks.get(key).process;
            let missed = assigned && self.misses_grant(ue, direction, process, tti);
            let block = self.blocks.get_mut(key);
            block.allocation = ResourceAllocation::first_symbols(blocks, symbols);
            block.missed = missed;
            self.resend(key, tti, cx);
        }
        free
    }

    /// Where a retransmission finds its resource blocks.
    fn place_again(
        &self,
        c: usize,
        (direction, tti): (Direction, u64),
        ue: UeId,
        count: u16,
        free: &ResourceBlocks,
    ) -> Option<ResourceBlocks> {
        let cell = &self.cells[c];
        let carrier = cell.config.resource_blocks;
        if direction == DOWN {
            return place(cell.placement, free, count, carrier);
        }
        let own = self.configured_blocks(tti, ue).lowest(count);
        let needed = count - own.count();
        // What retransmissions leave is in one piece unless they have their own besides.
        let more =
            free.contiguous(needed).or_else(|| place(Placement::Blocks, free, needed, carrier))?;
        Some(own.with(&more))
    }

    fn resend(&mut self, key: u32, tti: u64, cx: &mut Cx<'_>) {
        let block = self.blocks.get_mut(key);
        block.tti = tti;
        let (ue, direction, process) = (block.ue, block.direction, block.process);
        let (c, place) = self.serving(ue);
        self.cells[c].harq[place].entity_mut(direction).resend(process, tti, key);
        self.put_on_air(key);
        let received = self.cells[c].decoded_at(tti, direction);
        self.schedule(c, received, Job::Decode { block: key });
        self.tell_sent(key, received, cx);
    }

    /// A transmission has been received: decoded, to be sent again, or given up.
    #[inline(always)]
    pub(super) fn decode(&mut self, now: Time, key: u32, cx: &mut Cx<'_>) {
        let decoded = !self.was_missed(now, key, cx) && self.is_decoded(now, key, cx);
        let block = self.blocks.get_mut(key);
        let Serving { cell: c, place } = self.serving[block.ue.index()];
        let most = self.cells[c].config.max_transmissions;
        if !decoded && block.attempt + 1 < most && !block.pdus.is_empty() {
            block.attempt += 1;
            return self.await_retransmission(now, key, cx);
        }
        let block = self.blocks.remove(key);
        self.cells[c].harq[place].entity_mut(block.direction).end(block.process);
        self.ends_block(block.ue);
        match decoded {
            true => self.accept(now, block, cx),
            false => self.give_up(now, block, cx),
        }
    }

    /// A block that failed is sent again a round trip after its last transmission, with
    /// synchronous HARQ uplink exactly so, downlink not before. With asynchronous HARQ uplink it
    /// is granted again as soon as may be.
    #[cold]
    fn await_retransmission(&mut self, now: Time, key: u32, cx: &mut Cx<'_>) {
        let block = self.blocks.get(key);
        let Block { ue, direction, process, tti, .. } = *block;
        let resource_blocks = block.resource_blocks();
        let (c, place) = self.serving(ue);
        self.cells[c].harq[place].entity_mut(direction).wait(process, key);
        let next = match direction {
            Direction::Downlink => Some(self.cells[c].steps.again(tti)),
            Direction::Uplink => self.cells[c].synchronous(UP).map(|round_trip| tti + round_trip),
        };
        let ready = match next {
            Some(next) => {
                let decided = self.cells[c].decided(next, direction);
                if direction == UP && decided < now {
                    return self.resend_in_granted_tti(now, key, (next, resource_blocks), cx);
                }
                decided.max(now)
            }
            None => now,
        };
        self.cells[c].await_tti(direction, ready, key);
    }

    /// Sends a block uplink again in a TTI that has been decided already: feedback needs no
    /// grant, so the cell may know of it after it has granted that TTI. A grant of the UE for
    /// it is void. It is sent in the same resource blocks as before (TS 36.213, 8.0), which are
    /// taken off the next decision.
    fn resend_in_granted_tti(
        &mut self,
        now: Time,
        key: u32,
        (tti, resource_blocks): (u64, u16),
        cx: &mut Cx<'_>,
    ) {
        let ue = self.blocks.get(key).ue;
        let (c, place) = self.serving(ue);
        let void = self.cells[c].harq[place].up.take_grant(tti);
        let freed = void.map_or(0, |(_, grant)| self.withdraw(now, ue, grant));
        self.resend(key, tti, cx);
        let next = self.cells[c].config.tti.number_from(now);
        let (of, debt) = self.cells[c].retransmission_debt;
        let debt = if of == next { debt } else { 0 };
        let more = resource_blocks.saturating_sub(freed);
        self.cells[c].retransmission_debt = (next, debt.saturating_add(more));
    }

    /// Writes what a block is sent in, where a network's receivers hear it.
    #[inline]
    fn put_on_air(&mut self, key: u32) {
        let Some(air) = &mut self.air else { return };
        let Block { ue, direction, tti, allocation, missed, .. } = *self.blocks.get(key);
        if missed && direction == UP {
            return; // the UE does not know that it should send
        }
        let UeConfig { cell, link: Link::Network(channel), .. } = &self.ues[ue.index()].config
        else {
            return;
        };
        let blocks = allocation.blocks;
        let power = channel.power(ue, *cell, direction, blocks.count());
        air.write(*cell, direction, tti, Sent { ue, blocks, power });
    }
}

#[cfg(test)]
#[path = "harq_tests.rs"]
mod tests;
