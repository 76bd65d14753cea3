//! Configuration of handover.

mod access;
mod admission;
mod balancing;
mod conditional;
mod event;
mod measurement;
mod other_carriers;
mod procedure;
mod secondary;

use core::fmt;

pub use access::AccessConfig;
pub use admission::AdmissionConfig;
pub use balancing::{BalancingConfig, CellLoad};
pub use conditional::ConditionalConfig;
pub use event::{Event, EventConfig, Offsets};
pub use measurement::{MeasurementConfig, Quantity, deviation_of_bound};
pub use other_carriers::OtherCarriers;
pub use procedure::{Delay, ProcedureConfig};
pub use secondary::SecondaryEvents;

use super::neighbours::NeighbourConfig;

/// Handover of a UE.
#[derive(Clone, Debug, PartialEq)]
pub struct HandoverConfig {
    /// Samples, their error, and their filter.
    pub measurement: MeasurementConfig,
    /// Events that cause measurement reports.
    pub events: Vec<EventConfig>,
    /// Begin and end of measurements of neighbours.
    pub neighbours: NeighbourConfig,
    /// Offsets of cells that each serving cell configures, by its number; a cell without an entry configures none.
    pub offsets: Vec<Offsets>,
    /// Times of preparation and execution.
    pub procedure: ProcedureConfig,
    /// Random access to the target cell.
    pub access: AccessConfig,
    /// Conditional handover; none with handover by command. With it, the events are those by which candidates are
    /// prepared.
    pub conditional: Option<ConditionalConfig>,
    /// True if a UE keeps its source cell until the target serves it, DAPS (TS 38.300, 9.2.3.2). It excludes
    /// conditional handover.
    pub daps: bool,
    /// Admission of UEs to cells; none with room for each UE.
    pub admission: Option<AdmissionConfig>,
    /// Mobility load balancing; none with fixed offsets.
    pub balancing: Option<BalancingConfig>,
    /// Measurements of other carriers, and handovers there. They count where cells have a
    /// [`Frequency`](crate::Frequency).
    pub other_carriers: OtherCarriers,
    /// Events of secondary cells.
    pub secondary: SecondaryEvents,
}

impl HandoverConfig {
    /// Handover of LTE by event A3, with a hysteresis of 3 dB and 256 ms.
    pub fn lte() -> HandoverConfig {
        HandoverConfig {
            measurement: MeasurementConfig::DEFAULT,
            events: vec![EventConfig::A3],
            neighbours: NeighbourConfig::default(),
            offsets: Vec::new(),
            procedure: ProcedureConfig::LTE,
            access: AccessConfig::LTE,
            conditional: None,
            daps: false,
            admission: None,
            balancing: None,
            other_carriers: OtherCarriers::usual(),
            secondary: SecondaryEvents::LTE,
        }
    }

    /// Handover of NR by event A3, with a hysteresis of 3 dB and 256 ms.
    pub fn nr() -> HandoverConfig {
        HandoverConfig {
            procedure: ProcedureConfig::NR,
            access: AccessConfig::NR,
            secondary: SecondaryEvents::NR,
            ..HandoverConfig::lte()
        }
    }

    /// Checks all ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        self.measurement.check()?;
        self.events.iter().try_for_each(EventConfig::check)?;
        self.neighbours.check()?;
        self.offsets.iter().try_for_each(Offsets::check)?;
        self.procedure.check()?;
        self.access.check()?;
        self.other_carriers.check()?;
        self.secondary.check()?;
        let alone = !self.daps || self.conditional.is_none();
        require(alone, "DAPS", "without conditional handover")?;
        self.conditional.iter().try_for_each(ConditionalConfig::check)?;
        self.admission.iter().try_for_each(AdmissionConfig::check)?;
        self.balancing.iter().try_for_each(BalancingConfig::check)
    }
}

/// A value out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeError {
    /// Name of the value.
    pub name: &'static str,
    /// Its range, with the unit.
    pub range: &'static str,
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}", self.name, self.range)
    }
}

impl core::error::Error for RangeError {}

/// An error of a value, if it is out of its range.
pub(super) fn require(
    holds: bool,
    name: &'static str,
    range: &'static str,
) -> Result<(), RangeError> {
    if holds { Ok(()) } else { Err(RangeError { name, range }) }
}

#[cfg(test)]
mod tests {
    use airpath_base::Duration;

    use super::*;

    #[test]
    fn ranges() {
        let good = HandoverConfig::lte();
        assert_eq!((good.check(), HandoverConfig::nr().check()), (Ok(()), Ok(())));
        let mut bad = good.clone();
        bad.events[0].hysteresis = 15.5;
        let error = bad.check().unwrap_err();
        assert_eq!(error.to_string(), "hysteresis must be 0 to 15 dB");
        let mut bad = good.clone();
        bad.measurement.sample_period = Duration::ZERO;
        assert_eq!(bad.check().unwrap_err().name, "sample period");
        let mut bad = good.clone();
        bad.access.preambles = 65;
        assert_eq!(bad.check().unwrap_err().name, "preambles");
        let mut bad = good.clone();
        bad.offsets = vec![Offsets { cell: vec![0.0, -24.5], frequency: Vec::new() }];
        assert_eq!(bad.check().unwrap_err().to_string(), "offset of a cell must be -24 to 24 dB");
        let mut bad = good.clone();
        let wait_time = AdmissionConfig::WAIT_TIME;
        bad.admission = Some(AdmissionConfig { ues: Some(0), guaranteed: None, wait_time });
        assert_eq!(bad.check().unwrap_err().to_string(), "UEs of a cell must be at least 1");
        let mut bad = good;
        bad.procedure.t304 = Duration::ZERO;
        assert_eq!(bad.check().unwrap_err().name, "T304");
    }
}
