//! Findings of a monitor in simulated runs, compared with the truth.
//!
//! A run's packets are captured at a point and analysed like any capture. The truth of the
//! simulator is kept beside the capture: arrivals of data at the receiver, and timeouts within a
//! recovery. [`figures`] compares the two, over all runs of an ensemble together.

mod capacity;
mod draws;
mod figures;
mod recoveries;
mod truth;

pub(crate) use capacity::Process;

use draws::Draws;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use airpath_analyse::{Analyser, Collected, FlowRecord, Options, Radio};
use airpath_base::random::Seed;
use airpath_base::{Digest, Duration, FlowId};
use airpath_net::PointId;
use airpath_results::{PcapWriter, Snap, Tee};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Facts, World};
use airpath_sim::{Outcome, RunFailure, RunOptions, run};
use rayon::prelude::*;
use serde::Deserialize as _;
use serde_json::Value;
use truth::{FlowTruth, Truth};

use super::{Order, Own};
use crate::StudyError;
use crate::task::digest;
use crate::tasks::DRAWN;

/// Widths of windows in which bandwidth is looked at (the study, 6.2).
const WIDTHS: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(100)];

/// A run and the monitor's findings.
pub(crate) struct Monitored {
    /// Index of the arm among those with the same draws.
    arm: usize,
    scenario: Scenario,
    flows: Vec<MonitoredFlow>,
    /// Records of the analyser on hosts, and on bandwidth over time.
    found: Collected,
    /// Stalls of players, and their seconds.
    stalls: (u64, f64),
    /// Simulated seconds.
    duration: f64,
}

/// A TCP flow in the capture and in truth.
struct MonitoredFlow {
    /// Number in the scenario.
    entry: usize,
    found: Option<FlowRecord>,
    truth: FlowTruth,
}

/// Scenarios by draw, in it by arm.
struct Ensemble(Vec<Vec<Scenario>>);

/// The ensemble of a run's scenario.
///
/// # Errors
///
/// Draws that are none, or a scenario that is none with what is drawn.
pub(super) fn make(order: &Order<'_>, data: &Value) -> Result<Box<dyn Own>, StudyError> {
    let Order { study, plan, reading, run, overrides } = order;
    let draws = Draws::deserialize(data);
    let draws =
        draws.map_err(|error| StudyError::Data(format!("draws of {}: {error}", run.name)))?;
    let with =
        |more: Vec<String>| study.scenario(plan, reading, run, &[overrides.clone(), more].concat());
    let all = draws.overrides(DRAWN).into_iter();
    let all = all.map(|arms| arms.into_iter().map(with).collect());
    Ok(Box::new(Ensemble(all.collect::<Result<_, _>>()?)))
}

impl Own for Ensemble {
    fn digest(&self) -> Digest {
        // The number of arms stands before them, so that arms of one draw are not those of two.
        let draw = |arms: &Vec<Scenario>| {
            let arm = arms.iter().map(|scenario| scenario.digest().value());
            std::iter::once(arms.len() as u128).chain(arm).collect::<Vec<u128>>()
        };
        digest("ensemble", self.0.iter().flat_map(draw))
    }

    fn figures(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<BTreeMap<String, f64>>, RunFailure> {
        let all: Vec<(usize, usize, &Scenario)> = (self.0.iter().enumerate())
            .flat_map(|(draw, arms)| arms.iter().enumerate().map(move |(arm, s)| (draw, arm, s)))
            .collect();
        let each = |(draw, arm, scenario): &(usize, usize, &Scenario)| {
            // Arms of a draw share their seed.
            let seed = seed.wrapping_mul(1_000_003).wrapping_add(*draw as u64);
            let seen = watched(scenario, seed, interrupt)?;
            Ok(seen.map(|seen| Monitored { arm: *arm, ..seen }))
        };
        let seen: Vec<Result<Option<Monitored>, RunFailure>> = all.par_iter().map(each).collect();
        let seen = seen.into_iter().collect::<Result<Option<Vec<Monitored>>, _>>()?;
        Ok(seen.map(|seen| figures::figures(&seen)))
    }
}

/// Runs a scenario, captures it at its first point and analyses that.
fn watched(
    scenario: &Scenario,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Result<Option<Monitored>, RunFailure> {
    let points = World::build(scenario, Seed(seed))?.facts.points;
    let point = points.first().map_or(PointId(0), |point| point.id);
    let pcap = PcapWriter::new(Vec::new(), &[(point, "monitor")], Snap::Headers);
    let mut pcap = pcap.map_err(RunFailure::Capture)?;
    let mut truth = Truth::default();
    let mut listener = Tee::new().with(&mut pcap).with(&mut truth);
    let options = RunOptions {
        seed: Some(seed),
        interrupt,
        listener: Some(&mut listener),
        ..RunOptions::default()
    };
    let outcome = run(scenario, options)?;
    if !outcome.summary.complete {
        return Ok(None);
    }
    let capture = pcap.finish().map_err(RunFailure::Capture)?;
    let found = analysed(&capture);
    let flows = flows(&outcome.facts, &found.flows, truth);
    let stalls = stalls(&outcome);
    let (scenario, duration) = (scenario.clone(), outcome.summary.duration_s);
    Ok(Some(Monitored { arm: 0, scenario, flows, found, stalls, duration }))
}

/// Stalls of all players, and their seconds.
fn stalls(outcome: &Outcome) -> (u64, f64) {
    let flows = (0..outcome.facts.flows.len() as u32).filter_map(|n| {
        let player = outcome.collector.flow(FlowId(n))?.playback.as_ref()?;
        Some((player.stalls, player.stalled.as_secs_f64()))
    });
    flows.fold((0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1))
}

/// Records that the analyser makes of a capture.
fn analysed(capture: &[u8]) -> Collected {
    let mut found = Collected::default();
    let (windows, radio) = (WIDTHS.to_vec(), Some(Radio::MOBISYS_2012));
    let options = Options { windows, radio, ..Options::default() };
    let mut analyser = Analyser::with_sink(options, &mut found);
    // An error of reading is ignored: the capture was made here, and an empty one has no flows.
    let _ = analyser.read("capture", capture);
    analyser.finish();
    found
}

/// The TCP flows of a run that send down, with what was found of them.
fn flows(facts: &Facts, found: &[FlowRecord], mut truth: Truth) -> Vec<MonitoredFlow> {
    let tcp = facts.flows.iter().enumerate().filter(|(_, flow)| flow.kind == "tcp");
    tcp.map(|(n, flow)| {
        let same = |f: &&FlowRecord| {
            let ends = flow.tuple.map(|tuple| [tuple.src, tuple.dst]);
            ends == Some([f.client, f.server]) || ends == Some([f.server, f.client])
        };
        let found = found.iter().find(same).cloned();
        MonitoredFlow { entry: flow.entry, found, truth: truth.take(n) }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Work;
    use crate::task::tests::scenario;

    #[test]
    fn two_draws_of_one_arm_are_not_one_draw_of_two() {
        let ensemble = |draws: &[&[u32]]| {
            let arms = |arms: &&[u32]| arms.iter().map(|blocks| scenario(*blocks)).collect();
            Ensemble(draws.iter().map(arms).collect()).digest()
        };
        assert_ne!(ensemble(&[&[6], &[15]]), ensemble(&[&[6, 15]]));
        // One run alone is no ensemble.
        assert_ne!(ensemble(&[&[6]]), Work::Scenario(Box::new(scenario(6))).digest());
    }
}
