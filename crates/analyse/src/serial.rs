//! Forms of values in JSON: texts of ends, times in seconds.

use std::sync::Arc;

use airpath_base::Time;
use airpath_wire::Endpoint;
use serde::{Serialize, Serializer};

pub(crate) fn display<S: Serializer>(value: &Endpoint, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

pub(crate) fn text<S: Serializer>(value: &Option<Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
    value.as_deref().serialize(to)
}

pub(crate) fn perhaps_seconds<S: Serializer>(
    value: &Option<Time>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.map(Time::as_secs_f64).serialize(to)
}

pub(crate) fn seconds<S: Serializer>(value: &Time, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(value.as_secs_f64())
}
