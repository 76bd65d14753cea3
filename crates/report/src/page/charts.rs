//! Charts that explain results: stages, courses over time, distributions, rates against delays.

use airpath_plot::{Block, Chart, Section};

use crate::series::{first_over_time, more_over_time};
use crate::{Results, What, chart};

/// Sections that explain these results, and further ones on demand.
pub fn why(results: &Results) -> (Vec<Section>, Vec<Section>) {
    let of = |what: What| chart(what, results, None).ok();
    let one =
        |chart: Option<Chart>| chart.map(|one| Block::Chart(Box::new(one))).into_iter().collect();
    // Colours depend on what courses are of, so no chart is made before these are read.
    results.runs.iter().for_each(|run| _ = run.courses());
    let ((first, more), (stages, distributions)) = rayon::join(
        || (first_over_time(results), more_over_time(results)),
        || (of(What::Stages), of(What::Cdf)),
    );
    let before = vec![
        Section::new("stages-part", "Where the time goes", one(stages)),
        Section::new("courses", "Over time", first),
        Section::new("distributions", "Distributions", one(distributions)),
    ];
    // A single point is no trade-off.
    let rates = if results.runs.len() > 1 { of(What::RateDelay) } else { None };
    let behind = vec![
        Section::new("rates", "Rate against delay", one(rates)),
        Section::new("more-courses", "More over time", more).folded(),
    ];
    (before, behind)
}

/// All of it.
pub fn all(results: &Results) -> Vec<Section> {
    let (before, behind) = why(results);
    before.into_iter().chain(behind).collect()
}
