use proptest::prelude::*;

use super::super::ShortCycle;
use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Released after 1 s; DRX after 100 ms, three cycles of 20 ms, then 80 ms; on for 5 ms.
fn config() -> Config {
    let short = Some(ShortCycle { cycle: ms(20), count: 3 });
    let drx =
        Drx { on_duration: ms(5), inactivity: ms(100), short, long_cycle: ms(80), offset: ms(10) };
    Config { release_after: Some(ms(1_000)), drx: Some(drx), ..Config::MOBISYS_2012 }
}

fn changes(machine: &mut Machine, until: Time) -> Vec<(u64, State)> {
    let mut changes = Vec::new();
    while let Some((at, state)) = machine.advance(until) {
        changes.push((at.as_nanos() / 1_000_000, state));
    }
    changes
}

#[test]
fn from_idle_to_idle_by_hand() {
    let mut machine = Machine::new(config(), false, Time::ZERO);
    assert_eq!(machine.next_change(), None);
    machine.promote(at(300));
    assert_eq!(machine.advance(at(299)), None);
    assert_eq!(changes(&mut machine, at(300)), [(300, State::Active)]);
    assert!(!machine.activity(at(350)));
    // 350 + 100; + 3 * 20; 350 + 1000.
    let expected = [(450, State::ShortDrx), (510, State::LongDrx), (1_350, State::Idle)];
    assert_eq!(changes(&mut machine, at(5_000)), expected);
    assert_eq!(machine.next_change(), None);
}

#[test]
fn a_sleeping_ue_listens_in_on_durations() {
    let mut machine = Machine::new(config(), true, Time::ZERO);
    changes(&mut machine, at(100));
    // Short cycle until 160 ms: [110, 115), [130, 135), [150, 155); long: [170, 175), ...
    assert!(!machine.is_awake(at(100)) && machine.is_awake(at(114)) && !machine.is_awake(at(115)));
    assert_eq!(machine.next_awake(at(100)), Some(at(110)));
    assert_eq!(machine.next_awake(at(112)), Some(at(112)));
    assert_eq!(machine.next_awake(at(136)), Some(at(150)));
    // The next of the short cycle would be 170 ms, which is one of the long cycle too.
    assert_eq!(machine.next_awake(at(156)), Some(at(170)));
    changes(&mut machine, at(160));
    assert_eq!(machine.next_awake(at(175)), Some(at(250)));
}

#[test]
fn a_request_keeps_it_awake_until_the_grant() {
    let mut machine = Machine::new(config(), true, Time::ZERO);
    changes(&mut machine, at(140));
    assert!(machine.request(at(140)));
    assert_eq!((machine.state(), machine.next_change()), (State::Active, None));
    assert!(!machine.activity(at(300)));
    assert_eq!(machine.next_change(), None);
    assert!(!machine.grant(at(400)));
    assert_eq!(changes(&mut machine, at(600))[0], (500, State::ShortDrx));
}

#[test]
fn data_that_wait_put_off_the_release_but_not_the_sleep() {
    let mut machine = Machine::new(config(), true, Time::ZERO);
    changes(&mut machine, at(200));
    machine.arrival(at(200));
    assert_eq!(machine.state(), State::LongDrx);
    assert_eq!(changes(&mut machine, at(3_000)), [(1_200, State::Idle)]);
}

#[test]
fn without_drx_there_is_only_the_tail() {
    let config = Config { drx: None, ..config() };
    let mut machine = Machine::new(config, true, at(5));
    assert!(machine.is_awake(at(900)));
    assert_eq!(machine.next_awake(at(900)), Some(at(900)));
    assert_eq!(changes(&mut machine, at(3_000)), [(1_005, State::Idle)]);
    assert!(!machine.is_awake(at(3_000)));
    assert_eq!(machine.next_awake(at(3_000)), None);
}

#[test]
fn a_tail_shorter_than_the_inactivity_timer_needs_no_drx() {
    let config = Config { release_after: Some(ms(50)), ..config() };
    let mut machine = Machine::new(config, true, Time::ZERO);
    assert_eq!(changes(&mut machine, at(3_000)), [(50, State::Idle)]);
}

proptest! {
    /// The time of `next_awake` is the first instant at which an undisturbed UE listens.
    #[test]
    fn the_next_awakening_is_the_first(
        on in 1u64..20, short in 20u64..60, times in 1u64..4, count in 0u32..4,
        offset in 0u64..100, from in 0u64..900,
    ) {
        let drx = Drx {
            on_duration: ms(on),
            inactivity: ms(100),
            short: Some(ShortCycle { cycle: ms(short), count }),
            long_cycle: ms(short * times),
            offset: ms(offset),
        };
        let config = Config { release_after: None, drx: Some(drx), ..config() };
        let mut machine = Machine::new(config, true, Time::ZERO);
        changes(&mut machine, at(from));
        let foretold = machine.next_awake(at(from)).expect("connected");
        let first = (from..).find(|&t| {
            changes(&mut machine, at(t));
            machine.is_awake(at(t))
        });
        prop_assert_eq!(Some(foretold), first.map(at));
    }
}
