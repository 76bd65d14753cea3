//! A link with a queue, flows over it, and what is measured.

use airpath_base::random::Seed;
use airpath_base::{Duration, NodeId, Time};
use airpath_net::{DropCause, Event, Leg, Probe, Stage, TcpEvent};
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

/// Rates in Mbit/s.
pub const RATES: [u64; 5] = [4, 20, 50, 100, 200];
/// Round trips without any queue, in ms.
pub const ROUND_TRIPS: [u64; 4] = [5, 20, 50, 100];
/// Bytes of payload in a full packet: with timestamps.
pub const SEGMENT: u64 = 1448;
/// Bytes of a full packet.
pub const PACKET: f64 = 1500.0;

/// A rate in Mbit/s and a round trip in us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub mbps: u64,
    pub us: u64,
}

/// Seconds of waiting, and seconds of measuring.
#[derive(Clone, Copy)]
pub struct Span {
    pub warm: u64,
    pub measured: u64,
}

/// Flow during the measurement.
#[derive(Clone, Default)]
pub struct Flow {
    pub bytes: u64,
    packets: u64,
    signals: u64,
    rtt: (f64, u64),
    /// Waits in the link's queue, in ns.
    waits: Vec<u32>,
    /// Timeouts from the beginning on.
    pub timeouts: u64,
    /// The smallest window in bytes, from the beginning on, but for what slow start makes of one
    /// segment after a timeout.
    pub smallest: Option<u64>,
    restarts: bool,
}

/// Measurement on a link.
pub struct Measured {
    pub point: Point,
    pub flows: Vec<Flow>,
    seconds: f64,
}

struct Meter {
    since: Time,
    flows: Vec<Flow>,
}

/// A point for each rate, with each round trip among them.
const DIAGONAL: [Point; 5] = [
    Point::new(4, 100),
    Point::new(20, 20),
    Point::new(50, 50),
    Point::new(100, 5),
    Point::new(200, 20),
];

/// All 20 points where AIRPATH_TEST_LONG is set (`make test-long`), else a diagonal.
pub fn grid() -> impl Iterator<Item = Point> {
    let all = RATES.into_iter().flat_map(|mbps| ROUND_TRIPS.map(move |ms| Point::new(mbps, ms)));
    all.filter(move |point| is_long() || DIAGONAL.contains(point))
}

/// True if whole grids are wanted.
pub fn is_long() -> bool {
    std::env::var_os("AIRPATH_TEST_LONG").is_some()
}

impl Point {
    /// With a round trip in ms.
    pub const fn new(mbps: u64, ms: u64) -> Point {
        Point { mbps, us: 1000 * ms }
    }

    /// The round trip in ms.
    pub fn ms(self) -> f64 {
        self.us as f64 / 1e3
    }

    /// Full packets that fill the round trip.
    pub fn packets(self) -> f64 {
        self.ms() / self.packet_ms()
    }

    /// Time that a full packet takes, in ms.
    pub fn packet_ms(self) -> f64 {
        PACKET * 8.0 / self.mbps as f64 / 1e3
    }

    /// Downloads over a link with such a queue; `tcp` has the keys of each flow's TCP.
    pub fn run(self, queue: &str, tcp: &[&str], span: Span) -> Measured {
        let scenario = self.scenario(queue, tcp, span);
        let mut world = World::build(&scenario, Seed(scenario.seed)).expect("a world");
        let since = Time::ZERO + Duration::from_secs(span.warm);
        let mut meter = Meter { since, flows: vec![Flow::default(); tcp.len()] };
        let end = since + Duration::from_secs(span.measured);
        world.engine.run_until(end, Some(&mut meter)).expect("a run");
        let mut flows = meter.flows;
        flows.iter_mut().for_each(|flow| flow.waits.sort_unstable());
        Measured { point: self, flows, seconds: span.measured as f64 }
    }

    /// Buffers at the ends are no limit, nor is the way back.
    fn scenario(self, queue: &str, tcp: &[&str], span: Span) -> Scenario {
        let mut text = format!(
            "radio = \"none\"\nduration = \"{} s\"\n[path.sgi]\nrate = \"{} Mbit/s\"\n\
             delay = \"{} us\"\nqueue = {queue}\n[path.sgi.up]\nrate = \"unlimited\"\n\
             queue = \"unlimited\"\n",
            span.warm + span.measured,
            self.mbps,
            self.us / 2,
        );
        for (n, keys) in tcp.iter().enumerate() {
            text += &format!(
                "[[flow]]\nname = \"flow-{n}\"\nkind = \"tcp\"\ndirection = \"down\"\n\
                 start = \"{} ms\"\n[flow.tcp]\nreceive_buffer = \"1 GB\"\n\
                 send_buffer = \"unlimited\"\n{keys}\n",
                50 * n
            );
        }
        Scenario::parse("steady", &text, &[]).expect("a valid scenario")
    }
}

impl Probe for Meter {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Tcp(flow, event) = event {
            self.flows[flow.0 as usize].note(event);
        }
        if now < self.since {
            return;
        }
        match event {
            Event::Consumed(packet) if packet.leg == Leg::Data => {
                let flow = &mut self.flows[packet.flow.0 as usize];
                flow.bytes += u64::from(packet.size);
                flow.packets += 1;
                let waited = packet.stages.spent(Stage::WiredQueue).as_nanos();
                flow.waits.push(u32::try_from(waited).unwrap_or(u32::MAX));
            }
            Event::Marked { packet, .. } | Event::Dropped { packet, cause: DropCause::Aqm, .. } => {
                self.flows[packet.flow.0 as usize].signals += 1;
            }
            Event::Tcp(flow, TcpEvent::Rtt(rtt)) => {
                let flow = &mut self.flows[flow.0 as usize];
                flow.rtt = (flow.rtt.0 + rtt.as_secs_f64(), flow.rtt.1 + 1);
            }
            _ => {}
        }
    }
}

impl Measured {
    /// Deliveries of the flows, as a share of the link's capacity.
    pub fn utilisation(&self) -> f64 {
        let bytes: u64 = self.flows.iter().map(|flow| flow.bytes).sum();
        bytes as f64 * 8.0 / self.seconds / (self.point.mbps as f64 * 1e6)
    }

    /// Full packets of a flow in a second.
    pub fn packet_rate(&self, flow: usize) -> f64 {
        self.flows[flow].bytes as f64 / PACKET / self.seconds
    }
}

impl Flow {
    /// An event of its sender or receiver; those of a receiver have the window that it began with.
    fn note(&mut self, event: &TcpEvent) {
        match *event {
            TcpEvent::Timeout { .. } => {
                self.timeouts += 1;
                self.restarts = true;
            }
            TcpEvent::State { cwnd, .. } => {
                self.restarts &= cwnd < 2 * SEGMENT;
                if !self.restarts {
                    self.smallest = Some(self.smallest.map_or(cwnd, |least| least.min(cwnd)));
                }
            }
            _ => {}
        }
    }

    /// Share of its packets that were marked or dropped by the queue.
    pub fn signalled(&self) -> f64 {
        self.signals as f64 / (self.packets as f64).max(1.0)
    }

    /// Mean of its round trips in seconds.
    pub fn rtt(&self) -> f64 {
        self.rtt.0 / (self.rtt.1 as f64).max(1.0)
    }

    /// A quantile of its waits in the queue, in ms.
    pub fn wait_ms(&self, quantile: f64) -> f64 {
        let at = (self.waits.len() as f64 * quantile) as usize;
        self.waits.get(at).map_or(f64::NAN, |wait| f64::from(*wait) / 1e6)
    }
}
