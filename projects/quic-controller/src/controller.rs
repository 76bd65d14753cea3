//! A congestion controller: change it, and run the project again.
//!
//! It keeps packets waiting in the network for a few milliseconds: the RTT less the least RTT. The idea is that of L. Brakmo
//! and L. Peterson, "TCP Vegas", 1995. A loss or a mark lowers the window as CUBIC does, once in a round trip.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use airpath_scenario::stacks::quic::quinn_proto::RttEstimator;
use airpath_scenario::stacks::quic::quinn_proto::congestion::{Controller, ControllerFactory};

/// Least and most time that packets should wait in the network.
const LEAST: Duration = Duration::from_millis(12);
const MOST: Duration = Duration::from_millis(24);

/// Makes a controller for each connection.
#[derive(Debug, Default)]
pub struct ShortWaitConfig;

impl ControllerFactory for ShortWaitConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mtu = f64::from(current_mtu);
        Box::new(ShortWait { mtu, window: 10.0 * mtu, slow_start: true, lowered: now })
    }
}

#[derive(Clone, Debug)]
struct ShortWait {
    mtu: f64,
    /// Bytes that may be in flight.
    window: f64,
    slow_start: bool,
    /// Time of the last reduction.
    lowered: Instant,
}

impl Controller for ShortWait {
    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        if app_limited || sent <= self.lowered {
            return;
        }
        let waiting = rtt.get().saturating_sub(rtt.min());
        let share = bytes as f64 / self.window;
        if self.slow_start {
            self.window += bytes as f64;
            self.slow_start = waiting < MOST;
        } else if waiting < LEAST {
            self.window += self.mtu * share;
        } else if waiting > MOST {
            self.window -= self.mtu * share;
        }
        self.window = self.window.max(4.0 * self.mtu);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent: bool,
        _lost_bytes: u64,
    ) {
        if sent > self.lowered {
            let keep = if is_persistent { 0.0 } else { 0.7 };
            (self.window, self.lowered) = ((self.window * keep).max(4.0 * self.mtu), now);
            self.slow_start = false;
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = f64::from(new_mtu);
    }

    fn window(&self) -> u64 {
        self.window as u64
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window as u64
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
