//! A split bearer without cells: counts, both ways, and a leg that ends.

use airpath_net::testing::Bench;

use super::*;
use crate::rlc::testing::{DOWN, config, packet};
use crate::rlc::{Mode, am, nr};

const NOW: Time = Time::from_millis(5);

/// A host over LTE with so many packets of 100 bytes, and its leg.
fn split(packets: u64, bench: &mut Bench) -> [Bearer; 2] {
    let config = config(Mode::Am(am::Config::default()));
    let mode = Mode::NrAm(am::Config::default(), nr::SnLength::Eighteen);
    let rlc = rlc::Config { mode, ..config.rlc };
    let mut host = Bearer::new(BearerId(0), config, true);
    host.host([false; 2]);
    for number in 0..packets {
        host.enqueue(DOWN, Time::ZERO, packet(number, 100, Time::ZERO), 0, &mut bench.cx(NOW));
    }
    [host, Bearer::leg(BearerId(0), &config, (rlc, [false; 2]), true)]
}

/// Numbers of the packets that a bearer's next PDU brings up to the host's receiver.
fn carried(sender: usize, room: u32, both: &mut [Bearer; 2], bench: &mut Bench) -> Vec<u64> {
    let cx = &mut bench.cx(NOW);
    let mut numbers = Vec::new();
    let mut out = |_, packet: Packet| numbers.push(packet.number);
    let pdu = both[sender].build(DOWN, NOW, room, cx).expect("a PDU");
    both[sender].receive(DOWN, NOW, pdu, NOW, cx, &mut out);
    for (direction, count, packet) in both[1].take_handed_up() {
        both[0].receive_from_leg((direction, NOW), (count, packet), cx, &mut out);
    }
    numbers
}

#[test]
fn packets_of_both_ways_come_in_order() {
    let mut bench = Bench::new();
    let mut both = split(6, &mut bench);
    // 101 bytes each with PDCP's: two are less than 150 bytes, and the second exceeds them.
    let (handed, bytes) = both[0].hand_over((DOWN, NOW), 150, &mut bench.cx(NOW));
    assert_eq!((handed.len(), bytes), (2, 202));
    assert_eq!(both[0].waiting(DOWN).bytes, 404);
    for packet in handed {
        assert_eq!(both[1].accept((DOWN, NOW), packet, &mut bench.cx(NOW)), 101);
    }
    // The anchor has packets 2 and 3, which wait for 0 and 1.
    assert!(carried(0, 2 + 2 + 202, &mut both, &mut bench).is_empty());
    assert_eq!(carried(1, 1_000, &mut both, &mut bench), [0, 1, 2, 3]);
    assert_eq!(carried(0, 1_000, &mut both, &mut bench), [4, 5]);
    assert_eq!(both.iter().map(|bearer| bearer.held().packets).sum::<u64>(), 0);
}

#[test]
fn a_leg_that_ends_gives_back_what_it_has_not_delivered() {
    let mut bench = Bench::new();
    let mut both = split(6, &mut bench);
    let (handed, _) = both[0].hand_over((DOWN, NOW), 350, &mut bench.cx(NOW));
    assert_eq!(handed.len(), 4);
    for packet in handed {
        both[1].accept((DOWN, NOW), packet, &mut bench.cx(NOW));
    }
    // 101 + 3 + 2 bytes: packet 0 is delivered. Packet 1 is on the air and lost with the leg.
    assert_eq!(carried(1, 106, &mut both, &mut bench), [0]);
    let lost = both[1].build(DOWN, NOW, 106, &mut bench.cx(NOW));
    assert!(lost.is_some());
    both[1].rlc_mut().void(DOWN);
    let [back, gone] = both[1].take_back((DOWN, NOW), &mut bench.cx(NOW));
    assert!(gone.is_empty());
    assert_eq!(back.iter().map(|(count, _)| *count).collect::<Vec<u64>>(), [1, 2, 3]);
    assert_eq!(both[1].held().packets, 0);
    // Packet 4 is sent before they come back, and waits for them.
    assert!(carried(0, 2 + 101, &mut both, &mut bench).is_empty());
    both[0].give_back(DOWN, back, &mut bench.cx(NOW));
    assert_eq!(both[0].waiting(DOWN).sdus, 4);
    assert_eq!(carried(0, 1_000, &mut both, &mut bench), [1, 2, 3, 4, 5]);
    assert!(bench.drops.0.is_empty());
}
