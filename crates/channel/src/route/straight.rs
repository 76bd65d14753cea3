//! A straight line of constant speed.

use super::{Draw, Draws, Route, leg};
use crate::geometry::Point;

/// The line from `start` at a speed in metres a second. Its heading in degrees counts from the x axis
/// towards the y axis, and is drawn evenly if there is none.
pub fn straight(start: Point, heading_deg: Option<f64>, speed: f64, draws: Draws) -> Route {
    let heading = heading_deg.unwrap_or_else(|| 360.0 * draws.uniform(Draw::Heading, 0));
    Route::new(vec![leg(0.0, start, Point::polar(speed, heading))])
}
