//! Pacing: data leave no faster than a rate (draft-ietf-ccwg-bbr, 5.6.2 and 5.6.3).
//!
//! Up to a quantum leaves at once, then nothing until it would have been sent at
//! the rate.

use airpath_base::{BitRate, Bytes, Time};
use airpath_schema::choice;

use super::connection::Connection;
use super::rtt::after;
use crate::control::CongestionControl;

choice! {
    /// Data that are paced.
    pub enum Pacing {
        /// Pacing if the controller asks for it: "prague" and "bbr" do.
        Controller = "controller",
        /// All: where the controller does not ask, at 2 windows in an RTT while the
        /// window is below half the threshold, else at 1.2 (Linux).
        // Linux: `tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`.
        Always = "always",
        /// No pacing.
        Off = "off",
    }
}

/// Time at which data may leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacer {
    /// Time at which all that has left is through at the rate.
    through: Time,
    /// Bytes left of the quantum.
    left: u64,
    /// Data wait for this time.
    pub waits: Option<Time>,
}

impl Pacer {
    /// True if data may leave; if not they wait.
    fn may_send(&mut self, now: Time, quantum: u64) -> bool {
        if now >= self.through {
            self.left = quantum;
        } else if self.left == 0 {
            self.waits = Some(self.through);
            return false;
        }
        true
    }

    fn sent(&mut self, now: Time, bytes: u32, rate: BitRate) {
        let span = rate.time_for(Bytes(u64::from(bytes)));
        self.through = after(self.through.max(now), span);
        self.left = self.left.saturating_sub(u64::from(bytes));
    }
}

impl Connection {
    /// The rate at which data leave, if they are paced.
    #[inline(always)]
    fn paced_rate(&self) -> Option<BitRate> {
        let rate = match self.config.pacing {
            Pacing::Off => None,
            Pacing::Controller => self.controller.pacing_rate(),
            Pacing::Always => self.controller.pacing_rate().or_else(|| self.window_rate()),
        };
        rate.filter(|rate| !rate.is_zero())
    }

    fn window_rate(&self) -> Option<BitRate> {
        let srtt = self.rtt.srtt().filter(|srtt| !srtt.is_zero())?;
        let cwnd = self.controller.cwnd();
        let slow = cwnd < self.controller.ssthresh() / 2;
        Some(BitRate::of(Bytes(cwnd), srtt).mul_f64(if slow { 2.0 } else { 1.2 }))
    }

    /// True if the rate lets no data leave now.
    pub(super) fn is_paced_out(&mut self, now: Time) -> bool {
        self.pacer.waits = None;
        if self.paced_rate().is_none() {
            return false;
        }
        let quantum = self.controller.send_quantum().max(1);
        !self.pacer.may_send(now, quantum)
    }

    /// Data have left.
    pub(super) fn note_paced(&mut self, now: Time, bytes: u32) {
        if let Some(rate) = self.paced_rate()
            && self.rate.sent() > self.controller.unpaced_segments()
        {
            self.pacer.sent(now, bytes, rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantum_leaves_at_once_then_the_rate_holds() {
        let mut pacer = Pacer::default();
        let rate = BitRate::from_mbps(8); // 1000 bytes in a millisecond
        let mut times = Vec::new();
        let mut now = Time::ZERO;
        while times.len() < 6 {
            if pacer.may_send(now, 2000) {
                pacer.sent(now, 1000, rate);
                times.push(now.as_nanos() / 1_000_000);
            } else {
                now = pacer.waits.take().expect("a time");
            }
        }
        assert_eq!(times, [0, 0, 2, 2, 4, 4]);
    }

    #[test]
    fn silence_is_not_made_up_for() {
        let mut pacer = Pacer::default();
        let rate = BitRate::from_mbps(8);
        let late = Time::from_millis(100);
        assert!(pacer.may_send(late, 1));
        pacer.sent(late, 1000, rate);
        assert!(!pacer.may_send(late, 1));
        assert_eq!(pacer.waits, Some(Time::from_millis(101)));
    }
}
