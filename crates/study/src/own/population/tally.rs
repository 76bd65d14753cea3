//! Figures of what the analyser found, each flow with its stratum's weight.

use std::collections::BTreeMap;
use std::net::IpAddr;

use airpath_analyse::methods::{DEFAULT_MOST_BANDWIDTH, THRESHOLD};
use airpath_analyse::{Content, EndReason, FlowProtocol, FlowRecord, HostRecord};

use super::capture::Found;
use super::params::Params;
use super::plan::stratum_of;

/// Least payload down, in bytes, and duration, in s, of a large flow of the study.
const LARGE: (u64, f64) = (1_000_000, 5.0);
/// Least payloads of flows whose throughputs are compared (the study, 4.4), down and up, in bytes.
/// `PAUSE` is the longest time without a packet, in s.
const COMPARED: [u64; 2] = [1_000_000, 200_000];
const PAUSE: f64 = 1.0;
/// Bounds above which duplicate ACKs are many, in all and for each packet out of order. The third
/// is for bytes in flight.
const MANY_DUPLICATES: u64 = 100;
const MANY_EACH: f64 = 25.0;
const MANY_IN_FLIGHT: u64 = 200_000;

/// The stratum of the study's example of a slow reader (its figure 23).
const EXAMPLE: &str = "audio app";

/// A flow and how many it stands for.
#[derive(Clone, Copy)]
struct Weighed<'a> {
    flow: &'a FlowRecord,
    weight: f64,
}

/// Figures by name.
type Figures = BTreeMap<String, f64>;

/// All figures of the flows that were found.
pub(crate) fn figures(params: &Params, found: &Found) -> Figures {
    let all: Vec<Weighed<'_>> =
        found.flows.iter().filter_map(|flow| weighed(params, flow)).collect();
    let tcp = of(&all, |flow| flow.protocol == FlowProtocol::Tcp);
    let mut figures = Figures::new();
    protocols(&all, &tcp, &mut figures);
    sizes(&tcp, &mut figures);
    endings(&tcp, &mut figures);
    latencies(&tcp, &mut figures);
    throughputs(&tcp, &mut figures);
    let large =
        of(&tcp, |flow| flow.down.payload_bytes > LARGE.0 && flow.duration_s > Some(LARGE.1));
    losses(&large, &mut figures);
    windows(&tcp, &large, &mut figures);
    clocks(&large, &mut figures);
    contents(&tcp, &mut figures);
    concurrency(params, &found.hosts, &mut figures);
    insert(&mut figures, "could-take", could_take(params, &found.flows));
    insert(&mut figures, "ratio-threshold", Some(THRESHOLD));
    insert(&mut figures, "most-bandwidth", Some(DEFAULT_MOST_BANDWIDTH.as_bps() as f64 / 1e6));
    figures
}

fn weighed<'a>(params: &Params, flow: &'a FlowRecord) -> Option<Weighed<'a>> {
    let IpAddr::V4(addr) = flow.client.addr else { return None };
    Some(Weighed { flow, weight: weight(params, stratum_of(addr))? })
}

/// Number of flows, of a hundred, that a flow of this stratum stands for.
fn weight(params: &Params, stratum: usize) -> Option<f64> {
    let stratum = params.strata.get(stratum)?;
    Some(stratum.percent / f64::from(stratum.flows))
}

/// Time in which the download of the stratum [`EXAMPLE`] could have been made, in s.
fn could_take(params: &Params, flows: &[FlowRecord]) -> Option<f64> {
    let stratum = params.strata.iter().position(|stratum| stratum.name == EXAMPLE)?;
    let own = |f: &&FlowRecord| match f.client.addr {
        IpAddr::V4(addr) => stratum_of(addr) == stratum,
        IpAddr::V6(_) => false,
    };
    let flow = flows.iter().find(own)?;
    Some(8.0 * down(flow) / flow.down.bandwidth_bps?)
}

fn of<'a>(flows: &[Weighed<'a>], which: impl Fn(&FlowRecord) -> bool) -> Vec<Weighed<'a>> {
    flows.iter().copied().filter(|weighed| which(weighed.flow)).collect()
}

fn total(flows: &[Weighed<'_>], of: impl Fn(&FlowRecord) -> f64) -> f64 {
    flows.iter().map(|weighed| weighed.weight * of(weighed.flow)).sum()
}

/// Percent of the flows for which it is so.
fn percent(flows: &[Weighed<'_>], which: impl Fn(&FlowRecord) -> bool) -> f64 {
    let own = total(flows, |flow| f64::from(u8::from(which(flow))));
    100.0 * own / total(flows, |_| 1.0)
}

/// Percent of an amount that those flows have for which it is so.
fn percent_of(
    flows: &[Weighed<'_>],
    amount: impl Fn(&FlowRecord) -> f64,
    which: impl Fn(&FlowRecord) -> bool,
) -> f64 {
    let own = total(flows, |flow| if which(flow) { amount(flow) } else { 0.0 });
    100.0 * own / total(flows, amount)
}

/// Values with weights, in order.
fn sorted(flows: &[Weighed<'_>], of: impl Fn(&FlowRecord) -> Option<f64>) -> Vec<(f64, f64)> {
    let mut values: Vec<(f64, f64)> =
        flows.iter().filter_map(|w| Some((of(w.flow)?, w.weight))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values
}

/// The value below which a share `u` of the weight lies, between neighbours linear.
fn quantile(values: &[(f64, f64)], u: f64) -> Option<f64> {
    let wanted = u * values.iter().map(|(_, weight)| weight).sum::<f64>();
    let (mut below, mut before) = (0.0, None);
    for (value, weight) in values {
        let middle = below + weight / 2.0;
        if middle >= wanted {
            let Some((old, at)) = before else { return Some(*value) };
            return Some(old + (value - old) * (wanted - at) / (middle - at));
        }
        (below, before) = (below + weight, Some((*value, middle)));
    }
    before.map(|(value, _)| value)
}

fn insert(figures: &mut Figures, name: &str, value: Option<f64>) {
    figures.extend(value.filter(|value| value.is_finite()).map(|value| (name.to_owned(), value)));
}

fn is_http(flow: &FlowRecord) -> bool {
    matches!(flow.server.port, 80 | 8080)
}

fn bytes(flow: &FlowRecord) -> f64 {
    (flow.up.bytes + flow.down.bytes) as f64
}

fn protocols(all: &[Weighed<'_>], tcp: &[Weighed<'_>], figures: &mut Figures) {
    let is_tcp = |flow: &FlowRecord| flow.protocol == FlowProtocol::Tcp;
    let https = |flow: &FlowRecord| flow.server.port == 443;
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    add("tcp-flows", percent(all, is_tcp));
    add("tcp-bytes", percent_of(all, bytes, is_tcp));
    add("http-flows", percent(tcp, is_http));
    add("https-flows", percent(tcp, https));
    add("http-bytes", percent_of(tcp, bytes, is_http));
    add("https-bytes", percent_of(tcp, bytes, https));
    add(
        "sack",
        percent(&of(tcp, |flow| flow.end_reason != EndReason::NeverConnected), |flow| {
            flow.up.sack_permitted
        }),
    );
}

fn down(flow: &FlowRecord) -> f64 {
    flow.down.payload_bytes as f64
}

fn up(flow: &FlowRecord) -> f64 {
    flow.up.payload_bytes as f64
}

/// The flows with most of something, so many percent of all.
fn top<'a>(
    flows: &[Weighed<'a>],
    amount: impl Fn(&FlowRecord) -> f64,
    percent: f64,
) -> Vec<Weighed<'a>> {
    let mut flows = flows.to_vec();
    flows.sort_by(|a, b| amount(b.flow).total_cmp(&amount(a.flow)));
    let mut room = total(&flows, |_| 1.0) * percent / 100.0;
    let mut top = Vec::new();
    for flow in flows {
        // The last one counts in part.
        let weight = flow.weight.min(room);
        if weight <= 0.0 {
            break;
        }
        room -= weight;
        top.push(Weighed { weight, ..flow });
    }
    top
}

fn sizes(tcp: &[Weighed<'_>], figures: &mut Figures) {
    let kb = |values: &[(f64, f64)], u| quantile(values, u).map(|bytes| bytes / 1e3);
    let (ups, downs) = (sorted(tcp, |f| Some(up(f))), sorted(tcp, |f| Some(down(f))));
    insert(figures, "up-size-p90", kb(&ups, 0.9));
    insert(figures, "down-size-p90", kb(&downs, 0.9));
    insert(figures, "down-size-p95", kb(&downs, 0.95));
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    add("no-up", percent(tcp, |flow| flow.up.payload_bytes == 0));
    add("no-down", percent(tcp, |flow| flow.down.payload_bytes == 0));
    add("top-up-bytes", 100.0 * total(&top(tcp, up, 0.1), up) / total(tcp, up));
    let heavy = top(tcp, down, 0.6);
    add("top-down-bytes", 100.0 * total(&heavy, down) / total(tcp, down));
    add("top-down-http", percent(&top(tcp, down, 5.0), is_http));
}

fn endings(tcp: &[Weighed<'_>], figures: &mut Figures) {
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    let ended = |reason| percent(tcp, move |flow| flow.end_reason == reason);
    add("ended-fin", ended(EndReason::Fin));
    add("ended-rst", ended(EndReason::Rst));
    add("never-connected", ended(EndReason::NeverConnected));
    add("under-5-s", percent(tcp, |flow| flow.duration_s.is_some_and(|s| s < 5.0)));
    add("from-3-min", percent(tcp, |flow| flow.duration_s >= Some(180.0)));
    add("from-10-min", percent(tcp, |flow| flow.duration_s >= Some(600.0)));
}

/// Adds quantiles of values as `name-p5` and so on.
fn quantiles(figures: &mut Figures, name: &str, values: &[(f64, f64)], percents: &[u32]) {
    for percent in percents {
        let value = quantile(values, f64::from(*percent) / 100.0);
        insert(figures, &format!("{name}-p{percent}"), value);
    }
}

fn latencies(tcp: &[Weighed<'_>], figures: &mut Figures) {
    let whole = |flow: &FlowRecord| {
        let shake = flow.handshake_rtt_ms;
        Some(shake.client_side? + shake.server_side?)
    };
    let open = of(tcp, |flow| !is_http(flow));
    quantiles(figures, "handshake", &sorted(&open, whole), &[5, 50, 95]);
    // A host that was not seen before may not have been asleep.
    let asleep = of(tcp, |flow| flow.idle_before_s.is_some());
    quantiles(figures, "promotion", &sorted(&asleep, |f| f.promotion_delay_ms), &[25, 50, 75]);
}

/// Time with one active flow, of all time with some (by the hosts' seconds).
fn concurrency(params: &Params, hosts: &[HostRecord], figures: &mut Figures) {
    let mut sums = (0.0, 0.0);
    for host in hosts {
        let (IpAddr::V4(addr), Some(own)) = (host.address, &host.concurrency) else { continue };
        let Some(weight) = weight(params, stratum_of(addr)) else { continue };
        sums.0 += weight * own.active_s * own.shares.first().unwrap_or(&0.0);
        sums.1 += weight * own.active_s;
    }
    insert(figures, "one-flow", Some(100.0 * sums.0 / sums.1));
}

fn throughputs(tcp: &[Weighed<'_>], figures: &mut Figures) {
    let compared =
        |flow: &FlowRecord| !is_http(flow) && flow.longest_gap_s.is_some_and(|gap| gap < PAUSE);
    let kbps = |bps: Option<f64>| bps.map(|bps| bps / 1e3);
    let percents = [5, 50, 95];
    let flows = of(tcp, |f| compared(f) && f.down.payload_bytes >= COMPARED[0]);
    quantiles(figures, "down", &sorted(&flows, |f| kbps(f.down.rate_bps)), &percents);
    let flows = of(tcp, |f| compared(f) && f.up.payload_bytes >= COMPARED[1]);
    quantiles(figures, "up", &sorted(&flows, |f| kbps(f.up.rate_bps)), &percents);
}

/// Packets out of order in the study's sense: retransmissions are such, too.
fn disordered(flow: &FlowRecord) -> u64 {
    flow.down.out_of_order + flow.down.retransmissions
}

fn losses(large: &[Weighed<'_>], figures: &mut Figures) {
    let lossy = of(large, |flow| flow.down.retransmissions > 0);
    let rate = |f: &FlowRecord| 100.0 * f.down.retransmissions as f64 / f.down.packets as f64;
    let duplicates = |flow: &FlowRecord| flow.up.duplicate_acks;
    let each = |flow: &FlowRecord| duplicates(flow) as f64 / disordered(flow).max(1) as f64;
    let slow = |flow: &FlowRecord| flow.down.slow_starts_by_ratio > 0;
    let median = |of: &dyn Fn(&FlowRecord) -> f64, flows| {
        quantile(&sorted(flows, |flow| Some(of(flow))), 0.5)
    };
    insert(figures, "retransmission-rate", median(&rate, &lossy));
    insert(figures, "duplicate-acks", median(&|f| duplicates(f) as f64, large));
    insert(figures, "out-of-order", median(&|f| disordered(f) as f64, large));
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    add("no-retransmission", percent(large, |flow| flow.down.retransmissions == 0));
    add("many-duplicates", percent(large, |flow| duplicates(flow) > MANY_DUPLICATES));
    add("many-each", percent(large, |flow| each(flow) > MANY_EACH));
    add("slow-start-of-lossy", percent(&lossy, slow));
    add("slow-start", percent(large, slow));
}

fn windows(tcp: &[Weighed<'_>], large: &[Weighed<'_>], figures: &mut Figures) {
    let in_flight = |flow: &FlowRecord| flow.down.most_in_flight_bytes.unwrap_or(0);
    let full = of(large, |flow| flow.down.window_full > 0);
    let early = |flow: &FlowRecord| {
        let full = flow.down.first_window_full_s.zip(flow.duration_s);
        full.is_some_and(|(at, duration)| at < 0.1 * duration)
    };
    let ratio = |f: &FlowRecord| Some(100.0 * f.down.rate_bps? / f.down.bandwidth_bps?);
    let ratios = sorted(large, ratio);
    let window = |flow: &FlowRecord| flow.down.receive_window_bytes.map(|[_, most]| most as f64);
    insert(figures, "window", quantile(&sorted(tcp, window), 0.5));
    insert(figures, "utilisation-median", quantile(&ratios, 0.5));
    let all: f64 = ratios.iter().map(|(_, weight)| weight).sum();
    let mean: f64 = ratios.iter().map(|(ratio, weight)| ratio * weight).sum();
    let share = |which: &dyn Fn(f64) -> bool| {
        let own = ratios.iter().filter(|(ratio, _)| which(*ratio));
        100.0 * own.map(|(_, weight)| weight).sum::<f64>() / all
    };
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    add("utilisation-mean", mean / all);
    add("utilisation-below-50", share(&|ratio| ratio < 50.0));
    add("utilisation-above", share(&|ratio| ratio > 100.0));
    add("in-flight", percent(large, |flow| in_flight(flow) > MANY_IN_FLIGHT));
    add("full-window", percent(large, |flow| flow.down.window_full > 0));
    add("full-early", percent(&full, early));
}

/// Bytes of a class of content in a flow, both ways.
fn carried(flow: &FlowRecord, content: Content) -> f64 {
    let http = flow.http.as_ref();
    http.map_or(0.0, |http| (http.up.of(content).bytes + http.down.of(content).bytes) as f64)
}

/// Percentages of content in HTTP. Byte streams count as video, since only players request them in
/// this population. The study states the same of its own.
fn contents(tcp: &[Weighed<'_>], figures: &mut Figures) {
    let sum = |flows: &[Weighed<'_>], of: Content| total(flows, |flow| carried(flow, of));
    let all = |flows: &[Weighed<'_>]| Content::ALL.iter().map(|of| sum(flows, *of)).sum::<f64>();
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    for content in Content::ALL {
        add(&format!("content-{}", content.name()), 100.0 * sum(tcp, content) / all(tcp));
    }
    let video = sum(tcp, Content::Video) + sum(tcp, Content::OctetStream);
    add("content-all-video", 100.0 * video / all(tcp));
    add("streams-of-video", 100.0 * sum(tcp, Content::OctetStream) / video);
    let heavy = top(tcp, down, 5.0);
    let media = [Content::Video, Content::OctetStream, Content::Audio];
    let media: f64 = media.iter().map(|of| sum(&heavy, *of)).sum();
    add("top-down-media", 100.0 * media / all(&heavy));
    let heavy = top(tcp, up, 0.1);
    add("top-up-images", 100.0 * sum(&heavy, Content::Image) / total(&heavy, up));
}

fn clocks(large: &[Weighed<'_>], figures: &mut Figures) {
    let period = |flow: &FlowRecord| flow.up.timestamp_period_ms;
    let near = |ms: f64| {
        percent(large, move |f| period(f).is_some_and(|own| (own / ms - 1.0).abs() < 0.1))
    };
    let mut add = |name: &str, value| insert(figures, name, Some(value));
    add("clock-none", percent(large, |flow| period(flow).is_none()));
    add("clock-1-ms", near(1.0));
    add("clock-10-ms", near(10.0));
    add("clock-100-ms", near(100.0));
}
