//! Facts of a world as the results name them.

use airpath_base::CellId;
use airpath_net::Engine;
use airpath_results::{
    BearerInfo, BearerLayers, CellInfo, CellPaths, FlowInfo, Inventory, LinkInfo, RadioLayers,
    RrcInfo, UeInfo, VoiceCodec,
};
use airpath_scenario::Scenario;
use airpath_scenario::world::{
    BearerFacts, BearerLayerFacts, Facts, RrcFacts, TunnelFacts, UeFacts,
};

/// Names and identifiers in this world.
pub(crate) fn inventory(facts: &Facts, engine: &Engine) -> Inventory {
    let flows = facts.flows.iter().map(|flow| FlowInfo {
        name: flow.name.clone(),
        kind: flow.kind.to_owned(),
        application: flow.application.map(str::to_owned),
        ue: Some(flow.ue),
        direction: Some(flow.direction),
        bearers: flow.bearers,
        stop: flow.stop,
        input: flow.input,
        codec: flow.codec.map(|[impairment, robustness]| VoiceCodec { impairment, robustness }),
        no_pictures: flow.no_pictures,
    });
    let ues = facts.ues.iter().map(ue_info);
    let cells = facts.cells.iter().map(|cell| CellInfo {
        name: cell.name.clone(),
        resource_blocks: [cell.resource_blocks; 2],
        slot: cell.slot,
        shares: cell.shares,
    });
    let bearers = facts.bearers.iter().map(|bearer| BearerInfo {
        name: bearer.name.clone(),
        ue: bearer.ue,
        delay_budget: bearer.delay_budget,
        traffic_class: bearer.traffic_class.clone(),
        qci: bearer.qci,
        five_qi: bearer.five_qi,
        rlc_mode: bearer.rlc_mode.to_owned(),
    });
    let links = facts.links.iter().map(|link| LinkInfo {
        name: link.name.clone(),
        node: link.node,
        rate: link.rate,
    });
    Inventory {
        flows: flows.collect(),
        ues: ues.collect(),
        cells: cells.collect(),
        bearers: bearers.collect(),
        links: links.collect(),
        nodes: engine.books().map(|(_, name, ..)| name.to_owned()).collect(),
        radio_nodes: facts.radio.into_iter().collect(),
        handover: facts.handover,
        conditional: facts.conditional,
        daps: facts.daps,
        admission: facts.admission,
        load_balancing: facts.load_balancing,
        dual_connectivity: facts.dual_connectivity,
        secondary_cells: facts.secondary_cells,
        carriers: facts.inter_frequency,
    }
}

fn ue_info(ue: &UeFacts) -> UeInfo {
    let rrc =
        ue.rrc.map(|RrcFacts { states, connected, power }| RrcInfo { states, connected, power });
    let reach = ue.reach.filter(|_| ue.served);
    UeInfo {
        name: ue.name.clone(),
        cell: ue.cell,
        rrc,
        arrival: ue.arrival,
        no_service_dbm: ue.rsrp_dbm.filter(|_| !ue.served),
        out_of_range_db: match reach {
            Some(both) => both.map(|r| r.mcs.is_none().then_some(r.sinr_db as f32)),
            None => [None; 2],
        },
    }
}

/// Facts for a capture of the radio, if there is to be one.
pub(crate) fn layers(facts: &Facts) -> Option<RadioLayers> {
    let layers = facts.layers.as_ref()?;
    let bearer = |(bearer, facts): (&BearerLayerFacts, &BearerFacts)| BearerLayers {
        ue: facts.ue,
        lcid: bearer.lcid,
        rlc: bearer.rlc,
        pdcp_sn: bearer.pdcp_sn,
        sdap: bearer.sdap,
    };
    Some(RadioLayers {
        is_nr: layers.is_nr,
        radio: layers.radio,
        tti: layers.tti,
        slot: layers.slot.as_nanos(),
        mac_header: layers.mac_header,
        first_256qam: layers.first_256qam,
        cells: facts.cells.iter().map(|cell| cell.name.clone()).collect(),
        resource_blocks: facts.cells.iter().map(|cell| cell.resource_blocks).collect(),
        handover: facts.handover,
        ue_cells: facts.ues.iter().map(|ue| ue.cell.unwrap_or(CellId(0))).collect(),
        bearers: layers.bearers.iter().zip(&facts.bearers).map(bearer).collect(),
        full_buffer: layers.full_buffer,
    })
}

/// Tunnels for captures between core network and cells and between cells, if UEs go from cell to cell.
pub(crate) fn paths(scenario: &Scenario, facts: &Facts) -> Option<CellPaths> {
    let TunnelFacts { gateway, s1, x2, first } = facts.tunnels.clone()?;
    Some(CellPaths { gateway, s1, x2, first, encrypted: scenario.path.ipsec.is_some() })
}
