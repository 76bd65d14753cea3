//! How a UE gets to send: it asks, is granted, and fills what it was granted.

use airpath_base::{BearerId, BitRate, Duration, Time, UeId};
use airpath_net::{Cx, Direction, Event, Packet, RadioEvent, Stage};

use super::rrc::hears_grant;
use super::telling::tell_report;
use super::{Cell, Job, Ran, Work};
use crate::block::Block;
use crate::bsr::{BufferStatusReport, BytesByGroup, GROUPS, Reported, Reserved};
use crate::config::{Access, Sharing};
use crate::duplex::Purpose;
use crate::harq::Outstanding;
use crate::mac::{
    Buffers, Candidate, Filler, Grant, Placement, ResourceAllocation, ResourceBlocks, Scheduler,
    Slot, TrafficClasses, reuse,
};
use crate::rates::Scheme;
use crate::ue::{Ue, UplinkGrantState};

const UP: Direction = Direction::Uplink;

/// What a report may add to the block that it asks for: a subheader and a report.
const OVERHEAD: u32 = 3 + 2;

impl Ran {
    /// Bytes that wait for a UE or in it, as its reports count them.
    #[inline(always)]
    pub(super) fn queued(&self, direction: Direction, ue: UeId, now: Time) -> u32 {
        let own = &self.ues[ue.index()].config.bearers;
        let bytes = |id: &BearerId| self.bearers[id.index()].queued(direction, now);
        own.iter().map(bytes).fold(0, u32::saturating_add)
    }

    /// The same by group of logical channels, and the group of the most important channel
    /// that has something.
    fn buffers(&self, ue: UeId, now: Time) -> (BytesByGroup, usize) {
        let (mut bytes, mut first) = ([0u32; GROUPS], None);
        let Ue { by_priority, reports, .. } = &self.ues[ue.index()];
        for id in by_priority {
            let bearer = &self.bearers[id.index()];
            let queued = bearer.queued(UP, now);
            let group = reports.group(bearer.config.channel.group);
            bytes[group] = bytes[group].saturating_add(queued);
            if queued > 0 {
                first.get_or_insert(group);
            }
        }
        (bytes, first.unwrap_or(0))
    }

    /// Changes the buffer that the cell takes a UE to have.
    pub(super) fn set_reported(&mut self, ue: UeId, change: impl FnOnce(&mut UplinkGrantState)) {
        if !self.radio_links.is_up(ue) {
            return; // what was on its way came to nothing with the link
        }
        let (c, place) = self.serving(ue);
        let state = &mut self.ues[ue.index()].uplink;
        change(state);
        self.cells[c].reported.set(place, state.reported.all() > 0);
    }

    /// Whether the cell does not know that the UE has data and nothing is under
    /// way to tell it.
    pub(super) fn is_forgotten(&self, ue: UeId) -> bool {
        let (c, place) = self.serving(ue);
        let state = &self.ues[ue.index()].uplink;
        let silent = !self.cells[c].pending_bsr.contains(place)
            && !state.sr_pending
            && state.retx_bsr.is_none();
        silent && state.reported.all() == 0 && state.granted == 0
    }

    /// A UE has data to send; `first` if its buffers were empty before.
    pub(super) fn notice_uplink(&mut self, now: Time, ue: UeId, first: bool) {
        if !self.is_connected(ue) || !self.radio_links.is_up(ue) {
            return;
        }
        self.watch_link(now, ue);
        let (c, place) = self.serving(ue);
        let state = &mut self.ues[ue.index()].uplink;
        state.awaits_grant |= first;
        match self.cells[c].config.uplink.access {
            Access::Reported { period } => {
                let earliest = state.last_report.map_or(now, |last| now.max(last + period));
                self.cells[c].pending_bsr.set(place, true);
                self.cells[c].call(Work::Report, earliest);
            }
            Access::SchedulingRequest { .. } if first => self.trigger_request(now, ue),
            Access::Instant => {
                self.set_reported(ue, |state| state.reported.raise(1));
                self.cells[c].call(Work::Serve(UP), now);
            }
            Access::SchedulingRequest { .. } | Access::Configured { .. } => {}
        }
    }

    /// Reports that need no grant: in the first TTI after data arrived whose report can be sent.
    /// They are exact.
    pub(super) fn report_buffers(&mut self, c: usize, now: Time, cx: &mut Cx<'_>) {
        let Access::Reported { period } = self.cells[c].config.uplink.access else { return };
        let cell = &mut self.cells[c];
        let timing = &cell.config.timing;
        let arrives = now + timing.report_preparation + timing.uplink_transmission;
        let due = cell.steps.next_decision(Work::Report, cell.tti_number(now));
        if due > cell.tti_number(now) {
            if !cell.pending_bsr.is_empty() {
                cell.call(Work::Report, now);
            }
            return;
        }
        let mut pending = std::mem::take(&mut cell.pending_bsr);
        pending.retain(|place| {
            let ue = self.cells[c].members[place];
            let state = &mut self.ues[ue.index()].uplink;
            let earliest = state.last_report.map(|last| last + period);
            if let Some(earliest) = earliest.filter(|earliest| *earliest > now) {
                self.cells[c].call(Work::Report, earliest);
                return true;
            }
            state.last_report = Some(now);
            let (bytes, _) = self.buffers(ue, now);
            self.schedule(c, arrives, Job::Report { ue, bytes });
            tell_report(ue, bytes, cx);
            self.acts_unasked(now, ue, cx);
            false
        });
        self.cells[c].pending_bsr = pending;
    }

    pub(super) fn take_report(&mut self, now: Time, ue: UeId, bytes: BytesByGroup) {
        let (c, place) = self.serving(ue);
        self.set_reported(ue, |state| state.reported = Reported::exact(bytes));
        if self.cells[c].reported.contains(place) {
            self.cells[c].call(Work::Serve(UP), now);
        }
    }

    /// A report that came with data; what was granted since is on its way already.
    pub(super) fn take_report_with_data(
        &mut self,
        now: Time,
        ue: UeId,
        report: BufferStatusReport,
    ) {
        let (c, place) = self.serving(ue);
        let asked = match self.cells[c].config.uplink.access {
            Access::SchedulingRequest { grant, .. } => grant,
            _ => 0,
        };
        self.set_reported(ue, |state| {
            state.reported = report.read(state.reported);
            state.reported.deduct(state.granted);
            if state.requested && state.granted == 0 {
                // The report was made before the request, which says more.
                state.reported.raise(asked);
            }
        });
        if self.cells[c].reported.contains(place) {
            self.cells[c].call(Work::Serve(UP), now);
        }
    }

    /// Grants of this TTI, which may be for several TTIs on the air.
    pub(super) fn decide_uplink(&mut self, c: usize, now: Time, cx: &mut Cx<'_>) {
        for tti in self.cells[c].steps.uplink(self.cells[c].tti_number(now)) {
            if self.cells[c].steps.serves(Purpose::UplinkData, tti) {
                self.serve_uplink(c, now, tti, cx);
            }
        }
        if !self.cells[c].reported.is_empty() {
            self.cells[c].call(Work::Serve(UP), now);
        }
        self.cells[c].call_for_failed(UP, now);
    }

    /// Decides TTI `tti` on the air. Uplink is served in turn.
    fn serve_uplink(&mut self, c: usize, now: Time, tti: u64, cx: &mut Cx<'_>) {
        let free = self.free_uplink(c, now, tti);
        let free = self.send_again(c, now, (UP, tti), free, cx);
        let instant = self.cells[c].config.uplink.access == Access::Instant;
        if instant {
            self.look_at_buffers(c, now);
        }
        if !free.is_empty() && !self.cells[c].reported.is_empty() {
            self.choose_uplink(c, now, (tti, free), cx);
            let grants = self.grants.take_list();
            for grant in &grants {
                self.grant(now, *grant, (tti, instant), cx);
            }
            self.grants.return_list(grants);
        }
    }

    /// Where UEs send without asking, the cell knows what they have.
    fn look_at_buffers(&mut self, c: usize, now: Time) {
        let mut reported = std::mem::take(&mut self.cells[c].reported);
        reported.retain(|place| {
            let ue = self.cells[c].members[place];
            let (bytes, _) = self.buffers(ue, now);
            let state = &mut self.ues[ue.index()].uplink;
            state.reported = Reported::exact(bytes);
            state.reported.all() > 0
        });
        self.cells[c].reported = reported;
    }

    /// Resource blocks that can be granted: all but those set aside and the retransmission
    /// debt.
    fn free_uplink(&self, c: usize, now: Time, tti: u64) -> ResourceBlocks {
        let all = self.cells[c].config.resource_blocks.saturating_sub(self.reserved_in(c, tti));
        let free = match self.cells[c].retransmission_debt {
            (of, debt) if of == self.cells[c].tti_number(now) => all.saturating_sub(debt),
            _ => all,
        };
        ResourceBlocks::range(0, free)
    }

    /// Leaves in `grants` who is served in TTI `tti` on the air.
    fn choose_uplink(
        &mut self,
        c: usize,
        now: Time,
        (tti, free): (u64, ResourceBlocks),
        cx: &mut Cx<'_>,
    ) {
        self.measure_all(c, UP, now, cx);
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let cell = &mut self.cells[c];
        let (symbols, processes) = (cell.steps.symbols(tti, UP), cell.up_processes);
        let Cell { up, means, config, control, reported, members, harq, links, .. } = cell;
        reported.iter().for_each(|place| links.follow_headroom(place));
        let sounded = config.uplink.is_sounded(now);
        for place in reported.iter() {
            let id = members[place];
            let heard = hears_grant(&self.rrc, config, now, id);
            let in_range = !sounded || links.in_range(UP, place);
            if !heard || !in_range || harq[place].up.uplink_process(tti, processes).is_none() {
                continue;
            }
            let rates = match sounded {
                true => links.uplink(place, symbols),
                false => (&links.unsounded().bytes[..], config.resource_blocks),
            };
            let reported = &self.ues[id.index()].uplink.reported;
            candidates.push(candidate(id, place, links.control_elements(place), reported, rates));
        }
        let (carrier, means) = (config.resource_blocks, &mut means[UP as usize]);
        // Who sends without asking needs no grant.
        let asked = config.uplink.access != Access::Instant;
        let elements = control.left(UP).filter(|_| asked);
        self.grants.begin(Placement::Contiguous, carrier, free, elements);
        if !candidates.is_empty() {
            let decided = config.tti.number(now);
            means.pass(decided);
            let slot = Slot {
                tti: decided,
                tti_length: config.tti.length(),
                carrier,
                candidates: &candidates,
                means,
                group_rates: &[],
            };
            up.schedule(&slot, &mut self.grants);
            if asked {
                self.grants.block_rest(&candidates);
                control.after(self.grants.elements(), self.grants.blocked(), UP);
            }
        }
        self.candidates = reuse(candidates);
        self.choose_schemes(c, (UP, tti), now);
    }

    /// What the scheduler has granted for TTI `tti` on the air; an `instant` UE knows at once.
    fn grant(&mut self, now: Time, grant: Grant, (tti, instant): (u64, bool), cx: &mut Cx<'_>) {
        let Grant { ue, blocks, scheme } = grant;
        let (c, place) = self.serving(ue);
        let Cell { harq, up_processes, .. } = &mut self.cells[c];
        let entity = &mut harq[place].up;
        let Some(process) = entity.uplink_process(tti, *up_processes) else { return };
        if instant {
            return self.fill_block(now, ue, (blocks, scheme), (tti, process), cx);
        }
        entity.grant(process, Outstanding { tti, blocks, scheme });
        let bytes = scheme.bytes;
        self.set_reported(ue, |state| {
            state.reported.deduct(payload(bytes));
            state.granted = state.granted.saturating_add(bytes);
        });
        let cell = &self.cells[c];
        let timing = &cell.config.timing;
        let air = now + timing.grant_preparation;
        // The UE fills the block when it has to: as long before the TTI as the steps leave.
        let spare = tti - cell.steps.uplink(cell.tti_number(now)).start;
        let spare = cell.config.tti.times(spare);
        let decoded = air + spare + timing.grant_transmission + timing.grant_decoding;
        self.schedule(c, decoded, Job::Grant { ue, tti });
        self.schedules(air, (ue, UP), cx);
    }

    /// A grant will not be used; gives its resource blocks.
    pub(super) fn withdraw(&mut self, now: Time, ue: UeId, grant: Outstanding) -> u16 {
        self.return_grant(now, ue, grant.scheme.bytes);
        grant.blocks.count()
    }

    /// A grant of so many bytes was not used: they are to be granted again.
    pub(super) fn return_grant(&mut self, now: Time, ue: UeId, bytes: u32) {
        self.set_reported(ue, |state| {
            state.granted = state.granted.saturating_sub(bytes);
            state.reported.raise(state.reported.all().saturating_add(payload(bytes)));
        });
        let c = self.serving(ue).0;
        self.cells[c].call(Work::Serve(UP), now);
    }

    /// A UE has missed a grant and sends nothing; the cell notices when it has not received it.
    #[cold]
    fn leave_grant(&mut self, now: Time, ue: UeId, grant: Outstanding, cx: &mut Cx<'_>) {
        let c = self.serving(ue).0;
        let cell = &self.cells[c];
        let noticed = cell.decoded_at(grant.tti, UP).max(now);
        let (id, resource_blocks) = (cell.id, grant.blocks.count());
        self.schedule(c, noticed, Job::Absent { ue, bytes: grant.scheme.bytes });
        cx.emit(|| {
            let (cell, direction) = (id, UP);
            Event::Radio(RadioEvent::Missed { cell, ue, direction, resource_blocks })
        });
    }

    /// The UE fills what it was granted, unless that has become void.
    pub(super) fn use_grant(&mut self, now: Time, ue: UeId, tti: u64, cx: &mut Cx<'_>) {
        let (c, place) = self.serving(ue);
        let Some((process, grant)) = self.cells[c].harq[place].up.take_grant(tti) else { return };
        if self.misses_grant(ue, UP, process, tti) {
            return self.leave_grant(now, ue, grant, cx);
        }
        let state = &mut self.ues[ue.index()].uplink;
        state.granted = state.granted.saturating_sub(grant.scheme.bytes);
        self.fill_block(now, ue, (grant.blocks, grant.scheme), (tti, process), cx);
    }

    /// The UE makes the block that this process may send in TTI `tti`.
    pub(super) fn fill_block(
        &mut self,
        now: Time,
        id: UeId,
        (blocks, Scheme { mcs, bytes }): (ResourceBlocks, Scheme),
        (tti, process): (u64, u16),
        cx: &mut Cx<'_>,
    ) {
        let c = self.serving(id).0;
        self.end_access(now, id);
        let report = self.report_in(now, id, bytes);
        let sharing = match self.reports_with_data(c) {
            true => Sharing::Priority,
            false => self.cells[c].config.sharing,
        };
        let mut pdus = self.blocks.list();
        let mac_header = self.cells[c].config.mac_header;
        let room = (bytes, report.map_or(0, |report| report.bytes));
        let filler = Filler::new(&mut self.bearers, &mut pdus, (UP, now), mac_header, room);
        let filled = filler.fill(&self.ues[id.index()].by_priority, sharing, cx);
        let (left, first) = self.buffers(id, now);
        self.send_first(
            now,
            Block {
                ue: id,
                direction: UP,
                allocation: ResourceAllocation::whole_tti(blocks),
                mcs,
                bytes,
                padding: bytes - filled.used,
                attempt: 0,
                process,
                new_data: false,
                tti,
                first_decoding: None,
                information: 0.0,
                missed: false,
                report: report.map(|report| BufferStatusReport::new(report, left, first)),
                pdus,
            },
            cx,
        );
        self.acts_unasked(now, id, cx);
        self.bearers_used(id);
        if !self.reports_with_data(c) && left.iter().any(|bytes| *bytes > 0) {
            self.notice_uplink(now, id, false);
        }
    }

    /// Whether buffer status is reported in transport blocks.
    fn reports_with_data(&self, c: usize) -> bool {
        let access = self.cells[c].config.uplink.access;
        matches!(access, Access::SchedulingRequest { .. } | Access::Configured { .. })
    }

    /// The report in a block of so many bytes that is to be made, if it has one.
    fn report_in(&self, now: Time, ue: UeId, bytes: u32) -> Option<Reserved> {
        if !self.reports_with_data(self.serving(ue).0) {
            return None;
        }
        let (waiting, _) = self.buffers(ue, now);
        let groups = waiting.iter().filter(|bytes| **bytes > 0).count();
        self.ues[ue.index()].reports.reserve(groups, bytes)
    }

    /// A grant has come: what waits has waited for it, and nobody needs to ask.
    fn end_access(&mut self, now: Time, id: UeId) {
        let state = &mut self.ues[id.index()].uplink;
        state.sr_pending = false;
        state.retx_bsr = None;
        state.requested = false;
        if std::mem::take(&mut state.awaits_grant) {
            for bearer in &self.ues[id.index()].config.bearers {
                let charge = &mut |packet: &mut Packet| packet.charge(Stage::UplinkAccess, now);
                self.bearers[bearer.index()].for_each_waiting(UP, charge);
            }
        }
    }
}

/// What a grant of so many bytes takes off the reported buffer: RLC's fixed header carries
/// no data.
fn payload(bytes: u32) -> u32 {
    bytes.saturating_sub(2).max(1)
}

/// Candidate of a UE with a reported buffer; `bytes` by number of resource blocks, and the most that are
/// worth a grant.
fn candidate<'a>(
    ue: UeId,
    place: usize,
    control_elements: u8,
    reported: &'a Reported,
    (bytes, most): (&'a [u32], u16),
) -> Candidate<'a> {
    Candidate {
        ue,
        wanted: reported.all().saturating_add(OVERHEAD),
        head_of_line: Duration::ZERO,
        priority: u8::MAX,
        traffic: TrafficClasses::EMPTY,
        guaranteed: BitRate::from_bps(0),
        bytes,
        most,
        control_elements,
        place,
        buffers: Buffers::Uplink(reported.by_group()),
    }
}
