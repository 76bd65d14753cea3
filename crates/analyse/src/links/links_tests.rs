use airpath_base::Time;

use super::*;
use crate::causes::{Causes, Confidence, Passed, Position};
use crate::record::Direction;
use crate::testing::Capture;

/// Course of a queue of `queue` milliseconds over a path of `path`, with so many bytes in each tenth of a second on
/// average. It lasts for six seconds from the tenth `from` on. `side` is the sign of what it gets more.
fn course(
    path: u64,
    from: u64,
    (bytes, side): (u32, i64),
    queue: impl Fn(u64) -> u64,
) -> Box<QueueCourse> {
    let mut course = QueueCourse::default();
    for n in from..from + 60 {
        let [from, to] = [100 * n, 100 * n + 100].map(Time::from_millis);
        let micros = Some(1000 * (path + queue(n)) as u32);
        // Five tenths of a second have the mean.
        let more = side * i64::from(bytes.min(1000)) / 10 * ((2 * n % 5) as i64 - 2);
        let bytes = (i64::from(bytes) + more) as u32;
        course.add(&Passed { from, to, micros, bytes, full: true });
    }
    Box::new(course.based(1000 * path as u32))
}

fn flow(number: u64, [client, server]: [u8; 2], up: bool, course: Box<QueueCourse>) -> FlowRecord {
    let way = Direction { course: Some(course), payload_bytes: 1000, ..Direction::default() };
    let (up, down) = if up { (way, Direction::default()) } else { (Direction::default(), way) };
    let end = |last: u8, port: u16| Endpoint::new([10, 0, 0, last], port);
    let (client, server) = (end(client, 50_000 + number as u16), end(server, 443));
    let mut capture = Capture::new();
    capture.handshake();
    FlowRecord { number, client, server, up, down, verdict: None, ..capture.flow() }
}

fn saw(n: u64) -> u64 {
    10 + 2 * (n % 17)
}

#[test]
fn flows_with_one_queue_share_a_link_whose_rate_is_their_sum() {
    let mut links = Links::default();
    let mut flows = [
        flow(1, [1, 9], false, course(20, 0, (75_000, 1), saw)),
        flow(2, [2, 8], false, course(50, 10, (25_000, -1), saw)),
        flow(3, [3, 7], false, course(30, 0, (50_000, 1), |n| 10 + 2 * (n % 12))),
    ];
    flows.iter_mut().for_each(|flow| links.meet(flow));
    flows.iter_mut().for_each(|flow| links.name(flow));
    assert_eq!(flows.map(|flow| flow.down.link), [Some(1), Some(1), None]);
    let [link] = links.found().try_into().expect("one link");
    // Ten tenths of a second alone, fifty together, ten alone: (60 * 75 + 60 * 25) kB in 7 s.
    assert!((link.full_s - 7.0).abs() < 1e-9);
    assert!((link.rate_bps - 8.0 * 6e6 / 7.0).abs() < 1.0);
    assert_eq!(
        link.flows.iter().map(|flow| (flow.flow, flow.share)).collect::<Vec<_>>(),
        [(1, 0.75), (2, 0.25)]
    );
    // The mean over 70 tenths of a second: 10 + 2 * (4 * 136 + 1) / 70 = 25.57 ms.
    assert_eq!([link.queue_ms[1], link.queue_ms[2]], [10.0, 42.0]);
    assert_eq!(
        link.sentence,
        "Link 1, shared by 2 flows: at least 6.9 Mbit/s while its queue stood (7.0 s), 26 ms on \
         average. Flow 1 75%, flow 2 25%."
    );
}

#[test]
fn opposite_ways_and_one_flow_at_two_points_are_no_shared_link() {
    let linked = |one: FlowRecord, other: FlowRecord| {
        let mut links = Links::default();
        [one, other].iter_mut().for_each(|flow| links.meet(flow));
        links.found().len()
    };
    let of = |number, ends, up| {
        let side = if number == 1 { 1 } else { -1 };
        flow(number, ends, up, course(20, 0, (1000, side), saw))
    };
    assert_eq!(linked(of(1, [1, 9], false), of(2, [1, 9], false)), 1);
    assert_eq!(linked(of(1, [1, 9], false), of(2, [1, 9], true)), 0);
    assert_eq!(linked(of(1, [1, 9], false), of(1, [1, 9], false)), 0);
}

#[test]
fn of_many_flows_those_with_most_bytes_are_kept() {
    let mut links = Links::default();
    for number in 1..=MOST as u64 + 1 {
        let mut flow = flow(number, [1, 9], false, course(20, 0, (1000, 1), |_| 40));
        flow.down.payload_bytes = number;
        links.meet(&mut flow);
    }
    assert_eq!((links.known.len(), links.known[0].flow), (MOST, 2));
}

#[test]
fn losses_while_the_queue_of_a_shared_link_stands_are_the_links() {
    let lost = |stood: f64| {
        let mut way = flow(1, [1, 9], false, course(20, 0, (1000, 1), saw)).down;
        let mut shares = [0.0; Cause::COUNT];
        (shares[Cause::LossWithoutQueue as usize], shares[Cause::Application as usize]) =
            (0.8, 0.2);
        let causes = Causes {
            position: Position::Sender,
            confidence: Confidence::Certain,
            judged_s: 1.0,
            active_s: 1.0,
            delivered_bytes: 0,
            goodput_bps: None,
            shares,
            bottleneck: None,
        };
        let lead = Hypothesis { cause: Cause::LossWithoutQueue, likelihood: 0.9, evidence: None };
        (way.causes, way.hypotheses) = (Some(causes), vec![lead]);
        lost_in_queue(&mut way, stood);
        (way.causes.expect("causes").first().0, way.hypotheses[0].cause)
    };
    assert_eq!(lost(0.9), (Cause::SharedBottleneck, Cause::SharedBottleneck));
    assert_eq!(lost(0.1), (Cause::LossWithoutQueue, Cause::LossWithoutQueue));
}
