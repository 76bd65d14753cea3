//! Share of a flow's frames, or of its packets, that came within a time.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

/// Frames or packets that came within a time, and others. What may still come in time when the run ends is left out.
#[derive(Clone, Debug, Default)]
pub struct ShareCounts {
    /// Those that came whole within the time.
    pub within: u64,
    /// Those that came later, or never.
    pub outside: u64,
    /// Frames whose time is not over: when it ends, when the frame was made, and whether it has come.
    open: VecDeque<(Time, Time, bool)>,
}

impl ShareCounts {
    /// A frame was made, and has this time to come.
    pub(super) fn made(&mut self, now: Time, limit: Duration) {
        self.settle(now);
        self.open.push_back((now.saturating_add(limit), now, false));
    }

    /// A frame that was made at `made` has come in time.
    pub(super) fn came(&mut self, made: Time) {
        let at = self.open.partition_point(|(_, known, _)| *known < made);
        if let Some((_, known, came)) = self.open.get_mut(at) {
            *came |= *known == made;
        }
    }

    /// A packet has ended.
    pub(super) fn ended(&mut self, within: bool) {
        self.within += u64::from(within);
        self.outside += u64::from(!within);
    }

    /// Judges frames whose time was over before `now`.
    pub(super) fn settle(&mut self, now: Time) {
        while let Some((.., came)) = self.open.pop_front_if(|(due, ..)| *due < now) {
            self.ended(came);
        }
    }

    /// The share; none if nothing is judged.
    pub fn share(&self) -> Option<f64> {
        let all = self.within + self.outside;
        (all > 0).then(|| self.within as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_judged_when_their_time_is_over() {
        let ms = Time::from_millis;
        let mut share = ShareCounts::default();
        for at in [0, 20, 40, 60] {
            share.made(ms(at), Duration::from_millis(10));
        }
        share.came(ms(0));
        share.came(ms(60));
        share.settle(ms(65));
        // The frame of 0 ms was judged at 20 ms, when it had not been reported: reports come with the arrival.
        assert_eq!((share.within, share.outside), (0, 3));
        share.settle(ms(71));
        assert_eq!((share.within, share.outside, share.share()), (1, 3, Some(0.25)));
    }

    #[test]
    fn what_may_still_come_in_time_is_left_out() {
        let mut share = ShareCounts::default();
        share.made(Time::from_millis(100), Duration::from_millis(10));
        share.settle(Time::from_millis(110));
        assert_eq!(share.share(), None);
        share.ended(true);
        assert_eq!(share.share(), Some(1.0));
    }
}
