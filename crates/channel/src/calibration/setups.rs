//! The set-ups of published calibrations.
//!
//! Sources: TR 36.873, table 8.2-1; TR 38.901, table 7.8-1; M.2412 and TR 37.910 with the
//! assumptions of RP-180524.

use crate::antenna::{Antenna, Element, Polarisation};
use crate::environment::Environment;
use crate::error::ChannelError;
use crate::layout::Layout;
use crate::network::{Averaging, NetworkConfig};
use crate::penetration::Buildings;
use crate::users::{Heights, Users};

/// A published calibration: which network, and what it measures against.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The network.
    pub network: NetworkConfig,
    /// Noise at a UE over the power of a cell, as a factor; none if geometry is without.
    pub noise: f64,
}

impl Setup {
    /// Checks that the network is within the limits of its models.
    ///
    /// # Errors
    ///
    /// What is not, and what is allowed.
    pub fn check(&self) -> Result<(), ChannelError> {
        self.network.check()
    }
}

/// First column of the rows of TR 36.873.
pub const TR_36873: &str = "TR 36.873 phase 1";
/// First column of the rows of TR 38.901.
pub const TR_38901: &str = "TR 38.901 large scale";
/// The name here of the rows of RP-180524.
pub const RP_180524: &str = "RP-180524";

/// The scenarios of the first form, with their calibration.
const SCENARIOS: [(&str, &str); 7] = [
    (TR_36873, "3D-UMa K=M=1"),
    (TR_36873, "3D-UMa K=M=10"),
    (TR_36873, "3D-UMi K=M=1"),
    (TR_36873, "3D-UMi K=M=10"),
    (TR_38901, "UMa"),
    (TR_38901, "UMi"),
    (TR_38901, "InH open office"),
];

/// The configurations of RP-180524, with their carriers in GHz.
const CONFIGURATIONS: [(&str, f64); 4] = [
    ("Rural_700M_ModelA", 0.7),
    ("UMa_mMTC_500m_ModelA", 0.7),
    ("UMa_URLLC_700MHz_ModelA", 0.7),
    ("UMa_URLLC_4GHz_ModelA", 4.0),
];

/// Names of calibrations and scenarios, for messages.
pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    let second = CONFIGURATIONS.iter().map(|(name, _)| (RP_180524, *name));
    SCENARIOS.into_iter().chain(second)
}

/// The carrier of a configuration of RP-180524 in GHz; none if there is no such.
pub fn carrier_ghz(configuration: &str) -> Option<f64> {
    CONFIGURATIONS.iter().find(|(name, _)| *name == configuration).map(|(_, carrier)| *carrier)
}

/// The set-up of a calibration at this carrier; none if there is no such scenario.
///
/// # Errors
///
/// A carrier outside the range of its models.
pub fn setup(
    calibration: &str,
    scenario: &str,
    carrier_ghz: f64,
) -> Option<Result<Setup, ChannelError>> {
    let setup =
        known().any(|known| known == (calibration, scenario)).then(|| match calibration {
            TR_36873 => tr36873(scenario),
            TR_38901 => tr38901(scenario),
            _ => rp180524(scenario),
        })?;
    Some(setup.map(|mut setup| {
        setup.network.carrier_hz = carrier_ghz * 1e9;
        setup
    }))
}

/// Ten elements of the sector's pattern at half a wavelength.
const TEN: Antenna = Antenna { elements: 10, downtilt_deg: 12.0, ..Antenna::SINGLE };

/// 80% of UEs on floors of buildings, the rest on the street.
const URBAN: Users = Users {
    indoors: 0.8,
    in_cars: 0.0,
    heights: Heights::Floors,
    buildings: Buildings::Mixed,
    least_m: 35.0,
};

/// Urban micro cells: 200 m apart, 10 m high; macro cells: 500 m, 25 m.
fn urban(environment: Environment, users: Users) -> Result<Setup, ChannelError> {
    let macro_cell = matches!(environment, Environment::Uma | Environment::Uma3d);
    let (site_distance_m, base_m, least_m) =
        if macro_cell { (500.0, 25.0, 35.0) } else { (200.0, 10.0, 10.0) };
    let network = NetworkConfig {
        layout: Layout::hexagonal(19, site_distance_m, true)?,
        environment,
        carrier_hz: 0.0,
        base_m,
        antenna: TEN,
        averaging: Averaging::Straight,
        users: Users { least_m, ..users },
    };
    Ok(Setup { network, noise: 0.0 })
}

/// TR 36.873, table 8.2-1: large scale parameters only.
fn tr36873(scenario: &str) -> Result<Setup, ChannelError> {
    let environment =
        if scenario.starts_with("3D-UMa") { Environment::Uma3d } else { Environment::Umi3d };
    let mut setup = urban(environment, Users { buildings: Buildings::Legacy, ..URBAN })?;
    if scenario.ends_with("K=M=1") {
        setup.network.antenna = Antenna::SINGLE;
    }
    Ok(setup)
}

/// TR 38.901, table 7.8-1.
fn tr38901(scenario: &str) -> Result<Setup, ChannelError> {
    match scenario {
        "UMa" => urban(Environment::Uma, URBAN),
        "UMi" => urban(Environment::Umi, URBAN),
        _ => {
            let mut setup = urban(Environment::Umi, URBAN)?;
            setup.network = NetworkConfig {
                layout: Layout::office(),
                environment: Environment::InhOpen,
                base_m: 3.0,
                antenna: Antenna { downtilt_deg: 20.0, ..TEN },
                users: Users { indoors: 0.0, heights: Heights::Fixed(1.0), least_m: 0.0, ..URBAN },
                ..setup.network
            };
            Ok(setup)
        }
    }
}

/// A port of eight elements at 0.8 wavelengths, slanted.
const EIGHT: Antenna = Antenna {
    element: Element::Sector,
    elements: 8,
    spacing: 0.8,
    downtilt_deg: 9.0,
    polarisation: Polarisation::Slanted,
};

/// RP-180524: 46 dBm in 10 MHz, noise figure of the UE 7 dB.
fn rp180524(configuration: &str) -> Result<Setup, ChannelError> {
    let rural = configuration.starts_with("Rural");
    let indoors = match configuration {
        "Rural_700M_ModelA" => 0.5,
        "UMa_mMTC_500m_ModelA" => 0.8,
        _ => 0.2,
    };
    let (environment, site_distance_m, base_m) =
        if rural { (Environment::Rma, 1732.0, 35.0) } else { (Environment::Uma, 500.0, 25.0) };
    let users = Users {
        indoors,
        in_cars: if rural { 0.5 } else { 0.0 },
        heights: Heights::Fixed(1.5),
        buildings: if rural { Buildings::Low } else { Buildings::Legacy },
        least_m: 10.0,
    };
    let network = NetworkConfig {
        layout: Layout::hexagonal(19, site_distance_m, true)?,
        environment,
        carrier_hz: 0.0,
        base_m,
        antenna: Antenna { downtilt_deg: if rural { 10.0 } else { 9.0 }, ..EIGHT },
        averaging: Averaging::Spread,
        users,
    };
    // -174 dBm/Hz in 10 MHz and 7 dB, over 46 dBm.
    let noise_db = -174.0 + 70.0 + 7.0 - 46.0;
    Ok(Setup { network, noise: airpath_base::math::exp10(noise_db / 10.0) })
}
