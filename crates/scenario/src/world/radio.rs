//! The cell and its UEs as the radio access network has them.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Time};
use airpath_ran::phy::category::{most_bits_of_carriers, most_block_bits, most_tti_bits};
use airpath_ran::phy::{self, LinkBudget, PathLossModel};
use airpath_ran::{
    self as ran, CellConfig, Channel, Control, Link, RadioLinkConfig, RanConfig, Tti, UeCarrier,
    UeConfig, UplinkConfig,
};
use airpath_schema::units::{Hertz, Timer};

use super::bearers::Bearers;
use super::network::{NOISE_DENSITY, SUBCARRIERS};
use super::power::power_control;
use super::{CellFacts, Facts, NetworkDrop, UeFacts, addresses, links, rrc, scheduler, technology};
use crate::file::{
    Carrier, CarrierActivation, Cell, CqiReference, Distance, PathLoss, Pdcch, Radio, RadioLink,
    Scenario, Timing, Ue, UplinkAccess,
};
use crate::interval::{Interval, Span};
use crate::resolve::UeRef;
use crate::transmission;

/// A network's UEs where they have been dropped, and its channels.
pub(super) struct Dropped {
    drop: NetworkDrop,
    channel: Arc<dyn Channel>,
    /// The channels of further carriers.
    carriers: Vec<Arc<dyn Channel>>,
}

/// Drops the UEs of a scenario with a network.
///
/// # Errors
///
/// Values out of the range of a model; none in a scenario that was read from a file.
pub(super) fn network(
    scenario: &Scenario,
    cell: &Cell,
    seed: Seed,
) -> Result<Option<Dropped>, Box<dyn core::error::Error>> {
    let (Some(file), Some(drop)) = (&scenario.network, NetworkDrop::new(scenario, seed)?) else {
        return Ok(None);
    };
    let channel = Arc::new(links::channel((scenario, file, cell), (&drop, None), seed)?);
    let carrier = |carrier: &Carrier| links::carrier(carrier, (scenario, file, cell), &drop, seed);
    let carriers = scenario.carrier.iter().map(carrier).collect::<Result<_, _>>()?;
    Ok(Some(Dropped { drop, channel, carriers }))
}

/// The radio access network of a scenario with such cells; names and positions go to `facts`.
pub(super) fn config(
    (scenario, cell): (&Scenario, &Cell),
    network: Option<Dropped>,
    bearers: &Bearers,
    seed: Seed,
    facts: &mut Facts,
) -> RanConfig {
    let cells = network.as_ref().map_or(1, |own| own.drop.network.cells().len());
    let precoding = scenario.network.as_ref().map(|network| &network.precoding);
    let ports = precoding.and_then(|precoding| precoding.ports).unwrap_or(1) as u8;
    let config = cell_config(scenario, cell, ports);
    facts.cells = cell_facts("cell", cells, network.is_some(), &config);
    let mut ues = Vec::with_capacity(bearers.ues.len());
    for (n, (ue, own)) in scenario.ues().zip(&bearers.ues).enumerate() {
        let link = match &network {
            Some(network) => link_in_network(network, n),
            None => link_of_single(&ue, cell, seed),
        };
        let number = link.number.unwrap_or(n as u64);
        let carriers = match &network {
            Some(network) => network.ue_carriers(&sends_on(scenario, ue.group)),
            None => ue_carriers(scenario, cell, ue.group, &link),
        };
        let served = link.rsrp_dbm.is_none_or(|rsrp| rsrp > cell.q_rx_lev_min.0);
        let (rrc, mut rrc_facts) = rrc::config(&ue, number, cell, seed).unzip();
        rrc_facts.iter_mut().for_each(|facts| facts.connected &= served);
        facts.ues.push(UeFacts { served, rrc: rrc_facts, ..link.facts(&ue) });
        ues.push(UeConfig {
            cell: link.cell,
            link: link.link,
            served,
            number,
            layers: ue.group.layers(cell, scenario.network.as_ref()),
            carriers,
            most_bytes: ue.group.category.map_or(u32::MAX, |own| most_block_bits(own) / 8),
            most_tti_bytes: ue.group.category.map_or(u32::MAX, |own| most_tti_bits(own) / 8),
            most_bytes_of_carriers: most_bytes_of_carriers(scenario, ue.group),
            offset: offset(cell, number),
            tft: own.tft.clone(),
            bearers: own.ids.clone(),
            flows: own.flows.clone(),
            rrc,
            radio_link: radio_link(ue.group.radio_link.as_ref().unwrap_or(&cell.radio_link)),
        });
    }
    RanConfig {
        cells: [vec![config; cells], carriers((scenario, cell), ports, cells, facts)].concat(),
        ues,
        bearers: bearers.configs.clone(),
        ecn: scenario.path.ecn_tunnel,
    }
}

impl Dropped {
    /// Links of a UE in the further carriers, and whether it sends there.
    fn ue_carriers(&self, sends_on: &[bool]) -> Vec<UeCarrier> {
        let link = |(channel, uplink): (&Arc<dyn Channel>, &bool)| UeCarrier {
            channel: Some(channel.clone()),
            uplink: *uplink,
            ..UeCarrier::ALIKE
        };
        self.carriers.iter().zip(sends_on).map(link).collect()
    }
}

/// The further carriers of so many cells, one carrier after the other, whose names go to `facts`.
fn carriers(
    (scenario, cell): (&Scenario, &Cell),
    ports: u8,
    cells: usize,
    facts: &mut Facts,
) -> Vec<CellConfig> {
    let in_network = scenario.network.is_some();
    let configs = |carrier: &Carrier| {
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
        let secondary = |n| Some(ran::Secondary { of: CellId(n as u16), activation });
        let of = |n| CellConfig { secondary: secondary(n), ..config.clone() };
        (0..cells).map(of).collect::<Vec<CellConfig>>()
    };
    scenario.carrier.iter().flat_map(configs).collect()
}

/// Most bytes downlink in a TTI that the category of a UE allows over several carriers.
fn most_bytes_of_carriers(scenario: &Scenario, group: &Ue) -> Option<u32> {
    let category = group.category.filter(|_| !scenario.carrier.is_empty())?;
    Some(most_bits_of_carriers(category)? / 8)
}

/// Links of a UE of a group in the further carriers.
fn ue_carriers(scenario: &Scenario, cell: &Cell, group: &Ue, link: &UeLink) -> Vec<UeCarrier> {
    let metres = link.distance_m.filter(|_| link.number.is_none());
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

/// Further carriers on which a UE of a group sends: the first of those with uplink, as many as it can.
fn sends_on(scenario: &Scenario, group: &Ue) -> Vec<bool> {
    let beside = group.uplink_carriers.map_or(usize::MAX, |most| most as usize - 1);
    let mut with_uplink = 0;
    let sends = |carrier: &Carrier| {
        with_uplink += usize::from(carrier.uplink);
        carrier.uplink && with_uplink <= beside
    };
    scenario.carrier.iter().map(sends).collect()
}

/// Cells of a carrier with this name. Those of a network are numbered; one alone is not.
fn cell_facts(name: &str, cells: usize, network: bool, config: &CellConfig) -> Vec<CellFacts> {
    let facts = |n| CellFacts {
        name: if network { format!("{name}-{n}") } else { name.to_owned() },
        resource_blocks: config.resource_blocks,
        slot: config.tti.length(),
        shares: config.shares(),
    };
    (0..cells).map(facts).collect()
}

fn radio_link(link: &RadioLink) -> RadioLinkConfig {
    let RadioLink { n310, t310, n311, t311, t301, reestablishment, set_up } = *link;
    let t311 = t311.unwrap_or(RadioLinkConfig::LTE.t311);
    RadioLinkConfig { n310, t310, n311, t311, t301, reestablishment, set_up }
}

fn cell_config(scenario: &Scenario, cell: &Cell, ports: u8) -> CellConfig {
    let adaptation = &cell.link_adaptation;
    CellConfig {
        resource_blocks: cell.resource_blocks(),
        technology: technology::config(cell),
        layers: [cell.layers, cell.uplink.layers],
        least_layers: [cell.min_layers, 1],
        transmission: transmission::mode(scenario.network.as_ref(), cell),
        tti: cell.tti.tti(),
        duplex: duplex(cell),
        scheduler: scheduler::config(scenario, cell),
        multi_user: scheduler::multi_user(cell),
        precedence: scheduler::precedence(scenario, &cell.scheduler),
        allocation: cell.allocation,
        downlink_placement: cell.placement,
        sharing: cell.sharing,
        mac_header: cell.mac_header,
        adaptation: phy::LinkAdaptation {
            min_mcs: adaptation.min_mcs,
            max_mcs: adaptation.max_mcs,
            bler_target: adaptation.bler_target,
            code_rate_limit: adaptation.code_rate_limit.and_then(|limit| limit.0),
            control_symbols: cell.control_symbols(),
            by_grant: adaptation.cqi_reference == Some(CqiReference::Grant),
        },
        reports: ran::Reports {
            period: adaptation.cqi_period,
            delay: adaptation.cqi_delay,
            subband: adaptation.cqi_subband.map(|subband| subband as u16),
            interference: adaptation.cqi_interference,
            outer_loop_db: adaptation.outer_loop.0,
        },
        control: control(cell, ports),
        timing: timing(&cell.timing, cell.tti.tti()),
        harq: harq(cell),
        max_transmissions: if cell.harq.enabled { cell.harq.max_transmissions } else { 1 },
        combining: cell.harq.combining,
        first_error: cell.harq.error,
        uplink: UplinkConfig {
            access: access(cell),
            min_resource_blocks: cell.uplink.min_resource_blocks as u16,
            first_sounding: Time::ZERO + cell.uplink.first_sounding,
        },
        secondary: None,
        endpoint: addresses::CELL_S1,
        gateway: addresses::GATEWAY_S1,
    }
}

/// The pattern is one, as the checks have seen to.
fn duplex(cell: &Cell) -> ran::Duplex {
    cell.pattern().and_then(Result::ok).map_or(ran::Duplex::Fdd, ran::Duplex::Tdd)
}

/// Resolved HARQ has processes where it is asynchronous.
fn harq(cell: &Cell) -> ran::HarqConfig {
    match cell.harq.processes {
        Some(processes) => ran::HarqConfig::Asynchronous { processes },
        None => ran::HarqConfig::Synchronous,
    }
}

/// The control channel of a cell with so many cell-specific antenna ports.
pub(super) fn control(cell: &Cell, ports: u8) -> Control {
    if cell.pdcch != Some(Pdcch::Modelled) {
        return Control::Ideal;
    }
    let (blocks, symbols) = (cell.resource_blocks(), cell.control_symbols());
    let nr = cell.is_nr() || matches!(cell.tti, Interval::Nr { .. });
    let (usual, most) = match nr {
        false => (phy::control_elements_lte(blocks, symbols, ports), phy::MOST_ELEMENTS_LTE),
        // Beside the data it takes none of their symbols, but one.
        true => (phy::control_elements_nr(blocks, symbols.max(1)), phy::MOST_ELEMENTS_NR),
    };
    let elements = cell.control_elements.unwrap_or(usual.max(1));
    Control::Modelled { elements, most, errors: cell.control_errors }
}

fn timing(timing: &Timing, tti: Tti) -> ran::Timing {
    ran::Timing {
        downlink_preparation: timing.downlink_preparation.with_tti(tti),
        downlink_processing: timing.downlink_processing.with_tti(tti),
        sr_transmission: timing.sr_transmission.with_tti(tti),
        sr_detection: timing.sr_detection.with_tti(tti),
        report_preparation: timing.report_preparation.with_tti(tti),
        grant_preparation: timing.grant_preparation.with_tti(tti),
        grant_transmission: timing.grant_transmission.with_tti(tti),
        grant_decoding: timing.grant_decoding.with_tti(tti),
        grant_to_transmission: timing.grant_to_transmission.with_tti(tti),
        data_preparation: timing.data_preparation.with_tti(tti),
        uplink_transmission: timing.uplink_transmission.with_tti(tti),
        uplink_processing: timing.uplink_processing.with_tti(tti),
        data_to_feedback: timing.data_to_feedback.with_tti(tti),
        harq_round_trip: timing.harq_round_trip.with_tti(tti),
    }
}

fn access(cell: &Cell) -> ran::Access {
    let uplink = &cell.uplink;
    match uplink.access {
        UplinkAccess::SchedulingRequest => ran::Access::SchedulingRequest {
            period: ttis(uplink.sr_period, cell),
            grant: u32::try_from(uplink.sr_grant.0).unwrap_or(u32::MAX),
            retry: uplink.sr_retry,
        },
        UplinkAccess::Configured => ran::Access::Configured {
            period: ttis(uplink.configured_period, cell),
            resource_blocks: uplink.configured_resource_blocks as u16,
        },
        UplinkAccess::Instant => ran::Access::Instant,
        UplinkAccess::Reported => {
            ran::Access::Reported { period: uplink.bsr_period.with_tti(cell.tti.tti()) }
        }
    }
}

/// Whole TTIs, as the checks have seen to.
fn ttis(span: Span, cell: &Cell) -> u64 {
    span.whole_ttis(cell.tti.tti()).unwrap_or(1)
}

/// The UE's opportunity within the period, spread over the UEs unless it is given.
fn offset(cell: &Cell, ue: u64) -> u64 {
    let (period, offset) = match cell.uplink.access {
        UplinkAccess::SchedulingRequest => (cell.uplink.sr_period, cell.uplink.sr_offset),
        UplinkAccess::Configured => (cell.uplink.configured_period, cell.uplink.configured_offset),
        UplinkAccess::Instant | UplinkAccess::Reported => return 0,
    };
    match offset {
        Some(offset) => ttis(offset, cell),
        None => ue % ttis(period, cell).max(1),
    }
}

/// Link of a UE with its cell: distance, and the levels that reach both.
struct UeLink {
    cell: CellId,
    /// In a network, by which its draws are keyed.
    number: Option<u64>,
    link: Link,
    distance_m: Option<f64>,
    snr_db: Option<[f64; 2]>,
    rsrp_dbm: Option<f64>,
}

impl UeLink {
    /// Facts of its UE, as far as they follow from the link.
    fn facts(&self, ue: &UeRef<'_>) -> UeFacts {
        UeFacts {
            name: ue.name(),
            group: ue.group_index,
            cell: Some(self.cell),
            distance_m: self.distance_m,
            snr_db: self.snr_db,
            rsrp_dbm: self.rsrp_dbm,
            served: true,
            reach: None,
            rrc: None,
            arrival: ue.arrival(),
        }
    }
}

fn link_in_network(Dropped { drop, channel, .. }: &Dropped, n: usize) -> UeLink {
    let ue = &drop.ues[n];
    UeLink {
        cell: CellId(ue.cell as u16),
        number: Some(ue.ue.number),
        link: Link::Network(channel.clone()),
        distance_m: Some(ue.link.span.ground_m),
        snr_db: None,
        rsrp_dbm: Some(ue.rsrp.0),
    }
}

fn link_of_single(ue: &UeRef<'_>, cell: &Cell, seed: Seed) -> UeLink {
    let fixed = |distance_m, snr_db: [f64; 2], full_power, rsrp_dbm| {
        let [down, up] = ue.group.combining(cell);
        let snr_db = [snr_db[0] + down.0, snr_db[1] + up.0];
        let [downlink, uplink] = snr_db.map(|snr| Db(snr).linear());
        let link = Link::Fixed { downlink, uplink, full_power };
        UeLink { cell: CellId(0), number: None, link, distance_m, snr_db: Some(snr_db), rsrp_dbm }
    };
    if let Some(snr) = &ue.group.snr {
        return fixed(None, [snr.down.0, snr.up.0], f64::INFINITY, None);
    }
    let distance = ue.group.distance.as_ref();
    let metres = distance.map_or(1.0, |distance| draw_distance(distance, seed, &ue.name()));
    let (snr_db, full_power) = budget(&cell.radio, cell, metres);
    fixed(Some(metres), snr_db, full_power, Some(rsrp(&cell.radio, cell, snr_db[0])))
}

/// RSRP in dBm: the power of a resource element of the cell at a UE (TS 36.214, 5.1.1; TS 38.215,
/// 5.1.1). It is as much above the noise in the element as the whole carrier is above the noise
/// there.
fn rsrp(radio: &Radio, cell: &Cell, snr_db: f64) -> f64 {
    let elements = SUBCARRIERS * f64::from(cell.resource_blocks());
    let noise = NOISE_DENSITY + Db::from_linear(cell.occupied_hz() / elements);
    snr_db + (noise + radio.noise_figure).0
}

/// A distance on the ring, evenly by area.
pub(super) fn draw_distance(distance: &Distance, seed: Seed, ue: &str) -> f64 {
    let (min, max) = (distance.min.0, distance.max.0);
    if min >= max {
        return min;
    }
    let share = seed.stream(&format!("{ue} / place")).uniform();
    (min * min + share * (max * max - min * min)).sqrt()
}

/// SNR downlink and uplink at this distance, and the number of resource blocks that can have the
/// SNR uplink. In more blocks, a UE has less power in each. Power control goes by the loss
/// downlink, which is what a UE measures (TS 36.213, 5.1.1.1; TS 38.213, 7.1.1).
fn budget(radio: &Radio, cell: &Cell, metres: f64) -> ([f64; 2], f64) {
    let model = match radio.path_loss {
        PathLoss::Tr36942Urban => {
            PathLossModel::Tr36942Urban { above_roof_m: radio.antenna_above_roof.0 }
        }
        PathLoss::OkumuraHata => {
            PathLossModel::OkumuraHata { base_m: radio.antenna_height.0, ue_m: radio.ue_height.0 }
        }
        PathLoss::FreeSpace => PathLossModel::FreeSpace,
    };
    let loss = |hertz: Hertz| phy::path_loss(model, hertz.0 as f64, metres);
    let carrier = radio.carrier.unwrap_or_default();
    let (down_loss, up_loss) = (loss(carrier), loss(radio.carrier_up.unwrap_or(carrier)));
    let down = LinkBudget {
        transmit: radio.transmit_power,
        gains: radio.antenna_gain + radio.ue_antenna_gain,
        noise_figure: radio.noise_figure,
        min_coupling_loss: radio.min_coupling_loss,
        bandwidth_hz: cell.occupied_hz(),
    };
    let own = (radio.p0, radio.alpha);
    let control = power_control(cell, radio.power_control, radio.ue_power, own);
    let (in_one, full_power) = control.in_one(down.coupling_loss(down_loss));
    let up = LinkBudget {
        transmit: in_one,
        noise_figure: radio.cell_noise_figure,
        bandwidth_hz: cell.resource_block_hz(),
        ..down
    };
    ([down.snr(down_loss).0, up.snr(up_loss).0], full_power)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ue_carriers(&scenario, cell, ue.group, &link_of_single(&ue, cell, Seed(1)))
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

    #[test]
    fn control_channels() {
        let of = |cell: &str| {
            let text = format!("duration = \"1 s\"\n[cell]\n{cell}\n[[ue]]\nname = \"a\"\n");
            let ue = if cell.contains("[network]") { "" } else { "snr = \"9 dB\"\n" };
            let flow = "[[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";
            let scenario = Scenario::parse("a.toml", &format!("{text}{ue}{flow}"), &[]);
            control(scenario.expect("a scenario").cell.as_ref().expect("a cell"), 2)
        };
        let modelled = |elements, most| Control::Modelled { elements, most, errors: true };
        assert_eq!(of(""), Control::Ideal);
        assert_eq!(of("[network]"), modelled(41, 8));
        assert_eq!(of("pdcch = \"modelled\""), modelled(41, 8));
        assert_eq!(of("pdcch = \"modelled\"\ncontrol_elements = 9"), modelled(9, 8));
        // 48 of 50 resource blocks, 3 symbols; NR has one of a slot, and of a mini-slot.
        let nr = "pdcch = \"modelled\"\ntechnology = \"nr\"\n";
        assert_eq!(of(nr), modelled(8, 16));
        assert_eq!(of(&format!("{nr}tti = \"mu1/2sym\"")), modelled(8, 16));
        assert_eq!(of("pdcch = \"modelled\"\ntti = \"mu1\""), modelled(24, 16));
    }
}
