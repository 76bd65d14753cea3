use airpath_base::{BearerId, BitRate, Bytes, CellId, Duration, FlowId, NodeId, UeId};
use airpath_net::{
    AppEvent, Direction, DropCause, Event, Leg, Packet, Playback, PlaybackState, Probe, QueueEvent,
    RadioEvent, Stage, TcpEvent,
};
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};

use super::*;
use crate::summarise::tests::{facts, world};
use crate::{Options, RunSummary, Subject};

const LINK: NodeId = NodeId(0);
const GNB: NodeId = NodeId(1);
const FLOW: FlowId = FlowId(0);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// The world of the summary's tests with a warm-up of 40 of its 100 ms.
fn collector(series: Option<Duration>) -> Collector {
    let options = Options { warm_up: Duration::from_millis(40), series, ..Options::default() };
    Collector::new(world(), &options)
}

fn ended(mut collector: Collector) -> RunSummary {
    collector.finish(at(100));
    collector.summary(facts())
}

fn packet(born: u64) -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    Packet::new(FLOW, Leg::Data, 228, tuple, at(born))
}

#[test]
fn packets_count_by_their_birth_and_deliveries_by_when_they_happen() {
    let mut c = collector(None);
    for (born, arrives) in [(10, 20), (30, 50), (40, 47), (60, 63)] {
        let mut packet = packet(born);
        c.on(at(born), LINK, &Event::Originated(&packet));
        c.on(at(born), LINK, &Event::Marked { packet: &packet, from: Ecn::Ect1 });
        packet.charge(Stage::Rlc, at(arrives));
        packet.ecn = Ecn::Ce;
        c.on(at(arrives), GNB, &Event::Consumed(&packet));
    }
    for born in [39, 70] {
        let packet = packet(born);
        c.on(at(born), LINK, &Event::Originated(&packet));
        let cause = DropCause::QueueFull;
        c.on(at(born + 1), LINK, &Event::Dropped { packet: &packet, cause, end: None });
    }
    let run = ended(c);
    let flow = &run.flows[0];
    assert_eq!((flow.sent_packets, flow.received_packets, flow.lost_packets), (3, 2, 1));
    assert_eq!((flow.in_flight_packets, flow.received_bytes, flow.marks), (0, 456, 2));
    let delay = flow.delay_ms.expect("two packets");
    assert_eq!((delay.min, delay.max, delay.mean), (3.0, 7.0, 5.0));
    // Three packets of 200 B reached the application from 40 ms to the last at 63 ms.
    assert_eq!((flow.delivered_bytes, flow.goodput_bps), (600, Some(4_800.0 / 0.023)));
    assert_eq!(flow.start_s, Some(0.01));
    // At the link both drops happened behind the warm-up: at 40 and at 71 ms.
    assert_eq!(run.links[0].dropped.get("queue_full"), Some(&2));
    assert_eq!((run.links[0].marks, run.warm_up_s), (2, 0.04));
    let events = (run.events.originated, run.events.consumed, run.events.dropped);
    assert_eq!((events, run.events.marked), ((6, 4, 2), 4));
}

#[test]
fn places_count_what_happens_behind_it() {
    let mut events = Vec::new();
    let (cell, ue, direction, bearer) = (CellId(0), UeId(0), Direction::Downlink, BearerId(1));
    // Blocks count by their reception behind its end, elements by the interval that begins there.
    for (millis, sinr_db) in [(39, 30.0), (40, 20.0), (41, 10.0), (100, 12.0)] {
        let block = RadioEvent::Block {
            cell,
            ue,
            direction,
            slot: millis,
            process: 0,
            new_data: true,
            transport_block: 0,
            first_layer: 0,
            resource_blocks: 6,
            mcs: 10,
            layers: 1,
            bytes: 500,
            attempt: 0,
            sinr_db,
            decoded: true,
            padding: 0,
            ues: 1,
            share: 1.0,
        };
        let share = RadioEvent::Share { cell: CellId(0), bearer, direction, resource_blocks: 6.0 };
        let control = RadioEvent::Control { cell, used: 2, elements: 8, blocked: 0 };
        let request = RadioEvent::SchedulingRequest { ue };
        events.extend([block, share, control, request].map(|event| (millis, event)));
    }
    // Five packets wait from 10 to 55 ms, one from there to the end.
    for (millis, packets) in [(10, 5), (55, 1)] {
        let queue = RadioEvent::Queue { bearer, direction, packets, bytes: 100 };
        events.push((millis, queue));
    }
    for (millis, waited) in [(30, 25), (60, 4)] {
        let waited = Duration::from_millis(waited);
        events.push((millis, RadioEvent::Left { bearer, direction, waited }));
    }
    events.sort_by_key(|(millis, _)| *millis);
    let mut c = collector(None);
    events.into_iter().for_each(|(millis, event)| c.on(at(millis), GNB, &Event::Radio(event)));
    let run = ended(c);
    let (cell, ue, bearer) = (&run.cells[0], &run.ues[0], &run.bearers[1]);
    // 12 of 6 resource blocks in 60 slots; 4 of 8 elements.
    assert_eq!(
        (cell.utilisation, cell.control_utilisation),
        (Some(12.0 / 360.0), Some(4.0 / 480.0))
    );
    assert_eq!(ue.down.sinr.map(|sinr| sinr.mean_db), Some(11.0));
    assert_eq!((ue.down.throughput_bps, ue.scheduling_requests), (Some(8_000.0 / 0.06), 3));
    assert_eq!(bearer.resource_blocks, 12.0);
    assert_eq!((bearer.queue.mean_packets, bearer.queue.max_packets), (Some(2.0), 5));
    assert_eq!((bearer.queue.mean_delay_ms, bearer.queue.max_delay_ms), (Some(4.0), Some(4.0)));
}

#[test]
fn connections_and_players_count_from_its_end() {
    let mut c = collector(None);
    let playing = |state| AppEvent::Playback(Playback { state, buffered: Duration::ZERO });
    use PlaybackState::*;
    for (millis, state) in
        [(0, Starting), (10, Playing), (20, Stalled), (50, Playing), (90, Stalled)]
    {
        c.on(at(millis), GNB, &Event::App(FLOW, playing(state)));
        c.on(at(millis), GNB, &Event::Tcp(FLOW, TcpEvent::Timeout { backoff: 0 }));
        c.on(at(millis), GNB, &Event::Tcp(FLOW, TcpEvent::Recovery));
        let rtt = Duration::from_millis(millis + 1);
        c.on(at(millis), GNB, &Event::Tcp(FLOW, TcpEvent::Rtt(rtt)));
    }
    let run = ended(c);
    let flow = &run.flows[0];
    assert_eq!((flow.timeouts, flow.recoveries, flow.rtt_ms), (2, 2, Some(71.0)));
    let player = flow.playback.as_ref().expect("a player");
    assert_eq!((player.stalls, player.startup_s), (1, Some(0.01)));
    assert_eq!((player.stalled_s, player.played_s), (0.02, 0.04));
}

#[test]
fn the_series_does_not_notice() {
    let series = |warm_up| {
        let interval = Some(Duration::from_millis(25));
        let options = Options { warm_up, series: interval, ..Options::default() };
        let mut c = Collector::new(world(), &options);
        let (bearer, direction) = (BearerId(1), Direction::Downlink);
        for millis in (0..100).step_by(6) {
            let bytes = 100 + 7 * millis as u32;
            let leaves = at(millis + 9);
            c.on(at(millis), LINK, &Event::Queue(QueueEvent::Scheduled { bytes, leaves }));
            let queue = RadioEvent::Queue { bearer, direction, packets: bytes, bytes: 9 };
            c.on(at(millis), GNB, &Event::Radio(queue));
            let unused = RadioEvent::Unused {
                cell: CellId(0),
                ue: UeId(0),
                direction,
                resource_blocks: millis as u16,
            };
            c.on(at(millis), GNB, &Event::Radio(unused));
            let packet = packet(millis.saturating_sub(20));
            c.on(at(millis), GNB, &Event::Consumed(&packet));
        }
        c.finish(at(100));
        c.series().to_vec()
    };
    let whole = series(Duration::ZERO);
    assert!(whole.iter().any(|row| matches!(row.subject, Subject::Link(_)) && row.value > 0.0));
    for millis in [1, 25, 40, 41, 99] {
        assert_eq!(series(Duration::from_millis(millis)), whole, "{millis}");
    }
}

#[test]
fn a_run_that_ends_within_it_has_no_statistics() {
    let mut c = collector(None);
    let packet = packet(10);
    c.on(at(10), LINK, &Event::Originated(&packet));
    c.on(at(20), LINK, &Event::Queue(QueueEvent::Occupancy { packets: 2, bytes: 9 }));
    c.on(at(20), GNB, &Event::App(FLOW, AppEvent::Delivered { bytes: 100 }));
    c.finish(at(30));
    let run = c.summary(crate::RunFacts { end: at(30), complete: false, ..facts() });
    let flow = &run.flows[0];
    assert_eq!((flow.sent_packets, flow.delivered_bytes, flow.goodput_bps), (0, 0, None));
    assert_eq!((run.cells[0].utilisation, run.links[0].queue.mean_packets), (None, None));
}

#[test]
fn without_an_event_behind_it_a_queue_is_as_it_was() {
    let mut c = collector(None);
    c.on(at(10), LINK, &Event::Queue(QueueEvent::Occupancy { packets: 4, bytes: 40 }));
    let run = ended(c);
    assert_eq!(run.links[0].queue.mean_packets, Some(4.0));
    assert_eq!(run.links[0].rate_bps, Some(BitRate::from_mbps(5).as_bps()));
    assert_eq!(run.links[0].queue.mean_bytes, Some(Bytes(40).0 as f64));
}
