//! The screen of a study's experiments, in the form of all studies ([`crate::screen`]).

use super::form::{NOT_MADE, deciding};
use super::{Findings, filled_text, places};
use crate::network::{Judged, Verdict};
use crate::screen::written;
use crate::{Differing, Screen, Standing, StudyError};

/// The screen of a study's experiments. A text with a figure of which no run was made is left out.
///
/// # Errors
///
/// A text without its sections, a reason of another form, or an unknown placeholder.
pub fn screen(findings: &Findings<'_>) -> Result<Screen, StudyError> {
    let fill = |text: &str| {
        let text = filled_text(text, &|place| places::filled(place, findings, &[]))?;
        Ok(Some(text).filter(|text| !text.contains(NOT_MADE)))
    };
    let differ = findings.judged.iter().filter(|judged| judged.outcome == Verdict::Fails);
    let screen = written(findings.study, &fill, differ.map(differing).collect())?;
    let parts = standings(&findings.judged);
    let open = parts.iter().map(|part| part.other(Verdict::NotResolved)).sum();
    let standings = match &findings.second {
        None => parts,
        Some(second) => [findings, second].into_iter().flat_map(of_reading).collect(),
    };
    let (counted, again) = ("rows that hold", ["runs", "--runs N"]);
    Ok(Screen { counted, standings, open, again, ..screen })
}

fn differing(judged: &Judged) -> Differing {
    let [place, figure] = deciding(judged);
    let id = judged.row.id.clone();
    Differing {
        label: id.clone(),
        id,
        reading: None,
        says: format!("{}; here {figure} ({place})", judged.row.says),
        verdict: judged.outcome,
    }
}

/// All rows of a reading, and those of each part.
fn of_reading(findings: &Findings<'_>) -> Vec<Standing> {
    let word = findings.reading.word();
    let named =
        |part: Standing| Standing { name: format!("{word} reading, {}", part.name), ..part };
    let own = || findings.judged.iter().collect::<Vec<_>>();
    let parts = standings(&findings.judged).into_iter().map(named);
    [standing(&format!("{word} reading"), &own())].into_iter().chain(parts).collect()
}

/// The rows of each part by verdict.
fn standings(judged: &[Judged]) -> Vec<Standing> {
    let mut parts: Vec<&str> = Vec::new();
    for row in judged {
        if !parts.contains(&row.row.part.as_str()) {
            parts.push(&row.row.part);
        }
    }
    let own = |part: &str| judged.iter().filter(|row| row.row.part == part).collect::<Vec<_>>();
    parts.into_iter().map(|part| standing(part, &own(part))).collect()
}

/// Rows by verdict, under a name.
fn standing(name: &str, rows: &[&Judged]) -> Standing {
    let count = |all: &[Verdict]| rows.iter().filter(|row| all.contains(&row.outcome)).count();
    let holds = count(&[Verdict::Holds, Verdict::Recovered]);
    let not_made = count(&[Verdict::NotMade, Verdict::NotComparable]);
    Standing {
        name: name.to_owned(),
        kinds: vec![("row", [holds, rows.len()])],
        others: vec![
            (Verdict::Fails, count(&[Verdict::Fails])),
            (Verdict::NotResolved, count(&[Verdict::NotResolved])),
            (Verdict::NotMade, not_made),
        ],
        ..Standing::default()
    }
}
