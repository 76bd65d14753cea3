//! TOML as a tree of values with their locations.

use core::ops::Range;

use airpath_schema::{Entry, Node, Place, SourceId, Value};
use toml_edit::{Document, Item, TomlError};

/// Reads a whole document.
pub(crate) fn document(text: &str, source: SourceId) -> Result<Node, TomlError> {
    let document = Document::parse(text)?;
    Ok(Reader { source }.table(document.as_table().iter(), document.as_table(), 0..0))
}

/// Stands before a value that is read alone.
const LEAD: &str = "x=";

/// Reads one value as written on the right of an equals sign, which is `offset` bytes into its source.
pub(crate) fn value(text: &str, source: SourceId, offset: usize) -> Option<Node> {
    let document = Document::parse(format!("{LEAD}{text}")).ok()?;
    let mut entries = document.as_table().iter();
    let (only, None) = (entries.next()?, entries.next()) else { return None };
    let mut node = Reader { source }.item(only.1, LEAD.len()..LEAD.len() + text.len());
    shift(&mut node, offset);
    Some(node)
}

/// Moves locations from behind [`LEAD`] to `offset`.
fn shift(node: &mut Node, offset: usize) {
    let moved = |place: &mut Place| {
        let Range { start, end } = place.span;
        place.span = start + offset - LEAD.len()..end + offset - LEAD.len();
    };
    moved(&mut node.place);
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|item| shift(item, offset)),
        Value::Table(entries) => entries.iter_mut().for_each(|entry| {
            moved(&mut entry.key_place);
            shift(&mut entry.node, offset);
        }),
        _ => {}
    }
}

/// Gives a node and all in it one location.
pub(crate) fn relocate(node: &mut Node, place: &Place) {
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
