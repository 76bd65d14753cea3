//! UEs: where they are, and what stands around them.
//!
//! Everything about UE n is drawn by coordinates from the seed and n alone, so that one more
//! UE moves nobody.

use airpath_base::random::{Keyed, Seed};
use airpath_schema::choice;

use crate::draws::{below, normal};
use crate::environment::Environment;
use crate::error::ChannelError;
use crate::geometry::Point;
use crate::layout::Layout;
use crate::penetration::{Buildings, CAR_DB, INSIDE_DB_PER_METRE, Wall};

/// Height of a UE outdoors in metres (TR 38.901, table 7.2-1).
pub const STREET_M: f64 = 1.5;
/// Draws of a UE's position before the last one is taken.
const ATTEMPTS: u64 = 10_000;

/// Heights of UEs in buildings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heights {
    /// Every UE, also outdoors, at this height in metres.
    Fixed(f64),
    /// In buildings of 4 to 8 floors, on any, 3 m each; 1.5 m outdoors (TR 36.873, table
    /// 6-1).
    Floors,
}

/// Rule by which UEs are dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Users {
    /// Share of UEs in buildings.
    pub indoors: f64,
    /// Share of UEs in cars.
    pub in_cars: f64,
    /// Their heights.
    pub heights: Heights,
    /// The buildings' walls.
    pub buildings: Buildings,
    /// Least ground distance from a site in metres.
    pub least_m: f64,
}

choice! {
    /// Surroundings of a UE.
    #[derive(Hash)]
    pub enum Surroundings {
        /// Outdoors: nothing stands around the UE.
        Outdoors = "outdoors",
        /// A car around the UE.
        Car = "car",
        /// A building around the UE.
        Building = "building",
    }
}

/// A UE that does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ue {
    /// By which draws of its links are keyed.
    pub number: u64,
    /// Position of the UE.
    pub at: Point,
    /// Height above ground in metres.
    pub height_m: f64,
    /// Surroundings of the UE.
    pub surroundings: Surroundings,
    /// Distance from the wall inside a building, in metres.
    pub inside_m: f64,
    /// Loss through walls or a car in dB, the way inside included.
    pub penetration_db: f64,
}

/// Draws of UEs' positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserDraws {
    place: Keyed,
    kind: Keyed,
    floor: Keyed,
    wall: Keyed,
}

impl UserDraws {
    pub fn new(seed: Seed) -> UserDraws {
        UserDraws {
            place: seed.keyed("ue place"),
            kind: seed.keyed("ue surroundings"),
            floor: seed.keyed("ue floor"),
            wall: seed.keyed("ue wall"),
        }
    }

    /// Point of the layout's area that is far enough from all sites.
    pub fn place(self, number: u64, layout: &Layout, least_m: f64) -> Point {
        let mut place = Point::default();
        for attempt in 0..ATTEMPTS {
            place = layout.place([0, 1, 2].map(|n| self.place.uniform([number, attempt, n])));
            let far = |site| layout.way(site, place).length() >= least_m;
            if (0..layout.sites().len()).all(far) {
                break;
            }
        }
        place
    }

    pub fn surroundings(self, number: u64, users: &Users) -> Surroundings {
        let draw = self.kind.uniform([number, 0, 0]);
        if draw < users.indoors {
            Surroundings::Building
        } else if draw < users.indoors + users.in_cars {
            Surroundings::Car
        } else {
            Surroundings::Outdoors
        }
    }

    pub fn height_m(self, number: u64, heights: Heights, surroundings: Surroundings) -> f64 {
        match (heights, surroundings) {
            (Heights::Fixed(height), _) => height,
            (Heights::Floors, Surroundings::Building) => {
                let floors = 4 + below(self.floor, [number, 0, 0], 5);
                let floor = below(self.floor, [number, 1, 0], floors);
                3.0 * floor as f64 + STREET_M
            }
            (Heights::Floors, _) => STREET_M,
        }
    }

    /// Distance of a UE from the wall, in metres: the lesser of two even draws, for the UE and not
    /// for the link (TR 38.901, 7.4.3.1).
    pub fn inside_m(self, number: u64, environment: Environment) -> f64 {
        let draw = |n| self.wall.uniform([number, 0, n]);
        environment.deepest_m() * draw(0).min(draw(1))
    }

    /// Loss through a wall and inside, or into a car, in dB.
    pub fn penetration_db(
        self,
        number: u64,
        surroundings: Surroundings,
        buildings: Buildings,
        inside_m: f64,
        carrier_hz: f64,
    ) -> f64 {
        let draw = normal(self.wall, [number, 2, 0]);
        match surroundings {
            Surroundings::Outdoors => 0.0,
            Surroundings::Car => CAR_DB.0 + CAR_DB.1 * draw,
            Surroundings::Building => {
                let wall: Wall = buildings.wall(self.wall.uniform([number, 1, 0]));
                let through = wall.loss_db(carrier_hz) + wall.sigma_db() * draw;
                through + INSIDE_DB_PER_METRE * inside_m
            }
        }
    }
}

impl Users {
    /// Checks that the shares are between 0 and 1, and at most 1 together.
    ///
    /// # Errors
    ///
    /// If not.
    pub(crate) fn check(&self) -> Result<(), ChannelError> {
        let (indoors, in_cars) = (self.indoors, self.in_cars);
        let share = |share: f64| (0.0..=1.0).contains(&share);
        if share(indoors) && share(in_cars) && indoors + in_cars <= 1.0 + 1e-12 {
            Ok(())
        } else {
            Err(ChannelError::Shares { indoors, in_cars })
        }
    }
}
