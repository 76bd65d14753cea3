//! Routes: positions and velocities of a UE that moves, as pure functions of time.
//!
//! A [`Route`] is a list of legs of constant velocity. Its first leg holds before it begins, too; its last
//! leg never ends. Every kind of mobility is made into legs before a run begins.
//!
//! - [`straight`]: a line without end.
//! - [`along_streets`]: the centre lines of a grid, with turns at crossings.
//! - [`random_waypoints`]: targets that are drawn in the area of a network.
//! - [`through`]: points with a time each.

mod bounds;
mod points;
mod random;
mod straight;
mod turns;

use airpath_base::random::{Keyed, Seed};
use airpath_base::{Duration, Time};

pub use bounds::check;
pub use points::{Fix, through};
pub use random::{Wander, random_waypoints};
pub use straight::straight;
pub use turns::along_streets;

use crate::geometry::Point;

/// Largest speed on a route in metres a second: 350 km/h.
pub const FASTEST: f64 = 350.0 / 3.6;
/// Most legs of a route.
pub const MOST_LEGS: usize = 1_000_000;
/// Most legs of all routes of a network, which take 400 MB.
pub const MOST_LEGS_OF_ALL: usize = 10_000_000;

/// Position and velocity of a UE at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Position in metres.
    pub at: Point,
    /// Velocity in metres a second along both axes; zero at rest.
    pub velocity: Point,
}

/// A piece of a route with constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Begin of the leg.
    pub from: Time,
    /// Position at its begin, and velocity.
    pub motion: Motion,
}

/// A path of a UE over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    legs: Vec<Leg>,
}

/// Error of a route.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RouteError {
    /// A point without a later time than that before it.
    #[error("point {point} has no later time than point {before}", before = point - 1)]
    NotLater {
        /// The point, counted from 1.
        point: usize,
    },
    /// Points too far from each other for their times.
    #[error(
        "from point {before} to point {point} its speed is {kmh:.0} km/h, and at most 350 km/h are allowed",
        before = point - 1
    )]
    TooFast {
        /// The second point, counted from 1.
        point: usize,
        /// Speed between the points in km/h.
        kmh: f64,
    },
    /// A leg outside the area of the network.
    #[error("it leaves the area of the network {after}, near x = {x:.1} m, y = {y:.1} m", x = at.x, y = at.y)]
    Outside {
        /// Time since the begin of the route.
        after: After,
        /// Position near which it leaves the area.
        at: Point,
    },
    /// A position nearer to a site than the models allow.
    #[error("it is {metres:.1} m from site {site} {after}: at least {least_m} m are allowed")]
    TooNear {
        /// Time since the begin of the route.
        after: After,
        /// Distance to the site in metres.
        metres: f64,
        /// The site, counted from 0.
        site: usize,
        /// Least distance in metres.
        least_m: f64,
    },
    /// More legs than [`MOST_LEGS`].
    #[error("it has more than {MOST_LEGS} legs")]
    TooLong,
    /// More legs of all routes than [`MOST_LEGS_OF_ALL`].
    #[error("routes have more than {MOST_LEGS_OF_ALL} legs together")]
    TooMany,
}

/// Time since the begin of a route, written with a tenth of a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct After(pub f64);

impl core::fmt::Display for After {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(out, "at {:.1} s", self.0)
    }
}

/// Draws of the routes of a UE.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    keyed: Keyed,
    number: u64,
}

/// Draws of a route beside those of its legs.
#[derive(Clone, Copy)]
enum Draw {
    Start,
    Heading,
    Turn,
    Speed,
    Target,
}

impl Draws {
    /// Draws for the UE of this number, which are independent of all other UEs.
    pub fn new(seed: Seed, number: u64) -> Draws {
        Draws { keyed: seed.keyed("route"), number }
    }

    /// Share of 0 to 1 at which a UE begins along streets ([`Streets::along`](crate::streets::Streets::along)).
    pub fn start(self) -> f64 {
        self.uniform(Draw::Start, 0)
    }

    /// A speed between two, the same for the whole route.
    pub fn speed(self, (min, max): (f64, f64)) -> f64 {
        self.between(Draw::Speed, 0, (min, max))
    }

    fn between(self, draw: Draw, index: u64, (min, max): (f64, f64)) -> f64 {
        min + (max - min) * self.uniform(draw, index)
    }

    fn uniform(self, draw: Draw, index: u64) -> f64 {
        self.keyed.uniform([self.number, index, draw as u64])
    }
}

impl Route {
    /// The route of these legs, in the order of their begins. Of legs with one begin the last one counts.
    pub fn new(legs: Vec<Leg>) -> Route {
        Route { legs }
    }

    /// Legs of the route.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Position and velocity at a time; the origin at rest for a route without legs.
    pub fn at(&self, time: Time) -> Motion {
        let next = self.legs.partition_point(|leg| leg.from <= time);
        let Some(leg) = self.legs.get(next.saturating_sub(1)) else { return Motion::default() };
        let seconds = time.saturating_since(leg.from).as_secs_f64();
        let Motion { at, velocity } = leg.motion;
        Motion { at: at + velocity.scaled(seconds), velocity }
    }

    /// The route begun later, with a rest at its begin until then.
    pub fn later(self, by: Duration) -> Route {
        let start = self.legs.first().map(|leg| leg.motion.at);
        let waits = start.filter(|_| !by.is_zero()).map(|at| rest(0.0, at));
        let legs =
            self.legs.into_iter().map(|leg| Leg { from: leg.from.saturating_add(by), ..leg });
        Route { legs: waits.into_iter().chain(legs).collect() }
    }

    /// The route of a UE that follows at this distance in time. Its first leg is longer at its begin.
    pub fn behind(mut self, by: Duration) -> Route {
        self.legs.iter_mut().for_each(|leg| leg.from = leg.from.saturating_add(by));
        if let Some(Leg { from, motion }) = self.legs.first_mut() {
            motion.at = motion.at - motion.velocity.scaled(from.as_secs_f64());
            *from = Time::ZERO;
        }
        self
    }
}

/// A leg of this velocity from so many seconds on.
fn leg(seconds: f64, at: Point, velocity: Point) -> Leg {
    Leg { from: Time::ZERO + Duration::from_secs_f64(seconds), motion: Motion { at, velocity } }
}

/// A leg at rest.
fn rest(seconds: f64, at: Point) -> Leg {
    leg(seconds, at, Point::default())
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
