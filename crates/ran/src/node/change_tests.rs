use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::queue::{Limit, Ramp, RampConfig, Step, StepConfig, Threshold};
use airpath_net::testing::Bench;
use airpath_net::{BearerQueue, Change, Event, Node, Probe, QueueChange, RadioEvent};
use airpath_wire::Ecn;

use super::super::full_buffer::tests::{Arrived, full};
use super::super::tests::{asking, config, packet};
use super::*;
use crate::Ran;
use crate::config::{Access, FullBuffer, QosFlow};
use crate::testing::in_tunnel;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

const fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn snr(ue: u32, direction: Direction, db: f64) -> Change {
    Change::Snr { ue: UeId(ue), direction, snr: Db(db) }
}

/// Bytes of each flow that arrive within each part of the run. After each part there is a change.
fn carry(ran: &mut Ran, parts: &[(Time, &[Change])]) -> Vec<Vec<u64>> {
    let mut bench = Bench::new();
    let part = |(end, changes): &(Time, &[Change])| {
        let mut arrived = Arrived::new(1);
        while let Some(due) = ran.next_wake().filter(|due| due < end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut arrived));
        }
        for change in *changes {
            ran.change(*end, change, &mut bench.cx(*end)).expect("a change that can be");
        }
        arrived.flows
    };
    let parts = parts.iter().map(part).collect();
    assert_eq!(ran.audit(), Ok(()));
    parts
}

fn network(config: crate::RanConfig) -> Ran {
    Ran::new(config, Seed(5)).expect("a network")
}

#[test]
fn behind_a_change_a_ue_has_what_one_has_that_was_always_there() {
    let links = [[20.0, 15.0], [8.0, 3.0]];
    let linear = |link: [f64; 2]| link.map(|db| Db(db).linear());
    // Without errors, and well behind the beginning.
    let steady = |link: [f64; 2]| {
        let mut ran = network(full(&[linear(link)], |_| {}));
        carry(&mut ran, &[(ms(500), &[]), (ms(1_000), &[])]).swap_remove(1)
    };
    let [near, far] = links.map(steady);
    assert!(near.iter().zip(&far).all(|(near, far)| near > &(far + far / 2)), "{near:?} {far:?}");
    let mut ran = network(full(&[linear(links[0])], |_| {}));
    let change = [snr(0, DOWN, 8.0), snr(0, UP, 3.0)];
    let parts = [(ms(500), &[][..]), (ms(1_000), &change), (ms(1_100), &[]), (ms(1_600), &[])];
    let parts = carry(&mut ran, &parts);
    assert_eq!([&parts[1], &parts[3]], [&near, &far]);
    // One direction alone.
    let mut ran = network(full(&[linear(links[0])], |_| {}));
    let change = [snr(0, UP, 3.0)];
    let parts = carry(&mut ran, &[(ms(500), &change), (ms(600), &[]), (ms(1_100), &[])]);
    assert_eq!(parts[2], [near[0], far[1]]);
}

/// Attempts of each block downlink that were decoded and not.
#[derive(Default)]
struct Blocks(Vec<(u8, bool)>);

impl Probe for Blocks {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block { direction: DOWN, mcs, decoded, .. }) = *event {
            self.0.push((mcs, decoded));
        }
    }
}

#[test]
fn blocks_that_were_decided_for_another_ratio_are_received_with_the_new_one() {
    let mut ran = network(full(&[[1e9; 2]], |cell| cell.first_error = None));
    let (mut bench, mut blocks) = (Bench::new(), Blocks::default());
    let mut run = |ran: &mut Ran, end: Time| {
        while let Some(due) = ran.next_wake().filter(|due| *due < end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut blocks));
        }
        std::mem::take(&mut blocks.0)
    };
    assert!(run(&mut ran, ms(50)).iter().all(|block| *block == (28, true)));
    ran.change(ms(50), &snr(0, DOWN, 0.0), &mut Bench::new().cx(ms(50))).expect("a change");
    let after = run(&mut ran, ms(100));
    // On the air two TTIs after their decision, and received one later: received at 50 to 52 ms.
    assert!(after[..3].iter().all(|block| *block == (28, false)), "{after:?}");
    assert!(after[3..6].iter().all(|(mcs, _)| *mcs < 10), "{after:?}");
}

#[test]
fn a_full_buffer_pauses_and_goes_on() {
    let (pause, go_on) = ([true, false], [false, true]);
    let active = |direction, [_, active]: [bool; 2]| Change::FullBuffer {
        bearer: BearerId(0),
        direction,
        active,
    };
    let mut ran = network(full(&[[1e9; 2]], |_| {}));
    let [off, on] = [pause, go_on].map(|way| [active(DOWN, way), active(UP, way)]);
    let parts: [(Time, &[Change]); 5] =
        [(ms(500), &[]), (ms(600), &off), (ms(650), &[]), (ms(700), &on), (ms(800), &[])];
    let parts = carry(&mut ran, &parts);
    let block = parts[1][0] / 100;
    // Blocks that had been decided two and one TTIs before, and that being received.
    assert_eq!([parts[2][0], parts[3][0]], [3 * block, 0]);
    assert!(parts[2][1] < 10 * block && parts[3][1] == 0);
    // Decided at 700 ms, received at 703 ms.
    assert_eq!(parts[4][0], 97 * block);
    assert!(parts[4][1] > 70 * block, "{parts:?}");
}

#[test]
fn a_full_buffer_that_is_paused_does_not_begin_and_keeps_to_its_stop() {
    let mut config = full(&[[1e9; 2]], |_| {});
    let stop = Some(ms(300));
    config.bearers[0].full_buffers =
        [Some(FullBuffer { flow: FlowId(0), start: ms(100), stop }), None];
    let active = |active| [Change::FullBuffer { bearer: BearerId(0), direction: DOWN, active }];
    let mut ran = network(config.clone());
    let parts: [(Time, &[Change]); 4] =
        [(ms(50), &active(false)), (ms(200), &active(true)), (ms(290), &[]), (ms(400), &[])];
    let received = carry(&mut ran, &parts);
    assert_eq!((received[0][0], received[1][0]), (0, 0));
    assert!(received[2][0] > 0);
    let mut ran = network(config);
    let parts: [(Time, &[Change]); 3] =
        [(ms(250), &active(false)), (ms(350), &active(true)), (ms(500), &[])];
    assert_eq!(carry(&mut ran, &parts)[2][0], 0);
}

#[test]
fn queues_and_markers_of_bearers_change() {
    let step = StepConfig { threshold: Threshold::Packets(0), limit: Limit::NONE };
    let set =
        |ran: &mut Ran, change: Change| ran.change(ms(0), &change, &mut Bench::new().cx(ms(0)));
    let queue = |direction, change| {
        Change::BearerQueue(BearerQueue { bearer: BearerId(0), flow: 0, direction }, change)
    };
    let marks = |off: bool| {
        let mut ran = network(config(9, asking(), 1e9));
        ran.set_queue(
            QosFlow::first(BearerId(0)),
            DOWN,
            airpath_net::queue::QueueKind::Step(Step::new(step)),
        );
        if off {
            set(&mut ran, queue(DOWN, QueueChange::Marking(false))).expect("a step marks");
        }
        let mut bench = Bench::new();
        for _ in 0..5 {
            let mut one = in_tunnel(ms(1), 200, 7);
            one.ecn = Ecn::Ect1;
            one.set_visible_ecn(Ecn::Ect1);
            ran.receive(ms(1), Ran::CORE, one, &mut bench.cx(ms(1)));
        }
        let mut marked = 0;
        while let Some(due) = ran.next_wake().filter(|due| *due < ms(100)) {
            ran.wake(due, &mut bench.cx(due));
            let sent = bench.sent().into_iter();
            marked += sent.filter(|(_, packet)| packet.ecn == Ecn::Ce).count();
        }
        marked
    };
    assert_eq!([marks(false), marks(true)], [4, 0]);
    let mut ran = network(config(9, asking(), 1e9));
    let said = |ran: &mut Ran, change| set(ran, change).expect_err("a refusal").to_string();
    let off = QueueChange::Marking(false);
    assert_eq!(said(&mut ran, queue(UP, off)), "has a queue whose marking cannot be switched");
    let marker = Change::UplinkMarker(BearerId(0), off);
    assert_eq!(said(&mut ran, marker.clone()), "does not mark the uplink of this bearer");
    ran.set_uplink_marker(BearerId(0), Ramp::new(RampConfig::default(), Seed(1).stream("ramp")));
    set(&mut ran, marker).expect("it marks");
}

#[test]
fn the_uplink_marker_can_be_switched_off() {
    let marked = |off: bool| {
        let mut ran = network(config(9, Access::Instant, 1e9));
        let always = RampConfig {
            low: Duration::ZERO,
            high: Duration::ZERO,
            alpha: 1.0,
            ..RampConfig::default()
        };
        ran.set_uplink_marker(BearerId(0), Ramp::new(always, Seed(1).stream("ramp")));
        let mut bench = Bench::new();
        let change = Change::UplinkMarker(BearerId(0), QueueChange::Marking(!off));
        ran.change(ms(0), &change, &mut bench.cx(ms(0))).expect("it marks");
        let mut marked = 0;
        for n in 0..400 {
            let at = Time::ZERO + Duration::from_micros(500 * n);
            while let Some(due) = ran.next_wake().filter(|due| *due < at) {
                ran.wake(due, &mut bench.cx(due));
            }
            let mut one = packet(at, 1_400);
            one.ecn = Ecn::Ect1;
            ran.receive(at, Ran::ue(UeId(0)), one, &mut bench.cx(at));
            let sent = bench.sent().into_iter();
            marked += sent.filter(|(_, packet)| packet.ecn == Ecn::Ce).count();
        }
        marked
    };
    assert!(marked(false) > 10);
    assert_eq!(marked(true), 0);
}

#[test]
fn what_cannot_be_is_refused() {
    let mut ran = network(config(9, asking(), 1e9));
    let mut said = |change: Change| {
        let refused = ran.change(ms(0), &change, &mut Bench::new().cx(ms(0)));
        refused.expect_err("a refusal").to_string()
    };
    assert_eq!(said(Change::Rate(None)), "is a radio access network");
    assert_eq!(said(snr(1, DOWN, 3.0)), "has no such UE");
    let full = Change::FullBuffer { bearer: BearerId(0), direction: UP, active: false };
    assert_eq!(said(full), "has no full buffer there");
    let queue = BearerQueue { bearer: BearerId(3), flow: 0, direction: UP };
    let low = QueueChange::Low(Duration::ZERO);
    assert_eq!(said(Change::BearerQueue(queue, low)), "has no such bearer");
    let queue = BearerQueue { bearer: BearerId(0), flow: 3, direction: UP };
    assert_eq!(said(Change::BearerQueue(queue, low)), "has no queue for such a QoS flow");
}
