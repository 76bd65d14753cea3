//! What the cell sends in a TTI.

use airpath_base::{BearerId, Duration, Time};
use airpath_net::{Cx, Direction};

use super::Ran;
use super::rrc::sleeps;
use crate::bearer::Bearer;
use crate::block::Block;
use crate::config::Sharing;
use crate::mac::{Candidate, Filler, Grant, Scheduler, reuse};

const DOWN: Direction = Direction::Downlink;

impl Ran {
    pub(super) fn decide_downlink(&mut self, now: Time, cx: &mut Cx<'_>) {
        let free = self.send_again(now, DOWN, self.cell.config.resource_blocks);
        if free > 0 && !self.backlogged.is_empty() {
            self.choose_downlink(now, free);
            let grants = std::mem::take(&mut self.grants);
            for grant in &grants {
                self.send_new(now, *grant, cx);
            }
            self.grants = grants;
        }
        if !self.backlogged.is_empty() {
            self.cell.call(now);
        }
        self.cell.call_for_failed(DOWN, now);
    }

    /// Leaves in `grants` who is served.
    fn choose_downlink(&mut self, now: Time, free: u16) {
        let (air, processes) = (self.cell.on_air(now, DOWN), self.cell.processes(DOWN));
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
            let harq = &self.harq[id.index()].down;
            if candidate.wanted > 0 && harq.free_process(air, processes).is_some() {
                candidates.push(candidate);
            }
            candidate.wanted > 0
        });
        self.grants.clear();
        let tti = self.cell.tti_number(now);
        if !candidates.is_empty() {
            self.cell.down.schedule(tti, free, &candidates, &mut self.grants);
        }
        self.candidates = reuse(candidates);
    }

    /// Makes the block that a UE was granted.
    fn send_new(&mut self, now: Time, grant: Grant, cx: &mut Cx<'_>) {
        let Grant { ue: id, resource_blocks } = grant;
        let tti = self.cell.on_air(now, DOWN);
        let free = self.harq[id.index()].down.free_process(tti, self.cell.processes(DOWN));
        let Some(process) = free else { return }; // only UEs with one are candidates
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
        self.send_first(
            now,
            Block {
                ue: id,
                direction: DOWN,
                resource_blocks,
                mcs,
                bytes,
                padding: bytes - filled.used,
                attempt: 0,
                process,
                new_data: false,
                tti,
                first_decoding: None,
                sinr: 0.0,
                report: None,
                pdus,
            },
        );
        let air = now + self.cell.config.timing.downlink_preparation;
        self.schedules(air, (id, DOWN), cx);
        self.arm_timers(id);
    }
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
