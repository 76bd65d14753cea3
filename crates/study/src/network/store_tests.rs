use proptest::prelude::*;

use super::*;
use crate::network::page::tests::{data as short, empty, study};

fn values(n: usize) -> impl Strategy<Value = Vec<Option<f64>>> {
    let value = (-400_i32..400).prop_map(|n| f64::from(n) / 16.0);
    prop::collection::vec(prop::option::of(value), n)
}

prop_compose! {
    fn run()(
        extra in any::<bool>(),
        values in values(10),
        users in prop::collection::vec(values(9), 0..4),
    ) -> Run {
        Run { seed: 0, extra, values, users }
    }
}

prop_compose! {
    fn data()(arms in prop::collection::vec(prop::collection::vec(run(), 1..4), 0..4)) -> Data {
        let arm = |(load, runs): (u32, Vec<Run>)| ArmRuns {
            experiment: "main".into(),
            load,
            name: "RR/L4S, AQM".into(),
            runs: (1..).zip(runs).map(|(seed, run)| Run { seed, ..run }).collect(),
        };
        Data { arms: (2..).zip(arms).map(arm).collect(), ..empty() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn what_is_written_is_read(data in data()) {
        let folder = tempfile::tempdir().expect("a folder");
        write(&data, &study().plan().expect("a plan").axes, "main", folder.path()).expect("written");
        prop_assert_eq!(read(&study(), folder.path(), Reading::First, Digests::Checked).expect("read"), data);
    }
}

#[test]
fn a_damaged_table_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&empty(), &study().plan().expect("a plan").axes, "main", folder.path()).expect("written");
    std::fs::write(folder.path().join("main.users.parquet"), "PAR1").expect("a file");
    let error =
        read(&study(), folder.path(), Reading::First, Digests::Checked).expect_err("damaged");
    assert!(error.to_string().contains("main.users.parquet"), "{error}");
}

#[test]
fn kept_tables_say_how_they_came_about() {
    for reading in Reading::ALL {
        let (data, made) = kept(&study(), reading, Digests::Checked).expect("tables");
        for name in data.arms.iter().map(|arm| &arm.experiment) {
            let own = made.iter().filter(|made| made.experiment == *name);
            let runs: usize = own.map(|made| made.runs).sum();
            let arms = data.arms.iter().filter(|arm| arm.experiment == *name);
            assert_eq!(arms.map(|arm| arm.runs.len()).sum::<usize>(), runs, "{name}");
        }
    }
}

#[test]
fn tables_of_a_short_form_fit_and_those_of_another_experiment_do_not() {
    let (study, folder) = (study(), tempfile::tempdir().expect("a folder"));
    let axes = study.plan().expect("a plan").axes;
    // The main experiment has 5 users, its short form 50.
    write(&short(), &axes, "main", folder.path()).expect("written");
    let read = || of_folder(&study, folder.path(), Reading::First, Digests::Checked);
    assert_eq!(read().expect("its own").0.arms.len(), 16);
    for kind in ["runs", "users"] {
        let path = |name: &str| folder.path().join(format!("{name}.{kind}.parquet"));
        fs::rename(path("main"), path("rtt")).expect("renamed");
    }
    let error = read().expect_err("arms of another experiment");
    assert!(error.to_string().contains("the tables of rtt are those of another"), "{error}");
}
