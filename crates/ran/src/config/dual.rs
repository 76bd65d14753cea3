//! Dual connectivity with an anchor of LTE and a leg of NR.

use airpath_base::{BearerId, Duration};
use airpath_schema::choice;

use crate::handover::{
    AccessConfig, EventConfig, MeasurementConfig, Offsets, ProcedureConfig, RangeError,
};
use crate::{RadioLinkConfig, rlc};

/// Dual connectivity of LTE with NR, EN-DC (TS 37.340, 4.1.2). The cell that serves a UE is its anchor, of the master
/// node. A cell on the carrier of legs may serve it beside, as the PSCell of a secondary node.
#[derive(Clone, Debug, PartialEq)]
pub struct DualConnectivity {
    /// Number of the carrier whose cells are legs: the last one. They serve no UE without an anchor.
    pub carrier: u16,
    /// Measurements of that carrier, by a receiver of its own: without gaps.
    pub measurement: MeasurementConfig,
    /// Event B1 (TS 36.331, 5.5.4.7), by which a leg is added. It is A4 without a serving cell on the carrier.
    pub addition: EventConfig,
    /// Event A3 (TS 38.331, 5.5.4.4), by which another cell becomes the leg; none without changes.
    pub change: Option<EventConfig>,
    /// Event A2 (TS 38.331, 5.5.4.3), by which the leg is released; none without.
    pub release: Option<EventConfig>,
    /// Times of addition and change. The preparation is that of the secondary node, T304 that of NR.
    pub procedure: ProcedureConfig,
    /// Random access to the cell of the leg; none without a random access.
    pub access: Option<AccessConfig>,
    /// Timers and counters of the leg's link, T310 among them.
    pub radio_link: RadioLinkConfig,
    /// Delay of packets and status reports between the nodes in one direction (X2-U).
    pub transport: Duration,
    /// Time between downlink data delivery statuses of a leg (TS 38.425, 5.4.2), above zero.
    pub status_period: Duration,
    /// Split bearers. All other bearers are those of the anchor alone.
    pub bearers: Vec<SplitBearer>,
}

/// A split bearer whose PDCP is in the master node (MN-terminated, TS 37.340, 4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitBearer {
    /// The bearer; in acknowledged mode, or in unacknowledged mode with duplication.
    pub bearer: BearerId,
    /// Its RLC in the leg: that of NR, in the bearer's mode.
    pub rlc: rlc::Config,
    /// Path of uplink data below the threshold.
    pub primary: PrimaryPath,
    /// Bytes in PDCP and both RLC entities from which on uplink data take both paths (`ul-DataSplitThreshold`, TS
    /// 38.331, 6.3.2); none for infinity.
    pub threshold: Option<u64>,
    /// True where each packet takes both paths, downlink and uplink (TS 38.323, 5.11). The threshold does not count there.
    pub duplicates: [bool; 2],
}

choice! {
    /// Path of uplink data below the threshold (`primaryPath`, TS 38.331, 6.3.2).
    pub enum PrimaryPath {
        /// By the anchor.
        Anchor = "anchor",
        /// By the leg, while there is one.
        Leg = "leg",
    }
}

impl DualConnectivity {
    /// Processing of a message that adds, changes or releases a leg, at most (TS 36.331, 11.2).
    pub const RRC_PROCESSING: Duration = Duration::from_millis(20);

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        self.measurement.check()?;
        let events = [Some(&self.addition), self.change.as_ref(), self.release.as_ref()];
        events.into_iter().flatten().try_for_each(EventConfig::check)?;
        self.procedure.check()?;
        self.access.iter().try_for_each(AccessConfig::check)?;
        let within =
            |value: Duration, least: Duration| (least..=Duration::from_secs(1)).contains(&value);
        let error = |name, range| RangeError { name, range };
        if !within(self.transport, Duration::ZERO) {
            return Err(error("delay between the nodes", "0 to 1 s"));
        }
        match within(self.status_period, Duration::from_millis(1)) {
            true => Ok(()),
            false => Err(error("period of delivery statuses", "1 ms to 1 s")),
        }
    }

    /// Offsets of cells: none.
    pub(crate) fn offsets() -> &'static Offsets {
        Offsets::of(&[], 0)
    }
}
