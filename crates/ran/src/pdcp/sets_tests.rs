use std::sync::Arc;

use airpath_net::PduSet;

use super::*;
use crate::rlc::testing::packet;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Packet `position` of a set of `packets`, which has come at `queued`.
fn of_set(number: u64, (position, packets): (u64, u32), importance: u8, queued: Time) -> Packet {
    let first = number * 100;
    let mut packet = packet(first + position, 100, queued);
    let (made, deadline) = (queued, Duration::from_millis(10));
    let bytes = packets * 100;
    packet.set = Some(Arc::new(PduSet {
        number,
        first,
        packets,
        bytes,
        importance,
        ends_burst: false,
        made,
        deadline,
    }));
    packet.queued = queued;
    packet
}

fn sets(low_importance: Option<LowImportance>) -> Sets {
    let config = SetConfig {
        delay_budget: Duration::from_millis(10),
        integrated: true,
        discard: true,
        low_importance,
        deadlines: None,
        delay_status: None,
    };
    Sets::new(config, Some(Duration::from_millis(10)))
}

#[test]
fn a_set_runs_out_as_a_whole_ten_milliseconds_after_its_first_packet() {
    let mut sets = sets(None);
    let parts: Vec<Packet> = (0..3).map(|n| of_set(0, (n, 4), 1, ms(5 + n))).collect();
    for part in &parts {
        assert_eq!(sets.arrive(part.queued, part, None), None);
        sets.enter(SetKey::of(part));
    }
    assert_eq!((sets.since(), sets.expiry()), (Some(ms(5)), Some(ms(15))));
    assert!(!sets.expire(ms(14)));
    assert!(sets.expire(ms(15)));
    // The timer of the first has run out; the others go with it (TS 38.323, 5.3).
    let causes: Vec<_> = parts.iter().map(|part| sets.cause(ms(15), part)).collect();
    let [timer, set] = [DropCause::DiscardTimer, DropCause::PduSet].map(Some);
    assert_eq!(causes, [timer, set, set]);
    // Later packets are discarded, too (note 1 there).
    assert_eq!(sets.arrive(ms(16), &of_set(0, (3, 4), 1, ms(16)), None), set);
    assert_eq!(sets.cause(ms(15), &of_set(1, (0, 1), 1, ms(5))), None);
}

#[test]
fn a_set_that_waits_for_packets_runs_out_although_none_waits() {
    let mut sets = sets(None);
    let first = of_set(0, (0, 2), 1, ms(0));
    assert_eq!(sets.arrive(ms(0), &first, None), None);
    sets.enter(SetKey::of(&first));
    sets.leave(&first);
    assert_eq!((sets.expiry(), sets.pulled()), (None, Some(ms(0))));
    let late = of_set(0, (1, 2), 1, ms(10));
    assert_eq!(sets.arrive(ms(10), &late, None), Some(DropCause::PduSet));
}

#[test]
fn under_congestion_sets_of_low_importance_run_out_earlier() {
    let low = LowImportance { from: 8, timer: Duration::from_millis(4) };
    let expiry = |importance, oldest| {
        let mut sets = sets(Some(low));
        let first = of_set(0, (0, 1), importance, ms(20));
        assert_eq!(sets.arrive(ms(20), &first, oldest), None);
        sets.enter(SetKey::of(&first));
        sets.expiry()
    };
    // Congestion is half of the timer of 10 ms.
    assert_eq!(expiry(8, Some(ms(15))), Some(ms(24)));
    assert_eq!(expiry(8, Some(ms(16))), Some(ms(30)));
    assert_eq!(expiry(7, Some(ms(15))), Some(ms(30)));
    assert_eq!(expiry(15, None), Some(ms(30)));
    let mut at_once = sets(Some(LowImportance { from: 8, timer: Duration::ZERO }));
    let mut arrive = |part| at_once.arrive(ms(20), &of_set(0, (part, 2), 9, ms(20)), Some(ms(0)));
    assert_eq!(arrive(0), Some(DropCause::DiscardTimer));
    assert_eq!(arrive(1), Some(DropCause::PduSet));
}

#[test]
fn sets_of_other_addresses_are_others() {
    let mut sets = sets(None);
    let [one, mut other] = [0, 0].map(|number| of_set(number, (0, 2), 1, ms(0)));
    other.tuple.src.port = 9;
    for packet in [&one, &other] {
        sets.arrive(ms(0), packet, None);
        sets.enter(SetKey::of(packet));
    }
    assert!(sets.lose(SetKey::of(&one).expect("a set")));
    assert!(!sets.lose(SetKey::of(&one).expect("a set")), "it is lost already");
    assert_eq!(sets.cause(ms(0), &one), Some(DropCause::PduSet));
    assert_eq!(sets.cause(ms(0), &other), None);
}

#[test]
fn sets_whose_packets_never_come_are_forgotten() {
    let mut sets = sets(None);
    for number in 0..1_000 {
        sets.arrive(ms(number), &of_set(number, (0, 2), 1, ms(number)), None);
    }
    assert!(sets.known.len() <= MOST + 1, "{}", sets.known.len());
}
