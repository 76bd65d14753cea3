//! BBR on a path of constant rate: how much of it is used, and what waits in front.

use std::cell::Cell;
use std::rc::Rc;

use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_schema::units::Buffer;

use super::harness::{CLIENT, SERVER, World};
use super::{Segment, TcpConfig};
use crate::control::ControllerName;

const SEGMENT: u32 = 1448;

/// A link with a queue that never overflows.
#[derive(Clone, Default)]
struct Link {
    free: Rc<Cell<Time>>,
    /// Sum and largest of the waits since the last look, and how many.
    waits: Rc<Cell<(Duration, Duration, u64)>>,
}

impl Link {
    fn send(&self, now: Time, bytes: u32, rate: BitRate) -> Duration {
        let begin = self.free.get().max(now);
        self.free.set(begin + rate.time_for(Bytes(u64::from(bytes))));
        let wait = begin.saturating_since(now);
        let (sum, largest, count) = self.waits.get();
        self.waits.set((sum + wait, largest.max(wait), count + 1));
        self.free.get().saturating_since(now)
    }
}

/// Share of the rate, and mean and largest wait in round trips, from 10 s to 40 s.
fn run(controller: ControllerName, mbps: u64, ms: u64) -> (f64, f64, f64) {
    let (rate, rtt) = (BitRate::from_mbps(mbps), Duration::from_millis(ms));
    let config = TcpConfig {
        segment: Some(Bytes(u64::from(SEGMENT))),
        receive_buffer: Bytes(1 << 30),
        send_buffer: Buffer::Unlimited,
        controller,
        ..TcpConfig::default()
    };
    let link = Link::default();
    let (path, clock) = (link.clone(), Rc::<Cell<Time>>::default());
    let time = clock.clone();
    let fate = move |from: usize, s: &Segment| {
        let data = from == CLIENT && s.repr.payload_len > 0;
        let through = if data { path.send(time.get(), SEGMENT, rate) } else { Duration::ZERO };
        vec![through + rtt / 2]
    };
    let mut world = World::new(config.clone(), config, fate);
    world.clock = clock;
    world.ends[CLIENT].write(u64::MAX);
    world.run_until(Time::from_millis(10_000));
    let before = world.delivered[SERVER];
    link.waits.set(Default::default());
    world.run_until(Time::from_millis(40_000));
    let bytes = Bytes(world.delivered[SERVER] - before);
    let used = BitRate::of(bytes, Duration::from_secs(30)).as_bps() as f64 / rate.as_bps() as f64;
    let (sum, largest, count) = link.waits.get();
    let share = |wait: Duration| wait.as_secs_f64() / rtt.as_secs_f64();
    (used, share(sum / count), share(largest))
}

/// Room for quanta and delayed acknowledgements, in round trips.
fn quanta(mbps: u64, ms: u64) -> f64 {
    let bits = 12.0 * f64::from(SEGMENT) * 8.0;
    bits / (mbps as f64 * 1e6) / (ms as f64 / 1e3)
}

fn check(points: &[(u64, u64)]) {
    for &(mbps, ms) in points {
        for (name, controller) in [("bbr", ControllerName::Bbr), ("bbr1", ControllerName::Bbr1)] {
            let (used, mean, largest) = run(controller, mbps, ms);
            println!(
                "{name:4} {mbps:4} Mbit/s {ms:4} ms: {:.1} %, waits {mean:.2} and {largest:.2} RTT",
                used * 100.0
            );
            assert!(used > 0.9, "{name} {mbps} {ms}: {used}");
            // The window is two bandwidth-delay products, and room for quanta.
            let bound = 1.5 + quanta(mbps, ms);
            assert!(mean < 0.6 * bound && largest < bound, "{name} {mbps} {ms}: {mean} {largest}");
        }
    }
}

#[test]
fn bbr_uses_the_rate_with_a_bounded_queue() {
    check(&[(4, 20), (20, 50), (50, 5)]);
}

#[test]
#[ignore = "takes minutes; prints a table"]
fn bbr_uses_the_rate_on_the_whole_grid() {
    for mbps in [4, 20, 50, 100, 200] {
        check(&[5, 20, 50, 100].map(|ms| (mbps, ms)));
    }
}
