//! Marks by the gateway, from congestion that the cell reports (TS 23.501, 5.37.3.3).

use airpath_base::random::Seed;
use airpath_base::{Duration, NodeId, Time};
use airpath_net::{Event, PointId, Probe, TunnelKind};
use airpath_scenario::Scenario;
use airpath_scenario::world::World;
use airpath_wire::Ecn;

/// Delay of the link between gateway and cell.
const N3: Duration = Duration::from_millis(7);

/// A download of Prague and an upload over a slow cell of NR with these keys of the bearer.
fn read(bearer: &str, technology: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"4 s\"\n[path]\nsgi = {{ rate = \"100 Mbit/s\", delay = \"2 ms\" }}\n\
         s1 = {{ delay = \"7 ms\" }}\n[cell]\n{technology}\n\
         [[ue]]\nname = \"phone\"\nsnr = \"12 dB\"\n\
         [[bearer]]\nname = \"l4s\"\ndefault = true\n{bearer}\n\
         [[flow]]\nname = \"down\"\nkind = \"tcp\"\ndirection = \"down\"\ntcp.controller = \"prague\"\n\
         [[flow]]\nname = \"up\"\nkind = \"tcp\"\ndirection = \"up\"\ntcp.controller = \"prague\"\n\
         [output]\npcap = [\"sgi\", \"s1\"]\n"
    );
    Scenario::parse("s.toml", &text, &[]).map_err(|errors| errors.plain())
}

const NR: &str = "technology = \"nr\"\nbandwidth = \"5 MHz\"";

/// Reports, marks, and ECN-capable packets that come to the gateway, with their times.
#[derive(Default)]
struct Seen {
    /// Shares downlink and uplink in steps of 0.01%, as they leave the cell.
    reports: Vec<(Time, [u16; 2])>,
    marks: Vec<(Time, NodeId, bool)>,
    packets: Vec<(Time, bool)>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        let is_up = |packet: &airpath_net::Packet| packet.tuple.dst.port < 49_152;
        match event {
            Event::Marked { packet, .. } => self.marks.push((now, node, is_up(packet))),
            // Downlink at the gateway; uplink at the cell, a delay earlier.
            Event::Passed { point: PointId(0), packet }
                if !is_up(packet) && packet.ecn != Ecn::NotEct =>
            {
                self.packets.push((now, false));
            }
            Event::Passed { point: PointId(1), packet } if is_up(packet) => {
                if packet.ecn != Ecn::NotEct {
                    self.packets.push((now + N3, true));
                }
                if let Some(TunnelKind::Gtpu { congestion: Some(own), .. }) =
                    packet.outermost().map(|outer| outer.kind)
                {
                    self.reports.push((now, [own.down, own.up]));
                }
            }
            _ => {}
        }
    }
}

fn seen(bearer: &str) -> Seen {
    let scenario = read(bearer, NR).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let mut seen = Seen::default();
    world.engine.run_until(Time::from_millis(4_000), Some(&mut seen)).expect("a run");
    seen.packets.sort_by_key(|(at, _)| *at);
    seen
}

const MARKING: &str = "queue = { kind = \"ramp\" }\nuplink_marking = {}";

#[test]
fn the_gateway_marks_the_reported_share_once_the_report_has_come() {
    let seen = seen(&format!("{MARKING}\ncongestion_reports = \"20 ms\""));
    // One report an interval of 20 ms.
    let intervals: Vec<u64> =
        seen.reports.iter().map(|(at, _)| at.as_nanos() / 20_000_000).collect();
    assert!(intervals.windows(2).all(|pair| pair[0] < pair[1]), "{intervals:?}");
    assert!(intervals.len() > 150, "{}", intervals.len());
    for up in [false, true] {
        let own = usize::from(up);
        let first = seen.reports.iter().find(|(_, shares)| shares[own] > 0).expect("congestion").0;
        let marks: Vec<Time> =
            seen.marks.iter().filter(|mark| mark.2 == up).map(|mark| mark.0).collect();
        // The first mark lags the congestion by the rest of the interval and by the link.
        assert!(marks[0] >= first + N3, "{} before {first}", marks[0]);
        // A running sum of the shares in force, by hand: a mark at each whole.
        let mut steps = 0u64;
        let packets = seen.packets.iter().filter(|packet| packet.1 == up);
        for (at, _) in packets {
            let come = seen.reports.iter().take_while(|(sent, _)| *sent + N3 <= *at);
            steps += come.last().map_or(0, |(_, shares)| u64::from(shares[own]));
        }
        let expected = steps / 10_000;
        assert!(expected > 20, "{expected}");
        assert!(expected.abs_diff(marks.len() as u64) <= 1, "{expected}, {}", marks.len());
    }
    // Nobody but the gateway marks.
    assert!(seen.marks.iter().all(|mark| mark.1 == seen.marks[0].1));
}

#[test]
fn without_reports_the_cell_marks() {
    let (own, with) = (seen(MARKING), seen(&format!("{MARKING}\ncongestion_reports = \"20 ms\"")));
    assert!(own.reports.is_empty() && own.marks.len() > 20);
    assert!(own.marks[0].1 != with.marks[0].1);
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let cases = [
        ("congestion_reports = \"10 ms\"", NR, "has nothing to report"),
        (
            "queue = \"ramp\"\ncongestion_reports = \"0 ms\"",
            NR,
            "`bearer.l4s.congestion_reports` is zero",
        ),
        ("queue = \"ramp\"\ncongestion_reports = \"10 ms\"", "", "is for a user plane of NR"),
    ];
    for (bearer, technology, expected) in cases {
        let message = read(bearer, technology).expect_err(bearer);
        assert!(message.contains(expected), "{bearer}: {message}");
    }
    let flows = "queue = \"ramp\"\ncongestion_reports = \"10 ms\"\n\
                 [[bearer.qos_flow]]\nname = \"f\"\nfilter = [{ dscp = \"EF\", may_be_unused = true }]";
    let message = read(flows, NR).expect_err(flows);
    assert!(message.contains("with several QoS flows"), "{message}");
}
