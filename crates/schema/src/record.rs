//! Tables with known keys.

use std::borrow::Cow;

use crate::{Check, Decoder, Entry, Field, Json, Node, Place, Value, json, nearest};

/// Declares a struct that is a table of the file.
///
/// Each field is `name: Type;`, with `= default` if it may be left out and
/// `=> check` if not every value of the type is allowed. Doc comments become
/// descriptions in the schema. `#[renamed(old)]` before the name lets the key be read under its `old`
/// name, with a warning. Names in parentheses behind the struct's are those
/// that a plain value instead of the table sets. With `: Default` behind that, every key
/// has a default, and the struct too. A derive behind the doc comment adds to `Clone`,
/// `Debug` and `PartialEq`. Fields of `beside { }` behind the struct are no keys: code alone sets
/// them, and reading leaves them at their default.
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub struct $name:ident $(( $($short:ident),+ ))? : Default { $($fields:tt)* }
        $(beside { $($own:tt)* })?
    ) => {
        $crate::record! {
            $(#[doc = $doc])*
            $(#[derive($($derive),+)])?
            pub struct $name $(( $($short),+ ))? { $($fields)* }
            $(beside { $($own)* })?
        }
        $crate::record!(@usual $name { $($fields)* } { $($($own)*)? });
    };
    (@usual $name:ident {
        $(
            $(#[doc = $field_doc:literal])*
            $(#[renamed($old:ident)])?
            $field:ident : $kind:ty $(= $default:expr)? $(=> $check:expr)? ;
        )*
    } {
        $( $(#[doc = $own_doc:literal])* $own:ident : $own_kind:ty = $usual:expr ; )*
    }) => {
        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $crate::record!(@value $($default)?), )* $( $own: $usual, )* }
            }
        }
    };
    (@value $default:expr) => { $default };
    (@value) => { Default::default() };
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub struct $name:ident $(( $($short:ident),+ ))? {
            $(
                $(#[doc = $field_doc:literal])*
                $(#[renamed($old:ident)])?
                $field:ident : $kind:ty $(= $default:expr)? $(=> $check:expr)? ;
            )*
        }
        $(beside {
            $( $(#[doc = $own_doc:literal])* $own:ident : $own_kind:ty = $usual:expr ; )*
        })?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        pub struct $name {
            $( $(#[doc = $field_doc])* pub $field: $kind, )*
            $($( $(#[doc = $own_doc])* pub $own: $own_kind, )*)?
        }

        impl $crate::Field for $name {
            fn decode(
                node: &$crate::Node,
                cx: &mut $crate::Decoder,
            ) -> Option<Self> {
                let keys = [$(stringify!($field)),*];
                let short: &[&str] = &[$($(stringify!($short)),+)?];
                let node = cx.with_new_keys(
                    node,
                    &[$($( (stringify!($old), stringify!($field)), )?)*],
                );
                let mut table = $crate::TableReader::open(&node, cx, &keys, short)?;
                $(
                    let $field: Option<$kind> = table.take(
                        stringify!($field),
                        $crate::record!(@default $kind $(, $default)?),
                        &$crate::record!(@check $($check)?),
                    );
                )*
                Some($name { $( $field: $field?, )* $($( $own: $usual, )*)? })
            }

            fn encode(&self) -> $crate::Json {
                $crate::Json::Table(vec![
                    $( (stringify!($field).to_owned(), self.$field.encode()), )*
                ])
            }

            fn schema() -> $crate::Json {
                let fields = vec![$(
                    $crate::Spec::of::<$kind>(
                        stringify!($field),
                        &[$($field_doc),*],
                        $crate::record!(@default $kind $(, $default)?),
                        &$crate::record!(@check $($check)?),
                    )$(.renamed(stringify!($old)))?,
                )*];
                $crate::record_schema(fields, &[$($(stringify!($short)),+)?])
            }

            fn absent() -> Option<Self> {
                Some($name {
                    $( $field: $crate::record!(@default $kind $(, $default)?)?, )*
                    $($( $own: $usual, )*)?
                })
            }
        }
    };
    (@default $kind:ty, $default:expr) => { Some::<$kind>($default) };
    (@default $kind:ty) => { <$kind as $crate::Field>::absent() };
    (@check $check:expr) => { $check };
    (@check) => { () };
}

/// Reads the keys of one table.
pub struct TableReader<'a, 'b> {
    cx: &'b mut Decoder,
    entries: Cow<'a, [Entry]>,
    place: Place,
    /// Keys that unknown ones were taken for: they are not missing besides.
    meant: Vec<String>,
}

impl<'a, 'b> TableReader<'a, 'b> {
    /// Opens a table that may have these keys, reporting the others.
    pub fn open(
        node: &'a Node,
        cx: &'b mut Decoder,
        keys: &[&str],
        short: &[&str],
    ) -> Option<TableReader<'a, 'b>> {
        let entries: Cow<'a, [Entry]> = match &node.value {
            Value::Table(entries) => Cow::Borrowed(entries),
            _ if !short.is_empty() => short.iter().map(|key| shorthand(key, node)).collect(),
            _ => return cx.wrong_kind(node, "a table"),
        };
        let place = node.place.clone();
        let keys: Vec<&str> = cx.also.take().into_iter().chain(keys.iter().copied()).collect();
        let unknown = |entry: &&Entry| !keys.contains(&entry.key.as_str());
        let meant = entries.iter().filter(unknown).filter_map(|entry| cx.unknown_key(entry, &keys));
        let meant = meant.map(str::to_owned).collect();
        Some(TableReader { cx, entries, place, meant })
    }

    /// The value of a key, or its default; `None` if an error was reported.
    pub fn take<T: Field>(
        &mut self,
        key: &str,
        default: Option<T>,
        check: &dyn Check<T>,
    ) -> Option<T> {
        let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else {
            return default.or_else(|| self.missing(key));
        };
        let read = |cx: &mut Decoder| {
            let value = T::decode(&entry.node, cx)?;
            match check.broken(&value) {
                None => Some(value),
                Some(is_wrong) => {
                    let help = format!("allowed: {}", check.allowed());
                    cx.fail(&entry.node.place, &is_wrong, help)
                }
            }
        };
        // A short form stands for the table itself: its key is the table's.
        let is_short = matches!(self.entries, Cow::Owned(_));
        if is_short { read(self.cx) } else { self.cx.within(key, read) }
    }

    fn missing<T>(&mut self, key: &str) -> Option<T> {
        if self.meant.iter().any(|meant| meant == key) {
            return None;
        }
        let table = match self.cx.key() {
            root if root.is_empty() => "the scenario".to_owned(),
            table => format!("`{table}`"),
        };
        let message = format!("{table} lacks `{key}`");
        let label = format!("lacks `{key}`");
        self.cx.report(&self.place, message, &label, Some(format!("add a line `{key} = …`")))
    }
}

fn shorthand(key: &str, node: &Node) -> Entry {
    Entry { key: key.to_owned(), key_place: node.place.clone(), node: node.clone() }
}

impl Decoder {
    /// The table with the keys of today: each pair is an old name of a key and the new one. An old
    /// name is a warning, and an error beside the new one.
    pub fn with_new_keys<'n>(&mut self, node: &'n Node, pairs: &[(&str, &str)]) -> Cow<'n, Node> {
        let mut renamed = Cow::Borrowed(node);
        for (old, new) in pairs {
            let Some(entry) = node.entry(old) else { continue };
            let [old_path, new_path] = [old, new].map(|key| self.within(key, |cx| cx.key()));
            if node.entry(new).is_some() {
                let message =
                    format!("`{old_path}` is the old name of `{new_path}`, which is there");
                let help = Some(format!("keep `{new}` alone"));
                let _: Option<()> = self.report(&entry.key_place, message, "the same key", help);
            } else {
                let warning = "the next version of airpath does not read the old name";
                self.warnings.push(format!("`{old_path}` is now `{new_path}`: {warning}"));
            }
            if let Value::Table(entries) = &mut renamed.to_mut().value {
                entries.iter_mut().filter(|own| own.key == *old).for_each(|own| {
                    own.key = (*new).to_owned();
                });
            }
        }
        renamed
    }

    /// Reports an unknown key; gives the one that was probably meant.
    fn unknown_key<'k>(&mut self, entry: &Entry, keys: &[&'k str]) -> Option<&'k str> {
        let message = self.within(&entry.key, |cx| format!("unknown key `{}`", cx.key()));
        let meant = nearest(&entry.key, keys.iter().copied());
        let help = match meant {
            Some(best) => format!("did you mean `{best}`? Known keys: {}", keys.join(", ")),
            None => format!("known keys here: {}", keys.join(", ")),
        };
        let _: Option<()> = self.report(&entry.key_place, message, "unknown", Some(help));
        meant
    }
}

/// One key of a table for its schema.
pub struct Spec {
    key: &'static str,
    schema: Json,
    required: bool,
    /// The name that it had.
    old: Option<&'static str>,
}

impl Spec {
    /// The key with its description, default and restriction.
    pub fn of<T: Field>(
        key: &'static str,
        doc: &[&str],
        default: Option<T>,
        check: &dyn Check<T>,
    ) -> Spec {
        let mut schema = T::schema();
        check.annotate(&mut schema);
        let mut description = doc_text(doc);
        if !check.allowed().is_empty() {
            description = format!("{description} Allowed: {}.", check.allowed());
        }
        schema.set("description", description);
        let required = default.is_none();
        let default = default.map_or(Json::Null, |default| default.encode());
        // Tables that may be left out describe the defaults of their keys themselves.
        let described = matches!(default, Json::Table(_)) && T::absent().is_some();
        if default != Json::Null && !described {
            schema.set("default", default);
        }
        Spec { key, schema, required, old: None }
    }

    /// The key, which had the name `old`.
    pub fn renamed(self, old: &'static str) -> Spec {
        Spec { old: Some(old), ..self }
    }

    /// The key as it is read under its old name.
    fn deprecated(&self) -> Option<(String, Json)> {
        let mut schema = self.schema.clone();
        schema.set("description", format!("Old name of `{}`.", self.key));
        schema.set("deprecated", true);
        Some((self.old?.to_owned(), schema))
    }
}

/// The schema of a table.
pub fn record_schema(fields: Vec<Spec>, short: &[&str]) -> Json {
    let required: Vec<&str> =
        fields.iter().filter(|f| f.required && f.old.is_none()).map(|f| f.key).collect();
    let short = short.first().and_then(|key| fields.iter().find(|field| field.key == *key));
    let short = short.map(|field| field.schema.clone());
    let old: Vec<(String, Json)> = fields.iter().filter_map(Spec::deprecated).collect();
    let own = fields.into_iter().map(|field| (field.key.to_owned(), field.schema));
    let properties: Json = own.chain(old).collect();
    let mut table = json!({
        "type": "object", "additionalProperties": false, "properties": properties,
    });
    if !required.is_empty() {
        table.set("required", required);
    }
    match short {
        Some(short) => json!({"anyOf": [short, table]}),
        None => table,
    }
}

/// The lines of a doc comment as one text.
pub fn doc_text(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}
