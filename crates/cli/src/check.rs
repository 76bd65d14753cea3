//! `airpath check` and `airpath schema`.

use airpath_base::random::Seed;
use airpath_scenario::Scenario;

use crate::args::CheckArgs;
use crate::output::{print, read, say};
use crate::table::plural;

/// Checks a scenario and says what it holds.
pub fn check(args: &CheckArgs) -> u8 {
    let scenario = match read(&args.scenario) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    if args.resolved {
        return print(&scenario.to_toml());
    }
    let drawn = scenario.with_arrivals(Seed(scenario.seed));
    let flows = scenario.flow.iter();
    let flows: usize = flows.map(|flow| drawn.members(&flow.ue, flow.only.as_ref()).len()).sum();
    let ues = drawn.ues().count();
    say(&format!(
        "{} is valid: {}, {}, {} of simulated time\n",
        args.scenario.name(),
        plural(ues, "UE"),
        plural(flows, "flow"),
        scenario.duration,
    ))
}

/// Prints the schema.
pub fn schema() -> u8 {
    print(&format!("{:#}\n", Scenario::schema()))
}
