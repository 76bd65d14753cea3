//! A network: sites, their antennas, and the gain of every link.
//!
//! A link's gain is a pure function of seed, site and UE. What sites share of a link is
//! computed once a site; cells differ by their azimuths only.

use std::sync::Arc;

use airpath_base::math;
use airpath_base::random::{Keyed, Seed};
use airpath_schema::choice;

use crate::angles::{MOST_CLUSTERS, angles};
use crate::antenna::{Antenna, Averages, Spread, Vertical};
use crate::clusters::Departure;
use crate::environment::{Condition, Environment, Sight};
use crate::error::ChannelError;
use crate::geometry::{Point, Span, wrapped_deg};
use crate::layout::{Area, Layout};
use crate::line_of_sight;
use crate::path_loss::path_loss_db;
use crate::penetration::{Buildings, INSIDE_DB_PER_METRE};
use crate::shadowing::Shadowing;
use crate::users::{Surroundings, Ue, UserDraws, Users};

pub(crate) const NEPER: f64 = core::f64::consts::LN_10 / 10.0;

// Straight and scattered power count by the K-factor.
choice! {
    /// Rule for the gain of an antenna.
    #[derive(Hash)]
    pub enum Averaging {
        /// Averaged over the directions in which the signal leaves (TR 38.901, 7.5).
        Spread = "spread",
        /// In the straight direction alone, as in calibrations without fast fading.
        Straight = "straight",
    }
}

/// Configuration of a network.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// Its sites.
    pub layout: Layout,
    /// Its models.
    pub environment: Environment,
    /// Carrier frequency in Hz.
    pub carrier_hz: f64,
    /// Height of the antennas above ground in metres.
    pub base_m: f64,
    /// The antenna of each cell.
    pub antenna: Antenna,
    /// Method for the gain of the antenna.
    pub averaging: Averaging,
    /// Rule by which UEs are dropped.
    pub users: Users,
}

/// A network with its draws and tables.
#[derive(Clone, Debug)]
pub struct Network {
    config: NetworkConfig,
    users: UserDraws,
    sight: Keyed,
    clutter: Keyed,
    inside: Keyed,
    angles: Keyed,
    shadowing: Shadowing,
    averages: Option<Arc<Averages>>,
    cells: Vec<Cell>,
}

/// A cell's site and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Index of the cell's site in the layout.
    pub site: usize,
    /// Azimuth of its antenna in degrees.
    pub azimuth_deg: f64,
}

/// Properties of a link that the cells of a site share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteLink {
    /// The way from the site, or from its nearest image, to the UE.
    pub way: Point,
    /// Geometry between site and UE.
    pub span: Span,
    /// Sight, and whether there is a wall.
    pub condition: Condition,
    /// Path loss, shadowing and penetration together, in dB.
    pub loss_db: f64,
}

impl NetworkConfig {
    /// Checks that the network is within the limits of the models.
    ///
    /// # Errors
    ///
    /// The first fault, and the allowed range. Faults are a carrier or a height outside the
    /// environment's range, invalid shares, a least distance that leaves no room, and an invalid
    /// antenna.
    pub fn check(&self) -> Result<(), ChannelError> {
        let (environment, limits) = (self.environment, self.environment.limits());
        let (ghz, metres) = (self.carrier_hz / 1e9, self.base_m);
        let inside = |(low, high): (f64, f64), value: f64| (low..=high).contains(&value);
        if !inside(limits.carrier_ghz, ghz) {
            return Err(ChannelError::Carrier { environment, ghz });
        }
        if !inside(limits.base_m, metres) {
            return Err(ChannelError::BaseHeight { environment, metres });
        }
        let users = &self.users;
        users.check()?;
        if environment.is_office() && users.indoors + users.in_cars > 0.0 {
            return Err(ChannelError::NoWalls { environment });
        }
        if let crate::users::Heights::Fixed(metres) = users.heights
            && !inside(limits.ue_m, metres)
        {
            return Err(ChannelError::UeHeight { environment, metres });
        }
        let allowed = (limits.least_m, room_m(self.layout.area()));
        if !inside(allowed, users.least_m) {
            return Err(ChannelError::LeastDistance { metres: users.least_m, allowed });
        }
        check_antenna(&self.antenna)
    }
}

impl Network {
    /// The network of this configuration, its draws from this seed.
    ///
    /// # Errors
    ///
    /// A carrier or a height outside the environment's range, invalid shares, a least distance that
    /// leaves no room, or an invalid antenna.
    pub fn new(config: NetworkConfig, seed: Seed) -> Result<Network, ChannelError> {
        config.check()?;
        let sites = config.layout.sites();
        let cells = sites.iter().enumerate().flat_map(|(site, one)| {
            one.azimuths_deg.iter().map(move |&azimuth_deg| Cell { site, azimuth_deg })
        });
        Ok(Network {
            users: UserDraws::new(seed),
            sight: seed.keyed("line of sight"),
            clutter: seed.keyed("clutter height"),
            inside: seed.keyed("way inside"),
            angles: seed.keyed("angular spread"),
            shadowing: Shadowing::new(seed, config.environment, sites.len()),
            averages: (config.averaging == Averaging::Spread)
                .then(|| Averages::shared(&config.antenna)),
            cells: cells.collect(),
            config,
        })
    }

    /// Draws everything anew, from this seed.
    pub fn reseed(&mut self, seed: Seed) {
        self.users = UserDraws::new(seed);
        self.sight = seed.keyed("line of sight");
        self.clutter = seed.keyed("clutter height");
        self.inside = seed.keyed("way inside");
        self.angles = seed.keyed("angular spread");
        self.shadowing =
            Shadowing::new(seed, self.config.environment, self.config.layout.sites().len());
    }

    /// Configuration of the network.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// Its shadowing.
    pub fn shadowing(&self) -> &Shadowing {
        &self.shadowing
    }

    /// Its cells, those of a site together.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// UE `number`, dropped at random.
    pub fn drop(&self, number: u64) -> Ue {
        let users = &self.config.users;
        let at = self.users.place(number, &self.config.layout, users.least_m);
        self.on_route(number, at, self.surroundings(number), None)
    }

    /// Surroundings of UE `number`, drawn at random.
    pub fn surroundings(&self, number: u64) -> Surroundings {
        self.users.surroundings(number, &self.config.users)
    }

    /// A UE at a given point.
    ///
    /// # Errors
    ///
    /// A point too near to a site, a height outside the environment's range, or walls where there
    /// are none.
    pub fn place(
        &self,
        number: u64,
        at: Point,
        surroundings: Surroundings,
        height_m: Option<f64>,
    ) -> Result<Ue, ChannelError> {
        let environment = self.config.environment;
        if environment.is_office() && surroundings != Surroundings::Outdoors {
            return Err(ChannelError::NoWalls { environment });
        }
        let ue = self.on_route(number, at, surroundings, height_m);
        let (low, high) = environment.limits().ue_m;
        if !(low..=high).contains(&ue.height_m) {
            return Err(ChannelError::UeHeight { environment, metres: ue.height_m });
        }
        let least_m = environment.limits().least_m;
        for site in 0..self.config.layout.sites().len() {
            let metres = self.config.layout.way(site, at).length();
            if metres < least_m {
                return Err(ChannelError::TooNear { metres, site, least_m });
            }
        }
        Ok(ue)
    }

    /// A UE on a route, which may come as near to a site as it likes. Below the least distance of the model its link is
    /// that of the least distance.
    pub fn on_route(
        &self,
        number: u64,
        at: Point,
        surroundings: Surroundings,
        height_m: Option<f64>,
    ) -> Ue {
        let (draws, config) = (self.users, &self.config);
        let inside_m = match surroundings {
            Surroundings::Building if config.users.buildings != Buildings::Legacy => {
                draws.inside_m(number, config.environment)
            }
            _ => 0.0,
        };
        let buildings = config.users.buildings;
        Ue {
            number,
            at,
            height_m: height_m
                .unwrap_or_else(|| draws.height_m(number, config.users.heights, surroundings)),
            surroundings,
            inside_m,
            penetration_db: draws.penetration_db(
                number,
                surroundings,
                buildings,
                inside_m,
                config.carrier_hz,
            ),
        }
    }

    /// Properties of a site's link to a UE at rest, which the cells of the site share.
    pub fn site_link(&self, site: usize, ue: &Ue) -> SiteLink {
        let key = [ue.number, site as u64, 0];
        self.link(site, (ue, &self.shadowing), |likely, _| self.sight.uniform(key) < likely)
    }

    /// Properties of a site's link to a UE. `sees` decides the line of sight by its probability and the way from
    /// the site.
    pub(crate) fn link(
        &self,
        site: usize,
        (ue, shadowing): (&Ue, &Shadowing),
        sees: impl FnOnce(f64, Point) -> bool,
    ) -> SiteLink {
        let (config, environment) = (&self.config, self.config.environment);
        let way = config.layout.way(site, ue.at);
        // UEs at rest are never nearer.
        let ground_m = way.length().max(environment.limits().least_m);
        let key = [ue.number, site as u64, 0];
        let (inside_m, inside_db) = self.inside(ue, key);
        let span = Span {
            ground_m,
            inside_m: inside_m.min(ground_m),
            base_m: config.base_m,
            ue_m: ue.height_m,
        };
        let likely = line_of_sight::probability(environment, span.outside_m(), span.ue_m);
        let condition = Condition {
            sight: if sees(likely, way) { Sight::Los } else { Sight::Nlos },
            indoors: ue.surroundings == Surroundings::Building,
        };
        let clutter_m = clutter_m(environment, &span, || self.clutter.uniform(key));
        let loss_db =
            path_loss_db(environment, condition.sight, config.carrier_hz, &span, clutter_m)
                + shadowing.db(site, condition, way)
                + ue.penetration_db
                + inside_db;
        SiteLink { way, span, condition, loss_db }
    }

    /// Distance in metres that a link goes inside a building, and the loss in dB that it adds to
    /// the UE's penetration loss.
    ///
    /// It is the UE's own, but with walls of 20 dB the link's (TR 38.901, table 7.4.3-3; TR
    /// 36.873, table 7.2-1).
    fn inside(&self, ue: &Ue, key: [u64; 3]) -> (f64, f64) {
        let users = &self.config.users;
        if ue.surroundings != Surroundings::Building || users.buildings != Buildings::Legacy {
            return (ue.inside_m, 0.0);
        }
        let inside_m = self.config.environment.deepest_m() * self.inside.uniform(key);
        (inside_m, INSIDE_DB_PER_METRE * inside_m)
    }

    /// Gains of all cells to a UE as factors, antennas included, in the order of
    /// [`cells`](Network::cells).
    pub fn gains(&self, ue: &Ue, gains: &mut Vec<f64>) {
        gains.clear();
        for (site, one) in self.config.layout.sites().iter().enumerate() {
            let link = self.site_link(site, ue);
            let factor = math::exp(-NEPER * link.loss_db);
            let beam = self.beam(site, ue, &link);
            let azimuth = link.way.azimuth_deg();
            for own in &one.azimuths_deg {
                gains.push(factor * self.antenna_gain(&beam, wrapped_deg(azimuth - own)));
            }
        }
    }

    /// Directions of power that leaves the site towards the UE.
    fn beam(&self, site: usize, ue: &Ue, link: &SiteLink) -> Beam {
        self.beam_of(link, self.scattered(site, ue, link).as_ref())
    }

    /// Scattered power of a link; none where the straight direction counts alone.
    pub(crate) fn scattered(&self, site: usize, ue: &Ue, link: &SiteLink) -> Option<Scattered> {
        let config = &self.config;
        self.averages.as_ref()?;
        let angles = angles(config.environment, link.condition, config.carrier_hz, &link.span);
        let departure = Departure::draw(&angles, self.angles, [ue.number, site as u64]);
        let received = config.antenna.polarisation.share(angles.crossed());
        Some(Scattered { departure, received })
    }

    /// Directions of a link's power with these clusters.
    pub(crate) fn beam_of(&self, link: &SiteLink, scattered: Option<&Scattered>) -> Beam {
        let (config, zenith_deg) = (&self.config, link.span.zenith_deg());
        let mut beam = Beam {
            zenith_deg,
            straight: config.antenna.polarisation.share(0.0),
            scattered: [(Vertical::default(), 0.0, 0.0); MOST_CLUSTERS],
            count: 0,
        };
        let (Some(averages), Some(own)) = (&self.averages, scattered) else { return beam };
        let departure = &own.departure;
        beam.straight *= departure.straight;
        let spread = Spread::new(departure.azimuth_spread_deg, departure.zenith_spread_deg);
        for (cluster, place) in departure.clusters().iter().zip(&mut beam.scattered) {
            let vertical = averages.vertical(zenith_deg + cluster.zenith_deg, spread);
            *place = (vertical, cluster.azimuth_deg, own.received * cluster.power);
            beam.count += 1;
        }
        beam
    }

    /// Gain of an antenna as a factor, whose boresight is so far beside the straight direction.
    pub(crate) fn antenna_gain(&self, beam: &Beam, azimuth_deg: f64) -> f64 {
        let mut gain = 0.0;
        if beam.straight > 0.0 {
            gain += beam.straight * self.config.antenna.gain(azimuth_deg, beam.zenith_deg);
        }
        if let Some(averages) = &self.averages {
            for (vertical, off_deg, power) in &beam.scattered[..beam.count] {
                gain += power * averages.gain(vertical, azimuth_deg + off_deg);
            }
        }
        gain
    }
}

/// Clusters of a link's scattered power.
#[derive(Clone, Debug)]
pub(crate) struct Scattered {
    departure: Departure,
    /// Share of scattered power that the antenna receives.
    received: f64,
}

/// Directions of power that leaves a site towards a UE.
pub(crate) struct Beam {
    zenith_deg: f64,
    /// Share of the power that goes straight and is received.
    straight: f64,
    /// Of each cluster what all cells share, its azimuth beside the straight direction, and
    /// the share of the power that is received from it.
    scattered: [(Vertical, f64, f64); MOST_CLUSTERS],
    count: usize,
}

/// Effective height of what stands around a UE in metres (TR 38.901, table 7.4.1-1, note 1;
/// TR 36.873, table 7.2-1, note 1).
fn clutter_m(environment: Environment, span: &Span, draw: impl FnOnce() -> f64) -> f64 {
    let urban = matches!(environment, Environment::Uma | Environment::Uma3d);
    let elevation = if urban { line_of_sight::elevation(span.ground_m, span.ue_m) } else { 0.0 };
    if elevation <= 0.0 {
        return 1.0;
    }
    // One with probability 1 / (1 + C), else one of 12, 15 … height - 1.5.
    let draw = draw() * (1.0 + elevation);
    if draw < 1.0 {
        return 1.0;
    }
    let heights = ((span.ue_m - 1.5 - 12.0) / 3.0).max(0.0) as u32 + 1;
    let nth = ((draw - 1.0) / elevation * f64::from(heights)) as u32;
    12.0 + 3.0 * f64::from(nth.min(heights - 1))
}

/// Least distance from sites that always leaves room for UEs.
fn room_m(area: Area) -> f64 {
    match area {
        Area::Hexagons { site_distance_m } => site_distance_m / 2.0,
        Area::Rectangle { to } => to.x.min(to.y) / 10.0,
        Area::Disc { radius_m } => radius_m / 10.0,
    }
}

fn check_antenna(antenna: &Antenna) -> Result<(), ChannelError> {
    let wrong = |why| Err(ChannelError::Antenna { why });
    if antenna.elements == 0 {
        return wrong("an antenna needs an element");
    }
    if !(antenna.spacing > 0.0 && antenna.spacing <= 10.0) {
        return wrong("the elements of an antenna are more than 0, at most 10 wavelengths apart");
    }
    if !(-90.0..=90.0).contains(&antenna.downtilt_deg) {
        return wrong("an electrical downtilt is from -90 to 90 degrees");
    }
    if antenna.elements == 1 && antenna.downtilt_deg != 0.0 {
        return wrong(
            "one element has no electrical downtilt: give it 0 degrees, or more elements",
        );
    }
    Ok(())
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
