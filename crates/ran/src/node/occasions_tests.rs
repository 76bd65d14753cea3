use airpath_base::UeId;
use airpath_base::random::Seed;
use airpath_net::testing::Bench;
use airpath_net::{Event, Node, Probe, RadioEvent};

use super::super::Ran;
use super::super::tests::{config, packet, run};
use super::*;
use crate::config::{BearerConfig, Occasions};

/// A cell of 6 resource blocks with so many UEs, each with a configured grant of one in `count` TTIs of a period of 20.
fn ran(ues: u32, count: u64, indicated: u64) -> Ran {
    let mut config = config(7, Access::Configured { period: 20, resource_blocks: 1 }, 1e10);
    config.cells[0].uplink.occasions = Occasions { count, indicated, repetitions: 1 };
    while (config.ues.len() as u32) < ues {
        let number = config.ues.len() as u32;
        let (mut next, id) = (config.ues[0].clone(), airpath_base::BearerId(number));
        next.offset = u64::from(number);
        next.bearers = vec![id];
        let teid = config.bearers[0].teid + number;
        config.bearers.push(BearerConfig { ue: UeId(number), teid, ..config.bearers[0] });
        config.ues.push(next);
    }
    Ran::new(config, Seed(1)).expect("a network")
}

/// Number of occasions that were set aside and not used.
#[derive(Default)]
struct Unused(u32);

impl Probe for Unused {
    fn on(&mut self, _: Time, _: airpath_base::NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Unused { .. }) = event {
            self.0 += 1;
        }
    }
}

#[test]
fn occasions_are_in_consecutive_intervals_beside_each_other() {
    let ran = ran(2, 3, 0);
    let cell = &ran.cells[0];
    // The first UE has intervals 0 to 2 of 20, the second 1 to 3.
    let reserved: Vec<u16> = (0..6).chain(18..24).map(|tti| cell.reserved_in(tti)).collect();
    assert_eq!(reserved, [1, 2, 2, 1, 0, 0, 0, 0, 1, 2, 2, 1]);
    let own = |tti, ue| cell.occasion_blocks(tti, UeIndex::new(ue));
    assert_eq!(own(21, 0), ResourceBlocks::range(5, 1));
    assert_eq!(own(21, 1), ResourceBlocks::range(4, 1));
    assert_eq!((own(23, 0), own(20, 1)), (ResourceBlocks::EMPTY, ResourceBlocks::EMPTY));
}

#[test]
fn a_burst_takes_the_occasions_of_its_period() {
    let (mut ran, mut bench) = (ran(1, 3, 0), Bench::new());
    let start = Time::from_nanos(10_300_000);
    run(&mut ran, &mut bench, start);
    for _ in 0..3 {
        ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    }
    let left = run(&mut ran, &mut bench, Time::from_millis(100));
    // Each occasion takes 89 bytes (TS 36.213, table 7.1.7.2.1-1), and so one packet and a part. Filled at 19, 20 and
    // 21 ms, they leave two milliseconds behind the begin of their intervals, 20 and 21 ms.
    let times: Vec<Time> = left.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times[..2], [22, 23].map(Time::from_millis));
    assert!(times[2] <= Time::from_millis(24));
}

/// Occasions that were lost, of 16 in intervals 20 to 35, of which a small packet takes the first.
fn lost(indicated: u64) -> (u32, Option<u16>) {
    let (mut ran, mut bench) = (ran(1, 16, indicated), Bench::new());
    // Behind the occasions of the first period.
    let (start, mut seen) = (Time::from_nanos(16_300_000), Unused::default());
    let mut free = None;
    run(&mut ran, &mut bench, start);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    while let Some(due) = ran.next_wake().filter(|due| *due < Time::from_millis(37)) {
        let counted = due >= Time::from_millis(18);
        match counted {
            true => ran.wake(due, &mut bench.cx_watched(due, &mut seen)),
            false => ran.wake(due, &mut bench.cx(due)),
        }
        if due == Time::from_millis(22) {
            free = Some(ran.cells[0].indicated_unused(28).count());
        }
    }
    (seen.0, free)
}

#[test]
fn the_cell_uses_occasions_that_are_indicated_in_time() {
    // The packet goes in interval 20, and 15 occasions are lost without an indication.
    assert_eq!(lost(0), (15, Some(0)));
    // Eight bits name intervals 21 to 28. The cell reads them at 22 ms and decides interval 28 then.
    assert_eq!(lost(8), (14, Some(1)));
}

#[test]
fn an_indicated_occasion_is_not_used_although_data_come() {
    let (mut ran, mut bench) = (ran(1, 4, 3), Bench::new());
    let start = Time::from_nanos(10_300_000);
    run(&mut ran, &mut bench, start);
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    let first = run(&mut ran, &mut bench, Time::from_nanos(19_500_000));
    assert!(first.is_empty());
    let later = Time::from_nanos(19_500_000);
    ran.receive(later, Ran::ue(UeId(0)), packet(later, 40), &mut bench.cx(later));
    let left = run(&mut ran, &mut bench, Time::from_millis(60));
    // The second packet waits for the next period: filled at 39 ms, on the air from 40 ms.
    let times: Vec<Time> = left.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [22, 42].map(Time::from_millis));
}

/// A cell with repetitions of each block, whose first transmissions fail with this probability.
fn repeating(repetitions: u8, error: f64) -> Ran {
    let mut config = config(7, Access::Configured { period: 10, resource_blocks: 1 }, 1e10);
    let count = u64::from(repetitions);
    config.cells[0].uplink.occasions = Occasions { count, indicated: 0, repetitions };
    config.cells[0].first_error = Some(error);
    Ran::new(config, Seed(1)).expect("a network")
}

#[test]
fn a_block_with_repetitions_is_decoded_behind_the_last() {
    for (repetitions, end) in [(1, 22), (2, 23), (4, 25), (8, 29)] {
        let (mut ran, mut bench) = (repeating(repetitions, 0.0), Bench::new());
        let start = Time::from_nanos(18_300_000);
        run(&mut ran, &mut bench, start);
        ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
        let left = run(&mut ran, &mut bench, Time::from_millis(60));
        // Filled at 19 ms, on the air from 20 ms on, and a millisecond for the decoding.
        assert_eq!(left.iter().map(|(at, ..)| *at).collect::<Vec<_>>(), [Time::from_millis(end)]);
    }
}

/// Blocks of a first transmission by whether they failed.
#[derive(Default)]
struct Failed([u32; 2]);

impl Probe for Failed {
    fn on(&mut self, _: Time, _: airpath_base::NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block { attempt: 0, decoded, .. }) = event {
            self.0[usize::from(!decoded)] += 1;
        }
    }
}

#[test]
fn repetitions_fail_together_with_the_power_of_their_share() {
    let (mut ran, mut bench, mut failed) = (repeating(2, 0.3), Bench::new(), Failed::default());
    for n in 0..2_000 {
        let now = Time::from_millis(n * 10 + 5);
        while let Some(due) = ran.next_wake().filter(|due| *due < now) {
            ran.wake(due, &mut bench.cx_watched(due, &mut failed));
        }
        ran.receive(now, Ran::ue(UeId(0)), packet(now, 40), &mut bench.cx(now));
    }
    let [good, bad] = failed.0.map(f64::from);
    // 0.3 squared; the deviation of a share of 2000 is 0.0064.
    assert!(good + bad > 1_900.0 && (bad / (good + bad) - 0.09).abs() < 0.02, "{good}, {bad}");
}
