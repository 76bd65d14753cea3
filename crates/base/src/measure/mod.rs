//! Declarations of quantities: name, unit, meaning and better direction stand once.
//!
//! [`documented!`](crate::documented) declares a struct whose fields are quantities, and
//! [`measured!`](crate::measured) adds the expression that each field is read from.
//! [`measures!`](crate::measures) declares quantities in a list, with readers of any kind. A [`Column`]
//! is a quantity of a table, read from a row; [`row!`](crate::row) declares all columns of a table.
//! Tables, their texts, documents and comparisons follow from these declarations.

mod cell;
mod scale;

use std::borrow::Cow;

use cell::capped;
pub use cell::{Cell, Kind, Value};
pub use scale::{
    BITS, BPS, BYTES, DB, DBM, JOULES, KMH, METRES, MS, NS, PACKETS, PER_BIT, PER_MINUTE, PLAIN,
    RESOURCE_BLOCKS, S, SHARE, Scale,
};

/// A quantity and the way in which it is read.
#[derive(Clone, Debug)]
pub struct Measure<Read> {
    /// Name in files.
    pub name: Cow<'static, str>,
    /// Unit and better direction.
    pub scale: Scale,
    /// Meaning, in sentences.
    pub meaning: Cow<'static, str>,
    /// Name for people; empty if the name in files says it.
    pub label: &'static str,
    /// Section of the publication that defines the quantity; empty if there is none.
    pub source: &'static str,
    /// Reader.
    pub read: Read,
}

/// A field of a declared struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Name.
    pub name: &'static str,
    /// Type, as Rust writes it.
    pub kind: &'static str,
    /// Unit and better direction.
    pub scale: Scale,
    /// Documentation as one text.
    pub meaning: &'static str,
}

/// Reader of a column.
pub struct FromRow<Row> {
    /// Type of the column.
    pub kind: Kind,
    value: Box<dyn Fn(&Row) -> Value<'_>>,
}

/// A quantity that is a column of a table, read from a `Row`.
pub type Column<Row> = Measure<FromRow<Row>>;

impl<Row: 'static> Column<Row> {
    /// A field of the row, with name, unit and documentation of the field of this name.
    /// [`fields!`](crate::fields) calls it with fields that exist.
    ///
    /// # Panics
    ///
    /// If no field has the name.
    pub fn field<T: Cell + 'static>(
        fields: &[FieldDoc],
        name: &'static str,
        read: fn(&Row) -> &T,
    ) -> Column<Row> {
        let field = fields.iter().find(|field| field.name == name).expect("a declared field");
        Column::of(name, field.scale, field.meaning, T::KIND, move |row| read(row).value())
    }

    /// A number that is computed from a row.
    pub fn number(
        name: impl Into<Cow<'static, str>>,
        scale: Scale,
        meaning: impl Into<Cow<'static, str>>,
        read: impl Fn(&Row) -> Option<f64> + 'static,
    ) -> Column<Row> {
        Column::of(name, scale, meaning, Kind::Number, move |row| Value::Number(read(row)))
    }

    /// A counter that is computed from a row.
    pub fn count(
        name: impl Into<Cow<'static, str>>,
        scale: Scale,
        meaning: impl Into<Cow<'static, str>>,
        read: impl Fn(&Row) -> u64 + 'static,
    ) -> Column<Row> {
        let value = move |row: &_| capped(read(row));
        Column::of(name, scale, meaning, Kind::Whole, move |row| Value::Whole(Some(value(row))))
    }

    /// A counter of rows that may have none.
    pub fn optional_count(
        name: impl Into<Cow<'static, str>>,
        scale: Scale,
        meaning: impl Into<Cow<'static, str>>,
        read: impl Fn(&Row) -> Option<u64> + 'static,
    ) -> Column<Row> {
        let value = move |row: &_| read(row).map(capped);
        Column::of(name, scale, meaning, Kind::OptionalWhole, move |row| Value::Whole(value(row)))
    }

    /// A text that a row has.
    pub fn text(
        name: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
        read: fn(&Row) -> &str,
    ) -> Column<Row> {
        Column::of(name, PLAIN, meaning, Kind::Text, move |row| Value::Text(Some(read(row).into())))
    }

    fn of(
        name: impl Into<Cow<'static, str>>,
        scale: Scale,
        meaning: impl Into<Cow<'static, str>>,
        kind: Kind,
        value: impl Fn(&Row) -> Value<'_> + 'static,
    ) -> Column<Row> {
        let read = FromRow { kind, value: Box::new(value) };
        Measure { name: name.into(), scale, meaning: meaning.into(), label: "", source: "", read }
    }

    /// The value in a row.
    pub fn value<'a>(&self, row: &'a Row) -> Value<'a> {
        (self.read.value)(row)
    }
}

/// Declares a struct, and `FIELDS` with unit and documentation of its fields. The [`Scale`] of a
/// field stands in brackets behind its type; a field without one is [`PLAIN`].
#[macro_export]
macro_rules! documented {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:path),*)])*
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $(#[serde($($serde:tt)*)])*
                pub $field:ident : $kind:ty $([$scale:expr])?,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        $(#[derive($($derive),*)])*
        pub struct $name {
            $(
                $(#[doc = $field_doc])*
                $(#[serde($($serde)*)])*
                pub $field: $kind,
            )*
        }

        impl $name {
            /// Its fields with their units and documentation.
            pub const FIELDS: &'static [$crate::measure::FieldDoc] = &[$(
                $crate::measure::FieldDoc {
                    name: stringify!($field),
                    kind: stringify!($kind),
                    scale: $crate::measure::scale(&[$($scale)?]),
                    meaning: concat!($($field_doc),*).trim_ascii(),
                },
            )*];
        }
    };
}

/// The scale that a field declares, or [`PLAIN`].
pub const fn scale(declared: &[Scale]) -> Scale {
    match declared {
        [scale, ..] => *scale,
        [] => PLAIN,
    }
}

/// Declares a struct as [`documented!`](crate::documented) does, whose fields also say how each is
/// read. `from |source: &Source|` before the struct names what they are read from, and `of` makes
/// the struct of it.
#[macro_export]
macro_rules! measured {
    (
        from |$source:ident: $from:ty|
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:path),*)])*
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $(#[serde($($serde:tt)*)])*
                pub $field:ident : $kind:ty $([$scale:expr])? = $read:expr,
            )*
        }
    ) => {
        $crate::documented! {
            $(#[doc = $doc])*
            $(#[derive($($derive),*)])*
            pub struct $name {
                $(
                    $(#[doc = $field_doc])*
                    $(#[serde($($serde)*)])*
                    pub $field: $kind $([$scale])?,
                )*
            }
        }

        impl $name {
            /// Reads all fields.
            pub(crate) fn of($source: $from) -> $name {
                $name { $($field: $read,)* }
            }
        }
    };
}

/// Measures in a list, each as a field of [`documented!`](crate::documented): documentation, name,
/// [`Scale`] and reader. Before the name, `#[label = "…"]` is the name for people, and
/// `#[source = "…"]` the section that defines the measure.
#[macro_export]
macro_rules! measures {
    ($(
        $(#[doc = $doc:literal])*
        $(#[label = $label:literal])?
        $(#[source = $source:literal])?
        $name:ident [$scale:expr] = $read:expr,
    )*) => {
        &[$($crate::measure::Measure {
            name: std::borrow::Cow::Borrowed(stringify!($name)),
            scale: $scale,
            meaning: std::borrow::Cow::Borrowed(concat!($($doc),*).trim_ascii()),
            label: concat!($($label)?),
            source: concat!($($source)?),
            read: $read,
        }),*]
    };
}

/// A row of a table. Each field of a struct of [`row!`](crate::row) is a column.
pub trait Row {
    /// Meaning of a row.
    const MEANING: &'static str;
    /// Columns in their order, each with its type.
    const COLUMNS: &'static [Measure<Kind>];

    /// Values in the order of the columns.
    fn values(&self) -> impl Iterator<Item = Value<'_>>;
}

/// Declares a row of a table: a struct like those of [`measured!`](crate::measured). Its fields are the
/// columns in their order, and its documentation is the meaning of a row.
#[macro_export]
macro_rules! row {
    (
        from |$source:tt: $from:ty|
        $(#[doc = $doc:literal])*
        $access:vis struct $name:ident $(<$life:lifetime>)? {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident : $kind:ty $([$scale:expr])? = $read:expr,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        $access struct $name $(<$life>)? {
            $($field: $kind,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Reads all fields.
            $access fn of($source: $from) -> Self {
                $name { $($field: $read,)* }
            }
        }

        impl $(<$life>)? $crate::measure::Row for $name $(<$life>)? {
            const MEANING: &'static str = concat!($($doc),*).trim_ascii();
            const COLUMNS: &'static [$crate::measure::Measure<$crate::measure::Kind>] = &[$(
                $crate::measure::Measure {
                    name: std::borrow::Cow::Borrowed(stringify!($field)),
                    scale: $crate::measure::scale(&[$($scale)?]),
                    meaning: std::borrow::Cow::Borrowed(concat!($($field_doc),*).trim_ascii()),
                    label: "",
                    source: "",
                    read: <$kind as $crate::measure::Cell>::KIND,
                }
            ),*];

            fn values(&self) -> impl Iterator<Item = $crate::measure::Value<'_>> {
                [$($crate::measure::Cell::value(&self.$field)),*].into_iter()
            }
        }
    };
}

/// Columns that are fields of a declared struct: `fields!(FlowSummary: name, kind)`.
#[macro_export]
macro_rules! fields {
    ($row:ty: $($field:ident),* $(,)?) => {
        [$($crate::measure::Column::<$row>::field(
            <$row>::FIELDS,
            stringify!($field),
            |row| &row.$field,
        )),*]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    measured! {
        from |bits: &[u64]|
        /// A box.
        #[derive(Clone)]
        pub struct Parcel {
            /// Name
            /// of it.
            pub name: String = format!("{} things", bits.len()),
            /// Bits in it.
            pub bits: u64 [BITS.more()] = bits.iter().sum(),
            /// The mean.
            pub mean_bits: Option<f64> [BITS] = None,
        }
    }

    #[test]
    fn a_field_is_a_column() {
        let parcel = Parcel::of(&[3, 4]);
        let columns = fields!(Parcel: bits, name, mean_bits);
        let facts: Vec<_> =
            columns.iter().map(|c| (&*c.name, c.scale.unit, &*c.meaning, c.read.kind)).collect();
        assert_eq!(
            facts,
            [
                ("bits", "bit", "Bits in it.", Kind::Whole),
                ("name", "", "Name of it.", Kind::Text),
                ("mean_bits", "bit", "The mean.", Kind::Number),
            ]
        );
        assert_eq!(columns[0].scale.more_is_better, Some(true));
        assert_eq!(columns[0].value(&parcel), Value::Whole(Some(7)));
        assert_eq!(columns[1].value(&parcel), Value::Text(Some("2 things".into())));
        assert_eq!(columns[2].value(&parcel), Value::Number(None));
    }

    row! {
        from |(name, bits): (&'a str, u64)|
        /// A parcel,
        /// on its way.
        struct Sent<'a> {
            /// Name of it.
            name: &'a str = name,
            /// Bits in it.
            bits: u64 [BITS.more()] = bits,
            /// Half of them.
            half: Option<f64> [BITS] = (bits > 0).then_some(bits as f64 / 2.0),
        }
    }

    #[test]
    fn the_fields_of_a_row_are_columns() {
        let facts: Vec<_> =
            Sent::COLUMNS.iter().map(|c| (&*c.name, c.scale.unit, &*c.meaning, c.read)).collect();
        let expected = [
            ("name", "", "Name of it.", Kind::Text),
            ("bits", "bit", "Bits in it.", Kind::Whole),
            ("half", "bit", "Half of them.", Kind::Number),
        ];
        assert_eq!((Sent::MEANING, facts.as_slice()), ("A parcel, on its way.", &expected[..]));
        let values: Vec<_> = Sent::of(("box", 3)).values().map(|v| format!("{v:?}")).collect();
        assert_eq!(values, ["Text(Some(\"box\"))", "Whole(Some(3))", "Number(Some(1.5))"]);
    }

    #[test]
    fn counters_stop_at_the_largest_integer() {
        let column = Column::<u64>::count("n", PLAIN, "A number.", |n| *n);
        assert_eq!(column.value(&u64::MAX), Value::Whole(Some(i64::MAX)));
        assert_eq!(u64::MAX.value(), Value::Whole(Some(i64::MAX)));
    }
}
