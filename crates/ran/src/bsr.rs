//! Buffer status reports (TS 36.321 and TS 38.321, 5.4.5 and 6.1.3.1): what a UE tells the cell
//! of the data in its buffers.
//!
//! Logical channels are counted by group, of which LTE has four and NR eight. A report names a
//! level of a table for one group or for each. The cell takes the upper end of the level. The last
//! level has no upper end. The cell then takes the group to have at least its lower end, and grants
//! until a report names a lower level. The number of groups with data when the block is made
//! decides the format:
//!
//! - one group, or none: short, that group's level; the others have nothing;
//! - several: long, the levels of all that have data;
//! - several, and no room for a long one: truncated, the level of the group with the channel
//!   of highest priority; of the others it says no more than that there are some.
//!
//! LTE has one table (TS 36.321, table 6.1.3.1-1). NR has one of 5 bits for short and truncated
//! reports, and one of 8 bits for long ones (TS 38.321, tables 6.1.3.1-1 and 6.1.3.1-2).
//!
//! Each transport block uplink carries a report, as if periodicBSR-Timer were a TTI. Left out:
//! other triggers, LTE's extended levels, and NR's long truncated and extended formats. A report is
//! present, too, if the rest of the block carries all data.

use airpath_net::layers::{BufferReport, ReportFormat};
use airpath_wire::radio::bsr::{LTE_GROUPS, LTE_LEVELS, NR_SHORT_LEVELS, nr_long_levels};

pub(crate) use airpath_wire::radio::bsr::GROUPS;

/// Bytes in the buffers of each group.
pub(crate) type BytesByGroup = [u32; GROUPS];

/// Bytes of a short or truncated report with its subheader (TS 36.321 and TS 38.321, 6.1.2 and
/// 6.1.3.1).
const SHORT: u32 = 2;
/// Bytes of LTE's long report with its subheader.
const LTE_LONG: u32 = 4;
/// Bytes of NR's long report without its buffer sizes: a subheader with a length, and a bit for
/// each group. Each group with data adds a byte.
const NR_LONG_HEAD: u32 = 3;

/// Standard of the MAC that reports the buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standard {
    /// LTE: TS 36.321.
    #[default]
    Lte,
    /// NR: TS 38.321.
    Nr,
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

/// The report that a block has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserved {
    standard: Standard,
    format: Format,
    /// Bytes of the report with its subheader.
    pub bytes: u32,
}

/// A report, as the cell reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferStatusReport {
    standard: Standard,
    format: Format,
    /// The group of a short or truncated report.
    group: usize,
    /// Bytes in the buffers.
    left: BytesByGroup,
    /// Number among those of a UE with several carriers uplink, in the order of their making; 0 of
    /// one with a single carrier.
    pub number: u32,
}

/// Buffers of a UE as the cell estimates them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reported {
    /// Bytes of each group; of a group that is open, the least.
    bytes: BytesByGroup,
    /// A bit for each group whose last report named the level without an upper end.
    open: u8,
}

impl Standard {
    /// Of a UE whose bearers have RLC of NR, or of LTE.
    pub fn of(is_nr: bool) -> Standard {
        if is_nr { Standard::Nr } else { Standard::Lte }
    }

    /// Index of a group of logical channels; one above the last counts as the last.
    pub fn group(self, group: u8) -> usize {
        let groups = match self {
            Standard::Lte => LTE_GROUPS,
            Standard::Nr => GROUPS,
        };
        usize::from(group).min(groups - 1)
    }

    /// The report of a block with `room` bytes, of a UE that has data in so many groups; none
    /// if no report fits.
    pub fn reserve(self, groups_with_data: usize, room: u32) -> Option<Reserved> {
        let long = match self {
            Standard::Lte => LTE_LONG,
            Standard::Nr => NR_LONG_HEAD + groups_with_data as u32,
        };
        let (format, bytes) = match groups_with_data {
            _ if room < SHORT => return None,
            0 | 1 => (Format::Short, SHORT),
            _ if room < long => (Format::Truncated, SHORT),
            _ => (Format::Long, long),
        };
        Some(Reserved { standard: self, format, bytes })
    }

    /// Upper ends of the levels of a format, without the last level, which has none.
    fn levels(self, format: Format) -> &'static [u32] {
        match (self, format) {
            (Standard::Lte, _) => &LTE_LEVELS,
            (Standard::Nr, Format::Long) => nr_long_levels(),
            (Standard::Nr, Format::Short | Format::Truncated) => &NR_SHORT_LEVELS,
        }
    }

    /// Estimate of a buffer of so many bytes: the upper end of its level, or the lower end of the
    /// last. True for the last, as the buffer may have more.
    fn level(self, format: Format, bytes: u32) -> (u32, bool) {
        let levels = self.levels(format);
        let index = levels.partition_point(|&end| end < bytes);
        (levels[index.min(levels.len() - 1)], index == levels.len())
    }
}

impl BufferStatusReport {
    /// The report of what is left when the block has been filled; `first` is the group of
    /// the channel of highest priority with data.
    pub fn new(reserved: Reserved, left: BytesByGroup, first: usize) -> BufferStatusReport {
        let Reserved { standard, format, .. } = reserved;
        BufferStatusReport { standard, format, group: first, left, number: 0 }
    }

    /// This report with a number.
    pub fn numbered(self, number: u32) -> BufferStatusReport {
        BufferStatusReport { number, ..self }
    }

    /// The level of each group as the cell reads it, where the report has one.
    fn levels(&self) -> [Option<(u32, bool)>; GROUPS] {
        let read = |n: usize| self.standard.level(self.format, self.left[n]);
        std::array::from_fn(|n| match self.format {
            Format::Long => Some(read(n)),
            Format::Truncated => (n == self.group).then(|| read(n)),
            Format::Short => Some(if n == self.group { read(n) } else { (0, false) }),
        })
    }

    /// Estimate of each group, as the cell reads the report.
    pub fn estimates(&self) -> [Option<u32>; GROUPS] {
        self.levels().map(|level| level.map(|(bytes, _)| bytes))
    }

    /// Estimate of the buffers after the report, from the estimate `before`.
    pub fn read(&self, mut before: Reported) -> Reported {
        for (n, level) in self.levels().into_iter().enumerate() {
            if let Some((bytes, open)) = level {
                before.bytes[n] = bytes;
                before.open = before.open & !(1 << n) | u8::from(open) << n;
            }
        }
        before
    }

    /// The report as the UE knows it, for listeners.
    pub fn as_made(&self) -> BufferReport {
        let format = match self.format {
            Format::Short => ReportFormat::Short,
            Format::Truncated => ReportFormat::Truncated,
            Format::Long => ReportFormat::Long,
        };
        BufferReport { format, group: self.group as u8, bytes: self.left }
    }
}

impl Reported {
    /// Buffers that the cell knows to the byte.
    pub fn exact(bytes: BytesByGroup) -> Reported {
        Reported { bytes, open: 0 }
    }

    /// Bytes of a group; of one that is open, the least that it has.
    pub fn of(&self, group: usize) -> u32 {
        self.bytes[group]
    }

    /// By group.
    pub fn by_group(&self) -> &BytesByGroup {
        &self.bytes
    }

    /// Bytes of all groups; the most that there can be, if a group is open.
    #[inline]
    pub fn all(&self) -> u32 {
        if self.open == 0 { self.least() } else { u32::MAX }
    }

    /// Bytes of all groups; the least that there can be, if a group is open.
    pub fn least(&self) -> u32 {
        self.bytes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Takes bytes off that have been granted. A grant is the UE's and not a channel's: by
    /// their numbers, groups of more important channels are taken to be served first. A group
    /// that is open has at least as much as before, whatever it was granted.
    pub fn deduct(&mut self, mut bytes: u32) {
        for (n, group) in self.bytes.iter_mut().enumerate() {
            if self.open & 1 << n != 0 {
                return;
            }
            let taken = bytes.min(*group);
            *group -= taken;
            bytes -= taken;
        }
    }

    /// Makes it at least `bytes`, of no particular group.
    pub fn raise(&mut self, bytes: u32) {
        let more = bytes.saturating_sub(self.all());
        self.bytes[0] = self.bytes[0].saturating_add(more);
    }
}

#[cfg(test)]
#[path = "bsr_tests.rs"]
mod tests;
