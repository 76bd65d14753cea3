//! Comparisons as JSON.

use serde_json::{Value, json};

use super::compared::{Compared, Figure};
use crate::table::rounded;

/// An object for each percentile of each row.
pub fn rows(all: &[Compared]) -> Value {
    let of = |one: &Compared| -> Vec<Value> {
        let object = |figure: &Figure| {
            let point = figure.point;
            json!({
                "calibration": one.row.calibration,
                "scenario": one.row.scenario,
                "carrier_ghz": one.row.carrier_ghz,
                "metric": one.row.metric.word(),
                "percentile": point.percentile,
                "published_db": point.published_db,
                "low_db": point.range_db.map(|(low, _)| low),
                "high_db": point.range_db.map(|(_, high)| high),
                "measured_db": rounded(figure.measured_db),
                "difference_db": rounded(figure.difference_db()),
            })
        };
        one.figures.iter().map(object).collect()
    };
    Value::Array(all.iter().flat_map(of).collect())
}
