//! `airpath latency`.

mod args;
mod json;
mod text;

pub use args::LatencyArgs;

use airpath_latency::{Errors, Figure, Latency, Rational};

use crate::BAD_INPUT;
use crate::output::{fail, print, say};

/// Prints the latency of one air interface step by step, or of several in lines.
pub fn run(args: &LatencyArgs) -> u8 {
    let settings = match args.settings() {
        Ok(settings) => settings,
        Err(why) => return fail(why, BAD_INPUT),
    };
    if args.json {
        return print(&format!("{:#}\n", json::settings(&settings)));
    }
    match settings.as_slice() {
        [setting] => say(&text::steps(setting)),
        settings => say(&text::grid(settings)),
    }
}

/// Nanoseconds as milliseconds.
fn millis(nanos: Rational) -> Rational {
    nanos / Rational::whole(1_000_000)
}

/// Down and up again, in nanoseconds.
fn round_trip(latency: &Latency, errors: Errors) -> Rational {
    latency.figure(Figure::Downlink, errors) + latency.figure(Figure::Uplink, errors)
}
