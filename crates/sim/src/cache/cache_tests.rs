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
    cache.get(work(name), seed)
}

fn key(name: &str) -> Key {
    Key::new("build", work(name), SEED)
}

/// The file of a run in a folder of an earlier version.
fn path(folder: &Path, name: &str, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", key(name).text()))
}

/// Writes a run as earlier versions did.
fn put_single(folder: &Path, name: &str, output: &str) -> PathBuf {
    let body = format!("\"{output}\"\n");
    let sum = Digest::new().field(body.as_bytes()).value();
    let text = format!("airpath-cached-run-2 {} {sum:032x}\n{body}", key(name).text());
    fs::create_dir_all(folder).expect("a folder");
    fs::write(path(folder, name, SINGLE), text).expect("written");
    path(folder, name, SINGLE)
}

/// The first record file.
fn records(folder: &Path) -> PathBuf {
    folder.join("0000.runs")
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
    let (first, second) = (put_single(&folder, "one", "100,200"), put_single(&folder, "two", "1"));
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
    // Both runs are made again and kept.
    put(&cache, "one", "100,200");
    assert_eq!(get(&cache, "one", SEED).as_deref(), Some("100,200"));
    assert!(!cache.clear().expect("the record is removed"));
    assert_eq!(fs::read_to_string(&first).expect("still there"), changed);
    assert_eq!(fs::read_dir(&folder).expect("still there").count(), 3);
}

#[test]
fn a_run_in_a_file_of_its_own_is_used() {
    let (_root, folder) = folder();
    put_single(&folder, "a", "output");
    fs::write(path(&folder, "b", PART), "begun").expect("written");
    let cache = open(&folder);
    assert_eq!((get(&cache, "a", SEED).as_deref(), cache.resumed()), (Some("output"), 1));
    put(&cache, "b", "another");
    assert_eq!((cache.faults(), cache.kept()), (Vec::new(), 2));
    drop(cache);
    let cache = open(&folder);
    assert_eq!(
        get(&cache, "a", SEED).zip(get(&cache, "b", SEED)).map(|_| cache.resumed()),
        Some(2)
    );
    assert!(cache.clear().expect("removed"));
}

#[test]
fn a_record_that_is_damaged_costs_its_own_run_and_a_torn_one_no_word() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    let names = ["one", "two", "three"];
    names.iter().for_each(|name| put(&cache, name, "100,200"));
    drop(cache);
    let whole = fs::read(records(&folder)).expect("records");
    let third = whole.len() / 3;
    let found = |bytes: &[u8]| {
        fs::write(records(&folder), bytes).expect("written");
        let cache = open(&folder);
        let known = names.map(|name| get(&cache, name, SEED).is_some());
        let faults = cache.faults();
        // A worker after it goes on in a file of its own.
        put(&cache, "four", "4");
        assert_eq!((get(&cache, "four", SEED).as_deref(), cache.faults()), (Some("4"), Vec::new()));
        drop(cache);
        fs::remove_file(folder.join("0001.runs")).expect("a second file");
        (known, faults)
    };
    for cut in 2 * third..whole.len() {
        assert_eq!(found(&whole[..cut]), ([true, true, false], Vec::new()), "cut at {cut}");
    }
    for at in third..2 * third {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let (known, faults) = found(&bytes);
        assert!(known[0] && !known[1] && faults.len() == 1, "{at}: {known:?} {faults:?}");
        assert!(known[2] || at == 2 * third - 1, "{at}");
        assert!(faults[0].contains(&format!("byte {third}")), "{faults:?}");
        // Cut off as well, the last record makes no other fault.
        assert_eq!(found(&bytes[..whole.len() - 5]).1.len(), 1, "{at}");
    }
}

#[test]
fn a_record_that_is_damaged_after_it_was_found_is_made_again() {
    let (_root, folder) = folder();
    let cache = open(&folder);
    put(&cache, "a", "output");
    let text = fs::read_to_string(records(&folder)).expect("a record");
    fs::write(records(&folder), text.replace("output", "uotput")).expect("written");
    assert_eq!(get(&cache, "a", SEED), None);
    assert!(cache.faults()[0].contains("checksum"));
    put(&cache, "a", "output");
    assert_eq!(get(&cache, "a", SEED).as_deref(), Some("output"));
}

#[test]
fn the_whole_text_of_another_run_is_not_taken_for_this_one() {
    let (_root, folder) = folder();
    let first = put_single(&folder, "a", "output");
    fs::copy(first, path(&folder, "b", SINGLE)).expect("copied");
    let cache = open(&folder);
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
    fs::create_dir(&folder).expect("a folder");
    let begun = key("a").record(&"output").expect("a record");
    fs::write(records(&folder), &begun[..begun.len() - 3]).expect("written");
    // Its claim is still in the file, and its worker has ended.
    fs::write(folder.join(CLAIMS), format!("{} 0\n{} 0\nhalf", key("a").text(), key("b").text()))
        .expect("written");
    fs::write(folder.join("0000.worker"), "").expect("written");
    let cache = open(&folder);
    assert_eq!((get(&cache, "a", SEED), cache.faults()), (None, Vec::new()));
    put(&cache, "a", "output");
    assert_eq!(get(&cache, "a", SEED).as_deref(), Some("output"));
    drop(cache);
    let mut names: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    names.sort_by_key(|entry| entry.as_ref().map(fs::DirEntry::file_name).expect("a file"));
    let names = names.into_iter().map(|entry| entry.expect("a file").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["0000.runs", "0001.runs"]);
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
    fs::create_dir(folder.join("0000.worker")).expect("a folder in the way");
    assert!(matches!(cache.claim(work("a"), SEED), Claimed::Nobody));
    fs::remove_dir(folder.join("0000.worker")).expect("out of the way");
    let Claimed::Ours(claim) = cache.claim(work("b"), SEED) else { panic!("{cache:?}") };
    // JSON has no such map.
    claim.put(&std::collections::BTreeMap::from([((1, 2), 3)]));
    let faults = cache.faults();
    assert!(faults[0].contains("cannot be written"), "{faults:?}");
    assert!(faults[1].contains("is not kept"), "{faults:?}");
}
