use super::*;

const RULE: LossRule = LossRule { reordering: 655, window: 256, beyond: 0, by_frame: false };

fn flight(packets: impl IntoIterator<Item = (Ticks, u16)>) -> Flight {
    let mut flight = Flight::default();
    packets.into_iter().for_each(|(time, seq)| flight.add(time, 1000, seq, 0, false));
    flight
}

fn ack(flight: &mut Flight, seq: u16, rule: LossRule) -> Passed {
    let seq = flight.extended(seq).expect("a packet was sent");
    assert!(flight.ack(seq).is_some());
    flight.pass(seq, rule)
}

#[test]
fn what_lies_below_leaves_the_flight() {
    let mut flight = flight([(0, 65_534), (1, 65_535), (2, 0), (3, 1)]);
    assert_eq!(flight.bytes(), 4000);
    let passed = ack(&mut flight, 0, RULE);
    assert_eq!(passed, Passed { bytes: 3000, fates: vec![Fate::Acked] });
    assert_eq!(flight.bytes(), 1000);
}

#[test]
fn lost_once_the_margin_is_exceeded() {
    let mut flight = flight([(0, 0), (655, 1), (656, 2)]);
    assert_eq!(ack(&mut flight, 1, RULE).lost_packets(), 0); // exactly 10 ms
    assert_eq!(ack(&mut flight, 2, RULE).lost_packets(), 1);
    assert_eq!(flight.extended(0).and_then(|seq| flight.ack(seq)).map(|sent| sent.size), None);
}

#[test]
fn lost_packets_that_are_acknowledged_later_are_counted_once() {
    let mut flight = flight([(0, 65_533), (0, 65_534), (0, 65_535), (700, 0), (1400, 1)]);
    assert_eq!(ack(&mut flight, 0, RULE).lost_packets(), 3);
    assert_eq!(flight.lost_arrived(), 0);
    // A report names the second of them, and the next report names it again.
    for _ in 0..2 {
        let seq = flight.extended(65_534).expect("a packet was sent");
        assert!(flight.ack(seq).is_none(), "a packet that counts as lost remains so");
        assert_eq!(flight.lost_arrived(), 1);
    }
    assert_eq!(ack(&mut flight, 1, RULE), Passed { bytes: 1000, fates: vec![Fate::Acked] });
    // A void flight has declared nothing lost, and forgets nothing of what it has.
    flight.add(2000, 1000, 2, 0, false);
    flight.clear();
    let [void, lost] = [2, 65_535].map(|seq| flight.extended(seq).expect("a packet was sent"));
    assert!(flight.ack(void).is_none() && flight.ack(lost).is_none());
    assert_eq!(flight.lost_arrived(), 2);
}

#[test]
fn a_gap_in_the_numbers_is_no_loss() {
    let mut flight = flight([(0, 0), (5000, 30)]);
    ack(&mut flight, 0, RULE);
    assert_eq!(ack(&mut flight, 30, RULE).lost_packets(), 0);
}

#[test]
fn packets_of_different_frames_may_be_apart() {
    let by_frame = LossRule { reordering: 1966, by_frame: true, ..RULE };
    let mut flight = Flight::default();
    flight.add(0, 1000, 0, 0, true);
    flight.add(6554, 1000, 1, 9000, true); // 100 ms later in both clocks
    flight.add(9000, 1000, 2, 9000, true);
    assert_eq!(ack(&mut flight, 1, by_frame).lost_packets(), 0);
    assert_eq!(ack(&mut flight, 2, by_frame).lost_packets(), 1); // 9000 > 1966 + 6553
}

#[test]
fn what_falls_out_of_the_window() {
    for beyond in [0, 32] {
        let rule = LossRule { reordering: 1 << 40, beyond, ..RULE };
        let mut flight = flight((0..600).map(|n| (n, n as u16)));
        let mut lost = [300, 310, 400].map(|seq| ack(&mut flight, seq, rule).lost_packets());
        // The window ends 256 below the highest before, at 44 and at 54, and has moved by 10
        // and by 90 packets: 34 to 43 and, of 22 to 53, what is left.
        assert_eq!(lost, if beyond == 0 { [0; 3] } else { [0, 10, 22] });
        lost = [401, 500, 599].map(|seq| ack(&mut flight, seq, rule).lost_packets());
        assert_eq!(lost, if beyond == 0 { [0; 3] } else { [1, 31, 32] });
    }
}

#[test]
fn memory_is_bounded() {
    let mut flight = flight((0..10_000u64).map(|n| (n, n as u16)));
    assert_eq!(flight.sent.len(), MOST);
    assert_eq!(flight.bytes(), 1000 * MOST as u64);
    flight.clear();
    assert_eq!(flight.bytes(), 0);
    for n in 0..10_000u64 {
        flight.add(20_000 + 1000 * n, 1000, n as u16, 0, false);
        if n % 3 == 2 {
            ack(&mut flight, n as u16, RULE);
        }
    }
    assert_eq!(flight.lost.len(), MOST);
}
