//! Type I codebook of a single panel of cross-polarised antennas, codebook mode 1 (TS 38.214, 5.2.2.2.1).
//!
//! Ports are those of one polarisation, then those of the other. In each, rows of a column follow each other
//! (the order of v of 5.2.2.2.1). A beam (l, m) is a column of a two-dimensional Fourier transform with four
//! times as many directions as antennas. Layers have beams on both polarisations, and a phase between them.
//! The indices are i1,1 = l, i1,2 = m, i1,3 and i2, which is the phase.
//!
//! Left out: codebook mode 2, where i2 also chooses among neighbouring beams; more than four layers; restrictions
//! of the codebook.

use airpath_base::math;
use num_complex::Complex64;

use super::codebook::{Precoder, Precoders};

/// Columns and rows of panels (N1, N2) that have a codebook (TS 38.214, table 5.2.2.2.1-2).
const PANELS: [(u8, u8); 13] = [
    (2, 1),
    (2, 2),
    (4, 1),
    (3, 2),
    (6, 1),
    (4, 2),
    (8, 1),
    (4, 3),
    (6, 2),
    (12, 1),
    (4, 4),
    (8, 2),
    (16, 1),
];
/// Beams for each antenna of a dimension with several, O1 and O2 (table 5.2.2.2.1-2).
const OVERSAMPLING: usize = 4;
/// Ports from which three and four layers have beams of half of the columns (tables 5.2.2.2.1-7 and -8).
const HALVED_FROM: usize = 16;
/// Columns of a usual panel at most.
const USUAL_COLUMNS: u8 = 8;

/// A panel of cross-polarised antennas with a type I codebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Panel {
    columns: u8,
    rows: u8,
}

/// Index of a precoder: i1 for all resource blocks, and i2 (TS 38.214, 5.2.2.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    /// i1,1 and i1,2.
    pub(crate) beam: (usize, usize),
    /// i1,3, which one layer has not.
    pub(crate) third: usize,
    /// i2.
    pub(crate) phase: usize,
}

impl Panel {
    /// The panel of four ports, two columns.
    pub const FOUR: Panel = Panel { columns: 2, rows: 1 };

    /// The panel of so many columns and rows of antenna pairs, N1 and N2; none if it has no codebook.
    pub fn new(columns: u8, rows: u8) -> Option<Panel> {
        PANELS.contains(&(columns, rows)).then_some(Panel { columns, rows })
    }

    /// The panels of so many ports, in the order of table 5.2.2.2.1-2.
    pub fn of_ports(ports: u32) -> impl Iterator<Item = Panel> {
        let all = PANELS.iter().map(|&(columns, rows)| Panel { columns, rows });
        all.filter(move |panel| panel.ports() as u32 == ports)
    }

    /// The usual panel of so many ports: the widest of up to eight columns. This choice is of this model.
    pub fn usual(ports: u32) -> Option<Panel> {
        let narrow = Panel::of_ports(ports).filter(|panel| panel.columns <= USUAL_COLUMNS);
        narrow.max_by_key(|panel| panel.columns)
    }

    /// Columns of antenna pairs, N1.
    pub fn columns(self) -> u8 {
        self.columns
    }

    /// Rows of antenna pairs, N2.
    pub fn rows(self) -> u8 {
        self.rows
    }

    /// Number of ports.
    pub fn ports(self) -> usize {
        2 * self.pairs()
    }

    /// Antenna pairs, N1 N2.
    fn pairs(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// True if so many layers have beams of half of the columns, with a phase between both halves.
    pub(crate) fn is_halved(self, layers: usize) -> bool {
        layers > 2 && self.ports() >= HALVED_FROM
    }

    /// Columns and rows of the beams of so many layers.
    pub(crate) fn array(self, layers: usize) -> (usize, usize) {
        let columns = usize::from(self.columns);
        (if self.is_halved(layers) { columns / 2 } else { columns }, self.rows.into())
    }

    /// Numbers of beams of an array: values of i1,1 and i1,2.
    pub(crate) fn beams((columns, rows): (usize, usize)) -> (usize, usize) {
        (OVERSAMPLING * columns, if rows > 1 { OVERSAMPLING * rows } else { 1 })
    }

    /// The second beams of so many layers, by i1,3, in orthogonal beams from the first: (k1, k2) over (O1, O2)
    /// (tables 5.2.2.2.1-3 and -4). One layer, and half of the columns, have none.
    pub(crate) fn seconds(self, layers: usize) -> &'static [(usize, usize)] {
        match (layers, (self.columns, self.rows)) {
            (1, _) => &[(0, 0)],
            _ if self.is_halved(layers) => &[(0, 0)],
            (2, (2, 1)) => &[(0, 0), (1, 0)],
            (2, (_, 1)) => &[(0, 0), (1, 0), (2, 0), (3, 0)],
            (2, (columns, rows)) if columns == rows => &[(0, 0), (1, 0), (0, 1), (1, 1)],
            (2, _) => &[(0, 0), (1, 0), (0, 1), (2, 0)],
            (_, (2, 1)) => &[(1, 0)],
            (_, (4, 1)) => &[(1, 0), (2, 0), (3, 0)],
            (_, (_, 1)) => &[(1, 0), (2, 0), (3, 0), (4, 0)],
            (_, (2, _)) => &[(1, 0), (0, 1), (1, 1)],
            _ => &[(1, 0), (0, 1), (1, 1), (2, 0)],
        }
    }

    /// Values of i1,3 and of i2 of so many layers.
    pub(crate) fn indices(self, layers: usize) -> (usize, usize) {
        let thirds = if self.is_halved(layers) { 4 } else { self.seconds(layers).len() };
        (thirds, if layers == 1 { 4 } else { 2 })
    }

    /// Coefficients of so many layers: a precoder is the sum of four parts with these factors. With half of the
    /// columns the parts are the beam on both halves of one polarisation, then on those of the other. Else they
    /// are the beam on both polarisations, then the second beam on both.
    pub(crate) fn coefficients(
        self,
        layers: usize,
        third: usize,
        phase: usize,
    ) -> Vec<[Complex64; 4]> {
        let turn = PHASES[phase];
        let none = Complex64::default();
        let all = if self.is_halved(layers) {
            let half = wave(third as f64 / 8.0);
            [(half, turn), (-half, turn), (half, -turn), (-half, -turn)]
                .map(|(half, turn)| [ONE, half, turn, turn * half])
        } else {
            let (first, second) = (|turn| [ONE, turn, none, none], |turn| [none, none, ONE, turn]);
            match layers {
                2 => [first(turn), second(-turn), [none; 4], [none; 4]],
                _ => [first(turn), second(turn), first(-turn), second(-turn)],
            }
        };
        all[..layers].to_vec()
    }

    /// The precoders of an index: one a layer, which share power 1 (tables 5.2.2.2.1-5 to -8).
    pub(crate) fn precoders(self, layers: usize, index: Index) -> Precoders {
        let (array, pairs) = (self.array(layers), self.pairs());
        let beam = beam(array, index.beam);
        let second = match self.is_halved(layers) {
            true => beam.clone(),
            false => beam_at(array, index.beam, self.seconds(layers)[index.third]),
        };
        let scale = 1.0 / ((layers * self.ports()) as f64).sqrt();
        let coefficients = self.coefficients(layers, index.third, index.phase);
        let precoder = |factors: &[Complex64; 4]| -> Precoder {
            let weight = |port: usize| match self.is_halved(layers) {
                true => factors[port / beam.len()] * beam[port % beam.len()],
                false => {
                    let (polarisation, pair) = (port / pairs, port % pairs);
                    factors[polarisation] * beam[pair] + factors[2 + polarisation] * second[pair]
                }
            };
            (0..self.ports()).map(|port| weight(port) * scale).collect()
        };
        coefficients.iter().map(precoder).collect()
    }

    /// All precoders of so many layers in groups of equal i1, in the order of i1,3, i1,1 and i1,2.
    pub(crate) fn groups(self, layers: usize) -> Vec<Vec<Precoders>> {
        let (thirds, phases) = self.indices(layers);
        let (first, second) = Panel::beams(self.array(layers));
        let beams = move || (0..first).flat_map(move |l| (0..second).map(move |m| (l, m)));
        let group = |(third, beam)| {
            let index = |phase| Index { beam, third, phase };
            (0..phases).map(|phase| self.precoders(layers, index(phase))).collect()
        };
        (0..thirds).flat_map(|third| beams().map(move |beam| (third, beam))).map(group).collect()
    }
}

const ONE: Complex64 = Complex64::new(1.0, 0.0);
const I: Complex64 = Complex64::new(0.0, 1.0);
/// Phases between polarisations by i2.
const PHASES: [Complex64; 4] = [ONE, I, Complex64::new(-1.0, 0.0), Complex64::new(0.0, -1.0)];

/// A wave of amplitude 1 and so many turns.
pub(crate) fn wave(turns: f64) -> Complex64 {
    let angle = 2.0 * core::f64::consts::PI * turns;
    Complex64::new(math::cos(angle), math::sin(angle))
}

/// Weights of beam (l, m) of an array by column, then row; each of amplitude 1.
fn beam(array: (usize, usize), beam: (usize, usize)) -> Vec<Complex64> {
    beam_at(array, beam, (0, 0))
}

/// The beam that is so many orthogonal beams from beam (l, m).
fn beam_at(
    (columns, rows): (usize, usize),
    (l, m): (usize, usize),
    (k1, k2): (usize, usize),
) -> Vec<Complex64> {
    let (first, second) = Panel::beams((columns, rows));
    let step = |beam: usize, further: usize, beams: usize, antennas: usize| {
        ((beam + further * (beams / antennas)) % beams) as f64 / beams as f64
    };
    let (by_column, by_row) = (step(l, k1, first, columns), step(m, k2, second, rows));
    let weight =
        |column: usize, row: usize| wave(by_column * column as f64) * wave(by_row * row as f64);
    (0..columns).flat_map(|column| (0..rows).map(move |row| weight(column, row))).collect()
}

#[cfg(test)]
#[path = "panel_tests.rs"]
mod tests;
