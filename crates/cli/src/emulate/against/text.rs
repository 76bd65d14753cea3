//! Text of a comparison, within 80 columns.

use airpath_live::against::{Half, Halves};

use super::compare::{Comparison, FlowRows, Mean, Row};
use crate::wrap::wrap;

/// Columns of the screen.
const WIDTH: usize = 80;

/// Announcement of the runs: flows that are carried, and their time in seconds.
pub fn beginning(halves: &Halves, runs: u64) -> String {
    let names = halves.carried.iter().map(|&number| &halves.scenario.flow[number].name[..]);
    let names: Vec<&str> = names.collect();
    let seconds = halves.scenario.duration.as_secs_f64() * runs as f64;
    let mut text = format!(
        "{}: simulated first, then by the kernel's TCP in real time ({seconds:.0} s)\n",
        names.join(", ")
    );
    for (flow, why) in &halves.left {
        text += &format!("{flow} stays simulated: {why}\n");
    }
    text.trim_end().to_owned()
}

/// Both halves side by side.
pub fn screen(halves: &Halves, comparison: &Comparison) -> String {
    let runs = comparison.seeds.len();
    let mut text = match runs {
        1 => format!("one run, seed {}\n", comparison.seeds[0]),
        runs => format!("means of {runs} runs with their 95% intervals\n"),
    };
    text += &line(["", "simulated", "kernel", "ratio"]);
    for flow in &comparison.flows {
        text += &self::flow(flow);
    }
    text += &format!(
        "\n{}",
        line(["processor time, s", &cpu(&comparison.simulated), &cpu(&comparison.kernel), ""])
    );
    text += "\n";
    text += &wrap(&told(halves), "", "", WIDTH);
    text += "\n";
    text += &wrap(&comparison.verdict(), "", "", WIDTH);
    for warning in comparison.warnings() {
        let warning = format!("warning: the kernel's half is doubtful: {warning}");
        text += &wrap(&warning, "", "", WIDTH);
    }
    text
}

fn flow(of: &FlowRows) -> String {
    let mut text = format!("\n{} ({})\n", of.name, of.controller);
    for row in &of.rows {
        text += &self::row(row);
    }
    text
}

fn row(of: &Row) -> String {
    let name = match of.unit {
        "" => format!("  {}", of.measure),
        unit => format!("  {}, {unit}", of.measure),
    };
    let value = |mean: Option<Mean>| mean.map_or("-".to_owned(), number);
    let ratio = of.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    line([&name, &value(of.simulated), &value(of.kernel), &ratio])
}

fn line([name, simulated, kernel, ratio]: [&str; 4]) -> String {
    let line = format!("{name:<30}{simulated:>19}{kernel:>19}{ratio:>10}");
    format!("{}\n", line.trim_end())
}

fn number(of: Mean) -> String {
    let digits = match of.mean.abs() {
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        _ => 3,
    };
    match of.half {
        Some(half) => format!("{:.digits$} ± {half:.digits$}", of.mean),
        None => format!("{:.digits$}", of.mean),
    }
}

fn cpu(halves: &[Half]) -> String {
    let all: f64 = halves.iter().map(|half| half.cpu_s).sum();
    format!("{:.2}", all / halves.len().max(1) as f64)
}

/// Settings that the simulated flows took from the kernel.
fn told(halves: &Halves) -> String {
    match halves.taken.is_empty() {
        true => "The simulated flows are as the scenario has them.".to_owned(),
        false => {
            let taken = halves.taken.join(", ");
            format!("The simulated flows have of the kernel: {taken}; --as-written keeps them.")
        }
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
