//! UEs of a network that move along routes.
//!
//! With a route, a UE begins at the route's first position. Its gains are those of
//! [`airpath_channel::moving`], and the cell with the strongest of them serves it. The library of its fading serves all
//! speeds.
//!
//! Decision: with precoders by reports, UEs share a library by the greatest speed of their routes, in steps of two. Reason:
//! the delay of reports counts in periods of the Doppler shift, and a library has one. Price: a UE that is slower than
//! its greatest speed has reports as late as at that speed.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{Db, Duration, Time, UeId};
use airpath_channel::fading::{SCATTERERS_KMH, Travelled, doppler_hz};
use airpath_channel::moving::{MovingLinks, ShadowingRule, SightRule, Sights, Track};
use airpath_channel::route::Route;
use airpath_channel::streets::Streets;
use airpath_channel::{Association, ChannelError, Point};
use airpath_ran::{
    self as ran, Channel, Mobility, MobilityConfig, MovingCarrier, MovingNetwork, NetworkLinks,
};

use super::network::NetworkDrop;
use super::routes::routes;
use crate::file::{Network, NetworkStreets, Scenario, StreetSight};

/// Time between reports of positions where `output.positions` has none.
const REPORTS: Duration = Duration::from_secs(1);

/// Routes of the UEs of a scenario.
#[derive(Clone, Debug)]
pub struct Moves {
    /// Route of each UE in the order of the scenario's UEs; none at rest.
    routes: Vec<Option<Arc<Route>>>,
    /// Rule for the line of sight of UEs with a route.
    sight: SightRule,
    /// Rule for the shadowing of UEs with a route.
    shadowing: ShadowingRule,
    /// Time between positions.
    period: Duration,
    /// Time between reports of positions ([`Event::Moved`](airpath_net::Event::Moved)); none without reports.
    positions: Option<Duration>,
}

/// Line of sight by the buildings of a grid of streets.
#[derive(Debug)]
struct AlongStreets {
    streets: Streets,
    sites: Vec<Point>,
}

impl Sights for AlongStreets {
    fn sees(&self, site: usize, at: Point, _: f64) -> bool {
        self.streets.sees(self.sites[site], at)
    }
}

impl Moves {
    /// Routes of the UEs of a scenario with this network.
    ///
    /// # Errors
    ///
    /// Too many legs of routes; others only in a scenario that was not checked.
    pub(super) fn of(
        (scenario, file): (&Scenario, &Network),
        network: &airpath_channel::Network,
        seed: Seed,
    ) -> Result<Moves, ChannelError> {
        let routes = routes(scenario, network, seed).map_err(ChannelError::Route)?;
        let buildings = |own: &&NetworkStreets| own.line_of_sight == StreetSight::Buildings;
        let sight = match file.streets.as_ref().filter(buildings) {
            None => SightRule::Probability,
            Some(own) => SightRule::Given(Arc::new(AlongStreets {
                streets: own.grid(),
                sites: network.config().layout.sites().iter().map(|site| site.at).collect(),
            })),
        };
        let positions = match scenario.output.positions {
            None => Some(REPORTS),
            Some(every) => every.quantity(),
        };
        let routes = routes.into_iter().map(|route| route.map(Arc::new)).collect();
        let shadowing = file.shadowing();
        Ok(Moves { routes, sight, shadowing, period: file.sample(), positions })
    }

    /// Route of the UE of this number, if it has one.
    pub(super) fn route(&self, ue: usize) -> Option<&Arc<Route>> {
        self.routes.get(ue)?.as_ref()
    }

    /// True if no UE has a route.
    pub fn is_empty(&self) -> bool {
        self.routes.iter().all(Option::is_none)
    }
}

impl NetworkDrop {
    /// This drop with the UEs of routes at their first positions, served by the strongest cell there.
    pub(super) fn on_routes(mut self, moves: Moves, seed: Seed) -> NetworkDrop {
        if moves.is_empty() {
            self.moves = moves;
            return self;
        }
        let links = MovingLinks::new(self.network.clone(), moves.sight.clone(), seed)
            .with_shadowing(moves.shadowing, seed);
        for n in 0..self.ues.len() {
            let Some(route) = moves.route(n) else { continue };
            let mut track = Track::new(self.ues[n].ue, Arc::clone(route));
            let (ue, mut gains) = (track.ue(Time::ZERO), Vec::new());
            track.gains(&links, Time::ZERO, &mut gains);
            let Some(best) = Association::strongest(&gains) else { continue };
            let name = std::mem::take(&mut self.ues[n].name);
            self.ues[n] = self.dropped(name, (ue, gains), best);
            let site = self.network.cells()[self.ues[n].cell].site;
            self.ues[n].link = links.link(site, &ue);
        }
        self.moves = moves;
        self
    }
}

/// Channels of a network and its further carriers, in the making.
pub(super) struct Movers<'a> {
    moves: &'a Moves,
    seed: Seed,
    carriers: Vec<MovingCarrier>,
}

impl<'a> Movers<'a> {
    /// None yet, with fields that are drawn from this seed.
    pub fn new(moves: &'a Moves, seed: Seed) -> Movers<'a> {
        Movers { moves, seed, carriers: Vec::new() }
    }

    /// Routes of the UEs.
    pub fn moves(&self) -> &'a Moves {
        self.moves
    }

    /// The channel of a carrier with these links. Its UEs were dropped here, and on the first carrier. Its gains are by so
    /// much above those of its frequency.
    pub fn channel(
        &mut self,
        links: NetworkLinks,
        (drop, first): (&NetworkDrop, &NetworkDrop),
        more: Db,
    ) -> Arc<dyn Channel> {
        if self.moves.is_empty() {
            return Arc::new(ran::Network::new(links));
        }
        let ues = links.ues.clone();
        let channel = Arc::new(MovingNetwork::new(ran::Network::new(links)));
        let rule = self.moves.sight.clone();
        let own = MovingLinks::new(drop.network.clone(), rule, self.seed)
            .with_shadowing(self.moves.shadowing, self.seed);
        let track = |n: usize| {
            // Further carriers have another number for fading, and the draws of the first for all else.
            let ue = airpath_channel::Ue { number: first.ues[n].ue.number, ..drop.ues[n].ue };
            Some(Track::new(ue, Arc::clone(self.moves.route(n)?)))
        };
        self.carriers.push(MovingCarrier {
            channel: Arc::clone(&channel),
            links: own,
            factor: more.linear(),
            tracks: (0..drop.ues.len()).filter_map(track).collect(),
            ues,
        });
        channel
    }

    /// The mobility of the UEs, if any moves.
    pub fn mobility(self) -> Option<Mobility> {
        let Moves { period, positions, .. } = *self.moves;
        let count = self.carriers.first()?.ues.len();
        let moving = (0..count).filter(|n| self.moves.route(*n).is_some());
        let ues = moving.map(|n| UeId(n as u32)).collect();
        Some(Mobility::new(MobilityConfig { period, positions, ues, carriers: self.carriers }))
    }
}

/// Way of a UE along its library on a carrier.
pub(super) fn travelled(file: &Network, route: &Route) -> Travelled {
    Travelled::new(route, 3.6 * file.fading.scatterers.0, file.carrier.0 as f64)
}

/// Largest Doppler shift in Hz of the library of a UE with a route. It is that of the scatterers' usual speed; `by_reports`
/// it is doubled until the route has nothing faster.
pub(super) fn nominal_hz(file: &Network, route: &Route, by_reports: bool) -> f64 {
    let speeds = route.legs().iter().map(|leg| 3.6 * leg.motion.velocity.length());
    let fastest = speeds.fold(3.6 * file.fading.scatterers.0, f64::max);
    let mut kmh = SCATTERERS_KMH;
    while by_reports && kmh < fastest {
        kmh *= 2.0;
    }
    doppler_hz(kmh, 0.0, file.carrier.0 as f64)
}

#[cfg(test)]
#[path = "moving_tests.rs"]
mod tests;
