//! `airpath check` and `airpath schema`.

use airpath_base::random::Seed;
use airpath_plot::plural;
use airpath_scenario::{Campaign, Scenario, Variation};

use crate::args::CheckArgs;
use crate::output::{is_standard, print, read, refuse, say};

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
    let arms = match campaign(args) {
        Ok(arms) => arms,
        Err(code) => return code,
    };
    say(&format!(
        "{} is valid: {}, {}, {} of simulated time{arms}\n",
        args.scenario.name(),
        plural(ues, "UE"),
        plural(flows, "flow"),
        scenario.duration,
    ))
}

/// Size of the campaign that the scenario's table `[sweep]` describes, as words behind the verdict;
/// empty without such a table.
///
/// # Errors
///
/// The exit code; what is wrong has been printed.
fn campaign(args: &CheckArgs) -> Result<String, u8> {
    if is_standard(&args.scenario.scenario) {
        return Ok(String::new());
    }
    let overrides = args.scenario.over.all();
    let variation = Variation { overrides: &overrides, ..Variation::default() };
    let campaign = Campaign::read(&args.scenario.scenario, variation).map_err(refuse)?;
    Ok(match campaign.arms.len() {
        1 => String::new(),
        arms => format!("; a campaign of {}", plural(arms, "arm")),
    })
}

/// Prints the schema.
pub fn schema() -> u8 {
    print(&format!("{:#}\n", Scenario::schema()))
}
