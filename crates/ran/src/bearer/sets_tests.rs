use std::sync::Arc;

use airpath_base::Duration;
use airpath_net::PduSet;

use super::*;
use crate::config::BearerConfig;
use crate::pdcp::{QueueLimit, SetConfig};
use crate::rlc::testing::{DOWN, Rig, config, packet};
use crate::rlc::{Mode, Pdu, nr};

const UP: Direction = Direction::Uplink;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// A bearer over RLC UM of NR that handles sets: all packets needed, discarded as a whole after 10 ms.
fn settings() -> BearerConfig {
    let mut settings = config(Mode::NrUm(nr::um::Config::default()));
    settings.pdcp.discard_timer = Some(Duration::from_millis(10));
    settings.pdcp.sets = Some(SetConfig {
        delay_budget: Duration::from_millis(10),
        integrated: true,
        discard: true,
        low_importance: None,
        deadlines: Some(Deadlines::OfSets),
        delay_status: None,
    });
    settings
}

/// Offers packets of 99 bytes, of a set of four; with the byte of PDCP they are SDUs of 100.
fn offer(rig: &mut Rig, direction: Direction, now: Time, numbers: impl Iterator<Item = u64>) {
    for n in numbers {
        let mut packet = packet(n, 99, now);
        let (number, first) = (n / 4, n / 4 * 4);
        let (made, deadline) = (now, Duration::from_millis(10));
        let set = PduSet {
            number,
            first,
            packets: 4,
            bytes: 396,
            importance: 1,
            ends_burst: false,
            made,
            deadline,
        };
        packet.set = Some(Arc::new(set));
        rig.offered += 1;
        rig.bearer.enqueue(direction, now, packet, 0, &mut rig.bench.cx(now));
    }
}

/// A PDU with one SDU: 3 bytes of MAC at most and 1 of RLC in front.
fn one(rig: &mut Rig, direction: Direction, now: Time) -> Pdu {
    rig.build(direction, now, 103).expect("a PDU")
}

#[test]
fn a_packet_lost_on_the_air_takes_what_waits_of_its_set_along() {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, DOWN, ms(0), 0..6);
    let lost = one(&mut rig, DOWN, ms(1));
    rig.lose(DOWN, ms(4), lost);
    let set = DropCause::PduSet;
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss, set, set, set]);
    // Of the next set two wait, and are sent; a late packet of the first is dropped as it comes.
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 2);
    let next = one(&mut rig, DOWN, ms(5));
    rig.receive(DOWN, ms(6), next, ms(6));
    assert_eq!(rig.bench.drops.0.len(), 4);
    rig.wake(ms(5) + Duration::from_secs(4));
    assert_eq!(rig.numbers(), [4]);
    rig.assert_books_close();
}

#[test]
fn packets_that_come_after_the_loss_are_dropped() {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, DOWN, ms(0), 0..1);
    let lost = one(&mut rig, DOWN, ms(1));
    rig.lose(DOWN, ms(4), lost);
    offer(&mut rig, DOWN, ms(5), 1..5);
    let set = DropCause::PduSet;
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss, set, set, set]);
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 1);
}

#[test]
fn without_integrated_handling_the_rest_of_a_set_goes_on() {
    let mut plain = settings();
    plain.pdcp.sets = plain.pdcp.sets.map(|own| SetConfig { integrated: false, ..own });
    let mut rig = Rig::new(&plain);
    offer(&mut rig, DOWN, ms(0), 0..4);
    let lost = one(&mut rig, DOWN, ms(1));
    rig.lose(DOWN, ms(4), lost);
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 3);
}

#[test]
fn uplink_the_cell_drops_the_rest_of_a_set_that_was_lost_on_the_air() {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, UP, ms(0), 0..5);
    let lost = one(&mut rig, UP, ms(1));
    rig.lose(UP, ms(4), lost);
    // The UE does not know, and sends on.
    assert_eq!((rig.bench.drops.0.len(), rig.bearer.waiting(UP).sdus), (1, 4));
    for now in 5..9 {
        let pdu = one(&mut rig, UP, ms(now));
        rig.receive(UP, ms(now), pdu, ms(now));
    }
    rig.wake(ms(200));
    let set = DropCause::PduSet;
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss, set, set, set]);
    assert_eq!(rig.numbers(), [4]);
    rig.assert_books_close();
}

#[test]
fn the_timer_of_the_first_packet_discards_the_set_in_both_directions() {
    for direction in Direction::ALL {
        let mut rig = Rig::new(&settings());
        offer(&mut rig, direction, ms(0), 0..2);
        offer(&mut rig, direction, ms(6), 2..6);
        assert_eq!(rig.bearer.next_wake(), Some(ms(10)));
        rig.wake(ms(10));
        let (timer, set) = (DropCause::DiscardTimer, DropCause::PduSet);
        assert_eq!(rig.bench.drops.0, [timer, timer, set, set]);
        // The next set came at 6 ms.
        assert_eq!((rig.bearer.waiting(direction).sdus, rig.bearer.next_wake()), (2, Some(ms(16))));
        rig.assert_books_close();
    }
}

#[test]
fn a_packet_without_room_takes_its_set_along() {
    let mut small = settings();
    small.pdcp.downlink_queue = QueueLimit::Packets(3);
    let mut rig = Rig::new(&small);
    offer(&mut rig, DOWN, ms(0), 0..4);
    let set = DropCause::PduSet;
    assert_eq!(rig.bench.drops.0, [DropCause::QueueFull, set, set, set]);
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 0);
    offer(&mut rig, DOWN, ms(1), 4..6);
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 2);
}

/// Deadline of a bearer at 8 ms, while packets of `per_set` of a set come each 2 ms and one leaves each 3 ms.
fn deadline(deadlines: Deadlines, per_set: u32) -> Option<Time> {
    let mut settings = settings();
    settings.pdcp.discard_timer = None;
    let sets = settings.pdcp.sets.map(|own| SetConfig {
        deadlines: Some(deadlines),
        discard: false,
        ..own
    });
    settings.pdcp.sets = sets;
    let mut rig = Rig::new(&settings);
    for now in 0..8 {
        if now % 2 == 0 {
            let mut packet = packet(now / 2, 99, ms(now));
            let number = now / 2 / u64::from(per_set);
            packet.set = Some(Arc::new(PduSet {
                number,
                first: number * u64::from(per_set),
                packets: per_set,
                bytes: per_set * 99,
                importance: 1,
                ends_burst: false,
                made: ms(now),
                deadline: Duration::from_millis(10),
            }));
            rig.bearer.enqueue(DOWN, ms(now), packet, 0, &mut rig.bench.cx(ms(now)));
        }
        if now % 3 == 2 {
            rig.build(DOWN, ms(now), 103);
        }
    }
    rig.bearer.deadline(DOWN)
}

#[test]
fn a_set_has_the_deadline_of_its_first_packet() {
    // Packets of 0 and 2 ms are gone, those of 4 and 6 ms wait.
    assert_eq!(deadline(Deadlines::OfPackets, 4), Some(ms(14)));
    assert_eq!(deadline(Deadlines::OfSets, 4), Some(ms(10)));
    assert_eq!(deadline(Deadlines::OfSets, 2), Some(ms(14)));
    // Sets of one packet are packets.
    assert_eq!(deadline(Deadlines::OfSets, 1), deadline(Deadlines::OfPackets, 1));
}

#[test]
fn the_rest_of_a_set_that_is_partly_sent_keeps_its_deadline() {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, DOWN, ms(0), 0..1);
    one(&mut rig, DOWN, ms(1));
    offer(&mut rig, DOWN, ms(5), 1..2);
    rig.build(DOWN, ms(6), 50).expect("a part of the second");
    assert_eq!(rig.bearer.deadline(DOWN), Some(ms(10)));
}

/// A bearer of which three packets of a set of four have been sent in part when the link fails.
fn failed(direction: Direction) -> Rig {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, direction, ms(0), 0..4);
    rig.build(direction, ms(1), 53).expect("a part of the first");
    rig.bearer.rlc.void(direction);
    rig
}

#[test]
fn a_handover_that_loses_a_packet_takes_the_rest_of_its_set_along() {
    for direction in Direction::ALL {
        let mut rig = failed(direction);
        offer(&mut rig, direction, ms(1), 4..6);
        let mut cx = rig.bench.cx(ms(5));
        let at = (ms(5), airpath_net::Stage::Handover);
        rig.bearer.reestablish(at, &mut cx, &mut |_, _| panic!("nothing has come"));
        let set = DropCause::PduSet;
        assert_eq!(rig.bench.drops.0, [DropCause::Handover, set, set, set]);
        // Of the next set two wait, as they did.
        assert_eq!(rig.bearer.waiting(direction).sdus, 2);
        rig.assert_books_close();
    }
}

#[test]
fn what_comes_of_a_set_after_the_release_of_its_link_is_dropped() {
    let mut rig = Rig::new(&settings());
    offer(&mut rig, DOWN, ms(0), 0..2);
    rig.bearer.release(ms(5), &mut rig.bench.cx(ms(5)), &mut |_, _| panic!("nothing has come"));
    assert_eq!(rig.bench.drops.0, [DropCause::LinkFailure; 2]);
    offer(&mut rig, DOWN, ms(6), 2..5);
    assert_eq!(rig.bench.drops.0[2..], [DropCause::PduSet; 2]);
    assert_eq!(rig.bearer.waiting(DOWN).sdus, 1);
    rig.assert_books_close();
}
