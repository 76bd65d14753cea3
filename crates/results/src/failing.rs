//! UEs with a fixed link whose first transmissions fail much more often than the target.
//!
//! In a network an outer loop brings errors to the target. A fixed link has none.

use airpath_net::Direction;
use serde_json::Value;

use crate::{RadioSummary, RunSummary, UeSummary, sentences};

/// Share of first transmissions above which a UE is named.
const SHARE: f64 = 0.25;
/// Fewer transmissions say little: of 100 with a share of 0.1, 25 fail in one run of 100 000.
const TRANSMISSIONS: u64 = 100;

impl RunSummary {
    /// A sentence for each direction in which UEs with fixed links lose more than a quarter of their first
    /// transmissions, and more than `bler_target`. Nothing with `cell.harq.error`, which sets the share.
    pub fn failing_links(&self) -> Vec<String> {
        let cell = &self.scenario["cell"];
        if !self.scenario["network"].is_null() || !cell["harq"]["error"].is_null() {
            return Vec::new();
        }
        let adaptation = &cell["link_adaptation"];
        let most = adaptation["bler_target"].as_f64().unwrap_or(0.0).max(SHARE);
        let sentence = |direction| {
            let failing = self.ues.iter().filter_map(|ue| share(ue, direction, most));
            let failing: Vec<String> = failing.collect();
            (!failing.is_empty()).then(|| sentence(&failing, (direction, most), adaptation))
        };
        Direction::ALL.into_iter().filter_map(sentence).collect()
    }
}

/// Name and share of a UE that loses more than `most` of its first transmissions.
fn share(ue: &UeSummary, direction: Direction, most: f64) -> Option<String> {
    let radio: &RadioSummary = match direction {
        Direction::Downlink => &ue.down,
        Direction::Uplink => &ue.up,
    };
    let failed = radio.bler_first.filter(|failed| *failed > most)?;
    let enough = radio.transmissions >= TRANSMISSIONS;
    enough.then(|| format!("{} ({:.0}%)", ue.name, 100.0 * failed))
}

fn sentence(failing: &[String], (direction, most): (Direction, f64), adaptation: &Value) -> String {
    let verb = if failing.len() == 1 { "loses" } else { "lose" };
    let (counted, way) = (sentences::ues(failing.len()), sentences::way(direction));
    let listed = sentences::list(failing);
    let why = match adaptation["cqi_reference"].as_str() {
        Some("grant") => "the SINR is too low for the least MCS",
        _ => "cell.link_adaptation.cqi_reference = \"grant\" chooses the MCS by each block",
    };
    let percent = 100.0 * most;
    format!(
        "{counted} {verb} more than {percent:.0}% of first transmissions {way}: {listed}; {why}"
    )
}
