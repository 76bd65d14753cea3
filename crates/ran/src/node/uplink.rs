//! How a UE gets to send: it asks, is granted, and fills what it was granted.

use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent, Stage};

use super::{Job, Ran};
use crate::block::Block;
use crate::config::{Access, Sharing};
use crate::mac::{Candidate, Filler, Grant, Scheduler, reuse};

const UP: Direction = Direction::Uplink;

/// A short buffer status report and its subheader (TS 36.321, 6.1.3.1 and 6.1.2).
const REPORT: u32 = 2;

impl Ran {
    /// Bytes that wait for a UE or in it, as its reports count them.
    #[inline(always)]
    pub(super) fn queued(&self, direction: Direction, ue: UeId, now: Time) -> u32 {
        let own = &self.ues[ue.index()].config.bearers;
        let bytes = |id: &BearerId| self.bearers[id.index()].rlc.queued(direction, now);
        own.iter().map(bytes).fold(0, u32::saturating_add)
    }

    fn set_known(&mut self, ue: UeId, bytes: u32) {
        self.ues[ue.index()].uplink.known = bytes;
        self.known.set(ue, bytes > 0);
    }

    /// Whether the cell does not know that the UE has data and nothing is under
    /// way to tell it.
    pub(super) fn is_forgotten(&self, ue: UeId) -> bool {
        let asking = &self.ues[ue.index()].uplink;
        let asleep = !self.fresh.contains(ue) && !asking.requesting && asking.retry.is_none();
        asleep && asking.known == 0 && asking.granted == 0
    }

    /// A UE has data to send; `first` if its buffers were empty before.
    pub(super) fn notice_uplink(&mut self, now: Time, ue: UeId, first: bool) {
        if !self.is_connected(ue) {
            return;
        }
        let asking = &mut self.ues[ue.index()].uplink;
        asking.waiting |= first;
        match self.cell.config.uplink.access {
            Access::Reported { period } => {
                let earliest = asking.reported.map_or(now, |last| now.max(last + period));
                self.fresh.set(ue, true);
                self.cell.call(earliest);
            }
            Access::SchedulingRequest { .. } if first => self.ask(now, ue),
            Access::Instant => self.take_report(now, ue, 1),
            Access::SchedulingRequest { .. } | Access::Configured { .. } => {}
        }
    }

    /// Reports that need no grant: in the TTI after data arrived.
    pub(super) fn report_buffers(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Access::Reported { period } = self.cell.config.uplink.access else { return };
        let timing = &self.cell.config.timing;
        let arrives = now + timing.report_preparation + timing.uplink_transmission;
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.retain(|ue| {
            let asking = &mut self.ues[ue.index()].uplink;
            if let Some(earliest) = asking.reported.map(|last| last + period).filter(|&e| e > now) {
                self.cell.call(earliest);
                return true;
            }
            asking.reported = Some(now);
            let bytes = self.queued(UP, ue, now);
            self.schedule(arrives, Job::Report { ue, bytes });
            self.acts_unasked(now, ue, cx);
            false
        });
        self.fresh = fresh;
    }

    pub(super) fn take_report(&mut self, now: Time, ue: UeId, bytes: u32) {
        self.set_known(ue, bytes);
        if bytes > 0 {
            self.cell.call(now);
        }
    }

    /// A report that came with data; what was granted since is on its way already.
    pub(super) fn take_piggybacked(&mut self, now: Time, ue: UeId, bytes: u32) {
        let known = bytes.saturating_sub(self.ues[ue.index()].uplink.granted);
        self.take_report(now, ue, known);
    }

    /// Makes the UE send a scheduling request at its next opportunity.
    #[inline(never)]
    fn ask(&mut self, now: Time, ue: UeId) {
        let Access::SchedulingRequest { period, .. } = self.cell.config.uplink.access else {
            return;
        };
        let offset = self.ues[ue.index()].config.offset;
        let asking = &mut self.ues[ue.index()].uplink;
        if std::mem::replace(&mut asking.requesting, true) {
            return;
        }
        let opportunity = next_opportunity(self.cell.config.tti.number_from(now), offset, period);
        self.schedule(self.cell.config.tti.start(opportunity), Job::Opportunity { ue });
    }

    #[inline(never)]
    pub(super) fn request(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Access::SchedulingRequest { retry, .. } = self.cell.config.uplink.access else {
            return;
        };
        let asking = &mut self.ues[ue.index()].uplink;
        if !std::mem::take(&mut asking.requesting) {
            return; // a grant came first, and the report with it
        }
        asking.retry = Some(now + retry);
        cx.emit(|| Event::Radio(RadioEvent::SchedulingRequest { ue }));
        self.asks(now, ue, cx);
        let timing = &self.cell.config.timing;
        let heard = now + timing.sr_transmission + timing.sr_detection;
        self.schedule(heard, Job::Request { ue });
        self.schedule(now + retry, Job::Retry { ue });
    }

    #[inline(never)]
    pub(super) fn take_request(&mut self, now: Time, ue: UeId) {
        let Access::SchedulingRequest { grant, .. } = self.cell.config.uplink.access else {
            return;
        };
        let known = self.ues[ue.index()].uplink.known.max(grant);
        self.set_known(ue, known);
        self.cell.call(now);
    }

    #[inline(never)]
    pub(super) fn retry(&mut self, now: Time, ue: UeId) {
        let asking = &mut self.ues[ue.index()].uplink;
        if asking.retry != Some(now) {
            return;
        }
        asking.retry = None;
        if self.queued(UP, ue, now) > 0 {
            self.ask(now, ue);
        }
    }

    /// Grants of this TTI. Uplink is served in turn.
    pub(super) fn decide_uplink(&mut self, now: Time, cx: &mut Cx<'_>) {
        let busy = self.resending(now);
        let free = self.free_uplink(now);
        let free = self.send_again(now, UP, free);
        let instant = self.cell.config.uplink.access == Access::Instant;
        if instant {
            self.look_at_buffers(now);
        }
        if free > 0 && !self.known.is_empty() {
            self.choose_uplink(now, free, &busy);
            let grants = std::mem::take(&mut self.grants);
            for grant in &grants {
                // `candidate` was replaced by the UE's number.
                let ue = UeId(grant.candidate as u32);
                match instant {
                    true => self.fill_block(now, ue, grant.resource_blocks, now, cx),
                    false => self.grant(now, ue, grant.resource_blocks, cx),
                }
            }
            self.grants = grants;
        }
        if !self.known.is_empty() || !self.cell.failed[UP as usize].is_empty() {
            self.cell.call(now);
        }
    }

    /// Where UEs send without asking, what they have counts as known.
    fn look_at_buffers(&mut self, now: Time) {
        let mut known = std::mem::take(&mut self.known);
        known.retain(|ue| {
            let bytes = self.queued(UP, ue, now);
            self.ues[ue.index()].uplink.known = bytes;
            bytes > 0
        });
        self.known = known;
    }

    /// Sends a block again in the TTI that would have been decided at `again`, which is
    /// past: feedback needs no grant, so the cell may know of it after it has granted that
    /// TTI to others. Its resource blocks are taken off the next decision. Gives whether
    /// that TTI has not begun yet.
    pub(super) fn send_in_passing(&mut self, now: Time, again: Time, key: u32) -> bool {
        let tti = self.cell.config.tti;
        let decided = tti.from(again);
        if decided >= now || decided + self.uplink_lead() < now {
            return false;
        }
        let block = self.blocks.get_mut(key);
        block.decided = decided;
        let (ue, resource_blocks) = (block.ue, block.resource_blocks);
        let next = tti.number_from(now);
        let owed = if self.cell.owed.0 == next { self.cell.owed.1 } else { 0 };
        self.cell.owed = (next, owed.saturating_add(resource_blocks));
        self.take_tti(UP, ue, decided);
        self.schedule(self.judged_at(decided, UP), Job::Judge { block: key });
        true
    }

    /// Resource blocks that can be granted: all but those set aside or owed.
    fn free_uplink(&self, now: Time) -> u16 {
        let all = self.cell.config.resource_blocks.saturating_sub(self.reserved_at(now));
        match self.cell.owed {
            (tti, owed) if tti == self.cell.tti_number(now) => all.saturating_sub(owed),
            _ => all,
        }
    }

    /// Leaves in `grants` who is served, by the UE's number.
    fn choose_uplink(&mut self, now: Time, free: u16, busy: &[UeId]) {
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let asking =
            self.known.iter().filter(|ue| !busy.contains(ue) && self.hears_grant(now, *ue));
        let first_sounding = self.cell.config.uplink.first_sounding;
        for id in asking {
            let ue = &self.ues[id.index()];
            candidates.push(Candidate {
                ue: id,
                wanted: ue.uplink.known.saturating_add(3 + REPORT),
                head_of_line: Duration::ZERO,
                priority: u8::MAX,
                bytes: &ue.uplink_rates(now, first_sounding).bytes,
            });
        }
        self.grants.clear();
        if !candidates.is_empty() {
            let tti = self.cell.tti_number(now);
            self.cell.up.schedule(tti, free, &candidates, &mut self.grants);
        }
        for Grant { candidate, .. } in &mut self.grants {
            *candidate = candidates[*candidate].ue.index();
        }
        self.candidates = reuse(candidates);
    }

    /// UEs that send something again in this TTI and can send nothing else.
    fn resending(&self, now: Time) -> Vec<UeId> {
        let due = self.cell.failed[UP as usize].iter().take_while(|(at, _)| *at <= now);
        due.map(|(_, key)| self.blocks.get(*key).ue).collect()
    }

    fn grant(&mut self, now: Time, ue: UeId, resource_blocks: u16, cx: &mut Cx<'_>) {
        let first_sounding = self.cell.config.uplink.first_sounding;
        let rates = self.ues[ue.index()].uplink_rates(now, first_sounding);
        let bytes = rates.bytes[usize::from(resource_blocks)];
        // What RLC's fixed header takes carries no data.
        let known = self.ues[ue.index()].uplink.known;
        self.set_known(ue, known.saturating_sub(bytes.saturating_sub(2).max(1)));
        let asking = &mut self.ues[ue.index()].uplink;
        asking.granted = asking.granted.saturating_add(bytes);
        self.take_tti(UP, ue, now);
        let timing = &self.cell.config.timing;
        let decoded =
            now + timing.grant_preparation + timing.grant_transmission + timing.grant_decoding;
        let air = now + timing.grant_preparation;
        self.schedule(decoded, Job::Grant { ue, resource_blocks, decided: now });
        self.schedules(air, (ue, UP), cx);
    }

    /// The UE fills what it was granted.
    pub(super) fn use_grant(
        &mut self,
        now: Time,
        id: UeId,
        resource_blocks: u16,
        decided: Time,
        cx: &mut Cx<'_>,
    ) {
        let first_sounding = self.cell.config.uplink.first_sounding;
        let rates = self.ues[id.index()].uplink_rates(decided, first_sounding);
        let bytes = rates.bytes[usize::from(resource_blocks)];
        let asking = &mut self.ues[id.index()].uplink;
        asking.granted = asking.granted.saturating_sub(bytes);
        self.fill_block(now, id, resource_blocks, decided, cx);
    }

    /// The UE makes the block that the decision at `decided` let it send.
    pub(super) fn fill_block(
        &mut self,
        now: Time,
        id: UeId,
        resource_blocks: u16,
        decided: Time,
        cx: &mut Cx<'_>,
    ) {
        let rate = usize::from(resource_blocks);
        let (mcs, bytes) = {
            let first_sounding = self.cell.config.uplink.first_sounding;
            let up = self.ues[id.index()].uplink_rates(decided, first_sounding);
            (up.mcs[rate], up.bytes[rate])
        };
        self.end_access(now, id);
        let reports = matches!(
            self.cell.config.uplink.access,
            Access::SchedulingRequest { .. } | Access::Configured { .. }
        );
        let mut pdus = self.blocks.list();
        let reserved = if reports { REPORT } else { 0 };
        let config = &self.cell.config;
        let sharing = if reports { Sharing::Priority } else { config.sharing };
        let filler = Filler::new(
            &mut self.bearers,
            &mut pdus,
            (UP, now),
            config.mac_header,
            (bytes, reserved),
        );
        let filled = filler.fill(&self.ues[id.index()].by_priority, sharing, cx);
        let left = self.queued(UP, id, now);
        let block = Block {
            ue: id,
            direction: UP,
            resource_blocks,
            mcs,
            bytes,
            padding: bytes - filled.used,
            attempt: 0,
            decided,
            first_judged: None,
            sinr: 0.0,
            report: reports.then_some(left),
            pdus,
        };
        let key = self.blocks.insert(block);
        let judged = self.judged_at(decided, UP).max(now);
        self.schedule(judged, Job::Judge { block: key });
        self.carries_block(judged, id);
        self.acts_unasked(now, id, cx);
        self.arm_all(id);
        if left > 0 && !reports {
            self.notice_uplink(now, id, false);
        }
    }

    /// A grant has come: what waits has waited for it, and nobody needs to ask.
    fn end_access(&mut self, now: Time, id: UeId) {
        let asking = &mut self.ues[id.index()].uplink;
        asking.requesting = false;
        asking.retry = None;
        if std::mem::take(&mut asking.waiting) {
            for bearer in &self.ues[id.index()].config.bearers {
                let waiting = self.bearers[bearer.index()].rlc.waiting_mut(UP);
                waiting.for_each(|packet| packet.charge(Stage::UplinkAccess, now));
            }
        }
    }
}

/// The first TTI from `tti` on that is `offset` into a period.
pub(super) fn next_opportunity(tti: u64, offset: u64, period: u64) -> u64 {
    let period = period.max(1);
    offset + tti.saturating_sub(offset).div_ceil(period) * period
}
