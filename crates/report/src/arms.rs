//! Metrics of a campaign's arms: with intervals beside each other, and over two axes.

use airpath_campaign::Estimate;
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, Values, capital, figure, plural};
use airpath_results::metric_info;

use crate::words::{distinct, label, shown, with_unit};
use crate::{Arms, ReportError, Results};

/// Arms that have a colour each; of more, the values of the second axis have.
const MOST_COLOURED: usize = 12;
/// Advice if there is no campaign.
const SWEEP: &str = "`airpath sweep SCENARIO --vary KEY=A,B --out DIR` makes one";

/// An arm with its value on each axis, and its values of the metric.
struct Point {
    cells: Vec<String>,
    name: String,
    estimate: Option<Estimate>,
}

/// A campaign's metric by arm.
struct Measured<'a> {
    arms: &'a Arms,
    metric: String,
    factor: f64,
    unit: String,
    more_is_better: Option<bool>,
    points: Vec<Point>,
    /// Columns that differ between the arms.
    axes: Vec<usize>,
}

impl<'a> Measured<'a> {
    fn of(results: &'a Results, of: Option<&str>) -> Result<Measured<'a>, ReportError> {
        let [arms] = results.campaigns.as_slice() else {
            let what = match results.campaigns.len() {
                0 => "metrics with intervals take a campaign, and these are runs",
                _ => "these are several campaigns",
            };
            return Err(ReportError::missing(
                what,
                if results.campaigns.is_empty() { SWEEP } else { "name one" },
            ));
        };
        let metric = chosen(arms, of)?;
        let doc = arms.data.summary.metrics.get(&metric);
        let (factor, unit) = shown(doc.map_or("", |doc| doc.unit.as_str()));
        let estimates = arms.data.estimates()?;
        let columns = arms.data.summary.columns.len();
        let points: Vec<Point> = arms
            .arms()
            .map(|(at, arm)| Point {
                cells: arm
                    .cells
                    .iter()
                    .map(|cell| cell.clone().unwrap_or_else(|| "as it is".into()))
                    .collect(),
                name: arm.name.clone(),
                estimate: estimates.iter().find(|e| e.arm == at && e.metric == metric).cloned(),
            })
            .collect();
        let differs = |n: &usize| points.iter().any(|point| point.cells[*n] != points[0].cells[*n]);
        let axes = (0..columns).filter(differs).collect();
        let more_is_better = doc.and_then(|doc| doc.more_is_better);
        Ok(Measured { arms, factor, unit: unit.into(), more_is_better, points, axes, metric })
    }

    fn values(&self, axis: usize) -> Vec<String> {
        let cells = self.points.iter().map(|point| point.cells[axis].as_str());
        distinct(cells).into_iter().map(str::to_owned).collect()
    }

    fn column(&self, axis: usize) -> &str {
        &self.arms.data.summary.columns[axis]
    }

    fn mean(&self, point: &Point) -> Option<f64> {
        Some(point.estimate.as_ref()?.mean * self.factor)
    }

    /// Sentence on the arms with the greatest and the least value.
    fn sentence(&self) -> String {
        let known = || self.points.iter().filter_map(|point| Some((point, self.mean(point)?)));
        let (Some(most), Some(least)) = (
            known().max_by(|a, b| a.1.total_cmp(&b.1)),
            known().min_by(|a, b| a.1.total_cmp(&b.1)),
        ) else {
            return format!("No run has a value of {}.", self.metric);
        };
        let with = |(point, value): (&Point, f64)| {
            let half = point
                .estimate
                .as_ref()
                .and_then(|e| e.interval)
                .map(|i| i.half_width() * self.factor);
            let half = half.map(|half| format!(" ± {}", figure(half))).unwrap_or_default();
            format!("{}{half} with {}", with_unit(value, &self.unit), point.name)
        };
        let runs = known().filter_map(|(point, _)| Some(point.estimate.as_ref()?.runs));
        let (few, many) = (runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
        let runs = if few == many { plural(many, "run") } else { format!("{few} to {many} runs") };
        let better = match self.more_is_better {
            Some(true) => "; more is better",
            Some(false) => "; less is better",
            None => "",
        };
        let label = label(&self.metric);
        if self.points.len() == 1 {
            return format!("{label}: {}, mean of {runs}{better}.", with(most));
        }
        format!(
            "{label}: most {}, least {}, means of {runs} each{better}.",
            with(most),
            with(least)
        )
    }

    fn meaning(&self) -> String {
        metric_info(&self.metric).map(|info| info.meaning).unwrap_or_default()
    }
}

/// The metric that is named, or goodput, or the first.
pub fn chosen(arms: &Arms, of: Option<&str>) -> Result<String, ReportError> {
    let known = || arms.data.summary.metrics.iter().map(|(name, _)| name);
    match of {
        Some(of) if known().any(|name| name == of) => Ok(of.to_owned()),
        Some(of) => Err(ReportError::unknown("metric", of, known())),
        None => {
            let first = known().find(|name| *name == "goodput_bps").or_else(|| known().next());
            first.map(str::to_owned).ok_or_else(|| {
                ReportError::folder(arms.data.folder(), "has no metrics", "run the campaign again")
            })
        }
    }
}

/// Means with their intervals: by the values of one axis, with a series for each value of the
/// second. With more axes, they are by the names of the arms.
fn metric_chart(measured: &Measured<'_>) -> Chart {
    let (x, series) = match measured.axes.as_slice() {
        [one] => (Some(*one), None),
        [one, two] => (Some(*one), Some(*two)),
        _ => (None, None),
    };
    let categories = match x {
        Some(x) => measured.values(x),
        None => measured.points.iter().map(|point| point.name.clone()).collect(),
    };
    let kinds = series.map_or_else(|| vec![String::new()], |axis| measured.values(axis));
    let count = kinds.len() as f64;
    let coloured = measured.points.len() <= MOST_COLOURED;
    let mut layers = Vec::new();
    for (n, kind) in kinds.iter().enumerate() {
        let own = |point: &&Point| series.is_none_or(|axis| point.cells[axis] == *kind);
        let points: Vec<&Point> = measured.points.iter().filter(own).collect();
        let beside = (n as f64 + 0.5) / count - 0.5;
        let place = |point: &Point| {
            let name = x.map_or(&point.name, |axis| &point.cells[axis]);
            let at = categories.iter().position(|category| category == name).unwrap_or(0);
            at as f64 + if count > 1.0 { 0.6 * beside } else { 0.0 }
        };
        match coloured {
            true => layers.extend(points.iter().map(|point| {
                intervals(measured, std::slice::from_ref(point), &place, &point.name, n)
            })),
            false => layers.push(intervals(measured, &points, &place, kind, n)),
        }
    }
    let axis = Axis::new(&label(&measured.metric), &measured.unit).from_zero();
    let column = x.map_or("arm", |x| measured.column(x));
    let second = series.map(|axis| format!(", by {}", measured.column(axis))).unwrap_or_default();
    Chart {
        id: "metric".into(),
        title: format!("{}{second}", capital(&label(&measured.metric))),
        sentence: format!("{} {}", capital(&measured.sentence()), measured.meaning())
            .trim()
            .to_owned(),
        panels: vec![Panel {
            x: Axis::category(column, categories),
            y: axis,
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn intervals(
    measured: &Measured<'_>,
    points: &[&Point],
    place: &dyn Fn(&Point) -> f64,
    kind: &str,
    n: usize,
) -> Layer {
    let (mut x, mut y, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for point in points {
        let Some(estimate) = &point.estimate else { continue };
        x.push(place(point));
        y.push(estimate.mean * measured.factor);
        let ends = estimate.interval.map_or((estimate.mean, estimate.mean), |i| (i.low, i.high));
        low.push(ends.0 * measured.factor);
        high.push(ends.1 * measured.factor);
    }
    let name = if kind.is_empty() { label(&measured.metric) } else { kind.to_owned() };
    Layer::new(&Series::new(name, n), Mark::Intervals { x, y, low, high })
        .meaning("point: mean of the runs; bar: its 95% interval")
}

/// `--what metric`.
pub fn metric(results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    Ok(metric_chart(&Measured::of(results, of)?))
}

/// `--what heat`: a panel for each value of a third axis.
pub fn heat(results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    let measured = Measured::of(results, of)?;
    let (x, y, third) = match measured.axes.as_slice() {
        [x, y] => (*x, *y, None),
        [x, y, third] => (*x, *y, Some(*third)),
        axes => {
            let what = format!(
                "a heat map takes two axes, or three, and this campaign has {}",
                axes.len()
            );
            return Err(ReportError::missing(what, "use --what metric, or name arms as DIR:ARM"));
        }
    };
    let panels = match third {
        None => vec![cells(&measured, x, y, None)],
        Some(third) => {
            let values = measured.values(third);
            values.iter().map(|value| cells(&measured, x, y, Some((third, value)))).collect()
        }
    };
    let title = format!(
        "{} over {} and {}",
        capital(&label(&measured.metric)),
        measured.column(x),
        measured.column(y)
    );
    let sentence = format!("{} {}", capital(&measured.sentence()), measured.meaning());
    let columns = panels.len().min(2);
    Ok(Chart {
        id: "heat".into(),
        title,
        sentence: sentence.trim().to_owned(),
        panels,
        columns,
        ..Chart::default()
    })
}

fn cells(measured: &Measured<'_>, x: usize, y: usize, third: Option<(usize, &String)>) -> Panel {
    let (columns, rows) = (measured.values(x), measured.values(y));
    let own = |point: &&Point| third.is_none_or(|(axis, value)| point.cells[axis] == *value);
    let points: Vec<&Point> = measured.points.iter().filter(own).collect();
    let at = |all: &[String], value: &String| {
        all.iter().position(|one| one == value).unwrap_or(0) as f64
    };
    let all = measured.points.iter().filter_map(|point| measured.mean(point));
    let range = (all.clone().fold(f64::MAX, f64::min), all.fold(f64::MIN, f64::max));
    let mark = Mark::Cells {
        x: points.iter().map(|point| at(&columns, &point.cells[x])).collect(),
        y: points.iter().map(|point| at(&rows, &point.cells[y])).collect(),
        values: points.iter().map(|point| measured.mean(point)).collect(),
    };
    let value = Values {
        label: label(&measured.metric),
        unit: measured.unit.clone(),
        range: (range.0 < range.1).then_some(range),
    };
    Panel {
        title: third
            .map(|(axis, value)| format!("{} = {value}", measured.column(axis)))
            .unwrap_or_default(),
        x: Axis::category(measured.column(x), columns),
        y: Axis::category(measured.column(y), rows),
        layers: vec![Layer::plain(mark).meaning("each cell: mean of the runs of an arm")],
        values: Some(value),
        ..Panel::default()
    }
}
