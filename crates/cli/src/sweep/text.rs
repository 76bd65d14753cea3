//! The table of a campaign: a row for each arm, a column for each metric.

use airpath_campaign::{Estimate, Report, SweepError};
use airpath_plot::plural;
use airpath_scenario::{Campaign, Runs};

use crate::args::SweepArgs;
use crate::metric::{Shown, heading};
use crate::table::{Column, table};

/// Columns of a table.
const MOST_METRICS: usize = 4;
/// Rows, unless all are wanted.
const MOST_ARMS: usize = 20;

/// Metrics that are shown without `--metric`, in this order, as far as runs have them.
const USUAL: [&str; 10] = [
    "goodput_bps",
    "queue_delay_p99_ms",
    "frame_delay_p99_ms",
    "page_p95_ms",
    "request_p95_ms",
    "completion_time_mean_ms",
    "delay_p99_ms",
    "loss_rate",
    "stalled_share",
    "pdsch_share",
];

/// The text.
///
/// # Errors
///
/// A metric of `--metric` that no run has.
pub fn text(args: &SweepArgs, campaign: &Campaign, report: &Report) -> Result<String, SweepError> {
    let shown = metrics(args, campaign, report)?;
    let most = if args.all { usize::MAX } else { MOST_ARMS };
    let arms = report.arms.len().min(most);
    let names: Vec<String> = report.arms.iter().take(arms).map(|arm| arm.name.clone()).collect();
    let mut text = String::new();
    for metrics in shown.chunks(MOST_METRICS) {
        let columns = metrics.iter().map(|metric| column(report, metric, arms)).collect();
        text += &(table("arm", &names, columns) + "\n");
    }
    if report.arms.len() > arms {
        let more = report.arms.len() - arms;
        text += &format!("{} more: --all prints them.\n", plural(more, "arm"));
    }
    text += &runs(report);
    text += &starred(report, &shown);
    text += &open(campaign, report);
    if let Some(folder) = report.folder.as_ref().filter(|_| args.out.is_some()) {
        text += &format!("All metrics of all runs are in {}.\n", folder.display());
    }
    Ok(text)
}

fn metrics(
    args: &SweepArgs,
    campaign: &Campaign,
    report: &Report,
) -> Result<Vec<String>, SweepError> {
    let known = || report.metrics.iter().map(|(name, _)| name);
    if let Some(none) = args.metric.iter().find(|metric| known().all(|name| name != *metric)) {
        return Err(SweepError::no_metric(none, known()));
    }
    if !args.metric.is_empty() {
        return Ok(args.metric.clone());
    }
    if args.all {
        return Ok(known().map(str::to_owned).collect());
    }
    let asked = match &campaign.runs {
        Runs::Until { metric, .. } => Some(metric.as_str()),
        Runs::Fixed(_) => None,
    };
    let tells =
        |metric: &&str| report.estimates.iter().any(|e| e.metric == **metric && e.mean != 0.0);
    let usual = USUAL.into_iter().filter(|metric| Some(*metric) != asked).filter(tells);
    Ok(asked.into_iter().chain(usual).take(MOST_METRICS).map(str::to_owned).collect())
}

fn column(report: &Report, metric: &str, arms: usize) -> Column {
    let unit = report.metrics.get(metric).map_or("", |doc| doc.unit.as_str());
    let shown = Shown::of(unit);
    let of = |arm: usize| report.estimates.iter().find(|e| e.arm == arm && e.metric == metric);
    let cells = (0..arms).map(|arm| of(arm).map_or("-".to_owned(), |e| cell(e, &shown)));
    Column { over: "", title: heading(metric, &shown), cells: cells.collect() }
}

fn cell(estimate: &Estimate, shown: &Shown<'_>) -> String {
    match &estimate.interval {
        Some(interval) => {
            let star = if estimate.coverage().is_some() { "*" } else { "" };
            shown.with_half_width(estimate.mean, interval.half_width()) + star
        }
        None => shown.number(estimate.mean),
    }
}

/// Number of runs, with the meaning of ±.
fn runs(report: &Report) -> String {
    let counts: Vec<usize> = report.arms.iter().map(|arm| arm.seeds.len()).collect();
    let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    let runs = match least == most {
        true => plural(most, "run"),
        false => format!("{least} to {most} runs"),
    };
    let resumed = match report.resumed {
        0 => String::new(),
        n => format!(", {n} of all were there"),
    };
    let drawn = report.estimates.iter().any(|e| e.stddev.is_some_and(|stddev| stddev > 0.0));
    if most > 1 && !drawn {
        return format!(
            "{runs} of each arm{resumed}, all alike: nothing in the scenario is drawn from the \
             seed, as a start = {{ min = \"0 s\", max = \"1 s\" }} is.\n"
        );
    }
    let sign = match most {
        0 | 1 => "one run has no interval",
        _ => "± is half the 95% interval of the mean",
    };
    format!("{runs} of each arm{resumed}; {sign}.\n")
}

/// Meaning of the star at an interval, if an interval has one.
fn starred(report: &Report, shown: &[String]) -> String {
    let of = report.estimates.iter().filter(|estimate| shown.contains(&estimate.metric));
    match of.filter_map(Estimate::coverage).reduce(f64::min) {
        Some(least) => format!(
            "* of so few values that spread so widely, such intervals hold the mean in {:.0}% or \
             more, not in 95%.\n",
            least * 100.0
        ),
        None => String::new(),
    }
}

/// Arms of which the metric is not known to the width that the campaign wants.
fn open(campaign: &Campaign, report: &Report) -> String {
    let (Runs::Until { metric, share, most, .. }, false) = (&campaign.runs, report.open.is_empty())
    else {
        return String::new();
    };
    let names: Vec<&str> = report.open.iter().map(|arm| report.arms[*arm].name.as_str()).collect();
    format!(
        "{metric} is not known to {}% after {most} runs in: {}.\n",
        share * 100.0,
        names.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        USUAL.iter().for_each(|name| assert!(is_declared(name), "{name}"));
    }
}
