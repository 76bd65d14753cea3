//! Effect of the warm-up on a whole run, against the tables that have every row.

use airpath_base::{Duration, Time};
use airpath_net::{DropCause, Leg};
use airpath_results::{Collector, PacketRow, RunSummary};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A cell with video that its bearer's queue delays and drops, and a download.
const SCENARIO: &str = r#"
duration = "4 s"

[output]
packets = true
frames = true
warm_up = "1500 ms"

[path.sgi]
delay = "10 ms"
queue = "30 packets"
rate = "6 Mbit/s"

[cell]
resource_blocks = 15

[[ue]]
name = "ue"
snr = "15 dB"

[[flow]]
name = "video"
kind = "rtp"
direction = "down"

[flow.rtp]
congestion_control = "scream"

[flow.rtp.video]
max_rate = "8 Mbit/s"

[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

fn result() -> (Collector, RunSummary) {
    let scenario =
        Scenario::parse("s.toml", SCENARIO, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let options = RunOptions { keep: true, ..RunOptions::default() };
    let outcome = run(&scenario, options).expect("a run");
    (outcome.collector, outcome.summary)
}

#[test]
fn a_summary_is_that_of_the_packets_born_behind_it() {
    let (collector, summary) = result();
    let from = Time::ZERO + Duration::from_millis(1_500);
    for (n, flow) in summary.flows.iter().enumerate() {
        let own = |row: &&PacketRow| row.flow.index() == n && row.leg == Leg::Data;
        let rows: Vec<&PacketRow> = collector.packets().iter().filter(own).collect();
        let late: Vec<&&PacketRow> = rows.iter().filter(|row| row.born >= from).collect();
        assert!(late.len() + 100 < rows.len(), "{}: most are behind it", flow.name);
        let arrived = late.iter().filter(|row| row.dropped.is_none());
        let delays: Vec<u64> =
            arrived.clone().map(|row| row.ended.since(row.born).as_nanos()).collect();
        assert_eq!(flow.received_packets, delays.len() as u64);
        let expected = airpath_results::DelaySummary::of(&delays);
        assert_eq!(flow.delay_ms, expected, "{}", flow.name);
        assert_eq!(flow.received_bytes, arrived.map(|row| u64::from(row.size)).sum::<u64>());
        let full = |row: &&&&PacketRow| row.dropped == Some(DropCause::QueueFull);
        let lost = late.iter().filter(full).count() as u64;
        assert_eq!(flow.dropped.get("queue_full").copied().unwrap_or(0), lost);
        assert_eq!(
            flow.lost_packets,
            late.iter().filter(|row| row.dropped.is_some()).count() as u64
        );
    }
    assert!(summary.flows.iter().any(|flow| flow.lost_packets > 0), "nothing was dropped");
}

#[test]
fn frames_are_those_made_behind_it() {
    let (collector, summary) = result();
    let media = collector.flow(airpath_base::FlowId(0)).and_then(|flow| flow.media.as_deref());
    let media = media.expect("video");
    let from = Time::ZERO + Duration::from_millis(1_500);
    let late: Vec<_> = media.rows.iter().filter(|row| row.made >= from).collect();
    assert!(late.len() > 30 && late.len() + 30 < media.rows.len());
    let delays: Vec<u64> =
        late.iter().filter_map(|row| row.delay).map(Duration::as_nanos).collect();
    let shown = summary.flows[0].media.as_ref().expect("video");
    assert_eq!((shown.frames, shown.frames_complete), (late.len() as u64, delays.len() as u64));
    assert_eq!(shown.frame_delay_ms, airpath_results::DelaySummary::of(&delays));
}
