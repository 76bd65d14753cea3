//! Link adaptation: the cell's knowledge of the links of its UEs, and the MCS that follows.
//!
//! - A fixed link allows one MCS, or one for each [number of resource blocks](fit), until its ratio
//!   changes.
//! - A link of a network is measured once a period, and known after a delay: downlink as CQIs
//!   by subband that the UE reports (TS 36.213, 7.2; TS 38.214, 5.2.2), uplink from sounding,
//!   by subband too (TS 36.213, 8.2). A report is computed when it is needed, from what was on
//!   the air when it was measured, and [predicts](Prediction) what the link is when it counts.
//!   Until the first one the long-term mean counts.
//! - CQI 0 is "out of range" (TS 36.213, 7.2.3; TS 38.214, 5.2.2): a UE whose last report over the
//!   carrier is CQI 0 gets no new data. Uplink the cell's own measurement decides likewise, with
//!   the power that the fewest resource blocks of a grant can have. Retransmissions go on.
//! - An outer loop shifts the levels of each UE so that the wanted share of first
//!   transmissions fails: down with each failure, up with each success, the steps in the ratio
//!   of successes to failures (Sampath, Sarath Kumar and Holtzman, "On setting reverse link
//!   target SIR in a CDMA system", 1997). It stays as it is while a UE has nothing to send.
//! - A UE reports each number of layers that it may have: NR has several report configurations, each with
//!   a restriction of the rank (TS 38.214, 5.2.1.4 and 5.2.2.2.1). The rank is the one that
//!   would carry most where it was measured. Each has an outer loop of its own.
//! - Uplink, a UE whose power does not suffice for the carrier has less in each of more resource
//!   blocks ([`Headroom`]).
//!
//! Left out: errors and loss of reports, and differential coding of subbands. So CQI 0 of one
//! subband alone excludes nothing: TS 36.213, 7.2.1, codes subbands relative to the carrier.

mod codewords;
mod fit;
mod given;
pub(super) mod measured;
mod moved;
mod offer;
mod ranks;

use std::sync::Arc;

use airpath_base::math;
use airpath_base::random::{Keyed, Seed};
use airpath_net::Direction;

use self::fit::Fits;
pub(super) use self::offer::Offer;
pub use self::ranks::Report;
use self::ranks::fixed;
use super::headroom::Headroom;
use super::prediction::Prediction;
use super::tables::Tables;
use crate::config::{CellConfig, Reports};
use crate::index::UeIndex;
use crate::mac::{ResourceBlocks, SLOT_SYMBOLS, group_size};
use crate::phy::{STREAMS, Technology, stream};
use crate::rates::{Rates, Room, Scheme};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// The links of a cell's UEs.
pub(super) struct Links {
    tables: Arc<Tables>,
    reports: Reports,
    /// Period and delay of reports in TTIs.
    period: u64,
    delay: u64,
    /// Decibels up with a success and down with a failure.
    steps_db: [f32; 2],
    quality: [Vec<Quality>; 2],
    /// Schemes of fixed links by grant; none where a reference of 50 resource blocks counts.
    fits: Option<Arc<Fits>>,
    /// Headroom of UEs whose power uplink does not suffice for the carrier.
    headroom: Vec<Option<Box<Headroom>>>,
    /// Levels by subband, for each codeword of each number of layers ([`stream`]).
    prediction: [Vec<Prediction>; 2],
    /// Rates downlink in each [group](group_size) of resource blocks, in bits a symbol; UE after
    /// UE.
    group_rates: Vec<f32>,
    /// The subband of each group.
    subband_of: Vec<usize>,
    /// The subbands.
    subbands: Vec<ResourceBlocks>,
    /// Resource blocks of the carrier.
    carrier: u16,
    /// The fewest resource blocks of a grant uplink.
    fewest: u16,
    /// Draws of the reports with a lesson.
    lessons: Keyed,
    /// Fewest layers downlink and uplink, of UEs that can have as many.
    least_layers: [u8; 2],
    /// Technology downlink, which says how many codewords there are. Uplink there is one.
    technology: Technology,
    /// True if each codeword goes over all layers.
    delay_diversity: bool,
}

/// Knowledge of a link in a direction.
#[derive(Clone, Copy, Debug)]
struct Quality {
    /// The largest MCS that it allows: downlink over the carrier, uplink in few resource blocks.
    allowed: u8,
    /// True if the CQI over the carrier is above 0; uplink, what the cell measures likewise.
    in_range: bool,
    /// True if it is measured.
    measured: bool,
    /// The UE's number: when in a period it is measured.
    number: u64,
    /// The TTI that was measured last.
    tti: Option<u64>,
    /// Its layers, by the last report, and at most.
    layers: u8,
    most_layers: u8,
    /// Mean rate of each number of layers from one on, once they have been reported.
    rates: Option<[f32; 4]>,
    /// Control channel elements of a grant.
    control_elements: u8,
    /// Level of a layer over the carrier in dB, for each codeword of each number of layers ([`stream`]).
    levels_db: [f32; STREAMS],
    /// Decibels that the outer loop adds.
    offset_db: f32,
    /// Number of resource blocks that get the most power. More resource blocks share it.
    full_power: f32,
    /// Most bytes of a transport block of one layer, and of all in a TTI.
    most_bytes: u32,
    most_tti_bytes: u32,
}

impl Quality {
    /// Quality of a link without a measurement: the expected SINR decides the level.
    fn of(cell: &CellConfig, direction: Direction, expected: &Expected) -> Quality {
        let (allowed, levels_db) = fixed(cell, direction, expected.sinr);
        Quality {
            allowed,
            in_range: true,
            measured: expected.measured,
            number: expected.number,
            tti: None,
            layers: 1,
            most_layers: expected.layers,
            rates: None,
            control_elements: 0,
            levels_db,
            offset_db: 0.0,
            full_power: expected.full_power,
            most_bytes: expected.most_bytes,
            most_tti_bytes: expected.most_tti_bytes,
        }
    }

    /// Level of a layer over the carrier in dB, with its present layers.
    fn level_db(&self) -> f32 {
        self.levels_db[usize::from(self.layers) - 1]
    }
}

/// True if a UE may get new data, and the level over the carrier in dB by which that is so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub in_range: bool,
    pub level_db: f32,
}

/// The link of a UE in a direction, as it is at the beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// The UE's number.
    pub number: u64,
    /// Its signal to interference and noise ratio over the carrier, as a factor.
    pub sinr: f64,
    /// True if it is of a network.
    pub measured: bool,
    /// Number of resource blocks that get the most power.
    pub full_power: f32,
    /// Most bytes of a transport block, and of all in a TTI.
    pub most_bytes: u32,
    pub most_tti_bytes: u32,
    /// Most layers.
    pub layers: u8,
}

impl Links {
    /// Of a cell, whose UEs are expected to have these links.
    pub fn new(cell: &CellConfig, expected: [Vec<Expected>; 2], tables: Arc<Tables>) -> Links {
        let carrier = cell.resource_blocks;
        let reports = cell.reports;
        let subband = reports.subband_of(carrier);
        let count = usize::from(carrier.div_ceil(subband));
        let whole = |span| cell.tti.number_from(airpath_base::Time::ZERO + span).max(1);
        let target = cell.adaptation.bler_target as f32;
        let down = reports.outer_loop_db as f32;
        let headroom = |one| Headroom::of_link(cell, one, &tables.rates);
        let headroom = expected[UP as usize].iter().map(headroom).collect();
        let quality = [DOWN, UP].map(|direction| {
            let all = expected[direction as usize].iter();
            all.map(|expected| Quality::of(cell, direction, expected)).collect::<Vec<Quality>>()
        });
        let fits = Fits::new(cell, &expected, &tables.rates).map(Arc::new);
        let (period, delay) = (whole(reports.period), whole(reports.delay));
        let age = delay as f64 / period as f64 + 0.5;
        let prediction = |direction: usize| {
            let of = |layers: usize| {
                let levels = quality[direction].iter().map(|one| one.levels_db[layers]);
                Prediction::new(levels, count, age)
            };
            let technology = cell.technology_in(Direction::ALL[direction]);
            (0..technology.streams(cell.layers[direction])).map(of).collect()
        };
        let group = group_size(carrier);
        let firsts_of = |width: u16| (0..carrier).step_by(usize::from(width));
        let subband_of = |first: u16| usize::from((first + group / 2).min(carrier - 1) / subband);
        let subband_of: Vec<usize> = firsts_of(group).map(subband_of).collect();
        let mut links = Links {
            group_rates: vec![0.0; quality[0].len() * subband_of.len()],
            subband_of,
            tables,
            prediction: [prediction(0), prediction(1)],
            period,
            delay,
            steps_db: [down * target / (1.0 - target), down],
            reports: Reports { subband: Some(subband), ..reports },
            quality,
            fits,
            headroom,
            subbands: firsts_of(subband).map(|n| ResourceBlocks::range(n, subband)).collect(),
            carrier,
            fewest: cell.uplink.min_resource_blocks.clamp(1, carrier.max(1)),
            lessons: Seed(0).keyed("radio / lessons of reports"),
            least_layers: cell.least_layers,
            technology: *cell.technology_in(DOWN),
            delay_diversity: cell.transmission.delay_diversity,
        };
        UeIndex::all(links.quality[0].len()).for_each(|ue| links.begin(ue));
        links
    }

    /// Looks up what follows from the level of a UE of which there is no report.
    fn begin(&mut self, ue: UeIndex) {
        for direction in Direction::ALL {
            self.settle_fixed(direction, ue);
            let level = self.quality[direction as usize][ue.index()].levels_db[0];
            self.look_up_range(direction, ue, level);
        }
        self.look_up_groups(ue);
    }

    /// A fixed link of the cell has another ratio from now on, as a factor: the same in any
    /// number of resource blocks. Gives the link's range if it came into range or went out of it.
    pub fn fix(
        &mut self,
        cell: &CellConfig,
        direction: Direction,
        ue: UeIndex,
        sinr: f64,
    ) -> Option<Range> {
        let quality = &mut self.quality[direction as usize][ue.index()];
        (quality.allowed, quality.levels_db) = fixed(cell, direction, sinr);
        let level = quality.levels_db[0];
        if direction == UP {
            (quality.full_power, self.headroom[ue.index()]) = (f32::INFINITY, None);
        }
        self.fit(cell, (direction, ue), sinr);
        self.look_up_range(direction, ue, level)
    }

    /// True if a UE may get new data: its CQI is above 0. Uplink, the cell measures that it
    /// could decode the least MCS in the fewest resource blocks of a grant.
    #[inline]
    pub fn in_range(&self, direction: Direction, ue: UeIndex) -> bool {
        self.quality[direction as usize][ue.index()].in_range
    }

    /// Looks up whether a link is in range that was measured with this level over the carrier in
    /// dB. Gives what it is now, if that has changed.
    fn look_up_range(&mut self, direction: Direction, ue: UeIndex, level_db: f32) -> Option<Range> {
        let full_power = self.quality[direction as usize][ue.index()].full_power;
        let fewest = match direction {
            Direction::Downlink => self.carrier,
            Direction::Uplink => self.fewest,
        };
        let level_db = level_db + self.more_power_db(full_power, fewest);
        let in_range = self.tables.levels[direction as usize].in_range(level_db);
        let quality = &mut self.quality[direction as usize][ue.index()];
        quality.control_elements =
            self.tables.levels[direction as usize].control_elements(quality.levels_db[0]);
        let before = std::mem::replace(&mut quality.in_range, in_range);
        (before != in_range).then_some(Range { in_range, level_db })
    }

    /// The largest MCS of a link in a direction: downlink over the carrier, uplink in few resource
    /// blocks.
    #[inline]
    pub fn allowed(&self, direction: Direction, ue: UeIndex) -> u8 {
        self.quality[direction as usize][ue.index()].allowed
    }

    /// Its tables.
    pub fn tables(&self) -> Arc<Tables> {
        Arc::clone(&self.tables)
    }

    /// A level of a link in one resource block, which has the more power uplink the fewer
    /// there are.
    fn best_db(&self, quality: &Quality, level_db: f32) -> f32 {
        level_db + self.more_power_db(quality.full_power, 1)
    }

    /// Feedback about a first transmission, whose codeword and number of layers have this index, moves the
    /// outer loop.
    #[inline]
    pub fn adapt(&mut self, direction: Direction, ue: UeIndex, stream: usize, decoded: bool) {
        let quality = &self.quality[direction as usize][ue.index()];
        if !quality.measured {
            return;
        }
        let [up, down] = self.steps_db;
        let (step, level) = match decoded {
            true => (up, quality.levels_db[stream]),
            false => (-down, self.best_db(quality, quality.levels_db[stream])),
        };
        let levels = &self.tables.levels[direction as usize];
        let offset_db = levels.shifted(level, quality.offset_db, step);
        self.quality[direction as usize][ue.index()].offset_db = offset_db;
        self.look_up(direction, ue);
    }

    /// The rates of a UE in so many symbols by number of resource blocks, wherever they are.
    #[inline]
    pub fn rates(&self, (direction, symbols): (Direction, u8), ue: UeIndex) -> &Rates {
        let allowed = self.quality[direction as usize][ue.index()].allowed;
        self.tables.rates.at(self.room((direction, symbols), ue), allowed)
    }

    /// Room of a UE's transport blocks in so many symbols, with its present layers.
    #[inline]
    pub fn room(&self, (direction, symbols): (Direction, u8), ue: UeIndex) -> Room {
        let layers = self.quality[direction as usize][ue.index()].layers;
        Room { direction, symbols, layers }
    }

    /// The largest MCS of a fixed link in so many resource blocks.
    fn fixed_allowed(&self, slot: (Direction, u8), ue: UeIndex, count: u16) -> u8 {
        if let Some(row) = self.fitting(slot, ue) {
            return row.mcs[usize::from(count)];
        }
        let own = self.headroom[ue.index()].as_ref().filter(|_| slot.0 == UP);
        own.map_or(self.quality[slot.0 as usize][ue.index()].allowed, |own| own.allowed(count))
    }

    /// Layers of a UE in so many resource blocks and symbols.
    pub fn layers_in(&self, slot: (Direction, u8), ue: UeIndex, count: u16) -> u8 {
        let own = self.fitting(slot, ue).map(|row| row.layers[usize::from(count)]);
        own.unwrap_or(self.quality[slot.0 as usize][ue.index()].layers)
    }

    /// Brings what a UE gets uplink up to date, if its power does not suffice for the carrier.
    #[inline]
    pub fn follow_headroom(&mut self, ue: UeIndex) {
        let Some(mut own) = self.headroom[ue.index()].take() else { return };
        let quality = &self.quality[UP as usize][ue.index()];
        if quality.measured {
            let levels = &self.tables.levels[UP as usize];
            // The outer loop moves the MCS. How many resource blocks are worth it, power says.
            let offset = quality.offset_db;
            let allowed =
                |level| (levels.allowed(level), level - offset.min(0.0) >= levels.least_db());
            let level = self.best_db(quality, quality.level_db()) + offset;
            own.follow(level, (&self.tables.rates, &self.tables.counts_db), allowed);
        }
        self.headroom[ue.index()] = Some(own);
    }

    /// Bytes of a UE uplink by number of resource blocks, and the most that are worth a grant.
    #[inline]
    pub fn uplink(&self, ue: UeIndex, symbols: u8) -> (&[u32], u16) {
        if let Some(row) = self.fitting((UP, symbols), ue) {
            return (&row.bytes, row.most);
        }
        match &self.headroom[ue.index()] {
            Some(own) if symbols == SLOT_SYMBOLS => (own.bytes(), own.most()),
            // By the MCS of few resource blocks.
            Some(own) => (&self.rates((UP, symbols), ue).bytes, own.most()),
            None => (&self.rates((UP, symbols), ue).bytes, self.carrier),
        }
    }

    /// The rates in so many symbols where nothing is known of a link.
    pub fn unsounded(&self, symbols: u8) -> &Rates {
        self.tables.rates.at(Room::single(UP, symbols), 0)
    }

    /// The SINR in dB that would give each of several resource blocks the capacity that they
    /// have on average.
    pub fn effective_db(&self, sinrs: &[f32]) -> f32 {
        self.tables.capacity.effective_db(sinrs)
    }

    /// Control channel elements that a grant takes.
    #[inline]
    pub fn control_elements(&self, ue: UeIndex) -> u8 {
        self.quality[DOWN as usize][ue.index()].control_elements
    }

    /// The chance that the UE misses a grant.
    #[inline]
    pub fn grant_missed(&self, ue: UeIndex) -> f32 {
        self.tables.levels[DOWN as usize]
            .grant_missed(self.quality[DOWN as usize][ue.index()].levels_db[0])
    }

    /// MCS and bytes of a transport block in these resource blocks, over so many symbols.
    #[inline]
    pub fn scheme(
        &self,
        (direction, symbols): (Direction, u8),
        ue: UeIndex,
        blocks: &ResourceBlocks,
    ) -> Scheme {
        let quality = &self.quality[direction as usize][ue.index()];
        let count = usize::from(blocks.count());
        let fitting = self.fitting((direction, symbols), ue);
        let layers = fitting.map_or(quality.layers, |row| row.layers[count]);
        let room = Room { direction, symbols, layers };
        if layers > 1 && self.codewords(direction, layers).len() > 1 {
            return self.scheme_of_two(room, ue, blocks);
        }
        let allowed = match fitting {
            Some(row) => row.mcs[count],
            None => self.allowed_in((direction, symbols), ue, (stream(layers, 0), blocks)),
        };
        self.tables.rates.scheme(room, (allowed, quality.most_bytes), blocks.count())
    }

    /// The largest MCS in these resource blocks, by the report with this index.
    fn allowed_in(
        &self,
        (direction, symbols): (Direction, u8),
        ue: UeIndex,
        (stream, blocks): (usize, &ResourceBlocks),
    ) -> u8 {
        let quality = &self.quality[direction as usize][ue.index()];
        let count = blocks.count();
        if !quality.measured {
            return self.fixed_allowed((direction, symbols), ue, count);
        }
        let own = self.prediction[direction as usize][stream].levels(ue);
        let level = self.level_in(own, blocks) + quality.offset_db;
        let more = self.more_power_db(quality.full_power, count);
        self.tables.levels[direction as usize].allowed(level + more)
    }

    /// Gain in dB of a UE's signal in each of `count` resource blocks over that in the whole carrier.
    fn more_power_db(&self, full_power: f32, count: u16) -> f32 {
        let sharing = |count: u16| f32::from(count).max(full_power);
        let (all, some) = (sharing(self.carrier), sharing(count));
        if all > some { 10.0 * math::log10(f64::from(all / some)) as f32 } else { 0.0 }
    }

    /// Mean of the levels of subbands in dB in these resource blocks.
    fn level_in(&self, own: &[f32], blocks: &ResourceBlocks) -> f32 {
        let (mut sum, mut all) = (0.0, 0);
        for (level, subband) in own.iter().zip(&self.subbands) {
            let here = blocks.common(subband).count();
            sum += level * f32::from(here);
            all += here;
        }
        sum / f32::from(all.max(1))
    }

    /// Level in dB of each of so many layers of a UE over the carrier. The power is that of so many resource blocks.
    pub fn level_db(&self, direction: Direction, ue: UeIndex, (layers, count): (u8, u16)) -> f32 {
        let quality = &self.quality[direction as usize][ue.index()];
        quality.levels_db[stream(layers, 0)] + self.more_power_db(quality.full_power, count)
    }

    /// The fewest and the most resource blocks of a UE's grant for new data.
    pub fn grants(&self, direction: Direction, ue: UeIndex) -> (u16, u16) {
        match direction {
            Direction::Downlink => {
                let fit = self.fitting((DOWN, SLOT_SYMBOLS), ue);
                let most = match fit {
                    Some(row) => row.most.min(self.most_downlink(ue, &row.bytes)),
                    None => self.most_downlink(ue, &self.rates((DOWN, SLOT_SYMBOLS), ue).bytes),
                };
                (most, most)
            }
            Direction::Uplink => (self.fewest, self.carrier),
        }
    }

    /// Rates downlink in each group of resource blocks, in bits a symbol; UE after UE.
    pub fn group_rates(&self) -> &[f32] {
        &self.group_rates
    }

    /// Rates of a UE downlink in each group of resource blocks, in bits a symbol.
    pub fn group_rates_of(&self, ue: UeIndex) -> &[f32] {
        let groups = self.subband_of.len();
        &self.group_rates[ue.index() * groups..][..groups]
    }
}
