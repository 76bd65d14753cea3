//! The congestion window of either version, its least value, and the largest packet.

use super::config::Config;
use crate::ticks::{SECOND, Ticks};

/// First guess of the largest packet, so low that it suits audio.
const INITIAL_MSS: i64 = 100;

#[derive(Debug)]
pub(super) struct Window {
    pub cwnd: i64,
    least: i64,
    /// Lower bound of `least`, by the options.
    lowest: i64,
    /// Largest packet of the second that runs, and of the one before if that counts.
    mss: i64,
    before: Option<i64>,
    reset_at: Ticks,
}

impl Window {
    /// The first window; with `two_seconds` the largest packet of the second before
    /// counts as well.
    pub fn new(config: &Config, two_seconds: bool) -> Window {
        Window {
            cwnd: (config.options.initial_window.0 as i64).max(2 * INITIAL_MSS),
            least: 2 * INITIAL_MSS,
            lowest: config.options.min_window.map_or(0, |least| least.0 as i64),
            mss: INITIAL_MSS,
            before: two_seconds.then_some(INITIAL_MSS),
            reset_at: 0,
        }
    }

    /// The largest packet of late.
    pub fn mss(&self) -> i64 {
        self.mss.max(self.before.unwrap_or(0))
    }

    /// The largest packet of the second that runs.
    pub fn mss_now(&self) -> i64 {
        self.mss
    }

    pub fn grow_mss(&mut self, size: u32) {
        self.mss = self.mss.max(i64::from(size));
        self.keep_above(2 * self.mss());
    }

    /// Forgets the largest packet once a second, since the stream may have changed from
    /// video to audio; says whether it did.
    pub fn forget_mss(&mut self, now: Ticks) -> bool {
        let due = now.saturating_sub(self.reset_at) > SECOND;
        if due {
            self.before = self.before.map(|_| self.mss);
            self.mss = INITIAL_MSS;
            self.keep_above(3 * self.mss());
            self.reset_at = now;
        }
        due
    }

    fn keep_above(&mut self, least: i64) {
        self.least = least.max(self.lowest);
        self.hold();
    }

    /// Raises the window to its least value.
    pub fn hold(&mut self) {
        self.cwnd = self.cwnd.max(self.least);
    }

    pub fn scale(&mut self, factor: f64) {
        self.cwnd = (factor * self.cwnd as f64) as i64;
        self.hold();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;
    use airpath_base::Bytes;

    #[test]
    fn the_largest_packet_is_forgotten_after_one_second_or_two() {
        for (two_seconds, expected) in [(false, [1200, 100, 100]), (true, [1200, 1200, 100])] {
            let mut window = Window::new(&Config::default(), two_seconds);
            window.grow_mss(1200);
            let seen = [1, 2, 3].map(|second: Ticks| {
                let before = window.mss();
                assert!(window.forget_mss(second * (SECOND + 1)));
                before
            });
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn never_below_two_packets_or_the_least_window() {
        // EricssonResearch/scream, 975f6d84: max(cwndMinLow, 2 mss), and max(cwndMinLow, 3 x 100)
        // as the largest packet is forgotten; cwndMinLow is 0 in the library, 5000 in the test tool.
        for (min_window, expected) in [(None, [2400, 300]), (Some(Bytes(5_000)), [5000, 5000])] {
            let options = Options { min_window, ..Options::default() };
            let mut window = Window::new(&Config { options, ..Config::default() }, false);
            window.grow_mss(1200);
            window.scale(0.01);
            let large = window.cwnd;
            assert!(window.forget_mss(SECOND + 1));
            window.scale(0.01);
            assert_eq!([large, window.cwnd], expected);
        }
    }
}
