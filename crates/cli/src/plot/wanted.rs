//! `--report` of a command: where its page goes.

use std::path::{Path, PathBuf};

use airpath_plot::{Page, Section};
use airpath_report::{ReportError, explained, report};
use airpath_results::Digests;
use clap::Args;
use tempfile::TempDir;

use super::file::Target;
use crate::output::{fail, note};
use crate::{BAD_INPUT, FAILED};

/// Its name, unless another is given.
const NAME: &str = "report.html";

/// `--report` and `--report=FILE`.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportOption {
    /// Write a page that explains the results (docs/report.md), to FILE or else to report.html in
    /// the results folder, or here.
    #[arg(long = "report", value_name = "FILE", num_args = 0..=1, require_equals = true)]
    report: Option<Option<PathBuf>>,
}

/// A page that is to be written.
pub struct Wanted {
    path: PathBuf,
    /// Flag of a page in the results folder, which is airpath's own.
    inside: bool,
    /// Temporary folder of results that are made for the page alone.
    passing: Option<TempDir>,
}

impl ReportOption {
    /// Checks for `--report`.
    pub fn is_asked(&self) -> bool {
        self.report.is_some()
    }

    /// Page that `--report` names, if the option is given.
    ///
    /// # Errors
    ///
    /// The exit code, if it cannot be written there; the reason has been printed.
    pub fn wanted(&self, out: Option<&Path>) -> Result<Option<Wanted>, u8> {
        let Some(named) = &self.report else { return Ok(None) };
        let inside = named.is_none() && out.is_some();
        let path = match (named, out) {
            (Some(path), _) => path.clone(),
            (None, Some(folder)) => folder.join(NAME),
            (None, None) => NAME.into(),
        };
        if !inside {
            Target::page(&path).map_err(|reason| fail(reason, BAD_INPUT))?;
        }
        Ok(Some(Wanted { path, inside, passing: None }))
    }

    /// Report of a command that puts one into its folder anyway; none if that is enough.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn wanted_beside(&self, out: Option<&Path>) -> Result<Option<Wanted>, u8> {
        match (&self.report, out) {
            (Some(None), Some(_)) => Ok(None),
            _ => self.wanted(out),
        }
    }

    /// Page of `--report`, and the folder of the results. Without a named folder, a page has a
    /// temporary one.
    ///
    /// # Errors
    ///
    /// As above, or if there is no room for a folder.
    pub fn with_folder(
        &self,
        out: Option<&Path>,
        name: &str,
    ) -> Result<(Option<PathBuf>, Option<Wanted>), u8> {
        let mut wanted = self.wanted(out)?;
        let folder = match (out, &mut wanted) {
            (None, Some(wanted)) => Some(wanted.folder()?.join(name)),
            (out, _) => out.map(Path::to_path_buf),
        };
        Ok((folder, wanted))
    }

    /// Option of a command that writes a page by default, if it has a results folder.
    pub fn or_with(&self, out: Option<&Path>) -> ReportOption {
        let report = self.report.clone().or(out.map(|_| None));
        ReportOption { report }
    }
}

impl Wanted {
    /// A folder for results that are read once, for this page.
    ///
    /// # Errors
    ///
    /// The exit code, if there is no room for one; the reason has been printed.
    pub fn folder(&mut self) -> Result<PathBuf, u8> {
        let folder = TempDir::new()
            .map_err(|error| fail(format!("no folder for the report's runs: {error}"), FAILED))?;
        let path = folder.path().to_owned();
        self.passing = Some(folder);
        Ok(path)
    }

    /// Writes the report of these folders under a title.
    pub fn report(self, folders: &[PathBuf], title: &str) -> u8 {
        self.report_of(folders, title, None, None)
    }

    /// Writes the report of these folders under a title. The fact `asked` replaces the folder among
    /// the facts about the question, since the folder may be temporary. The section `more` comes
    /// behind the answer.
    pub fn report_of(
        self,
        folders: &[PathBuf],
        title: &str,
        asked: Option<(String, String)>,
        more: Option<Section>,
    ) -> u8 {
        let names: Vec<String> =
            folders.iter().map(|folder| folder.display().to_string()).collect();
        // This command has written or checked the files.
        let page =
            report(&names, Digests::Unchecked).map(|page| Page { title: title.to_owned(), ..page });
        self.write(page.map(|page| explained(page, asked, more)))
    }

    /// Writes a page, and says where it is.
    pub fn write(self, page: Result<Page, ReportError>) -> u8 {
        let page = match page {
            Ok(page) => page,
            Err(error) => return fail(format!("there is no report: {error}"), FAILED),
        };
        let target = match Target::page(&self.path) {
            Ok(target) => target,
            Err(reason) => return fail(reason, if self.inside { FAILED } else { BAD_INPUT }),
        };
        match target.write_bytes(page.html().into_bytes()) {
            Ok(()) => {
                note(format!("report in {}", self.path.display()));
                0
            }
            Err(reason) => fail(reason, FAILED),
        }
    }
}
