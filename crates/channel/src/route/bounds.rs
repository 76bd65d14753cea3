//! Bounds of a route: the area of the network, and the least distance from its sites.

use airpath_base::{Duration, Time};

use super::{After, Motion, Route, RouteError};
use crate::layout::Layout;

/// Shortest step along a leg in metres while distances are looked at.
const STEP_M: f64 = 0.1;

/// Checks a route over so much time against the area of a layout, and against the least distance
/// from its sites in metres. With wrap-around the area has no end. A distance may be short by 0.1 m.
///
/// # Errors
///
/// The first leg outside, or the first position that is too near to a site.
pub fn check(
    route: &Route,
    layout: &Layout,
    least_m: f64,
    lasts: Duration,
) -> Result<(), RouteError> {
    let end = Time::ZERO + lasts;
    for (n, leg) in route.legs().iter().enumerate().filter(|(_, leg)| leg.from <= end) {
        let until = route.legs().get(n + 1).map_or(end, |next| next.from.min(end));
        let seconds = until.saturating_since(leg.from).as_secs_f64();
        let Motion { at, velocity } = leg.motion;
        if !layout.holds(at, at + velocity.scaled(seconds)) {
            // The border is crossed within a thousandth of the leg from here.
            let inside = |share: f64| layout.holds(at, at + velocity.scaled(share * seconds));
            let share =
                (0..=1_000).map(|n| f64::from(n) / 1_000.0).take_while(|&n| inside(n)).last();
            let seconds = share.unwrap_or(0.0) * seconds;
            let after = After(leg.from.as_secs_f64() + seconds);
            return Err(RouteError::Outside { after, at: at + velocity.scaled(seconds) });
        }
        let speed = velocity.length();
        for site in 0..layout.sites().len() {
            let far = |metres: f64| match speed > 0.0 {
                true => layout.way(site, at + velocity.scaled(metres / speed)).length(),
                false => layout.way(site, at).length(),
            };
            if let Some((gone, metres)) = too_near(far, speed * seconds, least_m) {
                let gone = if speed > 0.0 { gone / speed } else { 0.0 };
                let after = After(leg.from.as_secs_f64() + gone);
                return Err(RouteError::TooNear { after, metres, site, least_m });
            }
        }
    }
    Ok(())
}

/// First metre of a leg of this length at which a distance is too small, and the distance. A UE comes
/// no faster nearer to a site than it moves, so that a step as long as what is left is safe.
fn too_near(far: impl Fn(f64) -> f64, length: f64, least_m: f64) -> Option<(f64, f64)> {
    let mut gone = 0.0;
    loop {
        let metres = far(gone);
        if metres < least_m {
            return Some((gone, metres));
        }
        if gone >= length {
            return None;
        }
        gone = (gone + (metres - least_m).max(STEP_M)).min(length);
    }
}
