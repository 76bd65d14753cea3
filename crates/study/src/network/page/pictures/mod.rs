//! Pictures of a study's experiments: what its figures show, by our runs.

mod lines;
mod list;
mod measure;
mod scatter;

use airpath_plot::Chart;

use crate::network::page::Findings;
use crate::network::page::form::NOT_MADE;

/// Names of the pictures that are no lines.
const USERS: [&str; 2] = ["users-sinr", "users-rate"];

/// Names of the pictures of traces, with the published figures.
const TRACES: [(&str, &str); 5] = [
    ("trace-thresholds", "figure 5.3"),
    ("trace-good", "figure 5.14"),
    ("trace-middling", "figure 5.15"),
    ("trace-bad", "figure 5.16"),
    ("trace-low-rate", "figure 6.2"),
];

/// The charts of which runs were made; their ids are the names of the pictures.
pub(super) fn pictures(findings: &Findings<'_>) -> Vec<Chart> {
    let data = &findings.data;
    let lines = list::LINES.iter().map(|picture| (picture.name, lines::chart(data, picture)));
    let users = USERS.into_iter().zip([scatter::by_sinr(data), scatter::by_rate(data)]);
    let named = |(name, chart): (&str, Option<Chart>)| {
        Some(Chart { id: format!("{}-{name}", findings.study.name), ..chart? })
    };
    lines.chain(users).filter_map(named).collect()
}

/// A picture in a page, with the published figures that it stands beside; none if there is no such
/// picture.
pub(super) fn place(
    findings: &Findings<'_>,
    drawn: &[Chart],
    name: &str,
    caption: &str,
) -> Option<String> {
    let listed = list::LINES.iter().find(|picture| picture.name == name);
    let figures = match (listed, name) {
        (Some(picture), _) => picture.figures,
        (None, "users-sinr") => "figure A.4",
        (None, "users-rate") => "figure A.5",
        _ => TRACES.iter().find(|(trace, _)| *trace == name)?.1,
    };
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
