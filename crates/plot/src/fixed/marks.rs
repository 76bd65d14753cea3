//! The marks of a panel.

use super::axes::Axes;
use super::canvas::{Canvas, Place, Stroke, Type};
use super::points::{Look, point, value_colour};
use super::text::width;
use super::{MUTED, bars, cells};
use crate::{Direction, Layer, Mark, Series, ellipse};

/// Width of lines in pixels.
const LINE: f64 = 2.0;
/// Opacity of bands.
const BAND: f64 = 0.22;
/// Radius of points, and of more than `MANY` of them.
const RADIUS: f64 = 3.5;
const MANY: usize = 400;
/// Half the width of an error bar's ends.
const CAP: f64 = 4.0;

/// Looks of a layer: those of the first series with its name.
pub(super) fn own<'a>(layer: &'a Layer, series: &[&'a Series]) -> Option<&'a Series> {
    let own = layer.series.as_ref()?;
    Some(series.iter().find(|other| other.name == own.name).copied().unwrap_or(own))
}

/// All layers of a panel, the first at the bottom; bars below all others.
pub(super) fn draw(canvas: &mut Canvas, axes: &Axes<'_>, series: &[&Series]) {
    bars::draw(canvas, axes, series);
    for layer in &axes.panel.layers {
        let look = Look::of(own(layer, series));
        let area = axes.area;
        let draw = |canvas: &mut Canvas| mark(canvas, axes, layer, look);
        match layer.mark {
            Mark::Line { .. } | Mark::Band { .. } | Mark::Ellipse { .. } => {
                canvas.clipped((area.left, area.top), (area.width, area.height), draw);
            }
            _ => draw(canvas),
        }
        if let Mark::Line { x, y, points: true, .. } = &layer.mark {
            let places = x.iter().zip(y).filter_map(|(x, y)| axes.place(*x, (*y)?));
            let places: Vec<Place> = places.filter(|at| axes.area.holds(*at)).collect();
            places.iter().for_each(|at| point(canvas, *at, RADIUS, look));
        }
    }
}

fn mark(canvas: &mut Canvas, axes: &Axes<'_>, layer: &Layer, look: Look<'_>) {
    match layer.mark.thinned().as_ref() {
        Mark::Line { x, y, steps, .. } => {
            for part in parts(x.iter().zip(y).map(|(x, y)| axes.place(*x, (*y)?))) {
                let part = if *steps { stairs(&part) } else { part };
                match part[..] {
                    [alone] => canvas.circle(alone, LINE, look.colour, false),
                    _ => canvas.line(&part, look.stroke(LINE)),
                }
            }
        }
        Mark::Points { x, y, values, names } => points(canvas, axes, (x, y), (values, names), look),
        Mark::Band { x, low, high } => band(canvas, axes, x, (low, high), look),
        Mark::Intervals { x, y, low, high } => intervals(canvas, axes, (x, y), (low, high), look),
        Mark::Bars { .. } => {}
        Mark::Cells { x, y, values } => cells::draw(canvas, axes, (x, y), values),
        Mark::Ellipse { centre, covariance, deviations } => {
            let corners = ellipse(*centre, *covariance, *deviations);
            let places: Option<Vec<Place>> =
                corners.into_iter().map(|(x, y)| axes.place(x, y)).collect();
            if let Some(places) = places {
                canvas.area(&places, look.colour, Some(0.12));
                canvas.line(&places, look.stroke(1.5));
            }
            if let Some(at) = axes.place(centre.0, centre.1) {
                point(canvas, at, RADIUS + 1.0, look);
            }
        }
        Mark::Rule { along, at, text } => rule(canvas, axes, (*along, *at), text, layer, look),
        Mark::Text { x, y, text } => {
            for ((x, y), text) in x.iter().zip(y).zip(text) {
                let at = axes.place(*x, *y).filter(|at| axes.area.holds(*at));
                let Some(at) = at else { continue };
                beside(canvas, axes, at, text, look.colour);
            }
        }
    }
}

/// Parts of a line between its gaps.
fn parts(places: impl Iterator<Item = Option<Place>>) -> Vec<Vec<Place>> {
    let mut parts = vec![Vec::new()];
    for place in places {
        match place {
            Some(place) => parts.last_mut().expect("there is one").push(place),
            None => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A line that keeps its height until the next point.
fn stairs(places: &[Place]) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    for place in places {
        if let Some((_, y)) = all.last() {
            all.push((place.0, *y));
        }
        all.push(*place);
    }
    all
}

fn points(
    canvas: &mut Canvas,
    axes: &Axes<'_>,
    (x, y): (&[f64], &[f64]),
    (values, names): (&[f64], &[String]),
    look: Look<'_>,
) {
    let ends = cells::ends(axes.panel).unwrap_or((0.0, 1.0));
    let r = if x.len() > MANY { RADIUS * 0.6 } else { RADIUS };
    for (n, (x, y)) in x.iter().zip(y).enumerate() {
        let Some(at) = axes.place(*x, *y).filter(|at| axes.area.holds(*at)) else { continue };
        let colour = values.get(n).filter(|value| value.is_finite());
        let colour = colour.map(|value| value_colour(*value, ends));
        let look = Look { colour: colour.as_deref().unwrap_or(look.colour), ..look };
        canvas.titled(names.get(n).cloned(), |canvas| point(canvas, at, r, look));
    }
}

fn band(
    canvas: &mut Canvas,
    axes: &Axes<'_>,
    x: &[f64],
    (low, high): (&[Option<f64>], &[Option<f64>]),
    look: Look<'_>,
) {
    let edges = x
        .iter()
        .zip(low.iter().zip(high))
        .map(|(x, (low, high))| Some((axes.x(*x)?, (axes.y((*low)?)?, axes.y((*high)?)?))));
    let mut part: Vec<(f64, (f64, f64))> = Vec::new();
    for edge in edges.chain([None]) {
        if let Some(edge) = edge {
            part.push(edge);
            continue;
        }
        let mut around: Vec<Place> = part.iter().map(|(x, (low, _))| (*x, *low)).collect();
        around.extend(part.drain(..).rev().map(|(x, (_, high))| (x, high)));
        if around.len() > 2 {
            canvas.area(&around, look.colour, Some(BAND));
        }
    }
}

fn intervals(
    canvas: &mut Canvas,
    axes: &Axes<'_>,
    (x, y): (&[f64], &[f64]),
    (low, high): (&[f64], &[f64]),
    look: Look<'_>,
) {
    let area = axes.area;
    for ((x, y), (low, high)) in x.iter().zip(y).zip(low.iter().zip(high)) {
        let Some(at) = axes.place(*x, *y).filter(|at| area.holds(*at)) else { continue };
        let stroke = look.whole(1.5);
        if let (Some(low), Some(high)) = (axes.y(*low), axes.y(*high)) {
            let (top, bottom) = (high.max(area.top), low.min(area.bottom()));
            canvas.line(&[(at.0, top), (at.0, bottom)], stroke);
            for (end, seen) in [(low, low <= area.bottom()), (high, high >= area.top)] {
                if seen {
                    canvas.line(&[(at.0 - CAP, end), (at.0 + CAP, end)], stroke);
                }
            }
        }
        point(canvas, at, RADIUS, look);
    }
}

fn rule(
    canvas: &mut Canvas,
    axes: &Axes<'_>,
    (along, at): (Direction, f64),
    text: &str,
    layer: &Layer,
    look: Look<'_>,
) {
    let area = axes.area;
    let ends = match along {
        Direction::X => axes.x(at).map(|x| [(x, area.top), (x, area.bottom())]),
        Direction::Y => axes.y(at).map(|y| [(area.left, y), (area.right(), y)]),
    };
    let Some(ends) = ends.filter(|ends| ends.iter().all(|end| area.holds(*end))) else { return };
    let plain = Stroke { colour: MUTED, width: 1.25, dash: &[4.0, 3.0] };
    let stroke = if layer.series.is_some() { look.stroke(1.5) } else { plain };
    canvas.line(&ends, stroke);
    match along {
        Direction::X => beside(canvas, axes, (ends[0].0, area.top + 8.0), text, stroke.colour),
        Direction::Y => {
            let y = if ends[0].1 < area.top + 16.0 { ends[0].1 + 14.0 } else { ends[0].1 - 5.0 };
            canvas.backed(area.right() - 4.0, y, text, Type::small(stroke.colour).end());
        }
    }
}

/// Writes a text right of its position, or left of it if it would leave the panel.
fn beside(canvas: &mut Canvas, axes: &Axes<'_>, (x, y): Place, text: &str, colour: &str) {
    let of = Type::small(colour);
    match x + 6.0 + width(text, of.size) <= axes.area.right() {
        true => canvas.backed(x + 6.0, y + 4.25, text, of),
        false => canvas.backed(x - 6.0, y + 4.25, text, of.end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_stairs() {
        let places = [Some((0.0, 1.0)), Some((1.0, 2.0)), None, Some((3.0, 4.0))];
        assert_eq!(parts(places.into_iter()), [vec![(0.0, 1.0), (1.0, 2.0)], vec![(3.0, 4.0)]]);
        assert_eq!(stairs(&[(0.0, 1.0), (1.0, 2.0)]), [(0.0, 1.0), (1.0, 1.0), (1.0, 2.0)]);
    }
}
