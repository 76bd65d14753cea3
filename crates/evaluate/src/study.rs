//! A case with a controller as a study: its runs, and its criteria as claims.

use airpath_schema::Json;
use airpath_study::{Quantity, Study};
use serde_json::json;

use crate::{Case, CaseRun, Controller, EvaluateError};

/// Name of the only reading.
pub(crate) const READING: &str = "evaluated";
/// Name of the scenario's file in the study.
const SCENARIO: &str = "case";

impl Case {
    /// The study of this case with a controller.
    pub(crate) fn study(
        &self,
        controller: &Controller<'_>,
        repeated: bool,
    ) -> Result<Study, EvaluateError> {
        let runs = self
            .runs_of(controller)?
            .into_iter()
            .map(|CaseRun { name, set }| json!({ "name": name, "scenario": SCENARIO, "set": set }));
        let plan = json!({
            "runs": runs.collect::<Vec<_>>(),
            "readings": [{
                "name": READING, "profiles": [], "repeated": repeated, "judged": "true",
            }],
        });
        let mut files = self.files.clone();
        files.extend([
            ("plan.json".to_owned(), plan.to_string()),
            ("claims.csv".to_owned(), self.claims(controller)?),
            (format!("{SCENARIO}.toml"), self.scenario.clone()),
        ]);
        Ok(Study::of(&self.name, &self.file.title, files))
    }

    /// Runs that criteria for the controller need, with all overrides.
    pub(crate) fn runs_of(
        &self,
        controller: &Controller<'_>,
    ) -> Result<Vec<CaseRun>, EvaluateError> {
        let common = self.overrides(controller)?;
        let quantities = self.criteria_of(controller).map(|own| Quantity::parse(&own.quantity));
        let quantities: Vec<Quantity> = quantities.flatten().collect();
        let is_needed =
            |run: &CaseRun| quantities.iter().any(|own| own.runs().contains(&&*run.name));
        let with = |CaseRun { name, set }| CaseRun {
            name,
            set: common.iter().cloned().chain(set).collect(),
        };
        Ok(self.runs().into_iter().filter(is_needed).map(with).collect())
    }

    /// Keys that give the controller to each subject, and the encoder's options.
    fn overrides(&self, controller: &Controller<'_>) -> Result<Vec<String>, EvaluateError> {
        let mut all = Vec::new();
        for flow in &self.file.subjects {
            let mut videos = Vec::new();
            let video = self.file.video.iter().flat_map(|video| &video.0);
            for (key, value) in video {
                let value = plain(value).ok_or_else(|| {
                    EvaluateError::Case(format!("{}: video.{key} is no plain value", self.name))
                })?;
                videos.push(format!("flow.{flow}.{}.video.{key}={value}", controller.kind()));
            }
            // The kind of a flow comes before the keys of its table, and a controller's own options of the encoder count.
            let kind = format!("flow.{flow}.kind=");
            let (kind, rest): (Vec<String>, Vec<String>) =
                controller.overrides(flow).partition(|own| own.starts_with(&kind));
            all.extend(kind.into_iter().chain(videos).chain(rest));
        }
        Ok(all)
    }

    /// Criteria as claims of a study.
    fn claims(&self, controller: &Controller<'_>) -> Result<String, EvaluateError> {
        let fault = |why: String| EvaluateError::Case(format!("{}: {why}", self.name));
        let mut table = csv::Writer::from_writer(Vec::new());
        let head = [
            "id",
            "where",
            "condition",
            "metric",
            "unit",
            "published",
            "kind",
            "tolerance",
            "margin",
            "quantity",
            "holds",
            "note",
        ];
        table.write_record(head).map_err(|error| fault(error.to_string()))?;
        for own in self.criteria_of(controller) {
            let at = own.at.as_deref().unwrap_or(&self.file.source);
            let holds = own.condition();
            let row = [
                &own.name,
                at,
                &self.file.title,
                &own.name,
                &own.unit,
                &own.sentence,
                "statement",
                "",
                "",
                &own.quantity,
                &holds,
                own.ours.as_deref().unwrap_or("the source's number"),
            ];
            table.write_record(row).map_err(|error| fault(error.to_string()))?;
        }
        let bytes = table.into_inner().map_err(|error| fault(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| fault(error.to_string()))
    }
}

/// A plain value as TOML.
fn plain(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(json!(text).to_string()),
        Json::Integer(number) => Some(number.to_string()),
        Json::Float(number) => Some(format!("{number:?}")),
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Null | Json::List(_) | Json::Table(_) => None,
    }
}
