use airpath_base::{BitRate, CellId, Duration, FlowId, NodeId, UeId};
use airpath_net::{
    AppEvent, DropCause, Event, FrameMade, Leg, MediaState, Packet, PageLoad, Payload, Probe,
    RadioEvent, Stage, TcpEvent,
};
use airpath_wire::{Ecn, Endpoint, Protocol, RtpRepr, Tuple};

use super::*;
use crate::measures::user;
use crate::{CellInfo, Inventory, Options, RunFacts, RunSummary, UeInfo};

const NODE: NodeId = NodeId(0);
const VIDEO: FlowId = FlowId(0);
const WEB: FlowId = FlowId(1);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn flow(kind: &str, application: &str, ue: u32) -> FlowInfo {
    FlowInfo {
        name: format!("{application} {ue}"),
        kind: kind.into(),
        application: Some(application.into()),
        ue: Some(UeId(ue)),
        direction: Some(Direction::Downlink),
        ..FlowInfo::default()
    }
}

/// The first UE has video and the web in two flows, the second video.
fn collector() -> Collector {
    let ue = |n| UeInfo { name: format!("ue-{n}"), cell: Some(CellId(0)), ..UeInfo::default() };
    let beyond = FlowInfo { application: None, ..flow("tcp", "web", 0) };
    let inventory = Inventory {
        flows: vec![
            flow("rtp", "video", 0),
            flow("tcp", "web", 0),
            flow("tcp", "web", 0),
            flow("rtp", "video", 1),
            beyond,
        ],
        ues: (0..2).map(ue).collect(),
        cells: vec![CellInfo { name: "cell-1".into(), ..CellInfo::default() }],
        ..Inventory::default()
    };
    let warm_up = Duration::from_millis(20);
    Collector::new(inventory, &Options { warm_up, ..Options::default() })
}

fn app(c: &mut Collector, millis: u64, flow: FlowId, event: AppEvent) {
    c.on(at(millis), NODE, &Event::App(flow, event));
}

/// A packet of the frame of `born`, sent 2 ms and received `delay` ms after; without a delay it
/// is lost.
fn packet(c: &mut Collector, flow: FlowId, born: u64, delay: Option<u64>, ecn: Ecn) {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    let mut packet = Packet::new(flow, Leg::Data, 1_040, tuple, at(born));
    let timestamp = 90 * born as u32;
    packet.payload = Payload::Rtp(RtpRepr { timestamp, payload_len: 1_000, ..RtpRepr::default() });
    packet.charge(Stage::Sender, at(born + 2));
    packet.ecn = ecn;
    c.on(at(born + 2), NODE, &Event::Originated(&packet));
    let Some(delay) = delay else {
        let cause = DropCause::Aqm;
        return c.on(at(born + 3), NODE, &Event::Dropped { packet: &packet, cause, end: None });
    };
    packet.charge(Stage::Rlc, at(born + delay));
    c.on(at(born + delay), NODE, &Event::Consumed(&packet));
}

fn frame(c: &mut Collector, flow: FlowId, millis: u64, packets: u32) {
    let made = FrameMade {
        timestamp: 90 * millis as u32,
        bytes: 1_000 * packets,
        packets,
        key: false,
        processing: Duration::from_millis(5),
        deadline: Duration::from_millis(40),
    };
    app(c, millis, flow, AppEvent::Frame(made));
}

fn report(c: &mut Collector, millis: u64, flow: FlowId, queue: u64) {
    let state = MediaState {
        target_bps: 1,
        cwnd: 1,
        in_flight: 1,
        queue_delay: Duration::from_millis(queue),
        srtt: Duration::ZERO,
        queued_bytes: 0,
        discarded_packets: 0,
        lost_packets: 0,
        lost_arrived_packets: 0,
    };
    app(c, millis, flow, AppEvent::Media(state));
}

fn watched() -> Collector {
    let mut c = collector();
    app(&mut c, 0, VIDEO, AppEvent::Started);
    app(&mut c, 0, FlowId(3), AppEvent::Started);
    frame(&mut c, VIDEO, 10, 1);
    packet(&mut c, VIDEO, 10, Some(9), Ecn::Ce); // all in the warm-up
    report(&mut c, 19, VIDEO, 77);
    frame(&mut c, VIDEO, 30, 2);
    packet(&mut c, VIDEO, 30, Some(10), Ecn::Ect1);
    packet(&mut c, VIDEO, 30, Some(20), Ecn::Ce);
    frame(&mut c, VIDEO, 60, 2);
    packet(&mut c, VIDEO, 60, Some(30), Ecn::Ect1);
    packet(&mut c, VIDEO, 60, None, Ecn::Ect1);
    report(&mut c, 91, VIDEO, 4);
    report(&mut c, 92, VIDEO, 8);
    frame(&mut c, FlowId(3), 95, 1);
    packet(&mut c, FlowId(3), 95, Some(50), Ecn::Ect1);
    web(&mut c);
    app(&mut c, 145, FlowId(3), AppEvent::GaveUp);
    for (ue, sinr_db) in [(0, 0.0), (0, 20.0), (1, 6.0)] {
        let block = RadioEvent::Block {
            cell: CellId(0),
            ue: UeId(ue),
            direction: Direction::Downlink,
            slot: 150,
            process: 0,
            new_data: true,
            transport_block: 0,
            first_layer: 0,
            resource_blocks: 3,
            mcs: 5,
            layers: 1,
            bytes: 100,
            attempt: 0,
            sinr_db,
            decoded: true,
            padding: 0,
            ues: 1,
            share: 1.0,
        };
        c.on(at(150), NODE, &Event::Radio(block));
    }
    c.finish(at(220));
    c
}

fn web(c: &mut Collector) {
    app(c, 120, WEB, AppEvent::Started);
    app(c, 145, FlowId(2), AppEvent::Started);
    c.on(at(150), NODE, &Event::Tcp(WEB, TcpEvent::Timeout { backoff: 0 }));
    app(c, 160, WEB, AppEvent::Delivered { bytes: 700 });
    app(c, 170, FlowId(2), AppEvent::Delivered { bytes: 300 });
    for (flow, asked, done) in [(1, 120, Some(160)), (2, 145, Some(165)), (1, 200, None)] {
        let (asked, done) = (at(asked), done.map(at));
        let page = PageLoad { number: 0, objects: 1, bytes: 500, asked, first: None, done };
        app(c, 200, FlowId(flow), AppEvent::Page(page));
    }
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9 * expected.abs().max(1.0))
}

#[test]
fn measures_of_a_user_by_hand() {
    let users = watched().users(at(220));
    let names: Vec<_> =
        users.iter().map(|user| (&*user.ue, &*user.application, user.flows)).collect();
    assert_eq!(names, [("ue-0", "video", 1), ("ue-0", "web", 2), ("ue-1", "video", 1)]);
    let video = &users[0];
    let of = |user: &User, name: &str| {
        let column = user::columns().find(|column| column.name == name);
        column.unwrap_or_else(|| panic!("{name}")).value(user).as_f64()
    };
    for (name, expected) in [
        // Three packets of 1000 B in 200 ms.
        ("transmitted_bps", 120_000.0),
        ("sent_packets", 4.0),
        ("lost_packets", 1.0),
        ("loss_rate", 0.25),
        ("ce_share", 1.0 / 3.0),
        // 8, 18 and 28 ms behind the RTP queue's 2.
        ("ip_delay_mean_ms", 18.0),
        ("ip_delay_p50_ms", 18.0),
        ("ip_delay_p99_ms", 28.0),
        ("rtp_queue_max_ms", 2.0),
        // One frame of 30 ms is whole at 50 ms and shown at 55; the other lost a packet.
        ("frames", 2.0),
        ("frames_complete", 1.0),
        ("frames_late", 0.0),
        ("frames_lost", 1.0),
        ("freezes", 0.0),
        ("frame_delay_mean_ms", 25.0),
        ("network_queue_mean_ms", 6.0),
        ("network_queue_p95_ms", 8.0),
        ("sinr_mean_db", 10.0),
        ("resource_blocks", 6.0),
    ] {
        assert!(close(of(video, name), expected), "{name}: {:?}", of(video, name));
    }
    // Ratios of 1 and 100.
    assert!((of(video, "sinr_linear_mean_db").expect("blocks") - 17.033).abs() < 0.051);
    assert_eq!((of(video, "pages_asked"), of(video, "timeouts")), (None, None));
    let web = &users[1];
    for (name, expected) in [
        // 1000 B in 100 ms.
        ("transmitted_bps", 80_000.0),
        ("pages_asked", 3.0),
        ("pages_finished", 2.0),
        ("page_delay_mean_ms", 30.0),
        ("page_delay_max_ms", 40.0),
        ("timeouts", 1.0),
    ] {
        assert!(close(of(web, name), expected), "{name}: {:?}", of(web, name));
    }
    assert_eq!((of(web, "frames"), of(web, "ip_delay_mean_ms")), (None, None));
    let late = &users[2];
    // 1000 B in the 125 ms from the end of the warm-up until it gave up.
    assert!(close(of(late, "transmitted_bps"), 64_000.0));
    assert_eq!((of(late, "ended_early"), of(video, "ended_early")), (Some(1.0), Some(0.0)));
    assert_eq!((of(late, "frames_late"), of(late, "frame_delay_mean_ms")), (Some(1.0), Some(55.0)));
}

#[test]
fn only_pictures_freeze() {
    let files = FlowInfo { no_pictures: true, ..flow("xr", "xr", 0) };
    let other = FlowInfo { ue: Some(UeId(1)), ..files.clone() };
    let flows = vec![files, flow("xr", "xr", 0), other];
    let mut c = Collector::new(Inventory { flows, ..Inventory::default() }, &Options::default());
    for born in [0, 20, 40, 60, 1_060] {
        for flow in [0, 1, 2].map(FlowId) {
            frame(&mut c, flow, born, 1);
            packet(&mut c, flow, born, Some(10), Ecn::NotEct);
        }
    }
    c.finish(at(1_100));
    let run = c.summary(RunFacts { end: at(1_100), ..RunFacts::default() });
    let media = |flow: usize| run.flows[flow].media.as_ref().expect("frames");
    let of = |flow| (media(flow).frames, media(flow).freezes, media(flow).frozen_share);
    assert_eq!(
        [0, 1, 2].map(of),
        [(5, None, None), (5, Some(1), Some(1.0 / 1.06)), (5, None, None)]
    );
    let users = c.users(at(1_100));
    let both = |user: usize| users[user].video.as_ref().expect("frames").frozen;
    assert_eq!([0, 1].map(both), [(Some(1), Some(1.0 / 1.06)), (None, None)]);
}

fn summary() -> RunSummary {
    let facts = RunFacts { end: at(220), complete: true, ..RunFacts::default() };
    watched().summary(facts)
}

#[test]
fn distributions_are_over_users() {
    let run = summary();
    let kinds: Vec<_> = run.users.iter().map(|of| (&*of.application, of.users)).collect();
    assert_eq!(kinds, [("video", 2), ("web", 1)]);
    let video = &run.users[0];
    // 120 and 64 kbit/s.
    assert_eq!((video.low_rate_bps, video.low_rate_users), (2_000_000, 2));
    let rate = video.kpis.get("transmitted_bps").expect("rates");
    assert_eq!((rate.users, rate.mean, rate.p5, rate.p50), (2, 92_000.0, 64_000.0, 64_000.0));
    assert_eq!((rate.p95, rate.p99), (120_000.0, 120_000.0));
    assert_eq!(video.kpis.get("frame_delay_p99_ms").map(|over| over.mean), Some(40.0));
    // Only the first user's controller has reported.
    assert_eq!(video.kpis.get("network_queue_mean_ms").map(|over| over.users), Some(1));
    assert!(video.kpis.get("page_delay_mean_ms").is_none());
    assert_eq!(run.flows[1].pages.as_ref().map(|pages| pages.finished), Some(1));
}

#[test]
fn a_user_at_the_low_rate_is_not_below_it() {
    let users = watched().users(at(220));
    let low = |bps| {
        let of = over::summaries(&users, BitRate::from_bps(bps));
        of[0].low_rate_users
    };
    assert_eq!([low(64_000), low(64_001), low(120_001)], [0, 1, 2]);
}

#[test]
fn the_table_has_a_row_for_each_user() {
    let table = table(&watched().users(at(220)));
    assert_eq!(table.rows(), 3);
    let names: std::collections::BTreeSet<&str> = table.columns().collect();
    assert_eq!(names.len(), table.columns().count());
    assert!(names.contains("frame_delay_p99_ms") && names.contains("page_delay_mean_ms"));
}
