//! Available and used bandwidth as a time series, in windows of one width from the flow's beginning
//! on (section 6.3 and figures 20 and 22 of the study).
//!
//! Estimates are cut where a window ends, and count where their middle lies. Used is what was
//! acknowledged. Windows without either are left out.

use std::collections::VecDeque;

use airpath_base::{BitRate, Duration, Time};

use super::bandwidth::{Bandwidth, Point, Sample};

/// A time series of one direction of a flow.
#[derive(Clone, Debug)]
pub struct Series {
    width: Duration,
    start: Time,
    bandwidth: Bandwidth,
    /// The window of the last ACK.
    current: u64,
    cells: VecDeque<Cell>,
}

/// A window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Index of the window from the flow's beginning.
    pub index: u64,
    /// Bytes that were acknowledged in it.
    pub used: u64,
    /// Estimates in the window.
    pub sample: Sample,
}

impl Series {
    /// Windows of this width from `start` on; `most` is the study's C.
    pub fn new(most: BitRate, width: Duration, start: Time) -> Series {
        let width = width.max(Duration::from_nanos(1));
        let bandwidth = Bandwidth::new(most);
        Series { width, start, bandwidth, current: 0, cells: VecDeque::new() }
    }

    /// Width of the windows.
    pub fn width(&self) -> Duration {
        self.width
    }

    /// An ACK for so many new bytes came.
    pub fn acknowledged(&mut self, at: Time, bytes: u32) {
        self.cell(at).used += u64::from(bytes);
    }

    /// An ACK that acknowledges the end of a packet exactly came.
    pub fn ack(&mut self, point: Point) {
        let index = self.index(point.at);
        if index != self.current {
            let sample = self.bandwidth.cut();
            self.add(sample);
            self.current = index;
        }
        let sample = self.bandwidth.ack(point);
        self.add(sample);
    }

    /// Data out of order, or a duplicate ACK.
    pub fn disturbed(&mut self) {
        let sample = self.bandwidth.disturbed();
        self.add(sample);
    }

    /// Windows that are kept.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Begin of the window.
    pub fn begins(&self, cell: &Cell) -> Time {
        let nanos = self.width.as_nanos().saturating_mul(cell.index);
        self.start.saturating_add(Duration::from_nanos(nanos))
    }

    /// Bit/s that were used in the window.
    pub fn used_bps(&self, cell: &Cell) -> f64 {
        8.0 * cell.used as f64 / self.width.as_secs_f64()
    }

    /// Takes the oldest windows, but for so many.
    pub fn take(&mut self, but: usize) -> Vec<Cell> {
        if but == 0 {
            self.disturbed();
        }
        let n = self.cells.len().saturating_sub(but);
        self.cells.drain(..n).collect()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        size_of::<Cell>() * self.cells.capacity()
    }

    fn add(&mut self, sample: Option<Sample>) {
        if let Some(sample) = sample {
            let cell = self.cell(sample.middle);
            cell.sample = cell.sample.and(&sample);
        }
    }

    fn index(&self, at: Time) -> u64 {
        at.saturating_since(self.start).as_nanos() / self.width.as_nanos()
    }

    /// The window of a time; one that was taken already is the first of those that are left.
    fn cell(&mut self, at: Time) -> &mut Cell {
        let index = self.index(at);
        let place = self.cells.partition_point(|cell| cell.index < index);
        if self.cells.get(place).is_none_or(|cell| cell.index != index) {
            self.cells.insert(place, Cell { index, ..Cell::default() });
        }
        &mut self.cells[place]
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT_MOST_BANDWIDTH;
    use super::*;

    /// Data sent at 50 Mbit/s and received at a rate that changes from 10 to 20 Mbit/s after 2 s.
    /// There is an ACK for each two packets, at the monitor 30 ms later.
    fn series(width: Duration) -> Series {
        let mut series = Series::new(DEFAULT_MOST_BANDWIDTH, width, Time::ZERO);
        let (mut received, mut sent, mut ack) = (0.0, 0.0, 0u32);
        while received < 4.0 {
            let bits = 2.0 * 1448.0 * 8.0;
            received += bits / if received < 2.0 { 10e6 } else { 20e6 };
            sent += bits / 50e6;
            ack += 2 * 1448;
            let at = Time::from_nanos(((received + 0.03) * 1e9) as u64);
            let sent = Time::from_nanos((sent * 1e9) as u64);
            series.acknowledged(at, 2 * 1448);
            let timestamp = Some((received * 1e3) as u32);
            series.ack(Point { ack, sent, at, timestamp, packets: 2 });
        }
        series
    }

    #[test]
    fn available_and_used_bandwidth_follow_the_truth() {
        for (width, worst) in [(1000, 0.04), (100, 0.12)] {
            let mut series = series(Duration::from_millis(width));
            let cells = series.take(0);
            assert!(cells.len() as u64 >= 4000 / width, "{}", cells.len());
            for cell in &cells[1..cells.len() - 1] {
                let begins = series.begins(cell).as_secs_f64();
                let truth = if begins + 0.03 < 2.0 { 10e6 } else { 20e6 };
                let (available, by_timestamps) = cell.sample.bps(Some(1e-3)).unwrap();
                let wide = begins < 2.03 && begins + width as f64 / 1e3 > 2.0;
                let off = available / truth - 1.0;
                assert!(by_timestamps && (wide || off.abs() < worst), "{width} {begins} {off}");
                let off = series.used_bps(cell) / truth - 1.0;
                assert!(wide || off.abs() < worst, "{width} {begins} {off}");
            }
        }
    }

    #[test]
    fn without_a_clock_arrival_times_must_do() {
        let cells = series(Duration::from_millis(1000)).take(0);
        let (available, by_timestamps) = cells[0].sample.bps(None).unwrap();
        assert!(!by_timestamps && (available / 10e6 - 1.0).abs() < 0.04, "{available}");
    }

    #[test]
    fn a_pause_leaves_no_windows() {
        let mut series =
            Series::new(DEFAULT_MOST_BANDWIDTH, Duration::from_millis(100), Time::ZERO);
        for seconds in [1, 5000] {
            series.acknowledged(Time::from_millis(1000 * seconds), 1000);
        }
        assert_eq!(series.take(1).iter().map(|cell| cell.index).collect::<Vec<_>>(), [10]);
        assert_eq!((series.len(), series.take(0)[0].index), (1, 50_000));
    }
}
