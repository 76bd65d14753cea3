//! Points of all shapes, and the colours of series and values.

use super::canvas::{Canvas, Place, Stroke};
use super::{GROUND, INK};
use crate::look::luminance;
use crate::{Series, Shape, VIRIDIS};

/// Look of a layer.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// Colour.
    pub(super) colour: &'a str,
    /// Lengths of strokes and gaps of its lines.
    pub(super) dash: &'static [f64],
    /// Shape of its points.
    pub(super) shape: Shape,
    /// True if points are outlines.
    pub(super) hollow: bool,
}

impl Look<'static> {
    /// Look of a series, or of text without one.
    pub(super) fn of(series: Option<&Series>) -> Look<'static> {
        match series {
            None => Look { colour: INK, dash: &[], shape: Shape::Circle, hollow: false },
            Some(series) => Look {
                colour: series.ink(),
                dash: series.dash(),
                shape: series.glyph(),
                hollow: series.hollow,
            },
        }
    }
}

impl<'a> Look<'a> {
    /// A line so wide.
    pub(super) fn stroke(self, width: f64) -> Stroke<'a> {
        Stroke { colour: self.colour, width, dash: self.dash }
    }

    /// A whole line so wide.
    pub(super) fn whole(self, width: f64) -> Stroke<'a> {
        Stroke { dash: &[], ..self.stroke(width) }
    }
}

/// A point with about the area of a circle with this radius.
pub(super) fn point(canvas: &mut Canvas, at: Place, r: f64, look: Look<'_>) {
    let around = |corners: &[Place]| -> Vec<Place> {
        corners.iter().map(|(x, y)| (at.0 + x * r, at.1 + y * r)).collect()
    };
    let corners = match look.shape {
        Shape::Circle => return canvas.circle(at, r, look.colour, look.hollow),
        Shape::Cross => {
            canvas.line(&around(&[(-1.1, 0.0), (1.1, 0.0)]), look.whole(1.75));
            return canvas.line(&around(&[(0.0, -1.1), (0.0, 1.1)]), look.whole(1.75));
        }
        Shape::Square => around(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Shape::Triangle => around(&[(0.0, -1.3), (1.2, 0.85), (-1.2, 0.85)]),
        Shape::Diamond => around(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
    };
    match look.hollow {
        true => canvas.outline(&corners, look.whole(1.25)),
        false => canvas.area(&corners, look.colour, None),
    }
}

/// Colour of a value between these ends.
pub(super) fn value_colour(value: f64, (low, high): (f64, f64)) -> String {
    let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    let steps = VIRIDIS.len() - 1;
    let below = ((share * steps as f64).floor() as usize).min(steps - 1);
    let rest = share * steps as f64 - below as f64;
    let (from, to) = (channels(VIRIDIS[below]), channels(VIRIDIS[below + 1]));
    let mixed = [0, 1, 2].map(|n| (from[n] + (to[n] - from[n]) * rest).round() as u8);
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

/// White on dark colours, the colour of text on light ones: whichever contrasts more.
pub(super) fn ink_on(colour: &str) -> &'static str {
    // Luminance at which both contrast equally by WCAG 2.2: the square of L + 0.05 is 1.05 * 0.066.
    if luminance(colour) < 0.213 { GROUND } else { INK }
}

/// Red, green and blue of `#rrggbb`, from 0 to 255.
fn channels(colour: &str) -> [f64; 3] {
    [1, 3, 5].map(|n| {
        let digits = colour.get(n..n + 2).and_then(|text| u8::from_str_radix(text, 16).ok());
        f64::from(digits.unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_colours_of_viridis() {
        assert_eq!(value_colour(0.0, (0.0, 8.0)), VIRIDIS[0]);
        assert_eq!(value_colour(3.0, (0.0, 8.0)), VIRIDIS[3]);
        assert_eq!(value_colour(99.0, (0.0, 8.0)), VIRIDIS[8]);
        // Halfway between 5cc863 and aadc32.
        assert_eq!(value_colour(6.5, (0.0, 8.0)), "#83d24b");
        assert_eq!(value_colour(1.0, (1.0, 1.0)), VIRIDIS[4]);
    }

    #[test]
    fn text_is_seen_on_any_colour() {
        assert_eq!(ink_on(VIRIDIS[0]), "#ffffff");
        assert_eq!(ink_on(VIRIDIS[8]), INK);
        assert_eq!(ink_on("#0072b2"), "#ffffff");
        assert_eq!(ink_on("#f2cf7f"), INK);
    }
}
