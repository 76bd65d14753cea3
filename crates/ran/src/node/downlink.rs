//! What the cell sends in a TTI.

use std::collections::VecDeque;

use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::{Cx, Direction};

use super::rrc::sleeps;
use super::{Job, Ran};
use crate::bearer::Bearer;
use crate::block::Block;
use crate::config::{Access, Sharing};
use crate::mac::{Candidate, Filler, Grant, Scheduler, reuse};

const DOWN: Direction = Direction::Downlink;

impl Ran {
    pub(super) fn decide_downlink(&mut self, now: Time, cx: &mut Cx<'_>) {
        let free = self.send_again(now, DOWN, self.cell.config.resource_blocks);
        if free > 0 && !self.backlogged.is_empty() {
            self.choose_downlink(now, free);
            let grants = std::mem::take(&mut self.grants);
            for grant in &grants {
                // `candidate` was replaced by the UE's number.
                self.send_new(now, UeId(grant.candidate as u32), grant.resource_blocks, cx);
            }
            self.grants = grants;
        }
        if !self.backlogged.is_empty() || !self.cell.failed[DOWN as usize].is_empty() {
            self.cell.call(now);
        }
    }

    /// Sends again what failed and has waited its round trip; gives the resource
    /// blocks that are left of `free`. Retransmissions go first, with as many resource
    /// blocks as before; a UE's own that are set aside in this TTI are the first it uses.
    #[inline(always)]
    pub(super) fn send_again(&mut self, now: Time, direction: Direction, free: u16) -> u16 {
        match self.cell.failed[direction as usize].is_empty() {
            true => free,
            false => self.send_failed(now, direction, free),
        }
    }

    #[inline(never)]
    fn send_failed(&mut self, now: Time, direction: Direction, mut free: u16) -> u16 {
        while let Some(key) = self.cell.pop_failed(direction, now) {
            let block = self.blocks.get(key);
            let (ue, resource_blocks) = (block.ue, block.resource_blocks);
            let own = if direction == DOWN { 0 } else { self.configured_share(now, ue) };
            let needed = resource_blocks.saturating_sub(own);
            if needed > free {
                self.cell.failed_mut(direction).push_front((now, key));
                break;
            }
            free -= needed;
            self.blocks.get_mut(key).decided = now;
            self.occupy(now, key);
            self.take_tti(direction, ue, now);
            let end = self.judged_at(now, direction);
            self.schedule(end, Job::Judge { block: key });
        }
        free
    }

    /// Leaves in `grants` who is served, by the UE's number.
    fn choose_downlink(&mut self, now: Time, free: u16) {
        let processes = self.cell.processes;
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let lead = self.cell.config.timing.downlink_preparation;
        self.backlogged.retain(|id| {
            if sleeps(&mut self.rrc, &mut self.jobs, (now, lead), id) {
                return false;
            }
            let ue = &self.ues[id.index()];
            let empty = Candidate {
                ue: id,
                wanted: 0,
                head_of_line: Duration::ZERO,
                priority: u8::MAX,
                bytes: &ue.down.bytes,
            };
            let sharing = self.cell.config.sharing;
            let candidate = waiting_for(empty, &ue.by_priority, &self.bearers, sharing, now);
            if candidate.wanted > 0 && free_process(&mut self.busy[id.index()], processes, now) {
                candidates.push(candidate);
            }
            candidate.wanted > 0
        });
        self.grants.clear();
        let tti = self.cell.tti_number(now);
        if !candidates.is_empty() {
            self.cell.down.schedule(tti, free, &candidates, &mut self.grants);
        }
        for Grant { candidate, .. } in &mut self.grants {
            *candidate = candidates[*candidate].ue.index();
        }
        self.candidates = reuse(candidates);
    }

    fn send_new(&mut self, now: Time, id: UeId, resource_blocks: u16, cx: &mut Cx<'_>) {
        let config = &self.cell.config;
        let ue = &self.ues[id.index()];
        let rate = usize::from(resource_blocks);
        let (mcs, bytes) = (ue.down.mcs[rate], ue.down.bytes[rate]);
        let mut pdus = self.blocks.list();
        let filler =
            Filler::new(&mut self.bearers, &mut pdus, (DOWN, now), config.mac_header, (bytes, 0));
        let filled = filler.fill(&ue.by_priority, config.sharing, cx);
        if pdus.is_empty() {
            self.blocks.recycle(pdus);
            return;
        }
        let key = self.blocks.insert(Block {
            ue: id,
            direction: DOWN,
            resource_blocks,
            mcs,
            bytes,
            padding: bytes - filled.used,
            attempt: 0,
            decided: now,
            first_judged: None,
            sinr: 0.0,
            report: None,
            pdus,
        });
        self.occupy(now, key);
        let judged = self.judged_at(now, DOWN);
        self.schedule(judged, Job::Judge { block: key });
        self.carries_block(judged, id);
        let air = now + self.cell.config.timing.downlink_preparation;
        self.schedules(air, (id, DOWN), cx);
        self.arm_all(id);
    }

    /// When a transmission decided `now` has been received and decoded.
    pub(super) fn judged_at(&self, now: Time, direction: Direction) -> Time {
        let timing = &self.cell.config.timing;
        now + match direction {
            Direction::Downlink => {
                timing.downlink_preparation
                    + self.cell.config.tti.length()
                    + timing.downlink_processing
            }
            Direction::Uplink => {
                self.uplink_lead() + timing.uplink_transmission + timing.uplink_processing
            }
        }
    }

    /// From a decision about the uplink to its transmission.
    pub(super) fn uplink_lead(&self) -> Duration {
        let timing = &self.cell.config.timing;
        match self.cell.config.uplink.access {
            Access::Instant => timing.data_preparation,
            _ => timing.grant_preparation + timing.grant_to_transmission,
        }
    }

    /// Marks a HARQ process of the block's UE as busy for a round trip.
    #[inline(always)]
    fn occupy(&mut self, now: Time, key: u32) {
        let block = self.blocks.get_mut(key);
        if block.direction == DOWN {
            let until = now + self.cell.config.timing.harq_round_trip;
            self.busy[block.ue.index()].push_back(until);
        }
    }

    /// Looks at the timers of a UE's bearers where they may have moved.
    pub(super) fn arm_all(&mut self, ue: UeId) {
        for &id in &self.ues[ue.index()].config.bearers {
            let bearer = &mut self.bearers[id.index()];
            if std::mem::take(&mut bearer.touched) {
                bearer.arm(id, &mut self.jobs);
            }
        }
    }
}

/// Whether a process is free; those whose time is over are taken off.
fn free_process(busy: &mut VecDeque<Time>, processes: usize, now: Time) -> bool {
    while busy.pop_front_if(|until| *until <= now).is_some() {}
    busy.len() < processes
}

/// Adds what a UE's bearers hold for it.
fn waiting_for<'a>(
    mut found: Candidate<'a>,
    own: &[BearerId],
    bearers: &[Bearer],
    sharing: Sharing,
    now: Time,
) -> Candidate<'a> {
    for id in own {
        let bearer = &bearers[id.index()];
        let queued = match sharing {
            Sharing::Priority => bearer.rlc.queued(DOWN, now),
            Sharing::Equal => bearer.believed(DOWN, now),
        };
        if queued == 0 {
            continue;
        }
        // 3 bytes of MAC subheader at most.
        found.wanted = found.wanted.saturating_add(queued).saturating_add(3);
        found.priority = found.priority.min(bearer.config.channel.priority);
        let since = bearer.rlc.head_of_line(DOWN);
        let waited = since.map_or(Duration::ZERO, |since| now.saturating_since(since));
        found.head_of_line = found.head_of_line.max(waited);
    }
    found
}
