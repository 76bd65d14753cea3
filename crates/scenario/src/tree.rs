//! The file as a tree of values that know where they were written.

use core::ops::Range;

use serde_json::Value as Json;
use toml_edit::{Document, Item, TomlError};

use crate::source::{Place, SourceId};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// What TOML can say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    String(String),
    /// TOML ends at 64 bits with a sign; an override, which is written without quotes, does not.
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime,
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
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

    /// What kind of value it is, for a sentence.
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

    /// The same as JSON. A date, which no key takes, is null.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::String(text) => text.as_str().into(),
            Value::Integer(number) => whole(*number),
            Value::Float(number) => (*number).into(),
            Value::Boolean(truth) => (*truth).into(),
            Value::Datetime => Json::Null,
            Value::Array(items) => items.iter().map(Node::to_json).collect(),
            Value::Table(entries) => {
                let pair = |entry: &Entry| (entry.key.clone(), entry.node.to_json());
                entries.iter().map(pair).collect::<serde_json::Map<_, _>>().into()
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

/// A whole number as JSON, which ends at 64 bits: beyond, the nearest that it has.
pub(crate) fn whole(number: i128) -> Json {
    let signed = i64::try_from(number).map(Json::from);
    signed.or_else(|_| u64::try_from(number).map(Json::from)).unwrap_or(Json::from(number as f64))
}

/// A whole number that is too large for TOML, as it is written there; of one that no key can take,
/// the largest that is counted.
pub(crate) fn large_integer(text: &str) -> Option<i128> {
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

/// Reads a whole document.
pub(crate) fn document(text: &str, source: SourceId) -> Result<Node, TomlError> {
    let document = Document::parse(text)?;
    Ok(Reader { source }.table(document.as_table().iter(), document.as_table(), 0..0))
}

/// Reads one value as written on the right of an equals sign.
pub(crate) fn value(text: &str, source: SourceId, offset: usize) -> Option<Node> {
    const LEAD: &str = "x=";
    let document = Document::parse(format!("{LEAD}{text}")).ok()?;
    let mut entries = document.as_table().iter();
    let (only, None) = (entries.next()?, entries.next()) else { return None };
    let place = offset..offset + text.len();
    let mut node = Reader { source }.item(only.1, place.clone());
    relocate(&mut node, &Place::new(source, place));
    Some(node)
}

fn relocate(node: &mut Node, place: &Place) {
    node.place = place.clone();
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|item| relocate(item, place)),
        Value::Table(entries) => {
            for entry in entries {
                entry.key_place = place.clone();
                relocate(&mut entry.node, place);
            }
        }
        _ => {}
    }
}

struct Reader {
    source: SourceId,
}

impl Reader {
    fn item(&self, item: &Item, around: Range<usize>) -> Node {
        let span = item.span().unwrap_or(around);
        match item {
            Item::Value(value) => self.value(value, span),
            Item::Table(table) => self.table(table.iter(), table, span),
            Item::ArrayOfTables(tables) => {
                let items = tables.iter().map(|table| {
                    let span = table.span().unwrap_or_else(|| span.clone());
                    self.table(table.iter(), table, span)
                });
                self.node(Value::Array(items.collect()), span.clone())
            }
            Item::None => self.node(Value::Table(Vec::new()), span),
        }
    }

    fn value(&self, value: &toml_edit::Value, span: Range<usize>) -> Node {
        use toml_edit::Value as Toml;
        let read = match value {
            Toml::String(text) => Value::String(text.value().clone()),
            Toml::Integer(number) => Value::Integer((*number.value()).into()),
            Toml::Float(number) => Value::Float(*number.value()),
            Toml::Boolean(truth) => Value::Boolean(*truth.value()),
            Toml::Datetime(_) => Value::Datetime,
            Toml::Array(array) => {
                let item =
                    |value: &Toml| self.value(value, value.span().unwrap_or_else(|| span.clone()));
                Value::Array(array.iter().map(item).collect())
            }
            Toml::InlineTable(table) => {
                let pairs = table.iter().map(|(key, value)| {
                    let key_span = table.get_key_value(key).and_then(|(key, _)| key.span());
                    let key_span = key_span.unwrap_or_else(|| span.clone());
                    let inner = value.span().unwrap_or_else(|| key_span.clone());
                    self.entry(key, key_span, self.value(value, inner))
                });
                Value::Table(pairs.collect())
            }
        };
        self.node(read, span)
    }

    fn table<'a>(
        &self,
        pairs: impl Iterator<Item = (&'a str, &'a Item)>,
        table: &toml_edit::Table,
        span: Range<usize>,
    ) -> Node {
        let entries = pairs.map(|(key, item)| {
            let key_span = table.get_key_value(key).and_then(|(key, _)| key.span());
            let key_span = key_span.unwrap_or_else(|| span.clone());
            self.entry(key, key_span.clone(), self.item(item, key_span))
        });
        self.node(Value::Table(entries.collect()), span.clone())
    }

    fn entry(&self, key: &str, key_span: Range<usize>, node: Node) -> Entry {
        let key_place = Place::new(self.source, key_span);
        Entry { key: key.to_owned(), key_place, node }
    }

    fn node(&self, value: Value, span: Range<usize>) -> Node {
        Node { value, place: Place::new(self.source, span) }
    }
}
