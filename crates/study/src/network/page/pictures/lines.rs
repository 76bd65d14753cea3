//! Lines over the load, with intervals.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Scale, Series, figure};
use airpath_stats::Interval;

use super::list::{Line, Part, Picture, Pictures};
use super::measure::Measure;
use crate::network::Data;
use crate::network::page::form::with_unit;

/// A line's points: load, and what is shown.
type Points = Vec<(u32, Interval)>;

/// A line with its points.
type Drawn<'a> = (&'a Line, Points);

/// A panel with its measure and the lines that were made of it.
struct Shown<'a> {
    part: &'a Part,
    measure: Measure<'a>,
    /// The number of lines, with those that were not made.
    planned: usize,
    lines: Vec<Drawn<'a>>,
}

/// By how much points of one load are set apart, in users.
const APART: f64 = 0.35;
/// Figures that differ by more than this are shown on a logarithmic axis.
const WIDE: f64 = 20.0;

/// The chart; none if the arm that it needs was not made.
pub(super) fn chart<'a>(
    data: &'a Data,
    pictures: &'a Pictures,
    picture: &'a Picture,
) -> Option<Chart> {
    if data.loads(&picture.needs).is_empty() {
        return None;
    }
    let shown = |part: &'a Part| {
        let (measure, lines) = (part.measure(data)?, pictures.lines(part));
        let drawn = lines.iter().filter_map(|line| points(data, measure, line)).collect();
        Some(Shown { part, measure, planned: lines.len(), lines: drawn })
    };
    let drawn: Vec<Shown<'_>> = picture.parts.iter().filter_map(shown).collect();
    let panel = |(n, own): (usize, &Shown<'_>)| {
        // Panels with as many lines show other schedulers and share an axis. Panels with fewer
        // lines are a closer look.
        let same = drawn
            .iter()
            .filter(|other| other.measure == own.measure && other.planned == own.planned);
        let lines = same.flat_map(|other| &other.lines);
        let all: Vec<Interval> = lines.flat_map(|line| &line.1).map(|point| point.1).collect();
        panel(n, own, &all)
    };
    let panels: Vec<Panel> = drawn.iter().enumerate().map(panel).collect();
    Some(Chart {
        title: picture.title.clone(),
        sentence: sentence(picture, drawn.first()?),
        panels,
        columns: 2,
        ..Chart::default()
    })
}

/// The points of a line; none if nothing of it was made.
fn points<'a>(data: &Data, measure: Measure<'_>, line: &'a Line) -> Option<Drawn<'a>> {
    let loads = data.loads(&line.arm).into_iter();
    let point = |load| Some((load, measure.of(data, data.arm(&line.arm, load)?)?));
    let points: Points = loads.filter_map(point).collect();
    (!points.is_empty()).then_some((line, points))
}

/// A panel; `all` is what is shown of the same measure in all panels, which have the same axis.
fn panel(n: usize, shown: &Shown<'_>, all: &[Interval]) -> Panel {
    let lines = &shown.lines;
    let letter = char::from(b'a' + n as u8);
    let y = axis(shown.measure, all);
    let floor = match (&y.scale, y.range) {
        (Scale::Log, Some((low, _))) => low / 2.0,
        _ => f64::NEG_INFINITY,
    };
    let many = lines.len() as f64;
    let loads = lines.iter().flat_map(|(_, points)| points).map(|(load, _)| f64::from(*load));
    let last = loads.fold(0.0, f64::max);
    let layers = lines.iter().enumerate().flat_map(|(n, (line, points))| {
        layers(line, points, (n as f64 - (many - 1.0) / 2.0) * APART, floor)
    });
    Panel {
        title: format!("({letter}) {}", shown.part.title).trim_end().to_owned(),
        x: Axis::new("video users", "").within(0.0, last + 2.0),
        y,
        layers: layers.collect(),
        ..Panel::default()
    }
}

/// The axis of a measure: from zero; of delays and losses logarithmic where figures differ widely.
/// Of counts and shares it is seen whether they grow with the load.
fn axis(measure: Measure<'_>, all: &[Interval]) -> Axis {
    let (label, unit) = (measure.label(), measure.kpi.unit.as_str());
    let least = all.iter().map(|i| i.estimate).fold(f64::INFINITY, f64::min);
    let most = all.iter().map(|i| i.estimate).fold(f64::NEG_INFINITY, f64::max);
    let high = all.iter().map(|i| i.high).fold(f64::NEG_INFINITY, f64::max);
    let low = all.iter().map(|i| i.low).fold(f64::INFINITY, f64::min);
    if !(high - low).is_finite() || high <= low {
        return Axis::new(&label, unit).from_zero();
    }
    // A wide interval may leave the panel, but the points fill it.
    let by_size = unit == "ms" || measure.kpi.name == "loss";
    match (unit, by_size && least > 0.0 && most / least > WIDE) {
        ("dB", _) => Axis::new(&label, unit).within(low - 0.5, high + 0.5),
        (_, true) => Axis::log(&label, unit).within(least / 1.5, high.min(3.0 * most) * 1.1),
        (_, false) => {
            let top = high.min(1.6 * most).max(0.0) * 1.05;
            let axis = Axis::new(&label, unit).from_zero();
            if top > 0.0 { axis.within(0.0, top) } else { axis }
        }
    }
}

fn layers(line: &Line, points: &Points, shift: f64, floor: f64) -> [Layer; 2] {
    let Line { ref name, colour, shape, .. } = *line;
    let series = Series { name: name.clone(), colour, shape, hollow: shape > 0 };
    let x: Vec<f64> = points.iter().map(|(load, _)| f64::from(*load) + shift).collect();
    let of = |value: fn(&Interval) -> f64| points.iter().map(|(_, i)| value(i)).collect::<Vec<_>>();
    let y = of(|i| i.estimate);
    let low = of(|i| i.low).into_iter().map(|low| low.max(floor)).collect();
    let intervals = Mark::Intervals { x: x.clone(), y: y.clone(), low, high: of(|i| i.high) };
    let meaning = "points with their 95% intervals; those of one load stand beside each other";
    [Layer::new(&series, Mark::line(x, y)), Layer::new(&series, intervals).meaning(meaning)]
}

/// Sentence on the first panel: figures of its lines at their highest loads.
fn sentence(picture: &Picture, shown: &Shown<'_>) -> String {
    let unit = &shown.measure.kpi.unit;
    let last = shown.lines.iter().filter_map(|(line, points)| {
        let (load, found) = points.last()?;
        let ends = format!("{} to {}", figure(found.low), figure(found.high));
        let value = with_unit(found.estimate, unit);
        Some(format!("{} {value} ({ends}) at {load} users", line.name))
    });
    let last: Vec<String> = last.collect();
    let (figures, label) = (&picture.figures, shown.measure.label());
    format!("{}, {figures}. First panel, {label}: {}.", picture.title, last.join("; "))
}
