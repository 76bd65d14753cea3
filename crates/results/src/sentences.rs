//! Parts of sentences on several UEs.

use airpath_net::Direction;

/// Names in one sentence at most.
const MOST_NAMES: usize = 6;

/// The number of some UEs as the subject of a sentence.
pub(crate) fn ues(count: usize) -> String {
    match count {
        1 => "1 UE".to_owned(),
        _ => format!("{count} UEs"),
    }
}

/// The first names of a list, and the number of all others.
pub(crate) fn list(names: &[String]) -> String {
    let first = names[..names.len().min(MOST_NAMES)].join(", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A direction as a word.
pub(crate) fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Downlink => "downlink",
        Direction::Uplink => "uplink",
    }
}
