//! MCS of fixed links by the transport block that is granted.
//!
//! A transport block of C code blocks fails with 1 - (1 - p)^C, where a code block fails with p (TS 36.212,
//! 5.1.2; TS 38.212, 5.2.2). With the resource blocks of a grant their number changes, their size, and with
//! NR the base graph. A CQI says at which scheme a block in its reference resource fails seldom enough
//! (TS 36.213, 7.2.3; TS 38.214, 5.2.2.5). The cell knows the SINR of a fixed link, so that it finds the
//! highest such CQI for the block of each grant.
//!
//! Left out: schemes between those of CQIs; layers of LTE with two transport blocks.

use std::sync::Arc;

use airpath_net::Direction;

use super::{Expected, Links};
use crate::config::CellConfig;
use crate::index::UeIndex;
use crate::mac::SLOT_SYMBOLS;
use crate::phy::LAST_CQI;
use crate::rates::{RateTable, Room};

/// Schemes of a cell's fixed links downlink and uplink, by UE.
#[derive(Clone, Debug)]
pub(in crate::node) struct Fits([Vec<Option<Arc<Fit>>>; 2]);

/// Schemes of a link, by the symbols of a slot that it has.
#[derive(Debug)]
pub(super) struct Fit(Vec<(u8, Row)>);

/// Schemes of a link by number of resource blocks, from 0.
#[derive(Debug)]
pub(in crate::node) struct Row {
    /// The largest MCS.
    pub mcs: Vec<u8>,
    /// Bytes of the largest transport block in at most so many resource blocks.
    pub bytes: Vec<u32>,
    /// The most resource blocks that bring more than one less; at least 1.
    pub most: u16,
}

/// True if so many layers carry one transport block.
fn has_one_block(cell: &CellConfig, direction: Direction, layers: u8) -> bool {
    direction == Direction::Uplink || cell.technology_in(direction).codewords(layers).len() == 1
}

impl Fits {
    /// Of links with these ratios over the carrier and this power, downlink and uplink, if grants decide.
    /// `layers` has those of a link, by direction and UE.
    pub fn new(
        cell: &CellConfig,
        expected: &[Vec<Expected>; 2],
        layers: impl Fn(usize, usize) -> u8,
        rates: &RateTable,
    ) -> Option<Fits> {
        let all = |direction| {
            let mut before: Option<([f64; 3], Arc<Fit>)> = None;
            let own = expected[direction as usize].iter().enumerate();
            let own = own.filter(|(_, one)| !one.measured);
            let fit = own.map(|(ue, one)| {
                let layers = layers(direction as usize, ue);
                let link = [one.sinr, f64::from(one.full_power), f64::from(layers)];
                let alike = before.take().filter(|(same, _)| *same == link);
                let (_, fit) = before.insert(alike.unwrap_or_else(|| {
                    let own = (direction, layers, one.sinr, link[1]);
                    (link, Arc::new(Fit::new(cell, own, rates)))
                }));
                Some(Arc::clone(fit)).filter(|_| has_one_block(cell, direction, layers))
            });
            fit.collect::<Vec<_>>()
        };
        cell.adaptation.by_grant.then(|| Fits(Direction::ALL.map(all)))
    }

    /// Schemes of a link in so many symbols.
    pub fn row(&self, (direction, symbols): (Direction, u8), ue: UeIndex) -> Option<&Row> {
        let Fit(rows) = &**self.0[direction as usize].get(ue.index())?.as_ref()?;
        let found = rows.iter().find(|(own, _)| *own == symbols);
        found.or(rows.first()).map(|(_, row)| row)
    }
}

impl Fit {
    fn new(
        cell: &CellConfig,
        (direction, layers, sinr, full): (Direction, u8, f64, f64),
        rates: &RateTable,
    ) -> Fit {
        let carrier = f64::from(cell.resource_blocks);
        let ratio = |count: u16| match full < carrier {
            true => sinr * carrier / f64::from(count).max(full) / f64::from(layers),
            false => sinr / f64::from(layers),
        };
        let parts = cell.duplex.part_symbols(direction).into_iter();
        let row = |symbols| {
            let room = Room { direction, symbols, layers };
            (symbols, Row::new(cell, room, (&ratio, full), rates))
        };
        Fit([SLOT_SYMBOLS].into_iter().chain(parts).map(row).collect())
    }
}

impl Row {
    /// Resource blocks with the most power are granted in any case: fewer of them fail as often.
    fn new(
        cell: &CellConfig,
        room: Room,
        (ratio, full): (&impl Fn(u16) -> f64, f64),
        rates: &RateTable,
    ) -> Row {
        let (technology, adaptation) = (cell.technology_in(room.direction), &cell.adaptation);
        let of = |cqi| rates.at(room, adaptation.allowed(technology.mcs_for_cqi(cqi)));
        let suits = |cqi, count| {
            let scheme = of(cqi).scheme(count);
            technology.error_at(scheme.mcs, ratio(count), scheme.bytes) <= adaptation.bler_target
        };
        let mut row = Row { mcs: vec![0], bytes: vec![0], most: 1 };
        let (mut cqi, mut largest) = (LAST_CQI, 0);
        for count in 1..=cell.resource_blocks {
            // Schemes of blocks that differ little are near each other.
            while cqi < LAST_CQI && suits(cqi + 1, count) {
                cqi += 1;
            }
            while cqi > 0 && !suits(cqi, count) {
                cqi -= 1;
            }
            if cqi == 0 && f64::from(count) > full.max(1.0) {
                break;
            }
            let scheme = of(cqi).scheme(count);
            if scheme.bytes > largest {
                (largest, row.most) = (scheme.bytes, count);
            }
            row.mcs.push(scheme.mcs);
            row.bytes.push(largest);
        }
        let (len, least) = (usize::from(cell.resource_blocks) + 1, row.mcs.last().copied());
        row.mcs.resize(len, least.unwrap_or(0));
        row.bytes.resize(len, largest);
        row
    }
}

impl Links {
    /// Schemes of its fixed links.
    pub fn fits(&self) -> Option<Arc<Fits>> {
        self.fits.clone()
    }

    /// Schemes of a fixed link in so many symbols, if grants decide.
    pub(super) fn fitting(&self, slot: (Direction, u8), ue: UeIndex) -> Option<&Row> {
        self.fits.as_ref()?.row(slot, ue)
    }

    /// Finds the schemes of a fixed link that has another ratio from now on.
    pub(super) fn fit(
        &mut self,
        cell: &CellConfig,
        (direction, ue): (Direction, UeIndex),
        (layers, sinr): (u8, f64),
    ) {
        let Some(fits) = &mut self.fits else { return };
        let Fits(all) = Arc::make_mut(fits);
        if let Some(fit) = all[direction as usize].get_mut(ue.index()) {
            let link = (direction, layers, sinr, f64::INFINITY);
            let new = || Arc::new(Fit::new(cell, link, &self.tables.rates));
            *fit = has_one_block(cell, direction, layers).then(new);
        }
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
