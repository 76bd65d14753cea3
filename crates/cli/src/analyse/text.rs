//! The largest flows: why each was slow in a sentence, then their numbers in a table. Within 80
//! columns, and 24 lines if there is nothing else to say.

use std::cmp::Reverse;

use airpath_analyse::{AllHosts, Direction, FlowRecord, Link, Totals};
use airpath_plot::plural;
use airpath_report::tunnels;

use super::datagrams;

/// Flows that are shown.
const MOST: usize = 4;
/// Columns.
const WIDTH: usize = 80;
/// Kinds of what was not decoded that are named.
const MOST_KINDS: usize = 4;

/// The largest flows so far, the largest first.
#[derive(Default)]
pub struct Largest {
    flows: Vec<FlowRecord>,
}

impl Largest {
    /// A flow has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        let size = |flow: &FlowRecord| flow.up.bytes + flow.down.bytes;
        let place = self.flows.partition_point(|known| size(known) >= size(flow));
        if place < MOST {
            self.flows.truncate(MOST - 1);
            self.flows.insert(place, flow.clone());
        }
        debug_assert!(self.flows.is_sorted_by_key(|flow| Reverse(size(flow))));
    }

    /// The table.
    pub fn table(&self, totals: &Totals) -> String {
        let Totals { packets, bytes, flows, .. } = totals;
        let mut text = [(packets, "packet"), (bytes, "byte"), (flows, "flow")]
            .map(|(n, what)| plural(n, what))
            .join(", ");
        text.push('\n');
        text += &undecoded(totals);
        if self.flows.is_empty() {
            return text;
        }
        for flow in &self.flows {
            text += &said(flow);
        }
        text += &shared(&totals.links);
        let digits = self.flows.iter().map(|flow| flow.number.to_string().len()).max();
        let wide = (digits.unwrap_or(0) + "._down_".len()).max(8);
        text += &format!(
            "{:<wide$}{:>10}{:>11}{:>10}{:>9}{:>9}{:>8}{:>7}\n",
            "", "s", "bytes", "kbit/s", "goodput", "RTT ms", "resent", "dup."
        );
        for flow in &self.flows {
            let indent = flow.number.to_string().len() + 2;
            let names = [format!("{}. up", flow.number), format!("{:indent$}down", "")]
                .map(|name| format!("{name:<wide$}"));
            text += &line(&names[0], flow, &flow.up, &flow.down);
            text += &line(&names[1], flow, &flow.down, &flow.up);
        }
        if (self.flows.len() as u64) < *flows {
            text += &format!("the {} largest of {flows} flows; --json has all\n", self.flows.len());
        }
        text
    }
}

/// Links that flows shared, the first ones as sentences.
fn shared(links: &[Link]) -> String {
    let mut text: String =
        links.iter().take(MOST).map(|link| wrapped(&link.sentence, "")).collect();
    if let Some(others) = links.len().checked_sub(MOST).filter(|others| *others > 0) {
        text += &format!("{} more; --json has all\n", plural(others, "shared link"));
    }
    text
}

/// Counts of packets that were not decoded, the most frequent kinds by name.
fn undecoded(totals: &Totals) -> String {
    let mut kinds: Vec<(&String, &u64)> = totals.undecoded.iter().collect();
    kinds.sort_by_key(|(_, count)| Reverse(**count));
    let (named, others) = kinds.split_at(kinds.len().min(MOST_KINDS));
    let mut told: Vec<String> = named.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    if !others.is_empty() {
        told.push(format!("others {}", others.iter().map(|(_, n)| **n).sum::<u64>()));
    }
    match told.is_empty() {
        true => String::new(),
        false => format!("not decoded: {}\n", told.join(", ")),
    }
}

/// A few lines about all hosts: promotion delays, concurrent flows and the radio; empty if none was
/// measured.
pub fn hosts(all: &AllHosts) -> String {
    let mut text = String::new();
    if let Some(delay) = &all.promotion_delay_ms {
        text += &format!(
            "promotion delay: quartiles {:.0}, {:.0}, {:.0} ms of {} promotions\n",
            delay.p25, delay.p50, delay.p75, delay.samples
        );
    }
    if let Some(concurrency) = &all.concurrency {
        let share = |n: usize| concurrency.shares.get(n).map_or(0.0, |share| 100.0 * share);
        text += &format!(
            "active flows of a host: one {:.1}%, two {:.1}%, more {:.1}% of {:.1} s\n",
            share(0),
            share(1),
            (100.0 - share(0) - share(1)).max(0.0),
            concurrency.active_s,
        );
    }
    if let Some(radio) = &all.radio {
        text += &format!(
            "radio, as asked for: {} promotions, {:.1} J\n",
            radio.promotions, radio.energy_j.total
        );
    }
    match text.is_empty() {
        true => text,
        false => format!("\n{} hosts\n{text}", all.hosts),
    }
}

/// A direction; `back` has the duplicate ACKs for its data.
fn line(name: &str, flow: &FlowRecord, direction: &Direction, back: &Direction) -> String {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let rate = or_none(direction.rate_bps.map(|bps| format!("{:.0}", bps / 1e3)));
    let rtt = or_none(direction.rtt_ms.as_ref().map(|rtt| format!("{:.1}", rtt.p50)));
    let active = direction.gaps.as_ref().and_then(|gaps| gaps.active_bps);
    let goodput = direction.causes.and_then(|causes| causes.goodput_bps).or(active);
    let goodput = or_none(goodput.map(|bps| format!("{:.0}", bps / 1e3)));
    let duration = or_none(flow.duration_s.map(|seconds| format!("{seconds:.2}")));
    let Direction { payload_bytes, retransmissions, .. } = direction;
    format!(
        "{name}{duration:>10}{payload_bytes:>11}{rate:>10}{goodput:>9}{rtt:>9}{retransmissions:>8}{:>7}\n",
        back.duplicate_acks,
    )
}

/// Text about one flow: its ends, the verdict in a sentence, and its protocols over UDP.
fn said(flow: &FlowRecord) -> String {
    let end = flow.end_reason.name().replace('_', " ");
    let protocol = flow.protocol.name();
    let within = tunnels(&flow.tunnels).map_or(String::new(), |within| format!(", in {within}"));
    let FlowRecord { number, client, server, .. } = flow;
    let text = format!("{number}. {client} > {server}, {protocol}, {end}{within}\n");
    let sentence = flow.verdict.as_ref().map(|verdict| wrapped(&verdict.sentence, "   "));
    let signs = flow.signs.iter().map(|sign| wrapped(&sign.sentence(), "   "));
    text + &sentence.unwrap_or_default() + &signs.collect::<String>() + &datagrams::lines(flow)
}

/// A text in lines that begin with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut lines, mut line) = (String::new(), indent.to_owned());
    for word in text.split(' ') {
        let empty = line.len() == indent.len();
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines.push('\n');
            line = format!("{indent}{word}");
        } else {
            line += if empty { "" } else { " " };
            line += word;
        }
    }
    lines + &line + "\n"
}
