//! Sources of packets that are written in Python.

use airpath_base::{Duration, Time};
use airpath_media::Pattern;
use pyo3::prelude::*;

use super::{Part, nonsense, shown};

/// An RTP header, which each packet has.
const LEAST: u32 = 12;
/// The largest payload of UDP.
const MOST: u32 = 65_487;

/// A source in Python.
pub struct Own(pub Part);

impl Pattern for Own {
    fn next(&mut self, now: Time) -> Option<(Duration, u32)> {
        let read = |_: &Bound<'_, PyAny>, gave: &Bound<'_, PyAny>| packet(gave);
        self.0.call(now, "next", (now.as_secs_f64(),), read).flatten()
    }
}

fn packet(gave: &Bound<'_, PyAny>) -> PyResult<Option<(Duration, u32)>> {
    if gave.is_none() {
        return Ok(None);
    }
    let wrong = || {
        nonsense(format!(
            "it gave {}: the seconds until the next packet, 1 ns to an hour, and its bytes, {LEAST} to \
             {MOST}; or None",
            shown(gave)
        ))
    };
    let (wait, bytes): (f64, u32) = gave.extract().map_err(|_| wrong())?;
    let sensible = (1e-9..=3600.0).contains(&wait) && (LEAST..=MOST).contains(&bytes);
    match sensible {
        true => Ok(Some((Duration::from_secs_f64(wait), bytes))),
        false => Err(wrong()),
    }
}
