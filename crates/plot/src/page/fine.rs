//! Points of a long series beyond those drawn at first, for zooming in.
//!
//! A page has it beside the specification, in columns. Up to [`MOST`] points of a mark are kept;
//! of more, extremes stay.

use serde_json::{Value, json};

use crate::figure::digits;
use crate::thin::{MOST_POINTS, enough_of};
use crate::{Chart, Layer, Mark};

/// Points of a mark that a page has.
const MOST: usize = 40_000;
/// Buckets that leave as many at most: four points of each, taken twice.
const BUCKETS: usize = MOST / 10;
/// Digits of figures.
const DIGITS: usize = 6;

/// Columns of the marks that are not drawn whole; none if all are.
pub(super) fn data(chart: &Chart) -> Option<Value> {
    let layers = chart.panels.iter().enumerate();
    let layers = layers.flat_map(|(n, panel)| panel.layers.iter().map(move |layer| (n, layer)));
    let marks: Vec<Value> = layers
        .enumerate()
        .filter_map(|(mark, (panel, layer))| columns(layer, panel, mark))
        .collect();
    (!marks.is_empty()).then(|| Value::Array(marks))
}

fn columns(layer: &Layer, panel: usize, mark: usize) -> Option<Value> {
    let (x, y): (&[f64], Vec<Option<f64>>) = match &layer.mark {
        Mark::Line { x, y, .. } => (x, y.clone()),
        Mark::Points { x, y, values, names } if values.is_empty() && names.is_empty() => {
            (x, y.iter().copied().map(Some).collect())
        }
        _ => return None,
    };
    let count = layer.mark.points();
    if count <= MOST_POINTS {
        return None;
    }
    let plain: Vec<f64> = y[..count].iter().map(|y| y.unwrap_or(f64::NAN)).collect();
    let kept = match count {
        0..=MOST => (0..count).collect(),
        _ => enough_of(&x[..count], &[&plain], BUCKETS),
    };
    let short = |value: f64| value.is_finite().then(|| digits(value, DIGITS));
    Some(json!({
        "panel": panel,
        "mark": 2 * mark,
        "series": layer.series.as_ref().map(|series| &series.name),
        "x": kept.iter().map(|n| short(x[*n])).collect::<Vec<_>>(),
        "y": kept.iter().map(|n| short(plain[*n])).collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Panel, Series};

    #[test]
    fn long_series_are_there_in_full_and_very_long_ones_with_their_extremes() {
        let line = |count: usize| {
            let x: Vec<f64> = (0..count).map(|n| n as f64).collect();
            let y = (0..count).map(|n| if n == 777 { 1e4 } else { (n % 7) as f64 }).collect();
            Layer::new(&Series::new("a", 0), Mark::line(x, y))
        };
        let chart = |layers| Chart {
            panels: vec![Panel { layers, ..Panel::default() }],
            ..Chart::default()
        };
        assert_eq!(data(&chart(vec![line(4_000)])), None);
        let found = data(&chart(vec![line(10), line(5_000), line(200_000)])).expect("data");
        let all = found.as_array().expect("marks");
        let len = |n: usize| all[n]["x"].as_array().map_or(0, Vec::len);
        assert_eq!((all.len(), all[0]["mark"].as_u64(), len(0)), (2, Some(2), 5_000));
        assert!(len(1) > MOST_POINTS && len(1) <= MOST, "{}", len(1));
        let highest = all[1]["y"].as_array().expect("y").iter().filter_map(Value::as_f64);
        assert_eq!(highest.fold(0.0, f64::max), 1e4);
    }
}
