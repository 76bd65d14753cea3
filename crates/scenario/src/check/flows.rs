//! Checks of the flows.

use std::collections::BTreeMap;

use crate::file::{Flow, FlowKind, Quic, QuicControl, QuicEcn, Scenario, Tcp};

use super::{Checker, applications, full_buffer, video, xr};

/// Most flows over all UEs.
const MOST_FLOWS: usize = 100_000;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    if !checker.length("flow", scenario.flow.len()) {
        return;
    }
    checker.names("flow", scenario.flow.iter().map(|flow| flow.name.as_str()));
    for (n, flow) in scenario.flow.iter().enumerate() {
        let path = format!("flow.{n}");
        checker.selection(scenario, &path, &flow.ue, flow.only.as_ref());
        check_times(flow, &path, checker);
        full_buffer::check(scenario, flow, &path, checker);
        if !flow.is_full_buffer() {
            check_kind(flow, &path, checker);
            xr::check(flow, &path, checker);
            check_input(scenario, flow, &path, checker);
            applications::check(flow, &path, checker);
            check_marking(flow, &path, checker);
        }
    }
}

/// Reports flows that begin behind the end of a run, unless an override cut the run short.
pub(super) fn check_starts(scenario: &Scenario, checker: &mut Checker<'_>) {
    for (n, flow) in scenario.flow.iter().enumerate() {
        let path = format!("flow.{n}.start");
        if flow.start.max >= scenario.duration && !checker.is_cut_short(&path) {
            let allowed = format!("before the end of the run, at {}", scenario.duration);
            checker.fail(&path, "is not within the run", allowed);
        }
        let call = flow.webrtc.as_ref().filter(|_| flow.kind == FlowKind::Webrtc);
        let Some(call) = call.filter(|_| flow.start.max < scenario.duration) else { continue };
        let path = format!("flow.{n}.webrtc.media_after");
        if flow.start.max + call.media_after >= scenario.duration && !checker.is_cut_short(&path) {
            let most = scenario.duration.saturating_sub(flow.start.max);
            let is_wrong = "has no frame within the run";
            checker.fail(&path, is_wrong, format!("less than {most}, or a longer run"));
        }
    }
}

fn check_times(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    let path = |key: &str| format!("{path}.{key}");
    if flow.start.min > flow.start.max {
        checker.fail(&path("start.max"), "is before min", "min or later");
    }
    if flow.stop.is_some_and(|stop| stop <= flow.start.max) {
        let allowed = format!("after start, {}", flow.start.max);
        checker.fail(&path("stop"), "is before start", allowed);
    }
}

fn check_kind(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    let own = flow.kind.word();
    let path = |key: &str| format!("{path}.{key}");
    let tables = [
        ("tcp", flow.tcp.is_some()),
        ("rtp", flow.rtp.is_some()),
        ("quic", flow.quic.is_some()),
        ("webrtc", flow.webrtc.is_some()),
        ("xr", flow.xr.is_some()),
    ];
    for (table, given) in tables {
        if given && table != own {
            let is_wrong = format!("is in a flow of kind \"{own}\"");
            checker.fail(&path(table), &is_wrong, format!("use [flow.{own}]"));
        }
    }
    match flow.kind {
        FlowKind::Tcp => {
            if let Some(tcp) = &flow.tcp {
                check_tcp(tcp, &path("tcp"), checker);
            }
        }
        FlowKind::Rtp => {
            if flow.size.is_some() {
                let allowed = "say rtp.count or stop";
                checker.fail(&path("size"), "is for flows of kind \"tcp\"", allowed);
            }
            if let Some(rtp) = &flow.rtp {
                video::check(rtp, &path("rtp"), checker);
            }
        }
        FlowKind::Quic => {
            check_stacks(flow, &path, "\"tcp\"", checker);
            check_quic(flow, &path, checker);
        }
        FlowKind::Webrtc => {
            check_stacks(flow, &path, "\"rtp\"", checker);
            if flow.size.is_some() {
                checker.fail(&path("size"), "is for flows of kind \"tcp\"", "say stop");
            }
            if let Some(call) = &flow.webrtc {
                video::check_webrtc(call, &path("webrtc"), checker);
            }
        }
        FlowKind::Xr | FlowKind::FullBuffer => {}
    }
}

/// The input that a flow's frames show comes from the same UEs.
fn check_input(scenario: &Scenario, flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    let Some(name) = flow.input() else { return };
    let table = flow.video().map_or("xr".to_owned(), |(_, table)| format!("{table}.video"));
    let path = format!("{path}.{table}.input");
    let Some(input) = scenario.flow.iter().find(|flow| flow.name == name) else {
        return checker.fail(
            &path,
            &format!("is \"{name}\", and there is no such flow"),
            "the name of a flow",
        );
    };
    if input.direction == flow.direction || input.is_full_buffer() {
        let allowed = "a flow of packets in the other direction";
        return checker.fail(&path, "is not from the other end", allowed);
    }
    let others = scenario.members(&input.ue, input.only.as_ref());
    let own = scenario.members(&flow.ue, flow.only.as_ref());
    if own.iter().any(|ue| !others.contains(ue)) {
        let allowed = "a flow that all UEs of this one have";
        checker.fail(&path, &format!("is \"{name}\", which not all of its UEs have"), allowed);
    }
}

/// A real stack needs a program that has it.
fn check_stacks(
    flow: &Flow,
    path: &impl Fn(&str) -> String,
    other: &str,
    checker: &mut Checker<'_>,
) {
    if cfg!(feature = "stacks") {
        return;
    }
    let is_wrong = format!("is \"{}\", and this program has no stacks", flow.kind.word());
    let allowed =
        format!("{other}, or a program with them: cargo build --release --features stacks");
    checker.fail(&path("kind"), &is_wrong, allowed);
}

/// Options of QUIC.
fn check_quic(flow: &Flow, path: &impl Fn(&str) -> String, checker: &mut Checker<'_>) {
    let Some(quic) = &flow.quic else { return };
    check_marks(quic, path, checker);
    if quic.datagrams.is_some() && quic.streams.is_some_and(|streams| streams != 1) {
        let allowed = "leave it out: datagrams have no streams";
        checker.fail(&path("quic.streams"), "is beside quic.datagrams", allowed);
    }
    if quic.datagrams.is_some() && quic.connections != 1 {
        let allowed = "leave it out: datagrams go on one connection";
        checker.fail(&path("quic.connections"), "is beside quic.datagrams", allowed);
    }
    if quic.datagrams.is_some() && flow.size.is_some() {
        checker.fail(&path("size"), "is beside quic.datagrams", "give stop instead");
    }
}

/// ECN field and congestion control of QUIC go together, and with quinn-proto.
fn check_marks(quic: &Quic, path: &impl Fn(&str) -> String, checker: &mut Checker<'_>) {
    const WAY: &str =
        "a program with the feature accurate-ecn and a changed quinn-proto (docs/stacks.md)";
    let (control, ecn) = (quic.congestion_control, quic.ecn());
    let accurate = cfg!(feature = "accurate-ecn");
    let is_prague = control == QuicControl::AirpathPrague;
    if is_prague && !accurate {
        let is_wrong =
            "is \"airpath-prague\", and quinn-proto as published hands on no number of marks";
        let allowed = format!("\"airpath-cubic\", or {WAY}");
        checker.fail(&path("quic.congestion_control"), is_wrong, allowed);
    } else if ecn == QuicEcn::L4s && !accurate {
        let is_wrong = "is \"l4s\", and quinn-proto as published sends ECT(0) only";
        checker.fail(&path("quic.ecn"), is_wrong, format!("\"classic\" or \"off\", or {WAY}"));
    } else if ecn == QuicEcn::L4s && !is_prague {
        let is_wrong = format!("is \"l4s\" with congestion_control \"{}\"", control.word());
        let allowed =
            "set congestion_control = \"airpath-prague\", which answers as RFC 9331, 4.3, requires";
        checker.fail(&path("quic.ecn"), &is_wrong, allowed);
    } else if is_prague && ecn != QuicEcn::L4s {
        let is_wrong = format!("is \"{}\" with congestion_control \"airpath-prague\"", ecn.word());
        checker.fail(&path("quic.ecn"), &is_wrong, "\"l4s\", or leave it out");
    } else if control.usual_ecn() == QuicEcn::Off && ecn != QuicEcn::Off {
        let is_wrong =
            format!("is \"{}\", and \"{}\" answers no marks", ecn.word(), control.word());
        checker.fail(&path("quic.ecn"), &is_wrong, "\"off\", or leave it out");
    }
}

pub(super) fn check_tcp(tcp: &Tcp, path: &str, checker: &mut Checker<'_>) {
    if tcp.min_rto > tcp.max_rto {
        let allowed = format!("at most max_rto, {}", tcp.max_rto);
        checker.fail(&format!("{path}.min_rto"), "is above max_rto", allowed);
    }
    for (table, given) in tcp.tables() {
        if !given || table == tcp.controller {
            continue;
        }
        let other = table.word();
        let is_wrong = format!("is for another controller than \"{}\"", tcp.controller.word());
        checker.fail(
            &format!("{path}.{other}"),
            &is_wrong,
            format!("set controller = \"{other}\""),
        );
    }
}

fn check_marking(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    if flow.tos.is_some() && flow.dscp.is_some() {
        checker.fail(&format!("{path}.dscp"), "is beside tos", "give one of them");
    }
    if let Some(tos) = flow.tos.filter(|tos| tos.0 & 0b11 != 0) {
        let is_wrong = format!("sets ECN bits, which belong to the transport: {:#04x}", tos.0);
        let allowed = format!("{:#04x} has the same DSCP", tos.0 & !0b11);
        checker.fail(&format!("{path}.tos"), &is_wrong, allowed);
    }
}

/// Properties that distinguish packets: UE, kind, ports.
type Tuple = (usize, bool, u32, Option<u16>, Option<u16>);

/// Number of flows, and addresses that two of a UE share.
pub(super) fn check_resolved(scenario: &Scenario, checker: &mut Checker<'_>) {
    xr::check_encoders(scenario, checker);
    let mut total = 0;
    let mut tuples: BTreeMap<Tuple, usize> = BTreeMap::new();
    for (n, flow) in scenario.flow.iter().enumerate() {
        let members = scenario.members(&flow.ue, flow.only.as_ref());
        total += scenario.most_flows(flow) * flow.flows_of_ue() as u64;
        if total > MOST_FLOWS as u64 {
            let is_wrong = format!("makes more than {MOST_FLOWS} flows over all UEs");
            checker.fail(&format!("flow.{n}"), &is_wrong, "fewer flows, or fewer UEs");
            return;
        }
        if flow.is_full_buffer() {
            continue;
        }
        let address = flow.remote_address.to_bits();
        let tcp = flow.kind == FlowKind::Tcp;
        let ports = (0..flow.ports()).map(|more| flow.local_port.map(|p| p.saturating_add(more)));
        let both = members.iter().flat_map(|&ue| ports.clone().map(move |port| (ue, port)));
        let tuple = |(ue, port)| (ue, tcp, address, flow.remote_port, port);
        let taken = both.filter_map(|both| tuples.insert(tuple(both), n));
        // The loop must not stop at the first: all have to be inserted.
        if let Some(other) = taken.reduce(|first, _| first) {
            let name = &scenario.flow[other].name;
            let is_wrong = format!("has the addresses and ports of \"{name}\" at the same UE");
            let allowed = "choose another remote_port or local_port, or leave them out";
            checker.fail(&format!("flow.{n}"), &is_wrong, allowed);
        }
    }
}
