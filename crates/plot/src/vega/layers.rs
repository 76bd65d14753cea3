//! Layers of a specification: how each mark is drawn.
//!
//! A layer of the description has one series, so its colour, dash and shape are constants of
//! its mark. What depends on a reader is one parameter: the series that were picked in the
//! legend; all others fade.

use serde_json::{Value, json};

use super::axes::{Frame, follow};
use crate::{Direction, Layer, Mark, Panel, Series, Shape, VIRIDIS};

/// The parameter with the picked series.
pub(super) const PICK: &str = "pick";
/// Share of an axis beyond which texts stand before their positions.
const FAR: f64 = 0.85;
/// Points above which they are drawn small.
const CROWD: usize = 300;

/// The layers that draw layer `layer` of a panel, whose rows have number `id`.
/// `series` is the layer's own as the legend has it.
pub(super) fn layers(
    frame: &Frame<'_>,
    layer: &Layer,
    series: Option<&Series>,
    id: usize,
) -> Vec<Value> {
    let maker = Maker { frame, panel: frame.panel, layer, series, id };
    match &layer.mark {
        Mark::Line { steps, points, .. } => vec![maker.line(*steps, *points)],
        Mark::Points { values, .. } => vec![maker.points(!values.is_empty())],
        Mark::Band { .. } => vec![maker.band()],
        Mark::Intervals { .. } => maker.intervals(),
        Mark::Bars { .. } => maker.bars(),
        Mark::Cells { .. } => maker.cells(),
        Mark::Ellipse { .. } => maker.ellipse(),
        Mark::Rule { along, at, .. } => maker.rule(*along, *at),
        Mark::Text { .. } => maker.texts(),
    }
}

/// Maker of one layer.
pub(super) struct Maker<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) panel: &'a Panel,
    pub(super) layer: &'a Layer,
    pub(super) series: Option<&'a Series>,
    /// Number of the layer in the chart.
    pub(super) id: usize,
}

impl Maker<'_> {
    /// A layer of rows of one part. `mark` and `encoding` are added to what all have.
    pub(super) fn of(&self, part: usize, mark: Value, encoding: Value) -> Value {
        let filter = json!({"field": "mark", "equal": 2 * self.id + part});
        let mut encoding = encoding;
        if self.series.is_some() {
            encoding["opacity"] = json!({
                "condition": {"param": PICK, "value": self.opacity()}, "value": 0.1
            });
        }
        json!({"transform": [{"filter": filter}], "mark": mark, "encoding": encoding})
    }

    fn opacity(&self) -> f64 {
        match self.layer.mark {
            Mark::Band { .. } => 0.25,
            _ => 1.0,
        }
    }

    pub(super) fn x(&self) -> Value {
        self.frame.channel(Direction::X, "x")
    }

    pub(super) fn y(&self) -> Value {
        self.frame.channel(Direction::Y, "y")
    }

    /// Tooltip of a row; `keys` are fields with figures of its own.
    pub(super) fn tooltip(&self, keys: &[(&str, String)]) -> Value {
        let mut fields = Vec::new();
        if self.series.is_some() {
            fields.push(json!({"field": "series", "type": "nominal", "title": "series"}));
        }
        if let Mark::Points { names, .. } = &self.layer.mark
            && !names.is_empty()
        {
            fields.push(json!({"field": "name", "type": "nominal", "title": "name"}));
        }
        for (key, title) in keys {
            fields.push(match *key {
                "xname" | "yname" => json!({"field": key, "type": "nominal", "title": title}),
                _ => json!({
                    "field": key, "type": "quantitative", "title": title, "format": ",.5~r"
                }),
            });
        }
        Value::Array(fields)
    }

    /// Position of a row in a tooltip: names on axes of categories, figures on others.
    pub(super) fn places(&self) -> [(&'static str, String); 2] {
        let key =
            |categories: Option<_>, name, figure| if categories.is_some() { name } else { figure };
        [
            (key(self.panel.x.categories(), "xname", "x"), self.panel.x.title()),
            (key(self.panel.y.categories(), "yname", "y"), self.panel.y.title()),
        ]
    }

    fn line(&self, steps: bool, points: bool) -> Value {
        let mut mark = json!({
            "type": "line", "clip": true, "strokeWidth": 2, "strokeJoin": "round",
            "invalid": "break-paths-filter-domains",
        });
        let series = self.series;
        paint(&mut mark, series, "stroke");
        if let Some(dash) = series.map(Series::dash).filter(|dash| !dash.is_empty()) {
            mark["strokeDash"] = json!(dash);
        }
        if steps {
            mark["interpolate"] = json!("step-after");
        }
        if points {
            mark["point"] = point(series, 36);
        }
        let encoding = json!({
            "x": self.x(), "y": self.y(), "order": {"value": 0}, "tooltip": self.tooltip(&self.places())
        });
        self.of(0, mark, encoding)
    }

    fn points(&self, coloured: bool) -> Value {
        let size = if self.layer.mark.points() > CROWD { 14 } else { 40 };
        let mut mark = point(self.series, size);
        mark["type"] = json!("point");
        mark["clip"] = json!(true);
        let mut places = self.places().to_vec();
        let mut encoding = json!({"x": self.x(), "y": self.y()});
        if coloured {
            mark["filled"] = json!(true);
            // So that the ends of the colours are seen on any ground.
            mark["stroke"] = json!("#888888");
            mark["strokeWidth"] = json!(0.6);
            places.push(("value", self.values_title()));
            encoding["color"] = self.colour();
        }
        encoding["tooltip"] = self.tooltip(&places);
        self.of(0, mark, encoding)
    }

    fn band(&self) -> Value {
        let mut mark =
            json!({"type": "area", "clip": true, "invalid": "break-paths-filter-domains"});
        paint(&mut mark, self.series, "fill");
        let [x, (_, title)] = self.places();
        let ends = [("y", format!("{title}, lower end")), ("y2", format!("{title}, upper end"))];
        let keys: Vec<_> = std::iter::once(x).chain(ends).collect();
        let mut encoding = json!({
            "x": self.x(), "y": self.y(), "y2": {"field": "y2"}, "tooltip": self.tooltip(&keys)
        });
        if self.series.is_none() {
            encoding["opacity"] = json!({"value": self.opacity()});
        }
        self.of(0, mark, encoding)
    }

    /// The bar, its two ends and the point.
    fn intervals(&self) -> Vec<Value> {
        let series = self.series;
        let mut bar = json!({"type": "rule", "clip": true, "strokeWidth": 1.5});
        paint(&mut bar, series, "stroke");
        let ends = json!({"y": follow(&self.y(), "low"), "y2": {"field": "high"}});
        let mut layers =
            vec![self.of(0, bar, json!({"x": self.x(), "y": ends["y"], "y2": ends["y2"]}))];
        for end in ["low", "high"] {
            let mut tick = json!({"type": "tick", "clip": true, "orient": "horizontal", "size": 9, "thickness": 1.5});
            paint(&mut tick, series, "fill");
            let y = follow(&self.y(), end);
            layers.push(self.of(0, tick, json!({"x": self.x(), "y": y})));
        }
        let mut mark = point(series, 44);
        mark["type"] = json!("point");
        mark["clip"] = json!(true);
        let [x, (key, title)] = self.places();
        let ends =
            [("low", format!("{title}, lower end")), ("high", format!("{title}, upper end"))];
        let keys: Vec<_> = [x, (key, title)].into_iter().chain(ends).collect();
        let encoding = json!({"x": self.x(), "y": self.y(), "tooltip": self.tooltip(&keys)});
        layers.push(self.of(0, mark, encoding));
        layers
    }

    fn ellipse(&self) -> Vec<Value> {
        let series = self.series;
        let mut path = json!({"type": "line", "clip": true, "strokeWidth": 2});
        paint(&mut path, series, "stroke");
        if let Some(dash) = series.map(Series::dash).filter(|dash| !dash.is_empty()) {
            path["strokeDash"] = json!(dash);
        }
        let around = json!({
            "x": self.x(), "y": self.y(), "order": {"field": "order", "type": "quantitative"}
        });
        let mut centre = point(series, 60);
        centre["type"] = json!("point");
        centre["clip"] = json!(true);
        let at = json!({"x": self.x(), "y": self.y(), "tooltip": self.tooltip(&self.places())});
        vec![self.of(0, path, around), self.of(1, centre, at)]
    }

    /// The line, and its text at the right or the upper end, where there is room for it.
    fn rule(&self, along: Direction, at: f64) -> Vec<Value> {
        let dash = self.series.map_or(&[5.0, 4.0][..], Series::dash);
        let mut mark =
            json!({"type": "rule", "clip": true, "strokeWidth": 1.5, "strokeDash": dash});
        paint(&mut mark, self.series, "stroke");
        let far = self.frame.share(along, at) > 0.9;
        let (line, text, look) = match along {
            Direction::X => (
                json!({"x": self.x()}),
                json!({"x": self.x(), "y": {"value": 0}}),
                json!({"align": if far { "right" } else { "left" }, "baseline": "top",
                    "dx": if far { -5 } else { 5 }, "dy": 4}),
            ),
            Direction::Y => (
                json!({"y": self.y()}),
                json!({"y": self.y(), "x": {"value": "width"}}),
                json!({"align": "right", "baseline": if far { "top" } else { "bottom" },
                    "dx": -4, "dy": if far { 4 } else { -3 }}),
            ),
        };
        let mut label = look;
        label["type"] = json!("text");
        label["style"] = json!("ink");
        label["clip"] = json!(true);
        let mut text = text;
        text["text"] = json!({"field": "text", "type": "nominal"});
        vec![self.of(0, mark, line), self.of(0, label, text)]
    }

    /// Texts to the right of their positions; near the right end to the left of them.
    fn texts(&self) -> Vec<Value> {
        let middle = self.frame.place(Direction::X, FAR);
        let side = |near: &str, look: Value| {
            let mut text = self.text(0, look, "x", "y");
            let own = json!({"filter": {"field": "x", near: middle}});
            text["transform"].as_array_mut().expect("an array").push(own);
            text
        };
        vec![
            side("lt", json!({"align": "left", "baseline": "middle", "dx": 7})),
            side("gte", json!({"align": "right", "baseline": "middle", "dx": -7})),
        ]
    }

    pub(super) fn text(&self, part: usize, look: Value, x: &str, y: &str) -> Value {
        let mut mark = look;
        mark["type"] = json!("text");
        if mark.get("color").is_none() {
            mark["style"] = json!("ink");
        }
        let encoding = json!({
            "x": follow(&self.x(), x), "y": follow(&self.y(), y),
            "text": {"field": "text", "type": "nominal"},
        });
        self.of(part, mark, encoding)
    }

    /// Colours of values, with their legend below the panel.
    pub(super) fn colour(&self) -> Value {
        let (low, high) = self.panel.value_range();
        json!({
            "field": "value", "type": "quantitative",
            "scale": {"domain": [low, high], "range": VIRIDIS, "clamp": true},
            "legend": {
                "title": self.values_title(), "orient": "bottom", "direction": "horizontal",
                "gradientLength": 220, "titleLimit": 320
            },
        })
    }

    pub(super) fn values_title(&self) -> String {
        self.panel.values.as_ref().map_or_else(|| "value".into(), crate::Values::title)
    }
}

/// The look of a point; without a series it has the colour of text.
fn point(series: Option<&Series>, size: u32) -> Value {
    let hollow = series.is_some_and(|series| series.hollow);
    let shape = series.map_or(Shape::Circle, Series::glyph);
    let mut mark = json!({
        "shape": name(shape), "filled": !hollow, "size": size, "strokeWidth": 1.5, "opacity": 1,
    });
    paint(&mut mark, series, if hollow { "stroke" } else { "fill" });
    mark
}

/// The colour of a series, or of text, which depends on the page's ground.
pub(super) fn paint(mark: &mut Value, series: Option<&Series>, channel: &str) {
    match series {
        Some(series) => mark["color"] = json!(series.ink()),
        None if channel == "fill" => mark["style"] = json!("ink"),
        None => mark["style"] = json!("inkline"),
    }
}

/// The name of a shape in Vega-Lite.
pub(super) fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Circle => "circle",
        Shape::Square => "square",
        Shape::Triangle => "triangle-up",
        Shape::Diamond => "diamond",
        Shape::Cross => "cross",
    }
}
