//! Defaults of a network that go by its environment.

use airpath_base::Dbm;
use airpath_channel::precoding::Panel;
use airpath_schema::units::{Degrees, Metres};

use crate::file::{
    Environment, Network, NetworkBuildings, NetworkElement, NetworkLayout, NetworkPolarisation,
    NetworkPrecoding, PrecodingCodebook, PrecodingScheme,
};

/// Usual values of an environment: TR 36.873, table 8.2-1; TR 38.901, tables 7.2-1 to 7.2-3 and
/// 7.8-1; for RMa M.2412, 8.4, with the assumptions of RP-180524.
struct Usual {
    site_distance_m: f64,
    height_m: f64,
    power_dbm: f64,
    indoors: f64,
    in_cars: f64,
    buildings: NetworkBuildings,
    /// Of all UEs; none for floors of buildings.
    ue_height_m: Option<f64>,
    min_distance_m: f64,
    downtilt_deg: f64,
}

const MACRO: Usual = Usual {
    site_distance_m: 500.0,
    height_m: 25.0,
    power_dbm: 46.0,
    indoors: 0.8,
    in_cars: 0.0,
    buildings: NetworkBuildings::Mixed,
    ue_height_m: None,
    min_distance_m: 35.0,
    downtilt_deg: 12.0,
};

const MICRO: Usual = Usual {
    site_distance_m: 200.0,
    height_m: 10.0,
    power_dbm: 41.0,
    min_distance_m: 10.0,
    ..MACRO
};

fn usual(environment: Environment) -> Usual {
    match environment {
        Environment::Uma => MACRO,
        Environment::Umi => MICRO,
        Environment::Uma3d => Usual { buildings: NetworkBuildings::Legacy, ..MACRO },
        Environment::Umi3d => Usual { buildings: NetworkBuildings::Legacy, ..MICRO },
        Environment::Rma => Usual {
            site_distance_m: 1_732.0,
            height_m: 35.0,
            indoors: 0.5,
            in_cars: 0.5,
            buildings: NetworkBuildings::Low,
            ue_height_m: Some(1.5),
            downtilt_deg: 10.0,
            ..MACRO
        },
        Environment::InhOpen | Environment::InhMixed => Usual {
            site_distance_m: 20.0,
            height_m: 3.0,
            power_dbm: 24.0,
            indoors: 0.0,
            ue_height_m: Some(1.0),
            min_distance_m: 0.0,
            downtilt_deg: 20.0,
            ..MACRO
        },
    }
}

/// Fills in what a network leaves to its environment.
pub(crate) fn fill(network: &mut Network) {
    let usual = usual(network.environment);
    let office = matches!(network.environment, Environment::InhOpen | Environment::InhMixed);
    let layout = *network.layout.get_or_insert(match (network.site.is_empty(), office) {
        (false, _) => NetworkLayout::Given,
        (true, true) => NetworkLayout::Office,
        (true, false) => NetworkLayout::Hexagonal,
    });
    if layout == NetworkLayout::Hexagonal {
        network.sites.get_or_insert(19);
        network.site_distance.get_or_insert(Metres(usual.site_distance_m));
        network.wrap_around.get_or_insert(true);
    }
    network.antenna.element.get_or_insert(match layout {
        NetworkLayout::Single => NetworkElement::Isotropic,
        _ => NetworkElement::Sector,
    });
    network.height.get_or_insert(Metres(usual.height_m));
    network.transmit_power.get_or_insert(Dbm(usual.power_dbm));
    let cars = network.in_cars;
    network.indoors.get_or_insert(usual.indoors.min(1.0 - cars.unwrap_or(0.0)));
    let outdoors = 1.0 - network.indoors.unwrap_or_default();
    network.in_cars.get_or_insert(usual.in_cars.min(outdoors));
    network.buildings.get_or_insert(usual.buildings);
    if let Some(height) = usual.ue_height_m {
        network.ue_height.get_or_insert(Metres(height));
    }
    fill_ports(&mut network.precoding);
    let polarisation = match network.precoding.columns {
        Some(_) => NetworkPolarisation::Slanted,
        None => NetworkPolarisation::Vertical,
    };
    network.antenna.polarisation.get_or_insert(polarisation);
    network.min_distance.get_or_insert(Metres(usual.min_distance_m));
    let tilt = if network.antenna.elements > 1 { usual.downtilt_deg } else { 0.0 };
    network.antenna.downtilt.get_or_insert(Degrees(tilt));
}

/// Fills in ports and their panel.
fn fill_ports(precoding: &mut NetworkPrecoding) {
    let (columns, rows) = (precoding.columns, precoding.rows);
    let alone = precoding.scheme == Some(PrecodingScheme::SinglePort);
    let ports = *precoding.ports.get_or_insert(match (columns, rows) {
        (None, None) => {
            if alone {
                1
            } else {
                4
            }
        }
        _ => 2 * u32::from(columns.unwrap_or(1)) * u32::from(rows.unwrap_or(1)),
    });
    if ports > 4 || columns.is_some() || rows.is_some() {
        let suits = |panel: &Panel| {
            columns.is_none_or(|own| own == panel.columns())
                && rows.is_none_or(|own| own == panel.rows())
        };
        let panel = match (columns, rows) {
            (None, None) => Panel::usual(ports),
            _ => Panel::of_ports(ports).find(suits),
        };
        // Two ports are one pair. Where no panel suits, a check reports it.
        let (usual_columns, usual_rows) =
            panel.map_or((1, 1), |panel| (panel.columns(), panel.rows()));
        precoding.columns.get_or_insert(usual_columns);
        precoding.rows.get_or_insert(usual_rows);
    }
    let usual = if ports > 4 { PrecodingCodebook::TypeI } else { PrecodingCodebook::Lte };
    precoding.codebook.get_or_insert(usual);
}
