//! The list of studies that airpath comes with, from the folders of data.
//!
//! `studies/list.txt` has the name of a study on each line. All files of the folder of that name
//! become data of the program. A study is added by its folder and a line of the list.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Tables of experiments are no data of the program, which finds them beside it.
const TABLES: &str = "network/tables/";

fn main() {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let root = own.join("../../studies");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut text = "&[\n".to_owned();
    for name in read(&root.join("list.txt")).lines() {
        let folder = root.join(name);
        let title = read(&folder.join("title.txt"));
        let _ = writeln!(text, "Kept {{ name: {name:?}, title: {:?}, files: &[", title.trim());
        for path in files(&folder) {
            let name = path.strip_prefix(&folder).expect("a file of the folder").to_string_lossy();
            let name = name.replace('\\', "/");
            if name.starts_with(TABLES) {
                continue;
            }
            let _ = writeln!(text, "({name:?}, include_bytes!({:?})),", path.display().to_string());
        }
        text += "] },\n";
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("studies.rs");
    fs::write(out, text + "]\n").expect("a file of the build");
}

/// All files of a folder and of the folders in it, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
