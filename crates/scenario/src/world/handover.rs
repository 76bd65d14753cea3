//! Handover of a scenario as the radio access network has it.

use airpath_ran::HandoverSetup;
use airpath_ran::handover::{
    self, AccessConfig, AdmissionConfig, BalancingConfig, ConditionalConfig, Delay, Event,
    EventConfig, HandoverConfig, MeasurementConfig, NeighbourConfig, Offsets, ProcedureConfig,
    Quantity,
};

use super::{Facts, network};
use crate::file::{
    CellLoad, CellOffset, ConditionalForwarding, HandoverAccess, HandoverAdmission,
    HandoverConditional, HandoverDelay, HandoverEvent, HandoverLoadBalancing, HandoverQuantity,
    NetworkHandover, Scenario, ServingEvent,
};

/// Facts of how UEs go from cell to cell.
pub(super) fn facts(scenario: &Scenario, facts: &mut Facts) {
    let handover = scenario.network.as_ref().and_then(|own| own.handover.as_ref());
    facts.handover = handover.is_some();
    facts.conditional = handover.is_some_and(|own| own.conditional.is_some());
    facts.daps = handover.is_some_and(|own| own.daps);
    facts.load_balancing = handover.is_some_and(|own| own.load_balancing.is_some());
    facts.admission = handover.is_some_and(|own| own.admission.is_some());
}

/// Handover of a scenario's UEs; none if they keep their cells.
pub(super) fn setup(scenario: &Scenario) -> Option<HandoverSetup> {
    let network = scenario.network.as_ref()?;
    let file = network.handover.as_ref()?;
    let is_nr = scenario.cell.as_ref().is_some_and(|cell| cell.is_nr());
    let usual = if is_nr { HandoverConfig::nr() } else { HandoverConfig::lte() };
    Some(HandoverSetup {
        handover: HandoverConfig {
            measurement: measurement(file),
            events: vec![match &file.conditional {
                None => event(&file.event),
                // A cell that leaves the event is released.
                Some(own) => EventConfig { report_on_leave: true, ..event(&own.prepare) },
            }],
            neighbours: neighbours(file),
            offsets: offsets(&file.cell_offset, network::cells(network)),
            procedure: procedure(file, usual.procedure),
            access: access(file, usual.access),
            conditional: file.conditional.as_ref().map(|own| conditional(own, &file.event)),
            daps: file.daps,
            admission: file.admission.as_ref().map(admission),
            balancing: file.load_balancing.as_ref().map(balancing),
        },
        random_access: file.random_access != HandoverAccess::None,
        forwarding: file.forwarding.then_some(file.forwarding_delay),
        reselection_hysteresis: file.reselection_hysteresis.0,
        reselection_time: file.reselection_time,
    })
}

fn measurement(file: &NetworkHandover) -> MeasurementConfig {
    MeasurementConfig {
        quantity: match file.quantity {
            HandoverQuantity::Rsrp => Quantity::Rsrp,
            HandoverQuantity::Rsrq => Quantity::Rsrq,
            HandoverQuantity::Sinr => Quantity::Sinr,
        },
        sample_period: file.sample,
        error: file.error.0,
        filter_coefficient: file.filter,
    }
}

fn event(file: &HandoverEvent) -> EventConfig {
    let (event, hysteresis, time_to_trigger) = match file {
        HandoverEvent::A3(own) => {
            (Event::A3 { offset: own.offset.0 }, own.hysteresis, own.time_to_trigger)
        }
        HandoverEvent::A4(own) => {
            (Event::A4 { threshold: own.threshold }, own.hysteresis, own.time_to_trigger)
        }
        HandoverEvent::A5(own) => {
            let event = Event::A5 { serving: own.serving, neighbour: own.neighbour };
            (event, own.hysteresis, own.time_to_trigger)
        }
    };
    EventConfig { event, hysteresis: hysteresis.0, time_to_trigger, ..EventConfig::A3 }
}

fn conditional(file: &HandoverConditional, condition: &HandoverEvent) -> ConditionalConfig {
    ConditionalConfig {
        condition: event(condition),
        max_candidates: file.max_candidates,
        execution: file.execution,
        recovery: file.recovery,
        search: file.search,
        early_forwarding: file.forwarding == ConditionalForwarding::Early,
    }
}

fn admission(file: &HandoverAdmission) -> AdmissionConfig {
    AdmissionConfig { ues: file.ues, guaranteed: file.guaranteed, wait_time: file.wait_time }
}

fn balancing(file: &HandoverLoadBalancing) -> BalancingConfig {
    let (load, threshold, back) = match &file.load {
        CellLoad::ResourceBlocks(own) => {
            (handover::CellLoad::ResourceBlocks, own.threshold, own.back)
        }
        CellLoad::Ues(own) => (handover::CellLoad::Ues, own.threshold, own.back),
    };
    let (step, limit) = (file.step.0, file.limit.0);
    BalancingConfig { load, threshold, back, period: file.period, step, limit }
}

fn neighbours(file: &NetworkHandover) -> NeighbourConfig {
    let event = |own: &ServingEvent, event: Event| EventConfig {
        event,
        hysteresis: own.hysteresis.0,
        time_to_trigger: own.time_to_trigger,
        ..EventConfig::A3
    };
    let begin = |own: &ServingEvent| event(own, Event::A2 { threshold: own.threshold });
    let end = |own: &ServingEvent| event(own, Event::A1 { threshold: own.threshold });
    NeighbourConfig {
        begin: file.a2.as_ref().map(begin),
        end: file.a1.as_ref().map(end),
        s_measure: file.s_measure.map(|bound| bound.0),
    }
}

/// Offsets by the serving cell, of so many, that configures them. The last entry for a pair of cells counts.
fn offsets(entries: &[CellOffset], cells: u32) -> Vec<Offsets> {
    if entries.is_empty() {
        return Vec::new();
    }
    let of = |serving: u32, cell: u32| {
        let counts = |entry: &&CellOffset| {
            let here = entry.serving.as_ref().is_none_or(|own| own.contains(serving));
            here && entry.cell.contains(cell)
        };
        entries.iter().rfind(counts).map_or(0.0, |entry| entry.offset.0)
    };
    let by_cell = |serving| (0..cells).map(|cell| of(serving, cell)).collect();
    (0..cells).map(|serving| Offsets { cell: by_cell(serving), frequency: Vec::new() }).collect()
}

fn procedure(file: &NetworkHandover, usual: ProcedureConfig) -> ProcedureConfig {
    let preparation = match &file.preparation {
        HandoverDelay::Fixed(own) => Delay::Fixed(own.delay),
        HandoverDelay::Uniform(own) => Delay::Uniform { min: own.min, max: own.max },
        HandoverDelay::Exponential(own) => Delay::Exponential { mean: own.mean },
        HandoverDelay::Lognormal(own) => Delay::Lognormal { median: own.median, sigma: own.sigma },
    };
    ProcedureConfig {
        preparation,
        rrc_processing: file.rrc_processing.unwrap_or(usual.rrc_processing),
        synchronisation: file.synchronisation,
        path_switch: Delay::Fixed(file.path_switch),
        t304: file.t304,
    }
}

fn access(file: &NetworkHandover, usual: AccessConfig) -> AccessConfig {
    AccessConfig {
        period: file.prach_period,
        dedicated: file.random_access == HandoverAccess::Dedicated,
        preambles: file.preambles,
        max_preambles: file.max_preambles.unwrap_or(usual.max_preambles),
        target_power: file.preamble_power,
        ..usual
    }
}
