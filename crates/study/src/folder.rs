//! Results of readings as files of a results folder.

use airpath_results::{FORMAT, FolderError, ResultsFolder, Table, VERSION};

use crate::{Report, Study, UeRow, VALUES};

impl Report {
    /// Writes rows, values and what stands beside claims into a folder of results; `seeds` is how
    /// often runs were repeated.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write(
        &self,
        folder: &ResultsFolder,
        study: &Study,
        seeds: u64,
    ) -> Result<(), FolderError> {
        folder.write_json("claims.json", &self.rows)?;
        folder.write_table(VALUES, &self.values.table())?;
        folder.write_json("per-ue.json", &self.per_ue)?;
        folder.write_table("per-ue.parquet", &per_ue(&self.per_ue))?;
        folder.write_json("stages.json", &self.stages)?;
        folder.write_json("causes.json", &self.figures)?;
        folder.write_json("ramp-ups.json", &self.ramps)?;
        folder.write_json("counts.json", &self.counts)?;
        let summary = serde_json::json!({
            "format": FORMAT, "version": VERSION, "study": study.name, "seeds": seeds,
            "complete": self.failures.is_empty(), "failures": self.failures,
        });
        folder.write_json("summary.json", &summary)
    }
}

fn per_ue(rows: &[UeRow]) -> Table {
    Table::new()
        .utf8("reading", rows.iter().map(|row| &row.reading))
        .utf8("run", rows.iter().map(|row| &row.run))
        .utf8("ue", rows.iter().map(|row| &row.ue))
        .bool("marked", rows.iter().map(|row| row.marked))
        .optional_f64("delay_ms", rows.iter().map(|row| row.delay_ms))
        .optional_f64("jitter_ms", rows.iter().map(|row| row.jitter_ms))
        .optional_f64("lost_percent", rows.iter().map(|row| row.lost_percent))
}
