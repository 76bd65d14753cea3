//! Version 2: the reference window of draft-ietf-ccwg-rfc8298bis-screamv2.
//!
//! Where the draft and EricssonResearch/scream of early 2026 differ, constants and order
//! are those of the code. Left out: competing flows, several streams of one sender, the
//! choice of a packet size, and the compensation of an encoder that misses its target.

mod alpha;
mod latency;
mod media;
mod relief;

use super::flight::{Fate, LossRule, Passed};
use super::shared::{Acked, Shared};
use super::window::Window;
use crate::ticks::{SECOND, TICK, Ticks};
use alpha::Alpha;
use latency::Latency;
use media::MediaRate;
use relief::{Relief, Wish};

/// Thirty milliseconds: least time between two reactions, and reordering margin.
const THIRTY_MS: Ticks = 1966;
/// Fifty milliseconds.
const FIFTY_MS: Ticks = 3277;
/// The RTT before it is measured, and from which on the window grows at full speed.
pub(super) const INITIAL_SRTT: Ticks = 3277;
const VIRTUAL_RTT: f64 = 0.025;
/// Scale of the window on loss and on classic ECN.
const BETA_LOSS: f64 = 0.7;
const BETA_ECN: f64 = 0.8;
/// Factor by which the window may exceed the bytes in flight.
const IN_FLIGHT_HEADROOM: f64 = 2.0;
/// Factors by which the bytes in flight may exceed the window.
const WINDOW_HEADROOM: (f64, f64) = (1.5, 3.0);
/// Multiplicative increase: the share of the window by which it grows in an RTT at most,
/// reached so many RTTs after the last congestion.
const MULTIPLICATIVE: f64 = 0.05;
const POST_CONGESTION_RTTS: f64 = 200.0;
/// Losses count from this share of packets on, or if the queue is longer than a quarter of
/// its target.
const LOSS_SHARE: f64 = 0.01;

pub(super) const LOSS_RULE: LossRule =
    LossRule { reordering: THIRTY_MS, window: 512, beyond: 32, by_frame: true };

#[derive(Debug)]
pub(super) struct V2 {
    window: Window,
    inflection: Inflection,
    newly_acked: u64,
    newly_marked: u64,
    in_flight: InFlight,
    loss_event: bool,
    loss_share: f64,
    ce_event: bool,
    ce_reported: bool,
    new_frame: bool,
    event_at: Ticks,
    congested_at: Ticks,
    updated: Ticks,
    slow_update: Ticks,
    headroom: f64,
    pace: f64,
    alpha: Alpha,
    latency: Latency,
    virtual_alpha: f64,
    media: MediaRate,
    relief: Relief,
}

/// Largest in flight since the last slow update, and the one before; and a history.
#[derive(Debug, Default)]
struct InFlight {
    most: u64,
    before: u64,
    history: [u64; 20],
    at: usize,
}

/// The window at which congestion was met.
#[derive(Debug)]
struct Inflection {
    cwnd: i64,
    /// True if the window has grown since.
    grown: bool,
}

impl V2 {
    pub fn new(shared: &Shared) -> V2 {
        let config = &shared.config;
        V2 {
            window: Window::new(config, true),
            inflection: Inflection { cwnd: 1, grown: true },
            newly_acked: 0,
            newly_marked: 0,
            in_flight: InFlight::default(),
            loss_event: false,
            loss_share: 0.0,
            ce_event: false,
            ce_reported: false,
            new_frame: false,
            event_at: 0,
            congested_at: 0,
            updated: 0,
            slow_update: 0,
            headroom: WINDOW_HEADROOM.1,
            pace: 0.0,
            alpha: Alpha::default(),
            latency: Latency::default(),
            virtual_alpha: 0.0,
            media: MediaRate::new(config),
            relief: Relief::default(),
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

    /// Rate for the encoder: the target, or half of it for a moment.
    pub fn encoder_target(&mut self, now: Ticks, shared: &mut Shared) -> f64 {
        let high = self.latency.floor.value() > shared.queue_delay_target / 8.0;
        match high.then(|| self.relief.ask(now, shared.path.srtt)) {
            None | Some(Wish::Target) => self.target(),
            Some(Wish::Half) => self.target() / 2.0,
            Some(Wish::Anew) => {
                self.latency.floor.forget();
                shared.path.forget();
                self.target()
            }
        }
    }

    /// Time from packet to packet.
    pub fn pace(&self) -> Ticks {
        (self.pace / TICK) as Ticks
    }

    /// A frame of `bytes` has been put into the RTP queue.
    pub fn on_frame(&mut self, now: Ticks, bytes: u64, shared: &mut Shared) {
        self.new_frame = true;
        self.media.on_frame(now, bytes, shared);
        if shared.drain(now) {
            return;
        }
        shared.bytes.made += bytes;
        self.window.grow_mss(shared.queue.next_size().unwrap_or(0));
    }

    /// The sender looks whether it may send.
    pub fn before_transmit(&mut self, now: Ticks, shared: &mut Shared) {
        self.media.update_rates(now, &mut shared.bytes);
        self.window.forget_mss(now);
    }

    /// True if the window has room for a packet.
    pub fn may_send(&self, size: u32, shared: &Shared) -> bool {
        let in_flight = shared.flight.bytes() as f64 + f64::from(size);
        in_flight <= self.window.cwnd as f64 * self.headroom + self.window.mss() as f64
    }

    pub fn on_sent(&mut self, size: u32) {
        self.window.grow_mss(size);
    }

    /// A packet is reported, for the first time or again.
    pub fn on_reported(&mut self, shared: &Shared) {
        self.in_flight.most = self.in_flight.most.max(shared.flight.bytes());
    }

    pub fn on_acked(&mut self, now: Ticks, acked: Acked, shared: &mut Shared) {
        self.alpha.add(acked);
        self.ce_reported |= acked.ce;
        self.newly_marked += if acked.ce { acked.size } else { 0 };
        if shared.path.queue < 0.001 {
            // No standing queue: its base needs no refreshing for long.
            shared.path.refreshed = now.checked_sub(3 * shared.path.srtt);
        }
    }

    /// After each packet reported.
    pub fn on_delay(&mut self, shared: &Shared) {
        self.latency.note(shared.path.queue, shared.queue_delay_target);
    }

    pub fn on_passed(&mut self, now: Ticks, passed: &Passed, shared: &Shared) {
        self.newly_acked += passed.bytes;
        let apart = now.saturating_sub(self.event_at) > shared.path.srtt;
        let queued = self.latency.average() > shared.queue_delay_target / 4.0;
        let gain =
            (self.window.mss_now() as f64 / self.window.cwnd as f64 / 2.0).min(LOSS_SHARE / 4.0);
        for fate in &passed.fates {
            let lost = *fate == Fate::Lost;
            self.loss_event |= lost && apart && (queued || self.loss_share > LOSS_SHARE);
            self.loss_share += gain * (f64::from(u8::from(lost)) - self.loss_share);
        }
    }

    /// A report has been read to its end.
    pub fn on_report(&mut self, now: Ticks, shared: &mut Shared) {
        let srtt = shared.path.srtt;
        let interval = srtt.min(THIRTY_MS);
        let ce = core::mem::take(&mut self.ce_reported);
        if ce && now.saturating_sub(self.event_at) > interval {
            self.ce_event = true;
            self.event_at = now;
        }
        if shared.config.options.is_l4s() {
            self.alpha.update(now, srtt);
        } else {
            self.alpha.ignore();
        }
        self.latency.update(now, interval, &shared.path);
        let virtual_event = self.check_delay(now, interval, shared);
        if shared.path.srtt_fast_before > shared.path.srtt_fast && self.alpha.share() >= 1.0 {
            // The queue shrinks already, although all is marked.
            self.ce_event = false;
        }
        let event = self.loss_event || self.ce_event || virtual_event;
        if event {
            self.event_at = now;
        }
        if self.updated == 0 {
            self.updated = now;
        }
        if event || self.new_frame || now.saturating_sub(self.updated) > interval {
            self.update_window(now, virtual_event, shared);
            self.media.update(now, shared);
            self.ce_event = false;
            self.new_frame = false;
            self.updated = now;
        }
    }

    /// Too long a queue counts as marks, unless real ones are seen.
    fn check_delay(&mut self, now: Ticks, interval: Ticks, shared: &Shared) -> bool {
        let half = shared.queue_delay_target / 2.0;
        let excess = self.latency.average() - half;
        if excess <= 0.0 || now.saturating_sub(self.event_at) <= interval {
            return false;
        }
        self.virtual_alpha = (excess / half).min(1.0) / slow_down(shared.path.srtt);
        true
    }

    fn update_window(&mut self, now: Ticks, virtual_event: bool, shared: &mut Shared) {
        self.pace = self.media.pace_interval(self.window.mss());
        self.latency.floor.note(shared.path.queue);
        if now.saturating_sub(self.slow_update) > FIFTY_MS {
            self.update_slowly(now, shared);
        }
        self.headroom =
            WINDOW_HEADROOM.0 + (WINDOW_HEADROOM.1 - WINDOW_HEADROOM.0) * self.latency.scale();
        let share = self.window.mss() as f64 / self.window.cwnd as f64;
        let near = self.inflection.scale(self.window.cwnd);
        let rtts = POST_CONGESTION_RTTS * shared.path.srtt as f64;
        let mut recovered = (now.saturating_sub(self.congested_at) as f64 / rtts).min(1.0);
        if self.loss_event || self.ce_event || virtual_event {
            self.back_off(now, near, shared);
            recovered = 0.0;
        }
        self.grow((share, near, recovered), shared);
        (self.newly_acked, self.newly_marked) = (0, 0);
        self.media.share(&self.window, share, shared);
    }

    fn back_off(&mut self, now: Ticks, near: f64, shared: &Shared) {
        self.inflection.update(self.window.cwnd);
        let scale = if core::mem::take(&mut self.loss_event) {
            BETA_LOSS
        } else if self.ce_event && !shared.config.options.is_l4s() {
            BETA_ECN
        } else if self.ce_event {
            self.scale_by_marks(now, near, shared)
        } else {
            1.0 - self.soften(self.virtual_alpha / 2.0, shared)
        };
        self.window.scale(scale);
        self.congested_at = now;
    }

    fn scale_by_marks(&mut self, now: Ticks, near: f64, shared: &Shared) -> f64 {
        const LONG_RTTS: f64 = 100.0;
        let mut back_off = self.soften(self.alpha.value() / 2.0, shared);
        if shared.path.queue < shared.queue_delay_target * 0.25 {
            back_off *= near.max(0.25) * self.latency.scale().max(0.25);
        }
        let long = LONG_RTTS * shared.path.srtt_seconds().max(VIRTUAL_RTT);
        if now.saturating_sub(self.congested_at) as f64 * TICK > long {
            // The link had been faster than the media: the window has grown far above
            // what was in flight.
            self.window.cwnd = self.window.cwnd.min(self.in_flight.before as i64);
        }
        1.0 - back_off
    }

    /// A reaction comes several times in a long RTT, and is a quarter if the target is
    /// already far below what arrives.
    fn soften(&self, back_off: f64, shared: &Shared) -> f64 {
        let reacted = self.media.target() < 0.8 * self.media.acked();
        back_off / slow_down(shared.path.srtt) * if reacted { 0.25 } else { 1.0 }
    }

    /// Grows by what was acknowledged without mark; `share` is that of a packet in the
    /// window.
    fn grow(&mut self, (share, near, recovered): (f64, f64, f64), shared: &mut Shared) {
        let (cwnd, mss) = (self.window.cwnd as f64, self.window.mss() as f64);
        let unmarked = self.newly_acked as f64 - self.newly_marked as f64;
        let additive = unmarked
            * share
            * near.max(0.25)
            * (shared.path.srtt_seconds() / VIRTUAL_RTT).min(1.0)
            * self.latency.scale().clamp(0.1, 1.0);
        let step = additive * (1.0 + MULTIPLICATIVE * cwnd / mss * recovered * near);
        let grown = self.window.cwnd + (step + 0.5) as i64;
        let most = mss + self.in_flight.most.max(self.in_flight.before) as f64 * IN_FLIGHT_HEADROOM;
        // A window far above what is in flight is not made use of.
        shared.path.falls_slowly = most < cwnd;
        if grown as f64 <= most && self.media.target() < shared.config.max_bitrate {
            self.inflection.grown |= grown > self.window.cwnd;
            self.window.cwnd = grown;
        }
        self.window.hold();
    }

    fn update_slowly(&mut self, now: Ticks, shared: &Shared) {
        let at = self.in_flight.at;
        self.in_flight.history[at] = self.in_flight.most;
        self.in_flight.at = (at + 1) % self.in_flight.history.len();
        let max_bitrate = shared.config.max_bitrate;
        if self.media.target() > 0.95 * max_bitrate {
            // Near the largest bitrate a larger window only makes the next congestion
            // worse.
            let most = self.in_flight.history.iter().copied().max().unwrap_or(0);
            let enough =
                media::PACING_HEADROOM * max_bitrate / 8.0 * (shared.path.srtt_seconds() + 0.001);
            self.window.cwnd = self.window.cwnd.min((most as i64).max(enough as i64));
        }
        if now > 2 * SECOND {
            self.in_flight.before = core::mem::take(&mut self.in_flight.most);
        }
        self.slow_update = now;
    }
}

impl Inflection {
    /// Growth and back-off are small near it.
    fn scale(&self, cwnd: i64) -> f64 {
        let distance = 8.0 * (cwnd - self.cwnd) as f64 / self.cwnd as f64;
        (distance * distance).clamp(0.1, 1.0)
    }

    /// Congestion met the window at `cwnd`: noted if it had grown since the last time.
    fn update(&mut self, cwnd: i64) {
        if core::mem::take(&mut self.grown) {
            self.cwnd = cwnd;
        }
    }
}

/// Number of reactions in an RTT.
fn slow_down(srtt: Ticks) -> f64 {
    (srtt as f64 / THIRTY_MS as f64).max(1.0)
}
