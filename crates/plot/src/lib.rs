//! Charts: what is to be seen, described once, whatever draws it.
//!
//! A [`Chart`] has panels, a [`Panel`] two axes and layers, a [`Layer`] a mark and the series
//! that it belongs to. Marks hold plain columns of numbers. Nothing here reads a file or knows
//! what a run is: the caller fills the columns and writes the sentence that says what they show.
//!
//! [`Chart::svg`] and [`Chart::png`] draw it as a static picture, [`Chart::sparklines`] in a
//! terminal.
//!
//! Left out on purpose: pies, a second y axis in one panel, and a third dimension.

// The example's charts, which tests draw too, name the crate as from outside.
#[cfg(test)]
extern crate self as airpath_plot;

mod chart;
mod fixed;
mod geometry;
mod mark;
mod palette;
mod sparkline;
mod thin;

pub use chart::{Axis, Chart, Panel, Scale, Values};
pub use geometry::{Part, ellipse};
pub use mark::{Direction, Layer, Mark, Series};
pub use palette::{COLOURS, DASHES, SHAPES, Shape, VIRIDIS};
pub use thin::{MOST_POINTS, enough};
