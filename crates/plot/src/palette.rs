//! Colours, dashes and shapes that people with any kind of colour vision can distinguish.

/// Colours of series. The first seven are those of Okabe and Ito ("Color Universal Design", 2008).
/// Yellow is left out, as it is not seen on white. Grey replaces black, which is not seen on a dark
/// ground. The other seven are lighter, for charts with many stages.
pub const COLOURS: [&str; 14] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767676", "#7fb8d8",
    "#eaae7f", "#7fceb9", "#e5bcd3", "#f2cf7f", "#aad9f4", "#bababa",
];

/// Dashes of lines: lengths of strokes and gaps in pixels; none is a whole line.
pub const DASHES: [&[f64]; 5] =
    [&[], &[6.0, 3.0], &[2.0, 2.0], &[8.0, 3.0, 2.0, 3.0], &[12.0, 4.0]];

/// Shapes of points.
pub const SHAPES: [Shape; 5] =
    [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Cross];

/// Colours of values from low to high, evenly spaced: viridis (van der Walt and Smith,
/// matplotlib 1.5, CC0), at every eighth of its range.
pub const VIRIDIS: [&str; 9] = [
    "#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32",
    "#fde725",
];

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square that stands on a corner.
    Diamond,
    /// An upright cross.
    Cross,
}
