//! Recordings that a report shows.

use airpath_base::Duration;
use airpath_scenario::{Every, RadioKind, RecordedBlocks, Scenario};

/// Steps of courses over time that a page shows well.
const STEPS: [u64; 9] = [5, 10, 20, 50, 100, 200, 500, 1_000, 5_000];
/// Samples of a course, at most.
const SAMPLES: u64 = 500;

/// Lets a scenario record what its report shows, if it records nothing of the kind:
///
/// - courses over time;
/// - blocks of the worst cell, if UEs keep their cells;
/// - packets of a scenario without a network.
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
    let hands_over = scenario.network.as_ref().is_some_and(|network| network.handover.is_some());
    if output.blocks == RecordedBlocks::Off && !hands_over {
        output.blocks = RecordedBlocks::Worst;
    }
    output.packets |= scenario.network.is_none();
}
