//! The radio link of a UE as its handover has it.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Direction, LinkChange, LinkFailure, RadioEvent, Stage};

use super::{DOWN, Monitor, RadioLinks, UP, report};
use crate::air::Link;
use crate::index::UeIndex;
use crate::node::cell::Cell;
use crate::node::common::Moment;
use crate::radio_link::{Phase, RadioLink};

impl RadioLinks {
    /// State of the link of a UE.
    pub fn phase(&self, ue: UeIndex) -> Phase {
        self.of(ue).phase
    }

    /// T302 of a UE begins, until a time.
    pub fn begin_t302(&mut self, ue: UeIndex, until: Time) {
        (self.of_mut(ue).t302, self.of_mut(ue).armed) = (Some(until), None);
    }

    /// Expiry of T302 of a UE, while it runs.
    pub fn t302(&self, ue: UeIndex) -> Option<Time> {
        self.of(ue).t302
    }

    /// Ends T302 of a UE. False if it did not run.
    pub fn take_t302(&mut self, ue: UeIndex) -> bool {
        self.of_mut(ue).t302.take().is_some()
    }

    /// Takes out the link of a UE that goes to another cell.
    pub fn take(&mut self, ue: UeIndex) -> RadioLink {
        let phase = self.of(ue).phase;
        self.set(ue, Phase::Up);
        self.watched.set(ue, false);
        let blank = RadioLink::new(self.of(ue).config);
        RadioLink { phase, ..std::mem::replace(self.of_mut(ue), blank) }
    }

    /// Puts in the link of a UE that has come from another cell.
    pub fn put(&mut self, ue: UeIndex, link: RadioLink) {
        self.set(ue, Phase::Up);
        let phase = link.phase;
        *self.of_mut(ue) = RadioLink { phase: Phase::Up, armed: None, ..link };
        self.set(ue, phase);
    }
}

impl Cell {
    /// A UE begins or ends to keep its link beside a handover.
    pub fn keep_link(&mut self, ue: UeIndex, kept: bool) {
        self.radio_links.of_mut(ue).kept = kept;
    }

    /// True if a UE keeps its link beside a handover.
    pub fn keeps_link(&self, ue: UeIndex) -> bool {
        self.radio_links.of(ue).kept
    }

    /// Time of the failure of a link that its UE had kept beside a handover.
    pub fn abandoned_since(&self, ue: UeIndex) -> Option<Time> {
        let link = self.radio_links.of(ue);
        (link.phase == Phase::Abandoned).then_some(link.failed)
    }

    /// True if a UE moves, and its link is worse than Qout on average: it is looked at without data, too.
    pub fn is_bad_on_its_way(&self, ue: UeIndex) -> bool {
        let own = &self.ues[ue.index()];
        let Link::Network(channel) = &own.config.link else { return false };
        channel.moves(own.id) && Monitor::is_out(channel.expected_sinr(own.id, DOWN))
    }

    /// True if a UE is connected and its link is up.
    pub fn has_link(&self, ue: UeIndex) -> bool {
        self.radio_links.is_up(ue) && self.is_connected(ue)
    }

    /// True if messages of a UE get through to the cell.
    pub fn hears(&self, ue: UeIndex) -> bool {
        self.is_suitable(UP, self.uplink_sinr(ue))
    }

    /// True if messages of the cell get through to a UE.
    pub fn reaches(&mut self, ue: UeIndex, at: &Moment<'_, '_>) -> bool {
        let sinr = self.downlink_sinr(ue, at);
        self.is_suitable(DOWN, sinr)
    }

    /// True if a linear SINR downlink allows the least CQI.
    pub fn suits(&self, sinr: f64) -> bool {
        self.is_suitable(DOWN, sinr)
    }

    /// True if a UE is idle, by RRC or by a failure, and no connection is being set up.
    pub fn is_idle_in_cell(&self, ue: UeIndex) -> bool {
        match self.radio_links.phase(ue) {
            Phase::Idle => true,
            Phase::Up => self.is_idle(ue),
            _ => false,
        }
    }

    /// Time of the failure, and expiry of T311, of a UE whose link is not there again.
    pub fn seeks_since_failure(&self, ue: UeIndex, now: Time) -> Option<(Time, Time)> {
        let failed = self.radio_links.of(ue).failed;
        match self.radio_links.phase(ue) {
            Phase::Searching { t311 } => Some((failed, t311)),
            Phase::Accessing { .. } => Some((failed, now + self.radio_link_config(ue).t311)),
            _ => None,
        }
    }

    /// Time of the last failure of a UE's link; zero without one.
    pub fn last_failure(&self, ue: UeIndex) -> Time {
        self.radio_links.of(ue).failed
    }

    /// Timers and counters of a UE's link.
    pub fn radio_link_config(&self, ue: UeIndex) -> crate::RadioLinkConfig {
        self.radio_links.of(ue).config
    }

    /// A handover has failed: packets have waited in it until now, and wait for the re-establishment. Gives the
    /// expiry of T311.
    pub fn end_handover_by_failure(&mut self, ue: UeIndex, now: Time, cx: &mut Cx<'_>) -> Time {
        let own = &mut self.ues[ue.index()];
        own.bearers.iter_mut().for_each(|bearer| bearer.end_failure(now, Stage::Handover));
        report(own.id, LinkChange::Failed(LinkFailure::Handover), cx);
        now + self.radio_link_config(ue).t311
    }

    /// A connection has been re-established in this cell.
    pub fn report_reestablished(&self, ue: UeId, cx: &mut Cx<'_>) {
        report(ue, LinkChange::Reestablished, cx);
    }

    /// T311 of a UE between cells has expired: it is idle in this cell.
    pub fn become_idle(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        self.lose_link(ue, at);
        self.arm_link(at.now, ue);
    }

    /// Reports whether a UE that has come to the cell is in range.
    pub fn report_admitted(&self, index: UeIndex, cx: &mut Cx<'_>) {
        let ue = self.ues[index.index()].id;
        for direction in Direction::ALL {
            let in_range = self.links.in_range(direction, index);
            let sinr_db = self.links.level_db(direction, index, (1, self.config.resource_blocks));
            let event = RadioEvent::Range { ue, direction, in_range, sinr_db };
            cx.emit(|| airpath_net::Event::Radio(event));
        }
    }
}
