//! One realisation of the channel from a base station's ports to a UE's antennas: complex
//! gains by pair of antennas, resource block and step.
//!
//! Each tap of each pair has sinusoids of fixed power and random phase at the harmonics of the time
//! axis. Their sum over the taps, turned by delay and frequency, is one line spectrum for each pair
//! and resource block. A Fourier transform makes samples of this spectrum. Without Doppler each
//! realisation is one sample, with complex normal taps.
//!
//! The direct path of TDL-D and TDL-E has 0.7 of the largest Doppler shift (TR 38.901, 7.7.2). Its
//! phases among the ports, and among the UE's antennas, are those of uniform linear arrays. At the
//! ports they turn once through all directions over the time axis, at the UE three times. Links begin
//! anywhere on the axis, so the direct path leaves and arrives in any direction. Columns of a panel are such an
//! array, rows have equal phases. Cross-polarised antennas at both ends have four gains of equal power. One of these
//! has the opposite sign, so the direct path carries two layers.

use std::ops::Range;

use airpath_base::math;
use airpath_base::random::Keyed;
use num_complex::Complex64;

use super::doppler::spectrum;
use super::fourier::{Parts, Transform};
use super::profile::{Profile, Tap};
use crate::precoding::panel::wave;
use crate::precoding::{Array, Correlation, Position, Scattering};

/// Share of the largest Doppler shift that the direct path has (TR 38.901, 7.7.2).
const DIRECT_SHIFT: f64 = 0.7;
/// Turns of the direct path's direction at the UE over the time axis.
const TURNS_AT_UE: i64 = 3;

/// Configuration of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub(super) profile: Profile,
    /// In seconds.
    pub(super) delay_spread: f64,
    /// Periods of the largest Doppler shift on the time axis; 0: static.
    pub(super) cycles: f64,
    /// A power of two; 1 if static.
    pub(super) steps: usize,
    pub(super) resource_blocks: usize,
    /// Width of a resource block in Hz.
    pub(super) width: f64,
    pub(super) ports: usize,
    /// Antennas of the UE.
    pub(super) receivers: usize,
    pub(super) correlation: Correlation,
    pub(super) array: Array,
    pub(super) scattering: Scattering,
}

/// Complex gains of one realisation, of mean power 1 for each pair of antennas and resource block.
pub(super) struct Channel {
    /// By pair, then resource block, then step. Pairs are in the order of the UE's antennas, and of
    /// ports for each of them.
    gains: Vec<Complex64>,
    pub(super) resource_blocks: usize,
    pub(super) steps: usize,
}

impl Channel {
    /// The gains of one pair in a resource block, step by step.
    pub(super) fn column(&self, pair: usize, block: usize) -> &[Complex64] {
        &self.gains[(pair * self.resource_blocks + block) * self.steps..][..self.steps]
    }

    /// Number of pairs of antennas.
    pub(super) fn pairs(&self) -> usize {
        self.gains.len() / (self.resource_blocks * self.steps)
    }
}

/// The waves of one pair of antennas, with its scattered waves and what they have in common.
struct Lines {
    /// Amplitudes of scattered waves by tap and line.
    taps: Vec<Vec<Complex64>>,
    /// Index among the lines and amplitude of the direct path.
    direct: (usize, Complex64),
}

/// The waves of all pairs of antennas of a realisation, from which its gains follow.
pub(super) struct Waves<'a> {
    recipe: &'a Recipe,
    taps: Vec<Tap>,
    lines: Vec<Lines>,
    /// Index of each line in the transform.
    indices: Vec<usize>,
    transform: Transform,
}

impl Waves<'_> {
    /// The gains in some resource blocks.
    pub(super) fn channel(&self, blocks: Range<usize>) -> Channel {
        let steps = self.recipe.steps;
        let turns: Vec<Vec<Complex64>> =
            blocks.clone().map(|block| self.recipe.turns(&self.taps, block)).collect();
        let size = blocks.len() * steps;
        let mut samples = Parts::zeros(steps);
        let mut gains = vec![Complex64::default(); self.lines.len() * size];
        for (lines, columns) in self.lines.iter().zip(gains.chunks_exact_mut(size)) {
            for (turns, column) in turns.iter().zip(columns.chunks_exact_mut(steps)) {
                let lines = self.recipe.collect(lines, turns);
                samples.re.fill(0.0);
                samples.im.fill(0.0);
                self.indices.iter().zip(lines).for_each(|(index, line)| samples.set(*index, line));
                self.transform.samples(&mut samples);
                column.iter_mut().enumerate().for_each(|(step, gain)| *gain = samples.at(step));
            }
        }
        Channel { gains, resource_blocks: blocks.len(), steps }
    }
}

impl Recipe {
    /// Realisation number `realisation` of those that `keyed` names.
    pub(super) fn realise(&self, realisation: u64, keyed: Keyed) -> Channel {
        self.waves(realisation, keyed).channel(0..self.resource_blocks)
    }

    /// The waves of a realisation.
    pub(super) fn waves(&self, realisation: u64, keyed: Keyed) -> Waves<'_> {
        let spectrum = self.spectrum();
        let taps = self.profile.taps();
        let draws = Draws { keyed, realisation, fixed: self.cycles > 0.0 };
        let independent: Vec<Vec<Vec<Complex64>>> =
            self.pairs().map(|pair| draws.taps(pair, &taps, &spectrum)).collect();
        let array = (self.array, &self.scattering);
        let weights = self.correlation.weights(array, self.ports, self.receivers);
        let transform = Transform::new(self.steps);
        let index = |line| {
            let bin = self.bin(line);
            spectrum.partition_point(|&(other, _)| self.bin(other) < bin)
        };
        let lines = |(pair, weights): (Pair, &Vec<f64>)| Lines {
            taps: correlate(&independent, weights),
            direct: (index(self.direct_line(pair)), self.direct(pair, &draws)),
        };
        Waves {
            recipe: self,
            lines: self.pairs().zip(&weights).map(lines).collect(),
            indices: spectrum.iter().map(|&(line, _)| transform.index(self.bin(line))).collect(),
            taps,
            transform,
        }
    }

    /// Lines and their powers in the order of the transform. Lines beyond half of the steps are put
    /// where their samples at the distance of a step are. An axis has so many periods that the lines of
    /// the direct path are among them.
    fn spectrum(&self) -> Vec<(i64, f64)> {
        if self.cycles == 0.0 {
            return vec![(0, 1.0)];
        }
        let mut lines = spectrum(self.cycles);
        if lines.len() <= self.steps {
            lines.sort_by_key(|&(line, _)| self.bin(line));
            return lines;
        }
        let mut folded: Vec<(i64, f64)> = (0..self.steps as i64).map(|line| (line, 0.0)).collect();
        lines.iter().for_each(|&(line, power)| folded[self.bin(line)].1 += power);
        folded
    }

    fn pairs(&self) -> impl Iterator<Item = Pair> + use<> {
        let ports = self.ports;
        (0..self.receivers)
            .flat_map(move |antenna| (0..ports).map(move |port| Pair { port, antenna }))
    }

    /// Line of the direct path of `pair`. Large arrays on a short axis have some of their lines at the
    /// other end of the spectrum, which keeps each antenna's own.
    fn direct_line(&self, pair: Pair) -> i64 {
        // Static: the direction is drawn. Else it turns, by lines more for each antenna.
        if self.cycles == 0.0 {
            return 0;
        }
        let (shift, last) = ((DIRECT_SHIFT * self.cycles + 0.5).floor() as i64, self.cycles as i64);
        let (port, antenna) = self.positions(pair);
        let line = shift + port.column as i64 + TURNS_AT_UE * antenna.column as i64;
        (line + last).rem_euclid(2 * last + 1) - last
    }

    /// Amplitude of the direct path of `pair`.
    fn direct(&self, pair: Pair, draws: &Draws) -> Complex64 {
        let share = self.profile.direct().sqrt();
        let [common, at_cell, at_ue] = draws.direct();
        let (port, antenna) = self.positions(pair);
        let turned = wave(common + at_cell * port.column as f64 + at_ue * antenna.column as f64);
        let opposite = port.polarisation == 1 && antenna.polarisation == 0;
        turned * if opposite { -share } else { share }
    }

    /// Positions of both ends of `pair`.
    fn positions(&self, pair: Pair) -> (Position, Position) {
        let port = self.array.port(pair.port, self.ports);
        (port, self.array.antenna(pair.antenna, self.receivers))
    }

    /// Phases of the taps in a resource block.
    fn turns(&self, taps: &[Tap], block: usize) -> Vec<Complex64> {
        let middle = (self.resource_blocks as f64 - 1.0) / 2.0;
        let frequency = (block as f64 - middle) * self.width;
        taps.iter().map(|tap| wave(-frequency * tap.delay * self.delay_spread)).collect()
    }

    /// The line spectrum of one resource block, of power 1, whose taps have these phases.
    fn collect(&self, lines: &Lines, turns: &[Complex64]) -> Vec<Complex64> {
        let mut sums = vec![Complex64::default(); lines.taps[0].len()];
        for (turned, waves) in turns.iter().zip(&lines.taps) {
            for (sum, wave) in sums.iter_mut().zip(waves) {
                *sum += wave * turned;
            }
        }
        let (line, direct) = lines.direct;
        sums[line] += direct;
        if self.cycles > 0.0 {
            // The mean over the time axis is made exactly 1: an axis of n periods has but
            // about 2 n independent values in a resource block.
            let power: f64 = sums.iter().map(|line| line.norm_sqr()).sum();
            let scale = 1.0 / power.sqrt();
            sums.iter_mut().for_each(|line| *line *= scale);
        }
        sums
    }

    /// Index of a line in the transform.
    fn bin(&self, line: i64) -> usize {
        line.rem_euclid(self.steps as i64) as usize
    }
}

/// A port of the base station and an antenna of the UE.
#[derive(Clone, Copy)]
struct Pair {
    port: usize,
    antenna: usize,
}

/// Random draws of one realisation, each a function of pair, tap and line. One antenna more or less
/// therefore leaves the others as they were.
struct Draws {
    keyed: Keyed,
    realisation: u64,
    /// True if waves have a fixed power and a random phase; otherwise they are complex normal.
    fixed: bool,
}

impl Draws {
    fn taps(&self, pair: Pair, taps: &[Tap], spectrum: &[(i64, f64)]) -> Vec<Vec<Complex64>> {
        let wave = |tap: usize, line: i64, power: f64| self.wave(pair, tap, line) * power.sqrt();
        let lines = |(index, tap): (usize, &Tap)| {
            spectrum.iter().map(|&(line, power)| wave(index, line, power * tap.power)).collect()
        };
        taps.iter().enumerate().map(lines).collect()
    }

    /// A wave of mean power 1.
    fn wave(&self, Pair { port, antenna }: Pair, tap: usize, line: i64) -> Complex64 {
        let uniform = |of: u64| {
            let draw = (antenna as u64) << 48 | (port as u64) << 32 | (tap as u64) << 8 | of;
            self.keyed.uniform([self.realisation, draw, line as u64])
        };
        let amplitude = if self.fixed { 1.0 } else { (-math::ln(1.0 - uniform(1))).sqrt() };
        wave(uniform(0)) * amplitude
    }

    /// Phases of the direct path: of the first pair, from one port to the next, and from one antenna of
    /// the UE to the next.
    fn direct(&self) -> [f64; 3] {
        [0, 1, 2].map(|of| self.keyed.uniform([self.realisation, u64::MAX, of]))
    }
}

/// Waves of one pair as the sum of independent ones, with these weights.
fn correlate(independent: &[Vec<Vec<Complex64>>], weights: &[f64]) -> Vec<Vec<Complex64>> {
    let tap = |tap: usize| {
        let line = |line: usize| {
            independent.iter().zip(weights).map(|(pair, weight)| pair[tap][line] * weight).sum()
        };
        (0..independent[0][tap].len()).map(line).collect()
    };
    (0..independent[0].len()).map(tap).collect()
}
