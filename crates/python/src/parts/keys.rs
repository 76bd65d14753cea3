//! The keys of a scenario that a part of the user's own replaces.

use airpath_scenario::{Flow, FlowKind, Scenario};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

pub const SCHEDULER: &str = "cell.scheduler";

pub fn controller(flow: &str) -> String {
    format!("flow.{flow}.tcp.controller")
}

pub fn quic_controller(flow: &str) -> String {
    format!("flow.{flow}.quic.congestion_control")
}

pub fn source(flow: &str) -> String {
    format!("flow.{flow}.rtp")
}

/// Those that the queue of a link may have, the narrowest first: `sgi up` has
/// `path.sgi.up.queue` or `path.sgi.queue`.
pub fn queues(link: &str) -> Vec<String> {
    match link.split_once(' ') {
        Some((name, "up")) => vec![format!("path.{name}.up.queue"), format!("path.{name}.queue")],
        Some((name, _)) => vec![format!("path.{name}.queue")],
        None => Vec::new(),
    }
}

/// All that this scenario has.
fn all(scenario: &Scenario) -> Vec<String> {
    let flow = |flow: &Flow| match flow.kind {
        FlowKind::Tcp if !flow.asks() => Some(controller(&flow.name)),
        FlowKind::Quic => Some(quic_controller(&flow.name)),
        FlowKind::Rtp if flow.rtp.as_ref().is_some_and(|rtp| rtp.video.is_none()) => {
            Some(source(&flow.name))
        }
        _ => None,
    };
    let mut keys: Vec<String> = scenario.flow.iter().filter_map(flow).collect();
    let path = &scenario.path;
    let links = [("sgi", true), ("s5", path.s5.is_some()), ("s1", path.s1.is_some())];
    for (name, _) in links.iter().filter(|(_, there)| *there) {
        keys.extend([format!("path.{name}.queue"), format!("path.{name}.up.queue")]);
    }
    if scenario.cell.is_some() {
        keys.push(SCHEDULER.to_owned());
    }
    keys
}

/// Checks that each key is one of the scenario's; the error is the message.
pub fn check(scenario: &Scenario, keys: &[(String, Py<PyAny>)]) -> Result<(), String> {
    let known = all(scenario);
    match keys.iter().find(|(key, _)| !known.contains(key)) {
        None => Ok(()),
        Some((key, _)) => Err(format!(
            "parts has {key:?}: no part of this scenario that can be written in Python; there are {}",
            known.join(", ")
        )),
    }
}

/// Base class of parts under this key.
fn base(key: &str) -> &'static str {
    match key {
        SCHEDULER => "Scheduler",
        key if key.starts_with("path.") => "Queue",
        key if key.ends_with(".rtp") => "Source",
        _ => "Controller",
    }
}

/// The name of the class of a part, if it is of the right kind.
pub fn class(part: &Bound<'_, PyAny>, key: &str) -> PyResult<String> {
    let base = base(key);
    let name = part.get_type().name()?.to_string();
    let wanted = part.py().import("airpath._parts")?.getattr(base)?;
    match part.is_instance(&wanted)? {
        true => Ok(name),
        false => Err(PyTypeError::new_err(format!("an airpath.{base} is wanted, not {name}"))),
    }
}
