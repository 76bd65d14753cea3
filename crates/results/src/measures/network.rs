//! Quantities of all cells together: metrics of a run.

use airpath_base::measure::{DB, JOULES, Measure, PER_MINUTE, PLAIN, SHARE};
use airpath_base::measures;

use super::Declared;
use crate::{
    AdmissionSummary, BalancingSummary, CellSummary, HandoverSummary, Metric, RadioSummary,
    RunSummary,
};

type Read = fn(&RunSummary) -> Option<f64>;

const MEASURES: &[Measure<Read>] = measures! {
    /// Resource blocks used downlink, of those of all cells.
    #[label = "PDSCH utilisation"]
    pdsch_share [SHARE] = |run| run.resources.pdsch,
    /// Resource blocks used uplink, of those of all cells.
    #[label = "PUSCH utilisation"]
    pusch_share [SHARE] = |run| run.resources.pusch,
    /// Control channel elements of grants, of those of all cells.
    #[label = "PDCCH utilisation"]
    pdcch_share [SHARE] = |run| run.resources.pdcch,
    /// First transmissions downlink that failed; mean over cells that sent any.
    bler_first_rate [SHARE] = |run| mean(run, |cell| cell.down.bler_first),
    /// First transmissions uplink that failed; mean over cells that received any.
    bler_first_up_rate [SHARE] = |run| mean(run, |cell| cell.up.bler_first),
    /// Mean modulation and coding scheme of transmissions downlink.
    mcs_mean [PLAIN.more()] = |run| weighted(run, |radio| radio.mean_mcs),
    /// Mean effective SINR of transmissions downlink.
    sinr_mean_db [DB.more()] = |run| weighted(run, |radio| radio.mean_sinr_db),
    /// Energy of a UE's radio; mean over UEs with RRC.
    energy_mean_j [JOULES.less()] = energy,
    /// Handovers that succeeded, a UE and minute. A UE counts while it is there.
    #[label = "handovers a UE and minute"]
    handovers_per_ue_minute [PER_MINUTE] = |run| a_minute(run, |all| all.handovers),
    /// Handovers back to a cell that the UE had left less than a second before, of those that succeeded.
    handover_ping_pong_share [SHARE.less()] = |run| {
        changes(run).and_then(|all| share(all.ping_pongs, all.handovers))
    },
    /// Handovers whose command was lost or whose T304 expired, of those that were sent to a cell.
    handover_failure_share [SHARE.less()] = |run| {
        let failed = |all: &HandoverSummary| all.command_lost + all.t304_expired;
        changes(run).and_then(|all| share(failed(all), failed(all) + all.handovers))
    },
    /// Preparations of handovers that targets without room refused, a UE and minute. No value without admission.
    #[label = "refused preparations a UE and minute"]
    handover_refused_per_ue_minute [PER_MINUTE.less()] = |run| {
        admission(run).and_then(|own| by_ue_minutes(run, own.refused))
    },
    /// Connections that cells without room rejected, with re-establishments, a UE and minute. No value without admission.
    #[label = "rejected connections a UE and minute"]
    connection_rejected_per_ue_minute [PER_MINUTE.less()] = |run| {
        let rejected = |own: &AdmissionSummary| own.rejected + own.reestablishments_refused;
        admission(run).and_then(|own| by_ue_minutes(run, rejected(own)))
    },
    /// Greatest offset of two cells by load balancing. No value without it.
    #[label = "greatest offset by load"]
    load_offset_max_db [DB] = |run| {
        changes(run)?.load_balancing.as_ref().map(BalancingSummary::greatest_db)
    },
    /// Handovers to another carrier, of those that succeeded.
    handover_inter_frequency_share [SHARE] = |run| {
        changes(run).and_then(|all| share(all.carriers.as_ref()?.handovers, all.handovers))
    },
    /// Time in measurement gaps, of the time that UEs were there.
    measurement_gap_share [SHARE.less()] = |run| {
        changes(run).and_then(|all| all.carriers.as_ref()?.gap_share(all.ue_minutes))
    },
    /// Time with a leg of dual connectivity, of the time that UEs were there.
    leg_share [SHARE.more()] = |run| {
        changes(run).and_then(|all| all.legs.as_ref()?.share(all.ue_minutes))
    },
    /// Failures of legs and of their additions and changes, a UE and minute. No value without dual connectivity.
    #[label = "failures of legs a UE and minute"]
    leg_failed_per_ue_minute [PER_MINUTE.less()] = |run| {
        let own = changes(run)?.legs.as_ref()?;
        by_ue_minutes(run, own.link_failed + own.t304_expired + own.command_lost)
    },
    /// Time with a secondary cell that is added, of the time that UEs that go from cell to cell were there. One with two
    /// counts twice.
    secondary_cell_share [SHARE.more()] = |run| {
        let all = changes(run)?;
        let own = all.secondary_cells.as_ref()?;
        (all.ue_minutes > 0.0).then(|| own.secondary_cells_s / (60.0 * all.ue_minutes))
    },
    /// Connections that were re-established in another cell, a UE and minute.
    #[label = "re-establishments in another cell a UE and minute"]
    reestablished_per_ue_minute [PER_MINUTE.less()] = |run| a_minute(run, |all| all.reestablished),
    /// Failures that an earlier handover would have avoided, a UE and minute (TS 36.300, 22.4.2; TS 38.300, 15.5.2).
    #[label = "handovers too late a UE and minute"]
    handover_too_late_per_ue_minute [PER_MINUTE.less()] = |run| a_minute(run, |all| all.too_late),
    /// Failures of handovers that came too early, a UE and minute.
    #[label = "handovers too early a UE and minute"]
    handover_too_early_per_ue_minute [PER_MINUTE.less()] = |run| a_minute(run, |all| all.too_early),
    /// Failures of handovers to the wrong cell, a UE and minute.
    #[label = "handovers to the wrong cell a UE and minute"]
    handover_wrong_cell_per_ue_minute [PER_MINUTE.less()] = |run| a_minute(run, |all| all.wrong_cell),
};

/// The metrics of the cells of a run.
pub(crate) fn metrics(run: &RunSummary) -> impl Iterator<Item = Metric> {
    let metrics = MEASURES.iter();
    metrics.filter_map(|m| Some(Metric { name: m.name.to_string(), value: (m.read)(run)? }))
}

/// All metrics by name.
pub(crate) fn declared() -> impl Iterator<Item = Declared> {
    MEASURES.iter().flat_map(|measure| Declared::of(measure, &[]))
}

fn mean(run: &RunSummary, of: fn(&CellSummary) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = run.cells.iter().filter_map(of).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Changes of cells; none where UEs keep theirs.
fn changes(run: &RunSummary) -> Option<&HandoverSummary> {
    run.events.handovers.as_ref()
}

/// A count of changes of cells a UE and minute.
fn a_minute(run: &RunSummary, count: fn(&HandoverSummary) -> u64) -> Option<f64> {
    by_ue_minutes(run, count(changes(run)?))
}

/// So many in the run, a UE and minute.
fn by_ue_minutes(run: &RunSummary, count: u64) -> Option<f64> {
    let all = changes(run).filter(|all| all.ue_minutes > 0.0)?;
    Some(count as f64 / all.ue_minutes)
}

/// Refusals of cells without room; none where cells admit each UE.
fn admission(run: &RunSummary) -> Option<&AdmissionSummary> {
    changes(run)?.admission.as_ref()
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean over transmissions of all cells.
fn weighted(run: &RunSummary, of: fn(&RadioSummary) -> Option<f64>) -> Option<f64> {
    let values =
        run.cells.iter().filter_map(|cell| Some((of(&cell.down)?, cell.down.transmissions)));
    let (sum, n) = values.fold((0.0, 0), |(sum, n), (value, k)| (sum + value * k as f64, n + k));
    (n > 0).then(|| sum / n as f64)
}

fn energy(run: &RunSummary) -> Option<f64> {
    let energies = run.ues.iter().filter_map(|ue| Some(ue.rrc.as_ref()?.total_energy_j));
    let (sum, n) = energies.fold((0.0, 0_u32), |(sum, n), energy| (sum + energy, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}
