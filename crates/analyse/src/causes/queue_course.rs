//! Course of a queue over time, as one flow has measured it, on a grid of time that all flows share.
//!
//! Flows through one queue measure the same delay at the same time. So their courses can be compared, whatever the flows'
//! own paths add to it.

use airpath_base::Time;

/// Width of the narrowest windows in nanoseconds.
const NARROWEST: u64 = 100_000_000;
/// Windows of a course; they are made twice as wide if there are more.
const MOST: usize = 128;

/// Course of a queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct QueueCourse {
    /// Number of times that windows were made twice as wide.
    doubled: u32,
    /// Number of the first window, counted from time zero.
    first: u64,
    /// Round trip of the path without a queue in milliseconds.
    base: f64,
    windows: Vec<Level>,
}

/// One window of a course.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Level {
    /// Round trips in milliseconds times the milliseconds for which they were measured, and these.
    waited: f32,
    measured: f32,
    /// Milliseconds in which a queue stood.
    pub(crate) full: f32,
    /// Bytes that were delivered.
    pub(crate) bytes: f32,
}

/// Round trip as a course takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) from: Time,
    pub(crate) to: Time,
    /// Its duration in microseconds, if it was measured.
    pub(crate) micros: Option<u32>,
    pub(crate) bytes: u32,
    /// True if a queue stood.
    pub(crate) full: bool,
}

impl Level {
    /// Mean round trip in milliseconds.
    pub(crate) fn wait(&self) -> Option<f64> {
        (self.measured > 0.0).then(|| f64::from(self.waited / self.measured))
    }

    fn join(&mut self, other: Level) {
        self.waited += other.waited;
        self.measured += other.measured;
        self.full += other.full;
        self.bytes += other.bytes;
    }
}

impl QueueCourse {
    /// Width of the windows in nanoseconds.
    pub(crate) fn width(&self) -> u64 {
        NARROWEST << self.doubled
    }

    /// Notes the round trip of the path without a queue in microseconds.
    pub(crate) fn based(self, micros: u32) -> QueueCourse {
        QueueCourse { base: f64::from(micros) / 1e3, ..self }
    }

    /// Delay of the queue in a window in milliseconds.
    pub(crate) fn queue(&self, level: &Level) -> Option<f64> {
        level.wait().map(|wait| (wait - self.base).max(0.0))
    }

    /// Adds a round trip. Its bytes are spread evenly over its time.
    pub(crate) fn add(&mut self, passed: &Passed) {
        let [from, to] = [passed.from, passed.to].map(Time::as_nanos);
        if to <= from {
            return;
        }
        let mut width = self.width();
        if self.windows.is_empty() {
            self.first = from / width;
        }
        while ((to - 1) / width).saturating_sub(self.first) as usize >= MOST && width < u64::MAX / 4
        {
            self.widen();
            width = self.width();
        }
        let whole = (to - from) as f32;
        for number in (from / width).max(self.first)..=(to - 1) / width {
            let n = (number - self.first) as usize;
            if self.windows.len() <= n {
                self.windows.resize(n + 1, Level::default());
            }
            let part = to.min((number + 1).saturating_mul(width)) - from.max(number * width);
            let ms = part as f32 / 1e6;
            let wait = passed.micros.map(|micros| micros as f32 / 1e3);
            self.windows[n].join(Level {
                waited: wait.map_or(0.0, |wait| wait * ms),
                measured: wait.map_or(0.0, |_| ms),
                full: if passed.full { ms } else { 0.0 },
                bytes: passed.bytes as f32 * part as f32 / whole,
            });
        }
    }

    /// Makes windows twice as wide.
    pub(crate) fn widen(&mut self) {
        let odd = self.first % 2;
        let mut wider = vec![Level::default(); (self.windows.len() + odd as usize).div_ceil(2)];
        for (n, level) in self.windows.iter().enumerate() {
            wider[(n + odd as usize) / 2].join(*level);
        }
        (self.windows, self.first) = (wider, self.first / 2);
        self.doubled += 1;
    }

    /// Course in windows of at least this width in nanoseconds.
    pub(crate) fn widened(&self, width: u64) -> QueueCourse {
        let mut course = self.clone();
        while course.width() < width {
            course.widen();
        }
        course
    }

    /// Windows with their numbers.
    pub(crate) fn windows(&self) -> impl Iterator<Item = (u64, &Level)> {
        (self.first..).zip(&self.windows)
    }

    /// The window of a number.
    pub(crate) fn at(&self, number: u64) -> Option<&Level> {
        self.windows.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        size_of::<QueueCourse>() + self.windows.capacity() * size_of::<Level>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(from: u64, to: u64, ms: u32, bytes: u32) -> Passed {
        let [from, to] = [from, to].map(Time::from_millis);
        Passed { from, to, micros: Some(1000 * ms), bytes, full: true }
    }

    #[test]
    fn a_round_trip_is_spread_over_the_windows_of_its_time() {
        let mut course = QueueCourse::default();
        course.add(&passed(1050, 1250, 40, 2000));
        course.add(&passed(1250, 1300, 80, 1000));
        let all: Vec<(u64, f32, Option<f64>)> =
            course.windows().map(|(n, level)| (n, level.bytes, level.wait())).collect();
        assert_eq!(
            all,
            [(10, 500.0, Some(40.0)), (11, 1000.0, Some(40.0)), (12, 1500.0, Some(60.0))]
        );
    }

    #[test]
    fn a_long_course_has_wider_windows_on_the_same_grid_and_all_bytes() {
        let mut course = QueueCourse::default();
        (0..1000).for_each(|n| course.add(&passed(300 + 100 * n, 400 + 100 * n, 40, 1000)));
        assert_eq!((course.width(), course.windows().count()), (800_000_000, 126));
        assert_eq!(course.windows().next().map(|(n, level)| (n, level.bytes)), Some((0, 5000.0)));
        let bytes: f32 = course.windows().map(|(_, level)| level.bytes).sum();
        assert_eq!(bytes, 1e6);
    }
}
