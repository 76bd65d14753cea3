//! The path of a UE on its route: positions, serving cells, levels and rates.

mod print;
mod step;

use airpath_base::Time;
use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::{NetworkDrop, Surveyed, UeFacts, routes, survey};

pub use print::{json, text};
pub use step::{Step, step};

/// A UE at positions of its route.
pub struct Path<'a> {
    scenario: &'a Scenario,
    ue: &'a str,
    seed: u64,
    step: Step,
    /// Positions, each with the way to it in metres.
    points: Vec<(Surveyed, f64)>,
}

/// The path of the UE of this name, or of the first of its group.
///
/// # Errors
///
/// No such UE, or one without a route; a sentence.
pub fn of<'a>(
    (scenario, seed): (&'a Scenario, u64),
    dropped: Option<&NetworkDrop>,
    ues: &'a [UeFacts],
    (name, every): (&str, Option<Step>),
) -> Result<Path<'a>, String> {
    let group = scenario.ue.iter().position(|group| group.name == name);
    let found = ues.iter().position(|ue| ue.name == name || Some(ue.group) == group);
    let Some(n) = found else {
        let groups: Vec<&str> = scenario.ue.iter().map(|group| group.name.as_str()).collect();
        return Err(format!("no UE is named {name}: groups are {}", groups.join(", ")));
    };
    let ue = ues[n].name.as_str();
    let still = || format!("{ue} has no route: give its group a ue.route");
    let dropped = dropped.ok_or_else(still)?;
    let arrived = scenario.with_arrivals(Seed(seed));
    let made = routes(&arrived, &dropped.network, Seed(seed)).map_err(|error| error.to_string())?;
    let route = made.get(n).and_then(Option::as_ref).ok_or_else(still)?;
    let step = every.unwrap_or_else(|| Step::usual(scenario.duration));
    let times = step.times(route, scenario.duration)?;
    let ways = step::Way::of(route);
    let found = survey(scenario, Seed(seed), n, times.into_iter());
    let points = found.map_err(|error| error.to_string())?;
    let points = points.into_iter().map(|point| (point, ways.at(point.at))).collect();
    Ok(Path { scenario, ue, seed, step, points })
}

/// Name of the first UE with a route.
pub fn first_with_route<'a>(scenario: &Scenario, ues: &'a [UeFacts]) -> Option<&'a str> {
    let moves = |ue: &&UeFacts| scenario.ue.get(ue.group).is_some_and(|own| own.route.is_some());
    ues.iter().find(moves).map(|ue| ue.name.as_str())
}

/// Time since the begin in seconds.
fn seconds(at: Time) -> f64 {
    at.since(Time::ZERO).as_secs_f64()
}
