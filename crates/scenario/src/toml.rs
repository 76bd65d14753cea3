//! A resolved scenario as a TOML file.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::file::Scenario;

impl Scenario {
    /// The scenario with every default as the text of a file, which reads back as the
    /// same scenario.
    pub fn to_toml(&self) -> String {
        self.to_json().as_object().map(toml).unwrap_or_default()
    }
}

/// Keys and their values as the text of a file.
pub fn toml(keys: &serde_json::Map<String, Json>) -> String {
    let mut document = DocumentMut::new();
    *document.as_table_mut() = table(keys, 0);
    document.to_string()
}

/// Tables deeper than `[flow.tcp]` go on one line.
const DEEPEST: usize = 2;

fn table(keys: &serde_json::Map<String, Json>, depth: usize) -> Table {
    let mut table = Table::new();
    for (key, value) in keys {
        table.insert(key, item(value, depth));
    }
    table
}

fn item(json: &Json, depth: usize) -> Item {
    match json {
        Json::Object(keys) if depth < DEEPEST => Item::Table(table(keys, depth + 1)),
        Json::Array(items) if depth < DEEPEST && is_list_of_tables(items) => {
            let tables = items.iter().filter_map(Json::as_object);
            let tables: ArrayOfTables = tables.map(|keys| table(keys, depth + 1)).collect();
            Item::ArrayOfTables(tables)
        }
        other => Item::Value(value(other)),
    }
}

fn is_list_of_tables(items: &[Json]) -> bool {
    !items.is_empty() && items.iter().all(Json::is_object)
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(""), // no resolved scenario has any
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer),
            // TOML's integers have a sign and 64 bits.
            None if number.is_u64() => Value::from(number.to_string()),
            None => Value::from(number.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Array>()),
        Json::Object(keys) => {
            let pairs = keys.iter().map(|(key, json)| (key.as_str(), value(json)));
            Value::InlineTable(pairs.collect::<InlineTable>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_read_back_as_themselves() {
        for template in crate::templates() {
            let scenario = Scenario::parse(template.name, template.text, &[]).expect("valid");
            let text = scenario.to_toml();
            let again = Scenario::parse("copy", &text, &[]);
            let again = again.unwrap_or_else(|errors| panic!("{}\n{text}", errors.plain()));
            assert_eq!(again, scenario);
            assert!(text.contains("[flow.tcp]") || text.contains("[[flow]]"), "{text}");
        }
    }
}
