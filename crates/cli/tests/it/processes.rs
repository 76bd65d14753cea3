//! Runs of real stacks in separate processes: their tables have the same bytes.

use std::fs;
use std::process::Command;

use airpath_scenario::WITH_STACKS;

const TABLES: [&str; 4] = ["flows.parquet", "packets.parquet", "series.parquet", "summary.json"];

#[test]
fn stacks_have_the_same_results_in_each_process_and_on_any_threads() {
    let count = if std::env::var_os("AIRPATH_TEST_LONG").is_some() { 20 } else { 3 };
    let folder = tempfile::tempdir().expect("a folder");
    for name in WITH_STACKS {
        let scenario = airpath_scenario::template(name).expect("a template").text;
        let file = folder.path().join(format!("{name}.toml"));
        fs::write(&file, scenario).expect("a file");
        let tables = |n: usize| {
            let out = folder.path().join(format!("{name}-{n}"));
            let threads = if n.is_multiple_of(2) { "1" } else { "3" };
            let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
            command.arg("run").arg(&file).arg("--out").arg(&out).args(["--threads", threads]);
            command.args(["--set", "duration=3 s", "--set", "output.packets=true"]);
            command.args(["--set", "output.series=100 ms"]);
            let output = command.output().expect("a process");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            TABLES.map(|table| fs::read(out.join(table)).expect(table))
        };
        let first = tables(0);
        for n in 1..count {
            let other = tables(n);
            let equal = TABLES.iter().zip(first.iter().zip(&other)).filter(|(_, (a, b))| a != b);
            let differ: Vec<_> = equal.map(|(table, _)| table).collect();
            assert!(differ.is_empty(), "{name}, process {n}: {differ:?}");
        }
    }
}
