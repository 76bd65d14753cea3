//! Delays in JSON. No delays are an object of nulls, so that `delay_ms.mean` is always there.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::DelaySummary;

#[derive(Default, Serialize, Deserialize)]
struct Nulls {
    mean: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    stddev: Option<f64>,
    stddev_sample: Option<f64>,
    p50: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

impl Nulls {
    fn filled(self) -> Option<DelaySummary> {
        Some(DelaySummary {
            mean: self.mean?,
            min: self.min?,
            max: self.max?,
            stddev: self.stddev?,
            stddev_sample: self.stddev_sample,
            p50: self.p50?,
            p95: self.p95?,
            p99: self.p99?,
        })
    }
}

pub(super) fn serialize<S: Serializer>(
    delays: &Option<DelaySummary>,
    s: S,
) -> Result<S::Ok, S::Error> {
    match delays {
        Some(delays) => delays.serialize(s),
        None => Nulls::default().serialize(s),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<DelaySummary>, D::Error> {
    Nulls::deserialize(d).map(Nulls::filled)
}
