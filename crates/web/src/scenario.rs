//! Scenarios: templates, the schema, and what is wrong with a text.

use airpath_base::random::Seed;
use airpath_scenario::{Problem, Scenario, Template};
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Files;

/// Templates as JSON: a list of objects with `name`, `summary` and `text`.
#[wasm_bindgen]
pub fn templates() -> String {
    let all = airpath_scenario::templates().iter();
    let object =
        |one: &Template| json!({"name": one.name, "summary": one.summary, "text": one.text});
    all.map(object).collect::<serde_json::Value>().to_string()
}

/// JSON Schema of a scenario file.
#[wasm_bindgen]
pub fn schema() -> String {
    Scenario::schema().to_string()
}

/// Faults of a scenario as JSON. `problems` has objects with `message`, `allowed` and `line`, which
/// counts from 1 and is null of an override. Without a fault, `title`, `ues` and `seconds` describe
/// the scenario.
#[wasm_bindgen]
pub fn check(text: &str, overrides: Vec<String>, files: &Files) -> String {
    const NAME: &str = "scenario";
    let read = Scenario::parse_with(NAME, text, &overrides, &|path| files.text(path));
    let found = match read {
        Ok(scenario) => {
            let ues = scenario.with_arrivals(Seed(scenario.seed)).ues().count();
            let seconds = scenario.duration.as_secs_f64();
            json!({"problems": [], "title": scenario.title, "ues": ues, "seconds": seconds})
        }
        Err(errors) => {
            let line =
                |position: &str| position.strip_prefix(NAME)?.strip_prefix(':')?.parse().ok();
            let problem = |problem: &Problem| {
                let line: Option<u32> = problem.position().and_then(line);
                json!({"message": problem.message(), "allowed": problem.allowed(), "line": line})
            };
            json!({"problems": errors.problems().iter().map(problem).collect::<Vec<_>>()})
        }
    };
    found.to_string()
}
