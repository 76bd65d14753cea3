//! Leaving slow start before it overflows the queue: HyStart++ (RFC 9406), and HyStart as Linux has
//! it. Source of the second: Ha and Rhee, "Taming the elephants: New TCP slow start", Computer
//! Networks 55(9), 2011; Linux, tcp_cubic.c.
//!
//! HyStart++ compares the lowest RTT of a round with that of the round before, goes on slowly
//! and resumes if the RTT falls. HyStart compares it with the lowest of the connection, and
//! ends slow start at once.
//!
//! Rounds of HyStart++ are counted by what is delivered, as BBR does, instead of by sequence
//! numbers; the two differ only while segments are lost.

use airpath_base::Duration;
use airpath_schema::choice;

use super::AckSample;
use super::hystart::Classic;

choice! {
    /// Rule for the end of slow start, with the constants of the source.
    pub enum HyStartKind {
        /// HyStart++ (RFC 9406): when the RTT rises from round to round, after five slower
        /// rounds.
        PlusPlus = "plus-plus",
        /// HyStart (Linux, `tcp_cubic.c`): at once when the RTT has risen above the lowest,
        /// or acknowledgements have come closely for half of that.
        Classic = "classic",
    }
}

/// Options of HyStart++ and HyStart. Defaults: RFC 9406, 4.3; Linux' thresholds are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HyStartConfig {
    /// Kind of the two. Default: HyStart++.
    pub kind: HyStartKind,
    /// Least rise of the RTT that counts (MIN_RTT_THRESH). Default: 4 ms.
    pub min_rtt_thresh: Duration,
    /// Rise of the RTT that always counts (MAX_RTT_THRESH). Default: 16 ms.
    pub max_rtt_thresh: Duration,
    /// The rise that counts is this part of the RTT (MIN_RTT_DIVISOR). Default: 8.
    pub rtt_divisor: u32,
    /// RTT samples that a round needs (N_RTT_SAMPLE). Default: 8.
    pub samples: u32,
    /// Divisor of growth in conservative slow start (CSS_GROWTH_DIVISOR). Default: 4.
    pub css_growth_divisor: u32,
    /// Rounds of conservative slow start (CSS_ROUNDS). Default: 5.
    pub css_rounds: u32,
    /// Segments by which an acknowledgement grows the window at most (L).
    /// Default: 8; with pacing the RFC sets no limit.
    pub limit: u32,
}

impl Default for HyStartConfig {
    fn default() -> HyStartConfig {
        HyStartConfig {
            kind: HyStartKind::PlusPlus,
            min_rtt_thresh: Duration::from_millis(4),
            max_rtt_thresh: Duration::from_millis(16),
            rtt_divisor: 8,
            samples: 8,
            css_growth_divisor: 4,
            css_rounds: 5,
            limit: 8,
        }
    }
}

impl HyStartConfig {
    /// The rise of an RTT that counts.
    pub(super) fn rise(&self, rtt: Duration) -> Duration {
        let share = rtt / u64::from(self.rtt_divisor.max(1));
        share.min(self.max_rtt_thresh).max(self.min_rtt_thresh)
    }
}

/// Conservative slow start (CSS).
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The RTT that made slow start end, unless a lower one shows it was noise.
    baseline: Duration,
    /// Rounds that are over, the one in which it began included.
    rounds: u32,
}

/// State of HyStart++.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    config: HyStartConfig,
    /// Bytes delivered when the round began.
    round: u64,
    last: Option<Duration>,
    current: Option<Duration>,
    samples: u32,
    css: Option<Conservative>,
    classic: Classic,
}

impl HyStart {
    pub fn new(kind: HyStartKind) -> HyStart {
        let (last, current, css) = (None, None, None);
        let config = HyStartConfig { kind, ..HyStartConfig::default() };
        HyStart { config, round: 0, last, current, samples: 0, css, classic: Classic::default() }
    }

    /// Bytes by which a window of `cwnd` bytes grows, and whether slow start is over after
    /// that (4.2). Called for each acknowledgement in slow start.
    pub fn grow(&mut self, sample: &AckSample, cwnd: f64, segment: f64) -> (f64, bool) {
        let growth = (sample.acked as f64).min(f64::from(self.config.limit) * segment);
        if self.config.kind == HyStartKind::Classic {
            return match self.classic.is_full(&self.config, sample, cwnd / segment) {
                true => (0.0, true),
                false => (growth, false),
            };
        }
        if sample.prior_delivered >= self.round {
            self.round = sample.delivered_in_all;
            (self.last, self.current, self.samples) = (self.current, None, 0);
            if let Some(css) = &mut self.css {
                css.rounds += 1;
            }
        }
        if let Some(rtt) = sample.rtt {
            self.current = Some(self.current.map_or(rtt, |current| current.min(rtt)));
            self.samples = self.samples.saturating_add(1);
        }
        self.judge();
        match self.css {
            None => (growth, false),
            Some(css) => {
                let divisor = f64::from(self.config.css_growth_divisor.max(1));
                (growth / divisor, css.rounds >= self.config.css_rounds)
            }
        }
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= self.config.samples) else {
            return;
        };
        match (self.css, self.last) {
            (None, Some(last)) if current >= last + self.config.rise(last) => {
                // The rest of the round that is going on counts once it is over (4.2: a
                // partial round counts towards the limit).
                self.css = Some(Conservative { baseline: current, rounds: 0 });
            }
            (Some(css), _) if current < css.baseline => self.css = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(hystart: &mut HyStart, n: u64, rtt_ms: u64) -> (f64, bool) {
        let mut result = (0.0, false);
        for _ in 0..8 {
            let sample = AckSample {
                acked: 1000,
                rtt: Some(Duration::from_millis(rtt_ms)),
                delivered_in_all: (n + 1) * 8000,
                prior_delivered: n * 8000,
                ..AckSample::default()
            };
            result = hystart.grow(&sample, 20_000.0, 1000.0);
        }
        result
    }

    #[test]
    fn a_rise_of_an_eighth_slows_the_growth_down_and_five_rounds_later_ends_it() {
        // RFC 9406, 4.2: 80 ms, so 10 ms more count.
        let mut hystart = HyStart::new(HyStartKind::PlusPlus);
        assert_eq!(round(&mut hystart, 0, 80), (1000.0, false));
        assert_eq!(round(&mut hystart, 1, 89), (1000.0, false));
        assert_eq!(round(&mut hystart, 2, 101), (250.0, false));
        // The round in which it began is the first of five (CSS_ROUNDS).
        for n in 3..7 {
            assert_eq!(round(&mut hystart, n, 110), (250.0, false));
        }
        assert_eq!(round(&mut hystart, 7, 110), (250.0, true));
    }

    #[test]
    fn a_lower_rtt_resumes_slow_start() {
        let mut hystart = HyStart::new(HyStartKind::PlusPlus);
        round(&mut hystart, 0, 80);
        assert_eq!(round(&mut hystart, 1, 95).0, 250.0);
        assert_eq!(round(&mut hystart, 2, 81).0, 1000.0);
    }

    #[test]
    fn thresholds_have_their_bounds() {
        // 16 ms / 8 = 2 ms is below the 4 ms, 400 ms / 8 above the 16 ms.
        for (base, quiet, loud) in [(16, 19, 20), (400, 415, 416)] {
            for (rtt, growth) in [(quiet, 1000.0), (loud, 250.0)] {
                let mut hystart = HyStart::new(HyStartKind::PlusPlus);
                round(&mut hystart, 0, base);
                assert_eq!(round(&mut hystart, 1, rtt).0, growth, "{base} {rtt}");
            }
        }
    }

    #[test]
    fn an_acknowledgement_grows_by_eight_segments_at_most() {
        let mut hystart = HyStart::new(HyStartKind::PlusPlus);
        let sample = AckSample { acked: 20_000, ..AckSample::default() };
        assert_eq!(hystart.grow(&sample, 20_000.0, 1000.0), (8000.0, false));
    }
}
