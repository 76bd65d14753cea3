//! Where flows go as they end.

use std::io::{self, BufWriter, Stdout};
use std::path::Path;

use airpath_analyse::{FlowRecord, Totals};
use airpath_results::{FORMAT, FolderError, ResultsFolder, TableError, TableWriter};
use serde_json::json;

use super::json::Json;
use super::tables;
use super::text::Largest;

/// Flows in a row group of the Parquet file.
const GROUP: usize = 16_384;
/// The table's name.
const FLOWS: &str = "flows.parquet";

/// Takes flows; the first failure is kept for the end.
pub struct Sink {
    json: Option<Json<BufWriter<Stdout>>>,
    largest: Largest,
    folder: Option<Folder>,
    failure: Option<Failure>,
}

/// What can go wrong.
pub enum Failure {
    /// Standard output.
    Output(io::Error),
    /// The folder.
    Folder(FolderError),
}

struct Folder {
    folder: ResultsFolder,
    writer: TableWriter,
    rows: Vec<FlowRecord>,
}

impl Sink {
    /// Begins the output.
    pub fn open(json: bool, out: Option<&Path>) -> Result<Sink, Failure> {
        let folder = out.map(Folder::create).transpose().map_err(Failure::Folder)?;
        let json = json.then(|| Json::new(BufWriter::new(io::stdout())));
        let json = json.transpose().map_err(Failure::Output)?;
        Ok(Sink { json, largest: Largest::default(), folder, failure: None })
    }

    /// A flow has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        if self.failure.is_some() {
            return;
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

    /// Ends the output; gives what is left to print.
    pub fn finish(self, totals: &Totals) -> Result<String, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let written = self.folder.map(|folder| folder.finish(totals));
        let folder = written.transpose().map_err(Failure::Folder)?;
        if let Some(json) = self.json {
            json.finish(totals).map_err(Failure::Output)?;
            return Ok(String::new());
        }
        let told = folder.map(|folder| format!("\nresults in {folder}\n")).unwrap_or_default();
        Ok(self.largest.table(totals) + &told)
    }
}

impl Folder {
    fn create(target: &Path) -> Result<Folder, FolderError> {
        let folder = ResultsFolder::create(target)?;
        let writer = TableWriter::create(&folder.file(FLOWS)?, &tables::flows(&[]));
        let writer = writer.map_err(|error| broken(target, error))?;
        Ok(Folder { folder, writer, rows: Vec::new() })
    }

    fn flow(&mut self, flow: &FlowRecord) -> Result<(), FolderError> {
        self.rows.push(flow.clone());
        if self.rows.len() < GROUP { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<(), FolderError> {
        let table = tables::flows(&std::mem::take(&mut self.rows));
        self.writer.write(&table).map_err(|error| broken(Path::new(FLOWS), error))
    }

    fn finish(mut self, totals: &Totals) -> Result<String, FolderError> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        self.writer.finish().map_err(|error| broken(Path::new(FLOWS), error))?;
        let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
        let summary = json!({
            "format": FORMAT,
            "complete": true,
            "packets": totals.packets,
            "bytes": totals.bytes,
            "flows": totals.flows,
            "warnings": warnings,
        });
        self.folder.write_json("summary.json", &summary)?;
        self.folder.finish().map(|path| path.display().to_string())
    }
}

fn broken(path: &Path, source: TableError) -> FolderError {
    FolderError::Table { path: path.into(), source }
}
