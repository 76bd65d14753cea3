//! Failures of radio links in the node: found, and what becomes of bearers, HARQ and grants.
//!
//! A UE has one radio link with its cell. While it has failed, the cell schedules nothing for it
//! and it sends nothing; its packets wait. When the connection is re-established, RLC and PDCP
//! are. When the UE becomes idle, its bearers are released with all that they hold.
//!
//! **maxRetxThreshold at the cell.** The standards leave to the cell what it does then. Here it is a
//! failure of the radio link as at the UE, which learns of it at once. A cell that went on would
//! keep a bearer stalled whose status reports never arrive, as long as its UE hears it well.
//!
//! A link is looked at each radio frame, but not while that could change nothing: a fixed link that
//! is as it was, and a link of a network that is good on average or whose UE has no data.

use airpath_base::{BearerId, Time, UeId};
use airpath_net::{Cx, Direction, Event, LinkChange, LinkFailure, Packet, RadioEvent, Stage};

use super::{Job, Ran};
use crate::air::{Link, Transmission};
use crate::bearer::Bearer;
use crate::config::{QosFlow, UeConfig};
use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::radio_link::{Monitor, Phase, RadioLink};
use crate::rlc::Pdu;
use crate::ue::{UeSet, UplinkGrantState};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// A link of a network is watched if it is on average, with all other cells active, no better
/// than so many times Qout as a factor: 6 dB.
const WATCHED: f64 = 4.0;

/// The radio links of all UEs.
pub(super) struct RadioLinks {
    links: Vec<RadioLink>,
    /// How many are not up.
    down: usize,
    /// UEs whose links are looked at while they have data.
    watched: UeSet,
}

impl RadioLinks {
    pub fn new(ues: &[UeConfig]) -> RadioLinks {
        RadioLinks {
            links: ues.iter().map(|ue| RadioLink::new(ue.radio_link)).collect(),
            down: 0,
            watched: UeSet::new(ues.len()),
        }
    }

    /// Whether nothing is wrong with the link of a UE.
    #[inline(always)]
    pub fn is_up(&self, ue: UeId) -> bool {
        self.down == 0 || self.links[ue.index()].is_up()
    }

    /// Whether all are up.
    #[inline(always)]
    pub fn are_up(&self) -> bool {
        self.down == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = &RadioLink> {
        self.links.iter()
    }

    fn set(&mut self, ue: UeId, phase: Phase) {
        let link = &mut self.links[ue.index()];
        self.down -= usize::from(!link.is_up());
        link.phase = phase;
        self.down += usize::from(!link.is_up());
    }
}

fn report(ue: UeId, change: LinkChange, cx: &mut Cx<'_>) {
    cx.emit(|| Event::Radio(RadioEvent::Link { ue, change }));
}

impl Ran {
    /// Begins to look at the links that may be bad from the beginning.
    pub(super) fn begin_radio_links(&mut self) {
        for n in 0..self.ues.len() {
            let (ue, id) = (&self.ues[n], UeId(n as u32));
            if !ue.config.served {
                continue; // it has no link that could fail
            }
            let sinr = ue.expected[DOWN as usize];
            self.radio_links.links[n].monitor.begin(sinr);
            match ue.config.link {
                Link::Fixed { .. } if Monitor::is_out(sinr) => self.arm_link(Time::ZERO, id),
                Link::Network(_) if Monitor::is_out(sinr / WATCHED) => {
                    self.radio_links.watched.set(n, true);
                }
                _ => {}
            }
        }
    }

    /// A fixed link has changed.
    pub(super) fn link_changes(&mut self, now: Time, ue: UeId) {
        self.arm_link(now, ue);
    }

    /// A UE has data to send or to be sent.
    #[inline]
    pub(super) fn watch_link(&mut self, now: Time, ue: UeId) {
        if self.radio_links.watched.contains(ue.index()) {
            self.arm_link(now, ue);
        }
    }

    fn arm_link(&mut self, now: Time, ue: UeId) {
        let c = self.serving(ue).0;
        let link = &mut self.radio_links.links[ue.index()];
        let due = link.next_due(now);
        if link.armed.is_none_or(|armed| due < armed) {
            link.armed = Some(due);
            self.cells[c].jobs.push_timer(due, Job::Link { ue });
        }
    }

    /// A radio frame has ended, or a step of a UE whose link has failed.
    #[inline(never)]
    pub(super) fn look_at_link(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let link = &mut self.radio_links.links[ue.index()];
        if link.armed.is_none_or(|armed| armed > now) {
            return; // an earlier one has taken its turn
        }
        link.armed = None;
        let (phase, config) = (link.phase, link.config);
        let sinr = self.downlink_sinr(now, ue);
        let suitable = self.is_suitable(ue, DOWN, sinr);
        let usable = suitable && self.is_suitable(ue, UP, self.uplink_sinr(ue));
        match phase {
            Phase::Up => self.monitor(now, ue, sinr, cx),
            Phase::Searching { t311 } if now >= t311 => self.lose_link(now, ue, cx),
            Phase::Searching { .. } if suitable => {
                let (done, t301) = (now + config.reestablishment, now + config.t301);
                self.radio_links.set(ue, Phase::Accessing { done, t301 });
            }
            Phase::Accessing { done, .. } if usable && now >= done => self.reestablish(now, ue, cx),
            Phase::Accessing { t301, .. } if !suitable || now >= t301 => {
                self.lose_link(now, ue, cx);
            }
            Phase::Idle if usable => self.select_cell(now, ue, cx),
            Phase::SettingUp { done } if now >= done && usable => self.return_ue(now, ue, cx),
            Phase::SettingUp { done } if now >= done => self.radio_links.set(ue, Phase::Idle),
            _ => {}
        }
        if !self.radio_links.is_up(ue) || self.must_watch(now, ue) {
            self.arm_link(now, ue);
        }
    }

    /// Whether a link that is up has to be looked at in the next radio frame.
    fn must_watch(&self, now: Time, ue: UeId) -> bool {
        let monitor = &self.radio_links.links[ue.index()].monitor;
        let settled = match self.ues[ue.index()].config.link {
            Link::Fixed { .. } => monitor.is_settled(),
            Link::Network(_) => {
                let watched = self.radio_links.watched.contains(ue.index());
                monitor.t310.is_none() && !(watched && self.carries(now, ue))
            }
        };
        !settled && self.is_connected(ue)
    }

    /// Radio link monitoring. An idle UE has none.
    fn monitor(&mut self, now: Time, ue: UeId, sinr: f64, cx: &mut Cx<'_>) {
        if !self.is_connected(ue) {
            return;
        }
        let RadioLink { monitor, config, .. } = &mut self.radio_links.links[ue.index()];
        if monitor.frame(now, sinr, config) {
            self.fail_link(now, ue, LinkFailure::OutOfSync, cx);
        }
    }

    /// The linear SINR downlink over the carrier, in a network that of the last TTI with data.
    fn downlink_sinr(&mut self, now: Time, id: UeId) -> f64 {
        let (c, _) = self.serving(id);
        let (ue, cell) = (&self.ues[id.index()], &self.cells[c]);
        let passed = cell.config.tti.number(now).checked_sub(1);
        let (Link::Network(channel), Some(air), Some(passed)) =
            (&ue.config.link, &self.air, passed)
        else {
            return ue.expected[DOWN as usize];
        };
        let tti = cell.steps.last_data(passed, DOWN);
        let carrier = cell.config.resource_blocks;
        let transmission = Transmission {
            ue: id,
            cell: cell.id,
            direction: DOWN,
            tti,
            start: cell.config.tti.start(tti),
            allocation: ResourceAllocation::whole_tti(ResourceBlocks::range(0, carrier)),
            power: channel.power(id, cell.id, DOWN, carrier),
        };
        self.sinrs.clear();
        channel.sinr(&transmission, air, &mut self.sinrs);
        airpath_base::Db(f64::from(cell.links.effective_db(&self.sinrs))).linear()
    }

    /// The linear SINR uplink in one resource block; in a network on average, over noise.
    fn uplink_sinr(&self, id: UeId) -> f64 {
        let ue = &self.ues[id.index()];
        let sinr = ue.expected[UP as usize];
        let Link::Network(channel) = &ue.config.link else { return sinr };
        let (full, carrier) = (channel.full_power(id), self.cells[self.serving(id).0].carrier());
        sinr * f64::from(carrier.max(full) / full.max(1.0))
    }

    /// Whether messages get through at a linear SINR: CQI 0 is out of range (TS 36.213, 7.2.3; TS
    /// 38.214, 5.2.2).
    fn is_suitable(&self, ue: UeId, direction: Direction, sinr: f64) -> bool {
        let cell = &self.cells[self.serving(ue).0].config;
        cell.format(direction).cqi(sinr, cell.adaptation.bler_target) > 0
    }

    /// A UE is connected: monitoring begins anew.
    pub(super) fn begin_monitoring(&mut self, now: Time, ue: UeId) {
        let sinr = self.downlink_sinr(now, ue);
        self.radio_links.links[ue.index()].monitor.begin(sinr);
    }

    /// Whether an idle UE could have a connection now. If not, it begins to look for its cell.
    pub(super) fn finds_cell(&mut self, now: Time, ue: UeId) -> bool {
        let down = self.downlink_sinr(now, ue);
        let finds =
            self.is_suitable(ue, DOWN, down) && self.is_suitable(ue, UP, self.uplink_sinr(ue));
        if !finds {
            self.radio_links.set(ue, Phase::Idle);
            self.arm_link(now, ue);
        }
        finds
    }

    /// RLC of a bearer may have reached maxRetxThreshold.
    #[inline]
    pub(super) fn look_for_failure(&mut self, now: Time, bearer: BearerId, cx: &mut Cx<'_>) {
        let bearer = &self.bearers[bearer.index()];
        if let Some(direction) = bearer.rlc().failed() {
            let ue = bearer.config.ue;
            self.fail_link(now, ue, LinkFailure::MaxRetransmissions(direction), cx);
        }
    }

    /// RLC of one of a UE's bearers may have.
    #[inline(never)]
    pub(super) fn look_at_retransmissions(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        for n in 0..self.ues[ue.index()].config.bearers.len() {
            self.look_for_failure(now, self.ues[ue.index()].config.bearers[n], cx);
        }
    }

    /// Radio link failure (TS 36.331, 5.3.11.3 and 5.3.7.2; TS 38.331, 5.3.10.3 and 5.3.7.2): MAC
    /// is reset, all bearers are suspended, T311 begins.
    #[cold]
    fn fail_link(&mut self, now: Time, ue: UeId, why: LinkFailure, cx: &mut Cx<'_>) {
        if !self.radio_links.is_up(ue) || !self.is_connected(ue) {
            return;
        }
        report(ue, LinkChange::Failed(why), cx);
        let awaits_grant = self.ues[ue.index()].uplink.awaits_grant;
        let waits = if awaits_grant { Stage::UplinkAccess } else { Stage::Pdcp };
        for n in 0..self.ues[ue.index()].config.bearers.len() {
            let id = self.ues[ue.index()].config.bearers[n];
            self.bearers[id.index()].fail(now, waits);
        }
        self.reset_mac(ue);
        let t311 = now + self.radio_links.links[ue.index()].config.t311;
        self.radio_links.set(ue, Phase::Searching { t311 });
        self.arm_link(now, ue);
    }

    /// MAC is reset (TS 36.321, 5.9; TS 38.321, 5.12): HARQ holds nothing, and no grant, request
    /// or report counts any more.
    fn reset_mac(&mut self, ue: UeId) {
        let (c, place) = self.serving(ue);
        for direction in Direction::ALL {
            for key in self.take_failed(c, ue, direction) {
                let mut block = self.blocks.remove(key);
                self.cells[c].harq[place].entity_mut(direction).end(block.process);
                self.ends_block(ue);
                self.void(direction, &mut block.pdus);
                self.blocks.recycle(block.pdus);
            }
        }
        // What is on the air is received, and carries nothing.
        for key in self.blocks.of(ue) {
            let block = self.blocks.get_mut(key);
            block.report = None;
            let (direction, mut pdus) = (block.direction, std::mem::take(&mut block.pdus));
            self.void(direction, &mut pdus);
            self.blocks.get_mut(key).pdus = pdus;
        }
        let cell = &mut self.cells[c];
        cell.harq[place].up.withdraw_grants();
        cell.backlogged.set(place, false);
        cell.pending_bsr.set(place, false);
        cell.reported.set(place, false);
        let uplink = &mut self.ues[ue.index()].uplink;
        *uplink = UplinkGrantState { last_report: uplink.last_report, ..Default::default() };
        self.bearers_used(ue);
    }

    fn void(&mut self, direction: Direction, pdus: &mut Vec<(BearerId, Pdu)>) {
        for (bearer, _) in pdus.drain(..) {
            self.bearers[bearer.index()].rlc_mut().void(direction);
        }
    }

    /// The failed blocks of a UE that wait to be sent again; they wait no longer.
    fn take_failed(&mut self, c: usize, ue: UeId, direction: Direction) -> Vec<u32> {
        let (blocks, mut own) = (&self.blocks, Vec::new());
        self.cells[c].failed[direction as usize].retain(|&(_, key)| {
            let is_own = blocks.get(key).ue == ue;
            if is_own {
                own.push(key);
            }
            !is_own
        });
        own
    }

    /// The connection is re-established (TS 36.331, 5.3.7.5; TS 38.331, 5.3.7.5).
    fn reestablish(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        self.radio_links.set(ue, Phase::Up);
        report(ue, LinkChange::Reestablished, cx);
        self.for_each_bearer(now, ue, cx, |bearer, cx, out| {
            bearer.reestablish(now, cx, &mut |way, packet| out(way, packet));
        });
        self.resume(now, ue);
    }

    /// The UE leaves the connection: it becomes idle (TS 36.331, 5.3.7.6, 5.3.7.7 and 5.3.12; TS
    /// 38.331, 5.3.7.6, 5.3.7.7 and 5.3.11).
    fn lose_link(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        self.radio_links.set(ue, Phase::Idle);
        report(ue, LinkChange::Lost, cx);
        self.for_each_bearer(now, ue, cx, |bearer, cx, out| {
            bearer.release(now, cx, &mut |way, packet| out(way, packet));
        });
        self.release_rrc(now, ue, cx);
    }

    /// Lets something be done to each bearer of a UE, and passes on what that hands up.
    fn for_each_bearer(
        &mut self,
        now: Time,
        ue: UeId,
        cx: &mut Cx<'_>,
        act: impl Fn(&mut Bearer, &mut Cx<'_>, &mut dyn FnMut(Direction, Packet)),
    ) {
        for n in 0..self.ues[ue.index()].config.bearers.len() {
            let id = self.ues[ue.index()].config.bearers[n];
            let up = &mut self.up;
            let out = &mut |direction, packet| up.push((id, direction, packet));
            act(&mut self.bearers[id.index()], cx, out);
        }
        self.bearers_used(ue);
        self.hand_up(now, cx);
    }

    /// The link of a UE is up again, with what waits in its bearers.
    fn resume(&mut self, now: Time, ue: UeId) {
        self.begin_monitoring(now, ue);
        for n in 0..self.ues[ue.index()].config.bearers.len() {
            self.notice(now, self.ues[ue.index()].config.bearers[n]);
        }
    }

    /// An idle UE has found its cell: one with RRC states calls for a connection if anything waits,
    /// one without has another soon.
    fn select_cell(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let set_up = self.radio_links.links[ue.index()].config.set_up;
        if !self.has_rrc(ue) {
            return self.radio_links.set(ue, Phase::SettingUp { done: now + set_up });
        }
        self.radio_links.set(ue, Phase::Up);
        report(ue, LinkChange::Returned, cx);
        self.resume(now, ue);
        for direction in Direction::ALL {
            if self.waits_for_connection(ue, direction) {
                self.call_for_connection(now, (ue, direction), cx);
            }
        }
    }

    /// A UE without RRC states is connected again (TS 36.331, 5.3.3; TS 38.331, 5.3.3).
    fn return_ue(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        self.radio_links.set(ue, Phase::Up);
        report(ue, LinkChange::Returned, cx);
        self.resume(now, ue);
        while let Some((flow, direction, mut packet)) =
            self.radio_links.links[ue.index()].waiting.pop_front()
        {
            packet.charge(Stage::Rrc, now);
            self.enqueue(now, flow, direction, packet, cx);
        }
    }

    /// Gives a packet back, unless its UE is idle because of a failure and has no RRC states: then it
    /// waits for a connection.
    #[inline(never)]
    pub(super) fn admit_to_link(
        &mut self,
        (flow, direction): (QosFlow, Direction),
        packet: Packet,
    ) -> Option<Packet> {
        let ue = self.bearers[flow.bearer.index()].config.ue;
        let waits = !self.has_rrc(ue);
        let link = &mut self.radio_links.links[ue.index()];
        if !link.is_idle() || !waits {
            return Some(packet);
        }
        link.waiting.push_back((flow, direction, packet));
        None
    }
}
