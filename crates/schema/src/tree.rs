//! A tree of values with their locations in the text, and errors about such locations.

use core::ops::Range;

use crate::Json;

/// The number of a text among those that a tree is read from: a file, or one override.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(pub usize);

/// Bytes of one of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: SourceId,
    /// Offsets in the text, in bytes.
    pub span: Range<usize>,
}

/// An error at a position of a text.
#[derive(Debug)]
pub struct Draft {
    /// Whole sentence, with the key.
    pub message: String,
    /// A few words for the position.
    pub label: String,
    /// Values that are allowed.
    pub help: Option<String>,
    /// Position of the value, or of the key.
    pub place: Place,
}

impl Place {
    /// These bytes of a text.
    pub fn new(source: SourceId, span: Range<usize>) -> Place {
        Place { source, span }
    }
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Position in the text.
    pub place: Place,
}

/// A value of TOML.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    String(String),
    /// A whole number. TOML ends at 64 bits with a sign; an override, which is written without quotes, does not.
    Integer(i128),
    /// A number of floating point.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// A date or a time, which no key takes.
    Datetime,
    /// A list.
    Array(Vec<Node>),
    /// A table, in the order of the text.
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Position of the key.
    pub key_place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The entry of a table with this key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Kind of the value, for a sentence.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::String(_) => "a string",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Datetime => "a date",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value without locations. A date, which no key takes, is null.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::String(text) => text.into(),
            Value::Integer(number) => Json::Integer(*number),
            Value::Float(number) => (*number).into(),
            Value::Boolean(truth) => (*truth).into(),
            Value::Datetime => Json::Null,
            Value::Array(items) => items.iter().map(Node::to_json).collect(),
            Value::Table(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
            }
        }
    }

    /// The name that a table gives itself, if it does.
    pub fn name(&self) -> Option<&str> {
        match &self.entry("name")?.node.value {
            Value::String(name) => Some(name),
            _ => None,
        }
    }
}

/// A whole number that is too large for TOML, as the text has it. A number that no key can take
/// becomes the largest that is counted.
pub fn large_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let plain = digits
        .split('_')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let value = |digits: &str| digits.replace('_', "").parse::<i128>().unwrap_or(i128::MAX);
    plain.then(|| if negative { -value(digits) } else { value(digits) })
}
