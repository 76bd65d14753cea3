//! Charts: what is to be seen, described once, whatever draws it.
//!
//! A [`Chart`] has panels, a [`Panel`] two axes and layers, a [`Layer`] a mark and the series
//! that it belongs to. Marks hold plain columns of numbers. Nothing here reads a file or knows
//! what a run is: the caller fills the columns and writes the sentence that says what they show.
//!
//! [`Chart::svg`] and [`Chart::png`] draw it as a static picture, and [`Chart::sparklines`] in a
//! terminal. [`sparkline()`] does the latter with figures alone. [`Chart::vega_lite`] makes a
//! specification, and [`html`] writes a page of charts. A [`Page`] has sections with sentences and
//! tables beside them.
//!
//! Left out on purpose: pies, a second y axis in one panel, and a third dimension.

// The gallery's charts, which tests draw too, name the crate as from outside.
#[cfg(test)]
extern crate self as airpath_plot;

#[cfg(test)]
#[path = "../examples/gallery/charts.rs"]
mod charts;
#[cfg(test)]
#[path = "../examples/gallery/kinds.rs"]
mod kinds;

mod chart;
mod figure;
mod fixed;
mod geometry;
mod look;
mod mark;
mod page;
mod palette;
mod sparkline;
mod thin;
mod timeline;
mod vega;

pub use chart::{Axis, Chart, Panel, Scale, Values};
pub use figure::{capital, figure, plural, seconds};
pub use geometry::{Part, ellipse};
pub use mark::{Direction, Layer, Mark, Series};
pub use page::{
    Block, Card, CardCourse, CardStage, Cards, Component, File, Finding, Grid, Page, Section, Tone,
    html, sources,
};
pub use palette::{COLOURS, DASHES, SHAPES, Shape, VIRIDIS};
pub use sparkline::sparkline;
pub use thin::{MOST_POINTS, enough};
pub use timeline::Timeline;
