//! Finished runs of a study beside its results folder, and what is said of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use airpath_results::ResultsFolder;
use airpath_study::Keep;

use crate::BAD_INPUT;
use crate::output::{fail, note};

/// What of a study is written: its results, and its runs until there are results.
pub struct Out {
    /// The results folder.
    pub target: PathBuf,
    /// None if this program cannot be told from another one.
    pub keep: Option<Keep>,
    /// Runs that have been told of as resumed.
    told: AtomicUsize,
}

impl Out {
    /// Whoever asks for a folder that is not ours hears of it before hours of runs.
    ///
    /// # Errors
    ///
    /// The exit code; the reason has been printed.
    pub fn open(target: &Path) -> Result<Out, u8> {
        let folder = ResultsFolder::beside(target, "runs").map_err(|e| fail(e, BAD_INPUT))?;
        let keep = match program() {
            Ok(program) => Some(
                Keep::open(&folder, &program)
                    .map_err(|error| fail(format!("{}: {error}", target.display()), BAD_INPUT))?,
            ),
            Err(error) => {
                note(format!("warning: finished runs are not kept: {error}"));
                None
            }
        };
        Ok(Out { target: target.to_owned(), keep, told: AtomicUsize::new(0) })
    }

    /// Says that all runs of a reading are done, and how many of them were resumed.
    pub fn done(&self, reading: &str, all: usize) {
        let resumed = self.keep.as_ref().map_or(0, Keep::resumed);
        match resumed - self.told.swap(resumed, Ordering::SeqCst) {
            0 => note(format!("{reading}: {all} runs done")),
            resumed => note(format!("{reading}: {all} runs done, {resumed} of them resumed")),
        }
        self.warn();
    }

    /// Says what is kept of a study that is not finished.
    pub fn stopped(&self) {
        self.warn();
        let Some(keep) = self.keep.as_ref().filter(|keep| keep.kept() > 0) else { return };
        let (runs, folder) = (keep.kept(), keep.folder().display());
        note(format!("{runs} finished runs are kept in {folder}; the same command goes on"));
    }

    /// Removes the kept runs: their results are there.
    pub fn finished(mut self) {
        self.warn();
        let Some(keep) = self.keep.take() else { return };
        let folder = keep.folder().to_owned();
        match keep.clear() {
            Ok(true) => {}
            Ok(false) => note(format!("note: {} stays, with the rest", folder.display())),
            Err(error) => note(format!("warning: {}: {error}", folder.display())),
        }
    }

    fn warn(&self) {
        for fault in self.keep.iter().flat_map(Keep::faults) {
            note(format!("warning: {fault}"));
        }
    }
}

/// The bytes of this program: another build may measure other things.
fn program() -> io::Result<Vec<u8>> {
    // Linux has it under this name even if it was built anew since it began.
    fs::read("/proc/self/exe").or_else(|_| fs::read(std::env::current_exe()?))
}
