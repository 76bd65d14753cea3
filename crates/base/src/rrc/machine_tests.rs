use proptest::prelude::*;

use super::super::{Inactive, Power, ShortCycle, Span, Usage};
use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Released after 1 s; DRX after 100 ms, three cycles of 20 ms, then 80 ms; on for 5 ms.
fn config() -> Config {
    let short = Some(ShortCycle { cycle: ms(20).into(), count: 3 });
    let drx = Drx {
        on_duration: ms(5),
        inactivity: ms(100),
        short,
        long_cycle: ms(80).into(),
        offset: ms(10),
        command: false,
    };
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
fn a_ue_skips_monitoring_until_its_end_or_a_request() {
    let skipping = Config { skipping: Some(ms(10)), drx: None, ..config() };
    let mut machine = Machine::new(skipping, true, at(0));
    assert_eq!(machine.skip(at(50)), Some((at(50), at(60))));
    assert!(machine.is_awake(at(49)) && !machine.is_awake(at(50)) && machine.is_awake(at(60)));
    assert_eq!([40, 55, 60].map(|t| machine.next_awake(at(t))), [40, 60, 60].map(|t| Some(at(t))));
    assert_eq!((machine.state(), machine.resume(at(54))), (State::Active, Some((at(50), at(54)))));
    assert!(machine.is_awake(at(54)) && machine.resume(at(55)).is_none());
    machine.skip(at(70));
    machine.request(at(73));
    assert!(machine.is_awake(at(73)) && machine.skip(at(74)).is_none());
    machine.grant(at(80));
    assert_eq!(machine.skip(at(80)), Some((at(80), at(90))));
    assert_eq!(Machine::new(config(), true, at(0)).skip(at(50)), None);
}

#[test]
fn a_command_begins_the_short_cycle_at_once() {
    let mut machine = Machine::new(config(), true, at(0));
    machine.activity(at(40));
    machine.command(at(40));
    // Instead of 140: 40; then three cycles of 20 ms.
    assert_eq!(changes(&mut machine, at(110)), [(40, State::ShortDrx), (100, State::LongDrx)]);
    assert_eq!(machine.next_awake(at(103)), Some(at(170)));
    // New data end it, and its inactivity timer runs as before.
    assert!(machine.activity(at(120)));
    assert_eq!(machine.next_change(), Some(at(220)));
    machine.request(at(130));
    machine.command(at(135));
    assert_eq!(machine.next_change(), None);
}

#[test]
fn drx_ends_a_skipping() {
    // Inactive from 100 ms on; the next on-durations of the short cycle begin at 110 and 130 ms.
    let mut machine = Machine::new(Config { skipping: Some(ms(30)), ..config() }, true, at(0));
    machine.skip(at(85));
    assert_eq!(machine.next_awake(at(90)), Some(at(110)));
    changes(&mut machine, at(100));
    assert!(!machine.is_awake(at(105)) && machine.is_awake(at(112)));
    assert_eq!(machine.resume(at(110)), None);
}

#[test]
fn skipping_takes_the_power_of_micro_sleep() {
    // 1 s active at 100 mW, of which 0.4 s at 45 mW: 60 + 18 mJ.
    let power = Power { active: 100.0, skip: 45.0, ..Power::MOBISYS_2012 };
    let usage = Usage { active: ms(1_000), skipping: ms(400), ..Usage::default() };
    assert!((power.energy(&usage).active - 0.078).abs() < 1e-12);
}

#[test]
fn a_tail_shorter_than_the_inactivity_timer_needs_no_drx() {
    let config = Config { release_after: Some(ms(50)), ..config() };
    let mut machine = Machine::new(config, true, Time::ZERO);
    assert_eq!(changes(&mut machine, at(3_000)), [(50, State::Idle)]);
}

/// Timers of `config`, with half a second of inactive after the tail and pages each 320 ms.
fn suspending() -> Config {
    let paging = Pattern { cycle: ms(320).into(), offset: ms(10), on: ms(1) };
    let inactive = Some(Inactive { release_after: Some(ms(500)), paging });
    Config { inactive, ..config() }
}

#[test]
fn the_tail_ends_in_inactive_and_that_in_idle() {
    let mut machine = Machine::new(suspending(), true, Time::ZERO);
    // 100 ms; 3 * 20 ms; the tail of 1000 ms; 500 ms more.
    let expected = [
        (100, State::ShortDrx),
        (160, State::LongDrx),
        (1_000, State::Inactive),
        (1_500, State::Idle),
    ];
    assert_eq!(changes(&mut machine, at(9_000)), expected);
    machine.promote(at(9_300));
    assert_eq!(machine.state(), State::Promotion);
}

#[test]
fn an_inactive_ue_resumes_and_its_data_put_off_the_release() {
    let mut machine = Machine::new(suspending(), true, Time::ZERO);
    changes(&mut machine, at(1_400));
    assert!(!machine.is_awake(at(1_400)) && machine.next_awake(at(1_400)).is_none());
    // Data that wait for a page: 1400 + 500.
    machine.arrival(at(1_400));
    assert_eq!(machine.next_change(), Some(at(1_900)));
    machine.promote(at(1_420));
    assert_eq!(machine.state(), State::Resume);
    assert_eq!(changes(&mut machine, at(1_420)), [(1_420, State::Active)]);
    // 1420 + 100; + 60; 1420 + 1000; + 500.
    let states = [State::ShortDrx, State::LongDrx, State::Inactive, State::Idle];
    let expected: Vec<_> = [1_520, 1_580, 2_420, 2_920].into_iter().zip(states).collect();
    assert_eq!(changes(&mut machine, at(9_000)), expected);
}

#[test]
fn a_resume_that_fails_leaves_it_idle() {
    let mut machine = Machine::new(suspending(), true, Time::ZERO);
    changes(&mut machine, at(1_100));
    machine.promote(at(1_120));
    assert!(machine.fail(at(1_120)));
    assert_eq!((machine.state(), machine.next_change()), (State::Idle, None));
    assert!(!machine.fail(at(1_130)));
}

#[test]
fn each_state_has_its_own_pages() {
    let config = suspending();
    assert_eq!(config.paging_in(State::Idle).map(|on| on.cycle), Some(ms(1_280).into()));
    assert_eq!(config.paging_in(State::Inactive).map(|on| on.cycle), Some(ms(320).into()));
    assert_eq!([State::Active, State::Resume].map(|state| config.paging_in(state)), [None; 2]);
}

#[test]
fn inactive_costs_as_idle_and_a_resume_as_a_promotion() {
    let (mut usage, config) = (Usage::default(), suspending());
    let span = |state, start, end| Span { state, start: at(start), end: at(end) };
    usage.add(&config, span(State::Inactive, 0, 3_200));
    usage.add(&config, span(State::Resume, 3_200, 3_220));
    // Ten occasions of 1 ms.
    assert_eq!((usage.inactive, usage.paging, usage.idle), (ms(3_200), ms(10), Duration::ZERO));
    assert_eq!((usage.resume, usage.resumes, usage.promotions), (ms(20), 1, 0));
    let energy = Power::MOBISYS_2012.energy(&usage);
    // 3.19 s at 11.4 mW and 10 ms at 594.3 mW; 20 ms at 1210.7 mW.
    assert!((energy.idle - (0.0114 * 3.19 + 0.5943 * 0.01)).abs() < 1e-12, "{energy:?}");
    assert!((energy.promotion - 0.024_214).abs() < 1e-12, "{energy:?}");
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
            short: Some(ShortCycle { cycle: ms(short).into(), count }),
            long_cycle: ms(short * times).into(),
            offset: ms(offset),
            command: false,
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
