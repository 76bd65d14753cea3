//! An answer for people.

use airpath_campaign::capacity::{Capacity, Ending, Point, Refused};
use airpath_plot::plural;

use crate::table::{Column, table};

/// The text.
pub fn text(answer: &Capacity) -> String {
    let names: Vec<String> =
        answer.points.iter().map(|point| point.users_per_cell.to_string()).collect();
    let cells = |read: fn(&Point) -> String| answer.points.iter().map(read).collect::<Vec<_>>();
    let columns = vec![
        column("satisfied", cells(|point| percent(point.satisfied))),
        column("95% interval", cells(interval)),
        column("runs", cells(|point| point.runs.to_string())),
        column("", cells(|point| if point.rises { "rises" } else { "" }.to_owned())),
    ];
    let mut text = table("users a cell", &names, columns) + "\n";
    text += &(sentence(answer) + "\n");
    if let Some(Refused { from, why }) = &answer.refused {
        let from = plural(from, "user");
        text += &format!("From {from} a cell on the scenario is refused: {why}.\n");
    }
    if !answer.is_monotone {
        text += "The share of satisfied users rises with their number at points that the table names. For the answer, numbers \
                 between which it rises have their mean.\n";
    }
    if !answer.is_narrow {
        text += &(unsure(answer) + ": --most-seeds allows more runs.\n");
    }
    let kept = match answer.resumed {
        0 => String::new(),
        resumed => format!(", {resumed} of them kept from before"),
    };
    text + &format!("{}{kept}.\n", plural(answer.runs, "run"))
}

fn column(title: &str, cells: Vec<String>) -> Column {
    Column { over: "", title: title.to_owned(), cells }
}

fn sentence(answer: &Capacity) -> String {
    let Capacity { satisfied, users, of, users_per_cell, cells, .. } = answer;
    let (share, number) = (percent(*of), plural(*users_per_cell, "user"));
    let network = if *cells > 1 {
        format!(" ({} UEs in {cells} cells)", answer.count)
    } else {
        String::new()
    };
    let more = if answer.refused.is_none() { " --most allows more." } else { "" };
    match answer.ending {
        Ending::None => format!(
            "0 users a cell: of one user of {users} a cell, fewer than {share} have {satisfied}."
        ),
        Ending::Above => format!(
            "At least {number} a cell{network}: with so many, {share} of {users} have {satisfied}.{more}"
        ),
        Ending::Found => {
            let interval = match (answer.crossing, answer.low, answer.high) {
                (Some(at), Some(low), Some(high)) => {
                    format!(" The share is {share} at {at:.1} (95%: {low:.1} to {high:.1}).")
                }
                _ => String::new(),
            };
            format!(
                "{number} a cell{network}: the largest number of {users} of whom {share} have {satisfied}.{interval}"
            )
        }
    }
}

/// Reason for which an answer is not sure.
fn unsure(answer: &Capacity) -> String {
    let Capacity { of, users_per_cell, .. } = answer;
    let steps = match answer.ending {
        Ending::Found => return "Half of the interval is more than 5%".to_owned(),
        Ending::None => 1,
        Ending::Above => *users_per_cell,
    };
    let users = plural(steps, "user");
    format!("The 95% interval of the share at {users} a cell holds {}", percent(*of))
}

fn interval(point: &Point) -> String {
    match (point.low, point.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => String::new(),
    }
}

fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}
