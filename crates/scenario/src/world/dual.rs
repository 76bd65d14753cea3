//! Dual connectivity of a scenario as the radio access network has it.

use airpath_ran::handover::{AccessConfig, Event, ProcedureConfig};
use airpath_ran::rlc::{self, Mode, am, nr};
use airpath_ran::{DualConnectivity, PrimaryPath, SplitBearer};

use super::bearers::Bearers;
use super::handover::{a2, access, delay, measurement, timed};
use super::{carriers, radio};
use crate::file::{
    Bearer, Cell, HandoverAccess, NetworkDualConnectivity, NetworkHandover, RlcMode, Scenario,
};

/// Dual connectivity of a scenario's UEs; none without a carrier of legs, and without handover.
pub(super) fn config(
    scenario: &Scenario,
    cell: &Cell,
    bearers: &Bearers,
) -> Option<DualConnectivity> {
    let (number, carrier) = carriers::legs(scenario)?;
    let network = scenario.network.as_ref()?;
    let handover = network.handover.as_ref()?;
    let file = network.dual_connectivity.clone().unwrap_or_default();
    let (addition, change) = (&file.addition, &file.change);
    Some(DualConnectivity {
        carrier: number as u16 + 1,
        measurement: measurement(handover),
        addition: timed(
            Event::A4 { threshold: addition.threshold },
            addition.hysteresis,
            addition.time_to_trigger,
        ),
        change: Some(timed(
            Event::A3 { offset: change.offset.0 },
            change.hysteresis,
            change.time_to_trigger,
        )),
        release: Some(a2(&file.release())),
        procedure: ProcedureConfig {
            preparation: delay(&file.preparation),
            rrc_processing: file.rrc_processing,
            synchronisation: file.synchronisation,
            t304: file.t304,
            ..ProcedureConfig::NR
        },
        access: leg_access(&file, handover),
        radio_link: radio::radio_link(&carrier.cell(cell).radio_link),
        transport: file.transport,
        status_period: file.status_period,
        bearers: split_bearers(scenario, bearers),
    })
}

/// Random access to a leg, with the occasions and preambles of handovers.
fn leg_access(file: &NetworkDualConnectivity, handover: &NetworkHandover) -> Option<AccessConfig> {
    let dedicated = match file.random_access {
        HandoverAccess::Dedicated => true,
        HandoverAccess::Contention => false,
        HandoverAccess::None => return None,
    };
    Some(AccessConfig { dedicated, ..access(handover, AccessConfig::NR) })
}

/// Split bearers of all UEs.
fn split_bearers(scenario: &Scenario, bearers: &Bearers) -> Vec<SplitBearer> {
    let numbered = bearers.facts.iter().zip(0..);
    let split = numbered.filter_map(|(facts, n)| {
        let bearer = &scenario.bearer[facts.entry];
        bearer.is_split().then(|| SplitBearer {
            bearer: airpath_base::BearerId(n),
            rlc: rlc_config(bearer),
            primary: bearer.primary_path.unwrap_or(PrimaryPath::Leg),
            threshold: bearer.split_threshold.map(|bytes| bytes.0),
            duplicates: bearer.duplicates(),
        })
    });
    split.collect()
}

/// RLC of a split bearer in the leg.
fn rlc_config(bearer: &Bearer) -> rlc::Config {
    let mode = match bearer.rlc {
        Some(RlcMode::Um) => {
            Mode::NrUm(nr::um::Config { sn: nr::SnLength::Twelve, t_reassembly: bearer.reassembly })
        }
        _ => {
            let own = am::Config { t_reordering: bearer.reassembly, ..bearer.am };
            Mode::NrAm(own, nr::SnLength::Eighteen)
        }
    };
    rlc::Config { mode, header: bearer.pdu_filling }
}
