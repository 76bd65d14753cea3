//! Keys of the scenario that an option was meant for.

use airpath_scenario::Scenario;
use serde_json::Value;

use super::MOST;

/// The advice to set a key instead, if one is called as the option.
pub fn tip(option: &str, value: Option<&str>) -> Option<String> {
    let name = option.replace('-', "_");
    let schema = Scenario::schema();
    let mut found = Vec::new();
    gather(&schema, "", &name, &mut found);
    found.sort_by_key(|(path, _)| path.matches('.').count());
    let shown = |(path, schema): &(String, &Value)| match value {
        Some(value) => format!("--set {path}={}", written(value, schema)),
        None => format!("--set {path}=VALUE"),
    };
    let all: Vec<String> = found.iter().take(MOST).map(shown).collect();
    (!all.is_empty()).then(|| format!("the scenario has it as a key: {}", all.join(", or ")))
}

/// Paths with this name at their end, with the schema of what stands there.
fn gather<'s>(schema: &'s Value, path: &str, name: &str, found: &mut Vec<(String, &'s Value)>) {
    for alternatives in ["anyOf", "oneOf"] {
        for one in schema[alternatives].as_array().into_iter().flatten() {
            gather(one, path, name, found);
        }
    }
    if schema["items"].is_object() {
        gather(&schema["items"], &format!("{path}.NAME"), name, found);
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if key == name && found.iter().all(|(known, _)| *known != path) {
            found.push((path.clone(), inner));
        }
        gather(inner, &path, name, found);
    }
}

/// A value as `--set` takes it: a bare number of seconds gets its unit, text its quotes.
fn written(value: &str, schema: &Value) -> String {
    match value.parse::<f64>() {
        Ok(_) if is_time(schema) => format!("\"{value} s\""),
        Ok(_) => value.to_owned(),
        Err(_) => format!("\"{value}\""),
    }
}

/// Checks that a key takes times: the schema has the same pattern for its values as for `duration`.
fn is_time(schema: &Value) -> bool {
    let own = &Scenario::schema()["properties"]["duration"];
    !own["pattern"].is_null() && schema["pattern"] == own["pattern"]
}
