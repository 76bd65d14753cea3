//! Recordings that a report shows.

use airpath_base::Duration;
use airpath_scenario::{Every, RadioKind, RecordedBlocks, Scenario};

/// Steps of courses over time that a page shows well.
const STEPS: [u64; 9] = [5, 10, 20, 50, 100, 200, 500, 1_000, 5_000];
/// Samples of a course, at most.
const SAMPLES: u64 = 500;

/// Lets a scenario record what its report shows, if it records nothing of the kind. These are
/// courses over time, blocks of the worst cell, and packets of a scenario without a network.
pub fn record(scenario: &mut Scenario) {
    let steps = scenario.duration.as_nanos() / SAMPLES;
    let step = STEPS.into_iter().map(Duration::from_millis).find(|step| step.as_nanos() >= steps);
    let step = step.unwrap_or(Duration::from_nanos(steps));
    let output = &mut scenario.output;
    if output.series == Every::Off {
        output.series = Every::Interval(step);
    }
    if scenario.radio == RadioKind::None {
        output.packets = true;
        return;
    }
    if output.blocks == RecordedBlocks::Off {
        output.blocks = RecordedBlocks::Worst;
    }
    output.packets |= scenario.network.is_none();
}
