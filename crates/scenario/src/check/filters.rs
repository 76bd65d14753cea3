//! Checks that filters can match a packet that is sent.

use airpath_base::Direction;

use crate::file::{Bearer, Filter, FilterDirection, Flow, FlowKind, Scenario};

use super::Checker;

const DSCP_BITS: u8 = 0xfc;

/// Reports filters of equal precedence at a UE and filters that match nothing sent.
pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let ues = scenario.ues().count();
    let flows: Vec<(&Flow, Vec<bool>)> = scenario
        .flow
        .iter()
        .filter(|flow| !flow.is_full_buffer())
        .map(|flow| (flow, flags(&scenario.members(&flow.ue, flow.only.as_ref()), ues)))
        .collect();
    let mut taken: Vec<[u64; 4]> = vec![[0; 4]; ues];
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let members = scenario.members(&bearer.ue, bearer.only.as_ref());
        for (at, filter) in bearer.filters() {
            let path = format!("bearer.{n}.{at}");
            check_precedence(filter, &members, &mut taken, &path, checker);
            let reaches = |carried: &[bool]| members.iter().any(|&ue| carried[ue]);
            let sent = flows.iter().filter(|(_, carried)| reaches(carried));
            let sent: Vec<&Flow> = sent.map(|(flow, _)| *flow).collect();
            if !filter.may_be_unused && !sent.iter().any(|flow| matches(filter, flow)) {
                let is_wrong = "matches nothing that is sent";
                let allowed = what_is_sent(&sent) + "; may_be_unused = true if that is meant";
                checker.fail(&path, is_wrong, allowed);
            }
        }
    }
}

fn flags(members: &[usize], len: usize) -> Vec<bool> {
    let mut flags = vec![false; len];
    members.iter().for_each(|&member| flags[member] = true);
    flags
}

fn check_precedence(
    filter: &Filter,
    members: &[usize],
    taken: &mut [[u64; 4]],
    path: &str,
    checker: &mut Checker<'_>,
) {
    let Some(precedence) = filter.precedence else { return };
    let (word, bit) = (usize::from(precedence / 64), 1 << (precedence % 64));
    if members.iter().any(|&ue| taken[ue][word] & bit != 0) {
        let is_wrong = format!("is a second {precedence} at a UE");
        let allowed = "each filter of a UE has its own, 0 to 255 (TS 24.008, 10.5.6.12)";
        checker.fail(&format!("{path}.precedence"), &is_wrong, allowed);
    }
    members.iter().for_each(|&ue| taken[ue][word] |= bit);
}

/// The flows that the filter's UEs have, for the help of a message.
fn what_is_sent(flows: &[&Flow]) -> String {
    if flows.is_empty() {
        return "no flow is sent to or from UEs of this bearer".to_owned();
    }
    let described = flows.iter().take(5).map(|flow| {
        format!(
            "\"{}\" ({} {}, tos {:#04x}, remote {} port {}, local port {})",
            flow.name,
            flow.direction.name(),
            protocol_name(flow),
            flow.code_point() << 2,
            flow.remote_address,
            flow.remote_port.unwrap_or(0),
            flow.local_port.unwrap_or(0),
        )
    });
    let described: Vec<String> = described.collect();
    let more = if flows.len() > 5 { " and others" } else { "" };
    format!("what is sent: {}{more}", described.join(", "))
}

fn protocol_name(flow: &Flow) -> &'static str {
    if flow.kind == FlowKind::Tcp { "tcp" } else { "udp" }
}

/// True if packets of the flow, or those that answer them, match.
fn matches(filter: &Filter, flow: &Flow) -> bool {
    let number = if flow.kind == FlowKind::Tcp { 6 } else { 17 };
    let ports = |filter: Option<crate::file::Ports>, port: Option<u16>| {
        filter.is_none_or(|ports| port.is_some_and(|port| ports.contains(port)))
    };
    filter.protocol.is_none_or(|protocol| protocol.0 == number)
        && filter.remote_address.is_none_or(|prefix| prefix.contains(flow.remote_address.into()))
        && ports(filter.remote_port, flow.remote_port)
        && ports(filter.local_port, flow.local_port)
        && legs(flow).any(|(direction, dscp)| {
            let tos = filter.tos_match().is_none_or(|(value, mask)| {
                // The ECN bits of a packet are not known beforehand.
                (value ^ (dscp << 2)) & mask & DSCP_BITS == 0
            });
            tos && applies(filter.direction, direction)
        })
}

/// Flows with packets that may take a resolved bearer: those of its filters, or all where it is the default.
pub(super) fn carried<'a>(
    scenario: &'a Scenario,
    bearer: &'a Bearer,
) -> impl Iterator<Item = &'a Flow> {
    let members = scenario.members(&bearer.ue, bearer.only.as_ref());
    let of_ues = move |flow: &&Flow| {
        let flows = scenario.members(&flow.ue, flow.only.as_ref());
        !flow.is_full_buffer() && members.iter().any(|ue| flows.contains(ue))
    };
    let matches =
        |flow: &&Flow| bearer.default || bearer.filters().any(|(_, filter)| matches(filter, flow));
    scenario.flow.iter().filter(of_ues).filter(matches)
}

/// True if a flow has packets of this direction.
pub(super) fn goes(flow: &Flow, direction: Direction) -> bool {
    legs(flow).any(|(own, _)| own == direction)
}

/// Directions and code points of what belongs to a flow.
fn legs(flow: &Flow) -> impl Iterator<Item = (Direction, u8)> {
    let dscp = flow.code_point();
    let back = flow.direction.opposite();
    let answer = flow.is_answered().then_some((back, if flow.mark_feedback { dscp } else { 0 }));
    core::iter::once((flow.direction, dscp)).chain(answer)
}

fn applies(filter: FilterDirection, direction: Direction) -> bool {
    match filter {
        FilterDirection::Both => true,
        FilterDirection::Down => direction == Direction::Downlink,
        FilterDirection::Up => direction == Direction::Uplink,
    }
}
