//! Cost of handovers for each flow: sentences, and the change with the longest gap over time.

mod picture;

use std::collections::BTreeMap;

use airpath_plot::{Block, Finding, Section, Tone};
use airpath_results::{DelaySummary, FlowSummary, HandoverCost, Table};

use crate::words::distinct;
use crate::{ReportError, Run};

/// Table of the cost of changes of cells, and its columns.
const COSTS: &str = "handover_flows.parquet";
const COLUMNS: [&str; 9] = [
    "flow",
    "cause",
    "outcome",
    "time_s",
    "gap_ms",
    "lost_packets",
    "timeouts",
    "spurious_timeouts",
    "late_frames",
];
/// Flows that have a sentence each; of more, each group has one.
const MOST: usize = 12;

/// The section; none where nothing changed its cell behind the warm-up.
///
/// # Errors
///
/// A table that cannot be read.
pub fn section(run: &Run) -> Result<Option<Section>, ReportError> {
    let Some(table) = run.table(COSTS, &COLUMNS)? else { return Ok(None) };
    let several = run.summary.flows.len() > MOST;
    let named = |flow: &FlowSummary| match several {
        true => run.flow_group(flow),
        false => flow.name.clone(),
    };
    let names: BTreeMap<&str, String> =
        run.summary.flows.iter().map(|flow| (flow.name.as_str(), named(flow))).collect();
    let costs = costs(&table, run.summary.warm_up_s, &names);
    if costs.is_empty() {
        return Ok(None);
    }
    let findings = costs.iter().map(|(name, cost)| finding(name, cost, several)).collect();
    let mut blocks = vec![Block::Findings(findings)];
    blocks.extend(picture::chart(run)?.map(Block::from));
    Ok(Some(Section::new("gaps", "Cost of handovers for each flow", blocks)))
}

fn finding(name: &str, cost: &HandoverCost, several: bool) -> Finding {
    let worse = cost.lost > 0 || cost.timeouts.is_some_and(|[all, _]| all > 0);
    Finding {
        head: name.to_owned(),
        badge: "handover".into(),
        tone: if worse { Tone::Bad } else { Tone::Open },
        text: format!("{}.", cost.sentence()),
        card: if several { String::new() } else { name.to_owned() },
    }
}

/// Cost behind the warm-up by name of the flow or its group, in the order of their first changes.
fn costs(
    table: &Table,
    warm_up_s: f64,
    names: &BTreeMap<&str, String>,
) -> Vec<(String, HandoverCost)> {
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    let integers = |name: &str| table.integers(name).unwrap_or_default();
    let [flows, causes, outcomes] = ["flow", "cause", "outcome"].map(texts);
    let [times, gaps] = ["time_s", "gap_ms"].map(numbers);
    let [lost, timeouts, spurious, late] =
        ["lost_packets", "timeouts", "spurious_timeouts", "late_frames"].map(integers);
    let of = |row: usize| flows[row].and_then(|flow| names.get(flow));
    // A resume is no handover.
    let counts = |row: &usize| {
        times[*row].is_some_and(|at| at >= warm_up_s) && causes[*row] != Some("resume")
    };
    let rows = || (0..table.rows()).filter(counts);
    let sum = |own: &[usize], column: &[Option<i64>]| {
        let all = own.iter().filter_map(|row| column[*row]);
        all.reduce(|one, other| one + other).map(|sum| u64::try_from(sum).unwrap_or(0))
    };
    let cost = |name: &str| {
        let own: Vec<usize> =
            rows().filter(|row| of(*row).is_some_and(|own| own == name)).collect();
        let failed = |row: &&usize| {
            causes[**row] == Some("reestablishment") || outcomes[**row] != Some("success")
        };
        let failures = own.iter().filter(failed).count();
        let gaps: Vec<u64> = own.iter().filter_map(|row| gaps[*row].map(nanos)).collect();
        let timeouts = sum(&own, &timeouts).zip(sum(&own, &spurious));
        HandoverCost {
            changes: [own.len() - failures, failures].map(|count| count as u64),
            gaps: gaps.len() as u64,
            gap_ms: DelaySummary::of(&gaps).map(|gap| [gap.p50, gap.max]),
            timeouts: timeouts.map(|(all, spurious)| [all, spurious]),
            lost: sum(&own, &lost).unwrap_or(0),
            late_frames: sum(&own, &late),
        }
    };
    let found = distinct(rows().filter_map(of).map(String::as_str));
    found.into_iter().map(|name| (name.to_owned(), cost(name))).collect()
}

fn nanos(ms: f64) -> u64 {
    (ms * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cars with a download each, a change within the warm-up, and a call whose last change is a resume.
    fn table() -> Table {
        Table::new()
            .optional_utf8("flow", ["get a", "get b", "get a", "get a", "call", "call"].map(Some))
            .utf8("cause", ["a3", "a3", "a3", "reestablishment", "a3", "resume"])
            .utf8(
                "outcome",
                ["success", "success", "success", "success", "t304_expired", "success"],
            )
            .f64("time_s", [0.5, 2.0, 3.0, 4.0, 5.0, 6.0])
            .optional_f64(
                "gap_ms",
                [Some(900.0), Some(40.0), Some(50.0), Some(180.0), None, Some(320.0)],
            )
            .optional_i64("lost_packets", [Some(9), Some(4), Some(0), Some(10), Some(2), Some(7)])
            .optional_i64("timeouts", [Some(5), Some(1), Some(0), Some(2), None, None])
            .optional_i64("spurious_timeouts", [Some(5), Some(0), Some(0), Some(2), None, None])
            .optional_i64("late_frames", [None, None, None, None, Some(3), Some(0)])
    }

    #[test]
    fn flows_have_their_changes_behind_the_warm_up() {
        let names = BTreeMap::from(
            [("get a", "get a"), ("get b", "get b"), ("call", "call")]
                .map(|(flow, name)| (flow, name.into())),
        );
        let found = costs(&table(), 1.0, &names);
        let words: Vec<String> =
            found.iter().map(|(name, cost)| format!("{name}: {}", cost.sentence())).collect();
        let expected = [
            "get b: 1 handover, gap of 40 ms; 1 retransmission timeout; 4 packets lost",
            "get a: 1 handover and 1 failure, gap of 50 ms at the median and 180 ms at most; 2 retransmission \
             timeouts, 2 of them spurious; 10 packets lost",
            "call: no handovers and 1 failure, no gap with data on their way; 2 packets lost; 3 late frames",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn groups_stand_for_many_flows() {
        let names = BTreeMap::from(
            [("get a", "get"), ("get b", "get"), ("call", "call")]
                .map(|(flow, name)| (flow, name.into())),
        );
        let found = costs(&table(), 1.0, &names);
        let (name, cost) = &found[0];
        assert_eq!((name.as_str(), cost.changes, cost.lost), ("get", [2, 1], 14));
        assert_eq!((cost.gap_ms, cost.timeouts), (Some([50.0, 180.0]), Some([3, 2])));
    }
}
