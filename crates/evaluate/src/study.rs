//! A case with a controller as a study: its runs, and its criteria as claims.

use std::collections::BTreeMap;

use airpath_schema::Json;
use airpath_study::Study;
use serde_json::json;

use crate::case::MAIN;
use crate::{Case, Controller, EvaluateError, Family};

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
        let common = self.overrides(controller)?;
        let runs: Vec<(&str, &[String])> = match &self.file.run[..] {
            [] => vec![(MAIN, &[])],
            runs => runs.iter().map(|run| (run.name.as_str(), run.set.as_slice())).collect(),
        };
        let runs = runs.into_iter().map(|(name, set)| {
            let set: Vec<&String> = common.iter().chain(set).collect();
            json!({ "name": name, "scenario": SCENARIO, "set": set })
        });
        let plan = json!({
            "runs": runs.collect::<Vec<_>>(),
            "readings": [{
                "name": READING, "profiles": [], "repeated": repeated, "judged": "true",
            }],
        });
        let files = BTreeMap::from([
            ("plan.json".to_owned(), plan.to_string()),
            ("claims.csv".to_owned(), self.claims()?),
            (format!("{SCENARIO}.toml"), self.scenario.clone()),
        ]);
        Ok(Study::of(&self.name, &self.file.title, files))
    }

    /// Keys that give the controller to each subject, and the encoder's options.
    fn overrides(&self, controller: &Controller<'_>) -> Result<Vec<String>, EvaluateError> {
        let mut all = Vec::new();
        for flow in &self.file.subjects {
            let video = self.file.video.iter().flat_map(|video| &video.0);
            for (key, value) in video {
                let value = plain(value).ok_or_else(|| {
                    EvaluateError::Case(format!("{}: video.{key} is no plain value", self.name))
                })?;
                all.push(format!("flow.{flow}.rtp.video.{key}={value}"));
            }
            all.extend(controller.overrides(flow));
        }
        Ok(all)
    }

    /// Criteria as claims of a study.
    fn claims(&self) -> Result<String, EvaluateError> {
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
        for own in &self.file.criterion {
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

    /// Reason for which a controller is not evaluated by this case; none if it is.
    pub(crate) fn is_not_for(&self, controller: &Controller<'_>) -> Option<String> {
        match (self.file.family, controller.family) {
            (own, other) if own == other => None,
            (Family::Media, _) => Some("the case is about media".to_owned()),
            (Family::Transport, _) => Some("the case is about senders of bulk data".to_owned()),
        }
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
