//! Comparisons as JSON.

use serde_json::{Value, json};

use super::compared::Compared;

/// An object for each percentile of each row.
pub fn rows(all: &[Compared]) -> Value {
    let of = |one: &Compared| -> Vec<Value> {
        let object = |(point, measured_db): (super::rows::Point, f64)| {
            json!({
                "calibration": one.row.calibration,
                "scenario": one.row.scenario,
                "carrier_ghz": one.row.carrier_ghz,
                "metric": one.row.metric.word(),
                "percentile": point.percentile,
                "published_db": point.published_db,
                "low_db": point.range_db.map(|(low, _)| low),
                "high_db": point.range_db.map(|(_, high)| high),
                "measured_db": rounded(measured_db),
                "difference_db": rounded(measured_db - point.published_db),
            })
        };
        one.points().map(object).collect()
    };
    Value::Array(all.iter().flat_map(of).collect())
}

/// To a thousandth of a dB, far below what chance decides.
fn rounded(db: f64) -> f64 {
    (db * 1e3).round() / 1e3
}
