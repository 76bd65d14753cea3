//! Verdicts by other runs, with other users at other positions.

use super::Findings;
use super::form::{NOT_MADE, deciding, table as form};
use crate::network::{Judged, Verdict};

/// The rows that are not judged alike by the published number of runs, by those beyond it, and by
/// all.
pub(super) fn table(findings: &Findings<'_>) -> String {
    if findings.others.iter().all(|judged| judged.outcome == Verdict::NotMade) {
        return NOT_MADE.to_owned();
    }
    let all: Vec<[&Judged; 3]> = findings
        .published
        .iter()
        .zip(&findings.others)
        .zip(&findings.judged)
        .map(|((published, others), all)| [published, others, all])
        .filter(|[_, others, _]| others.outcome != Verdict::NotMade)
        .collect();
    let differs =
        |row: &&[&Judged; 3]| row[0].outcome != row[1].outcome || row[0].outcome != row[2].outcome;
    let rows: Vec<Vec<String>> = all.iter().filter(differs).map(row).collect();
    let turned = all.iter().filter(|row| opposite(row[0].outcome, row[1].outcome)).count();
    let text = format!(
        "{} of {} rows of which there are other runs are judged alike by these alone, by as many \
         as published, and by all; {turned} hold by the one and fail by the other.",
        all.len() - rows.len(),
        all.len()
    );
    let head = ["row", "what is said", "as many runs as published", "other runs", "all", "figure"];
    if rows.is_empty() { text } else { format!("{text}\n\n{}", form(&head, rows)) }
}

fn row([published, others, all]: &[&Judged; 3]) -> Vec<String> {
    let [_, figure] = deciding(all);
    let outcomes = [published, others, all].map(|judged| judged.outcome.word().to_owned());
    let row = [all.row.id.clone(), all.row.says.clone()];
    row.into_iter().chain(outcomes).chain([figure]).collect()
}

/// True if one verdict is that the row holds, and the other that it fails.
pub(super) fn opposite(a: Verdict, b: Verdict) -> bool {
    matches!((a, b), (Verdict::Holds, Verdict::Fails) | (Verdict::Fails, Verdict::Holds))
}
