//! The axes of a panel: `kuva` draws them, and says where figures lie.

use std::sync::Arc;

use kuva::render::axis::add_axes_and_grid;
use kuva::render::layout::{AxisLabelOverlap, ComputedLayout, Layout, TickFormat};
use kuva::render::render::Scene;
use kuva::render::render_utils::{generate_ticks, generate_ticks_log};
use kuva::render::theme::Theme;

use super::canvas::{Canvas, Place, Stroke, Type};
use super::place::Area;
use super::range::Range;
use super::text::{cut, lines, tick_text, widest};
use super::{GRID, INK, MUTED, WIDTH};
use crate::{Axis, Panel, Scale};

/// Size of the texts at ticks.
const TICK: u32 = 12;
/// Angle in degrees of names that do not fit beside each other, and its sine and cosine.
const TURNED: f64 = -40.0;
const SINE: f64 = 0.642_787_609_686_539_3;
const COSINE: f64 = 0.766_044_443_118_978;
/// Longest name of a category, as a share of its panel's width.
const NAME: f64 = 0.35;

/// Texts at the ticks of an axis.
pub(super) struct Ticks {
    /// Ends of the axis.
    pub(super) range: Range,
    /// Wanted number of ticks.
    pub(super) count: usize,
    /// Width of the widest text.
    pub(super) width: f64,
    /// Names, from left to right or from bottom to top; empty for figures.
    names: Vec<String>,
}

impl Ticks {
    pub(super) fn new(axis: &Axis, range: Range, count: usize, cell: f64) -> Ticks {
        let cut = |name: &String| cut(name, TICK, cell * NAME);
        let names: Vec<String> = axis.categories().unwrap_or_default().iter().map(cut).collect();
        let figures = ticks(axis, range, count).into_iter().map(tick_text);
        let texts: Vec<String> = names.iter().cloned().chain(figures).collect();
        Ticks { range, count, width: widest(texts.iter().map(String::as_str), TICK), names }
    }

    /// True if names on an x axis of this length are wider than their categories.
    fn turned(&self, length: f64) -> bool {
        !self.names.is_empty() && self.width + 6.0 > length / self.names.len() as f64
    }

    /// Height of what is written below an x axis so long.
    pub(super) fn height(&self, length: f64) -> f64 {
        match self.turned(length) {
            true => self.width * SINE + 20.0,
            false => 22.0,
        }
    }

    /// Overhang of the texts of an x axis of this length, beyond its left and its right end, in
    /// pixels.
    pub(super) fn overhang(&self, length: f64) -> (f64, f64) {
        let first = length / self.names.len().max(1) as f64 / 2.0;
        match (self.names.is_empty(), self.turned(length)) {
            (true, _) => (self.width / 2.0, self.width / 2.0),
            (false, true) => ((self.width * COSINE + 6.0 - first).max(0.0), 0.0),
            (false, false) => (0.0, 0.0),
        }
    }
}

/// Axes of a panel at their position in the picture.
pub(super) struct Axes<'a> {
    /// The panel.
    pub(super) panel: &'a Panel,
    /// Area of the data.
    pub(super) area: Area,
    layout: Layout,
    computed: ComputedLayout,
}

impl<'a> Axes<'a> {
    pub(super) fn new(panel: &'a Panel, area: Area, x: &Ticks, y: &Ticks) -> Axes<'a> {
        let layout = layout(panel, x, y, area.width);
        let mut computed = ComputedLayout::from_layout(&layout);
        // The canvas is as great as the picture, and its free edges leave the panel's area.
        // Positions are therefore those of the picture.
        (computed.width, computed.height) = (WIDTH, area.bottom() + 1.0);
        (computed.margin_left, computed.margin_right) = (area.left, WIDTH - area.right());
        (computed.margin_top, computed.margin_bottom) = (area.top, 1.0);
        (computed.x_range, computed.y_range) = (x.range, y.range);
        (computed.x_ticks, computed.y_ticks) = (x.count, y.count);
        computed.recompute_transforms();
        Axes { panel, area, layout, computed }
    }

    /// Grid, axes, ticks and what is written at them.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let mut scene = Scene::new(WIDTH, 0.0);
        add_axes_and_grid(&mut scene, &self.computed, &self.layout);
        if self.panel.y.categories().is_some() && self.panel.x.categories().is_none() {
            self.upright_grid(canvas);
        }
        canvas.take(scene);
    }

    /// The grid of the x axis beside names, where `kuva` draws none.
    fn upright_grid(&self, canvas: &mut Canvas) {
        let ((low, high), area) = (self.computed.x_range, self.area);
        for tick in ticks(&self.panel.x, (low, high), self.computed.x_ticks) {
            let Some(x) = self.x(tick) else { continue };
            let stroke = Stroke { colour: GRID, width: 1.0, dash: &[] };
            canvas.line(&[(x, area.top), (x, area.bottom())], stroke);
        }
    }

    /// Titles of both axes: `left` is what lies left of the area, `below` what lies below it.
    pub(super) fn titles(&self, canvas: &mut Canvas, left: f64, below: f64) {
        let (area, of) = (self.area, Type::small(INK).middle());
        let (x, y) = (area.left + area.width / 2.0, area.top + area.height / 2.0);
        for (n, line) in lines(&self.panel.x.title(), area.width + 80.0).iter().enumerate() {
            canvas.text(x, area.bottom() + below + 12.0 + 15.0 * n as f64, line, of);
        }
        for (n, line) in lines(&self.panel.y.title(), area.height + 20.0).iter().enumerate() {
            let x = area.left - left + 12.0 + 15.0 * n as f64;
            canvas.text(x, y, line, Type { turned: Some(-90.0), ..of });
        }
    }

    /// Position of a figure on the x axis in pixels; none for a figure without one.
    pub(super) fn x(&self, value: f64) -> Option<f64> {
        let shift = if self.panel.x.categories().is_some() { 1.0 } else { 0.0 };
        placed(&self.panel.x, value).map(|value| near(self.computed.map_x(value + shift)))
    }

    /// Position of a figure on the y axis in pixels; none for a figure without one. The first
    /// category is at the top.
    pub(super) fn y(&self, value: f64) -> Option<f64> {
        let value = placed(&self.panel.y, value)?;
        let value = match self.panel.y.categories() {
            Some(names) => names.len() as f64 - value,
            None => value,
        };
        Some(near(self.computed.map_y(value)))
    }

    pub(super) fn place(&self, x: f64, y: f64) -> Option<Place> {
        Some((self.x(x)?, self.y(y)?))
    }

    /// Distance of categories on the x and the y axis.
    pub(super) fn pitch(&self) -> (f64, f64) {
        let of = |axis: &Axis, length| {
            length / axis.categories().map_or(1, <[String]>::len).max(1) as f64
        };
        (of(&self.panel.x, self.area.width), of(&self.panel.y, self.area.height))
    }
}

/// Figures at which an axis has ticks; none on an axis of names.
fn ticks(axis: &Axis, (low, high): Range, count: usize) -> Vec<f64> {
    match axis.scale {
        Scale::Category(_) => Vec::new(),
        Scale::Linear => generate_ticks(low, high, count),
        Scale::Log => generate_ticks_log(low, high),
    }
}

fn placed(axis: &Axis, value: f64) -> Option<f64> {
    let log = axis.scale == Scale::Log;
    (value.is_finite() && !(log && value <= 0.0)).then_some(value)
}

/// Limits a position far outside of the picture to one near it. It is not seen there, and pixels
/// are finite.
fn near(pixels: f64) -> f64 {
    pixels.clamp(-4_000.0, 8_000.0)
}

fn layout(panel: &Panel, x: &Ticks, y: &Ticks, length: f64) -> Layout {
    let format = || TickFormat::Custom(Arc::new(tick_text));
    let mut layout = Layout::new(x.range, y.range)
        .with_theme(theme())
        .with_tick_size(TICK)
        .with_tick_format(format())
        .with_x_label_overlap(AxisLabelOverlap::Thin);
    (layout.log_x, layout.log_y) = (panel.x.scale == Scale::Log, panel.y.scale == Scale::Log);
    layout.equal_aspect = panel.equal;
    if !x.names.is_empty() {
        layout.x_categories = Some(x.names.clone());
        layout.x_label_overlap = AxisLabelOverlap::Allow;
        layout.x_tick_rotate = x.turned(length).then_some(TURNED);
    }
    if !y.names.is_empty() {
        layout.y_categories = Some(y.names.iter().rev().cloned().collect());
    }
    layout
}

fn theme() -> Theme {
    Theme {
        axis_color: MUTED.to_owned(),
        tick_color: MUTED.to_owned(),
        grid_color: GRID.to_owned(),
        text_color: INK.to_owned(),
        ..Theme::light()
    }
}
