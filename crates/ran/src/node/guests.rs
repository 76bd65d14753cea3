//! Secondary cells of UEs beside other cells than their own: guests there.
//!
//! With event A6 a UE may have the secondary cell of another cell on a carrier, its host. Its own cell stays, its home, to which
//! its bearers belong. The home lends the UE to the host while that acts, and heeds afterwards what the host has done.
//!
//! - Cells act in their order. So a host may act before the home, and then sees what the home has not sent.
//! - While any UE is a guest, the stages of cells are not shared among threads.
//! - The end of the connection, a failure and a handover end the stay of a guest in the same instant.
//!
//! Left out: uplink of guests.

use std::mem;

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Cx, SecondaryEnd};

use super::Ran;
use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use super::stage::Stage;
use crate::index::UeIndex;
use crate::ue::UeSet;

/// A UE with a secondary cell of another cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guest {
    ue: UeIndex,
    home: CellId,
    host: CellId,
    /// Index of the carrier among the secondary cells of a cell.
    carrier: usize,
}

/// Guests of a cell, and UEs of it that are guests of others.
#[derive(Default)]
pub(super) struct GuestBook {
    /// UEs of the cell that are guests of others.
    away: UeSet,
    /// Those of them whose bearers have been used, and whose hosts have not heeded it.
    used: UeSet,
    /// Those of them whose stays end, why, and whether the connection goes on.
    ended: Vec<(UeIndex, (Time, SecondaryEnd), bool)>,
    /// UEs of other cells that are guests here.
    guests: UeSet,
    /// Those of them whose bearers have been used here.
    used_here: UeSet,
    /// Jobs that are left to their homes.
    left: Vec<Job>,
}

impl GuestBook {
    /// Without guests, for so many UEs.
    pub fn new(ues: usize) -> GuestBook {
        let set = || UeSet::new(ues);
        GuestBook {
            away: set(),
            used: set(),
            guests: set(),
            used_here: set(),
            ..Default::default()
        }
    }

    /// The bearers of a UE have been used in its home.
    pub fn use_away(&mut self, ue: UeIndex) {
        if self.away.contains(ue) {
            self.used.set(ue, true);
        }
    }

    /// The stays of a UE at hosts end, if it has any.
    pub fn end_away(&mut self, ue: UeIndex, why: (Time, SecondaryEnd), goes_on: bool) {
        if self.away.contains(ue) && !self.ended.iter().any(|one| one.0 == ue) {
            self.ended.push((ue, why, goes_on));
        }
    }

    /// The bearers of a guest have been used. False if it is none.
    pub fn use_here(&mut self, ue: UeIndex) -> bool {
        let is_guest = self.guests.contains(ue);
        if is_guest {
            self.used_here.set(ue, true);
        }
        is_guest
    }

    /// Takes a job of a guest. False if it is of none.
    pub fn take_job(&mut self, job: Job) -> bool {
        let is_guest = job.ue().is_some_and(|ue| self.guests.contains(ue));
        if is_guest {
            self.left.push(job);
        }
        is_guest
    }
}

impl Cell {
    /// True if a UE of another cell is a guest.
    pub fn hosts(&self, ue: UeIndex) -> bool {
        self.guests.as_ref().is_some_and(|book| book.guests.contains(ue))
    }
}

impl Ran {
    /// UEs may be guests from now on.
    pub(super) fn allow_guests(&mut self) {
        for cell in self.cells.iter_mut() {
            cell.guests = Some(Box::new(GuestBook::new(cell.ues.len())));
        }
    }

    /// The cell whose secondary cell a UE has on a carrier, by the index among secondary cells. None where it has none.
    pub(super) fn secondary_of(&self, ue: UeId, carrier: usize) -> Option<CellId> {
        let serving = self.serving[ue.index()];
        let own = |guest: &&Guest| guest.ue == serving.ue && guest.carrier == carrier;
        let cell = self.guests.iter().find(own).map_or(serving.cell, |guest| guest.host);
        let role = self.cells[cell.index()].secondaries.get(carrier)?.secondary.as_ref()?;
        role.is_added(serving.ue).then_some(cell)
    }

    /// Lends UEs to their hosts, or takes them back. A UE is lent to a host once.
    pub(super) fn exchange(&mut self, guests: &[Guest]) {
        for (n, &Guest { ue, home, host, .. }) in guests.iter().enumerate() {
            if guests[..n].iter().any(|other| (other.ue, other.host) == (ue, host)) {
                continue;
            }
            let Some(mut cell) = self.cells.take(host.index()) else { continue };
            let home = &mut self.cells[home.index()];
            mem::swap(&mut cell.ues[ue.index()], &mut home.ues[ue.index()]);
            let (own, other) = (cell.rrc.get_mut(ue.index()), home.rrc.get_mut(ue.index()));
            own.into_iter().zip(other).for_each(|(own, other)| mem::swap(own, other));
            self.cells.put(cell);
        }
    }

    /// A cell acts in a stage, with its guests.
    pub(super) fn act_with_guests(
        &mut self,
        cell: CellId,
        (stage, now): (Stage, Time),
        cx: &mut Cx<'_>,
    ) {
        let own: Vec<Guest> = self.guests.iter().filter(|own| own.host == cell).copied().collect();
        self.exchange(&own);
        let at = &mut Moment { now, common: &self.common, cx };
        self.cells[cell.index()].act_in(stage, at);
        self.exchange(&own);
        self.follow_guests(cell, now, cx);
        self.settle_guests(now, cx);
    }

    /// Homes heed what a host has done to the bearers of its guests.
    fn follow_guests(&mut self, host: CellId, now: Time, cx: &mut Cx<'_>) {
        let Some(book) = &mut self.cells[host.index()].guests else { return };
        let (left, used) = (mem::take(&mut book.left), book.used_here.iter().collect::<Vec<_>>());
        book.used_here.clear();
        let home = |ran: &Ran, ue: UeIndex| ran.serving[ue.index()].cell.index();
        for job in left {
            if let Some(ue) = job.ue() {
                let home = home(self, ue);
                self.cells[home].jobs.push_timer(now, job);
            }
        }
        for ue in used {
            let home = home(self, ue);
            let at = &mut Moment { now, common: &self.common, cx };
            let cell = &mut self.cells[home];
            cell.look_at_retransmissions(ue, at);
            cell.settle(now, ue);
            cell.share(at);
        }
    }

    /// Stays of guests end whose connections have ended, and hosts heed what homes have done to bearers.
    pub(super) fn settle_guests(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.guests.is_empty() {
            return;
        }
        self.end_guests(now, cx);
        for guest in self.guests.clone() {
            let book = self.cells[guest.home.index()].guests.as_ref();
            if book.is_some_and(|book| book.used.contains(guest.ue)) {
                self.act_at_host(guest, |cell, ue| cell.heed(now, ue));
            }
        }
        for book in self.cells.iter_mut().filter_map(|cell| cell.guests.as_mut()) {
            book.used.clear();
        }
    }

    /// The secondary cell of a host acts on a guest.
    fn act_at_host(&mut self, guest: Guest, act: impl FnOnce(&mut Cell, UeIndex)) {
        self.exchange(&[guest]);
        self.cells[guest.host.index()].lend(guest.carrier, |cell| act(cell, guest.ue));
        self.exchange(&[guest]);
    }

    /// Stays of guests end whose homes have ended them.
    pub(super) fn end_guests(&mut self, now: Time, cx: &mut Cx<'_>) {
        for guest in self.guests.clone() {
            let Some(book) = &self.cells[guest.home.index()].guests else { continue };
            let ends = book.ended.iter().find(|one| one.0 == guest.ue).copied();
            if let Some((_, why, goes_on)) = ends {
                self.end_guest((now, guest), (why, goes_on), cx);
            }
        }
        let books = self.cells.iter_mut().filter_map(|cell| cell.guests.as_mut());
        books.for_each(|book| book.ended.clear());
    }

    /// The stay of a guest ends, in the course of its connection or with it.
    fn end_guest(
        &mut self,
        (now, guest): (Time, Guest),
        (why, goes_on): ((Time, SecondaryEnd), bool),
        cx: &mut Cx<'_>,
    ) {
        let Guest { ue, home, host, carrier } = guest;
        let (common, mut jobs) = (std::sync::Arc::clone(&self.common), Vec::new());
        let at = &mut Moment { now, common: &common, cx };
        self.act_at_host(guest, |cell, ue| {
            match goes_on {
                true => cell.release_secondary(ue, why, at),
                false => {
                    cell.reset_mac(ue, why);
                    cell.end_blocks(ue, at.cx);
                }
            }
            jobs = cell.leave_out(ue);
        });
        self.guests.retain(|own| (own.ue, own.carrier) != (ue, carrier));
        let stays = |host: CellId| self.guests.iter().any(|own| own.ue == ue && own.host == host);
        let (here, away) = (stays(host), self.guests.iter().any(|own| own.ue == ue));
        for (cell, is_home) in [(host, false), (home, true)] {
            let Some(book) = &mut self.cells[cell.index()].guests else { continue };
            match is_home {
                true => book.away.set(ue, away),
                false => book.guests.set(ue, here),
            }
        }
        self.serve_on(now, ue, carrier, home);
        let cell = &mut self.cells[home.index()];
        for (due, job) in jobs.into_iter().filter(|(_, job)| job.is_of_ue()) {
            cell.jobs.push_timer(due, job);
        }
        cell.bearers_used(ue);
        if goes_on {
            cell.notice(now, ue);
            cell.look_at_retransmissions(ue, at);
        }
        cell.share(at);
    }

    /// A UE has a link to this cell on a carrier from now on.
    fn serve_on(&mut self, now: Time, ue: UeIndex, carrier: usize, cell: CellId) {
        let ue = UeId(ue.index() as u32);
        if let Some(mobility) = &mut self.mobility {
            mobility.serve_on(now, ue, carrier + 1, cell);
        }
    }

    /// The secondary cell of a UE on a carrier is released, to be changed. Its connection goes on.
    pub(super) fn release_for_change(
        &mut self,
        (now, ue): (Time, UeId),
        carrier: usize,
        cx: &mut Cx<'_>,
    ) {
        let (serving, why) = (self.serving[ue.index()], (now, SecondaryEnd::Change));
        let own = |guest: &&Guest| guest.ue == serving.ue && guest.carrier == carrier;
        if let Some(guest) = self.guests.iter().find(own).copied() {
            return self.end_guest((now, guest), (why, true), cx);
        }
        let at = &mut Moment { now, common: &self.common, cx };
        let cell = &mut self.cells[serving.cell.index()];
        cell.lend(carrier, |cell| cell.release_secondary(serving.ue, why, at));
        cell.bearers_used(serving.ue);
        cell.notice(now, serving.ue);
        cell.look_at_retransmissions(serving.ue, at);
        cell.share(at);
    }

    /// A UE that has no secondary cell on a carrier gets that of a cell, perhaps its own.
    pub(super) fn add_secondary_of(
        &mut self,
        (now, ue): (Time, UeId),
        (carrier, host): (usize, CellId),
        cx: &mut Cx<'_>,
    ) {
        let serving = self.serving[ue.index()];
        let (ue, home) = (serving.ue, serving.cell);
        self.serve_on(now, ue, carrier, host);
        let add = |cell: &mut Cell, ue: UeIndex| {
            cell.begin_links(ue);
            cell.add(now, ue);
            cell.heed(now, ue);
        };
        if host == home {
            self.cells[home.index()].lend(carrier, |cell| add(cell, ue));
            return self.settle_guests(now, cx);
        }
        let guest = Guest { ue, home, host, carrier };
        self.guests.push(guest);
        for (cell, is_home) in [(host, false), (home, true)] {
            let Some(book) = &mut self.cells[cell.index()].guests else { continue };
            if is_home { book.away.set(ue, true) } else { book.guests.set(ue, true) }
        }
        self.act_at_host(guest, add);
        self.settle_guests(now, cx);
    }

    /// The cell deactivates the secondary cell of a UE on a carrier until further notice, or lets data activate it again.
    pub(super) fn bar_secondary(
        &mut self,
        (now, ue): (Time, UeId),
        (carrier, barred): (usize, bool),
        cx: &mut Cx<'_>,
    ) {
        let serving = self.serving[ue.index()];
        let own = |guest: &&Guest| guest.ue == serving.ue && guest.carrier == carrier;
        match self.guests.iter().find(own).copied() {
            Some(guest) => self.act_at_host(guest, |cell, ue| cell.bar(now, ue, barred)),
            None => {
                let cell = &mut self.cells[serving.cell.index()];
                cell.lend(carrier, |cell| cell.bar(now, serving.ue, barred));
            }
        }
        self.settle_guests(now, cx);
    }

    /// PDUs of the bearers of guests that are on their way by their hosts are in their homes' books.
    pub(super) fn audit_with_guests(&self) -> Result<(), String> {
        self.cells.iter().try_for_each(|home| {
            home.audit(|ue, bearer, direction| {
                let own = self.guests.iter().filter(|own| own.ue == ue && own.home == home.id);
                let pdus = own.map(|own| {
                    let secondary = &self.cells[own.host.index()].secondaries[own.carrier];
                    secondary.blocks.pdus(ue, bearer, direction)
                });
                pdus.sum()
            })
        })
    }
}
