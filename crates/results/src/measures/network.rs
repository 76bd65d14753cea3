//! Quantities of all cells together: metrics of a run.

use airpath_base::measure::{DB, JOULES, Measure, PLAIN, SHARE};
use airpath_base::measures;

use super::Declared;
use crate::{CellSummary, Metric, RadioSummary, RunSummary};

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
