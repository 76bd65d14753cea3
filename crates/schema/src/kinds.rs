//! Tables of several kinds, each with keys of its own: the key `kind` says which.

use std::borrow::Cow;

use crate::{Decoder, Field, Json, Node, Value, json, listed, nearest, suggest};

/// Declares an enum of records. In the file it is a table whose key `kind` chooses the record, by
/// default the first. A word alone is a record with all its defaults. The first record may have
/// another form, which stands behind `or`. With `, as word` behind that, a record with all its
/// defaults is written as its word.
#[macro_export]
macro_rules! kinds {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident or $plain:literal $(, as $written:ident)? {
            $(#[doc = $first_doc:literal])* $first:ident($first_record:ty) = $first_word:literal,
            $( $(#[doc = $kind_doc:literal])* $kind:ident($record:ty) = $word:literal, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $(#[doc = $first_doc])* $first($first_record),
            $( $(#[doc = $kind_doc])* $kind($record), )*
        }

        impl $name {
            const WORDS: &'static [&'static str] = &[$first_word, $($word),*];

            /// The word in the file.
            pub const fn word(&self) -> &'static str {
                match self {
                    $name::$first(_) => $first_word,
                    $( $name::$kind(_) => $word, )*
                }
            }
        }

        impl $crate::Field for $name {
            fn decode(
                node: &$crate::Node,
                cx: &mut $crate::Decoder,
            ) -> Option<Self> {
                let (word, rest) = cx.kind_of(node, $name::WORDS, $plain)?;
                match word {
                    $( $word => {
                        <$record as $crate::Field>::decode(&rest, cx).map($name::$kind)
                    } )*
                    #[allow(unreachable_patterns, reason = "there may be one kind only")]
                    _ => {
                        <$first_record as $crate::Field>::decode(&rest, cx)
                            .map($name::$first)
                    }
                }
            }

            fn encode(&self) -> $crate::Json {
                let (record, usual) = match self {
                    $name::$first(record) => $crate::encoded(record),
                    $( $name::$kind(record) => $crate::encoded(record), )*
                };
                match usual && $crate::kinds!(@as_word $($written)?) {
                    true => self.word().into(),
                    false => $crate::with_kind(self.word(), record),
                }
            }

            fn schema() -> $crate::Json {
                $crate::kinds_schema(vec![
                    (
                        $first_word,
                        $crate::doc_text(&[$($first_doc),*]),
                        <$first_record as $crate::Field>::schema(),
                    ),
                    $( (
                        $word,
                        $crate::doc_text(&[$($kind_doc),*]),
                        <$record as $crate::Field>::schema(),
                    ), )*
                ])
            }
        }
    };
    (@as_word) => { false };
    (@as_word word) => { true };
}

impl Decoder {
    /// Kind of a table, by default the first, and the table to be read as such, which may have the
    /// key `kind` besides its own. A word alone is an empty table of its kind. Any other value is
    /// for the first kind.
    pub fn kind_of<'n>(
        &mut self,
        node: &'n Node,
        words: &'static [&'static str],
        plain: &str,
    ) -> Option<(&'static str, Cow<'n, Node>)> {
        let known = |text: &str| words.iter().copied().find(|word| *word == text);
        match &node.value {
            Value::String(text) if known(text).is_some() => {
                let empty = Node { value: Value::Table(Vec::new()), place: node.place.clone() };
                Some((known(text)?, Cow::Owned(empty)))
            }
            // A quantity begins with a digit; this must have been meant as a word.
            Value::String(text) if text.starts_with(char::is_alphabetic) && text != "unlimited" => {
                self.unknown_kind(node, text, words, plain)
            }
            Value::Table(_) => {
                let word = match node.entry("kind") {
                    None => words[0],
                    Some(kind) => self.within("kind", |cx| {
                        let text = cx.text(&kind.node, &listed(words.iter().copied()))?;
                        known(text).or_else(|| cx.unknown_kind(&kind.node, text, words, plain))
                    })?,
                };
                self.allow_once("kind");
                Some((word, Cow::Borrowed(node)))
            }
            _ => Some((words[0], Cow::Borrowed(node))),
        }
    }

    /// Reports a word that is no kind, with the values that are allowed instead of the table.
    fn unknown_kind<T>(
        &mut self,
        node: &Node,
        word: &str,
        words: &[&str],
        plain: &str,
    ) -> Option<T> {
        let allowed = format!("{}; or {plain}", listed(words.iter().copied()));
        let meant = nearest(word, words.iter().copied());
        let help = suggest(meant, &format!("it must be {allowed}"));
        self.fail(&node.place, &format!("cannot be \"{word}\""), help)
    }
}

/// A record as the file would have it, and whether it is what an empty table is.
pub fn encoded<T: Field + PartialEq>(record: &T) -> (Json, bool) {
    (record.encode(), T::absent().is_some_and(|usual| usual == *record))
}

/// The table with its kind in front.
pub fn with_kind(word: &str, record: Json) -> Json {
    let kind = ("kind".to_owned(), word.into());
    core::iter::once(kind).chain(record.into_entries()).collect()
}

/// The schema of tables of several kinds, given word, description and schema of each.
pub fn kinds_schema(kinds: Vec<(&str, String, Json)>) -> Json {
    // A word alone is a table with all defaults, so that every key must have one.
    let complete = |schema: &Json| {
        let tables =
            schema.get("anyOf").and_then(Json::items).unwrap_or(core::slice::from_ref(schema));
        tables.iter().all(|table| table.get("required").is_none())
    };
    let words: Vec<&str> =
        kinds.iter().filter(|(.., schema)| complete(schema)).map(|(word, ..)| *word).collect();
    let mut any = Vec::new();
    if !words.is_empty() {
        any.push(json!({"enum": words}));
    }
    for (n, (word, description, schema)) in kinds.into_iter().enumerate() {
        // A record that may be written as a plain value is `anyOf` of that and its table.
        let alternatives = match schema.get("anyOf").and_then(Json::items) {
            Some(alternatives) => alternatives.to_vec(),
            None => vec![schema],
        };
        for schema in alternatives {
            match (schema.get("type") == Some(&"object".into()), n) {
                (true, _) => any.push(table_of_kind(schema, word, &description, n == 0)),
                (false, 0) => any.push(schema),
                (false, _) => {}
            }
        }
    }
    json!({"anyOf": any})
}

/// The schema of a table with its kind in front, which only the usual one may leave out.
fn table_of_kind(mut schema: Json, word: &str, description: &str, usual: bool) -> Json {
    let what = format!("The kind, \"{word}\". {description}");
    let kind = ("kind".to_owned(), json!({"const": word, "description": what}));
    let own = schema.get("properties").cloned().unwrap_or(Json::Null).into_entries();
    schema.set("properties", core::iter::once(kind).chain(own).collect::<Json>());
    schema.set("description", description);
    if !usual {
        let own = schema.get("required").and_then(Json::items).unwrap_or_default();
        let required: Json = core::iter::once(&json!("kind")).chain(own).cloned().collect();
        schema.set("required", required);
    }
    schema
}
