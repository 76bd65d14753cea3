use airpath_base::{BearerId, BitRate, Duration, FlowId};
use airpath_net::{
    AppEvent, Direction, DropCause, Event, Leg, Packet, Probe, QueueEvent, RadioEnd, RadioEvent,
    Stage,
};
use airpath_wire::{Endpoint, Protocol, Tuple};
use serde_json::json;

use super::*;
use crate::measures::cell::class_name;
use crate::{BearerInfo, CellInfo, Inventory, LinkInfo, Options, UeInfo};

const GNB: NodeId = NodeId(1);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn flow(name: &str, bearer: u32, stop: Option<Time>) -> FlowInfo {
    FlowInfo {
        name: name.into(),
        kind: "rtp".into(),
        application: Some("voice".into()),
        ue: Some(UeId(0)),
        direction: Some(Direction::Downlink),
        bearers: [Some(BearerId(bearer)), Some(BearerId(0))],
        stop,
        ..FlowInfo::default()
    }
}

fn bearer(name: &str, qci: u8) -> BearerInfo {
    BearerInfo {
        name: name.into(),
        ue: UeId(0),
        qci,
        traffic_class: None,
        delay_budget: None,
        five_qi: None,
        rlc_mode: "um".into(),
    }
}

pub(crate) fn world() -> Inventory {
    let rate = Some(BitRate::from_mbps(5));
    Inventory {
        flows: vec![flow("audio", 1, Some(at(60))), flow("idle", 0, None)],
        ues: vec![UeInfo { name: "ue-1".into(), cell: Some(CellId(0)), ..UeInfo::default() }],
        cells: vec![CellInfo {
            name: "cell-1".into(),
            resource_blocks: [6, 6],
            slot: Duration::from_millis(1),
            shares: [1.0; 3],
        }],
        bearers: vec![bearer("default", 9), bearer("dedicated", 7)],
        links: vec![LinkInfo { name: "s1-u".into(), node: NodeId(0), rate }],
        nodes: vec!["s1-u".into(), "ran".into()],
        radio_nodes: vec![GNB],
        handover: false,
        conditional: false,
        daps: false,
        admission: false,
        load_balancing: false,
        dual_connectivity: false,
        secondary_cells: false,
        carriers: false,
    }
}

/// Two packets of 100 ms arrive after 4 and 6 ms, a third is dropped at the gNB.
pub(crate) fn run(options: &Options) -> Collector {
    run_in(world(), options)
}

fn run_in(inventory: Inventory, options: &Options) -> Collector {
    let mut c = Collector::new(inventory, options);
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    for (number, delay) in [(0, 4), (1, 6), (2, 0)] {
        let born = at(10 + 20 * number);
        let mut packet = Packet::new(FlowId(0), Leg::Data, 228, tuple, born);
        (packet.number, packet.id) = (number, number);
        c.on(born, NodeId(2), &Event::Originated(&packet));
        packet.charge(Stage::Wired, born + Duration::from_millis(1));
        if delay == 0 {
            packet.charge(Stage::Pdcp, at(80));
            let (cause, end) = (DropCause::DiscardTimer, Some(RadioEnd::Ue(UeId(0))));
            c.on(at(80), GNB, &Event::Dropped { packet: &packet, cause, end });
            continue;
        }
        packet.charge(Stage::Rlc, born + Duration::from_millis(delay));
        c.on(born + Duration::from_millis(delay), NodeId(3), &Event::Consumed(&packet));
    }
    for (attempt, decoded) in [(0, false), (1, true)] {
        let block = RadioEvent::Block {
            cell: CellId(0),
            ue: UeId(0),
            direction: Direction::Downlink,
            slot: 12,
            process: 0,
            new_data: true,
            transport_block: 0,
            first_layer: 0,
            resource_blocks: 6,
            mcs: 28,
            layers: 1,
            bytes: 549,
            attempt,
            sinr_db: 20.0,
            decoded,
            padding: 9,
            ues: 1,
            share: 1.0,
        };
        c.on(at(82), GNB, &Event::Radio(block));
        // A third of the block is the default bearer's.
        share(&mut c, Direction::Downlink, [2.0, 4.0]);
    }
    c.on(at(90), NodeId(0), &Event::Queue(QueueEvent::Occupancy { packets: 2, bytes: 456 }));
    c.finish(at(100));
    c
}

/// The bearers' shares of a block that has just been judged.
fn share(c: &mut Collector, direction: Direction, resource_blocks: [f64; 2]) {
    for (resource_blocks, bearer) in resource_blocks.into_iter().zip((0..).map(BearerId)) {
        let share = RadioEvent::Share { cell: CellId(0), bearer, direction, resource_blocks };
        c.on(at(82), GNB, &Event::Radio(share));
    }
}

pub(crate) fn facts() -> RunFacts {
    let scenario = json!({"z": 1, "a": "5 Mbit/s"});
    RunFacts { scenario, seed: 7, end: at(100), complete: true, changes: Vec::new() }
}

#[test]
fn a_5qi_is_told_from_a_qci() {
    assert_eq!([(None, 9), (Some(9), 9)].map(class_name), ["9", "5QI 9"]);
}

#[test]
fn the_summary_of_a_small_run() {
    let summary = run(&Options::default()).summary(facts());
    let text = summary.to_json().expect("JSON");
    insta::assert_snapshot!(text);
    assert_eq!(serde_json::from_str::<RunSummary>(&text).expect("the same types"), summary);
}

#[test]
fn what_is_delivered_after_the_stop_takes_its_time() {
    let deliver = |millis: &[u64]| {
        let mut collector = Collector::new(world(), &Options::default());
        let flow = FlowId(0); // stops at 60 ms
        collector.on(at(10), GNB, &Event::App(flow, AppEvent::Started));
        for ms in millis {
            collector.on(at(*ms), GNB, &Event::App(flow, AppEvent::Delivered { bytes: 1000 }));
        }
        collector.summary(facts()).flows[0].goodput_bps
    };
    assert_eq!(deliver(&[20, 40]), Some(16_000.0 / 0.05)); // to the stop
    assert_eq!(deliver(&[20, 40, 90]), Some(24_000.0 / 0.08)); // to the last delivery
}

#[test]
fn a_session_that_ends_early_counts_until_then() {
    let mut collector = Collector::new(world(), &Options::default());
    let flow = FlowId(0); // would stop at 60 ms
    collector.on(at(10), GNB, &Event::App(flow, AppEvent::Started));
    collector.on(at(20), GNB, &Event::App(flow, AppEvent::Delivered { bytes: 1000 }));
    collector.on(at(30), GNB, &Event::App(flow, AppEvent::GaveUp));
    let summary = collector.summary(facts());
    assert_eq!(summary.flows[0].goodput_bps, Some(8_000.0 / 0.02));
    let media = summary.flows[0].media.as_ref().expect("media");
    assert_eq!(media.ended_early_s, Some(0.03));
}

#[test]
fn figures_by_hand() {
    let summary = run(&Options::default()).summary(facts());
    let audio = &summary.flows[0];
    // 2 packets of 200 B from 10 ms to the planned stop at 60 ms: 3200 bits in 50 ms.
    assert_eq!(audio.goodput_bps, Some(64_000.0));
    assert_eq!((audio.lost_packets, audio.in_flight_packets), (1, 0));
    let delay = audio.delay_ms.expect("two packets");
    assert_eq!((delay.mean, delay.stddev, audio.jitter_ms), (5.0, 1.0, Some(2.0)));
    let stages: f64 = audio.stages_ms.iter().map(|(_, ms)| ms).sum();
    assert_eq!(stages, delay.mean);
    // 12 of 6 · 100 resource blocks.
    assert_eq!(summary.cells[0].utilisation, Some(0.02));
    assert_eq!(summary.cells[0].down.bler_first, Some(1.0));
    // 2 of 4 resource blocks for 2 · 228 B.
    assert_eq!(summary.bearers[1].resource_blocks, 8.0);
    assert_eq!(summary.bearers[1].resource_blocks_per_bit, Some(8.0 / 3648.0));
    assert_eq!(
        (summary.bearers[0].resource_blocks, summary.bearers[1].resource_blocks_up),
        (4.0, 0.0)
    );
    assert_eq!(summary.bearers[0].resource_blocks_per_bit, None);
    assert_eq!(summary.bearers[1].resource_blocks_per_bit_up, None);
    assert_eq!(summary.bearers[1].dropped.get("discard_timer"), Some(&1));
    assert_eq!(summary.links[0].queue.mean_packets, Some(0.2));
}

#[test]
fn an_early_end_and_an_early_finish_shorten_the_active_time() {
    let mut c = run(&Options::default());
    c.on(at(50), NodeId(3), &Event::App(FlowId(0), AppEvent::Finished));
    assert_eq!(c.summary(facts()).flows[0].goodput_bps, Some(80_000.0));
    let early = RunFacts { end: at(30), complete: false, ..facts() };
    assert_eq!(c.summary(early).flows[0].goodput_bps, Some(160_000.0));
    let none = RunFacts { end: Time::ZERO, ..facts() };
    let summary = c.summary(none);
    assert_eq!((summary.flows[0].goodput_bps, summary.cells[0].utilisation), (None, None));
}

#[test]
fn feedback_counts_for_its_own_bearer_and_direction() {
    let mut c = run(&Options::default());
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(2), dst: end(1), protocol: Protocol::UDP };
    let report = Packet::new(FlowId(0), Leg::Feedback, 100, tuple, at(90));
    c.on(at(95), NodeId(2), &Event::Consumed(&report));
    share(&mut c, Direction::Uplink, [4.0, 1.0]);
    let bearers = c.summary(facts()).bearers;
    assert_eq!(bearers[0].resource_blocks_per_bit_up, Some(4.0 / 800.0));
    assert_eq!((bearers[0].delivered_bits, bearers[0].resource_blocks_per_bit), (800, None));
    assert_eq!((bearers[1].resource_blocks_up, bearers[1].resource_blocks_per_bit_up), (1.0, None));
    assert_eq!(bearers[1].resource_blocks_per_bit, Some(8.0 / 3648.0));
}

#[test]
fn what_is_not_named_goes_by_its_number() {
    let mut c = run(&Options::default());
    c.on(at(1), NodeId(8), &Event::App(FlowId(2), AppEvent::Delivered { bytes: 1 }));
    let summary = c.summary(facts());
    assert_eq!(summary.flows[2].name, "flow 2");
    assert_eq!(summary.flows[2].delivered_bytes, 1);
}

#[test]
fn a_ue_that_arrives_counts_for_its_stay() {
    let mut inventory = world();
    inventory.ues[0].arrival = Some(at(40));
    inventory.flows.truncate(1);
    inventory.flows[0].stop = None;
    let mut c = run_in(inventory, &Options::default());
    let ue = |c: &Collector| {
        let ue = c.summary(facts()).ues.swap_remove(0);
        (ue.arrival_s, ue.left_s, ue.down.throughput_bps)
    };
    // 540 B of a block from 40 ms to the end at 100 ms, then to the end of its flow at 90 ms.
    assert_eq!(ue(&c), (Some(0.04), None, Some(4_320.0 / 0.06)));
    c.on(at(90), GNB, &Event::App(FlowId(0), AppEvent::Finished));
    assert_eq!(ue(&c), (Some(0.04), Some(0.09), Some(4_320.0 / 0.05)));
}

#[test]
fn cells_and_ues_by_hand() {
    let mut c = run(&Options::default());
    let (cell, ue) = (CellId(0), UeId(0));
    for (used, blocked) in [(5, 1), (7, 0)] {
        let event = RadioEvent::Control { cell, used, elements: 8, blocked };
        c.on(at(83), GNB, &Event::Radio(event));
    }
    for direction in [Direction::Downlink, Direction::Uplink, Direction::Uplink] {
        c.on(at(83), GNB, &Event::Radio(RadioEvent::Blocked { cell, ue, direction }));
    }
    let block = |attempt, sinr_db, decoded, bytes| RadioEvent::Block {
        cell,
        ue,
        direction: Direction::Uplink,
        slot: 12,
        process: 0,
        new_data: true,
        transport_block: 0,
        first_layer: 0,
        resource_blocks: 3,
        mcs: 10,
        layers: 1,
        bytes,
        attempt,
        sinr_db,
        decoded,
        padding: 50,
        ues: 1,
        share: 1.0,
    };
    for event in [
        block(0, -1.0, false, 100),
        block(1, 2.0, false, 100),
        block(2, 4.0, true, 100),
        block(0, 9.0, true, 300),
    ] {
        c.on(at(84), GNB, &Event::Radio(event));
    }
    let summary = c.summary(facts());
    let (cell, ue) = (&summary.cells[0], &summary.ues[0]);
    // 100 slots of 8 elements; 12 of 600 resource blocks, two thirds of them QCI 7's.
    assert_eq!(cell.control_utilisation, Some(12.0 / 800.0));
    let shares: Vec<(&str, f64)> = cell.utilisation_by_qci.iter().map(|(q, s)| (q, *s)).collect();
    assert_eq!(shares, [("7", 8.0 / 600.0), ("9", 4.0 / 600.0)]);
    assert_eq!((cell.utilisation, cell.utilisation_up), (Some(0.02), Some(0.02)));
    assert_eq!((ue.down.blocked, ue.up.blocked, cell.up.blocked), (1, 2, 2));
    // 540 B in 100 ms; 50 and 250 B.
    assert_eq!(ue.down.throughput_bps, Some(43_200.0));
    assert_eq!((ue.up.throughput_bps, cell.up.throughput_bps), (Some(24_000.0), Some(24_000.0)));
    assert_eq!((ue.down.granted_bytes, ue.up.granted_bytes), (549, 400));
    assert_eq!(ue.up.bler_by_attempt, [Some(0.5), Some(1.0), Some(0.0)]);
    let sinr = ue.up.sinr.expect("transmissions");
    // -1, 2, 4 and 9 dB: the second is the median by nearest rank.
    assert_eq!((sinr.mean_db, sinr.p95_db), (3.5, 9.0));
    assert!((sinr.p50_db - 2.05).abs() < 1e-9, "{}", sinr.p50_db);
}

#[test]
fn what_was_missed_took_its_resource_blocks_in_vain() {
    let mut c = run(&Options::default());
    let (cell, ue, direction) = (CellId(0), UeId(0), Direction::Downlink);
    let missed = RadioEvent::Missed { cell, ue, direction, resource_blocks: 6 };
    c.on(at(85), GNB, &Event::Radio(missed));
    let summary = c.summary(facts());
    let down = &summary.ues[0].down;
    assert_eq!((down.missed, down.transmissions, down.resource_blocks), (1, 2, 18));
    assert_eq!(down.bler_by_attempt, [Some(1.0), Some(0.0)]);
    assert_eq!(summary.cells[0].utilisation, Some(0.03));
}

#[test]
fn with_time_division_slots_of_a_direction_count() {
    let mut c = run(&Options::default());
    c.inventory.cells[0].shares = [0.8, 0.2, 0.5];
    let summary = c.summary(facts());
    // 12 of 6 resource blocks in 80 of 100 slots.
    assert_eq!(summary.cells[0].utilisation, Some(12.0 / 480.0));
}
