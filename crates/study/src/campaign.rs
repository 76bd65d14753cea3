//! What a study consists of, and its runs.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_latency::{Access, Errors, Latency, ParseError, Setting};
use airpath_scenario::{Errors as ScenarioErrors, Scenario};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::measure::LATENCIES;
use crate::monitor::{Draws, Process};
use crate::network::{Experiments, L4S_5G};
use crate::population::Params;
use crate::task::{Task, Work};
use crate::tunnels::Tables;
use crate::{Claim, Form, Ramp, StudyError};

/// The text of a study.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Name, as `airpath reproduce` takes it.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Table of claims (CSV).
    pub claims: &'static str,
    /// Campaign (JSON).
    pub campaign: &'static str,
    /// Its page, with places for figures (Markdown).
    pub page: &'static str,
    /// What a person reads first, with places for figures (Markdown).
    pub screen: &'static str,
    /// Scenarios by name (TOML).
    pub scenarios: &'static [(&'static str, &'static str)],
    /// Files that these name.
    pub files: &'static [(&'static str, &'static str)],
    /// Its experiments on a network, if it has some.
    pub network: Option<&'static Experiments>,
}

/// Seed of what belongs to a study as its scenarios do: draws of ensembles, capacities.
const DRAWN: u64 = 1;

macro_rules! data {
    ($file:literal) => {
        include_str!(concat!("../../../studies/", $file))
    };
}

/// All studies.
pub const STUDIES: &[Study] = &[
    Study {
        name: "rate-delay",
        title: "Fossati, Aranda Gutierrez, Lopez: a 1-bit rate-delay signal (2021)",
        claims: data!("rate-delay/claims.csv"),
        campaign: data!("rate-delay/campaign.json"),
        page: data!("rate-delay/page.md"),
        screen: data!("rate-delay/screen.md"),
        scenarios: &[
            ("exp1", data!("rate-delay/exp1.toml")),
            ("exp2", data!("rate-delay/exp2.toml")),
            ("exp2-realtime", data!("rate-delay/exp2-realtime.toml")),
            ("exp3-audio", data!("rate-delay/exp3-audio.toml")),
            ("exp3-video", data!("rate-delay/exp3-video.toml")),
        ],
        files: &[],
        network: None,
    },
    Study {
        name: "short-tti",
        title: "3GPP RAN2 contribution: shorter TTI and TCP slow start (2015)",
        claims: data!("short-tti/claims.csv"),
        campaign: data!("short-tti/campaign.json"),
        page: data!("short-tti/page.md"),
        screen: data!("short-tti/screen.md"),
        scenarios: &[("download", data!("short-tti/download.toml"))],
        files: &[],
        network: None,
    },
    Study {
        name: "l4s-5g",
        title: "Brunello: L4S in 5G networks (2020)",
        claims: data!("l4s-5g/claims.csv"),
        campaign: data!("l4s-5g/campaign.json"),
        page: data!("l4s-5g/page.md"),
        screen: data!("l4s-5g/screen.md"),
        scenarios: &[
            ("video", data!("l4s-5g/video.toml")),
            ("download", data!("l4s-5g/download.toml")),
            ("long-fat", data!("l4s-5g/long-fat.toml")),
        ],
        files: &[
            ("frames.txt", data!("l4s-5g/frames.txt")),
            ("tunnels.json", data!("l4s-5g/tunnels.json")),
        ],
        network: Some(&L4S_5G),
    },
    Study {
        name: "lte-in-depth",
        title: "Huang et al.: an in-depth study of LTE (2013)",
        claims: data!("lte-in-depth/claims.csv"),
        campaign: data!("lte-in-depth/campaign.json"),
        page: data!("lte-in-depth/page.md"),
        screen: data!("lte-in-depth/screen.md"),
        scenarios: &[
            ("clock", data!("lte-in-depth/clock.toml")),
            ("testbed", data!("lte-in-depth/testbed.toml")),
            ("recovery", data!("lte-in-depth/recovery.toml")),
            ("cell", data!("lte-in-depth/cell.toml")),
            ("video", data!("lte-in-depth/video.toml")),
            ("audio", data!("lte-in-depth/audio.toml")),
            ("poll", data!("lte-in-depth/poll.toml")),
        ],
        files: &[("population.json", data!("lte-in-depth/population.json"))],
        network: None,
    },
];

/// The study of this name.
pub fn study(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

/// Overrides by scenario; those under `all` count for each.
pub type Profile = BTreeMap<String, Vec<String>>;

/// Which runs there are and how readings of the study change them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// Overrides by name.
    pub profiles: BTreeMap<String, Profile>,
    /// The runs.
    pub runs: Vec<RunDef>,
    /// The readings.
    pub readings: Vec<Reading>,
    /// Runs whose real-time flows are listed UE by UE.
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
    /// How ramp-ups are read, if they are: a [`Ramp`](crate::Ramp).
    #[serde(default)]
    pub ramp: Option<Map<String, Value>>,
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
    /// Scenario that it runs; none of a population or tunnels.
    #[serde(default)]
    pub scenario: String,
    /// Overrides that make it this run; of a population, `path.to.key=value`, value in JSON.
    pub set: Vec<String>,
    /// The file of a population's parameters that it draws, captures and analyses.
    #[serde(default)]
    pub population: Option<String>,
    /// The file of tables of the ECN field that tunnel ends are compared with.
    #[serde(default)]
    pub tunnels: Option<String>,
    /// Draws of what is not known, each a run that is captured and analysed.
    #[serde(default)]
    pub(crate) draws: Option<Draws>,
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
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Name.
    pub name: String,
    /// The part of the study that it belongs to, if that has parts.
    pub part: Option<String>,
    /// Whether it stands side by side with others, to show how results depend on settings.
    #[serde(default)]
    pub beside: bool,
    /// Profiles that count, in order.
    pub profiles: Vec<String>,
    /// Whether its runs are repeated with several seeds.
    #[serde(default)]
    pub repeated: bool,
    /// Its runs; all by default.
    pub runs: Option<Vec<String>>,
    /// What it varies, if it is there to show what something that the source does not say
    /// changes.
    pub sweep: Option<String>,
    /// Kinds of claims that are judged; all by default.
    pub kinds: Option<Vec<String>>,
    /// What is different from the campaign's way to read ramp-ups.
    #[serde(default)]
    pub ramp: Map<String, Value>,
    /// Why its figures cannot be compared with published ones; if not said, they can.
    pub differs: Option<String>,
    /// Which figures decide whether findings hold.
    #[serde(default)]
    pub judged: Form,
    /// By scenario, from which second on its runs are measured; else from the beginning.
    #[serde(default)]
    pub from_s: BTreeMap<String, u64>,
}

impl Study {
    /// Its campaign.
    ///
    /// # Errors
    ///
    /// If the text is not one.
    pub fn campaign(&self) -> Result<Campaign, StudyError> {
        serde_json::from_str(self.campaign).map_err(|error| StudyError::Data(error.to_string()))
    }

    /// Its claims.
    ///
    /// # Errors
    ///
    /// If the table is not one.
    pub fn claims(&self) -> Result<Vec<Claim>, StudyError> {
        let rows = csv::Reader::from_reader(self.claims.as_bytes()).into_deserialize();
        rows.collect::<Result<_, _>>().map_err(|error| StudyError::Data(error.to_string()))
    }

    /// The runs of a reading as scenarios.
    pub(crate) fn tasks(
        &self,
        campaign: &Campaign,
        reading: &Reading,
    ) -> Result<Vec<Task>, StudyError> {
        let wanted = |run: &&RunDef| reading.runs.as_ref().is_none_or(|r| r.contains(&run.name));
        campaign.runs.iter().filter(wanted).map(|run| self.task(campaign, reading, run)).collect()
    }

    /// A scenario with the files that it names.
    fn parse(
        &self,
        campaign: &Campaign,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Scenario, ScenarioErrors> {
        let file = |wanted: &str| {
            let process = wanted.rsplit_once(' ').and_then(|(n, _)| campaign.capacities.get(n));
            if let Some(process) = process {
                let made = || process.recording(Seed(DRAWN), wanted);
                return Ok(campaign.trace.clone().unwrap_or_else(made));
            }
            self.file(wanted).map(str::to_owned).ok_or_else(|| "no such file".to_owned())
        };
        Scenario::parse_with(name, text, overrides, &file)
    }

    fn file(&self, wanted: &str) -> Option<&'static str> {
        self.files.iter().find(|(name, _)| *name == wanted).map(|(_, text)| *text)
    }

    /// A population's parameters, with overrides.
    fn population(&self, file: &str, overrides: &[String]) -> Result<Params, StudyError> {
        let fault = |why: String| StudyError::Data(format!("{file}: {why}"));
        let text = self.file(file).ok_or_else(|| fault("no such file".to_owned()))?;
        let mut value: Value = serde_json::from_str(text).map_err(|e| fault(e.to_string()))?;
        for set in overrides {
            let (path, new) = set.split_once('=').ok_or_else(|| fault(set.clone()))?;
            let place = value.pointer_mut(&format!("/{}", path.replace('.', "/")));
            let new = serde_json::from_str(new).map_err(|e| fault(e.to_string()))?;
            *place.ok_or_else(|| fault(set.clone()))? = new;
        }
        serde_json::from_value(value).map_err(|error| fault(error.to_string()))
    }

    /// Tables of the ECN field.
    fn tunnels(&self, file: &str) -> Result<Tables, StudyError> {
        let fault = |why: String| StudyError::Data(format!("{file}: {why}"));
        let text = self.file(file).ok_or_else(|| fault("no such file".to_owned()))?;
        serde_json::from_str(text).map_err(|error| fault(error.to_string()))
    }

    fn scenario(
        &self,
        campaign: &Campaign,
        reading: &Reading,
        run: &RunDef,
        overrides: &[String],
    ) -> Result<Scenario, StudyError> {
        let (_, text) = self
            .scenarios
            .iter()
            .find(|(name, _)| *name == run.scenario)
            .ok_or_else(|| StudyError::Data(format!("no scenario {}", run.scenario)))?;
        self.parse(campaign, &run.scenario, text, overrides).map_err(|errors| {
            StudyError::Data(format!("{}, {}: {errors:?}", reading.name, run.name))
        })
    }

    fn task(
        &self,
        campaign: &Campaign,
        reading: &Reading,
        run: &RunDef,
    ) -> Result<Task, StudyError> {
        let overrides = overrides(campaign, reading, run)?;
        let work = match (&run.population, &run.tunnels, &run.draws) {
            (Some(file), ..) => Work::Population(Box::new(self.population(file, &overrides)?)),
            (None, Some(file), _) => Work::Tunnels(Box::new(self.tunnels(file)?)),
            (None, None, Some(draws)) => {
                let with = |more: Vec<String>| {
                    self.scenario(campaign, reading, run, &[overrides.clone(), more].concat())
                };
                let drawn = draws.overrides(DRAWN).into_iter();
                let all = drawn.map(|arms| arms.into_iter().map(with).collect());
                Work::Ensemble(all.collect::<Result<_, _>>()?)
            }
            _ => Work::Scenario(Box::new(self.scenario(campaign, reading, run, &overrides)?)),
        };
        let from = reading.from_s.get(&run.scenario).copied();
        let ramp = campaign.ramp(reading)?;
        let latency_ms = run.latency.as_ref().map(AirInterface::latency_ms).transpose()?;
        Ok(Task { run: run.name.clone(), work, from, ramp, latency_ms })
    }
}

impl Campaign {
    /// The readings of a part, or all.
    pub(crate) fn readings_of(&self, part: Option<&str>) -> Result<Vec<&Reading>, StudyError> {
        let Some(part) = part else { return Ok(self.readings.iter().collect()) };
        let own = |reading: &&Reading| reading.part.as_deref() == Some(part);
        let found: Vec<&Reading> = self.readings.iter().filter(own).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let mut parts: Vec<&str> = self.readings.iter().filter_map(|r| r.part.as_deref()).collect();
        parts.dedup();
        let known = match parts.is_empty() {
            true => "it has no parts".to_owned(),
            false => format!("it has: {}", parts.join(", ")),
        };
        Err(StudyError::Part { part: part.to_owned(), known })
    }

    /// How a reading reads ramp-ups; none if it does not.
    fn ramp(&self, reading: &Reading) -> Result<Option<Ramp>, StudyError> {
        let Some(mut ramp) = self.ramp.clone() else { return Ok(None) };
        ramp.extend(reading.ramp.clone());
        let fault = |error| StudyError::Data(format!("{}: ramp: {error}", reading.name));
        serde_json::from_value(Value::Object(ramp)).map(Some).map_err(fault)
    }
}

impl AirInterface {
    /// Its latencies in ms: by figure, without errors and with them.
    fn latency_ms(&self) -> Result<[[f64; 2]; 4], StudyError> {
        let fault = |error: ParseError| StudyError::Data(format!("{}: {error}", self.tti));
        let access = Access::SchedulingRequest { period: self.sr.parse().map_err(fault)? };
        let tti = self.tti.parse().map_err(fault)?;
        let latency = Latency::of(&Setting { tti, access, ..Setting::default() });
        let millis = |figure, errors| latency.figure(figure, errors).as_f64() / 1e6;
        Ok(LATENCIES.map(|figure| [Errors::None, Errors::Share].map(|e| millis(figure, e))))
    }
}

/// What makes the run this one, then profiles for all, for its scenario, for itself.
fn overrides(
    campaign: &Campaign,
    reading: &Reading,
    run: &RunDef,
) -> Result<Vec<String>, StudyError> {
    let mut all = run.set.clone();
    for name in &reading.profiles {
        let profile = campaign.profiles.get(name);
        let profile = profile.ok_or_else(|| StudyError::Data(format!("no profile {name}")))?;
        all.extend(profile.get("all").into_iter().flatten().cloned());
        all.extend(profile.get(&run.scenario).into_iter().flatten().cloned());
        all.extend(run.profiles.get(name).into_iter().flatten().cloned());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantity;
    use crate::quantity::holds;

    #[test]
    fn each_study_can_be_read() {
        for study in STUDIES {
            let campaign = study.campaign().expect("a campaign");
            for reading in &campaign.readings {
                assert!(!study.tasks(&campaign, reading).expect("valid scenarios").is_empty());
            }
            for claim in study.claims().expect("claims") {
                let quantity = Quantity::parse(&claim.quantity).expect("a quantity");
                for run in quantity.runs() {
                    assert!(campaign.runs.iter().any(|r| r.name == run), "{}: {run}", claim.id);
                }
                if let Some(text) = &claim.holds {
                    holds(text, &|_| None).expect("a condition");
                }
                assert!(claim.holds.is_some() || claim.published().is_some(), "{}", claim.id);
                assert!(claim.holds.is_none() || claim.note.is_some(), "{}", claim.id);
            }
            for (name, quantity) in &campaign.figures {
                assert!(Quantity::parse(quantity).is_some(), "{name}");
            }
        }
    }
}
