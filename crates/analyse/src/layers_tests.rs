//! Layers of the crate: rooms that do not import those above them.

use std::fs;
use std::path::Path;

/// Rooms, the lowest first; none imports a later one.
const LAYERS: [&str; 8] =
    ["sequence", "sketch", "causes", "tcp", "record", "options", "trace", "analyser"];

/// Text of a room's files, tests left out.
fn text(path: &Path) -> String {
    if path.is_dir() {
        let files = fs::read_dir(path).unwrap().map(|entry| text(&entry.unwrap().path()));
        return files.collect();
    }
    let test = path.file_stem().unwrap().to_string_lossy().ends_with("_tests");
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    if test { String::new() } else { code.to_owned() }
}

#[test]
fn no_room_imports_a_later_one() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    for (n, room) in LAYERS.iter().enumerate() {
        let folder = source.join(room);
        let path = if folder.is_dir() { folder } else { source.join(format!("{room}.rs")) };
        let text = text(&path);
        for later in &LAYERS[n + 1..] {
            assert!(!text.contains(&format!("use crate::{later}::")), "{room} imports {later}");
        }
    }
}
