//! Keys in which two scenarios differ.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// A key that two scenarios have different values for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyDifference {
    /// The key with its path; members of a list by their names, if they have any.
    pub key: String,
    /// Its value in the first; none if it is not there.
    pub first: Option<Value>,
    /// Its value in the second.
    pub second: Option<Value>,
}

/// The keys of two resolved scenarios that differ, in the order of their names. The seed is no
/// part of what is compared.
pub fn differences(first: &Value, second: &Value) -> Vec<KeyDifference> {
    let (first, second) = (leaves(first), leaves(second));
    let keys: std::collections::BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let differs = keys.into_iter().filter(|key| first.get(*key) != second.get(*key));
    let of = |key: &String| KeyDifference {
        key: key.clone(),
        first: first.get(key).cloned(),
        second: second.get(key).cloned(),
    };
    differs.filter(|key| *key != "seed").map(of).collect()
}

/// All values that are no tables, by key with its path.
fn leaves(scenario: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    walk(scenario, String::new(), &mut found);
    found
}

fn walk(value: &Value, path: String, found: &mut BTreeMap<String, Value>) {
    let below = |name: &str| match path.is_empty() {
        true => name.to_owned(),
        false => format!("{path}.{name}"),
    };
    match value {
        Value::Object(table) => {
            table.iter().for_each(|(key, value)| walk(value, below(key), found));
        }
        // A list of tables; one of plain values is a value.
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (n, value) in list.iter().enumerate() {
                let name = value["name"].as_str().map_or_else(|| n.to_string(), str::to_owned);
                walk(value, below(&name), found);
            }
        }
        // A value that is not set is like an absent one.
        Value::Null => {}
        _ => {
            found.insert(path, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_told_by_their_paths() {
        let first = json!({
            "seed": 1, "cell": {"tti": "1 ms", "mimo": null},
            "flow": [{"name": "video", "control": {"kind": "cubic"}}, {"rate": 5}], "list": [1, 2],
        });
        let second = json!({
            "seed": 2, "cell": {"tti": "1 ms"},
            "flow": [{"name": "video", "control": {"kind": "prague"}}, {"rate": 5, "size": 3}],
            "list": [1, 3],
        });
        let found = differences(&first, &second);
        let keys: Vec<&str> = found.iter().map(|found| found.key.as_str()).collect();
        assert_eq!(keys, ["flow.1.size", "flow.video.control.kind", "list"]);
        assert_eq!((found[0].first.clone(), found[0].second.clone()), (None, Some(json!(3))));
        assert_eq!(differences(&first, &first), []);
    }
}
