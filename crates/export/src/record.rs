//! Recording of a UE's path: two runs of the scenario with probes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{DropCause, Event, Leg, Probe};
use airpath_scenario::{RadioKind, Scenario};
use airpath_sim::{RunOptions, run};
use serde_json::{Value, json};

use crate::ExportError;
use crate::scene::Scene;

/// Milliseconds of a step of rate and delay, and between two trains.
pub const STEP_MS: u32 = 100;
/// UDP payload of a probe's packet, bytes: with headers a packet of 1400 bytes, as CellReplay's.
const PAYLOAD: u32 = 1_372;
/// Bytes of the packet.
const PACKET: u32 = PAYLOAD + 28;
/// First rate that is tried to saturate a direction, Mbit/s.
const FIRST: u64 = 25;
/// Largest rate that is tried, Mbit/s.
const MOST: u64 = 6_400;
/// Share of a second's offered bytes that arrive at most where the path is saturated.
const SATURATED: f64 = 0.9;
/// Trains that a recording has at least, as CellReplay needs them.
const FEWEST: usize = 3;
/// Packets of a train: at most, and at least.
const TRAIN: (u64, u64) = (10, 2);

/// Options of a recording.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Group of UEs; none for the first of the scenario.
    pub ue: Option<&'a str>,
    /// Seed instead of the scenario's.
    pub seed: Option<u64>,
    /// Folder of the files that the scenario names; none for the present one.
    pub folder: Option<&'a Path>,
    /// Ends it early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// The path of a UE.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The UE.
    pub ue: String,
    /// Seed of the runs.
    pub seed: u64,
    /// Length in milliseconds.
    pub length_ms: u32,
    /// From the servers to the UE.
    pub down: Way,
    /// From the UE to the servers.
    pub up: Way,
}

/// One direction of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Bytes of IP that arrive in each millisecond while the direction is saturated.
    pub bytes: Vec<u32>,
    /// Trains in the order of their times.
    pub trains: Vec<Train>,
    /// Share of the trains' packets that are lost.
    pub loss: f64,
    /// The part of this share that a full queue, its AQM or the discard timer dropped: trains were too much for it.
    pub loss_in_queues: f64,
}

/// Packets that left together.
#[derive(Clone, Debug, PartialEq)]
pub struct Train {
    /// Milliseconds from the beginning to its first packet.
    pub at_ms: u32,
    /// One-way delay of its first packet that arrived, ms.
    pub delay_ms: f64,
    /// Milliseconds from that arrival to that of each packet.
    pub arrivals_ms: Vec<f64>,
}

/// A step of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Rate, kbit/s.
    pub kbps: u64,
    /// Base delay of the latest train, ms.
    pub delay_ms: f64,
}

impl Way {
    /// Mean rate of the saturated direction, Mbit/s.
    pub fn mean_mbps(&self) -> f64 {
        let bytes: f64 = self.bytes.iter().map(|bytes| f64::from(*bytes)).sum();
        bytes * 8e-3 / self.bytes.len().max(1) as f64
    }

    /// Least delay of a train, ms.
    pub fn least_delay_ms(&self) -> f64 {
        self.trains.iter().map(|train| train.delay_ms).fold(f64::INFINITY, f64::min)
    }

    /// Rate and delay of each [`STEP_MS`].
    pub fn steps(&self) -> Vec<Step> {
        let mut delay = self.trains.first().map_or(0.0, |train| train.delay_ms);
        let mut trains = self.trains.iter().peekable();
        let step = |(n, bytes): (usize, &[u32])| {
            let end = (n as u32 + 1) * STEP_MS;
            while let Some(train) = trains.next_if(|train| train.at_ms < end) {
                delay = train.delay_ms;
            }
            let bits: u64 = bytes.iter().map(|bytes| u64::from(*bytes) * 8).sum();
            Step { kbps: bits / bytes.len().max(1) as u64, delay_ms: delay }
        };
        self.bytes.chunks(STEP_MS as usize).enumerate().map(step).collect()
    }
}

/// Records the path of a UE.
///
/// # Errors
///
/// A scenario that cannot have the probes, a path without service, or a run that failed.
pub fn record(scenario: &Scenario, options: Options<'_>) -> Result<Recording, ExportError> {
    let scene = Scene::of(scenario, options)?;
    let length_ms = (scenario.duration.as_nanos() / 1_000_000) as u32;
    if length_ms < 1_000 {
        return Err(ExportError::Short(scenario.duration.to_string()));
    }
    let seed = options.seed.unwrap_or(scenario.seed);
    let [down, up] = saturated(scene.clone(), scenario, length_ms, options)?;
    let sizes = [&down, &up].map(|bytes| train(mean_kbps(bytes)));
    let trains = sparse(&scene, length_ms, sizes, options)?;
    for (way, name) in trains.iter().zip(["downlink", "uplink"]) {
        if way.trains.len() < FEWEST {
            return Err(ExportError::FewTrains(name, way.trains.len()));
        }
    }
    let [down_trains, up_trains] = trains;
    Ok(Recording {
        ue: scene.ue(),
        seed,
        length_ms,
        down: Way { bytes: down, ..down_trains },
        up: Way { bytes: up, ..up_trains },
    })
}

fn mean_kbps(bytes: &[u32]) -> u64 {
    bytes.iter().map(|bytes| u64::from(*bytes) * 8).sum::<u64>() / bytes.len().max(1) as u64
}

/// Packets of a train: a fifth of what a step carries.
fn train(kbps: u64) -> u64 {
    let packets = kbps * u64::from(STEP_MS) / (u64::from(PACKET) * 8) / 5;
    packets.clamp(TRAIN.1, TRAIN.0)
}

/// Bytes by millisecond with both directions saturated, downlink first.
fn saturated(
    scene: Scene,
    scenario: &Scenario,
    length_ms: u32,
    options: Options<'_>,
) -> Result<[Vec<u32>; 2], ExportError> {
    let scene = match scenario.bearer.is_empty() && scenario.radio != RadioKind::None {
        true => scene.with("bearer", json!([{ "name": "default", "default": true }])),
        false => scene,
    };
    let scene = scene.with_bounded_queues();
    let mut rates = [FIRST; 2];
    loop {
        let nanos = rates.map(|mbps| u64::from(PACKET) * 8_000 / mbps);
        let flows = [("down", nanos[0]), ("up", nanos[1])].map(|(direction, nanos)| {
            flow(
                &probe_name(direction),
                direction,
                json!({ "payload": bytes(PAYLOAD), "interval": format!("{nanos} ns") }),
            )
        });
        let seen = probe(&scene.scenario(flows.into())?, options)?;
        let offered = rates.map(|mbps| mbps * 125);
        let by_ms =
            ["down", "up"].map(|direction| arrived(&seen, &probe_name(direction), length_ms));
        let mut enough = true;
        for direction in 0..2 {
            if !is_saturated(&by_ms[direction], offered[direction]) {
                enough = false;
                rates[direction] *= 2;
                if rates[direction] > MOST {
                    return Err(ExportError::Fast(MOST));
                }
            }
        }
        for (bytes, name) in by_ms.iter().zip(["downlink", "uplink"]) {
            if bytes.iter().all(|bytes| *bytes == 0) {
                return Err(ExportError::Silent(name));
            }
        }
        if enough {
            return Ok(by_ms);
        }
    }
}

/// True if no second has more than its share of the offered bytes, given for a millisecond.
fn is_saturated(by_ms: &[u32], offered: u64) -> bool {
    by_ms.chunks(1_000).all(|second| {
        let arrived: u64 = second.iter().map(|bytes| u64::from(*bytes)).sum();
        arrived as f64 <= SATURATED * (offered * second.len() as u64) as f64
    })
}

/// Trains and the shares of lost packets, downlink first.
fn sparse(
    scene: &Scene,
    length_ms: u32,
    sizes: [u64; 2],
    options: Options<'_>,
) -> Result<[Way; 2], ExportError> {
    let mut flows = Vec::new();
    for (direction, packets) in ["down", "up"].into_iter().zip(sizes) {
        // The directions take turns, so that neither waits for the other.
        let start = if direction == "up" { STEP_MS / 2 } else { 0 };
        for n in 0..packets {
            let rtp = json!({ "payload": bytes(PAYLOAD), "interval": format!("{STEP_MS} ms") });
            let mut flow = flow(&probe_name(&format!("{direction} {n}")), direction, rtp);
            flow["start"] = json!(format!("{start} ms"));
            flows.push(flow);
        }
    }
    let seen = probe(&scene.scenario(flows)?, options)?;
    let trains = |direction: &str, packets| {
        let own: Vec<&Seen> = (0..packets)
            .filter_map(|n| seen.get(&probe_name(&format!("{direction} {n}"))))
            .collect();
        trains(&own, length_ms)
    };
    Ok([trains("down", sizes[0]), trains("up", sizes[1])])
}

/// Trains of flows that send together.
fn trains(flows: &[&Seen], length_ms: u32) -> Way {
    let mut by_birth: BTreeMap<Time, Vec<Time>> = BTreeMap::new();
    let (mut sent, mut lost, mut in_queues) = (0, 0, 0);
    for seen in flows {
        sent += seen.arrived.len() as u64 + seen.dropped;
        lost += seen.dropped;
        in_queues += seen.in_queues;
        for arrival in &seen.arrived {
            by_birth.entry(arrival.born).or_default().push(arrival.at);
        }
    }
    let train = |(born, mut arrivals): (Time, Vec<Time>)| {
        arrivals.sort_unstable();
        let first = arrivals[0];
        let ms = |to: Time, from: Time| to.since(from).as_nanos() as f64 / 1e6;
        Train {
            at_ms: (born.as_nanos() / 1_000_000) as u32,
            delay_ms: ms(first, born),
            arrivals_ms: arrivals.iter().map(|at| ms(*at, first)).collect(),
        }
    };
    let trains = by_birth.into_iter().map(train).filter(|train| train.at_ms < length_ms);
    let [loss, loss_in_queues] =
        [lost, in_queues].map(|packets| packets as f64 / f64::max(sent as f64, 1.0));
    Way { bytes: Vec::new(), trains: trains.collect(), loss, loss_in_queues }
}

fn bytes(bytes: u32) -> String {
    format!("{bytes} B")
}

/// Name of a probe, which no flow of a scenario has.
fn probe_name(what: &str) -> String {
    format!("export probe {what}")
}

fn flow(name: &str, direction: &str, rtp: Value) -> Value {
    json!({ "name": name, "kind": "rtp", "direction": direction, "rtp": rtp })
}

/// Bytes that arrived in each millisecond.
fn arrived(seen: &BTreeMap<String, Seen>, flow: &str, length_ms: u32) -> Vec<u32> {
    let mut by_ms = vec![0; length_ms as usize];
    for arrival in seen.get(flow).iter().flat_map(|seen| &seen.arrived) {
        if let Some(ms) = by_ms.get_mut((arrival.at.as_nanos() / 1_000_000) as usize) {
            *ms += arrival.size;
        }
    }
    by_ms
}

/// Packets of a flow.
#[derive(Default)]
struct Seen {
    arrived: Vec<Arrival>,
    dropped: u64,
    /// Dropped by a full queue, its AQM or the discard timer.
    in_queues: u64,
}

/// Arrival of a packet.
struct Arrival {
    at: Time,
    born: Time,
    size: u32,
}

/// Listens to packets of all flows.
#[derive(Default)]
struct Listener(BTreeMap<FlowId, Seen>);

impl Probe for Listener {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Consumed(packet) if packet.leg == Leg::Data => {
                let arrival = Arrival { at: now, born: packet.stages.start(), size: packet.size };
                self.0.entry(packet.flow).or_default().arrived.push(arrival);
            }
            Event::Dropped { packet, cause, .. } if packet.leg == Leg::Data => {
                let seen = self.0.entry(packet.flow).or_default();
                seen.dropped += 1;
                let waited = [DropCause::QueueFull, DropCause::Aqm, DropCause::DiscardTimer];
                seen.in_queues += u64::from(waited.contains(cause));
            }
            _ => {}
        }
    }
}

/// Runs a scenario, and gives the packets of each of its flows.
fn probe(scenario: &Scenario, options: Options<'_>) -> Result<BTreeMap<String, Seen>, ExportError> {
    let mut listener = Listener::default();
    let outcome = run(
        scenario,
        RunOptions {
            seed: options.seed,
            interrupt: options.interrupt,
            listener: Some(&mut listener),
            ..RunOptions::default()
        },
    );
    let outcome = outcome.map_err(|error| ExportError::Run(error.to_string()))?;
    if !outcome.summary.complete {
        return Err(ExportError::Interrupted);
    }
    let flows = &outcome.facts.flows;
    let named =
        |(flow, seen): (FlowId, Seen)| Some((flows.get(flow.0 as usize)?.name.clone(), seen));
    Ok(listener.0.into_iter().filter_map(named).collect())
}
