//! Configuration of mobility load balancing.

use airpath_base::Duration;

use super::{RangeError, require};

/// Load of a cell that cells exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellLoad {
    /// Share of the resource blocks used downlink in a period (PRB usage: TS 36.314, 4.1.1), 0 to 1.
    ResourceBlocks,
    /// Number of connected UEs.
    Ues,
}

/// Mobility load balancing (TS 36.300, 22.4.1; TS 38.300, 15.5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BalancingConfig {
    /// Exchanged load.
    pub load: CellLoad,
    /// Difference of two loads above which the offset of the pair moves; at least 0.
    pub threshold: f64,
    /// Difference, in the direction of the offset, below which it moves back; -`threshold` to `threshold`. Between both it
    /// stays.
    pub back: f64,
    /// Time between exchanges of the load, above zero to 1 h (resource status updates: TS 36.423, 8.3.7).
    pub period: Duration,
    /// Move of an offset in an exchange, dB, above 0 to `limit`.
    pub step: f64,
    /// Largest move of an offset, dB, above 0 to 24.
    pub limit: f64,
}

impl BalancingConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        require(self.threshold >= 0.0, "threshold of load balancing", "0 or more")?;
        let good = (-self.threshold..=self.threshold).contains(&self.back);
        require(good, "difference for the way back", "within the threshold of load balancing")?;
        let good = !self.period.is_zero() && self.period <= Duration::from_secs(3_600);
        require(good, "period of load balancing", "above 0, to 1 h")?;
        let good = self.limit > 0.0 && self.limit <= 24.0;
        require(good, "limit of load balancing", "above 0, to 24 dB")?;
        let good = self.step > 0.0 && self.step <= self.limit;
        require(good, "step of load balancing", "above 0 dB, to the limit")
    }
}
