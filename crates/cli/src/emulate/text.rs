//! Messages of an emulation.

use airpath_live::Ended;
use airpath_results::RealTime;
use airpath_scenario::world::Host;
use airpath_scenario::{Scenario, nearest};

use crate::table;

/// Addresses of the server and of UEs, with the flows that are left out.
pub fn beginning(scenario: &Scenario, hosts: &[Host], with_flows: bool) -> String {
    let (server, ues) = hosts.split_first().expect("the server is the first host");
    let mut text = format!("the server's side is {} and {}\n", server.v4, server.v6);
    for ue in ues {
        text += &format!("{} is {} and {}\n", ue.name, ue.v4, ue.v6);
    }
    let left_out = left_out(scenario, ues);
    if !with_flows && !left_out.is_empty() {
        let left_out = left_out.join(", ");
        text += &format!("left out for the program: {left_out}; --with-flows keeps them\n");
    }
    text.trim_end().to_owned()
}

/// Names of the flows that these UEs would have.
fn left_out<'a>(scenario: &'a Scenario, real: &[Host]) -> Vec<&'a str> {
    let real: Vec<usize> = real.iter().filter_map(|host| Some(host.ue?.index())).collect();
    let concerned = scenario.flow.iter().filter(|flow| {
        scenario.members(&flow.ue, flow.only.as_ref()).iter().any(|ue| real.contains(ue))
    });
    concerned.map(|flow| &flow.name[..]).collect()
}

/// A name of a UE that there is not.
pub fn no_such_ue(name: &str, all: &[String]) -> String {
    let meant = match nearest(name, all.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("there are {}", all.iter().take(8).cloned().collect::<Vec<_>>().join(", ")),
    };
    format!("no UE is called {name:?}; {meant}")
}

/// Summary of an emulation, with its lateness and its results folder.
pub fn end(ended: &Ended, all: bool) -> String {
    let mut text = format!("\n{}", table::summary(&ended.outcome.summary, all));
    if let Some(real_time) = &ended.timing.real_time {
        text += &clock(real_time);
    }
    if let Some(folder) = &ended.outcome.folder {
        text += &format!("results in {}\n", folder.path().display());
    }
    text.trim_end().to_owned()
}

/// Lateness of the emulation against the clock, in ms, and its share of a core.
fn clock(of: &RealTime) -> String {
    let RealTime { wake_p50_ms, wake_p99_ms, wake_max_ms, missed, wakes, .. } = of;
    let mut text = format!(
        "\nclock: woken {wake_p50_ms} ms late at the median, {wake_p99_ms} ms at p99, \
         {wake_max_ms} ms at most;\n       packets {} ms late at the median, {} ms at p99; \
         {missed} of {wakes} deadlines missed; {:.0}% of a core\n",
        of.added_p50_ms,
        of.added_p99_ms,
        of.cpu * 100.0
    );
    if let Some(warning) = &of.warning {
        text += &format!("warning: the results are doubtful: {warning}\n");
    }
    text
}
