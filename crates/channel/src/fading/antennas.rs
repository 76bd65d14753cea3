//! Complex gains at each antenna of a receiver, and weights of ports, for interference rejection and for
//! interferers with their precoders.
//!
//! A row has the real or the imaginary part of the gain of one signal at one antenna, by resource block.
//! Signals for other UEs come from the first ports, one from each, of mean power 1. Independent ports with
//! a precoder that does not know the channel have this distribution. With precoders they come from all
//! ports. Signals for this UE are its layers behind their precoders, which share power 1.

use std::sync::Arc;

use num_complex::Complex64;

use super::build::{Layout, PORTS, Ports, Reports, each_step, subband};
use super::config::LibraryConfig;
use super::interference::Eight;
use super::library::Axis;
use super::synthesis::Channel;
use crate::precoding::{self, Precoding, layers};

/// Fills a table of so many rows a step.
type Fill<'a> = dyn Fn(usize, &dyn Fn(&Channel, &mut [Eight])) -> Arc<Vec<Eight>> + 'a;

/// Tables of complex gains and weights, a row for each real and imaginary part.
#[derive(Clone, Debug, Default)]
pub(super) struct Antennas {
    /// Gains of signals for others: by port, then antenna.
    pub(super) disturbing: Option<Arc<Vec<Eight>>>,
    /// Gains of signals for this UE, of 1 and more layers: by layer, then antenna.
    pub(super) wanted: Vec<Arc<Vec<Eight>>>,
    /// Weights of signals for this UE, of 1 and more layers: by layer, then port.
    pub(super) weights: Vec<Arc<Vec<Eight>>>,
}

impl Antennas {
    /// Eights of all tables.
    pub(super) fn len(&self) -> usize {
        let layered = self.wanted.iter().chain(&self.weights);
        self.disturbing.iter().chain(layered).map(|table| table.len()).sum()
    }
}

/// The tables of a configuration with interference rejection or precoders.
pub(super) fn tables(config: &LibraryConfig, axis: &Axis, tables: &Fill<'_>) -> Antennas {
    let (signals, receiving) = config.disturbing();
    if signals == 0 {
        return Antennas::default();
    }
    let (antennas, ports) = config.ends();
    let layered = |parts: usize, are_weights: bool| -> Vec<Arc<Vec<Eight>>> {
        let table = |count: u8| {
            tables(2 * parts * usize::from(count), &|channel, table| {
                steer(config, channel, (count, axis, are_weights), table);
            })
        };
        (1..=config.layers).map(table).collect()
    };
    Antennas {
        disturbing: Some(tables(2 * receiving * signals, &|channel, table| {
            from_ports(config, channel, table);
        })),
        wanted: if config.rejection > 0 { layered(antennas, false) } else { Vec::new() },
        weights: if config.precoded { layered(ports, true) } else { Vec::new() },
    }
}

/// Gains of the transmitter's ports at each antenna of the receiver, in a resource block.
fn at_antennas(config: &LibraryConfig, block: &[Ports]) -> Vec<Ports> {
    match config.precoding {
        Precoding::MaximumRatio { .. } | Precoding::Granted { .. } => {
            let of_port = block.chunks_exact(layout(config).rows);
            let at = |antenna: usize| {
                let mut gains = Ports::default();
                gains.iter_mut().zip(of_port.clone()).for_each(|(gain, port)| {
                    *gain = port[antenna / PORTS][antenna % PORTS];
                });
                gains
            };
            (0..config.ends().0).map(at).collect()
        }
        _ => block.to_vec(),
    }
}

/// Rows of gains of a resource block: of up to four ports of the base station, at each antenna of a UE.
fn block_rows(config: &LibraryConfig) -> usize {
    usize::from(config.receivers) * layout(config).rows
}

/// Order in which gains are read: those of up to four ports of the base station at each antenna of a UE.
fn layout(config: &LibraryConfig) -> Layout {
    let ports = config.precoding.ports();
    Layout { ports, rows: ports.div_ceil(PORTS), antennas: config.receivers.into() }
}

/// Writes gains of signals in a resource block, by antenna, into the rows of a step.
fn write(
    signals: impl Iterator<Item = Vec<Complex64>>,
    block: usize,
    rows: std::slice::ChunksExactMut<'_, Eight>,
) {
    let parts = signals.flatten().flat_map(|gain| [gain.re, gain.im]);
    rows.zip(parts).for_each(|(row, part)| row.as_flattened_mut()[block] = part as f32);
}

/// The rows of a step, of which there are so many.
fn step_rows<'a>(
    config: &LibraryConfig,
    (step, rows): (usize, usize),
    table: &'a mut [Eight],
) -> std::slice::ChunksExactMut<'a, Eight> {
    let size = rows * config.stride();
    table[step * size..][..size].chunks_exact_mut(config.stride())
}

/// Writes gains of signals for other UEs.
fn from_ports(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    let (signals, receiving) = config.disturbing();
    each_step(channel, layout(config), |step, blocks| {
        for (block, gains) in blocks.chunks_exact(block_rows(config)).enumerate() {
            let antennas = at_antennas(config, gains);
            let signal =
                |port: usize| antennas[..receiving].iter().map(|gains| gains[port]).collect();
            let rows = step_rows(config, (step, 2 * receiving * signals), table);
            write((0..signals).map(signal), block, rows);
        }
    });
}

/// Choice of precoders, as for the power of one layer and for the minors of several.
enum Steering {
    /// One port.
    First,
    One(precoding::Selector),
    Several(layers::Selector),
}

enum Chosen {
    First,
    One(precoding::Choice),
    Several(layers::Choice),
}

impl Steering {
    fn choose(&self, config: &LibraryConfig, blocks: &[Ports]) -> Chosen {
        match self {
            Steering::First => Chosen::First,
            Steering::One(selector) => Chosen::One(selector.choose(blocks)),
            Steering::Several(selector) => {
                let blocks = blocks.chunks_exact(block_rows(config));
                let covariance = |block| layers::covariance(at_antennas(config, block).iter());
                Chosen::Several(selector.choose(&blocks.map(covariance).collect::<Vec<_>>()))
            }
        }
    }

    /// Precoders of a resource block, one a layer.
    fn precoders(&self, chosen: &Chosen, block: usize) -> Vec<Vec<Complex64>> {
        match (self, chosen) {
            (Steering::One(selector), Chosen::One(choice)) => {
                vec![selector.precoder(choice, block).clone()]
            }
            (Steering::Several(selector), Chosen::Several(choice)) => {
                selector.precoders(choice, block).clone()
            }
            _ => vec![vec![Complex64::new(1.0, 0.0)]],
        }
    }
}

/// The means to choose precoders of so many layers, and the times of reports.
fn steering(config: &LibraryConfig, count: u8, axis: &Axis) -> (Steering, Option<Reports>) {
    match config.precoding {
        Precoding::ClosedLoop { codebook, feedback } => {
            let subband = subband(config, feedback);
            let steering = match count {
                1 => {
                    let antennas = config.receivers.into();
                    Steering::One(precoding::Selector::new(codebook, subband, antennas))
                }
                _ => Steering::Several(layers::Selector::new(codebook, count.into(), subband)),
            };
            (steering, Some(Reports::on(axis, feedback)))
        }
        Precoding::Granted { feedback, .. } => {
            let selector = layers::Selector::uplink(count.into(), config.resource_blocks.into());
            (Steering::Several(selector), Some(Reports::on(axis, feedback)))
        }
        _ => (Steering::First, None),
    }
}

/// The choices of precoders of so many layers: the means to choose, and the choice at each step that is measured. The
/// last are the steps that were measured, by step.
fn choices(
    config: &LibraryConfig,
    channel: &Channel,
    (count, axis): (u8, &Axis),
) -> (Steering, Vec<Option<Chosen>>, Vec<usize>) {
    let (steering, reports) = steering(config, count, axis);
    let steps = axis.steps as usize;
    let measured = |step: usize| reports.as_ref().map_or(step, |reports| reports.measured(step));
    let measured: Vec<usize> = (0..steps).map(measured).collect();
    let mut chosen: Vec<Option<Chosen>> = (0..steps).map(|_| None).collect();
    measured.iter().for_each(|step| chosen[*step] = Some(Chosen::First));
    each_step(channel, layout(config), |step, blocks| {
        if let Some(choice) = &mut chosen[step] {
            *choice = steering.choose(config, blocks);
        }
    });
    (steering, chosen, measured)
}

/// Writes gains of the layers of a precoded signal, or weights of its ports.
fn steer(
    config: &LibraryConfig,
    channel: &Channel,
    (count, axis, are_weights): (u8, &Axis, bool),
    table: &mut [Eight],
) {
    let (steering, chosen, measured) = choices(config, channel, (count, axis));
    let (antennas, ports) = config.ends();
    let rows = 2 * usize::from(count) * if are_weights { ports } else { antennas };
    each_step(channel, layout(config), |step, blocks| {
        let Some(choice) = &chosen[measured[step]] else { return };
        for (block, gains) in blocks.chunks_exact(block_rows(config)).enumerate() {
            let precoders = steering.precoders(choice, block);
            let own = step_rows(config, (step, rows), table);
            if are_weights {
                write(precoders.into_iter(), block, own);
                continue;
            }
            let gains = at_antennas(config, gains);
            let signals = precoders.into_iter().map(|precoder| {
                let received =
                    |ports: &Ports| ports.iter().zip(&precoder).map(|(h, w)| h * w).sum();
                gains.iter().map(received).collect()
            });
            write(signals, block, own);
        }
    });
}

/// Calls `f` with each step and the precoders of one layer in these resource blocks, by the reports that hold.
pub(super) fn each_precoder(
    config: &LibraryConfig,
    channel: &Channel,
    axis: &Axis,
    blocks: &[usize],
    mut f: impl FnMut(usize, &[Vec<Complex64>]),
) {
    let (steering, chosen, measured) = choices(config, channel, (1, axis));
    for (step, measured) in measured.into_iter().enumerate() {
        let Some(choice) = &chosen[measured] else { continue };
        let precoders = blocks.iter().flat_map(|block| steering.precoders(choice, *block));
        f(step, &precoders.collect::<Vec<_>>());
    }
}
