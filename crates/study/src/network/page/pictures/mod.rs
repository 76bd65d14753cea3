//! Pictures of a study's experiments: what its figures show, by our runs.

mod lines;
mod list;
mod measure;
mod scatter;

use airpath_plot::Chart;

use crate::network::page::Findings;
use crate::network::page::form::NOT_MADE;

use crate::StudyError;
use crate::network::TraceSpec;
use list::Pictures;

/// The charts of which runs were made; their ids are the names of the pictures.
///
/// # Errors
///
/// A list of pictures of another form.
pub(super) fn pictures(findings: &Findings<'_>) -> Result<Vec<Chart>, StudyError> {
    let (data, all) = (&findings.data, Pictures::of(findings.study)?);
    let lines = all.pictures.iter().map(|own| (&own.name, lines::chart(data, &all, own)));
    let users = all.users.iter().map(|own| (&own.name, scatter::chart(data, own)));
    let named = |(name, chart): (&String, Option<Chart>)| {
        Some(Chart { id: format!("{}-{name}", findings.study.name), ..chart? })
    };
    Ok(lines.chain(users).filter_map(named).collect())
}

/// A picture in a page, with the published figures that it stands beside; none if there is no such
/// picture.
pub(super) fn place(
    findings: &Findings<'_>,
    drawn: &[Chart],
    name: &str,
    caption: &str,
) -> Option<String> {
    let (all, traces) = (Pictures::of(findings.study).ok()?, TraceSpec::of(findings.study).ok()?);
    let lines = all.pictures.iter().map(|own| (&own.name, &own.figures));
    let users = all.users.iter().map(|own| (&own.name, &own.figures));
    let traces = traces.pictures.iter().map(|own| (&own.id, &own.figures));
    let (_, figures) = lines.chain(users).chain(traces).find(|(known, _)| *known == name)?;
    let id = format!("{}-{name}", findings.study.name);
    let caption = format!("{caption} (the thesis' {figures})");
    Some(match drawn.iter().any(|chart| chart.id == id) {
        true => format!("![{caption}](../img/{id}.svg)"),
        false => format!("*{caption}: {NOT_MADE}.*"),
    })
}

#[cfg(test)]
#[path = "pictures_tests.rs"]
mod tests;
