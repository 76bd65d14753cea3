//! Pictures as a viewer sees them: each as soon as it has come, none older than the one before.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

/// Intervals between pictures of which the mean counts (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`).
const MEAN_OF: usize = 30;
/// Time above the mean from which an interval is a freeze, likewise.
const FREEZE: Duration = Duration::from_millis(150);

/// Pictures shown, and times without a new one.
#[derive(Clone, Debug, Default)]
pub struct ShownCounts {
    /// Frames that came whole behind a newer one, and so are not shown.
    pub overtaken: u64,
    /// Intervals between two pictures of at least three means of the 30 before, and of at least that mean and 150 ms.
    pub freezes: u64,
    /// Duration of all these intervals.
    pub frozen: Duration,
    /// From the first picture to the last.
    pub watched: Duration,
    /// Times at which the last picture was made and shown.
    last: Option<(Time, Time)>,
    recent: VecDeque<Duration>,
}

impl ShownCounts {
    /// The frame of `made` can be shown at `at`; `counts` is false for a frame of the warm-up.
    pub(super) fn picture(&mut self, made: Time, at: Time, counts: bool) {
        let Some((newest, shown)) = self.last else {
            self.last = Some((made, at));
            return;
        };
        if made < newest {
            self.overtaken += u64::from(counts);
            return;
        }
        let span = at.saturating_since(shown);
        self.interval(span, counts);
        if self.recent.len() == MEAN_OF {
            self.recent.pop_front();
        }
        self.recent.push_back(span);
        self.last = Some((made, at));
    }

    fn interval(&mut self, span: Duration, counts: bool) {
        if !counts {
            return;
        }
        self.watched += span;
        if self.is_freeze(span) {
            self.freezes += 1;
            self.frozen += span;
        }
    }

    fn is_freeze(&self, span: Duration) -> bool {
        let sum: Duration = self.recent.iter().fold(Duration::ZERO, |sum, span| sum + *span);
        let mean = sum / (self.recent.len() as u64).max(1);
        !self.recent.is_empty() && span >= (mean * 3).max(mean + FREEZE)
    }

    /// The run has ended at `end`, and frames from `waiting` on have not come: the picture has stood since then.
    pub(super) fn finish(&mut self, end: Time, waiting: Option<Time>) {
        let Some((made, shown)) = self.last else { return };
        if waiting.is_some_and(|waiting| waiting > made) {
            let span = end.saturating_since(shown);
            if self.is_freeze(span) {
                self.interval(span, true);
            }
        }
    }

    /// Share of the time from the first picture to the last that stood still; none without two pictures.
    pub fn frozen_share(&self) -> Option<f64> {
        let watched = self.watched.as_secs_f64();
        (watched > 0.0).then(|| self.frozen.as_secs_f64() / watched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn an_interval_of_three_means_and_of_150_ms_above_one_is_a_freeze() {
        let mut shown = ShownCounts::default();
        (0..10).for_each(|n| shown.picture(ms(20 * n), ms(20 * n + 5), true));
        // Mean 20 ms, so 170 ms is a freeze; 169 ms is none.
        shown.picture(ms(340), ms(185 + 169), true);
        assert_eq!(shown.freezes, 0);
        let mean = (9.0 * 20.0 + 169.0) / 10.0;
        let freeze = (mean + 150.0_f64).ceil() as u64;
        shown.picture(ms(530), ms(354 + freeze), true);
        assert_eq!((shown.freezes, shown.frozen.as_millis()), (1, freeze));
        assert_eq!(shown.watched.as_millis(), 180 + 169 + freeze);
    }

    #[test]
    fn a_frame_behind_a_newer_one_is_not_shown() {
        let mut shown = ShownCounts::default();
        shown.picture(ms(20), ms(30), true);
        shown.picture(ms(0), ms(35), true);
        assert_eq!((shown.overtaken, shown.freezes), (1, 0));
    }

    #[test]
    fn a_picture_that_stands_to_the_end_is_a_freeze() {
        let mut shown = ShownCounts::default();
        (0..10).for_each(|n| shown.picture(ms(20 * n), ms(20 * n + 5), true));
        let mut stopped = shown.clone();
        stopped.finish(ms(1_185), None);
        assert_eq!(stopped.freezes, 0, "no frame was made that could come");
        shown.finish(ms(1_185), Some(ms(200)));
        assert_eq!((shown.freezes, shown.frozen.as_millis()), (1, 1_000));
    }
}
