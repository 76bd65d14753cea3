//! The data of a specification: one table for the whole chart, a row for each thing drawn.
//!
//! `mark` names the layer that draws a row: twice its number. The second part of a mark with two
//! parts (the centre of an ellipse, the sums of bars) has one more. Figures have ten significant
//! digits.

use serde_json::{Map, Value, json};

use crate::figure::{digits, figure};
use crate::fixed::range::GREAT;
use crate::{Axis, Direction, Layer, Mark, Panel, Scale, ellipse};

/// Half the width of a bar, in categories.
const HALF_BAR: f64 = 0.36;

/// The rows of a panel whose first layer has number `first`.
pub(super) fn rows(panel: &Panel, first: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    for (n, layer) in panel.layers.iter().enumerate() {
        let maker = Maker { panel, layer, id: first + n };
        match &layer.mark {
            Mark::Bars { .. } => rows.extend(maker.bars()),
            mark => rows.extend(maker.rows(&mark.thinned())),
        }
    }
    rows
}

/// Fields that are added to a row.
type Fields<'a> = Vec<(&'a str, Value)>;

struct Maker<'a> {
    panel: &'a Panel,
    layer: &'a Layer,
    id: usize,
}

impl Maker<'_> {
    fn row(&self, part: usize, fields: Fields<'_>) -> Value {
        let mut row = Map::new();
        row.insert("mark".into(), json!(2 * self.id + part));
        if let Some(series) = &self.layer.series {
            row.insert("series".into(), json!(series.name));
        }
        for (axis, key, name) in [(&self.panel.x, "x", "xname"), (&self.panel.y, "y", "yname")] {
            let place = fields.iter().find(|(own, _)| *own == key).and_then(|(_, v)| v.as_f64());
            if let Some(category) = place.and_then(|place| category(axis, place)) {
                row.insert(name.into(), json!(category));
            }
        }
        row.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Value::Object(row)
    }

    fn x(&self, x: f64) -> Option<f64> {
        drawn(&self.panel.x, x)
    }

    fn y(&self, y: f64) -> Option<f64> {
        drawn(&self.panel.y, y)
    }

    fn rows(&self, mark: &Mark) -> Vec<Value> {
        match mark {
            Mark::Line { x, y, .. } => self.line(x, y),
            Mark::Points { x, y, values, names } => self.points(x, y, values, names),
            Mark::Band { x, low, high } => self.band(x, low, high),
            Mark::Intervals { .. } => self.intervals(mark),
            Mark::Cells { x, y, values } => self.cells(x, y, values),
            Mark::Ellipse { centre, covariance, deviations } => {
                self.ellipse(*centre, *covariance, *deviations)
            }
            Mark::Rule { along, at, text } => self.rule(*along, *at, text),
            Mark::Text { x, y, text } => self.text(x, y, text),
            Mark::Bars { .. } => Vec::new(),
        }
    }

    fn line(&self, x: &[f64], y: &[Option<f64>]) -> Vec<Value> {
        let place = |(x, y): (&f64, &Option<f64>)| {
            let y = y.and_then(|y| self.y(y));
            Some(
                self.row(0, vec![("x", number(self.x(*x)?)), ("y", y.map_or(Value::Null, number))]),
            )
        };
        x.iter().zip(y).filter_map(place).collect()
    }

    fn points(&self, x: &[f64], y: &[f64], values: &[f64], names: &[String]) -> Vec<Value> {
        let count = self.layer.mark.points().min(x.len());
        let place = |n: usize| {
            let mut fields = vec![("x", number(self.x(x[n])?)), ("y", number(self.y(y[n])?))];
            if let Some(value) = values.get(n) {
                fields.push(("value", number(value.is_finite().then_some(*value)?)));
            }
            fields.extend(names.get(n).map(|name| ("name", json!(name))));
            Some(self.row(0, fields))
        };
        (0..count).filter_map(place).collect()
    }

    fn band(&self, x: &[f64], low: &[Option<f64>], high: &[Option<f64>]) -> Vec<Value> {
        let place = |((x, low), high): ((&f64, &Option<f64>), &Option<f64>)| {
            let edges = low.and_then(|y| self.y(y)).zip(high.and_then(|y| self.y(y)));
            let edge = |of: fn((f64, f64)) -> f64| edges.map(of).map_or(Value::Null, number);
            let fields =
                vec![("x", number(self.x(*x)?)), ("y", edge(|e| e.0)), ("y2", edge(|e| e.1))];
            Some(self.row(0, fields))
        };
        x.iter().zip(low).zip(high).filter_map(place).collect()
    }

    fn intervals(&self, mark: &Mark) -> Vec<Value> {
        let Mark::Intervals { x, y, low, high } = mark else { return Vec::new() };
        let place = |n: usize| {
            let at = (self.x(x[n])?, self.y(y[n])?);
            let ends = (self.y(low[n])?, self.y(high[n])?);
            let fields = [("x", at.0), ("y", at.1), ("low", ends.0), ("high", ends.1)];
            Some(self.row(0, fields.map(|(key, value)| (key, number(value))).to_vec()))
        };
        (0..mark.points()).filter_map(place).collect()
    }

    fn cells(&self, x: &[f64], y: &[f64], values: &[Option<f64>]) -> Vec<Value> {
        let cell = |((x, y), value): ((&f64, &f64), &Option<f64>)| {
            let value = value.filter(|value| value.is_finite())?;
            let mut fields = vec![("x", number(self.x(*x)?)), ("y", number(self.y(*y)?))];
            let edges =
                [("left", x - 0.5), ("right", x + 0.5), ("top", y - 0.5), ("bottom", y + 0.5)];
            fields.extend(edges.map(|(key, edge)| (key, number(edge))));
            fields.extend([("value", number(value)), ("text", json!(figure(value)))]);
            Some(self.row(0, fields))
        };
        x.iter().zip(y).zip(values).filter_map(cell).collect()
    }

    fn ellipse(&self, centre: (f64, f64), covariance: (f64, f64, f64), size: f64) -> Vec<Value> {
        let corner = |(n, (x, y)): (usize, (f64, f64))| {
            let at = [("x", number(self.x(x)?)), ("y", number(self.y(y)?)), ("order", json!(n))];
            Some(self.row(0, at.to_vec()))
        };
        let path = ellipse(centre, covariance, size).into_iter().enumerate().filter_map(corner);
        let middle = self.x(centre.0).zip(self.y(centre.1));
        let middle = middle.map(|(x, y)| self.row(1, vec![("x", number(x)), ("y", number(y))]));
        path.chain(middle).collect()
    }

    fn rule(&self, along: Direction, at: f64, text: &str) -> Vec<Value> {
        let (key, axis) = match along {
            Direction::X => ("x", &self.panel.x),
            Direction::Y => ("y", &self.panel.y),
        };
        let row = |at| self.row(0, vec![(key, number(at)), ("text", json!(text))]);
        drawn(axis, at).map(row).into_iter().collect()
    }

    fn text(&self, x: &[f64], y: &[f64], text: &[String]) -> Vec<Value> {
        let place = |((x, y), text): ((&f64, &f64), &String)| {
            let at =
                [("x", number(self.x(*x)?)), ("y", number(self.y(*y)?)), ("text", json!(text))];
            Some(self.row(0, at.to_vec()))
        };
        x.iter().zip(y).zip(text).filter_map(place).collect()
    }

    /// Parts of stacked bars; the last layer of bars also has the sums.
    fn bars(&self) -> Vec<Value> {
        let own = |part: &crate::Part<'_>| std::ptr::eq(part.layer, self.layer);
        let mut rows: Vec<Value> = self
            .panel
            .parts()
            .iter()
            .filter(|part| own(part))
            .map(|part| {
                let length = part.to - part.from;
                let values = [("value", number(length)), ("text", json!(figure(length)))];
                let mut fields = self.across(part.category, part.from, part.to);
                fields.extend(values);
                self.row(0, fields)
            })
            .collect();
        if self.panel.last_bars().is_some_and(|last| std::ptr::eq(last, self.layer)) {
            rows.extend(self.panel.sums().iter().enumerate().map(|(category, sum)| {
                let mut fields = self.across(category, 0.0, *sum);
                fields.push(("text", json!(with_unit(*sum, self.panel))));
                self.row(1, fields)
            }));
        }
        rows
    }

    /// Edges of a bar: its middle, its edges across and its ends.
    fn across(&self, category: usize, from: f64, to: f64) -> Fields<'static> {
        let middle = category as f64;
        let edges = (middle - HALF_BAR, middle + HALF_BAR);
        let [x, y, left, right, top, bottom] = match self.panel.bars_along() {
            Direction::X => [to, middle, from, to, edges.0, edges.1],
            Direction::Y => [middle, to, edges.0, edges.1, from, to],
        };
        let places = [x, y, left, right, top, bottom].map(number);
        ["x", "y", "left", "right", "top", "bottom"].into_iter().zip(places).collect()
    }
}

/// A figure where its axis can show it.
fn drawn(axis: &Axis, figure: f64) -> Option<f64> {
    let possible = figure.abs() < GREAT && (axis.scale != Scale::Log || figure > 0.0);
    possible.then_some(figure)
}

/// Name of the category at a position.
fn category(axis: &Axis, place: f64) -> Option<&str> {
    let nearest = place.round();
    let names = axis.categories()?;
    (nearest >= 0.0).then(|| names.get(nearest as usize).map(String::as_str)).flatten()
}

fn with_unit(sum: f64, panel: &Panel) -> String {
    let axis = match panel.bars_along() {
        Direction::X => &panel.x,
        Direction::Y => &panel.y,
    };
    format!("{} {}", figure(sum), axis.unit).trim_end().to_owned()
}

fn number(value: f64) -> Value {
    json!(digits(value, 10))
}

impl Panel {
    /// The last layer of bars.
    pub(crate) fn last_bars(&self) -> Option<&Layer> {
        self.layers.iter().rfind(|layer| matches!(layer.mark, Mark::Bars { .. }))
    }
}
