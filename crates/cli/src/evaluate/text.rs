//! A card on one screen.

use airpath_evaluate::{CONTROLLERS, Card, CaseCard, Change, Changed, Judged, SUITES};
use airpath_plot::plural;
use airpath_stats::Verdict;

use crate::wrap::{WIDTH, wrap};

/// Criteria that do not hold, as many as are printed without `--all`.
const MOST: usize = 12;
/// Columns of a suite's name.
const SUITE: usize = 10;
/// Columns of a controller.
const COLUMN: usize = 13;

/// Controllers and suites that there are.
pub fn list() -> String {
    let mut text = "Controllers:\n".to_owned();
    for known in CONTROLLERS {
        text += &format!("  {:<14} {}\n", known.name, known.about);
    }
    text += "\nSuites:\n";
    for (name, files) in SUITES {
        let cases = files.iter().filter(|(file, _)| file.ends_with(".case.toml")).count();
        text += &format!("  {name:<14} {}\n", plural(cases, "case"));
    }
    text + "\nairpath evaluate scream gcc --suite rfc8867 --quick evaluates two of them.\n"
}

/// Cases that hold by suite and controller, criteria that do not hold, changes, and the result.
pub fn card(card: &Card, all: bool) -> String {
    let changes = card.changes.as_deref();
    let mut text = suites(card);
    text += &criteria(card, all);
    if let Some(changes) = changes {
        text += &against(changes);
    }
    text + &result(card, changes)
}

/// A row for each suite: cases of which each criterion holds, of those that can be compared.
fn suites(card: &Card) -> String {
    let mut text = format!("{:<SUITE$}", "suite");
    card.controllers.iter().for_each(|name| text += &format!("{name:>COLUMN$}"));
    let mut names: Vec<&str> = card.cases.iter().map(|case| case.suite.as_str()).collect();
    names.dedup();
    for name in names {
        text += &format!("\n{name:<SUITE$}");
        for controller in &card.controllers {
            let own = card.cases.iter().filter(|case| case.suite == name);
            let verdicts: Vec<Verdict> = own
                .filter_map(|case| case.verdict(controller))
                .filter(|v| *v != Verdict::NotComparable)
                .collect();
            let held = verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count();
            let cell = match verdicts.len() {
                0 => "-".to_owned(),
                of => format!("{held} of {of}"),
            };
            text += &format!("{cell:>COLUMN$}");
        }
    }
    text + "\n\n"
}

fn criteria(card: &Card, all: bool) -> String {
    let judged = card.cases.iter().flat_map(|case| case.judged.iter().map(move |own| (case, own)));
    let shown = |(_, own): &(&CaseCard, &Judged)| {
        all || !matches!(own.verdict, Verdict::Holds | Verdict::NotComparable)
    };
    let rows: Vec<(&CaseCard, &Judged)> = judged.filter(shown).collect();
    let most = if all { rows.len() } else { MOST };
    let mut text = String::new();
    for (case, own) in rows.iter().take(most) {
        text += &wrap(&line(case, own), "", "    ", WIDTH);
    }
    if rows.len() > most {
        text += &format!("and {} more: --all has them\n", rows.len() - most);
    }
    if text.is_empty() { text } else { text + "\n" }
}

/// A criterion with its figure, interval and bounds.
fn line(case: &CaseCard, own: &Judged) -> String {
    let Judged { controller, criterion, verdict, unit, .. } = own;
    let head =
        format!("{}/{} {controller}, {criterion}: {}", case.suite, case.case, verdict.word());
    let Some(mean) = own.mean else {
        return match &own.reason {
            Some(reason) => format!("{head}, {reason}"),
            None => head,
        };
    };
    let half = own.half.map_or(String::new(), |half| format!(" ± {}", number(half)));
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let bounds = [own.at_least.map(|b| ("at least", b)), own.at_most.map(|b| ("at most", b))];
    let bounds: Vec<String> =
        bounds.into_iter().flatten().map(|(word, bound)| format!("{word} {bound}")).collect();
    let made = own.values.iter().flatten().count();
    let seeds =
        if made > 1 { format!("; {} of {made} seeds", own.fulfilled) } else { String::new() };
    format!("{head}, {}{half}{unit} ({}{seeds})", number(mean), bounds.join(" and "))
}

fn against(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "Nothing has changed by more than the threshold of its criterion.\n\n".to_owned();
    }
    let mut text = String::new();
    for change in changes {
        let word = match change.changed {
            Changed::Better => "better",
            Changed::Worse => "WORSE",
        };
        let line = format!(
            "{word}: {}/{} {}, {}: {:+} ± {} {}",
            change.suite,
            change.case,
            change.controller,
            change.criterion,
            rounded(change.difference),
            number(change.half),
            change.unit
        );
        text += &wrap(&line, "", "    ", WIDTH);
    }
    text + "\n"
}

/// A line for each controller.
fn result(card: &Card, changes: Option<&[Change]>) -> String {
    let mut text = String::new();
    for controller in &card.controllers {
        let count = |wanted: Verdict| card.verdicts(controller).filter(|v| *v == wanted).count();
        let of = card.verdicts(controller).filter(|v| *v != Verdict::NotComparable).count();
        let others = [
            (Verdict::Fails, "fail"),
            (Verdict::NotResolved, "not resolved"),
            (Verdict::NotMade, "not made"),
        ];
        let others = others.into_iter().map(|(verdict, word)| (count(verdict), word));
        let others: String = others
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!(", {count} {word}"))
            .collect();
        text += &format!("{controller}: {} of {of} criteria hold{others}\n", count(Verdict::Holds));
    }
    let count =
        |changed| changes.map(|all| all.iter().filter(|own| own.changed == changed).count());
    if let Some((better, worse)) = count(Changed::Better).zip(count(Changed::Worse)) {
        text += &format!("against the baseline: {better} better, {worse} worse\n");
    }
    text
}

/// Three significant digits.
fn number(value: f64) -> String {
    rounded(value).to_string()
}

fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
