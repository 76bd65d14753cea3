//! RRC of UEs as the radio access network has it.

use airpath_base::random::Seed;
use airpath_base::rrc::{self, Cycle, Pattern, Power, ShortCycle};
use airpath_base::{Duration, Time};
use airpath_ran::{self as ran, ResumeConfig, RrcConfig, Tti};
use airpath_schema::units::Milliwatts;

use super::RrcFacts;
use crate::file::{Cell, Drx, Inactive, Promotion, QuartilePromotion, RadioPower, Rrc, RrcStart};
use crate::resolve::UeRef;

/// A radio frame (TS 36.211, 4).
const FRAME: Duration = Duration::from_millis(10);
/// Subframe of the only paging occasion of a paging frame with FDD (TS 36.304, 7.2).
const OCCASION: Duration = Duration::from_millis(9);
/// Power of micro sleep over that of PDCCH monitoring alone (TR 38.840, 8.1.1: 45 and 100).
const MICRO_SLEEP: f64 = 0.45;
/// Modulus of the IMSI that gives UE_ID (TS 36.304, 7.1).
const IDENTITIES: u64 = 1_024;

/// A radio as a capture's hosts are taken to have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioModel {
    /// Timers and cycles.
    pub states: rrc::Config,
    /// Typical time of a promotion: the median of its distribution.
    pub promotion: Duration,
    /// Power of the states.
    pub power: Power,
}

impl Rrc {
    /// The radio of one UE, whose occasions for pages and on-durations begin at zero, with
    /// TTIs of LTE.
    pub fn model(&self) -> RadioModel {
        let states = states(self, (0, None), Tti::LTE);
        let promotion = match &self.promotion {
            Promotion::Fixed(fixed) => fixed.delay,
            Promotion::Uniform(uniform) => {
                uniform.min + uniform.max.saturating_sub(uniform.min) / 2
            }
            Promotion::Normal(normal) => normal.mean,
            Promotion::Lognormal(lognormal) => lognormal.median,
            Promotion::Quartiles(quartiles) => quartiles.p50,
        };
        RadioModel { states, promotion, power: milliwatts(&self.power) }
    }
}

/// States of the UE with this number and this identity for pages; without one its occasions begin at zero.
fn states(rrc: &Rrc, (ue, identity): (u64, Option<u64>), tti: Tti) -> rrc::Config {
    let paging = |cycle| {
        let offset = identity.map_or(Duration::ZERO, |identity| occasion(cycle, identity));
        Pattern { cycle: Cycle::every(cycle), offset, on: rrc.power.paging_time }
    };
    rrc::Config {
        release_after: rrc.release_after.quantity(),
        drx: rrc.drx.as_ref().map(|drx| discontinuous(drx, ue, tti)),
        skipping: rrc.pdcch_skipping,
        paging: paging(rrc.paging_cycle),
        inactive: rrc.inactive.as_ref().map(|own| rrc::Inactive {
            release_after: own.release_after.quantity(),
            paging: paging(own.paging_cycle.unwrap_or(rrc.paging_cycle)),
        }),
    }
}

/// RRC of the UE with this number, and the same for the results, if it has any.
pub(super) fn config(
    ue: &UeRef<'_>,
    n: u64,
    cell: &Cell,
    seed: Seed,
) -> Option<(RrcConfig, RrcFacts)> {
    let rrc = ue.group.rrc.as_ref().or(cell.rrc.as_ref())?;
    let name = ue.name();
    let identity = seed.stream(&format!("{name} / identity")).below(IDENTITIES);
    let states = states(rrc, (n, Some(identity)), cell.tti.tti());
    let connected = rrc.start == RrcStart::Connected;
    let promotion = promotion(&rrc.promotion);
    let draws = seed.stream(&format!("{name} / promotion"));
    let facts = RrcFacts { states, connected, power: milliwatts(&rrc.power) };
    let resume = rrc.inactive.as_ref().map(|own| resume(own, &name, seed));
    Some((RrcConfig { states, connected, promotion, draws, resume }, facts))
}

/// Resumes of the UE with this name.
fn resume(own: &Inactive, ue: &str, seed: Seed) -> ResumeConfig {
    ResumeConfig {
        duration: promotion(&own.resume),
        draws: seed.stream(&format!("{ue} / resume")),
        context: own.context,
        transport: own.transport,
    }
}

/// The first paging occasion: SFN mod T = (T div N) (UE_ID mod N) with N = T. A paging frame has
/// one occasion (TS 36.304, 7.1, with nB = T).
fn occasion(cycle: Duration, identity: u64) -> Duration {
    let frames = (cycle / FRAME).max(1);
    FRAME * (identity % frames) + OCCASION
}

fn discontinuous(drx: &Drx, ue: u64, tti: Tti) -> rrc::Drx {
    let shortest = drx.long_cycle.shortest();
    // Intervals, or subframes, that begin within a long cycle.
    let offset = match drx.long_cycle.as_fraction() {
        Some(_) => Duration::from_millis(ue % shortest.as_millis().max(1)),
        None => tti.times(ue % tti.number_from(Time::ZERO + shortest).max(1)),
    };
    rrc::Drx {
        on_duration: drx.on_duration,
        inactivity: drx.inactivity,
        short: drx
            .short_cycle
            .quantity()
            .map(|cycle| ShortCycle { cycle, count: drx.short_cycles }),
        long_cycle: drx.long_cycle,
        offset: drx.offset.unwrap_or(offset),
        command: drx.command,
    }
}

fn promotion(promotion: &Promotion) -> ran::Promotion {
    match promotion {
        Promotion::Fixed(fixed) => ran::Promotion::Fixed(fixed.delay),
        Promotion::Uniform(uniform) => {
            ran::Promotion::Uniform { min: uniform.min, max: uniform.max }
        }
        Promotion::Normal(normal) => {
            ran::Promotion::Normal { mean: normal.mean, deviation: normal.deviation }
        }
        Promotion::Lognormal(lognormal) => {
            ran::Promotion::Lognormal { median: lognormal.median, sigma: lognormal.sigma }
        }
        Promotion::Quartiles(quartiles) => {
            let QuartilePromotion { min, p25, p50, p75, max } = *quartiles;
            let (min, max) = (min.unwrap_or(p25), max.unwrap_or(p75));
            ran::Promotion::Quartiles([min, p25, p50, p75, max])
        }
    }
}

fn milliwatts(power: &RadioPower) -> Power {
    Power {
        idle: power.idle.0,
        paging: power.paging.0,
        promotion: power.promotion.0,
        active: power.active.0,
        skip: power.skip.unwrap_or(Milliwatts(MICRO_SLEEP * power.active.0)).0,
        sleep: power.sleep.0,
        on: power.on.0,
        up: power.up.0,
        down: power.down.0,
    }
}
