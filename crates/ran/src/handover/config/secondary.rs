//! Configuration of events of secondary cells.

use airpath_base::Duration;

use super::{EventConfig, RangeError, require};

/// Events of secondary cells (carrier aggregation), and their change by a reconfiguration without random access. They count
/// where UEs have secondary cells.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondaryEvents {
    /// Event A6, whose report changes the secondary cell of a carrier to another on it (TS 36.331, 5.5.4.6a; TS 38.331,
    /// 5.5.4.7). Guests of other cells have no uplink there.
    pub change: Option<EventConfig>,
    /// Event A2 of the secondary cell, whose report deactivates it (5.5.4.3).
    pub begin: Option<EventConfig>,
    /// Event A1 of the secondary cell, whose report lets data activate it again (5.5.4.2).
    pub end: Option<EventConfig>,
    /// Processing of the reconfiguration by the UE, from its reception to the added secondary cell (TS 36.331, 11.2: at most 20
    /// ms; TS 38.331, 12: at most 16 ms).
    pub rrc_processing: Duration,
    /// Site of each cell: a secondary cell has the site of the primary cell. Empty: any cell may have it.
    pub sites: Vec<u16>,
}

impl SecondaryEvents {
    /// No events, with the processing of LTE.
    pub const LTE: SecondaryEvents = SecondaryEvents {
        change: None,
        begin: None,
        end: None,
        rrc_processing: Duration::from_millis(20),
        sites: Vec::new(),
    };

    /// Likewise with the processing of NR.
    pub const NR: SecondaryEvents = SecondaryEvents {
        change: None,
        begin: None,
        end: None,
        rrc_processing: Duration::from_millis(16),
        sites: Vec::new(),
    };

    /// True if there is an event.
    pub fn any(&self) -> bool {
        self.change.is_some() || self.begin.is_some() || self.end.is_some()
    }

    /// True if cells have the same site, or need not.
    pub fn are_together(&self, one: usize, other: usize) -> bool {
        let site = |cell: usize| self.sites.get(cell);
        self.sites.is_empty() || site(one) == site(other)
    }

    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<(), RangeError> {
        let mut all = self.change.iter().chain(&self.begin).chain(&self.end);
        all.try_for_each(EventConfig::check)?;
        let most = Duration::from_secs(60);
        require(self.rrc_processing <= most, "RRC processing of a secondary cell", "0 to 60 s")
    }
}
