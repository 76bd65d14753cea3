//! Round trips over time in bounded memory: windows of equal width, which doubles when there
//! would be too many.

use airpath_base::{Duration, Time};
use serde::Serialize;

/// Windows at most.
const MOST: u64 = 64;
/// Their width at first.
const WIDTH: Duration = Duration::from_secs(1);

/// RTTs of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RttWindow {
    /// Its beginning, since the flow's first packet.
    pub start_s: f64,
    /// Its width.
    pub width_s: f64,
    /// Samples.
    pub samples: u64,
    /// Least (ms).
    pub min_ms: f64,
    /// Mean (ms).
    pub mean_ms: f64,
    /// Greatest (ms).
    pub max_ms: f64,
}

/// Samples by window.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverTime {
    start: Time,
    /// Number of times the width has doubled.
    doubled: u32,
    /// Those that have samples, by their number.
    windows: Vec<(u64, Window)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    samples: u64,
    sum: u64,
    least: u64,
    most: u64,
}

impl OverTime {
    /// Windows from `start` on.
    pub(crate) fn new(start: Time) -> OverTime {
        OverTime { start, ..OverTime::default() }
    }

    /// A sample in nanoseconds.
    pub(crate) fn add(&mut self, at: Time, nanos: u64) {
        let since = at.saturating_since(self.start).as_nanos() / WIDTH.as_nanos();
        while since >> self.doubled >= MOST {
            self.double();
        }
        let number = since >> self.doubled;
        let one = Window { samples: 1, sum: nanos, least: nanos, most: nanos };
        self.join(number, one);
    }

    fn join(&mut self, number: u64, other: Window) {
        match self.windows.binary_search_by_key(&number, |(n, _)| *n) {
            Ok(at) => self.windows[at].1.join(other),
            Err(at) => self.windows.insert(at, (number, other)),
        }
    }

    fn double(&mut self) {
        self.doubled += 1;
        let before = std::mem::take(&mut self.windows);
        before.into_iter().for_each(|(number, window)| self.join(number / 2, window));
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.windows.capacity() * size_of::<(u64, Window)>()
    }

    /// The windows that have samples; `flow` is when the flow began.
    pub(crate) fn windows(&self, flow: Time) -> Vec<RttWindow> {
        let width_s = WIDTH.as_secs_f64() * (1u64 << self.doubled) as f64;
        let offset = self.start.saturating_since(flow).as_secs_f64();
        let ms = |nanos: u64| nanos as f64 / 1e6;
        let told = |(number, window): &(u64, Window)| RttWindow {
            start_s: offset + width_s * *number as f64,
            width_s,
            samples: window.samples,
            min_ms: ms(window.least),
            mean_ms: ms(window.sum) / window.samples as f64,
            max_ms: ms(window.most),
        };
        self.windows.iter().map(told).collect()
    }
}

impl Window {
    fn join(&mut self, other: Window) {
        self.samples += other.samples;
        self.sum = self.sum.saturating_add(other.sum);
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_double_and_keep_all_samples() {
        let mut rtts = OverTime::new(Time::from_millis(5000));
        (0..1000u64)
            .for_each(|n| rtts.add(Time::from_millis(1000 * (5 + n)), 1_000_000 * (n % 10 + 1)));
        let windows = rtts.windows(Time::from_millis(4000));
        // 1000 s in at most 64 windows: 16 s each, the last one not full.
        assert_eq!((windows.len(), windows[0].width_s), (63, 16.0));
        assert_eq!((windows[0].start_s, windows[1].start_s), (1.0, 17.0));
        assert_eq!(windows.iter().map(|window| window.samples).sum::<u64>(), 1000);
        // 1 to 10 ms, and 1 to 6 ms: 76 ms in 16 samples.
        let first = windows[0];
        assert_eq!((first.min_ms, first.mean_ms, first.max_ms), (1.0, 4.75, 10.0));
    }

    #[test]
    fn a_time_far_away_costs_no_more() {
        let mut rtts = OverTime::new(Time::ZERO);
        rtts.add(Time::from_millis(1000), 7);
        rtts.add(Time::from_nanos(u64::MAX), 9);
        rtts.add(Time::from_millis(1000), 5);
        let windows = rtts.windows(Time::ZERO);
        assert_eq!((windows.len(), windows[0].samples, windows[0].start_s), (2, 2, 0.0));
    }
}
