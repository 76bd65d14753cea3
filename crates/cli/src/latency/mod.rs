//! `airpath latency`.

mod args;
mod distribution;
mod fit;
mod implementation;
mod json;
mod tdd;
mod text;

pub use args::LatencyArgs;

use airpath_latency::{Errors, Figure, Latency, Rational, Setting};

use crate::BAD_INPUT;
use crate::output::{fail, print, say};

/// Prints the latency of one air interface step by step, or of several in lines.
pub fn run(args: &LatencyArgs) -> u8 {
    if let Some(file) = &args.fit {
        return match fit::fitted(file, args) {
            Ok(found) if args.json => print(&format!("{:#}\n", fit::json(&found))),
            Ok(found) => say(&fit::text(&found)),
            Err(why) => fail(why, BAD_INPUT),
        };
    }
    if args.distribution {
        return match distribution::rows(args) {
            Ok(rows) if args.json => print(&format!("{:#}\n", distribution::json(&rows))),
            Ok(rows) => say(&distribution::text(&rows)),
            Err(why) => fail(why, BAD_INPUT),
        };
    }
    let settings = args.settings(&Setting::default(), &args.tti);
    let (settings, patterns) = match settings.and_then(|all| Ok((all, args.patterns()?))) {
        Ok(found) => found,
        Err(why) => return fail(why, BAD_INPUT),
    };
    if !patterns.is_empty() {
        return match tdd::rows(&settings, &patterns) {
            Ok(rows) if args.json => print(&format!("{:#}\n", tdd::json(&rows))),
            Ok(rows) => say(&tdd::text(&rows)),
            Err(why) => fail(why, BAD_INPUT),
        };
    }
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
