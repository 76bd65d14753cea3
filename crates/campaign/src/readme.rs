//! Text of a campaign's folder on itself.

use std::fmt::Write;

use crate::CampaignSummary;
use crate::identity::RunsAsked;
use crate::write::axis_column;

/// Arms that are listed.
const ARMS: usize = 50;

/// The text of README.md.
pub(crate) fn text(of: &CampaignSummary) -> String {
    let runs: usize = of.arms.iter().map(|arm| arm.seeds.len()).sum();
    let (arms, arm) = (of.arms.len(), if of.arms.len() == 1 { "arm" } else { "arms" });
    let mut text = format!(
        "# A campaign of {arms} {arm}, {runs} runs\n\nWritten by airpath {}, build {}.\n\n",
        of.version,
        of.build.chars().take(16).collect::<String>()
    );
    text += &asked(&of.campaign);
    text += FILES;
    text += "\n## Columns of runs\n\n| column | unit | meaning |\n|---|---|---|\n";
    text += "| `arm` |  | Name of the arm. |\n";
    for column in &of.columns {
        let _ = writeln!(text, "| `{}` |  | Value of this key in the arm. |", axis_column(column));
    }
    text += "| `seed` |  | Seed of the run. Runs of the same seed may be compared in pairs. |\n";
    for (name, doc) in of.metrics.iter() {
        let _ = writeln!(text, "| `{name}` | {} | {} |", doc.unit, doc.meaning.replace('|', "\\|"));
    }
    text += "\n## Arms\n\n| arm | scenario | runs |\n|---|---|---|\n";
    for arm in of.arms.iter().take(ARMS) {
        let name = arm.name.replace('|', "\\|");
        let _ = writeln!(text, "| {name} | `{}` | {} |", arm.scenario, arm.seeds.len());
    }
    if arms > ARMS {
        let _ = writeln!(text, "\n{} more are in `summary.json`.", arms - ARMS);
    }
    for failure in &of.failures {
        let _ = writeln!(text, "\nFailed: {}, seed {}: {}", failure.arm, failure.seed, failure.why);
    }
    text
}

fn asked(runs: &RunsAsked) -> String {
    match runs {
        RunsAsked::Replications(runs) => format!("Each arm ran with {runs} seeds.\n"),
        RunsAsked::Until { metric, interval, least, most } => format!(
            "Each arm ran until the 95% interval of the mean of `{metric}` was within {}% of it, \
             at least {least} and at most {most} times.\n",
            interval * 100.0
        ),
    }
}

const FILES: &str = "
| file | what it holds |
|---|---|
| `runs.parquet`, `runs.csv` | a row for each run: arm, axes, seed, metrics |
| `users.parquet`, `users.csv` | a row for each user of each run |
| `intervals.parquet`, `intervals.csv` | each metric over the runs of each arm: mean and 95% interval (Student's t over runs) |
| `arms/` | the scenario of each arm with all defaults, as `airpath run` takes it |
| `summary.json` | arms, seeds, metrics, what failed |

    pandas.read_parquet(\"runs.parquet\").groupby(\"arm\").mean(numeric_only=True)
    duckdb -c \"SELECT arm, avg(goodput_bps) FROM 'runs.parquet' GROUP BY arm\"

`airpath plot` draws this folder, `airpath compare` compares two of its arms.
";
