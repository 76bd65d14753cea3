//! A congestion controller of one's own, and a path to try it on.
//!
//!     cargo run --release -p airpath-transport --example own_controller
//!
//! The controller keeps a few segments waiting in the network. It compares the RTT with the lowest
//! RTT, which shows the share of the window that stands in queues. Source: L. Brakmo and L.
//! Peterson, "TCP Vegas", 1995. It answers losses and congestion marks by halving, and paces.
//! Everything that it needs is public: the trait `CongestionControl`, and `Controller::Custom` to
//! hand it to a connection.

use std::error::Error;
use std::net::Ipv4Addr;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, FlowId, NodeId, Port, Time};
use airpath_net::{AppEvent, Class, Engine, Event, Probe};
use airpath_path::{Link, LinkConfig};
use airpath_transport::control::{AckSample, CongestionControl, Controller, LossEvent, Start};
use airpath_transport::{App, EndpointConfig, Open, TcpEndpoint};
use airpath_wire::Endpoint;

/// Fewest and most segments that should wait in the network.
const FEWEST: f64 = 2.0;
const MOST: f64 = 4.0;

/// Sizes are bytes of payload.
#[derive(Default)]
struct FewWaiting {
    segment: f64,
    cwnd: f64,
    slow_start: bool,
    lowest: Option<Duration>,
    smoothed: Option<Duration>,
}

impl CongestionControl for FewWaiting {
    fn on_start(&mut self, start: &Start) {
        self.segment = f64::from(start.segment);
        self.cwnd = start.initial_window as f64;
        self.slow_start = true;
    }

    fn on_ack(&mut self, sample: &AckSample) {
        (self.lowest, self.smoothed) = (sample.min_rtt, sample.srtt);
        let (Some(lowest), Some(rtt)) = (sample.min_rtt, sample.srtt) else { return };
        let growing = sample.cwnd_limited || sample.pacing_limited;
        if sample.in_recovery || !growing || rtt.is_zero() {
            return;
        }
        let queued = (1.0 - lowest.as_secs_f64() / rtt.as_secs_f64()) * self.cwnd / self.segment;
        let share = sample.delivered as f64 / self.cwnd;
        if self.slow_start {
            self.cwnd += sample.delivered as f64;
            self.slow_start = queued < MOST;
        } else if queued < FEWEST {
            self.cwnd += self.segment * share;
        } else if queued > MOST {
            self.cwnd = (self.cwnd - self.segment * share).max(2.0 * self.segment);
        }
    }

    fn on_loss(&mut self, _loss: &LossEvent) {
        self.slow_start = false;
        self.cwnd = (self.cwnd / 2.0).max(2.0 * self.segment);
    }

    fn on_rto(&mut self, _loss: &LossEvent) {
        self.cwnd = self.segment;
        self.slow_start = true;
    }

    fn on_spurious(&mut self, _now: Time) {}

    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    /// A little above the window in an RTT, so that the window stays the limit.
    fn pacing_rate(&self) -> Option<BitRate> {
        let gain = if self.slow_start { 2.0 } else { 1.2 };
        Some(BitRate::of(Bytes(self.cwnd as u64), self.smoothed?).mul_f64(gain))
    }
}

/// Bytes that the receiver got, and delays of segments.
#[derive(Default)]
struct Watch {
    bytes: u64,
    delays: Vec<Duration>,
}

impl Probe for Watch {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::App(_, AppEvent::Delivered { bytes }) => self.bytes += bytes,
            Event::Consumed(packet) if packet.size > 1000 => {
                self.delays.push(now.saturating_since(packet.born()));
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = Endpoint::new(Ipv4Addr::new(192, 0, 2, 1), 80);
    let client = Endpoint::new(Ipv4Addr::new(192, 0, 2, 2), 5000);
    let flow = FlowId(0);
    let sender = EndpointConfig::new(flow, server, client, App::Greedy, Open::Active);
    let sink = App::Sink { expected: None };
    let receiver = EndpointConfig::new(flow, client, server, sink, Open::Passive);
    let own = Controller::Custom(Box::new(FewWaiting::default()));
    let sender = TcpEndpoint::with_controller(sender, own)?;

    let wire =
        |rate| LinkConfig { rate, delay: Duration::from_millis(10), ..LinkConfig::default() };
    let down = Link::new(wire(Some(BitRate::from_mbps(10))), Seed(1), "down");
    let up = Link::new(wire(None), Seed(1), "up");
    let mut engine = Engine::new();
    let sender = engine.add("server", Class::Packets, Box::new(sender));
    let receiver = engine.add("client", Class::Packets, Box::new(TcpEndpoint::new(receiver)?));
    let down = engine.add("down", Class::Packets, Box::new(down));
    let up = engine.add("up", Class::Packets, Box::new(up));
    engine.connect((sender, Port(0)), (down, Port(0)), None);
    engine.connect((down, Link::OUT), (receiver, Port(0)), None);
    engine.connect((receiver, Port(0)), (up, Port(0)), None);
    engine.connect((up, Link::OUT), (sender, Port(0)), None);

    let mut watch = Watch::default();
    let end = Time::from_millis(10_000);
    engine.run_until(end, Some(&mut watch)).map_err(|error| format!("{error:?}"))?;
    watch.delays.sort_unstable();
    let rate = BitRate::of(Bytes(watch.bytes), Duration::from_secs(10));
    let median = watch.delays.get(watch.delays.len() / 2).copied().unwrap_or_default();
    println!("{:.2} Mbit/s of 10, median one-way delay {median}", rate.as_bps() as f64 / 1e6);
    Ok(())
}
