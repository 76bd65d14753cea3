//! Structs whose field documentation can be read by the program: one declaration writes a
//! key of `summary.json`, documents it in Rust, and describes it in `docs/results.md` and in
//! the metadata of Parquet files.

/// A field: its name in files, its Rust type, and its documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Name.
    pub name: &'static str,
    /// Type, as Rust writes it.
    pub kind: &'static str,
    /// Lines of documentation.
    pub lines: &'static [&'static str],
}

impl FieldDoc {
    /// The documentation as one text.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }
}

/// Declares a struct, and `FIELDS` with the documentation of its fields.
macro_rules! documented {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:path),*)])*
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $(#[serde($($serde:tt)*)])*
                pub $field:ident : $kind:ty,
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
            /// Its fields with their documentation.
            pub const FIELDS: &'static [$crate::documented::FieldDoc] = &[$(
                $crate::documented::FieldDoc {
                    name: stringify!($field),
                    kind: stringify!($kind),
                    lines: &[$($field_doc),*],
                },
            )*];
        }
    };
}
pub(crate) use documented;
