//! From where to where an axis goes.

use airpath_base::math::log10;
use kuva::render::render_utils::auto_nice_range;

use crate::{Axis, Direction, Mark, Panel, Scale};

/// Ends of an axis.
pub(crate) type Range = (f64, f64);

/// Magnitude from which figures are not drawn, as infinite ones are not: spans stay finite.
pub(crate) const GREAT: f64 = 1e150;

/// Ends of an axis of `panels` that has about so many ticks. Panels that share an axis are
/// `panels` together.
pub(crate) fn range(axis: &Axis, panels: &[&Panel], along: Direction, ticks: usize) -> Range {
    let log = axis.scale == Scale::Log;
    if let Scale::Category(names) = &axis.scale {
        return (0.5, names.len().max(1) as f64 + 0.5);
    }
    let fits = |(low, high): &Range| low < high && high - low < GREAT && !(log && *low <= 0.0);
    if let Some(range) = axis.range.filter(fits) {
        return range;
    }
    let values = panels.iter().flat_map(|panel| values(panel, along));
    let seen = values.filter(|value| value.abs() < GREAT && !(log && *value <= 0.0));
    let extent = seen.fold(None, |extent, value| match extent {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    });
    match (extent, log) {
        (None, false) => (0.0, 1.0),
        (None, true) => (1.0, 10.0),
        (Some(extent), true) => round_decades(extent),
        (Some((low, high)), false) if axis.zero => auto_nice(low.min(0.0), high.max(0.0), ticks),
        (Some((low, high)), false) => auto_nice(low, high, ticks),
    }
}

fn auto_nice(low: f64, high: f64, ticks: usize) -> Range {
    match (low, high) {
        (0.0, 0.0) => (0.0, 1.0),
        // A single figure in the middle.
        (low, high) if high - low <= high.abs().max(low.abs()) * 1e-9 => {
            (low - low.abs() / 2.0, high + high.abs() / 2.0)
        }
        (low, high) => auto_nice_range(low, high, ticks),
    }
}

/// Ends at 1, 2 or 5 times a power of ten.
fn round_decades((low, high): Range) -> Range {
    let steps = |value: f64| {
        let decade = log10(value).floor() as i32;
        [1.0, 2.0, 5.0, 10.0].map(|step| step * 10f64.powi(decade))
    };
    let below = steps(low).into_iter().rfind(|step| *step <= low * (1.0 + 1e-9)).unwrap_or(low);
    let above = steps(high).into_iter().find(|step| *step >= high * (1.0 - 1e-9)).unwrap_or(high);
    match (below, above) {
        (below, above) if above / below > 1.5 => (below, above),
        (below, above) => (below / 2.0, above * 2.0),
    }
}

/// All figures of a panel along an axis.
fn values(panel: &Panel, along: Direction) -> Vec<f64> {
    let mut all: Vec<f64> =
        panel.layers.iter().flat_map(|layer| of_mark(&layer.mark, along)).collect();
    all.extend(stacked(panel, along));
    all
}

fn of_mark(mark: &Mark, along: Direction) -> Vec<f64> {
    let known = |values: &[Option<f64>]| values.iter().copied().flatten().collect::<Vec<_>>();
    match (mark, along) {
        (
            Mark::Line { x, .. }
            | Mark::Points { x, .. }
            | Mark::Band { x, .. }
            | Mark::Intervals { x, .. }
            | Mark::Text { x, .. },
            Direction::X,
        ) => x.clone(),
        (Mark::Line { y, .. }, Direction::Y) => known(y),
        (Mark::Points { y, .. } | Mark::Text { y, .. }, Direction::Y) => y.clone(),
        (Mark::Band { low, high, .. }, Direction::Y) => [known(low), known(high)].concat(),
        (Mark::Intervals { y, low, high, .. }, Direction::Y) => [y.as_slice(), low, high].concat(),
        (Mark::Ellipse { centre, covariance, deviations }, _) => {
            let (middle, variance) = match along {
                Direction::X => (centre.0, covariance.0),
                Direction::Y => (centre.1, covariance.2),
            };
            let half = deviations * variance.max(0.0).sqrt();
            vec![middle - half, middle + half]
        }
        (Mark::Rule { along: own, at, .. }, _) if *own == along => vec![*at],
        (Mark::Rule { .. } | Mark::Bars { .. } | Mark::Cells { .. }, _) => Vec::new(),
    }
}

/// Zero and the length of each stack of bars, with room for what is written behind it, on the
/// axis along which they lie.
fn stacked(panel: &Panel, along: Direction) -> Vec<f64> {
    let sums = panel.sums();
    let room = if along == Direction::X { 1.1 } else { 1.05 };
    match sums.is_empty() || along != panel.bars_along() {
        true => Vec::new(),
        false => sums.iter().map(|sum| sum * room).chain([0.0]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    fn of(axis: Axis, y: &[f64]) -> Range {
        let x = vec![0.0; y.len()];
        let layers = vec![Layer::plain(Mark::line(x, y.to_vec()))];
        let panel = Panel { y: axis, layers, ..Panel::default() };
        range(&panel.y, &[&panel], Direction::Y, 5)
    }

    #[test]
    fn ends_are_round_and_hold_the_data() {
        assert_eq!(of(Axis::new("y", ""), &[3.2, 97.0, f64::NAN]), (0.0, 100.0));
        assert_eq!(of(Axis::new("y", ""), &[52.0, 97.0]), (50.0, 100.0));
        assert_eq!(of(Axis::new("y", "").from_zero(), &[52.0, 97.0]), (0.0, 100.0));
        assert_eq!(of(Axis::new("y", "").within(10.0, 60.0), &[52.0, 97.0]), (10.0, 60.0));
        assert_eq!(of(Axis::new("y", ""), &[8.0, 8.0]), (4.0, 12.0));
        assert_eq!(of(Axis::new("y", ""), &[]), (0.0, 1.0));
        assert_eq!(of(Axis::new("y", ""), &[f64::INFINITY, 1e300]), (0.0, 1.0));
    }

    #[test]
    fn logarithmic_ends_are_round() {
        assert_eq!(of(Axis::log("y", ""), &[0.0, 3.0, 180.0]), (2.0, 200.0));
        assert_eq!(of(Axis::log("y", ""), &[0.1, 1.0]), (0.1, 1.0));
        assert_eq!(of(Axis::log("y", ""), &[0.003, 180.0]), (0.002, 200.0));
        assert_eq!(of(Axis::log("y", ""), &[1.0, 10_000.0]), (1.0, 10_000.0));
        assert_eq!(of(Axis::log("y", ""), &[-1.0]), (1.0, 10.0));
        assert_eq!(of(Axis::log("y", "").within(0.0, 5.0), &[20.0]), (10.0, 40.0));
    }
}
