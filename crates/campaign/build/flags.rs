//! Compiler flags without paths: a build has the same identity in any folder.

use std::path::{Path, PathBuf};

/// The separator of flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: char = '\x1f';

/// Flags of the compiler as they count. A path in a flag is left out; a file there counts by its
/// contents, as a profile does that guides the optimisation. `--remap-path-prefix` decides no
/// results, and is left out with its value.
pub fn counted(encoded: &str) -> Vec<(String, Option<PathBuf>)> {
    let mut flags = encoded.split(SEPARATOR).filter(|flag| !flag.is_empty());
    let mut counted = Vec::new();
    while let Some(flag) = flags.next() {
        match flag {
            "--remap-path-prefix" => drop(flags.next()),
            _ if flag.starts_with("--remap-path-prefix=") => {}
            _ => counted.push(without_path(flag)),
        }
    }
    counted
}

/// A flag without its path, and the path if that is a file.
fn without_path(flag: &str) -> (String, Option<PathBuf>) {
    let Some(slash) = flag.find('/') else { return (flag.to_owned(), None) };
    let start = flag[..slash].find('=').map_or(slash, |equals| equals + 1);
    let path = Path::new(&flag[start..]);
    (flag[..start].to_owned(), path.is_file().then(|| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn encoded(flags: &[&str]) -> String {
        flags.join("\x1f")
    }

    #[test]
    fn a_build_in_another_folder_has_the_same_flags() {
        let of = || {
            let folder = tempfile::tempdir().unwrap();
            let profile = folder.path().join("profile");
            fs::write(&profile, "recorded").unwrap();
            let folder = folder.path().display();
            let flags = counted(&encoded(&[
                &format!("--remap-path-prefix={folder}=/airpath"),
                "--remap-path-prefix",
                &format!("{folder}=/crates"),
                "-C",
                "target-cpu=native",
                &format!("-Cprofile-use={folder}/profile"),
                &format!("-L{folder}"),
            ]));
            let files: Vec<_> = flags.iter().filter_map(|(_, file)| file.clone()).collect();
            assert_eq!(files, [profile]);
            flags.into_iter().map(|(flag, _)| flag).collect::<Vec<String>>()
        };
        assert_eq!(of(), ["-C", "target-cpu=native", "-Cprofile-use=", "-L"]);
        assert_eq!(of(), of());
    }

    #[test]
    fn a_relative_path_is_one_too() {
        assert_eq!(counted("linker=tools/ld"), [("linker=".to_owned(), None)]);
        assert!(counted("").is_empty());
    }
}
