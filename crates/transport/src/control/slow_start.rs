//! Leaving slow start before it overflows the queue: HyStart++ (RFC 9406), and HyStart as
//! Linux has it (Ha and Rhee, "Taming the elephants: New TCP slow start", Computer Networks
//! 55(9), 2011; Linux, tcp_cubic.c).
//!
//! HyStart++ compares the lowest RTT of a round with that of the round before, goes on slowly
//! and resumes if the RTT falls. HyStart compares it with the lowest of the connection, also
//! takes a train of closely spaced acknowledgements as long as half that for a full path, and
//! ends slow start at once. Left out of HyStart: what Linux adds for segmentation offload.
//!
//! Rounds are counted by what is delivered, as BBR does, instead of by sequence
//! numbers; the two differ only while segments are lost.

use airpath_base::{Duration, Time};

use super::AckSample;

/// When slow start ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HyStartKind {
    /// HyStart++ (RFC 9406).
    #[default]
    PlusPlus,
    /// HyStart as in Linux, with its constants and the thresholds of [`HyStartConfig`].
    Classic,
}

/// Windows below so many segments do not end slow start (Linux, hystart_low_window).
const CLASSIC_LOW_WINDOW: f64 = 16.0;
/// Acknowledgements so close are of one train (hystart_ack_delta).
const CLASSIC_ACK_DELTA: Duration = Duration::from_millis(2);

/// Options of HyStart++ and HyStart. Defaults: RFC 9406, 4.3; Linux' thresholds are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HyStartConfig {
    /// Which of the two. Default: HyStart++.
    pub kind: HyStartKind,
    /// Least rise of the RTT that counts (MIN_RTT_THRESH). Default: 4 ms.
    pub min_rtt_thresh: Duration,
    /// Rise of the RTT that always counts (MAX_RTT_THRESH). Default: 16 ms.
    pub max_rtt_thresh: Duration,
    /// The rise that counts is this part of the RTT (MIN_RTT_DIVISOR). Default: 8.
    pub rtt_divisor: u32,
    /// RTT samples that a round needs (N_RTT_SAMPLE). Default: 8.
    pub samples: u32,
    /// How much slower conservative slow start grows (CSS_GROWTH_DIVISOR).
    /// Default: 4.
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
    /// What had been delivered when the round began.
    round: u64,
    last: Option<Duration>,
    current: Option<Duration>,
    samples: u32,
    css: Option<Conservative>,
    /// Of HyStart: when the round began, and the last acknowledgement of the train.
    train: Option<(Time, Time)>,
}

impl HyStart {
    pub fn new(config: HyStartConfig) -> HyStart {
        let (last, current, css, train) = (None, None, None, None);
        HyStart { config, round: 0, last, current, samples: 0, css, train }
    }

    /// Bytes by which a window of `cwnd` bytes grows, and whether slow start is over after
    /// that (4.2). Called for each acknowledgement in slow start.
    pub fn grow(&mut self, sample: &AckSample, cwnd: f64, segment: f64) -> (f64, bool) {
        if sample.prior_delivered >= self.round {
            self.round = sample.delivered_in_all;
            (self.last, self.current, self.samples) = (self.current, None, 0);
            self.train = Some((sample.now, sample.now));
            if let Some(css) = &mut self.css {
                css.rounds += 1;
            }
        }
        if let Some(rtt) = sample.rtt {
            self.current = Some(self.current.map_or(rtt, |current| current.min(rtt)));
            self.samples = self.samples.saturating_add(1);
        }
        let growth = (sample.acked as f64).min(f64::from(self.config.limit) * segment);
        if self.config.kind == HyStartKind::Classic {
            let full = self.is_full(sample);
            return (growth, full && cwnd >= CLASSIC_LOW_WINDOW * segment);
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

    /// The rise of an RTT that counts.
    fn threshold(&self, rtt: Duration) -> Duration {
        let share = rtt / u64::from(self.config.rtt_divisor.max(1));
        share.min(self.config.max_rtt_thresh).max(self.config.min_rtt_thresh)
    }

    /// HyStart: whether a train of acknowledgements or the RTT says that the path is full.
    fn is_full(&mut self, sample: &AckSample) -> bool {
        let Some(min) = sample.min_rtt else { return false };
        if let Some((began, last)) = &mut self.train
            && sample.now.saturating_since(*last) <= CLASSIC_ACK_DELTA
        {
            *last = sample.now;
            if sample.now.saturating_since(*began) > min / 2 {
                return true;
            }
        }
        let enough = self.samples > self.config.samples;
        enough && self.current.is_some_and(|rtt| rtt > min + self.threshold(min))
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= self.config.samples) else {
            return;
        };
        match (self.css, self.last) {
            (None, Some(last)) if current >= last + self.threshold(last) => {
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
        let mut hystart = HyStart::new(HyStartConfig::default());
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
        let mut hystart = HyStart::new(HyStartConfig::default());
        round(&mut hystart, 0, 80);
        assert_eq!(round(&mut hystart, 1, 95).0, 250.0);
        assert_eq!(round(&mut hystart, 2, 81).0, 1000.0);
    }

    #[test]
    fn thresholds_have_their_bounds() {
        // 16 ms / 8 = 2 ms is below the 4 ms, 400 ms / 8 above the 16 ms.
        for (base, quiet, loud) in [(16, 19, 20), (400, 415, 416)] {
            for (rtt, growth) in [(quiet, 1000.0), (loud, 250.0)] {
                let mut hystart = HyStart::new(HyStartConfig::default());
                round(&mut hystart, 0, base);
                assert_eq!(round(&mut hystart, 1, rtt).0, growth, "{base} {rtt}");
            }
        }
    }

    #[test]
    fn an_acknowledgement_grows_by_eight_segments_at_most() {
        let mut hystart = HyStart::new(HyStartConfig::default());
        let sample = AckSample { acked: 20_000, ..AckSample::default() };
        assert_eq!(hystart.grow(&sample, 20_000.0, 1000.0), (8000.0, false));
    }

    /// The classic one, after a round of 16 at 20 ms: acknowledgements so far apart with an
    /// RTT that grows by so much each; after how many slow start is over.
    fn classic(apart: Duration, rise: Duration, cwnd: f64) -> Option<u64> {
        let kind = HyStartKind::Classic;
        let mut hystart = HyStart::new(HyStartConfig { kind, ..HyStartConfig::default() });
        let base = Duration::from_millis(20);
        (0..200u64).find(|n| {
            let sample = AckSample {
                now: Time::ZERO + apart * *n,
                acked: 1000,
                rtt: Some(base + rise),
                min_rtt: Some(base),
                delivered_in_all: 1000 * (n + 1),
                ..AckSample::default()
            };
            hystart.grow(&sample, cwnd, 1000.0).1
        })
    }

    #[test]
    fn the_classic_one_ends_at_a_rise_or_a_train() {
        // Linux, tcp_cubic.c: 20 ms / 8 is less than the least rise of 4 ms; the ninth sample
        // of a round decides.
        let (far, near) = (Duration::from_millis(5), Duration::from_micros(1000));
        let ms = Duration::from_millis;
        assert_eq!(classic(far, ms(4), 20_000.0), None);
        assert_eq!(classic(far, ms(5), 20_000.0), Some(8));
        // A train longer than half of 20 ms, of acknowledgements at most 2 ms apart.
        assert_eq!(classic(near, ms(0), 20_000.0), Some(11));
        assert_eq!(classic(ms(3), ms(0), 20_000.0), None);
        // Not below 16 segments.
        assert_eq!(classic(near, ms(5), 15_000.0), None);
    }
}
