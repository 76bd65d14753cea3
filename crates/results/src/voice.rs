//! The E-model of ITU-T G.107: quality of voice from delay and loss.
//!
//! All parameters but delay, loss and codec are the defaults of G.107, 7.7, with which a connection without delay and loss
//! has a rating of 93.2. Echo is perfectly cancelled, so that of the delay only the absolute one impairs.

use airpath_base::{Duration, math};

use crate::DelaySummary;

/// Rating of a connection without delay and loss, all parameters at their defaults (G.107, 7.7).
const BEST: f64 = 93.2;

/// Time that a packet has to come while none has: the limit for planning of the one-way delay (ITU-T G.114).
const LONGEST: Duration = Duration::from_millis(400);

/// A codec as the E-model sees it (ITU-T G.113, appendix I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceCodec {
    /// Equipment impairment factor without loss, Ie.
    pub impairment: f64,
    /// Packet-loss robustness factor, Bpl.
    pub robustness: f64,
}

/// Voice quality of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// Transmission rating factor R, 0 to 100.
    pub rating: f64,
    /// Mean opinion score that G.107, annex B, expects for it, 1 to 4.5.
    pub mos: f64,
}

impl Voice {
    /// Quality with this one-way delay in milliseconds and this share of packets lost at random.
    pub fn of(codec: VoiceCodec, delay_ms: f64, loss: f64) -> Voice {
        let lost = 100.0 * loss;
        // G.107, 7.5, with a burst ratio of 1.
        let equipment =
            codec.impairment + (95.0 - codec.impairment) * lost / (lost + codec.robustness);
        let rating = (BEST - absolute_delay(delay_ms) - equipment).clamp(0.0, 100.0);
        Voice { rating, mos: mos(rating) }
    }

    /// Quality with a play-out buffer of fixed delay, the best of those that the 95th and the 99th percentile and the largest
    /// delay give. What comes later is lost, beside the packets of `sent` that `lost` counts. These were dropped, or have not
    /// come in the time that it is given. A call of which nothing has come has rating 0. None if nothing is lost either.
    pub fn of_flow(
        codec: VoiceCodec,
        delays: Option<&DelaySummary>,
        lost: impl Fn(Duration) -> u64,
        sent: u64,
    ) -> Option<Voice> {
        let Some(delays) = delays else {
            return (lost(LONGEST) > 0).then(|| Voice { rating: 0.0, mos: mos(0.0) });
        };
        let buffers = [(delays.p95, 0.05), (delays.p99, 0.01), (delays.max, 0.0)];
        let each = buffers.map(|(at, late)| {
            let lost = lost(Duration::from_secs_f64(at / 1e3)) as f64 / sent.max(1) as f64;
            Voice::of(codec, at, lost + (1.0 - lost) * late)
        });
        each.into_iter().reduce(|a, b| if b.rating > a.rating { b } else { a })
    }
}

/// Impairment by an absolute delay in milliseconds (G.107, 7.4, Idd, with default sensitivity).
fn absolute_delay(ms: f64) -> f64 {
    if ms <= 100.0 {
        return 0.0;
    }
    let x = math::ln(ms / 100.0) / math::ln(2.0);
    let term = |x: f64| math::pow(1.0 + math::pow(x, 6.0), 1.0 / 6.0);
    25.0 * (term(x) - 3.0 * term(x / 3.0) + 2.0)
}

/// Mean opinion score of a rating (G.107, annex B).
fn mos(rating: f64) -> f64 {
    match rating {
        r if r <= 0.0 => 1.0,
        r if r >= 100.0 => 4.5,
        r => (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: VoiceCodec = VoiceCodec { impairment: 0.0, robustness: 25.1 };

    fn close(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() <= by, "{found}, not {expected}");
    }

    #[test]
    fn without_delay_and_loss_the_rating_is_the_default() {
        // G.107: R = 93.2 and MOS = 4.41 with all defaults.
        let best = Voice::of(G711, 0.0, 0.0);
        assert_eq!(best.rating, 93.2);
        close(best.mos, 4.41, 0.005);
    }

    #[test]
    fn a_codec_alone_takes_its_impairment() {
        // G.729A: Ie 11 (G.113, table I.1), so R = 82.2 and MOS 4.10 (annex B).
        let g729 = Voice::of(VoiceCodec { impairment: 11.0, robustness: 19.0 }, 50.0, 0.0);
        close(g729.rating, 82.2, 1e-9);
        close(g729.mos, 4.10, 0.01);
    }

    #[test]
    fn a_delay_of_400_ms_by_hand() {
        // x = 2: 25 (65^(1/6) - 3 (1 + (2/3)^6)^(1/6) + 2).
        let expected = 25.0 * (2.005_175 - 3.0 * 1.014_199 + 2.0);
        close(absolute_delay(400.0), expected, 0.01);
        assert_eq!(absolute_delay(100.0), 0.0);
    }

    #[test]
    fn a_loss_of_a_percent_by_hand() {
        // 95 x 1 / (1 + 25.1).
        close(Voice::of(G711, 0.0, 0.01).rating, 93.2 - 3.639_847, 1e-5);
    }

    #[test]
    fn the_best_of_three_buffers_counts() {
        let of = |ms: u64, n| std::iter::repeat_n(ms * 1_000_000, n);
        let delays: Vec<u64> = of(60, 95).chain(of(90, 4)).chain(of(700, 1)).collect();
        let delays = DelaySummary::of(&delays).expect("delays");
        let voice = Voice::of_flow(G711, Some(&delays), |_| 0, 1_000).expect("packets came");
        // 1% lost at 90 ms is better than 5% at 60 ms and than 700 ms.
        close(voice.rating, 93.2 - 3.639_847, 1e-5);
    }

    #[test]
    fn what_has_not_come_by_its_buffer_is_lost() {
        let delays = DelaySummary::of(&[20_000_000; 100]).expect("delays");
        let lost = |limit: Duration| if limit < Duration::from_millis(30) { 100 } else { 0 };
        let voice = Voice::of_flow(G711, Some(&delays), lost, 200).expect("packets came");
        // 95 x 50 / (50 + 25.1).
        close(voice.rating, 93.2 - 63.249, 1e-3);
    }

    #[test]
    fn a_call_of_which_nothing_has_come_is_the_worst() {
        assert_eq!(Voice::of_flow(G711, None, |_| 10, 10), Some(Voice { rating: 0.0, mos: 1.0 }));
        // None is lost, and what was sent may still come.
        assert_eq!(Voice::of_flow(G711, None, |_| 0, 10), None);
    }
}
