use airpath_base::random::Seed;
use airpath_base::rrc::{self, Cycle, Drx, Pattern, ShortCycle};
use airpath_base::{FlowId, NodeId, Port};
use airpath_net::testing::Bench;
use airpath_net::{Held, Node, Probe};
use proptest::prelude::*;

use super::super::tests::{asking, config, in_tunnel, packet};
use super::*;
use crate::{Promotion, Ran};

const UE: Port = Ran::ue(UeId(0));

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// 40 ms of short cycle 20 ms, then 320 ms; on for 2 ms; released after 1 s.
const DRX: Drx = Drx {
    on_duration: ms(2),
    inactivity: ms(50),
    short: Some(ShortCycle { cycle: Cycle::every(ms(20)), count: 2 }),
    long_cycle: Cycle::every(ms(320)),
    offset: ms(7),
    command: false,
};

fn timers(drx: Option<Drx>) -> RrcConfig {
    RrcConfig {
        states: rrc::Config {
            release_after: Some(ms(1_000)),
            drx,
            // Pages in subframe 9 of frames 64, 192 and so on.
            paging: Pattern { cycle: ms(1_280).into(), offset: ms(649), on: ms(1) },
            inactive: None,
            skipping: None,
        },
        connected: false,
        promotion: Promotion::Fixed(ms(300)),
        draws: Seed(1).stream("promotion"),
        resume: None,
    }
}

/// Reports: changes of state, and new blocks by direction with their TTI on the air.
#[derive(Default)]
struct Watch {
    states: Vec<(Time, State)>,
    blocks: Vec<(Direction, u64)>,
    requests: Vec<Time>,
    skipping: Vec<(Time, Time)>,
}

impl Probe for Watch {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Radio(RadioEvent::Rrc { at, state, .. }) => self.states.push((*at, *state)),
            Event::Radio(RadioEvent::Block { direction, slot, attempt: 0, .. }) => {
                self.blocks.push((*direction, *slot));
            }
            Event::Radio(RadioEvent::SchedulingRequest { .. }) => self.requests.push(now),
            Event::Radio(RadioEvent::Skipping { from, until, .. }) => {
                self.skipping.push((*from, *until));
            }
            _ => {}
        }
    }
}

/// A network of one UE on a bench.
struct World {
    ran: Ran,
    bench: Bench,
    watch: Watch,
    left: Vec<(Time, Port, Packet)>,
}

impl World {
    fn new(qci: u8, access: Access, rrc: Option<RrcConfig>) -> World {
        let mut config = config(qci, access, 1e10);
        config.ues[0].rrc = rrc;
        // A UE that sleeps may let packets wait longer than this class allows.
        config.bearers[0].pdcp.discard_timer = None;
        let ran = Ran::new(config, Seed(1)).expect("a network");
        World { ran, bench: Bench::new(), watch: Watch::default(), left: Vec::new() }
    }

    fn run(&mut self, end: Time) {
        while let Some(now) = self.ran.next_wake().filter(|&due| due <= end) {
            self.ran.wake(now, &mut self.bench.cx_watched(now, &mut self.watch));
            let sent = self.bench.sent().into_iter();
            self.left.extend(sent.map(|(port, packet)| (now, port, packet)));
        }
    }

    fn arrives(&mut self, now: Time, direction: Direction, size: u32) {
        self.run(now);
        let (port, packet) = match direction {
            DOWN => (Ran::CORE, in_tunnel(now, size, 7)),
            UP => (UE, packet(now, size)),
        };
        self.ran.receive(now, port, packet, &mut self.bench.cx_watched(now, &mut self.watch));
    }

    /// The time that one packet alone takes, its stages checked.
    fn delay(&mut self, start: Time, direction: Direction) -> Duration {
        self.run(start);
        self.left.clear();
        self.arrives(start, direction, 200);
        self.run(start + ms(4_000));
        let (end, _, packet) = &self.left[0];
        assert_eq!((self.left.len(), packet.stages.total()), (1, *end - start));
        *end - start
    }
}

#[test]
fn an_uplink_packet_from_idle_takes_promotion_and_connected_latency() {
    let start = Time::from_nanos(11_000_001);
    let connected = World::new(7, asking(), None).delay(start + ms(300), UP);
    let mut world = World::new(7, asking(), Some(timers(None)));
    assert_eq!(world.delay(start, UP), ms(300) + connected);
    assert_eq!(world.left[0].2.stages.spent(Stage::Rrc), ms(300));
    assert_eq!(world.watch.states[0], (start, State::Promotion));
    assert_eq!(world.watch.states[1], (start + ms(300), State::Active));
}

#[test]
fn a_downlink_packet_from_idle_waits_for_its_page_too() {
    let start = Time::from_nanos(11_300_000);
    let mut world = World::new(7, asking(), Some(timers(None)));
    // Paged at 649 ms, a subframe; connected at 950 ms; decided there, on the air from 952 to
    // 953 ms.
    assert_eq!(world.delay(start, DOWN), at(953) - start);
    assert_eq!(world.left[0].2.stages.spent(Stage::Rrc), at(950) - start);
    assert_eq!(world.watch.states[0], (at(650), State::Promotion));
}

#[test]
fn an_uplink_packet_overtakes_the_page() {
    let mut world = World::new(7, asking(), Some(timers(None)));
    world.arrives(at(10), DOWN, 200);
    world.arrives(at(20), UP, 60);
    world.run(at(640));
    assert_eq!(world.watch.states, [(at(20), State::Promotion), (at(320), State::Active)]);
    assert_eq!(world.left.len(), 2);
    // No second promotion by the page: until the release nothing changes.
    world.run(at(5_000));
    assert_eq!(world.watch.states[2].1, State::Idle);
    assert_eq!((world.watch.states.len(), world.ran.next_wake()), (3, None));
}

#[test]
fn the_tail_counts_from_the_last_data() {
    let mut world = World::new(7, asking(), Some(timers(Some(DRX))));
    world.arrives(at(0), UP, 60);
    world.run(at(10_000));
    // Connected at 300 ms, request at 300, granted at 302, on the air at 304 to 305: asleep
    // 50 ms later. Received at 310 ms: released a second later.
    let expected = [
        (0, State::Promotion),
        (300, State::Active),
        (355, State::ShortDrx),
        (395, State::LongDrx),
        (1_310, State::Idle),
    ];
    assert_eq!(world.watch.states, expected.map(|(millis, state)| (at(millis), state)));
}

#[test]
fn a_sleeping_ue_gets_downlink_data_in_its_next_on_duration() {
    let mut world = World::new(7, asking(), Some(timers(Some(DRX))));
    world.arrives(at(0), UP, 60);
    // In the long cycle, which has its on-durations at 327 and 647 ms: decided two
    // subframes before 647 ms, received at its end.
    assert_eq!(world.delay(at(400), DOWN), at(648) - at(400));
    // Active until 647 + 1 + 50 ms, then short cycles: 707, 727 ms; then long: 967 ms.
    let states = &world.watch.states[4..7];
    let expected = [(648, State::Active), (698, State::ShortDrx), (738, State::LongDrx)];
    assert_eq!(states, expected.map(|(millis, state)| (at(millis), state)));
}

#[test]
fn an_uplink_packet_wakes_a_sleeping_ue_at_once() {
    let connected = World::new(7, asking(), None).delay(at(500), UP);
    let mut world = World::new(7, asking(), Some(timers(Some(DRX))));
    world.arrives(at(0), UP, 60);
    world.run(at(499));
    world.left.clear();
    assert_eq!(world.delay(at(500), UP), connected);
}

/// A connected UE that skips PDCCH monitoring for 10 ms once its cell has nothing more.
fn skipping() -> World {
    let states = rrc::Config { skipping: Some(ms(10)), release_after: None, ..timers(None).states };
    World::new(7, asking(), Some(RrcConfig { states, connected: true, ..timers(None) }))
}

#[test]
fn data_wait_for_the_end_of_a_skipping() {
    let mut world = skipping();
    world.arrives(Time::from_nanos(10_300_000), DOWN, 200);
    world.arrives(Time::from_nanos(12_500_000), DOWN, 200);
    world.run(at(21));
    // Decided at 11 ms and on the air from 13 to 14 ms. Without skipping the second would be on the air from 15 ms on;
    // monitoring begins again at 24 ms.
    assert_eq!(world.watch.blocks, [(DOWN, 13)]);
    assert_eq!(world.watch.skipping, [(at(14), at(24))]);
    world.run(at(40));
    assert_eq!(world.watch.blocks, [(DOWN, 13), (DOWN, 24)]);
}

#[test]
fn a_scheduling_request_ends_a_skipping() {
    let mut world = skipping();
    world.arrives(Time::from_nanos(10_300_000), DOWN, 200);
    world.arrives(Time::from_nanos(14_500_000), UP, 60);
    world.run(at(22));
    let request = world.watch.requests[0];
    assert!(request < at(22));
    assert_eq!(world.watch.skipping, [(at(14), at(24)), (at(14), request)]);
}

/// A packet of a PDU set of one, which ends a data burst or not, and the state of its UE half a second later.
fn after_a_set(ends_burst: bool) -> Vec<(Time, State)> {
    let states = timers(Some(Drx { command: true, ..DRX })).states;
    let mut config = config(7, asking(), 1e10);
    config.ues[0].rrc = Some(RrcConfig { states, connected: true, ..timers(None) });
    config.bearers[0].pdcp.sets = Some(crate::pdcp::SetConfig {
        delay_budget: ms(100),
        integrated: false,
        discard: false,
        low_importance: None,
        deadlines: None,
        delay_status: None,
    });
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut watch, start) = (Bench::new(), Watch::default(), at(20));
    let mut packet = in_tunnel(start, 200, 7);
    packet.set = Some(std::sync::Arc::new(airpath_net::PduSet {
        number: 0,
        first: 0,
        packets: 1,
        bytes: 200,
        importance: 1,
        ends_burst,
        made: start,
        deadline: ms(100),
    }));
    ran.receive(start, Ran::CORE, packet, &mut bench.cx(start));
    while let Some(now) = ran.next_wake().filter(|&due| due <= at(90)) {
        ran.wake(now, &mut bench.cx_watched(now, &mut watch));
    }
    watch.states
}

#[test]
fn a_drx_command_comes_with_the_end_of_a_data_burst() {
    // On the air from 22 to 23 ms: a command, or 50 ms of inactivity from there.
    assert_eq!(after_a_set(true)[0], (at(23), State::ShortDrx));
    assert_eq!(after_a_set(false)[0], (at(73), State::ShortDrx));
}

#[test]
fn random_arrivals_wait_half_a_cycle_in_the_mean() {
    let drx = Drx { short: None, long_cycle: ms(320).into(), on_duration: ms(10), ..DRX };
    let states = rrc::Config { release_after: None, ..timers(Some(drx)).states };
    let config = RrcConfig { states, connected: true, ..timers(None) };
    let (mut world, mut plain) =
        (World::new(7, asking(), Some(config)), World::new(7, asking(), None));
    let mut draws = Seed(5).stream("arrivals");
    let (mut waits, n) = (Vec::new(), 1_000);
    for k in 1..=n {
        let start = at(5_000 * k) + Duration::from_nanos(draws.below(1_000_000_000));
        waits.push(
            world.delay(start, DOWN).as_millis_f64() - plain.delay(start, DOWN).as_millis_f64(),
        );
    }
    // Nothing within the on-duration, else evenly up to the end of the cycle:
    // (320 - 10)^2 / (2 * 320) = 150.2 ms. Deviation of a wait: 95 ms, of the mean 3 ms.
    let mean = waits.iter().sum::<f64>() / n as f64;
    assert!((mean - 150.2).abs() < 9.0, "{mean}");
    let most = waits.iter().copied().fold(0.0, f64::max);
    assert!((300.0..=311.0).contains(&most), "{most}");
    assert!(waits.iter().all(|wait| *wait >= 0.0));
}

/// True for each subframe in which a UE listens, by the rules of TS 36.321, 5.7. They follow from
/// the subframes of assignments and grants for new data, and of its scheduling requests.
fn awake(
    drx: &Drx,
    connected: u64,
    heard: &[(Direction, u64)],
    requests: &[u64],
    end: u64,
) -> Vec<bool> {
    let millis = |span: Duration| span.as_millis();
    let short = drx.short.expect("a short cycle");
    let (mut inactivity, mut in_short, mut pending) = (millis(drx.inactivity), 0, false);
    let mut awake = vec![false; end as usize];
    for t in connected..end {
        pending |= requests.contains(&t);
        let cycle = if in_short > 0 {
            millis(short.cycle.shortest())
        } else {
            millis(drx.long_cycle.shortest())
        };
        let phase = (t + cycle - millis(drx.offset) % cycle) % cycle;
        let on = inactivity == 0 && phase < millis(drx.on_duration);
        awake[t as usize] = pending || inactivity > 0 || on;
        match inactivity {
            0 => in_short = u64::saturating_sub(in_short, 1),
            _ => {
                inactivity -= 1;
                if inactivity == 0 {
                    in_short = millis(short.cycle.times(short.count));
                }
            }
        }
        pending &= !heard.contains(&(UP, t));
        if heard.contains(&(DOWN, t)) || heard.contains(&(UP, t)) {
            inactivity = millis(drx.inactivity);
        }
    }
    awake
}

proptest! {
    #[test]
    fn a_sleeping_ue_is_never_sent_anything(
        on in 1u64..6, inactivity in 1u64..60, short in 6u64..30, times in 1u64..8,
        count in 1u32..5, offset in 0u64..300,
        arrivals in prop::collection::vec((0u64..300, any::<bool>(), 40u32..1_500), 1..30),
    ) {
        let drx = Drx {
            on_duration: ms(on),
            inactivity: ms(inactivity),
            short: Some(ShortCycle { cycle: ms(short).into(), count }),
            long_cycle: ms(short * times).into(),
            offset: ms(offset),
            command: false,
        };
        let states = rrc::Config { release_after: None, ..timers(Some(drx)).states };
        let mut world = World::new(7, asking(), Some(RrcConfig { states, ..timers(None) }));
        let mut now = Time::ZERO;
        for &(gap, up, size) in &arrivals {
            now += ms(gap);
            world.arrives(now, if up { UP } else { DOWN }, size);
        }
        let end = now + ms(8_000);
        world.run(end);
        prop_assert_eq!(world.left.len(), arrivals.len());
        let timing = &world.ran.cells[0].config.timing;
        let hears = |&(direction, slot): &(Direction, u64)| {
            // An assignment is in the TTI of its block, a grant comes before.
            let before = match direction {
                DOWN => Duration::ZERO,
                UP => timing.grant_to_transmission,
            };
            (direction, slot - before.as_millis())
        };
        let heard: Vec<(Direction, u64)> = world.watch.blocks.iter().map(hears).collect();
        let millis = |at: &Time| at.as_nanos() / 1_000_000;
        let requests: Vec<u64> = world.watch.requests.iter().map(millis).collect();
        let connected = world.watch.states.iter().find(|(_, state)| *state == State::Active);
        let connected = millis(&connected.expect("data").0);
        let awake = awake(&drx, connected, &heard, &requests, millis(&end));
        for &(_, subframe) in &heard {
            prop_assert!(awake[subframe as usize], "{subframe} {heard:?} {requests:?}: {:?}", &world.watch.states);
        }
    }

    #[test]
    fn all_that_enters_comes_out_whatever_the_timers(
        access in 0..4, drx in any::<bool>(), release in 1u64..2_000, connected in any::<bool>(),
        promotion in 0u64..400, inactivity in 1u64..100,
        arrivals in prop::collection::vec((0u64..1_500, any::<bool>(), 40u32..1_500), 1..30),
    ) {
        let access = match access {
            0 => asking(),
            1 => Access::Configured { period: 10, resource_blocks: 3 },
            2 => Access::Instant,
            _ => Access::Reported { period: ms(5) },
        };
        let drx = drx.then_some(Drx { inactivity: ms(inactivity), ..DRX });
        let states =
            rrc::Config { release_after: Some(ms(release)), ..timers(drx).states };
        let promotion = Promotion::Fixed(ms(promotion));
        let rrc = RrcConfig { states, connected, promotion, ..timers(None) };
        // Acknowledged mode: its status reports come when nothing else moves.
        let mut world = World::new(9, access, Some(rrc));
        world.ran.cells[0].config.first_error = Some(0.2);
        let mut now = Time::ZERO;
        for (n, &(gap, up, size)) in arrivals.iter().enumerate() {
            now += Duration::from_micros(gap * 997);
            world.arrives(now, if up { UP } else { DOWN }, size);
            let out = world.bench.ledger().sent.packets;
            prop_assert_eq!(out + world.ran.held().packets, n as u64 + 1);
        }
        world.run(now + Duration::from_secs(60));
        prop_assert_eq!(world.left.len(), arrivals.len());
        prop_assert_eq!(world.ran.held(), Held::default());
        prop_assert_eq!(world.ran.audit(), Ok(()));
        let last = world.watch.states.last().map(|(_, state)| *state);
        prop_assert_eq!(last, Some(State::Idle));
        prop_assert!(world.watch.states.is_sorted_by_key(|(at, _)| *at));
    }
}

#[test]
fn a_full_buffer_calls_for_a_connection_and_keeps_it() {
    // Downlink after the page at 649 ms, which takes a subframe.
    for (direction, promoted) in [(DOWN, 650), (UP, 11)] {
        let mut config = config(7, asking(), 1e10);
        config.ues[0].rrc = Some(timers(Some(DRX)));
        let full = crate::FullBuffer { flow: FlowId(0), start: at(11), stop: Some(at(3_000)) };
        config.bearers[0].full_buffers[direction as usize] = Some(full);
        let ran = Ran::new(config, Seed(1)).expect("a network");
        let mut world =
            World { ran, bench: Bench::new(), watch: Watch::default(), left: Vec::new() };
        world.run(at(10_000));
        let states = &world.watch.states;
        let connected = [(promoted, State::Promotion), (promoted + 300, State::Active)];
        assert_eq!(states[..2], connected.map(|(millis, state)| (at(millis), state)));
        assert!(states[2].1 == State::ShortDrx && states[2].0 > at(3_000), "{states:?}");
        assert_eq!(states.last().map(|(_, state)| *state), Some(State::Idle));
        let blocks = world.watch.blocks.iter().filter(|block| block.0 == direction).count() as u64;
        assert!(blocks.abs_diff(3_000 - promoted - 300) < 20, "{blocks}");
    }
}

#[path = "inactive_tests.rs"]
mod inactive;
