use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Axis, Chart, Direction, Layer, Mark, Panel, Series, charts, kinds};

fn all() -> Vec<(Chart, Value)> {
    let charts = charts::charts().into_iter().chain(kinds::kinds());
    charts.map(|chart| (chart.vega_lite(), chart)).map(|(spec, chart)| (chart, spec)).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn panels(spec: &Value) -> &[Value] {
    list(&spec["vconcat"][0]["concat"])
}

fn rows(spec: &Value) -> &[Value] {
    list(&spec["data"]["values"])
}

/// All fields that an encoding names.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("field").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| fields(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

#[test]
fn every_encoded_field_is_in_the_data_and_every_row_is_drawn() {
    for (chart, spec) in all() {
        let mut drawn = BTreeSet::new();
        for view in panels(&spec).iter().flat_map(|panel| list(&panel["layer"])) {
            let Some(mark) = view["transform"][0]["filter"]["equal"].as_u64() else { continue };
            drawn.insert(mark);
            let mut named = BTreeSet::new();
            fields(&view["encoding"], &mut named);
            for step in list(&view["transform"]) {
                named.remove(step["as"].as_str().unwrap_or(""));
            }
            for row in rows(&spec).iter().filter(|row| row["mark"] == mark) {
                for field in &named {
                    assert!(row.get(field).is_some(), "{}: {field} in {row}", chart.id);
                }
            }
        }
        for row in rows(&spec) {
            let mark = row["mark"].as_u64().expect("a mark");
            assert!(drawn.contains(&mark), "{}: nothing draws {row}", chart.id);
        }
    }
}

#[test]
fn axes_have_their_units() {
    for (chart, spec) in all() {
        assert_eq!(panels(&spec).len(), chart.panels.len());
        for (panel, drawn) in chart.panels.iter().zip(panels(&spec)) {
            for view in list(&drawn["layer"]) {
                for (axis, channel) in [(&panel.x, "x"), (&panel.y, "y")] {
                    let Some(title) = view["encoding"][channel]["title"].as_str() else { continue };
                    let cut = title.split_once('…').map(|(before, _)| before);
                    let before = cut.unwrap_or(&axis.label);
                    assert!(axis.label.starts_with(before) && title.starts_with(before), "{title}");
                    assert!(title.chars().count() <= 125, "{title}");
                    assert!(axis.unit.is_empty() || title.ends_with(&format!("({})", axis.unit)));
                }
            }
        }
    }
}

#[test]
fn the_legend_has_each_series_once() {
    for (chart, spec) in all() {
        let legend = list(&spec["vconcat"][1]["layer"]);
        let clicked = legend.iter().find(|view| view["name"] == "legend");
        let names: Vec<&str> = clicked
            .map(|view| list(&view["data"]["values"]))
            .unwrap_or_default()
            .iter()
            .filter_map(|row| row["series"].as_str())
            .collect();
        let series: Vec<&str> = chart.series().iter().map(|series| &*series.name).collect();
        assert_eq!(names, series, "{}", chart.id);
        for meaning in chart.meanings() {
            assert!(legend.iter().any(|view| view.to_string().contains(meaning)));
        }
    }
}

#[test]
fn views_that_parameters_name_are_there() {
    for (chart, spec) in all() {
        let text = spec["vconcat"].to_string();
        for view in list(&spec["params"]).iter().flat_map(|param| list(&param["views"])) {
            assert_eq!(text.matches(&format!("\"name\":{view}")).count(), 1, "{}", chart.id);
        }
    }
}

/// One panel with these layers.
fn drawn(x: Axis, y: Axis, layers: Vec<Layer>) -> Value {
    let panels = vec![Panel { x, y, layers, ..Panel::default() }];
    Chart { panels, ..Chart::default() }.vega_lite()
}

#[test]
fn gaps_stay_and_what_an_axis_cannot_show_is_left_out() {
    let mark = Mark::Line {
        x: vec![1.0, 2.0, 3.0, f64::NAN, 5.0, 1e200],
        y: vec![Some(1.5), None, Some(-1.0), Some(2.0), Some(1.0 / 3.0), Some(1.0)],
        steps: false,
        points: false,
    };
    let series = Series::new("a", 0);
    let spec = drawn(Axis::new("t", "s"), Axis::log("d", "ms"), vec![Layer::new(&series, mark)]);
    let expected = json!([
        {"mark": 0, "series": "a", "x": 1.0, "y": 1.5},
        {"mark": 0, "series": "a", "x": 2.0, "y": null},
        {"mark": 0, "series": "a", "x": 3.0, "y": null},
        {"mark": 0, "series": "a", "x": 5.0, "y": 0.3333333333},
    ]);
    assert_eq!(spec["data"]["values"], expected);
    // From 1/3 to 1.5: steps of 1, 2 and 5 around them.
    let scale = &panels(&spec)[0]["layer"][0]["encoding"]["y"]["scale"];
    assert_eq!(scale["domain"], json!([0.2, 2.0]));
}

#[test]
fn bars_have_their_parts_and_their_sum() {
    let bars = |name: &str, n, lengths: &[f64]| {
        Layer::new(&Series::new(name, n), Mark::Bars { lengths: lengths.to_vec() })
    };
    let layers = vec![bars("wired", 0, &[1.25]), bars("radio", 1, &[3.0])];
    let spec = drawn(Axis::new("time", "ms"), Axis::category("flow", ["video"]), layers);
    let row = |mark: u64, from: f64, to: f64| {
        json!({"mark": mark, "x": to, "y": 0.0, "left": from, "right": to, "top": -0.36,
            "bottom": 0.36, "yname": "video"})
    };
    let with = |mut row: Value, more: Value| {
        let more = more.as_object().expect("an object").clone();
        row.as_object_mut().expect("an object").extend(more);
        row
    };
    let expected = json!([
        with(row(0, 0.0, 1.25), json!({"series": "wired", "value": 1.25, "text": "1.25"})),
        with(row(2, 1.25, 4.25), json!({"series": "radio", "value": 3.0, "text": "3"})),
        with(row(3, 0.0, 4.25), json!({"series": "radio", "text": "4.25 ms"})),
    ]);
    assert_eq!(spec["data"]["values"], expected);
}

#[test]
fn figures_stand_in_wide_parts_and_not_beside_their_own_sum() {
    let texts = |lengths: &[f64]| {
        let bars = |(n, length): (usize, &f64)| {
            Layer::new(&Series::new(format!("{n}"), n), Mark::Bars { lengths: vec![*length] })
        };
        let layers = lengths.iter().enumerate().map(bars).collect();
        let spec = drawn(Axis::new("time", "ms"), Axis::category("flow", ["video"]), layers);
        let views = list(&panels(&spec)[0]["layer"]).iter();
        views.filter(|view| view["mark"]["type"] == "text").count()
    };
    // The sum; the sum and both parts; the sum and the one part that is 6% of it or more.
    assert_eq!([texts(&[1.0]), texts(&[1.0, 2.0]), texts(&[1.0, 20.0])], [1, 3, 2]);
}

#[test]
fn panels_that_share_an_axis_have_the_same_ends_and_one_zoom() {
    let panel = |from: f64| Panel {
        x: Axis::new("time", "s"),
        y: Axis::new("rate", "Mbit/s"),
        layers: vec![Layer::plain(Mark::line(vec![from, from + 5.0], vec![1.0, 2.0]))],
        ..Panel::default()
    };
    let linked =
        Chart { panels: vec![panel(0.0), panel(15.0)], shared_x: true, ..Chart::default() };
    let spec = linked.vega_lite();
    for drawn in panels(&spec) {
        let domain = &drawn["layer"][0]["encoding"]["x"]["scale"]["domain"];
        assert_eq!(domain, &json!([0.0, 20.0]));
    }
    for drawn in panels(&spec) {
        assert!(drawn["layer"][0]["encoding"]["y"]["field"].is_string(), "a place on both axes");
    }
    assert_eq!(spec["vconcat"][0]["resolve"]["scale"]["x"], "shared");
    assert_eq!(list(&spec["params"]).len(), 1);
    assert_eq!(spec["params"][0]["views"], json!(["panel0", "panel1"]));
    let apart = Chart { shared_x: false, ..linked }.vega_lite();
    assert_eq!(list(&apart["params"]).len(), 2);
}

#[test]
fn texts_stand_on_the_side_where_there_is_room() {
    let at = vec![0.0, 84.0, 86.0];
    let text = ["a", "b", "c"].map(String::from).to_vec();
    let layers = vec![Layer::plain(Mark::Text { x: at.clone(), y: at, text })];
    let spec = drawn(Axis::new("x", "s").within(0.0, 100.0), Axis::new("y", "ms"), layers);
    let sides: Vec<(&str, &Value)> = list(&panels(&spec)[0]["layer"])[1..]
        .iter()
        .map(|view| (view["mark"]["align"].as_str().expect("a word"), &view["transform"][1]))
        .collect();
    let filter = |near: &str| json!({"filter": {"field": "x", near: 85.0}});
    assert_eq!(sides, [("left", &filter("lt")), ("right", &filter("gte"))]);
}

#[test]
fn the_first_looks_of_a_name_count() {
    let line = |n| Layer::new(&Series::new("a", n), Mark::line(vec![0.0], vec![1.0]));
    let spec = drawn(Axis::new("x", "s"), Axis::new("y", "ms"), vec![line(1), line(2)]);
    for view in &list(&panels(&spec)[0]["layer"])[1..] {
        assert_eq!(view["mark"]["color"], crate::COLOURS[1]);
    }
}

#[test]
fn a_map_has_the_same_scale_both_ways() {
    let mark = Mark::Points {
        x: vec![0.0, 1000.0],
        y: vec![0.0, 10.0],
        values: Vec::new(),
        names: Vec::new(),
    };
    let panels = vec![Panel {
        x: Axis::new("x", "m"),
        y: Axis::new("y", "m"),
        layers: vec![Layer::plain(mark)],
        equal: true,
        ..Panel::default()
    }];
    let spec = Chart { panels, ..Chart::default() }.vega_lite();
    let panel = &self::panels(&spec)[0];
    let length = |channel: &str| {
        let domain = &panel["layer"][0]["encoding"][channel]["scale"]["domain"];
        domain[1].as_f64().expect("an end") - domain[0].as_f64().expect("an end")
    };
    let pixels = |side: &str| panel[side].as_f64().expect("a length");
    let (x, y) = (pixels("width") / length("x"), pixels("height") / length("y"));
    assert!((x / y - 1.0).abs() < 0.01, "{x} {y} pixels for a metre");
}

#[test]
fn text_of_a_rule_stays_in_the_panel() {
    let rule = |along, at| Layer::plain(Mark::Rule { along, at, text: "limit".into() });
    let (x, y) = (Axis::new("x", "s").within(0.0, 10.0), Axis::log("y", "ms").within(1.0, 100.0));
    let layers = vec![
        rule(Direction::X, 2.0),
        rule(Direction::X, 9.9),
        rule(Direction::Y, 10.0),
        rule(Direction::Y, 95.0),
    ];
    let spec = drawn(x, y, layers);
    let looks: Vec<(&str, &str)> = list(&panels(&spec)[0]["layer"])
        .iter()
        .filter(|view| view["mark"]["type"] == "text")
        .map(|view| {
            let look = |key: &str| view["mark"][key].as_str().expect("a word");
            (look("align"), look("baseline"))
        })
        .collect();
    assert_eq!(looks, [("left", "top"), ("right", "top"), ("right", "bottom"), ("right", "top")]);
}
