//! Files that the real stacks of a run write: keys of TLS, and qlogs.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airpath_results::{FolderError, Output, ResultsFolder};
use airpath_scenario::world::{OpenLog, StackLogs};
use airpath_scenario::{FlowKind, Scenario};

/// Keys of all TLS connections of a run with captures.
const KEYS: &str = "capture.keys";

type Shared<T> = Arc<Mutex<T>>;

/// Files that stacks write during a run.
#[derive(Default)]
pub(crate) struct StackFiles {
    keys: Option<Shared<Vec<u8>>>,
    qlogs: Shared<Vec<QlogFile>>,
    /// The first file that could not be made.
    failed: Shared<Option<FolderError>>,
}

/// A qlog that a stack writes. The run ends it.
#[derive(Clone)]
struct QlogFile(Shared<BufWriter<Output>>);

impl StackFiles {
    /// Files that a scenario asks for, and the access of stacks to them.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub fn new(
        scenario: &Scenario,
        folder: Option<&ResultsFolder>,
    ) -> Result<(StackFiles, StackLogs), FolderError> {
        let has_quic = scenario.flow.iter().any(|flow| flow.kind == FlowKind::Quic);
        let Some(folder) = folder.filter(|_| has_quic) else { return Ok(Default::default()) };
        let keys = (!scenario.output.pcap.is_empty()).then(Shared::default);
        let files = StackFiles { keys: keys.clone(), ..StackFiles::default() };
        let qlog = match scenario.output.qlog {
            None => None,
            Some(_) => Some(files.opens(folder)?),
        };
        Ok((files, StackLogs { keys, qlog }))
    }

    fn opens(&self, folder: &ResultsFolder) -> Result<OpenLog, FolderError> {
        let base = folder.file(KEYS)?;
        let (all, failed) = (Arc::clone(&self.qlogs), Arc::clone(&self.failed));
        Ok(Arc::new(move |name: &str| {
            let made = base.beside(name).create().map_err(|source| {
                let kind = source.kind();
                held(&failed).get_or_insert(FolderError::Io { path: name.into(), source });
                kind
            });
            let file = BufWriter::new(made?);
            let file = QlogFile(Arc::new(Mutex::new(file)));
            held(&all).push(file.clone());
            Ok(Box::new(file))
        }))
    }

    /// Writes the keys, and the rest of all qlogs.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or could not be made.
    pub fn finish(&self, folder: &ResultsFolder) -> Result<(), FolderError> {
        if let Some(failed) = held(&self.failed).take() {
            return Err(failed);
        }
        if let Some(keys) = &self.keys {
            folder.write_bytes(KEYS, &held(keys))?;
        }
        for file in &*held(&self.qlogs) {
            let flushed = held(&file.0).flush();
            flushed.map_err(|source| FolderError::Io { path: "qlog".into(), source })?;
        }
        Ok(())
    }
}

impl Write for QlogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        held(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // The run does so at its end: a stack does it behind each event.
        Ok(())
    }
}

fn held<T>(own: &Mutex<T>) -> MutexGuard<'_, T> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}
