//! Tests of two arms as the mean over loads.

use airpath_stats::{Condition, Effect, Resampling, Scale, mean_effect, mean_quantile_effect};

use super::test::pairs;
use super::two::{Sides, against, related};
use super::{Place, Relation};
use crate::network::data::pairs as by_seed;
use crate::network::{Data, Kpi, Of, Run};

/// The first arm against the second, as the mean over loads, with a finding at each load beside it.
/// The mean over fewer loads is another quantity, and is made only with `partly`.
pub(super) fn mean(
    data: &Data,
    sides: &Sides<'_>,
    relation: Relation,
    partly: bool,
) -> Vec<Option<Place>> {
    let mut places = Vec::new();
    for pair @ [first, second] in pairs(sides.first, sides.second) {
        let runs = |load: &u32| Some((*load, [data.arm(first, *load)?, data.arm(second, *load)?]));
        let made: Vec<(u32, [&[Run]; 2])> = sides.loads.iter().filter_map(runs).collect();
        let lacking = sides.loads.len() - made.len();
        places.extend((0..lacking).map(|_| None));
        if made.is_empty() || (lacking > 0 && !partly) {
            continue;
        }
        let single = |&(load, runs): &(u32, [&[Run]; 2])| {
            let name = sides.name(&load.to_string(), pair);
            against(name, sides.kpi, sides.of, runs, relation, 1.0)
        };
        let loads: Vec<Place> = made.iter().map(single).collect();
        let numbers: Vec<String> = made.iter().map(|(load, _)| load.to_string()).collect();
        let name = sides.name(&format!("mean over {}", numbers.join(", ")), pair);
        let count = loads.iter().map(|place| place.runs).sum();
        let runs: Vec<[&[Run]; 2]> = made.into_iter().map(|(_, runs)| runs).collect();
        let effect = over(sides.kpi, sides.of, &runs);
        let found = related(name, sides.kpi, count, effect, relation, 1.0);
        places.push(Some(Place { loads, ..found }));
    }
    places
}

/// Mean effect of first arms by second ones over loads, and true if it is a ratio. A measure in dB
/// has differences, and so has every load where one has a value of zero.
fn over(kpi: &Kpi, of: Of, loads: &[[&[Run]; 2]]) -> Option<(Effect, bool)> {
    let effect = |scale| match of.per_mille() {
        None => mean_effect(scale, &conditions(loads, |run| kpi.of_run(run))),
        Some(per_mille) => {
            let users = conditions(loads, |run| Some(kpi.of_users(run)));
            mean_quantile_effect(scale, &users, per_mille, Resampling::default())
        }
    };
    let ratio = if kpi.unit == "dB" { None } else { effect(Scale::Ratio) };
    let found = ratio.map(|ratio| (ratio, true));
    found.or_else(|| Some((effect(Scale::Difference)?, false)))
}

/// Values of the second arm and the first at each load, by seed.
fn conditions<T>(loads: &[[&[Run]; 2]], of: impl Fn(&Run) -> Option<T>) -> Vec<Condition<T>> {
    let condition = |[first, second]: &[&[Run]; 2]| {
        let pairs = by_seed(second, first).into_iter();
        pairs.filter_map(|(second, first)| Some((second.seed, of(second)?, of(first)?))).collect()
    };
    loads.iter().map(condition).collect()
}

#[cfg(test)]
#[path = "mean_tests.rs"]
mod tests;
