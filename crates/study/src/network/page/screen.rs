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
    let both: Vec<&Findings<'_>> =
        [Some(findings), findings.second.as_deref()].into_iter().flatten().collect();
    let differ = both.iter().flat_map(|found| {
        let reading = (both.len() > 1).then(|| name(found));
        let fails = found.judged.iter().filter(|judged| judged.outcome == Verdict::Fails);
        fails.map(move |judged| differing(judged, reading.clone()))
    });
    let screen = written(findings.study, &fill, differ.collect())?;
    let standings = match both.len() {
        1 => standings(&findings.judged),
        _ => both.iter().map(|found| standing(&name(found), &found.judged)).collect(),
    };
    let open = standings.iter().map(|part| part.other(Verdict::NotResolved)).sum();
    let (counted, again) = ("rows that hold", ["runs", "--runs N"]);
    let ruled = !findings.rules.sentences.is_empty();
    let by_sentence = ruled.then(|| standing("all, by their sentences", &findings.by_sentence));
    let by_sentence = Vec::from_iter(by_sentence);
    Ok(Screen { counted, standings, by_sentence, open, again, ..screen })
}

fn differing(judged: &Judged, reading: Option<String>) -> Differing {
    let [place, figure] = deciding(judged);
    let id = judged.row.id.clone();
    Differing {
        label: id.clone(),
        id,
        reading,
        says: format!("{}; here {figure} ({place})", judged.row.says),
        verdict: judged.outcome,
    }
}

/// The name of the reading of findings.
fn name(findings: &Findings<'_>) -> String {
    format!("{} reading", findings.reading.word())
}

/// The rows of each part by verdict.
fn standings(judged: &[Judged]) -> Vec<Standing> {
    let mut parts: Vec<&str> = Vec::new();
    for row in judged {
        if !parts.contains(&row.row.part.as_str()) {
            parts.push(&row.row.part);
        }
    }
    let of_part = |part: &str| standing(part, judged.iter().filter(|row| row.row.part == part));
    parts.into_iter().map(of_part).collect()
}

/// Rows by verdict, under a name.
fn standing<'j>(name: &str, rows: impl IntoIterator<Item = &'j Judged>) -> Standing {
    let rows: Vec<&Judged> = rows.into_iter().collect();
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
