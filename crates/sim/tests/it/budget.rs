//! Delay budgets of a whole run, against the table that has every packet.

use airpath_base::{Duration, Time};
use airpath_net::Leg;
use airpath_results::{BearerSummary, PacketRow};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

/// A cell that carries less than is sent for a while, on bearers of 50 and 300 ms. The servers are
/// 15 ms away, and nothing waits before the gateway.
const SCENARIO: &str = r#"
duration = "3 s"

[output]
packets = true
warm_up = "500 ms"

[path.sgi]
delay = "15 ms"
rate = "unlimited"

[cell]
resource_blocks = 6

[[ue]]
name = "ue"
snr = "12 dB"

[[bearer]]
name = "games"
qci = 3
filter = [{ remote_port = 6000 }, { remote_port = 6001 }]

[[flow]]
name = "game"
kind = "rtp"
direction = "down"
remote_port = 6000
rtp = { payload = "1200 B", interval = "8 ms" }

[[flow]]
name = "burst"
kind = "rtp"
direction = "down"
remote_port = 6001
start = "1 s"
stop = "1600 ms"
rtp = { payload = "1200 B", interval = "7 ms" }

[[flow]]
name = "upload"
kind = "tcp"
direction = "up"
"#;

fn outcome() -> Outcome {
    let scenario =
        Scenario::parse("s.toml", SCENARIO, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    run(&scenario, RunOptions { keep: true, ..RunOptions::default() }).expect("a run")
}

/// Share of some flows' packets that were within `budget` between gateway and UE.
fn share(rows: &[PacketRow], flows: &[usize], leg: Leg, budget: u64) -> Option<f64> {
    let from = Time::ZERO + Duration::from_millis(500);
    let own =
        |row: &&PacketRow| flows.contains(&row.flow.index()) && row.leg == leg && row.born >= from;
    let rows: Vec<&PacketRow> = rows.iter().filter(own).collect();
    let radio =
        |row: &PacketRow| row.ended.since(row.born).saturating_sub(Duration::from_millis(15));
    let fast =
        |row: &&&PacketRow| row.dropped.is_none() && radio(row) <= Duration::from_millis(budget);
    (!rows.is_empty()).then(|| rows.iter().filter(fast).count() as f64 / rows.len() as f64)
}

#[test]
fn shares_are_those_of_the_packets() {
    let outcome = outcome();
    let (rows, bearers) = (outcome.collector.packets(), &outcome.summary.bearers);
    let of = |qci: u8| -> &BearerSummary {
        bearers.iter().find(|bearer| bearer.qci == qci).expect("a bearer")
    };
    let (game, usual) = (of(3), of(9));
    assert_eq!((game.delay_budget_ms, usual.delay_budget_ms), (Some(50.0), Some(300.0)));
    let expected = share(rows, &[0, 1], Leg::Data, 50);
    assert!(expected.is_some_and(|share| share > 0.01 && share < 0.99), "{expected:?}");
    assert_eq!(game.within_delay_budget, expected);
    assert_eq!(game.within_delay_budget_up, None);
    assert_eq!(usual.within_delay_budget, share(rows, &[2], Leg::Feedback, 300));
    // Uplink data that passed the gateway and are on their way at the end count as well.
    let (up, expected) = (usual.within_delay_budget_up, share(rows, &[2], Leg::Data, 300));
    assert!((up.expect("data") - expected.expect("data")).abs() < 0.01, "{up:?} {expected:?}");
}
