//! Names of arms that say what differs.
//!
//! A value alone, as `20`, says nothing: such an arm is called by its key and value.

use serde_json::Value;

use super::KeyDifference;
use crate::identity::ArmIdentity;

/// Values that say nothing without their key.
const SWITCHES: [&str; 6] = ["true", "false", "on", "off", "none", "unlimited"];

/// True if a text is more than a number, a quantity or a switch.
fn has_words(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic()) && !SWITCHES.contains(&text)
}

/// The name of an arm of a campaign; what of it has no words stands behind its key.
pub fn arm_title(columns: &[String], arm: &ArmIdentity) -> String {
    let cells: Vec<(&str, &str)> = columns
        .iter()
        .zip(&arm.cells)
        .filter_map(|(key, cell)| Some((key.as_str(), cell.as_deref()?)))
        .collect();
    let texts: Vec<&str> = cells.iter().map(|(_, text)| *text).collect();
    let keyed = |(key, text): &(&str, &str)| match has_words(text) {
        true => (*text).to_owned(),
        false => format!("{key}={text}"),
    };
    let keyed = |cells: &[(&str, &str)]| cells.iter().map(keyed).collect::<Vec<_>>().join(", ");
    // An arm without a name of its own is called by its cells.
    if arm.name == texts.join(", ") || arm.name == texts.join(" / ") {
        return keyed(&cells);
    }
    let keys: Vec<(&str, &str)> = cells.into_iter().filter(|(key, _)| key.contains('.')).collect();
    match has_words(&arm.name) || keys.is_empty() {
        true => arm.name.clone(),
        false => keyed(&keys),
    }
}

/// Two arms by the one key that differs, where a name of them has no words.
pub(super) fn of_pair(names: [&str; 2], keys: &[KeyDifference]) -> [String; 2] {
    let plain = names.map(str::to_owned);
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match keys {
        [KeyDifference { key, first: Some(first), second: Some(second) }]
            if names.iter().any(|name| !has_words(name)) =>
        {
            [first, second].map(|side| format!("{key}={}", value(side)))
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_without_words_stand_behind_their_keys() {
        let arm = |name: &str, cells: &[&str]| ArmIdentity {
            name: name.into(),
            cells: cells.iter().map(|text| Some((*text).to_owned())).collect(),
            scenario: String::new(),
            digest: String::new(),
            seeds: Vec::new(),
        };
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let tos = keys(&["flow.voice.tos"]);
        assert_eq!(arm_title(&tos, &arm("20", &["20"])), "flow.voice.tos=20");
        assert_eq!(arm_title(&tos, &arm("20 ms", &["20 ms"])), "flow.voice.tos=20 ms");
        assert_eq!(arm_title(&tos, &arm("cubic", &["cubic"])), "cubic");
        let two = keys(&["a.controller", "a.window"]);
        assert_eq!(arm_title(&two, &arm("cubic, 20", &["cubic", "20"])), "cubic, a.window=20");
        assert_eq!(arm_title(&two, &arm("cubic / 20", &["cubic", "20"])), "cubic, a.window=20");
        let named = keys(&["name", "a.window"]);
        assert_eq!(arm_title(&named, &arm("prague, 5 ms", &["prague, 5 ms", "2"])), "prague, 5 ms");
        assert_eq!(arm_title(&named, &arm("20", &["20", "2"])), "a.window=2");
    }

    #[test]
    fn a_pair_is_told_apart_by_its_key() {
        let key = |name: &str| KeyDifference {
            key: name.into(),
            first: Some(json!("1 ms")),
            second: Some(json!(2)),
        };
        assert_eq!(of_pair(["0", "20"], &[key("k")]), ["k=1 ms", "k=2"]);
        assert_eq!(of_pair(["0", "20"], &[key("k"), key("l")]), ["0", "20"]);
        assert_eq!(of_pair(["slow", "fast"], &[key("k")]), ["slow", "fast"]);
    }
}
