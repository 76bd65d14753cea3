//! Axes of a specification: scales, ticks and titles.

use airpath_base::math::{ln, pow};
use serde_json::{Value, json};

use crate::fixed::range::{Range, range};
use crate::{Axis, Chart, Direction, Mark, Panel, Scale};

/// Ticks that axes have room for, where the ends are made round.
const TICKS: usize = 5;
/// Height of a panel.
pub(super) const HEIGHT: usize = 260;
/// Height of a panel where several are above each other over one axis.
pub(super) const LOW: usize = 140;
/// Height of a category on the y axis.
const CATEGORY: usize = 34;
/// Free pixels at an end of an axis with points.
const EDGE: usize = 6;
/// Width of a map at most.
const WIDEST_MAP: usize = 560;
/// Width of a letter of a label, in pixels.
const LETTER: f64 = 6.5;
/// Height of a line of labels.
const LINE: usize = 14;
/// Height of a map by its width.
const MAP: Range = (0.3, 1.1);

/// A panel with the ends of its axes: those that a static picture has too.
pub(super) struct Frame<'a> {
    pub(super) panel: &'a Panel,
    x: Range,
    y: Range,
    /// Width of the panel in pixels.
    pub(super) width: usize,
    /// Its height.
    pub(super) height: usize,
}

impl<'a> Frame<'a> {
    /// A panel that has so many pixels from left to right.
    pub(super) fn new(chart: &'a Chart, panel: &'a Panel, width: usize) -> Frame<'a> {
        let all: Vec<&Panel> = chart.panels.iter().collect();
        let x = match chart.shared_x {
            true => range(&all[0].x, &all, Direction::X, 2 * TICKS),
            false => range(&panel.x, &[panel], Direction::X, TICKS),
        };
        let y = range(&panel.y, &[panel], Direction::Y, TICKS);
        match (panel.equal, panel.y.categories()) {
            (true, _) => Frame::equal(panel, x, y, width.min(WIDEST_MAP)),
            (false, Some(names)) => {
                Frame { panel, x, y, width, height: CATEGORY * names.len().max(3) }
            }
            (false, None) => Frame { panel, x, y, width, height: chart.panel_height() },
        }
    }

    /// Ends that let a map be neither a strip nor a tower.
    fn equal(panel: &'a Panel, x: Range, y: Range, pixels: usize) -> Frame<'a> {
        let (width, height) = (x.1 - x.0, y.1 - y.0);
        let wider = |(low, high): Range, by: f64| (low - by / 2.0, high + by / 2.0);
        let x = wider(x, (height / MAP.1 - width).max(0.0));
        let y = wider(y, (width * MAP.0 - height).max(0.0));
        let frame = Frame { panel, x, y, width: pixels, height: 0 };
        Frame { height: (pixels as f64 * frame.aspect()).round() as usize, ..frame }
    }

    /// Height of the panel by its width where both axes have the same scale.
    pub(super) fn aspect(&self) -> f64 {
        (self.y.1 - self.y.0) / (self.x.1 - self.x.0)
    }

    /// The channel of an axis that shows `field`: scale, ticks, title with unit.
    pub(super) fn channel(&self, along: Direction, field: &str) -> Value {
        json!({
            "field": field, "type": "quantitative", "title": self.title(along),
            "scale": self.scale(along), "axis": self.ticks(along),
        })
    }

    fn scale(&self, along: Direction) -> Value {
        let axis = self.panel.axis(along);
        if let Some(names) = axis.categories() {
            let (low, high) = (-0.5, names.len().max(1) as f64 - 0.5);
            let domain = if along == Direction::Y { [high, low] } else { [low, high] };
            return json!({"domain": domain, "nice": false, "zero": false});
        }
        let (low, high) = if along == Direction::X { self.x } else { self.y };
        let mut scale = match axis.scale {
            Scale::Log => json!({"type": "log", "domain": [low, high], "nice": false}),
            _ => json!({"domain": [low, high], "nice": false, "zero": false}),
        };
        if self.has_points_at_an_end(along) {
            scale["padding"] = json!(EDGE);
        }
        scale
    }

    /// True if a point lies so near to an end that its mark would be cut.
    fn has_points_at_an_end(&self, along: Direction) -> bool {
        let near = |at: &f64| {
            let share = self.share(along, *at);
            (-1e-9..0.01).contains(&share) || (0.99..1.0 + 1e-9).contains(&share)
        };
        self.panel.layers.iter().any(|layer| match (&layer.mark, along) {
            (Mark::Points { x, .. } | Mark::Intervals { x, .. }, Direction::X)
            | (Mark::Line { x, points: true, .. }, Direction::X) => x.iter().any(near),
            (Mark::Points { y, .. } | Mark::Intervals { y, .. }, Direction::Y) => {
                y.iter().any(near)
            }
            (Mark::Line { y, points: true, .. }, Direction::Y) => y.iter().flatten().any(near),
            _ => false,
        })
    }

    fn ticks(&self, along: Direction) -> Value {
        let axis = self.panel.axis(along);
        let mut ticks = match (axis.categories(), &axis.scale) {
            (Some(names), _) => names_below(names, along, self.width),
            (None, Scale::Log) => json!({
                "tickCount": 6, "labelOverlap": true,
                "gridOpacity": {"condition": {"test": DECADE, "value": 1}, "value": 0.35},
            }),
            (None, _) => json!({"tickCount": self.count(along), "labelOverlap": true}),
        };
        // The same room for figures in all panels, so that those below each other are flush.
        if along == Direction::Y && axis.categories().is_none() {
            ticks["minExtent"] = json!(42);
        }
        ticks["titleLimit"] = json!(match along {
            Direction::X => self.width,
            Direction::Y => self.height + 40,
        });
        ticks
    }

    /// Number of ticks for which there is room.
    fn count(&self, along: Direction) -> usize {
        match along {
            Direction::X => self.width.div_ceil(90),
            Direction::Y => TICKS,
        }
    }

    /// Position at this share of an axis.
    pub(super) fn place(&self, along: Direction, share: f64) -> f64 {
        let (low, high) = if along == Direction::X { self.x } else { self.y };
        match &self.panel.axis(along).scale {
            Scale::Log => low * pow(high / low, share),
            Scale::Linear => low + share * (high - low),
            Scale::Category(names) => share * names.len().max(1) as f64 - 0.5,
        }
    }

    /// Title of an axis: where it is too long for the panel the label is cut, never the unit.
    fn title(&self, along: Direction) -> String {
        let axis = self.panel.axis(along);
        let pixels = if along == Direction::X { self.width } else { self.height + 40 };
        let room = (pixels as f64 / LETTER) as usize;
        let title = axis.title();
        let excess = title.chars().count().saturating_sub(room);
        if excess == 0 {
            return title;
        }
        let kept = axis.label.chars().count().saturating_sub(excess + 1);
        let label: String = axis.label.chars().take(kept).chain(['…']).collect();
        Axis { label, ..Axis::new("", &axis.unit) }.title()
    }

    /// Share of an axis up to a position.
    pub(super) fn share(&self, along: Direction, at: f64) -> f64 {
        let (low, high) = if along == Direction::X { self.x } else { self.y };
        match &self.panel.axis(along).scale {
            Scale::Log => ln(at / low) / ln(high / low),
            Scale::Linear => (at - low) / (high - low),
            Scale::Category(names) => (at + 0.5) / names.len().max(1) as f64,
        }
    }
}

/// A channel like this one for another field.
pub(super) fn follow(channel: &Value, field: &str) -> Value {
    let mut channel = channel.clone();
    channel["field"] = json!(field);
    channel
}

/// Expression that is true at a tick that is a power of ten.
const DECADE: &str = "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 1e-9";

/// Names as an array in the expression language, whose strings may not hold the two separators
/// that JSON allows.
fn literal(names: &[String]) -> String {
    let text = Value::from(names).to_string();
    text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Ticks of an axis of categories; at the x axis tilted if they are too long to stand beside
/// each other.
fn names_below(names: &[String], along: Direction, width: usize) -> Value {
    let mut ticks = json!({
        "values": (0..names.len()).collect::<Vec<_>>(),
        "labelExpr": format!("({})[datum.value]", literal(names)),
        "grid": false, "ticks": false, "labelLimit": 160, "labelOverlap": false,
    });
    let letters = longest(names) * names.len();
    if along == Direction::X && letters as f64 * LETTER > width as f64 {
        ticks["labelAngle"] = json!(-40);
        ticks["labelAlign"] = json!("right");
        ticks["labelLimit"] = json!(130);
        ticks["labelOverlap"] = json!(names.len() * LINE > width);
    }
    ticks
}

/// Letters of the longest name.
pub(super) fn longest(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0)
}

impl Panel {
    /// One of its axes.
    pub fn axis(&self, along: Direction) -> &Axis {
        match along {
            Direction::X => &self.x,
            Direction::Y => &self.y,
        }
    }

    /// Values of the first and the last colour: as given, or the least and the greatest value.
    pub fn value_range(&self) -> (f64, f64) {
        if let Some(range) = self.values.as_ref().and_then(|values| values.range) {
            return range;
        }
        let values = self.layers.iter().flat_map(|layer| match &layer.mark {
            Mark::Points { values, .. } => values.clone(),
            Mark::Cells { values, .. } => values.iter().flatten().copied().collect(),
            _ => Vec::new(),
        });
        let finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match low < high {
            true => (low, high),
            false if low == high => (low - 0.5, high + 0.5),
            false => (0.0, 1.0),
        }
    }
}
