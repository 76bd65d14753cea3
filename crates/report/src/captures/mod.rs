//! The results folder of an analysis: Parquet tables of flows, hosts and windows of bandwidth, and a
//! summary.

use airpath_analyse::{FlowRecord, HostRecord, SummaryReport, Totals, Window};
use airpath_results::{
    FORMAT, Folder, FolderError, ResultsFolder, Table, TableError, TableWriter, VERSION,
};
use serde_json::json;

mod bands;
mod chart;
mod each;
mod tables;

pub use each::{each_flow, flow_chart};
pub use tables::tunnels;

/// Rows in a row group of a Parquet file.
const GROUP: usize = 16_384;

/// The results folder of an analysis, in the making.
pub struct AnalysisFolder {
    folder: ResultsFolder,
    flows: Rows<FlowRecord>,
    hosts: Rows<HostRecord>,
    windows: Rows<Window>,
}

/// A table in the making.
pub struct Rows<R> {
    name: &'static str,
    writer: TableWriter,
    table: fn(&[R]) -> Table,
    rows: Vec<R>,
}

impl AnalysisFolder {
    /// Begins its tables in an empty folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn begin(folder: ResultsFolder) -> Result<AnalysisFolder, FolderError> {
        let flows = Rows::create(&folder, "flows.parquet", tables::flows)?;
        let hosts = Rows::create(&folder, "hosts.parquet", tables::hosts)?;
        let windows = Rows::create(&folder, "bandwidth.parquet", tables::windows)?;
        Ok(AnalysisFolder { folder, flows, hosts, windows })
    }

    /// Adds a flow that has ended.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn flow(&mut self, flow: &FlowRecord) -> Result<(), FolderError> {
        self.flows.add(flow.clone())
    }

    /// Adds a host that is over.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn host(&mut self, host: &HostRecord) -> Result<(), FolderError> {
        self.hosts.add(host.clone())
    }

    /// Adds a window of bandwidth.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn window(&mut self, window: &Window) -> Result<(), FolderError> {
        self.windows.add(window.clone())
    }

    /// Ends the folder with its summary.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn finish(self, totals: &Totals, of_all: &SummaryReport) -> Result<Folder, FolderError> {
        self.flows.finish()?;
        self.hosts.finish()?;
        self.windows.finish()?;
        let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
        let summary = json!({
            "format": FORMAT,
            "version": VERSION,
            "complete": true,
            "packets": totals.packets,
            "bytes": totals.bytes,
            "flows": totals.flows,
            "links": totals.links,
            "undecoded": totals.undecoded,
            "warnings": warnings,
            "summary": of_all,
            "all_hosts": totals.hosts,
        });
        self.folder.write_json("summary.json", &summary)?;
        self.folder.finish()
    }
}

impl<R> Rows<R> {
    /// Begins a table of a folder.
    ///
    /// # Errors
    ///
    /// If its file cannot be written.
    pub fn create(
        folder: &ResultsFolder,
        name: &'static str,
        table: fn(&[R]) -> Table,
    ) -> Result<Rows<R>, FolderError> {
        let writer = TableWriter::create(folder.file(name)?, &table(&[]));
        let writer = writer.map_err(|error| broken(name, error))?;
        Ok(Rows { name, writer, table, rows: Vec::new() })
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// If rows cannot be written.
    pub fn add(&mut self, row: R) -> Result<(), FolderError> {
        self.rows.push(row);
        if self.rows.len() < GROUP { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<(), FolderError> {
        let table = (self.table)(&std::mem::take(&mut self.rows));
        self.writer.write(&table).map_err(|error| broken(self.name, error))
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// If rows cannot be written.
    pub fn finish(mut self) -> Result<(), FolderError> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        self.writer.finish().map_err(|error| broken(self.name, error))
    }
}

fn broken(name: &str, source: TableError) -> FolderError {
    FolderError::Table { path: name.into(), source }
}
