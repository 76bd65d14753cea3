//! Routes: positions and velocities of a UE that moves, as pure functions of time.
//!
//! A [`Route`] is a list of legs of constant velocity. Its first leg holds before it begins, too; its last
//! leg never ends. Every kind of mobility is made into legs before a run begins.

use airpath_base::Time;

use crate::geometry::Point;

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
}
