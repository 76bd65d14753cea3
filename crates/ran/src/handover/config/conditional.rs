//! Configuration of conditional handover.

use airpath_base::Duration;

use super::{Event, EventConfig, RangeError, require};

/// Conditional handover: TS 38.300, 9.2.3.4; TS 38.331, 5.3.5.13; TS 36.300, 10.1.2.1a; TS 36.331,
/// 5.3.5.9.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConditionalConfig {
    /// Execution condition that the UE evaluates: event A3, A4 or A5 (CondEvent, TS 38.331, 5.5.4).
    pub condition: EventConfig,
    /// Candidates that are prepared at one time at most, 1 to 8 (`maxNrofCondCells`).
    pub max_candidates: u8,
    /// From the fulfilled condition until the UE leaves the source cell (TS 38.133, 6.1.4.2: at most
    /// 10 ms).
    pub execution: Duration,
    /// True if a UE executes once in a candidate that it selects after a failure
    /// (`attemptCondReconfig`, TS 38.331, 5.3.7.3).
    pub recovery: bool,
    /// Search of the candidate after a failure. For a known cell: 100 ms (TS 36.133, 6.1.2.1).
    pub search: Duration,
    /// True if downlink packets are forwarded to each candidate from its preparation on (TS 38.300,
    /// 9.2.3.2.3). Otherwise they are forwarded when the target has reported its success.
    pub early_forwarding: bool,
}

impl ConditionalConfig {
    /// Four candidates with late forwarding and recovery, for this execution condition.
    pub const fn of(condition: EventConfig) -> ConditionalConfig {
        ConditionalConfig {
            condition,
            max_candidates: 4,
            execution: Duration::from_millis(10),
            recovery: true,
            search: Duration::from_millis(100),
            early_forwarding: false,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        self.condition.check()?;
        let event = self.condition.event;
        let good = matches!(event, Event::A3 { .. } | Event::A4 { .. } | Event::A5 { .. });
        require(good, "execution condition", "event A3, A4 or A5")?;
        require((1..=8).contains(&self.max_candidates), "candidates", "1 to 8")?;
        let most = Duration::from_secs(10);
        require(self.execution <= most, "execution", "0 to 10 s")?;
        require(self.search <= most, "search of a candidate", "0 to 10 s")
    }
}
