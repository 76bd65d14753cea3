//! Buffer status reports (TS 36.321, 5.4.5 and 6.1.3.1): what a UE tells the cell of the
//! data in its buffers.
//!
//! Logical channels are counted by group. A report names a level of a table for one group
//! or for each, and the cell takes the upper end of the level. The format follows from how
//! many groups have data when the block is made:
//!
//! - one group, or none: short, that group's level; the others have nothing;
//! - several: long, all levels;
//! - several, and no room for a long one: truncated, the level of the group with the channel
//!   of highest priority; of the others it says no more than that there are some.
//!
//! Each transport block uplink carries a report, as if periodicBSR-Timer were a TTI. Left out:
//! the triggers otherwise, extended levels, and that a report is left out where the rest of
//! the block carries all data.

use airpath_net::layers::{BufferReport, ReportFormat};
use airpath_wire::radio::bsr::LTE_LEVELS;

/// Groups of logical channels (TS 36.321, 5.4.5: LCG ID, 2 bits).
pub(crate) const GROUPS: usize = 4;

/// Bytes in the buffers of each group.
pub(crate) type BytesByGroup = [u32; GROUPS];

/// Bytes of a short or truncated report with its subheader (TS 36.321, 6.1.2 and 6.1.3.1).
const SHORT: u32 = 2;
/// Bytes of a long report with its subheader.
const LONG: u32 = 4;

/// What the cell takes a buffer of so many bytes for: the upper end of its level. What is
/// beyond the last level is not seen.
fn level(bytes: u32) -> u32 {
    let index = LTE_LEVELS.partition_point(|&end| end < bytes);
    LTE_LEVELS[index.min(LTE_LEVELS.len() - 1)]
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One group; the others have nothing.
    Short,
    /// One group of several.
    Truncated,
    /// All groups.
    Long,
}

/// A report, as the cell reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferStatusReport {
    format: Format,
    /// The group of a short or truncated report.
    group: usize,
    /// Bytes in the buffers.
    left: BytesByGroup,
}

impl Format {
    /// The format for a block with `room` bytes of a UE that has data in so many groups;
    /// none if no report fits.
    pub fn of(groups_with_data: usize, room: u32) -> Option<Format> {
        match groups_with_data {
            _ if room < SHORT => None,
            0 | 1 => Some(Format::Short),
            _ if room < LONG => Some(Format::Truncated),
            _ => Some(Format::Long),
        }
    }

    /// Bytes of the report with its subheader.
    pub const fn bytes(self) -> u32 {
        match self {
            Format::Short | Format::Truncated => SHORT,
            Format::Long => LONG,
        }
    }
}

impl BufferStatusReport {
    /// The report of what is left when the block has been filled; `first` is the group of
    /// the channel of highest priority with data.
    pub fn new(format: Format, left: BytesByGroup, first: usize) -> BufferStatusReport {
        BufferStatusReport { format, group: first, left }
    }

    /// What it says of each group, as the cell reads it.
    pub fn said(&self) -> [Option<u32>; GROUPS] {
        let read = self.left.map(level);
        std::array::from_fn(|n| match self.format {
            Format::Long => Some(read[n]),
            Format::Truncated => (n == self.group).then_some(read[n]),
            Format::Short => Some(if n == self.group { read[n] } else { 0 }),
        })
    }

    /// What the cell takes the buffers for, after it took them for `before`.
    pub fn read(&self, mut before: BytesByGroup) -> BytesByGroup {
        let group = self.group;
        match self.format {
            Format::Long => self.left.map(level),
            Format::Truncated => {
                before[group] = level(self.left[group]);
                before
            }
            Format::Short => {
                let mut only = [0; GROUPS];
                only[group] = level(self.left[group]);
                only
            }
        }
    }

    /// The same as the UE knows it, to be told.
    pub fn told(&self) -> BufferReport {
        let format = match self.format {
            Format::Short => ReportFormat::Short,
            Format::Truncated => ReportFormat::Truncated,
            Format::Long => ReportFormat::Long,
        };
        BufferReport { format, group: self.group as u8, bytes: self.left }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn levels_of_the_standard() {
        // TS 36.321, table 6.1.3.1-1: indices 0, 1, 2, 16, 45, 61, 62 and 63.
        let bytes = [0, 1, 10, 11, 92, 10_288, 109_440, 150_000, 150_001, u32::MAX];
        let read = [0, 10, 10, 12, 107, 12_043, 128_125, 150_000, 150_000, 150_000];
        assert_eq!(bytes.map(level), read);
        // From 10 to 150 000 in 61 equal factors, rounded up.
        for (n, level) in LTE_LEVELS[1..].iter().enumerate() {
            let exact = 10.0 * airpath_base::math::pow(15_000.0, n as f64 / 61.0);
            assert!((f64::from(*level) - exact - 0.5).abs() < 1.0, "{level}: {exact}");
        }
    }

    #[test]
    fn formats_by_groups_and_room() {
        use Format::{Long, Short, Truncated};
        let formats = [(0, 2), (1, 9), (2, 9), (4, 4), (2, 3), (1, 1)];
        let expected = [Some(Short), Some(Short), Some(Long), Some(Long), Some(Truncated), None];
        assert_eq!(formats.map(|(groups, room)| Format::of(groups, room)), expected);
    }

    #[test]
    fn what_each_format_tells() {
        let (before, left) = ([5, 6, 7, 8], [0, 100, 0, 20]);
        let read = |format| BufferStatusReport::new(format, left, 1).read(before);
        assert_eq!(read(Format::Long), [0, 107, 0, 22]);
        assert_eq!(read(Format::Short), [0, 107, 0, 0]);
        assert_eq!(read(Format::Truncated), [5, 107, 7, 8]);
        let said = |format| BufferStatusReport::new(format, left, 1).said();
        assert_eq!(said(Format::Long), [Some(0), Some(107), Some(0), Some(22)]);
        assert_eq!(said(Format::Short), [Some(0), Some(107), Some(0), Some(0)]);
        assert_eq!(said(Format::Truncated), [None, Some(107), None, None]);
    }

    proptest! {
        #[test]
        fn a_level_is_no_less_than_the_buffer_and_within_a_fifth(bytes in 10u32..=150_000) {
            prop_assert!(level(bytes) >= bytes);
            prop_assert!(level(bytes) - bytes <= bytes / 5 + 1);
        }
    }
}
