//! Tests of pages.

use super::*;
use crate::{STUDIES, Share, UeRow};

fn row(part: Option<&str>) -> Row {
    Row {
        part: part.map(str::to_owned),
        reading: "robust".into(),
        condition: "a condition".into(),
        measured: Some(2.5),
        true_value: Some(-0.000_1),
        low: Some(1.0),
        high: Some(1_234.567_8),
        holds_in: Some(Share { holds: 5, runs: 10, low: 0.25, high: 0.75 }),
        ..Row::sample()
    }
}

fn filled_page(text: &'static str) -> Result<String, StudyError> {
    let study = STUDIES[0].study().with("page.md", text);
    let report = Report { rows: vec![row(None), row(Some("part"))], ..Report::default() };
    page(&study, &report).map(|page| page.text)
}

#[test]
fn places_are_filled() {
    let page = "a {{X-1|robust}} b {{X-1/part|robust|high}}, {{X-1|robust|true}} \
                {{X-1|robust|holds}}/{{X-1|robust|runs}} {{X-1|robust|verdict}}";
    assert_eq!(filled_page(page).expect("a page"), "a 2.5 b 1235, 0 5/10 not resolved");
    let table = filled_page("{{repeated|robust}}").expect("a page");
    assert!(table.contains("| X-1 | delay: part, a condition | ms | 3 | 2.5 | 1 to 1234.568 |"));
    assert_eq!(table.lines().count(), 4);
}

#[test]
fn a_place_for_nothing_is_refused() {
    for page in ["{{X-2|robust}}", "{{X-1|meant}}", "{{X-1|robust|size}}", "{{claims|none}}", "{{"]
    {
        assert!(filled_page(page).is_err(), "{page}");
    }
}

#[test]
fn pictures_have_a_point_for_each_ue() {
    let row = |reading: &str, ue: &str, marked| UeRow {
        reading: reading.into(),
        run: "many-audio-1".into(),
        ue: ue.into(),
        marked,
        delay_ms: Some(if marked { 10.0 } else { 100.0 }),
        jitter_ms: Some(1.0),
        lost_percent: None,
    };
    let rows = ["as published", "as meant"];
    let per_ue = rows.iter().flat_map(|r| [row(r, "a", true), row(r, "b", false)]).collect();
    let report = Report { per_ue, ..Report::default() };
    let study = STUDIES[0].study().with("page.md", "");
    let pictures = page(&study, &report).expect("a page").pictures;
    let [(name, text)] = &pictures[..] else { panic!("{pictures:?}") };
    assert_eq!(name, "rate-delay-audio.svg");
    // Whole ones are marked, outlines are not.
    // One in each of four panels, and one in the legend.
    let circles = text.matches("<circle").count();
    assert_eq!(circles, 5);
    let charts = crate::pictures(&study, &report).expect("pictures");
    let points: Vec<_> = charts[0].panels.iter().map(|p| p.layers[1].mark.points()).collect();
    assert_eq!(points, [1; 4]);
}
