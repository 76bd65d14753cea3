use airpath_base::{BitRate, Bytes, Duration};
use airpath_net::{
    AppEvent, Direction, Leg, Packet, Payload, QueueEvent, RadioEvent, Reason, Stage, TcpEvent,
};
use airpath_wire::{Ecn, Endpoint, Protocol, RtpRepr, TcpRepr, Tuple};

use super::*;
use crate::FlowInfo;

const NODE: NodeId = NodeId(0);
const FLOW: FlowId = FlowId(0);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn collector(options: &Options) -> Collector {
    let flows = vec![FlowInfo { name: "audio".into(), ..FlowInfo::default() }];
    Collector::new(Inventory { flows, ..Inventory::default() }, options)
}

fn packet(leg: Leg, born: Time) -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    Packet::new(FLOW, leg, 200, tuple, born)
}

/// Sends a packet at its birth and receives it `delay` milliseconds later.
fn pass(collector: &mut Collector, born: u64, delay: u64) {
    let mut packet = packet(Leg::Data, at(born));
    collector.on(at(born), NODE, &Event::Originated(&packet));
    packet.charge(Stage::WiredQueue, at(born + 1));
    packet.charge(Stage::Rlc, at(born + delay));
    collector.on(at(born + delay), NODE, &Event::Consumed(&packet));
}

/// A call of G.711 with a packet each 20 ms until 1 s, of which those before `outage` arrive after 30 ms and the others never.
fn call(outage: u64, options: &Options) -> Collector {
    let codec = Some(crate::VoiceCodec { impairment: 0.0, robustness: 25.1 });
    let flows = vec![FlowInfo { kind: FlowInfo::RTP.into(), codec, ..FlowInfo::default() }];
    let mut c = Collector::new(Inventory { flows, ..Inventory::default() }, options);
    for born in (0..1_000).step_by(20) {
        match born < outage {
            true => pass(&mut c, born, 30),
            false => c.on(at(born), NODE, &Event::Originated(&packet(Leg::Data, at(born)))),
        }
    }
    c.finish(at(1_000));
    c
}

#[test]
fn packets_of_a_call_that_have_not_come_are_lost_behind_the_play_out_delay() {
    let rating = |outage| {
        let c = call(outage, &Options::default());
        let flow = c.flow(FLOW).expect("a call");
        assert_eq!(flow.data.lost_packets(), 0);
        flow.voice(c.inventory().flows[0].codec.expect("voice"), c.end()).map(|of| of.rating)
    };
    // Those of 980 ms may still come.
    assert_eq!(rating(980), Some(93.2));
    // 25 of 50 packets wait; that of 980 ms may still come: 95 x 48 / (48 + 25.1).
    let half = rating(500).expect("a rating");
    assert!((half - (93.2 - 62.380)).abs() < 0.001, "{half}");
    assert_eq!(rating(0), Some(0.0));
}

#[test]
fn packets_that_have_not_come_in_time_are_not_within_it() {
    let counts = |outage, millis| {
        let within = Some(Duration::from_millis(millis));
        let c = call(outage, &Options { within, ..Options::default() });
        let flow = c.flow(FLOW).expect("a call");
        (flow.within.within, flow.within.outside)
    };
    assert_eq!(counts(500, 30), (25, 24)); // the packet of 980 ms may still come
    assert_eq!(counts(500, 20), (0, 25 + 24)); // the packet of 980 ms is due at the end itself
    assert_eq!(counts(500, 19), (0, 50));
    assert_eq!(counts(0, 2_000), (0, 0));
}

#[test]
fn packets_are_counted_by_flow_and_leg() {
    let mut c = collector(&Options::default());
    pass(&mut c, 10, 5);
    pass(&mut c, 30, 7);
    let mut lost = packet(Leg::Data, at(50));
    c.on(at(50), NODE, &Event::Originated(&lost));
    lost.charge(Stage::WiredQueue, at(51));
    c.on(
        at(51),
        NodeId(3),
        &Event::Dropped { packet: &lost, cause: DropCause::QueueFull, end: None },
    );
    c.on(at(60), NODE, &Event::Originated(&packet(Leg::Data, at(60))));
    c.on(at(60), NODE, &Event::Originated(&packet(Leg::Feedback, at(60))));
    let flow = c.flow(FLOW).expect("a known flow");
    let data = &flow.data;
    assert_eq!((data.sent_packets, data.received_packets, data.lost_packets()), (4, 2, 1));
    assert_eq!((data.in_flight_packets(), data.sent_bytes, data.received_bytes), (1, 800, 400));
    assert_eq!((data.first_sent, data.last_sent), (Some(at(10)), Some(at(60))));
    assert_eq!((data.first_received, data.last_received), (Some(at(15)), Some(at(37))));
    assert_eq!(data.stage_nanos[Stage::WiredQueue as usize], 2_000_000);
    assert_eq!(data.stage_nanos[Stage::Rlc as usize], 10_000_000);
    assert_eq!(flow.feedback.sent_packets, 1);
    assert_eq!(flow.delays.exact(), Some(&[5_000_000, 7_000_000][..]));
    assert_eq!(flow.delays.jitter(), Some(2.0));
    assert_eq!(flow.queueing.exact(), Some(&[5_000_000, 7_000_000][..]));
    let full = c.drops_at(NodeId(3)).find(|(_, n)| *n > 0);
    assert_eq!(full, Some((DropCause::QueueFull, 1)));
    let totals = c.totals();
    assert_eq!((totals.events, totals.originated, totals.stage_mismatches), (8, 5, 0));
    // 200 B less 20 B of IPv4 and 8 B of UDP, twice.
    assert_eq!(flow.delivered_bytes(), 344);
}

#[test]
fn a_delay_that_its_stages_do_not_explain_is_counted() {
    let mut c = collector(&Options::default());
    c.on(at(5), NODE, &Event::Consumed(&packet(Leg::Data, at(1))));
    assert_eq!(c.totals().stage_mismatches, 1);
    // The same of one that is dropped.
    let lost = packet(Leg::Data, at(1));
    let event = Event::Dropped { packet: &lost, cause: DropCause::Aqm, end: None };
    c.on(at(5), NODE, &event);
    assert_eq!(c.totals().stage_mismatches, 2);
    // Nor does a receiver before the birth bring the run down.
    c.on(at(5), NODE, &Event::Consumed(&packet(Leg::Data, at(9))));
    assert_eq!(c.flow(FLOW).expect("a known flow").delays.summary().expect("two").min, 0.0);
}

#[test]
fn payload_is_what_the_application_gets() {
    let bytes = |payload: Payload, protocol: Protocol| {
        let mut c = collector(&Options::default());
        let mut packet = packet(Leg::Data, at(0));
        (packet.payload, packet.tuple.protocol) = (payload, protocol);
        c.on(at(0), NODE, &Event::Consumed(&packet));
        c.flow(FLOW).expect("a known flow").delivered_bytes()
    };
    let rtp = RtpRepr { payload_len: 160, ..RtpRepr::default() };
    assert_eq!(bytes(Payload::Rtp(rtp), Protocol::UDP), 160);
    let tcp = TcpRepr { payload_len: 160, ..TcpRepr::default() };
    assert_eq!(bytes(Payload::Tcp(tcp.into()), Protocol::TCP), 0);
    assert_eq!(bytes(Payload::None, Protocol::TCP), 0);
    assert_eq!(bytes(Payload::None, Protocol(1)), 180);
}

#[test]
fn tcp_and_its_application_report() {
    let mut c = collector(&Options::default());
    let tcp = |event| Event::Tcp(FLOW, event);
    c.on(at(1), NODE, &Event::App(FLOW, AppEvent::Started));
    c.on(at(2), NODE, &tcp(TcpEvent::Established));
    c.on(at(3), NODE, &tcp(TcpEvent::Retransmission { reason: Reason::Fast, bytes: 536 }));
    c.on(at(4), NODE, &tcp(TcpEvent::Timeout { backoff: 0 }));
    c.on(at(4), NODE, &tcp(TcpEvent::Retransmission { reason: Reason::Timeout, bytes: 100 }));
    c.on(at(5), NODE, &tcp(TcpEvent::Rtt(Duration::from_millis(40))));
    c.on(at(6), NODE, &tcp(TcpEvent::Rtt(Duration::from_millis(20))));
    c.on(at(6), NODE, &tcp(TcpEvent::Recovery));
    c.on(at(7), NODE, &Event::App(FLOW, AppEvent::Delivered { bytes: 1000 }));
    c.on(at(9), NODE, &Event::App(FLOW, AppEvent::Finished));
    let flow = c.flow(FLOW).expect("a known flow");
    let tcp = &flow.tcp;
    assert_eq!((tcp.fast_retransmissions, tcp.timeout_retransmissions), (1, 1));
    assert_eq!((tcp.retransmitted_bytes, tcp.timeouts, tcp.recoveries), (636, 1, 1));
    assert_eq!((tcp.rtt.mean(), tcp.min_rtt), (Some(30e6), Some(Duration::from_millis(20))));
    assert_eq!((flow.started, flow.finished), (Some(at(1)), Some(at(9))));
    assert_eq!(flow.delivered_bytes(), 1000);
}

#[test]
fn transport_blocks_by_attempt() {
    let mut c = collector(&Options::default());
    let mut block = |attempt, decoded, mcs, padding| {
        let event = RadioEvent::Block {
            layers: 1,
            ues: 1,
            share: 1.0,
            cell: CellId(0),
            ue: UeId(2),
            direction: Direction::Uplink,
            slot: 7,
            process: 0,
            new_data: true,
            transport_block: 0,
            first_layer: 0,
            resource_blocks: 6,
            mcs,
            bytes: 549,
            attempt,
            sinr_db: 10.0 + f32::from(attempt),
            decoded,
            padding,
        };
        c.on(at(7), NODE, &Event::Radio(event));
    };
    block(0, false, 28, 0);
    block(0, true, 26, 49);
    block(1, true, 28, 0);
    block(200, false, 28, 0);
    c.on(at(8), NODE, &Event::Radio(RadioEvent::SchedulingRequest { ue: UeId(2) }));
    let ue = c.ue(UeId(2)).expect("a UE that was seen");
    assert_eq!(ue.scheduling_requests, 1);
    let up = &ue.blocks[Direction::Uplink as usize];
    assert_eq!(up.attempts[0], BlockCount { decoded: 1, failed: 1 });
    assert_eq!(up.bler()[..2], [Some(0.5), Some(0.0)]);
    assert_eq!(up.bler()[7], Some(1.0));
    assert_eq!((up.resource_blocks, up.bytes, up.padding), (24, 1098, 49));
    assert_eq!(up.mean_mcs(), Some(27.5));
    assert_eq!(up.delivered_bits(), 1049 * 8);
    assert_eq!(up.resource_blocks_per_bit(), Some(24.0 / 8392.0));
    let cell = c.cell(CellId(0)).expect("a cell that was seen");
    assert_eq!(cell.blocks[Direction::Uplink as usize], *up);
    assert_eq!(cell.blocks[0].transmissions(), 0);
}

#[test]
fn two_codewords_share_their_resource_blocks() {
    let mut c = collector(&Options::default());
    for (transport_block, first_layer) in [(0, 0), (1, 1), (1, 0)] {
        let event = RadioEvent::Block {
            layers: if transport_block == first_layer { 2 } else { 1 },
            cell: CellId(0),
            ue: UeId(0),
            direction: Direction::Downlink,
            slot: 7,
            process: 0,
            new_data: true,
            transport_block,
            first_layer,
            resource_blocks: 6,
            mcs: 28,
            bytes: 549,
            attempt: 0,
            sinr_db: 10.0,
            decoded: true,
            padding: 0,
            ues: 1,
            share: 1.0,
        };
        c.on(at(7), NODE, &Event::Radio(event));
    }
    // Two transmissions in six resource blocks each: of two layers with a block each, and of one layer.
    let down = &c.ue(UeId(0)).expect("a UE that was seen").blocks[0];
    assert_eq!((down.resource_blocks, down.bytes, down.transmissions()), (12, 3 * 549, 3));
    assert_eq!(down.layer_shares(), Some(vec![0.5, 0.5]));
}

#[test]
fn marks_and_queues() {
    let mut c = collector(&Options::default());
    let mut marked = packet(Leg::Data, at(0));
    marked.ecn = Ecn::Ce;
    c.on(at(0), NODE, &Event::Marked { packet: &marked, from: Ecn::Ect1 });
    marked.charge(Stage::Wired, at(4));
    c.on(at(4), NODE, &Event::Consumed(&marked));
    let data = &c.flow(FLOW).expect("a known flow").data;
    assert_eq!((data.marks, data.received_ce), (1, 1));
    assert_eq!((c.marks_at(NODE), c.marks_at(NodeId(9))), (1, 0));
    c.on(at(2), NodeId(9), &Event::Queue(QueueEvent::Occupancy { packets: 3, bytes: 300 }));
    assert_eq!(
        c.queue(NodeId(9), at(4)).expect("a queue").mean(Time::ZERO, at(4)),
        Some((1.5, 150.0))
    );
    assert!(c.queue(NodeId(1), at(4)).is_none());
    let (bearer, direction) = (BearerId(1), Direction::Downlink);
    let queue = RadioEvent::Queue { bearer, direction, packets: 2, bytes: 64 };
    c.on(at(5), NODE, &Event::Radio(queue));
    let again = RadioEvent::RlcRetransmission { bearer, direction, bytes: 30 };
    c.on(at(6), NODE, &Event::Radio(again));
    let seen = c.bearer(bearer).expect("a bearer that was seen");
    assert_eq!(seen.queue[0].max(), (2, 64));
    assert_eq!((seen.rlc_retransmissions, seen.rlc_retransmitted_bytes), ([1, 0], [30, 0]));
}

#[test]
fn watching_a_point_changes_nothing() {
    let mut c =
        collector(&Options { series: Some(Duration::from_millis(1)), ..Options::default() });
    let packet = packet(Leg::Data, at(0));
    let passed = Event::Passed { point: airpath_net::PointId(0), packet: &packet };
    c.on(at(50), NODE, &passed);
    assert_eq!(c.totals(), Totals::default());
    assert!(c.series().is_empty());
}

#[test]
fn a_number_that_is_no_position_takes_no_memory() {
    let mut c = collector(&Options::default());
    let nobody = FlowId(u32::MAX);
    c.on(at(0), NODE, &Event::App(nobody, AppEvent::Delivered { bytes: 9 }));
    assert!(c.flow(nobody).is_none());
    assert_eq!(c.flows.items.len(), 1);
    c.on(at(0), NODE, &Event::App(FlowId(3), AppEvent::Delivered { bytes: 9 }));
    assert_eq!(c.flow(FlowId(3)).expect("grown").delivered_bytes(), 9);
}

#[test]
fn the_packet_table_keeps_to_its_limit() {
    let mut c = collector(&Options { packets: 2, ..Options::default() });
    pass(&mut c, 0, 5);
    let lost = packet(Leg::Feedback, at(6));
    c.on(at(7), NODE, &Event::Dropped { packet: &lost, cause: DropCause::Aqm, end: None });
    pass(&mut c, 10, 5);
    let rows = c.packets();
    assert_eq!((rows.len(), c.packets_omitted()), (2, 1));
    assert_eq!((rows[0].born, rows[0].ended, rows[0].dropped), (at(0), at(5), None));
    assert_eq!(rows[0].stages.total(), Duration::from_millis(5));
    assert_eq!((rows[1].leg, rows[1].dropped), (Leg::Feedback, Some(DropCause::Aqm)));
    let mut off = collector(&Options::default());
    pass(&mut off, 0, 5);
    assert_eq!((off.packets().len(), off.packets_omitted()), (0, 0));
}

#[test]
fn the_series_samples_each_interval() {
    let tenth = Duration::from_millis(100);
    let mut c = collector(&Options { series: Some(tenth), ..Options::default() });
    let deliver = |c: &mut Collector, millis, bytes| {
        c.on(at(millis), NODE, &Event::App(FLOW, AppEvent::Delivered { bytes }));
    };
    deliver(&mut c, 50, 1000);
    deliver(&mut c, 100, 500); // begins the second interval
    let state = TcpEvent::State {
        cwnd: 5360,
        ssthresh: u64::MAX,
        in_flight: 2680,
        srtt: Some(Duration::from_millis(30)),
    };
    c.on(at(150), NODE, &Event::Tcp(FLOW, state));
    c.finish(at(300));
    let of = |metric: &str| -> Vec<(Time, f64)> {
        let rows = c.series().iter().filter(|row| row.metric == metric);
        rows.map(|row| (row.at, row.value)).collect()
    };
    let rate = |bytes| BitRate::of(Bytes(bytes), tenth).as_bps() as f64;
    let goodput = [(at(100), rate(1000)), (at(200), rate(500)), (at(300), 0.0)];
    assert_eq!(of("in_order_goodput_bps"), goodput);
    assert_eq!(of("cwnd_bytes"), [(at(200), 5360.0), (at(300), 5360.0)]);
    assert_eq!(of("srtt_ms"), [(at(200), 30.0), (at(300), 30.0)]);
}

#[test]
fn the_series_tells_what_arrives_from_what_is_delivered_in_order() {
    let tenth = Duration::from_millis(100);
    let mut c = collector(&Options { series: Some(tenth), ..Options::default() });
    c.on(at(0), NODE, &Event::App(FLOW, AppEvent::Delivered { bytes: 0 }));
    [20u64, 120, 220].into_iter().for_each(|millis| pass(&mut c, millis, 5));
    // Earlier bytes had to wait for the first to be sent again.
    c.on(at(230), NODE, &Event::App(FLOW, AppEvent::Delivered { bytes: 3_000 }));
    c.finish(at(300));
    let of = |metric: &str| -> Vec<f64> {
        c.series().iter().filter(|row| row.metric == metric).map(|row| row.value).collect()
    };
    let size = f64::from(packet(Leg::Data, at(0)).size);
    assert_eq!(of("arrival_rate_bps"), [size * 80.0; 3]);
    assert_eq!(of("in_order_goodput_bps")[2], 240_000.0);
}

#[test]
fn the_series_has_what_waits_and_how_long_in_each_interval() {
    let tenth = Duration::from_millis(100);
    let mut c = collector(&Options { series: Some(tenth), ..Options::default() });
    // Arrivals at 50 and 90 ms leave at 100 and 150 ms: 1000 bytes for 50 and 60 ms.
    for (now, leaves) in [(50, 100), (90, 150)] {
        let event = QueueEvent::Scheduled { bytes: 1_000, leaves: at(leaves) };
        c.on(at(now), NODE, &Event::Queue(event));
    }
    let (bearer, direction) = (BearerId(0), Direction::Uplink);
    let waits = RadioEvent::Queue { bearer, direction, packets: 1, bytes: 64 };
    c.on(at(120), NODE, &Event::Radio(waits));
    let waited = Duration::from_millis(30);
    c.on(at(150), NODE, &Event::Radio(RadioEvent::Left { bearer, direction, waited }));
    let empty = RadioEvent::Queue { bearer, direction, packets: 0, bytes: 0 };
    c.on(at(150), NODE, &Event::Radio(empty));
    c.finish(at(300));
    let of = |subject: Subject, metric: &str| -> Vec<(Time, f64)> {
        let rows = c.series().iter().filter(|row| (row.subject, row.metric) == (subject, metric));
        rows.map(|row| (row.at, row.value)).collect()
    };
    let (link, bearer) = (Subject::Link(NODE), Subject::Uplink(bearer));
    // A packet that leaves at 100 ms belongs to the second interval.
    assert_eq!(of(link, "queue_bytes"), [(at(100), 600.0), (at(200), 500.0), (at(300), 0.0)]);
    assert_eq!(of(link, "queue_packets")[0], (at(100), 0.6));
    assert_eq!(of(link, "queue_delay_ms"), [(at(200), 55.0)]);
    assert_eq!(of(bearer, "queue_bytes"), [(at(200), 19.2), (at(300), 0.0)]);
    assert_eq!(of(bearer, "queue_delay_ms"), [(at(200), 30.0)]);
}

#[test]
fn the_series_ends_at_its_limit_and_at_the_end_of_time() {
    let options = Options { series: Some(Duration::ZERO), series_rows: 3, ..Options::default() };
    let mut c = collector(&options);
    c.finish(Time::MAX);
    assert_eq!(c.series().len(), 3);
    // Samples each 100 µs, the least interval, of two metrics.
    assert_eq!(c.series_truncated(), Some(Time::from_nanos(200_000)));
}
