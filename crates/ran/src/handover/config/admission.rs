//! Configuration of the admission of UEs to cells.

use airpath_base::Duration;

use super::{RangeError, require};

/// Radio admission control of each cell (TS 36.300, 16.1.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmissionConfig {
    /// Connected UEs of a cell at most, at least 1; `None` has no limit.
    pub ues: Option<u32>,
    /// Share of the resource blocks downlink that guaranteed bit rates of connected UEs may need at most, above 0 to 1;
    /// `None` has no limit.
    pub guaranteed: Option<f64>,
    /// T302: time after a rejected set-up of a connection until the next one, 1 to 16 s (`waitTime`: TS 36.331, 6.2.2;
    /// TS 38.331, 6.3.2).
    pub wait_time: Duration,
}

impl AdmissionConfig {
    /// The shortest `waitTime` of the standards, 1 s.
    pub const WAIT_TIME: Duration = Duration::from_secs(1);

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        require(self.ues != Some(0), "UEs of a cell", "at least 1")?;
        let share = self.guaranteed.unwrap_or(1.0);
        require(share > 0.0 && share <= 1.0, "share of guaranteed rates", "above 0 to 1")?;
        let (least, most) = (Duration::from_secs(1), Duration::from_secs(16));
        require((least..=most).contains(&self.wait_time), "T302", "1 to 16 s")
    }
}
