//! Heat maps, and the colour bar that says what colours of values mean.

use kuva::render::render_utils::generate_ticks;

use super::axes::Axes;
use super::canvas::{Canvas, Stroke, Type};
use super::place::Area;
use super::points::{ink_on, value_colour};
use super::range::Range;
use super::text::{cut, tick_text, widest, width};
use super::{INK, MUTED};
use crate::{Mark, Panel, Values, figure};

/// Distance of the colour bar from the panel, its width, and what is free behind it.
const AWAY: f64 = 16.0;
const THICK: f64 = 14.0;
const BEHIND: f64 = 6.0;
/// Pixels by which the title may be longer than the bar.
const MARGIN: f64 = 20.0;
/// Steps of the colour bar.
const STEPS: u32 = 64;

/// Values of the first and the last colour of a panel; none if it has no values.
pub(super) fn ends(panel: &Panel) -> Option<Range> {
    let meant = panel.values.as_ref()?;
    let known = panel.layers.iter().flat_map(|layer| match &layer.mark {
        Mark::Points { values, .. } => values.clone(),
        Mark::Cells { values, .. } => values.iter().copied().flatten().collect(),
        _ => Vec::new(),
    });
    let (low, high) = known
        .filter(|value| value.is_finite())
        .fold((f64::MAX, f64::MIN), |(low, high), value| (value.min(low), value.max(high)));
    let fits = |(low, high): &Range| low < high;
    Some(meant.range.filter(fits).unwrap_or(match low <= high {
        true => (low, high),
        false => (0.0, 1.0),
    }))
}

/// A cell for each value.
pub(super) fn draw(
    canvas: &mut Canvas,
    axes: &Axes<'_>,
    (x, y): (&[f64], &[f64]),
    values: &[Option<f64>],
) {
    let (ends, pitch) = (ends(axes.panel).unwrap_or((0.0, 1.0)), axes.pitch());
    for ((x, y), value) in x.iter().zip(y).zip(values) {
        let Some(value) = value.filter(|value| value.is_finite()) else { continue };
        let Some(at) = axes.place(*x, *y).filter(|at| axes.area.holds(*at)) else { continue };
        let colour = value_colour(value, ends);
        let corner = (at.0 - pitch.0 / 2.0 + 0.5, at.1 - pitch.1 / 2.0 + 0.5);
        canvas.rect(corner, (pitch.0 - 1.0, pitch.1 - 1.0), &colour);
        let text = figure(value);
        if width(&text, 12) + 4.0 <= pitch.0 && pitch.1 >= 15.0 {
            canvas.text(at.0, at.1 + 4.25, &text, Type::small(ink_on(&colour)).middle());
        }
    }
}

/// Width of the colour bar with all that belongs to it.
pub(super) fn bar_width(panel: &Panel) -> f64 {
    let Some(ends) = ends(panel) else { return 0.0 };
    let texts = ticks(ends).map(|(_, text)| text).collect::<Vec<_>>();
    AWAY + THICK + BEHIND + widest(texts.iter().map(String::as_str), 12) + 24.0
}

/// Height of a panel that leaves room for the title of its colour bar, within reason.
pub(super) fn bar_height(panel: &Panel) -> f64 {
    let title = panel.values.as_ref().map_or(0.0, |meant| width(&meant.title(), 12));
    (title - MARGIN).clamp(80.0, 400.0)
}

/// The colour bar beside a panel.
pub(super) fn bar(canvas: &mut Canvas, panel: &Panel, area: Area) {
    let (Some(meant), Some(ends)) = (&panel.values, ends(panel)) else { return };
    let left = area.right() + AWAY;
    let step = area.height / f64::from(STEPS);
    for n in 0..STEPS {
        let share = (f64::from(n) + 0.5) / f64::from(STEPS);
        let colour = value_colour(ends.0 + (ends.1 - ends.0) * share, ends);
        // Each step covers all above it, so that no seam is seen between two.
        let height = area.height - step * f64::from(n);
        canvas.rect((left, area.top), (THICK, height), &colour);
    }
    for (value, text) in ticks(ends) {
        let share = if ends.1 > ends.0 { (value - ends.0) / (ends.1 - ends.0) } else { 0.5 };
        let (x, y) = (left + THICK, area.bottom() - area.height * share);
        let tick = Stroke { colour: MUTED, width: 1.0, dash: &[] };
        canvas.line(&[(x, y), (x + 3.0, y)], tick);
        canvas.text(x + BEHIND, y + 4.25, &text, Type::small(INK));
    }
    caption(canvas, meant, (left + bar_width(panel) - AWAY, area));
}

fn caption(canvas: &mut Canvas, meant: &Values, (right, area): (f64, Area)) {
    let of = Type { turned: Some(-90.0), ..Type::small(INK).middle() };
    let text = cut(&meant.title(), 12, area.height + MARGIN);
    canvas.text(right - 6.0, area.top + area.height / 2.0, &text, of);
}

fn ticks((low, high): Range) -> impl Iterator<Item = (f64, String)> {
    let ticks = match low < high {
        true => generate_ticks(low, high, 5),
        false => vec![low],
    };
    ticks.into_iter().map(|tick| (tick, tick_text(tick)))
}
