use airpath_base::{BearerId, CellId, UeId};
use airpath_net::{Direction, DropCause, Leg, QueueEvent, Stage};
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};

use super::*;
use crate::live::{CellReading, FlowReading, QueueReading, Spread};
use crate::summarise::tests::world;
use crate::{CellInfo, Collector, Options};

const NODE: NodeId = NodeId(0);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn meter(interval: u64) -> Meter {
    Meter::new(&world(), &UeGroups::default(), Duration::from_millis(interval))
}

fn readings(meter: &mut Meter) -> Vec<Reading> {
    std::iter::from_fn(|| meter.take()).collect()
}

fn packet(leg: Leg, born: Time) -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    Packet::new(FlowId(0), leg, 250, tuple, born)
}

/// A packet that arrives `delay` milliseconds after its birth, of which it waited 2 in a queue.
fn pass(probe: &mut impl Probe, leg: Leg, born: u64, delay: u64) {
    let mut packet = packet(leg, at(born));
    probe.on(at(born), NODE, &Event::Originated(&packet));
    packet.charge(Stage::WiredQueue, at(born + 2));
    packet.charge(Stage::Radio, at(born + delay));
    probe.on(at(born + delay), NODE, &Event::Consumed(&packet));
}

fn block(direction: Direction, decoded: bool) -> Event<'static> {
    Event::Radio(RadioEvent::Block {
        cell: CellId(0),
        ue: UeId(0),
        direction,
        slot: 0,
        process: 0,
        new_data: true,
        transport_block: 0,
        first_layer: 0,
        resource_blocks: 3,
        mcs: 5,
        layers: 1,
        bytes: 110,
        attempt: 0,
        sinr_db: 10.0,
        decoded,
        padding: 10,
        ues: 1,
        share: 1.0,
    })
}

#[test]
fn packets_of_an_interval_by_hand() {
    let mut meter = meter(100);
    pass(&mut meter, Leg::Data, 10, 20);
    pass(&mut meter, Leg::Data, 20, 40);
    pass(&mut meter, Leg::Feedback, 60, 5);
    let lost = packet(Leg::Data, at(70));
    meter.on(at(70), NODE, &Event::Originated(&lost));
    meter.on(at(71), NODE, &Event::Marked { packet: &lost, from: Ecn::Ect1 });
    meter.on(
        at(72),
        NODE,
        &Event::Dropped { packet: &lost, cause: DropCause::QueueFull, end: None },
    );
    // Events at the end of an interval are in it.
    pass(&mut meter, Leg::Data, 95, 5);
    meter.finish(at(150));
    let readings = readings(&mut meter);
    let [first, second] = &readings[..] else { panic!("two intervals: {readings:?}") };
    assert_eq!((first.number, first.time_s, first.interval_s), (0, 0.1, 0.1));
    let flow = &first.flows[0];
    // 3 packets of 250 B in 0.1 s.
    let known = FlowReading {
        name: "audio".into(),
        flows: 1,
        direction: Some("down".into()),
        rate_bps: 60_000.0,
        sent_packets: 4,
        received_packets: 3,
        received_bytes: 750,
        lost_packets: 1,
        marks: 1,
        delay_ms: flow.delay_ms,
        queue_ms: Some(Spread { p50: 2.0, p95: 2.0 }),
    };
    assert_eq!(*flow, known);
    let delay = flow.delay_ms.expect("delays of 5, 20 and 40 ms");
    assert!((delay.p50 / 20.0 - 1.0).abs() < 0.01 && (delay.p95 / 40.0 - 1.0).abs() < 0.01);
    let totals =
        TotalsReading { rate_bps: 60_000.0, originated: 5, consumed: 4, dropped: 1, marked: 1 };
    assert_eq!(first.totals, totals);
    assert_eq!((second.number, second.time_s, second.interval_s), (1, 0.15, 0.05));
    assert_eq!(second.totals, TotalsReading::default());
    assert_eq!((&second.flows[0].delay_ms, second.flows[0].rate_bps), (&None, 0.0));
}

#[test]
fn resource_blocks_are_shares_of_those_of_the_interval() {
    let mut meter = meter(10);
    meter.on(at(1), NODE, &block(Direction::Downlink, true));
    meter.on(at(2), NODE, &block(Direction::Downlink, false));
    meter.on(at(3), NODE, &block(Direction::Uplink, true));
    let (cell, ue) = (CellId(0), UeId(0));
    let (direction, resource_blocks) = (Direction::Uplink, 6);
    let unused = RadioEvent::Unused { cell, ue, direction, resource_blocks };
    let missed = RadioEvent::Missed { cell, ue, direction, resource_blocks };
    meter.on(at(4), NODE, &Event::Radio(unused));
    meter.on(at(5), NODE, &Event::Radio(missed));
    meter.advance(at(10));
    let reading = meter.take().expect("one");
    // Of 6 resource blocks in 10 slots; 100 B in 10 ms.
    let known = CellReading {
        name: "cell-1".into(),
        cells: 1,
        utilisation: Some(0.1),
        utilisation_up: Some(0.25),
        resource_blocks: 6,
        resource_blocks_up: 15,
        throughput_bps: 80_000.0,
        throughput_up_bps: 80_000.0,
    };
    assert_eq!(reading.cells, [known]);
}

#[test]
fn queues_are_told_once_they_have_held_something() {
    let mut meter = meter(10);
    let queue = |bearer, direction, packets| {
        let bytes = u64::from(packets) * 100;
        Event::Radio(RadioEvent::Queue { bearer: BearerId(bearer), direction, packets, bytes })
    };
    meter.on(at(1), NODE, &queue(1, Direction::Uplink, 3));
    meter.on(at(2), NODE, &queue(0, Direction::Downlink, 0));
    // The link's queue: one packet leaves at once, two wait until 8 and 12 ms.
    for leaves in [3, 8, 12] {
        let event = QueueEvent::Scheduled { bytes: 500, leaves: at(leaves) };
        meter.on(at(3), NODE, &Event::Queue(event));
    }
    // A node that is no link of the inventory.
    meter.on(at(4), NodeId(7), &Event::Queue(QueueEvent::Occupancy { packets: 9, bytes: 9 }));
    meter.advance(at(10));
    meter.on(at(11), NODE, &queue(1, Direction::Uplink, 0));
    meter.advance(at(20));
    let of = |name: &str, direction: Option<&str>, packets, bytes| QueueReading {
        name: name.into(),
        queues: 1,
        // Bearers of the world are all of its first UE.
        ue: direction.map(|_| world().ues[0].name.clone()),
        direction: direction.map(str::to_owned),
        packets,
        bytes,
    };
    let held: Vec<_> = readings(&mut meter).into_iter().map(|reading| reading.queues).collect();
    let up = Some("up");
    assert_eq!(held[0], [of("s1-u", None, 1, 500), of("dedicated", up, 3, 300)]);
    assert_eq!(held[1], [of("s1-u", None, 0, 0), of("dedicated", up, 0, 0)]);
}

#[test]
fn too_many_cells_and_queues_are_summed() {
    let mut inventory = world();
    let cell = |n| CellInfo { name: format!("cell-{n}"), ..inventory.cells[0].clone() };
    inventory.cells = (0..20).map(cell).collect();
    inventory.bearers = vec![inventory.bearers[0].clone(); 20];
    let mut meter = Meter::new(&inventory, &UeGroups::default(), Duration::from_millis(10));
    for n in [15, 19] {
        let (cell, ue, direction) = (CellId(n), UeId(0), Direction::Downlink);
        let missed = RadioEvent::Missed { cell, ue, direction, resource_blocks: 15 };
        meter.on(at(1), NODE, &Event::Radio(missed));
    }
    for bearer in (0..20).map(BearerId) {
        let direction = Direction::Downlink;
        let queue = RadioEvent::Queue { bearer, direction, packets: 1, bytes: 10 };
        meter.on(at(1), NODE, &Event::Radio(queue));
    }
    meter.advance(at(10));
    let reading = meter.take().expect("one");
    let rest = &reading.cells[15];
    // 30 of 6 in 10 slots of 5 cells.
    assert_eq!((reading.cells.len(), rest.name.as_str(), rest.cells), (16, "5 others", 5));
    assert_eq!((rest.resource_blocks, rest.utilisation), (30, Some(0.1)));
    let rest = &reading.queues[15];
    assert_eq!((reading.queues.len(), rest.name.as_str(), rest.queues), (16, "5 others", 5));
    assert_eq!((rest.packets, rest.bytes), (5, 50));
}

#[test]
fn a_full_buffer_has_bytes_and_no_packets() {
    let mut inventory = world();
    inventory.flows[0].kind = FlowInfo::FULL_BUFFER.into();
    let mut meter = Meter::new(&inventory, &UeGroups::default(), Duration::from_millis(10));
    for flow in [FlowId(0), FlowId(1), FlowId(9)] {
        // Of what has packets, and of what nobody named, nothing is counted.
        meter.on(at(1), NODE, &Event::App(flow, AppEvent::Delivered { bytes: 100 }));
    }
    meter.advance(at(10));
    let reading = meter.take().expect("one");
    assert_eq!(reading.flows.iter().map(|f| f.rate_bps).collect::<Vec<_>>(), [80_000.0, 0.0]);
    assert_eq!(reading.totals.rate_bps, 80_000.0);
}

#[test]
fn readings_add_up_to_what_the_collector_counts() {
    let (mut meter, mut collector) = (meter(7), Collector::new(world(), &Options::default()));
    for n in 0..50 {
        pass(&mut meter, Leg::Data, 3 * n, 3 + n % 11);
        pass(&mut collector, Leg::Data, 3 * n, 3 + n % 11);
    }
    meter.finish(at(300));
    let readings = readings(&mut meter);
    let flow = collector.flow(FlowId(0)).expect("a flow");
    let sum = |of: fn(&FlowReading) -> u64| readings.iter().map(|r| of(&r.flows[0])).sum::<u64>();
    assert_eq!(sum(|flow| flow.received_packets), flow.data.received_packets);
    assert_eq!(sum(|flow| flow.received_bytes), flow.data.received_bytes);
    assert_eq!(readings.len(), 43);
    let time = readings.iter().map(|reading| reading.interval_s).sum::<f64>();
    assert!((time - 0.3).abs() < 1e-9, "{time}");
    assert_eq!(readings.last().map(|r| r.time_s), Some(0.3));
}

#[test]
fn a_reading_comes_back_from_its_json() {
    let mut meter = meter(10);
    pass(&mut meter, Leg::Data, 1, 3);
    meter.on(at(5), NODE, &block(Direction::Downlink, true));
    meter.finish(at(10));
    let reading = meter.take().expect("one");
    let json = serde_json::to_string(&reading).expect("JSON");
    assert!(!json.contains('\n') && !json.contains("health"), "{json}");
    assert_eq!(serde_json::from_str::<Reading>(&json).expect("a reading"), reading);
}
