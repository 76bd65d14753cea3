//! TCP Prague (draft-briscoe-iccrg-prague-congestion-control).
//!
//! [`PragueCore`] has the rules, and [`Prague`] is the controller of a TCP connection. It counts
//! packets for the core and paces. It starts like Linux' TCP Prague: slow start, first answer to a
//! mark by half. An option lets it watch for classic ECN queues. It is NewReno if the peer gives no
//! accurate feedback (draft, 2.2). Leaves out windows below two packets: the rate may be lower, as
//! far as pacing alone makes it.

mod arithmetic;
mod core;
mod fallback;
mod options;

use airpath_base::{BitRate, Duration, Time};
use airpath_schema::{above, record};
use airpath_wire::Ecn;

use self::fallback::ClassicDetector;
use super::{AckSample, CongestionControl, EcnFeedback, LossEvent, NewReno, NewRenoConfig, Start};

pub use self::core::PragueCore;
pub use self::options::{Counts, PragueCoreConfig, PragueResponse};

record! {
    /// Options of TCP Prague.
    pub struct PragueConfig: Default {
        /// Answer of the window to marks. Default: "since-last", which comes near to the 2 marks in
        /// a virtual round trip that RFC 9332 (2.1) counts on.
        response: PragueResponse = PragueResponse::SinceLast;
        /// Grows faster after 7 and more virtual round trips without marks. Default: true
        /// (L4STeam/udp_prague).
        faster_increase: bool = true;
        /// Answers queues that look classic by the RTT as CUBIC does (arXiv:1911.00710). Default:
        /// false (Linux).
        classic_fallback: bool = false;
        /// Lowest sending rate. Default: 100 kbit/s (L4STeam/udp_prague).
        min_rate: BitRate = BitRate::from_kbps(100) => above(BitRate::from_bps(0));
        /// Highest sending rate. Default: 100000 Mbit/s (L4STeam/udp_prague).
        max_rate: BitRate = BitRate::from_mbps(100_000) => above(BitRate::from_bps(0));
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Prague {
    config: PragueConfig,
    core: PragueCore,
    counts: Counts,
    segment: u64,
    detector: ClassicDetector,
    /// Controller that replaces the rules without accurate feedback.
    classic: Option<NewReno>,
    now: i64,
    lost: bool,
}

impl Prague {
    /// A controller that waits for [`CongestionControl::on_start`].
    pub fn new(config: PragueConfig) -> Prague {
        Prague {
            core: PragueCore::new(core_config(&config, 1, 1, 1), 0),
            config,
            counts: Counts::default(),
            segment: 1,
            detector: ClassicDetector::default(),
            classic: None,
            now: 0,
            lost: false,
        }
    }

    /// The rules' state.
    pub fn core(&self) -> &PragueCore {
        &self.core
    }

    /// Tells the core; what was sent is what has arrived, what is lost, and what
    /// is on its way.
    fn tell(&mut self, now: Time, in_flight: u64, limited: bool) {
        self.now = micros(now);
        let flying = in_flight.div_ceil(self.segment) as i64;
        self.counts.sent = self.counts.received + self.counts.lost + flying;
        let renewed = self.core.ack(self.now, self.counts, limited);
        if renewed && self.config.classic_fallback {
            self.detector.round();
            self.core.floor = self.detector.floor();
        }
    }

    /// The connection's own smoothed RTT counts (Linux): it has the wait of delayed
    /// acknowledgements in it, so that the window over it is the rate.
    fn take_rtt(&mut self, srtt: Option<Duration>, sample: Option<Duration>) {
        let micros = |rtt: Duration| (rtt.as_nanos() / 1000).clamp(1, 1 << 40) as i64;
        if let Some(srtt) = srtt {
            self.core.smoothed_rtt(micros(srtt));
        }
        if let Some(rtt) = sample.filter(|_| self.config.classic_fallback) {
            self.detector.sample(micros(rtt) as f64, self.core.packets() as f64);
        }
    }
}

/// The core's options for a TCP connection.
fn core_config(config: &PragueConfig, segment: u64, window: u64, rate: u64) -> PragueCoreConfig {
    PragueCoreConfig {
        initial_rate: rate,
        initial_window: Some(window),
        min_rate: config.min_rate.as_bps() / 8,
        max_rate: config.max_rate.as_bps() / 8,
        max_packet: segment,
        min_packet: segment,
        initial_alpha: self::core::WHOLE,
        slow_start: true,
        faster_increase: config.faster_increase,
        response: config.response,
        rate_up_to: 0,
    }
}

fn micros(time: Time) -> i64 {
    (time.as_nanos() / 1000) as i64
}

impl CongestionControl for Prague {
    fn on_start(&mut self, start: &Start) {
        self.segment = u64::from(start.segment).max(1);
        if start.feedback != EcnFeedback::Accurate {
            let mut reno = NewReno::new(NewRenoConfig::default());
            reno.on_start(start);
            self.classic = Some(reno);
            return;
        }
        let rtt = start.rtt.unwrap_or(Duration::from_millis(100)).max(Duration::from_micros(1));
        let rate = BitRate::of(airpath_base::Bytes(start.initial_window), rtt).as_bps() / 8;
        let config = core_config(&self.config, self.segment, start.initial_window, rate.max(1));
        self.core = PragueCore::new(config, micros(start.now));
        self.core.limit_slow_start(start.initial_ssthresh);
        self.take_rtt(start.rtt, None);
    }

    fn on_sent(&mut self, now: Time, bytes: u32, in_flight: u64) {
        self.now = micros(now);
        if let Some(classic) = &mut self.classic {
            classic.on_sent(now, bytes, in_flight);
        }
    }

    fn on_ack(&mut self, sample: &AckSample) {
        if let Some(classic) = &mut self.classic {
            return classic.on_ack(sample);
        }
        self.take_rtt(sample.srtt, sample.rtt);
        self.counts.received += i64::from(sample.packets);
        let unmarked = self.counts.received - self.counts.ce;
        self.counts.ce += i64::from(sample.ce_packets).min(unmarked);
        let limited = (sample.cwnd_limited || sample.pacing_limited) && !sample.in_recovery;
        self.tell(sample.now, sample.in_flight, limited);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        if let Some(classic) = &mut self.classic {
            return classic.on_loss(loss);
        }
        self.counts.lost += 1;
        self.lost = true;
        self.tell(loss.now, loss.in_flight, false);
    }

    /// With accurate feedback the answer is in [`on_ack`](Self::on_ack).
    fn on_congestion(&mut self, mark: &LossEvent) {
        if let Some(classic) = &mut self.classic {
            classic.on_congestion(mark);
        }
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        if let Some(classic) = &mut self.classic {
            return classic.on_rto(loss);
        }
        self.lost = false;
        self.core.timeout(loss.repeated);
    }

    fn on_spurious(&mut self, now: Time) {
        if let Some(classic) = &mut self.classic {
            return classic.on_spurious(now);
        }
        if std::mem::take(&mut self.lost) {
            self.counts.lost -= 1;
            self.core.ack(micros(now), self.counts, false);
        }
    }

    fn on_idle(&mut self, restart_window: u64) {
        if let Some(classic) = &mut self.classic {
            classic.on_idle(restart_window);
        }
    }

    fn cwnd(&self) -> u64 {
        match &self.classic {
            Some(classic) => classic.cwnd(),
            None if self.core.in_slow_start() => (self.core.window() / 1_000_000).max(self.segment),
            None => (self.core.window() / 1_000_000).max(2 * self.segment),
        }
    }

    fn ssthresh(&self) -> u64 {
        match (&self.classic, self.core.ssthresh()) {
            (Some(classic), _) => classic.ssthresh(),
            (None, u64::MAX) => u64::MAX,
            (None, threshold) => threshold / 1_000_000,
        }
    }

    /// Twice the window in an RTT during slow start, else the window (draft, 2.5),
    /// with the reference's swing of 3%.
    fn pacing_rate(&self) -> Option<BitRate> {
        if self.classic.is_some() {
            return None;
        }
        let slow = self.core.in_slow_start();
        let rate = if slow { 2 * self.core.rate() } else { self.core.swinging_rate(self.now) };
        Some(BitRate::from_bps(rate.saturating_mul(8)))
    }

    fn send_quantum(&self) -> u64 {
        self.core.burst() * self.segment
    }

    fn ect(&self) -> Ecn {
        if self.classic.is_some() { Ecn::Ect0 } else { Ecn::Ect1 }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
