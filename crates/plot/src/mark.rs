//! Marks of a panel.

/// A mark and the series that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Series, which gives colour, dash and shape and stands in the legend. Without one the mark
    /// has the colour of text and is in no legend.
    pub series: Option<Series>,
    /// Meaning of a mark of this kind, beside its series: `mean of 10 runs`,
    /// `95% interval of the mean`, `published`. Named below the chart.
    pub meaning: String,
    /// Mark of the layer.
    pub mark: Mark,
}

/// Series of marks with one entry in the legend: an arm, a run, a stage of delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend, which identifies it within the chart.
    pub name: String,
    /// Index into [`COLOURS`](crate::COLOURS); begins anew behind the last.
    pub colour: usize,
    /// Index into [`DASHES`](crate::DASHES) and [`SHAPES`](crate::SHAPES), a second way to
    /// tell series apart; begins anew behind the last.
    pub shape: usize,
    /// True if its points are outlines.
    pub hollow: bool,
}

/// Columns of a mark have the same length; what one has beyond the shortest is not drawn.
/// Figures that are not finite, or as great as 1e150, are not drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line in the order of its points.
    Line {
        /// Positions on the x axis.
        x: Vec<f64>,
        /// Positions on the y axis; without one the line has a gap.
        y: Vec<Option<f64>>,
        /// True if y holds until the next x (steps) and does not change evenly.
        steps: bool,
        /// True if each point is marked too.
        points: bool,
    },
    /// Points.
    Points {
        /// Positions on the x axis.
        x: Vec<f64>,
        /// Positions on the y axis.
        y: Vec<f64>,
        /// Values, whose colours replace the series' own; empty for none.
        values: Vec<f64>,
        /// Name of each point in its tooltip; empty for none.
        names: Vec<String>,
    },
    /// The area between two lines.
    Band {
        /// Positions on the x axis.
        x: Vec<f64>,
        /// Lower edge; without one the band has a gap.
        low: Vec<Option<f64>>,
        /// Upper edge.
        high: Vec<Option<f64>>,
    },
    /// A point with an error bar from `low` to `high`.
    Intervals {
        /// Positions on the x axis.
        x: Vec<f64>,
        /// Points.
        y: Vec<f64>,
        /// Lower ends.
        low: Vec<f64>,
        /// Upper ends.
        high: Vec<f64>,
    },
    /// Bars, one for each category of the panel's category axis: horizontal if that is y.
    /// Layers of bars in a panel are stacked on each other in their order. Lengths are not
    /// negative; each is written into its bar where it fits, their sum behind.
    Bars {
        /// Lengths by category, along the other axis.
        lengths: Vec<f64>,
    },
    /// Cells of a grid on two category axes, coloured by value, with the value in them. A cell
    /// without a value is left empty.
    Cells {
        /// Category on the x axis.
        x: Vec<f64>,
        /// Category on the y axis.
        y: Vec<f64>,
        /// Values.
        values: Vec<Option<f64>>,
    },
    /// The ellipse of a distribution with its centre: what lies within so many standard
    /// deviations of a bivariate normal distribution with these moments.
    Ellipse {
        /// Means of x and y.
        centre: (f64, f64),
        /// Variance of x, covariance, variance of y.
        covariance: (f64, f64, f64),
        /// Its size in standard deviations: 1 holds 39% of a normal distribution, 2.448 95%.
        deviations: f64,
    },
    /// A straight line across the panel.
    Rule {
        /// Along which axis `at` counts: along `X` the line is vertical.
        along: Direction,
        /// Position at which the line crosses that axis.
        at: f64,
        /// Text at the line; may be empty.
        text: String,
    },
    /// Texts to the right of their positions.
    Text {
        /// Positions on the x axis.
        x: Vec<f64>,
        /// Positions on the y axis.
        y: Vec<f64>,
        /// Texts.
        text: Vec<String>,
    },
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The x axis.
    X,
    /// The y axis.
    Y,
}

impl Series {
    /// The series with number `n` (from 0) of a chart: colour and shape differ from those of
    /// all others while there are no more than 70.
    pub fn new(name: impl Into<String>, n: usize) -> Series {
        Series { name: name.into(), colour: n, shape: n, hollow: false }
    }
}

impl Layer {
    /// A mark of a series.
    pub fn new(series: &Series, mark: Mark) -> Layer {
        Layer { series: Some(series.clone()), meaning: String::new(), mark }
    }

    /// A mark in the colour of text, in no legend.
    pub fn plain(mark: Mark) -> Layer {
        Layer { series: None, meaning: String::new(), mark }
    }

    /// The layer with a name for what the mark is.
    pub fn meaning(self, meaning: &str) -> Layer {
        Layer { meaning: meaning.into(), ..self }
    }
}

impl Mark {
    /// A line through all points.
    pub fn line(x: Vec<f64>, y: Vec<f64>) -> Mark {
        Mark::Line { x, y: y.into_iter().map(Some).collect(), steps: false, points: false }
    }

    /// The empirical distribution function of samples: for each, the share that is not greater.
    pub fn ecdf(samples: &[f64]) -> Mark {
        let sorted = sorted(samples);
        let count = sorted.len() as f64;
        let y = (1..=sorted.len()).map(|n| Some(n as f64 / count)).collect();
        Mark::Line { x: sorted, y, steps: true, points: false }
    }

    /// Its complement: for each sample, the share that is greater. On a logarithmic axis it
    /// shows the tail, without the greatest sample, above which there is nothing.
    pub fn tail(samples: &[f64]) -> Mark {
        let sorted = sorted(samples);
        let count = sorted.len();
        let y = (1..=count).map(|n| Some((count - n) as f64 / count as f64)).collect();
        Mark::Line { x: sorted, y, steps: true, points: false }
    }
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_count_samples() {
        let samples = [3.0, 1.0, 2.0, f64::NAN, 2.0];
        let (x, steps, points) = (vec![1.0, 2.0, 2.0, 3.0], true, false);
        let shares = |y: [f64; 4]| y.map(Some).to_vec();
        let ecdf = Mark::Line { x: x.clone(), y: shares([0.25, 0.5, 0.75, 1.0]), steps, points };
        assert_eq!(Mark::ecdf(&samples), ecdf);
        let tail = Mark::Line { x, y: shares([0.75, 0.5, 0.25, 0.0]), steps, points };
        assert_eq!(Mark::tail(&samples), tail);
    }

    #[test]
    fn series_look_different() {
        let looks = |n| (n % crate::COLOURS.len(), n % crate::SHAPES.len());
        let all: std::collections::BTreeSet<_> = (0..70).map(looks).collect();
        assert_eq!(all.len(), 70);
        let dark = Series::new("a", 0);
        let bright = Series::new("b", 4);
        // 5.19 to 1 for white on #0072b2, 9.32 to 1 for black on #e69f00 (WCAG 2.2).
        assert_eq!((dark.contrast(), bright.contrast()), ("#ffffff", "#000000"));
    }
}
