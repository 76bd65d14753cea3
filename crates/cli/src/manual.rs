//! `airpath completions` and `airpath man`: both from the declarations of the arguments.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::exit::FAILED;
use crate::output::{fail, print, say};

/// Prints what a shell completes commands with.
pub fn completions(args: &CompletionsArgs) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "airpath", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Prints the program's manual page, or writes all pages to a folder.
pub fn man(args: &ManArgs) -> u8 {
    let command = Args::command().disable_help_subcommand(true);
    match &args.folder {
        Some(folder) => match write(command, folder) {
            Ok(()) => say(&format!("manual pages in {}\n", folder.display())),
            Err(error) => fail(format!("{}: {error}", folder.display()), FAILED),
        },
        None => {
            let mut page = Vec::new();
            match clap_mangen::Man::new(command).render(&mut page) {
                Ok(()) => print(&String::from_utf8_lossy(&page)),
                Err(error) => fail(error, FAILED),
            }
        }
    }
}

fn write(command: Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)
}
