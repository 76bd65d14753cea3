//! Figures as a page has them.

use airpath_plot::figure;
use airpath_stats::Interval;

use crate::network::{Judged, Place};

/// Text for a figure of which no run was made.
pub(super) const NOT_MADE: &str = "not made";

/// A level at which a row that fails is certain to.
pub(super) const CERTAIN: f64 = 0.01;

/// A figure with a unit.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => figure(value),
        "%" => format!("{}%", figure(value)),
        unit => format!("{} {unit}", figure(value)),
    }
}

/// A figure with its interval.
pub(super) fn with_interval(interval: Interval, unit: &str) -> String {
    let Interval { estimate, low, high } = interval;
    format!("{} ({} to {})", with_unit(estimate, unit), figure(low), figure(high))
}

/// Figure of a finding with its interval; a dash if the finding has no figure.
pub(super) fn of_place(place: &Place) -> String {
    let Place { value: estimate, low, high, .. } = *place;
    if !estimate.is_finite() {
        return "-".to_owned();
    }
    let unit = if place.ratio { "" } else { &place.unit };
    with_interval(Interval { estimate, low, high }, unit)
}

/// Verdict on a row, with the number of settings that were not made.
pub(super) fn outcome(judged: &Judged) -> String {
    match (judged.places.len(), judged.missing) {
        (1.., missing @ 1..) => format!("{}; {missing} places not made", judged.outcome.word()),
        _ => judged.outcome.word().to_owned(),
    }
}

/// Setting that decides a row, and its figure, as two cells of a table.
pub(super) fn deciding(judged: &Judged) -> [String; 2] {
    match judged.deciding() {
        Some(place) => [place.name.clone(), of_place(place)],
        None => ["-".to_owned(), "-".to_owned()],
    }
}

/// A table with a head.
pub(super) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        text += &format!("\n| {} |", row.join(" | "));
    }
    text
}
