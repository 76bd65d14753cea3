//! The summary of a run for people: within 80 columns.

use std::fmt::Write as _;

use airpath_net::Stage;
use airpath_results::{CellSummary, FlowSummary, RunSummary, UeSummary};

/// Columns of a name.
const NAME: usize = 16;
/// Rows that a table has at most.
const MOST_ROWS: usize = 40;

/// All tables of a run.
pub fn summary(run: &RunSummary) -> String {
    let mut text = String::new();
    if let Some(title) = run.scenario["title"].as_str() {
        text += &format!("{title}\n");
    }
    text += &format!("{} s simulated, seed {}\n\n", run.duration_s, run.seed);
    text += &flows(&run.flows);
    text += &applications(&run.flows);
    text += "\nwhere a packet's time goes, mean in ms\n";
    text += &stages(&run.flows);
    text += &states(&run.ues);
    for cell in &run.cells {
        text += &format!("\n{}\n", cell_line(cell));
    }
    text
}

fn flows(flows: &[FlowSummary]) -> String {
    let mut text = format!(
        "{:NAME$}{:>7}{:>7}{:>6}{:>9}{:>7}{:>7}{:>7}{:>8}{:>6}\n",
        "flow", "sent", "recvd", "lost", "goodput", "mean", "p95", "p99", "jitter", "retx"
    );
    text += &format!("{:NAME$}{:>29}{:>7}{:>7}{:>7}{:>8}\n", "", "Mbit/s", "ms", "ms", "ms", "ms");
    for flow in flows.iter().take(MOST_ROWS) {
        let delay = flow.delay_ms.as_ref();
        let row = writeln!(
            text,
            "{}{:>7}{:>7}{:>6}{:>9}{:>7}{:>7}{:>7}{:>8}{:>6}",
            name(&flow.name),
            count(flow.sent_packets),
            count(flow.received_packets),
            count(flow.lost_packets),
            number(flow.goodput_bps.map(|bps| bps / 1e6)),
            number(delay.map(|delay| delay.mean)),
            number(delay.map(|delay| delay.p95)),
            number(delay.map(|delay| delay.p99)),
            number(flow.jitter_ms),
            count(flow.retransmissions),
        );
        row.expect("a string takes what is written");
    }
    text + &omitted(flows.len())
}

/// What users of applications that ask saw; nothing if there are none.
fn applications(flows: &[FlowSummary]) -> String {
    let asking = |flow: &&FlowSummary| flow.requests.is_some() || flow.playback.is_some();
    let mut text = String::new();
    for flow in flows.iter().filter(asking).take(MOST_ROWS) {
        let mut parts = Vec::new();
        if let Some(requests) = &flow.requests {
            let mean = number(requests.duration_ms.as_ref().map(|duration| duration.mean));
            parts.push(format!("{} of {} answered, {mean} ms", requests.answered, requests.asked));
        }
        if let Some(play) = &flow.playback {
            let (start, stalled) = (number(play.startup_s), number(Some(play.stalled_s)));
            let stalls = play.stalls;
            parts.push(format!("start-up {start} s, {stalls} stalls of {stalled} s"));
        }
        text += &format!("{}{}\n", name(&flow.name), parts.join("; "));
    }
    if text.is_empty() { text } else { format!("\nrequests and players\n{text}") }
}

/// Time by stage, under the names that files have; stages in which nobody spends time are
/// left out.
fn stages(flows: &[FlowSummary]) -> String {
    let spent = |flow: &FlowSummary, stage: Stage| flow.stages_ms.get(stage.name()).copied();
    let used =
        |stage: &Stage| flows.iter().any(|flow| spent(flow, *stage).is_some_and(|ms| ms > 0.0));
    let used: Vec<Stage> = Stage::ALL.into_iter().filter(used).collect();
    let mut text = stage_titles(&used);
    for flow in flows.iter().take(MOST_ROWS) {
        let cells = used.iter().map(|stage| {
            let shown = number(spent(flow, *stage));
            format!("{shown:>width$}", width = stage_width(*stage))
        });
        text += &format!("{}{}\n", name(&flow.name), cells.collect::<String>());
    }
    text + &omitted(flows.len())
}

/// A name with an underscore takes two lines.
fn stage_titles(stages: &[Stage]) -> String {
    let part = |stage: &Stage, first: bool| match stage.name().split_once('_') {
        Some((begin, _)) if first => format!("{begin}_"),
        Some((_, rest)) => rest.to_owned(),
        None if first => String::new(),
        None => stage.name().to_owned(),
    };
    let line = |title: &str, first: bool| {
        let cells = stages
            .iter()
            .map(|stage| format!("{:>width$}", part(stage, first), width = stage_width(*stage)));
        format!("{title:NAME$}{}", cells.collect::<String>()).trim_end().to_owned() + "\n"
    };
    match stages.iter().any(|stage| stage.name().contains('_')) {
        true => line("", true) + &line("flow", false),
        false => line("flow", false),
    }
}

fn stage_width(stage: Stage) -> usize {
    let longest = stage.name().split('_').map(str::len).max().unwrap_or(0);
    (longest + 2).max(7)
}

/// Radio states and energy of UEs with RRC.
fn states(ues: &[UeSummary]) -> String {
    let with: Vec<_> = ues.iter().filter_map(|ue| Some((ue, ue.rrc.as_ref()?))).collect();
    if with.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nradio states, share of the time in %\n{:NAME$}{:>7}{:>7}{:>7}{:>7}{:>12}{:>9}\n",
        "ue", "idle", "promo", "active", "drx", "promotions", "energy J"
    );
    for (ue, rrc) in with.iter().take(MOST_ROWS) {
        let share = |state: &str| rrc.share.get(state).map(|share| share * 100.0);
        let drx = share("short_drx").zip(share("long_drx")).map(|(short, long)| short + long);
        let row = writeln!(
            text,
            "{}{:>7}{:>7}{:>7}{:>7}{:>12}{:>9}",
            name(&ue.name),
            number(share("idle")),
            number(share("promotion")),
            number(share("active")),
            number(drx),
            count(rrc.promotions),
            number(Some(rrc.total_energy_j)),
        );
        row.expect("a string takes what is written");
    }
    text + &omitted(with.len())
}

fn omitted(rows: usize) -> String {
    match rows.checked_sub(MOST_ROWS) {
        None | Some(0) => String::new(),
        Some(more) => format!("... and {more} more: see --json or --out\n"),
    }
}

fn cell_line(cell: &CellSummary) -> String {
    let share = |share: Option<f64>| match share {
        Some(share) => format!("{:.1}%", share * 100.0),
        None => "-".to_owned(),
    };
    let (down, up) = (share(cell.utilisation), share(cell.utilisation_up));
    let mcs = |mcs: Option<f64>| mcs.map_or("-".to_owned(), |mcs| format!("{mcs:.1}"));
    format!(
        "{}: {down} of the resource blocks downlink, {up} uplink; mean MCS {}, {}",
        cell.name,
        mcs(cell.down.mean_mcs),
        mcs(cell.up.mean_mcs),
    )
}

/// A name in its column, cut in the middle if it is too long: its end tells UEs apart.
fn name(name: &str) -> String {
    let long = name.chars().count();
    if long < NAME {
        return format!("{name:NAME$}");
    }
    let tail = (NAME - 2) / 2;
    let head: String = name.chars().take(NAME - 2 - tail).collect();
    let tail: String = name.chars().skip(long - tail).collect();
    format!("{head}~{tail} ")
}

/// A count in at most six columns.
fn count(n: u64) -> String {
    match n {
        0..=99_999 => n.to_string(),
        100_000..=9_999_999 => format!("{}k", n / 1_000),
        10_000_000..=9_999_999_999 => format!("{}M", n / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000),
    }
}

/// A number with about four digits; a dash if there is none.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_counts_keep_to_their_columns() {
        assert_eq!(name("voice"), "voice           ");
        assert_eq!(name("marked voice near-7"), "marked ~ near-7 ");
        assert_eq!(name("a name of many letters").chars().count(), NAME);
        for n in [0, 99_999, 100_000, 9_999_999, 10_000_000, u64::from(u32::MAX)] {
            assert!(count(n).len() <= 5, "{n}");
        }
    }

    #[test]
    fn numbers_have_about_four_digits() {
        let shown = [0.0, 0.1234, 9.876, 12.34, 123.4, 12_345.6].map(|n| number(Some(n)));
        assert_eq!(shown, ["0", "0.12", "9.88", "12.3", "123", "12346"]);
        assert_eq!(number(None), "-");
    }
}
