//! Charts of a terminal: a line of blocks for each series.

mod named;

use crate::{Chart, Direction, Layer, Mark, Panel, Series, figure};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Parts of a block from the left.
const PARTS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Columns of a bar at most.
const LONGEST: usize = 24;
/// Parts of a stacked bar that are named.
const NAMED: usize = 3;

impl Chart {
    /// A line for each panel and series: its name, its course in `width` blocks or fewer, the least
    /// and the greatest figure with the unit. A title stands before the series of each panel that
    /// has one. A block is the mean of the figures in its part of the x axis, blank without any.
    /// The lowest block is the least of the figures, the highest the greatest, or the end of the
    /// axis. If an axis has names (arms, flows), each name has a line with a bar and its figure.
    /// Points that are no course have their means. Other marks without a course (ellipses, texts)
    /// have none.
    ///
    /// ```
    /// # use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
    /// let line = Mark::line(vec![0.0, 1.0, 2.0], vec![5.0, 20.0, 10.0]);
    /// let panel = Panel {
    ///     y: Axis::new("delay", "ms"),
    ///     layers: vec![Layer::new(&Series::new("web", 0), line)],
    ///     ..Panel::default()
    /// };
    /// let chart = Chart { panels: vec![panel], ..Chart::default() };
    /// assert_eq!(chart.sparklines(40), ["web  ▁█▃  5 to 20 ms"]);
    /// ```
    pub fn sparklines(&self, width: usize) -> Vec<String> {
        let series = self.series();
        let names = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for panel in &self.panels {
            if let Some(rows) = named::rows(panel, width.clamp(1, LONGEST)) {
                lines.extend((!panel.title.is_empty()).then(|| panel.title.clone()));
                lines.extend(rows);
                continue;
            }
            let own = series.iter().filter_map(|series| line(panel, series, names, width.max(1)));
            let own: Vec<String> = own.collect();
            if !panel.title.is_empty() && !own.is_empty() {
                lines.push(panel.title.clone());
            }
            lines.extend(own);
        }
        lines
    }
}

/// Figures from zero to the greatest of them, a block for each; blank what is not finite.
///
/// ```
/// assert_eq!(airpath_plot::sparkline(&[0.0, 5.0, f64::NAN, 10.0]), "▁▅ █");
/// ```
pub fn sparkline(figures: &[f64]) -> String {
    let finite = figures.iter().copied().filter(|figure| figure.is_finite());
    let most = finite.fold(0.0, f64::max);
    let block = |figure: &f64| match figure.is_finite() {
        true => block(if most > 0.0 { figure / most } else { 0.0 }),
        false => ' ',
    };
    figures.iter().map(block).collect()
}

/// The block of a share, 0 to 1.
fn block(share: f64) -> char {
    BLOCKS[((share * BLOCKS.len() as f64) as usize).min(BLOCKS.len() - 1)]
}

fn line(panel: &Panel, series: &Series, names: usize, width: usize) -> Option<String> {
    let of_series = |layer: &&Layer| layer.series.as_ref().is_some_and(|s| s.name == series.name);
    let points: Vec<(f64, f64)> =
        panel.layers.iter().filter(of_series).find_map(|layer| course(&layer.mark))?;
    let known = || points.iter().map(|(_, y)| *y);
    let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
    let unit = match panel.bars_along() {
        Direction::X => &panel.x.unit,
        Direction::Y => &panel.y.unit,
    };
    if let Some(text) = scattered(panel, series, names, &points) {
        return Some(text);
    }
    // Figures that the axis leaves out do not flatten the rest.
    let top = panel.y.range.map_or(f64::MAX, |(_, top)| top);
    let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (x, y.min(top))).collect();
    let text = format!(
        "{:names$}  {}  {} to {} {unit}",
        series.name,
        blocks(&points, width),
        figure(low),
        figure(high)
    );
    Some(text.trim_end().to_owned())
}

/// Means of x and y of points on two figure axes; none of a course.
fn scattered(
    panel: &Panel,
    series: &Series,
    names: usize,
    points: &[(f64, f64)],
) -> Option<String> {
    let own = |layer: &Layer| {
        let same = layer.series.as_ref().is_some_and(|s| s.name == series.name);
        same && matches!(&layer.mark, Mark::Points { .. })
    };
    if !panel.layers.iter().any(own) || panel.x.unit.is_empty() || panel.x.unit == "s" {
        return None;
    }
    let mean =
        |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let count =
        if points.len() > 1 { format!(", mean of {}", points.len()) } else { String::new() };
    let (x, y) = (figure(x), figure(y));
    let text =
        format!("{:names$}  {y} {} at {x} {}{count}", series.name, panel.y.unit, panel.x.unit);
    Some(text.trim_end().to_owned())
}

/// Finite figures over their positions; none without any.
fn course(mark: &Mark) -> Option<Vec<(f64, f64)>> {
    let all: Vec<(f64, f64)> = match mark {
        Mark::Line { x, y, .. } => x.iter().zip(y).filter_map(|(x, y)| Some((*x, (*y)?))).collect(),
        Mark::Points { x, y, .. } | Mark::Intervals { x, y, .. } => {
            x.iter().copied().zip(y.iter().copied()).collect()
        }
        Mark::Bars { lengths } => (0..).map(f64::from).zip(lengths.iter().copied()).collect(),
        Mark::Band { .. }
        | Mark::Cells { .. }
        | Mark::Ellipse { .. }
        | Mark::Rule { .. }
        | Mark::Text { .. } => return None,
    };
    let finite: Vec<(f64, f64)> =
        all.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    (!finite.is_empty()).then_some(finite)
}

fn blocks(points: &[(f64, f64)], width: usize) -> String {
    let x = || points.iter().map(|(x, _)| *x);
    let (from, to) = (x().fold(f64::MAX, f64::min), x().fold(f64::MIN, f64::max));
    let width = width.min(points.len());
    let mut means = vec![(0.0, 0_u32); width];
    for (x, y) in points {
        let share = if to > from { (x - from) / (to - from) } else { 0.0 };
        let (mean, count) = &mut means[((share * width as f64) as usize).min(width - 1)];
        *count += 1;
        *mean += (y - *mean) / f64::from(*count);
    }
    let known = || means.iter().filter(|(_, count)| *count > 0).map(|(mean, _)| *mean);
    let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
    let block = |mean: f64| block(if high > low { (mean - low) / (high - low) } else { 0.5 });
    means.iter().map(|(mean, count)| if *count == 0 { ' ' } else { block(*mean) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn chart(marks: Vec<Mark>) -> Chart {
        let layers = marks
            .into_iter()
            .enumerate()
            .map(|(n, mark)| Layer::new(&Series::new(["a", "long name"][n], n), mark));
        let panel = Panel {
            title: "a panel".into(),
            y: Axis::new("delay", "ms"),
            layers: layers.collect(),
            ..Panel::default()
        };
        Chart { panels: vec![panel], ..Chart::default() }
    }

    #[test]
    fn a_ramp_rises_through_all_blocks() {
        let x: Vec<f64> = (0..800).map(f64::from).collect();
        let constant = Mark::line(vec![0.0, 1.0], vec![3.0, 3.0]);
        let lines = chart(vec![Mark::line(x.clone(), x), constant]).sparklines(8);
        assert_eq!(
            lines,
            ["a panel", "a          ▁▂▃▄▅▆▇█  0 to 799 ms", "long name  ▅▅  3 to 3 ms"]
        );
    }

    #[test]
    fn gaps_are_blank_and_what_is_not_finite_is_none() {
        let x = vec![0.0, 1.0, 2.0, 9.0, f64::NAN];
        let y = vec![Some(1.0), None, Some(f64::INFINITY), Some(2.0), Some(1.0)];
        let gap = Mark::Line { x, y, steps: false, points: false };
        let nothing = Mark::line(vec![], vec![]);
        let lines = chart(vec![gap, nothing]).sparklines(0);
        assert_eq!(lines, ["a panel", "a          ▅  1 to 2 ms"]);
        let spread = Mark::line(vec![0.0, 1.0, 9.0, 10.0], vec![1.0, 1.0, 2.0, 2.0]);
        assert_eq!(chart(vec![spread]).sparklines(5)[1], "a  ▁  █  1 to 2 ms");
    }
}
