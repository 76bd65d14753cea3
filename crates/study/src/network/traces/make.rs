//! Runs of traces, and the choice of the users that are followed.

use std::sync::atomic::AtomicBool;

use airpath_base::{FlowId, Time};
use airpath_campaign::SweepError;
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};
use airpath_stats::nearest_rank;

use super::listen::{Listener, METRICS};
use super::{Arm, Scene, Spec, Trace};
use crate::{Study, StudyError};

/// Makes the traces of a study. A true `interrupt` ends it early.
///
/// # Errors
///
/// If it is interrupted, a run fails, or the study's data are wrong.
pub fn make_traces(
    study: &Study,
    interrupt: Option<&AtomicBool>,
) -> Result<Vec<Trace>, StudyError> {
    let mut traces = Vec::new();
    for scene in Spec::of(study)?.scenes {
        traces.extend(of_scene(study, &scene, interrupt)?);
    }
    Ok(traces)
}

fn of_scene(
    study: &Study,
    scene: &Scene,
    interrupt: Option<&AtomicBool>,
) -> Result<Vec<Trace>, StudyError> {
    let mut chosen: Option<Vec<String>> = None;
    let mut traces = Vec::new();
    for arm in &scene.arms {
        let heard = hear(&scenario(study, scene, arm)?, interrupt)?;
        let users = chosen.get_or_insert_with(|| {
            let rates = heard.rates();
            scene.users.iter().filter_map(|user| at(&rates, user.percentile)).collect()
        });
        for (user, ue) in scene.users.iter().zip(users.iter()) {
            let Some((_, flow)) = heard.flows.iter().find(|(name, _)| name == ue) else { continue };
            traces.extend(METRICS.iter().enumerate().map(|(n, metric)| Trace {
                arm: arm.name.clone(),
                position: user.position.clone(),
                ue: ue.clone(),
                metric: (*metric).to_owned(),
                points: heard.listener.points(*flow, n, heard.end),
            }));
        }
    }
    Ok(traces)
}

pub(super) fn scenario(study: &Study, scene: &Scene, arm: &Arm) -> Result<Scenario, StudyError> {
    let name = format!("{}.toml", scene.file);
    Scenario::parse_with(&name, study.needed(&name)?, &arm.set, &study.files())
        .map_err(|errors| StudyError::Data(format!("{}: {}", arm.name, errors.plain())))
}

/// The user at a percentile of the rate, by nearest rank; none of nobody. Of equal rates the first
/// comes first.
pub(super) fn at(rates: &[(String, f64)], percentile: u32) -> Option<String> {
    let mut sorted: Vec<&(String, f64)> = rates.iter().collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    nearest_rank(&sorted, percentile * 10).map(|(ue, _)| ue.clone())
}

/// Record of a run: its measurements, its flows and its end.
struct Heard {
    listener: Listener,
    /// UEs with flows of media.
    flows: Vec<(String, FlowId)>,
    end: Time,
}

impl Heard {
    /// Mean transmitted rates.
    fn rates(&self) -> Vec<(String, f64)> {
        let rate =
            |(ue, flow): &(String, FlowId)| (ue.clone(), self.listener.rate(*flow, self.end));
        self.flows.iter().map(rate).collect()
    }
}

fn hear(scenario: &Scenario, interrupt: Option<&AtomicBool>) -> Result<Heard, StudyError> {
    let mut listener = Listener::new(Time::ZERO + scenario.output.warm_up);
    let listens = Some(&mut listener as &mut dyn airpath_net::Probe);
    let options = RunOptions { interrupt, listener: listens, ..RunOptions::default() };
    let outcome = run(scenario, options)
        .map_err(|failure| StudyError::Run(format!("a run failed: {failure}")))?;
    if !outcome.summary.complete {
        return Err(SweepError::Interrupted.into());
    }
    let flows = media(&outcome);
    Ok(Heard { listener, flows, end: Time::ZERO + scenario.duration })
}

/// The flows of media with their UEs.
fn media(outcome: &Outcome) -> Vec<(String, FlowId)> {
    let flows = outcome.facts.flows.iter().zip(0u32..);
    let media = flows.filter(|(facts, _)| facts.kind == "rtp");
    let named = media.filter_map(|(facts, n)| {
        Some((outcome.facts.ues.get(facts.ue.0 as usize)?.name.clone(), FlowId(n)))
    });
    named.collect()
}
