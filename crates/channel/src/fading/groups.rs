//! Complex gains of ports by groups of resource blocks, for layers to several UEs at once.
//!
//! A group has the gains of its middle resource block, at each antenna of the UE. A precoder of the UE's reports
//! likewise has those of its middle resource block, measured and late as all reports.

use std::sync::Arc;

use num_complex::{Complex32, Complex64};

use super::antennas;
use super::config::LibraryConfig;
use super::library::Axis;
use super::synthesis::Channel;

/// Tables by realisation, step and group.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Gains by antenna, then port.
    pub(super) gains: Arc<Vec<Complex32>>,
    /// Weights of ports of one layer; none without reports.
    pub(super) precoders: Arc<Vec<Complex32>>,
}

impl Groups {
    /// The tables of a configuration with groups, of these realisations.
    pub(super) fn new(config: &LibraryConfig, axis: &Axis, channels: &[Channel]) -> Groups {
        let groups: Vec<usize> = middles(config).collect();
        let (steps, ports) = (axis.steps as usize, config.precoding.ports());
        let pairs = ports * usize::from(config.receivers);
        let table = |pairs: usize| vec![Complex32::default(); steps * groups.len() * pairs];
        let (mut gains, mut precoders) = (Vec::new(), Vec::new());
        for channel in channels {
            let mut own = table(pairs);
            for ((n, block), pair) in groups
                .iter()
                .enumerate()
                .flat_map(|group| (0..pairs).map(move |pair| (group, pair)))
            {
                let column = channel.column(pair, *block);
                let rows = own.chunks_exact_mut(groups.len() * pairs);
                rows.zip(column).for_each(|(row, gain)| row[n * pairs + pair] = narrow(gain));
            }
            gains.append(&mut own);
            if config.reported {
                let mut own = table(ports);
                let width = groups.len() * ports;
                antennas::each_precoder(config, channel, axis, &groups, |step, precoders| {
                    let weights = precoders.iter().flatten().map(narrow);
                    own[step * width..][..width]
                        .iter_mut()
                        .zip(weights)
                        .for_each(|(to, w)| *to = w);
                });
                precoders.append(&mut own);
            }
        }
        Groups { gains: Arc::new(gains), precoders: Arc::new(precoders) }
    }

    /// Empty tables of a configuration, to be [written](Groups) one by one.
    pub(super) fn begin(config: &LibraryConfig, axis: &Axis) -> Writer {
        let middles: Vec<usize> = middles(config).collect();
        let rows = axis.steps as usize * axis.realisations as usize * middles.len();
        let ports = config.precoding.ports();
        let table = |width: usize| vec![Complex32::default(); rows * width];
        Writer {
            gains: table(ports * usize::from(config.receivers)),
            precoders: if config.reported { table(ports) } else { Vec::new() },
            middles,
        }
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self) -> usize {
        (self.gains.len() + self.precoders.len()) * size_of::<Complex32>()
    }
}

/// Tables that are made part by part of the carrier.
pub(super) struct Writer {
    /// The middle resource block of each group.
    middles: Vec<usize>,
    gains: Vec<Complex32>,
    precoders: Vec<Complex32>,
}

impl Writer {
    /// Writes gains by antenna and the precoder of one layer, where a resource block is the middle of a group. The
    /// step counts through all realisations.
    pub(super) fn write(
        &mut self,
        (step, block): (usize, usize),
        gains: impl Iterator<Item = Complex64> + Clone,
        precoder: &[Complex64],
    ) {
        let Ok(group) = self.middles.binary_search(&block) else { return };
        let row = step * self.middles.len() + group;
        let pairs = gains.clone().count();
        let own = self.gains[row * pairs..].iter_mut();
        own.zip(gains).for_each(|(to, gain)| *to = narrow(&gain));
        if !self.precoders.is_empty() {
            let own = self.precoders[row * precoder.len()..].iter_mut();
            own.zip(precoder).for_each(|(to, weight)| *to = narrow(weight));
        }
    }

    pub(super) fn end(self) -> Groups {
        Groups { gains: Arc::new(self.gains), precoders: Arc::new(self.precoders) }
    }
}

/// The middle resource block of each group of a configuration; none without groups.
fn middles(config: &LibraryConfig) -> impl Iterator<Item = usize> {
    let (carrier, width) = (usize::from(config.resource_blocks), usize::from(config.group));
    let firsts = (0..carrier).step_by(width.max(1)).filter(move |_| width > 0);
    firsts.map(move |first| first + width.min(carrier - first) / 2)
}

fn narrow(gain: &Complex64) -> Complex32 {
    Complex32::new(gain.re as f32, gain.im as f32)
}
