//! Congestion control of a connection, with facts that quinn-proto does not show otherwise.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

/// Facts that a controller has seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    in_flight: AtomicU64,
    /// Bytes that have left since the last ACK, less those that were declared lost.
    since: AtomicU64,
    window: AtomicU64,
    mtu: AtomicU64,
    /// True if packets were declared lost since the window was last read.
    lost: AtomicBool,
    /// RTT of the newest packet of the last ACK in nanoseconds; 0 if it has been taken.
    rtt_nanos: AtomicU64,
    recoveries: AtomicU64,
    without_window: AtomicBool,
}

impl Seen {
    /// Bytes in flight at the last ACK.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// RTT of the newest packet of the last ACK in nanoseconds, once.
    pub fn take_rtt(&self) -> Option<u64> {
        Some(self.rtt_nanos.swap(0, Relaxed)).filter(|nanos| *nanos > 0)
    }

    /// Losses since the last call for which the window became smaller.
    pub fn take_recoveries(&self) -> u64 {
        self.recoveries.swap(0, Relaxed)
    }

    /// Fault of the controller with which the connection would stand still. quinn-proto sends only what leaves a part of the
    /// window free. A window of one packet therefore lets none go.
    pub fn fault(&self) -> Option<&'static str> {
        let in_flight = self.in_flight.load(Relaxed) + self.since.load(Relaxed);
        let window = self.window.load(Relaxed);
        if self.without_window.load(Relaxed) {
            Some("a window of 0 bytes")
        } else if in_flight == 0 && window <= self.mtu.load(Relaxed) {
            Some("a window of at most one packet, and nothing in flight")
        } else {
            None
        }
    }

    /// Packets of so many bytes were declared lost.
    fn lose(&self, bytes: u64) {
        let since = self.since.load(Relaxed);
        self.since.store(since.saturating_sub(bytes), Relaxed);
        let in_flight = self.in_flight.load(Relaxed);
        self.in_flight.store(in_flight.saturating_sub(bytes.saturating_sub(since)), Relaxed);
    }

    /// Notes the window, and whether it became smaller for a loss.
    fn note(&self, window: u64) {
        if window == 0 {
            self.without_window.store(true, Relaxed);
        }
        let before = self.window.swap(window, Relaxed);
        if self.lost.swap(false, Relaxed) && window < before {
            self.recoveries.fetch_add(1, Relaxed);
        }
    }
}

/// Makes the controller of one connection.
pub(super) struct WatchedFactory {
    pub inner: Arc<dyn ControllerFactory + Send + Sync>,
    pub seen: Arc<Seen>,
}

impl ControllerFactory for WatchedFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.inner).build(now, current_mtu);
        self.seen.mtu.store(current_mtu.into(), Relaxed);
        self.seen.note(inner.window());
        Box::new(Watched { inner, seen: Arc::clone(&self.seen), newest: None })
    }
}

/// A controller that is watched.
struct Watched {
    inner: Box<dyn Controller>,
    seen: Arc<Seen>,
    /// Time of sending of the newest packet of the ACK that is being read.
    newest: Option<Instant>,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.seen.since.fetch_add(bytes, Relaxed);
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.newest = self.newest.max(Some(sent));
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.seen.in_flight.store(in_flight, Relaxed);
        self.seen.since.store(0, Relaxed);
        if let Some(sent) = self.newest.take() {
            let nanos = now.saturating_duration_since(sent).as_nanos();
            self.seen.rtt_nanos.store(u64::try_from(nanos).unwrap_or(u64::MAX), Relaxed);
        }
        self.inner.on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        #[cfg(feature = "quinn-main")] is_ecn: bool,
        lost_bytes: u64,
    ) {
        self.seen.lost.fetch_or(lost_bytes > 0, Relaxed);
        self.seen.lose(lost_bytes);
        self.inner.on_congestion_event(
            now,
            sent,
            is_persistent_congestion,
            #[cfg(feature = "quinn-main")]
            is_ecn,
            lost_bytes,
        );
    }

    #[cfg(feature = "quinn-main")]
    fn on_spurious_congestion_event(&mut self) {
        self.inner.on_spurious_congestion_event();
    }

    #[cfg(feature = "accurate-ecn")]
    fn on_ce_marks(&mut self, now: Instant, packets: u64) {
        self.inner.on_ce_marks(now, packets);
    }

    #[cfg(feature = "accurate-ecn")]
    fn pacing_rate(&self) -> Option<quinn_proto::congestion::PacingRate> {
        self.inner.pacing_rate()
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.seen.mtu.store(new_mtu.into(), Relaxed);
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        let window = self.inner.window();
        self.seen.note(window);
        window
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let (inner, seen) = (self.inner.clone_box(), Arc::clone(&self.seen));
        Box::new(Watched { inner, seen, newest: self.newest })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
