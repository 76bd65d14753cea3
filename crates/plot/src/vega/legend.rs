//! The legend: a view below the panels, with an entry for each series and a line that says
//! what the marks mean. A view of its own shows dash, shape and colour as they are drawn, wraps
//! to the width, and covers no data.

use serde_json::{Value, json};

use super::layers;
use crate::look::Used;
use crate::{Chart, Series, Shape};

/// Name of the view whose entries can be clicked.
pub(super) const NAME: &str = "legend";
/// Height of a line of entries.
const LINE: usize = 20;
/// Width of a symbol with what is around it.
const SYMBOL: usize = 34;
/// Width of a letter, and how many are shown.
const LETTER: usize = 7;
const LETTERS: usize = 60;

/// The legend of a chart in so many pixels.
pub(super) fn view(chart: &Chart, series: &[&Series], width: usize) -> Value {
    let longest = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let column = (SYMBOL + 14 + LETTER * longest.min(LETTERS)).min(width);
    let columns = (width / column).max(1);
    let place = |n: usize| ((n % columns) * column, (n / columns) * LINE + LINE / 2);
    let lines = series.len().div_ceil(columns);
    let mut views = Vec::new();
    for (n, series) in series.iter().enumerate() {
        views.extend(symbol(series, chart.used(series), place(n)));
    }
    if !series.is_empty() {
        views.extend(names(series, place));
        views.push(clicked(series, place, column, (width, lines * LINE)));
    }
    let meanings = chart.meanings().join("; ");
    if !meanings.is_empty() {
        let at = json!({"x": {"value": 0}, "y": {"value": lines * LINE + LINE / 2}});
        let mut encoding = at;
        encoding["text"] = json!({"value": meanings});
        let mark = json!({"type": "text", "align": "left", "baseline": "middle", "style": "ink", "limit": width});
        views.push(json!({"data": {"values": [{}]}, "mark": mark, "encoding": encoding}));
    }
    let height = (lines + usize::from(!meanings.is_empty())) * LINE;
    json!({"width": width, "height": height, "layer": views})
}

/// Symbol of the series.
fn symbol(series: &Series, used: Used, (left, y): (usize, usize)) -> Vec<Value> {
    let data = json!({"values": [{"series": series.name}]});
    let view =
        |mark: Value, encoding: Value| json!({"data": data, "mark": mark, "encoding": encoding});
    let at = |x: usize| json!({"x": {"value": x}, "y": {"value": y}});
    let mut views = Vec::new();
    if used.line {
        let mut line = at(left);
        line["x2"] = json!({"value": left + 26});
        let dash = series.dash();
        views.push(view(
            json!({"type": "rule", "strokeWidth": 2, "color": series.ink(), "strokeDash": dash}),
            line,
        ));
    }
    let area = used.area && !used.line && !used.point;
    if used.point || area {
        let shape = if area { Shape::Square } else { series.glyph() };
        let size = if area { 140 } else { 50 };
        let mark = json!({
            "type": "point", "shape": layers::name(shape), "size": size, "strokeWidth": 1.5,
            "filled": area || !series.hollow, "color": series.ink(), "opacity": 1,
        });
        views.push(view(mark, at(left + 13)));
    }
    views
}

/// The names.
fn names(series: &[&Series], place: impl Fn(usize) -> (usize, usize)) -> Vec<Value> {
    let name = |(n, series): (usize, &&Series)| {
        let (left, y) = place(n);
        json!({
            "data": {"values": [{"series": series.name}]},
            "mark": {
                "type": "text", "align": "left", "baseline": "middle", "style": "ink",
                "limit": LETTER * LETTERS
            },
            "encoding": {
                "x": {"value": left + SYMBOL}, "y": {"value": y},
                "text": {"field": "series", "type": "nominal"}
            },
        })
    };
    series.iter().enumerate().map(name).collect()
}

/// Areas for clicks: unseen rectangles over the entries.
fn clicked(
    series: &[&Series],
    place: impl Fn(usize) -> (usize, usize),
    column: usize,
    (width, height): (usize, usize),
) -> Value {
    let row = |(n, series): (usize, &&Series)| {
        let (left, y) = place(n);
        json!({"series": series.name, "left": left, "right": left + column - 8,
            "top": y - LINE / 2, "bottom": y + LINE / 2})
    };
    let rows: Vec<Value> = series.iter().enumerate().map(row).collect();
    let edge = |field: &str, domain: [usize; 2]| {
        json!({"field": field, "type": "quantitative", "axis": null,
            "scale": {"domain": domain, "nice": false, "zero": false}})
    };
    json!({
        "name": NAME,
        "data": {"values": rows},
        "mark": {"type": "rect", "opacity": 0, "cursor": "pointer"},
        "encoding": {
            "x": edge("left", [0, width]), "x2": {"field": "right"},
            "y": edge("top", [height, 0]), "y2": {"field": "bottom"},
        },
    })
}
