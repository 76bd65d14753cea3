//! `airpath new`.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use airpath_scenario::{Template, WITH_STACKS, nearest, profiles, template, templates};

use crate::args::NewArgs;
use crate::output::{fail, is_standard, print, say};
use crate::{BAD_INPUT, FAILED};

/// Writes a template, or lists them.
pub fn new(args: &NewArgs) -> u8 {
    let Some(name) = &args.template else {
        let hint = "airpath new NAME writes one to NAME.toml. airpath run NAME, and other commands, take one by its name.";
        return print(&format!("{}\n{hint}\n", list()));
    };
    let Some(template) = template(name) else {
        return fail(unknown(name), BAD_INPUT);
    };
    let path = match &args.path {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.toml", template.name)),
    };
    if is_standard(&path) {
        return print(template.text);
    }
    write(template, &path)
}

/// A template that there is not: the one that is meant, or all.
fn unknown(name: &str) -> String {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    if WITH_STACKS.contains(&stem) {
        return format!(
            "the template \"{stem}\" needs a program with stacks: cargo build --release --features stacks"
        );
    }
    match nearest(stem, all().map(|template| template.name)) {
        Some(meant) => format!("no template is called \"{name}\": airpath new {meant}?"),
        None => format!("no template is called \"{name}\"; there are\n{}", list()),
    }
}

fn write(template: &Template, path: &Path) -> u8 {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    match file.and_then(|mut file| file.write_all(template.text.as_bytes())) {
        Ok(()) => say(&format!(
            "{} written: {}\nairpath run {} runs it.\n",
            path.display(),
            template.summary,
            path.display()
        )),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fail(format!("{} is there already; give another path", path.display()), BAD_INPUT)
        }
        Err(error) => fail(format!("cannot write {}: {error}", path.display()), FAILED),
    }
}

fn all() -> impl Iterator<Item = &'static Template> {
    templates().iter().chain(profiles())
}

/// Templates, and below them profiles.
fn list() -> String {
    let width = all().map(|own| own.name.len()).max().unwrap_or(0);
    let lines = |own: &[Template]| -> String {
        own.iter().map(|own| format!("  {:<width$}  {}\n", own.name, own.summary)).collect()
    };
    let heading =
        "Profiles of measured networks; their first lines have sources, comparison and limits:";
    format!("{}\n{heading}\n\n{}", lines(templates()), lines(profiles()))
}
