//! Requests that documentation shows, made of the scenario that it shows them with.

use airpath_base::{Duration, Time};
use airpath_scenario::Scenario;
use airpath_scenario::world::WorldOptions;
use airpath_sim::Course;

use super::*;

/// Requests and answers of the table in a text.
fn rows(text: &str) -> Vec<(String, String)> {
    let rows = text.lines().filter_map(|line| {
        let row = line.trim_start_matches("//! ").strip_prefix("| `{")?;
        let (request, answer) = row.split_once("` | ")?;
        Some((format!("{{{request}"), answer.trim_end_matches(" |").to_owned()))
    });
    rows.collect()
}

/// Arguments of `--tell` in the commands of a text.
fn settings_of_commands(text: &str) -> Vec<String> {
    let parts = text.lines().filter(|line| line.starts_with("    airpath emulate --tell"));
    parts.flat_map(|line| line.split('\'').skip(1).step_by(2).map(str::to_owned)).collect()
}

#[test]
fn every_request_that_is_documented_works() {
    let page = include_str!("../../../docs/emulate.md");
    let (page_rows, own) = (rows(page), rows(include_str!("control.rs")));
    assert_eq!(page_rows.len(), 5);
    let requests = |rows: &[(String, String)]| rows.iter().map(|row| row.0.clone()).collect();
    let (one, other): (Vec<String>, Vec<String>) = (requests(&page_rows), requests(&own));
    assert_eq!(one, other, "both tables have the same requests");
    assert!(page.contains("airpath new lte-6rb"));
    let template = airpath_scenario::template("lte-6rb").expect("a template");
    let scenario = Scenario::parse(template.name, template.text, &[]).expect("valid");
    let mut course = Course::begin(&scenario, None, None, WorldOptions::default()).expect("a run");
    let mut at = Time::ZERO;
    let mut make = |setting: &str| {
        at += Duration::from_millis(10);
        let changed = course.change(at, setting, None);
        changed.unwrap_or_else(|error| panic!("{setting}: {error}"));
    };
    let mut settings = 0;
    for (request, _) in &page_rows {
        let parsed = parse(request.as_bytes()).unwrap_or_else(|error| panic!("{request}: {error}"));
        if let Request::Set(all) = parsed {
            all.iter().for_each(|setting| make(setting));
            settings += all.len();
        }
    }
    let by_hand = settings_of_commands(page);
    by_hand.iter().for_each(|setting| make(setting));
    assert_eq!((settings, by_hand.len()), (3, 2));
    let keys = course.controls().keys();
    assert!(keys.iter().any(|key| key == "path.s1.rate"), "{keys:?}");
}
