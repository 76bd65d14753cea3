//! Look of a series as a small picture beside its name.

use std::fmt::Write as _;

use crate::look::Used;
use crate::{Series, Shape};

/// The picture; it says nothing that the name does not, so it is hidden from screen readers.
pub(super) fn svg(series: &Series, used: Used) -> String {
    let ink = series.ink();
    let mut text = "<svg width=\"28\" height=\"14\" aria-hidden=\"true\">".to_owned();
    if used.line {
        let dash: Vec<String> = series.dash().iter().map(f64::to_string).collect();
        let _ = write!(
            text,
            "<path d=\"M1 7H27\" stroke=\"{ink}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
            dash.join(" ")
        );
    }
    if used.point {
        let fill = if series.hollow { "none" } else { ink };
        let _ = write!(
            text,
            "<path d=\"{}\" fill=\"{fill}\" stroke=\"{ink}\" stroke-width=\"1.5\"/>",
            path(series.glyph())
        );
    }
    if used.area && !used.line && !used.point {
        let _ = write!(text, "<rect x=\"8\" y=\"1\" width=\"12\" height=\"12\" fill=\"{ink}\"/>");
    }
    text + "</svg>"
}

fn path(shape: Shape) -> &'static str {
    match shape {
        Shape::Circle => "M10 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
        Shape::Square => "M10.5 3.5h7v7h-7z",
        Shape::Triangle => "M14 3L18 10.5H10z",
        Shape::Diamond => "M14 2L18 7L14 12L10 7z",
        Shape::Cross => "M12.7 2.7h2.6v3h3v2.6h-3v3h-2.6v-3h-3v-2.6h3z",
    }
}
