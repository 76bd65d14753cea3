//! Quantities that charts and pages name, against the declarations.

use std::fs;
use std::path::Path;

use airpath_results::measures::is_declared;

/// Ends of names of quantities.
const ENDINGS: [&str; 7] = ["_ms", "_ns", "_bps", "_db", "_share", "_rate", "_bytes"];
/// Sources whose names are the analyser's.
const OF_ANALYSER: [&str; 3] = ["captures", "points", "analysis.rs"];
/// Keys of the timeline's page, and keys of scenarios.
const KEYS: [&str; 6] = ["slot_ns", "from_ns", "to_ns", "max_rate", "bit_rate", "read_rate"];

/// Text literals of the sources in a folder, without those of tests.
fn literals(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if OF_ANALYSER.contains(&name) || name.contains("tests") || name == "bench" {
            continue;
        }
        if path.is_dir() {
            literals(&path, found);
        } else if name.ends_with(".rs") {
            let source = fs::read_to_string(&path).expect("a source");
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            found.extend(code.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
}

#[test]
fn each_quantity_that_a_chart_names_is_declared() {
    let mut found = Vec::new();
    literals(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    let one_name = |text: &&String| {
        text.bytes().all(|b| b.is_ascii_lowercase() || b"_0123456789".contains(&b))
    };
    let quantity = |text: &&String| ENDINGS.iter().any(|end| text.ends_with(end));
    let named: Vec<_> = found.iter().filter(one_name).filter(quantity).collect();
    assert!(named.len() > 50, "{named:?}");
    let known = |name: &str| is_declared(name) || KEYS.contains(&name);
    named.iter().for_each(|name| assert!(known(name), "{name}"));
}
