//! Figures and units as people read them.

use airpath_plot::figure;
use airpath_results::{MetricName, unit_for_people};
use airpath_scenario::FIRST_256QAM;
use serde_json::Value;

/// The least MCS downlink with 256QAM of a scenario, if its cells are LTE and have the table with
/// it.
pub(crate) fn first_256qam(scenario: &Value) -> Option<u8> {
    let cell = &scenario["cell"];
    let table = &cell["link_adaptation"]["mcs_table"]["down"];
    (cell["technology"] == "lte" && table == "256qam").then_some(FIRST_256QAM)
}

/// Factor of a figure in a unit of files, and the unit for readers.
pub fn shown(unit: &str) -> (f64, &str) {
    match unit {
        "bytes" | "B" => (1e-3, "kB"),
        unit => unit_for_people(unit),
    }
}

/// A figure with its unit.
pub fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => figure(value),
        "%" => format!("{}%", figure(value)),
        unit => format!("{} {unit}", figure(value)),
    }
}

/// The mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A metric's name for an axis: without its unit, in words.
pub fn label(metric: &str) -> String {
    let MetricName { over_users, whose, what, statistic, .. } = MetricName::of(metric);
    let whose = whose.map(|whose| format!("{whose}: ")).unwrap_or_default();
    let what = what.strip_prefix("ip ").map_or(what.clone(), |rest| format!("IP {rest}"));
    let spelt = |statistic: Option<String>| match statistic.as_deref() {
        None => String::new(),
        Some("p5") => ", 5th percentile".to_owned(),
        Some("p50") => ", median".to_owned(),
        Some("p95") => ", 95th percentile".to_owned(),
        Some("p99") => ", 99th percentile".to_owned(),
        Some(other) => format!(", {}", other.replace('_', " ")),
    };
    let over = over_users.map(|over| format!("{} over users", spelt(Some(over))));
    format!("{whose}{what}{}{}", spelt(statistic), over.unwrap_or_default())
}

/// A stage as the legend of a chart and the timeline have it.
pub fn stage_name(stage: &str) -> &str {
    match stage {
        "sender" => "Sender",
        "wired_queue" => "Wired queue",
        "wired" => "Wires",
        "rrc" => "RRC",
        "pdcp" => "PDCP",
        "uplink_access" => "Uplink access",
        "rlc" => "RLC",
        "radio" => "Radio",
        "harq" => "HARQ",
        "arq" => "ARQ (RLC)",
        "reestablishment" => "Re-establishment",
        "reordering" => "Reordering",
        "processing" => "Processing",
        "handover" => "Handover",
        other => other,
    }
}

/// Index of a stage's colour in [`airpath_plot::COLOURS`]: the same in charts, on cards and in the
/// timeline. Waits are warm, the air is blue.
pub fn stage_colour(stage: &str) -> usize {
    match stage {
        "radio" => 0,
        "pdcp" => 1,
        "reordering" => 2,
        "uplink_access" => 3,
        "wired_queue" => 4,
        "harq" => 5,
        "rlc" => 8,
        "rrc" => 9,
        "wired" => 11,
        "arq" => 12,
        "reestablishment" => 10,
        "sender" => 13,
        "handover" => 7,
        _ => 6,
    }
}

/// A stage in words, behind a time.
pub fn stage_in_words(stage: &str) -> &str {
    match stage {
        "sender" => "in the sender",
        "wired_queue" => "waiting for a wired link",
        "wired" => "on wires",
        "rrc" => "waiting for a radio connection",
        "pdcp" => "waiting in PDCP",
        "uplink_access" => "waiting for the right to send",
        "rlc" => "waiting in RLC",
        "radio" => "on the air",
        "harq" => "in HARQ retransmissions",
        "arq" => "in retransmissions of RLC",
        "reestablishment" => "in failures of the radio link",
        "reordering" => "waiting for earlier data",
        "processing" => "being processed",
        "handover" => "in handovers",
        other => other,
    }
}

/// Names in the order of their first occurrence.
pub fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_words() {
        let of =
            ["goodput_bps", "video.frame_delay_p99_ms", "loss_rate", "ip_delay_mean_ms"].map(label);
        let words = ["goodput", "video: frame delay, 99th percentile", "loss", "IP delay, mean"];
        assert_eq!(of, words);
        assert_eq!(with_unit(shown("bit/s").0 * 2_300_000.0, shown("bit/s").1), "2.3 Mbit/s");
        assert_eq!(with_unit(shown("1").0 * 0.25, "%"), "25%");
    }
}
