//! Secondary cells of UEs that go from cell to cell: columns of `secondary_cells.parquet`, and counts of a run.

use airpath_base::measure::{MS, PLAIN, S};
use airpath_base::{Time, documented, row};
use airpath_net::{SecondaryEnd, SecondaryStay};
use serde::{Deserialize, Serialize};

use super::handover::between;
use super::handover_flow::several;
use crate::Collector;

row! {
    from |(run, row): (&Collector, &SecondaryStay)|
    /// A secondary cell of a UE from its addition to its release (TS 36.331, 5.3.10.3b; TS 38.331, 5.3.5.5.9).
    pub(crate) struct SecondaryRow {
        /// Time of the addition.
        added_s: f64 [S] = row.added.as_secs_f64(),
        /// Name of the UE.
        ue: String = run.ue_name(row.ue),
        /// Name of the secondary cell.
        cell: String = run.cell_name(row.cell),
        /// From the addition to the first activation; none without one (TS 36.321, 5.13; TS 38.321, 5.9).
        activation_ms: Option<f64> [MS] = between(Some(row.added), row.first_active),
        /// Activations.
        activations: u64 [PLAIN] = u64::from(row.activations),
        /// Time of the release; none where the run ends first.
        released_s: Option<f64> [S] = row.ended.map(|(at, _)| at.as_secs_f64()),
        /// Cause of the release: `handover`, `link_failed`, `connection_ended`, or `changed` to another secondary cell of the
        /// carrier by event A6.
        cause: Option<&'static str> = row.ended.map(|(_, why)| why.name()),
    }
}

documented! {
    /// Secondary cells of UEs that go from cell to cell, behind the warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct SecondarySummary {
        /// Additions.
        pub added: u64,
        /// Releases by a handover.
        pub handover: u64,
        /// Releases by a failure of the radio link.
        pub link_failed: u64,
        /// Releases with the end of the connection.
        pub connection_ended: u64,
        /// Changes to another secondary cell of the carrier by event A6.
        pub changed: u64,
        /// Time of UEs with a secondary cell, active or not, all together. One with two counts twice.
        pub secondary_cells_s: f64 [S],
    }
}

impl SecondarySummary {
    /// Counts behind the warm-up; none where UEs that go from cell to cell have no secondary cells.
    pub(crate) fn of(run: &Collector) -> Option<SecondarySummary> {
        run.inventory().secondary_cells.then(|| {
            let all: Vec<&SecondaryStay> = run.secondary_stays().collect();
            counts(&all, (run.counts_from(), run.counts_to()))
        })
    }

    /// Words on secondary cells, behind those on handovers.
    pub(super) fn words(&self) -> String {
        let parts = [
            (self.handover, format!("{} released by a handover", self.handover)),
            (self.link_failed, format!("{} by a failure", self.link_failed)),
            (self.changed, several(self.changed, "change") + " by event A6"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text);
        let first = [format!("{} added", self.added)];
        let all: Vec<String> = first.into_iter().chain(parts).collect();
        format!("; secondary cells: {}", all.join(", "))
    }
}

/// Counts between two times.
fn counts(all: &[&SecondaryStay], (from, to): (Time, Time)) -> SecondarySummary {
    let ended = |why: SecondaryEnd| {
        let ends = |stay: &&&SecondaryStay| {
            stay.ended.is_some_and(|(at, cause)| cause == why && at >= from)
        };
        all.iter().filter(ends).count() as u64
    };
    let time = |stay: &&SecondaryStay| {
        let end = stay.ended.map_or(to, |(at, _)| at).min(to);
        end.saturating_since(stay.added.max(from)).as_secs_f64()
    };
    SecondarySummary {
        added: all.iter().filter(|stay| stay.added >= from).count() as u64,
        handover: ended(SecondaryEnd::Handover),
        link_failed: ended(SecondaryEnd::Failure),
        connection_ended: ended(SecondaryEnd::Connection),
        changed: ended(SecondaryEnd::Change),
        secondary_cells_s: all.iter().map(time).sum(),
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::{CellId, UeId};

    use super::*;

    #[test]
    fn times_and_releases_count_behind_the_warm_up() {
        let second = |s: u64| Time::from_millis(1_000 * s);
        let stay = |added: u64, ended: Option<(u64, SecondaryEnd)>| SecondaryStay {
            ended: ended.map(|(at, why)| (second(at), why)),
            ..SecondaryStay::begin(UeId(0), CellId(3), second(added))
        };
        let all = [
            stay(0, Some((1, SecondaryEnd::Handover))),
            stay(2, Some((5, SecondaryEnd::Failure))),
            stay(6, Some((7, SecondaryEnd::Change))),
            stay(7, None),
        ];
        let all: Vec<&SecondaryStay> = all.iter().collect();
        let found = counts(&all, (second(3), second(10)));
        // 3 to 5, 6 to 7 and 7 to 10 s.
        assert_eq!((found.added, found.secondary_cells_s), (2, 6.0));
        let ends = [found.handover, found.link_failed, found.connection_ended, found.changed];
        assert_eq!(ends, [0, 1, 0, 1]);
        let words = "; secondary cells: 2 added, 1 by a failure, 1 change by event A6";
        assert_eq!(found.words(), words);
    }
}
