//! NADA: a rate that follows one congestion signal of delay, marks and loss (RFC 8698).
//!
//! `Nada` computes the part of the receiver (RFC 8698, 4.2) at the sender, from reports of RFC 8888, as
//! RFC 8698, 5.3 allows. Each report makes one update of the reference rate (4.3).
//!
//! Left out:
//!
//! - the reset of the least delay for clocks that drift (5.1.1);
//! - the sender's rule for missing reports;
//! - rates of several flows of one sender together.

mod config;
mod delay;
mod loss;

use airpath_base::{Duration, Time, math};

use crate::paced::{Feedback, Rates, Rule, Window};
pub use config::Options;
use delay::QueueDelay;
use loss::{LossInterval, Share};

/// Window of the observations (LOGWIN). All constants: RFC 8698, figure 3.
const LOGWIN: Duration = Duration::from_millis(500);
/// Queue delay from which on a queue builds up (QEPS).
const QEPS: Duration = Duration::from_millis(10);
/// Bound of the delay by filtering (DFILT), in seconds.
const DFILT: f64 = 0.120;
/// Largest growth in accelerated ramp-up (GAMMA_MAX).
const GAMMA_MAX: f64 = 0.5;
/// Scales of the gradual update (KAPPA, ETA), and its largest RTT (TAU), in seconds.
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
const TAU: f64 = 0.5;
/// Queue delay from which on delay is warped (QTH) in seconds, and the scale of the warp (LAMBDA).
const QTH: f64 = 0.050;
const LAMBDA: f64 = 0.5;
/// Penalties of loss and marks in seconds (DLOSS, DMARK), and the shares that they belong to (PLRREF, PMRREF).
const DLOSS: f64 = 0.010;
const DMARK: f64 = 0.002;
const PLRREF: f64 = 0.01;
const PMRREF: f64 = 0.01;
/// Share of the queue that changes the rates of encoder and pacer (BETA_V, BETA_S), and the largest change.
const BETA: f64 = 0.1;
const LARGEST_CHANGE: f64 = 0.05;

/// The rule of NADA.
#[derive(Debug)]
pub(crate) struct Nada {
    options: Options,
    rates: Rates,
    frame_rate: f64,
    /// Reference rate (r_ref).
    reference: f64,
    /// Congestion signal of the last report in seconds (x_prev).
    before: f64,
    updated: Option<Time>,
    delay: QueueDelay,
    received: Window,
    lost: Share,
    marked: Share,
    interval: LossInterval,
}

/// Observations of a report.
#[derive(Clone, Copy, Debug)]
struct Observed {
    /// Receiving rate (r_recv).
    received: f64,
    /// Queue delay in seconds (d_queue).
    delay: f64,
    /// Shares of packets that were lost and marked (p_loss, p_mark).
    lost: f64,
    marked: f64,
    /// True if a loss was so recent that delay is warped.
    warped: bool,
    /// True without loss and without a queue in the window.
    free: bool,
}

impl Nada {
    /// A rule for a video of so many frames a second.
    pub fn new(options: Options, rates: Rates, frame_rate: f64) -> Nada {
        Nada {
            options,
            rates,
            frame_rate,
            reference: rates.start,
            before: 0.0,
            updated: None,
            delay: QueueDelay::new(LOGWIN),
            received: Window::new(LOGWIN),
            lost: Share::new(LOGWIN),
            marked: Share::new(LOGWIN),
            interval: LossInterval::default(),
        }
    }

    fn observe(&mut self, feedback: Feedback<'_>) -> Observed {
        for packet in feedback.packets {
            match packet.arrival {
                Some(arrival) => {
                    self.delay.add(arrival.at, arrival.at.saturating_since(packet.sent));
                    self.received.add(arrival.at, 8.0 * f64::from(packet.bytes));
                    self.marked.add(arrival.at, arrival.ce);
                    self.interval.arrived();
                }
                None => self.interval.lost(packet.sent, feedback.rtt),
            }
            let at = packet.arrival.map_or(feedback.made, |arrival| arrival.at);
            self.lost.add(at, packet.arrival.is_none());
        }
        self.received.forget(feedback.made);
        self.delay.forget(feedback.made);
        let (lost, marked) = (self.lost.update(feedback.made), self.marked.update(feedback.made));
        Observed {
            received: self.received.rate(feedback.made),
            delay: self.delay.last().as_secs_f64(),
            lost,
            marked,
            warped: self.interval.is_recent(),
            free: self.lost.is_zero() && self.delay.largest() < QEPS,
        }
    }

    /// The reference rate after observations that come so many seconds after the last.
    fn update(&mut self, seen: Observed, delta: f64, rtt: f64) {
        let signal = congestion(seen);
        self.reference = self.rates.hold(match seen.free {
            true => self.reference.max((1.0 + self.growth(rtt)) * seen.received),
            false => self.gradual(signal, delta),
        });
        self.before = signal;
    }

    /// Growth in accelerated ramp-up (RFC 8698, equation 3).
    fn growth(&self, rtt: f64) -> f64 {
        let reaction = rtt + self.options.feedback_interval.as_secs_f64() + DFILT;
        (self.options.queue_bound.as_secs_f64() / reaction).min(GAMMA_MAX)
    }

    /// Gradual update (RFC 8698, equations 5 to 7).
    fn gradual(&self, signal: f64, delta: f64) -> f64 {
        let level = self.options.priority * self.options.reference_delay.as_secs_f64();
        let offset = signal - level * self.rates.max / self.reference;
        let change = signal - self.before;
        self.reference * (1.0 - KAPPA * (delta / TAU) * (offset / TAU) - KAPPA * ETA * change / TAU)
    }

    /// Change of the rates of encoder and pacer for a queue (RFC 8698, 5.2.2).
    fn change(&self, queued: u64) -> f64 {
        let share = BETA * 8.0 * queued as f64 * self.frame_rate;
        share.min(LARGEST_CHANGE * self.reference)
    }
}

/// Aggregated congestion signal in seconds (RFC 8698, equations 1 and 2).
fn congestion(seen: Observed) -> f64 {
    let delay = match seen.warped && seen.delay >= QTH {
        true => QTH * math::exp(-LAMBDA * (seen.delay - QTH) / QTH),
        false => seen.delay,
    };
    let square = |share: f64, reference: f64| (share / reference) * (share / reference);
    delay + DMARK * square(seen.marked, PMRREF) + DLOSS * square(seen.lost, PLRREF)
}

impl Rule for Nada {
    fn on_feedback(&mut self, now: Time, feedback: Feedback<'_>) {
        let seen = self.observe(feedback);
        let last = self.updated.replace(now);
        let delta = last.map_or(self.options.feedback_interval, |last| now.saturating_since(last));
        self.update(seen, delta.as_secs_f64(), feedback.rtt.as_secs_f64());
    }

    fn target(&self) -> f64 {
        self.reference
    }

    fn encoder_rate(&self, queued: u64) -> f64 {
        (self.reference - self.change(queued)).max(self.rates.min)
    }

    fn pacing_rate(&self, queued: u64) -> f64 {
        (self.reference + self.change(queued)).min(self.rates.max)
    }

    fn burst(&self) -> Duration {
        Duration::ZERO
    }

    fn queue_delay(&self) -> Duration {
        self.delay.last()
    }
}

#[cfg(test)]
mod tests;
