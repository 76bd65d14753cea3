//! Kept cards as a page of the documentation.

use std::fmt::Write as _;

use airpath_stats::{CONFIDENCE, Verdict, mean_interval};

use crate::kept::KeptVerdict;
use crate::{EvaluateError, Kept, Suite};

/// Beginning of the page.
const HEAD: &str = "# Report cards of the built-in controllers

`make cards` evaluates all controllers that airpath comes with, and writes this page. `make current` judges the kept values by
the present criteria, and makes one run of each suite again. [Evaluating congestion controllers](evaluate.md) has the meaning of
verdicts.
";

impl Kept {
    /// The page of these kept cards, in Markdown.
    ///
    /// # Errors
    ///
    /// If a suite has another case or criterion than its kept card.
    pub fn page(kept: &[Kept]) -> Result<String, EvaluateError> {
        let suites: Vec<Suite> =
            kept.iter().map(|own| Suite::known(&own.suite)).collect::<Result<_, _>>()?;
        let judged = kept.iter().zip(&suites).map(|(own, suite)| own.judged(suite));
        let judged: Vec<Vec<KeptVerdict<'_>>> = judged.collect::<Result<_, _>>()?;
        let mut text = HEAD.to_owned();
        for (own, judged) in kept.iter().zip(&judged) {
            text += &suite(own, judged);
        }
        let mut controllers: Vec<&String> = Vec::new();
        for name in kept.iter().flat_map(|own| &own.controllers) {
            if !controllers.contains(&name) {
                controllers.push(name);
            }
        }
        for name in controllers {
            text += &controller(name, kept, &judged);
        }
        Ok(text)
    }
}

/// Criteria of each case that hold, by controller.
fn suite(kept: &Kept, judged: &[KeptVerdict<'_>]) -> String {
    let seeds = judged.iter().map(|own| own.row.values.len()).max().unwrap_or(0);
    let most = if seeds == 1 { "one seed".to_owned() } else { format!("at most {seeds} seeds") };
    let mut text = format!(
        "\n## Suite {}\n\nCriteria that hold, of those that were compared; airpath {}, {most}.\n\n| case |",
        kept.suite, kept.version
    );
    let has = |name: &&String| judged.iter().any(|own| own.row.controller == **name);
    let controllers: Vec<&String> = kept.controllers.iter().filter(has).collect();
    controllers.iter().for_each(|name| _ = write!(text, " {name} |"));
    text += &format!("\n|---|{}\n", "---|".repeat(controllers.len()));
    let mut cases: Vec<&str> = judged.iter().map(|own| own.row.case.as_str()).collect();
    cases.dedup();
    for case in cases {
        let _ = write!(text, "| `{case}` |");
        for name in &controllers {
            let own = judged.iter().filter(|own| own.row.case == case);
            let [held, of] = count(own.filter(|own| own.row.controller == **name));
            let cell = if of == 0 { "–".to_owned() } else { format!("{held}/{of}") };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

/// Criteria that hold, and all that could be compared.
fn count<'a>(judged: impl Iterator<Item = &'a KeptVerdict<'a>>) -> [usize; 2] {
    let verdicts = judged.map(|own| own.verdict).filter(|own| *own != Verdict::NotComparable);
    verdicts.fold([0, 0], |[held, of], own| [held + usize::from(own == Verdict::Holds), of + 1])
}

/// The card of a controller: its count, and each criterion that does not hold.
fn controller(name: &str, kept: &[Kept], judged: &[Vec<KeptVerdict<'_>>]) -> String {
    let of = || {
        let all = kept.iter().zip(judged);
        all.flat_map(|(kept, judged)| judged.iter().map(move |own| (&kept.suite, own)))
            .filter(|(_, own)| own.row.controller == name)
    };
    let [held, all] = count(of().map(|(_, own)| own));
    let mut text = format!("\n## {name}\n\n{held} of {all} criteria hold.\n");
    let mut rows = of()
        .filter(|(_, own)| !matches!(own.verdict, Verdict::Holds | Verdict::NotComparable))
        .peekable();
    if rows.peek().is_some() {
        text += "\n| case | criterion | verdict | figure | bound |\n|---|---|---|---|---|\n";
    }
    for (suite, own) in rows {
        let verdict = own.verdict.word();
        let (case, criterion) = (&own.row.case, &own.criterion.name);
        let _ = writeln!(
            text,
            "| `{suite}/{case}` | {criterion} | {verdict} | {} | {} |",
            figure(own),
            bound(own)
        );
    }
    text
}

/// Mean over seeds with its 95% interval, or the reason for none.
fn figure(own: &KeptVerdict<'_>) -> String {
    if let Some(why) = &own.row.not_made {
        return why.replace('|', "/");
    }
    let values: Vec<f64> = own.row.values.iter().flatten().copied().collect();
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let half = mean_interval(&values, CONFIDENCE).map(|own| own.high - own.estimate);
    let half = half.map_or(String::new(), |half| format!(" ± {}", digits(half)));
    format!("{}{half} {}", digits(mean), own.criterion.unit).trim_end().to_owned()
}

fn bound(own: &KeptVerdict<'_>) -> String {
    let bounds = [("at least", own.criterion.at_least), ("at most", own.criterion.at_most)];
    let bounds = bounds.into_iter().filter_map(|(word, at)| Some(format!("{word} {}", at?)));
    bounds.collect::<Vec<_>>().join(", ")
}

/// Three significant digits.
fn digits(value: f64) -> String {
    format!("{value:.2e}").parse::<f64>().unwrap_or(value).to_string()
}
