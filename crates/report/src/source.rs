//! Contents of results folders.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use airpath_campaign::{ArmIdentity, Dataset};
use airpath_results::{Digests, FORMAT, FlowSummary, Folder, Named, RunSummary, Table, UeGroups};
use airpath_scenario::nearest;
use serde_json::Value;

use crate::ReportError;
use crate::series::Courses;

/// Runs and arms of campaigns to be seen, in the order of the command.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Folders of `airpath run --out`.
    pub runs: Vec<Run>,
    /// Folders of `airpath sweep --out`.
    pub campaigns: Vec<Arms>,
}

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name in charts: that of its folder.
    pub label: String,
    /// The folder.
    pub folder: Folder,
    /// Its `summary.json`.
    pub summary: RunSummary,
    /// Its courses over time, once they have been read.
    courses: OnceLock<Option<Courses>>,
}

/// Arms of a campaign.
#[derive(Clone, Debug)]
pub struct Arms {
    /// Name of the campaign: that of its folder.
    pub label: String,
    /// The campaign.
    pub data: Dataset,
    /// Indices of the chosen arms.
    pub chosen: Vec<usize>,
}

impl Results {
    /// Opens folders: `DIR`, or `DIR:ARM` for an arm of a campaign.
    ///
    /// # Errors
    ///
    /// The first that is none of airpath's, is of another version or damaged, or has no such arm.
    pub fn open(names: &[impl AsRef<str>], digests: Digests) -> Result<Results, ReportError> {
        let mut results = Results::default();
        for name in names {
            results.add(name.as_ref(), None, digests)?;
        }
        Ok(results)
    }

    /// Opens one more folder, and calls it `label` in charts if that is given.
    ///
    /// # Errors
    ///
    /// As [`Results::open`].
    pub fn add(
        &mut self,
        name: &str,
        label: Option<&str>,
        digests: Digests,
    ) -> Result<(), ReportError> {
        let (path, arm) = split(name);
        let folder = Folder::on_disk(path);
        let summary = summary(&folder, digests)?;
        if summary.get("campaign").is_some() {
            return self.add_campaign(path, arm, label);
        }
        if arm.is_some() {
            let mend = "leave out what stands behind the colon";
            return Err(ReportError::folder(path, "is a run and has no arms", mend));
        }
        self.add_run(folder, summary, label)
    }

    /// Adds a run by its folder and its `summary.json`.
    pub(crate) fn add_run(
        &mut self,
        folder: Folder,
        summary: Value,
        label: Option<&str>,
    ) -> Result<(), ReportError> {
        let path = folder.path();
        let summary = serde_json::from_value(summary).map_err(|error| {
            let what = format!("has a summary.json that is of no run ({error})");
            ReportError::folder(path, &what, "name a folder of `airpath run` or `airpath sweep`")
        })?;
        let label = label.map_or_else(|| self.label(path), str::to_owned);
        let courses = OnceLock::new();
        self.runs.push(Run { label, folder, summary, courses });
        Ok(())
    }

    fn add_campaign(
        &mut self,
        folder: &Path,
        arm: Option<&str>,
        label: Option<&str>,
    ) -> Result<(), ReportError> {
        // Its files have been checked.
        let data = Dataset::open(folder, Digests::Unchecked)?;
        let names = data.summary.arms.iter().map(|arm| arm.name.as_str());
        let chosen = match arm {
            None => (0..data.summary.arms.len()).collect(),
            Some(arm) => {
                vec![data.arm(arm).ok_or_else(|| ReportError::unknown("arm", arm, names))?]
            }
        };
        match self.campaigns.iter_mut().find(|known| known.data.folder() == folder) {
            Some(known) => known.chosen.extend(chosen),
            None => {
                let label = label.map_or_else(|| self.label(folder), str::to_owned);
                self.campaigns.push(Arms { label, data, chosen });
            }
        }
        Ok(())
    }

    /// The name of a folder; its whole path where another has the same.
    fn label(&self, folder: &Path) -> String {
        let whole = folder.display().to_string();
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
        let labels = self.runs.iter().map(|run| &run.label);
        let mut labels = labels.chain(self.campaigns.iter().map(|arms| &arms.label));
        match name {
            Some(name) if labels.all(|label| *label != name) => name,
            _ => whole,
        }
    }
}

impl Run {
    /// Columns of one of its tables; none if it has no such table.
    pub(crate) fn table(&self, name: &str, columns: &[&str]) -> Result<Option<Table>, ReportError> {
        if !self.folder.has(name) {
            return Ok(None);
        }
        Ok(Some(self.folder.table(name)?.select(columns)?))
    }

    /// Records over time; none if there are none. They are read once.
    pub(crate) fn courses(&self) -> Result<Option<&Courses>, ReportError> {
        if let Some(known) = self.courses.get() {
            return Ok(known.as_ref());
        }
        let read = Courses::of(self)?;
        Ok(self.courses.get_or_init(|| read).as_ref())
    }

    /// Records over time, if they have been read already.
    pub(crate) fn courses_read(&self) -> Option<&Courses> {
        self.courses.get()?.as_ref()
    }

    /// Its metrics by name.
    pub(crate) fn metrics(&self) -> Result<Named<f64>, ReportError> {
        let text = self.folder.text("metrics.json").ok();
        let metrics = text.and_then(|text| serde_json::from_str(&text).ok());
        metrics.ok_or_else(|| {
            let what = "has no metrics.json that can be read";
            ReportError::folder(self.folder.path(), what, "run again with this airpath")
        })
    }

    /// Groups of its UEs.
    pub(crate) fn groups(&self) -> UeGroups {
        UeGroups::of(&self.summary.scenario)
    }

    /// The group of a flow; one word where flow and group of UEs are called the same.
    pub(crate) fn flow_group(&self, flow: &FlowSummary) -> String {
        let name = self.groups().flow(flow);
        match name.split_once(' ') {
            Some((flow, ue)) if flow == ue => ue.to_owned(),
            _ => name,
        }
    }

    /// Its scenario without the seed: runs that have the same are seeds of one arm.
    pub(crate) fn arm(&self) -> Value {
        let mut scenario = self.summary.scenario.clone();
        scenario.as_object_mut().map(|keys| keys.remove("seed"));
        scenario
    }
}

impl Arms {
    /// The chosen arms.
    pub(crate) fn arms(&self) -> impl Iterator<Item = (usize, &ArmIdentity)> {
        self.chosen.iter().map(|&arm| (arm, &self.data.summary.arms[arm]))
    }
}

/// Folder and arm: the first colon behind which an arm may stand, with a folder before it.
pub(crate) fn split(name: &str) -> (&Path, Option<&str>) {
    if Path::new(name).exists() {
        return (Path::new(name), None);
    }
    let colons = name.match_indices(':').map(|(at, _)| at);
    let folder = colons.map(|at| (Path::new(&name[..at]), &name[at + 1..]));
    let found = folder.into_iter().find(|(folder, _)| folder.is_dir());
    found.map_or((Path::new(name), None), |(folder, arm)| (folder, Some(arm)))
}

/// `summary.json` of a folder of airpath's.
pub(crate) fn summary(folder: &Folder, digests: Digests) -> Result<Value, ReportError> {
    let path = folder.path();
    digests.check(path)?;
    let other = |what: &str| ReportError::folder(path, what, &meant(path));
    let text = folder.text("summary.json").map_err(|_| match path.exists() {
        true => other("is no results folder of airpath: it has no summary.json"),
        false => other("is not there"),
    })?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| other(&format!("has a summary.json that is no JSON ({error})")))?;
    match value["format"].as_str() {
        Some(FORMAT) => Ok(value),
        _ => Err(other("is no results folder of airpath")),
    }
}

/// Advice for a name that is no results folder. It is the command for a file of another kind, the
/// folder beside it with nearly this name, or folders of results in it.
fn meant(path: &Path) -> String {
    const USUAL: &str = "name a folder that `airpath run --out` or `airpath sweep --out` wrote";
    let name = path.display();
    if path.is_file() {
        return match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => {
                format!("`airpath run {name} --report` runs a scenario and explains it")
            }
            Some("pcap" | "pcapng" | "cap") => {
                format!("`airpath analyse {name} --report` explains a capture")
            }
            _ => USUAL.to_owned(),
        };
    }
    let inside = folders_of_results(path);
    if !inside.is_empty() {
        let inside: Vec<String> =
            inside.iter().take(5).map(|one| path.join(one).display().to_string()).collect();
        return format!("results are in {}", inside.join(", "));
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let beside = folders_of_results(above.unwrap_or(Path::new(".")));
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&own, beside.iter().map(String::as_str)).filter(|near| *near != own) {
        Some(near) => format!("did you mean {}?", path.with_file_name(near).display()),
        None => USUAL.to_owned(),
    }
}

/// Names of the folders in a folder that hold results, sorted.
fn folders_of_results(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let results = entries.filter(|entry| entry.path().join("summary.json").is_file());
    let mut names: Vec<String> =
        results.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["results", "other"] {
            fs::create_dir(path(name)).expect("a folder");
            fs::write(path(name).join("summary.json"), "{}").expect("a file");
        }
        fs::write(path("cell.toml"), "").expect("a file");
        fs::write(path("a.pcapng"), "").expect("a file");
        let refusal = |name: &str| {
            let folder = Folder::on_disk(&path(name));
            summary(&folder, Digests::Checked).expect_err(name).to_string()
        };
        assert!(
            refusal("reslts").ends_with(&format!("did you mean {}?", path("results").display()))
        );
        assert!(refusal("elsewhere").contains("`airpath run --out`"), "{}", refusal("elsewhere"));
        assert!(
            refusal("cell.toml").contains("cell.toml --report` runs"),
            "{}",
            refusal("cell.toml")
        );
        assert!(refusal("a.pcapng").contains("airpath analyse"), "{}", refusal("a.pcapng"));
        let whole = Folder::on_disk(folder.path());
        let inside = summary(&whole, Digests::Checked).expect_err("none").to_string();
        assert!(inside.contains("results are in") && inside.contains("other, "), "{inside}");
    }

    #[test]
    fn an_arm_stands_behind_a_colon() {
        let folder = tempfile::tempdir().expect("a folder");
        let (plain, odd) = (folder.path().join("sweep"), folder.path().join("a:b"));
        fs::create_dir(&plain).expect("a folder");
        fs::create_dir(&odd).expect("a folder");
        let name = |path: &Path, arm: &str| format!("{}{arm}", path.display());
        assert_eq!(split(&name(&plain, "")), (plain.as_path(), None));
        assert_eq!(split(&name(&plain, ":10 ms, b: 3")), (plain.as_path(), Some("10 ms, b: 3")));
        assert_eq!(split(&name(&odd, "")), (odd.as_path(), None));
        assert_eq!(split(&name(&odd, ":arm")), (odd.as_path(), Some("arm")));
        assert_eq!(split("nowhere:arm"), (Path::new("nowhere:arm"), None));
    }
}
