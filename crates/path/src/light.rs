//! Light recordings of CellReplay (Sentosa et al., NSDI 2025), as its `mm-cellular` reads them at commit 2ca662c.
//!
//! A line is a train of packets: its time, its one-way base delay, and the times of its arrivals after the first one. All
//! are whole milliseconds, with blanks between them. The last line is the end, after which the recording repeats.

use core::fmt;

use airpath_base::Digest;

/// Lines that a recording has at least (`mm-cellular` takes no fewer).
const LEAST: usize = 3;
/// Largest number of a line: a day in milliseconds.
const MOST: u64 = 86_400_000;

/// Base delays over time, and the opportunities of packets that follow each other after a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Light {
    trains: Vec<Train>,
}

/// A line; all times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Train {
    at: u64,
    delay: u64,
    arrivals: Vec<u64>,
}

/// Opportunities of a train whose first packet comes now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chance {
    /// Base delay in milliseconds.
    pub delay: u64,
    /// Index of the train.
    pub train: usize,
}

/// Fault of a light recording: file, line and mend in one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightError(String);

impl Light {
    /// Reads a light recording; errors call it `name`.
    ///
    /// # Errors
    ///
    /// The first line that is wrong, or too few lines.
    pub fn parse(name: &str, text: &str) -> Result<Light, LightError> {
        let mut trains: Vec<Train> = Vec::new();
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        for (line, entry) in lines.filter(|(_, entry)| !entry.is_empty()) {
            let wrong = |why: String| LightError(format!("{name}:{line}: {why}"));
            let train = Train::parse(entry).map_err(wrong)?;
            if let Some(before) = trains.last().filter(|before| train.at < before.at) {
                let (at, before) = (train.at, before.at);
                return Err(wrong(format!(
                    "{at} ms comes after {before} ms; times must not decrease"
                )));
            }
            trains.push(train);
        }
        if trains.len() < LEAST {
            let lines = trains.len();
            let why = format!("has {lines} lines; a light recording has {LEAST} trains or more");
            return Err(LightError(format!("{name}: {why}")));
        }
        if trains.last().is_none_or(|last| last.at == 0) {
            let why = "the last train is at 0 ms, so the recording has no duration";
            return Err(LightError(format!("{name}: {why}")));
        }
        Ok(Light { trains })
    }

    /// A fingerprint of the numbers, equal on any machine.
    pub fn digest(&self) -> Digest {
        let numbers = |train: &Train| {
            let own = [train.at, train.delay, train.arrivals.len() as u64];
            own.into_iter().chain(train.arrivals.clone()).collect::<Vec<u64>>()
        };
        self.trains.iter().flat_map(numbers).fold(Digest::new(), Digest::number)
    }

    /// The train of a packet that begins one at `ms`, with the delay between those of this train and the next.
    pub(crate) fn begin(&self, ms: u64) -> Chance {
        let period = self.trains.last().map_or(1, |last| last.at).max(1);
        let within = ms % period;
        // The last line is the end, so that the next train is always there.
        let passed = self.trains.partition_point(|train| train.at <= within);
        let train = passed.saturating_sub(1).min(self.trains.len().saturating_sub(2));
        let (own, next) = (&self.trains[train], &self.trains[train + 1]);
        let (gone, step) = (within.saturating_sub(own.at), (next.at - own.at).max(1));
        let [from, to] = [own.delay, next.delay].map(i128::from);
        let delay = from + (to - from) * i128::from(gone) / i128::from(step);
        Chance { delay: u64::try_from(delay).unwrap_or(0), train }
    }

    /// Milliseconds from the first arrival to each of a train.
    pub(crate) fn arrivals(&self, chance: Chance) -> &[u64] {
        &self.trains[chance.train].arrivals
    }
}

impl Train {
    fn parse(entry: &str) -> Result<Train, String> {
        let numbers: Vec<Option<u64>> =
            entry.split_whitespace().map(|word| word.parse().ok().filter(|n| *n <= MOST)).collect();
        let shown: String = entry.chars().take(40).collect();
        let Some(numbers) = numbers.into_iter().collect::<Option<Vec<u64>>>() else {
            return Err(format!(
                "\"{shown}\" is not a train: its time, its base delay, and the time of each arrival, in whole \
                 milliseconds"
            ));
        };
        let [at, delay, arrivals @ ..] = numbers.as_slice() else {
            return Err(format!(
                "\"{shown}\" is a single time, as in a heavy recording or in mahimahi's format; a train has its time, \
                 its base delay, and the time of each arrival"
            ));
        };
        if arrivals.is_empty() {
            return Err(format!("\"{shown}\" has no arrival; the first one of a train is 0"));
        }
        if !arrivals.is_sorted() {
            return Err(format!("\"{shown}\" has arrivals that decrease"));
        }
        Ok(Train { at: *at, delay: *delay, arrivals: arrivals.to_vec() })
    }
}

impl fmt::Display for LightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for LightError {}

#[cfg(test)]
#[path = "light_tests.rs"]
mod tests;
