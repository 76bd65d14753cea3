//! Configuration of measurements of other carriers than that of the serving cell.

use airpath_base::Duration;

use super::super::neighbours::NeighbourConfig;
use super::{EventConfig, MeasurementConfig, RangeError, require};
use crate::handover::GapPattern;

/// Measurements of other carriers, and handovers there.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherCarriers {
    /// Rhythm of the gaps. A UE that needs none measures at their ends, too.
    pub pattern: GapPattern,
    /// True if a UE needs gaps. If not, it has a receiver for other carriers (`interFreqNeedForGaps`, TS 36.331, 6.3.6;
    /// `NeedForGapsInfoNR`, TS 38.331, 6.3.2).
    pub needs_gaps: bool,
    /// Time of a measurement of another carrier that is the only one, 0 to 60 s.
    pub measurement: Duration,
    /// Event that causes reports of a carrier's cells while a cell on another carrier serves, by number of the carrier.
    /// Carriers behind the last have the events of the configuration.
    pub events: Vec<EventConfig>,
    /// Begin and end of measurements of other carriers, beside those of neighbours. It has no s-Measure.
    pub begin: NeighbourConfig,
    /// Offset of each carrier in dB, for selection and reselection (Qoffset, TS 36.304 and TS 38.304, 5.2.4.6).
    pub offsets: Vec<f64>,
    /// From the processed command to the begin of the random access on another carrier.
    pub synchronisation: Duration,
}

impl OtherCarriers {
    /// Gaps of 6 ms each 40 ms, and measurements of 480 ms.
    pub fn usual() -> OtherCarriers {
        OtherCarriers {
            pattern: GapPattern::USUAL,
            needs_gaps: true,
            measurement: MeasurementConfig::OTHER_LTE,
            events: Vec::new(),
            begin: NeighbourConfig::default(),
            offsets: Vec::new(),
            synchronisation: Duration::from_millis(20),
        }
    }

    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<(), RangeError> {
        self.pattern.check()?;
        let most = Duration::from_secs(60);
        require(self.measurement <= most, "measurement of another carrier", "0 to 60 s")?;
        require(self.synchronisation <= most, "synchronisation to another carrier", "0 to 60 s")?;
        let good = self.offsets.iter().all(|offset| (-24.0..=24.0).contains(offset));
        require(good, "offset of a carrier", "-24 to 24 dB")?;
        self.events.iter().try_for_each(EventConfig::check)?;
        self.begin.check()
    }
}
