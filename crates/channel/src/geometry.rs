//! Points, distances and directions.
//!
//! Azimuths count from the x axis towards the y axis. Zenith angles count from straight up, so that
//! 90 degrees is the horizon and more is below it (TR 38.901, 7.1.2).

use airpath_base::math;

/// Degrees of a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

/// A point on the ground, or the vector from one to another, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Metres along the x axis.
    pub x: f64,
    /// Metres along the y axis.
    pub y: f64,
}

impl Point {
    /// The point `distance_m` from the origin in the direction of this azimuth.
    pub fn polar(distance_m: f64, azimuth_deg: f64) -> Point {
        let angle = azimuth_deg / DEGREES;
        Point { x: distance_m * math::cos(angle), y: distance_m * math::sin(angle) }
    }

    /// Distance from the origin in metres.
    pub fn length(self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// Azimuth as seen from the origin in degrees, -180 to 180.
    pub fn azimuth_deg(self) -> f64 {
        math::atan2(self.y, self.x) * DEGREES
    }

    /// This point `factor` times as far from the origin.
    pub fn scaled(self, factor: f64) -> Point {
        Point { x: factor * self.x, y: factor * self.y }
    }
}

impl core::ops::Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + other.y }
    }
}

impl core::ops::Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        Point { x: self.x - other.x, y: self.y - other.y }
    }
}

/// Geometry of a link: distance and directions between its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Ground distance in metres, the part inside a building included.
    pub ground_m: f64,
    /// The part of it inside a building, in metres.
    pub inside_m: f64,
    /// Height of the base station's antenna above ground in metres.
    pub base_m: f64,
    /// Height of the UE above ground in metres.
    pub ue_m: f64,
}

impl Span {
    /// Ground distance outside buildings in metres (d2D-out of TR 38.901, 7.4.1).
    pub fn outside_m(&self) -> f64 {
        (self.ground_m - self.inside_m).max(0.0)
    }

    /// Distance between the antennas in metres.
    pub fn distance_m(&self) -> f64 {
        let rise = self.base_m - self.ue_m;
        (self.ground_m * self.ground_m + rise * rise).sqrt()
    }

    /// Zenith angle at which the base station sees the UE, in degrees.
    pub fn zenith_deg(&self) -> f64 {
        90.0 + math::atan2(self.base_m - self.ue_m, self.ground_m) * DEGREES
    }
}

/// An angle brought to -180 to 180 degrees.
pub fn wrapped_deg(angle: f64) -> f64 {
    let turns = (angle / 360.0).round();
    angle - 360.0 * turns
}

/// Angle in degrees whose tangent is `y / x`, for the first quadrant.
pub(crate) fn slope_deg(y: f64, x: f64) -> f64 {
    math::atan2(y, x) * DEGREES
}

/// Cosine of an angle in degrees.
pub(crate) fn cos_deg(angle: f64) -> f64 {
    math::cos(angle / DEGREES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_by_hand() {
        let point = Point::polar(2.0, 150.0);
        assert!((point.x + 3f64.sqrt()).abs() < 1e-12 && (point.y - 1.0).abs() < 1e-12);
        assert!((point.azimuth_deg() - 150.0).abs() < 1e-12);
        assert!((point.length() - 2.0).abs() < 1e-12);
        // 25 m up and 1.5 m: 23.5 m above at 23.5 m is 45 degrees down.
        let span = Span { ground_m: 23.5, inside_m: 3.5, base_m: 25.0, ue_m: 1.5 };
        assert!((span.zenith_deg() - 135.0).abs() < 1e-12);
        assert!((span.distance_m() - 23.5 * 2f64.sqrt()).abs() < 1e-12);
        assert!((span.outside_m() - 20.0).abs() < 1e-12);
    }

    #[test]
    fn angles_wrap() {
        assert_eq!([190.0, -190.0, 720.0, 30.0].map(wrapped_deg), [-170.0, 170.0, 0.0, 30.0]);
    }
}
