use std::thread;

use super::*;
use crate::Options;
use crate::summarise::tests::{facts, run};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

fn whole(target: &Path) -> Result<PathBuf, FolderError> {
    let collector = run(&Options { packets: 10, ..Options::default() });
    let folder = ResultsFolder::create(target)?;
    folder.write_run(&collector, &collector.summary(facts()))?;
    folder.write_timing(&Timing::new(0.1, 0.2, "here", 1))?;
    folder.finish().map(|folder| folder.path().to_owned())
}

#[test]
fn a_whole_run() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("deep/results");
    let written = whole(&target).expect("written");
    assert_eq!(written, target.canonicalize().expect("there"));
    let expected = [
        "bearers.parquet",
        "cells.parquet",
        "flows.parquet",
        "links.parquet",
        "metrics.json",
        "packets.parquet",
        "summary.json",
        "timing.json",
        "ues.parquet",
        "users.parquet",
    ];
    assert_eq!(names(&target), expected);
    assert_eq!(names(&root.path().join("deep")), ["results"]);
}

#[test]
fn an_earlier_run_is_replaced() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    whole(&target).expect("written");
    fs::write(target.join("report.html"), "old").expect("written");
    whole(&target).expect("written again");
    assert!(!target.join("report.html").exists());
    assert_eq!(names(root.path()), ["results"]);
}

#[test]
fn nothing_is_left_of_a_run_that_failed() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = ResultsFolder::create(&root.path().join("results")).expect("created");
    folder.write_text("scenario.toml", "x = 1\n").expect("written");
    drop(folder);
    assert!(names(root.path()).is_empty());
    let without_summary = ResultsFolder::create(&root.path().join("results")).expect("created");
    assert!(without_summary.finish().is_err());
    assert!(names(root.path()).is_empty());
}

#[test]
fn other_peoples_files_are_safe() {
    let root = tempfile::tempdir().expect("a folder");
    let refused = |target: &Path| {
        let before = fs::metadata(target).expect("there").is_dir().then(|| names(target));
        let error = ResultsFolder::create(target).expect_err("refused");
        assert!(matches!(error, FolderError::NotOurs { .. }), "{error}");
        assert_eq!(before, target.is_dir().then(|| names(target)));
        error.to_string()
    };
    let thesis = root.path().join("thesis");
    fs::create_dir(&thesis).expect("created");
    fs::write(thesis.join("chapter.tex"), "").expect("written");
    assert!(refused(&thesis).contains("chapter.tex"));
    assert!(refused(&thesis.join("chapter.tex")).contains("a file"));
    let other = root.path().join("other");
    fs::create_dir(&other).expect("created");
    fs::write(other.join("summary.json"), r#"{"format": "somebody else's"}"#).expect("written");
    assert!(refused(&other).contains("no results of airpath"));
    let notes = root.path().join("results");
    whole(&notes).expect("written");
    fs::write(notes.join("notes.txt"), "mine").expect("written");
    assert!(refused(&notes).contains("notes.txt"));
}

#[test]
fn an_empty_folder_is_used() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("empty");
    fs::create_dir(&target).expect("created");
    whole(&target).expect("written");
    assert!(target.join("summary.json").exists());
}

#[test]
fn what_an_interrupted_run_wrote_is_kept() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let collector = run(&Options::default());
    let folder = ResultsFolder::create(&target).expect("created");
    folder.write_summary(&collector.summary(facts())).expect("written");
    folder.finish_incomplete().expect("kept");
    let text = fs::read_to_string(target.join("summary.json")).expect("there");
    let summary: RunSummary = serde_json::from_str(&text).expect("a summary");
    assert_eq!((summary.complete, summary.seed), (false, 7));
    let bare = ResultsFolder::create(&target).expect("our own may be replaced");
    bare.finish_incomplete().expect("kept");
    let text = fs::read_to_string(target.join("summary.json")).expect("there");
    let (text, digests) =
        text.split_once(",\n  \"digests\": {\n    \"summary.json\": ").expect("digests");
    assert_eq!(digests.lines().count(), 3);
    assert_eq!(
        text,
        format!(
            "{{\n  \"format\": \"airpath-results-1\",\n  \"version\": \"{VERSION}\",\n  \"complete\": false"
        )
    );
    ResultsFolder::create(&target).expect("known as our own");
}

#[test]
fn names_stay_inside() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = ResultsFolder::create(&root.path().join("results")).expect("created");
    for name in ["../x.json", "a/b.json", "/x.json", "", "..", "x.txt", "x", "a\\b.json"] {
        assert!(matches!(folder.file(name), Err(FolderError::Name(_))), "{name}");
    }
    assert!(folder.file("core.pcapng").is_ok());
}

#[test]
fn what_cannot_be_made_is_named_as_it_was_asked_for() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().canonicalize().expect("there").join("x".repeat(255));
    // The longest name that file systems take; the hidden one is longer.
    let error = ResultsFolder::create(&target).expect_err("a name that is too long");
    assert!(error.to_string().starts_with(&format!("{}: ", target.display())), "{error}");
}

#[test]
fn work_in_progress_has_its_place_beside_the_target() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let beside = ResultsFolder::beside(&target, "runs").expect("a free place");
    assert_eq!(beside, root.path().canonicalize().expect("there").join(".results.runs"));
    assert!(names(root.path()).is_empty());
    fs::create_dir(&target).expect("created");
    fs::write(target.join("thesis.tex"), "").expect("written");
    assert!(ResultsFolder::beside(&target, "runs").is_err());
}

/// A hidden folder as a run leaves it that is killed: its lock is free.
fn killed(root: &Path, name: &str) -> PathBuf {
    let folder = root.canonicalize().expect("there").join(name);
    fs::create_dir(&folder).expect("created");
    let lock = Lock::take(&folder).expect("a lock");
    drop(lock); // the file stays
    fs::write(folder.join("packets.parquet"), "PAR1").expect("written");
    folder
}

#[test]
fn what_a_killed_run_left_goes_with_the_next_and_is_told() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let left =
        [killed(root.path(), ".results.partial-0"), killed(root.path(), ".results.partial-3")];
    let other = killed(root.path(), ".results-2.partial-0");
    let folder = ResultsFolder::create(&target).expect("created");
    assert_eq!(folder.leftovers(), left);
    assert!(other.exists() && !left[0].join("packets.parquet").exists());
    drop(folder);
    whole(&target).expect("written");
    assert_eq!(names(root.path()), [".results-2.partial-0", "results"]);
    assert!(!target.join("airpath.lock").exists());
}

#[test]
fn who_is_at_work_is_left_alone() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let first = ResultsFolder::create(&target).expect("created");
    first.write_text("scenario.toml", "x = 1\n").expect("written");
    let second = ResultsFolder::create(&target).expect("created");
    assert!(second.leftovers().is_empty());
    assert_eq!(names(root.path()), [".results.partial-0", ".results.partial-1"]);
}

#[test]
fn a_run_that_was_killed_as_it_began_leaves_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    // Killed before its lock was there, and before the lock had its text.
    fs::create_dir(root.path().join(".results.partial-0")).expect("created");
    let begun = root.path().join(".results.partial-1");
    fs::create_dir(&begun).expect("created");
    fs::write(begun.join("airpath.lock"), "").expect("written");
    drop(ResultsFolder::create(&target).expect("created"));
    assert!(names(root.path()).is_empty(), "{:?}", names(root.path()));
}

#[test]
fn a_run_that_was_killed_with_its_name_taken_leaves_a_whole_folder() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    whole(&target).expect("written");
    let lock = Lock::take(&target).expect("a lock");
    ResultsFolder::unlock(&target).expect("a run is at work");
    assert!(target.join("airpath.lock").exists());
    drop(lock);
    ResultsFolder::unlock(&target).expect("removed");
    assert!(!target.join("airpath.lock").exists());
    fs::write(target.join("airpath.lock"), "mine").expect("written");
    ResultsFolder::unlock(&target).expect("not ours");
    fs::remove_file(target.join("airpath.lock")).expect("it is there");
    drop(Lock::take(&target).expect("a lock"));
    // The same, killed once more as the next run replaced it.
    let earlier = root.path().join(".results.earlier-0");
    fs::rename(&target, &earlier).expect("renamed");
    killed(root.path(), ".results.partial-0");
    drop(ResultsFolder::create(&target).expect("created"));
    assert!(target.join("summary.json").exists());
    whole(&target).expect("written");
    assert!(!target.join("airpath.lock").exists());
    assert_eq!(names(root.path()), ["results"]);
}

#[test]
fn what_others_put_under_a_hidden_name_is_safe() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let without_lock = root.path().join(".results.partial-0");
    fs::create_dir(&without_lock).expect("created");
    fs::write(without_lock.join("flows.parquet"), "mine").expect("written");
    let with_more = killed(root.path(), ".results.partial-1");
    fs::write(with_more.join("notes.txt"), "mine").expect("written");
    let other_lock = killed(root.path(), ".results.partial-2");
    fs::write(other_lock.join("airpath.lock"), "mine").expect("written");
    let folder = ResultsFolder::create(&target).expect("created");
    assert!(folder.leftovers().is_empty());
    drop(folder);
    let kept = [".results.partial-0", ".results.partial-1", ".results.partial-2"];
    assert_eq!(names(root.path()), kept);
    assert_eq!(names(&with_more), ["airpath.lock", "notes.txt", "packets.parquet"]);
}

#[test]
fn a_result_that_was_being_replaced_comes_back() {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    whole(&target).expect("written");
    fs::rename(&target, root.path().join(".results.earlier-0")).expect("renamed");
    killed(root.path(), ".results.partial-0");
    let folder = ResultsFolder::create(&target).expect("created");
    assert!(target.join("summary.json").exists());
    drop(folder);
    assert_eq!(names(root.path()), ["results"]);
}

#[test]
fn many_at_once_replace_one_another() {
    let root = tempfile::tempdir().unwrap();
    let target = root.path().join("out");
    let often = || (0..40).try_for_each(|_| whole(&target).map(drop));
    let ended: Vec<_> = thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(often)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    ended.into_iter().for_each(|one| one.unwrap());
    assert!(ours::has_our_summary(&target));
    assert_eq!(names(root.path()), ["out"], "nothing hidden is left");
}

#[test]
fn a_folder_in_memory_has_the_same_bytes() {
    let root = tempfile::tempdir().expect("a folder");
    let collector = run(&Options { packets: 10, ..Options::default() });
    let fill = |folder: ResultsFolder| {
        folder.write_run(&collector, &collector.summary(facts())).expect("written");
        folder.write_text("wireshark/preferences", "a text").expect("written");
        folder.finish().expect("finished")
    };
    let disk = fill(ResultsFolder::create(&root.path().join("results")).expect("created"));
    let memory = fill(ResultsFolder::in_memory("results"));
    assert!(disk.files().is_none());
    let files = memory.files().expect("files in memory");
    let names: Vec<String> = files.keys().cloned().collect();
    assert_eq!(disk.names().expect("names"), names);
    assert!(names.iter().any(|name| name == "packets.parquet"), "{names:?}");
    for (name, bytes) in files {
        assert!(fs::read(disk.path().join(name)).expect("a file") == *bytes, "{name}");
    }
    let rows = |folder: &crate::Folder| folder.table("flows.parquet").expect("a table").rows();
    assert_eq!(rows(&memory), rows(&disk));
    assert_eq!(memory.text("summary.json").ok(), disk.text("summary.json").ok());
    assert!(memory.has("flows.parquet") && !memory.has("nothing.json"));
    assert!(memory.text("nothing.json").is_err() && memory.table("nothing.parquet").is_err());
    let cut = ResultsFolder::in_memory("results");
    cut.write_summary(&collector.summary(facts())).expect("written");
    let text = cut.finish_incomplete().expect("kept").text("summary.json").expect("a text");
    assert!(text.contains("\"complete\": false"), "{text}");
}
