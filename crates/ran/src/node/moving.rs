//! A UE that goes from a cell to another: the end of its service in the source cell, and its begin in the
//! target cell.
//!
//! With [`RanConfig::handover`](crate::config::RanConfig) each cell has an entry for each UE, at the index of
//! the UE's identifier, so that an index never means another UE. The bearers of a UE belong to one cell. In all
//! other cells its entry is [absent](crate::ue::Ue::is_absent).
//!
//! - The UE leaves the source cell with [`begin_handover`](Ran::begin_handover): MAC is reset (TS 36.321, 5.9; TS
//!   38.321, 5.12), and its packets wait in the stage [`Stage::Handover`].
//! - It is in the target cell with [`move_ue`](Ran::move_ue): RLC and PDCP are
//!   re-established (TS 36.331, 5.3.5.4; TS 38.331, 5.3.5.5), link adaptation, mean rates, HARQ and buffer status
//!   begin anew. Its secondary cells are those of the target (`moving/secondaries.rs`).
//!
//! Left out: configured grants and layers to several UEs of a UE that goes to another cell.

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Cx, Direction, Event, RadioEvent, SecondaryEnd, Stage};

use super::Ran;
use super::cell::Cell;
use super::common::Moment;
use super::downlink::Waiting;
use super::harq::Harq;
use super::jobs::Job;
use super::serving::Serving;
use crate::air::Link;
use crate::bearer::Bearer;
use crate::block::Block;
use crate::index::UeIndex;
use crate::radio_link::{Phase, RadioLink};
use crate::rrc::Entity;
use crate::ue::Ue;

/// A UE between two cells.
struct Moving {
    ue: Ue,
    rrc: Option<Box<Entity>>,
    link: RadioLink,
    /// Changes of its full buffers, with their times.
    buffers: Vec<(Time, Job)>,
}

impl Ran {
    /// A UE leaves its cell. Its packets wait, and nothing is scheduled for it.
    pub(super) fn begin_handover(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Serving { cell, ue } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        self.cells[cell.index()].suspend_ue(ue, at);
        self.settle_guests(now, cx);
    }

    /// A UE that has left its cell is connected to `target`, which may be the same. Its packets have waited in
    /// `stage`. Without `forwarding`, the downlink packets of the source cell are dropped there. Gives how many.
    pub(super) fn move_ue(
        &mut self,
        now: Time,
        (ue, target): (UeId, CellId),
        (stage, forwarding): (Stage, bool),
        cx: &mut Cx<'_>,
    ) -> u64 {
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let cell = &mut self.cells[source.index()];
        let lost = cell.reestablish_bearers(index, (stage, forwarding), at);
        let mut moving = cell.release_ue(index);
        moving.link.phase = Phase::Up;
        self.serving[ue.index()].cell = target;
        if let Some(mobility) = &mut self.mobility {
            mobility.serve(now, ue, target);
        }
        let cell = &mut self.cells[target.index()];
        cell.admit_ue(index, moving);
        cell.report_admitted(index, at.cx);
        cell.resume(index, at);
        cell.share(at);
        lost
    }

    /// An idle UE goes to another cell, with packets that wait for a connection.
    pub(super) fn move_idle_ue(
        &mut self,
        now: Time,
        (ue, target): (UeId, CellId),
        cx: &mut Cx<'_>,
    ) {
        self.relocate(now, (ue, target));
        let index = self.serving[ue.index()].ue;
        let at = &mut Moment { now, common: &self.common, cx };
        let cell = &mut self.cells[target.index()];
        cell.end_t302(index, at);
        if !cell.radio_links.is_up(index) {
            cell.arm_link(at.now, index);
        }
        cell.share(at);
    }

    /// Another cell has a UE, its bearers and its link.
    pub(super) fn relocate(&mut self, now: Time, (ue, target): (UeId, CellId)) {
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        let moving = self.cells[source.index()].release_ue(index);
        self.serving[ue.index()].cell = target;
        if let Some(mobility) = &mut self.mobility {
            mobility.serve(now, ue, target);
        }
        self.cells[target.index()].admit_ue(index, moving);
    }
}

impl Cell {
    /// A UE stops listening to the cell: MAC is reset, and its packets wait.
    fn suspend_ue(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        if self.radio_links.phase(ue) == Phase::HandingOver {
            return;
        }
        let own = &mut self.ues[ue.index()];
        // Packets of a link that has failed have their stages already.
        if self.radio_links.is_up(ue) {
            let waits = if own.uplink.awaits_grant { Stage::UplinkAccess } else { Stage::Pdcp };
            own.bearers.iter_mut().for_each(|bearer| bearer.fail(at.now, waits));
        }
        self.reset_mac(ue, (at.now, SecondaryEnd::Handover));
        self.set_gaps(ue, None);
        self.end_blocks(ue, at.cx);
        self.for_each_secondary(|cell| cell.end_blocks(ue, at.cx));
        self.radio_links.set(ue, Phase::HandingOver);
    }

    /// Downlink packets of a UE are on their way to the cell until a time.
    pub(super) fn hold_downlink(&mut self, ue: UeIndex, until: Time) {
        self.ues[ue.index()].bearers.iter_mut().for_each(|bearer| bearer.hold(until));
        self.bearers_used(ue);
    }

    /// Downlink packets of a UE that wait in the cell.
    pub(super) fn waiting_downlink(&self, ue: UeIndex) -> u64 {
        let waiting = |bearer: &Bearer| u64::from(bearer.waiting(Direction::Downlink).sdus);
        self.ues[ue.index()].bearers.iter().map(waiting).sum()
    }

    /// Blocks of a UE on the air are received by nobody.
    pub fn end_blocks(&mut self, ue: UeIndex, cx: &mut Cx<'_>) {
        for key in self.blocks.of(ue) {
            let block = self.take_from_air(key, cx);
            self.blocks.recycle(block.pdus);
        }
        self.harq[ue.index()] = Harq::default();
    }

    /// A block on the air is received by nobody.
    fn take_from_air(&mut self, key: u32, cx: &mut Cx<'_>) -> Block {
        let block = self.blocks.remove(key);
        self.ends_block(block.ue);
        let (cell, direction) = (self.id, block.direction);
        let own = f32::from(block.resource_blocks()) * block.sharing().1;
        let resource_blocks = if block.first_layer == 0 { own.round() as u16 } else { 0 };
        let ue = self.ues[block.ue.index()].id;
        cx.emit(|| Event::Radio(RadioEvent::Missed { cell, ue, direction, resource_blocks }));
        self.jobs.take_if(|job| matches!(job, Job::Decode { block } if *block == key));
        block
    }

    /// RLC and PDCP of a UE are re-established at the end of its handover. Gives the number of downlink packets
    /// that are dropped, as they are not forwarded.
    fn reestablish_bearers(
        &mut self,
        ue: UeIndex,
        (stage, forwarding): (Stage, bool),
        at: &mut Moment<'_, '_>,
    ) -> u64 {
        let (since, lost) = ((at.now, stage), core::cell::Cell::new(0));
        self.for_each_bearer(ue, at, |bearer, cx, out| {
            bearer.reestablish(since, cx, &mut |way, packet| out(way, packet));
            if !forwarding {
                let dropped = bearer.leave_behind(since.0, cx, &mut |way, packet| out(way, packet));
                lost.set(lost.get() + dropped);
            }
        });
        lost.get()
    }

    /// Takes a UE out of the cell, with all that its bearers hold. Its entry is absent from now on.
    fn release_ue(&mut self, ue: UeIndex) -> Moving {
        let n = ue.index();
        let mut jobs = self.leave_out(ue);
        self.for_each_secondary(|cell| jobs.extend(cell.leave_out(ue)));
        let buffers = jobs.into_iter().filter(|(_, job)| matches!(job, Job::FullBuffer { .. }));
        self.set_gaps(ue, None);
        let absent = Ue::absent(self.ues[n].id, &self.ues[n].config, &self.config);
        Moving {
            buffers: buffers.collect(),
            link: self.radio_links.take(ue),
            rrc: self.rrc.get_mut(n).and_then(Option::take),
            ue: std::mem::replace(&mut self.ues[n], absent),
        }
    }

    /// A UE leaves the cell, which has no work for it any more. Gives what it had.
    pub fn leave_out(&mut self, ue: UeIndex) -> Vec<(Time, Job)> {
        let sets =
            [&mut self.backlogged, &mut self.stale, &mut self.pending_bsr, &mut self.reported];
        sets.into_iter().for_each(|set| set.set(ue, false));
        self.waiting[ue.index()] = Waiting::default();
        self.jobs.take_if(|job| job.ue() == Some(ue))
    }

    /// Takes in a UE that has come from another cell, or from this one.
    fn admit_ue(&mut self, ue: UeIndex, moving: Moving) {
        let n = ue.index();
        self.ues[n] = moving.ue;
        if let Some(rrc) = self.rrc.get_mut(n) {
            *rrc = moving.rrc;
        }
        self.meet(ue);
        self.radio_links.put(ue, moving.link);
        for (due, job) in moving.buffers {
            self.jobs.push_timer(due, job);
        }
        self.begin_links(ue);
        self.take_in_carriers(ue);
        self.arm_rrc(ue);
        self.bearers_used(ue);
        self.watch_admitted(ue);
    }

    /// The cell is the one that serves a UE: its bearers and its link are the cell's.
    pub(super) fn meet(&mut self, ue: UeIndex) {
        let own = &mut self.ues[ue.index()];
        own.config.cell = self.id;
        own.config.tune(&self.config);
        if let Link::Network(channel) = &own.config.link {
            own.expected = Direction::ALL.map(|way| channel.expected_sinr(own.id, way));
            own.full_power = channel.full_power(own.id).into();
        }
        for bearer in &mut own.bearers {
            (bearer.cell, bearer.armed) = (self.id, None);
        }
        if let Some(rrc) = self.rrc.get_mut(ue.index()).and_then(Option::as_deref_mut) {
            rrc.armed = None;
        }
    }
}

mod leg;
mod secondaries;

#[cfg(test)]
#[path = "moving_tests.rs"]
mod tests;
