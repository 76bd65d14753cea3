//! Lines among sections, and what is drawn in a row.

use super::Section;

/// Rows that each section gets of `room` lines, with `gap` lines before each. Each section, from
/// the front, gets one row as far as lines last; then each gets rows by its weight, in turn.
pub fn share(sections: &[Section], gap: usize, room: usize) -> Vec<usize> {
    let mut given = vec![0; sections.len()];
    let mut left = room;
    for (given, section) in given.iter_mut().zip(sections) {
        let first = gap + section.head.len() + 1;
        if first <= left {
            (*given, left) = (1, left - first);
        }
    }
    let mut before = usize::MAX;
    while left > 0 && left < before {
        before = left;
        for (given, section) in given.iter_mut().zip(sections).filter(|(given, _)| **given > 0) {
            let more = section.weight.min(section.rows.len() - *given).min(left);
            (*given, left) = (*given + more, left - more);
        }
    }
    given
}

/// Lines that sections need for all their rows, with `gap` lines before each.
pub fn needed(sections: &[Section], gap: usize) -> usize {
    sections.iter().map(|section| gap + section.head.len() + section.rows.len()).sum()
}

/// A share, 0 to 1, as a bar of so many columns.
pub fn bar(share: f64, columns: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    "█".repeat(full) + &"░".repeat(columns - full)
}

#[cfg(test)]
mod tests {
    use super::super::Line;
    use super::*;

    fn section(rows: usize, weight: usize) -> Section {
        let line = Line::default;
        Section { head: vec![line()], rows: vec![line(); rows], weight, from_end: false }
    }

    #[test]
    fn rows_are_shared_by_weight_and_nothing_is_left_over() {
        let sections = [section(9, 2), section(2, 1), section(9, 1)];
        assert_eq!(share(&sections, 1, 100), [9, 2, 9]);
        // Six lines for titles and gaps, eight for rows: one each, then 2, 1, 1 and 1.
        assert_eq!(share(&sections, 1, 14), [4, 2, 2]);
        assert_eq!(share(&sections, 0, 5), [2, 1, 0]);
        assert_eq!(share(&sections, 1, 1), [0, 0, 0]);
        assert_eq!(share(&[], 1, 9), [0; 0]);
        assert_eq!((needed(&sections, 1), needed(&sections, 0)), (26, 23));
    }

    #[test]
    fn a_bar_keeps_to_its_columns() {
        assert_eq!([0.0, 0.5, 1.3].map(|s| bar(s, 4)), ["░░░░", "██░░", "████"]);
        assert_eq!(bar(f64::NAN, 2), "░░");
    }
}
