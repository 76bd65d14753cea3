//! `airpath check` and `airpath schema`.

use airpath_scenario::Scenario;

use crate::args::CheckArgs;
use crate::output::{print, read};

/// Checks a scenario and says what it holds.
pub fn check(args: &CheckArgs) -> u8 {
    let scenario = match read(&args.scenario) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    if args.resolved {
        return print(&scenario.to_toml());
    }
    let flows = scenario.flow.iter();
    let flows: usize = flows.map(|flow| scenario.members(&flow.ue, flow.only.as_ref()).len()).sum();
    let ues = scenario.ues().count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    print(&format!(
        "{} is valid: {ues} UE{}, {flows} flow{}, {} of simulated time\n",
        args.scenario.scenario.display(),
        plural(ues),
        plural(flows),
        scenario.duration,
    ))
}

/// Prints the schema.
pub fn schema() -> u8 {
    print(&format!("{:#}\n", Scenario::schema()))
}
