//! How a UE gets to send: it asks, is granted, and fills what it was granted.

use airpath_base::{Duration, Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent, Stage};

use super::{Job, Ran};
use crate::block::Block;
use crate::config::{Access, Sharing};
use crate::mac::{Candidate, Filler, Scheduler};

const UP: Direction = Direction::Uplink;

/// A short buffer status report and its subheader (TS 36.321, 6.1.3.1 and 6.1.2).
const REPORT: u32 = 2;

impl Ran {
    /// Bytes that a UE has to send, as its reports count them.
    pub(super) fn uplink_bytes(&self, ue: UeId, now: Time) -> u32 {
        let own = &self.ues[ue.index()].config.bearers;
        let bytes = |n: usize| self.bearers[n].rlc.buffer_status(UP, now).total();
        own.iter().map(|id| bytes(id.index())).fold(0, u32::saturating_add)
    }

    /// Whether the cell does not know that the UE has data and nothing is under
    /// way to tell it.
    pub(super) fn is_forgotten(&self, ue: UeId) -> bool {
        let asking = &self.ues[ue.index()].uplink;
        let asleep = !asking.fresh && !asking.requesting && asking.retry.is_none();
        asleep && asking.known == 0 && asking.granted == 0
    }

    /// A UE has data to send; `first` if its buffers were empty before.
    pub(super) fn notice_uplink(&mut self, now: Time, ue: UeId, first: bool) {
        let asking = &mut self.ues[ue.index()].uplink;
        asking.waiting |= first;
        match self.cell.config.uplink.access {
            Access::Reported { period } => {
                asking.fresh = true;
                let earliest = asking.reported.map_or(now, |last| now.max(last + period));
                self.cell.call(earliest);
            }
            Access::SchedulingRequest { .. } if first => self.ask(now, ue),
            Access::SchedulingRequest { .. } => {}
        }
    }

    /// Reports that need no grant: in the TTI after data arrived.
    pub(super) fn report_buffers(&mut self, now: Time) {
        let Access::Reported { period } = self.cell.config.uplink.access else { return };
        let timing = &self.cell.config.timing;
        let arrives = now + timing.report_preparation + timing.uplink_transmission;
        for n in 0..self.ues.len() {
            let asking = &mut self.ues[n].uplink;
            if !asking.fresh {
                continue;
            }
            if let Some(earliest) = asking.reported.map(|last| last + period).filter(|&e| e > now) {
                self.cell.call(earliest);
                continue;
            }
            (asking.fresh, asking.reported) = (false, Some(now));
            let ue = UeId(n as u32);
            let bytes = self.uplink_bytes(ue, now);
            self.schedule(arrives, Job::Report { ue, bytes });
        }
    }

    pub(super) fn take_report(&mut self, now: Time, ue: UeId, bytes: u32) {
        self.ues[ue.index()].uplink.known = bytes;
        if bytes > 0 {
            self.cell.call(now);
        }
    }

    /// A report that came with data; what was granted since is on its way already.
    pub(super) fn take_piggybacked(&mut self, now: Time, ue: UeId, bytes: u32) {
        let asking = &mut self.ues[ue.index()].uplink;
        asking.known = bytes.saturating_sub(asking.granted);
        if asking.known > 0 {
            self.cell.call(now);
        }
    }

    /// Makes the UE send a scheduling request at its next opportunity.
    fn ask(&mut self, now: Time, ue: UeId) {
        let Access::SchedulingRequest { period, .. } = self.cell.config.uplink.access else {
            return;
        };
        let offset = self.ues[ue.index()].config.sr_offset;
        let asking = &mut self.ues[ue.index()].uplink;
        if std::mem::replace(&mut asking.requesting, true) {
            return;
        }
        let at = now.saturating_since(Time::ZERO + offset);
        let opportunity = Time::ZERO + offset + next_multiple(at, period);
        self.schedule(opportunity, Job::Opportunity { ue });
    }

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
        let timing = &self.cell.config.timing;
        let heard = now + timing.sr_transmission + timing.sr_detection;
        self.schedule(heard, Job::Request { ue });
        self.schedule(now + retry, Job::Retry { ue });
    }

    pub(super) fn take_request(&mut self, now: Time, ue: UeId) {
        let Access::SchedulingRequest { grant, .. } = self.cell.config.uplink.access else {
            return;
        };
        let asking = &mut self.ues[ue.index()].uplink;
        asking.known = asking.known.max(grant);
        self.cell.call(now);
    }

    pub(super) fn retry(&mut self, now: Time, ue: UeId) {
        let asking = &mut self.ues[ue.index()].uplink;
        if asking.retry != Some(now) {
            return;
        }
        asking.retry = None;
        if self.uplink_bytes(ue, now) > 0 {
            self.ask(now, ue);
        }
    }

    /// Grants of this TTI. Uplink is served in turn.
    pub(super) fn decide_uplink(&mut self, now: Time, _cx: &mut Cx<'_>) {
        let busy = self.resending(now);
        let free = self.send_again(now, UP);
        let candidates: Vec<Candidate<'_>> = self
            .ues
            .iter()
            .zip((0..).map(UeId))
            .filter(|(ue, id)| ue.uplink.known > 0 && !busy.contains(id))
            .map(|(ue, id)| Candidate {
                ue: id,
                wanted: ue.uplink.known.saturating_add(3 + REPORT),
                head_of_line: Duration::ZERO,
                priority: u8::MAX,
                bytes: &ue.up.bytes,
            })
            .collect();
        let mut grants = std::mem::take(&mut self.grants);
        grants.clear();
        if !candidates.is_empty() && free > 0 {
            let tti = self.cell.tti_number(now);
            self.cell.up.schedule(tti, free, &candidates, &mut grants);
        }
        let served: Vec<UeId> = grants.iter().map(|grant| candidates[grant.candidate].ue).collect();
        for (grant, ue) in grants.iter().zip(served) {
            self.grant(now, ue, grant.resource_blocks);
        }
        self.grants = grants;
        let more = self.ues.iter().any(|ue| ue.uplink.known > 0);
        if more || !self.cell.failed[UP as usize].is_empty() {
            self.cell.call(now);
        }
    }

    /// UEs that send something again in this TTI and can send nothing else.
    fn resending(&mut self, now: Time) -> Vec<UeId> {
        let queue = self.cell.failed[UP as usize].iter();
        let due: Vec<u32> = queue.take_while(|(at, _)| *at <= now).map(|(_, key)| *key).collect();
        due.into_iter().map(|key| self.blocks.get_mut(key).ue).collect()
    }

    fn grant(&mut self, now: Time, ue: UeId, resource_blocks: u16) {
        let bytes = self.ues[ue.index()].up.bytes[usize::from(resource_blocks)];
        let asking = &mut self.ues[ue.index()].uplink;
        // What RLC's fixed header takes carries no data.
        asking.known = asking.known.saturating_sub(bytes.saturating_sub(2).max(1));
        asking.granted = asking.granted.saturating_add(bytes);
        let timing = &self.cell.config.timing;
        let decoded =
            now + timing.grant_preparation + timing.grant_transmission + timing.grant_decoding;
        self.schedule(decoded, Job::Grant { ue, resource_blocks, decided: now });
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
        let rate = usize::from(resource_blocks);
        let (mcs, bytes) = {
            let up = &self.ues[id.index()].up;
            (up.mcs[rate], up.bytes[rate])
        };
        self.end_access(now, id, bytes);
        let reports = matches!(self.cell.config.uplink.access, Access::SchedulingRequest { .. });
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
        let left = self.uplink_bytes(id, now);
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
        self.schedule(self.judged_at(decided, UP).max(now), Job::Judge { block: key });
        self.arm_all(id);
        if left > 0 && !reports {
            self.notice_uplink(now, id, false);
        }
    }

    /// A grant has come: what waits has waited for it, and nobody needs to ask.
    fn end_access(&mut self, now: Time, id: UeId, bytes: u32) {
        let asking = &mut self.ues[id.index()].uplink;
        asking.granted = asking.granted.saturating_sub(bytes);
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

/// The first multiple of `period` that is not below `span`.
fn next_multiple(span: Duration, period: Duration) -> Duration {
    period * span.as_nanos().div_ceil(period.as_nanos().max(1))
}
