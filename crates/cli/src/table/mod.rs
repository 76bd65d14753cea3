//! Summary of a run for people: within 80 columns and, without `--all`, within one screen. The
//! flows stand last, where the eye is, since a run is made for these.
//!
//! Percentiles of a group are not known from those of its flows; the largest stands for them.

mod cells;
mod columns;
mod entry;
mod numbers;
mod radio_links;
mod users;

use airpath_net::Stage;
use airpath_plot::{plural, seconds};
use airpath_results::{ChangeSummary, FlowInfo, FlowSummary, RunSummary, UeSummary};

use airpath_results::UeGroups;
use columns::SCREEN;
pub use columns::{Column, table};
use entry::Entry;
pub use numbers::{count, number, rounded};

use crate::wrap::wrap;

/// With more flows than this, groups of UEs stand for them.
const MOST_FLOWS: usize = 8;
/// Rows of a table on one screen.
const MOST_ROWS: usize = 12;

/// All tables of a run; `all` for a row for each flow, however many there are.
pub fn summary(run: &RunSummary, all: bool) -> String {
    let groups = UeGroups::of(&run.scenario);
    let mut entries = match all || run.flows.len() <= MOST_FLOWS {
        true => run.flows.iter().map(|flow| Entry::of(flow.name.clone(), &[flow])).collect(),
        false => entry::by_group(&run.flows, &groups),
    };
    let grouped = entries.len() < run.flows.len();
    let rows = if all { usize::MAX } else { MOST_ROWS };
    let omitted = entries.len().saturating_sub(rows);
    entries.truncate(rows);
    let mut text = String::new();
    if let Some(title) = run.scenario["title"].as_str() {
        text += &format!("{title}\n");
    }
    text += &format!("{} s simulated, seed {}\n", seconds(run.duration_s), run.seed);
    text += &changes(&run.changes, all);
    text += &stages(&entries);
    text += &applications(&entries);
    text += &radio_links::text(&run.ues, all);
    text += &radio_links::handovers(run);
    text += &states(&run.ues, &groups, all, rows);
    text += "\n";
    text += &cells::text(&run.cells, all);
    text += &match grouped {
        true => group_table(&entries, run.duration_s - run.warm_up_s),
        false => flow_table(&entries),
    };
    text += &fairness(&run.flows);
    text += &users::text(&run.users);
    text += &nothing(run, rows);
    text += &warnings(run);
    if omitted > 0 {
        text += &format!("and {}: --all shows each\n", plural(omitted, "more row"));
    }
    if grouped {
        let packets = entries.iter().any(|entry| entry.packets);
        let worst = if packets { " p95, p99: of the worst flow;" } else { "" };
        text += &format!("goodput of all: over the run;{worst} --all shows each flow\n");
    }
    text
}

/// Reasons for which nothing of a flow arrived: a sentence for each such flow.
fn nothing(run: &RunSummary, rows: usize) -> String {
    let why = |flow: &FlowSummary| {
        let why = run.why_nothing(flow)?;
        Some(wrap(&why, &format!("{}: nothing arrived: ", flow.name), "  ", SCREEN))
    };
    let all: Vec<String> = run.flows.iter().filter_map(why).collect();
    let shown: String = all.iter().take(rows).cloned().collect();
    match all.len().saturating_sub(rows) {
        0 => shown,
        more => format!("{shown}and {}: --all shows each\n", plural(more, "more such flow")),
    }
}

/// UEs out of reach, and bearers without packets.
fn warnings(run: &RunSummary) -> String {
    run.warnings().into_iter().map(|text| wrap(&text, "warning: ", "  ", SCREEN)).collect()
}

/// Changes of settings during the run, a line for each instant.
fn changes(made: &[ChangeSummary], all: bool) -> String {
    let rows = if all { usize::MAX } else { MOST_ROWS };
    let line = |change: &ChangeSummary| {
        let first = format!("at {} s: ", change.at_s);
        wrap(&change.set.join(", "), &first, &" ".repeat(first.len()), SCREEN)
    };
    let omitted = made.len().saturating_sub(rows);
    let lines: String = made.iter().take(rows).map(line).collect();
    match omitted {
        0 => lines,
        _ => format!("{lines}and {}: --all shows each\n", plural(omitted, "more change")),
    }
}

fn names(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.name.clone()).collect()
}

fn column(
    over: &'static str,
    title: &str,
    entries: &[Entry],
    of: impl Fn(&Entry) -> String,
) -> Column {
    Column { over, title: title.to_owned(), cells: entries.iter().map(of).collect() }
}

const DELAY: &str = "one-way delay, ms";

/// The title of a column, and what an entry has there.
type Titled<T> = (&'static str, fn(&Entry) -> T);

fn flow_table(entries: &[Entry]) -> String {
    let mut columns =
        packets(entries, &[("sent", |e| e.sent), ("recvd", |e| e.received), ("lost", |e| e.lost)]);
    columns.push(column("goodput", "Mbit/s", entries, |e| number(e.rates.first().copied())));
    columns.extend(delays(entries, &[("jitter", |e| e.jitter)]));
    columns.extend(sometimes(entries));
    table("flow", &names(entries), columns)
}

/// Table of groups, in a run that was measured for so many seconds.
fn group_table(entries: &[Entry], seconds: f64) -> String {
    const GOODPUT: &str = "goodput, Mbit/s";
    let extreme = |pick: fn(f64, f64) -> f64| {
        move |entry: &Entry| number(entry.rates.iter().copied().reduce(pick))
    };
    let mut columns = vec![column("", "flows", entries, |e| e.flows.to_string())];
    columns.extend(packets(entries, &[("sent", |e| e.sent), ("lost", |e| e.lost)]));
    columns.extend([
        column(GOODPUT, "all", entries, |e| number(e.carried(seconds))),
        column(GOODPUT, "least", entries, extreme(f64::min)),
        column(GOODPUT, "most", entries, extreme(f64::max)),
    ]);
    columns.extend(delays(entries, &[]));
    columns.extend(sometimes(entries));
    table("flows of", &names(entries), columns)
}

/// Columns of numbers of packets; none where nobody has packets.
fn packets(entries: &[Entry], of: &[Titled<u64>]) -> Vec<Column> {
    let any = entries.iter().any(|entry| entry.packets);
    let cell = |n: u64, entry: &Entry| if entry.packets { count(n) } else { number(None) };
    let columns = of.iter().filter(|_| any);
    columns.map(|(title, of)| column("", title, entries, |e| cell(of(e), e))).collect()
}

/// Columns of their delays, some and `more`; none where nobody has packets.
fn delays(entries: &[Entry], more: &[Titled<Option<f64>>]) -> Vec<Column> {
    let any = entries.iter().any(|entry| entry.packets);
    let usual: [Titled<Option<f64>>; 3] =
        [("mean", |e| e.delay), ("p95", |e| e.p95), ("p99", |e| e.p99)];
    let columns = usual.iter().chain(more).filter(|_| any);
    columns.map(|(title, of)| column(DELAY, title, entries, |e| number(of(e)))).collect()
}

/// Columns that only some runs have: retransmissions of TCP, and marks.
fn sometimes(entries: &[Entry]) -> Vec<Column> {
    let mut columns = Vec::new();
    if entries.iter().any(|entry| entry.retransmissions > 0) {
        columns.push(column("", "retx", entries, |e| count(e.retransmissions)));
    }
    if entries.iter().any(|entry| entry.marks > 0) {
        let share = |e: &Entry| (e.sent > 0).then(|| e.marks as f64 / e.sent as f64 * 100.0);
        columns.push(column("", "CE %", entries, |e| number(share(e))));
    }
    columns
}

/// Jain's index of goodput, for each direction with two flows or more that take all capacity they
/// get. These are greedy TCP and full buffers.
///
/// (sum x)^2 / (n sum x^2): R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984.
fn fairness(flows: &[FlowSummary]) -> String {
    let kinds = [("tcp", "TCP's goodput"), (FlowInfo::FULL_BUFFER, "full buffers")];
    kinds.into_iter().map(|(kind, name)| fairness_of(flows, kind, name)).collect()
}

fn fairness_of(flows: &[FlowSummary], kind: &str, name: &str) -> String {
    let whole = |flow: &&FlowSummary| {
        let asks = flow.requests.is_some() || flow.playback.is_some();
        flow.kind == kind && flow.finish_s.is_none() && !asks
    };
    let of = |direction: &str| {
        let own = flows.iter().filter(whole);
        let own = own.filter(|flow| flow.direction.as_deref() == Some(direction));
        let rates: Vec<f64> = own.filter_map(|flow| flow.goodput_bps).collect();
        let index = jain(&rates)?;
        Some(format!("{index:.3} over {} {direction}", plural(rates.len(), "flow")))
    };
    let parts: Vec<String> = ["down", "up"].into_iter().filter_map(of).collect();
    if parts.is_empty() {
        return String::new();
    }
    wrap(&parts.join(", "), &format!("fairness of {name} (Jain's index): "), "  ", SCREEN)
}

fn jain(rates: &[f64]) -> Option<f64> {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    (rates.len() > 1 && squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

/// Time by stage; stages in which nobody spends time are left out.
fn stages(entries: &[Entry]) -> String {
    let used = |stage: &Stage| entries.iter().any(|entry| entry.stage(stage.name()) > Some(0.0));
    let column =
        |stage: Stage| column("", stage.name(), entries, |e| number(e.stage(stage.name())));
    let columns: Vec<Column> = Stage::ALL.into_iter().filter(used).map(column).collect();
    if columns.is_empty() {
        return String::new();
    }
    format!("\nwhere a packet's time goes, mean in ms\n{}", table("", &names(entries), columns))
}

/// Outcomes of applications with requests, as their users see them; empty without such
/// applications.
fn applications(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let mut parts = Vec::new();
        // Of pages, their requests say nothing more.
        if let Some(pages) = &entry.pages {
            let (finished, asked) = (pages.answered, plural(pages.asked, "page"));
            parts.push(format!("{finished} of {asked} finished{}", in_the_mean(pages)));
        } else if let Some(requests) = &entry.requests {
            let (answered, asked) = (requests.answered, plural(requests.asked, "request"));
            parts.push(format!("{answered} of {asked} answered{}", in_the_mean(requests)));
        }
        if let Some(play) = &entry.playback {
            let start = number(play.startup_s());
            let stalls = match play.stalls {
                0 => "no stall".to_owned(),
                n => format!("{}, {} s in all", plural(n, "stall"), number(Some(play.stalled_s))),
            };
            parts.push(format!("played after {start} s, {stalls}"));
        }
        if !parts.is_empty() {
            text += &wrap(&parts.join("; "), &format!("{}: ", entry.name), "  ", SCREEN);
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn in_the_mean(requests: &entry::Requests) -> String {
    let mean = requests.mean_ms().map(|ms| format!(", {} ms in the mean", number(Some(ms))));
    mean.unwrap_or_default()
}

/// Radio states and energy of UEs with RRC.
fn states(ues: &[UeSummary], groups: &UeGroups, all: bool, rows: usize) -> String {
    let mut entries = entry::radio(ues, (!all && ues.len() > MOST_FLOWS).then_some(groups));
    entries.truncate(rows);
    if entries.is_empty() {
        return String::new();
    }
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let of = |over, title: &str, cell: &dyn Fn(&entry::Radio) -> String| Column {
        over,
        title: title.to_owned(),
        cells: entries.iter().map(cell).collect(),
    };
    const SHARE: &str = "radio states, % of the time";
    let share = |title: &'static str, states: &'static [&'static str]| {
        of(SHARE, title, &|entry| number(Some(entry.share(states) * 100.0)))
    };
    let mut columns = vec![
        share("idle", &["idle"]),
        share("promotion", &["promotion"]),
        share("active", &["active"]),
        share("DRX", &["short_drx", "long_drx"]),
        of("", "promotions", &|entry| count(entry.promotions)),
        of("energy", "J", &|entry| number(Some(entry.energy_j))),
    ];
    if entries.iter().any(|entry| entry.resumes.is_some()) {
        columns.insert(5, of("", "resumes", &|entry| entry.resumes.map_or("-".into(), count)));
        columns[1] = share("connecting", &["promotion", "resume"]);
        columns.insert(1, share("inactive", &["inactive"]));
    }
    format!("\n{}", table("UE", &names, columns))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
