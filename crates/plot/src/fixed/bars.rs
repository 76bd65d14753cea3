//! Stacked bars, with their lengths in them and sums behind.

use super::INK;
use super::axes::Axes;
use super::canvas::{Canvas, Type};
use super::points::{Look, ink_on};
use super::text::width;
use crate::{Direction, Panel, Part, Series, figure};

/// Widest bar in pixels, and widest upright one.
const THICK: f64 = 34.0;
const UPRIGHT: f64 = 60.0;

/// All bars of a panel.
pub(super) fn draw(canvas: &mut Canvas, axes: &Axes<'_>, series: &[&Series]) {
    let panel = axes.panel;
    let names = panel.y.categories().or(panel.x.categories()).map_or(0, <[String]>::len);
    for part in panel.parts().iter().filter(|part| part.category < names && part.to > part.from) {
        let look = Look::of(super::marks::own(part.layer, series));
        let title = part.layer.series.as_ref().map(|series| title(panel, &series.name, part));
        canvas.titled(title, |canvas| bar(canvas, axes, part, look));
    }
    for (n, sum) in panel.sums().into_iter().enumerate().take(names) {
        behind(canvas, axes, n, sum);
    }
}

fn unit(panel: &Panel) -> &str {
    match panel.bars_along() {
        Direction::X => &panel.x.unit,
        Direction::Y => &panel.y.unit,
    }
}

fn title(panel: &Panel, name: &str, part: &Part<'_>) -> String {
    let length = figure(part.to - part.from);
    format!("{name}: {length} {}", unit(panel)).trim_end().to_owned()
}

/// A part of a bar, with its length in it where that fits.
fn bar(canvas: &mut Canvas, axes: &Axes<'_>, part: &Part<'_>, look: Look<'_>) {
    let flat = axes.panel.bars_along() == Direction::X;
    let at = part.category as f64;
    let (ends, middle, thick) = match flat {
        true => ((axes.x(part.from), axes.x(part.to)), axes.y(at), axes.pitch().1),
        false => ((axes.y(part.from), axes.y(part.to)), axes.x(at), axes.pitch().0),
    };
    let ((Some(from), Some(to)), Some(middle)) = (ends, middle) else { return };
    let thick = (thick * 0.7).min(if flat { THICK } else { UPRIGHT });
    let (low, size) = (from.min(to), (to - from).abs());
    let (corner, extent, centre) = match flat {
        true => ((low, middle - thick / 2.0), (size, thick), (low + size / 2.0, middle)),
        false => ((middle - thick / 2.0, low), (thick, size), (middle, low + size / 2.0)),
    };
    canvas.rect(corner, extent, look.colour);
    let alone = part.from == 0.0 && axes.panel.sums()[part.category] == part.to;
    let text = figure(part.to - part.from);
    if !alone && width(&text, 12) + 8.0 <= extent.0 && extent.1 >= 15.0 {
        let of = Type::small(ink_on(look.colour)).middle();
        canvas.text(centre.0, centre.1 + 4.25, &text, of);
    }
}

/// The sum behind the bars of a category.
fn behind(canvas: &mut Canvas, axes: &Axes<'_>, n: usize, sum: f64) {
    let text = format!("{} {}", figure(sum), unit(axes.panel));
    let of = Type::small(INK);
    let n = n as f64;
    match axes.panel.bars_along() {
        Direction::X => {
            let Some((x, y)) = axes.place(sum, n) else { return };
            canvas.text(x + 6.0, y + 4.25, text.trim_end(), of);
        }
        Direction::Y => {
            let Some((x, y)) = axes.place(n, sum) else { return };
            canvas.text(x, y - 5.0, &figure(sum), of.middle());
        }
    }
}
