//! Quantities of cells on several carriers: a column of `handovers.parquet`, and counts of a run.

use airpath_base::documented;
use airpath_base::measure::{Column, PLAIN, S};
use airpath_net::{Handover, HandoverOutcome};
use serde::{Deserialize, Serialize};

use super::handover::{is_handover, recovered};
use crate::Collector;

/// The column of runs with cells on several carriers.
pub(crate) fn carrier_columns() -> Vec<Column<Handover>> {
    let differ = |row: &Handover| Some(u64::from(row.inter_frequency));
    vec![Column::optional_count(
        "inter_frequency",
        PLAIN,
        "1 if the cell afterwards is on another carrier than the source, else 0.",
        differ,
    )]
}

documented! {
    /// Changes between carriers and measurement gaps in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct CarrierSummary {
        /// Handovers that succeeded, to a cell on another carrier than that of the source.
        pub handovers: u64,
        /// Connections that were re-established on another carrier.
        pub reestablished: u64,
        /// Measurement gaps (TS 36.331, 5.5.2.9; TS 38.331, 5.5.2.9).
        pub gaps: u64,
        /// Time of UEs in gaps, all together.
        pub gaps_s: f64 [S],
    }
}

impl CarrierSummary {
    /// Counts behind the warm-up.
    pub(super) fn of(run: &Collector, all: &[&Handover]) -> CarrierSummary {
        let count = |which: fn(&Handover) -> bool| {
            all.iter().filter(|one| one.inter_frequency && which(one)).count() as u64
        };
        let (gaps, time) = run.gaps();
        CarrierSummary {
            handovers: count(|one| is_handover(one) && one.outcome == HandoverOutcome::Success),
            reestablished: count(|one| {
                one.failed.is_some() && one.completed.is_some() && !recovered(one)
            }),
            gaps,
            gaps_s: time.as_secs_f64(),
        }
    }

    /// Share of the time of UEs that gaps took; none without that time.
    pub(crate) fn gap_share(&self, ue_minutes: f64) -> Option<f64> {
        (ue_minutes > 0.0).then(|| self.gaps_s / (60.0 * ue_minutes))
    }
}
