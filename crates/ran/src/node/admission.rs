//! Admission of UEs to a cell: radio admission control (TS 36.300, 16.1.1).
//!
//! - A cell counts the UEs that it serves, connected or on their way to a connection. UEs that it has admitted for a
//!   handover, or as a candidate of a conditional one, count from then on.
//! - Their guaranteed bit rates need a share of the resource blocks downlink: each rate over the one that the UE would
//!   have alone, in one layer, at its mean SINR with all cells active.
//! - A UE that is idle or inactive is rejected by a cell without room, and waits for T302 (TS 36.331, 5.3.3.8; TS
//!   38.331, 5.3.15). T302 ends with cell reselection.
//!
//! **All or nothing.** Decision: a cell admits a UE with all bearers or refuses it. Reason: a bearer of a scenario is there
//! for the whole run. Price: a target of TS 36.423, 8.2.1.2, admits single bearers, and releases the others.
//!
//! Left out: pre-emption (ARP), admission by load uplink, access classes, and establishment causes. While T302 runs, a UE
//! is not paged. In NR it could answer a page (TS 38.331, 5.3.14).

use std::sync::Arc;

use airpath_base::{Duration, Time, math};
use airpath_net::{Direction, Event, RadioEvent};

use super::Ran;
use super::cell::Cell;
use super::common::Moment;
use crate::air::{Link, mean_ratio};
use crate::config::RanConfig;
use crate::duplex::Purpose;
use crate::handover::AdmissionConfig;
use crate::index::UeIndex;
use crate::radio_link::Phase;
use crate::ue::{Ue, UeSet};

const DOWN: Direction = Direction::Downlink;

/// Admission of UEs to a cell.
pub(super) struct Admission {
    config: AdmissionConfig,
    /// Number of cells on the carrier.
    cells: usize,
    /// Guaranteed bit rates of each UE together, bit/s.
    guaranteed: Arc<[f64]>,
    /// UEs of other cells that have been admitted.
    coming: UeSet,
}

impl Ran {
    /// Cells begin to admit UEs by their load, if the configuration says so.
    pub(super) fn begin_admission(&mut self, config: AdmissionConfig, guaranteed: &Arc<[f64]>) {
        let ues = self.serving.len();
        let carriers: Vec<usize> = self.cells.iter().map(Cell::air_index).collect();
        for cell in self.cells.iter_mut() {
            let cells = carriers.iter().filter(|own| **own == cell.air_index()).count();
            let (guaranteed, coming) = (Arc::clone(guaranteed), UeSet::new(ues));
            cell.admission = Some(Box::new(Admission { config, cells, guaranteed, coming }));
        }
    }
}

/// Guaranteed bit rates of each UE together, bit/s.
pub(super) fn guaranteed(config: &RanConfig) -> Arc<[f64]> {
    let mut all = vec![0.0; config.ues.len()];
    for bearer in &config.bearers {
        let rate = bearer.channel.guaranteed_bit_rate.map_or(0, |rate| rate.as_bps());
        all[bearer.ue.index()] += rate as f64;
    }
    all.into()
}

impl Cell {
    /// A UE of another cell has been admitted and comes, or comes no more.
    pub fn keep_room(&mut self, ue: UeIndex, kept: bool) {
        self.admission.iter_mut().for_each(|own| own.coming.set(ue, kept));
    }

    /// True if a UE is admitted, or may be now. It does not count itself.
    pub fn has_room_for(&self, ue: UeIndex) -> bool {
        let Some(own) = &self.admission else { return true };
        let counts = |other: &UeIndex| {
            *other != ue && (own.coming.contains(*other) || self.is_occupied_by(*other))
        };
        let others = || UeIndex::all(self.ues.len()).filter(counts);
        if own.config.ues.is_some_and(|most| others().count() >= most as usize) {
            return false;
        }
        let Some(most) = own.config.guaranteed.filter(|_| own.guaranteed[ue.index()] > 0.0) else {
            return true;
        };
        let share = |ue: UeIndex| self.guaranteed_share(own, ue);
        share(ue) + others().map(share).sum::<f64>() <= most
    }

    /// UEs that the cell serves, connected or on their way to a connection.
    pub fn connected_ues(&self) -> usize {
        UeIndex::all(self.ues.len()).filter(|ue| self.is_occupied_by(*ue)).count()
    }

    /// True if a UE of the cell has a connection, or is on its way to one.
    fn is_occupied_by(&self, ue: UeIndex) -> bool {
        let own = &self.ues[ue.index()];
        let is_connecting = || match self.has_rrc(ue) {
            true => !self.is_idle(ue),
            false => self.radio_links.phase(ue) != Phase::Idle,
        };
        !own.is_absent() && !self.hosts(ue) && own.config.served && is_connecting()
    }

    /// Share of the resource blocks downlink that the guaranteed rates of a UE need; infinite out of range.
    fn guaranteed_share(&self, own: &Admission, ue: UeIndex) -> f64 {
        let rate = own.guaranteed[ue.index()];
        if rate <= 0.0 {
            return 0.0;
        }
        rate / self.mean_rate_alone(own.cells, &self.ues[ue.index()], ue)
    }

    /// Bits a second that a UE would have alone in the cell, in one layer, at its mean SINR; 0 out of range.
    fn mean_rate_alone(&self, cells: usize, of: &Ue, ue: UeIndex) -> f64 {
        let Link::Network(channel) = &of.config.link else { return 0.0 };
        let sinr = mean_ratio(channel.as_ref(), of.id, self.site(), cells);
        if !self.suits(sinr) {
            return 0.0;
        }
        let (level, all) = ((10.0 * math::log10(sinr)) as f32, self.config.resource_blocks);
        let period = self.config.duplex.period();
        let served = (0..period).filter(|tti| self.steps.serves(Purpose::DownlinkData, *tti));
        let bytes = served.map(|tti| {
            let symbols = self.steps.symbols(tti, DOWN);
            u64::from(self.links.scheme_at(ue, (symbols, level), all).bytes)
        });
        let seconds = period as f64 * self.config.tti.length().as_secs_f64();
        8.0 * bytes.sum::<u64>() as f64 / seconds
    }

    /// True if a UE that has received a page is to be rejected.
    pub fn refuses_page(&self, ue: UeIndex, now: Time) -> bool {
        self.admission.is_some() && self.is_paged_now(ue, now) && !self.has_room_for(ue)
    }

    /// The cell rejects the connection of a UE. T302 begins.
    #[cold]
    pub fn reject(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let wait = self.admission.as_ref().map_or(Duration::ZERO, |own| own.config.wait_time);
        let (cell, id) = (self.id, self.ues[ue.index()].id);
        at.cx.emit(|| Event::Radio(RadioEvent::Rejected { ue: id, cell }));
        self.radio_links.begin_t302(ue, at.now + wait);
        self.arm_link(at.now, ue);
    }

    /// True if T302 of a UE runs. At its end the UE requests a connection again, if it needs one.
    pub fn waits_for_t302(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) -> bool {
        let Some(end) = self.radio_links.t302(ue) else { return false };
        if at.now < end {
            return true;
        }
        self.end_t302(ue, at);
        false
    }

    /// T302 of a UE ends, if it runs.
    pub fn end_t302(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        if !self.radio_links.take_t302(ue) {
            return;
        }
        for direction in Direction::ALL {
            if self.has_rrc(ue) && self.waits_for_connection(ue, direction) {
                self.request_connection(ue, direction, at);
            }
        }
    }
}
