//! Failures of radio links in the cell: their detection, and their effects on bearers, HARQ and
//! grants.
//!
//! A UE has one radio link with its cell. While it has failed, the cell schedules nothing for it
//! and it sends nothing; its packets wait. When the connection is re-established, RLC and PDCP
//! are. When the UE becomes idle, its bearers are released with all that they hold.
//!
//! **maxRetxThreshold at the cell.** Decision: the cell treats it as a failure of the radio link, as
//! the UE does, and the UE learns of it at once. Reason: the standards leave the reaction of the cell
//! open. A cell that went on would keep a bearer stalled whose status reports never arrive, as long
//! as its UE receives it well. Price: no model of how the UE learns of it.
//!
//! A link is looked at each radio frame, unless that could change nothing:
//!
//! - a fixed link that is as it was;
//! - a link of a network that is good on average and whose UE stays where it is, or whose UE has no data.

use airpath_base::{Time, UeId};
use airpath_net::{
    Cx, Direction, Event, LinkChange, LinkFailure, Packet, RadioEvent, SecondaryEnd, Stage,
};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use crate::air::Link;
use crate::bearer::Bearer;
use crate::block::AirSlot;
use crate::index::{BearerIndex, FlowIndex, UeIndex};
use crate::radio_link::{Monitor, Phase, RadioLink};
use crate::ue::{Ue, UeSet, UplinkGrantState};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// A link of a network is watched if its mean SINR with all other cells active is at most so many
/// times Qout: 6 dB.
const WATCHED: f64 = 4.0;

/// The radio links of a cell's UEs.
pub(super) struct RadioLinks {
    links: Vec<RadioLink>,
    /// Number of links that are not up.
    down: usize,
    /// UEs whose links are looked at while they have data.
    watched: UeSet,
}

impl RadioLinks {
    pub fn new(ues: &[Ue]) -> RadioLinks {
        RadioLinks {
            links: ues.iter().map(|ue| RadioLink::new(ue.config.radio_link)).collect(),
            down: 0,
            watched: UeSet::new(ues.len()),
        }
    }

    /// True if nothing is wrong with the link of a UE.
    #[inline(always)]
    pub fn is_up(&self, ue: UeIndex) -> bool {
        self.down == 0 || self.of(ue).is_up()
    }

    /// True if all are up.
    #[inline(always)]
    pub fn are_up(&self) -> bool {
        self.down == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = &RadioLink> {
        self.links.iter()
    }

    fn of(&self, ue: UeIndex) -> &RadioLink {
        &self.links[ue.index()]
    }

    fn of_mut(&mut self, ue: UeIndex) -> &mut RadioLink {
        &mut self.links[ue.index()]
    }

    pub fn set(&mut self, ue: UeIndex, phase: Phase) {
        let link = &mut self.links[ue.index()];
        self.down -= usize::from(!link.is_up());
        link.phase = phase;
        self.down += usize::from(!link.is_up());
    }
}

fn report(ue: UeId, change: LinkChange, cx: &mut Cx<'_>) {
    cx.emit(|| Event::Radio(RadioEvent::Link { ue, change }));
}

impl Cell {
    /// Begins to look at the links that may be bad from the beginning.
    pub fn begin_radio_links(&mut self) {
        for index in UeIndex::all(self.ues.len()) {
            let ue = &self.ues[index.index()];
            if !ue.config.served || ue.is_absent() {
                continue; // it has no link that could fail
            }
            let sinr = ue.expected[DOWN as usize];
            self.radio_links.of_mut(index).monitor.begin(sinr);
            self.watch_admitted(index);
        }
    }

    /// Begins to look at the link of a UE that the cell serves from now on, if it may be bad.
    pub fn watch_admitted(&mut self, ue: UeIndex) {
        let own = &self.ues[ue.index()];
        let sinr = own.expected[DOWN as usize];
        match own.config.link {
            Link::Fixed { .. } if Monitor::is_out(sinr) => self.arm_link(Time::ZERO, ue),
            Link::Network(ref channel)
                if channel.moves(own.id) || Monitor::is_out(sinr / WATCHED) =>
            {
                self.radio_links.watched.set(ue, true);
            }
            _ => {}
        }
    }

    /// A UE has data to send or to be sent.
    #[inline]
    pub fn watch_link(&mut self, now: Time, ue: UeIndex) {
        if self.radio_links.watched.contains(ue) {
            self.arm_link(now, ue);
        }
    }

    /// Makes a job for the next look at a UE's link.
    pub fn arm_link(&mut self, now: Time, ue: UeIndex) {
        let link = self.radio_links.of_mut(ue);
        let due = link.next_due(now);
        if link.armed.is_none_or(|armed| due < armed) {
            link.armed = Some(due);
            self.jobs.push_timer(due, Job::Link { ue });
        }
    }

    /// A radio frame has ended, or a step of a UE whose link has failed.
    #[inline(never)]
    pub fn look_at_link(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let now = at.now;
        let link = self.radio_links.of_mut(ue);
        if link.armed.is_none_or(|armed| armed > now) {
            return; // an earlier one has replaced it
        }
        link.armed = None;
        if self.waits_for_t302(ue, at) {
            return self.arm_link(now, ue);
        }
        let link = self.radio_links.of_mut(ue);
        let (phase, config) = (link.phase, link.config);
        if matches!(phase, Phase::HandingOver | Phase::Abandoned) {
            return;
        }
        let sinr = self.downlink_sinr(ue, at);
        let suitable = self.is_suitable(DOWN, sinr);
        let usable = suitable && self.is_suitable(UP, self.uplink_sinr(ue));
        match phase {
            Phase::Up => self.monitor(ue, sinr, at),
            Phase::Searching { t311 } if now >= t311 => self.lose_link(ue, at),
            Phase::Searching { .. } if suitable => {
                let (done, t301) = (now + config.reestablishment, now + config.t301);
                self.radio_links.set(ue, Phase::Accessing { done, t301 });
            }
            Phase::Accessing { done, .. } if usable && now >= done => self.reestablish(ue, at),
            Phase::Accessing { t301, .. } if !suitable || now >= t301 => self.lose_link(ue, at),
            Phase::Idle if usable => self.select_cell(ue, at),
            Phase::SettingUp { done } if now >= done && usable => self.return_ue(ue, at),
            Phase::SettingUp { done } if now >= done => self.radio_links.set(ue, Phase::Idle),
            _ => {}
        }
        if !self.radio_links.is_up(ue) || self.must_watch(now, ue) {
            self.arm_link(now, ue);
        }
    }

    /// True if a link that is up has to be looked at in the next radio frame.
    fn must_watch(&self, now: Time, ue: UeIndex) -> bool {
        let monitor = &self.radio_links.of(ue).monitor;
        let settled = match self.ues[ue.index()].config.link {
            Link::Fixed { .. } => monitor.is_settled(),
            Link::Network(_) => {
                let watched = self.radio_links.watched.contains(ue);
                let bad = self.is_bad_on_its_way(ue);
                monitor.t310.is_none() && !bad && !(watched && self.carries(now, ue))
            }
        };
        !settled && self.is_connected(ue)
    }

    /// Radio link monitoring. An idle UE has none.
    fn monitor(&mut self, ue: UeIndex, sinr: f64, at: &mut Moment<'_, '_>) {
        if !self.is_connected(ue) {
            return;
        }
        let RadioLink { monitor, config, .. } = self.radio_links.of_mut(ue);
        if monitor.frame(at.now, sinr, config) {
            self.fail_link(ue, LinkFailure::OutOfSync, at);
        }
    }

    /// The linear SINR downlink over the carrier, in a network that of the last TTI with data.
    fn downlink_sinr(&mut self, ue: UeIndex, at: &Moment<'_, '_>) -> f64 {
        let passed = self.config.tti.number(at.now).checked_sub(1);
        if let (Some(air), Some(passed)) = (at.common.air(self.air_index()), passed) {
            let slot = AirSlot { direction: DOWN, tti: self.steps.last_data(passed, DOWN) };
            let mut sinrs = std::mem::take(&mut self.sinrs);
            let received = self.receivers(air).receive_carrier(ue, slot, &mut sinrs);
            self.sinrs = sinrs;
            if received {
                let level = f64::from(self.links.effective_db(&self.sinrs));
                return airpath_base::Db(level).linear();
            }
        }
        self.ues[ue.index()].expected[DOWN as usize]
    }

    /// The linear SINR uplink in one resource block; in a network on average, over noise.
    fn uplink_sinr(&self, ue: UeIndex) -> f64 {
        let ue = &self.ues[ue.index()];
        let Link::Network(channel) = &ue.config.link else { return ue.expected[UP as usize] };
        let sinr = channel.expected_sinr(ue.id, UP);
        let (full, carrier) = (channel.full_power(ue.id), self.carrier());
        sinr * f64::from(carrier.max(full) / full.max(1.0))
    }

    /// True if messages get through at a linear SINR: CQI 0 is out of range (TS 36.213, 7.2.3; TS
    /// 38.214, 5.2.2).
    fn is_suitable(&self, direction: Direction, sinr: f64) -> bool {
        self.config.format(direction).cqi(sinr, self.config.adaptation.bler_target) > 0
    }

    /// A UE is connected: monitoring begins anew, and its secondary cells are added.
    pub fn begin_monitoring(&mut self, ue: UeIndex, at: &Moment<'_, '_>) {
        self.add_secondaries(at.now, ue);
        let sinr = self.downlink_sinr(ue, at);
        self.radio_links.of_mut(ue).monitor.begin(sinr);
    }

    /// True if an idle UE could have a connection now. If not, it begins to look for its cell.
    pub fn finds_cell(&mut self, ue: UeIndex, at: &Moment<'_, '_>) -> bool {
        let down = self.downlink_sinr(ue, at);
        let finds = self.is_suitable(DOWN, down) && self.is_suitable(UP, self.uplink_sinr(ue));
        if !finds {
            self.radio_links.set(ue, Phase::Idle);
            self.arm_link(at.now, ue);
        }
        finds
    }

    /// RLC of a bearer may have reached maxRetxThreshold.
    #[inline]
    pub fn look_for_failure(&mut self, ue: UeIndex, own: BearerIndex, at: &mut Moment<'_, '_>) {
        let bearer = &self.ues[ue.index()].bearers[own.index()];
        if let Some(direction) = bearer.rlc().failed() {
            self.fail_link(ue, LinkFailure::MaxRetransmissions(direction), at);
        }
    }

    /// RLC of one of a UE's bearers may have reached maxRetxThreshold.
    #[inline(never)]
    pub fn look_at_retransmissions(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        for own in BearerIndex::all(self.ues[ue.index()].bearers.len()) {
            self.look_for_failure(ue, own, at);
        }
    }

    /// Radio link failure (TS 36.331, 5.3.11.3 and 5.3.7.2; TS 38.331, 5.3.10.3 and 5.3.7.2): MAC
    /// is reset, all bearers are suspended, T311 begins. A UE in a DAPS handover goes on to its target instead (TS 36.331,
    /// 5.3.11.3; TS 38.331, 5.3.10.3).
    #[cold]
    pub fn fail_link(&mut self, ue: UeIndex, why: LinkFailure, at: &mut Moment<'_, '_>) {
        if !self.radio_links.is_up(ue) || !self.is_connected(ue) {
            return;
        }
        let kept = self.radio_links.of(ue).kept;
        let own = &mut self.ues[ue.index()];
        if !kept {
            report(own.id, LinkChange::Failed(why), at.cx);
        }
        let waits = if own.uplink.awaits_grant { Stage::UplinkAccess } else { Stage::Pdcp };
        own.bearers.iter_mut().for_each(|bearer| bearer.fail(at.now, waits));
        self.reset_mac(ue, (at.now, SecondaryEnd::Failure));
        let t311 = at.now + self.radio_links.of(ue).config.t311;
        self.radio_links.of_mut(ue).failed = at.now;
        if kept {
            return self.radio_links.set(ue, Phase::Abandoned);
        }
        self.radio_links.set(ue, Phase::Searching { t311 });
        self.arm_link(at.now, ue);
    }

    /// MAC is reset (TS 36.321, 5.9; TS 38.321, 5.12): HARQ holds nothing, and no grant, request
    /// or report counts any more. Secondary cells end.
    pub fn reset_mac(&mut self, ue: UeIndex, why: (Time, SecondaryEnd)) {
        for direction in Direction::ALL {
            for key in self.take_failed(ue, direction) {
                self.void(ue, key);
                self.wait_no_longer(key);
                let block = self.blocks.remove(key);
                let entity = self.harq[ue.index()].entity_mut(direction, block.transport_block);
                entity.end(block.process);
                self.ends_block(ue);
                self.blocks.recycle(block.pdus);
            }
        }
        // Blocks on the air are received, and carry nothing.
        for key in self.blocks.of(ue) {
            self.void(ue, key);
        }
        self.harq[ue.index()].up.withdraw_grants();
        self.backlogged.set(ue, false);
        self.pending_bsr.set(ue, false);
        self.reported.set(ue, false);
        self.for_each_secondary(|cell| cell.reset_mac(ue, why));
        self.deactivate(ue, why);
        let uplink = &mut self.ues[ue.index()].uplink;
        *uplink = UplinkGrantState { last_report: uplink.last_report, ..Default::default() };
        self.bearers_used(ue);
    }

    /// Takes the PDUs and the report out of a block of a UE: RLC counts them no more as on the air.
    fn void(&mut self, ue: UeIndex, key: u32) {
        let block = self.blocks.get_mut(key);
        block.report = None;
        let bearers = &mut self.ues[ue.index()].bearers;
        for (own, _) in block.pdus.drain(..) {
            bearers[own.index()].rlc_mut().void(block.direction);
        }
    }

    /// The failed blocks of a UE that wait to be sent again; they wait no longer.
    pub fn take_failed(&mut self, ue: UeIndex, direction: Direction) -> Vec<u32> {
        let (blocks, mut own) = (&self.blocks, Vec::new());
        self.failed[direction as usize].retain(|&(_, key)| {
            let is_own = blocks.get(key).ue == ue;
            if is_own {
                own.push(key);
            }
            !is_own
        });
        own
    }

    /// The connection is re-established (TS 36.331, 5.3.7.5; TS 38.331, 5.3.7.5).
    fn reestablish(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        self.radio_links.set(ue, Phase::Up);
        report(self.ues[ue.index()].id, LinkChange::Reestablished, at.cx);
        let now = at.now;
        self.for_each_bearer(ue, at, |bearer, cx, out| {
            let since = (now, Stage::Reestablishment);
            bearer.reestablish(since, cx, &mut |way, packet| out(way, packet));
        });
        self.resume(ue, at);
    }

    /// The UE leaves the connection: it becomes idle (TS 36.331, 5.3.7.6, 5.3.7.7 and 5.3.12; TS
    /// 38.331, 5.3.7.6, 5.3.7.7 and 5.3.11).
    fn lose_link(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        self.radio_links.set(ue, Phase::Idle);
        report(self.ues[ue.index()].id, LinkChange::Lost, at.cx);
        let now = at.now;
        self.for_each_bearer(ue, at, |bearer, cx, out| {
            bearer.release(now, cx, &mut |way, packet| out(way, packet));
        });
        self.release_rrc(now, ue, at.cx);
    }

    /// Lets something be done to each bearer of a UE, and passes on the packets that it hands up.
    pub fn for_each_bearer(
        &mut self,
        ue: UeIndex,
        at: &mut Moment<'_, '_>,
        act: impl Fn(&mut Bearer, &mut Cx<'_>, &mut dyn FnMut(Direction, Packet)),
    ) {
        let bearers = self.ues[ue.index()].bearers.iter_mut().enumerate();
        for (n, bearer) in bearers {
            let (own, up) = (BearerIndex::new(n), &mut self.up_packets);
            act(bearer, at.cx, &mut |direction, packet| up.push((own, direction, packet)));
        }
        self.bearers_used(ue);
        self.hand_up(ue, at);
    }

    /// The link of a UE is up again, with the data that wait in its bearers.
    pub fn resume(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        self.begin_monitoring(ue, at);
        self.notice(at.now, ue);
    }

    /// An idle UE has found its cell: one with RRC states requests a connection if anything waits,
    /// one without has another soon.
    fn select_cell(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let set_up = self.radio_links.of(ue).config.set_up;
        if !self.has_rrc(ue) {
            if !self.has_room_for(ue) {
                return self.reject(ue, at);
            }
            return self.radio_links.set(ue, Phase::SettingUp { done: at.now + set_up });
        }
        self.radio_links.set(ue, Phase::Up);
        report(self.ues[ue.index()].id, LinkChange::Returned, at.cx);
        self.resume(ue, at);
        for direction in Direction::ALL {
            if self.waits_for_connection(ue, direction) {
                self.request_connection(ue, direction, at);
            }
        }
    }

    /// A UE without RRC states is connected again (TS 36.331, 5.3.3; TS 38.331, 5.3.3).
    fn return_ue(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        self.radio_links.set(ue, Phase::Up);
        report(self.ues[ue.index()].id, LinkChange::Returned, at.cx);
        self.resume(ue, at);
        while let Some((flow, direction, mut packet)) =
            self.radio_links.of_mut(ue).waiting.pop_front()
        {
            packet.charge(Stage::Rrc, at.now);
            self.enqueue(ue, flow, direction, packet, at);
        }
    }

    /// Gives a packet back, unless its UE is idle because of a failure and has no RRC states: then
    /// it waits for a connection.
    #[inline(never)]
    pub fn admit_to_link(
        &mut self,
        ue: UeIndex,
        (flow, direction): (FlowIndex, Direction),
        packet: Packet,
    ) -> Option<Packet> {
        let waits = !self.has_rrc(ue);
        let link = self.radio_links.of_mut(ue);
        if !link.is_idle() || !waits {
            return Some(packet);
        }
        link.waiting.push_back((flow, direction, packet));
        None
    }
}

mod handed_over;
