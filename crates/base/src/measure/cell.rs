//! Types and values of columns.

use std::borrow::Cow;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in each row.
    Text,
    /// Text or null.
    OptionalText,
    /// An integer in each row.
    Whole,
    /// An integer or null.
    OptionalWhole,
    /// A number, or null where there is none or none that is finite.
    Number,
    /// True or false.
    Truth,
}

/// A value of a row; none is null.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text.
    Text(Option<Cow<'a, str>>),
    /// Integer.
    Whole(Option<i64>),
    /// Number.
    Number(Option<f64>),
    /// True or false.
    Truth(bool),
}

impl Value<'_> {
    /// The integer or the number as a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Whole(whole) => whole.map(|n| n as f64),
            Value::Number(number) => *number,
            Value::Text(_) | Value::Truth(_) => None,
        }
    }
}

/// A type that a column can hold.
pub trait Cell {
    /// Type of the column.
    const KIND: Kind;

    /// The value in a row.
    fn value(&self) -> Value<'_>;
}

/// Implements [`Cell`] for types, each with its kind and its value.
macro_rules! cells {
    ($($type:ty: $kind:ident, |$cell:ident| $value:expr;)*) => {$(
        impl Cell for $type {
            const KIND: Kind = Kind::$kind;

            fn value(&self) -> Value<'_> {
                let $cell = self;
                $value
            }
        }
    )*};
}

/// A counter; above `i64::MAX` it stops there.
pub(super) fn capped(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

cells! {
    String: Text, |text| Value::Text(Some(Cow::Borrowed(text)));
    &str: Text, |text| Value::Text(Some(Cow::Borrowed(text)));
    Option<String>: OptionalText, |text| Value::Text(text.as_deref().map(Cow::Borrowed));
    Option<&str>: OptionalText, |text| Value::Text(text.map(Cow::Borrowed));
    u64: Whole, |n| Value::Whole(Some(capped(*n)));
    u32: Whole, |n| Value::Whole(Some((*n).into()));
    u8: Whole, |n| Value::Whole(Some((*n).into()));
    Option<u64>: OptionalWhole, |n| Value::Whole(n.map(capped));
    Option<u8>: OptionalWhole, |n| Value::Whole(n.map(i64::from));
    f64: Number, |number| Value::Number(Some(*number));
    Option<f64>: Number, |number| Value::Number(*number);
    bool: Truth, |truth| Value::Truth(*truth);
}
