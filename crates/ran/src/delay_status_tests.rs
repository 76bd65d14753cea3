use airpath_base::BearerId;
use airpath_net::Direction;
use airpath_net::testing::Bench;

use super::*;
use crate::pdcp::SetConfig;
use crate::rlc::testing::{config, packet};
use crate::rlc::{Mode, nr};

/// A bearer of this group with a packet in the UE since 3 ms, whose budget is 20 ms and whose threshold 8 ms.
fn bearer(group: u8) -> Bearer {
    let mut settings = config(Mode::NrUm(nr::um::Config::default()));
    settings.channel.group = group;
    settings.pdcp.sets = Some(SetConfig {
        delay_budget: Duration::from_millis(20),
        integrated: false,
        discard: false,
        low_importance: None,
        deadlines: None,
        delay_status: Some(Duration::from_millis(8)),
    });
    let (mut bearer, mut bench) = (Bearer::new(BearerId(0), settings, true), Bench::new());
    let came = Time::from_millis(3);
    bearer.enqueue(Direction::Uplink, came, packet(0, 100, came), 0, &mut bench.cx(came));
    bearer
}

fn us(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

#[test]
fn data_are_reported_once_less_is_left_than_the_threshold() {
    let bearers = [bearer(2)];
    let at = |micros| DelayStatus::of(&bearers, us(micros));
    // Late at 23 ms: critical from behind 15 ms on.
    assert_eq!(at(15_000), None);
    let report = at(15_001).expect("a report");
    // By TS 38.321, 6.1.2 and 6.1.3.72: subheader 3, groups 1, remaining time and buffer size of one group 2.
    assert_eq!(report.bytes(), 6);
    // 7.999 ms are left, of which the report has 7.
    assert_eq!(report.read(us(15_001)), us(22_001));
}

#[test]
fn groups_count_once_each() {
    let at = Time::from_millis(20);
    let bytes = |groups: &[u8]| {
        let bearers: Vec<Bearer> = groups.iter().map(|group| bearer(*group)).collect();
        DelayStatus::of(&bearers, at).map(DelayStatus::bytes)
    };
    assert_eq!([bytes(&[]), bytes(&[1, 2, 1])], [None, Some(8)]);
}
