use airpath_base::BearerId;
use airpath_net::testing::Bench;

use super::*;
use crate::rlc::testing::{DOWN, config, packet};
use crate::rlc::{Mode, QueueLimit, um};

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn bearer(timer: Option<u64>, queue: QueueLimit) -> (Entity, rlc::Channel) {
    let discard_timer = timer.map(Duration::from_millis);
    let mut settings = config(Mode::Um(um::Config::default()));
    settings.downlink_queue = queue;
    let pdcp = Entity::new(Config { discard_timer, ..Config::default() });
    (pdcp, rlc::Channel::new(BearerId(0), &settings))
}

#[test]
fn headers_have_the_bytes_of_ts_36_323() {
    use SnLength::{Eighteen, Fifteen, Seven, Twelve};
    assert_eq!([Seven, Twelve, Fifteen, Eighteen].map(SnLength::header), [1, 2, 2, 3]);
}

#[test]
fn an_sdu_grows_by_the_header() {
    let mut bench = Bench::new();
    let (mut pdcp, mut rlc) = bearer(None, QueueLimit::Unlimited);
    pdcp.send(DOWN, ms(0), packet(0, 588, ms(0)), &mut rlc, &mut bench.cx(ms(0)));
    assert_eq!(rlc.buffer_status(DOWN, ms(0)).sdu_bytes, 590);
    assert_eq!(pdcp.next_wake(&rlc), None);
}

#[test]
fn each_sdu_is_discarded_when_its_own_timer_runs_out() {
    let mut bench = Bench::new();
    let (mut pdcp, mut rlc) = bearer(Some(100), QueueLimit::Unlimited);
    for now in [0, 10, 30].map(ms) {
        pdcp.send(DOWN, now, packet(0, 100, now), &mut rlc, &mut bench.cx(now));
    }
    assert_eq!(pdcp.next_wake(&rlc), Some(ms(100)));
    pdcp.wake(ms(99), &mut rlc, &mut bench.cx(ms(99)));
    assert_eq!(rlc.held().packets, 3);
    pdcp.wake(ms(110), &mut rlc, &mut bench.cx(ms(110)));
    assert_eq!(bench.drops.0, [DropCause::DiscardTimer; 2]);
    assert_eq!(pdcp.next_wake(&rlc), Some(ms(130)));
}

#[test]
fn what_does_not_fit_is_dropped_but_not_for_what_has_expired() {
    let mut bench = Bench::new();
    let (mut pdcp, mut rlc) = bearer(Some(100), QueueLimit::Packets(1));
    for now in [0, 50, 100].map(ms) {
        pdcp.send(DOWN, now, packet(0, 100, now), &mut rlc, &mut bench.cx(now));
    }
    assert_eq!(bench.drops.0, [DropCause::QueueFull, DropCause::DiscardTimer]);
    assert_eq!(rlc.held().packets, 1);
}
