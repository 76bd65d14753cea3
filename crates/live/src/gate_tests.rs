use airpath_base::Duration;
use airpath_scenario::Scenario;
use airpath_scenario::world::WorldOptions;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple, datagram};

use super::*;

/// A cell with two UEs, the second of which has a download of its own.
const CELL: &str = r#"
duration = "10 s"
[path]
sgi = { delay = "3 ms" }
s1 = { delay = "2 ms" }
[[ue]]
name = "phone"
snr = "30 dB"
[[ue]]
name = "other"
snr = "30 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

const WIRES: &str = r#"
duration = "10 s"
radio = "none"
[path.sgi]
rate = "8 Mbit/s"
delay = "10 ms"
mark = 1.0
[[ue]]
name = "a"
[[ue]]
name = "b"
"#;

fn gate(text: &str, real: &[&str]) -> Gate {
    let scenario = Scenario::parse("test.toml", text, &[]).expect("valid");
    let real: Vec<String> = real.iter().map(|name| (*name).to_owned()).collect();
    let options = WorldOptions { real: &real, ..WorldOptions::default() };
    Gate::new(Course::begin(&scenario, None, None, options).expect("a world"))
}

/// A UDP packet of `size` bytes.
fn bytes(from: IpAddr, to: IpAddr, size: u32, ecn: Ecn) -> Vec<u8> {
    let (src, dst) = (Endpoint::new(from, 5000), Endpoint::new(to, 6000));
    let tuple = Tuple { src, dst, protocol: Protocol::UDP };
    let mut out = Vec::new();
    let inner = datagram::Inner::Repr(IpRepr::new(tuple, 0, ecn, size), datagram::Content::Zeros);
    datagram::emit(inner, &[], usize::MAX, &mut out).expect("short enough");
    out
}

/// Output until `end`: host, milliseconds, bytes.
fn out(gate: &mut Gate, end: u64) -> Vec<(usize, f64, Vec<u8>)> {
    assert!(gate.go_on(Time::from_millis(end), u32::MAX).expect("no mistake"));
    let mut all = Vec::new();
    gate.take(&mut Vec::new(), |host, at, bytes| {
        all.push((host, at.as_secs_f64() * 1e3, bytes.to_vec()));
    });
    all
}

#[test]
fn packets_cross_a_link_both_ways_in_both_families_and_are_marked() {
    for family in [0, 1] {
        let mut gate = gate(WIRES, &["a", "b"]);
        let address = |gate: &Gate, host: usize| gate.hosts()[host].addresses()[family];
        let [server, b] = [0, 2].map(|host| address(&gate, host));
        let down = bytes(server, b, 1000, Ecn::Ect0);
        gate.bring(Time::ZERO, 0, &down).expect("no mistake");
        let up = bytes(b, server, 500, Ecn::NotEct);
        gate.bring(Time::from_millis(2), 2, &up).expect("no mistake");
        // 8000 and 4000 bits at 8 Mbit/s, and 10 ms.
        let marked = bytes(server, b, 1000, Ecn::Ce);
        assert_eq!(out(&mut gate, 100), [(2, 11.0, marked), (0, 12.5, up)]);
    }
}

#[test]
fn what_no_ue_can_get_is_counted_and_left_out() {
    let mut gate = gate(WIRES, &["a"]);
    let [server, a] = [0, 1].map(|host| gate.hosts()[host].addresses()[0]);
    let to = |to: &str| bytes(server, to.parse().expect("an address"), 100, Ecn::NotEct);
    for one in [to("224.0.0.1"), to("255.255.255.255"), to("10.45.0.77"), vec![0x13; 30], vec![]] {
        gate.bring(Time::ZERO, 0, &one).expect("no mistake");
    }
    let strangers = Strangers { not_ip: 2, to_groups: 2, to_nobody: 1 };
    assert_eq!(gate.strangers(), strangers);
    gate.bring(Time::ZERO, 0, &bytes(server, a, 100, Ecn::NotEct)).expect("no mistake");
    assert_eq!(out(&mut gate, 100).len(), 1);
}

#[test]
fn a_real_ue_has_a_cell_with_simulated_ones() {
    let mut gate = gate(CELL, &["phone"]);
    let [server, phone] = [0, 1].map(|host| gate.hosts()[host].addresses()[1]);
    let ping = bytes(phone, server, 100, Ecn::NotEct);
    gate.bring(Time::from_millis(500), 1, &ping).expect("no mistake");
    let came = out(&mut gate, 900);
    assert_eq!(came.len(), 1, "{came:?}");
    let (host, at, _) = came[0];
    assert!(host == 0 && at > 508.0 && at < 560.0, "{host} at {at}");
    let mut course = gate.into_course();
    course.check().expect("the books close");
    let summary = course.finish(true, None).expect("the books close").summary;
    let names: Vec<&str> = summary.flows.iter().map(|flow| &flow.name[..]).collect();
    assert_eq!(names, ["download other", "phone down", "phone up"]);
    assert!(summary.flows[0].goodput_bps > Some(1e6), "the other UE downloads");
    assert_eq!(summary.flows[2].sent_packets, 1);
}

#[test]
fn who_keeps_his_flows_has_them_beside_real_packets() {
    let scenario = Scenario::parse("test.toml", CELL, &[]).expect("valid");
    let real = ["phone".to_owned()];
    for (with_flows, flows) in [(false, 3), (true, 4)] {
        let options = WorldOptions { real: &real, with_flows, ..WorldOptions::default() };
        let mut gate = Gate::new(Course::begin(&scenario, None, None, options).expect("a world"));
        assert_eq!(gate.course().world().facts.flows.len(), flows);
        let [server, phone] = [0, 1].map(|host| gate.hosts()[host].addresses()[0]);
        let packet = bytes(server, phone, 100, Ecn::NotEct);
        gate.bring(Time::from_millis(300), 0, &packet).expect("no mistake");
        gate.go_on(Time::from_millis(600), u32::MAX).expect("no mistake");
        let mut hosts = Vec::new();
        gate.take(&mut Vec::new(), |host, _, _| hosts.push(host));
        assert_eq!(hosts, [1]);
        assert!(gate.course().collector().totals().consumed > 100, "the flows go on");
    }
}

#[test]
fn a_bounded_call_lets_the_clock_run_ahead() {
    let mut gate = gate(CELL, &["phone"]);
    assert!(!gate.go_on(Time::from_millis(900), 50).expect("no mistake"));
    assert!(gate.now() < Time::from_millis(900));
    let next = gate.next_wake().expect("a download goes on");
    assert!(next.since(gate.now()) < Duration::from_millis(10));
}

#[test]
fn a_flow_that_hosts_carry_is_counted_as_itself() {
    let scenario = Scenario::parse("test.toml", CELL, &[]).expect("valid");
    let real = ["phone".to_owned(), "other".to_owned()];
    let options =
        WorldOptions { real: &real, with_flows: true, carried: &[0], ..WorldOptions::default() };
    let mut gate = Gate::new(Course::begin(&scenario, None, None, options).expect("a world"));
    let tuple = gate.course().world().facts.flows[1].tuple.expect("ports");
    let [server, other] = [0, 2].map(|host| gate.hosts()[host].addresses()[0]);
    assert_eq!((tuple.src.addr, tuple.dst.addr), (server, other));
    let known = |gate: &Gate, host, tuple: Tuple| gate.flow(host, &tuple);
    assert_eq!(known(&gate, 0, tuple), Some((FlowId(1), Leg::Data)));
    assert_eq!(known(&gate, 2, tuple.reversed()), Some((FlowId(1), Leg::Feedback)));
    let mut ping = tuple;
    ping.dst.port += 1;
    // Behind the two flows of the file: each UE has one down and one up.
    assert_eq!(known(&gate, 0, ping), Some((FlowId(4), Leg::Data)));
    assert_eq!(known(&gate, 2, ping.reversed()), Some((FlowId(5), Leg::Data)));
    assert!(gate.go_on(Time::from_millis(300), u32::MAX).expect("no mistake"));
    let totals = gate.course().collector().totals();
    assert_eq!(totals.originated, 0, "nobody simulates them: {totals:?}");
}
