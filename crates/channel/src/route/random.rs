//! Random waypoints: a target in the area of a network, a straight line to it, and the next target.
//!
//! Targets are drawn evenly by area, and speeds evenly between two. A UE spends more time on slow legs:
//! its mean speed over time is (max - min) / ln(max / min) (Yoon et al., INFOCOM 2003). A UE is nearer to
//! the middle of the area than UEs that are dropped.

use airpath_base::Duration;

use super::{Draw, Draws, MOST_LEGS, Route, RouteError, leg, rest};
use crate::geometry::Point;
use crate::layout::Layout;

/// Draws of a target before the UE stays at its position.
const ATTEMPTS: u64 = 1_000;

/// Options of random waypoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wander {
    /// Least and largest speed of a leg in metres a second, above 0.
    pub speed: (f64, f64),
    /// Rest at each target.
    pub pause: Duration,
}

/// The route from a point of the area, for so long. No leg leaves the area: a target behind a notch
/// of its border is drawn again.
///
/// # Errors
///
/// More legs than a route may have.
pub fn random_waypoints(
    wander: Wander,
    layout: &Layout,
    start: Point,
    draws: Draws,
    lasts: Duration,
) -> Result<Route, RouteError> {
    let (mut at, mut seconds, mut legs) = (start, 0.0, Vec::new());
    for n in 0.. {
        if seconds >= lasts.as_secs_f64() {
            break;
        }
        if legs.len() + 2 > MOST_LEGS {
            return Err(RouteError::TooLong);
        }
        let Some(to) = target(layout, at, draws, n) else { break };
        let (way, speed) = (to - at, draws.between(Draw::Speed, n, wander.speed));
        legs.push(leg(seconds, at, way.scaled(speed / way.length())));
        seconds += way.length() / speed;
        at = to;
        if !wander.pause.is_zero() {
            legs.push(rest(seconds, at));
            seconds += wander.pause.as_secs_f64();
        }
    }
    // A UE that has no more targets stays.
    if seconds < lasts.as_secs_f64() {
        legs.push(rest(seconds, at));
    }
    Ok(Route::new(legs))
}

/// Target number `n`, which is not the present position.
fn target(layout: &Layout, at: Point, draws: Draws, n: u64) -> Option<Point> {
    let mut targets = (0..ATTEMPTS).map(|attempt| {
        let draw = |axis| draws.uniform(Draw::Target, (n * ATTEMPTS + attempt) * 3 + axis);
        layout.place([draw(0), draw(1), draw(2)])
    });
    targets.find(|to| (*to - at).length() > 0.0 && layout.holds(at, *to))
}
