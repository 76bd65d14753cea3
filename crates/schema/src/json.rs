//! Values without a location: an option as the file would have it, and its JSON Schema.

/// A value as JSON has it. Keys of a table keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number of floating point.
    Float(f64),
    /// Text.
    Text(String),
    /// Values in a row.
    List(Vec<Json>),
    /// Keys with their values.
    Table(Vec<(String, Json)>),
}

impl Json {
    /// The value of a key of a table.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Table(entries) => {
                entries.iter().find(|(own, _)| own == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Gives a key of a table a value: a key that is there keeps its position, a new one comes
    /// last. Anything but a table stays as it is.
    pub fn set(&mut self, key: &str, value: impl Into<Json>) {
        if let Json::Table(entries) = self {
            match entries.iter_mut().find(|(own, _)| own == key) {
                Some((_, old)) => *old = value.into(),
                None => entries.push((key.to_owned(), value.into())),
            }
        }
    }

    /// The values of a list.
    pub fn items(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    /// Keys and values of a table, none for anything else.
    pub fn into_entries(self) -> Vec<(String, Json)> {
        match self {
            Json::Table(entries) => entries,
            _ => Vec::new(),
        }
    }

    /// Text, a number or a truth value in a sentence; empty for anything else.
    pub(crate) fn shown(&self) -> String {
        match self {
            Json::Text(text) => text.clone(),
            Json::Bool(truth) => truth.to_string(),
            Json::Integer(number) => number.to_string(),
            // Debug has an exponent below 1e-4, JSON below 1e-5.
            Json::Float(number) if (1e-5..1e-4).contains(&number.abs()) => number.to_string(),
            Json::Float(number) => format!("{number:?}"),
            Json::Null | Json::List(_) | Json::Table(_) => String::new(),
        }
    }
}

macro_rules! from {
    ($($kind:ty => $variant:ident: $convert:expr;)*) => {$(
        impl From<$kind> for Json {
            fn from(value: $kind) -> Json {
                Json::$variant($convert(value))
            }
        }
    )*};
}

from! {
    bool => Bool: |truth| truth;
    u8 => Integer: i128::from;
    u16 => Integer: i128::from;
    u32 => Integer: i128::from;
    u64 => Integer: i128::from;
    i32 => Integer: i128::from;
    f64 => Float: |number| number;
    &str => Text: str::to_owned;
    &String => Text: String::clone;
    String => Text: |text| text;
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        items.into_iter().collect()
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

impl FromIterator<(String, Json)> for Json {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(entries: I) -> Json {
        Json::Table(entries.into_iter().collect())
    }
}

/// A [`Json`] as JSON is written: `json!({"type": "string", "examples": [one, "two"]})`.
#[macro_export]
macro_rules! json {
    (@table [$($done:expr),*]) => { $crate::Json::Table(vec![$($done),*]) };
    (@table [$($done:expr),*] $key:literal : { $($in:tt)* } $(, $($rest:tt)*)?) => {
        $crate::json!(
            @table [$($done,)* ($key.to_owned(), $crate::json!({ $($in)* }))] $($($rest)*)?
        )
    };
    (@table [$($done:expr),*] $key:literal : [ $($in:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::json!(
            @table [$($done,)* ($key.to_owned(), $crate::json!([ $($in)* ]))] $($($rest)*)?
        )
    };
    (@table [$($done:expr),*] $key:literal : $value:expr $(, $($rest:tt)*)?) => {
        $crate::json!(
            @table [$($done,)* ($key.to_owned(), $crate::Json::from($value))] $($($rest)*)?
        )
    };
    (@list [$($done:expr),*]) => { $crate::Json::List(vec![$($done),*]) };
    (@list [$($done:expr),*] { $($in:tt)* } $(, $($rest:tt)*)?) => {
        $crate::json!(@list [$($done,)* $crate::json!({ $($in)* })] $($($rest)*)?)
    };
    (@list [$($done:expr),*] $value:expr $(, $($rest:tt)*)?) => {
        $crate::json!(@list [$($done,)* $crate::Json::from($value)] $($($rest)*)?)
    };
    ({ $($body:tt)* }) => { $crate::json!(@table [] $($body)*) };
    ([ $($body:tt)* ]) => { $crate::json!(@list [] $($body)*) };
    ($value:expr) => { $crate::Json::from($value) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_are_written_as_in_json() {
        let words = vec!["a", "b"];
        let written = json!({"any": [{"enum": words}, {"const": "off"}], "most": 63});
        let words = Json::List(vec![Json::Text("a".into()), Json::Text("b".into())]);
        let any = vec![
            Json::Table(vec![("enum".into(), words)]),
            Json::Table(vec![("const".into(), Json::Text("off".into()))]),
        ];
        let expected = vec![("any".into(), Json::List(any)), ("most".into(), Json::Integer(63))];
        assert_eq!(written, Json::Table(expected));
    }

    #[test]
    fn numbers_in_sentences_are_those_of_json() {
        for (number, text) in [
            (0.0, "0.0"),
            (0.95, "0.95"),
            (0.00002, "0.00002"),
            (0.000002, "2e-6"),
            (1000.0, "1000.0"),
            (1e16, "1e16"),
        ] {
            assert_eq!(Json::Float(number).shown(), text);
        }
        assert_eq!(Json::Integer(7).shown(), "7");
    }

    #[test]
    fn a_key_that_is_set_again_keeps_its_position() {
        let mut table = json!({"a": 1, "b": 2});
        table.set("a", 3);
        table.set("c", 4);
        assert_eq!(table, json!({"a": 3, "b": 2, "c": 4}));
    }
}
