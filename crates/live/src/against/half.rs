//! Ends of the kernel's half: programs, their orders, and their reports.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use std::process::Stdio;

use airpath_base::{Duration, UeId};
use airpath_net::Direction;
use airpath_results::FlowSummary;
use airpath_scenario::Flow;
use airpath_scenario::world::{Facts, FlowFacts, Host};
use airpath_sim::Outcome;
use airpath_wire::Endpoint;
use rustix::fs::{MemfdFlags, memfd_create};

use super::{Against, AgainstError, FlowHalf, Halves, controller, kernel};
use crate::Programs;
use crate::os::Program;
use crate::transfer::{Report, Transfer};

/// Lateness of a begin above which results are doubtful.
const PUNCTUAL: Duration = Duration::from_millis(20);

/// The UEs whose flows the kernel carries, in their order.
pub(super) fn ues(halves: &Halves, facts: &Facts) -> Vec<String> {
    numbers(halves, facts).into_iter().map(|ue| facts.ues[ue.index()].name.clone()).collect()
}

fn numbers(halves: &Halves, facts: &Facts) -> Vec<UeId> {
    let mut all: Vec<UeId> = flows(halves, facts).map(|(_, flow)| flow.ue).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The flows that the kernel carries, with their numbers in the results.
fn flows<'a>(halves: &'a Halves, facts: &'a Facts) -> impl Iterator<Item = (usize, &'a FlowFacts)> {
    let all = facts.flows.iter().enumerate();
    all.filter(|(_, flow)| flow.application.is_some() && halves.carried.contains(&flow.entry))
}

/// Outputs of the flows' programs: server and UE of each.
pub(super) struct Ends {
    all: Vec<[File; 2]>,
    /// Number of the flow in the results.
    flows: Vec<usize>,
    /// True if the server sends.
    down: Vec<bool>,
}

impl Ends {
    /// The programs, and where they write.
    pub fn of(
        against: &Against<'_>,
        facts: &Facts,
        hosts: &[Host],
    ) -> Result<(Programs, Ends), AgainstError> {
        let halves = against.halves;
        let (mut programs, ues) = (Programs::default(), numbers(halves, facts));
        let mut ends = Ends { all: Vec::new(), flows: Vec::new(), down: Vec::new() };
        for (number, flow) in flows(halves, facts) {
            let [server, ue] = orders(halves, flow, hosts[0].v4);
            let files = [memory()?, memory()?];
            let place = ues.binary_search(&flow.ue).unwrap_or_default();
            programs.servers.push(program(against, &server, &files[0])?);
            programs.clients.push((place, program(against, &ue, &files[1])?));
            ends.all.push(files);
            ends.flows.push(number);
            ends.down.push(server.sends);
        }
        Ok((programs, ends))
    }

    /// Number of flows.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Reports of each flow, sender and receiver, and a warning for those that began late.
    ///
    /// # Errors
    ///
    /// What went wrong with a flow.
    pub fn reports(self, facts: &Facts) -> Result<(Vec<[Report; 2]>, Vec<String>), AgainstError> {
        let (mut all, mut late) = (Vec::new(), Vec::new());
        for ((files, number), down) in self.all.into_iter().zip(self.flows).zip(self.down) {
            let facts = &facts.flows[number];
            let failed = |why| AgainstError::Flow { flow: facts.name.clone(), why };
            let [mut server, mut ue] = files;
            let [server, ue] = [report(&mut server), report(&mut ue)];
            let (server, ue) = (server.map_err(failed)?, ue.map_err(failed)?);
            let behind = ue.began.saturating_sub(facts.start.as_nanos());
            if behind > PUNCTUAL.as_nanos() {
                late.push(format!("{} began {} ms late", facts.name, behind / 1_000_000));
            }
            all.push(if down { [server, ue] } else { [ue, server] });
        }
        Ok((all, late))
    }
}

/// Orders to server and UE of a flow.
fn orders(halves: &Halves, facts: &FlowFacts, server: Ipv4Addr) -> [Transfer; 2] {
    let flow = &halves.scenario.flow[facts.entry];
    let tcp = flow.tcp.as_ref().expect("a flow that is carried is TCP");
    let (server, ue) = ends(facts, server);
    let nanos = |time: airpath_base::Time| time.as_nanos();
    let controller = kernel::controller(tcp.controller).unwrap_or_default().to_owned();
    let down = facts.direction == Direction::Downlink;
    let at_server = Transfer {
        sends: down,
        opens: false,
        local: server,
        remote: ue,
        start: nanos(facts.start),
        stop: facts.stop.map(nanos),
        end: halves.scenario.duration.as_nanos(),
        bytes: flow.size.and_then(|size| size.quantity()).map(|bytes| bytes.0),
        controller,
        dscp: code_point(flow, down),
        mss: u32::try_from(tcp.mss.0).unwrap_or(u32::MAX),
        counts_from: halves.scenario.output.warm_up.as_nanos(),
        steps: Vec::new(),
        receive_buffer: None,
        send_buffer: None,
        pacing: None,
        nodelay: false,
        readings: false,
    };
    let at_ue = Transfer {
        sends: !down,
        opens: true,
        local: ue,
        remote: server,
        dscp: code_point(flow, !down),
        ..at_server.clone()
    };
    [at_server, at_ue]
}

fn code_point(flow: &Flow, sends: bool) -> u8 {
    if sends { flow.code_point() } else { flow.feedback_code_point() }
}

/// Server and UE.
fn ends(facts: &FlowFacts, server: Ipv4Addr) -> (SocketAddrV4, SocketAddrV4) {
    let tuple = facts.tuple.expect("a flow of TCP has ports");
    let (far, near) = match facts.direction {
        Direction::Downlink => (tuple.src, tuple.dst),
        Direction::Uplink => (tuple.dst, tuple.src),
    };
    (SocketAddrV4::new(server, far.port), SocketAddrV4::new(v4(near), near.port))
}

fn v4(end: Endpoint) -> Ipv4Addr {
    match end.addr {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
    }
}

/// A file that no folder has.
fn memory() -> std::io::Result<File> {
    Ok(memfd_create("airpath-report", MemfdFlags::CLOEXEC)?.into())
}

fn program(against: &Against<'_>, order: &Transfer, file: &File) -> std::io::Result<Program> {
    let order = serde_json::to_string(order)?;
    let arguments: Vec<&str> =
        against.arguments.iter().map(String::as_str).chain([&order[..]]).collect();
    let mut program = Program::new(&against.program, &arguments);
    program.stdin = Stdio::null();
    program.stdout = file.try_clone()?.into();
    Ok(program)
}

/// Report that a program wrote.
fn report(file: &mut File) -> Result<Report, String> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).map_err(|e| e.to_string())?;
    let report: Report = serde_json::from_str(text.trim()).map_err(|_| {
        "the program that carries it ended without a word; is this user allowed to run airpath?"
    })?;
    match report.error {
        Some(why) => Err(why),
        None => Ok(report),
    }
}

/// The flows of a half: as the model counted them, but for what the ends of the kernel's know.
pub(super) fn flows_of(
    halves: &Halves,
    outcome: &Outcome,
    reports: Option<&[[Report; 2]]>,
) -> Vec<FlowHalf> {
    let all = flows(halves, &outcome.facts).enumerate().map(|(place, (number, facts))| {
        let mut half = of_model(&outcome.summary.flows[number]);
        half.controller = controller(&halves.scenario, facts.entry);
        if let Some([sender, receiver]) = reports.and_then(|reports| reports.get(place)) {
            half.rtt_ms = sender.rtt_ms;
            half.retransmissions = sender.retransmissions;
            half.finish_s = receiver.finish.map(|finish| finish as f64 / 1e9);
            half.goodput_bps = goodput(halves, facts, receiver);
        }
        half
    });
    all.collect()
}

fn of_model(flow: &FlowSummary) -> FlowHalf {
    FlowHalf {
        name: flow.name.clone(),
        controller: "",
        goodput_bps: flow.goodput_bps,
        delay_ms: flow.delay_ms.as_ref().map(|delay| delay.mean),
        queue_ms: flow.queue_ms.as_ref().map(|queue| queue.mean),
        rtt_ms: flow.rtt_ms,
        retransmissions: flow.retransmissions,
        sent_packets: flow.sent_packets,
        lost_packets: flow.lost_packets,
        marks: flow.marks,
        finish_s: flow.finish_s,
    }
}

/// Goodput as the results of a simulation define it ([`FlowSummary::goodput_bps`]).
fn goodput(halves: &Halves, facts: &FlowFacts, receiver: &Report) -> Option<f64> {
    let end = halves.scenario.duration.as_nanos();
    let start = facts.start.as_nanos().max(halves.scenario.output.warm_up.as_nanos());
    let stop = facts.stop.map(|stop| stop.as_nanos().max(receiver.last.unwrap_or(0)));
    let until = receiver.finish.or(stop).unwrap_or(end).min(end);
    let span = until.checked_sub(start).filter(|span| *span > 0)?;
    Some(receiver.counted as f64 * 8e9 / span as f64)
}

#[cfg(test)]
#[path = "half_tests.rs"]
mod tests;
