//! Delay status reports (TS 38.321, 5.4.9 and 6.1.3.72): the time that a UE's data have left.
//!
//! A report has the shortest remaining time of each group of logical channels with delay-critical data. Data are
//! delay-critical if less is left than the threshold of their bearer. With discard of sets the time is that of the set,
//! else that of the packet (TS 38.323, 3.1). The cell takes the report's shortest time as that of the UE.
//!
//! A block has a report if it has room behind the buffer status report and something is delay-critical as it is filled.
//! Left out: the bytes of delay-critical data, a scheduling request for a report, and the report's bytes in captures, where
//! they are padding.

use airpath_base::{Duration, Time};

use crate::bearer::Bearer;

/// Bytes of a report without its groups: a subheader of an extended logical channel identifier with a length (TS 38.321,
/// 6.1.2), and a bit for each group.
const HEAD: u32 = 3 + 1;
/// Bytes of a group: remaining time, and buffer size.
const GROUP: u32 = 2;

/// A report as the UE makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DelayStatus {
    groups: u32,
    /// Time at which the first of the data is late.
    late: Time,
}

impl DelayStatus {
    /// Report of a UE with these bearers; none if nothing is delay-critical.
    pub fn of(bearers: &[Bearer], now: Time) -> Option<DelayStatus> {
        let (mut groups, mut first) = (0u32, None::<Time>);
        for bearer in bearers {
            if let Some(late) = bearer.delay_critical(now) {
                groups |= 1 << (bearer.config.channel.group & 31);
                first = Some(first.map_or(late, |first| first.min(late)));
            }
        }
        first.map(|late| DelayStatus { groups: groups.count_ones(), late })
    }

    /// Bytes of the report with its subheader.
    pub fn bytes(self) -> u32 {
        HEAD + GROUP * self.groups
    }

    /// Time at which the first of the data is late, as the cell reads a report that was made `now`. The remaining time in
    /// it has whole milliseconds.
    pub fn read(self, now: Time) -> Time {
        now + Duration::from_millis(self.late.saturating_since(now).as_millis())
    }
}

#[cfg(test)]
#[path = "delay_status_tests.rs"]
mod tests;
