//! Makes the tables of a library from realisations of the channel.

use std::sync::Arc;

use airpath_base::random::Keyed;
use num_complex::Complex64;

use super::antennas::{self, Antennas};
use super::config::LibraryConfig;
use super::groups::Groups;
use super::interference::Eight;
use super::library::Axis;
use super::panel;
use super::synthesis::{Channel, Recipe};
use crate::precoding::{Choice, Codebook, Feedback, Precoding, Selector, dominant, layers};

/// Steps whose gains are read at once, so that the processor's cache holds them.
const TILE: usize = 16;

/// Gains of power by realisation, step and resource block.
pub(super) struct Tables {
    pub(super) unmatched: Arc<Vec<Eight>>,
    /// Perhaps the same.
    pub(super) matched: Arc<Vec<Eight>>,
    /// Principal minors of 2, 3 and 4 layers, as many of these as there are.
    pub(super) layers: Vec<Arc<Vec<Eight>>>,
    pub(super) antennas: Antennas,
    pub(super) groups: Groups,
}

/// Gains of up to four ports at one antenna in a resource block at one step.
pub(super) type Ports = [Complex64; PORTS];
pub(super) const PORTS: usize = 4;

/// The tables of configurations that differ in the use of their ports only: they have one channel.
pub(super) fn tables(configs: &[LibraryConfig], axis: &Axis, keyed: Keyed) -> Vec<Tables> {
    let recipe = recipe(&configs[0], axis);
    if let (1, Precoding::ClosedLoop { codebook: Codebook::Panel(panel), feedback }) =
        (configs.len(), configs[0].precoding)
    {
        return vec![panel::tables((&configs[0], panel, feedback), axis, (&recipe, keyed))];
    }
    let channel = |realisation| recipe.realise(realisation, keyed);
    let channels: Vec<Channel> = (0..u64::from(axis.realisations)).map(channel).collect();
    let tables = |count: usize, fill: &dyn Fn(&Channel, &mut [Eight])| {
        let rows = axis.steps as usize * count * configs[0].stride();
        let mut table = vec![Eight::default(); rows * channels.len()];
        for (channel, own) in channels.iter().zip(table.chunks_exact_mut(rows)) {
            fill(channel, own);
        }
        Arc::new(table)
    };
    let table = |fill: &dyn Fn(&Channel, &mut [Eight])| tables(1, fill);
    let mut made: Vec<Tables> = Vec::new();
    for config in configs {
        let alike = |other: &&LibraryConfig| spread_ports(other) == spread_ports(config);
        let before = configs[..made.len()].iter().position(|other| alike(&other));
        let unmatched = match before {
            Some(other) => made[other].unmatched.clone(),
            None => table(&|channel, own| spread(config, channel, own)),
        };
        let matched = match config.precoding {
            Precoding::SinglePort | Precoding::TransmitDiversity(_) | Precoding::OpenLoop(_) => {
                match config.receivers {
                    1 => unmatched.clone(),
                    _ => table(&|channel, own| receive(config, channel, own)),
                }
            }
            Precoding::MaximumRatio { .. } => table(&|channel, own| combine(config, channel, own)),
            Precoding::Granted { .. } => {
                table(&|channel, own| separate(config, channel, (1, axis), own))
            }
            Precoding::ClosedLoop { codebook, feedback } => {
                let receivers = usize::from(config.receivers);
                let selector = Selector::new(codebook, subband(config, feedback), receivers);
                let reports = Reports::on(axis, feedback);
                table(&|channel, own| precode(config, channel, &selector, &reports, own))
            }
        };
        let layers = (2..=usize::from(config.layers)).map(|layers| {
            tables((1 << layers) - 1, &|channel, own| {
                separate(config, channel, (layers, axis), own);
            })
        });
        let layers = layers.collect();
        let antennas = antennas::tables(config, axis, &tables);
        let groups = Groups::new(config, axis, &channels);
        made.push(Tables { unmatched, matched, layers, antennas, groups });
    }
    made
}

/// Resource blocks with a precoder of their own.
pub(super) fn subband(config: &LibraryConfig, feedback: Feedback) -> usize {
    usize::from(feedback.subband.unwrap_or(config.resource_blocks))
}

fn recipe(config: &LibraryConfig, axis: &Axis) -> Recipe {
    Recipe {
        profile: config.profile,
        delay_spread: config.delay_spread.as_secs_f64(),
        cycles: axis.cycles,
        steps: axis.steps as usize,
        resource_blocks: usize::from(config.resource_blocks),
        width: config.resource_block_hz(),
        ports: config.precoding.ports(),
        receivers: usize::from(config.receivers),
        correlation: config.correlation,
        array: config.array,
        scattering: config.scattering,
    }
}

/// Ports that a signal without a precoder for this UE has. The first port stands for any precoder
/// that does not know the channel.
fn spread_ports(config: &LibraryConfig) -> usize {
    match config.precoding {
        Precoding::TransmitDiversity(_) | Precoding::OpenLoop(_) => config.precoding.ports(),
        _ => 1,
    }
}

/// Writes gains without a precoder for this UE at one antenna: the mean of the ports.
fn spread(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    let ports = spread_ports(config);
    sum(config, channel, ports, 1.0 / ports as f64, table);
}

/// Writes gains of a signal without a precoder at all antennas: the sum over them of the mean of the
/// ports.
fn receive(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    sum(config, channel, channel.pairs(), 1.0 / spread_ports(config) as f64, table);
}

/// Writes gains of maximum ratio: the sum of the ports, or the largest eigenvalue of the covariance of
/// several antennas.
fn combine(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    if config.receivers == 1 {
        return sum(config, channel, channel.pairs(), 1.0, table);
    }
    let rows = config.precoding.ports().div_ceil(PORTS);
    let layout =
        Layout { ports: config.precoding.ports(), rows, antennas: config.receivers.into() };
    each_step(channel, layout, |step, blocks| {
        let blocks = blocks.chunks_exact(rows * layout.antennas);
        for (gain, block) in row(config, table, step).zip(blocks) {
            *gain = largest_eigenvalue(&block.chunks_exact(rows).collect::<Vec<_>>()) as f32;
        }
    });
}

/// Writes the power of the first `pairs`, times `weight`.
fn sum(config: &LibraryConfig, channel: &Channel, pairs: usize, weight: f64, table: &mut [Eight]) {
    let (blocks, steps) = (channel.resource_blocks, channel.steps);
    let mut sums = vec![0.0; TILE * blocks];
    for first in (0..steps).step_by(TILE) {
        let here = first..(first + TILE).min(steps);
        sums.fill(0.0);
        for (pair, block) in (0..pairs).flat_map(|pair| (0..blocks).map(move |block| (pair, block)))
        {
            let gains = &channel.column(pair, block)[here.clone()];
            for (row, gain) in sums.chunks_exact_mut(blocks).zip(gains) {
                row[block] += gain.norm_sqr();
            }
        }
        for (step, sums) in here.zip(sums.chunks_exact(blocks)) {
            for (gain, power) in row(config, table, step).zip(sums) {
                *gain = (power * weight) as f32;
            }
        }
    }
}

/// Times at which the precoders of steps were measured.
pub(super) struct Reports {
    feedback: Feedback,
    /// Duration of a step in nanoseconds.
    hold: u64,
    steps: u32,
}

impl Reports {
    pub(super) fn on(axis: &Axis, feedback: Feedback) -> Reports {
        Reports { feedback, hold: axis.hold.as_nanos(), steps: axis.steps }
    }

    /// The step at which the precoder of `step` was measured: the last report of at least
    /// `delay` before the middle of the step. Steps before the first are the last ones of the
    /// axis, which closes.
    pub(super) fn measured(&self, step: usize) -> usize {
        let nanos = |duration: airpath_base::Duration| i128::from(duration.as_nanos());
        let hold = i128::from(self.hold);
        let middle = hold * step as i128 + hold / 2;
        let period = nanos(self.feedback.period);
        let report = (middle - nanos(self.feedback.delay)).div_euclid(period) * period;
        report.div_euclid(hold).rem_euclid(i128::from(self.steps)) as usize
    }
}

/// Writes gains of the precoded signal.
fn precode(
    config: &LibraryConfig,
    channel: &Channel,
    selector: &Selector,
    reports: &Reports,
    table: &mut [Eight],
) {
    let antennas = usize::from(config.receivers);
    let layout = Layout { ports: config.precoding.ports(), rows: 1, antennas };
    let measured: Vec<usize> =
        (0..reports.steps as usize).map(|step| reports.measured(step)).collect();
    let mut choices: Vec<Option<Choice>> = vec![None; measured.len()];
    measured.iter().for_each(|step| choices[*step] = Some(Choice::default()));
    each_step(channel, layout, |step, blocks| {
        if let Some(choice) = &mut choices[step] {
            *choice = selector.choose(blocks);
        }
    });
    each_step(channel, layout, |step, blocks| {
        let Some(choice) = &choices[measured[step]] else { return };
        let blocks = blocks.chunks_exact(antennas);
        for (block, (gain, channel)) in row(config, table, step).zip(blocks).enumerate() {
            *gain = selector.gain(choice, block, channel) as f32;
        }
    });
}

/// Writes principal minors of so many layers of the precoded signal.
fn separate(
    config: &LibraryConfig,
    channel: &Channel,
    (layers, axis): (usize, &Axis),
    table: &mut [Eight],
) {
    let (selector, feedback) = match config.precoding {
        Precoding::ClosedLoop { codebook, feedback } => {
            (layers::Selector::new(codebook, layers, subband(config, feedback)), feedback)
        }
        Precoding::Granted { feedback, .. } => {
            (layers::Selector::uplink(layers, config.resource_blocks.into()), feedback)
        }
        Precoding::OpenLoop(ports) => {
            (layers::Selector::open_loop(layers, ports.count()), Feedback::AT_ONCE)
        }
        _ => return,
    };
    let reports = Reports::on(axis, feedback);
    let (antennas, ports) = (usize::from(config.receivers), config.precoding.ports());
    let layout = Layout { ports, rows: ports.div_ceil(PORTS), antennas };
    let covariances = |blocks: &[Ports]| -> Vec<layers::Hermitian> {
        let blocks = blocks.chunks_exact(antennas * layout.rows);
        match config.precoding {
            Precoding::Granted { .. } => blocks.map(|block| at_cell(block, layout)).collect(),
            _ => blocks.map(|block| layers::covariance(block.iter())).collect(),
        }
    };
    let measured: Vec<usize> =
        (0..axis.steps as usize).map(|step| reports.measured(step)).collect();
    let mut choices: Vec<Option<layers::Choice>> = vec![None; measured.len()];
    measured.iter().for_each(|step| choices[*step] = Some(layers::Choice::default()));
    each_step(channel, layout, |step, blocks| {
        if let Some(choice) = &mut choices[step] {
            *choice = selector.choose(&covariances(blocks));
        }
    });
    let (sets, stride) = ((1 << layers) - 1, config.stride());
    each_step(channel, layout, |step, blocks| {
        let Some(choice) = &choices[measured[step]] else { return };
        let rows = &mut table[step * sets * stride..][..sets * stride];
        for (block, covariance) in covariances(blocks).iter().enumerate() {
            let minors = selector.minors(choice, block, covariance);
            for (row, minor) in rows.chunks_exact_mut(stride).zip(minors) {
                row.as_flattened_mut()[block] = minor as f32;
            }
        }
    });
}

/// Covariance of the ports of a UE at all antennas of its cell.
fn at_cell(block: &[Ports], layout: Layout) -> layers::Hermitian {
    let antennas: Vec<Ports> = (0..layout.ports)
        .map(|antenna| {
            let mut gains = Ports::default();
            let ports = block.chunks_exact(layout.rows);
            gains.iter_mut().zip(ports).for_each(|(gain, port)| {
                *gain = port[antenna / PORTS][antenna % PORTS];
            });
            gains
        })
        .collect();
    layers::covariance(antennas.iter())
}

/// The row of a step by resource block.
fn row<'a>(
    config: &LibraryConfig,
    table: &'a mut [Eight],
    step: usize,
) -> impl Iterator<Item = &'a mut f32> {
    let row = &mut table[step * config.stride()..][..config.stride()];
    row.as_flattened_mut().iter_mut().take(usize::from(config.resource_blocks))
}

/// Order in which gains of pairs of antennas are read: `rows` of up to four ports for each of the UE's
/// `antennas`. Ports that are not there are zero.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) ports: usize,
    pub(super) rows: usize,
    pub(super) antennas: usize,
}

/// Calls `f` with each step and the gains by resource block, antenna and row.
pub(super) fn each_step(channel: &Channel, layout: Layout, mut f: impl FnMut(usize, &[Ports])) {
    let Layout { ports, rows, antennas } = layout;
    let (blocks, steps) = (channel.resource_blocks, channel.steps);
    let width = blocks * antennas * rows;
    let mut tile = vec![Ports::default(); TILE * width];
    for first in (0..steps).step_by(TILE) {
        let count = TILE.min(steps - first);
        for pair in 0..antennas * ports {
            let (antenna, port) = (pair / ports, pair % ports);
            for block in 0..blocks {
                let gains = &channel.column(pair, block)[first..first + count];
                let at = (block * antennas + antenna) * rows + port / PORTS;
                for (row, gain) in tile.chunks_exact_mut(width).zip(gains) {
                    row[at][port % PORTS] = *gain;
                }
            }
        }
        for (step, row) in (first..first + count).zip(tile.chunks_exact(width)) {
            f(step, row);
        }
    }
}

/// The largest eigenvalue of the covariance of antennas, each with its ports: the power of the best
/// transmission and reception together.
fn largest_eigenvalue(antennas: &[&[Ports]]) -> f64 {
    let product = |a: &[Ports], b: &[Ports]| -> Complex64 {
        a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b.conj()).sum()
    };
    let covariance: Vec<Vec<Complex64>> =
        antennas.iter().map(|a| antennas.iter().map(|b| product(a, b)).collect()).collect();
    dominant(&covariance).0
}

#[cfg(test)]
mod tests {
    use airpath_base::Duration;

    use super::*;

    #[test]
    fn a_report_is_late_by_its_delay_and_its_age() {
        let ms = Duration::from_millis;
        let feedback = Feedback { delay: ms(6), period: ms(5), subband: None };
        let reports = Reports { feedback, hold: 1_000_000, steps: 1024 };
        // Step 20 is at 20.5 ms: reports of 0, 5, 10 ms have come, not that of 15 ms.
        assert_eq!(reports.measured(20), 10);
        assert_eq!(reports.measured(21), 15);
        assert_eq!(reports.measured(25), 15);
        assert_eq!(reports.measured(26), 20);
        // Across the seam: at 0.5 ms the last report was 10 ms before the axis began.
        assert_eq!(reports.measured(0), 1024 - 10);
        assert_eq!(reports.measured(1), 1024 - 5);
    }

    #[test]
    fn without_delay_a_step_is_its_own_report() {
        let feedback = Feedback {
            delay: Duration::default(),
            period: Duration::from_millis(1),
            subband: None,
        };
        let reports = Reports { feedback, hold: 5_000_000, steps: 64 };
        for step in 0..64 {
            assert_eq!(reports.measured(step), step);
        }
    }
}
