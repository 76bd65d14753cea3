//! Load balancing and admission in whole runs: the template `hot-spot`.

use airpath_base::CellId;
use airpath_net::HandoverOutcome;
use airpath_results::{AdmissionSummary, HandoverSummary};
use airpath_scenario::{Scenario, templates};
use airpath_sim::{Outcome, RunOptions, run};

/// The template with these overrides.
fn outcome(overrides: &[&str]) -> Outcome {
    let template = templates().iter().find(|own| own.name == "hot-spot").expect("a template");
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let scenario = Scenario::parse("hot-spot.toml", template.text, &overrides);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).unwrap_or_else(|failure| panic!("{failure}"))
}

fn changes(run: &Outcome) -> &HandoverSummary {
    run.summary.events.handovers.as_ref().expect("handovers")
}

/// The lowest goodput of all downloads, bit/s.
fn slowest(run: &Outcome) -> f64 {
    run.summary.flows.iter().filter_map(|flow| flow.goodput_bps).fold(f64::INFINITY, f64::min)
}

/// Runs count from the time at which the offset has moved.
const SETTLED: &str = "output.warm_up=10 s";
/// Runs without load balancing: its step is less than UEs notice.
const NEARLY_OFF: [&str; 3] = [
    SETTLED,
    "network.handover.load_balancing.limit=0.001 dB",
    "network.handover.load_balancing.step=0.001 dB",
];

#[test]
fn load_balancing_helps_the_slowest_download() {
    let (without, with) = (outcome(&NEARLY_OFF), outcome(&[SETTLED]));
    let own = changes(&with).load_balancing.as_ref().expect("load balancing");
    let [pair] = &own.pairs[..] else { panic!("{:?}", own.pairs) };
    // Steps of 1 dB, up to the limit of 6 dB.
    let (last, greatest) = (pair.offset_db.abs(), pair.greatest_db.abs());
    assert!((1.0..=6.0).contains(&greatest) && last.fract() == 0.0, "{pair:?}");
    assert!(slowest(&with) > slowest(&without), "{} {}", slowest(&with), slowest(&without));
    assert_eq!(changes(&with).ping_pongs, 0);
    // The last loads in the table are within the threshold, or nearly so: a UE changes the difference by 2.
    let rows = with.collector.offset_moves();
    let first = rows.first().expect("a move").loads;
    assert!((first[0] - first[1]).abs() > 2.0 && first[0] + first[1] == 17.0, "{first:?}");
}

#[test]
fn a_cell_keeps_its_limit_of_ues() {
    // Offsets draw UEs into the second cell, in which three are there already, and three are the limit.
    let offset = "network.handover.cell_offset=[{ cell = 1, serving = 0, offset = \"4 dB\" }, \
                  { cell = 0, serving = 1, offset = \"-4 dB\" }]";
    let most = "network.handover.admission.ues=3";
    let mut overrides = NEARLY_OFF.to_vec();
    overrides.extend(["duration=8 s", "output.warm_up=0 s", offset, most]);
    let run = outcome(&overrides);
    let all = changes(&run);
    let own = all.admission.clone().expect("admission");
    assert!(own.refused > 10, "{own:?}");
    assert_eq!(own, AdmissionSummary { refused: own.refused, ..AdmissionSummary::default() });
    let ues = run.collector.inventory().ues.iter();
    let begin = ues.filter(|ue| ue.cell == Some(CellId(1)));
    let came = run.collector.handovers().filter(|one| one.outcome == HandoverOutcome::Success);
    let came: i64 = came.map(|one| if one.target.index() == 1 { 1 } else { -1 }).sum();
    assert_eq!(begin.count() as i64 + came, 3);
    let refused = run.collector.handovers().filter(|one| one.is_refused_preparation()).count();
    assert_eq!(refused as u64, own.refused);
    assert!(all.sentence().contains("preparations refused"), "{}", all.sentence());
}
