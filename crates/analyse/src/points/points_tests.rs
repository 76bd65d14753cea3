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
    /// Lead of the far clock, and its gain in a million.
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

    /// A segment that the server sends passes the far point at `at`, and the near one `delay`
    /// later, if it does.
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

    /// Comparison of both captures, each in the order of its times.
    fn compare_in_order(self) -> (PairRecord, Vec<PacketRecord>) {
        let (near, far) = (in_order(&self.near.bytes()), in_order(&self.far.bytes()));
        compared(&Pair::Captures(&Held("near", near), &Held("far", far)), false)
    }

    fn compare(self, one_clock: bool) -> (PairRecord, Vec<PacketRecord>) {
        let (near, far) = (Held("near", self.near.bytes()), Held("far", self.far.bytes()));
        compared(&Pair::Captures(&near, &far), one_clock)
    }
}

/// A capture of the simulator's with its packets in the order of their times.
fn in_order(bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut blocks, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = at + word(at + 4) as usize;
        let time = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
        blocks.push((if word(at) == 6 { time } else { 0 }, &bytes[at..end]));
        at = end;
    }
    blocks.sort_by_key(|(time, _)| *time);
    blocks.iter().flat_map(|(_, block)| block.iter().copied()).collect()
}

fn compared(pair: &Pair<'_>, one_clock: bool) -> (PairRecord, Vec<PacketRecord>) {
    let mut packets = Vec::new();
    let options = Options::default();
    let record = compare(pair, one_clock, &options, &mut |packet| packets.push(*packet));
    (record.unwrap(), packets)
}

/// Path of a flow of datagrams beside a transfer.
#[derive(Clone, Copy)]
struct Beside {
    client: [u8; 4],
    server: [u8; 4],
    from: From,
}

/// The n-th datagram, of 4000 in two seconds. It takes 30 ms and up to 15 more, the first one least.
fn datagram(two: &mut Two, beside: Beside, n: u64) {
    let usual = (two.near.client, two.near.server, two.near.port);
    let places = |two: &mut Two, (client, server, port)| {
        for capture in [&mut two.near, &mut two.far] {
            (capture.client, capture.server, capture.port) = (client, server, port);
        }
    };
    places(two, (beside.client, beside.server, 5_000));
    let (at, late) = (30_100 + 500 * n, 30_100 + 500 * n + 30_000 + n % 16 * 1_000);
    let payload = [n.to_be_bytes(); 2].concat();
    let [near, far] = if beside.from == From::Client { [at, late] } else { [late, at] };
    two.near.udp(near, beside.from, &payload);
    two.far.udp(two.late(far), beside.from, &payload);
    places(two, usual);
}

/// A second of data down, a segment each 2 ms that waits up to 15 ms beyond 4 ms, and its ACKs.
fn transfer(two: &mut Two) {
    transfer_beside(two, None);
}

fn transfer_beside(two: &mut Two, beside: Option<Beside>) {
    two.handshake();
    for n in 0..1_000u64 {
        beside.into_iter().for_each(|one| (0..4).for_each(|k| datagram(two, one, 4 * n + k)));
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
fn datagrams_one_way_beside_a_transfer_do_not_touch_the_clocks() {
    // All have the same TTL at both points. The datagrams are between the hosts of the transfer, of
    // one of them, or of none.
    let hosts = [([10, 0, 0, 1], [192, 0, 2, 1]), ([10, 0, 0, 9], [192, 0, 2, 1])];
    let hosts = hosts.into_iter().chain([([10, 9, 9, 9], [203, 0, 113, 5])]);
    for (client, server) in hosts {
        for from in [From::Client, From::Server] {
            let mut two = Two { ahead: 7_200_000_000, ppm: 50, ..Two::new() };
            transfer_beside(&mut two, Some(Beside { client, server, from }));
            let (record, _) = two.compare_in_order();
            let clock = record.clock;
            assert_eq!(clock.basis, ClockBasis::LeastDelayEqual);
            // The result is that without them ("delays_are_found_behind_two_clocks").
            assert!((clock.offset_s - 7_200.0).abs() < 1e-5, "{clock:?}");
            assert!((clock.drift_ppm - 50.0).abs() < 1.0, "{clock:?}");
            let flow = record.flows.iter().find(|flow| flow.protocol == "udp").unwrap();
            assert_eq!(flow.client_point, Some(0));
            let way = if from == From::Client { &flow.up } else { &flow.down };
            let delay = way.delay_ms.unwrap();
            assert!((delay.min - 30.0).abs() < 0.15 && (delay.max - 45.0).abs() < 0.2, "{delay:?}");
            assert_eq!((way.arrived, record.impossible), (4_000, 0));
            assert_eq!((record.unknown_direction_flows, record.warnings.len()), (0, 0));
        }
    }
}

#[test]
fn datagrams_one_way_alone_have_a_direction_with_one_clock_only() {
    let alone = |one_clock: bool| {
        let mut two = Two::new();
        let beside = Beside { client: [10, 0, 0, 1], server: [192, 0, 2, 1], from: From::Server };
        (0..200).for_each(|n| datagram(&mut two, beside, n));
        two.compare(one_clock)
    };
    let (record, packets) = alone(false);
    assert_eq!(record.clock.basis, ClockBasis::NoDirection);
    assert_eq!((record.unknown_direction_flows, record.unknown_direction_packets), (1, 200));
    let flow = &record.flows[0];
    assert_eq!((flow.client_point, flow.down.arrived, flow.down.delay_ms), (None, 200, None));
    assert!(record.ways.iter().all(|way| way.sent == 0));
    assert!(packets.iter().all(|packet| packet.delay_ms.is_none()));
    assert!(record.warnings[0].starts_with("1 flows have no delays"), "{:?}", record.warnings);
    let (record, _) = alone(true);
    let delay = record.flows[0].down.delay_ms.unwrap();
    assert_eq!((record.flows[0].client_point, delay.min, delay.max), (Some(0), 30.0, 45.0));
    assert_eq!(record.unknown_direction_flows, 0);
}

#[test]
fn a_copy_that_was_not_lost_is_found_in_either_direction() {
    // Sent, lost, and sent again 20 ms later, with a delay of 40 ms: the one that arrives is not the
    // one that was sent last before.
    for up in [false, true] {
        let mut two = Two::new();
        two.handshake();
        for n in 0..50u32 {
            let (at, one) = (30_000 + 2_000 * u64::from(n), seg(1 + 100 * n, 1, 100));
            if up { two.up(at, Some(40_000), &one) } else { two.down(at, Some(40_000), &one) }
        }
        let again = seg(5_001, 1, 100);
        for (at, delay) in [(200_000, Some(40_000)), (220_000, None)] {
            if up { two.up(at, delay, &again) } else { two.down(at, delay, &again) }
        }
        let (record, _) = two.compare(true);
        let way = if up { &record.flows[0].up } else { &record.flows[0].down };
        assert_eq!((way.delay_ms.unwrap().max, way.delay_ms.unwrap().min), (40.0, 4.0), "{up}");
    }
}

#[test]
fn packets_without_a_time_are_left_out_and_said() {
    let mut two = Two::new();
    transfer(&mut two);
    let far = crate::places_tests::simple_blocks(&two.far.bytes(), |n| n == 40);
    let (near, far) = (Held("near", two.near.bytes()), Held("far", far));
    let (record, _) = compared(&Pair::Captures(&near, &far), true);
    assert_eq!(record.warnings, ["far: 1 packets have no time, and are left out"]);
    assert_eq!(record.packets, [2_003, 2_002]);
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
    assert_eq!(flow.client_point, Some(0));
}

#[test]
fn the_order_of_points_does_not_matter() {
    let mut two = Two { ahead: 60_000_000, ppm: 0, ..Two::new() };
    transfer(&mut two);
    let (near, far) = (Held("near", two.near.bytes()), Held("far", two.far.bytes()));
    let (one, _) = compared(&Pair::Captures(&near, &far), false);
    let (other, _) = compared(&Pair::Captures(&far, &near), false);
    assert_eq!(one.flows[0].up.arrived, other.flows[0].up.arrived);
    assert_eq!((one.flows[0].client_point, other.flows[0].client_point), (Some(0), Some(1)));
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
