//! Inactive UEs in one cell: times of their states by hand, and conservation.

use airpath_base::Db;
use airpath_base::rrc::Inactive;
use airpath_net::Change;

use super::*;
use crate::rlc::{Mode, am, nr, um};
use crate::{Promotion, ResumeConfig};

/// Inactive after 1 s and idle 2 s later. Pages by the RAN at 9, 329, 649, 969, 1289 ms and so on. A resume takes
/// 20 ms.
fn suspending() -> RrcConfig {
    let paging = Pattern { cycle: ms(320).into(), offset: ms(9), on: ms(1) };
    let inactive = Some(Inactive { release_after: Some(ms(2_000)), paging });
    let resume = ResumeConfig {
        duration: Promotion::Fixed(ms(20)),
        draws: Seed(1).stream("resume"),
        context: ms(18),
        transport: ms(5),
    };
    let states = rrc::Config { inactive, ..timers(None).states };
    RrcConfig { states, connected: true, resume: Some(resume), ..timers(None) }
}

fn world(rrc: Option<RrcConfig>) -> World {
    World::new(7, asking(), rrc)
}

#[test]
fn an_uplink_packet_from_inactive_takes_a_resume_and_connected_latency() {
    let start = Time::from_nanos(1_211_000_001);
    let connected = world(None).delay(start + ms(20), UP);
    let mut world = world(Some(suspending()));
    assert_eq!(world.delay(start, UP), ms(20) + connected);
    assert_eq!(world.left[0].2.stages.spent(Stage::Rrc), ms(20));
    let expected =
        [(at(1_000), State::Inactive), (start, State::Resume), (start + ms(20), State::Active)];
    assert_eq!(world.watch.states[..3], expected);
}

#[test]
fn a_downlink_packet_from_inactive_waits_for_a_page_by_the_ran() {
    let start = Time::from_nanos(1_200_300_000);
    let mut inactive = world(Some(suspending()));
    // Paged at 1289 ms, a subframe; connected at 1310 ms; decided there, on the air from 1312 to 1313 ms.
    assert_eq!(inactive.delay(start, DOWN), at(1_313) - start);
    assert_eq!(inactive.left[0].2.stages.spent(Stage::Rrc), at(1_310) - start);
    // Inactive 1 s behind the data, idle 2 s later.
    let expected = [
        (1_000, State::Inactive),
        (1_290, State::Resume),
        (1_310, State::Active),
        (2_313, State::Inactive),
        (4_313, State::Idle),
    ];
    assert_eq!(inactive.watch.states, expected.map(|(millis, state)| (at(millis), state)));
    // Likewise from idle: paged at 649 + 1280 ms, a promotion of 300 ms.
    let mut idle = world(Some(timers(None)));
    assert_eq!(idle.delay(start, DOWN), at(2_233) - start);
}

#[test]
fn a_packet_that_waits_puts_off_the_release_to_idle() {
    let mut rrc = suspending();
    let inactive = rrc.states.inactive.as_mut().expect("inactive");
    inactive.release_after = Some(ms(100));
    let mut world = world(Some(rrc));
    // Without it the UE would be idle at 1100 ms. The page is at 1289 ms.
    assert_eq!(world.delay(at(1_050), DOWN), at(1_313) - at(1_050));
    assert_eq!(world.watch.states[1], (at(1_290), State::Resume));
}

#[test]
fn a_resume_out_of_range_ends_in_idle_and_a_promotion_follows() {
    let mut world = world(Some(suspending()));
    let set = |world: &mut World, now: Time, db: f64| {
        world.run(now);
        for direction in Direction::ALL {
            let change = Change::Snr { ue: UeId(0), direction, snr: Db(db) };
            let cx = &mut world.bench.cx_watched(now, &mut world.watch);
            world.ran.change(now, &change, cx).expect("a change");
        }
    };
    world.arrives(at(1_200), UP, 60);
    set(&mut world, at(1_210), -30.0);
    set(&mut world, at(1_500), 20.0);
    world.run(at(9_000));
    let states = &world.watch.states;
    let expected = [(1_000, State::Inactive), (1_200, State::Resume), (1_220, State::Active)];
    assert_eq!(states[..3], expected.map(|(millis, state)| (at(millis), state)));
    assert_eq!(states[3], (at(1_220), State::Idle));
    // The first radio frame that begins in range.
    assert_eq!(states[4].1, State::Promotion);
    assert!((at(1_500)..=at(1_510)).contains(&states[4].0), "{states:?}");
    assert_eq!(states[5], (states[4].0 + ms(300), State::Active));
    assert_eq!((world.left.len(), world.ran.held()), (1, Held::default()));
}

#[test]
fn an_inactive_ue_out_of_range_resumes_when_it_finds_its_cell() {
    let mut world = world(Some(suspending()));
    world.run(at(1_100));
    for (now, db) in [(1_100, -30.0), (1_500, 20.0)] {
        world.run(at(now));
        for direction in Direction::ALL {
            let change = Change::Snr { ue: UeId(0), direction, snr: Db(db) };
            let cx = &mut world.bench.cx_watched(at(now), &mut world.watch);
            world.ran.change(at(now), &change, cx).expect("a change");
        }
        if db < 0.0 {
            world.arrives(at(1_200), UP, 60);
        }
    }
    world.run(at(9_000));
    let states = &world.watch.states;
    assert_eq!(states[1].1, State::Resume);
    assert!((at(1_500)..=at(1_510)).contains(&states[1].0), "{states:?}");
    assert_eq!(states[2], (states[1].0 + ms(20), State::Active));
    assert_eq!(world.left.len(), 1);
}

proptest! {
    /// With each mode of RLC, whatever the timers.
    #[test]
    fn all_that_enters_comes_out_of_inactive_ues(
        mode in 0..4, drx in any::<bool>(), release in 1u64..1_000, idle in prop::option::of(1u64..2_000),
        resume in 0u64..60, loss in prop::sample::select(vec![0.0, 0.2]),
        arrivals in prop::collection::vec((0u64..1_500, any::<bool>(), 40u32..1_500), 1..30),
    ) {
        let mut rrc = suspending();
        rrc.states.drx = drx.then_some(DRX);
        rrc.states.release_after = Some(ms(release));
        rrc.states.inactive.as_mut().expect("inactive").release_after = idle.map(ms);
        rrc.resume.as_mut().expect("resumes").duration = Promotion::Fixed(ms(resume));
        let mut config = config(9, asking(), 1e10);
        config.ues[0].rrc = Some(rrc);
        config.bearers[0].pdcp.discard_timer = None;
        // Unacknowledged mode loses what HARQ gives up.
        let (mode, loss) = match mode {
            0 => (Mode::Um(um::Config::default()), 0.0),
            1 => (Mode::NrUm(nr::um::Config::default()), 0.0),
            2 => (Mode::Am(am::Config::default()), loss),
            _ => (Mode::NrAm(am::Config::default(), nr::SnLength::Twelve), loss),
        };
        config.bearers[0].rlc.mode = mode;
        config.cells[0].first_error = Some(loss);
        let ran = Ran::new(config, Seed(1)).expect("a network");
        let mut world =
            World { ran, bench: Bench::new(), watch: Watch::default(), left: Vec::new() };
        let mut now = Time::ZERO;
        for (n, &(gap, up, size)) in arrivals.iter().enumerate() {
            now += Duration::from_micros(gap * 997);
            world.arrives(now, if up { UP } else { DOWN }, size);
            let out = world.bench.ledger().sent.packets;
            prop_assert_eq!(out + world.ran.held().packets, n as u64 + 1);
            prop_assert_eq!(world.ran.audit(), Ok(()));
        }
        world.run(now + Duration::from_secs(60));
        prop_assert_eq!(world.left.len(), arrivals.len());
        prop_assert_eq!(world.ran.held(), Held::default());
        prop_assert_eq!(world.ran.audit(), Ok(()));
        let last = world.watch.states.last().map(|(_, state)| *state);
        let end = if idle.is_some() { State::Idle } else { State::Inactive };
        prop_assert_eq!(last, Some(end));
        prop_assert!(world.watch.states.is_sorted_by_key(|(at, _)| *at));
    }
}
