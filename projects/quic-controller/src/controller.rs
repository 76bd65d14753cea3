//! A congestion controller: change it, and run the project again.
//!
//! It keeps a few packets waiting in the network. The share of the window that waits is `1 - least RTT / RTT`. Source: L.
//! Brakmo and L. Peterson, "TCP Vegas", 1995. A loss or a mark lowers the window as CUBIC does, once in a round trip.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use airpath_scenario::stacks::quic::quinn_proto::RttEstimator;
use airpath_scenario::stacks::quic::quinn_proto::congestion::{Controller, ControllerFactory};

/// Fewest and most packets that should wait in the network.
const FEWEST: f64 = 8.0;
const MOST: f64 = 16.0;

/// Makes a controller for each connection.
#[derive(Debug, Default)]
pub struct FewWaitingConfig;

impl ControllerFactory for FewWaitingConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mtu = f64::from(current_mtu);
        Box::new(FewWaiting { mtu, window: 10.0 * mtu, slow_start: true, lowered: now })
    }
}

#[derive(Clone, Debug)]
struct FewWaiting {
    mtu: f64,
    /// Bytes that may be in flight.
    window: f64,
    slow_start: bool,
    /// Time of the last reduction.
    lowered: Instant,
}

impl Controller for FewWaiting {
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
        let waiting = 1.0 - rtt.min().as_secs_f64() / rtt.get().as_secs_f64().max(1e-6);
        let packets = waiting * self.window / self.mtu;
        let share = bytes as f64 / self.window;
        if self.slow_start {
            self.window += bytes as f64;
            self.slow_start = packets < MOST;
        } else if packets < FEWEST {
            self.window += self.mtu * share;
        } else if packets > MOST {
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
