use airpath_wire::{Ecn, TcpFlags, TcpRepr};

use super::*;
use crate::testing::{Capture as Written, From, seg};

/// A capture in memory.
struct Held(&'static str, Vec<u8>);

impl Capture for Held {
    fn name(&self) -> &str {
        self.0
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.1.as_slice()))
    }
}

/// A path with a point near the client and one near the server. Times are in microseconds.
struct Two {
    near: Written,
    far: Written,
    /// What the far clock is ahead, and gains in a million.
    ahead: u64,
    ppm: u64,
}

impl Two {
    fn new() -> Two {
        Two { near: Written::new(), far: Written::new(), ahead: 0, ppm: 0 }
    }

    /// A segment that the client sends passes the near point at `at`, and the far one `delay`
    /// later, if it does.
    fn up(&mut self, at: u64, delay: Option<u64>, seg: &TcpRepr) {
        self.near.tcp(at, From::Client, seg);
        if let Some(delay) = delay {
            self.far.tcp(self.late(at + delay), From::Client, seg);
        }
    }

    /// The same from the server.
    fn down(&mut self, at: u64, delay: Option<u64>, seg: &TcpRepr) {
        self.far.tcp(self.late(at), From::Server, seg);
        if let Some(delay) = delay {
            self.near.tcp(at + delay, From::Server, seg);
        }
    }

    fn late(&self, at: u64) -> u64 {
        self.ahead + at + at * self.ppm / 1_000_000
    }

    /// A handshake at 0: 4 ms up and down between the points, 1 ms to the client, 3 to the
    /// server.
    fn handshake(&mut self) {
        let syn = TcpRepr { window: 1000, mss: Some(1460), ..seg(0, 0, 0) };
        let flags = TcpFlags::SYN;
        self.up(0, Some(4_000), &TcpRepr { flags, ..syn });
        let answer = TcpRepr { flags: flags.with(TcpFlags::ACK), ack: seg(1, 0, 0).seq, ..syn };
        self.down(10_000, Some(4_000), &answer);
        self.up(16_000, Some(4_000), &seg(1, 1, 0));
    }

    fn compare(self, one_clock: bool) -> (PairRecord, Vec<PacketRecord>) {
        let (near, far) = (Held("near", self.near.bytes()), Held("far", self.far.bytes()));
        compared(&Pair::Captures(&near, &far), one_clock)
    }
}

fn compared(pair: &Pair<'_>, one_clock: bool) -> (PairRecord, Vec<PacketRecord>) {
    let mut packets = Vec::new();
    let options = Options::default();
    let record = compare(pair, one_clock, &options, &mut |packet| packets.push(*packet));
    (record.unwrap(), packets)
}

/// A second of data down, a segment each 2 ms that waits up to 15 ms beyond 4 ms, and its ACKs.
fn transfer(two: &mut Two) {
    two.handshake();
    for n in 0..1_000u64 {
        let (at, seq) = (30_000 + 2_000 * n, n as u32 * 1_000 + 1);
        two.down(at, Some(4_000 + n % 16 * 1_000), &seg(seq, 1, 1_000));
        two.up(at + 21_000, Some(4_000), &seg(1, seq + 1_000, 0));
    }
}

#[test]
fn delays_are_found_behind_two_clocks() {
    let mut two = Two { ahead: 7_200_000_000, ppm: 50, ..Two::new() };
    transfer(&mut two);
    let (record, packets) = two.compare(false);
    let clock = record.clock;
    assert_eq!(clock.basis, ClockBasis::LeastDelayEqual);
    assert!((clock.drift_ppm - 50.0).abs() < 1.0, "{clock:?}");
    assert!((clock.offset_s - 7_200.0).abs() < 1e-5, "{clock:?}");
    let [up, down] = &record.ways;
    assert_eq!((up.sent, up.arrived, up.lost), (1_002, 1_002, 0));
    assert_eq!((down.sent, down.arrived, down.lost), (1_001, 1_001, 0));
    let delay = down.delay_ms.unwrap();
    // 4 to 19 ms; of 1000 packets 62 or 63 have each of 16 waits.
    let exact = [(delay.min, 4.0), (delay.p50, 11.0), (delay.max, 19.0)];
    assert!(exact.iter().all(|(found, true_ms)| (found - true_ms).abs() < 0.06), "{delay:?}");
    assert!((up.delay_ms.unwrap().mean - 4.0).abs() < 0.02, "{up:?}");
    assert_eq!(packets.len(), 2_003);
}

#[test]
fn with_one_clock_nothing_is_assumed() {
    let mut two = Two::new();
    two.handshake();
    for n in 0..100u64 {
        let seq = n as u32 * 1_000 + 1;
        two.down(30_000 + 2_000 * n, Some(9_000), &seg(seq, 1, 1_000));
        two.up(50_000 + 2_000 * n, Some(1_000), &seg(1, seq + 1_000, 0));
    }
    let (record, _) = two.compare(true);
    let most = record.ways.each_ref().map(|way| way.delay_ms.unwrap().max);
    assert_eq!((most, record.clock.basis), ([4.0, 9.0], ClockBasis::OneClock));
    assert!(record.warnings.is_empty() && record.impossible == 0);
}

#[test]
fn what_is_lost_repeated_and_overtaken_is_counted() {
    let mut two = Two::new();
    transfer(&mut two);
    // Lost, sent again 300 ms later, and that arrives: the same bytes, so only delay tells.
    let (at, seq) = (2_100_000, 1_000_001);
    two.down(at, None, &seg(seq, 1, 1_000));
    two.down(at + 300_000, Some(5_000), &seg(seq, 1, 1_000));
    // Overtaken by the one behind it.
    two.far.tcp(at + 301_000, From::Server, &seg(seq + 1_000, 1, 1_000));
    two.far.tcp(at + 302_000, From::Server, &seg(seq + 2_000, 1, 1_000));
    two.near.tcp(at + 307_000, From::Server, &seg(seq + 2_000, 1, 1_000));
    two.near.tcp(at + 309_000, From::Server, &seg(seq + 1_000, 1, 1_000));
    // Twice behind.
    two.down(at + 310_000, Some(5_000), &seg(seq + 3_000, 1, 1_000));
    two.near.tcp(at + 316_000, From::Server, &seg(seq + 3_000, 1, 1_000));
    // Behind only, and at the end of the capture in front only.
    two.near.tcp(at + 320_000, From::Server, &seg(seq + 4_000, 1, 1_000));
    two.up(at + 400_000, Some(4_000), &seg(1, seq + 4_000, 0));
    two.down(at + 404_000, None, &seg(seq + 5_000, 1, 1_000));
    let (record, packets) = two.compare(true);
    let down = &record.ways[1];
    assert_eq!((down.lost, down.unknown, down.reordered), (1, 1, 1), "{down:?}");
    assert_eq!((down.duplicates, down.only_behind), (1, 1), "{down:?}");
    assert_eq!(record.ways[0].lost, 0);
    assert!(down.delay_ms.unwrap().max < 20.0, "{down:?}");
    let lost: Vec<i64> =
        packets.iter().filter(|p| p.fate == Fate::Lost).map(|packet| packet.at).collect();
    assert_eq!(lost, [1_000_000_000 + at as i64 * 1_000]);
}

#[test]
fn marks_change_between_the_points() {
    let mut two = Two::new();
    two.handshake();
    for n in 0..30u32 {
        let at = 30_000 + 2_000 * u64::from(n);
        (two.far.ecn, two.near.ecn) = match n % 3 {
            0 => (Ecn::Ect1, Ecn::Ce),
            1 => (Ecn::Ect0, Ecn::NotEct),
            _ => (Ecn::Ect1, Ecn::Ect1),
        };
        two.down(at, Some(5_000), &seg(n * 1_000 + 1, 1, 1_000));
    }
    let (record, packets) = two.compare(true);
    let marks = &record.ways[1].marks;
    assert_eq!((marks.ce_marked, marks.ecn_bleached, marks.ecn_remarked), (10, 10, 0));
    assert_eq!((marks.dscp_bleached, marks.dscp_remarked), (0, 0));
    assert_eq!(packets.iter().filter(|packet| packet.tos == [1, 3]).count(), 10);
}

#[test]
fn what_the_card_cuts_is_found() {
    let mut two = Two::new();
    two.handshake();
    for n in 0..20u64 {
        let (at, seq) = (30_000 + 10_000 * n, n as u32 * 4_380 + 1);
        two.far.tcp(at, From::Server, &seg(seq, 1, 4_380));
        for piece in 0..3 {
            let cut = seg(seq + piece * 1_460, 1, 1_460);
            two.near.tcp(at + 4_000 + u64::from(piece) * 100, From::Server, &cut);
        }
        two.up(at + 6_000, Some(4_000), &seg(1, seq + 4_380, 0));
    }
    let (record, _) = two.compare(true);
    let down = &record.ways[1];
    assert_eq!((down.sent, down.arrived, down.only_behind), (61, 61, 0), "{down:?}");
}

#[test]
fn addresses_may_be_translated() {
    let mut two = Two::new();
    two.far.client = [203, 0, 113, 9];
    transfer(&mut two);
    let (record, _) = two.compare(true);
    assert!(record.addresses_differ);
    assert_eq!((record.common_flows, record.flows_at_one), (1, [0, 0]));
    assert_eq!((record.ways[0].arrived, record.ways[1].arrived), (1_002, 1_001));
    let waits = record.flows[0].waits.unwrap();
    assert!((waits.up_ms - 4.0).abs() < 0.01, "{waits:?}");
}

#[test]
fn a_round_trip_has_its_parts() {
    let mut two = Two::new();
    two.handshake();
    for n in 0..50u64 {
        // 5 ms down, 2 ms to the client and back, 4 ms up.
        let (at, seq) = (30_000 + 20_000 * n, n as u32 * 1_000 + 1);
        two.down(at, Some(5_000), &seg(seq, 1, 1_000));
        two.up(at + 7_000, Some(4_000), &seg(1, seq + 1_000, 0));
    }
    let (record, _) = two.compare(true);
    let [flow] = &record.flows[..] else { panic!("one flow") };
    let waits = flow.waits.unwrap();
    // The handshake's round trip at the client's side is 2 ms, too; at the server's 6 ms.
    let exact = [
        (waits.client_side_ms, 2.0),
        (waits.up_ms, 4.0),
        (waits.down_ms, (50.0 * 5.0 + 4.0) / 51.0),
        (waits.server_side_ms, 6.0),
    ];
    assert!(exact.iter().all(|(found, told)| (found - told).abs() < 1e-6), "{waits:?}");
    assert_eq!(flow.client_point, 0);
}

#[test]
fn the_order_of_points_does_not_matter() {
    let mut two = Two { ahead: 60_000_000, ppm: 0, ..Two::new() };
    transfer(&mut two);
    let (near, far) = (Held("near", two.near.bytes()), Held("far", two.far.bytes()));
    let (one, _) = compared(&Pair::Captures(&near, &far), false);
    let (other, _) = compared(&Pair::Captures(&far, &near), false);
    assert_eq!(one.flows[0].up.arrived, other.flows[0].up.arrived);
    assert_eq!((one.flows[0].client_point, other.flows[0].client_point), (0, 1));
    let means = [&one, &other].map(|record| record.flows[0].down.delay_ms.unwrap().mean);
    assert!((means[0] - means[1]).abs() < 0.01, "{means:?}");
    assert!((other.clock.offset_s + 60.0).abs() < 1e-4, "{:?}", other.clock);
}

#[test]
fn interfaces_of_one_capture_are_points() {
    let mut both = Written::new();
    for n in 0..20u32 {
        for (here, late) in [(0, 0), (1, 3_000)] {
            both.here = here;
            both.tcp(u64::from(n) * 10_000 + late, From::Client, &seg(n * 100, 1, 100));
        }
    }
    let both = Held("both", both.bytes());
    let found = interfaces(&both).unwrap();
    assert_eq!(found, [("a".to_owned(), 20), ("b".to_owned(), 20)]);
    let names = ["a".to_owned(), "b".to_owned()];
    let (record, _) = compared(&Pair::Interfaces(&both, names), false);
    assert_eq!(record.clock.basis, ClockBasis::OneClock);
    let way = &record.ways[0];
    assert_eq!((way.arrived, way.delay_ms.unwrap().min), (20, 3.0));
    let wrong = Pair::Interfaces(&both, ["a".into(), "c".into()]);
    let refused = compare(&wrong, false, &Options::default(), &mut |_| {});
    assert_eq!(refused.unwrap_err().to_string(), "both has no interface c; it has a, b");
}

#[test]
fn captures_without_a_common_packet_are_refused() {
    let refused = |port: u16, later: u64| {
        let (mut near, mut far) = (Written::new(), Written::new());
        far.port = port;
        for n in 0..20u32 {
            near.tcp(u64::from(n) * 1_000, From::Client, &seg(n * 100, 1, 100));
            let other = seg(900_000 + n * 100, 1, 100);
            far.tcp(later + u64::from(n) * 1_000, From::Client, &other);
        }
        let (near, far) = (Held("near", near.bytes()), Held("far", far.bytes()));
        let pair = Pair::Captures(&near, &far);
        compare(&pair, false, &Options::default(), &mut |_| {}).unwrap_err().to_string()
    };
    assert_eq!(refused(80, 0), "near and far have no packet in common");
    let apart = "near and far have no packet in common; by their clocks, one ends before the \
                 other begins";
    assert_eq!(refused(443, 900_000_000), apart);
}
