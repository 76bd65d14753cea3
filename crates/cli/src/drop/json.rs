//! A drop as JSON.

use airpath_channel::{Sight, Surroundings};
use airpath_scenario::world::{DroppedUe, NetworkDrop, UeFacts};
use airpath_scenario::{Cell, Scenario};
use serde_json::{Value, json};

use super::reach;
use crate::table::rounded;

/// JSON object of a drop: of a network with its cells and the positions of its UEs.
/// `first_256qam` is the least MCS downlink with 256QAM, of LTE with it.
pub fn of(scenario: &Scenario, dropped: Option<&NetworkDrop>, ues: &[UeFacts], seed: u64) -> Value {
    let mut all = match dropped {
        Some(dropped) => network(dropped, seed),
        None => json!({"seed": seed, "ues": vec![json!({}); ues.len()]}),
    };
    if let Some(places) = all["ues"].as_array_mut() {
        for (place, ue) in places.iter_mut().zip(ues) {
            if let (Some(place), Value::Object(own)) =
                (place.as_object_mut(), reach::json(scenario, ue))
            {
                own.into_iter().for_each(|(key, value)| drop(place.insert(key, value)));
            }
        }
    }
    let carriers = reach::with_cells(scenario);
    if !carriers.is_empty() {
        all["cells_on_carriers"] = json!(carriers);
    }
    if let Some(first) = scenario.cell.as_ref().and_then(Cell::first_256qam) {
        all["first_256qam"] = json!(first);
    }
    all["warnings"] = json!(reach::warnings(ues));
    all
}

fn network(dropped: &NetworkDrop, seed: u64) -> Value {
    let config = dropped.network.config();
    let cell = |(number, cell): (usize, &airpath_channel::Cell)| {
        let at = config.layout.sites()[cell.site].at;
        json!({
            "cell": number,
            "site": cell.site,
            "x_m": rounded(at.x),
            "y_m": rounded(at.y),
            "azimuth_deg": rounded(cell.azimuth_deg),
        })
    };
    json!({
        "seed": seed,
        "environment": config.environment.name(),
        "carrier_ghz": config.carrier_hz / 1e9,
        "wrap_around": config.layout.wraps(),
        "transmit_power_dbm": rounded(dropped.transmit_power.0),
        "noise_dbm": rounded(dropped.noise.0),
        "cells": dropped.network.cells().iter().enumerate().map(cell).collect::<Vec<_>>(),
        "ues": dropped.ues.iter().map(ue).collect::<Vec<_>>(),
    })
}

fn ue(one: &DroppedUe) -> Value {
    json!({
        "name": one.name,
        "x_m": rounded(one.ue.at.x),
        "y_m": rounded(one.ue.at.y),
        "height_m": rounded(one.ue.height_m),
        "inside": word(one.ue.surroundings),
        "cell": one.serving,
        "distance_m": rounded(one.link.span.ground_m),
        "line_of_sight": one.link.condition.sight == Sight::Los,
        "coupling_gain_db": rounded(one.gain.0),
        "rsrp_dbm": rounded(one.rsrp.0),
        "geometry_db": rounded(one.geometry.0),
    })
}

/// The word of the scenario file.
pub fn word(surroundings: Surroundings) -> &'static str {
    match surroundings {
        Surroundings::Outdoors => "outdoors",
        Surroundings::Car => "car",
        Surroundings::Building => "building",
    }
}
