//! The links of a network's UEs: gains from their drop, fading, precoding, power.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, math};
use airpath_channel::angles::{MOST_AZIMUTH_DEG, MOST_ZENITH_DEG, angles};
use airpath_channel::fading::{
    FadingError, Library, LibraryConfig, doppler_hz, typical_delay_spread,
};
use airpath_channel::precoding::{Array, Codebook, Feedback, Panel, Ports, Precoding, Scattering};
use airpath_channel::route::Route;
use airpath_channel::{ChannelError, Condition, STREET_M, Sight, Span, wrapped_deg};
use airpath_ran::mac::group_size;
use airpath_ran::{self as ran, Channel, NetworkLinks, NetworkUe};
use airpath_schema::units::{Metres, Speed};

use super::moving::{Movers, Moves, nominal_hz, travelled};
use super::network::{DroppedUe, NOISE_DENSITY, NetworkDrop, RADIUS_M};
use super::power::power_control;
use crate::file::{
    Carrier, Cell, Interference, MuMimo, Network, NetworkLayout, PrecodingCodebook,
    PrecodingScheme, Receiver, Scenario, Ue,
};

/// Distance of ports in wavelengths (TR 38.901, table 7.8-1).
const HALF: f64 = 0.5;
/// Doppler shifts closer to each other share a library, in Hz.
const SAME_HZ: f64 = 1e-6;

/// The links of a network whose UEs have been dropped, perhaps with other gains uplink.
///
/// # Errors
///
/// Fading that cannot be; nothing in a scenario that was read from a file.
pub(super) fn links(
    (scenario, file, cell): (&Scenario, &Network, &Cell),
    (drop, drop_up): (&NetworkDrop, Option<&NetworkDrop>),
    moves: &Moves,
    seed: Seed,
) -> Result<NetworkLinks, FadingError> {
    let noise = |figure| NOISE_DENSITY + Db::from_linear(cell.resource_block_hz()) + figure;
    let mut kinds: Vec<Kind> = Vec::new();
    let mut ues = Vec::with_capacity(drop.ues.len());
    for (n, (one, dropped)) in scenario.ues().zip(&drop.ues).enumerate() {
        let route = moves.route(n);
        let own = Kind::of((file, cell), one.group, route.map(|route| &**route));
        let library = kinds.iter().position(|kind| kind.is_like(&own)).unwrap_or_else(|| {
            kinds.push(own);
            kinds.len() - 1
        });
        let cell = CellId(dropped.cell as u16);
        ues.push(NetworkUe {
            number: dropped.ue.number,
            cell,
            gains: dropped.gains.clone(),
            gains_up: drop_up.map(|drop| drop.ues[n].gains.clone()),
            library,
            travelled: route.map(|route| Arc::new(travelled(file, route))),
            receivers: own.receivers,
            direction: direction(drop, dropped),
        });
    }
    let library = |kind: &Kind| Library::shared(&libraries(file, cell, *kind), seed);
    Ok(NetworkLinks {
        power: vec![drop.transmit_power; drop.network.cells().len()],
        resource_blocks: cell.resource_blocks(),
        noise: [noise(file.noise_figure), noise(file.uplink.noise_figure)],
        power_control: power_control(
            cell,
            file.uplink.power_control,
            file.uplink.ue_power,
            (file.uplink.p0, file.uplink.alpha),
        ),
        interferers: file.interferers as usize,
        precoded: file.interference == Interference::Precoded,
        panel: cell.mu_mimo.is_some().then(|| panel(file)),
        libraries: kinds.iter().map(library).collect::<Result<_, _>>()?,
        ues,
    })
}

/// A further carrier of a network, as its UEs have it.
pub(super) struct OnCarrier {
    pub channel: Arc<dyn Channel>,
    /// RSRP of each UE in dBm.
    pub rsrp_dbm: Vec<f64>,
    /// Position of the cell of each UE, and the distance to its site on the ground in metres.
    pub cells: Vec<(usize, f64)>,
}

/// The channel of a further carrier of a network. UEs have the positions, the serving cells and the lines of
/// sight that they have on the first carrier. Path loss, walls, noise and Doppler shift are those of its
/// frequency, and its fading is another. Path loss and walls uplink are those of its frequency uplink.
///
/// # Errors
///
/// Values out of the range of a model; none in a scenario that was read from a file.
pub(super) fn carrier(
    carrier: &Carrier,
    (scenario, file, cell): (&Scenario, &Network, &Cell),
    (first, movers): (&NetworkDrop, &mut Movers<'_>),
    seed: Seed,
) -> Result<OnCarrier, Box<dyn core::error::Error>> {
    let moves = movers.moves();
    let drop = carrier_drop(carrier, scenario, first, seed)?;
    let (file, cell) = (carrier.network(file), carrier.cell(cell));
    let frequency_up = cell.radio.carrier_up.filter(|_| carrier.uplink);
    let up = |frequency| Carrier { frequency, ..carrier.clone() };
    let drop_up =
        frequency_up.map(|at| carrier_drop(&up(at), scenario, first, seed)).transpose()?;
    let own = links((scenario, &file, &cell), (&drop, drop_up.as_ref()), moves, seed)?;
    let channel = movers.channel(own, (&drop, first), carrier.snr_offset);
    let cell = |ue: &DroppedUe| (ue.cell, ue.link.span.ground_m);
    let rsrp_dbm = drop.ues.iter().map(|ue| ue.rsrp.0).collect();
    Ok(OnCarrier { channel, rsrp_dbm, cells: drop.ues.iter().map(cell).collect() })
}

/// The UEs of a network as a further carrier has them.
pub(super) fn carrier_drop(
    carrier: &Carrier,
    scenario: &Scenario,
    first: &NetworkDrop,
    seed: Seed,
) -> Result<NetworkDrop, ChannelError> {
    let there = Scenario {
        network: scenario.network.as_ref().map(|file| carrier.network(file)),
        cell: scenario.cell.as_ref().map(|cell| carrier.cell(cell)),
        ..scenario.clone()
    };
    let Some(drop) = NetworkDrop::new(&there, seed)? else { return Ok(first.clone()) };
    let mut drop = match carrier.has_cells() {
        true => drop.with_gains(carrier.snr_offset.linear()),
        false => drop.served_as_in(first, carrier.snr_offset.linear()),
    };
    let fading = Seed(0).keyed(&carrier.name);
    for ue in &mut drop.ues {
        ue.ue.number = fading.bits([ue.ue.number, 0, 0]);
    }
    Ok(drop)
}

/// Direction of a UE from its cell in degrees: azimuth from the cell's antenna, zenith from above.
fn direction(drop: &NetworkDrop, ue: &DroppedUe) -> (f64, f64) {
    let own = drop.network.cells()[ue.cell].azimuth_deg;
    (wrapped_deg(ue.link.way.azimuth_deg() - own), ue.link.span.zenith_deg())
}

/// Panel of a cell's ports. Without columns and rows it is one column of each polarisation with the codebook of NR, else
/// all in a line (TS 36.101, B.2.3).
fn panel(file: &Network) -> ran::Panel {
    let (columns, rows) = match array(file) {
        Array::CrossPolarised { columns, rows } => (columns, rows),
        Array::Linear => {
            let ports = file.precoding.ports.unwrap_or(4) as u8;
            let polarised = file.precoding.codebook == Some(PrecodingCodebook::TypeI) && ports > 2;
            (if polarised { ports / 2 } else { ports }, 1)
        }
    };
    ran::Panel { columns, rows, spacing: [HALF, scattering(file).row_spacing] }
}

/// Properties of a UE that decide its fading.
#[derive(Clone, Copy)]
struct Kind {
    /// Largest Doppler shift in Hz.
    shift: f64,
    /// True with a route.
    moves: bool,
    receivers: u8,
    ports: u8,
    /// Most layers downlink and uplink.
    layers: [u8; 2],
    receiver: Receiver,
}

impl Kind {
    fn of((file, cell): (&Network, &Cell), group: &Ue, route: Option<&Route>) -> Kind {
        let layers = group.layers(cell, Some(file));
        let (receivers, ports) = (group.receivers, group.ports);
        let down = precoding(file, cell);
        let by_reports = matches!(down, Precoding::ClosedLoop { .. }) || ports > 1;
        let shift = match route {
            None => shift(file, group.speed),
            Some(route) => nominal_hz(file, route, by_reports),
        };
        let (moves, receiver) = (route.is_some(), group.receiver);
        Kind { shift, moves, receivers, ports, layers, receiver }
    }

    fn is_like(&self, other: &Kind) -> bool {
        let alike = (self.shift - other.shift).abs() < SAME_HZ;
        let antennas =
            |kind: &Kind| (kind.receivers, kind.ports, kind.layers, kind.receiver, kind.moves);
        alike && antennas(self) == antennas(other)
    }
}

/// Largest Doppler shift of a UE in Hz.
fn shift(file: &Network, speed: Option<Speed>) -> f64 {
    let kmh = |speed: Speed| 3.6 * speed.0;
    let ue = kmh(speed.unwrap_or_default());
    doppler_hz(ue, kmh(file.fading.scatterers), file.carrier.0 as f64)
}

/// Configuration of fading for UEs of a kind, downlink and uplink. Both ends combine what their antennas
/// receive.
fn libraries(file: &Network, cell: &Cell, kind: Kind) -> [LibraryConfig; 2] {
    let profile = file.fading.profile;
    let spread = file.fading.delay_spread.unwrap_or_else(|| {
        typical_delay_spread(file.environment, condition(file), file.carrier.0 as f64 / 1e9)
    });
    let (array, scattering) = (array(file), scattering(file));
    let correlation = file.precoding.correlation;
    let blocks = cell.resource_blocks();
    let config = LibraryConfig::new(profile, spread, kind.shift);
    let config = if kind.moves { config.of_any_speed() } else { config };
    let config = LibraryConfig { correlation, array, scattering, ..config };
    let (period, delay) = (cell.link_adaptation.cqi_period, cell.link_adaptation.cqi_delay);
    let at_cell = match (cell.receivers.unwrap_or(1), kind.ports) {
        (1, 1) => Precoding::SinglePort,
        (ports, 1) => Precoding::MaximumRatio { ports },
        (antennas, _) => {
            Precoding::Granted { antennas, feedback: Feedback { period, delay, subband: None } }
        }
    };
    let on = |config: LibraryConfig, precoding| config.on(blocks, cell.numerology(), precoding);
    let [down, up] = kind.layers;
    // Signals of a cell or UE that disturbs: as many as it has layers at most.
    let rejecting = |receiver, most: u8| if receiver == Receiver::MmseIrc { most } else { 0 };
    let of_cell = cell.layers.min(file.precoding.ports.unwrap_or(1) as u8);
    let of_ue = cell.uplink.layers.min(kind.ports);
    let down = config.received_by(kind.receivers).layered(down);
    let precoded = file.interference == Interference::Precoded;
    let down = down.rejecting(rejecting(kind.receiver, of_cell)).with_precoders(precoded);
    let up = config.received_by(kind.ports).layered(up);
    let up = up.rejecting(rejecting(cell.receiver, of_ue)).with_precoders(precoded);
    let at = |precoding: Precoding| array.with_antennas(precoding.ports() as u8);
    let from_cell = precoding(file, cell);
    let down = LibraryConfig { array: at(from_cell), ..down };
    let up = LibraryConfig { array: at(at_cell), ..up };
    let down = on(down, from_cell);
    let down = match &cell.mu_mimo {
        None => down,
        Some(own) => {
            let reported = matches!(own, MuMimo::Reports(_));
            on(down.grouped(group_size(blocks), reported), down.precoding)
        }
    };
    [down, on(up, at_cell)]
}

/// Condition of most links: without line of sight, in buildings if most UEs are.
fn condition(file: &Network) -> Condition {
    Condition { sight: Sight::Nlos, indoors: file.indoors.unwrap_or_default() > 0.5 }
}

/// Arrangement of a cell's ports.
fn array(file: &Network) -> Array {
    match (file.precoding.columns, file.precoding.rows) {
        (Some(columns), Some(rows)) => Array::CrossPolarised { columns, rows },
        _ => Array::Linear,
    }
}

/// Medians of the directions of power, of a UE half of a site distance, or of a radius, from its cell.
fn scattering(file: &Network) -> Scattering {
    let (carrier_hz, metres) =
        (file.carrier.0 as f64, |length: Option<Metres>| length.map(|m| m.0));
    let radius = metres(file.radius).unwrap_or(RADIUS_M);
    let far = match file.layout {
        Some(NetworkLayout::Hexagonal) => metres(file.site_distance).unwrap_or(radius),
        _ => radius,
    };
    let span = Span {
        ground_m: far / 2.0,
        inside_m: 0.0,
        base_m: metres(file.height).unwrap_or_default(),
        ue_m: metres(file.ue_height).unwrap_or(STREET_M),
    };
    let angles = angles(file.environment, condition(file), carrier_hz, &span);
    Scattering {
        azimuth_deg: math::exp10(angles.azimuth.mean).min(MOST_AZIMUTH_DEG),
        zenith_deg: math::exp10(angles.zenith.mean).min(MOST_ZENITH_DEG),
        cross_db: angles.cross_db.mean,
        row_spacing: f64::from(file.antenna.elements) * file.antenna.spacing,
    }
}

fn precoding(file: &Network, cell: &Cell) -> Precoding {
    let (own, adaptation) = (&file.precoding, &cell.link_adaptation);
    let panel = || Panel::new(own.columns?, own.rows?);
    let (ports, codebook) = match (own.ports, own.codebook) {
        (Some(2), _) => (Some(Ports::Two), Codebook::TwoPorts),
        (Some(4), Some(PrecodingCodebook::TypeI)) => (Some(Ports::Four), Codebook::TypeI),
        (Some(4), _) => (Some(Ports::Four), Codebook::FourPorts),
        (Some(5..), _) => match panel() {
            Some(panel) => (None, Codebook::Panel(panel)),
            None => return Precoding::SinglePort,
        },
        _ => return Precoding::SinglePort,
    };
    let feedback = Feedback {
        delay: own.delay.unwrap_or(adaptation.cqi_delay),
        period: own.period.unwrap_or(adaptation.cqi_period),
        subband: own.subband.map(|subband| subband as u16),
    };
    match (own.scheme.unwrap_or(PrecodingScheme::ClosedLoop), ports) {
        (PrecodingScheme::TransmitDiversity, Some(ports)) => Precoding::TransmitDiversity(ports),
        (PrecodingScheme::OpenLoop, Some(ports)) => Precoding::OpenLoop(ports),
        (PrecodingScheme::ClosedLoop, _) => Precoding::ClosedLoop { codebook, feedback },
        (PrecodingScheme::MaximumRatio, Some(ports)) => {
            Precoding::MaximumRatio { ports: ports.count() as u8 }
        }
        // Checks leave no other scheme to more ports.
        _ => Precoding::SinglePort,
    }
}

/// Fault of a network's fading, if any.
pub(crate) fn fading_error(
    scenario: &Scenario,
    file: &Network,
    cell: &Cell,
) -> Option<FadingError> {
    let kinds = scenario.ue.iter().map(|group| Kind::of((file, cell), group, None));
    let all = kinds.flat_map(|kind| libraries(file, cell, kind));
    all.into_iter().find_map(|config| config.check().err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_carrier_has_the_cell_and_the_direction_of_the_first() {
        // Loss and walls follow the frequency, so another site is the strongest for some UEs.
        let text = "duration = \"1 s\"\n[network]\nsites = 7\ncarrier = \"700 MHz\"\n\
                    [[carrier]]\nname = \"high\"\nfrequency = \"3.5 GHz\"\n\
                    [[ue]]\nname = \"phone\"\ncount = 200\n";
        let scenario = Scenario::parse("a.toml", text, &[]).expect("a scenario");
        let first = NetworkDrop::new(&scenario, Seed(1)).expect("a drop").expect("a network");
        let high = &scenario.carrier[0];
        let here = carrier_drop(high, &scenario, &first, Seed(1)).expect("a drop");
        let strongest = |gains: &[f64]| {
            let best = (0..gains.len()).max_by(|one, other| gains[*one].total_cmp(&gains[*other]));
            here.network.cells()[best.expect("a cell")].site
        };
        let mut others = 0;
        for (own, ue) in first.ues.iter().zip(&here.ues) {
            assert_eq!((own.cell, own.ue.at), (ue.cell, ue.ue.at));
            assert_eq!(own.link.way, ue.link.way);
            assert_eq!(direction(&first, own), direction(&here, ue));
            let site = here.network.cells()[ue.cell].site;
            others += usize::from(strongest(&ue.gains) != site);
        }
        assert!(others > 0, "no UE has another strongest site");
    }
}
