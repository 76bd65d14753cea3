//! Tests of declarations.

use std::collections::BTreeSet;

use airpath_base::Duration;

use super::*;
use crate::Options;
use crate::summarise::tests::{facts, run};

#[test]
fn a_column_that_ends_in_a_unit_has_it() {
    for (file, table) in reference::all_tables() {
        for (name, _, unit, _) in table.described() {
            let ending = Scale::of_name(name).unit;
            assert!(ending.is_empty() || ending == unit, "{file}: {name} in {unit}");
        }
    }
    for (object, fields) in reference::all_objects() {
        for field in *fields {
            let (ending, unit) = (Scale::of_name(field.name).unit, field.scale.unit);
            assert!(ending.is_empty() || ending == unit, "{object}: {} in {unit}", field.name);
        }
    }
}

#[test]
fn each_metric_of_a_run_is_declared() {
    let run = run(&Options { series: Some(Duration::from_millis(50)), ..Options::default() });
    let metrics = run.metrics(&run.summary(facts()));
    for name in ["loss_rate", "delay_mean_ms", "delay_p50_ms", "delay_p95_ms", "queue_delay_p99_ms"]
    {
        assert!(metrics.iter().any(|metric| metric.name == name), "{name}");
    }
    metrics.iter().for_each(|metric| assert!(is_declared(&metric.name), "{}", metric.name));
    let of_series: BTreeSet<&str> = run.series().iter().map(|row| row.metric).collect();
    assert!(of_series.contains("queue_bytes"));
    of_series.iter().for_each(|metric| assert!(is_declared(metric), "{metric}"));
}

#[test]
fn one_name_is_one_unit_and_one_direction_of_better() {
    let metrics = flow_group::declared().chain(network::declared());
    let metrics = metrics.map(|one| (one.name, one.info.unit, one.info.more_is_better));
    let users = user::columns().map(|c| (c.name.into_owned(), c.scale));
    let flows = flow::columns().into_iter().map(|c| (c.name.into_owned(), c.scale));
    let columns = users.chain(flows).collect::<Vec<_>>();
    for (name, unit, better) in metrics {
        for (_, scale) in columns.iter().filter(|(known, _)| *known == name) {
            assert_eq!((scale.unit, scale.more_is_better), (unit, better), "{name}");
        }
    }
}

#[test]
fn only_declared_names_are_known() {
    for name in ["goodput", "delay_p98_ms", "loss_rates", "users.web.down.goodput_bps.p5", ""] {
        assert!(!is_declared(name), "{name}");
    }
    for name in ["srtt_ms", "within_delay_budget", "page_p95_ms", "transmitted_bps", "made_ns"] {
        assert!(is_declared(name), "{name}");
    }
    assert_eq!(
        (unit("within_delay_budget_up"), unit("made_ns"), unit("some_db")),
        ("1", "ns", "dB")
    );
}
