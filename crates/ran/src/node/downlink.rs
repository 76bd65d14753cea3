//! What the cell sends in a TTI.

use airpath_base::{BearerId, BitRate, Duration, Time, UeId};
use airpath_net::{Cx, Direction};

use super::links::Links;
use super::rrc::sleeps;
use super::{Cell, Ran, Work};
use crate::bearer::Bearer;
use crate::block::Block;
use crate::config::Sharing;
use crate::mac::{
    Buffers, Candidate, Filler, Grant, ResourceAllocation, ResourceBlocks, Scheduler, Slot,
    TrafficClasses, reuse,
};
use crate::rates::Scheme;
use crate::rlc::earlier;

const DOWN: Direction = Direction::Downlink;

impl Ran {
    /// Sends again downlink what failed, if this TTI decides the downlink; gives the resource
    /// blocks that are left.
    #[inline(always)]
    pub(super) fn repeat_downlink(
        &mut self,
        c: usize,
        now: Time,
        cx: &mut Cx<'_>,
    ) -> ResourceBlocks {
        let cell = &self.cells[c];
        let all = ResourceBlocks::range(0, cell.config.resource_blocks);
        match cell.steps.downlink(cell.tti_number(now)) {
            Some(tti) => self.send_again(c, now, (DOWN, tti), all, cx),
            None => ResourceBlocks::EMPTY,
        }
    }

    pub(super) fn decide_downlink(
        &mut self,
        c: usize,
        now: Time,
        free: ResourceBlocks,
        cx: &mut Cx<'_>,
    ) {
        let cell = &self.cells[c];
        if let Some(tti) = cell.steps.downlink(cell.tti_number(now)) {
            let mut left = free.count();
            if !free.is_empty() && !cell.backlogged.is_empty() {
                self.choose_downlink(c, now, (tti, free), cx);
                let grants = self.grants.take_list();
                for grant in &grants {
                    left -= grant.blocks.count();
                    self.send_new(now, *grant, tti, cx);
                }
                self.grants.return_list(grants);
            }
            self.tell_free(c, now, tti, left);
        }
        if !self.cells[c].backlogged.is_empty() {
            self.cells[c].call(Work::Serve(DOWN), now);
        }
        self.cells[c].call_for_failed(DOWN, now);
    }

    /// Leaves in `grants` who is served in TTI `air` on the air.
    fn choose_downlink(
        &mut self,
        c: usize,
        now: Time,
        (air, free): (u64, ResourceBlocks),
        cx: &mut Cx<'_>,
    ) {
        self.measure_all(c, DOWN, now, cx);
        let cell = &mut self.cells[c];
        let tti = cell.tti_number(now);
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let Cell { config, jobs, members, links, harq, means, placement, waiting, stale, .. } =
            cell;
        let (steps, processes) = (&cell.steps, cell.down_processes);
        let symbols = steps.symbols(air, DOWN);
        let (carrier, means) = (config.resource_blocks, &mut means[DOWN as usize]);
        let lead = config.timing.downlink_preparation;
        let selective = self.air.is_some();
        cell.backlogged.retain(|place| {
            let id = members[place];
            if sleeps(&mut self.rrc, jobs, (now, lead), id) {
                return false;
            }
            let ue = &self.ues[id.index()];
            let look_up = || Waiting::of(&ue.by_priority, &self.bearers, config.sharing, now);
            if stale.contains(place) {
                stale.set(place, false);
                waiting[place] = look_up();
            }
            let data = waiting[place];
            debug_assert_eq!(data, look_up(), "the bearers of {id} were used without notice");
            let free_process =
                harq[place].down.free_process(air, processes, |sent| steps.is_free(sent, air));
            if data.wanted > 0 && free_process.is_some() && links.in_range(DOWN, place) {
                let buffers = Buffers::Downlink { own: &ue.by_priority, all: &self.bearers, now };
                candidates.push(data.candidate(id, place, links, symbols, buffers, now));
            }
            data.wanted > 0
        });
        self.grants.begin(*placement, carrier, free, cell.control.left(DOWN));
        if !candidates.is_empty() {
            means.pass(tti);
            let group_rates = if selective { links.group_rates() } else { &[] };
            let tti_length = config.tti.length();
            let candidates = &candidates[..];
            let slot = Slot { tti, tti_length, carrier, candidates, means, group_rates };
            cell.down.schedule(&slot, &mut self.grants);
            self.grants.block_rest(candidates);
            cell.control.after(self.grants.elements(), self.grants.blocked(), DOWN);
        }
        self.candidates = reuse(candidates);
        self.choose_schemes(c, (DOWN, air), now);
    }

    /// Chooses an MCS for each grant of TTI `air` on the air, and counts what it brings as the
    /// rate of its UE.
    pub(super) fn choose_schemes(
        &mut self,
        c: usize,
        (direction, air): (Direction, u64),
        now: Time,
    ) {
        let cell = &mut self.cells[c];
        for grant in self.grants.list_mut() {
            let place = self.serving[grant.ue.index()].place;
            grant.scheme = cell.scheme(now, (direction, air), place, &grant.blocks);
            cell.means[direction as usize].serve(place, f64::from(grant.scheme.bytes));
        }
    }

    /// Makes the block that a UE was granted.
    fn send_new(&mut self, now: Time, grant: Grant, tti: u64, cx: &mut Cx<'_>) {
        let Grant { ue: id, blocks, scheme: Scheme { mcs, bytes } } = grant;
        let (c, place) = self.serving(id);
        let Cell { config, steps, harq, down_processes, .. } = &self.cells[c];
        let (entity, symbols) = (&harq[place].down, steps.symbols(tti, DOWN));
        let free = entity.free_process(tti, *down_processes, |sent| steps.is_free(sent, tti));
        let Some(process) = free else { return }; // only UEs with one are candidates
        let ue = &self.ues[id.index()];
        let mut pdus = self.blocks.list();
        let filler =
            Filler::new(&mut self.bearers, &mut pdus, (DOWN, now), config.mac_header, (bytes, 0));
        let filled = filler.fill(&ue.by_priority, config.sharing, cx);
        if pdus.is_empty() {
            self.blocks.recycle(pdus);
            self.bearers_used(id);
            return;
        }
        let missed = self.misses_grant(id, DOWN, process, tti);
        self.send_first(
            now,
            Block {
                ue: id,
                direction: DOWN,
                allocation: ResourceAllocation::first_symbols(blocks, symbols),
                mcs,
                bytes,
                padding: bytes - filled.used,
                attempt: 0,
                process,
                new_data: false,
                tti,
                first_decoding: None,
                information: 0.0,
                missed,
                report: None,
                pdus,
            },
            cx,
        );
        let air = now + self.cells[c].config.timing.downlink_preparation;
        self.schedules(air, (id, DOWN), cx);
        self.bearers_used(id);
    }
}

/// What waits for a UE downlink. It changes only where its bearers are used: a slot reads
/// it for each UE, and it is made anew for few.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    /// Bytes that a transport block would need to carry all of it.
    wanted: u32,
    /// Least priority value of a logical channel with data; 255 without.
    priority: u8,
    /// Classes of traffic with data.
    traffic: TrafficClasses,
    /// Guaranteed bit rates of the bearers with data, together.
    guaranteed: BitRate,
    /// Since when the oldest packet has waited.
    since: Option<Time>,
}

impl Waiting {
    fn of(own: &[BearerId], bearers: &[Bearer], sharing: Sharing, now: Time) -> Waiting {
        let mut found = Waiting { priority: u8::MAX, ..Waiting::default() };
        for id in own {
            let bearer = &bearers[id.index()];
            let queued = match sharing {
                Sharing::Priority => bearer.queued(DOWN, now),
                Sharing::Equal => bearer.believed(DOWN, now),
            };
            if queued == 0 {
                continue;
            }
            // 3 bytes of MAC subheader at most.
            found.wanted = found.wanted.saturating_add(queued).saturating_add(3);
            let channel = &bearer.config.channel;
            found.priority = found.priority.min(channel.priority);
            found.traffic = found.traffic.with(TrafficClasses::of(channel.traffic_class));
            let guaranteed = channel.guaranteed_bit_rate.map_or(0, BitRate::as_bps);
            let together = found.guaranteed.as_bps().saturating_add(guaranteed);
            found.guaranteed = BitRate::from_bps(together);
            found.since = earlier(found.since, bearer.head_of_line(DOWN));
        }
        found
    }

    /// Candidate of a UE with this data, whose link decides rate and control channel elements.
    fn candidate<'a>(
        self,
        ue: UeId,
        place: usize,
        links: &'a Links,
        symbols: u8,
        buffers: Buffers<'a>,
        now: Time,
    ) -> Candidate<'a> {
        let waited = self.since.map(|since| now.saturating_since(since));
        Candidate {
            ue,
            wanted: self.wanted,
            head_of_line: waited.unwrap_or(Duration::ZERO),
            priority: self.priority,
            traffic: self.traffic,
            guaranteed: self.guaranteed,
            bytes: &links.rates((DOWN, symbols), place).bytes,
            most: links.grants(DOWN).1,
            control_elements: links.control_elements(place),
            place,
            buffers,
        }
    }
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
