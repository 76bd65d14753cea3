//! Further carriers of cells, and links of UEs there.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db};
use airpath_channel::ChannelError;
use airpath_ran::phy::category::most_bits_of_carriers;
use airpath_ran::{self as ran, CellConfig, UeCarrier};
use airpath_schema::units::Timer;

use super::links::carrier_drop;
use super::network::NetworkDrop;
use super::radio::{self, budget, cell_config, cell_facts};
use super::{CarrierFacts, Facts};
use crate::file::{Carrier, CarrierActivation, Cell, Scenario, Ue};

/// The further carriers of so many cells, one carrier after the other, whose names go to `facts`.
pub(super) fn configs(
    (scenario, cell): (&Scenario, &Cell),
    ports: u8,
    cells: usize,
    facts: &mut Facts,
) -> Vec<CellConfig> {
    let in_network = scenario.network.is_some();
    let handover = facts.handover;
    let of_carrier = |(number, carrier): (usize, &Carrier)| {
        let activation = ran::Activation {
            bytes: u32::try_from(carrier.activation_threshold.0).unwrap_or(u32::MAX),
            delay: carrier.activation_delay.unwrap_or_default(),
            timer: match carrier.deactivation_timer {
                Timer::After(timer) => Some(timer),
                Timer::Infinity => None,
            },
        };
        let by_traffic = carrier.activation == CarrierActivation::Traffic;
        let activation = by_traffic.then_some(activation);
        let config = cell_config(scenario, &carrier.cell(cell), ports);
        facts.cells.extend(cell_facts(&carrier.name, cells, in_network, &config));
        if carrier.has_cells() {
            let number = number + 1;
            let own =
                radio::with_addresses(&config, number * cells..(number + 1) * cells, handover);
            return on_frequency(number, own);
        }
        let addition = handover.then(|| carrier.activation_delay.unwrap_or_default());
        let secondary = |n| Some(ran::Secondary { of: CellId(n), activation, addition });
        // Each has the address of its primary cell.
        let own = radio::with_addresses(&config, 0..cells, handover).into_iter().zip(0..);
        let of = |(cell, n)| CellConfig { secondary: secondary(n), ..cell };
        own.map(of).collect::<Vec<CellConfig>>()
    };
    scenario.carrier.iter().enumerate().flat_map(of_carrier).collect()
}

/// True if a network has cells on further carriers.
pub(super) fn have_cells(scenario: &Scenario) -> bool {
    scenario.network.is_some() && scenario.carrier.iter().any(Carrier::has_cells)
}

/// The carrier of legs with its number; none without dual connectivity.
pub(super) fn legs(scenario: &Scenario) -> Option<(usize, &Carrier)> {
    scenario.network.as_ref()?;
    scenario.carrier.iter().enumerate().find(|(_, carrier)| carrier.is_leg())
}

/// The cells of a network's own carrier, beside those of others if there are any.
pub(super) fn on_first(scenario: &Scenario, cells: Vec<CellConfig>) -> Vec<CellConfig> {
    if have_cells(scenario) { on_frequency(0, cells) } else { cells }
}

/// The cells of the carrier of this number among those on several.
fn on_frequency(carrier: usize, cells: Vec<CellConfig>) -> Vec<CellConfig> {
    let of = |(cell, position): (CellConfig, u16)| {
        let frequency = ran::Frequency { carrier: carrier as u16, position: CellId(position) };
        CellConfig { frequency: Some(frequency), ..cell }
    };
    cells.into_iter().zip(0..).map(of).collect()
}

impl NetworkDrop {
    /// Drops the UEs of a scenario, served by the strongest cell of all carriers with cells of their own. None if the
    /// scenario has no network.
    ///
    /// # Errors
    ///
    /// As [`new`](NetworkDrop::new).
    pub fn with_carriers(
        scenario: &Scenario,
        seed: Seed,
    ) -> Result<Option<NetworkDrop>, ChannelError> {
        let Some(first) = NetworkDrop::new(scenario, seed)? else { return Ok(None) };
        let mut all = first.clone();
        let mut most: Vec<f64> = first.ues.iter().map(|ue| ue.rsrp.0).collect();
        let cells = first.network.cells().len();
        for (n, carrier) in scenario.carrier.iter().enumerate().filter(|(_, own)| own.serves()) {
            let there = carrier_drop(carrier, scenario, &first, seed)?;
            for ((ue, other), most) in all.ues.iter_mut().zip(there.ues).zip(&mut most) {
                let level = other.rsrp.0 + carrier.offset_db();
                if level > *most {
                    *most = level;
                    (ue.cell, ue.serving) = (other.cell, (n + 1) * cells + other.cell);
                    (ue.rsrp, ue.geometry) = (other.rsrp, other.geometry);
                    (ue.gain, ue.gains, ue.link) = (other.gain, other.gains, other.link);
                }
            }
        }
        Ok(Some(all))
    }
}

/// Most bytes downlink in a TTI that the category of a UE allows over several carriers.
pub(super) fn most_bytes(scenario: &Scenario, group: &Ue) -> Option<u32> {
    let aggregates = scenario.carrier.iter().any(|carrier| !carrier.has_cells());
    let category = group.category.filter(|_| aggregates)?;
    Some(most_bits_of_carriers(category)? / 8)
}

/// Links of a UE of a group in the further carriers of one cell, at this distance where it has one.
pub(super) fn links(
    scenario: &Scenario,
    cell: &Cell,
    group: &Ue,
    metres: Option<f64>,
) -> Vec<UeCarrier> {
    let link = |(carrier, uplink): (&Carrier, bool)| {
        let (more, full_power) = match metres {
            Some(metres) => {
                let budget = |cell: &Cell| budget(&cell.radio, cell, metres);
                let (own, (here, full_power)) = (budget(cell).0, budget(&carrier.cell(cell)));
                ([here[0] - own[0], here[1] - own[1]], full_power)
            }
            None => ([0.0; 2], f64::INFINITY),
        };
        UeCarrier {
            gains: more.map(|more| (carrier.snr_offset + Db(more)).linear()),
            full_power,
            uplink,
            channel: None,
        }
    };
    scenario.carrier.iter().zip(sends_on(scenario, group)).map(link).collect()
}

/// RSRP in dBm at this distance in the further carriers of one cell; none without a distance.
pub(super) fn rsrp(scenario: &Scenario, cell: &Cell, metres: Option<f64>) -> Vec<Option<f64>> {
    let of_carrier = |carrier: &Carrier| {
        let cell = carrier.cell(cell);
        let ([snr_db, _], _) = budget(&cell.radio, &cell, metres?);
        Some(radio::rsrp(&cell.radio, &cell, snr_db) + carrier.snr_offset.0)
    };
    scenario.carrier.iter().map(of_carrier).collect()
}

/// Carriers of a UE with their RSRP, that of the cell first; empty with one carrier.
pub(super) fn facts(own: Option<f64>, others: &[Option<f64>]) -> Vec<CarrierFacts> {
    if others.is_empty() {
        return Vec::new();
    }
    let all = core::iter::once(&own).chain(others);
    all.map(|rsrp_dbm| CarrierFacts { rsrp_dbm: *rsrp_dbm, reach: [None; 2] }).collect()
}

/// Further carriers on which a UE of a group sends: the first of those with uplink, as many as it can.
pub(super) fn sends_on(scenario: &Scenario, group: &Ue) -> Vec<bool> {
    let beside = group.uplink_carriers.map_or(usize::MAX, |most| most as usize - 1);
    let mut with_uplink = 0;
    let sends = |carrier: &Carrier| {
        with_uplink += usize::from(carrier.uplink);
        carrier.uplink && with_uplink <= beside
    };
    scenario.carrier.iter().map(sends).collect()
}

#[cfg(test)]
mod tests {
    use super::super::radio::link_of_single;
    use super::*;
    use crate::resolve::UeRef;

    #[test]
    fn snr_of_further_carriers() {
        let text = "duration = \"1 s\"\n[cell]\nresource_blocks = 100\n\
                    radio.path_loss = \"free-space\"\nradio.carrier = \"2.12 GHz\"\n\
                    [[carrier]]\nname = \"low\"\nfrequency = \"1.06 GHz\"\n\
                    [[carrier]]\nname = \"narrow\"\nfrequency = \"2.15 GHz\"\nresource_blocks = 50\n\
                    snr_offset = \"-5 dB\"\nuplink = true\n\
                    [[ue]]\nname = \"far\"\ndistance = \"1 km\"\n\
                    [[ue]]\nname = \"given\"\nsnr = \"9 dB\"\n\
                    [[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";
        let scenario = Scenario::parse("a.toml", text, &[]).expect("a scenario");
        let cell = scenario.cell.as_ref().expect("a cell");
        let carriers = |ue: UeRef<'_>| {
            links(&scenario, cell, ue.group, link_of_single(&ue, cell, Seed(1)).distance_m)
        };
        let links: Vec<UeCarrier> = scenario.ues().flat_map(carriers).collect();
        let found = links.iter().map(|link| Db::from_linear(link.gains[0]).0);
        let found: Vec<f64> = found.collect();
        // Friis: 20 lg of the ratio of frequencies. Half as wide with the same power: 10 lg 2.
        let [octave, half] = [20.0, 10.0].map(|of| of * core::f64::consts::LOG10_2);
        let higher = 20.0 * airpath_base::math::log10(2.15 / 2.12);
        for (found, expected) in found.iter().zip([octave, half - higher - 5.0, 0.0, -5.0]) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
        // Uplink is 190 MHz below, in band 1. Power control makes up for 0.8 of the loss downlink (TS
        // 36.213, 5.1.1.1).
        let up = Db::from_linear(links[1].gains[1]).0 + 5.0;
        let expected = 0.8 * higher - 20.0 * airpath_base::math::log10(1.96 / 1.93);
        assert!((up - expected).abs() < 1e-3, "{up} {expected}");
        assert!(links.iter().map(|link| link.uplink).eq([false, true, false, true]));
    }
}
