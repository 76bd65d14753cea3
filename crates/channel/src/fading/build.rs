//! Makes the tables of a library from realisations of the channel.

use airpath_base::random::Keyed;
use num_complex::Complex64;

use super::config::LibraryConfig;
use super::interference::Eight;
use super::library::Axis;
use super::synthesis::{Channel, Recipe};
use crate::precoding::{Feedback, Precoding, Selector};

/// Gains of power by realisation, step and resource block.
pub(super) struct Tables {
    pub(super) unmatched: Vec<Eight>,
    /// Empty if the same.
    pub(super) matched: Vec<Eight>,
}

/// Gains at one step: by resource block, then port.
type Snapshot = Vec<[Complex64; 4]>;

pub(super) fn tables(config: &LibraryConfig, axis: &Axis, keyed: Keyed) -> Tables {
    let recipe = recipe(config, axis);
    let rows = axis.steps as usize * axis.realisations as usize;
    let table = || vec![Eight::default(); rows * config.stride()];
    let mut tables = Tables { unmatched: table(), matched: Vec::new() };
    if config.tables() == 2 {
        tables.matched = table();
    }
    let rows = axis.steps as usize * config.stride();
    for realisation in 0..axis.realisations as usize {
        let channel = recipe.realise(realisation as u64, keyed);
        let own = realisation * rows..(realisation + 1) * rows;
        spread(config, &channel, &mut tables.unmatched[own.clone()]);
        if let Precoding::MaximumRatio(_) = config.precoding {
            combine(config, &channel, &mut tables.matched[own]);
        } else if let Precoding::ClosedLoop { codebook, feedback } = config.precoding {
            let subband = feedback.subband.unwrap_or(config.resource_blocks);
            let selector = Selector::new(codebook, usize::from(subband));
            let reports = Reports { feedback, hold: axis.hold.as_nanos(), steps: axis.steps };
            precode(config, &channel, selector, &reports, &mut tables.matched[own]);
        }
    }
    tables
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
        correlation: config.correlation,
    }
}

/// Writes gains without a precoder for this UE: those of the first port, or with transmit diversity
/// the mean of the ports. The first port stands for any precoder that does not know the channel.
fn spread(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    let ports = match config.precoding {
        Precoding::TransmitDiversity(_) => config.precoding.ports(),
        _ => 1,
    };
    sum(config, channel, ports, 1.0 / ports as f64, table);
}

/// Gains of maximum ratio: the sum of the ports.
fn combine(config: &LibraryConfig, channel: &Channel, table: &mut [Eight]) {
    sum(config, channel, config.precoding.ports(), 1.0, table);
}

/// Writes the power of the first `ports`, times `weight`.
fn sum(config: &LibraryConfig, channel: &Channel, ports: usize, weight: f64, table: &mut [Eight]) {
    for (step, row) in table.chunks_exact_mut(config.stride()).enumerate() {
        for (block, gain) in blocks(config, row).enumerate() {
            let power = |port| channel.gain(port, block, step).norm_sqr();
            *gain = ((0..ports).map(power).sum::<f64>() * weight) as f32;
        }
    }
}

/// Times at which the precoders of steps were measured.
struct Reports {
    feedback: Feedback,
    /// Duration of a step in nanoseconds.
    hold: u64,
    steps: u32,
}

impl Reports {
    /// The step at which the precoder of `step` was measured: the last report of at least
    /// `delay` before the middle of the step. Steps before the first are the last ones of the
    /// axis, which closes.
    fn measured(&self, step: usize) -> usize {
        let nanos = |duration: airpath_base::Duration| i128::from(duration.as_nanos());
        let hold = i128::from(self.hold);
        let middle = hold * step as i128 + hold / 2;
        let period = nanos(self.feedback.period);
        let report = (middle - nanos(self.feedback.delay)).div_euclid(period) * period;
        report.div_euclid(hold).rem_euclid(i128::from(self.steps)) as usize
    }
}

/// Gains of the precoded signal.
fn precode(
    config: &LibraryConfig,
    channel: &Channel,
    mut selector: Selector,
    reports: &Reports,
    table: &mut [Eight],
) {
    let mut snapshot: Snapshot = vec![Default::default(); usize::from(config.resource_blocks)];
    let ports = config.precoding.ports();
    let mut last = None;
    for (step, row) in table.chunks_exact_mut(config.stride()).enumerate() {
        let measured = reports.measured(step);
        if last != Some(measured) {
            take(channel, ports, measured, &mut snapshot);
            selector.choose(&snapshot);
            last = Some(measured);
        }
        take(channel, ports, step, &mut snapshot);
        for (block, (gain, channel)) in blocks(config, row).zip(&snapshot).enumerate() {
            *gain = selector.gain(block, channel) as f32;
        }
    }
}

/// The gains of a step by resource block.
fn blocks<'a>(config: &LibraryConfig, row: &'a mut [Eight]) -> impl Iterator<Item = &'a mut f32> {
    row.as_flattened_mut().iter_mut().take(usize::from(config.resource_blocks))
}

fn take(channel: &Channel, ports: usize, step: usize, snapshot: &mut Snapshot) {
    for (block, gains) in snapshot.iter_mut().enumerate() {
        for (port, gain) in gains[..ports].iter_mut().enumerate() {
            *gain = channel.gain(port, block, step);
        }
    }
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
