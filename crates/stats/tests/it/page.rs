//! The tables of `docs/statistics.md` are what is measured.
//!
//! `AIRPATH_TEST_LONG=1 cargo test --release -p airpath-stats --test it` takes the 10 000
//! repetitions of the page and compares to a tenth of a percent. Without it there are fewer, and
//! four standard errors of room.

use crate::measure::{
    Effort, Row, equality, over_loads, over_runs, over_users, until, users_over_loads,
};

/// Repetitions behind the page.
const REPETITIONS: u32 = 10_000;
/// Repetitions behind the page of percentiles over loads, which take as long as all the others.
const OVER_LOADS: u32 = 2000;
/// Resamples behind the page.
const RESAMPLES: u32 = 2000;
const PAGE: &str = include_str!("../../../../docs/statistics.md");

fn effort(repetitions: u32, quick: u32) -> Effort {
    match std::env::var_os("AIRPATH_TEST_LONG") {
        Some(_) => Effort { repetitions, resamples: RESAMPLES },
        None => Effort { repetitions: quick, resamples: 200 },
    }
}

/// The figures of the page's row with this name.
fn published(what: &str) -> Vec<f64> {
    let line = PAGE.lines().find_map(|line| line.strip_prefix(&format!("| {what} | ")));
    let cells = line.unwrap_or_default().trim_end_matches(" |").split(" | ");
    cells.filter_map(|cell| cell.parse().ok()).collect()
}

/// Compares shares with the page's, which are in percent.
fn check(rows: &[Row], effort: Effort) {
    let line = |row: &Row| {
        let cells: Vec<String> = row.shares.iter().map(|s| format!("{:.1}", 100.0 * s)).collect();
        format!("| {} | {} |\n", row.what, cells.join(" | "))
    };
    let table: String = rows.iter().map(line).collect();
    for row in rows {
        let expected = published(&row.what);
        assert_eq!(expected.len(), row.shares.len(), "{}: the page lacks\n{table}", row.what);
        for (share, percent) in row.shares.iter().zip(expected) {
            let expected: f64 = percent / 100.0;
            let variance = expected * (1.0 - expected).max(0.01) / f64::from(effort.repetitions);
            let room = if effort.resamples == RESAMPLES { 0.001 } else { 4.5 * variance.sqrt() };
            assert!(
                (share - expected).abs() <= room + 0.0005,
                "{}: {share} is not {expected}; measured:\n{table}",
                row.what
            );
        }
    }
}

#[test]
fn over_runs_as_on_the_page() {
    let effort = effort(REPETITIONS, 600);
    check(&over_runs(effort), effort);
}

#[test]
fn over_users_as_on_the_page() {
    let effort = effort(REPETITIONS, 40);
    check(&over_users(effort), effort);
}

#[test]
fn errors_of_equality_as_on_the_page() {
    let effort = effort(REPETITIONS, 600);
    check(&equality(effort), effort);
}

#[test]
fn over_loads_as_on_the_page() {
    let effort = effort(REPETITIONS, 600);
    check(&over_loads(effort), effort);
}

#[test]
fn users_over_loads_as_on_the_page() {
    let effort = effort(OVER_LOADS, 40);
    check(&users_over_loads(effort), effort);
}

#[test]
fn runs_until_as_on_the_page() {
    let effort = effort(REPETITIONS, 300);
    let rows = until(effort);
    let (shares, runs) = rows.split_at(2);
    check(shares, effort);
    let expected = published("runs in the end");
    assert_eq!(expected.len(), runs[0].shares.len(), "the page lacks {:.1?}", runs[0].shares);
    for (runs, expected) in runs[0].shares.iter().zip(expected) {
        assert!((runs / expected - 1.0).abs() < 0.05, "{runs} runs, not {expected}");
    }
}

/// Requirements on the methods that airpath prefers, by the figures of the page.
#[test]
fn what_is_preferred_covers() {
    for sigma in ["0.5", "1"] {
        let ratio = published(&format!("ratio, σ {sigma}"));
        assert!(ratio[5..].iter().all(|&percent| percent >= 93.0), "from ten runs on: {ratio:?}");
        for percentile in ["p50", "p95", "p99"] {
            for what in ["one arm", "difference", "ratio"] {
                let between = if sigma == "1" { "0.3" } else { "0.1" };
                let name = format!("{percentile}, {what}, σ {sigma}, {between} between");
                let shares = published(&name);
                assert!(shares[3..].iter().all(|&percent| percent >= 93.0), "{name}: {shares:?}");
            }
        }
        for what in ["10% more", "1/1.1"] {
            let errors = published(&format!("ratio, {what}, σ {sigma}"));
            assert!(errors.iter().all(|&percent| percent <= 6.0), "{errors:?}");
        }
    }
}

/// Requirements on means over loads, by the figures of the page.
#[test]
fn means_over_loads_cover() {
    for (question, fine) in [("holds the ratio", 93.0..=98.0), ("called lower at 1", 2.0..=6.0)] {
        let spreads = ["few users spread", "many users spread", "8 runs each"];
        let mut cases: Vec<String> = spreads.map(|case| format!("{question}, {case}")).into();
        for population in ["σ 0.5, 0.1 between", "σ 1, 0.3 between"] {
            cases.extend(["p95", "p99"].map(|p| format!("{p} {question}, {population}")));
        }
        for case in cases {
            let shares = published(&case);
            assert_eq!(shares.len(), 3, "{case}");
            assert!(shares.iter().all(|share| fine.contains(share)), "{case}: {shares:?}");
        }
    }
}
