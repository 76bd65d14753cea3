//! Recorded capacity, in the format of mahimahi's `mm-link` (Netravali et al., USENIX
//! ATC 2015): each line is a millisecond at which 1500 bytes can be delivered.
//!
//! Opportunities of the same millisecond add up. The recording repeats when its last
//! millisecond has come. Empty lines are passed over.

use core::fmt;

use airpath_base::{BitRate, Bytes, Digest, Duration, Time};

/// Bytes of one opportunity (mahimahi's format).
const OPPORTUNITY: u64 = 1_500;

/// Times of delivery opportunities, and the bytes of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Milliseconds with opportunities in ascending order, and their bytes.
    opportunities: Vec<(u32, u64)>,
    /// Milliseconds after which it begins again: the last opportunity.
    period: u64,
}

/// Position in the endless repetition of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    cycle: u64,
    index: usize,
}

/// Error in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingError {
    /// It has no opportunity at all.
    Empty {
        /// Name of the recording.
        name: String,
    },
    /// A line is not a whole number of milliseconds below 2^32.
    NotANumber {
        /// Name of the recording.
        name: String,
        /// Line, from 1.
        line: usize,
        /// Text of the line, at most 40 characters of it.
        text: String,
    },
    /// A time lies before that of the line before.
    Decreasing {
        /// Name of the recording.
        name: String,
        /// Line, from 1.
        line: usize,
        /// The time, in milliseconds.
        time: u32,
        /// The time before.
        before: u32,
    },
    /// All opportunities lie at 0 ms, so that it would repeat without time going on.
    NoDuration {
        /// Name of the recording.
        name: String,
        /// The last line, from 1.
        line: usize,
    },
}

impl Recording {
    /// Reads a recording; `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// The first line that is wrong, or that there is none.
    pub fn parse(name: &str, text: &str) -> Result<Recording, RecordingError> {
        Recording::of(OPPORTUNITY, name, text)
    }

    /// Reads a heavy recording of CellReplay, whose opportunities have 1400 bytes each.
    ///
    /// # Errors
    ///
    /// Those of [`Recording::parse`].
    pub fn parse_heavy(name: &str, text: &str) -> Result<Recording, RecordingError> {
        Recording::of(crate::replayed::OPPORTUNITY, name, text)
    }

    fn of(opportunity: u64, name: &str, text: &str) -> Result<Recording, RecordingError> {
        let mut opportunities: Vec<(u32, u64)> = Vec::new();
        let mut last_line = 0;
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        for (line, entry) in lines.filter(|(_, entry)| !entry.is_empty()) {
            let time: u32 = entry.parse().map_err(|_| RecordingError::NotANumber {
                name: name.to_owned(),
                line,
                text: entry.chars().take(40).collect(),
            })?;
            last_line = line;
            match opportunities.last_mut() {
                Some((before, _)) if time < *before => {
                    let (name, before) = (name.to_owned(), *before);
                    return Err(RecordingError::Decreasing { name, line, time, before });
                }
                Some((before, bytes)) if time == *before => *bytes += opportunity,
                _ => opportunities.push((time, opportunity)),
            }
        }
        match opportunities.last() {
            None => Err(RecordingError::Empty { name: name.to_owned() }),
            Some((0, _)) => {
                Err(RecordingError::NoDuration { name: name.to_owned(), line: last_line })
            }
            Some((last, _)) => Ok(Recording { period: u64::from(*last), opportunities }),
        }
    }

    /// Time until the recording begins again.
    pub fn duration(&self) -> Duration {
        Duration::from_millis(self.period)
    }

    /// Its mean rate.
    pub fn mean_rate(&self) -> BitRate {
        let bytes = self.opportunities.iter().map(|(_, bytes)| bytes).sum();
        BitRate::of(Bytes(bytes), self.duration())
    }

    /// A fingerprint of what it says, the same on any machine.
    pub fn digest(&self) -> Digest {
        let numbers =
            self.opportunities.iter().flat_map(|(time, bytes)| [u64::from(*time), *bytes]);
        numbers.fold(Digest::new(), Digest::number)
    }

    /// First position after `now`.
    pub(crate) fn after(&self, now: Time) -> Cursor {
        let millis = now.as_nanos() / 1_000_000;
        let mut cycle = millis / self.period;
        if cycle > 0 && millis.is_multiple_of(self.period) {
            // The rest of the cycle before is at this very millisecond.
            cycle -= 1;
        }
        let within = millis - cycle * self.period;
        let passed = |&(time, _): &(u32, u64)| u64::from(time) <= within;
        let index = self.opportunities.partition_point(passed);
        let mut found = self.normal(Cursor { cycle, index });
        // The next cycle may begin at the instant at which this one ended.
        while self.time(found) <= now {
            found = self.next(found);
        }
        found
    }

    /// Position after this one.
    pub(crate) fn next(&self, at: Cursor) -> Cursor {
        self.normal(Cursor { index: at.index + 1, ..at })
    }

    fn normal(&self, at: Cursor) -> Cursor {
        match at.index < self.opportunities.len() {
            true => at,
            false => Cursor { cycle: at.cycle + 1, index: 0 },
        }
    }

    /// Time of this position; [`Time::MAX`] if no time can be so late.
    pub(crate) fn time(&self, at: Cursor) -> Time {
        let within = u64::from(self.opportunities[at.index].0);
        let start = at.cycle.checked_mul(self.period).and_then(|start| start.checked_add(within));
        let nanos = start.and_then(|millis| millis.checked_mul(1_000_000));
        nanos.map_or(Time::MAX, Time::from_nanos)
    }

    /// Bytes that can be delivered there.
    pub(crate) fn bytes(&self, at: Cursor) -> u64 {
        self.opportunities[at.index].1
    }
}

/// Mend of a line that looks as those of another tool.
fn mend(text: &str) -> &'static str {
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    let numbers = text.split_whitespace().filter(|word| is_number(word)).count();
    match text.chars().next() {
        Some('{' | '[') => {
            "; patterns of Rattan in JSON are not read: airpath export --mahimahi writes this format"
        }
        Some('#') => "; this format has no comments: leave the line out",
        _ if numbers > 1 && numbers == text.split_whitespace().count() => {
            "; several numbers in a line are a light recording of CellReplay: name both of its files, as \
             capacity = { light = \"FILE\", heavy = \"FILE\" }"
        }
        _ if text.contains(',') => {
            "; tables of rates are not read: write a line for each 1500 bytes"
        }
        _ => "",
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Empty { name } => write!(f, "{name}: has no delivery opportunity"),
            RecordingError::NotANumber { name, line, text } => write!(
                f,
                "{name}:{line}: \"{text}\" is not a time in whole milliseconds of 0 to {}{}",
                u32::MAX,
                mend(text)
            ),
            RecordingError::Decreasing { name, line, time, before } => {
                write!(
                    f,
                    "{name}:{line}: {time} ms comes after {before} ms; times must not decrease"
                )
            }
            RecordingError::NoDuration { name, line } => {
                write!(f, "{name}:{line}: the last time is 0 ms, so the recording has no duration")
            }
        }
    }
}

impl core::error::Error for RecordingError {}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
