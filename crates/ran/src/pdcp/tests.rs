use airpath_base::BearerId;
use airpath_net::queue::{DropTail, Limit};
use airpath_net::testing::Bench;
use airpath_net::{Cx, DropCause, Packet, Stage};

use super::*;
use crate::bearer::Bearer;
use crate::rlc::testing::{DOWN, config, packet};
use crate::rlc::{Mode, um};

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn bearer(timer: Option<u64>, queue: QueueLimit) -> Bearer {
    let discard_timer = timer.map(Duration::from_millis);
    let mut settings = config(Mode::Um(um::Config::default()));
    settings.pdcp = Config { discard_timer, downlink_queue: queue, ..Config::default() };
    Bearer::new(BearerId(0), settings, true)
}

fn wake(bearer: &mut Bearer, now: Time, cx: &mut Cx<'_>) {
    bearer.wake(now, cx, &mut |_, _| panic!("nothing was sent"));
}

#[test]
fn headers_have_the_bytes_of_ts_36_323() {
    use SnLength::{Eighteen, Fifteen, Seven, Twelve};
    assert_eq!([Seven, Twelve, Fifteen, Eighteen].map(SnLength::header), [1, 2, 2, 3]);
}

#[test]
fn an_sdu_grows_by_the_header() {
    let mut bench = Bench::new();
    let mut bearer = bearer(None, QueueLimit::Unlimited);
    bearer.enqueue(DOWN, ms(0), packet(0, 588, ms(0)), 0, &mut bench.cx(ms(0)));
    assert_eq!(bearer.waiting(DOWN), Waiting { sdus: 1, bytes: 590 });
    assert_eq!(bearer.next_wake(), None);
}

#[test]
fn each_sdu_is_discarded_when_its_own_timer_runs_out() {
    let mut bench = Bench::new();
    let mut bearer = bearer(Some(100), QueueLimit::Unlimited);
    for now in [0, 10, 30].map(ms) {
        bearer.enqueue(DOWN, now, packet(0, 100, now), 0, &mut bench.cx(now));
    }
    assert_eq!(bearer.next_wake(), Some(ms(100)));
    wake(&mut bearer, ms(99), &mut bench.cx(ms(99)));
    assert_eq!(bearer.held().packets, 3);
    wake(&mut bearer, ms(110), &mut bench.cx(ms(110)));
    assert_eq!(bench.drops.0, [DropCause::DiscardTimer; 2]);
    assert_eq!(bearer.next_wake(), Some(ms(130)));
}

#[test]
fn what_does_not_fit_is_dropped_but_not_for_what_has_expired() {
    let mut bench = Bench::new();
    let mut bearer = bearer(Some(100), QueueLimit::Packets(1));
    for now in [0, 50, 100].map(ms) {
        bearer.enqueue(DOWN, now, packet(0, 100, now), 0, &mut bench.cx(now));
    }
    assert_eq!(bench.drops.0, [DropCause::QueueFull, DropCause::DiscardTimer]);
    assert_eq!(bearer.held().packets, 1);
}

#[test]
fn a_packet_that_is_partly_sent_counts_in_the_limit() {
    let mut bench = Bench::new();
    let mut bearer = bearer(None, QueueLimit::Packets(1));
    bearer.enqueue(DOWN, ms(0), packet(0, 100, ms(0)), 0, &mut bench.cx(ms(0)));
    bearer.build(DOWN, ms(1), 50, &mut bench.cx(ms(1))).expect("a PDU");
    bearer.enqueue(DOWN, ms(1), packet(1, 100, ms(1)), 0, &mut bench.cx(ms(1)));
    assert_eq!(bench.drops.0, [DropCause::QueueFull]);
}

#[test]
fn rlc_takes_a_packet_when_its_first_byte_is_sent() {
    let mut bench = Bench::new();
    let mut bearer = bearer(None, QueueLimit::Unlimited);
    for number in 0..2 {
        bearer.enqueue(DOWN, ms(0), packet(number, 98, ms(0)), 0, &mut bench.cx(ms(0)));
    }
    // Two bytes of RLC and all of the first; a second needs two bytes more and one of its own.
    let first = bearer.build(DOWN, ms(5), 104, &mut bench.cx(ms(5))).expect("a PDU");
    assert_eq!(bearer.oldest_above(), Some(ms(0)));
    let second = bearer.build(DOWN, ms(6), 52, &mut bench.cx(ms(6))).expect("a PDU");
    assert_eq!(bearer.oldest_above(), None);
    let third = bearer.build(DOWN, ms(9), 200, &mut bench.cx(ms(9))).expect("a PDU");
    let mut spent = Vec::new();
    for pdu in [first, second, third] {
        let out = &mut |_, packet: Packet| {
            spent.push(
                [Stage::Pdcp, Stage::Rlc].map(|stage| packet.stages.spent(stage).as_millis()),
            );
        };
        bearer.receive(DOWN, ms(10), pdu, ms(10), &mut bench.cx(ms(10)), out);
    }
    assert_eq!(spent, [[5, 0], [6, 3]]);
}

#[test]
fn flows_of_a_bearer_have_queues_of_their_own_and_go_by_age() {
    let mut bench = Bench::new();
    let mut bearer = bearer(None, QueueLimit::Unlimited);
    bearer.set_queue(DOWN, 1, DropTail::new(Limit::packets(1)).into());
    for (number, flow) in [(0, 1), (1, 0), (2, 1), (3, 0)] {
        let now = ms(number);
        bearer.enqueue(DOWN, now, packet(number, 98, now), flow, &mut bench.cx(now));
    }
    assert_eq!(bench.drops.0, [DropCause::QueueFull]);
    let pdu = bearer.build(DOWN, ms(5), 1_000, &mut bench.cx(ms(5))).expect("a PDU");
    let mut numbers = Vec::new();
    let out = &mut |_, packet: Packet| numbers.push(packet.number);
    bearer.receive(DOWN, ms(6), pdu, ms(6), &mut bench.cx(ms(6)), out);
    assert_eq!(numbers, [0, 1, 3]);
}
