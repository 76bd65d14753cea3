//! A chart, its panels and their axes.

use crate::{Layer, Series};

/// A chart: one picture with a title, one or several panels, and one legend of its series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Identifier of the chart in names of files and in a page: letters, digits, `-` and `_`. Any
    /// other character becomes `-` there.
    pub id: String,
    /// Title, above the panels.
    pub title: String,
    /// Meaning of the chart with its figures, in one or two sentences. The sentence stands beside
    /// the chart and is read to those who do not see it.
    pub sentence: String,
    /// Panels in reading order.
    pub panels: Vec<Panel>,
    /// Number of panels beside each other before the next row begins; 0 and 1 put each below the
    /// one before.
    pub columns: usize,
    /// True if all panels have the x axis of the first, so that zooming one zooms all.
    pub shared_x: bool,
}

/// A panel: layers over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Title above the panel; may be empty, as in a chart with one panel.
    pub title: String,
    /// Axis from left to right.
    pub x: Axis,
    /// Axis from bottom to top; with categories, from top to bottom.
    pub y: Axis,
    /// Layers of marks, the first at the bottom.
    pub layers: Vec<Layer>,
    /// Meaning of colours in marks that have values; none if no mark has.
    pub values: Option<Values>,
    /// True if a unit of x is as long as one of y, as on a map.
    pub equal: bool,
}

/// An axis. Its title is always label and unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Measured quantity, as `one-way delay`.
    pub label: String,
    /// Unit of its figures, as `ms`; empty only for what has none: names and counts.
    pub unit: String,
    /// Scale of the axis.
    pub scale: Scale,
    /// True if zero is always seen; of no effect on a logarithmic axis or a range.
    pub zero: bool,
    /// Lower and upper end; none for what the data needs. What lies outside is not drawn.
    pub range: Option<(f64, f64)>,
}

/// Scale of an axis: positions of figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm to the base 10; what is not positive is not drawn.
    Log,
    /// Names. Figure 0 is the middle of the first category, 1 of the second. Figures 0.8 to 1.2 lie
    /// within the second, so that points of several series stand beside each other.
    Category(Vec<String>),
}

/// Meaning of the colours of values (heat maps, users on a map).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// Measured quantity.
    pub label: String,
    /// Unit.
    pub unit: String,
    /// Values of the first and the last colour; none for the least and the greatest value.
    pub range: Option<(f64, f64)>,
}

impl Chart {
    /// The series of its legend: each name once, in the order of the layers. If layers disagree
    /// on the looks of a name, the first decides for all.
    pub fn series(&self) -> Vec<&Series> {
        let mut all: Vec<&Series> = Vec::new();
        for series in self.layers().filter_map(|layer| layer.series.as_ref()) {
            if all.iter().all(|other| other.name != series.name) {
                all.push(series);
            }
        }
        all
    }

    /// Meanings of the marks, each once: `mean of 10 runs`, `95% interval of the mean`.
    pub fn meanings(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for meaning in self.layers().map(|layer| layer.meaning.as_str()) {
            if !meaning.is_empty() && !all.contains(&meaning) {
                all.push(meaning);
            }
        }
        all
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.panels.iter().flat_map(|panel| &panel.layers)
    }
}

impl Axis {
    /// A linear axis whose ends the data decides.
    pub fn new(label: &str, unit: &str) -> Axis {
        Axis { label: label.into(), unit: unit.into(), ..Axis::default() }
    }

    /// A logarithmic axis whose ends the data decides.
    pub fn log(label: &str, unit: &str) -> Axis {
        Axis { scale: Scale::Log, ..Axis::new(label, unit) }
    }

    /// An axis of names.
    pub fn category(label: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        let names = names.into_iter().map(Into::into).collect();
        Axis { scale: Scale::Category(names), ..Axis::new(label, "") }
    }

    /// The axis, on which zero is always seen.
    pub fn from_zero(self) -> Axis {
        Axis { zero: true, ..self }
    }

    /// The axis with these ends.
    pub fn within(self, low: f64, high: f64) -> Axis {
        Axis { range: Some((low, high)), ..self }
    }

    /// Title: label and unit.
    pub fn title(&self) -> String {
        titled(&self.label, &self.unit)
    }

    /// Names of its categories; none on an axis of figures.
    pub fn categories(&self) -> Option<&[String]> {
        match &self.scale {
            Scale::Category(names) => Some(names),
            Scale::Linear | Scale::Log => None,
        }
    }
}

impl Values {
    /// Title of the colour legend: label and unit.
    pub fn title(&self) -> String {
        titled(&self.label, &self.unit)
    }
}

fn titled(label: &str, unit: &str) -> String {
    match unit {
        "" => label.to_owned(),
        unit => format!("{label} ({unit})"),
    }
}
