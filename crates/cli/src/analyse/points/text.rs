//! Two points on one screen, within 80 columns; what it comes to stands last.

use std::cmp::Reverse;

use airpath_analyse::points::{
    ClockBasis, ClockRecord, FlowPairRecord, MarkChange, PairRecord, WaitsRecord, WayRecord,
};
use airpath_plot::plural;

use crate::table::number;
use crate::wrap::wrap;

/// Flows and changes of marks that are shown.
const MOST_FLOWS: usize = 4;
const MOST_CHANGES: usize = 4;
/// Columns.
const WIDTH: usize = 80;

/// Text about two points: packets, clocks, delay and loss each way, changed marks.
pub fn pair(record: &PairRecord) -> String {
    let [first, second] = &record.points;
    let mut text = String::new();
    for (name, packets, which) in [(first, record.packets[0], 1), (second, record.packets[1], 2)] {
        text += &format!("point {which}: {name}, {}\n", plural(packets, "packet"));
    }
    text += &flows(record);
    text += &lines(&clock(&record.clock));
    text += &format!(
        "\n{:<8}{:>9}{:>16}{:>7}{:>10}{:>9}{:>7}{:>7}{:>7}\n",
        "points", "sent", "lost", "twice", "overtaken", "least", "median", "99%", "most"
    );
    text += &way("1 > 2", &record.ways[0]);
    text += &way("2 > 1", &record.ways[1]);
    if record.unknown_direction_flows > 0 {
        text += &lines(&format!(
            "{} in {} passed both points in an unknown direction, without delays",
            plural(record.unknown_direction_packets, "packet"),
            plural(record.unknown_direction_flows, "flow"),
        ));
    }
    text += "(delays in ms)\n";
    text += &marks("1 > 2", &record.ways[0]);
    text += &marks("2 > 1", &record.ways[1]);
    let shown = largest(record);
    if !shown.is_empty() {
        text += "\nwhere round trips go, in ms (the largest flows)\n";
        text += &shown.iter().map(|(flow, waits)| one(flow, waits)).collect::<String>();
    }
    text + "\n" + &lines(&result(record, shown.first().copied()))
}

fn lines(sentence: &str) -> String {
    wrap(sentence, "", "", WIDTH)
}

fn flows(record: &PairRecord) -> String {
    let mut text = format!("{} at both", plural(record.common_flows, "flow"));
    for (which, flows, packets) in [
        (1, record.flows_at_one[0], record.packets_at_one[0]),
        (2, record.flows_at_one[1], record.packets_at_one[1]),
    ] {
        if flows > 0 {
            text += &format!(", {flows} at {which} only ({})", plural(packets, "packet"));
        }
    }
    if record.addresses_differ {
        text += "; addresses are translated between them";
    }
    lines(&text)
}

fn clock(clock: &ClockRecord) -> String {
    let ClockRecord { offset_s, drift_ppm, .. } = *clock;
    let word = if offset_s < 0.0 { "behind" } else { "ahead" };
    let error = clock.drift_error_ppm.map(|ppm| format!(" (+-{ppm:.1})")).unwrap_or_default();
    let drift = match drift_ppm == 0.0 {
        true => format!("no drift beyond what queues do{error}"),
        false => format!("drift {drift_ppm:.1} ppm{error}"),
    };
    let removed = format!("clocks: 2 is {:.6} s {word}, {drift}; taken out.", offset_s.abs());
    match clock.basis {
        ClockBasis::OneClock => "clocks: one, or taken for one".into(),
        ClockBasis::LeastDelayEqual => {
            format!("{removed} Assumed: the least delay is the same both ways")
        }
        ClockBasis::NoDirection => {
            "clocks: not compared, as no flow tells which point it passes first".into()
        }
        ClockBasis::AboveLeast => {
            format!("{removed} With packets one way only, delays are what is above the least")
        }
    }
}

fn way(name: &str, way: &WayRecord) -> String {
    let WayRecord { sent, lost, duplicates, reordered, .. } = *way;
    let delay = |get: fn(&airpath_analyse::Spread) -> f64| number(way.delay_ms.as_ref().map(get));
    let lost = format!("{lost} ({})", percent(lost, sent));
    format!(
        "{name:<8}{sent:>9}{lost:>16}{duplicates:>7}{reordered:>10}{:>9}{:>7}{:>7}{:>7}\n",
        delay(|d| d.min),
        delay(|d| d.p50),
        delay(|d| d.p99),
        delay(|d| d.max),
    )
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.2}%", 100.0 * part as f64 / whole as f64) }
}

/// Changes of DSCP and ECN in one direction.
fn marks(name: &str, way: &WayRecord) -> String {
    let mut changes = way.marks.changes.clone();
    changes.sort_by_key(|change| Reverse(change.packets));
    let more = changes.len().saturating_sub(MOST_CHANGES);
    let told: Vec<String> = changes.iter().take(MOST_CHANGES).map(change).collect();
    if told.is_empty() {
        return String::new();
    }
    let more =
        if more > 0 { format!("; and {}", plural(more, "other change")) } else { String::new() };
    lines(&format!("{name} marks: {}{more}", told.join("; ")))
}

fn change(change: &MarkChange) -> String {
    const ECN: [&str; 4] = ["Not-ECT", "ECT(1)", "ECT(0)", "CE"];
    let MarkChange { dscp: [from, to], ecn, packets } = *change;
    let mut told = Vec::new();
    if from != to {
        let what = if to == 0 { " (bleached)" } else { "" };
        told.push(format!("DSCP {from} became {to}{what}"));
    }
    if ecn[0] != ecn[1] {
        let [before, behind] = ecn.map(|bits| ECN[usize::from(bits & 3)]);
        let what = if ecn[1] == 0 { " (bleached)" } else { "" };
        told.push(format!("{before} became {behind}{what}"));
    }
    format!("{} in {}", told.join(" and "), plural(packets, "packet"))
}

/// The flows with most packets whose round trips are known.
fn largest(record: &PairRecord) -> Vec<(&FlowPairRecord, WaitsRecord)> {
    let mut known: Vec<(&FlowPairRecord, WaitsRecord)> =
        record.flows.iter().filter_map(|flow| Some((flow, flow.waits?))).collect();
    known.sort_by_key(|(flow, _)| (Reverse(flow.up.sent + flow.down.sent), flow.number));
    known.truncate(MOST_FLOWS);
    known
}

fn one(flow: &FlowPairRecord, waits: &WaitsRecord) -> String {
    let part = |ms: f64| format!("{} ({:.0}%)", number(Some(ms)), 100.0 * ms / waits.sum());
    format!(
        "{} > {}: {}\n  client's side {}, up {}, down {}, server's side {}\n",
        flow.client,
        flow.server,
        number(Some(waits.sum())),
        part(waits.client_side_ms),
        part(waits.up_ms),
        part(waits.down_ms),
        part(waits.server_side_ms),
    )
}

/// Closing sentence about loss and delay between two points.
fn result(record: &PairRecord, largest: Option<(&FlowPairRecord, WaitsRecord)>) -> String {
    let mut told: Vec<String> = Vec::new();
    for (name, way) in ["1 to 2", "2 to 1"].iter().zip(&record.ways) {
        let Some(delay) = way.delay_ms else { continue };
        told.push(format!(
            "{name} {} of packets are lost and the rest take {} ms ({} to {})",
            percent(way.lost, way.sent),
            number(Some(delay.p50)),
            number(Some(delay.min)),
            number(Some(delay.p99)),
        ));
    }
    let mut text = match told.is_empty() {
        true => "Result: no delays, as the direction of no flow is known.".to_owned(),
        false => format!("Result: from {}.", told.join(", from ")),
    };
    if let Some((flow, waits)) = largest {
        let parts = [
            ("at the client's side of both points", waits.client_side_ms),
            ("between the points", waits.up_ms + waits.down_ms),
            ("at the server's side of both points", waits.server_side_ms),
        ];
        let most = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((place, ms)) = most {
            text += &format!(
                " The largest flow ({} > {}) spends {:.0}% of its round trip {place}.",
                flow.client,
                flow.server,
                100.0 * ms / waits.sum()
            );
        }
    }
    text
}
