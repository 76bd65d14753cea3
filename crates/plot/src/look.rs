//! Look of a series in any output.

use crate::{COLOURS, Chart, DASHES, Mark, SHAPES, Series, Shape};

/// Drawn elements of a series, which its entry in a legend shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// Lines.
    pub(crate) line: bool,
    /// Points.
    pub(crate) point: bool,
    /// Areas.
    pub(crate) area: bool,
}

impl Chart {
    /// Drawn elements of a series.
    pub(crate) fn used(&self, series: &Series) -> Used {
        let mut used = Used::default();
        let own = |layer: &&crate::Layer| {
            layer.series.as_ref().is_some_and(|other| other.name == series.name)
        };
        for layer in self.panels.iter().flat_map(|panel| &panel.layers).filter(own) {
            match &layer.mark {
                Mark::Line { points, .. } => {
                    used.line = true;
                    used.point |= points;
                }
                Mark::Points { .. } | Mark::Intervals { .. } => used.point = true,
                Mark::Ellipse { .. } => {
                    (used.line, used.point) = (true, true);
                }
                Mark::Rule { .. } => used.line = true,
                Mark::Band { .. } | Mark::Bars { .. } | Mark::Cells { .. } => used.area = true,
                Mark::Text { .. } => {}
            }
        }
        used
    }
}

impl Series {
    /// Its colour.
    pub fn ink(&self) -> &'static str {
        COLOURS[self.colour % COLOURS.len()]
    }

    /// Its dash.
    pub fn dash(&self) -> &'static [f64] {
        DASHES[self.shape % DASHES.len()]
    }

    /// Its shape.
    pub fn glyph(&self) -> Shape {
        SHAPES[self.shape % SHAPES.len()]
    }

    /// The colour of text that is read on its own: black or white, whichever contrasts more.
    pub fn contrast(&self) -> &'static str {
        // Luminance at which both contrast equally by WCAG 2.2: (L + 0.05)^2 = 1.05 * 0.05.
        if luminance(self.ink()) > 0.179 { "#000000" } else { "#ffffff" }
    }
}

/// Relative luminance of a colour `#rrggbb` (WCAG 2.2).
pub(crate) fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let byte = u8::from_str_radix(&colour[at..at + 2], 16).unwrap_or(0);
        let share = f64::from(byte) / 255.0;
        match share <= 0.04045 {
            true => share / 12.92,
            false => airpath_base::math::pow((share + 0.055) / 1.055, 2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}
