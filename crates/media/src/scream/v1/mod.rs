//! Version 1: the window of RFC 8298 with the L4S extension of 2020.
//!
//! The constants are those of EricssonResearch/scream in mid 2020 where they differ from
//! RFC 8298's; each says so. [`Edition`] has what differed in early 2020. Left out:
//! competing flows (RFC 8298, 4.1.2.2, the queue delay target then rises to at most
//! 300 ms) and several streams of one sender.

mod alpha;
mod edition;
mod limit;
mod media;
mod trend;

use super::config::Pacing;
use super::flight::{LossRule, Passed};
use super::shared::{Acked, Shared};
use super::window::Window;
use crate::ticks::{SECOND, TICK, Ticks};
use alpha::Alpha;
use edition::Edition;
use limit::InFlightLimit;
use media::MediaRate;
use trend::DelayTrend;

/// Ten milliseconds: reordering margin (RFC 8298, 4.1.2.4) and time between updates of
/// the window.
const TEN_MS: Ticks = 655;
/// Fifty milliseconds.
const FIFTY_MS: Ticks = 3277;
/// Scale of the window on loss (RFC 8298, 4.1.1.1) and on classic ECN.
const BETA_LOSS: f64 = 0.8;
const BETA_ECN: f64 = 0.9;
/// Gain of the decrease when the queue delay is above its target (RFC 8298: 1; the
/// reference code of 2020: 5).
const GAIN_DOWN: f64 = 5.0;
/// Fast start resumes after so long without congestion (RFC 8298, 4.1.2.2: 5 s).
const RESUME: Ticks = SECOND;

pub(super) const LOSS_RULE: LossRule =
    LossRule { reordering: TEN_MS, window: 256, beyond: 0, by_frame: false };

#[derive(Debug)]
pub(super) struct V1 {
    pacing: Pacing,
    at_markers: bool,
    window: Window,
    fast_start: bool,
    newly_acked: u64,
    loss_event: bool,
    ce_event: bool,
    ce_reported: bool,
    event_at: Ticks,
    congested_at: Ticks,
    updated: Ticks,
    slow_update: Ticks,
    pace: f64,
    alpha: Alpha,
    limit: InFlightLimit,
    trend: DelayTrend,
    media: MediaRate,
    floor: DelayFloor,
}

/// The least queue delay over some time: if it stays high, its base is wrong.
#[derive(Debug)]
struct DelayFloor {
    least: f64,
    average: f64,
    reset_at: Ticks,
}

impl V1 {
    pub fn new(shared: &Shared) -> V1 {
        let config = &shared.config;
        let pacing = config.options.pacing;
        let edition = Edition::of(pacing);
        V1 {
            pacing,
            at_markers: edition.at_markers,
            window: Window::new(config, false),
            fast_start: true,
            newly_acked: 0,
            loss_event: false,
            ce_event: false,
            ce_reported: false,
            event_at: 0,
            congested_at: 0,
            updated: 0,
            slow_update: 0,
            pace: 0.0,
            alpha: Alpha::new(edition.alpha),
            limit: InFlightLimit::new(edition.headroom),
            trend: DelayTrend::default(),
            media: MediaRate::new(config, edition),
            floor: DelayFloor { least: f64::INFINITY, average: 0.0, reset_at: 0 },
        }
    }

    pub fn cwnd(&self) -> u64 {
        self.window.cwnd as u64
    }

    pub fn target(&self) -> f64 {
        self.media.target()
    }

    pub fn alpha(&self) -> f64 {
        self.alpha.value()
    }

    /// Time from packet to packet.
    pub fn pace(&self) -> Ticks {
        (self.pace / TICK) as Ticks
    }

    /// A frame of `bytes` has been put into the RTP queue.
    pub fn on_frame(&mut self, now: Ticks, bytes: u64, shared: &mut Shared) {
        self.update_media(now, shared);
        if shared.drain(now) {
            return;
        }
        shared.bytes.made += bytes;
        self.window.grow_mss(shared.queue.next_size().unwrap_or(0));
    }

    /// The sender looks whether it may send.
    pub fn before_transmit(&mut self, now: Ticks, shared: &mut Shared) {
        self.media.update_rates(now, &mut shared.bytes);
        self.limit.note(shared.flight.bytes());
        if self.window.forget_mss(now) {
            self.limit.store();
        }
    }

    /// True if losses are looked for at the end of a frame within a report, too.
    pub fn looks_at_markers(&self) -> bool {
        self.at_markers
    }

    /// True if the window has room for a packet (RFC 8298, 4.1.2).
    pub fn may_send(&self, size: u32, shared: &Shared) -> bool {
        let short = shared.path.queue < shared.queue_delay_target;
        let slack = if short { self.window.mss() } else { 0 };
        shared.flight.bytes() as i64 + i64::from(size) <= self.window.cwnd + slack
    }

    pub fn on_sent(&mut self, size: u32) {
        self.window.grow_mss(size);
    }

    /// A packet is reported, for the first time or again.
    pub fn on_reported(&mut self, shared: &Shared) {
        self.limit.sample(shared.flight.bytes());
    }

    pub fn on_acked(&mut self, acked: Acked) {
        self.ce_reported |= self.alpha.add(acked);
    }

    pub fn on_passed(&mut self, now: Ticks, passed: &Passed, shared: &Shared) {
        self.newly_acked += passed.bytes;
        let apart = now.saturating_sub(self.event_at) > shared.path.srtt;
        self.loss_event |= passed.lost_packets() > 0 && apart;
    }

    /// A report has been read to its end.
    pub fn on_report(&mut self, now: Ticks, shared: &mut Shared) {
        let srtt = shared.path.srtt;
        // Once per RTT (RFC 8298, 4.1.2.1).
        if core::mem::take(&mut self.ce_reported) && now.saturating_sub(self.event_at) > srtt {
            self.ce_event = true;
        }
        if shared.config.options.is_l4s() {
            self.alpha.update(now, srtt, self.newly_acked);
        }
        if self.loss_event || self.ce_event {
            self.event_at = now;
            self.media.on_congestion(self.loss_event);
        }
        if self.updated == 0 {
            self.updated = now;
        }
        if now.saturating_sub(self.updated) > TEN_MS {
            self.update_window(now, shared);
            self.updated = now;
        }
    }

    fn update_window(&mut self, now: Ticks, shared: &mut Shared) {
        let since = now.saturating_sub(self.updated) as f64 * TICK;
        self.floor.check(now, shared);
        let fraction = shared.path.queue / shared.queue_delay_target;
        self.trend.average(fraction);
        if now.saturating_sub(self.slow_update) > FIFTY_MS {
            self.update_slowly(now, fraction, shared);
        }
        if self.loss_event {
            self.back_off(now, BETA_LOSS);
            self.loss_event = false;
        } else if self.ce_event {
            let l4s = shared.config.options.is_l4s();
            self.back_off(now, if l4s { 1.0 - self.alpha.value() / 2.0 } else { BETA_ECN });
            self.ce_event = false;
        } else {
            self.adapt(now, since, shared);
        }
        self.validate(shared);
        self.resume_fast_start(now);
        self.newly_acked = 0;
    }

    fn back_off(&mut self, now: Ticks, scale: f64) {
        self.window.scale(scale);
        self.congested_at = now;
        self.fast_start = false;
    }

    /// No congestion event: fast start, or towards the queue delay target
    /// (RFC 8298, 4.1.2.2).
    fn adapt(&mut self, now: Ticks, since: f64, shared: &mut Shared) {
        const LEAVE_AT: f64 = 0.2;
        let off = (shared.queue_delay_target - shared.path.queue) / shared.queue_delay_target;
        // Not faster than 1.25 times what the last rates would give: after a stall of
        // the link, acknowledgements come at once.
        let rate = self.media.rates().largest();
        let bytes = match rate > 1e5 {
            true => (self.newly_acked as f64).min(1.25 * rate * since / 8.0),
            false => 2.0 * self.window.mss() as f64,
        };
        if self.fast_start && self.trend.value() < LEAVE_AT {
            if self.is_used(1.5, shared) {
                self.window.cwnd += bytes as i64;
            }
        } else if self.fast_start {
            self.fast_start = false;
        } else if off > 0.0 {
            if self.is_used(1.2, shared) {
                let step = off * bytes * self.window.mss() as f64 / self.window.cwnd as f64;
                self.window.cwnd += (step + 0.5) as i64;
            }
        } else {
            self.reduce(off, shared);
            self.congested_at = now;
        }
    }

    /// True if the flow uses its window, so that the window may grow.
    fn is_used(&self, margin: f64, shared: &Shared) -> bool {
        shared.flight.bytes() as f64 * margin + self.newly_acked as f64 > self.window.cwnd as f64
    }

    /// The queue delay is above its target: at most a quarter of the window off.
    fn reduce(&mut self, off: f64, shared: &Shared) {
        let (cwnd, mss) = (self.window.cwnd as f64, self.window.mss() as f64);
        let step = -GAIN_DOWN * off * self.newly_acked as f64 * mss / cwnd;
        let step = step.min(cwnd / 4.0);
        self.window.cwnd -= step as i64;
        if self.media.rates().largest() < 1e5 {
            self.media.scale(1.0 - step / self.window.cwnd as f64, shared);
        }
    }

    /// The window may not exceed by far what has been in flight (RFC 8298, 4.1.2.3).
    fn validate(&mut self, shared: &Shared) {
        let limit = self.limit.limit();
        if limit > 5000.0 {
            self.window.cwnd = self.window.cwnd.min(limit as i64);
        }
        if shared.path.srtt_seconds() < 0.01 && self.trend.value() < 0.1 {
            // Short RTTs are hard to measure: 10 ms of data at least.
            let least = (self.media.rates().sent * 0.01 / 8.0) as i64;
            self.window.cwnd = self.window.cwnd.max(least).max((limit * 1.5) as i64);
        }
        self.window.hold();
    }

    /// After a time without congestion.
    fn resume_fast_start(&mut self, now: Ticks) {
        if self.trend.value() > 0.2 {
            self.congested_at = now;
        } else if now.saturating_sub(self.congested_at) > RESUME && !self.fast_start {
            self.fast_start = true;
            self.congested_at = now;
        }
    }

    fn update_slowly(&mut self, now: Ticks, fraction: f64, shared: &Shared) {
        self.pace = self.pace_interval(shared);
        self.floor.average();
        let times = (now.saturating_sub(self.slow_update) / FIFTY_MS) as usize;
        self.trend.store(fraction, times, now > 2 * SECOND);
        self.limit.update(shared.flight.bytes(), self.trend.value());
        self.slow_update = now;
    }

    /// Time for a packet at the pacing rate, counted as the largest packet whatever its
    /// size, as the reference code does.
    fn pace_interval(&self, shared: &Shared) -> f64 {
        if self.trend.fraction() <= 0.02 && !shared.config.options.is_l4s() {
            return 0.0;
        }
        let rate = match self.pacing {
            Pacing::Target => (1.25 * self.media.target()).max(1e5),
            Pacing::Window => {
                let srtt = shared.path.srtt_seconds().max(0.001);
                1.5 * (self.window.cwnd as f64 * 8.0 / srtt).max(5e3)
            }
        };
        self.window.mss() as f64 * 8.0 / rate
    }

    fn update_media(&mut self, now: Ticks, shared: &mut Shared) {
        let facts = media::Facts {
            l4s: shared.config.options.is_l4s(),
            alpha: self.alpha.value(),
            fast_start: self.fast_start,
            trend: self.trend.value(),
        };
        self.media.update(now, facts, shared);
    }
}

impl DelayFloor {
    /// Forgets the base of the queue delay if it must be wrong.
    fn check(&mut self, now: Ticks, shared: &mut Shared) {
        self.least = self.least.min(shared.path.queue);
        let high = self.average > 0.25 * shared.queue_delay_target;
        if high && now.saturating_sub(self.reset_at) > 20 * SECOND {
            self.average = 0.0;
            self.reset_at = now;
            shared.path.forget();
        }
    }

    fn average(&mut self) {
        self.average = match self.least < self.average {
            true => self.least,
            false => 0.001 * self.least + 0.999 * self.average,
        };
        self.least = f64::INFINITY;
    }
}
