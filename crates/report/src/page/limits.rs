//! What limits a flow, and where its packets wait: said from what a run counted.
//!
//! A queue *stands* if a packet waits in it on average. A flow whose packets wait longest in a
//! queue that stands is limited there. Where none stands, nothing on the way holds the flow back:
//! it is its application, what it lost, or its own window. This is a reading of means, not a proof.

use airpath_plot::figure;
use airpath_results::{CellSummary, FlowSummary, QueueSummary, RunSummary, UeSummary};

use crate::words::{counted, stage_in_words, with_unit};

/// From so many packets on average a queue stands.
const STANDING: f64 = 1.0;
/// From this share of its resource blocks a cell is full.
const FULL: f64 = 0.9;
/// A smaller share of packets lost or marked is not worth a word.
const FEW: f64 = 1e-4;

/// What limits a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The radio link and its cell, which is full.
    FullCell,
    /// The radio link, in a cell that is not full.
    Radio,
    /// A wired link.
    Link,
    /// Losses.
    Losses,
    /// Marks of congestion.
    Marks,
    /// The application.
    Application,
    /// The sender's window or congestion control.
    Sender,
    /// Nothing arrived.
    Nothing,
}

/// A flow and what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limited {
    /// What it is.
    pub limit: Limit,
    /// The same in a sentence.
    pub rate: String,
    /// Where its packets wait, in a sentence.
    pub delay: String,
}

impl Limit {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Limit::FullCell => "full cell",
            Limit::Radio => "radio link",
            Limit::Link => "wired link",
            Limit::Losses => "losses",
            Limit::Marks => "marks",
            Limit::Application => "application",
            Limit::Sender => "sender",
            Limit::Nothing => "nothing arrived",
        }
    }

    /// The same of several flows.
    pub fn sentence(self) -> &'static str {
        match self {
            Limit::FullCell => "wait for resource blocks of a cell that is full",
            Limit::Radio => "wait for a radio link whose cell is not full",
            Limit::Link => "wait for a wired link",
            Limit::Losses => "meet no queue that stands, and lose packets",
            Limit::Marks => "meet no queue that stands, because marks slow them in time",
            Limit::Application => "have all that their applications ask for",
            Limit::Sender => "meet no queue that stands, and send no more by themselves",
            Limit::Nothing => "got nothing through",
        }
    }
}

/// What limits a flow of a run.
pub fn limited(run: &RunSummary, flow: &FlowSummary) -> Limited {
    let (limit, rate) = rate(run, flow);
    Limited { limit, rate, delay: delay(flow) }
}

fn rate(run: &RunSummary, flow: &FlowSummary) -> (Limit, String) {
    let got = match flow.goodput_bps {
        Some(bps) if flow.delivered_bytes > 0 => {
            format!("It gets {}", with_unit(bps * 1e-6, "Mbit/s"))
        }
        _ => return (Limit::Nothing, "Nothing of it arrived.".into()),
    };
    let up = flow.direction.as_deref() == Some("up");
    let ue = run.ues.iter().find(|ue| Some(&ue.name) == flow.ue.as_ref());
    let stage = |name: &str| flow.stages_ms.get(name).copied().unwrap_or(0.0);
    let (wired, radio) = (stage("wired_queue"), stage("pdcp") + stage("rlc"));
    let (radio_waits, link) = (waiting_at_radio(run, flow, up), standing_link(run, up));
    if flow.kind == "full-buffer" || (radio >= wired && radio_waits >= STANDING) {
        let (limit, why) = at_radio(run, ue, up);
        return (limit, format!("{got}. {why}"));
    }
    if let Some((name, rate)) = link.filter(|_| wired > radio) {
        let rate = rate.map_or_else(String::new, |rate| {
            format!(" of {}", with_unit(rate as f64 * 1e-6, "Mbit/s"))
        });
        let why = format!("It waits for the link {name}{rate}, whose queue stands.");
        return (Limit::Link, format!("{got}. {why}"));
    }
    let (limit, why) = unhindered(flow);
    (limit, format!("{got}. {why}"))
}

/// Packets that wait on average for the flow's UE, in its fullest bearer.
fn waiting_at_radio(run: &RunSummary, flow: &FlowSummary, up: bool) -> f64 {
    let own = run.bearers.iter().filter(|bearer| bearer.ue == flow.ue);
    let queues = own.map(|bearer| if up { &bearer.queue_up } else { &bearer.queue });
    queues.filter_map(|queue| queue.mean_packets).fold(0.0, f64::max)
}

/// The link of this direction in which most packets wait, if its queue stands.
fn standing_link(run: &RunSummary, up: bool) -> Option<(&str, Option<u64>)> {
    let way = if up { " up" } else { " down" };
    let waiting = |queue: &QueueSummary| queue.mean_packets.unwrap_or(0.0);
    let own = run.links.iter().filter(|link| link.name.ends_with(way));
    let fullest = own.max_by(|a, b| waiting(&a.queue).total_cmp(&waiting(&b.queue)))?;
    (waiting(&fullest.queue) >= STANDING).then_some((fullest.name.as_str(), fullest.rate_bps))
}

fn at_radio(run: &RunSummary, ue: Option<&UeSummary>, up: bool) -> (Limit, String) {
    let cell = ue.and_then(|ue| run.cells.iter().find(|cell| Some(&cell.name) == ue.cell.as_ref()));
    let Some(cell) = cell.or_else(|| run.cells.first()) else {
        return (Limit::Radio, "It waits for its radio link.".into());
    };
    let used = if up { cell.utilisation_up } else { cell.utilisation }.unwrap_or(0.0);
    let used_said = with_unit(100.0 * used, "%");
    let link = ue.map(|ue| link_of(ue, up)).unwrap_or_default();
    if used >= FULL {
        let users = sharing(run, cell, up);
        let why = format!(
            "It waits for {}, which is full ({used_said} of its resource blocks, {}){link}.",
            cell.name,
            counted(users, "UE")
        );
        return (Limit::FullCell, why);
    }
    let control = cell.control_utilisation.filter(|share| *share >= FULL && !up);
    let also = control.map_or_else(String::new, |share| {
        format!(", and its control channel {}", with_unit(100.0 * share, "%"))
    });
    let why = format!(
        "It waits for its radio link, in bursts: {} uses {used_said} of its resource blocks{also}{link}.",
        cell.name
    );
    (Limit::Radio, why)
}

/// UEs of a cell that used it in this direction.
fn sharing(run: &RunSummary, cell: &CellSummary, up: bool) -> usize {
    let used = |ue: &&UeSummary| if up { ue.up.transmissions } else { ue.down.transmissions } > 0;
    let own = run.ues.iter().filter(|ue| ue.cell.as_ref() == Some(&cell.name));
    own.filter(used).count().max(1)
}

fn link_of(ue: &UeSummary, up: bool) -> String {
    let radio = if up { &ue.up } else { &ue.down };
    let parts = [
        radio.mean_sinr_db.map(|db| format!("SINR {}", with_unit(db, "dB"))),
        radio.mean_mcs.map(|mcs| format!("MCS {}", figure(mcs))),
        radio
            .bler_first
            .map(|share| format!("{} of blocks repeated", with_unit(100.0 * share, "%"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

fn unhindered(flow: &FlowSummary) -> (Limit, String) {
    let share = |count: u64| count as f64 / flow.sent_packets.max(1) as f64;
    let (lost, marked) = (share(flow.lost_packets), share(flow.marks));
    let asks = flow.requests.is_some() || flow.pages.is_some() || flow.playback.is_some();
    let paced = flow.media.is_some() || flow.kind == "rtp" || asks || flow.finish_s.is_some();
    if paced && lost < 0.01 {
        let why = "No queue stands on its way: it has what its application asks for.";
        return (Limit::Application, why.into());
    }
    if marked >= FEW && marked >= lost {
        let why = format!(
            "No queue stands on its way: {} of its packets were marked, and its sender slows in time.",
            with_unit(100.0 * marked, "%")
        );
        return (Limit::Marks, why);
    }
    if lost >= FEW {
        let why = format!(
            "No queue stands on its way, and {} of its packets were lost.",
            with_unit(100.0 * lost, "%")
        );
        return (Limit::Losses, why);
    }
    let why = "No queue stands on its way and next to nothing is lost: its own window or \
               application holds it back.";
    (Limit::Sender, why.into())
}

fn delay(flow: &FlowSummary) -> String {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn queue(packets: f64) -> Value {
        json!({"mean_packets": packets, "max_packets": 9, "mean_bytes": null, "max_bytes": 0,
            "mean_delay_ms": null, "max_delay_ms": null})
    }

    fn radio() -> Value {
        json!({"transmissions": 5, "resource_blocks": 5, "bytes": 5, "padding_bytes": 0,
            "bits_per_resource_block": null, "bler_first": 0.1, "bler_by_attempt": [],
            "mean_mcs": 12.0, "mean_sinr_db": 9.5})
    }

    /// A run with a phone in a cell: so many packets wait at the radio and in the link, for so
    /// long.
    fn run(waiting: [f64; 2], ms: [f64; 2], used: f64) -> RunSummary {
        let flow = json!({"name": "web", "kind": "tcp", "ue": "phone", "direction": "down",
            "sent_packets": 1000, "received_packets": 990, "lost_packets": 10,
            "in_flight_packets": 0, "sent_bytes": 1, "received_bytes": 1, "delivered_bytes": 1,
            "goodput_bps": 5e6, "delay_ms": {"mean": 1.0, "min": 1.0, "max": 1.0, "stddev": 0.0, "stddev_sample": 0.0, "p50": 1.0, "p95": 1.0, "p99": 1.0}, "jitter_ms": null, "jitter_from_first_ms": null,
            "stages_ms": {"wired_queue": ms[1], "pdcp": ms[0], "rlc": 0.0}, "dropped": {},
            "marks": 0, "retransmissions": 0, "fast_retransmissions": 0, "timeouts": 0,
            "recoveries": 0, "rtt_ms": null, "feedback_packets": 0, "feedback_lost_packets": 0,
            "start_s": null, "finish_s": null});
        let value = json!({
            "format": "airpath-results-1", "complete": true, "scenario": {}, "seed": 1,
            "duration_s": 1.0, "flows": [flow],
            "ues": [{"name": "phone", "cell": "c", "down": radio(), "up": radio(),
                "scheduling_requests": 0}],
            "cells": [{"name": "c", "utilisation": used, "utilisation_up": 0.0, "down": radio(),
                "up": radio()}],
            "bearers": [{"name": "default", "ue": "phone", "qci": 9, "rlc_mode": "am",
                "queue": queue(waiting[0]), "queue_up": queue(0.0), "dropped": {},
                "rlc_retransmissions": 0, "delivered_bits": 0, "resource_blocks": 0.0,
                "resource_blocks_up": 0.0, "resource_blocks_per_bit": null,
                "resource_blocks_per_bit_up": null}],
            "links": [{"name": "sgi down", "rate_bps": 5_000_000, "queue": queue(waiting[1]),
                "dropped": {}}],
            "events": {"events": 0, "originated": 0, "consumed": 0, "dropped": 0, "marked": 0,
                "blocks": 0, "suspicious_ecn": 0, "stage_mismatches": 0, "dropped_at": {},
                "packets_omitted": 0, "series_truncated_s": null},
        });
        serde_json::from_value(value).expect("a summary")
    }

    #[test]
    fn a_flow_is_limited_where_a_queue_stands() {
        let of = |run: &RunSummary| limited(run, &run.flows[0]);
        let full = of(&run([9.0, 0.0], [30.0, 1.0], 0.97));
        assert_eq!(full.limit, Limit::FullCell);
        assert_eq!(
            full.rate,
            "It gets 5 Mbit/s. It waits for c, which is full (97% of its resource blocks, 1 UE); \
             SINR 9.5 dB, MCS 12, 10% of blocks repeated."
        );
        assert_eq!(of(&run([9.0, 0.0], [30.0, 1.0], 0.5)).limit, Limit::Radio);
        let link = of(&run([0.2, 40.0], [1.0, 80.0], 0.5));
        assert_eq!(link.limit, Limit::Link);
        assert!(link.rate.ends_with("the link sgi down of 5 Mbit/s, whose queue stands."));
        // One packet in a hundred is lost, and no queue stands.
        assert_eq!(of(&run([0.2, 0.2], [1.0, 1.0], 0.5)).limit, Limit::Losses);
    }

    #[test]
    fn without_queues_and_losses_it_is_the_sender_or_its_application() {
        let mut one = run([0.0, 0.0], [0.0, 0.0], 0.1);
        one.flows[0].lost_packets = 0;
        assert_eq!(limited(&one, &one.flows[0]).limit, Limit::Sender);
        one.flows[0].marks = 20;
        let marks = limited(&one, &one.flows[0]);
        assert!(marks.limit == Limit::Marks && marks.rate.contains("2% of its packets"));
        one.flows[0].kind = "rtp".into();
        assert_eq!(limited(&one, &one.flows[0]).limit, Limit::Application);
        one.flows[0].delivered_bytes = 0;
        assert_eq!(limited(&one, &one.flows[0]).limit, Limit::Nothing);
    }
}
