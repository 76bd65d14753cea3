//! The library: where a link reads it, and what it says.

use std::sync::Arc;

use airpath_base::random::{Keyed, Seed};
use airpath_base::{CellId, Direction, Duration, Time};
use num_complex::Complex32;

use super::antennas::Antennas;
use super::build::{self, Tables};
use super::config::{FadingError, LibraryConfig};
use super::doppler::hold;
use super::groups::Groups;
use super::interference::Eight;
use crate::made::Made;
use crate::precoding::Precoding;

/// Periods of the largest Doppler shift on the axis at least; fewer lines than twice that
/// would not make Rayleigh fading.
const LEAST_CYCLES: f64 = 16.0;
/// Mark of steps that never repeat.
const FRESH: u64 = 1 << 63;
/// Libraries downlink and uplink.
type Both = [Arc<Library>; 2];
/// Libraries that runs of the process share, of 64 MiB together.
static MADE: Made<([LibraryConfig; 2], Seed), Result<Both, FadingError>> = Made::new(64 << 20);

/// A library of fading: gains of power by resource block, which many links share, and what decides the
/// ratios of layers.
#[derive(Clone, Debug)]
pub struct Library {
    links: Keyed,
    resource_blocks: usize,
    /// Eights of a row.
    stride: usize,
    hold: Duration,
    /// Periods of the largest Doppler shift in a step.
    step_cycles: f64,
    slot: Duration,
    /// Of each realisation; a power of two, 1 if static.
    steps: u32,
    realisations: u32,
    unmatched: Arc<Vec<Eight>>,
    /// Perhaps the same.
    matched: Arc<Vec<Eight>>,
    /// Principal minors of 2, 3 and 4 layers, those of a step together.
    layers: Vec<Arc<Vec<Eight>>>,
    antennas: Antennas,
    groups: Groups,
    /// Resource blocks of a group.
    group: u16,
    /// Mean share of a channel's power outside reports of one layer; 0 without.
    unreported: f64,
    /// Antennas of the receiver, and ports of the transmitter.
    ends: (usize, usize),
    /// Antennas that signals for others have gains at.
    receiving: usize,
}

/// Position of a link in a library: a realisation and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The first row of its realisation.
    pub(super) first: u32,
    /// The step at which it begins.
    pub(super) offset: u32,
}

/// A step of a library's time axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(u64);

impl Library {
    /// Makes the library. The draws are those named "fading / waves" and "fading / links" of
    /// the seed.
    ///
    /// # Errors
    ///
    /// If a value is outside its range, or the time axis too short for its Doppler shift.
    pub fn new(config: &LibraryConfig, seed: Seed) -> Result<Library, FadingError> {
        Library::made([*config], seed).map(|[library]| library)
    }

    /// The libraries of both directions of a link, which all runs of the process share. They are made
    /// once for these configurations and this seed.
    ///
    /// # Errors
    ///
    /// If a value is outside its range, or the time axis too short for its Doppler shift.
    pub fn shared(configs: &[LibraryConfig; 2], seed: Seed) -> Result<Both, FadingError> {
        configs.iter().try_for_each(LibraryConfig::check)?;
        let bytes = configs.iter().map(LibraryConfig::bytes).sum();
        MADE.get((*configs, seed), bytes, || {
            let [down, up] = *configs;
            if down == up {
                let one = Arc::new(Library::new(&down, seed)?);
                return Ok([one.clone(), one]);
            }
            let one_channel = !down.has_panel()
                && down == LibraryConfig { precoding: down.precoding, ..up }
                && down.precoding.ports() == up.precoding.ports();
            match one_channel {
                true => Library::made([down, up], seed).map(|both| both.map(Arc::new)),
                false => {
                    Ok([Arc::new(Library::new(&down, seed)?), Arc::new(Library::new(&up, seed)?)])
                }
            }
        })
    }

    /// Libraries whose configurations differ in the use of their ports only.
    fn made<const N: usize>(
        configs: [LibraryConfig; N],
        seed: Seed,
    ) -> Result<[Library; N], FadingError> {
        configs.iter().try_for_each(LibraryConfig::check)?;
        let axis = Axis::new(&configs[0])?;
        let mut tables = build::tables(&configs, &axis, seed.keyed("fading / waves")).into_iter();
        Ok(configs.map(|config| {
            let Tables { unmatched, matched, layers, antennas, groups } =
                tables.next().expect("tables of each");
            Library {
                links: seed.keyed("fading / links"),
                resource_blocks: usize::from(config.resource_blocks),
                stride: config.stride(),
                hold: axis.hold,
                step_cycles: axis.cycles / f64::from(axis.steps),
                slot: config.slot(),
                steps: axis.steps,
                realisations: axis.realisations,
                unmatched,
                matched,
                layers,
                antennas,
                groups,
                group: config.group,
                unreported: match config.precoding {
                    Precoding::ClosedLoop { codebook, .. } if config.reported => {
                        codebook.unreported()
                    }
                    _ => 0.0,
                },
                ends: config.ends(),
                receiving: config.disturbing().1,
            }
        }))
    }

    /// Position of the link between a UE, by its number, and a cell: a realisation and a step. Both
    /// are random, and a function of the link.
    pub fn link(&self, ue: u64, cell: CellId, direction: Direction) -> Link {
        let way = match direction {
            Direction::Downlink => 0_u64,
            Direction::Uplink => 2,
        };
        let place = |of| self.links.bits([ue, u64::from(cell.0), way + of]);
        let below = |bits: u64, n: u32| ((u128::from(bits) * u128::from(n)) >> 64) as u32;
        Link {
            first: below(place(0), self.realisations) * self.steps,
            offset: below(place(1), self.steps),
        }
    }

    /// The step that holds at this time.
    pub fn step(&self, at: Time) -> Step {
        Step((at.as_nanos() / self.hold.as_nanos()) & u64::from(self.steps - 1))
    }

    /// The step nearest to so many periods of the largest Doppler shift, from the first on. Behind the last step of its
    /// realisation, a link goes on from a random step of another one, or of the same. So it never repeats. Its gains
    /// jump there.
    pub fn step_at(&self, cycles: f64) -> Step {
        let steps = if self.step_cycles > 0.0 { cycles / self.step_cycles + 0.5 } else { 0.0 };
        Step(steps as u64 | FRESH)
    }

    /// Gain of power of the signal for this UE, by resource block.
    #[inline]
    pub fn matched(&self, link: Link, step: Step) -> &[Eight] {
        self.row(&self.matched, link, step)
    }

    /// Gain of power of a signal for another UE, by resource block; its mean is 1.
    #[inline]
    pub fn unmatched(&self, link: Link, step: Step) -> &[Eight] {
        self.row(&self.unmatched, link, step)
    }

    /// Principal minors of the Gram matrix of a precoded signal of 2 to 4 layers for this UE. Layers share
    /// power 1. Each set of layers, as bits from 1 on, has a row by resource block.
    #[inline]
    pub fn layers(&self, layers: u8, link: Link, step: Step) -> impl Iterator<Item = &[f32]> {
        let table = &self.layers[usize::from(layers) - 2];
        let (row, sets) = (self.at(link, step), (1 << layers) - 1);
        let rows = &table[row * sets * self.stride..][..sets * self.stride];
        rows.chunks_exact(self.stride).map(|row| row.as_flattened())
    }

    /// Antennas of a receiver that rejects interference, 2 to 4; none without.
    pub fn rejecting(&self) -> Option<usize> {
        (!self.antennas.wanted.is_empty()).then_some(self.ends.0)
    }

    /// Ports of the transmitter, and antennas of the receiver at which [`disturbing`](Library::disturbing)
    /// has gains.
    pub fn ends(&self) -> (usize, usize) {
        (self.ends.1, self.receiving)
    }

    /// Gains at the antennas of signals for other UEs, with interference rejection or precoders. From each
    /// port that the library has, and of each antenna, real and imaginary part have a row by resource
    /// block.
    pub fn disturbing(&self, link: Link, step: Step) -> &[Eight] {
        self.rows(self.antennas.disturbing.as_ref(), link, step)
    }

    /// Gains at the antennas of a precoded signal of so many layers for this UE, with interference
    /// rejection, likewise by layer. Layers share power 1.
    pub fn wanted(&self, layers: u8, link: Link, step: Step) -> &[Eight] {
        self.rows(self.antennas.wanted.get(usize::from(layers) - 1), link, step)
    }

    /// Precoder of a signal of so many layers for this UE, where the library has precoders. Real and
    /// imaginary part of each layer and port have a row by resource block.
    pub fn weights(&self, layers: u8, link: Link, step: Step) -> &[Eight] {
        self.rows(self.antennas.weights.get(usize::from(layers) - 1), link, step)
    }

    /// Resource blocks of a group with complex gains; 0 without.
    pub fn group(&self) -> u16 {
        self.group
    }

    /// Gains of ports, where the library has groups: by group, antenna of the UE and port.
    pub fn gains(&self, link: Link, step: Step) -> &[Complex32] {
        self.of_step(&self.groups.gains, link, step)
    }

    /// Mean share of a channel's power outside the precoder of one layer that a UE reports
    /// ([`Codebook::unreported`](crate::precoding::Codebook::unreported)); 0 without a codebook.
    pub fn unreported(&self) -> f64 {
        self.unreported
    }

    /// Precoders of one layer by the UE's reports that hold at a step, where the library has them: by group and
    /// port. The sum of the powers of a group's weights is 1.
    pub fn reported(&self, link: Link, step: Step) -> &[Complex32] {
        self.of_step(&self.groups.precoders, link, step)
    }

    fn of_step<'a, T>(&self, table: &'a [T], link: Link, step: Step) -> &'a [T] {
        let width = table.len() / (self.steps as usize * self.realisations as usize);
        &table[self.at(link, step) * width..][..width]
    }

    /// Rows of a step; none where there is no table.
    fn rows<'a>(&self, table: Option<&'a Arc<Vec<Eight>>>, link: Link, step: Step) -> &'a [Eight] {
        table.map_or(&[], |table| self.of_step(table, link, step))
    }

    #[inline]
    fn at(&self, link: Link, step: Step) -> usize {
        if step.0 & FRESH != 0 {
            return self.at_fresh(link, step.0 & !FRESH);
        }
        (link.first + ((link.offset + step.0 as u32) & (self.steps - 1))) as usize
    }

    /// Row of a link so many steps behind its first. Laps from the second on are drawn.
    fn at_fresh(&self, link: Link, step: u64) -> usize {
        let (step, steps) = (u64::from(link.offset) + step, u64::from(self.steps));
        let (lap, own) = (step / steps, step % steps);
        if lap == 0 {
            return (u64::from(link.first) + own) as usize;
        }
        let bits = lap_bits((u64::from(link.first) << 32) | u64::from(link.offset), lap);
        let realisation = ((bits >> 32) * u64::from(self.realisations)) >> 32;
        (realisation * steps + ((bits & 0xffff_ffff) + own) % steps) as usize
    }

    #[inline]
    fn row<'a>(&self, table: &'a [Eight], link: Link, step: Step) -> &'a [Eight] {
        &table[self.at(link, step) * self.stride..][..self.stride]
    }

    /// Duration of a slot.
    pub fn slot(&self) -> Duration {
        self.slot
    }

    /// Duration of a step.
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
        let tables = if Arc::ptr_eq(&self.unmatched, &self.matched) { 1 } else { 2 };
        let layers: usize = self.layers.iter().map(|table| table.len()).sum();
        (tables * self.unmatched.len() + layers + self.antennas.len()) * size_of::<Eight>()
            + self.groups.bytes()
    }
}

/// Bits of a lap of a link whose position is random: the mixer of SplitMix64 (Steele, Lea and Flood, 2014). It is faster
/// than a draw, and each reading takes one.
fn lap_bits(link: u64, lap: u64) -> u64 {
    let bits = link ^ lap.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
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
    pub(super) fn new(config: &LibraryConfig) -> Result<Axis, FadingError> {
        let steps = config.steps;
        if config.doppler_hz == 0.0 {
            // Each step of the axis would be the same: so many realisations instead.
            let realisations = config.realisations * steps;
            return Ok(Axis { hold: config.slot(), steps: 1, realisations, cycles: 0.0 });
        }
        let hold = match config.any_speed {
            true => Duration::from_secs_f64(config.hold_cycles / config.doppler_hz),
            false => hold(config.doppler_hz, config.hold_cycles, config.slot()),
        };
        let cycles = config.doppler_hz * hold.as_secs_f64() * f64::from(steps);
        if cycles < LEAST_CYCLES {
            let (hold_ms, doppler_hz) = (hold.as_millis_f64(), config.doppler_hz);
            return Err(FadingError::Short { steps, hold_ms, doppler_hz, cycles });
        }
        Ok(Axis { hold, steps, realisations: config.realisations, cycles })
    }
}
