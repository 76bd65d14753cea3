//! Options, declared once: key, unit, default, range, description with its source.
//!
//! A declaration stands beside the code that uses the option. [`record!`] is for a table of keys,
//! [`choice!`] for a word, and [`kinds!`] for tables of several kinds. Each makes a Rust type, and
//! from it a [`Field`]: reading a value, writing the value, JSON Schema. A [`Decoder`] collects all
//! errors, each with the [`Place`] of its text.
//!
//! Quantities with units are in [`units`]. Left out: reading a file, and what depends on several
//! keys.

mod bounds;
mod choice;
mod field;
mod json;
mod kinds;
mod nearest;
mod plain;
mod record;
#[cfg(test)]
mod renamed_tests;
mod tree;
pub mod units;

pub use bounds::{Bounds, Check, OneOf, above, above_to, at_least, between, one_of};
pub use field::{Decoder, Field};
pub use json::Json;
pub use kinds::{encoded, kinds_schema, with_kind};
pub use nearest::{listed, nearest, suggest};
pub use record::{Spec, TableReader, doc_text, record_schema};
pub use tree::{Draft, Entry, Node, Place, SourceId, Value, large_integer};
