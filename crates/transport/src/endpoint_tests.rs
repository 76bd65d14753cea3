use super::*;
use airpath_base::{Bytes, Duration, NodeId};
use airpath_net::testing::Bench;
use airpath_net::{Class, Engine, Payload, Probe, TcpEvent};
use airpath_schema::units::Buffer;
use airpath_wire::{Protocol, Tuple};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::net::Ipv4Addr;

/// Delays each packet, by the port that it arrives at.
struct Pipe(Duration, VecDeque<(Time, Port, Packet)>);

impl Node for Pipe {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, _cx: &mut Cx<'_>) {
        self.1.push_back((now + self.0, port, packet));
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while self.next_wake().is_some_and(|due| due <= now) {
            let (_, port, packet) = self.1.pop_front().expect("a packet");
            cx.send(port, packet);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.1.front().map(|(due, ..)| *due)
    }
}

#[derive(Default)]
struct Log {
    events: Vec<(Time, String)>,
    delivered: u64,
    sizes: Vec<(Leg, u64, u32)>,
    /// Time at which the last packet with so many bytes of data left.
    last_data: Option<(Time, u32)>,
    /// Time of that packet, at each change.
    at_changes: Vec<Option<Time>>,
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::App(_, AppEvent::Delivered { bytes }) => self.delivered += bytes,
            Event::App(_, event) => self.events.push((now, format!("{event:?}"))),
            Event::Tcp(_, TcpEvent::Established) => self.events.push((now, "Established".into())),
            Event::Originated(p) => {
                if let Payload::Tcp(repr) = &p.payload
                    && repr.payload_len > 0
                {
                    self.last_data = Some((now, repr.payload_len));
                }
                self.sizes.push((p.leg, p.number, p.size));
            }
            _ => {}
        }
    }
}

fn ends() -> (Endpoint, Endpoint) {
    let server = Endpoint::new(Ipv4Addr::new(10, 0, 0, 1), 80);
    (server, Endpoint::new(Ipv4Addr::new(10, 0, 0, 2), 5000))
}

fn pair(app: App, expected: Option<u64>) -> (EndpointConfig, EndpointConfig) {
    let (server, client) = ends();
    let sink = App::Sink { expected };
    let sender = EndpointConfig::new(FlowId(3), server, client, app, Open::Active);
    (sender, EndpointConfig::new(FlowId(3), client, server, sink, Open::Passive))
}

fn run(sender: EndpointConfig, sink: EndpointConfig, until: Time) -> (Log, Engine) {
    run_paused(sender, sink, &[], until)
}

/// The sender is active or not from these times on.
fn run_paused(
    sender: EndpointConfig,
    sink: EndpointConfig,
    changes: &[(u64, bool)],
    until: Time,
) -> (Log, Engine) {
    let mut engine = Engine::new();
    let sender = TcpEndpoint::new(sender).expect("options that work");
    let sink = TcpEndpoint::new(sink).expect("options that work");
    let a = engine.add("sender", Class::Packets, Box::new(sender));
    let b = engine.add("sink", Class::Packets, Box::new(sink));
    let pipe = Pipe(Duration::from_millis(10), VecDeque::new());
    let pipe = engine.add("pipe", Class::Packets, Box::new(pipe));
    engine.connect((a, NETWORK), (pipe, Port(1)), None);
    engine.connect((b, NETWORK), (pipe, Port(0)), None);
    engine.connect((pipe, Port(0)), (a, NETWORK), None);
    engine.connect((pipe, Port(1)), (b, NETWORK), None);
    let mut log = Log::default();
    for &(at, active) in changes {
        let (at, change) = (Time::from_millis(at), Change::Active(active));
        engine.change(at, a, &change, Some(&mut log)).expect("a source");
        log.at_changes.push(log.last_data.map(|(last, _)| last));
    }
    engine.run_until(until, Some(&mut log)).expect("a run without errors");
    (log, engine)
}

#[test]
fn a_finite_transfer_opens_finishes_and_closes() {
    let (mut sender, mut sink) = pair(App::Finite(5360), Some(5360));
    for tcp in [&mut sender.tcp, &mut sink.tcp] {
        (tcp.segment, tcp.initial_window) = (Some(Bytes(536)), 10);
    }
    sender.open_at = Time::from_millis(20);
    let (log, engine) = run(sender, sink, Time::from_millis(10_000));
    let ms = |n| Time::from_millis(n);
    let expected = [
        (ms(0), "Started"),
        (ms(40), "Established"),
        (ms(50), "Established"),
        (ms(50), "Finished"),
    ];
    let expected: Vec<_> = expected.iter().map(|(t, s)| (*t, (*s).to_string())).collect();
    assert_eq!(log.events, expected);
    assert_eq!(log.delivered, 5360);
    // IPv4 20, TCP 20, timestamps 10, window scale 3, SACK permitted 2, MSS 4,
    // padded to a multiple of 4; then 20 + 20 + 12 + 536.
    assert_eq!(log.sizes[0], (Leg::Data, 0, 60));
    assert_eq!(log.sizes[1], (Leg::Feedback, 0, 60));
    assert_eq!(log.sizes[2], (Leg::Data, 1, 52));
    assert_eq!(log.sizes[3], (Leg::Data, 2, 588));
    assert_eq!(engine.next_wake(), None, "both ends are at rest");
    assert!(engine.books().all(|(_, _, ledger, held)| ledger.closes(held)));
}

#[test]
fn a_greedy_sender_stops_when_told() {
    let (mut sender, sink) = pair(App::Greedy, None);
    sender.stop = Some(Time::from_millis(1000));
    sender.tcp.send_buffer = Buffer::Bytes(Bytes(100_000));
    let (log, engine) = run(sender, sink, Time::from_millis(5000));
    // A buffer each RTT of 20 ms, from the first RTT that has the window for it.
    assert!((3_500_000..5_200_000).contains(&log.delivered), "{}", log.delivered);
    assert_eq!(engine.next_wake(), None);
}

#[test]
fn nothing_is_sent_after_the_stop_whatever_was_written() {
    for (app, buffer) in
        [(App::Greedy, u64::MAX), (App::Greedy, 4 << 20), (App::Finite(1 << 30), u64::MAX)]
    {
        let (mut sender, mut sink) = pair(app, None);
        sender.stop = Some(Time::from_millis(500));
        sender.tcp.send_buffer = Buffer::Bytes(Bytes(buffer));
        sink.tcp.receive_buffer = Bytes(50_000); // a window each 20 ms
        let (log, engine) = run(sender, sink, Time::from_millis(5000));
        let (last, _) = log.last_data.expect("data");
        assert!(last <= Time::from_millis(500), "{last:?} {app:?} {buffer}");
        assert!((1_000_000..1_300_000).contains(&log.delivered), "{}", log.delivered);
        assert_eq!(engine.next_wake(), None, "both ends have closed");
    }
}

#[test]
fn a_pause_holds_back_what_has_been_written_and_not_sent() {
    for app in [App::Greedy, App::Finite(20_000_000)] {
        let (sender, mut sink) = pair(app, Some(20_000_000));
        sink.tcp.receive_buffer = Bytes(50_000); // a window each 20 ms
        let ms = Time::from_millis;
        let changes = [(200, false), (600, true), (700, false), (800, false), (900, true)];
        let (log, _) = run_paused(sender.clone(), sink.clone(), &changes, ms(1_000));
        let last: Vec<Time> = log.at_changes.iter().map(|at| at.expect("data")).collect();
        assert!(last[0] < ms(200) && last[1] == ms(600), "{last:?}");
        assert!(last[2] < ms(700) && last[3] == last[2] && last[4] == ms(900), "{last:?}");
        // 2.5 MB/s for 200, 100 and 100 ms, less 60 ms until the window is full, and less the
        // last 10 ms, which are on their way.
        assert!((750_000..900_000).contains(&log.delivered), "{}", log.delivered);
        // A stop that comes in a pause ends it.
        let stopped = EndpointConfig { stop: Some(ms(500)), ..sender };
        let (log, engine) = run_paused(stopped, sink, &changes, ms(5_000));
        assert!(log.last_data.is_some_and(|(last, _)| last < ms(200)));
        assert_eq!(engine.next_wake(), None, "both ends have closed");
    }
}

#[test]
fn a_pause_before_the_start_delays_it() {
    let (sender, sink) = pair(App::Finite(5_000), Some(5_000));
    let (log, _) = run_paused(sender, sink, &[(0, false), (300, true)], Time::from_millis(900));
    assert_eq!((log.at_changes[1], log.delivered), (Some(Time::from_millis(300)), 5_000));
}

#[test]
fn a_sink_makes_no_data() {
    let (_, sink) = pair(App::Greedy, None);
    let mut sink = TcpEndpoint::new(sink).expect("options that work");
    let mut refused = |change| {
        let done = sink.change(Time::ZERO, &change, &mut Bench::new().cx(Time::ZERO));
        done.expect_err("a refusal").to_string()
    };
    assert_eq!(refused(Change::Active(false)), "is no source of data");
    assert_eq!(refused(Change::Rate(None)), "is an end of a TCP connection");
}

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    /// A transfer is complete whenever it pauses, and its end is reported.
    #[test]
    fn what_is_paused_is_sent_later(
        pauses in prop::collection::vec((0u64..120, 0u64..120), 0..12),
        (bytes, buffer) in (1u64..3_000_000, 1_000u64..4_000_000),
        window in 3_000u64..200_000,
    ) {
        let (mut sender, mut sink) = pair(App::Finite(bytes), Some(bytes));
        sender.tcp.send_buffer = Buffer::Bytes(Bytes(buffer));
        sink.tcp.receive_buffer = Bytes(window);
        let mut now = 0;
        let changes = pauses.iter().flat_map(|(gap, pause)| {
            let from = now + gap;
            now = from + pause;
            [(from, false), (now, true)]
        });
        let changes: Vec<(u64, bool)> = changes.collect();
        let (log, engine) = run_paused(sender, sink, &changes, Time::from_millis(1_000_000));
        prop_assert_eq!(log.delivered, bytes);
        let ends = log.events.iter().filter(|(_, event)| event == "Finished");
        prop_assert_eq!(ends.count(), 1);
        prop_assert_eq!(engine.next_wake(), None);
    }
}

#[test]
fn strangers_are_dropped() {
    let (_, sink) = pair(App::Greedy, None);
    let (server, client) = ends();
    let mut node = TcpEndpoint::new(sink).expect("options that work");
    let mut bench = Bench::new();
    let tuple = Tuple { src: server, dst: client, protocol: Protocol::TCP };
    let stranger = Tuple { src: Endpoint { port: 9, ..server }, ..tuple };
    for (tuple, payload) in [
        (stranger, Payload::Tcp(airpath_wire::TcpRepr::default().into())),
        (tuple, Payload::None),
        (tuple, Payload::Tcp(airpath_wire::TcpRepr::default().into())), // no SYN
    ] {
        let mut packet = Packet::new(FlowId(3), Leg::Data, 40, tuple, Time::ZERO);
        packet.payload = payload;
        node.receive(Time::ZERO, NETWORK, packet, &mut bench.cx(Time::ZERO));
    }
    assert_eq!(bench.drops.0, [DropCause::Unexpected; 3]);
    assert!(bench.sent().is_empty());
}

#[test]
fn options_that_cannot_work_are_refused() {
    let (mut sender, _) = pair(App::Greedy, None);
    sender.tcp.initial_window = 0;
    let error = TcpEndpoint::new(sender.clone()).err();
    assert_eq!(error, Some(EndpointError::Tcp(TcpConfigError::InitialWindow)));
    sender.remote = Endpoint::new(std::net::Ipv6Addr::LOCALHOST, 1);
    assert_eq!(TcpEndpoint::new(sender).err(), Some(EndpointError::Addresses));
}
