//! Handover of a scenario as the radio access network has it.

use airpath_base::{Db, Duration};
use airpath_ran::HandoverSetup;
use airpath_ran::handover::{
    self, AccessConfig, AdmissionConfig, BalancingConfig, ConditionalConfig, Delay, Event,
    EventConfig, GapPattern, HandoverConfig, MeasurementConfig, NeighbourConfig, Offsets,
    OtherCarriers, ProcedureConfig, Quantity, SecondaryEvents,
};

use super::{Facts, carriers, network};
use crate::file::{
    A6Event, Carrier, CellLoad, CellOffset, ConditionalForwarding, HandoverAccess,
    HandoverAdmission, HandoverConditional, HandoverDelay, HandoverEvent, HandoverLoadBalancing,
    HandoverQuantity, Network, NetworkHandover, Scenario, ServingEvent,
};

/// Facts of how UEs go from cell to cell.
pub(super) fn facts(scenario: &Scenario, facts: &mut Facts) {
    let handover = scenario.network.as_ref().and_then(|own| own.handover.as_ref());
    facts.handover = handover.is_some();
    facts.conditional = handover.is_some_and(|own| own.conditional.is_some());
    facts.daps = handover.is_some_and(|own| own.daps);
    facts.load_balancing = handover.is_some_and(|own| own.load_balancing.is_some());
    facts.admission = handover.is_some_and(|own| own.admission.is_some());
    facts.inter_frequency = handover.is_some() && scenario.carrier.iter().any(Carrier::serves);
    facts.dual_connectivity = carriers::legs(scenario).is_some();
    let aggregates = scenario.carrier.iter().any(|carrier| !carrier.has_cells());
    facts.secondary_cells = handover.is_some() && aggregates;
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
            offsets: offsets(scenario, &file.cell_offset, network::cells(network)),
            procedure: procedure(file, usual.procedure),
            access: access(file, usual.access),
            conditional: file.conditional.as_ref().map(|own| conditional(own, &file.event)),
            daps: file.daps,
            admission: file.admission.as_ref().map(admission),
            balancing: file.load_balancing.as_ref().map(balancing),
            other_carriers: other_carriers(scenario, file, is_nr),
            secondary: secondary(network, file, usual.secondary),
        },
        random_access: file.random_access != HandoverAccess::None,
        forwarding: file.forwarding.then_some(file.forwarding_delay),
        reselection_hysteresis: file.reselection_hysteresis.0,
        reselection_time: file.reselection_time,
    })
}

pub(super) fn measurement(file: &NetworkHandover) -> MeasurementConfig {
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
    timed(event, hysteresis, time_to_trigger)
}

/// An event with its hysteresis and time to trigger.
pub(super) fn timed(event: Event, hysteresis: Db, time_to_trigger: Duration) -> EventConfig {
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

/// Event A2 of the serving cell.
pub(super) fn a2(own: &ServingEvent) -> EventConfig {
    timed(Event::A2 { threshold: own.threshold }, own.hysteresis, own.time_to_trigger)
}

fn neighbours(file: &NetworkHandover) -> NeighbourConfig {
    let end = |own: &ServingEvent| {
        timed(Event::A1 { threshold: own.threshold }, own.hysteresis, own.time_to_trigger)
    };
    NeighbourConfig {
        begin: file.a2.as_ref().map(a2),
        end: file.a1.as_ref().map(end),
        s_measure: file.s_measure.map(|bound| bound.0),
    }
}

/// Events of secondary cells.
fn secondary(network: &Network, file: &NetworkHandover, usual: SecondaryEvents) -> SecondaryEvents {
    let Some(own) = &file.secondary else { return usual };
    let change = |own: &A6Event| {
        timed(Event::A6 { offset: own.offset.0 }, own.hysteresis, own.time_to_trigger)
    };
    let (a2, a1) = (own.a2.clone(), own.a1.clone());
    let NeighbourConfig { begin, end, .. } =
        neighbours(&NetworkHandover { a2, a1, ..NetworkHandover::default() });
    SecondaryEvents {
        change: own.a6.as_ref().map(change),
        begin,
        end,
        rrc_processing: own.rrc_processing.unwrap_or(usual.rrc_processing),
        sites: if own.other_sites { Vec::new() } else { network::sites(network) },
    }
}

/// Measurements of other carriers, and handover there.
fn other_carriers(scenario: &Scenario, file: &NetworkHandover, is_nr: bool) -> OtherCarriers {
    let own = file.inter_frequency.clone().unwrap_or_default();
    let usual = match is_nr {
        true => MeasurementConfig::other_nr(own.gap_period),
        false => MeasurementConfig::OTHER_LTE,
    };
    let begin = NetworkHandover { a2: own.a2, a1: own.a1, ..NetworkHandover::default() };
    let offsets = scenario.carrier.iter().map(Carrier::offset_db);
    let usual_event = own.event.as_ref().unwrap_or(&file.event);
    let of_carriers = scenario.carrier.iter().map(|carrier| carrier.event.as_ref());
    let of_carriers = core::iter::once(None).chain(of_carriers);
    let events = of_carriers.map(|own| event(own.unwrap_or(usual_event)));
    OtherCarriers {
        pattern: GapPattern { period: own.gap_period, length: own.gap_length },
        needs_gaps: own.needs_gaps,
        measurement: own.measurement.unwrap_or(usual),
        events: events.collect(),
        begin: neighbours(&begin),
        offsets: core::iter::once(0.0).chain(offsets).collect(),
        synchronisation: own.synchronisation,
    }
}

/// Offsets by the serving cell that configures them, with so many cells on each carrier. The last entry for a pair of
/// cells counts.
fn offsets(scenario: &Scenario, entries: &[CellOffset], on_each: u32) -> Vec<Offsets> {
    let frequency = frequency_offsets(scenario, on_each);
    if entries.is_empty() && frequency.is_empty() {
        return Vec::new();
    }
    let cells = on_each * (1 + scenario.carrier.len() as u32);
    let of = |serving: u32, cell: u32| {
        let counts = |entry: &&CellOffset| {
            let here = entry.serving.as_ref().is_none_or(|own| own.contains(serving));
            here && entry.cell.contains(cell)
        };
        entries.iter().rfind(counts).map_or(0.0, |entry| entry.offset.0)
    };
    let by_cell = |serving| (0..cells).map(|cell| of(serving, cell)).collect();
    let of_serving = |serving| Offsets { cell: by_cell(serving), frequency: frequency.clone() };
    (0..cells).map(of_serving).collect()
}

/// Offset of the frequency of each cell, with so many cells on each carrier; empty if all are 0.
fn frequency_offsets(scenario: &Scenario, on_each: u32) -> Vec<f64> {
    let own = scenario.carrier.iter().map(Carrier::offset_db);
    let by_carrier: Vec<f64> = core::iter::once(0.0).chain(own).collect();
    if by_carrier.iter().all(|offset| *offset == 0.0) {
        return Vec::new();
    }
    by_carrier.iter().flat_map(|offset| vec![*offset; on_each as usize]).collect()
}

/// A delay by its distribution.
pub(super) fn delay(file: &HandoverDelay) -> Delay {
    match file {
        HandoverDelay::Fixed(own) => Delay::Fixed(own.delay),
        HandoverDelay::Uniform(own) => Delay::Uniform { min: own.min, max: own.max },
        HandoverDelay::Exponential(own) => Delay::Exponential { mean: own.mean },
        HandoverDelay::Lognormal(own) => Delay::Lognormal { median: own.median, sigma: own.sigma },
    }
}

fn procedure(file: &NetworkHandover, usual: ProcedureConfig) -> ProcedureConfig {
    ProcedureConfig {
        preparation: delay(&file.preparation),
        rrc_processing: file.rrc_processing.unwrap_or(usual.rrc_processing),
        synchronisation: file.synchronisation,
        path_switch: Delay::Fixed(file.path_switch),
        t304: file.t304,
    }
}

pub(super) fn access(file: &NetworkHandover, usual: AccessConfig) -> AccessConfig {
    AccessConfig {
        period: file.prach_period,
        dedicated: file.random_access == HandoverAccess::Dedicated,
        preambles: file.preambles,
        max_preambles: file.max_preambles.unwrap_or(usual.max_preambles),
        target_power: file.preamble_power,
        ..usual
    }
}
