use std::net::Ipv4Addr;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, FlowId, Port, Time};
use airpath_net::{Class, Direction, Engine, Node};
use airpath_schema::units::Buffer;
use airpath_traffic::{Behaviour, PageConfig, Pages, Pause, RequestConfig, Sizes, Spans};
use airpath_transport::tcp::TcpConfig;
use airpath_transport::testing::{Log, Wire};
use airpath_transport::{App, EndpointConfig, Open, Proxy, ProxySide, Split, TcpEndpoint};
use airpath_wire::{Endpoint, Protocol, Tuple};
use proptest::prelude::*;

/// Numbers of the ends.
const CLIENT: usize = 0;
const SERVER: usize = 1;

const NEAR: FlowId = FlowId(0);
const FAR: FlowId = FlowId(1);

fn ends() -> [Endpoint; 2] {
    [(2, 50_000), (1, 80)].map(|(n, port)| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), port))
}

fn split(tcp: &TcpConfig, data: Direction, port: u16) -> Split {
    let [client, server] = ends();
    let client = Endpoint { port, ..client };
    let side = |flow| ProxySide { flow, tcp: tcp.clone() };
    let uplink = Tuple { src: client, dst: server, protocol: Protocol::TCP };
    Split { uplink, data, dscp: (0, 0), client: side(NEAR), server: side(FAR) }
}

/// Properties of both wires, the client's first.
#[derive(Clone, Copy)]
struct Wires {
    delays: [u64; 2],
    rates: [Option<u64>; 2],
    losses: [f64; 2],
}

const PLAIN: Wires = Wires { delays: [10, 30], rates: [None; 2], losses: [0.0; 2] };

/// Client, wire, proxy, wire, server.
fn run(
    client: Box<dyn Node>,
    proxy: Proxy,
    server: Box<dyn Node>,
    wires: Wires,
    end: Time,
) -> (Log, Engine) {
    let mut engine = Engine::new();
    let client = engine.add("client", Class::Packets, client);
    let proxy = engine.add("proxy", Class::Packets, Box::new(proxy));
    let server = engine.add("server", Class::Packets, server);
    let wire = |n: usize, engine: &mut Engine| {
        let rate = wires.rates[n].map(BitRate::from_kbps);
        let delay = Duration::from_millis(wires.delays[n]);
        let draws = Seed(3).stream(&format!("wire {n}"));
        let wire = Wire::new(delay, rate, wires.losses[n], draws);
        engine.add("wire", Class::Packets, Box::new(wire))
    };
    let (near, far) = (wire(0, &mut engine), wire(1, &mut engine));
    // A wire hands what entered at one port out at the other; port 1 faces the servers.
    for (from, to) in [
        ((client, Port(0)), (near, Port(0))),
        ((near, Port(1)), (proxy, Proxy::UP)),
        ((proxy, Proxy::UP), (far, Port(0))),
        ((far, Port(1)), (server, Port(0))),
        ((server, Port(0)), (far, Port(1))),
        ((far, Port(0)), (proxy, Proxy::DOWN)),
        ((proxy, Proxy::DOWN), (near, Port(1))),
        ((near, Port(0)), (client, Port(0))),
    ] {
        engine.connect(from, to, None);
    }
    let mut log = Log::default();
    engine.run_until(end, Some(&mut log)).expect("a run without errors");
    engine.audit().expect("books that close");
    (log, engine)
}

fn endpoint(from: usize, flow: FlowId, app: App, tcp: TcpConfig) -> Box<dyn Node> {
    let open = if from == CLIENT { Open::Active } else { Open::Passive };
    let base = EndpointConfig::new(flow, ends()[from], ends()[1 - from], app, open);
    Box::new(TcpEndpoint::new(EndpointConfig { tcp, ..base }).expect("options that work"))
}

fn download(bytes: u64, tcp: TcpConfig, proxy: Proxy, wires: Wires) -> (Log, Engine) {
    let sink = App::Sink { expected: Some(bytes) };
    let client = endpoint(CLIENT, NEAR, sink, tcp.clone());
    let server = endpoint(SERVER, FAR, App::Finite(bytes), tcp);
    run(client, proxy, server, wires, Time::from_millis(50_000_000))
}

#[test]
fn both_sides_have_their_own_handshake_and_the_data_arrive_once() {
    let tcp = TcpConfig::default();
    let proxy = Proxy::new(vec![split(&tcp, Direction::Downlink, 50_000)], 1 << 20);
    let (log, engine) = download(100_000, tcp, proxy.expect("a proxy"), PLAIN);
    assert_eq!(log.delivered, [100_000, 100_000]);
    // The client's SYN reaches the proxy at 10 ms; its answer is back at 20 ms. The
    // proxy's own goes on at 10 ms and is answered at 70 ms.
    let ms = |ms: u64, flow: FlowId| (Time::from_millis(ms), flow.0);
    let expected = [ms(20, NEAR), ms(30, NEAR), ms(70, FAR), ms(100, FAR)];
    assert_eq!(log.established, expected);
    assert_eq!(engine.next_wake(), None, "all four ends have closed and rest");
}

#[test]
fn a_slow_client_closes_the_window_towards_the_server() {
    let tcp = TcpConfig {
        send_buffer: Buffer::Bytes(Bytes(20_000)),
        receive_buffer: Bytes(30_000),
        ..TcpConfig::default()
    };
    let proxy = Proxy::new(vec![split(&tcp, Direction::Downlink, 50_000)], 40_000);
    let sink = App::Sink { expected: None };
    let client = endpoint(CLIENT, NEAR, sink, tcp.clone());
    let server = endpoint(SERVER, FAR, App::Greedy, TcpConfig::default());
    let wires = Wires { rates: [Some(800), None], ..PLAIN };
    let end = Time::from_millis(20_000);
    let (log, _) = run(client, proxy.expect("a proxy"), server, wires, end);
    let ahead = log.delivered[1] - log.delivered[0];
    // In the relay and in the proxy's send buffer; what has arrived is acknowledged a round
    // trip later.
    assert!((50_000..=60_000).contains(&ahead), "{ahead}");
    // 100 kB a second, less headers.
    assert!((1_800_000..2_000_000).contains(&log.delivered[0]), "{:?}", log.delivered);
}

#[test]
fn a_loss_near_the_client_is_repaired_from_the_proxy() {
    let tcp = TcpConfig::default();
    let wires = Wires { delays: [5, 100], losses: [0.02, 0.0], ..PLAIN };
    let split = vec![split(&tcp, Direction::Downlink, 50_000)];
    let with = download(2_000_000, tcp.clone(), Proxy::new(split, 1 << 20).expect("one"), wires);
    let without = download(2_000_000, tcp, Proxy::new(vec![], 1 << 20).expect("none"), wires);
    // The last to finish is the client.
    let seconds = |log: &Log| log.finished.expect("all of it").as_secs_f64();
    let (with, without) = (seconds(&with.0), seconds(&without.0));
    assert!(with * 3.0 < without, "{with} s, {without} s");
}

#[test]
fn an_upload_is_split_as_well() {
    let tcp = TcpConfig::default();
    let proxy = Proxy::new(vec![split(&tcp, Direction::Uplink, 50_000)], 10_000);
    let client = endpoint(CLIENT, NEAR, App::Finite(300_000), tcp.clone());
    let server = endpoint(SERVER, FAR, App::Sink { expected: Some(300_000) }, tcp);
    let end = Time::from_millis(50_000_000);
    let (log, engine) = run(client, proxy.expect("a proxy"), server, PLAIN, end);
    assert_eq!((log.delivered, engine.next_wake()), ([300_000; 2], None));
}

#[test]
fn what_is_not_split_passes_in_no_time() {
    let tcp = TcpConfig::default();
    let proxy = Proxy::new(vec![split(&tcp, Direction::Downlink, 50_001)], 1 << 20);
    let (log, _) = download(10_000, tcp, proxy.expect("a proxy"), PLAIN);
    let ms = Time::from_millis;
    assert_eq!(log.established, [(ms(80), NEAR.0), (ms(120), FAR.0)]);
    assert_eq!(log.delivered, [10_000, 0], "nobody takes them on the way");
}

#[test]
fn a_server_that_does_not_answer_is_a_reset_to_the_client() {
    let tcp = TcpConfig { syn_retries: 2, ..TcpConfig::default() };
    let proxy = Proxy::new(vec![split(&tcp, Direction::Downlink, 50_000)], 1 << 20);
    let pages = PageConfig {
        response: Sizes::Fixed(1000),
        objects: 1,
        pause: Pause::Think(Spans::Fixed(Duration::ZERO)),
        count: Some(1),
    };
    let [client, server] = ends();
    let config = RequestConfig { tcp, ..RequestConfig::new(NEAR, client, server) };
    let config = RequestConfig { server_flow: FAR, ..config };
    let nodes = config.nodes(Behaviour::Pages(Pages::new(pages))).expect("options that work");
    let wires = Wires { losses: [0.0, 1.0], ..PLAIN };
    let end = Time::from_millis(7_500);
    let (log, _) = run(Box::new(nodes.0), proxy.expect("one"), Box::new(nodes.1), wires, end);
    // SYNs at 10 ms, 1.01 s and 3.01 s; given up at 7.01 s; the client hears at 7.02 s.
    assert_eq!(log.exchanges.len(), 1);
    assert_eq!((log.exchanges[0].done, log.established.len()), (None, 2));
}

#[test]
fn a_connection_from_the_same_port_begins_anew() {
    let tcp = TcpConfig::default();
    let splits = (50_000..50_016).map(|port| split(&tcp, Direction::Downlink, port)).collect();
    let pages = PageConfig {
        response: Sizes::Fixed(20_000),
        objects: 1,
        pause: Pause::Period(Duration::from_secs(1)),
        count: Some(40),
    };
    let [client, server] = ends();
    let config =
        RequestConfig { per_connection: Some(1), ..RequestConfig::new(NEAR, client, server) };
    let config = RequestConfig { server_flow: FAR, ..config };
    let nodes = config.nodes(Behaviour::Pages(Pages::new(pages))).expect("options that work");
    let proxy = Proxy::new(splits, 5_000).expect("a proxy");
    let end = Time::from_millis(100_000);
    let (log, engine) = run(Box::new(nodes.0), proxy, Box::new(nodes.1), PLAIN, end);
    assert_eq!(log.exchanges.iter().filter(|exchange| exchange.done.is_some()).count(), 40);
    assert_eq!((log.delivered, log.established.len()), ([800_000; 2], 160));
    assert_eq!(engine.next_wake(), None);
}

#[test]
fn options_that_cannot_work_are_refused() {
    let mut wrong = split(&TcpConfig::default(), Direction::Downlink, 1);
    wrong.server.tcp.send_buffer = Buffer::Bytes(Bytes(0));
    assert!(Proxy::new(vec![wrong], 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    /// No deadlock, whatever is lost and however small the buffers.
    #[test]
    fn all_that_is_sent_arrives(
        (near, far) in (0.0f64..0.3, 0.0f64..0.3),
        buffers in prop::array::uniform4(200u64..20_000),
        relay in 1u64..20_000,
        write_size in 1u64..3_000,
        bytes in 1u64..60_000,
        up in any::<bool>(),
        kbps in prop::option::of(100u64..5_000),
    ) {
        let tcp = |receive_buffer, send_buffer| TcpConfig {
            receive_buffer: Bytes(receive_buffer),
            send_buffer: Buffer::Bytes(Bytes(send_buffer)),
            write_size: Bytes(write_size),
            syn_retries: 1_000,
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(5),
            ..TcpConfig::default()
        };
        let own = tcp(buffers[0], buffers[1]);
        let data = if up { Direction::Uplink } else { Direction::Downlink };
        let proxy = Proxy::new(vec![split(&own, data, 50_000)], relay).expect("a proxy");
        let (source, sink) = (App::Finite(bytes), App::Sink { expected: Some(bytes) });
        let (client, server) = if up { (source, sink) } else { (sink, source) };
        let ends = tcp(buffers[2], buffers[3]);
        let client = endpoint(CLIENT, NEAR, client, ends.clone());
        let server = endpoint(SERVER, FAR, server, ends);
        let wires = Wires { losses: [near, far], rates: [kbps, None], ..PLAIN };
        let end = Time::from_millis(50_000_000);
        let (log, engine) = run(client, proxy, server, wires, end);
        prop_assert_eq!(log.delivered, [bytes; 2]);
        prop_assert_eq!(engine.next_wake(), None);
    }
}
