//! Cost of UEs that move: 21 cells with 210 UEs of full buffers, at rest or with this speed in km/h.
//!
//! ```sh
//! cargo build --release -p airpath-sim --example moving
//! time target/release/examples/moving rest 5
//! time target/release/examples/moving 30 5
//! ```

use std::env;
use std::error::Error;
use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_channel::Point;
use airpath_channel::route::{Leg, Motion, Route};
use airpath_scenario::Scenario;
use airpath_scenario::world::{DroppedUe, Moves, NetworkDrop, WorldOptions};
use airpath_sim::Course;

const TEXT: &str = "duration = \"600 s\"\n[network]\nsites = 7\n[[ue]]\nname = \"phone\"\ncount = 210\n\
    [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [speed, seconds] = &words[..] else { return Err("use: moving rest|KMH SECONDS".into()) };
    let scenario = Scenario::parse("moving", TEXT, &[]).map_err(|errors| errors.plain())?;
    let mut moves = Moves::default();
    if speed != "rest" {
        let kmh: f64 = speed.parse()?;
        // From where they would be at rest, each in another direction.
        let drop = NetworkDrop::new(&scenario, Seed(scenario.seed))?.ok_or("no network")?;
        let route = |(n, ue): (u32, &DroppedUe)| {
            let velocity = Point::polar(kmh / 3.6, 137.5 * f64::from(n));
            let motion = Motion { at: ue.ue.at, velocity };
            Some(Arc::new(Route::new(vec![Leg { from: Time::ZERO, motion }])))
        };
        moves.routes = (0..).zip(&drop.ues).map(route).collect();
    }
    let options = WorldOptions { moves, threads: 1, ..WorldOptions::default() };
    let mut course = Course::begin(&scenario, None, None, options)?;
    course.run_until(Time::ZERO + Duration::from_secs(seconds.parse()?), None)?;
    println!("{} events", course.collector().totals().events);
    Ok(())
}
