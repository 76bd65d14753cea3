//! Tests of the run cache within one process.

use super::*;

const SEED: u64 = 1;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("runs");
    (root, folder)
}

fn open(folder: &Path) -> RunCache {
    RunCache::open(folder, "build").expect("a folder of runs")
}

fn work(name: &str) -> Digest {
    Digest::new().field(name.as_bytes())
}

fn put(cache: &RunCache, name: &str, output: &str) {
    match cache.claim(work(name), SEED) {
        Claimed::Ours(claim) => claim.put(&output),
        _ => panic!("{name} is not free: {:?}", cache.faults()),
    }
}

fn get(cache: &RunCache, name: &str, seed: u64) -> Option<String> {
    match cache.find(work(name), seed) {
        Found::Whole(output) => Some(output),
        Found::Unusable | Found::Nothing => None,
    }
}

fn path(cache: &RunCache, name: &str, ending: &str) -> PathBuf {
    cache.folder().join(Key::new("build", work(name), SEED).file(ending))
}

#[test]
fn what_is_of_another_work_seed_or_build_is_not_used() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    put(&cache, "a", "output");
    assert_eq!((get(&cache, "a", 1), cache.resumed(), cache.kept()), (Some("output".into()), 0, 1));
    drop(cache);
    let cache = open(&folder);
    assert_eq!((get(&cache, "a", 2), get(&cache, "b", 1)), (None, None));
    assert_eq!((get(&cache, "a", 1), cache.resumed(), cache.kept()), (Some("output".into()), 1, 1));
    drop(cache);
    let other = RunCache::open(&folder, "another build").expect("a folder of runs");
    assert_eq!(get(&other, "a", 1), None);
    // It is airpath's all the same, and of no use once there are results.
    assert!(other.clear().expect("removed"));
}

#[test]
fn what_is_damaged_or_foreign_is_told_of_and_left_alone() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    put(&cache, "one", "100,200");
    put(&cache, "two", "100,200");
    let (first, second) = (path(&cache, "one", WHOLE), path(&cache, "two", WHOLE));
    drop(cache);
    let text = fs::read_to_string(&first).expect("a run");
    let changed = text.replace("100,200", "100,300");
    assert_ne!(changed, text);
    fs::write(&first, &changed).expect("written");
    fs::write(&second, &text[..text.len() - 3]).expect("written");
    fs::write(folder.join("notes.txt"), "mine").expect("written");
    let cache = open(&folder);
    assert_eq!((get(&cache, "one", SEED), get(&cache, "two", SEED)), (None, None));
    let faults = cache.faults();
    assert!(faults.len() == 3 && faults[0].contains("notes.txt"), "{faults:?}");
    assert!(faults[1].contains("checksum") && faults[2].contains("checksum"), "{faults:?}");
    assert!(!cache.clear().expect("nothing to remove"));
    assert_eq!(fs::read_to_string(&first).expect("still there"), changed);
    assert_eq!(fs::read_dir(&folder).expect("still there").count(), 3);
}

#[test]
fn the_whole_text_of_another_run_is_not_taken_for_this_one() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    put(&cache, "a", "output");
    fs::copy(path(&cache, "a", WHOLE), path(&cache, "b", WHOLE)).expect("copied");
    assert_eq!(get(&cache, "b", SEED), None);
    assert!(cache.faults()[0].contains("another run"));
}

#[test]
fn a_claim_is_ours_alone_until_it_is_dropped() {
    let (_root, folder) = folder();
    let (cache, other) = (open(&folder), open(&folder));
    let claim = cache.claim(work("a"), SEED);
    assert!(matches!(claim, Claimed::Ours(_)));
    assert!(matches!(other.claim(work("a"), SEED), Claimed::Theirs));
    assert!(matches!(cache.claim(work("a"), SEED), Claimed::Theirs));
    assert!(matches!(other.claim(work("b"), SEED), Claimed::Ours(_)));
    drop(claim);
    put(&other, "a", "output");
    assert_eq!(get(&cache, "a", SEED).as_deref(), Some("output"));
    assert_eq!((cache.resumed(), other.resumed()), (1, 0));
}

#[test]
fn what_a_killed_process_had_begun_to_write_is_no_run() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    let part = path(&cache, "a", PART);
    fs::write(&part, "airpath-cached-run-2 longer than what is written over it".repeat(9))
        .expect("written");
    assert_eq!((get(&cache, "a", SEED), cache.faults()), (None, Vec::new()));
    put(&cache, "a", "output");
    assert_eq!((get(&cache, "a", SEED).as_deref(), part.exists()), (Some("output"), false));
    fs::write(&part, "begun").expect("written");
    drop(cache);
    assert!(!part.exists() && folder.exists());
}

#[test]
fn nothing_is_removed_that_another_may_need_and_nothing_kept_leaves_nothing() {
    let (_root, folder) = folder();
    let (cache, other) = (open(&folder), open(&folder));
    put(&cache, "a", "output");
    assert!(!cache.clear().expect("looked at"));
    assert_eq!(get(&other, "a", SEED).as_deref(), Some("output"));
    assert!(other.clear().expect("removed"));
    drop(open(&folder));
    assert!(!folder.exists());
}

#[test]
fn a_file_in_the_folders_place_is_refused() {
    let (_root, folder) = folder();
    fs::write(&folder, "mine").expect("written");
    assert!(RunCache::open(&folder, "build").is_err());
    assert_eq!(fs::read_to_string(&folder).expect("there"), "mine");
}

#[test]
fn what_cannot_be_written_is_told_of() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    fs::create_dir(path(&cache, "a", PART)).expect("a folder in the way");
    assert!(matches!(cache.claim(work("a"), SEED), Claimed::Nobody));
    fs::create_dir(path(&cache, "b", WHOLE)).expect("a folder in the way");
    let Claimed::Ours(claim) = cache.claim(work("b"), SEED) else { panic!("{cache:?}") };
    claim.put(&"output");
    let faults = cache.faults();
    assert!(faults[0].contains("cannot be written"), "{faults:?}");
    assert!(faults[1].contains("is not kept"), "{faults:?}");
}
