//! Checks of streets and of the routes of UEs; files with positions are read here.

use airpath_base::random::Seed;
use airpath_channel::route::{self, RouteError};
use airpath_channel::{Network as Built, Point};
use airpath_schema::{Draft, Node};

use super::Checker;
use crate::file::{
    Environment, Network, Scenario, Spacing, StreetSight, Surroundings, Ue, UeRoute, WaypointsRoute,
};
use crate::load::Files;
use crate::world::routes::{fixes, route};

/// Most blocks of a grid along an axis.
const MOST_BLOCKS: u32 = 100;
/// Largest block in metres.
const LONGEST_M: f64 = 10_000.0;

/// Keys that exclude each other, need each other, or have an order.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let streets = scenario.network.as_ref().and_then(|network| network.streets.as_ref());
    if let Some(streets) = streets {
        let grid = streets.grid();
        if grid.blocks.iter().any(|blocks| !(1..=MOST_BLOCKS).contains(blocks)) {
            let [x, y] = grid.blocks;
            let allowed = format!("1 to {MOST_BLOCKS} each");
            checker.fail("network.streets.blocks", &format!("is [{x}, {y}]"), allowed);
        }
        if grid.block_m.iter().any(|metres| *metres <= grid.width_m || *metres > LONGEST_M) {
            let [x, y] = grid.block_m;
            let allowed =
                format!("more than width, {} m, at most {LONGEST_M} m each", grid.width_m);
            checker.fail("network.streets.block", &format!("is [{x} m, {y} m]"), allowed);
        }
    }
    let wraps = scenario.network.as_ref().is_some_and(|own| own.wrap_around == Some(true));
    if wraps && streets.is_some_and(|own| own.line_of_sight == StreetSight::Buildings) {
        let is_wrong = "is a grid with an end in a network whose edges are joined";
        let allowed = "network.wrap_around = false, sites one by one, or network.streets.line_of_sight \
                       = \"drawn\"";
        checker.fail("network.streets", is_wrong, allowed);
    }
    for (n, group) in scenario.ue.iter().enumerate() {
        match &group.route {
            Some(kind) => check_route(scenario, (n, group), kind, checker),
            None if group.inside.is_some() => {
                let allowed = "add ue.route, or give place = { x = …, y = …, inside = … }, or \
                               network.indoors and network.in_cars";
                checker.fail(&format!("ue.{n}.inside"), "is for UEs on a route", allowed);
            }
            None => {}
        }
    }
}

fn check_route(
    scenario: &Scenario,
    (n, group): (usize, &Ue),
    kind: &UeRoute,
    checker: &mut Checker<'_>,
) {
    let at = format!("ue.{n}.route");
    let Some(network) = &scenario.network else {
        let allowed = "add [network], or leave it out: without one there are no positions";
        return checker.fail(&at, "needs a network, and there is none", allowed);
    };
    check_beside(n, group, kind, checker);
    if let Some(own) = scenario.carrier.iter().find(|carrier| carrier.uplink) {
        let is_wrong = format!("is beside `carrier.{}.uplink`", own.name);
        let allowed = "leave out one of them: further carriers of UEs that move are downlink";
        checker.fail(&at, &is_wrong, allowed);
    }
    let has_no_walls = matches!(network.environment, Environment::InhOpen | Environment::InhMixed);
    if has_no_walls && group.inside.is_some_and(|inside| inside != Surroundings::Outdoors) {
        let allowed = "\"outdoors\": an office is one floor without walls and cars";
        checker.fail(&format!("ue.{n}.inside"), "cannot be so in an office", allowed);
    }
    if let Some(speed) = kind.speed().filter(|speed| speed.min > speed.max) {
        let allowed = format!("{:.3} km/h or more", 3.6 * speed.min.0);
        checker.fail(&format!("{at}.speed.max"), "is less than min", allowed);
    }
    match kind {
        UeRoute::Straight(own) => check_straight(network, group, own.heading.is_some(), n, checker),
        UeRoute::Streets(_) => check_streets(network, group, n, checker),
        UeRoute::Waypoints(own) => check_points(own, &at, checker),
        UeRoute::RandomWaypoint(_) | UeRoute::File(_) => {}
    }
    check_spacing(group, kind, &format!("{at}.spacing"), checker);
}

/// Other keys of the same UEs that give a position or a speed.
fn check_beside(n: usize, group: &Ue, kind: &UeRoute, checker: &mut Checker<'_>) {
    if group.speed.is_some() {
        let is_wrong = format!("is beside `ue.{}.route`", group.name);
        let allowed = "give one of them: `speed` is fading at a fixed position, and a route has a \
                       speed of its own";
        checker.fail(&format!("ue.{n}.speed"), &is_wrong, allowed);
    }
    if group.distance.is_some() {
        let is_wrong = format!("is beside `ue.{}.route`", group.name);
        let allowed = "leave it out, or give place = { x = …, y = … } as the begin of the route";
        checker.fail(&format!("ue.{n}.distance"), &is_wrong, allowed);
    }
    if group.place.is_some() && matches!(kind, UeRoute::Waypoints(_) | UeRoute::File(_)) {
        let allowed = "leave it out: the route begins at its first point";
        checker.fail(&format!("ue.{n}.place"), "is beside a route with points", allowed);
    }
    if group.inside.is_some() && checker.given(&format!("ue.{n}.place.inside")).is_some() {
        checker.fail(&format!("ue.{n}.inside"), "is beside place.inside", "give one of them");
    }
}

fn check_straight(network: &Network, group: &Ue, heads: bool, n: usize, checker: &mut Checker<'_>) {
    let (wraps, placed) = (network.wrap_around == Some(true), group.place.is_some());
    if !(wraps || heads && placed) {
        let is_wrong = "is a line that may leave the network, whose edges are not joined";
        let allowed = "give ue.place and a heading, or set network.wrap_around = true in a hexagonal \
                       layout, or kind = \"random-waypoint\"";
        checker.fail(&format!("ue.{n}.route"), is_wrong, allowed);
    }
}

fn check_streets(network: &Network, group: &Ue, n: usize, checker: &mut Checker<'_>) {
    let Some(streets) = &network.streets else {
        let allowed = "add network.streets = { blocks = [2, 2] }, or choose another kind";
        return checker.fail(
            &format!("ue.{n}.route"),
            "needs streets, and there are none",
            allowed,
        );
    };
    let Some(place) = &group.place else { return };
    let (grid, at) = (streets.grid(), Point { x: place.x.0, y: place.y.0 });
    if !grid.has(at) {
        let near = grid.nearest(at);
        let allowed = format!("a point of one: the nearest is x = {} m, y = {} m", near.x, near.y);
        checker.fail(&format!("ue.{n}.place"), "is on no centre line of the streets", allowed);
    }
}

fn check_points(own: &WaypointsRoute, at: &str, checker: &mut Checker<'_>) {
    if !checker.length(&format!("{at}.point"), own.point.len()) {
        return;
    }
    if own.point.is_empty() {
        let allowed = "add point = [{ x = \"0 m\", y = \"0 m\" }, …]";
        return checker.fail(&format!("{at}.point"), "has no points", allowed);
    }
    let mut timed = true;
    for (n, point) in own.point.iter().enumerate() {
        let (first, key) = (n == 0, format!("{at}.point.{n}"));
        if point.speed.is_some() && (first || point.time.is_some()) {
            let is_wrong = if first { "is one to the first point" } else { "is beside time" };
            checker.fail(&format!("{key}.speed"), is_wrong, "leave it out");
        }
        if !first && point.time.is_none() && point.speed.or(own.speed).is_none() {
            let allowed = "give the point a time or a speed, or the route a speed";
            checker.fail(&key, "has neither a time nor a speed", allowed);
            timed = false;
        }
    }
    if timed && let Err(error) = route::through(&fixes(own)) {
        let path = match error {
            RouteError::NotLater { point } | RouteError::TooFast { point, .. } => {
                format!("{at}.point.{}", point - 1)
            }
            _ => format!("{at}.point"),
        };
        fail(&path, error, checker);
    }
}

fn check_spacing(group: &Ue, kind: &UeRoute, at: &str, checker: &mut Checker<'_>) {
    if checker.given(at).is_none() {
        return;
    }
    if group.arrivals.is_some() {
        let is_wrong = format!("is beside `ue.{}.arrivals`", group.name);
        checker.fail(at, &is_wrong, "leave it out: UEs begin their routes as they arrive");
    }
    let constant = matches!(kind, UeRoute::Straight(_) | UeRoute::Streets(_));
    if !constant && matches!(kind.spacing(), Some(Spacing::Length(_))) {
        let is_wrong = "is a length, and the speed of the route changes";
        checker.fail(at, is_wrong, "a time, as \"2 s\"");
    }
}

/// Routes that are known before a run: inside the network's area, and not too near to a site.
///
/// Routes that are drawn keep to the area. They may pass a site, and their distance counts as the
/// models' least one there.
pub(super) fn check_bounds(scenario: &Scenario, built: &Built, checker: &mut Checker<'_>) {
    let (layout, seed) = (&built.config().layout, Seed(scenario.seed));
    let least_m = built.config().environment.limits().least_m;
    check_area(scenario, built, checker);
    let mut wrong: Option<usize> = None;
    for one in scenario.ues() {
        let n = one.group_index;
        let least_m = match &one.group.route {
            Some(UeRoute::Waypoints(_) | UeRoute::File(_)) => least_m,
            Some(UeRoute::Straight(_)) if !layout.wraps() => 0.0,
            _ => continue,
        };
        // Those who follow on the same points take the same way, a fault of which is reported once.
        let follows = match &one.group.route {
            Some(UeRoute::File(own)) => own.file.is_common(),
            kind => matches!(kind, Some(UeRoute::Waypoints(_))),
        };
        if wrong == Some(n) || (follows && one.index > 0) {
            continue;
        }
        let path = format!("ue.{n}.route");
        if let Some(UeRoute::File(own)) = &one.group.route
            && own.file.tracks().is_some_and(|tracks| tracks.of(one.index).is_none())
        {
            let is_wrong = format!("has no positions of UE {}", one.index);
            let allowed = "a track for each UE of the group, numbered from 0, or one of all";
            checker.fail(&format!("{path}.file"), &is_wrong, allowed);
            wrong = Some(n);
            continue;
        }
        let made = route(scenario, built, &one, seed);
        let lasts = scenario.duration;
        let checked = made.and_then(|made| match made {
            Some(made) => route::check(&made, layout, least_m, lasts),
            None => Ok(()),
        });
        let at_origin = matches!(&one.group.route, Some(UeRoute::File(own)) if own.file.is_gpx() && own.origin.is_none());
        if let (Err(error @ RouteError::TooNear { .. }), true) = (&checked, at_origin) {
            let allowed = "route.origin = { latitude = …, longitude = … }: without it the first point is at x = 0, y = 0";
            checker.fail(&path, &format!("cannot be so: {error}"), allowed);
            wrong = Some(n);
        } else if let Err(error) = checked {
            fail(&path, error, checker);
            wrong = Some(n);
        }
    }
}

/// Streets and begins of routes within the area of the network.
fn check_area(scenario: &Scenario, built: &Built, checker: &mut Checker<'_>) {
    let layout = &built.config().layout;
    let larger = "a larger network.radius, more network.sites, or network.wrap_around = true";
    let used = scenario.ue.iter().any(|group| matches!(group.route, Some(UeRoute::Streets(_))));
    let streets = scenario.network.as_ref().and_then(|network| network.streets.as_ref());
    if let Some(grid) = streets.filter(|_| used).map(|streets| streets.grid())
        && !grid.centre_lines().all(|[a, b]| layout.holds(a, b))
    {
        let [x, y] = grid.reach_m();
        let is_wrong = format!("reaches to x = {x} m, y = {y} m, outside the network's area");
        checker.fail("network.streets", &is_wrong, larger);
    }
    for (n, group) in scenario.ue.iter().enumerate() {
        let Some(UeRoute::RandomWaypoint(_)) = &group.route else { continue };
        let at = group.place.as_ref().map(|place| Point { x: place.x.0, y: place.y.0 });
        if at.is_some_and(|at| !layout.holds(at, at)) {
            checker.fail(&format!("ue.{n}.place"), "is outside the network's area", larger);
        }
    }
}

fn fail(path: &str, error: RouteError, checker: &mut Checker<'_>) {
    let allowed = match error {
        RouteError::NotLater { .. } => "times that grow from point to point",
        RouteError::TooFast { .. } => "a later time, or points nearer to each other",
        RouteError::Outside { .. } => {
            "a route within the area, a shorter duration, a larger network.radius, or \
             network.wrap_around = true"
        }
        RouteError::TooNear { .. } => "a way farther from the site",
        RouteError::TooLong | RouteError::TooMany => "a shorter duration, or a lower speed",
    };
    checker.fail(path, &format!("cannot be so: {error}"), allowed);
}

/// Reads the files with positions.
pub(crate) fn read_tracks(scenario: &mut Scenario, root: &Node, files: Files<'_>) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    for (n, group) in scenario.ue.iter_mut().enumerate() {
        let Some(UeRoute::File(own)) = &mut group.route else { continue };
        let at = format!("ue.{n}.route");
        if own.origin.is_some() && !own.file.is_gpx() {
            let allowed = "leave it out: positions of CSV are metres of the network";
            checker.fail(&format!("{at}.origin"), "is for GPX", allowed);
        }
        let read =
            files(own.file.file()).and_then(|text| own.file.read(&text, own.origin.as_ref()));
        if let Err(why) = read {
            let allowed = "a file of CSV with the columns time, x, y and perhaps ue, or of GPX with \
                           the end \".gpx\" and times";
            checker.fail(&format!("{at}.file"), &format!("cannot be read: {why}"), allowed);
        }
    }
    checker.drafts
}
