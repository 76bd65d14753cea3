//! Knowledge of a cell: the channels of its UEs by port, over noise and interference.

use airpath_base::{Db, Time, math};
use airpath_channel::precoding::multi_user::{ZeroForcing, combined, product};
use num_complex::Complex64;

use crate::config::{CellConfig, Knowledge, MultiUser};
use crate::index::UeIndex;
use crate::node::links::Links;
use crate::node::steps::Steps;
use crate::spatial::Spatial;
use crate::ue::Ue;

/// Soundings over which noise and interference are averaged, as a time constant.
const MEAN: u32 = 8;
/// Blocks over which the share of those that arrive is averaged, likewise.
const MEAN_BLOCKS: f32 = 50.0;
/// Part of the outer loop's step: a success of a UE alone raises the loop of its sets by it, up to the beginning.
/// Without it, a UE that failed a few times would never be tried again.
const ALONE: f32 = 0.1;
/// Outer loop of sets at the beginning in dB.
const START_DB: f32 = -2.0;
/// Largest share of a channel's power that is taken to have turned away between two soundings.
const MOST_TURNED: f64 = 0.99;

/// A cell's knowledge of the channels of its UEs by port.
pub(in crate::node) struct MultiUserLinks {
    pub(super) config: MultiUser,
    /// Period and delay of sounding in TTIs.
    period: u64,
    delay: u64,
    /// Decibels up with a success and down with a failure.
    steps_db: [f32; 2],
    pub(super) known: Vec<Known>,
    pub(super) solver: ZeroForcing,
}

/// Knowledge of the channel of a UE.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// TTI of the last sounding, and the slot on the air that it measured.
    tti: Option<u64>,
    slot: u64,
    /// Turning of the channel: after so many TTIs t, a share exp(-turning t^2) of its power is left in the direction
    /// that was measured. None before two soundings in sequence, or without soundings.
    turning: Option<f64>,
    /// Share of first transmissions in sets that arrive.
    pub(super) arrive: f32,
    /// Gains of ports with the UE's antennas combined, group after group.
    gains: Vec<Complex64>,
    /// Ratio of a layer to noise and interference over its gain, in dB, and the number of reports in it.
    scale_db: f32,
    reports: u32,
    /// Decibels that the outer loop adds.
    pub(super) offset_db: f32,
    /// Level that was predicted last in dB, without the outer loop.
    pub(super) level_db: f32,
}

/// State of a cell that a decision reads.
pub(in crate::node) struct View<'a> {
    pub config: &'a CellConfig,
    pub steps: &'a Steps,
    pub ues: &'a [Ue],
    pub links: &'a Links,
    /// TTI of the decision, that on the air, and the begin of the first.
    pub tti: u64,
    pub air: u64,
    pub now: Time,
    /// Symbols of the slot that carry data.
    pub symbols: u8,
}

impl MultiUserLinks {
    /// Those of a cell with so many UEs; none without the option.
    pub fn new(cell: &CellConfig, ues: usize) -> Option<Box<MultiUserLinks>> {
        let config = cell.multi_user?;
        let whole = |span| cell.tti.number_from(Time::ZERO + span).max(1);
        let (target, down) =
            (cell.adaptation.bler_target as f32, cell.reports.outer_loop_db as f32);
        Some(Box::new(MultiUserLinks {
            period: whole(config.period),
            delay: whole(config.delay),
            config,
            steps_db: [down * target / (1.0 - target), down],
            known: vec![Known::new(1.0 - target); ues],
            solver: ZeroForcing::default(),
        }))
    }

    /// Feedback about a first transmission of a UE in sets moves its outer loop.
    pub fn adapt(&mut self, links: &Links, ue: UeIndex, decoded: bool) {
        let [up, down] = self.steps_db;
        let step = if decoded { up } else { -down };
        let own = &mut self.known[ue.index()];
        own.offset_db = links.shifted(own.level_db, own.offset_db, step);
        own.arrive += (f32::from(u8::from(decoded)) - own.arrive) / MEAN_BLOCKS;
    }

    /// Share of first transmissions of a UE in sets that arrive.
    pub fn arrive(&self, ue: UeIndex) -> f64 {
        f64::from(self.known[ue.index()].arrive)
    }

    /// Feedback about a first transmission of a UE that was alone.
    pub fn adapt_alone(&mut self, ue: UeIndex, decoded: bool) {
        let own = &mut self.known[ue.index()];
        if decoded && own.offset_db < START_DB {
            own.offset_db = (own.offset_db + ALONE * self.steps_db[0]).min(START_DB);
        }
    }

    /// The channel of a UE in each group, over the amplitude of its noise and interference. Its power is the ratio of one
    /// layer behind the best precoder. By reports it is larger: the power outside the
    /// reported direction counts, too.
    pub(super) fn channel(
        &mut self,
        spatial: &dyn Spatial,
        ue: UeIndex,
        at: &View<'_>,
    ) -> Vec<Complex64> {
        match self.config.knowledge {
            Knowledge::Sounding => self.sounded(spatial, ue, at),
            Knowledge::Reports => reported(spatial, ue, at),
        }
    }

    /// Share of a channel's power that points anywhere, in this slot on the air. It has turned away since a sounding, or a
    /// report leaves it out.
    pub(super) fn error(&self, spatial: &dyn Spatial, ue: UeIndex, air: u64) -> f64 {
        match self.config.knowledge {
            Knowledge::Sounding => self.known[ue.index()].error(air),
            Knowledge::Reports => astray(spatial),
        }
    }

    fn sounded(&mut self, spatial: &dyn Spatial, ue: UeIndex, at: &View<'_>) -> Vec<Complex64> {
        let own = &at.ues[ue.index()];
        let measured = self.measured(own.config.number, at.tti);
        let known = &mut self.known[ue.index()];
        if known.tti != Some(measured) {
            known.tti = Some(measured);
            let slot = at.steps.last_data(measured, airpath_net::Direction::Uplink);
            let before = std::mem::take(&mut known.gains);
            known.sound(spatial, own.id, at.config.tti.start(slot), groups(at, spatial));
            let passed = slot.saturating_sub(std::mem::replace(&mut known.slot, slot));
            if (1..=2 * self.period).contains(&passed) && before.len() == known.gains.len() {
                known.turn(&before, spatial.ports(), passed);
            }
            let gain = 10.0
                * math::log10(
                    f64::from(spatial.alone(own.id, at.config.tti.start(slot))).max(1e-12),
                );
            known.reports = (known.reports + 1).min(MEAN);
            let scale = at.links.level_alone_db(ue) - gain as f32;
            known.scale_db += (scale - known.scale_db) / known.reports as f32;
        }
        let amplitude = Db(f64::from(known.scale_db)).linear().sqrt();
        known.gains.iter().map(|gain| gain * amplitude).collect()
    }

    /// The TTI whose sounding is the last that a decision in TTI `tti` heeds. UEs sound at different times.
    fn measured(&self, number: u64, tti: u64) -> u64 {
        let phase = number % self.period;
        let since = tti.saturating_sub(self.delay + phase);
        (since - since % self.period) + phase
    }
}

impl Known {
    fn new(arrive: f32) -> Known {
        let turning = None;
        let (gains, offset_db) = (Vec::new(), START_DB);
        let [scale_db, level_db] = [0.0; 2];
        Known {
            tti: None,
            slot: 0,
            turning,
            arrive,
            gains,
            scale_db,
            reports: 0,
            offset_db,
            level_db,
        }
    }

    /// Share of the channel's power that is no longer in the direction that was measured, in this slot on the air.
    pub(super) fn error(&self, air: u64) -> f64 {
        let aged = |turning: f64| {
            let age = air.saturating_sub(self.slot) as f64;
            1.0 - math::exp(-turning * age * age)
        };
        self.turning.map_or(1.0, aged)
    }

    /// Compares the channel with that of so many TTIs before. Directions without relation have 1 / ports of the power in
    /// common.
    fn turn(&mut self, before: &[Complex64], ports: usize, passed: u64) {
        let (mut common, mut all) = (0.0, 0.0);
        for (one, other) in before.chunks_exact(ports).zip(self.gains.chunks_exact(ports)) {
            let power = product(other, other).re;
            common += product(one, other).norm_sqr() / product(one, one).re.max(f64::MIN_POSITIVE);
            all += power;
        }
        let chance = ports as f64 / (ports as f64 - 1.0).max(1.0);
        let turned =
            ((1.0 - common / f64::max(all, f64::MIN_POSITIVE)) * chance).clamp(0.0, MOST_TURNED);
        let turning = -math::ln(1.0 - turned) / (passed * passed) as f64;
        let mean = self.turning.get_or_insert(turning);
        *mean += (turning - *mean) / f64::from(MEAN);
    }

    /// Takes the channel of a UE at this time.
    fn sound(&mut self, spatial: &dyn Spatial, ue: airpath_base::UeId, at: Time, groups: usize) {
        self.gains.clear();
        let mut own = Vec::new();
        for group in 0..groups {
            own.clear();
            spatial.gains(ue, at, group, &mut own);
            self.gains.extend(combined(&own, spatial.ports()));
        }
    }
}

/// Share of a channel's power that points anywhere where reports are the knowledge. A share e outside the reported
/// direction is spread over the other M - 1 of M ports. That is e M / (M - 1) spread over all.
fn astray(spatial: &dyn Spatial) -> f64 {
    let ports = spatial.ports() as f64;
    (spatial.unreported() * ports / (ports - 1.0).max(1.0)).min(MOST_TURNED)
}

/// The direction of a UE's channel in each group by its report. The ratio that it reported is the power in that direction.
fn reported(spatial: &dyn Spatial, ue: UeIndex, at: &View<'_>) -> Vec<Complex64> {
    let reported = Db(f64::from(at.links.level_alone_db(ue))).linear();
    let amplitude = (reported / (1.0 - spatial.unreported()).max(1.0 - MOST_TURNED)).sqrt();
    let mut weights = Vec::new();
    for group in 0..groups(at, spatial) {
        spatial.reported(at.ues[ue.index()].id, at.now, group, &mut weights);
    }
    weights.iter().map(|weight| weight.conj() * amplitude).collect()
}

/// Groups of the carrier.
fn groups(at: &View<'_>, spatial: &dyn Spatial) -> usize {
    usize::from(at.config.resource_blocks.div_ceil(spatial.group().max(1)))
}

#[cfg(test)]
#[path = "knowledge_tests.rs"]
mod tests;
