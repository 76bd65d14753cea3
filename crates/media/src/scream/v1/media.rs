//! The target bitrate of the encoder (RFC 8298, 4.1.3).

use super::super::config::Config;
use super::super::shared::{Shared, StreamBytes};
use super::edition::Edition;
use crate::ticks::{SECOND, TICK, Ticks};

/// Time between adjustments (RFC 8298, 4.1.3).
const ADJUST: Ticks = 13_107; // 200 ms
/// Time between computations of the rates; twice that at low rates.
const RATES: Ticks = 3277; // 50 ms
/// Scale on loss (RFC 8298, 4.1.3), and on classic ECN.
const LOSS_SCALE: f64 = 0.9;
const ECN_SCALE: f64 = 0.95;
/// Weight of the RTP queue and of the delay trend (RFC 8298, 4.1.3: 1 and 0.1).
const QUEUE_FACTOR: f64 = 0.2;
const TREND_GUARD: f64 = 0.1;
/// Least scale of growth near the last maximum (RFC 8298, 4.1.3: 0.2).
const NEAR_FLOOR: f64 = 0.05;

/// Input from the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub l4s: bool,
    pub alpha: f64,
    pub fast_start: bool,
    pub trend: f64,
}

/// Averages over 8 intervals, in bit/s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    /// Made by the encoder, sent, acknowledged.
    pub made: f64,
    pub sent: f64,
    pub acked: f64,
}

#[derive(Debug)]
pub(super) struct MediaRate {
    target: f64,
    /// The last known largest bitrate before congestion, and the candidates for it.
    inflection: f64,
    candidates: [f64; 3],
    next: usize,
    inflection_at: Ticks,
    congestion: Option<Congestion>,
    was_growing: bool,
    queued_bits: f64,
    adjusted: Ticks,
    rates: Rates,
    history: [Rates; 8],
    at: usize,
    computed: Ticks,
    checked: Ticks,
    limits: (f64, f64),
    edition: Edition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Congestion {
    Loss,
    Ecn,
}

impl Rates {
    pub fn largest(&self) -> f64 {
        self.sent.max(self.acked)
    }
}

impl MediaRate {
    pub fn new(config: &Config, edition: Edition) -> MediaRate {
        MediaRate {
            target: config.start_bitrate,
            inflection: 1.0,
            candidates: [0.0; 3],
            next: 0,
            inflection_at: 0,
            congestion: None,
            was_growing: false,
            queued_bits: 0.0,
            adjusted: 0,
            rates: Rates::default(),
            history: [Rates::default(); 8],
            at: 0,
            computed: 0,
            checked: 0,
            limits: (config.options.growth(), config.options.ramp_up_share),
            edition,
        }
    }

    pub fn target(&self) -> f64 {
        self.target
    }

    pub fn rates(&self) -> Rates {
        self.rates
    }

    pub fn on_congestion(&mut self, loss: bool) {
        let seen = if loss { Congestion::Loss } else { Congestion::Ecn };
        // A loss outranks a mark.
        if self.congestion != Some(Congestion::Loss) {
            self.congestion = Some(seen);
        }
    }

    pub fn scale(&mut self, factor: f64, shared: &Shared) {
        self.target = shared.clamp_bitrate(self.target * factor);
    }

    /// Computes the rates if it is time.
    pub fn update_rates(&mut self, now: Ticks, bytes: &mut StreamBytes) {
        let interval = if self.rates.acked < 5e4 { 2 * RATES } else { RATES };
        if now.saturating_sub(self.checked) <= interval {
            return;
        }
        self.checked = now;
        if self.computed != 0 {
            let seconds = now.saturating_sub(self.computed) as f64 * TICK;
            let rate = |bytes: u64| bytes as f64 * 8.0 / seconds;
            self.history[self.at] =
                Rates { made: rate(bytes.made), sent: rate(bytes.sent), acked: rate(bytes.acked) };
            self.at = (self.at + 1) % self.history.len();
            let mean = |of: fn(&Rates) -> f64| self.history.iter().map(of).sum::<f64>() / 8.0;
            self.rates =
                Rates { made: mean(|r| r.made), sent: mean(|r| r.sent), acked: mean(|r| r.acked) };
        }
        *bytes = StreamBytes::default();
        self.computed = now;
    }

    /// A frame has been made: adapts the target if it is time.
    pub fn update(&mut self, now: Ticks, facts: Facts, shared: &mut Shared) {
        shared.await_discards(now);
        if self.adjusted == 0 {
            self.adjusted = now;
        }
        if let Some(congestion) = self.congestion.take() {
            self.back_off(now, congestion, facts, shared);
        } else if now.saturating_sub(self.adjusted) >= ADJUST {
            self.adjust(now, facts, shared);
        } else {
            return;
        }
        self.adjusted = now;
        self.target = shared.clamp_bitrate(self.target);
    }

    /// Rate is reduced a little, so that frames do not pile up in the RTP queue.
    fn back_off(&mut self, now: Ticks, congestion: Congestion, facts: Facts, shared: &mut Shared) {
        // The reference code's 2,000,000 ticks, about 30 s.
        if now.saturating_sub(self.inflection_at) > 2_000_000 {
            self.note_inflection(now);
        }
        self.target *= match congestion {
            Congestion::Loss => LOSS_SCALE,
            Congestion::Ecn if facts.l4s => 1.0 - facts.alpha / 4.0,
            Congestion::Ecn => ECN_SCALE,
        };
        self.target = self.target.max(shared.config.min_bitrate);
        if shared.discard_if_old(now, self.edition.discards_apart) {
            self.queued_bits = 0.0;
        }
    }

    fn note_inflection(&mut self, now: Ticks) {
        let candidate = self.rates.largest().min(self.target);
        self.candidates[self.next] = candidate;
        self.next = (self.next + 1) % self.candidates.len();
        self.inflection = self.candidates.iter().fold(candidate, |a, b| a.max(*b));
        self.inflection_at = now;
    }

    fn adjust(&mut self, now: Ticks, facts: Facts, shared: &mut Shared) {
        let near = scale_near(self.target, self.inflection).max(NEAR_FLOOR);
        let queued = self.note_queue(shared);
        let (speed, share) = self.limits;
        let step = speed.min(self.target * share) * (ADJUST as f64 / SECOND as f64);
        if shared.discard_if_old(now, self.edition.discards_apart) {
            self.queued_bits = 0.0;
        } else if facts.fast_start && shared.queue.delay(now) < 0.1 {
            self.target += step * near * self.held_back();
            self.was_growing = true;
        } else {
            if core::mem::take(&mut self.was_growing)
                && now.saturating_sub(self.inflection_at) > SECOND
            {
                self.note_inflection(now);
            }
            self.follow(facts, (queued, near, step));
        }
    }

    /// Bits that wait in the RTP queue beside the newest frame, at most 20 ms of data.
    fn note_queue(&mut self, shared: &Shared) -> f64 {
        let waiting = shared.queue.bytes() - shared.queue.last_frame_bytes();
        let queued = (8.0 * waiting as f64).min((self.target * 0.02) as i64 as f64);
        self.queued_bits = 0.5 * self.queued_bits + 0.5 * queued;
        queued
    }

    fn held_back(&self) -> f64 {
        self.edition.hold_back.factor(self.target, self.rates.largest())
    }

    /// Towards the rate that gets through. RFC 8298's pseudo-code forgets to take the
    /// target off; what is meant is the difference.
    fn follow(&mut self, facts: Facts, (queued, near, step): (f64, f64, f64)) {
        let mut change = self.rates.largest() * (1.0 + 0.05 * (5e4 / self.target).min(1.0));
        if !facts.l4s || facts.alpha < self.edition.few_marks {
            change = change * (1.0 - TREND_GUARD * facts.trend) - QUEUE_FACTOR * self.queued_bits;
        }
        change -= self.target;
        if queued > 12_000.0 && change > 0.0 {
            change = 0.0;
        }
        if change > 0.0 {
            self.was_growing = true;
            change = (change * near).min(step) * self.held_back();
        } else if self.rates.made < self.target || self.rates.made > self.target * 2.0 {
            // The encoder is idle, or has just made a large key frame.
            change = 0.0;
        }
        self.target += change;
    }
}

/// Growth is slow near the last known largest bitrate (RFC 8298, 4.1.3).
fn scale_near(target: f64, inflection: f64) -> f64 {
    let distance = 4.0 * (target - inflection) / inflection;
    (distance * distance).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scream::Pacing;

    #[test]
    fn growth_near_the_last_maximum() {
        // (4 d)^2 of RFC 8298's pseudo-code, without its floor.
        let scale = [5e6, 9e6, 10e6, 12e6].map(|target| scale_near(target, 10e6));
        let expected = [1.0, 0.16, 0.0, 0.64];
        scale.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
    }

    #[test]
    fn a_loss_outranks_a_mark() {
        let mut media = MediaRate::new(&Config::default(), Edition::of(Pacing::Target));
        media.on_congestion(true);
        media.on_congestion(false);
        assert_eq!(media.congestion, Some(Congestion::Loss));
    }
}
