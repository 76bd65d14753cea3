//! The target bitrate of the encoder, and the pace.

use super::super::config::Config;
use super::super::shared::{Shared, StreamBytes};
use super::super::window::Window;
use crate::ticks::{SECOND, TICK, Ticks};

/// Factor between the pace and the target.
pub(super) const PACING_HEADROOM: f64 = 1.5;
/// Largest further factor for a large frame.
const FRAME_HEADROOM: f64 = 1.5;
/// Smallest pacing rate in bit/s, and interval in seconds.
const LEAST_PACE: f64 = 50e3;
const LEAST_INTERVAL: f64 = 10e-6;
/// Headers of RTP and UDP, which the target does not include.
const OVERHEAD: f64 = 20.0;
/// Rates are computed as often: 100 ms.
const RATES: Ticks = 6553;
/// Least time between two clearings of the RTP queue.
const DISCARDS_APART: Ticks = SECOND / 4;

#[derive(Debug)]
pub(super) struct MediaRate {
    target: f64,
    share: f64,
    /// The target is divided by 1 plus this, since frames pile up.
    adjustment: f64,
    /// Of the frames, in seconds.
    period: f64,
    last_frame: Ticks,
    /// Factor between the last frame's size and the average.
    frame_scale: f64,
    /// Rates that the encoder made, the last four.
    made: [f64; 4],
    at: usize,
    made_average: f64,
    acked: f64,
    computed: Ticks,
    checked: Ticks,
}

impl MediaRate {
    pub fn new(config: &Config) -> MediaRate {
        MediaRate {
            target: config.start_bitrate,
            share: config.min_bitrate,
            adjustment: 0.0,
            period: 0.02,
            last_frame: 0,
            frame_scale: 1.0,
            made: [0.0; 4],
            at: 0,
            made_average: 0.0,
            acked: 0.0,
            computed: 0,
            checked: 0,
        }
    }

    pub fn target(&self) -> f64 {
        self.target
    }

    /// Rate acknowledged lately in bit/s.
    pub fn acked(&self) -> f64 {
        self.acked
    }

    pub fn update_rates(&mut self, now: Ticks, bytes: &mut StreamBytes) {
        if now.saturating_sub(self.checked) <= RATES {
            return;
        }
        self.checked = now;
        if self.computed != 0 {
            let seconds = now.saturating_sub(self.computed) as f64 * TICK;
            self.acked = bytes.acked as f64 * 8.0 / seconds;
            self.made[self.at] = bytes.made as f64 * 8.0 / seconds;
            self.at = (self.at + 1) % self.made.len();
            self.made_average = self.made.iter().sum::<f64>() / self.made.len() as f64;
        }
        *bytes = StreamBytes::default();
        self.computed = now;
    }

    /// A frame has been put into the RTP queue.
    pub fn on_frame(&mut self, now: Ticks, bytes: u64, shared: &mut Shared) {
        if self.last_frame != 0 {
            let since = now.saturating_sub(self.last_frame) as f64 * TICK;
            self.period = 0.9 * since + 0.1 * self.period;
        }
        self.last_frame = now;
        let average = self.target * self.period / 8.0;
        self.note_queue(shared.queue.delay(now));
        let frame = shared.queue.bytes().max(bytes) as f64;
        self.frame_scale = match average > 500.0 {
            true => (frame / average).clamp(1.0, FRAME_HEADROOM),
            false => 1.0,
        };
        self.update(now, shared);
    }

    /// Frames should not wait for more than half a frame period.
    fn note_queue(&mut self, delay: f64) {
        if self.period > 0.0 {
            let error = 0.2 * (delay - self.period / 2.0) / self.period;
            self.adjustment = (self.adjustment + error / 8.0).clamp(0.0, 0.5);
        }
    }

    /// Follows the share of the window.
    pub fn update(&mut self, now: Ticks, shared: &mut Shared) {
        shared.await_discards(now);
        shared.discard_if_old(now, DISCARDS_APART);
        self.target = shared.clamp_bitrate(self.share / (1.0 + self.adjustment));
    }

    /// The rate that the window gives; a packet was `share` of it before it changed.
    pub fn share(&mut self, window: &Window, share: f64, shared: &Shared) {
        let (cwnd, mss) = (window.cwnd as f64, window.mss() as f64);
        // A millisecond more, since clocks are coarse.
        let rtt = (shared.path.srtt_seconds() + 0.001).clamp(0.001, 0.2);
        let few = 1.0 - (share - 0.1).clamp(0.0, 0.2);
        self.share =
            (8.0 * cwnd / rtt * few / 1.1 * mss / (mss + OVERHEAD)).min(shared.config.max_bitrate);
    }

    /// Time for a packet at the pacing rate, counted as the largest packet.
    pub fn pace_interval(&self, mss: i64) -> f64 {
        let rate = PACING_HEADROOM * self.frame_scale * self.target.max(self.made_average);
        (mss as f64 * 8.0 / rate.max(LEAST_PACE)).max(LEAST_INTERVAL)
    }
}
