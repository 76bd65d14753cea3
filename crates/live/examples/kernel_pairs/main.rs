//! Verdicts of `airpath evaluate` on the kernel's controllers beside those on the simulated ones.
//!
//! ```text
//! cargo run -p airpath-live --example kernel_pairs [--only CASE] [--seeds N] [--out DIR]
//! ```
//!
//! `pairs.csv` lists cases by controllers. Each run of a case is made with the simulated controller and, through
//! `airpath emulate`'s machinery, with the kernel's. The criteria that packets alone decide judge both. DIR gets
//! `pairs.md` and `criteria.csv`. It takes TUN devices, network namespaces and the kernel's controllers, and is skipped
//! where these are not there. The exit code is 1 if a pair differs that has no explanation in the list.

#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod list;
#[cfg(target_os = "linux")]
mod runs;
#[cfg(target_os = "linux")]
mod show;
#[cfg(target_os = "linux")]
#[path = "../../../../tests/skipped.rs"]
mod skipped;

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("this takes Linux");
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let [runs::CARRY, order] = words[..] {
        return airpath_live::transfer::main(order).into();
    }
    let done = list::Wanted::read(&words).and_then(|wanted| work(&wanted));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// True if all differences have an explanation.
#[cfg(target_os = "linux")]
fn work(wanted: &list::Wanted) -> Result<bool, String> {
    let pairs = list::pairs(wanted)?;
    let made = match runs::make(&pairs, wanted) {
        Err(runs::Stopped::NotHere(why)) => {
            skipped::skipped(why);
            return Ok(true);
        }
        Err(runs::Stopped::Failed(why)) => return Err(why),
        Ok(made) => made,
    };
    let judged = judge::judge(&pairs, &made, wanted);
    print!("{}", show::text(&judged));
    if let Some(out) = &wanted.out {
        show::write(out, &judged).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    Ok(judge::is_explained(&judged))
}
