//! The library: what it is made for, where a link reads it, and what it says.

use airpath_base::random::{Keyed, Seed};
use airpath_base::{CellId, Duration, Time, UeId};

use super::build;
use super::doppler::hold;
use super::profile::Profile;
use crate::precoding::{Correlation, Precoding};

/// Steps of the time axis at least: twenty periods of the largest Doppler shift at the usual
/// hold.
const LEAST_STEPS: u32 = 2048;
/// Bytes of gains at most, where that does not make the axis shorter than [`LEAST_STEPS`].
const BYTES: usize = 4 << 20;
/// Periods of the largest Doppler shift on the axis at least; fewer lines than twice that
/// would not make Rayleigh fading.
const LEAST_CYCLES: f64 = 16.0;
/// Longest delay spread: the longest of TR 38.901, table 7.7.3-1, and as much again.
const LONGEST_SPREAD: Duration = Duration::from_micros(2);

/// What a library is made for. Links that differ in any of this read different libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibraryConfig {
    /// Power delay profile.
    pub profile: Profile,
    /// Its root mean square delay spread, 0 to 2 us.
    pub delay_spread: Duration,
    /// Largest Doppler shift in Hz ([`doppler_hz`](super::doppler_hz)); 0: fading that never
    /// changes.
    pub doppler_hz: f64,
    /// Resource blocks, 1 to 275.
    pub resource_blocks: u16,
    /// Numerology (TS 38.211, 4.2), 0 to 6: a resource block has 180 kHz, a slot 1 ms, and
    /// half the time and twice the width for each more. LTE is 0.
    pub numerology: u8,
    /// Ports of the base station and how it uses them.
    pub precoding: Precoding,
    /// Correlation among its ports.
    pub correlation: Correlation,
    /// Periods of the largest Doppler shift for which a step is held, above 0; rounded to whole
    /// slots, at least one.
    pub hold_cycles: f64,
    /// Steps of the time axis, a power of two, 2 to 2^20. If static, so many realisations.
    pub steps: u32,
    /// Independent realisations, 1 to 1024. One long axis shows a link more than several short
    /// ones of the same size.
    pub realisations: u32,
}

/// Why a library cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FadingError {
    /// A value outside its range.
    #[error("{name} is {value}: {range} are possible")]
    Range {
        /// Which.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        range: &'static str,
    },
    /// The time axis is too short for fading.
    #[error(
        "{steps} steps of {hold_ms} ms are {cycles:.1} periods of a Doppler shift of \
         {doppler_hz} Hz: at least 16 are needed; take more steps, or hold them longer"
    )]
    Short {
        /// Steps of the axis.
        steps: u32,
        /// How long each is held.
        hold_ms: f64,
        /// Largest Doppler shift.
        doppler_hz: f64,
        /// Its periods on the axis.
        cycles: f64,
    },
}

impl LibraryConfig {
    /// A library with the usual hold and size: independent ports, a step of a hundredth of a
    /// Doppler period, and as many steps as fit into 4 MiB, at least 2048.
    pub fn new(profile: Profile, delay_spread: Duration, doppler_hz: f64) -> LibraryConfig {
        let config = LibraryConfig {
            profile,
            delay_spread,
            doppler_hz,
            resource_blocks: 50,
            numerology: 0,
            precoding: Precoding::SinglePort,
            correlation: Correlation::Low,
            hold_cycles: 0.01,
            steps: LEAST_STEPS,
            realisations: 1,
        };
        config.on(50, 0, Precoding::SinglePort)
    }

    /// The same on a carrier of `resource_blocks` of a numerology, with this precoding, and the
    /// steps that fit.
    #[must_use]
    pub fn on(self, resource_blocks: u16, numerology: u8, precoding: Precoding) -> LibraryConfig {
        let mut config = LibraryConfig { resource_blocks, numerology, precoding, ..self };
        let step = config.stride() * config.tables() * size_of::<f32>();
        let fitting = (BYTES / step.max(1)) as u32;
        config.steps = LEAST_STEPS.max((fitting + 1).next_power_of_two() / 2);
        config
    }

    /// Width of a resource block in Hz.
    pub fn resource_block_hz(&self) -> f64 {
        180e3 * f64::from(1_u32 << self.numerology)
    }

    /// Places between the first resource blocks of two steps: whole 32 bytes.
    pub(super) fn stride(&self) -> usize {
        usize::from(self.resource_blocks).next_multiple_of(8)
    }

    /// Tables of gains: what is sent without feedback is received alike by all.
    pub(super) fn tables(&self) -> usize {
        if matches!(self.precoding, Precoding::ClosedLoop { .. }) { 2 } else { 1 }
    }

    fn slot(&self) -> Duration {
        Duration::from_nanos(1_000_000 >> self.numerology)
    }

    fn check(&self) -> Result<(), FadingError> {
        let range = |ok: bool, name, value: String, range| {
            if ok { Ok(()) } else { Err(FadingError::Range { name, value, range }) }
        };
        let blocks = self.resource_blocks;
        range((1..=275).contains(&blocks), "resource_blocks", blocks.to_string(), "1 to 275")?;
        range(self.numerology <= 6, "numerology", self.numerology.to_string(), "0 to 6")?;
        let spread = self.delay_spread;
        let microseconds = format!("{} us", spread.as_millis_f64() * 1e3);
        range(spread <= LONGEST_SPREAD, "delay_spread", microseconds, "0 to 2 us")?;
        let doppler = self.doppler_hz;
        let shift = format!("{doppler} Hz");
        range((0.0..=1e6).contains(&doppler), "doppler", shift, "0 to 1 MHz")?;
        let cycles = self.hold_cycles;
        let held = cycles > 0.0 && cycles <= 1e3;
        range(held, "hold_cycles", cycles.to_string(), "values above 0 and up to 1000")?;
        let steps = self.steps.is_power_of_two() && (2..=1 << 20).contains(&self.steps);
        range(steps, "steps", self.steps.to_string(), "powers of two from 2 to 1048576")?;
        let count = self.realisations;
        range((1..=1024).contains(&count), "realisations", count.to_string(), "1 to 1024")?;
        let Precoding::ClosedLoop { feedback, .. } = self.precoding else { return Ok(()) };
        let period = !feedback.period.is_zero();
        range(period, "feedback period", "0".into(), "values above 0")?;
        let subband = feedback.subband.unwrap_or(1);
        range(subband >= 1, "subband", subband.to_string(), "1 and more resource blocks")
    }
}

/// A library of fading: gains of power by resource block, which many links share.
#[derive(Clone, Debug)]
pub struct Library {
    links: Keyed,
    resource_blocks: usize,
    stride: usize,
    hold: Duration,
    /// Of each realisation; a power of two, 1 if static.
    steps: u32,
    realisations: u32,
    unmatched: Vec<f32>,
    /// Empty where it would be the same.
    matched: Vec<f32>,
}

/// Where on a library a link reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The first row of its realisation.
    pub(super) first: u32,
    /// The step at which it begins.
    pub(super) offset: u32,
}

/// A step of a library's time axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u32);

impl Library {
    /// Makes the library. The draws are those named "fading / waves" and "fading / links" of
    /// the seed.
    ///
    /// # Errors
    ///
    /// If a value is outside its range, or the time axis too short for its Doppler shift.
    pub fn new(config: &LibraryConfig, seed: Seed) -> Result<Library, FadingError> {
        config.check()?;
        let axis = Axis::new(config)?;
        let tables = build::tables(config, &axis, seed.keyed("fading / waves"));
        Ok(Library {
            links: seed.keyed("fading / links"),
            resource_blocks: usize::from(config.resource_blocks),
            stride: config.stride(),
            hold: axis.hold,
            steps: axis.steps,
            realisations: axis.realisations,
            unmatched: tables.unmatched,
            matched: tables.matched,
        })
    }

    /// Where the link between a UE and a cell reads: a realisation and a step, at random but
    /// always the same.
    pub fn link(&self, ue: UeId, cell: CellId) -> Link {
        let place = |of| self.links.bits([u64::from(ue.0), u64::from(cell.0), of]);
        let below = |bits: u64, n: u32| ((u128::from(bits) * u128::from(n)) >> 64) as u32;
        Link {
            first: below(place(0), self.realisations) * self.steps,
            offset: below(place(1), self.steps),
        }
    }

    /// The step that holds at this time.
    pub fn step(&self, at: Time) -> Step {
        Step((at.as_nanos() / self.hold.as_nanos()) as u32 & (self.steps - 1))
    }

    /// Gain of power of the signal for this UE, by resource block.
    #[inline]
    pub fn matched(&self, link: Link, step: Step) -> &[f32] {
        let table = if self.matched.is_empty() { &self.unmatched } else { &self.matched };
        self.row(table, link, step)
    }

    /// Gain of power of a signal for another UE, by resource block; its mean is 1.
    #[inline]
    pub fn unmatched(&self, link: Link, step: Step) -> &[f32] {
        self.row(&self.unmatched, link, step)
    }

    #[inline]
    fn row<'a>(&self, table: &'a [f32], link: Link, step: Step) -> &'a [f32] {
        let row = link.first + ((link.offset + step.0) & (self.steps - 1));
        &table[row as usize * self.stride..][..self.resource_blocks]
    }

    /// How long a step is held.
    pub fn hold(&self) -> Duration {
        self.hold
    }

    /// After how long the time axis repeats; zero if static.
    pub fn period(&self) -> Duration {
        let steps = if self.steps == 1 { 0 } else { u64::from(self.steps) };
        Duration::from_nanos(self.hold.as_nanos().saturating_mul(steps))
    }

    /// Number of resource blocks.
    pub fn resource_blocks(&self) -> usize {
        self.resource_blocks
    }

    /// Bytes of its gains.
    pub fn bytes(&self) -> usize {
        (self.unmatched.len() + self.matched.len()) * size_of::<f32>()
    }
}

/// The time axis of a library.
pub(super) struct Axis {
    pub(super) hold: Duration,
    pub(super) steps: u32,
    pub(super) realisations: u32,
    /// Periods of the largest Doppler shift on it.
    pub(super) cycles: f64,
}

impl Axis {
    fn new(config: &LibraryConfig) -> Result<Axis, FadingError> {
        let steps = config.steps;
        if config.doppler_hz == 0.0 {
            // Each step of the axis would be the same: so many realisations instead.
            let realisations = config.realisations * steps;
            return Ok(Axis { hold: config.slot(), steps: 1, realisations, cycles: 0.0 });
        }
        let hold = hold(config.doppler_hz, config.hold_cycles, config.slot());
        let cycles = config.doppler_hz * hold.as_secs_f64() * f64::from(steps);
        if cycles < LEAST_CYCLES {
            let (hold_ms, doppler_hz) = (hold.as_millis_f64(), config.doppler_hz);
            return Err(FadingError::Short { steps, hold_ms, doppler_hz, cycles });
        }
        Ok(Axis { hold, steps, realisations: config.realisations, cycles })
    }
}
