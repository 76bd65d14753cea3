use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::text::{BOLD, plain, width};
use crate::{Axis, Chart, Direction, Layer, Mark, Panel, Scale, Series, Values, charts, kinds};

fn all() -> Vec<Chart> {
    [kinds::kinds(), charts::charts()].concat()
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let text = node.attribute(name).unwrap_or_else(|| panic!("{node:?} has {name}"));
    text.parse().unwrap_or_else(|_| panic!("{name} is a number: {text}"))
}

fn named<'a>(document: &'a Document<'_>, name: &str) -> Vec<Node<'a, 'a>> {
    document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
        .collect()
}

fn content(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
}

/// Left, top, right and bottom of a text.
fn extent(text: Node<'_, '_>) -> [f64; 4] {
    let (x, y, size) = (number(text, "x"), number(text, "y"), number(text, "font-size"));
    let bold = text.descendants().any(|node| node.attribute("font-weight").is_some());
    let wide = width(&content(text), size as u32) * if bold { BOLD } else { 1.0 };
    let (before, behind) = match text.attribute("text-anchor") {
        Some("start") => (0.0, wide),
        Some("middle") => (wide / 2.0, wide / 2.0),
        _ => (wide, 0.0),
    };
    match text.attribute("transform").map(|turned| turned.split(',').next().unwrap_or("")) {
        None => [x - before, y - size, x + behind, y + size / 4.0],
        Some("rotate(-90") => [x - size, y - behind, x + size / 4.0, y + before],
        // Names at the x axis, which end at their ticks.
        Some("rotate(-40") => {
            [x - before * 0.766 - size, y - size, x, y + before * 0.643 + size / 4.0]
        }
        Some(other) => panic!("{other}"),
    }
}

#[test]
fn pictures_are_xml_that_says_what_it_shows() {
    for chart in all() {
        let svg = chart.svg();
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        let root = document.root_element();
        assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
        assert!(root.attribute("viewBox").is_some_and(|of| of.starts_with("0 0 960 ")));
        let label = root.attribute("aria-labelledby").expect("a label");
        let ids: Vec<&str> = label.split(' ').collect();
        for (id, (tag, text)) in
            ids.iter().zip([("title", &chart.title), ("desc", &chart.sentence)])
        {
            let of = named(&document, tag)[0];
            assert_eq!((of.attribute("id"), content(of)), (Some(*id), text.clone()));
        }
    }
}

#[test]
fn no_text_is_clipped() {
    for chart in all() {
        let svg = chart.svg();
        let document = Document::parse(&svg).expect("XML");
        let (right, bottom) =
            (number(document.root_element(), "width"), number(document.root_element(), "height"));
        for text in named(&document, "text") {
            let [left, top, own_right, own_bottom] = extent(text);
            assert!(
                left >= 0.0 && top >= 0.0 && own_right <= right && own_bottom <= bottom,
                "{}: {} lies at {:?} of {right} x {bottom}",
                chart.id,
                content(text),
                extent(text)
            );
        }
    }
}

/// Texts that stand still and do not lie in a panel: titles, ticks, legend.
#[test]
fn texts_around_panels_do_not_overlap() {
    for chart in all() {
        let svg = chart.svg();
        let document = Document::parse(&svg).expect("XML");
        let flat: Vec<_> = named(&document, "text")
            .into_iter()
            .filter(|text| text.attribute("transform").is_none() && !content(*text).is_empty())
            .collect();
        for (n, a) in flat.iter().enumerate() {
            for b in &flat[n + 1..] {
                let ([l, t, r, d], [l2, t2, r2, d2]) = (extent(*a), extent(*b));
                let apart = r <= l2 || r2 <= l || d - 3.0 <= t2 || d2 - 3.0 <= t;
                assert!(apart, "{}: {} and {}", chart.id, content(*a), content(*b));
            }
        }
    }
}

#[test]
fn the_legend_lies_above_the_panels() {
    for chart in all() {
        let svg = chart.svg();
        let document = Document::parse(&svg).expect("XML");
        let top = named(&document, "line")
            .into_iter()
            .map(|line| number(line, "y1").min(number(line, "y2")))
            .fold(f64::MAX, f64::min);
        let texts = named(&document, "text");
        for series in chart.series() {
            let start: String = plain(&series.name).chars().take(40).collect();
            let entry = texts.iter().find(|text| content(**text).starts_with(&start));
            let entry = entry.unwrap_or_else(|| panic!("{} is in the legend", series.name));
            assert!(extent(*entry)[3] < top, "{}: {}", chart.id, series.name);
        }
    }
}

#[test]
fn data_lies_where_the_axes_say() {
    let line = Mark::line(vec![0.0, 5.0, 10.0], vec![0.0, 100.0, 50.0]);
    let panel = Panel {
        x: Axis::new("x", "s").within(0.0, 10.0),
        y: Axis::new("y", "ms").within(0.0, 100.0),
        layers: vec![Layer::new(&Series::new("a", 0), line)],
        ..Panel::default()
    };
    let chart = Chart { id: "c".into(), panels: vec![panel], ..Chart::default() };
    let svg = chart.svg();
    let document = Document::parse(&svg).expect("XML");
    let area = named(&document, "clipPath")[0].first_element_child().expect("its area");
    let [left, top, wide, high] = ["x", "y", "width", "height"].map(|name| number(area, name));
    let expected = format!(
        "M{left:.1} {:.1}L{:.1} {top:.1}L{:.1} {:.1}",
        top + high,
        left + wide / 2.0,
        left + wide,
        top + high / 2.0
    );
    assert!(svg.contains(&expected), "{expected} in {svg}");
}

#[test]
fn the_same_chart_has_the_same_bytes() {
    for chart in all() {
        assert_eq!(chart.svg(), chart.svg());
        assert_eq!(chart.png(), chart.png());
    }
}

#[test]
fn coordinates_have_few_digits() {
    for chart in all() {
        let svg = chart.svg();
        let document = Document::parse(&svg).expect("XML");
        for node in document.descendants().filter(|node| node.is_element()) {
            for attribute in node.attributes().filter(|of| !of.name().starts_with("aria")) {
                let after = attribute.value().split('.').skip(1);
                let digits =
                    after.map(|rest| rest.chars().take_while(char::is_ascii_digit).count());
                assert!(digits.max().unwrap_or(0) <= 2, "{attribute:?}");
            }
        }
    }
}

#[test]
fn pixels_are_twice_the_size() {
    let chart = &kinds::kinds()[2];
    let (png, svg) = (chart.png(), chart.svg());
    let document = Document::parse(&svg).expect("XML");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let field = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    let size = ["width", "height"].map(|name| number(document.root_element(), name) as u32);
    assert_eq!([field(16), field(20)], [2 * size[0], 2 * size[1]]);
}

/// Texts below have no n: figures that are none would be seen as NaN or inf.
fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let any = prop_oneof![
        4 => -1e3..1e3,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, f64::NAN, f64::INFINITY, 1e-300, 1e149, -1e149]),
    ];
    prop::collection::vec(any, 0..6)
}

fn axes() -> impl Strategy<Value = Axis> {
    let names = prop::collection::vec("[a-m<&$\\\\\u{1}é…]{0,40}", 0..4);
    let scale =
        prop_oneof![Just(Scale::Linear), Just(Scale::Log), names.prop_map(Scale::Category),];
    let range = prop::option::of((any::<f64>(), any::<f64>()));
    (scale, range, any::<bool>(), "[^nN]{0,80}").prop_map(|(scale, range, zero, label)| Axis {
        label,
        unit: "ms".into(),
        scale,
        zero,
        range,
    })
}

fn marks(columns: [Vec<f64>; 4]) -> Vec<Mark> {
    let [x, y, low, high] = columns;
    let known = |values: &[f64]| values.iter().map(|value| Some(*value)).collect::<Vec<_>>();
    let first = |values: &[f64]| values.first().copied().unwrap_or(1.0);
    vec![
        Mark::Line { x: x.clone(), y: known(&y), steps: true, points: true },
        Mark::Band { x: x.clone(), low: known(&low), high: known(&high) },
        Mark::Points { x: x.clone(), y: y.clone(), values: low.clone(), names: vec!["<".into()] },
        Mark::Bars { lengths: y.clone() },
        Mark::Cells { x: x.clone(), y: y.clone(), values: known(&low) },
        Mark::Ellipse {
            centre: (first(&x), first(&y)),
            covariance: (first(&low), first(&high), first(&y)),
            deviations: 2.0,
        },
        Mark::Rule { along: Direction::Y, at: first(&low), text: "a rule".into() },
        Mark::Text { x: x.clone(), y: y.clone(), text: vec!["]]>".into(); 3] },
        Mark::Intervals { x, y, low, high },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 16, ..ProptestConfig::default() })]

    #[test]
    fn anything_can_be_drawn(
        columns in [numbers(), numbers(), numbers(), numbers()],
        x in axes(),
        y in axes(),
        equal in any::<bool>(),
        range in prop::option::of((any::<f64>(), any::<f64>())),
        beside in 0usize..4,
    ) {
        let layers = marks(columns).into_iter().enumerate();
        let layers = layers.map(|(n, mark)| Layer::new(&Series::new(format!("series {n}"), n), mark));
        let values = Some(Values { range, ..Values::default() });
        let panel = Panel { x, y, layers: layers.collect(), values, equal, ..Panel::default() };
        let chart =
            Chart { panels: vec![panel; 2], columns: beside, shared_x: true, ..Chart::default() };
        let svg = chart.svg();
        prop_assert!(Document::parse(&svg).is_ok(), "{svg}");
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        prop_assert!(!chart.png().is_empty());
    }
}
