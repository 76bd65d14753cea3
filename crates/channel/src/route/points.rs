//! Routes through points with a time each.

use airpath_base::Time;

use super::{FASTEST, Leg, Motion, Route, RouteError};
use crate::geometry::Point;

/// A point of a route and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fix {
    /// Time at which the UE is there.
    pub time: Time,
    /// Position of the UE.
    pub at: Point,
}

/// The route through these points, with constant speed between neighbours. Before the first point
/// and behind the last one the UE rests.
///
/// # Errors
///
/// A point without a later time than that before it, or a speed above [`FASTEST`].
pub fn through(fixes: &[Fix]) -> Result<Route, RouteError> {
    let mut legs = Vec::with_capacity(fixes.len() + 1);
    let still = |from, at| Leg { from, motion: Motion { at, velocity: Point::default() } };
    if let Some(first) = fixes.first().filter(|first| first.time > Time::ZERO) {
        legs.push(still(Time::ZERO, first.at));
    }
    for (n, pair) in fixes.windows(2).enumerate() {
        let (a, b, point) = (pair[0], pair[1], n + 2);
        if b.time <= a.time {
            return Err(RouteError::NotLater { point });
        }
        let velocity = (b.at - a.at).scaled(1.0 / b.time.since(a.time).as_secs_f64());
        // A speed of just 350 km/h may be above it by the rounding of times.
        if velocity.length() > FASTEST * (1.0 + 1e-6) {
            return Err(RouteError::TooFast { point, kmh: 3.6 * velocity.length() });
        }
        legs.push(Leg { from: a.time, motion: Motion { at: a.at, velocity } });
    }
    legs.extend(fixes.last().map(|last| still(last.time, last.at)));
    Ok(Route::new(legs))
}
