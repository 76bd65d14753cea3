//! Tests with sequences of events made by hand; times are in ms.

use airpath_base::CellId;
use airpath_net::{
    AppEvent, DropCause, FrameMade, HandoverOutcome, Leg, Packet, Payload, Probe, Reason, Stage,
    TcpEvent, UePosition,
};
use airpath_wire::{Endpoint, Protocol, RtpRepr, SeqNumber, TcpFlags, TcpRepr, Tuple};

use super::*;
use crate::{CellInfo, FlowInfo, Options, Table, UeInfo, tables};

const SERVER: NodeId = NodeId(0);
const PHONE: NodeId = NodeId(1);
const DOWNLOAD: FlowId = FlowId(0);
const UPLOAD: FlowId = FlowId(1);
const VIDEO: FlowId = FlowId(2);
const FILL: FlowId = FlowId(3);
/// A flow of another UE.
const OTHER: FlowId = FlowId(4);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn inventory() -> Inventory {
    use airpath_net::Direction::{Downlink, Uplink};
    let flow = |name: &str, kind: &str, ue, direction| FlowInfo {
        name: name.into(),
        kind: kind.into(),
        ue: Some(UeId(ue)),
        direction: Some(direction),
        ..FlowInfo::default()
    };
    let ue = |name: &str| UeInfo { name: name.into(), ..UeInfo::default() };
    let cell = |name: &str| CellInfo { name: name.into(), ..CellInfo::default() };
    Inventory {
        flows: vec![
            flow("download", "tcp", 0, Downlink),
            flow("upload", "tcp", 0, Uplink),
            flow("video", "rtp", 0, Downlink),
            flow("fill", "full-buffer", 0, Downlink),
            flow("other", "rtp", 1, Downlink),
        ],
        ues: vec![ue("car"), ue("bike")],
        cells: vec![cell("west"), cell("east")],
        handover: true,
        ..Inventory::default()
    }
}

/// A run, and the number of its next packet.
struct Made {
    run: Collector,
    next: u64,
}

impl Made {
    fn new() -> Made {
        Made { run: Collector::new(inventory(), &Options::default()), next: 0 }
    }

    fn on(&mut self, now: u64, node: NodeId, event: &Event<'_>) {
        self.run.on(at(now), node, event);
    }

    fn tcp(&mut self, now: u64, event: TcpEvent) {
        self.on(now, SERVER, &Event::Tcp(DOWNLOAD, event));
    }

    fn window(&mut self, now: u64, node: NodeId, cwnd: u64) {
        let state = TcpEvent::State { cwnd, ssthresh: 0, in_flight: 0, srtt: None };
        self.on(now, node, &Event::Tcp(DOWNLOAD, state));
    }

    /// A data packet leaves.
    fn send(&mut self, now: u64, flow: FlowId) -> Packet {
        self.send_as(now, flow, Payload::None)
    }

    fn send_as(&mut self, now: u64, flow: FlowId, payload: Payload) -> Packet {
        let end = |n, port| Endpoint::new([10, 0, 0, n], port);
        let acknowledges = matches!(&payload, Payload::Tcp(header) if header.payload_len == 0);
        let (leg, src, dst, node) = match acknowledges {
            true => (Leg::Feedback, end(2, 9), end(1, 5), PHONE),
            false => (Leg::Data, end(1, 5), end(2, 9), SERVER),
        };
        let tuple = Tuple { src, dst, protocol: Protocol::UDP };
        let mut packet = Packet::new(flow, leg, 1000, tuple, at(now));
        (packet.id, packet.number, packet.payload) = (self.next, self.next, payload);
        self.next += 1;
        self.on(now, node, &Event::Originated(&packet));
        packet
    }

    /// A packet arrives.
    fn arrive(&mut self, now: u64, packet: Packet) {
        self.cross(now, packet, 0);
    }

    /// A packet arrives that has left the radio so long before.
    fn cross(&mut self, now: u64, mut packet: Packet, wires: u64) {
        packet.charge(Stage::Rlc, at(now - wires));
        packet.charge(Stage::Wired, at(now));
        self.on(now, PHONE, &Event::Consumed(&packet));
    }

    fn lose(&mut self, now: u64, mut packet: Packet, cause: DropCause) {
        packet.charge(Stage::Rlc, at(now));
        self.on(now, NodeId(2), &Event::Dropped { packet: &packet, cause, end: None });
    }

    /// A packet of 1000 bytes from `seq` on.
    fn segment(&mut self, now: u64, seq: u32) -> Packet {
        let repr = TcpRepr { seq: SeqNumber(seq), payload_len: 1000, ..TcpRepr::default() };
        self.send_as(now, DOWNLOAD, Payload::Tcp(repr.into()))
    }

    /// A timeout, and the segment that it sends again.
    fn time_out(&mut self, now: u64, seq: u32) -> Packet {
        self.tcp(now, TcpEvent::Timeout { backoff: 0 });
        self.tcp(now, TcpEvent::Retransmission { reason: Reason::Timeout, bytes: 1000 });
        self.segment(now, seq)
    }

    /// An acknowledgement of all before `ack`.
    fn acknowledge(&mut self, now: u64, ack: u32) -> Packet {
        let repr = TcpRepr { ack: SeqNumber(ack), flags: TcpFlags::ACK, ..TcpRepr::default() };
        self.send_as(now, DOWNLOAD, Payload::Tcp(repr.into()))
    }

    fn command(&mut self, now: u64) {
        self.on(now, NodeId(2), &Event::LeavesCell(UeId(0)));
    }

    fn fail(&mut self, now: u64, why: LinkFailure) {
        let change = LinkChange::Failed(why);
        self.on(now, NodeId(2), &Event::Radio(RadioEvent::Link { ue: UeId(0), change }));
    }

    fn end(&mut self, now: u64, record: Handover) {
        let record = Handover { completed: Some(at(now)), ..record };
        self.on(now, NodeId(2), &Event::Handover(&record));
    }

    /// A handover of the car.
    fn change(&mut self, from: u64, to: u64) {
        self.command(from);
        self.end(to, success());
    }

    fn finished(mut self, end: u64) -> Collector {
        self.run.finish(at(end));
        self.run
    }
}

fn success() -> Handover {
    Handover {
        ue: UeId(0),
        source: CellId(0),
        target: CellId(1),
        reached: Some(CellId(1)),
        cause: HandoverCause::A3,
        outcome: HandoverOutcome::Success,
        problem: None,
        ping_pong: false,
        report: None,
        command_sent: None,
        command_received: None,
        access: None,
        completed: None,
        path_switched: None,
        failed: None,
        refused: None,
        preambles: 0,
        geometry_db: [None; 2],
        forwarded: 0,
        lost: 0,
        conditional: None,
        daps: None,
        inter_frequency: false,
    }
}

/// Costs for a flow.
fn costs(run: &Collector, flow: FlowId) -> Vec<FlowCost> {
    run.handover_flows().iter().filter(|row| row.flow == flow).map(|row| *row.cost).collect()
}

fn gap(from: u64, length: u64) -> Option<(Time, Duration)> {
    Some((at(from), ms(length)))
}

#[test]
fn a_gap_is_from_the_last_delivery_to_the_next() {
    let mut made = Made::new();
    let packets: Vec<Packet> = (0..5).map(|n| made.send(80 + n, DOWNLOAD)).collect();
    let mut packets = packets.into_iter();
    let mut arrive = |made: &mut Made, now| made.arrive(now, packets.next().expect("a packet"));
    arrive(&mut made, 100);
    arrive(&mut made, 110);
    made.command(112);
    made.end(150, success());
    arrive(&mut made, 155);
    arrive(&mut made, 160);
    arrive(&mut made, 400); // longer, but behind the change
    let rows = costs(&made.finished(2_000), DOWNLOAD);
    assert_eq!(rows.iter().map(|row| row.gap).collect::<Vec<_>>(), [gap(110, 45)]);
    assert_eq!(rows[0].begin, at(112));
}

#[test]
fn a_refused_preparation_costs_nothing() {
    let mut made = Made::new();
    made.change(100, 130);
    let (outcome, reached) = (HandoverOutcome::Refused, Some(CellId(1)));
    let refused = Handover { outcome, reached, refused: Some(at(200)), ..success() };
    made.on(200, NodeId(2), &Event::Handover(&refused));
    // The path is switched later: the packet belongs to the handover.
    let behind = Event::BehindHandover { ue: UeId(0), forwarded: true };
    made.on(201, NodeId(2), &behind);
    // A re-establishment in a full cell is a failure with a cost.
    made.fail(300, LinkFailure::OutOfSync);
    let (failed, refused) = (Some(at(300)), Some(at(465)));
    let idle = Handover { outcome, reached: None, failed, refused, ..success() };
    made.on(465, NodeId(2), &Event::Handover(&idle));
    let run = made.finished(2_000);
    let begins: Vec<Time> = costs(&run, DOWNLOAD).iter().map(|row| row.begin).collect();
    assert_eq!(begins, [100, 300].map(at));
    let facts = run.handovers().map(|one| (one.end(), one.forwarded, one.is_refused_preparation()));
    let expected = [(Some(at(130)), 1, false), (Some(at(200)), 0, true), (Some(at(465)), 0, false)];
    assert_eq!(facts.collect::<Vec<_>>(), expected);
}

#[test]
fn uplink_a_gap_is_where_the_packets_left_the_radio() {
    let mut made = Made::new();
    let packets: Vec<Packet> = (0..6).map(|n| made.send(n, UPLOAD)).collect();
    // The server has deliveries all through the interruption from 100 to 130, 50 ms behind the radio.
    let arrivals = [60, 105, 145, 149, 185, 187];
    let mut all = packets.into_iter().zip(arrivals).peekable();
    while let Some((packet, now)) = all.next_if(|(_, now)| *now < 106) {
        made.cross(now, packet, 50);
    }
    made.change(100, 130);
    all.for_each(|(packet, now)| made.cross(now, packet, 50));
    // 45 ms pass between 60 and 105, 40 between 105 and 145: the packets left at 10, 55 and 95.
    let rows = costs(&made.finished(2_000), UPLOAD);
    assert_eq!(rows[0].gap, gap(149, 36));
}

#[test]
fn a_pause_is_no_gap() {
    let mut made = Made::new();
    let early = made.send(10, DOWNLOAD);
    made.arrive(20, early);
    made.change(100, 130);
    // Nothing is on its way until the second change is over by 70 ms.
    let late = made.send(200, DOWNLOAD);
    made.arrive(215, late);
    // A packet is sent within the third.
    made.command(5_000);
    let within = made.send(5_020, DOWNLOAD);
    made.end(5_030, success());
    made.arrive(5_040, within);
    let rows = costs(&made.finished(9_000), DOWNLOAD);
    assert_eq!([rows[0].gap, rows[1].gap], [None, gap(5_020, 20)]);
}

#[test]
fn a_packet_that_is_lost_was_sent() {
    let mut made = Made::new();
    let first = made.send(20, VIDEO);
    made.arrive(35, first);
    made.command(36);
    let lost = made.send(40, VIDEO);
    made.lose(50, lost, DropCause::Handover);
    let next = made.send(60, VIDEO);
    made.end(75, success());
    made.arrive(85, next);
    // Long before another change the flow stops, and its last packet is lost on the way.
    let last = made.send(100, VIDEO);
    made.lose(110, last, DropCause::DiscardTimer);
    made.command(4_990);
    let again = made.send(5_000, VIDEO);
    made.end(5_020, success());
    made.arrive(5_030, again);
    let rows = costs(&made.finished(9_000), VIDEO);
    assert_eq!([rows[0].gap, rows[1].gap], [gap(40, 45), gap(5_000, 30)]);
    let lost = |row: &FlowCost| (row.lost, row.lost_otherwise);
    assert_eq!([lost(&rows[0]), lost(&rows[1])], [(1, 1), (0, 0)]);
}

#[test]
fn tcp_that_lost_all_waits_for_its_timer() {
    let mut made = Made::new();
    let packets: Vec<Packet> = (0..3).map(|n| made.segment(90, 1000 * n)).collect();
    let mut packets = packets.into_iter();
    made.arrive(100, packets.next().expect("a segment"));
    made.command(101);
    let ack = made.acknowledge(101, 1000);
    made.lose(130, ack, DropCause::Handover);
    packets.for_each(|packet| made.lose(130, packet, DropCause::Handover));
    made.end(130, success());
    let copy = made.time_out(330, 1000);
    made.arrive(345, copy);
    let ack = made.acknowledge(345, 2000);
    made.arrive(360, ack);
    let row = costs(&made.finished(2_000), DOWNLOAD)[0];
    assert_eq!((row.gap, row.lost, row.lost_feedback), (gap(100, 245), 2, 1));
    assert_eq!((row.timeouts, row.spurious), (1, 0));
}

#[test]
fn a_timeout_is_spurious_if_the_first_copy_was_acknowledged() {
    // The segment is late.
    let mut made = Made::new();
    let first = made.segment(100, 7000);
    made.command(101);
    let copy = made.time_out(350, 7000);
    made.end(400, success());
    made.arrive(405, first);
    let ack = made.acknowledge(405, 8000);
    made.arrive(406, copy);
    made.arrive(420, ack);
    let row = costs(&made.finished(2_000), DOWNLOAD)[0];
    assert_eq!((row.timeouts, row.spurious), (1, 1));
    // The acknowledgement is late.
    let mut made = Made::new();
    let first = made.segment(80, 7000);
    made.arrive(99, first);
    let ack = made.acknowledge(99, 8000);
    made.command(101);
    let copy = made.time_out(350, 7000);
    made.end(400, success());
    made.arrive(406, copy);
    made.arrive(420, ack);
    let row = costs(&made.finished(2_000), DOWNLOAD)[0];
    assert_eq!((row.timeouts, row.spurious), (1, 1));
}

#[test]
fn of_two_timeouts_in_a_row_the_second_may_be_spurious() {
    let mut made = Made::new();
    let first = made.segment(100, u32::MAX - 499); // numbers wrap within it
    made.command(101);
    made.lose(110, first, DropCause::Handover);
    let copy = made.time_out(350, u32::MAX - 499);
    // Further segments that are sent again belong to the same timeout.
    made.tcp(350, TcpEvent::Retransmission { reason: Reason::Timeout, bytes: 1000 });
    _ = made.segment(350, 500);
    let second = made.time_out(700, u32::MAX - 499);
    made.end(710, success());
    made.arrive(720, copy);
    let ack = made.acknowledge(720, 500);
    made.arrive(730, second);
    made.arrive(740, ack);
    let row = costs(&made.finished(2_000), DOWNLOAD)[0];
    assert_eq!((row.timeouts, row.spurious), (2, 1));
}

#[test]
fn a_window_ends_a_second_after_the_connection_or_with_the_next_command() {
    let mut made = Made::new();
    let expired = |made: &mut Made, now| made.tcp(now, TcpEvent::Timeout { backoff: 0 });
    expired(&mut made, 99);
    made.change(100, 150);
    expired(&mut made, 1_149);
    expired(&mut made, 1_150);
    made.change(2_000, 2_040);
    expired(&mut made, 2_100);
    made.change(2_200, 2_240);
    expired(&mut made, 2_300);
    expired(&mut made, 3_100);
    let timeouts: Vec<u64> =
        costs(&made.finished(9_000), DOWNLOAD).iter().map(|row| row.timeouts).collect();
    assert_eq!(timeouts, [1, 1, 2]);
}

#[test]
fn congestion_windows_are_those_of_the_sender() {
    let mut made = Made::new();
    _ = made.segment(10, 0);
    made.window(50, SERVER, 60_000);
    made.window(60, PHONE, 13_000); // of the other end
    made.command(100);
    made.window(120, SERVER, 14_600);
    made.end(150, success());
    made.window(400, SERVER, 1_460);
    made.window(1_100, SERVER, 20_000);
    made.window(1_160, SERVER, 90_000); // behind the window
    made.change(5_000, 5_030);
    let rows = costs(&made.finished(9_000), DOWNLOAD);
    assert_eq!(rows[0].cwnd, [Some(60_000), Some(1_460), Some(20_000)]);
    assert_eq!(rows[1].cwnd, [Some(90_000); 3]);
    assert_eq!(costs(&Made::new().finished(10), DOWNLOAD), []);
}

#[test]
fn frames_are_late_at_their_deadline() {
    let mut made = Made::new();
    let frame = |timestamp: u32| FrameMade {
        timestamp,
        bytes: 1000,
        packets: 1,
        key: false,
        processing: ms(5),
        deadline: ms(100),
    };
    let mut packets = Vec::new();
    for (n, now) in [0, 40, 80, 1_060].into_iter().enumerate() {
        let n = n as u32;
        made.on(now, SERVER, &Event::App(VIDEO, AppEvent::Frame(frame(n))));
        let rtp = RtpRepr { timestamp: n, ..RtpRepr::default() };
        packets.push(made.send_as(now, VIDEO, Payload::Rtp(rtp)));
    }
    // Deadlines are 100, 140, 180 and 1160 ms. The change is from 90 to 130, its window ends at 1130.
    made.change(90, 130);
    let mut packets = packets.into_iter();
    let mut next = || packets.next().expect("a packet");
    made.arrive(120, next()); // late at 100
    made.arrive(135, next()); // in time, with its processing
    _ = next(); // never
    made.arrive(1_200, next()); // late behind the window
    let row = costs(&made.finished(2_000), VIDEO)[0];
    assert_eq!(row.late_frames, 2);
}

#[test]
fn failures_begin_where_the_link_does_not_hold() {
    let mut made = Made::new();
    // T304 expires: the change has begun with the command.
    made.command(100);
    made.fail(300, LinkFailure::Handover);
    made.end(420, Handover { failed: Some(at(300)), ..success() });
    // The command is lost.
    made.fail(2_000, LinkFailure::OutOfSync);
    let lost =
        Handover { outcome: HandoverOutcome::CommandLost, failed: Some(at(2_000)), ..success() };
    made.end(2_100, lost);
    // The UE comes back to its cell, then changes it.
    made.fail(3_000, LinkFailure::OutOfSync);
    made.tcp(3_050, TcpEvent::Timeout { backoff: 0 });
    made.change(5_000, 5_030);
    // The UE goes to another cell while it is idle.
    made.end(7_000, Handover { cause: HandoverCause::Reselection, ..success() });
    let run = made.finished(9_000);
    let rows = costs(&run, DOWNLOAD);
    let begins: Vec<Time> = rows.iter().map(|row| row.begin).collect();
    assert_eq!(begins, [at(100), at(2_000), at(5_000)]);
    assert_eq!(rows.iter().map(|row| row.timeouts).sum::<u64>(), 0);
    let counts = run.flow(DOWNLOAD).and_then(|flow| flow.handovers.as_ref()).expect("counts");
    assert_eq!((counts.handovers, counts.failures, counts.gaps.count()), (1, 2, 0));
}

/// A gap of a full buffer, and a flow of another UE.
fn filled() -> Made {
    let mut made = Made::new();
    let delivered = |made: &mut Made, now| {
        made.on(now, NodeId(2), &Event::App(FILL, AppEvent::Delivered { bytes: 500 }));
    };
    made.on(0, NodeId(2), &Event::App(FILL, AppEvent::Started));
    [90, 99].into_iter().for_each(|now| delivered(&mut made, now));
    let other = made.send(101, OTHER);
    made.command(100);
    made.arrive(115, other);
    made.end(130, success());
    [141, 150].into_iter().for_each(|now| delivered(&mut made, now));
    made
}

#[test]
fn a_full_buffer_has_gaps_between_its_blocks() {
    let run = filled().finished(2_000);
    assert_eq!(costs(&run, FILL)[0].gap, gap(99, 42));
    let table = tables::handover_flows(&run);
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let flows = ["download", "upload", "video", "fill"];
    assert_eq!(texts("flow"), flows.map(Some));
    assert_eq!((texts("source")[0], texts("target")[0]), (Some("west"), Some("east")));
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    assert_eq!(numbers("gap_ms"), [None, None, None, Some(42.0)]);
    assert_eq!(numbers("gap_from_s")[3], Some(0.099));
    let whole = |name: &str| table.integers(name).unwrap_or_default();
    let (none, zero) = (None, Some(0));
    assert_eq!(whole("timeouts"), [zero, zero, none, none]);
    assert_eq!(whole("lost_packets"), [zero, zero, zero, none]);
    assert_eq!(whole("late_frames"), [none; 4]);
    assert_eq!(whole("cwnd_before_bytes"), [none; 4]);
}

#[test]
fn statistics_are_those_behind_the_warm_up() {
    let options = Options { warm_up: ms(1_000), ..Options::default() };
    let mut made = Made { run: Collector::new(inventory(), &options), next: 0 };
    for begin in [200, 1_500, 3_000] {
        made.command(begin);
        let packet = made.send(begin + 1, VIDEO);
        made.end(begin + 30, success());
        made.arrive(begin + 1 + begin / 50, packet);
    }
    let run = made.finished(61_000);
    assert_eq!(costs(&run, VIDEO).len(), 3);
    let counts = run.flow(VIDEO).and_then(|flow| flow.handovers.as_ref()).expect("counts");
    // The gap of the first, 4 ms, is over before the connection.
    assert_eq!((counts.handovers, counts.gaps.exact()), (2, Some(&[30_000_000, 60_000_000][..])));
    let (record, marks) = run.longest_gap().expect("a gap");
    assert_eq!((record.completed, marks.len()), (Some(at(3_030)), 3));
    // Two handovers of two UEs in a minute.
    let summary = crate::HandoverSummary::of(&run).expect("a summary");
    assert_eq!((summary.handovers, summary.ue_minutes), (2, 2.0));
}

#[test]
fn packets_around_the_longest_gap_are_kept() {
    let mut made = Made::new();
    let change = |made: &mut Made, begin: u64, length: u64| {
        let packets: Vec<Packet> = (0..700).map(|_| made.send(begin - 20, VIDEO)).collect();
        let mut packets = packets.into_iter();
        packets.by_ref().take(600).for_each(|packet| made.arrive(begin - 1, packet));
        made.command(begin);
        let dropped: Vec<Packet> = (0..600).map(|_| made.send(begin, VIDEO)).collect();
        dropped.into_iter().for_each(|one| made.lose(begin + 10, one, DropCause::Handover));
        made.end(begin + length - 5, success());
        packets.for_each(|packet| made.arrive(begin + length, packet));
    };
    change(&mut made, 1_000, 40);
    change(&mut made, 3_000, 90);
    change(&mut made, 5_000, 50);
    let table = tables::handover_packets(&made.finished(9_000));
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    // 511 before the gap, 512 dropped ones, the one that ends it, and 99 behind.
    assert_eq!(table.rows(), 611 + 512);
    assert_eq!(numbers("time_s")[0], Some(3.085));
    let (sent, ended) = (numbers("sent_s"), numbers("ended_s"));
    assert_eq!((sent[0], ended[0], ended[510]), (Some(2.98), Some(2.999), Some(2.999)));
    assert_eq!([511, 1022].map(|n: usize| ended[n]), [Some(3.01); 2]);
    assert_eq!([1023, 1122].map(|n: usize| ended[n]), [Some(3.09); 2]);
    let dropped = table.texts("dropped").unwrap_or_default();
    assert_eq!([510, 511].map(|n: usize| dropped[n]), [None, Some("handover")]);
}

#[test]
fn positions_have_what_flows_carried_before_them() {
    let mut made = filled();
    for now in [0, 500, 1_000, 1_500] {
        let position = UePosition {
            ue: UeId(0),
            at_m: [1.0, 2.0],
            speed: 3.0,
            cell: CellId(0),
            rsrp_dbm: -90.0,
            sinr_db: 5.0,
        };
        if now == 500 {
            // 1000 bytes in 500 ms, 20 and 40 ms on their way.
            for delay in [20, 40] {
                let packet = made.send(100, VIDEO);
                made.arrive(100 + delay, packet);
            }
        }
        if now == 1_500 {
            made.on(1_200, NodeId(2), &Event::App(FILL, AppEvent::Delivered { bytes: 250 }));
        }
        made.on(now, NodeId(2), &Event::Moved(position));
    }
    let table = tables::positions(&made.finished(2_000));
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    // Bytes before the first position have no interval.
    assert_eq!(numbers("throughput_bps"), [None, Some(32e3), Some(0.0), Some(4e3)]);
    assert_eq!(numbers("delay_ms"), [None, Some(30.0), None, None]);
}

#[test]
fn without_handovers_there_is_none_of_it() {
    let inventory = Inventory { handover: false, ..inventory() };
    let mut made = Made { run: Collector::new(inventory, &Options::default()), next: 0 };
    let packet = made.send(90, VIDEO);
    made.command(100);
    made.end(130, success());
    made.arrive(140, packet);
    let run = made.finished(1_000);
    let table: Table = tables::positions(&run);
    assert!(table.described().all(|(name, ..)| name != "delay_ms"));
    assert!(run.handover_flows().is_empty() && run.longest_gap().is_none());
    assert!(run.flow(VIDEO).is_some_and(|flow| flow.handovers.is_none()));
}

#[test]
fn a_resume_has_a_row_and_counts_in_no_sum() {
    let mut made = Made::new();
    let first = made.send(90, VIDEO);
    made.arrive(99, first);
    made.change(100, 130);
    let late = made.send(5_000, VIDEO);
    made.command(5_300);
    let lost = made.send(5_300, VIDEO);
    made.lose(5_300, lost, DropCause::Handover);
    made.end(5_300, Handover { cause: HandoverCause::Resume, ..success() });
    made.arrive(5_320, late);
    let run = made.finished(9_000);
    let rows = costs(&run, VIDEO);
    assert_eq!((rows[0].lost, rows[1].lost, rows[1].gap), (0, 1, gap(5_000, 320)));
    let counts = run.flow(VIDEO).and_then(|flow| flow.handovers.as_ref()).expect("counts");
    assert_eq!((counts.handovers, counts.failures, counts.lost), (1, 0, 0));
    assert_eq!(counts.gaps.count(), 0);
    assert!(run.longest_gap().is_none());
}
