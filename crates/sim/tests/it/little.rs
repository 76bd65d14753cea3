//! Little's law over whole runs. A link's queue over time, as the results count it, is the sum of
//! the packets' waits there, in integer byte-nanoseconds.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{Direction, Event, Leg, Packet, Probe, Stage};
use airpath_results::{Collector, Inventory, Options, Tee};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Facts, World};
use proptest::prelude::*;

use crate::properties::cases;

/// A wait in a queue: bytes, from when and until when.
type Wait = (u32, Time, Time);

/// Waits of packets in each direction of a path that is one link.
#[derive(Default)]
struct Waits {
    /// Direction of a flow's data.
    directions: BTreeMap<FlowId, Direction>,
    /// Packets on their way.
    alive: BTreeMap<u64, (Direction, u32, Time)>,
    ended: BTreeMap<Direction, Vec<Wait>>,
}

impl Waits {
    fn new(facts: &Facts) -> Waits {
        let directions = (0..).map(FlowId).zip(facts.flows.iter().map(|flow| flow.direction));
        Waits { directions: directions.collect(), ..Waits::default() }
    }

    fn direction(&self, packet: &Packet) -> Direction {
        match (self.directions[&packet.flow], packet.leg) {
            (way, Leg::Data) => way,
            (Direction::Downlink, Leg::Feedback) => Direction::Uplink,
            (Direction::Uplink, Leg::Feedback) => Direction::Downlink,
        }
    }

    fn ended(&mut self, packet: &Packet, queued_until: impl Fn(Time) -> Time) {
        let (way, bytes, since) = self.alive.remove(&packet.id).expect("a packet on its way");
        self.ended.entry(way).or_default().push((bytes, since, queued_until(since)));
    }

    /// Byte-nanoseconds that packets waited before `end`; all of them must have ended.
    fn byte_nanos(&self, way: Direction, end: Time) -> u128 {
        assert!(self.alive.values().all(|(_, _, since)| *since >= end), "it is not over");
        let waits = self.ended.get(&way).into_iter().flatten();
        let clipped = |&(bytes, from, to): &Wait| {
            let span = to.min(end).saturating_since(from.min(end));
            u128::from(bytes) * u128::from(span.as_nanos())
        };
        waits.map(clipped).sum()
    }
}

impl Probe for Waits {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        let after = |packet: &Packet, since: Time| since + packet.stages.spent(Stage::WiredQueue);
        match event {
            Event::Originated(packet) => {
                let way = self.direction(packet);
                self.alive.insert(packet.id, (way, packet.wire_size(), now));
            }
            // A packet that a queue drops has booked its wait, and so has one that the wire loses
            // behind it.
            Event::Consumed(packet) | Event::Dropped { packet, .. } => {
                self.ended(packet, |since| after(packet, since));
            }
            _ => {}
        }
    }
}

fn queue() -> impl Strategy<Value = String> {
    let kinds = ["drop-tail", "red", "codel", "pie", "fq-codel", "dualpi2", "step", "ramp", "age"];
    (prop::sample::select(kinds.to_vec()), 2u32..200).prop_map(|(kind, limit)| {
        let threshold = if kind == "step" { ", threshold = \"2 ms\"" } else { "" };
        format!("{{ kind = \"{kind}\", limit = \"{limit} packets\"{threshold} }}")
    })
}

fn flow() -> impl Strategy<Value = String> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 0u32..200).prop_map(|(tcp, up, ecn, start)| {
        let (kind, way) = (if tcp { "tcp" } else { "rtp" }, if up { "up" } else { "down" });
        let ecn = if ecn { "classic" } else { "off" };
        let options = match tcp {
            true => format!("tcp = {{ ecn = \"{ecn}\" }}\n"),
            false => String::new(),
        };
        format!("kind = \"{kind}\"\ndirection = \"{way}\"\nstart = \"{start} ms\"\n{options}")
    })
}

/// Flows over one link that is wired only.
fn scenario() -> impl Strategy<Value = String> {
    let rate = (1u64..10, 1u32..6).prop_map(|(n, digits)| n * 10u64.pow(digits));
    let loss = prop::sample::select(vec!["0", "0.02", "{ every = 40 }"]);
    let flows = prop::collection::vec(flow(), 1..4);
    (rate.clone(), rate, queue(), queue(), loss, flows).prop_map(
        |(rate, rate_up, queue, queue_up, loss, flows)| {
            let mut text = format!(
                "duration = \"1 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"{rate} kbit/s\"\n\
                 delay = \"5 ms\"\nqueue = {queue}\nloss = {loss}\nmark = {{ every = 7 }}\n\
                 up = {{ rate = \"{rate_up} kbit/s\", queue = {queue_up} }}\n"
            );
            for (n, flow) in flows.iter().enumerate() {
                text += &format!("[[flow]]\nname = \"f{n}\"\n{flow}");
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_queue_over_time_is_what_its_packets_wait(
        text in scenario(), seed: u64, end in 1u64..1_000_000_000,
    ) {
        let scenario = match Scenario::parse("random.toml", &text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        let World { mut engine, facts, .. } = World::build(&scenario, Seed(seed)).expect("a world");
        let mut collector = Collector::new(Inventory::default(), &Options::default());
        let mut waits = Waits::new(&facts);
        let end = Time::from_nanos(end);
        let mut probe = Tee::new().with(&mut collector).with(&mut waits);
        engine.run_until(end, Some(&mut probe)).expect("a run");
        drop(probe);
        // All that was waiting at the end leaves sooner or later.
        let mut later = end;
        while waits.alive.values().any(|(_, _, since)| *since < end) {
            later += airpath_base::Duration::from_millis(100);
            engine.run_until(later, Some(&mut waits)).expect("a run");
        }
        for link in &facts.links {
            let up = link.name.ends_with("up");
            let way = if up { Direction::Uplink } else { Direction::Downlink };
            let held = collector.queue(link.node, end).unwrap_or_default().byte_nanos(end);
            prop_assert_eq!(held, waits.byte_nanos(way, end), "{}\n{}", &link.name, text);
        }
    }
}
