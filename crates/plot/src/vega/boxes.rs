//! Marks that are rectangles: stacked bars and the cells of a grid.

use serde_json::{Value, json};

use super::axes::follow;
use super::layers::{Maker, paint};
use crate::{Direction, Layer, Mark, Series, figure};

/// Share of an axis below which the part of a bar has no figure in it.
const NARROW: f64 = 0.06;
/// Share of the range of values above which text on their colour is dark.
const BRIGHT: f64 = 0.45;
/// Pixels of a character of a figure in a cell, and a little between two.
const FIGURE: usize = 8;

impl Maker<'_> {
    /// Rectangles between the edges of their rows.
    fn edges(&self) -> Value {
        json!({
            "x": follow(&self.x(), "left"), "x2": {"field": "right"},
            "y": follow(&self.y(), "top"), "y2": {"field": "bottom"},
        })
    }

    /// The parts, the figures in them, and behind the last layer the sums.
    pub(super) fn bars(&self) -> Vec<Value> {
        let horizontal = self.panel.bars_along() == Direction::X;
        let mut layers = vec![self.parts(horizontal)];
        layers.extend(self.figures(horizontal));
        if self.panel.last_bars().is_some_and(|last| std::ptr::eq(last, self.layer)) {
            layers.push(self.sums(horizontal));
        }
        layers
    }

    fn parts(&self, horizontal: bool) -> Value {
        let mut bar = json!({"type": "rect", "clip": true, "strokeWidth": 0});
        paint(&mut bar, self.series, "fill");
        let mut encoding = self.edges();
        encoding["tooltip"] = self.bar_tooltip(horizontal);
        self.of(0, bar, encoding)
    }

    fn bar_tooltip(&self, horizontal: bool) -> Value {
        let (x, y) = (self.panel.x.title(), self.panel.y.title());
        self.tooltip(&match horizontal {
            true => [("yname", y), ("value", x)],
            false => [("xname", x), ("value", y)],
        })
    }

    /// Figures in the middle of parts that are wide enough; none if no part is, or if the only
    /// part is the sum.
    fn figures(&self, horizontal: bool) -> Option<Value> {
        let bars = |layer: &&Layer| matches!(layer.mark, Mark::Bars { .. });
        if self.panel.layers.iter().filter(bars).count() < 2 {
            return None;
        }
        let least = NARROW * self.panel.sums().iter().copied().fold(0.0, f64::max);
        let Mark::Bars { lengths } = &self.layer.mark else { return None };
        lengths.iter().any(|length| *length >= least).then(|| {
            let look = json!({"baseline": "middle", "align": "center", "clip": true,
                "color": self.series.map_or("#ffffff", Series::contrast)});
            let mut figures = self.text(0, look, "x", "y");
            let (channel, middle) = match horizontal {
                true => ("x", "(datum.left + datum.right) / 2"),
                false => ("y", "(datum.top + datum.bottom) / 2"),
            };
            let steps = [
                json!({"filter": {"field": "value", "gte": least}}),
                json!({"calculate": middle, "as": "middle"}),
            ];
            figures["transform"].as_array_mut().expect("an array").extend(steps);
            figures["encoding"][channel]["field"] = json!("middle");
            figures["encoding"]["tooltip"] = self.bar_tooltip(horizontal);
            figures
        })
    }

    /// A sum is of all series: it does not fade with one.
    fn sums(&self, horizontal: bool) -> Value {
        let mut look = json!({"fontWeight": "bold", "style": "ink", "align": "center", "dy": -8});
        if horizontal {
            look = json!({"fontWeight": "bold", "style": "ink", "align": "left",
                "baseline": "middle", "dx": 6});
        }
        let mut sums = self.text(1, look, "x", "y");
        sums["encoding"].as_object_mut().expect("an object").shift_remove("opacity");
        sums
    }

    pub(super) fn cells(&self) -> Vec<Value> {
        let mut encoding = self.edges();
        encoding["color"] = self.colour();
        let [x, y] = self.places();
        let tooltip = self.tooltip(&[x, y, ("value", self.values_title())]);
        encoding["tooltip"] = tooltip.clone();
        let cell = self.of(0, json!({"type": "rect", "clip": true}), encoding);
        // The page leaves the figures out where its columns are narrower than their limit.
        let look = json!({"baseline": "middle", "align": "center", "clip": true,
            "limit": self.longest_figure() * FIGURE});
        let mut text = self.text(0, look, "x", "y");
        text["encoding"]["tooltip"] = tooltip;
        let (low, high) = self.panel.value_range();
        let bright = json!({"field": "value", "gte": low + BRIGHT * (high - low)});
        text["encoding"]["color"] =
            json!({"condition": {"test": bright, "value": "#111111"}, "value": "#ffffff"});
        vec![cell, text]
    }

    /// Characters of the longest value of the layer's cells.
    fn longest_figure(&self) -> usize {
        let Mark::Cells { values, .. } = &self.layer.mark else { return 0 };
        values.iter().flatten().map(|value| figure(*value).chars().count()).max().unwrap_or(0)
    }
}
