//! A study's results folder, and beside it the cache of its runs until there are results.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use airpath_results::ResultsFolder;
use airpath_sim::RunCache;
use airpath_study::BUILD;

use crate::BAD_INPUT;
use crate::output::{fail, note};

/// Output of a study: its results folder, and its finished runs while others are to be made.
pub struct Out {
    /// The results folder.
    pub target: PathBuf,
    /// Finished runs. Processes that write to the same target share these.
    pub cache: RunCache,
    /// Resumed runs that notes have reported.
    told: AtomicUsize,
}

impl Out {
    /// Opens the output of a study. A folder that is not airpath's is refused here, before hours of
    /// runs.
    ///
    /// # Errors
    ///
    /// The exit code; the reason has been printed.
    pub fn open(target: &Path) -> Result<Out, u8> {
        let folder = ResultsFolder::beside(target, "runs").map_err(|e| fail(e, BAD_INPUT))?;
        let cache = RunCache::open(&folder, BUILD)
            .map_err(|error| fail(format!("{}: {error}", target.display()), BAD_INPUT))?;
        Ok(Out { target: target.to_owned(), cache, told: AtomicUsize::new(0) })
    }

    /// Says how many runs of a reading that is done were resumed, if any.
    pub fn done(&self, reading: &str, all: usize) {
        let resumed = self.cache.resumed();
        let resumed = resumed - self.told.swap(resumed, Ordering::SeqCst);
        if resumed > 0 {
            note(format!("{reading}: {all} runs done, {resumed} of them resumed"));
        }
        self.warn();
    }

    /// Says what is kept of a study that is not finished.
    pub fn stopped(&self) {
        self.warn();
        let (runs, folder) = (self.cache.kept(), self.cache.folder().display());
        if runs > 0 {
            note(format!("{runs} finished runs are kept in {folder}; the same command goes on"));
        }
    }

    /// Removes the kept runs: their results are there.
    pub fn finished(self) {
        self.warn();
        let folder = self.cache.folder().to_owned();
        match self.cache.clear() {
            Ok(true) => {}
            Ok(false) => note(format!(
                "note: {} stays: another airpath works in it, or it holds other files",
                folder.display()
            )),
            Err(error) => note(format!("warning: {}: {error}", folder.display())),
        }
    }

    fn warn(&self) {
        for fault in self.cache.faults() {
            note(format!("warning: {fault}"));
        }
    }
}
