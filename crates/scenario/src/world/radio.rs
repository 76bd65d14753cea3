//! The cell and its UEs as the radio access network has them.

use core::ops::Range;
use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Time};
use airpath_ran::phy::category::{most_block_bits, most_tti_bits};
use airpath_ran::phy::{self, LinkBudget, PathLossModel};
use airpath_ran::{
    self as ran, CellConfig, Control, Link, RadioLinkConfig, RanConfig, Tti, UeConfig, UplinkConfig,
};
use airpath_schema::units::Hertz;

use super::bearers::{Bearers, UeBearers};
use super::dropped::{Dropped, First};
use super::network::{NOISE_DENSITY, SUBCARRIERS};
use super::power::power_control;
use super::{
    CellFacts, Facts, TunnelFacts, UeFacts, addresses, carriers, dual, handover, rrc, scheduler,
    technology,
};
use crate::file::{
    Cell, CqiReference, Distance, PathLoss, Pdcch, Radio, RadioLink, Scenario, Timing, UplinkAccess,
};
use crate::interval::{Interval, Span};
use crate::resolve::UeRef;
use crate::transmission;

/// The radio access network of a scenario with such cells; names and positions go to `facts`.
pub(super) fn config(
    (scenario, cell): (&Scenario, &Cell),
    network: Option<Dropped>,
    bearers: &Bearers,
    seed: Seed,
    facts: &mut Facts,
) -> RanConfig {
    let cells = network.as_ref().map_or(1, |own| own.drop.network.cells().len());
    let ports = scenario.network.as_ref().and_then(|own| own.precoding.ports).unwrap_or(1) as u8;
    let config = cell_config(scenario, cell, ports);
    facts.cells = cell_facts("cell", cells, network.is_some(), &config);
    handover::facts(scenario, facts);
    let of = |(n, (ue, own))| ue_config((scenario, cell), network.as_ref(), (n, &ue, own), seed);
    let all = scenario.ues().zip(&bearers.ues).enumerate().map(of);
    let (ues, mut ue_facts): (Vec<UeConfig>, Vec<UeFacts>) = all.unzip();
    facts.ues.append(&mut ue_facts);
    let own = carriers::on_first(scenario, with_addresses(&config, 0..cells, facts.handover));
    let all = [own, carriers::configs((scenario, cell), ports, cells, facts)].concat();
    facts.tunnels = facts.handover.then(|| tunnels(&all, &ues, bearers));
    RanConfig {
        cells: all,
        ues,
        bearers: bearers.configs.clone(),
        ecn: scenario.path.ecn_tunnel,
        handover: handover::setup(scenario),
        dual: dual::config(scenario, cell, bearers),
    }
}

/// A UE of this number with its bearers, and its facts.
fn ue_config(
    (scenario, cell): (&Scenario, &Cell),
    network: Option<&Dropped>,
    (n, ue, own): (usize, &UeRef<'_>, &UeBearers),
    seed: Seed,
) -> (UeConfig, UeFacts) {
    let alone = network.filter(|_| carriers::have_cells(scenario));
    let link = match network {
        Some(network) => link_in_network(network, scenario, n),
        None => link_of_single(ue, cell, seed),
    };
    let number = link.number.unwrap_or(n as u64);
    let (own_carriers, own_rsrp) = match network {
        Some(_) if alone.is_some() => (Vec::new(), Vec::new()),
        Some(network) => {
            let sends_on = carriers::sends_on(scenario, ue.group);
            (network.ue_carriers(&sends_on), network.rsrp_of_carriers(n))
        }
        None => (
            carriers::links(scenario, cell, ue.group, link.distance_m),
            carriers::rsrp(scenario, cell, link.distance_m),
        ),
    };
    let carriers = carriers::facts(link.rsrp_dbm, &own_rsrp);
    let served = link.rsrp_dbm.is_none_or(|rsrp| rsrp > cell.q_rx_lev_min.0);
    let (rrc, mut rrc_facts) = rrc::config(ue, number, cell, seed).unzip();
    rrc_facts.iter_mut().for_each(|facts| facts.connected &= served);
    let facts = UeFacts { served, rrc: rrc_facts, carriers, ..link.facts(ue) };
    let config = UeConfig {
        cell: link.cell,
        link: link.link,
        frequencies: alone.map_or(Vec::new(), Dropped::channels),
        served,
        number,
        layers: ue.group.layers(cell, scenario.network.as_ref()),
        carriers: own_carriers,
        most_bytes: ue.group.category.map_or(u32::MAX, |own| most_block_bits(own) / 8),
        most_tti_bytes: ue.group.category.map_or(u32::MAX, |own| most_tti_bits(own) / 8),
        most_bytes_of_carriers: carriers::most_bytes(scenario, ue.group),
        offset: offset(cell, number),
        pre_empts: own.pre_empts,
        tft: own.tft.clone(),
        bearers: own.ids.clone(),
        flows: own.flows.clone(),
        rrc,
        radio_link: radio_link(ue.group.radio_link.as_ref().unwrap_or(&cell.radio_link)),
    };
    (config, facts)
}

/// Cells of these numbers; each has an address of its own if UEs go from cell to cell.
pub(super) fn with_addresses(
    config: &CellConfig,
    cells: Range<usize>,
    handover: bool,
) -> Vec<CellConfig> {
    let cell = |n| CellConfig {
        endpoint: if handover { addresses::cell_s1(n) } else { config.endpoint },
        ..config.clone()
    };
    cells.map(cell).collect()
}

/// Tunnels of UEs that go from cell to cell.
fn tunnels(cells: &[CellConfig], ues: &[UeConfig], bearers: &Bearers) -> TunnelFacts {
    let of = |(ue, own): (&UeConfig, &UeBearers)| -> Vec<(u32, CellId)> {
        bearers.tunnels(own).iter().map(|tunnel| (tunnel.teid, ue.cell)).collect()
    };
    let mut first: Vec<(u32, CellId)> = ues.iter().zip(&bearers.ues).flat_map(of).collect();
    first.sort_unstable();
    TunnelFacts {
        gateway: addresses::GATEWAY_S1,
        s1: cells.iter().map(|cell| cell.endpoint).collect(),
        x2: (0..cells.len()).map(addresses::cell_x2).collect(),
        first,
    }
}

/// Cells of a carrier with this name. Those of a network are numbered; one alone is not.
pub(super) fn cell_facts(
    name: &str,
    cells: usize,
    network: bool,
    config: &CellConfig,
) -> Vec<CellFacts> {
    let facts = |n| CellFacts {
        name: if network { format!("{name}-{n}") } else { name.to_owned() },
        resource_blocks: config.resource_blocks,
        slot: config.tti.length(),
        shares: config.shares(),
    };
    (0..cells).map(facts).collect()
}

pub(super) fn radio_link(link: &RadioLink) -> RadioLinkConfig {
    let RadioLink { n310, t310, n311, t311, t301, reestablishment, set_up } = *link;
    let t311 = t311.unwrap_or(RadioLinkConfig::LTE.t311);
    RadioLinkConfig { n310, t310, n311, t311, t301, reestablishment, set_up }
}

pub(super) fn cell_config(scenario: &Scenario, cell: &Cell, ports: u8) -> CellConfig {
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
            occasions: ran::Occasions {
                count: u64::from(cell.uplink.configured_occasions)
                    .max(cell.uplink.configured_repetitions.into()),
                repetitions: cell.uplink.configured_repetitions,
                indicated: cell.uplink.configured_unused.map_or(0, u64::from),
            },
            access: access(cell),
            proactive: proactive(cell),
            min_resource_blocks: cell.uplink.min_resource_blocks as u16,
            first_sounding: Time::ZERO + cell.uplink.first_sounding,
            cancellation: cell.uplink.cancellation.map(|own| own.spans(cell)),
        },
        load: cell.recorded_load.as_ref().and_then(|load| load.load(cell)?.ok()).map(Arc::new),
        secondary: None,
        frequency: None,
        endpoint: addresses::CELL_S1,
        gateway: addresses::GATEWAY_S1,
    }
}

/// The pattern is one, as the checks have seen to.
pub(crate) fn duplex(cell: &Cell) -> ran::Duplex {
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

/// Grants without a request, beside scheduling requests alone.
fn proactive(cell: &Cell) -> Option<ran::ProactiveGrants> {
    let uplink = &cell.uplink;
    let asks = uplink.access == UplinkAccess::SchedulingRequest;
    let period = uplink.proactive_period.filter(|_| asks)?;
    let bytes = uplink.proactive_grant.unwrap_or(uplink.sr_grant);
    let bytes = u32::try_from(bytes.0).unwrap_or(u32::MAX);
    Some(ran::ProactiveGrants { period: ttis(period, cell).max(1), bytes })
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
pub(super) struct UeLink {
    cell: CellId,
    /// In a network, by which its draws are keyed.
    number: Option<u64>,
    link: Link,
    pub distance_m: Option<f64>,
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
            carriers: Vec::new(),
            rrc: None,
            arrival: ue.arrival(),
        }
    }
}

fn link_in_network(network: &Dropped, scenario: &Scenario, n: usize) -> UeLink {
    let First { cell, rsrp_dbm, distance_m } = network.serving(scenario, n);
    UeLink {
        cell,
        number: Some(network.drop.ues[n].ue.number),
        link: Link::Network(network.channel.clone()),
        distance_m: Some(distance_m),
        snr_db: None,
        rsrp_dbm: Some(rsrp_dbm),
    }
}

pub(super) fn link_of_single(ue: &UeRef<'_>, cell: &Cell, seed: Seed) -> UeLink {
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
pub(super) fn rsrp(radio: &Radio, cell: &Cell, snr_db: f64) -> f64 {
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
pub(super) fn budget(radio: &Radio, cell: &Cell, metres: f64) -> ([f64; 2], f64) {
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
