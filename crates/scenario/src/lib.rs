//! The scenario file: types, units, schema, errors, and the world it describes.
//!
//! A scenario is one TOML file. [`Scenario::parse`] and [`Scenario::read`] turn it into types in
//! which every default is filled in. A fault is reported with file, line, key, and the values that
//! are allowed. The steps, each in a module of its own:
//!
//! 1. the text becomes a tree of values that know where they were written;
//! 2. overrides (`--set path.to.key=value`, `--unset path.to.key`) change the tree;
//! 3. the tree is decoded into the types of [`file`](crate::Scenario), declared once with their
//!    keys, defaults, ranges and descriptions, from which the [JSON Schema](Scenario::schema) comes
//!    as well;
//! 4. what depends on several keys is checked and filled in;
//! 5. [`World::build`](world::World::build) wires nodes as the scenario says.
//!
//! A [`Campaign`] is a scenario with what is varied in it: each of its arms is a scenario.

mod arrivals;
mod bands;
mod campaign;
pub mod change;
mod check;
mod dci;
mod error;
mod excerpt;
mod file;
mod implementation;
mod interval;
mod json;
mod load;
mod resolve;
mod resolve_cell;
mod resolve_network;
mod resolve_split;
mod service;
mod set;
mod source;
mod template;
mod text;
mod toml;
mod track;
mod transmission;
mod tree;
mod unset;
pub mod world;

pub use airpath_schema::nearest;
pub use airpath_schema::units::{
    Buffer, Degrees, Every, Hertz, Length, Limit, Metres, PerSecond, Phase, Position, Rate, Size,
    Threshold, Timer, bit_rate, bytes, duration,
};
#[cfg(feature = "stacks")]
pub use airpath_stacks as stacks;
pub use campaign::{Arm, Beneath, Campaign, Runs, Variation};
pub use error::{Errors, Problem};
pub use file::*;
pub use implementation::implementation;
pub use interval::{Interval, Span};
pub use load::{Files, read_table, table_schema};
pub use resolve::UeRef;
pub use template::{Template, WITH_STACKS, has_stacks, profiles, template, templates};
pub use text::read_text;
pub use toml::toml;
pub use unset::unset;
