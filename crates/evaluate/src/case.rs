//! Cases as files.

use std::cell::RefCell;
use std::collections::BTreeMap;

use airpath_scenario::{Scenario, Settings, read_table, table_schema};
use airpath_schema::{at_least, between, choice, record};
use airpath_stats::{CONFIDENCE, Verdict, wilson};

use crate::{Controller, EvaluateError, Options};

choice! {
    /// Kind of the flows whose controller is evaluated.
    pub enum Family {
        /// A sender of bulk data: TCP or QUIC.
        Transport = "transport",
        /// Video over RTP.
        Media = "media",
    }
}

record! {
    /// A case of a suite: a scenario, flows whose controller is evaluated, and criteria.
    pub struct CaseFile {
        /// The case in a line.
        title: String;
        /// Document and section that it comes from: "RFC 8867, 5.1".
        source: String;
        /// Address of that section.
        address: Option<String>;
        /// Kind of the flows whose controller is evaluated.
        family: Family;
        /// File of the scenario, beside the file of the case.
        scenario: String;
        /// Names of the flows in the scenario that have the controller.
        subjects: Vec<String>;
        /// Options of the encoder of these flows, for family = "media", as flow.rtp.video and flow.webrtc.video have them.
        video: Option<Settings>;
        /// Names of the controllers that the case is about; by default all of the family. A variant of one counts as that one.
        only: Vec<String>;
        /// True if the case is about marks, so that a controller without ECN has nothing to compare.
        needs_ecn: bool = false;
        /// Runs of each controller, with seeds from 1.
        seeds: u64 = 5 => between(1, 1_000);
        /// Evaluations that have the case.
        extent: Extent = Extent::Quick;
        /// Runs; by default one, named "main", of the scenario as it is.
        run: Vec<CaseRun>;
        /// Axes of a grid, instead of runs: a run for each combination of their values. Its name has theirs with - between them.
        axis: Vec<Axis>;
        /// Criteria that a controller is judged by.
        criterion: Vec<Criterion>;
    }
}

choice! {
    /// Evaluations that have a case.
    pub enum Extent {
        /// All, with one seed those of `--quick`.
        Quick = "quick",
        /// All but those of `--quick`.
        Usual = "usual",
        /// Those of `--full` alone.
        Full = "full",
    }
}

impl Extent {
    pub(crate) fn is_in(self, options: Options<'_>) -> bool {
        match self {
            Extent::Quick => true,
            Extent::Usual => !options.quick,
            Extent::Full => options.full,
        }
    }
}

record! {
    /// A run of the scenario with overrides.
    pub struct CaseRun {
        /// Name, as quantities have it.
        name: String;
        /// Overrides, as `--set` of `airpath run` takes them.
        set: Vec<String>;
    }
}

record! {
    /// An axis of a grid of runs.
    pub struct Axis {
        /// Values: names, and overrides as runs have them.
        value: Vec<CaseRun>;
    }
}

record! {
    /// A criterion: a quantity and its bounds.
    pub struct Criterion {
        /// Name of the criterion.
        name: String;
        /// Statement of the source that it stands for, in airpath's words.
        sentence: String;
        /// Section that has the statement; by default that of the case.
        at: Option<String>;
        /// The quantity: "rate@main.media[20..40]". A run with * stands for each run that fits, with a criterion of its own.
        quantity: String;
        /// Unit of the quantity.
        unit: String;
        /// Difference to an earlier card that counts, in the unit.
        threshold: f64 => at_least(0.0);
        /// Least value that fulfils it.
        at_least: Option<f64>;
        /// Largest value that fulfils it.
        at_most: Option<f64>;
        /// Reason for a bound that the source does not have; none if the source has the number.
        ours: Option<String>;
        /// True if it reads the state of BBR, so that other controllers have nothing to compare.
        bbr_only: bool = false;
    }
}

/// A case of a suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name within its suite.
    pub name: String,
    /// Contents of its file.
    pub file: CaseFile,
    /// Text of its scenario.
    pub(crate) scenario: String,
    /// Files that the scenario names, by their names there.
    pub(crate) files: BTreeMap<String, String>,
}

impl Case {
    /// Reads a case from the text of its file. `read` gives the text of the scenario by its name.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file, a scenario that cannot be read, or a criterion without quantity or bound.
    pub fn parse(
        name: &str,
        text: &str,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Case, EvaluateError> {
        let file: CaseFile =
            read_table(name, text).map_err(|errors| EvaluateError::Case(errors.plain()))?;
        let fault = |why: String| EvaluateError::Case(format!("{name}: {why}"));
        let file = file.spread().map_err(fault)?;
        let scenario = read(&file.scenario)
            .map_err(|why| fault(format!("scenario = \"{}\": {why}", file.scenario)))?;
        let short = name.rsplit('/').next().unwrap_or(name);
        let short = short.strip_suffix(".case.toml").unwrap_or(short);
        let case = Case { name: short.to_owned(), file, scenario, files: BTreeMap::new() };
        case.check().map_err(fault)?;
        let files = case.read_files(read);
        Ok(Case { files, ..case })
    }

    /// Files that the scenario of a run names. A fault of the scenario is one of the run, and is found there.
    fn read_files(
        &self,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> BTreeMap<String, String> {
        let files = RefCell::new(BTreeMap::new());
        let keep = |name: &str| {
            let text = read(name)?;
            files.borrow_mut().insert(name.to_owned(), text.clone());
            Ok(text)
        };
        for run in self.runs() {
            let _ = Scenario::parse_with(&self.name, &self.scenario, &run.set, &keep);
        }
        files.into_inner()
    }

    /// Runs of the case; the only one without a name is "main".
    pub(crate) fn runs(&self) -> Vec<CaseRun> {
        match self.file.run.is_empty() {
            true => vec![CaseRun { name: MAIN.to_owned(), set: Vec::new() }],
            false => self.file.run.clone(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let CaseFile { criterion, subjects, family, video, only, .. } = &self.file;
        if criterion.is_empty() {
            return Err("it has no criterion; add [[criterion]]".to_owned());
        }
        if subjects.is_empty() {
            return Err("subjects is empty; name a flow of the scenario".to_owned());
        }
        if video.is_some() && *family != Family::Media {
            return Err("video is beside family = \"transport\"; leave it out".to_owned());
        }
        only.iter()
            .try_for_each(|name| Controller::known(name).map(drop))
            .map_err(|error| format!("only: {error}"))?;
        let runs = self.runs();
        let runs: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        criterion.iter().try_for_each(|own| own.check(&runs))?;
        let names = criterion.iter().map(|own| &own.name);
        match names.clone().find(|name| names.clone().filter(|other| other == name).count() > 1) {
            Some(name) => Err(format!("two criteria are named \"{name}\"; rename one")),
            None => Ok(()),
        }
    }
}

/// Name of the only run of a case without runs.
const MAIN: &str = "main";

impl Criterion {
    fn check(&self, runs: &[&str]) -> Result<(), String> {
        let name = &self.name;
        let quantity = airpath_study::Quantity::parse(&self.quantity).ok_or_else(|| {
            format!(
                "criterion \"{name}\": {} is no quantity, as rate@main.flow[20..40] is",
                self.quantity
            )
        })?;
        if let Some(run) = quantity.runs().into_iter().find(|run| !runs.contains(run)) {
            return Err(format!(
                "criterion \"{name}\": there is no run {run}; there are: {}",
                runs.join(", ")
            ));
        }
        let bounds = [self.at_least, self.at_most];
        if bounds.iter().flatten().count() == 0 {
            return Err(format!("criterion \"{name}\" has no bound; add at_least or at_most"));
        }
        match bounds {
            [Some(low), Some(high)] if low > high => {
                Err(format!("criterion \"{name}\": at_least is above at_most"))
            }
            _ => Ok(()),
        }
    }

    /// The condition, as a claim of a study has it.
    pub(crate) fn condition(&self) -> String {
        let quantity = &self.quantity;
        let low = self.at_least.map(|bound| format!("{quantity} >= {bound}"));
        let high = self.at_most.map(|bound| format!("{quantity} <= {bound}"));
        [low, high].into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// Verdict on the values of each seed. One value is judged by itself, several by the share of those within the bounds. Seeds
    /// without a value do not count.
    pub fn verdict(&self, values: &[Option<f64>]) -> Verdict {
        let held: Vec<bool> =
            values.iter().flatten().map(|value| self.excess(*value) <= 0.0).collect();
        let count = held.iter().filter(|held| **held).count() as u64;
        match (values, held.as_slice()) {
            ([_], [held]) => Verdict::from(*held),
            _ => match wilson(count, held.len() as u64, CONFIDENCE) {
                Some(share) => Verdict::of_share(share.low, share.high),
                None => Verdict::NotComparable,
            },
        }
    }

    /// Distance of a value beyond the bounds; below zero within them.
    pub(crate) fn excess(&self, value: f64) -> f64 {
        let low = self.at_least.map_or(f64::NEG_INFINITY, |bound| bound - value);
        let high = self.at_most.map_or(f64::NEG_INFINITY, |bound| value - bound);
        low.max(high)
    }
}

/// JSON Schema (draft 7) of the file of a case.
pub fn schema() -> serde_json::Value {
    table_schema::<CaseFile>("airpath case")
}
