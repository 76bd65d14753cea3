//! A run of a study, as a job of the executor.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use airpath_base::{Digest, Duration};
use airpath_net::Probe;
use airpath_scenario::Scenario;
use airpath_scenario::world::OwnParts;
use airpath_sim::{Job, Outcome, RunFailure, RunOptions, run};

use crate::Ramp;
use crate::growth::GrowthTrace;
use crate::observe::Measured;
use crate::own::Own;
use crate::span::{self, Span, SpanMeasure, SpanTrace};

/// Makes the parts of one run that are the caller's own, and calls its argument once with them, in the thread of the run.
/// Gives the reason for which the run does not count, if one of its parts has failed.
pub type MakeOwn<'a> = dyn Fn(&mut dyn FnMut(OwnParts<'_>)) -> Option<String> + Sync + 'a;

/// A run to make.
pub(crate) struct Task<'a> {
    /// Its name.
    pub(crate) run: String,
    /// Work of the run.
    pub(crate) work: Work,
    /// First measured second; none for the beginning.
    pub(crate) from: Option<u64>,
    /// Method to read ramp-ups; none if they are not read.
    pub(crate) ramp: Option<Ramp>,
    /// Its latencies in closed form, as [`Measured::latency_ms`] has them.
    pub(crate) latency_ms: Option<[[f64; 2]; 4]>,
    /// Figures of spans that are read, each with the text of its flows and span.
    pub(crate) spans: Vec<(SpanMeasure, String)>,
    /// Makes parts of the caller's own.
    pub(crate) own: Option<&'a MakeOwn<'a>>,
}

/// Work of a run.
pub(crate) enum Work {
    /// Runs a scenario.
    Scenario(Box<Scenario>),
    /// Does work of another kind.
    Own(Box<dyn Own>),
}

impl Job for Task<'_> {
    type Output = Measured;
    type Failure = RunFailure;

    fn digest(&self) -> Digest {
        let mut measured = format!("{:?} {:?}", self.from, self.ramp);
        for (measure, flow) in &self.spans {
            measured += &format!(" {}", measure.key(flow));
        }
        self.work.digest().field(measured.as_bytes())
    }

    fn run(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<Measured>, RunFailure> {
        let scenario = match &self.work {
            Work::Scenario(scenario) => scenario,
            Work::Own(work) => {
                return Ok(work.figures(seed, interrupt)?.map(Measured::with_figures));
            }
        };
        let Some(whole) = self.measure(scenario, seed, interrupt)? else { return Ok(None) };
        let Some(from) = self.from else { return Ok(Some(whole)) };
        // Decision: a second run that ends at `from` is taken from the whole one; the same seed gives
        // the same beginning.
        // Reason: a source that cuts its trace counts each packet by its arrival. A warm-up counts a
        // packet by its birth, so a packet that arrives across the cut would not count.
        // Price: the beginning is simulated twice.
        let mut scenario = (**scenario).clone();
        scenario.duration = Duration::from_secs(from);
        let early = self.measure(&scenario, seed, interrupt)?;
        Ok(early.map(|early| whole.since(from as f64, &early)))
    }
}

impl Task<'_> {
    /// None if it was interrupted.
    fn measure(
        &self,
        scenario: &Scenario,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<Measured>, RunFailure> {
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        let (mut trace, mut spans) = (GrowthTrace::default(), SpanTrace::default());
        let growth = self.ramp.map(|_| &mut trace as &mut dyn Probe);
        let listener =
            if self.spans.is_empty() { growth } else { Some(&mut spans as &mut dyn Probe) };
        let outcome = self.with_own(scenario, seed, interrupt, listener)?;
        if !outcome.summary.complete {
            return Ok(None);
        }
        let mut measured = Measured::of(&outcome, scenario);
        measured.figures.extend(self.read(&spans, &outcome, scenario));
        Ok(Some(match &self.ramp {
            Some(ramp) => measured.with_ramps(&outcome, &mut trace, ramp),
            None => measured,
        }))
    }
}

impl Task<'_> {
    /// Runs the scenario, with parts of the caller's own if there are any.
    fn with_own(
        &self,
        scenario: &Scenario,
        seed: u64,
        interrupt: Option<&AtomicBool>,
        mut listener: Option<&mut dyn Probe>,
    ) -> Result<Outcome, RunFailure> {
        let mut made = None;
        let mut with = |own: OwnParts<'_>| {
            let mut options =
                RunOptions { seed: Some(seed), interrupt, own, ..RunOptions::default() };
            if let Some(listener) = &mut listener {
                options.listener = Some(&mut **listener);
            }
            made = Some(run(scenario, options));
        };
        let failed = match self.own {
            Some(make) => make(&mut with),
            None => {
                with(OwnParts::default());
                None
            }
        };
        match (failed, made) {
            (Some(why), _) => Err(RunFailure::Part(why)),
            (None, Some(made)) => made,
            (None, None) => Err(RunFailure::Part("the run was not begun".to_owned())),
        }
    }

    /// The figures of spans.
    fn read(
        &self,
        trace: &SpanTrace,
        outcome: &Outcome,
        scenario: &Scenario,
    ) -> BTreeMap<String, f64> {
        let numbers = |flow: &str| -> Vec<usize> {
            let all = outcome.facts.flows.iter().enumerate();
            let own = all.filter(|(_, facts)| {
                scenario.flow.get(facts.entry).is_some_and(|f| f.name == flow)
            });
            own.map(|(n, _)| n).collect()
        };
        let read = |(measure, text): &(SpanMeasure, String)| {
            let figure = span::read(trace, *measure, &Span::parse(*measure, text)?, &numbers)?;
            Some((measure.key(text), figure))
        };
        self.spans.iter().filter_map(read).collect()
    }
}

impl Work {
    pub(crate) fn digest(&self) -> Digest {
        match self {
            Work::Scenario(scenario) => digest("scenario", [scenario.digest().value()]),
            Work::Own(work) => work.digest(),
        }
    }
}

/// The digest of work of a kind.
pub(crate) fn digest(kind: &str, parts: impl IntoIterator<Item = u128>) -> Digest {
    let digest = Digest::new().field(kind.as_bytes());
    parts.into_iter().fold(digest, |digest, part| digest.field(&part.to_be_bytes()))
}

#[cfg(test)]
#[path = "task_tests.rs"]
pub(crate) mod tests;
