//! Damaged results: each changed bit is named with its file, and nothing is overwritten.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;

use crate::common::{GOOD, names, run};

/// Files of a finished run `run` and a finished campaign `out` of the same scenario, by path.
static MADE: LazyLock<BTreeMap<PathBuf, Vec<u8>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), GOOD).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "run"], 0);
    run(folder.path(), &CAMPAIGN, 0);
    let below = |path: PathBuf| path.strip_prefix(folder.path()).expect("below").to_owned();
    files(folder.path()).into_iter().map(|(path, bytes)| (below(path), bytes)).collect()
});

const CAMPAIGN: [&str; 8] = [
    "sweep",
    "s.toml",
    "--out",
    "out",
    "--seeds",
    "2",
    "--vary",
    "path.s1.rate=\"5 Mbit/s\",\"9 Mbit/s\"",
];
/// Commands that read the campaign, and the run.
const OF_CAMPAIGN: [&[&str]; 5] = [
    &["report", "out", "-o", "page.html"],
    &["plot", "out", "--what", "metric", "--of", "goodput_bps"],
    &["compare", "out"],
    &CAMPAIGN,
    &["sweep", "s.toml", "--out", "out", "--seeds", "3", "--vary", CAMPAIGN[7]],
];
const OF_RUN: [&[&str]; 3] =
    [&["report", "run", "-o", "page.html"], &["plot", "run"], &["compare", "run", "run"]];

/// All files below a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = names(folder).into_iter().map(|name| folder.join(name));
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => BTreeMap::from([(path.clone(), fs::read(&path).expect("a file"))]),
    };
    paths.flat_map(below).collect()
}

/// A copy of both folders, to be damaged.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in &*MADE {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }
    folder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn a_changed_bit_is_never_believed(
        campaign: bool,
        file: prop::sample::Index,
        at: prop::sample::Index,
        bit in 0..8_u32,
        command: prop::sample::Index,
    ) {
        let folder = copy();
        let target = folder.path().join(if campaign { "out" } else { "run" });
        let all: Vec<PathBuf> =
            files(&target).into_keys().filter(|path| !path.ends_with("timing.json")).collect();
        let path = &all[file.index(all.len())];
        let mut bytes = fs::read(path).expect("a file");
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        fs::write(path, bytes).expect("written");
        let before = files(folder.path());
        let commands = if campaign { &OF_CAMPAIGN[..] } else { &OF_RUN[..] };
        let refusal = run(folder.path(), commands[command.index(commands.len())], 2);
        let named = path.strip_prefix(folder.path()).expect("below").display().to_string();
        prop_assert!(refusal.contains(&format!("{named} is damaged")), "{named}: {refusal}");
        prop_assert_eq!(files(folder.path()), before);
    }
}

#[test]
fn a_flag_reads_damaged_results_all_the_same() {
    let folder = copy();
    for (name, commands) in [("out/runs.csv", &OF_CAMPAIGN[..]), ("run/scenario.toml", &OF_RUN)] {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, text + "\n").expect("written");
        for command in commands {
            let refusal = run(folder.path(), command, 2);
            assert!(refusal.contains("--unchecked"), "{refusal}");
            run(folder.path(), &[command, &["--unchecked"][..]].concat(), 0);
        }
    }
    // The campaign has grown, so its files are whole again.
    run(folder.path(), &["compare", "out"], 0);
}

#[test]
fn folders_without_digests_are_read() {
    let folder = copy();
    for name in ["out/summary.json", "run/summary.json"] {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).expect("a summary");
        let (older, _) = text.split_once(",\n  \"digests\"").expect("digests");
        fs::write(&path, format!("{older}\n}}\n")).expect("written");
    }
    fs::write(folder.path().join("out/README.md"), "mine").expect("written");
    OF_CAMPAIGN.iter().chain(&OF_RUN).for_each(|command| _ = run(folder.path(), command, 0));
    let text = fs::read_to_string(folder.path().join("out/summary.json")).expect("a summary");
    assert!(text.contains("\"digests\""), "{text}");
}
