//! Keys with values as a change has them, and how a scenario comes to be with them.

use airpath_schema::{Entry, Json, Node, Place, Value};

use super::keys;

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// Key in the form of `--set`.
    pub key: String,
    pub place: Place,
    pub node: Node,
}

/// Settings of a table. Its keys may have dots, and tables within it go on with their keys as far
/// as these are no key that can change. Of a key that is there twice the last counts.
pub(crate) fn of(node: &Node) -> Vec<Setting> {
    let mut all: Vec<Setting> = Vec::new();
    collect("", node, &mut all);
    all
}

fn collect(before: &str, node: &Node, all: &mut Vec<Setting>) {
    let Value::Table(entries) = &node.value else { return };
    for Entry { key, key_place, node } in entries {
        let key = if before.is_empty() { key.clone() } else { format!("{before}.{key}") };
        let goes_on = matches!(&node.value, Value::Table(entries) if !entries.is_empty());
        if goes_on && !keys::is_known(&key) {
            collect(&key, node, all);
        } else {
            all.retain(|other| other.key != key);
            all.push(Setting { key, place: key_place.clone(), node: node.clone() });
        }
    }
}

/// A value that was written at `place`. The content of a table gets another location than the
/// table. With the same location, the value would be taken for a short form of the table.
pub(crate) fn node(json: &Json, place: &Place) -> Node {
    let inside = Place::new(place.source, place.span.start..place.span.end.saturating_sub(1));
    within(json, [place, &inside])
}

fn within(json: &Json, [place, next]: [&Place; 2]) -> Node {
    let inner = |json: &Json| within(json, [next, place]);
    let value = match json {
        Json::Null => Value::Table(Vec::new()),
        Json::Bool(truth) => Value::Boolean(*truth),
        Json::Integer(number) => Value::Integer(*number),
        Json::Float(number) => Value::Float(*number),
        Json::Text(text) => Value::String(text.clone()),
        Json::List(items) => Value::Array(items.iter().map(inner).collect()),
        Json::Table(table) => {
            let entry = |(key, json): &(String, Json)| Entry {
                key: key.clone(),
                key_place: place.clone(),
                node: inner(json),
            };
            Value::Table(table.iter().map(entry).collect())
        }
    };
    Node { value, place: place.clone() }
}
