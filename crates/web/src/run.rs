//! A run in slices, and the results folder that it leaves in memory.

use airpath_base::Time;
use airpath_report::record;
use airpath_results::{Folder, ResultsFolder, Timing};
use airpath_scenario::Scenario;
use airpath_scenario::world::WorldOptions;
use airpath_sim::Course;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Files;

/// Wake-ups in a slice: a network takes some 100 ms for them, others less than 1 ms.
const SLICE: u32 = 1_000;

/// A run that goes on slice by slice. It records what `airpath run --report` does.
#[wasm_bindgen]
pub struct Run {
    course: Course,
    end: Time,
    complete: bool,
    overrides: Vec<String>,
    title: String,
}

#[wasm_bindgen]
impl Run {
    /// Begins a run of a scenario's text. Each override is `KEY=VALUE`, as `--set` takes it. Results
    /// are called `name`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the scenario, a line each, or a mistake of a model.
    #[wasm_bindgen(constructor)]
    pub fn new(
        name: &str,
        text: &str,
        overrides: Vec<String>,
        files: &Files,
    ) -> Result<Run, String> {
        let scenario = Scenario::parse_with(name, text, &overrides, &|path| files.text(path));
        let mut scenario = scenario.map_err(|errors| errors.plain())?;
        record(&mut scenario);
        let folder = Some(ResultsFolder::in_memory(name));
        let course = Course::begin(&scenario, None, folder, WorldOptions::default());
        let course = course.map_err(|failure| failure.to_string())?;
        let end = Time::ZERO + scenario.duration;
        let title = scenario.title.unwrap_or_else(|| name.to_owned());
        Ok(Run { course, end, complete: false, overrides, title })
    }

    /// Title of the scenario, or its name.
    pub fn title(&self) -> String {
        self.title.clone()
    }

    /// Goes on for a slice. Gives the share of the simulated time that has passed, 1 if nothing is left
    /// to do. Events at the end of the run may be left while all time has passed.
    ///
    /// # Errors
    ///
    /// A mistake of a model.
    pub fn advance(&mut self) -> Result<f64, String> {
        self.complete =
            self.course.run_some(self.end, SLICE, None).map_err(|failure| failure.to_string())?;
        let now = self.course.world().engine.now();
        let share = now.as_secs_f64() / self.end.as_secs_f64();
        Ok(if self.complete { 1.0 } else { share.min(1.0 - f64::EPSILON) })
    }

    /// Ends the run, at its end or before. `wall_s` goes to `timing.json`.
    ///
    /// # Errors
    ///
    /// A mistake of a model.
    pub fn finish(self, wall_s: f64) -> Result<Results, String> {
        let Run { course, complete, overrides, .. } = self;
        let timing = |simulated_s: f64| Timing {
            overrides: overrides.clone(),
            ..Timing::new(simulated_s, wall_s, "browser", 1)
        };
        let outcome = course.finish(complete, Some(&timing)).map_err(|error| error.to_string())?;
        let folder = outcome.folder.ok_or("the run has left no results")?;
        Ok(Results { folder })
    }
}

/// Results folder of a run.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Results {
    pub(crate) folder: Folder,
}

#[wasm_bindgen]
impl Results {
    /// Names of its files, in order.
    pub fn names(&self) -> Vec<String> {
        self.folder.files().into_iter().flat_map(|files| files.keys().cloned()).collect()
    }

    /// Bytes of a file, if it is there.
    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        Some(self.folder.files()?.get(name)?.to_vec())
    }
}
