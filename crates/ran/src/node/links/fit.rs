//! MCS of fixed links by the transport block that is granted.
//!
//! A transport block of C code blocks fails with 1 - (1 - p)^C, where a code block fails with p (TS 36.212,
//! 5.1.2; TS 38.212, 5.2.2). With the resource blocks of a grant their number changes, their size, and with
//! NR the base graph. A CQI says at which scheme a block in its reference resource fails seldom enough
//! (TS 36.213, 7.2.3; TS 38.214, 5.2.2.5). The cell knows the SINR of a fixed link, so that it finds the
//! highest such CQI for the block of each grant.
//!
//! With several layers the number of layers follows likewise: those whose blocks carry most in these resource
//! blocks and symbols. Each of two transport blocks of LTE fails no more often than it may.
//!
//! Left out: schemes between those of CQIs; two transport blocks with different CQIs.

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
    /// The largest MCS, and the layers.
    pub mcs: Vec<u8>,
    pub layers: Vec<u8>,
    /// Bytes of the largest transport block in at most so many resource blocks.
    pub bytes: Vec<u32>,
    /// The most resource blocks that bring more than one less; at least 1.
    pub most: u16,
}

/// A fixed link: its ratio over the carrier with one layer, its resource blocks with the most power, and its
/// most layers.
type Fixed = (f64, f64, u8);

/// True if grants decide the schemes of fixed links with up to so many layers.
pub(super) fn fits(cell: &CellConfig, layers: u8) -> bool {
    cell.adaptation.by_grant || layers > 1
}

impl Fits {
    /// Of links with these ratios over the carrier and this power, downlink and uplink, if grants decide for
    /// one of them.
    pub fn new(
        cell: &CellConfig,
        expected: &[Vec<Expected>; 2],
        rates: &RateTable,
    ) -> Option<Fits> {
        let all = |direction| {
            let mut before: Option<(Fixed, Arc<Fit>)> = None;
            let own = expected[direction as usize].iter().filter(|one| !one.measured);
            let fit = own.map(|one| {
                let link = (one.sinr, f64::from(one.full_power), one.layers);
                fits(cell, one.layers).then(|| {
                    let alike = before.take().filter(|(same, _)| *same == link);
                    let new = || (link, Arc::new(Fit::new(cell, (direction, link), rates)));
                    Arc::clone(&before.insert(alike.unwrap_or_else(new)).1)
                })
            });
            fit.collect::<Vec<_>>()
        };
        let all = Direction::ALL.map(all);
        let any = all.iter().flatten().any(Option::is_some);
        any.then_some(Fits(all))
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
        (direction, (sinr, full, most)): (Direction, Fixed),
        rates: &RateTable,
    ) -> Fit {
        let carrier = f64::from(cell.resource_blocks);
        let ratio = |count: u16| match full < carrier {
            true => sinr * carrier / f64::from(count).max(full),
            false => sinr,
        };
        let parts = cell.duplex.part_symbols(direction).into_iter();
        let row = |symbols| {
            let ranks = Rank::all(cell, (direction, symbols), most);
            (symbols, Row::new(cell, ranks, (&ratio, full), rates))
        };
        Fit([SLOT_SYMBOLS].into_iter().chain(parts).map(row).collect())
    }
}

/// A number of layers, and the highest CQI that it may have.
struct Rank {
    room: Room,
    cqi: u8,
    /// True if the restriction of the rank permits it.
    is_permitted: bool,
}

impl Rank {
    /// One layer, and more up to `most`. One layer is possible whatever the restriction: with the fallback
    /// format, DCI 1_0 or 0_0 of NR.
    fn all(cell: &CellConfig, (direction, symbols): (Direction, u8), most: u8) -> Vec<Rank> {
        let least = cell.least_layers[direction as usize].min(most);
        let rank = |layers| Rank {
            room: Room { direction, symbols, layers },
            cqi: LAST_CQI,
            is_permitted: layers >= least,
        };
        (1..=most.max(1)).map(rank).collect()
    }

    /// The largest MCS with a CQI.
    fn mcs(&self, cell: &CellConfig, cqi: u8) -> u8 {
        cell.adaptation.allowed(cell.technology_in(self.room.direction).mcs_for_cqi(cqi))
    }

    /// Finds the highest CQI whose blocks fail seldom enough in so many resource blocks with this ratio of a
    /// layer; 0 if there is none. Gives the bytes of its blocks.
    fn follow(&mut self, cell: &CellConfig, rates: &RateTable, (ratio, count): (f64, u16)) -> u32 {
        let technology = cell.technology_in(self.room.direction);
        let suits = |rank: &Rank, cqi| {
            rates.all_codewords(rank.room, rank.mcs(cell, cqi), count).each().all(|one| {
                technology.error_at(one.mcs, ratio, one.bytes) <= cell.adaptation.bler_target
            })
        };
        // Schemes of blocks that differ little are near each other.
        while self.cqi < LAST_CQI && suits(self, self.cqi + 1) {
            self.cqi += 1;
        }
        while self.cqi > 0 && !suits(self, self.cqi) {
            self.cqi -= 1;
        }
        rates.all_codewords(self.room, self.mcs(cell, self.cqi), count).all_bytes()
    }
}

impl Row {
    /// Resource blocks with the most power are granted in any case: fewer of them fail as often.
    fn new(
        cell: &CellConfig,
        mut ranks: Vec<Rank>,
        (ratio, full): (&impl Fn(u16) -> f64, f64),
        rates: &RateTable,
    ) -> Row {
        let mut row = Row { mcs: vec![0], layers: vec![1], bytes: vec![0], most: 1 };
        let mut largest = 0;
        for count in 1..=cell.resource_blocks {
            let bytes = ranks.iter_mut().map(|rank| {
                let ratio = ratio(count) / f64::from(rank.room.layers);
                rank.follow(cell, rates, (ratio, count))
            });
            let bytes: Vec<u32> = bytes.collect();
            if ranks.iter().all(|rank| rank.cqi == 0) && f64::from(count) > full.max(1.0) {
                break;
            }
            let works = |(rank, _): &(&Rank, u32)| rank.is_permitted && rank.cqi > 0;
            let working = ranks.iter().zip(bytes.iter().copied()).filter(works);
            let best = working.reduce(|best, next| if next.1 > best.1 { next } else { best });
            let (rank, bytes) = best.unwrap_or((&ranks[0], bytes[0]));
            if bytes > largest {
                (largest, row.most) = (bytes, count);
            }
            row.mcs.push(rank.mcs(cell, rank.cqi));
            row.layers.push(rank.room.layers);
            row.bytes.push(largest);
        }
        row.fill(usize::from(cell.resource_blocks) + 1);
        row
    }

    /// Fills the schemes up to so many with the last one.
    fn fill(&mut self, len: usize) {
        let last = self.mcs.len() - 1;
        self.mcs.resize(len, self.mcs[last]);
        self.layers.resize(len, self.layers[last]);
        self.bytes.resize(len, self.bytes[last]);
    }

    /// MCS and layers in all of the carrier.
    fn of_carrier(&self) -> (u8, u8) {
        let last = self.mcs.len() - 1;
        (self.mcs[last], self.layers[last])
    }
}

impl Links {
    /// Schemes of a fixed link in so many symbols, if grants decide.
    pub(super) fn fitting(&self, slot: (Direction, u8), ue: UeIndex) -> Option<&Row> {
        self.fits.as_ref()?.row(slot, ue)
    }

    /// Finds the schemes of a fixed link that has another ratio from now on.
    pub(super) fn fit(
        &mut self,
        cell: &CellConfig,
        (direction, ue): (Direction, UeIndex),
        sinr: f64,
    ) {
        let most = self.most_layers(direction, ue);
        let Some(Fits(all)) = self.fits.as_mut().map(Arc::make_mut) else { return };
        if let Some(fit) = all[direction as usize].get_mut(ue.index()) {
            let link = (direction, (sinr, f64::INFINITY, most));
            *fit = fits(cell, most).then(|| Arc::new(Fit::new(cell, link, &self.tables.rates)));
        }
        self.settle_fixed(direction, ue);
    }

    /// A fixed link with several layers has over the carrier those of a grant of all of it.
    pub(super) fn settle_fixed(&mut self, direction: Direction, ue: UeIndex) {
        if self.most_layers(direction, ue) > 1 {
            let found = self.fitting((direction, SLOT_SYMBOLS), ue).map(Row::of_carrier);
            let quality = &mut self.quality[direction as usize][ue.index()];
            (quality.allowed, quality.layers) = found.unwrap_or((quality.allowed, quality.layers));
        }
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
