//! Routes of the UEs of a network.

use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_channel::route::{
    Draws, Fix, MOST_LEGS_OF_ALL, Route, RouteError, Wander, along_streets, random_waypoints,
    straight, through,
};
use airpath_channel::{self as channel, Point};

use crate::file::{Scenario, Spacing, UeRoute, Waypoint, WaypointsRoute};
use crate::resolve::UeRef;

use super::network::number;

/// The route of each UE in the order of the file; none of UEs at rest.
///
/// Draws of a UE come from its group's name and its number there, so that one more UE moves nobody.
/// UEs that arrive must have been drawn ([`Scenario::with_arrivals`]).
///
/// # Errors
///
/// Too many legs of a route, or of all; any other error only in a scenario that was not checked.
pub fn routes(
    scenario: &Scenario,
    network: &channel::Network,
    seed: Seed,
) -> Result<Vec<Option<Route>>, RouteError> {
    let mut legs = 0;
    let made = scenario.ues().map(|one| {
        let made = route(scenario, network, &one, seed)?;
        legs += made.as_ref().map_or(0, |made| made.legs().len());
        if legs > MOST_LEGS_OF_ALL { Err(RouteError::TooMany) } else { Ok(made) }
    });
    made.collect()
}

/// The route of a UE; none at rest.
pub(crate) fn route(
    scenario: &Scenario,
    network: &channel::Network,
    one: &UeRef<'_>,
    seed: Seed,
) -> Result<Option<Route>, RouteError> {
    let Some(kind) = &one.group.route else { return Ok(None) };
    // UEs that follow each other are on the route of the first.
    let spacing = kind.spacing().filter(|_| one.group.arrivals.is_none());
    let number = number(&UeRef { index: if spacing.is_some() { 0 } else { one.index }, ..*one });
    let (draws, lasts) = (Draws::new(seed, number), scenario.duration);
    let given = one.group.place.as_ref().map(|place| Point { x: place.x.0, y: place.y.0 });
    let start = || given.unwrap_or_else(|| network.drop(number).at);
    let speed = kind.speed().map(|speed| draws.speed(speed.range()));
    let pace = speed.unwrap_or_default();
    let made = match kind {
        UeRoute::Straight(own) => {
            straight(start(), own.heading.map(|heading| heading.0), pace, draws)
        }
        UeRoute::Streets(_) => {
            let file = scenario.network.as_ref().and_then(|network| network.streets.as_ref());
            let streets = file.map(|streets| streets.grid()).unwrap_or_default();
            let start = given.unwrap_or_else(|| streets.along(draws.start()));
            along_streets(&streets, start, pace, draws, lasts)?
        }
        UeRoute::RandomWaypoint(own) => {
            let wander = Wander { speed: own.speed.range(), pause: own.pause };
            random_waypoints(wander, &network.config().layout, start(), draws, lasts)?
        }
        UeRoute::Waypoints(own) => through(&fixes(own))?,
        UeRoute::File(own) => {
            let tracks = own.file.tracks().and_then(|tracks| tracks.of(one.index));
            tracks.cloned().unwrap_or_else(|| Route::new(Vec::new()))
        }
    };
    let behind = match spacing {
        None => Duration::ZERO,
        Some(Spacing::Time(time)) => time * u64::from(one.index),
        Some(Spacing::Length(length)) => {
            Duration::from_secs_f64(length.0 * f64::from(one.index) / pace)
        }
    };
    let made = match kind {
        UeRoute::Straight(_) => made.behind(behind),
        _ => made.later(behind),
    };
    let arrival = one.arrival().map_or(Duration::ZERO, |at| Duration::from_nanos(at.as_nanos()));
    Ok(Some(made.later(arrival)))
}

/// Points of a route with their times. A point without a time follows from the one before by its speed.
pub(crate) fn fixes(route: &WaypointsRoute) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::with_capacity(route.point.len());
    for Waypoint { x, y, time, speed } in &route.point {
        let at = Point { x: x.0, y: y.0 };
        let reached = |before: &Fix| {
            let metres = (at - before.at).length();
            let speed = speed.or(route.speed).unwrap_or_default().0;
            before.time.saturating_add(Duration::from_secs_f64(metres / speed))
        };
        let follows = fixes.last().map(reached).unwrap_or_default();
        let time = time.map_or(follows, |time| airpath_base::Time::ZERO + time);
        fixes.push(Fix { time, at });
    }
    fixes
}
