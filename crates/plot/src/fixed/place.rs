//! A rectangle of the picture.

/// A rectangle in pixels, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.top + self.height
    }

    /// True if a position lies in the area or on its edge.
    pub(super) fn holds(self, (x, y): (f64, f64)) -> bool {
        let within = |value: f64, low: f64, high: f64| value >= low - 0.5 && value <= high + 0.5;
        within(x, self.left, self.right()) && within(y, self.top, self.bottom())
    }
}
