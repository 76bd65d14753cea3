//! Transmission modes of LTE downlink (TS 36.213, 7.1), and the precoding of a network that goes with them.

use airpath_ran::phy::TransmissionMode;

use crate::file::{Cell, Network, PrecodingScheme, Scenario};

/// The modes with several layers.
pub(crate) const LAYERED: [u8; 3] = [3, 4, 9];

/// Precoding of a network by the mode of its cells.
pub(crate) fn scheme(mode: u8) -> PrecodingScheme {
    match mode {
        1 => PrecodingScheme::SinglePort,
        2 => PrecodingScheme::TransmitDiversity,
        3 => PrecodingScheme::OpenLoop,
        _ => PrecodingScheme::ClosedLoop,
    }
}

/// Fills in the mode of LTE with several layers, and the precoding of a network.
pub(crate) fn fill(scenario: &mut Scenario) {
    let network = &mut scenario.network;
    let given = network.as_ref().and_then(|network| network.precoding.scheme);
    let mut mode = None;
    if let Some(cell) = scenario.cell.as_mut().filter(|cell| !cell.is_nr()) {
        let usual = match given {
            Some(PrecodingScheme::OpenLoop) => Some(3),
            None | Some(PrecodingScheme::ClosedLoop) => (cell.layers > 1).then_some(4),
            Some(_) => None,
        };
        cell.transmission_mode = cell.transmission_mode.or(usual);
        mode = cell.transmission_mode;
    }
    if let Some(network) = network {
        let usual = mode.map_or(PrecodingScheme::ClosedLoop, scheme);
        network.precoding.scheme.get_or_insert(usual);
    }
}

/// Antenna ports of a cell and their use. Without a mode, reference signals are those of one port. A cell with
/// mode 9 has two cell-specific ports at most, as reference signals of the UE stand for the others.
pub(crate) fn mode(network: Option<&Network>, cell: &Cell) -> TransmissionMode {
    let Some(mode) = cell.transmission_mode else { return TransmissionMode::ONE_PORT };
    let usual = if cell.layers > 2 { 4 } else { 2 };
    let ports = network.map_or(usual, |network| network.precoding.ports.unwrap_or(1) as u8);
    let ports = match mode {
        1 => 1,
        9 => ports.min(2),
        _ => ports,
    };
    TransmissionMode { ports, own_signals: mode == 9, delay_diversity: mode == 3 }
}
