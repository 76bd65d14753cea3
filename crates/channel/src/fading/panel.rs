//! Makes the tables of a library whose UEs report precoders of a panel with more than four ports.
//!
//! Gains of 32 ports at four antennas and 273 resource blocks would take 1.1 GB at once. So a part of the carrier
//! is made at a time, and all of it twice. The first pass gives the covariance of ports over the carrier in each
//! step that a UE measures. From that follow i1 and i2 of each number of layers. The second pass finds i2 of each
//! subband, if there are several, and writes the tables.

use std::ops::Range;
use std::sync::Arc;

use airpath_base::random::Keyed;
use num_complex::Complex64;

use super::antennas::Antennas;
use super::build::{Reports, Tables, subband};
use super::config::LibraryConfig;
use super::groups::{self, Groups};
use super::interference::Eight;
use super::library::Axis;
use super::synthesis::{Channel, Recipe};
use crate::precoding::Feedback;
use crate::precoding::codebook::Precoders;
use crate::precoding::layers::{Hermitian, minors};
use crate::precoding::panel::{Index, Panel};
use crate::precoding::search::{Covariance, Search};

/// Resource blocks of a part of the carrier at least.
const PART: usize = 8;

/// The tables of a configuration.
pub(super) fn tables(
    (config, panel, feedback): (&LibraryConfig, Panel, Feedback),
    axis: &Axis,
    (recipe, keyed): (&Recipe, Keyed),
) -> Tables {
    let reports = Reports::on(axis, feedback);
    let measured = (0..axis.steps as usize).map(|step| reports.measured(step)).collect();
    let search = Search::new(panel, config.layers.into());
    let maker = Maker { config, panel, search, measured, subband: subband(config, feedback) };
    let mut rows = Rows::of(config, axis);
    for realisation in 0..axis.realisations {
        let waves = recipe.waves(realisation.into(), keyed);
        let mut covariances = maker.covariances();
        for part in maker.parts() {
            maker.measure(&waves.channel(part), &mut covariances);
        }
        let chosen: Vec<Vec<Index>> = covariances.iter().map(|own| maker.choose(own)).collect();
        let first = realisation as usize * axis.steps as usize;
        for part in maker.parts() {
            maker.write(&waves.channel(part.clone()), part, &chosen, (first, &mut rows));
        }
    }
    rows.into_tables()
}

/// Values that all parts of the carrier share.
struct Maker<'a> {
    config: &'a LibraryConfig,
    panel: Panel,
    search: Search,
    /// By step, the step at which its precoder was measured.
    measured: Vec<usize>,
    /// Resource blocks of a subband.
    subband: usize,
}

/// Antennas of a UE at most.
const ANTENNAS: usize = 4;
/// Layers of a UE at most.
const LAYERS: usize = 4;

/// Gains of a port, or of a layer, at each antenna. Antennas that a UE does not have, have zeros.
type Gains = [Complex64; ANTENNAS];

impl Maker<'_> {
    fn blocks(&self) -> usize {
        self.config.resource_blocks.into()
    }

    /// True if subbands have phases of their own.
    fn has_subbands(&self) -> bool {
        self.subband < self.blocks()
    }

    /// Parts of the carrier, of whole subbands.
    fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let blocks = self.blocks();
        let size = match self.has_subbands() {
            true => self.subband * (PART / self.subband).max(1),
            false => PART,
        };
        (0..blocks).step_by(size).map(move |first| first..(first + size).min(blocks))
    }

    /// A covariance for each step that is measured.
    fn covariances(&self) -> Vec<Option<Covariance>> {
        let mut all = vec![None; self.measured.len()];
        let zero = Covariance::zero(self.panel.ports());
        self.measured.iter().for_each(|step| all[*step] = Some(zero.clone()));
        all
    }

    /// Adds a part of the carrier to the covariances.
    fn measure(&self, channel: &Channel, covariances: &mut [Option<Covariance>]) {
        let mut gains = vec![Complex64::default(); self.panel.ports()];
        for block in 0..channel.resource_blocks {
            for antenna in 0..usize::from(self.config.receivers) {
                for (step, covariance) in covariances.iter_mut().enumerate() {
                    let Some(covariance) = covariance else { continue };
                    self.read(channel, (antenna, block, step), &mut gains);
                    covariance.add(&gains);
                }
            }
        }
    }

    /// Gains of all ports at an antenna, in a resource block and a step.
    fn read(
        &self,
        channel: &Channel,
        (antenna, block, step): (usize, usize, usize),
        gains: &mut [Complex64],
    ) {
        let ports = self.panel.ports();
        for (port, gain) in gains.iter_mut().enumerate() {
            *gain = channel.column(antenna * ports + port, block)[step];
        }
    }

    /// The precoders of each number of layers for the whole carrier; none for a step that is not measured.
    fn choose(&self, covariance: &Option<Covariance>) -> Vec<Index> {
        let Some(covariance) = covariance else { return Vec::new() };
        let mut covariance = covariance.clone();
        covariance.mirror(self.blocks());
        self.search.choose(&covariance)
    }

    /// Writes a part of the carrier into the tables.
    fn write(
        &self,
        channel: &Channel,
        part: Range<usize>,
        chosen: &[Vec<Index>],
        (first, rows): (usize, &mut Rows),
    ) {
        let refined = self.refine(channel, chosen);
        let mut gains = vec![Default::default(); self.panel.ports()];
        // Steps of one report follow each other, and share its precoders.
        let (mut precoders, mut report) = (Vec::new(), None);
        for (step, measured) in self.measured.iter().enumerate() {
            if report != Some(*measured) {
                report = Some(*measured);
                precoders = match &refined {
                    Some(refined) => {
                        refined[*measured].iter().map(|own| self.precoders(own)).collect()
                    }
                    None => vec![self.precoders(&chosen[*measured])],
                };
            }
            for block in 0..part.len() {
                self.block(channel, (block, step), &mut gains);
                let at = (first + step, part.start + block);
                rows.write(self.config, at, &gains, &precoders[block / self.subband]);
            }
        }
    }

    /// The precoders of each number of layers.
    fn precoders(&self, indices: &[Index]) -> Vec<Precoders> {
        (1..).zip(indices).map(|(layers, index)| self.panel.precoders(layers, *index)).collect()
    }

    /// Precoders of each subband of a part, by measured step; none if the carrier has one for all.
    fn refine(&self, channel: &Channel, chosen: &[Vec<Index>]) -> Option<Vec<Vec<Vec<Index>>>> {
        let of_subband = |step: usize, first: usize, chosen: &[Index]| -> Vec<Index> {
            let last = (first + self.subband).min(channel.resource_blocks);
            let mut covariance = Covariance::zero(self.panel.ports());
            let mut gains = vec![Complex64::default(); self.panel.ports()];
            for block in first..last {
                for antenna in 0..usize::from(self.config.receivers) {
                    self.read(channel, (antenna, block, step), &mut gains);
                    covariance.add(&gains);
                }
            }
            covariance.mirror(last - first);
            let refine =
                |(layers, index): (usize, &Index)| self.search.refine(layers, *index, &covariance);
            (1..).zip(chosen).map(refine).collect()
        };
        let of_step = |(step, chosen): (usize, &Vec<Index>)| {
            let subbands = (0..channel.resource_blocks).step_by(self.subband);
            match chosen.is_empty() {
                true => Vec::new(),
                false => subbands.map(|first| of_subband(step, first, chosen)).collect(),
            }
        };
        self.has_subbands().then(|| chosen.iter().enumerate().map(of_step).collect())
    }

    /// Gains of all ports at all antennas of the UE, in a resource block and a step.
    fn block(&self, channel: &Channel, (block, step): (usize, usize), gains: &mut [Gains]) {
        let ports = self.panel.ports();
        for (port, own) in gains.iter_mut().enumerate() {
            for (antenna, gain) in own.iter_mut().take(self.config.receivers.into()).enumerate() {
                *gain = channel.column(antenna * ports + port, block)[step];
            }
        }
    }
}

/// The rows of tables: real numbers by step, row and resource block.
struct Table {
    rows: usize,
    stride: usize,
    numbers: Vec<Eight>,
}

impl Table {
    fn new(config: &LibraryConfig, axis: &Axis, rows: usize) -> Table {
        let stride = config.stride();
        let steps = axis.steps as usize * axis.realisations as usize;
        Table { rows, stride, numbers: vec![Eight::default(); steps * rows * stride] }
    }

    fn set(&mut self, (step, block): (usize, usize), numbers: impl Iterator<Item = f64>) {
        let size = self.rows * self.stride;
        let own = &mut self.numbers[step * size..][..size];
        for (row, number) in own.chunks_exact_mut(self.stride).zip(numbers) {
            row.as_flattened_mut()[block] = number as f32;
        }
    }
}

/// All tables of a library.
struct Rows {
    unmatched: Table,
    matched: Table,
    layers: Vec<Table>,
    disturbing: Option<Table>,
    wanted: Vec<Table>,
    weights: Vec<Table>,
    groups: groups::Writer,
}

impl Rows {
    fn of(config: &LibraryConfig, axis: &Axis) -> Rows {
        let table = |rows| Table::new(config, axis, rows);
        let ((antennas, ports), (signals, receiving)) = (config.ends(), config.disturbing());
        let layered = |parts: usize, has: bool| -> Vec<Table> {
            let counts = 1..=if has { usize::from(config.layers) } else { 0 };
            counts.map(|layers| table(2 * parts * layers)).collect()
        };
        Rows {
            unmatched: table(1),
            matched: table(1),
            layers: (2..=config.layers).map(|layers| table((1 << layers) - 1)).collect(),
            disturbing: (signals > 0).then(|| table(2 * signals * receiving)),
            wanted: layered(antennas, config.rejection > 0),
            weights: layered(ports, config.precoded),
            groups: Groups::begin(config, axis),
        }
    }

    /// Writes a resource block of a step, with the precoders of each number of layers.
    fn write(
        &mut self,
        config: &LibraryConfig,
        at: (usize, usize),
        gains: &[Gains],
        precoders: &[Precoders],
    ) {
        self.unmatched.set(at, std::iter::once(gains[0][0].norm_sqr()));
        if let Some(table) = &mut self.disturbing {
            let (signals, receiving) = config.disturbing();
            table.set(at, parts(at_antennas(&gains[..signals], receiving)));
        }
        let antennas = config.receivers.into();
        let pairs = (0..antennas).flat_map(|antenna| gains.iter().map(move |own| own[antenna]));
        self.groups.write(at, pairs, &precoders[0][0]);
        for (layers, precoders) in (1..).zip(precoders) {
            let received = received(gains, precoders);
            match layers {
                1 => self.matched.set(at, std::iter::once(power(&received[0]))),
                _ => {
                    let minors = minors(&gram(&received), layers);
                    self.layers[layers - 2].set(at, minors.into_iter());
                }
            }
            if let Some(table) = self.wanted.get_mut(layers - 1) {
                table.set(at, parts(at_antennas(&received[..layers], antennas)));
            }
            if let Some(table) = self.weights.get_mut(layers - 1) {
                table.set(at, parts(precoders.iter().flatten().copied()));
            }
        }
    }

    fn into_tables(self) -> Tables {
        let shared = |table: Table| Arc::new(table.numbers);
        let all = |tables: Vec<Table>| tables.into_iter().map(shared).collect();
        Tables {
            unmatched: shared(self.unmatched),
            matched: shared(self.matched),
            layers: all(self.layers),
            antennas: Antennas {
                disturbing: self.disturbing.map(shared),
                wanted: all(self.wanted),
                weights: all(self.weights),
            },
            groups: self.groups.end(),
        }
    }
}

/// Gains at the first antennas, of one port or layer after the other.
fn at_antennas(gains: &[Gains], antennas: usize) -> impl Iterator<Item = Complex64> {
    gains.iter().flat_map(move |own| own.iter().copied().take(antennas))
}

/// Real and imaginary parts, one after the other.
fn parts(numbers: impl Iterator<Item = Complex64>) -> impl Iterator<Item = f64> {
    numbers.flat_map(|number| [number.re, number.im])
}

/// Gains of layers at each antenna; layers beyond these have zeros.
fn received(gains: &[Gains], precoders: &[Vec<Complex64>]) -> [Gains; LAYERS] {
    let mut received = [[Complex64::default(); ANTENNAS]; LAYERS];
    for (own, precoder) in received.iter_mut().zip(precoders) {
        for (at_antennas, weight) in gains.iter().zip(precoder) {
            own.iter_mut().zip(at_antennas).for_each(|(sum, gain)| *sum += gain * weight);
        }
    }
    received
}

fn power(received: &[Complex64]) -> f64 {
    received.iter().map(Complex64::norm_sqr).sum()
}

fn gram(received: &[Gains]) -> Hermitian {
    let mut gram = Hermitian::default();
    for (row, one) in gram.iter_mut().zip(received) {
        for (entry, other) in row.iter_mut().zip(received) {
            *entry = one.iter().zip(other).map(|(a, b)| a.conj() * b).sum();
        }
    }
    gram
}
