use std::collections::VecDeque;

use airpath_base::{Duration, FlowId};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::*;
use crate::{ChangeError, Event, Leg};

/// Holds each packet for a fixed time.
struct Delay {
    by: Duration,
    held: VecDeque<(Time, Packet)>,
}

impl Node for Delay {
    fn receive(&mut self, now: Time, _port: Port, packet: Packet, _cx: &mut Cx<'_>) {
        self.held.push_back((now + self.by, packet));
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while self.held.front().is_some_and(|(due, _)| *due <= now) {
            let (_, packet) = self.held.pop_front().expect("a packet");
            cx.send(Port(0), packet);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.held.front().map(|(due, _)| *due)
    }

    fn held(&self) -> crate::Held {
        crate::Held::of(self.held.iter().map(|(_, packet)| packet))
    }
}

/// Asks to be woken at once, for ever.
struct Restless;

impl Node for Restless {
    fn receive(&mut self, _: Time, _: Port, _: Packet, _: &mut Cx<'_>) {}
    fn next_wake(&self) -> Option<Time> {
        Some(Time::from_millis(1))
    }
}

/// Sends on what it gets, at once.
struct Mirror;

impl Node for Mirror {
    fn receive(&mut self, _: Time, _: Port, packet: Packet, cx: &mut Cx<'_>) {
        cx.send(Port(0), packet);
    }
}

#[derive(Default)]
struct Count(u32);

impl Probe for Count {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        self.0 += u32::from(matches!(event, Event::Passed { .. }));
    }
}

fn delay(millis: u64) -> Box<Delay> {
    Box::new(Delay { by: Duration::from_millis(millis), held: VecDeque::new() })
}

fn packet() -> Packet {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    Packet::new(FlowId(0), Leg::Data, 100, tuple, Time::ZERO)
}

fn two_in_a_row() -> (Engine, NodeId) {
    let mut engine = Engine::new();
    let first = engine.add("first", Class::Packets, delay(3));
    let second = engine.add("second", Class::Packets, delay(4));
    engine.connect((first, Port(0)), (second, Port(0)), Some(PointId(0)));
    (engine, first)
}

#[test]
fn packets_cross_two_nodes_and_leave() {
    let (mut engine, first) = two_in_a_row();
    let mut count = Count::default();
    let start = Time::from_millis(1);
    engine.inject(start, (first, Port(0)), packet(), Some(&mut count)).unwrap();
    engine.run_until(Time::from_millis(100), Some(&mut count)).unwrap();
    let arrivals: Vec<Time> = engine.drain().map(|arrival| arrival.at).collect();
    assert_eq!(arrivals, [Time::from_millis(8)]);
    assert_eq!(count.0, 1);
}

#[test]
fn the_books_close_with_a_packet_inside() {
    let (mut engine, first) = two_in_a_row();
    engine.inject(Time::ZERO, (first, Port(0)), packet(), None).unwrap();
    engine.run_until(Time::from_millis(4), None).unwrap();
    for (_, name, ledger, held) in engine.books() {
        assert!(ledger.closes(held), "{name}: {ledger:?} {held:?}");
    }
}

#[test]
fn a_node_that_goes_in_circles_is_named() {
    let mut engine = Engine::new();
    engine.add("restless", Class::Packets, Box::new(Restless));
    let error = engine.run_until(Time::from_millis(2), None).unwrap_err();
    assert!(error.to_string().starts_with("restless was woken"), "{error}");
}

#[test]
fn packets_that_go_in_circles_end_the_run() {
    let mut engine = Engine::new();
    let [here, there] =
        ["here", "there"].map(|name| engine.add(name, Class::Packets, Box::new(Mirror)));
    engine.connect((here, Port(0)), (there, Port(0)), None);
    engine.connect((there, Port(0)), (here, Port(0)), None);
    let error = engine.inject(Time::ZERO, (here, Port(0)), packet(), None).unwrap_err();
    assert!(error.to_string().contains("packets went round at 0 s"), "{error}");
}

#[test]
fn a_node_inserted_into_a_wire_delays_what_passes_the_point_behind_it() {
    let (mut engine, first) = two_in_a_row();
    let between = engine.add("between", Class::Packets, delay(10));
    engine.insert((first, Port(0)), between, Port(0));
    let mut count = Count::default();
    engine.inject(Time::ZERO, (first, Port(0)), packet(), Some(&mut count)).unwrap();
    engine.run_until(Time::from_millis(12), Some(&mut count)).unwrap();
    assert_eq!(count.0, 0);
    engine.run_until(Time::from_millis(13), Some(&mut count)).unwrap();
    assert_eq!(count.0, 1);
    engine.run_until(Time::from_millis(100), Some(&mut count)).unwrap();
    let arrivals: Vec<Time> = engine.drain().map(|arrival| arrival.at).collect();
    assert_eq!(arrivals, [Time::from_millis(17)]);
    assert_eq!(engine.audit(), Ok(()));
}

/// Forgets what it gets.
struct Thief;

impl Node for Thief {
    fn receive(&mut self, _: Time, _: Port, _: Packet, _: &mut Cx<'_>) {}
}

/// Holds what it gets, but not in its inner books.
struct Muddler(Delay);

impl Node for Muddler {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        self.0.receive(now, port, packet, cx);
    }
    fn held(&self) -> crate::Held {
        self.0.held()
    }
    fn audit(&self) -> Result<(), String> {
        if self.0.held.is_empty() { Ok(()) } else { Err("a packet too many".into()) }
    }
}

#[test]
fn the_audit_names_who_loses_a_packet_and_who_mistakes_it_inside() {
    let muddler = || Box::new(Muddler(*delay(1)));
    let nodes: [(Box<dyn Node>, &str); 2] = [(Box::new(Thief), "received"), (muddler(), "many")];
    for (node, said) in nodes {
        let mut engine = Engine::new();
        let id = engine.add("suspect", Class::Packets, node);
        assert_eq!(engine.audit(), Ok(()));
        engine.inject(Time::ZERO, (id, Port(0)), packet(), None).unwrap();
        let (name, books) = engine.audit().unwrap_err();
        assert!(name == "suspect" && books.contains(said), "{name}: {books}");
    }
}

/// Says in which order it is called, and sends a packet with each change.
#[derive(Default)]
struct Scribe {
    due: Option<Time>,
    calls: std::sync::Arc<std::sync::Mutex<Vec<(&'static str, Time)>>>,
}

impl Scribe {
    fn note(&self, what: &'static str, now: Time) {
        self.calls.lock().expect("one thread").push((what, now));
    }
}

impl Node for Scribe {
    fn receive(&mut self, now: Time, _: Port, packet: Packet, cx: &mut Cx<'_>) {
        self.note("receive", now);
        cx.consume(&packet);
    }
    fn wake(&mut self, now: Time, _: &mut Cx<'_>) {
        self.note("wake", now);
        self.due = None;
    }
    fn next_wake(&self) -> Option<Time> {
        self.due
    }
    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        if *change == Change::Active(false) {
            return Err(ChangeError::new("will not"));
        }
        self.note("change", now);
        let mut packet = packet();
        cx.originate(&mut packet);
        cx.send(Port(0), packet);
        Ok(())
    }
}

#[test]
fn changes_come_before_whatever_else_happens_at_their_instant() {
    let (at, later) = (Time::from_millis(5), Time::from_millis(7));
    let calls = std::sync::Arc::default();
    let mut engine = Engine::new();
    let scribe = Scribe { due: Some(at), calls: std::sync::Arc::clone(&calls) };
    let scribe = engine.add("scribe", Class::Packets, Box::new(scribe));
    engine.connect((scribe, Port(0)), (scribe, Port(0)), None);
    for change in [Change::Active(true), Change::Rate(None)] {
        engine.change(at, scribe, &change, None).expect("it can");
    }
    engine.run_until(later, None).expect("a run");
    // A change for a past instant happens now.
    engine.change(at, scribe, &Change::Active(true), None).expect("it can");
    let expected = ["change", "receive", "change", "receive", "wake", "change", "receive"];
    let times = [at, at, at, at, at, later, later];
    let expected: Vec<_> = expected.into_iter().zip(times).collect();
    assert_eq!(*calls.lock().expect("one thread"), expected);
    let refused = engine.change(later, scribe, &Change::Active(false), None).expect_err("it says");
    assert_eq!(refused.to_string(), "scribe will not");
    let mirror = engine.add("mirror", Class::Packets, Box::new(Mirror));
    let refused = engine.change(later, mirror, &Change::Active(true), None).expect_err("default");
    assert_eq!(refused.to_string(), "mirror has nothing that can change");
    assert_eq!(engine.audit(), Ok(()));
}

#[test]
fn what_enters_and_leaves_by_a_door_is_booked_and_reported() {
    let (mut engine, first) = two_in_a_row();
    let second = NodeId(1);
    let point = |n| Some(PointId(n));
    engine.open(Door { node: second, port: Port(0), point: point(2) });
    let mut log = Vec::new();
    let door = Door { node: first, port: Port(0), point: point(1) };
    for at in [1, 2] {
        let at = Time::from_millis(at);
        engine.inject(at, door, packet(), Some(&mut Names(&mut log))).unwrap();
    }
    engine.run_until(Time::from_millis(8), Some(&mut Names(&mut log))).unwrap();
    let expected = [
        (1, 0, "originated 0"),
        (1, 0, "point 1"),
        (2, 0, "originated 1"),
        (2, 0, "point 1"),
        (4, 0, "point 0"),
        (5, 0, "point 0"),
        (8, 1, "point 2"),
        (8, 1, "consumed 0"),
    ];
    let log: Vec<(u64, u32, &str)> = log.iter().map(|(at, n, what)| (*at, *n, &what[..])).collect();
    assert_eq!(log, expected);
    let outside = engine.outside();
    assert_eq!([outside.originated.packets, outside.consumed.packets], [2, 1]);
    assert!(outside.closes(crate::Held::default()), "{outside:?}");
    assert_eq!(engine.audit(), Ok(()));
    assert_eq!(engine.drain().map(|left| left.packet.id).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_bounded_call_stops_at_its_bound_and_goes_on() {
    let (mut engine, first) = two_in_a_row();
    for at in [0, 1] {
        engine.inject(Time::from_millis(at), (first, Port(0)), packet(), None).unwrap();
    }
    let end = Time::from_millis(50);
    assert_eq!(engine.run_some(end, 3, None), Ok(false));
    assert_eq!(engine.now(), Time::from_millis(7));
    assert_eq!(engine.run_some(end, 3, None), Ok(true));
    assert_eq!((engine.now(), engine.drain().count()), (end, 2));
}

/// Notes what happens: milliseconds, node, what.
struct Names<'a>(&'a mut Vec<(u64, u32, String)>);

impl Probe for Names<'_> {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        let what = match event {
            Event::Originated(packet) => format!("originated {}", packet.id),
            Event::Consumed(packet) => format!("consumed {}", packet.id),
            Event::Passed { point, .. } => format!("point {}", point.0),
            _ => return,
        };
        self.0.push((now.as_nanos() / 1_000_000, node.0, what));
    }
}
