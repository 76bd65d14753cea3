//! Sentences on what limits a flow.

use airpath_plot::{figure, plural};
use airpath_results::{CellSummary, FlowSummary, LinkSummary, UeSummary};

use super::judge::{Case, Cause, FULL};
use super::places::{Element, Place};
use crate::words::{first_256qam, stage_in_words, with_unit};

/// Sentence on the rate of a flow, its demand, and its limit.
pub(super) fn rate(case: &Case<'_>, cause: &Cause<'_>) -> String {
    format!("{}. {}", got(case, cause), why(case, cause))
}

fn megabits(bps: f64) -> String {
    with_unit(bps * 1e-6, "Mbit/s")
}

/// The rate, beside what the application could make and what its controller lets it make.
fn got(case: &Case<'_>, cause: &Cause<'_>) -> String {
    let got = format!("It gets {}", megabits(case.flow.goodput_bps.unwrap_or(0.0)));
    let adapts = case.asked.adapts && case.flow.media.is_some();
    let Some(most) = case.asked.most_bps.filter(|_| adapts) else { return got };
    let target = case.flow.media.as_ref().and_then(|media| media.target_bps);
    let lets = target
        .filter(|_| !matches!(cause, Cause::Application))
        .map_or_else(String::new, |target| {
            format!("; its controller lets the encoder make {} on average", megabits(target))
        });
    format!("{got} of the {} that its encoder makes at most{lets}", megabits(most))
}

fn why(case: &Case<'_>, cause: &Cause<'_>) -> String {
    let percent = |share: f64| with_unit(100.0 * share, "%");
    match *cause {
        Cause::Place(place) => at(case, place),
        Cause::Marks(share) => format!(
            "Marks hold it: {} of its packets were marked, and its sender slows down for them{}.",
            percent(share),
            room(case)
        ),
        Cause::Losses(share) => {
            format!("{} of its packets were lost{}.", percent(share), room(case))
        }
        Cause::Application => "It has what its application asks for.".into(),
        Cause::Buffer(bytes, name) => format!(
            "Its {name} of {} allows no more in an RTT of {}.",
            with_unit(bytes * 1e-3, "kB"),
            with_unit(case.rtt_s() * 1e3, "ms")
        ),
        Cause::Reader(bps) => format!("Its receiver reads {} at most.", megabits(bps)),
        Cause::Sender => "Nothing on its way is full, and next to nothing is lost or marked: its \
                          own congestion control holds it back."
            .into(),
    }
}

/// Sentence on the rest of the fullest element.
fn room(case: &Case<'_>) -> String {
    case.fullest().map_or_else(String::new, |(place, used)| {
        let name = match place.element {
            Element::Link(link) => format!("the link {}", link.name),
            Element::Radio(_, Some(cell)) => cell.name.clone(),
            Element::Radio(_, None) => "the cell".to_owned(),
        };
        format!("; {name} is used to {}", with_unit(100.0 * used.min(1.0), "%"))
    })
}

fn at(case: &Case<'_>, place: Place<'_>) -> String {
    let up = case.flow.direction.as_deref() == Some("up");
    match place.element {
        Element::Link(link) => on_link(link, place.used),
        Element::Radio(ue, Some(cell)) => {
            let link = ue.map(|ue| link_of(case, ue, up)).unwrap_or_default();
            on_radio(place, cell, up, &link)
        }
        Element::Radio(Some(ue), None) => {
            let cells = ue.cells.map_or_else(String::new, |cells| format!(", in {cells} cells"));
            format!("It waits for its radio link{cells}{}.", link_of(case, ue, up))
        }
        Element::Radio(None, None) => "It waits for its radio link.".into(),
    }
}

fn on_link(link: &LinkSummary, used: Option<f64>) -> String {
    let rate =
        link.rate_bps.map_or_else(String::new, |bps| format!(" of {}", megabits(bps as f64)));
    let full = match used {
        Some(used) if used >= FULL => ", which is full",
        _ => ", in whose queue its packets wait",
    };
    format!("It waits for the link {}{rate}{full}.", link.name)
}

fn on_radio(place: Place<'_>, cell: &CellSummary, up: bool, link: &str) -> String {
    let used = place.used;
    let used_said = with_unit(100.0 * used.unwrap_or(0.0).min(1.0), "%");
    if used.is_some_and(|used| used >= FULL) {
        let users = plural(place.sharing, "UE");
        return format!(
            "It waits for {}, which is full ({used_said} of its resource blocks, {users}){link}.",
            cell.name
        );
    }
    let control = cell.control_utilisation.filter(|share| *share >= FULL && !up);
    let also = control.map_or_else(String::new, |share| {
        format!(", and its control channel {}", with_unit(100.0 * share, "%"))
    });
    format!(
        "It waits for its radio link, in bursts: {} uses {used_said} of its resource blocks{also}{link}.",
        cell.name
    )
}

fn link_of(case: &Case<'_>, ue: &UeSummary, up: bool) -> String {
    let first = first_256qam(&case.run.scenario).filter(|_| !up);
    let table = first.map_or_else(String::new, |first| format!(" (256QAM from {first} on)"));
    let radio = if up { &ue.up } else { &ue.down };
    let parts = [
        radio.mean_sinr_db.map(|db| format!("SINR {}", with_unit(db, "dB"))),
        radio.mean_mcs.map(|mcs| format!("MCS {}{table}", figure(mcs))),
        radio
            .bler_first
            .map(|share| format!("{} of blocks repeated", with_unit(100.0 * share, "%"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

/// The delay of a flow's packets, and the stage that most of it is spent in.
pub(super) fn delay(flow: &FlowSummary) -> String {
    let Some(delay) = &flow.delay_ms else { return String::new() };
    let longest = flow.stages_ms.iter().max_by(|a, b| a.1.total_cmp(b.1));
    let most = longest.filter(|(_, ms)| **ms > 0.0).map_or_else(String::new, |(stage, ms)| {
        let share = with_unit((100.0 * ms / delay.mean.max(1e-9)).round(), "%");
        format!(", {} of it ({share}) {}", with_unit(*ms, "ms"), stage_in_words(stage))
    });
    format!(
        "A packet takes {} on average and {} at the 95th percentile{most}.",
        with_unit(delay.mean, "ms"),
        with_unit(delay.p95, "ms")
    )
}
