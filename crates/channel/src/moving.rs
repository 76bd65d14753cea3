//! Gains of UEs that move along a route.
//!
//! - **Sight.** A site has a Gaussian field over the ground, of unit variance: independent values at the nodes of a grid
//!   whose step is the correlation distance, linear between them (TR 38.901, 7.6.3.1). A UE sees the site where the
//!   field's normal distribution function is below the probability of line of sight (7.6.3.3). Another
//!   [rule](SightRule) may decide instead.
//! - **Shadowing** is the network's own field of the state.
//! - **Clusters** of a link keep their draws in each state of sight. They turn with the straight direction. Their spreads
//!   follow the distance in steps of a twentieth.
//! - **Between nodes** gains are linear in decibels. Nodes are a tenth of the shortest correlation distance of shadowing
//!   outdoors apart: 3.7 m in UMa and RMa, 1 m in UMi, 0.6 m in offices. A change of sight takes one such piece of the
//!   route, instead of the soft state of equation 7.6-18. Shadowing between nodes has up to 5% less variance.
//!
//! All is a function of seed, site and route. UEs at rest keep the draws of [`Network`].
//!
//! Left out: correlation of clusters between UEs, births and deaths of clusters, and walls that a UE goes through.

use std::fmt::Debug;
use std::sync::Arc;

use airpath_base::random::{Keyed, Seed};
use airpath_base::{Time, math};

use crate::draws::normal;
use crate::environment::{Condition, Sight};
use crate::geometry::{Point, Span, wrapped_deg};
use crate::line_of_sight::correlation_m;
use crate::network::{NEPER, Network, Scattered, SiteLink};
use crate::route::{Motion, Route};
use crate::shadowing::Shadowing;
use crate::users::Ue;

/// Nodes in a correlation distance.
const PIECES: f64 = 10.0;
/// Change of distance from a site, as a share, from which on spreads are those of the new distance.
const SAME_SPREAD: f64 = 0.05;
/// Least gain as a factor, so that its logarithm is finite.
const LEAST_GAIN: f64 = 1e-30;

/// Sight of sites from points on the ground.
pub trait Sights: Debug + Send + Sync {
    /// True if a UE at this point, so many metres above ground, sees the site.
    fn sees(&self, site: usize, at: Point, height_m: f64) -> bool;
}

/// Rule for the line of sight of UEs that move.
#[derive(Clone, Debug, Default)]
pub enum SightRule {
    /// The environment's probability, over a field of each site.
    #[default]
    Probability,
    /// A function of site and point.
    Given(Arc<dyn Sights>),
}

/// Rule for the shadowing of UEs that move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShadowingRule {
    /// True if each link of a UE and a site has a field of its own; else UEs share the field of a site.
    pub by_link: bool,
    /// Decorrelation distance in metres; none for that of the environment.
    pub correlation_m: Option<f64>,
}

/// A network for UEs that move.
#[derive(Clone, Debug)]
pub struct MovingLinks {
    network: Network,
    rule: SightRule,
    /// Shadowing of UEs without fields of their own, and the draws of those with.
    shadowing: Arc<Shadowing>,
    shadowing_rule: (ShadowingRule, Seed),
    /// Draws of the fields of sight, and the step of their grid.
    sight: Keyed,
    sight_m: f64,
    piece_m: f64,
}

impl MovingLinks {
    /// Links of this network. The fields of sight are drawn from the stream "sight on routes" of the seed.
    pub fn new(network: Network, rule: SightRule, seed: Seed) -> MovingLinks {
        let environment = network.config().environment;
        let outdoors = |sight| environment.shadowing(Condition { sight, indoors: false });
        let shortest =
            [Sight::Los, Sight::Nlos].map(|sight| outdoors(sight).correlation_m / PIECES);
        MovingLinks {
            sight: seed.keyed("sight on routes"),
            sight_m: correlation_m(environment),
            piece_m: shortest.into_iter().fold(f64::INFINITY, f64::min),
            shadowing: Arc::new(network.shadowing().clone()),
            shadowing_rule: (ShadowingRule::default(), seed),
            rule,
            network,
        }
    }

    /// Links with this rule for shadowing, drawn from the seed of the network.
    pub fn with_shadowing(mut self, rule: ShadowingRule, seed: Seed) -> MovingLinks {
        self.shadowing_rule = (rule, seed);
        if let Some(metres) = rule.correlation_m {
            self.piece_m = self.piece_m.min(metres / PIECES);
            self.shadowing = Arc::new(self.shadowing_drawn(None));
        }
        self
    }

    fn shadowing_drawn(&self, ue: Option<u64>) -> Shadowing {
        let (config, (rule, seed)) = (self.network.config(), self.shadowing_rule);
        let network = (config.environment, config.layout.sites().len());
        Shadowing::of_routes(seed, network, ue, rule.correlation_m)
    }

    /// Shadowing of the UE of this number.
    fn shadowing(&self, ue: u64) -> Arc<Shadowing> {
        match self.shadowing_rule.0.by_link {
            false => Arc::clone(&self.shadowing),
            true => Arc::new(self.shadowing_drawn(Some(ue))),
        }
    }

    /// Its network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Properties of a site's link to a UE at its present position.
    pub fn link(&self, site: usize, ue: &Ue) -> SiteLink {
        self.shadowed(site, (ue, &self.shadowing(ue.number)))
    }

    fn shadowed(&self, site: usize, (ue, shadowing): (&Ue, &Shadowing)) -> SiteLink {
        self.network.link(site, (ue, shadowing), |likely, way| match &self.rule {
            SightRule::Probability => normal_share(self.field(site, way)) < likely,
            SightRule::Given(sights) => sights.sees(site, ue.at, ue.height_m),
        })
    }

    /// The field of sight of a site at a vector from it.
    fn field(&self, site: usize, way: Point) -> f64 {
        let (x, y) = (way.x / self.sight_m, way.y / self.sight_m);
        let (column, row) = (x.floor(), y.floor());
        let (mut sum, mut squares) = (0.0, 0.0);
        for (i, j) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (node_x, node_y) = (column + i, row + j);
            let weight = (1.0 - (x - node_x).abs()) * (1.0 - (y - node_y).abs());
            let node = [site as u64, node_x as i64 as u64, node_y as i64 as u64];
            sum += weight * normal(self.sight, node);
            squares += weight * weight;
        }
        sum / squares.sqrt()
    }

    /// Distance between a cell's antenna and a UE in metres.
    pub fn distance_m(&self, cell: usize, ue: &Ue) -> Option<f64> {
        let (own, config) = (self.network.cells().get(cell)?, self.network.config());
        let ground_m = config.layout.way(own.site, ue.at).length();
        let span = Span { ground_m, inside_m: 0.0, base_m: config.base_m, ue_m: ue.height_m };
        Some(span.distance_m())
    }

    /// Azimuth from a cell's antenna and zenith from above at which the cell sees a UE, in degrees.
    pub fn direction(&self, cell: usize, ue: &Ue) -> (f64, f64) {
        let (own, config) = (self.network.cells()[cell], self.network.config());
        let way = config.layout.way(own.site, ue.at);
        let (base_m, ue_m) = (config.base_m, ue.height_m);
        let span = Span { ground_m: way.length(), inside_m: 0.0, base_m, ue_m };
        (wrapped_deg(way.azimuth_deg() - own.azimuth_deg), span.zenith_deg())
    }
}

/// Share of a standard normal distribution below a value.
fn normal_share(value: f64) -> f64 {
    0.5 * (1.0 + math::erf(value * core::f64::consts::FRAC_1_SQRT_2))
}

/// A UE on its route, with its gains around the present position.
#[derive(Clone, Debug)]
pub struct Track {
    ue: Ue,
    route: Arc<Route>,
    /// None before the first use.
    shadowing: Option<Arc<Shadowing>>,
    /// Scattered power of each site with and without sight, at the distance at which it was drawn.
    scattered: Vec<[Option<(f64, Scattered)>; 2]>,
    /// Nodes before and behind the present position.
    nodes: [Node; 2],
}

/// Gains at a point of a route.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Leg, and number of the piece of the leg that begins there; none before the first use.
    key: Option<(usize, u64)>,
    /// Natural logarithms of the gains of all cells.
    logs: Vec<f64>,
}

/// A position between two nodes.
struct Between {
    motion: Motion,
    key: (usize, u64),
    ends: [Point; 2],
    /// Share of the way from the first to the second.
    share: f64,
}

impl Track {
    /// A UE on its route.
    pub fn new(ue: Ue, route: Arc<Route>) -> Track {
        Track { ue, route, shadowing: None, scattered: Vec::new(), nodes: Default::default() }
    }

    /// Its route.
    pub fn route(&self) -> &Arc<Route> {
        &self.route
    }

    /// The UE at a time.
    pub fn ue(&self, now: Time) -> Ue {
        Ue { at: self.route.at(now).at, ..self.ue }
    }

    /// Writes the gains of all cells at a time as factors, antennas included. Gives position and velocity.
    pub fn gains(&mut self, links: &MovingLinks, now: Time, gains: &mut Vec<f64>) -> Motion {
        let Between { motion, key, ends, share } = between(&self.route, now, links.piece_m);
        if self.nodes[0].key != Some(key) {
            self.nodes.swap(0, 1);
            if self.nodes[0].key != Some(key) {
                self.look_up(links, ends[0], 0);
            }
            self.look_up(links, ends[1], 1);
            self.nodes[0].key = Some(key);
            self.nodes[1].key = Some((key.0, key.1 + 1));
        }
        gains.clear();
        let [one, other] = &self.nodes;
        let logs = one.logs.iter().zip(&other.logs);
        gains.extend(logs.map(|(one, other)| math::exp(one + (other - one) * share)));
        motion
    }

    /// Writes the gains at a point into a node.
    fn look_up(&mut self, links: &MovingLinks, at: Point, node: usize) {
        let network = &links.network;
        let ue = Ue { at, ..self.ue };
        let sites = network.config().layout.sites();
        self.scattered.resize(sites.len(), [None, None]);
        let shadowing = self.shadowing.get_or_insert_with(|| links.shadowing(ue.number));
        let logs = &mut self.nodes[node].logs;
        logs.clear();
        for (site, one) in sites.iter().enumerate() {
            let link = links.shadowed(site, (&ue, shadowing));
            let ground_m = link.span.ground_m;
            let kept = &mut self.scattered[site][link.condition.sight as usize];
            let near = |(drawn_m, _): &mut (f64, Scattered)| {
                (ground_m - *drawn_m).abs() <= SAME_SPREAD * *drawn_m
            };
            if !kept.as_mut().is_some_and(near) {
                *kept = network.scattered(site, &ue, &link).map(|own| (ground_m, own));
            }
            let beam = network.beam_of(&link, kept.as_ref().map(|(_, own)| own));
            let azimuth = link.way.azimuth_deg();
            for own in &one.azimuths_deg {
                let gain = network.antenna_gain(&beam, wrapped_deg(azimuth - own));
                logs.push(math::ln(gain.max(LEAST_GAIN)) - NEPER * link.loss_db);
            }
        }
    }
}

/// The nodes around the position on a route at a time. Each leg has nodes at its begin, each `piece_m` from there, and at
/// its end.
fn between(route: &Route, now: Time, piece_m: f64) -> Between {
    let motion = route.at(now);
    let legs = route.legs();
    let next = legs.partition_point(|leg| leg.from <= now);
    let number = next.saturating_sub(1);
    let still = Between { motion, key: (number, 0), ends: [motion.at; 2], share: 0.0 };
    let Some(leg) = legs.get(number) else { return still };
    let (begin, speed) = (leg.motion.at, leg.motion.velocity.length());
    let gone_m = speed * now.saturating_since(leg.from).as_secs_f64();
    let end = legs.get(number + 1).map(|next| next.from.saturating_since(leg.from).as_secs_f64());
    let length_m = end.map_or(f64::INFINITY, |seconds| speed * seconds);
    if speed <= 0.0 || length_m <= 0.0 {
        return still;
    }
    let piece = (gone_m / piece_m).floor();
    let from_m = (piece * piece_m).min(length_m);
    let to_m = (from_m + piece_m).min(length_m);
    let point = |metres: f64| begin + leg.motion.velocity.scaled(metres / speed);
    let share = if to_m > from_m { ((gone_m - from_m) / (to_m - from_m)).min(1.0) } else { 0.0 };
    Between { motion, key: (number, piece as u64), ends: [from_m, to_m].map(point), share }
}

#[cfg(test)]
#[path = "moving_tests.rs"]
mod tests;
