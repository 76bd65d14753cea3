//! The plan of a study: runs with readings, and experiments.

use std::collections::BTreeMap;

use airpath_latency::{Access, Errors, Latency, ParseError, Setting};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::measure::LATENCIES;
use crate::network::{Axes, Choice, Experiment, Shares};
use crate::own::{OwnDef, Process};
use crate::pictures::Picture;
use crate::{Form, Quantity, Ramp, StudyError};

/// Overrides by scenario; those under `all` count for each.
pub type Profile = BTreeMap<String, Vec<String>>;

/// The runs of a study. A reading changes single runs; an experiment is a campaign of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Overrides by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// The runs that readings change.
    #[serde(default)]
    pub runs: Vec<RunDef>,
    /// The readings.
    #[serde(default)]
    pub readings: Vec<Reading>,
    /// The experiments, in the order in which they are made.
    #[serde(default)]
    pub experiments: Vec<Experiment>,
    /// The choices of the experiments' second reading.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// Experiments that show the share of each choice. [`Study::plan`](crate::Study::plan) adds
    /// them to the others.
    #[serde(default)]
    pub(crate) shares: Vec<Shares>,
    /// The axes of the experiments.
    #[serde(default)]
    pub axes: Axes,
    /// Overrides of experiments in their short form.
    #[serde(default)]
    pub quick: Vec<String>,
    /// Runs whose real-time flows are listed UE by UE.
    #[serde(default)]
    pub per_ue: Vec<String>,
    /// Runs for which the page shows where the time of real-time packets goes.
    #[serde(default)]
    pub stages: Vec<String>,
    /// Recordings of capacity that scenarios name, followed by a number, as processes.
    #[serde(default)]
    pub(crate) capacities: BTreeMap<String, Process>,
    /// A recording to take instead of those processes.
    #[serde(skip)]
    pub(crate) trace: Option<String>,
    /// Method to read ramp-ups, as a [`Ramp`](crate::Ramp); none if they are not read.
    #[serde(default)]
    pub ramp: Option<Map<String, Value>>,
    /// The pictures of readings.
    #[serde(default)]
    pub(crate) pictures: Vec<Picture>,
    /// Quantities, beside those of the claims, that show causes; by name.
    #[serde(default)]
    pub figures: BTreeMap<String, String>,
}

/// A run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDef {
    /// Name.
    pub name: String,
    /// The scenario that it runs; none for work of another kind that has no scenario.
    #[serde(default)]
    pub scenario: String,
    /// Overrides that make it this run; of a file in JSON, `path.to.key=value` with the value in JSON.
    pub set: Vec<String>,
    /// Work of another kind, instead of a run of the scenario.
    #[serde(default)]
    pub(crate) own: Option<OwnDef>,
    /// The reason for which the run is not made here.
    #[serde(default)]
    pub not_made: Option<String>,
    /// Overrides of its own under a profile, after all others.
    #[serde(default)]
    pub profiles: BTreeMap<String, Vec<String>>,
    /// Its air interface, if claims are about its latency in closed form.
    pub latency: Option<AirInterface>,
}

/// An air interface whose latency is known in closed form, with the times and the
/// errors of the source that `airpath latency` has as defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AirInterface {
    /// Transmission time interval, as `airpath latency --tti` takes it.
    pub tti: String,
    /// Period of opportunities for scheduling requests, as `--sr` takes it.
    pub sr: String,
}

/// A way to read the study's claims.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Name.
    pub name: String,
    /// The part of the study that it belongs to, if that has parts.
    pub part: Option<String>,
    /// True if the reading stands side by side with others, to show the effect of settings.
    #[serde(default)]
    pub beside: bool,
    /// Profiles that count, in order.
    pub profiles: Vec<String>,
    /// True if the runs are repeated with several seeds.
    #[serde(default)]
    pub repeated: bool,
    /// Its runs; all by default.
    pub runs: Option<Vec<String>>,
    /// Parameter that the reading varies, to show the effect of a value that the source does not
    /// publish.
    pub sweep: Option<String>,
    /// Kinds of claims that are judged; all by default.
    pub kinds: Option<Vec<String>>,
    /// Differences from the plan's method to read ramp-ups.
    #[serde(default)]
    pub ramp: Map<String, Value>,
    /// Reason why the figures cannot be compared with published ones; without one, they can.
    pub differs: Option<String>,
    /// Form of the figures that decide whether findings hold.
    #[serde(default)]
    pub judged: Form,
    /// First measured second of runs, by scenario; the beginning by default.
    #[serde(default)]
    pub from_s: BTreeMap<String, u64>,
}

impl Plan {
    /// The readings of a part, or all.
    pub(crate) fn readings_of(&self, part: Option<&str>) -> Result<Vec<&Reading>, StudyError> {
        let Some(part) = part else { return Ok(self.readings.iter().collect()) };
        let own = |reading: &&Reading| reading.part.as_deref() == Some(part);
        let found: Vec<&Reading> = self.readings.iter().filter(own).collect();
        if found.is_empty() { Err(self.no_part(part)) } else { Ok(found) }
    }

    /// The runs of a reading.
    pub(crate) fn runs_of<'a>(&'a self, reading: &'a Reading) -> impl Iterator<Item = &'a RunDef> {
        let own = |run: &&RunDef| reading.runs.as_ref().is_none_or(|r| r.contains(&run.name));
        self.runs.iter().filter(own)
    }

    /// The figures by name.
    ///
    /// # Errors
    ///
    /// A text that is no quantity.
    pub(crate) fn quantities(&self) -> Result<Vec<(&str, Quantity)>, StudyError> {
        let one = |(name, text): (&'_ String, &String)| {
            let quantity = Quantity::parse(text);
            let fault =
                || StudyError::Data(format!("plan.json: figure {name}: no quantity: {text}"));
            quantity.ok_or_else(fault)
        };
        let names = self.figures.keys().map(String::as_str);
        let all = self.figures.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(names.zip(all).collect())
    }

    /// The names of the parts, of readings and then of experiments.
    pub fn parts(&self) -> Vec<&str> {
        let readings = self.readings.iter().filter_map(|reading| reading.part.as_deref());
        let experiments = self.experiments.iter().map(|experiment| experiment.part.as_str());
        let mut parts: Vec<&str> = readings.chain(experiments).collect();
        parts.dedup();
        parts
    }

    /// The fault of a part that there is not.
    pub(crate) fn no_part(&self, part: &str) -> StudyError {
        let known = match self.parts()[..] {
            [] => "it has no parts".to_owned(),
            ref parts => format!("it has: {}", parts.join(", ")),
        };
        StudyError::Part { part: part.to_owned(), known }
    }

    /// Method of a reading to read ramp-ups; none if they are not read.
    pub(crate) fn ramp(&self, reading: &Reading) -> Result<Option<Ramp>, StudyError> {
        let Some(mut ramp) = self.ramp.clone() else { return Ok(None) };
        ramp.extend(reading.ramp.clone());
        let fault = |error| StudyError::Data(format!("{}: ramp: {error}", reading.name));
        serde_json::from_value(Value::Object(ramp)).map(Some).map_err(fault)
    }
}

impl AirInterface {
    /// Its latencies in ms: by figure, without errors and with them.
    pub(crate) fn latency_ms(&self) -> Result<[[f64; 2]; 4], StudyError> {
        let fault = |error: ParseError| StudyError::Data(format!("{}: {error}", self.tti));
        let access = Access::SchedulingRequest { period: self.sr.parse().map_err(fault)? };
        let tti = self.tti.parse().map_err(fault)?;
        let latency = Latency::of(&Setting { tti, access, ..Setting::default() });
        let millis = |figure, errors| latency.figure(figure, errors).as_f64() / 1e6;
        Ok(LATENCIES.map(|figure| [Errors::None, Errors::Share].map(|e| millis(figure, e))))
    }
}
