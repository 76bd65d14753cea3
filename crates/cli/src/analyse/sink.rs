//! Outputs of an analysis, which take flows and hosts as these end.

use std::io::{self, BufWriter, Stdout};
use std::path::Path;

use airpath_analyse::{FlowRecord, HostRecord, LargestFlows, Summary, Totals, Window, qlog};
use airpath_report::AnalysisFolder;
use airpath_results::{FolderError, ResultsFolder};

use super::json::Json;
use super::picture::Picture;
use super::summary;
use super::text::{Largest, hosts};
use crate::output::leftovers;

/// Takes flows and hosts; the first failure is kept for the end.
pub struct Sink {
    json: Option<Json<BufWriter<Stdout>>>,
    largest: Largest,
    summary: Summary,
    folder: Option<AnalysisFolder>,
    /// Picture of one flow, if `--flow` names one.
    pub picture: Option<Picture>,
    /// Flows of a report, if `--report` is given.
    pub drawn: Option<LargestFlows>,
    /// Flows that become qlogs, if `--qlog` is given.
    pub logged: Option<LargestFlows>,
    failure: Option<Failure>,
}

/// Error of an output.
pub enum Failure {
    /// Standard output.
    Output(io::Error),
    /// The folder.
    Folder(FolderError),
}

impl Sink {
    /// Begins the output.
    pub fn open(json: bool, out: Option<&Path>, picture: Option<Picture>) -> Result<Sink, Failure> {
        let folder = out.map(begin).transpose().map_err(Failure::Folder)?;
        let json = json.then(|| Json::new(BufWriter::new(io::stdout())));
        let json = json.transpose().map_err(Failure::Output)?;
        Ok(Sink {
            json,
            largest: Largest::default(),
            summary: Summary::default(),
            folder,
            picture,
            drawn: None,
            logged: None,
            failure: None,
        })
    }

    /// Ends the output; gives what is left to print, with where the folder is if it is to be `named`.
    pub fn finish(self, totals: &Totals, named: bool) -> Result<String, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let summary = self.summary.report();
        let written = self.folder.map(|folder| folder.finish(totals, &summary));
        let folder = written.transpose().map_err(Failure::Folder)?;
        if let Some(json) = self.json {
            json.finish(totals, &summary).map_err(Failure::Output)?;
            return Ok(String::new());
        }
        let told = folder
            .filter(|_| named)
            .map(|folder| format!("\nresults in {}\n", folder.path().display()))
            .unwrap_or_default();
        let hosts = hosts(&totals.hosts);
        Ok(self.largest.table(totals) + &summary::text(&summary) + &hosts + &told)
    }
}

/// Begins the folder; an earlier one of airpath's is replaced.
fn begin(target: &Path) -> Result<AnalysisFolder, FolderError> {
    let folder = ResultsFolder::create(target)?;
    leftovers(folder.leftovers());
    AnalysisFolder::begin(folder)
}

impl airpath_analyse::Sink for &mut Sink {
    fn flow(&mut self, flow: &FlowRecord) {
        if self.failure.is_some() {
            return;
        }
        self.summary.add(flow);
        if let Some(picture) = &mut self.picture {
            picture.flow(flow);
        }
        if let Some(drawn) = &mut self.drawn {
            drawn.flow(flow);
        }
        if let Some(logged) = self.logged.as_mut().filter(|_| qlog::has_form(flow)) {
            logged.flow(flow);
        }
        let printed = match &mut self.json {
            Some(json) => json.flow(flow).map_err(Failure::Output),
            None => {
                self.largest.flow(flow);
                Ok(())
            }
        };
        let folder = self.folder.as_mut();
        let written = folder.map_or(Ok(()), |folder| folder.flow(flow)).map_err(Failure::Folder);
        self.failure = printed.and(written).err();
    }

    fn host(&mut self, host: &HostRecord) {
        if self.failure.is_some() {
            return;
        }
        let json = self.json.as_mut();
        let printed = json.map_or(Ok(()), |json| json.host(host)).map_err(Failure::Output);
        let folder = self.folder.as_mut();
        let written = folder.map_or(Ok(()), |folder| folder.host(host)).map_err(Failure::Folder);
        self.failure = printed.and(written).err();
    }

    fn window(&mut self, window: &Window) {
        if self.failure.is_none()
            && let Some(folder) = &mut self.folder
        {
            self.failure = folder.window(window).map_err(Failure::Folder).err();
        }
    }
}
