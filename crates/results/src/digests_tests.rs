use proptest::prelude::*;

use super::*;
use crate::ResultsFolder;

/// A folder with a file in it and one in a folder of it.
fn written() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().expect("a folder");
    let target = root.path().join("results");
    let folder = ResultsFolder::create(&target).expect("created");
    folder.write_text("flows.csv", "abc").expect("written");
    folder.write_text("arms/a.toml", "seed = 1\n").expect("written");
    folder.write_text("timing.json", "{}").expect("written");
    folder
        .write_json("summary.json", &serde_json::json!({"format": "x", "n": 1}))
        .expect("written");
    folder.finish().expect("finished");
    (root, target)
}

#[test]
fn the_summary_ends_with_digests() {
    let (_root, target) = written();
    let text = fs::read_to_string(target.join(SUMMARY)).expect("a summary");
    let begin = "{\n  \"format\": \"x\",\n  \"n\": 1,\n  \"digests\": {\n    \"arms/a.toml\": \"";
    assert!(text.starts_with(begin), "{text}");
    // FIPS 180-2, appendix B.1: the digest of "abc".
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert!(text.contains(&format!("\"flows.csv\": \"{abc}\",\n    \"summary.json\": ")), "{text}");
    assert!(!text.contains("timing"), "{text}");
    assert_eq!(Digests::Checked.check(&target), Ok(()));
}

#[test]
fn what_is_missing_is_named_and_what_is_added_is_not() {
    let (_root, target) = written();
    fs::write(target.join("report.html"), "<p>").expect("written");
    fs::write(target.join("timing.json"), "[]").expect("written");
    assert_eq!(Digests::Checked.check(&target), Ok(()));
    fs::remove_file(target.join("flows.csv")).expect("removed");
    let error = Digests::Checked.check(&target).expect_err("a missing file").to_string();
    assert!(error.starts_with(&target.join("flows.csv").display().to_string()), "{error}");
    assert!(error.contains("--unchecked"), "{error}");
    assert_eq!(Digests::Unchecked.check(&target), Ok(()));
}

#[test]
fn folders_without_digests_are_not_checked() {
    let root = tempfile::tempdir().expect("a folder");
    assert_eq!(Digests::Checked.check(root.path()), Ok(()));
    fs::write(root.path().join(SUMMARY), "{\"format\": \"airpath-results-1\"}\n").expect("written");
    assert_eq!(Digests::Checked.check(root.path()), Ok(()));
}

#[test]
fn another_format_is_refused_also_unchecked() {
    let root = tempfile::tempdir().expect("a folder");
    for format in ["airpath-results-0", "airpath-results-999"] {
        let summary = format!("{{\"n\": 1, \"format\": \"{format}\"}}\n");
        fs::write(root.path().join(SUMMARY), summary).expect("written");
        for digests in [Digests::Checked, Digests::Unchecked] {
            let text = digests.check(root.path()).expect_err(format).to_string();
            assert!(text.contains(format) && text.contains(FORMAT), "{text}");
            assert!(text.ends_with("use the airpath that wrote them, or run again"), "{text}");
        }
    }
}

proptest! {
    #[test]
    fn each_changed_bit_is_found_in_its_file(file in 0..3_usize, at: prop::sample::Index, bit in 0..8_u32) {
        let (_root, target) = written();
        let path = target.join(["flows.csv", "arms/a.toml", SUMMARY][file]);
        let mut bytes = fs::read(&path).expect("a file");
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        fs::write(&path, bytes).expect("written");
        match Digests::Checked.check(&target).expect_err("a damaged file") {
            Refused::Damaged { path: named, .. } => {
                prop_assert_eq!(named, path);
                prop_assert_eq!(Digests::Unchecked.check(&target), Ok(()));
            }
            // The name of the format itself may be damaged.
            Refused::Format { .. } => prop_assert_eq!(file, 2),
        }
    }
}
