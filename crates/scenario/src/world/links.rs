//! The links of a network's UEs: gains from their drop, fading, precoding, power.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db};
use airpath_channel::fading::{
    FadingError, Library, LibraryConfig, doppler_hz, typical_delay_spread,
};
use airpath_channel::precoding::{Codebook, Feedback, Ports, Precoding};
use airpath_channel::{Condition, Sight};
use airpath_ran::{self as ran, NetworkLinks, NetworkUe};
use airpath_schema::units::Speed;

use super::network::{NOISE_DENSITY, NetworkDrop};
use super::power::power_control;
use crate::file::{
    Cell, Interference, Network, PrecodingCodebook, PrecodingScheme, Receiver, Scenario, Ue,
};

/// Doppler shifts closer to each other share a library, in Hz.
const SAME_HZ: f64 = 1e-6;

/// The channel of a network whose UEs have been dropped.
///
/// # Errors
///
/// Fading that cannot be; nothing in a scenario that was read from a file.
pub(super) fn channel(
    (scenario, file, cell): (&Scenario, &Network, &Cell),
    drop: &NetworkDrop,
    seed: Seed,
) -> Result<ran::Network, FadingError> {
    let noise = |figure| NOISE_DENSITY + Db::from_linear(cell.resource_block_hz()) + figure;
    let mut kinds: Vec<Kind> = Vec::new();
    let mut ues = Vec::with_capacity(drop.ues.len());
    for (one, dropped) in scenario.ues().zip(&drop.ues) {
        let own = Kind::of((file, cell), one.group);
        let library = kinds.iter().position(|kind| kind.is_like(&own)).unwrap_or_else(|| {
            kinds.push(own);
            kinds.len() - 1
        });
        let cell = CellId(dropped.cell as u16);
        ues.push(NetworkUe {
            number: dropped.ue.number,
            cell,
            gains: dropped.gains.clone(),
            library,
            receivers: own.receivers,
        });
    }
    let library = |kind: &Kind| Library::shared(&libraries(file, cell, *kind), seed);
    Ok(ran::Network::new(NetworkLinks {
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
        libraries: kinds.iter().map(library).collect::<Result<_, _>>()?,
        ues,
    }))
}

/// Properties of a UE that decide its fading.
#[derive(Clone, Copy)]
struct Kind {
    /// Largest Doppler shift in Hz.
    shift: f64,
    receivers: u8,
    ports: u8,
    /// Most layers downlink and uplink.
    layers: [u8; 2],
    receiver: Receiver,
}

impl Kind {
    fn of((file, cell): (&Network, &Cell), group: &Ue) -> Kind {
        let layers = group.layers(cell, Some(file));
        let (receivers, ports) = (group.receivers, group.ports);
        Kind { shift: shift(file, group.speed), receivers, ports, layers, receiver: group.receiver }
    }

    fn is_like(&self, other: &Kind) -> bool {
        let alike = (self.shift - other.shift).abs() < SAME_HZ;
        let antennas = |kind: &Kind| (kind.receivers, kind.ports, kind.layers, kind.receiver);
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
    let indoors = file.indoors.unwrap_or_default() > 0.5;
    let spread = file.fading.delay_spread.unwrap_or_else(|| {
        let condition = Condition { sight: Sight::Nlos, indoors };
        typical_delay_spread(file.environment, condition, file.carrier.0 as f64 / 1e9)
    });
    let correlation = file.precoding.correlation;
    let blocks = cell.resource_blocks();
    let config = LibraryConfig { correlation, ..LibraryConfig::new(profile, spread, kind.shift) };
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
    [on(down, precoding(file, cell)), on(up, at_cell)]
}

fn ports(file: &Network) -> Option<Ports> {
    match file.precoding.ports {
        Some(2) => Some(Ports::Two),
        Some(4) => Some(Ports::Four),
        _ => None,
    }
}

fn precoding(file: &Network, cell: &Cell) -> Precoding {
    let own = &file.precoding;
    let (Some(ports), adaptation) = (ports(file), &cell.link_adaptation) else {
        return Precoding::SinglePort;
    };
    let codebook = match (own.codebook, ports) {
        (_, Ports::Two) => Codebook::TwoPorts,
        (PrecodingCodebook::Lte, Ports::Four) => Codebook::FourPorts,
        (PrecodingCodebook::TypeI, Ports::Four) => Codebook::TypeI,
    };
    let feedback = Feedback {
        delay: own.delay.unwrap_or(adaptation.cqi_delay),
        period: own.period.unwrap_or(adaptation.cqi_period),
        subband: own.subband.map(|subband| subband as u16),
    };
    match own.scheme.unwrap_or(PrecodingScheme::ClosedLoop) {
        PrecodingScheme::SinglePort => Precoding::SinglePort,
        PrecodingScheme::TransmitDiversity => Precoding::TransmitDiversity(ports),
        PrecodingScheme::OpenLoop => Precoding::OpenLoop(ports),
        PrecodingScheme::ClosedLoop => Precoding::ClosedLoop { codebook, feedback },
        PrecodingScheme::MaximumRatio => Precoding::MaximumRatio { ports: ports.count() as u8 },
    }
}

/// Fault of a network's fading, if any.
pub(crate) fn fading_error(
    scenario: &Scenario,
    file: &Network,
    cell: &Cell,
) -> Option<FadingError> {
    let kinds = scenario.ue.iter().map(|group| Kind::of((file, cell), group));
    let all = kinds.flat_map(|kind| libraries(file, cell, kind));
    all.into_iter().find_map(|config| config.check().err())
}
