//! Uplink data: buffer status reports that need no grant, grants, and the blocks that fill them.

use airpath_base::{BitRate, Duration, Time};
use airpath_net::{Direction, Event, Packet, RadioEvent, Stage};

use super::cell::Cell;
use super::common::Moment;
use super::configured::overridden_bytes;
use super::downlink::without_rates;
use super::events::report_buffer_status;
use super::gaps::in_gap;
use super::jobs::Job;
use super::reports::{Measurements, OnTrial, Receivers};
use super::rrc::hears_grant;
use super::secondary_uplink::{full_power, most_by_power};
use super::steps::Work;
use crate::bearer::Filler;
use crate::block::{AirSlot, Block, Contents, Plan};
use crate::bsr::{BufferStatusReport, BytesByGroup, Reported, Reserved};
use crate::config::{Access, Sharing};
use crate::delay_status::DelayStatus;
use crate::harq::Outstanding;
use crate::index::UeIndex;
use crate::mac::{
    Buffers, Candidate, Grant, Placement, ResourceAllocation, ResourceBlocks, Scheduler, Slot,
    TrafficClasses, reuse,
};
use crate::ue::{Ue, UplinkGrantState};

const UP: Direction = Direction::Uplink;

/// Bytes that a report may add to the block that it asks for: a subheader and a report.
pub(super) const OVERHEAD: u32 = 3 + 2;

impl Cell {
    /// Bytes that wait for a UE or in it, as its reports count them.
    #[inline(always)]
    pub fn queued(&self, direction: Direction, ue: UeIndex, now: Time) -> u32 {
        self.ues[ue.index()].queued(direction, now)
    }

    /// Changes the estimate of a UE's buffer.
    pub fn set_reported(&mut self, ue: UeIndex, change: impl FnOnce(&mut UplinkGrantState)) {
        if !self.radio_links.is_up(ue) {
            return; // requests and reports on their way ended with the link
        }
        let state = &mut self.ues[ue.index()].uplink;
        change(state);
        let waits = state.reported.all() > 0;
        self.reported.set(ue, waits && self.may_grant(ue));
        if self.touched.is_some() && self.shares_uplink() {
            self.touch(ue);
        }
    }

    /// True if the cell does not know that the UE has data, and no request or report is under way.
    pub fn is_forgotten(&self, ue: UeIndex) -> bool {
        let state = &self.ues[ue.index()].uplink;
        let silent =
            !self.pending_bsr.contains(ue) && !state.sr_pending && state.retx_bsr.is_none();
        silent && state.reported.all() == 0 && state.granted == 0
    }

    /// A UE has data to send; `first` if its buffers were empty before.
    pub fn notice_uplink(&mut self, now: Time, ue: UeIndex, first: bool) {
        if !self.is_connected(ue) || !self.radio_links.is_up(ue) {
            return;
        }
        if self.leaves_report_to_primary(ue) {
            return;
        }
        self.watch_link(now, ue);
        let state = &mut self.ues[ue.index()].uplink;
        state.awaits_grant |= first;
        match self.config.uplink.access {
            Access::Reported { period } => {
                let earliest = state.last_report.map_or(now, |last| now.max(last + period));
                self.pending_bsr.set(ue, true);
                self.want(Work::Report, earliest);
            }
            Access::SchedulingRequest { .. } if first => self.trigger_request(now, ue),
            Access::Instant => {
                self.set_reported(ue, |state| state.reported.raise(1));
                self.want(Work::Serve(UP), now);
            }
            Access::SchedulingRequest { .. } | Access::Configured { .. } => {}
        }
    }

    /// Reports that need no grant: in the first TTI after data arrived whose report can be sent.
    /// They are exact.
    pub fn report_buffers(&mut self, at: &mut Moment<'_, '_>) {
        let Access::Reported { period } = self.config.uplink.access else { return };
        let (now, timing) = (at.now, &self.config.timing);
        let arrives = now + timing.report_preparation + timing.uplink_transmission;
        let due = self.steps.next_decision(Work::Report, self.tti_number(now));
        if due > self.tti_number(now) {
            if !self.pending_bsr.is_empty() {
                self.want(Work::Report, now);
            }
            return;
        }
        let sent = (now + timing.report_preparation, arrives);
        let mut pending = std::mem::take(&mut self.pending_bsr);
        pending.retain(|index| {
            if let Some(end) = self.gap_end(index, sent) {
                self.want(Work::Report, end);
                return true;
            }
            let ue = &mut self.ues[index.index()];
            let earliest = ue.uplink.last_report.map(|last| last + period);
            if let Some(earliest) = earliest.filter(|earliest| *earliest > now) {
                self.want(Work::Report, earliest);
                return true;
            }
            ue.uplink.last_report = Some(now);
            let (bytes, _) = ue.buffers(now);
            self.jobs.push(arrives, Job::Report { ue: index, bytes });
            report_buffer_status(ue.id, bytes, at.cx);
            self.acts_without_request(now, index, at.cx);
            false
        });
        self.pending_bsr = pending;
    }

    pub fn take_report(&mut self, now: Time, ue: UeIndex, bytes: BytesByGroup) {
        self.set_reported(ue, |state| state.reported = Reported::exact(bytes));
        if self.reported.contains(ue) {
            self.want_uplink(now);
        }
    }

    /// A report that came with data; grants since then are on their way already.
    pub fn take_report_with_data(
        &mut self,
        now: Time,
        ue: UeIndex,
        (report, deadline): (BufferStatusReport, Option<Time>),
    ) {
        let requested = match self.config.uplink.access {
            Access::SchedulingRequest { grant, .. } => grant,
            _ => 0,
        };
        if !self.is_newest(ue, report.number) {
            return;
        }
        self.set_reported(ue, |state| {
            state.deadline = deadline;
            state.reported = report.read(state.reported);
            state.reported.deduct(state.granted.saturating_add(state.ahead));
            if state.requested && state.granted == 0 {
                // The report was made before the request, which is newer.
                state.reported.raise(requested);
            }
        });
        if self.reported.contains(ue) {
            self.want_uplink(now);
        }
    }

    /// Grants of this TTI, which may be for several TTIs on the air.
    pub fn decide_uplink(&mut self, at: &mut Moment<'_, '_>) {
        if let Some(own) = self.config.uplink.cancellation {
            self.grant_early(own, at);
        }
        for tti in self.steps.uplink(self.tti_number(at.now)) {
            let decided = self.tti_number(at.now);
            if self.steps.decides(decided, tti)
                && self.takes(AirSlot { direction: UP, tti }, decided)
            {
                self.serve_uplink(tti, at);
            }
        }
        if !self.reported.is_empty() {
            self.want_uplink(at.now);
        }
        self.want_proactive(at.now);
        self.want_for_failed(UP, at.now);
    }

    /// Wants decisions for UEs with a buffer that is known.
    pub fn want_uplink(&mut self, now: Time) {
        self.want(Work::Serve(UP), now);
        if let Some(own) = self.config.uplink.cancellation {
            self.want_early(now, own);
        }
    }

    /// Decides TTI `tti` on the air. UEs with a delay status report go first, by what is left; the others round robin.
    fn serve_uplink(&mut self, tti: u64, at: &mut Moment<'_, '_>) {
        let free = self.free_uplink(at.now, tti);
        let free = self.send_again(AirSlot { direction: UP, tti }, free, at);
        let instant = self.config.uplink.access == Access::Instant;
        self.grant_proactively(tti);
        if instant {
            self.look_at_buffers(at.now);
        }
        if !free.is_empty() && !self.reported.is_empty() {
            self.choose_uplink(tti, free, at);
            self.report_ranges(UP, at.cx);
            self.choose_schemes(AirSlot { direction: UP, tti }, at.now);
            let grants = self.grants.take_list();
            let mut left = free.count();
            for grant in &grants {
                left -= grant.blocks.count();
                match instant {
                    true => self.fill_at_once(*grant, tti, at),
                    false => self.grant(*grant, tti, at),
                }
            }
            self.grants.return_list(grants);
            self.report_stalls(AirSlot { direction: UP, tti }, left, at.cx);
        }
    }

    /// Looks up the buffers of UEs that send without asking: the cell knows them.
    fn look_at_buffers(&mut self, now: Time) {
        let Cell { reported, ues, .. } = self;
        reported.retain(|ue| {
            let ue = &mut ues[ue.index()];
            ue.uplink.reported = Reported::exact(ue.buffers(now).0);
            ue.uplink.reported.all() > 0
        });
    }

    /// Resource blocks that can be granted: all but those of recorded UEs, those set aside and the
    /// retransmission debt.
    fn free_uplink(&self, now: Time, tti: u64) -> ResourceBlocks {
        let all = self.config.resource_blocks.saturating_sub(self.reserved_in(tti));
        let free = match self.retransmission_debt {
            (of, debt) if of == self.tti_number(now) => all.saturating_sub(debt),
            _ => all,
        };
        let free = self.not_recorded(UP, tti, free);
        if self.configured.unused.is_empty() {
            free
        } else {
            free.with(&self.indicated_unused(tti))
        }
    }

    /// Leaves in `grants` the UEs that are served in TTI `tti` on the air.
    fn choose_uplink(&mut self, tti: u64, free: ResourceBlocks, at: &mut Moment<'_, '_>) {
        let few = !self.up.ranks_by_reports();
        self.measure_all(UP, few, at);
        let (decided, symbols) = (self.tti_number(at.now), self.steps.symbols(tti, UP));
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let (tables, span) = (self.links.tables(), self.span(tti));
        let (site, number, air) = (self.site(), self.carrier_index(), self.air_index());
        let spans = self.spans(AirSlot { direction: UP, tti });
        let Cell { config, means, ues, harq, links, rrc, steps, grants, secondary, gaps, .. } =
            self;
        let processes = steps.processes(tti, self.up_processes);
        let sounded = config.uplink.is_sounded(at.now);
        for index in self.reported.iter() {
            let ue = &ues[index.index()];
            let listens = hears_grant(rrc, config, at.now, index) && !in_gap(gaps, index, &spans);
            if !listens || (sounded && !links.in_range(UP, index)) {
                continue;
            }
            if harq[index.index()].up.uplink_process(tti, processes).is_none() {
                self.stalled.push(index);
                continue;
            }
            let most = most_by_power(ue, (config, full_power(secondary, ue, index)), span);
            if most < config.uplink.min_resource_blocks.min(config.resource_blocks) {
                continue; // other carriers have the power
            }
            let room = links.room((UP, symbols), index);
            let bytes = &tables.rates.at(room, links.allowed(UP, index)).bytes;
            let own = (ue, tti, most.min(free.count()));
            let overridden = overridden_bytes(&self.configured, (config, steps), own, bytes);
            let Some(overridden) = overridden else { continue };
            candidates.push(Candidate {
                bytes,
                layers: room.layers,
                most,
                control_elements: links.control_elements(index),
                ..candidate(ue, (index, at.now), overridden)
            });
        }
        let (carrier, means) = (config.resource_blocks, &mut means[UP as usize]);
        // UEs that send without asking need no grant.
        let granted = config.uplink.access != Access::Instant;
        let elements = self.control.left(UP).filter(|_| granted);
        grants.begin(Placement::Contiguous, carrier, free, elements);
        if !candidates.is_empty() {
            means.pass(decided);
            let receivers =
                Receivers { cell: site, number, config, steps, ues, gaps, air: at.common.air(air) };
            let measurements = Measurements { receivers, links, sinrs: &mut self.sinrs, few };
            let data = (UP, sounded.then_some(symbols));
            let on_trial = OnTrial::new(measurements, data, decided, &mut self.ranges);
            let slot = without_rates(config, decided, (&candidates, means));
            self.up.schedule(&Slot { trials: Some(&on_trial), ..slot }, grants);
            if granted {
                grants.block_rest(&candidates);
                self.control.after(grants.elements(), grants.blocked(), UP);
            }
        }
        self.candidates = reuse(candidates);
    }

    /// The block of a UE that needs no grant.
    fn fill_at_once(&mut self, grant: Grant, tti: u64, at: &mut Moment<'_, '_>) {
        let Grant { index: ue, blocks, scheme, .. } = grant;
        let processes = self.steps.processes(tti, self.up_processes);
        let Some(process) = self.harq[ue.index()].up.uplink_process(tti, processes) else { return };
        self.fill_block(self.uplink_plan(ue, process, Outstanding { tti, blocks, scheme }), at);
    }

    /// A grant of the scheduler for TTI `tti` on the air. The UE fills the block when it has to: as long before the
    /// TTI as the steps leave.
    fn grant(&mut self, grant: Grant, tti: u64, at: &mut Moment<'_, '_>) {
        let timing = &self.config.timing;
        let spare = tti - self.steps.uplink(self.tti_number(at.now)).start;
        let air = at.now + timing.grant_preparation + self.config.tti.times(spare);
        let filled = air + timing.grant_transmission + timing.grant_decoding;
        self.grant_until(grant, tti, filled, at);
    }

    /// A grant for TTI `tti` on the air, whose block the UE fills at a time.
    pub fn grant_until(&mut self, grant: Grant, tti: u64, filled: Time, at: &mut Moment<'_, '_>) {
        let Grant { index: ue, blocks, scheme, .. } = grant;
        let processes = self.steps.processes(tti, self.up_processes);
        let entity = &mut self.harq[ue.index()].up;
        let Some(process) = entity.uplink_process(tti, processes) else { return };
        entity.grant(process, Outstanding { tti, blocks, scheme });
        self.grant_power(at.now, ue, tti, blocks.count());
        self.assign(at.now, ue);
        let bytes = scheme.bytes;
        self.set_reported(ue, |state| {
            state.last_granted = state.last_granted.max(Some(tti));
            state.reported.deduct(payload(bytes));
            state.granted = state.granted.saturating_add(bytes);
        });
        self.jobs.push(filled, Job::Grant { ue, tti });
        self.schedules(at.now + self.config.timing.grant_preparation, ue, UP, at.cx);
    }

    /// A grant will not be used; gives its resource blocks.
    pub fn withdraw(&mut self, now: Time, ue: UeIndex, grant: Outstanding) -> u16 {
        self.return_grant(now, ue, grant.scheme.bytes);
        grant.blocks.count()
    }

    /// A grant of so many bytes was not used: they are to be granted again.
    pub fn return_grant(&mut self, now: Time, ue: UeIndex, bytes: u32) {
        self.set_reported(ue, |state| {
            state.granted = state.granted.saturating_sub(bytes);
            state.reported.raise(state.reported.all().saturating_add(payload(bytes)));
        });
        self.want_uplink(now);
    }

    /// A UE has missed a grant and sends nothing; the cell notices when it receives nothing.
    #[cold]
    fn leave_grant(&mut self, ue: UeIndex, grant: Outstanding, at: &mut Moment<'_, '_>) {
        let noticed = self.decoded_at(AirSlot { direction: UP, tti: grant.tti }).max(at.now);
        let resource_blocks = grant.blocks.count();
        self.jobs.push(noticed, Job::Absent { ue, bytes: grant.scheme.bytes });
        at.cx.emit(|| {
            let (cell, ue, direction) = (self.id, self.ues[ue.index()].id, UP);
            Event::Radio(RadioEvent::Missed { cell, ue, direction, resource_blocks })
        });
    }

    /// The UE fills its grant, unless that has become void.
    pub fn use_grant(&mut self, ue: UeIndex, tti: u64, at: &mut Moment<'_, '_>) {
        let taken = self.harq[ue.index()].up.take_grant(tti);
        let Some((process, grant)) = taken else { return };
        let plan = self.uplink_plan(ue, process, grant);
        if self.misses_grant(plan.ue, plan.slot, plan.process, at.common) {
            return self.leave_grant(ue, grant, at);
        }
        let state = &mut self.ues[ue.index()].uplink;
        state.granted = state.granted.saturating_sub(grant.scheme.bytes);
        self.fill_block(plan, at);
        if !self.cancelled.is_empty() {
            self.hold_cancelled(ue, tti, at);
        }
    }

    /// The plan of a block uplink that fills a grant.
    pub fn uplink_plan(&self, ue: UeIndex, process: u16, grant: Outstanding) -> Plan {
        let Outstanding { tti, blocks, scheme } = grant;
        let allocation = ResourceAllocation::last_symbols(blocks, self.steps.symbols(tti, UP));
        let allocation = allocation.layered(scheme.layers);
        Plan { ue, slot: AirSlot { direction: UP, tti }, process, allocation, scheme }
    }

    /// The UE makes the block of this plan.
    pub fn fill_block(&mut self, plan: Plan, at: &mut Moment<'_, '_>) {
        self.fill_repeated(plan, 1, at);
    }

    /// The UE makes the block of this plan, whose TTI is the last of so many repetitions.
    pub fn fill_repeated(&mut self, plan: Plan, repetitions: u8, at: &mut Moment<'_, '_>) {
        let (ue, bytes, now) = (plan.ue, plan.scheme.bytes, at.now);
        self.end_access(now, ue);
        let report = self.report_in(now, ue, bytes);
        let sharing = match self.reports_with_data() {
            true => Sharing::Priority,
            false => self.config.sharing,
        };
        let mut pdus = self.blocks.list();
        let (reserved, number) = (report.map_or(0, |report| report.bytes), self.number_report(ue));
        let own = &mut self.ues[ue.index()];
        let status = DelayStatus::of(&own.bearers, now).map_or(0, DelayStatus::bytes);
        let has_status = status > 0 && report.is_some() && reserved + status < bytes;
        let room = (bytes, reserved + if has_status { status } else { 0 });
        let mac_header = self.config.mac_header;
        let filler = Filler::new(&mut own.bearers, &mut pdus, (UP, now), mac_header, room);
        let filled = filler.fill(&own.by_priority, sharing, at.cx);
        let (left, first) = own.buffers(now);
        let made = |report| BufferStatusReport::new(report, left, first).numbered(number);
        let report = report.map(made);
        let late = DelayStatus::of(&own.bearers, now).filter(|_| has_status);
        let deadline = late.map(|status| status.read(now));
        let contents = Contents { pdus, padding: bytes - filled.used };
        let block = Block { report, deadline, repetitions, ..Block::new(plan, contents) };
        self.send_first(block, at);
        self.acts_without_request(now, ue, at.cx);
        self.bearers_used(ue);
        if !self.reports_with_data() && left.iter().any(|bytes| *bytes > 0) {
            self.notice_uplink(now, ue, false);
        }
    }

    /// True if buffer status is reported in transport blocks.
    fn reports_with_data(&self) -> bool {
        let access = self.config.uplink.access;
        matches!(access, Access::SchedulingRequest { .. } | Access::Configured { .. })
    }

    /// The report that a block of so many bytes is to have, if it has one.
    fn report_in(&self, now: Time, ue: UeIndex, bytes: u32) -> Option<Reserved> {
        if !self.reports_with_data() {
            return None;
        }
        let ue = &self.ues[ue.index()];
        let groups = ue.buffers(now).0.iter().filter(|bytes| **bytes > 0).count();
        ue.reports.reserve(groups, bytes)
    }

    /// A grant has come: data in the UE have waited for it, and no request is needed.
    fn end_access(&mut self, now: Time, ue: UeIndex) {
        let ue = &mut self.ues[ue.index()];
        let state = &mut ue.uplink;
        state.sr_pending = false;
        state.retx_bsr = None;
        state.requested = false;
        if std::mem::take(&mut state.awaits_grant) {
            for bearer in &mut ue.bearers {
                let charge = &mut |packet: &mut Packet| packet.charge(Stage::UplinkAccess, now);
                bearer.for_each_waiting(UP, charge);
            }
        }
    }
}

/// Bytes that a grant of so many takes off the reported buffer: RLC's fixed header carries no
/// data.
pub(super) fn payload(bytes: u32) -> u32 {
    bytes.saturating_sub(2).max(1)
}

/// Candidate of a UE with the buffers that it reported, without anything that its link decides. A grant is larger by
/// the bytes of a configured grant that it replaces.
fn candidate(ue: &Ue, (index, now): (UeIndex, Time), overridden: u32) -> Candidate<'_> {
    Candidate {
        ue: ue.id,
        index,
        wanted: ue.uplink.reported.all().saturating_add(OVERHEAD).saturating_add(overridden),
        head_of_line: Duration::ZERO,
        remaining: ue.uplink.deadline.map(|deadline| deadline.saturating_since(now)),
        priority: u8::MAX,
        traffic: TrafficClasses::EMPTY,
        guaranteed: BitRate::from_bps(0),
        bytes: &[],
        layers: 1,
        most: 0,
        control_elements: 0,
        buffers: Buffers::Uplink(ue.uplink.reported.by_group()),
    }
}
