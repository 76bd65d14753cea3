//! The error of a recording: five applications in the cell and over each replay of its recording.
//!
//! - mahimahi: recorded capacity, and one constant delay.
//! - CellReplay: light and heavy opportunities, and the base delay of each train.
//! - Rattan and netem: rates and delays in steps of [`STEP_MS`], and the loss of the trains.
//!
//! The queue in front of the replayed link is that of the
//! UE's default bearer if it is a drop-tail queue, or else has 1000 packets.

use airpath_results::FlowSummary;
use airpath_scenario::{Scenario, toml};
use airpath_sim::{RunOptions, run};
use serde_json::{Map, Value, json};

use crate::record::{Options, Way};
use crate::scene::Scene;
use crate::{ExportError, Format, Recording, STEP_MS, Step, cellreplay, mahimahi};

/// Name of the application's flow.
const FLOW: &str = "export application";
/// Least rate of a step, kbit/s.
const LEAST: u64 = 1;

/// An application in the cell and over replays.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Application, as `bulk`.
    pub application: &'static str,
    /// Its measure, as `goodput`.
    pub measure: &'static str,
    /// Unit of the measure.
    pub unit: &'static str,
    /// Value in the cell; none if nothing arrived.
    pub cell: Option<f64>,
    /// Values over the replays.
    pub replays: Vec<Figure>,
}

/// Value of a measure over a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Formats with this replay, with commas between them.
    pub formats: String,
    /// Value; none if nothing arrived.
    pub value: Option<f64>,
}

impl Judged {
    /// Value over a replay less that in the cell, as a share of that.
    pub fn error(&self, figure: &Figure) -> Option<f64> {
        Some(figure.value? / self.cell.filter(|cell| *cell != 0.0)? - 1.0)
    }
}

/// Runs the applications.
///
/// # Errors
///
/// A scenario that cannot have their flows, or a run that failed.
pub fn judge(
    scenario: &Scenario,
    recording: &Recording,
    options: Options<'_>,
) -> Result<Vec<Judged>, ExportError> {
    let scene = Scene::of(scenario, options)?;
    let queue = scene.queue().unwrap_or_else(|| json!("1000 packets"));
    let replays = [
        (Format::Mahimahi.word().to_owned(), opportunities(recording, &queue)),
        (Format::CellReplay.word().to_owned(), trains(&queue)),
        (format!("{}, {}", Format::Rattan.word(), Format::Netem.word()), steps(recording, &queue)),
    ];
    let judge = |application: &Application| {
        let mut flow = (application.flow)();
        flow["name"] = json!(FLOW);
        let cell = application.of(&scene.scenario(vec![flow.clone()])?, options)?;
        let replays = replays.iter().map(|(formats, wires)| {
            let wires = wired(wires.clone(), flow.clone(), recording)?;
            Ok(Figure { formats: formats.clone(), value: application.of(&wires, options)? })
        });
        let Application { name: application, measure, unit, .. } = *application;
        let replays = replays.collect::<Result<_, ExportError>>()?;
        Ok(Judged { application, measure, unit, cell, replays })
    };
    APPLICATIONS.iter().map(judge).collect()
}

/// An application with its measure.
struct Application {
    name: &'static str,
    measure: &'static str,
    unit: &'static str,
    flow: fn() -> Value,
    value: fn(&FlowSummary) -> Option<f64>,
}

impl Application {
    fn of(&self, scenario: &Scenario, options: Options<'_>) -> Result<Option<f64>, ExportError> {
        let Options { seed, interrupt, .. } = options;
        let made = run(scenario, RunOptions { seed, interrupt, ..RunOptions::default() });
        let summary = made.map_err(|error| ExportError::Run(error.to_string()))?.summary;
        if !summary.complete {
            return Err(ExportError::Interrupted);
        }
        Ok(summary.flows.iter().find(|flow| flow.name == FLOW).and_then(self.value))
    }
}

/// The five of the question: a bulk download, pages, a call, a game, requests.
const APPLICATIONS: [Application; 5] = [
    Application {
        name: "bulk",
        measure: "goodput",
        unit: "Mbit/s",
        flow: || json!({ "kind": "tcp", "direction": "down" }),
        value: |flow| Some(flow.goodput_bps? / 1e6),
    },
    Application {
        name: "page",
        measure: "mean time of a page",
        unit: "ms",
        flow: || json!({ "kind": "tcp", "direction": "down", "web": {} }),
        value: |flow| Some(flow.pages.as_ref()?.delay_ms.as_ref()?.mean),
    },
    Application {
        name: "call",
        measure: "95th percentile of the delay",
        unit: "ms",
        flow: || {
            let rtp =
                json!({ "congestion_control": "scream", "video": { "max_rate": "3 Mbit/s" } });
            json!({ "kind": "rtp", "direction": "down", "rtp": rtp })
        },
        value: |flow| Some(flow.delay_ms.as_ref()?.p95),
    },
    Application {
        name: "game",
        measure: "95th percentile of the round trip",
        unit: "ms",
        flow: || {
            let answer = json!({ "payload": "300 B" });
            let rtp = json!({ "payload": "80 B", "interval": "16 ms", "answer": answer });
            json!({ "kind": "rtp", "direction": "up", "rtp": rtp })
        },
        value: |flow| Some(flow.requests.as_ref()?.duration_ms.as_ref()?.p95),
    },
    Application {
        name: "request",
        measure: "mean time of 100 kB",
        unit: "ms",
        flow: || {
            let requests = json!({ "response": "100 kB", "period": "1 s" });
            json!({ "kind": "tcp", "direction": "down", "requests": requests })
        },
        value: |flow| Some(flow.requests.as_ref()?.duration_ms.as_ref()?.mean),
    },
];

/// Keys of a scenario with recorded capacity.
fn opportunities(recording: &Recording, queue: &Value) -> Map<String, Value> {
    let delay = format!("{} ms", mahimahi::delay_ms(recording));
    let up = json!({ "capacity": "up.trace" });
    let sgi = json!({ "capacity": "down.trace", "delay": delay, "queue": queue, "up": up });
    Map::from_iter([("path".to_owned(), json!({ "sgi": sgi }))])
}

/// Keys of a scenario with light and heavy opportunities.
fn trains(queue: &Value) -> Map<String, Value> {
    let files =
        |way: &str| json!({ "light": format!("{way}.light"), "heavy": format!("{way}.heavy") });
    let sgi =
        json!({ "capacity": files("down"), "queue": queue, "up": { "capacity": files("up") } });
    Map::from_iter([("path".to_owned(), json!({ "sgi": sgi }))])
}

/// Keys of a scenario with steps of rate and delay.
fn steps(recording: &Recording, queue: &Value) -> Map<String, Value> {
    let rate = |kbps: u64| format!("{} kbit/s", kbps.max(LEAST));
    let delay = |ms: f64| format!("{} us", (ms * 1e3).round() as u64);
    let first = |way: &Way| way.steps().first().copied().unwrap_or_default();
    let (down, up) = (first(&recording.down), first(&recording.up));
    let sgi = json!({
        "rate": rate(down.kbps), "delay": delay(down.delay_ms), "queue": queue, "loss": recording.down.loss,
        "up": { "rate": rate(up.kbps), "delay": delay(up.delay_ms), "loss": recording.up.loss },
    });
    let both = recording.down.steps().into_iter().zip(recording.up.steps());
    let change = |(n, (down, up)): (u64, (Step, Step))| {
        json!({
            "at": format!("{} ms", n * u64::from(STEP_MS)),
            "set": {
                "path.sgi.rate": rate(down.kbps), "path.sgi.delay": delay(down.delay_ms),
                "path.sgi.up.rate": rate(up.kbps), "path.sgi.up.delay": delay(up.delay_ms),
            },
        })
    };
    let changes: Vec<Value> = (0..).zip(both).skip(1).map(change).collect();
    Map::from_iter([
        ("path".to_owned(), json!({ "sgi": sgi })),
        ("change".to_owned(), Value::Array(changes)),
    ])
}

/// A scenario of wires with the application's flow.
fn wired(
    mut keys: Map<String, Value>,
    mut flow: Value,
    recording: &Recording,
) -> Result<Scenario, ExportError> {
    flow["name"] = json!(FLOW);
    flow["ue"] = json!(recording.ue);
    keys.insert("radio".to_owned(), json!("none"));
    keys.insert("seed".to_owned(), json!(recording.seed));
    keys.insert("duration".to_owned(), json!(format!("{} ms", recording.length_ms)));
    keys.insert("ue".to_owned(), json!([{ "name": recording.ue }]));
    keys.insert("flow".to_owned(), json!([flow]));
    let files = |name: &str| match name {
        "down.light" => Ok(cellreplay::trains(&recording.down)),
        "up.light" => Ok(cellreplay::trains(&recording.up)),
        "down.heavy" => Ok(cellreplay::heavy(&recording.down)),
        "up.heavy" => Ok(cellreplay::heavy(&recording.up)),
        "down.trace" => Ok(mahimahi::opportunities(&recording.down, mahimahi::OPPORTUNITY)),
        "up.trace" => Ok(mahimahi::opportunities(&recording.up, mahimahi::OPPORTUNITY)),
        other => Err(format!("there is no {other}")),
    };
    Ok(Scenario::parse_with("replay", &toml(&keys), &[], &files)?)
}
