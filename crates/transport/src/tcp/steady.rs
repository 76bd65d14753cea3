//! Scalable controllers under random marking of fixed probability, against theory. Theory has the
//! window that gives 2 marks in a round trip (RFC 9332, 2.1; RFC 8257), for Prague in a virtual
//! one.

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_schema::units::Buffer;

use super::harness::{CLIENT, World};
use super::{EcnMode, Segment, TcpConfig};
use crate::control::{ControllerName, PragueConfig, PragueResponse};

/// Over how many rounds is measured.
const ROUNDS: u64 = 300;
const REFERENCE: Duration = Duration::from_millis(25);

/// A point of the grid: what fills the path, and what marks it.
struct Point {
    rate: BitRate,
    rtt: Duration,
    /// Round trip as the controller counts it.
    round: Duration,
    segment: u32,
    p: f64,
}

impl Point {
    /// Segments are smaller where fewer than twenty of 1448 bytes fill the path. With ten, DCTCP
    /// sees 1.6 marks, as a fifth of its bytes does not grow the window.
    fn new(mbps: u64, ms: u64, prague: bool) -> Point {
        let (rate, rtt) = (BitRate::from_mbps(mbps), Duration::from_millis(ms));
        let round = if prague { rtt.max(REFERENCE) } else { rtt };
        let segment = (rate.bytes_in(rtt).0 / 20).min(1448) as u32;
        let window = rate.bytes_in(round).0 as f64 / f64::from(segment);
        Point { rate, rtt, round, segment, p: 2.0 / window }
    }

    fn window(&self) -> u64 {
        self.rate.bytes_in(self.rtt).0 / u64::from(self.segment)
    }

    /// Marks in a round, and the rate over the one that theory has.
    fn run(&self, controller: &TcpConfig, seed: u64) -> (f64, f64) {
        let config = TcpConfig {
            segment: Some(Bytes(u64::from(self.segment))),
            ecn: Some(EcnMode::Accurate),
            receive_buffer: Bytes(1 << 30),
            send_buffer: Buffer::Unlimited,
            initial_ssthresh: Buffer::Bytes(Bytes(self.window() * u64::from(self.segment))),
            ..controller.clone()
        };
        let half = self.rtt / 2;
        let mut world = World::new(config.clone(), config, move |_, _: &Segment| vec![half]);
        let marks = std::rc::Rc::new(std::cell::Cell::new(0u64));
        let (count, p) = (marks.clone(), self.p);
        let mut draws = Seed(seed).stream("marks");
        world.mark = Box::new(move |_, _| {
            let marked = draws.chance(p);
            count.set(count.get() + u64::from(marked));
            marked
        });
        world.ends[CLIENT].write(u64::MAX);
        // The first answers halve; the way back takes as many rounds as a round has
        // packets, and to settle as many again.
        let warm = Time::ZERO + self.round * (100 + (4.0 / self.p) as u64);
        world.run_until(warm);
        let (marked, sent) = (marks.get(), world.ends[CLIENT].acknowledged());
        let span = self.round * ROUNDS;
        world.run_until(warm + span);
        let sent = world.ends[CLIENT].acknowledged() - sent;
        let rate = BitRate::of(Bytes(sent), span).as_bps() as f64 / self.rate.as_bps() as f64;
        ((marks.get() - marked) as f64 / ROUNDS as f64, rate)
    }
}

fn dctcp() -> TcpConfig {
    TcpConfig { controller: ControllerName::Dctcp, ..TcpConfig::default() }
}

fn prague(response: PragueResponse) -> TcpConfig {
    let prague = Some(PragueConfig { response, ..PragueConfig::default() });
    TcpConfig { controller: ControllerName::Prague, prague, ..TcpConfig::default() }
}

/// All points of the grid, with a limit of 20 %.
fn check(name: &str, controller: &TcpConfig) {
    for mbps in [4, 20, 50, 100, 200] {
        for ms in [5, 20, 50, 100] {
            let (marks, rate) = Point::new(mbps, ms, name == "prague").run(controller, 1);
            println!("{name:7} {mbps:4} Mbit/s {ms:4} ms: {marks:.2} marks, {rate:.2} of the rate");
            assert!((marks / 2.0 - 1.0).abs() < 0.2, "{name} {mbps} {ms}: {marks}");
        }
    }
}

#[test]
fn dctcp_sees_two_marks_in_a_round_trip() {
    check("dctcp", &dctcp());
}

#[test]
fn prague_sees_two_marks_in_a_virtual_round_trip() {
    check("prague", &prague(PragueConfig::default().response));
}

/// Reductions answer for the wait since the last, at most half a round trip beyond one:
/// m/2 (1 + (1 - exp(-m/2))/m) = 1 + 1/m, so that m = 2.23.
#[test]
fn answers_for_the_time_since_the_last_settle_near_two() {
    let (marks, _) = Point::new(50, 20, true).run(&prague(PragueResponse::SinceLast), 1);
    assert!((marks / 2.23 - 1.0).abs() < 0.1, "{marks}");
}

#[test]
fn answers_for_a_round_trip_settle_at_more() {
    // A cycle is a round and the wait for the next mark, 1 + 1/m. The window grows by a segment in
    // each round and gives up m/2: m^2 = 2 m + 2, m = 1 + sqrt(3).
    let (marks, _) = Point::new(50, 20, true).run(&prague(PragueResponse::AtMark), 1);
    assert!((marks / 2.732 - 1.0).abs() < 0.1, "{marks}");
}
