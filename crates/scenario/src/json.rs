//! Options as `serde_json` has values.

use airpath_schema::Json;
use serde_json::Value;

/// Options as a value of `serde_json`. A number that JSON cannot write is null.
pub(crate) fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => truth.into(),
        Json::Integer(number) => whole(number),
        Json::Float(number) => number.into(),
        Json::Text(text) => text.into(),
        Json::List(items) => items.into_iter().map(value).collect(),
        Json::Table(entries) => entries.into_iter().map(|(key, json)| (key, value(json))).collect(),
    }
}

/// A whole number as JSON, which ends at 64 bits: beyond, the nearest that it has.
fn whole(number: i128) -> Value {
    let signed = i64::try_from(number).map(Value::from);
    signed.or_else(|_| u64::try_from(number).map(Value::from)).unwrap_or(Value::from(number as f64))
}

/// Options without the keys that are null: TOML has no null.
pub(crate) fn without_nulls(json: Json) -> Json {
    match json {
        Json::Table(table) => {
            let kept = table.into_iter().filter(|(_, value)| *value != Json::Null);
            kept.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        Json::List(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
