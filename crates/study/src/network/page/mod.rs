//! The page of a study's experiments, and its screen.
//!
//! A page is a text with placeholders that the runs fill. An arm is written as `SCHEDULER/VARIANT`;
//! OF is `mean`, `p99` or `p5`. A figure without a run here becomes "not made". Placeholders are:
//!
//! ```text
//! {{OF|kpi|arm|load}}                   41.2 ms
//! {{OF|kpi|arm|load|interval}}          41.2 ms (38 to 44)
//! {{ratio|kpi|OF|first|second|load}}    0.62 (0.58 to 0.66); of dB a difference
//! {{change|kpi|OF|first|second|load}}   38% lower: the first against the second
//! {{range|kpi|OF|first|second}}         0.55 (5 users) to 0.82 (50 users): ratios over loads
//! {{rows|part or chapter}}              table of rows, and how they are understood
//! {{fails}}                             table of the rows that fail
//! {{verdict|row}} {{figure|row}}        how a row fares, and the figure that decides it
//! {{verdict|row|published}}             the same with as many runs as the source made
//! {{count|outcome}} {{count|outcome|part}} {{count|outcome|all|published}}
//! {{count|outcome|all|sentence}}        number of rows by the rules of their sentences
//! {{rules}}                             the rules, and the sentences with what they change
//! {{rules|differing}}                   table of rows that the two rules judge differently
//! {{counts}}                            table of outcomes by part
//! {{runs}}                              table of runs by load
//! {{survive}}                           table of rows that other runs judge otherwise
//! {{made}}                              table of how experiments came about
//! {{table|place of rows}}               published single runs beside what runs here have
//! {{open}}                              what each open choice changes
//! {{open|part}}                         the same of the choices of another part
//! {{variants|part}}                     the arms of a part beside those of the main one
//! {{picture|name|caption}}              a picture
//! {{second|…}}                          any of these in the second reading
//! {{both|…}}                            the same in the first, and in the second if it was made
//! {{readings}}                          the text on both readings, second.md
//! {{choices}}                           table of the choices in which the readings differ
//! {{agreement}}                         table of rows by their verdicts in both readings
//! {{shares}}                            table of the share of each choice
//! {{moved}}                             table of changes since tables of an earlier version
//! ```

mod figures;
mod findings;
mod form;
mod moved;
mod open;
mod other;
mod pictures;
mod places;
mod readings;
mod screen;
mod shares;
mod single_runs;
mod tables;
mod variants;

pub use findings::Findings;
pub use moved::{Moved, moved};
pub use screen::screen;

use crate::StudyError;
use crate::network::trace_pictures;
use crate::text::{Page, fill};

/// Fills a study's page; traces are those that are kept with airpath.
///
/// # Errors
///
/// If the page has an unknown placeholder, or the kept traces are damaged.
pub fn page(findings: &Findings<'_>) -> Result<Page, StudyError> {
    let mut drawn = pictures::pictures(findings)?;
    drawn.extend(trace_pictures(findings.study, &findings.traces)?);
    let place = |place: &str| places::filled(place, findings, &drawn);
    let text = filled_text(findings.study.needed("page.md")?, &place)?;
    let pictures = drawn.iter().map(|chart| (format!("{}.svg", chart.id), chart.svg()));
    Ok(Page { text, pictures: pictures.collect() })
}

/// A text with its placeholders filled.
///
/// # Errors
///
/// If a placeholder is unknown.
fn filled_text(text: &str, filled: &dyn Fn(&str) -> Option<String>) -> Result<String, StudyError> {
    fill(text, filled).map_err(|placeholder| {
        let placeholder: String = placeholder.chars().take(80).collect();
        StudyError::Data(format!("the page has no place {{{{{placeholder}}}}}"))
    })
}

#[cfg(test)]
#[path = "page_tests.rs"]
pub(crate) mod tests;
