//! The packets between two points in windows of time, read part by part.

use std::collections::BTreeMap;

use airpath_results::{Folder, TableReader};
use serde_json::Value;

use crate::ReportError;

/// Windows of a chart.
const WINDOWS: i64 = 200;
/// Windows are not narrower, in nanoseconds.
const NARROWEST: i64 = 1_000_000;
/// Delays that are kept for a distribution at most.
const MOST: usize = 200_000;
/// ECN's code point for congestion experienced.
const CE: i64 = 3;

/// Packets of one direction.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    pub windows: Vec<Window>,
    pub width_s: f64,
    pub delays: Sample,
}

/// Packets that passed the first point of a direction in a stretch of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    pub sent: u64,
    pub lost: u64,
    pub marked: u64,
    /// Delays: how many, their sum, the least and the greatest, in ms.
    delays: (u64, f64, f64, f64),
}

/// Values, or each n-th of them when there are many.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
    seen: usize,
    /// One less than how many values one stands for.
    passed_over: usize,
}

impl Passed {
    /// The middles of the windows, in seconds.
    pub fn times(&self) -> Vec<f64> {
        (0..self.windows.len()).map(|n| (n as f64 + 0.5) * self.width_s).collect()
    }
}

impl Window {
    pub fn least(&self) -> Option<f64> {
        (self.delays.0 > 0).then_some(self.delays.2)
    }

    pub fn mean(&self) -> Option<f64> {
        (self.delays.0 > 0).then(|| self.delays.1 / self.delays.0 as f64)
    }

    pub fn most(&self) -> Option<f64> {
        (self.delays.0 > 0).then_some(self.delays.3)
    }

    fn add_delay(&mut self, delay: f64) {
        let (count, sum, least, most) = self.delays;
        let (least, most) = match count {
            0 => (delay, delay),
            _ => (least.min(delay), most.max(delay)),
        };
        self.delays = (count + 1, sum + delay, least, most);
    }
}

impl Sample {
    fn add(&mut self, value: f64) {
        if self.seen.is_multiple_of(self.passed_over + 1) {
            if self.values.len() == MOST {
                let every_second = self.values.iter().copied().step_by(2);
                self.values = every_second.collect();
                self.passed_over = 2 * self.passed_over + 1;
            }
            self.values.push(value);
        }
        self.seen += 1;
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of values.
    pub fn seen(&self) -> usize {
        self.seen
    }
}

/// Packets between the points of the pair with a number, both directions.
///
/// # Errors
///
/// If the table of packets cannot be read.
pub fn passed(folder: &Folder, number: usize, pair: &Value) -> Result<[Passed; 2], ReportError> {
    let reader = folder.table("packets.parquet")?;
    let mut ways = [Passed::default(), Passed::default()];
    let Some((first, last)) = span(&reader, number as i64)? else { return Ok(ways) };
    let width = ((last - first) / WINDOWS + 1).max(NARROWEST);
    for way in &mut ways {
        way.width_s = width as f64 / 1e9;
        way.windows = vec![Window::default(); ((last - first) / width + 1) as usize];
    }
    let ups = clients(pair);
    for part in 0..reader.parts() {
        for row in rows(&reader, part, number as i64)? {
            // Packets of the client go from the point that is nearer to it.
            let Some(near) = ups.get(&row.flow) else { continue };
            let way = &mut ways[if row.up { *near } else { 1 - *near }];
            let window = (row.at - first) / width;
            if let Some(window) = way.windows.get_mut(window as usize) {
                add(window, &mut way.delays, &row);
            }
        }
    }
    Ok(ways)
}

/// Adds a packet to its window.
fn add(window: &mut Window, delays: &mut Sample, row: &Row) {
    let sent = matches!(row.fate.as_str(), "arrived" | "lost");
    window.sent += u64::from(sent);
    window.lost += u64::from(row.fate == "lost");
    window.marked += u64::from(row.ecn[0] != CE && row.ecn[1] == CE);
    if let Some(delay) = row.delay_ms.filter(|_| sent) {
        window.add_delay(delay);
        delays.add(delay);
    }
}

/// Index of the point that is nearer to the client of each flow.
fn clients(pair: &Value) -> BTreeMap<i64, usize> {
    let flows = pair["flows"].as_array().into_iter().flatten();
    let near = |flow: &Value| {
        Some((flow["number"].as_i64()?, usize::from(flow["client_point"].as_u64()? != 0)))
    };
    flows.filter_map(near).collect()
}

/// Times of the first and the last packet of a pair, in nanoseconds.
fn span(reader: &TableReader, number: i64) -> Result<Option<(i64, i64)>, ReportError> {
    let mut span: Option<(i64, i64)> = None;
    for part in 0..reader.parts() {
        let table = reader.part(part, &["pair", "at_ns"])?;
        let [pairs, times] = ["pair", "at_ns"].map(|name| table.integers(name).unwrap_or_default());
        let own = pairs.iter().zip(times).filter(|(pair, _)| **pair == Some(number));
        for at in own.filter_map(|(_, at)| at) {
            let (first, last) = span.unwrap_or((at, at));
            span = Some((first.min(at), last.max(at)));
        }
    }
    Ok(span)
}

/// A packet.
struct Row {
    flow: i64,
    up: bool,
    at: i64,
    delay_ms: Option<f64>,
    fate: String,
    ecn: [i64; 2],
}

/// The packets of a pair in a part of the table.
fn rows(reader: &TableReader, part: usize, number: i64) -> Result<Vec<Row>, ReportError> {
    const INTEGERS: [&str; 5] = ["pair", "flow", "at_ns", "ecn_before", "ecn_behind"];
    let columns: Vec<&str> =
        INTEGERS.into_iter().chain(["direction", "delay_ms", "fate"]).collect();
    let table = reader.part(part, &columns)?;
    let [pairs, flows, times, before, behind] =
        INTEGERS.map(|name| table.integers(name).unwrap_or_default());
    let delays = table.numbers("delay_ms").unwrap_or_default();
    let [directions, fates] =
        ["direction", "fate"].map(|name| table.texts(name).unwrap_or_default());
    let row = |n: usize| {
        (pairs[n] == Some(number)).then_some(())?;
        Some(Row {
            flow: flows[n]?,
            up: directions[n] == Some("up"),
            at: times[n]?,
            delay_ms: delays[n],
            fate: fates[n].unwrap_or_default().to_owned(),
            ecn: [before[n].unwrap_or(0), behind[n].unwrap_or(0)],
        })
    };
    Ok((0..table.rows()).filter_map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_sampled_evenly() {
        let mut sample = Sample::default();
        (0..3 * MOST).for_each(|n| sample.add(n as f64));
        assert_eq!(sample.seen(), 3 * MOST);
        assert!(sample.values().len() <= MOST && sample.values().len() > MOST / 2);
        let steps = sample.values().windows(2).map(|two| two[1] - two[0]);
        assert!(steps.fold(0.0, f64::max) <= 4.0, "each fourth");
    }

    #[test]
    fn a_window_keeps_the_extremes_and_the_mean() {
        let mut window = Window::default();
        assert_eq!((window.least(), window.mean(), window.most()), (None, None, None));
        [5.0, 1.0, 6.0].into_iter().for_each(|delay| window.add_delay(delay));
        assert_eq!(
            (window.least(), window.mean(), window.most()),
            (Some(1.0), Some(4.0), Some(6.0))
        );
    }
}
