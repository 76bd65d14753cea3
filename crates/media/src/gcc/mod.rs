//! Google Congestion Control: a rate that follows the gradient of delay, and loss.
//!
//! `Gcc` reads reports of RFC 8888. It forms groups of packets (`groups`) and filters the change of
//! their delay, by a Kalman filter (`kalman`) or a line (`trendline`). A detector compares the result with a
//! threshold (`detector`). The rate grows, holds or shrinks by the detector (`aimd`), and loss limits the
//! rate (`loss`).
//!
//! There are two editions, `Variant`:
//!
//! - `Draft`: draft-ietf-rmcat-gcc-02. The Kalman filter's result is multiplied by the number of
//!   groups, at most 60, as in the code that the draft describes (libwebrtc, overuse_detector.cc). By the
//!   draft's words the result itself is compared, which groups of 5 ms hardly ever bring to the threshold.
//! - `Libwebrtc`: the sender-side estimator of libwebrtc.
//!
//! `Libwebrtc` probes the bandwidth at its begin (`probing`). Left out of it: the detector of application-limited traffic and
//! its probes, the second loss-based estimator, and the window of congestion push-back.

mod aimd;
mod config;
mod detector;
mod groups;
mod kalman;
mod loss;
mod probing;
mod throughput;
mod trendline;

use airpath_base::{Duration, Time};

use crate::paced::{Cluster, Feedback, Rates, Reported, Rule};
use aimd::Aimd;
pub use config::{Options, Variant};
use detector::{Detector, Usage};
use groups::{Delta, Groups};
use kalman::Kalman;
use loss::Loss;
use probing::Probing;
use throughput::Throughput;
use trendline::Trendline;

/// Time between bursts of the pacer (draft-ietf-rmcat-gcc-02, 4; libwebrtc, pacing_controller.h).
const BURST: Duration = Duration::from_millis(5);
/// Pace over target (libwebrtc, goog_cc_network_control.cc, `kDefaultPaceMultiplier`).
const PACE: f64 = 2.5;

/// The rule of Google Congestion Control.
#[derive(Debug)]
pub(crate) struct Gcc {
    variant: Variant,
    rates: Rates,
    groups: Groups,
    filter: Filter,
    detector: Detector,
    throughput: Throughput,
    aimd: Aimd,
    loss: Loss,
    /// Probes of libwebrtc.
    probing: Option<Probing>,
    target: f64,
    /// Least one-way delay, and that of the newest packet.
    delays: Option<(Duration, Duration)>,
}

/// Filter of the change of delay.
#[derive(Debug)]
enum Filter {
    Kalman(Kalman),
    Trendline(Trendline),
}

impl Gcc {
    pub fn new(options: Options, rates: Rates) -> Gcc {
        let variant = options.variant;
        Gcc {
            variant,
            rates,
            groups: Groups::new(variant),
            filter: match variant {
                Variant::Draft => Filter::Kalman(Kalman::new()),
                Variant::Libwebrtc => Filter::Trendline(Trendline::new()),
            },
            detector: Detector::new(variant),
            throughput: Throughput::new(variant),
            aimd: Aimd::new(variant, rates),
            loss: Loss::new(variant, rates),
            probing: (variant == Variant::Libwebrtc).then(|| Probing::new(rates)),
            target: rates.start,
            delays: None,
        }
    }

    fn arrived(&mut self, sent: Time, at: Time, bytes: u32) {
        let delay = at.saturating_since(sent);
        let least = self.delays.map_or(delay, |(least, _)| least.min(delay));
        self.delays = Some((least, delay));
        self.throughput.add(at, bytes);
        if let Some(delta) = self.groups.add(sent, at) {
            self.filtered(delta);
        }
    }

    fn filtered(&mut self, delta: Delta) {
        let trend = match &mut self.filter {
            Filter::Kalman(kalman) => Some(kalman.update(delta)),
            Filter::Trendline(line) => line.update(delta),
        };
        if let Some(trend) = trend {
            self.detector.update(trend, delta);
        }
    }
}

impl Options {
    /// Time between reports of the receiver.
    pub(crate) fn feedback(&self) -> Duration {
        self.feedback_interval
    }
}

impl Rule for Gcc {
    fn on_feedback(&mut self, now: Time, feedback: Feedback<'_>) {
        let arrival = |packet: &Reported| {
            Some((packet.arrival?.at, packet.sent, packet.bytes, packet.cluster))
        };
        let mut arrivals: Vec<_> = feedback.packets.iter().filter_map(arrival).collect();
        arrivals.sort_by_key(|(at, sent, ..)| (*at, *sent));
        let mut probed = None;
        for (at, sent, bytes, cluster) in arrivals {
            self.arrived(sent, at, bytes);
            if let (Some(cluster), Some(probing)) = (cluster, &mut self.probing) {
                probed = probing.arrived(cluster, sent, at, bytes).or(probed);
            }
        }
        let received = self.throughput.rate(feedback.made);
        let usage = self.detector.usage();
        let by_delay = match probed.filter(|_| usage != Usage::Over) {
            Some(rate) => {
                let rate = self.aimd.set(now, rate);
                self.loss.set(rate);
                rate
            }
            None => self.aimd.update(now, usage, received, feedback.rtt),
        };
        let lost = feedback.packets.iter().filter(|packet| packet.arrival.is_none()).count();
        let by_loss = self.loss.update(now, lost, feedback.packets.len(), feedback.rtt, by_delay);
        self.target = self.rates.hold(by_delay.min(by_loss));
        if let Some(probing) = &mut self.probing {
            probing.on_target(now, self.target);
        }
    }

    fn take_probe(&mut self, now: Time) -> Option<Cluster> {
        self.probing.as_mut()?.take(now)
    }

    fn target(&self) -> f64 {
        self.target
    }

    fn encoder_rate(&self, _: u64) -> f64 {
        self.target
    }

    fn pacing_rate(&self, _: u64) -> f64 {
        match self.variant {
            Variant::Draft => self.target,
            Variant::Libwebrtc => PACE * self.target,
        }
    }

    fn burst(&self) -> Duration {
        BURST
    }

    fn queue_delay(&self) -> Duration {
        self.delays.map_or(Duration::ZERO, |(least, last)| last.saturating_sub(least))
    }
}

#[cfg(test)]
mod tests;
