//! The network of a scenario as the channel has it, and where its UEs are.

use airpath_base::random::Seed;
use airpath_base::{Db, Dbm, math};
use airpath_channel::antenna::Antenna;
use airpath_channel::layout::{Area, SECTORS_DEG, Site};
use airpath_channel::penetration::Buildings;
use airpath_channel::{
    self as channel, Association, ChannelError, Heights, Layout, NetworkConfig, Point, Users,
};

use super::moving::Moves;
use super::radio::draw_distance;
use crate::file::{
    Network, NetworkAntenna, NetworkElement, NetworkLayout, NetworkPolarisation, Scenario,
    Surroundings,
};
use crate::resolve::UeRef;

/// Density of thermal noise, k T at 290 K, rounded (-173.98 dBm/Hz).
pub(super) const NOISE_DENSITY: Dbm = Dbm(-174.0);
/// Radius of the area of UEs around sites that are given one by one, in metres.
pub(super) const RADIUS_M: f64 = 500.0;
/// Resource elements beside each other in a resource block (TS 36.211, 6.2.3).
pub(super) const SUBCARRIERS: f64 = 12.0;

/// A network and the UEs in it, before anything runs.
#[derive(Clone, Debug)]
pub struct NetworkDrop {
    /// The network.
    pub network: channel::Network,
    /// Its UEs, in the order of the file: those with a route where they begin.
    pub ues: Vec<DroppedUe>,
    /// Routes of its UEs.
    pub(super) moves: Moves,
    /// Power of each cell over its whole bandwidth.
    pub transmit_power: Dbm,
    /// Noise at a UE over the same bandwidth.
    pub noise: Dbm,
    /// Resource elements of the bandwidth in an OFDM symbol, as a ratio.
    elements: Db,
}

/// A UE, and what it gets.
#[derive(Clone, Debug)]
pub struct DroppedUe {
    /// Its name.
    pub name: String,
    /// Position of the UE.
    pub ue: channel::Ue,
    /// Number of the serving cell among those of its carrier: that with the strongest signal there.
    pub cell: usize,
    /// Number of the serving cell among those of all carriers with cells of their own.
    pub serving: usize,
    /// Link of the serving cell's site.
    pub link: channel::SiteLink,
    /// Gain of the serving cell, antennas included.
    pub gain: Db,
    /// Gain of each cell as a factor, antennas included.
    pub gains: Vec<f64>,
    /// Power of the serving cell for each resource element (TS 36.214, 5.1.1).
    pub rsrp: Dbm,
    /// The serving cell over all others and noise, with all sending.
    pub geometry: Db,
}

impl NetworkDrop {
    /// Drops the UEs of a scenario; none if it has no network.
    ///
    /// # Errors
    ///
    /// Values out of the range of a model; none in a scenario that was read from a file.
    pub fn new(scenario: &Scenario, seed: Seed) -> Result<Option<NetworkDrop>, ChannelError> {
        let (Some(file), Some(cell)) = (&scenario.network, &scenario.cell) else {
            return Ok(None);
        };
        let scenario = scenario.with_arrivals(seed);
        let network = channel::Network::new(config(file)?, seed)?;
        let bandwidth_hz = cell.occupied_hz();
        let transmit_power = file.transmit_power.unwrap_or_default();
        let noise = NOISE_DENSITY + Db::from_linear(bandwidth_hz) + file.noise_figure;
        let elements = Db::from_linear(SUBCARRIERS * f64::from(cell.resource_blocks()));
        let moves = Moves::of((&scenario, file), &network, seed)?;
        let (ues, none) = (Vec::new(), moves.clone());
        let drop = NetworkDrop { network, ues, moves: none, transmit_power, noise, elements };
        let (mut gains, mut ues) = (Vec::new(), Vec::new());
        for one in scenario.ues() {
            let ue = ue(&drop.network, &one, seed)?;
            drop.network.gains(&ue, &mut gains);
            let Some(best) = Association::strongest(&gains) else { continue };
            ues.push(drop.dropped(one.name(), (ue, gains.clone()), best));
        }
        Ok(Some(NetworkDrop { ues, ..drop }.on_routes(moves, seed)))
    }

    /// A UE with these gains, served like this.
    pub(super) fn dropped(
        &self,
        name: String,
        (ue, gains): (channel::Ue, Vec<f64>),
        serving: Association,
    ) -> DroppedUe {
        let gain = Db::from_linear(serving.gain);
        let noise_share = (self.noise - self.transmit_power).linear();
        DroppedUe {
            name,
            ue,
            cell: serving.cell,
            serving: serving.cell,
            link: self.network.site_link(self.network.cells()[serving.cell].site, &ue),
            gain,
            gains,
            rsrp: self.transmit_power - self.elements + gain,
            geometry: Db::from_linear(serving.geometry(noise_share)),
        }
    }

    /// The UEs with all gains times a factor.
    pub(super) fn with_gains(mut self, factor: f64) -> NetworkDrop {
        let ues = std::mem::take(&mut self.ues);
        let louder = ues.into_iter().map(|mut ue| {
            ue.gains.iter_mut().for_each(|gain| *gain *= factor);
            let serving = Association::of(&ue.gains, ue.cell);
            self.dropped(ue.name, (ue.ue, ue.gains), serving)
        });
        let ues = louder.collect();
        NetworkDrop { ues, ..self }
    }

    /// The UEs as the cells that serve them in another drop have them, with all gains times a factor.
    pub(super) fn served_as_in(mut self, first: &NetworkDrop, factor: f64) -> NetworkDrop {
        let ues = std::mem::take(&mut self.ues);
        let served = ues.into_iter().zip(&first.ues).map(|(mut ue, first)| {
            ue.gains.iter_mut().for_each(|gain| *gain *= factor);
            let serving = Association::of(&ue.gains, first.cell);
            self.dropped(ue.name, (ue.ue, ue.gains), serving)
        });
        let ues = served.collect();
        NetworkDrop { ues, ..self }
    }
}

/// Number of a UE by which its draws are keyed.
///
/// The number comes from the name of the UE's group and from its index there, so that a further group or UE moves no
/// other.
pub(super) fn number(one: &UeRef<'_>) -> u64 {
    Seed(0).keyed(&one.group.name).bits([u64::from(one.index), 0, 0])
}

/// The UE of a network.
pub(crate) fn ue(
    network: &channel::Network,
    one: &UeRef<'_>,
    seed: Seed,
) -> Result<channel::Ue, ChannelError> {
    let number = number(one);
    if let Some(surroundings) = one.group.surroundings_on_route() {
        let place = one.group.place.as_ref();
        let at =
            place.map_or_else(|| network.drop(number).at, |own| Point { x: own.x.0, y: own.y.0 });
        let height = place.and_then(|own| own.height).map(|height| height.0);
        return Ok(network.on_route(number, at, surroundings, height));
    }
    if let Some(distance) = &one.group.distance {
        let metres = draw_distance(distance, seed, &one.name());
        let turn = seed.stream(&format!("{} / direction", one.name())).uniform();
        let angle = core::f64::consts::TAU * turn;
        let at = Point { x: metres * math::cos(angle), y: metres * math::sin(angle) };
        return network.place(number, at, network.surroundings(number), None);
    }
    let Some(place) = &one.group.place else { return Ok(network.drop(number)) };
    let at = Point { x: place.x.0, y: place.y.0 };
    let inside = place.inside.unwrap_or(Surroundings::Outdoors);
    network.place(number, at, inside, place.height.map(|height| height.0))
}

/// The channel of a network whose defaults are filled in.
///
/// # Errors
///
/// Values out of the range of a model.
pub(crate) fn config(file: &Network) -> Result<NetworkConfig, ChannelError> {
    let metres = |length: Option<airpath_schema::units::Metres>| length.unwrap_or_default().0;
    let heights = match file.ue_height {
        Some(height) => Heights::Fixed(height.0),
        None => Heights::Floors,
    };
    Ok(NetworkConfig {
        layout: layout(file)?,
        environment: file.environment,
        carrier_hz: file.carrier.0 as f64,
        base_m: metres(file.height),
        antenna: antenna(&file.antenna),
        averaging: file.antenna.gain,
        users: Users {
            indoors: file.indoors.unwrap_or_default(),
            in_cars: file.in_cars.unwrap_or_default(),
            heights,
            buildings: file.buildings.unwrap_or(Buildings::Mixed),
            least_m: metres(file.min_distance),
        },
    })
}

/// Number of cells of a network; 0 of one that was not checked.
pub(crate) fn cells(file: &Network) -> u32 {
    let count = |layout: Layout| layout.sites().iter().map(|site| site.azimuths_deg.len()).sum();
    let cells: usize = layout(file).map_or(0, count);
    cells as u32
}

/// Number of the site of each cell; empty for a network that was not checked.
pub(crate) fn sites(file: &Network) -> Vec<u16> {
    let Ok(layout) = layout(file) else { return Vec::new() };
    let of = |(site, own): (u16, &Site)| vec![site; own.azimuths_deg.len()];
    (0..).zip(layout.sites()).flat_map(of).collect()
}

fn layout(file: &Network) -> Result<Layout, ChannelError> {
    match file.layout {
        Some(NetworkLayout::Office) => Ok(Layout::office()),
        Some(NetworkLayout::Given) => {
            let site = |site: &crate::file::NetworkSite| Site {
                at: Point { x: site.x.0, y: site.y.0 },
                azimuths_deg: match site.sectors.as_slice() {
                    [] => SECTORS_DEG.to_vec(),
                    sectors => sectors.iter().map(|sector| sector.0).collect(),
                },
            };
            let radius_m = file.radius.map_or(RADIUS_M, |radius| radius.0);
            Layout::given(file.site.iter().map(site).collect(), Area::Disc { radius_m })
        }
        Some(NetworkLayout::Single) => {
            let radius_m = file.radius.map_or(RADIUS_M, |radius| radius.0);
            let site = Site { at: Point { x: 0.0, y: 0.0 }, azimuths_deg: vec![0.0] };
            Layout::given(vec![site], Area::Disc { radius_m })
        }
        Some(NetworkLayout::Hexagonal) | None => {
            let sites = file.sites.unwrap_or_default() as usize;
            let site_distance_m = file.site_distance.unwrap_or_default().0;
            Layout::hexagonal(sites, site_distance_m, file.wrap_around.unwrap_or(true))
        }
    }
}

fn antenna(file: &NetworkAntenna) -> Antenna {
    Antenna {
        element: file.element.unwrap_or(NetworkElement::Sector),
        elements: file.elements,
        spacing: file.spacing,
        downtilt_deg: file.downtilt.unwrap_or_default().0,
        polarisation: file.polarisation.unwrap_or(NetworkPolarisation::Vertical),
    }
}
