//! Measures of the cells together.

use super::Metric;
use crate::{CellSummary, RadioSummary, RunSummary};

type Read = fn(&RunSummary) -> Option<f64>;

const MEASURES: &[(&str, Read, &str, Option<bool>)] = &[
    (
        "pdsch_share",
        |run| run.resources.pdsch,
        "Resource blocks used downlink, of those of all cells.",
        None,
    ),
    (
        "pusch_share",
        |run| run.resources.pusch,
        "Resource blocks used uplink, of those of all cells.",
        None,
    ),
    (
        "pdcch_share",
        |run| run.resources.pdcch,
        "Control channel elements of grants, of those of all cells.",
        None,
    ),
    (
        "bler_first_rate",
        |run| mean(run, |cell| cell.down.bler_first),
        "First transmissions downlink that failed; mean over cells that sent any.",
        None,
    ),
    (
        "bler_first_up_rate",
        |run| mean(run, |cell| cell.up.bler_first),
        "First transmissions uplink that failed; mean over cells that received any.",
        None,
    ),
    (
        "mcs_mean",
        |run| weighted(run, |radio| radio.mean_mcs),
        "Mean modulation and coding scheme of transmissions downlink.",
        Some(true),
    ),
    (
        "sinr_mean_db",
        |run| weighted(run, |radio| radio.mean_sinr_db),
        "Mean effective SINR of transmissions downlink.",
        Some(true),
    ),
    ("energy_mean_j", energy, "Energy of a UE's radio; mean over UEs with RRC.", Some(false)),
];

/// The metrics of the cells of a run.
pub(super) fn metrics(run: &RunSummary) -> Vec<Metric> {
    let value = |(name, read, ..): &(&str, Read, &str, Option<bool>)| {
        Some(Metric { name: (*name).to_owned(), value: read(run)? })
    };
    MEASURES.iter().filter_map(value).collect()
}

/// What a measure says, and whether more of it is better.
pub(super) fn info(name: &str) -> Option<(String, Option<bool>)> {
    let (.., meaning, more) = MEASURES.iter().find(|(known, ..)| *known == name)?;
    Some(((*meaning).to_owned(), *more))
}

fn mean(run: &RunSummary, of: fn(&CellSummary) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = run.cells.iter().filter_map(of).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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
