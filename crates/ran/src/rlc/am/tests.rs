use std::collections::VecDeque;

use airpath_base::random::Seed;
use airpath_base::{Bytes, NodeId};
use airpath_net::{Direction, DropCause, Event, Probe, RadioEvent, Stage};
use airpath_schema::units::Buffer;
use proptest::prelude::*;

use super::super::Mode;
use super::super::nr::SnLength;
use super::super::testing::{DOWN, Radio, Rig, config};
use super::*;
use crate::pdcp::Reordering;

const UP: Direction = Direction::Uplink;

fn rig() -> Rig {
    Rig::new(&config(Mode::Am(Config::default())))
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// PDUs of one SDU of 100 bytes each.
fn send(rig: &mut Rig, now: Time, count: u32) -> VecDeque<Pdu> {
    let build = |_| {
        assert!(rig.offer(now, 100));
        rig.build(DOWN, now, 102).expect("a PDU")
    };
    (0..count).map(build).collect()
}

/// Takes the status report across.
fn report(rig: &mut Rig, now: Time) {
    let status = rig.build(UP, now, 100).expect("a status report");
    assert!(status.is_status());
    rig.receive(UP, now, status, now);
}

#[test]
fn the_last_pdu_polls_and_the_report_acknowledges() {
    let mut rig = rig();
    let mut pdus = send(&mut rig, ms(0), 1);
    assert_eq!(rig.bearer.next_wake(), Some(ms(45)));
    assert_eq!(rig.bearer.buffer_status(UP, ms(0)).status, 0);
    let pdu = pdus.pop_front().expect("a PDU");
    rig.receive(DOWN, ms(4), pdu, ms(4));
    assert_eq!(rig.numbers(), [0]);
    // ACK_SN alone: 15 bits.
    assert_eq!(rig.bearer.buffer_status(UP, ms(4)).status, 2);
    report(&mut rig, ms(8));
    assert_eq!(rig.bearer.next_wake(), None);
    rig.assert_books_close();
}

#[test]
fn what_is_missing_is_reported_after_t_reordering_and_sent_again() {
    let mut rig = rig();
    let mut pdus = send(&mut rig, ms(0), 3);
    let lost = pdus.remove(1).expect("the second");
    rig.lose(DOWN, ms(0), lost);
    for pdu in pdus {
        rig.receive(DOWN, ms(4), pdu, ms(4));
    }
    assert_eq!(rig.numbers(), [0]);
    rig.wake(ms(39));
    // ACK_SN and one NACK_SN: 27 bits.
    assert_eq!(rig.bearer.buffer_status(UP, ms(39)).status, 4);
    report(&mut rig, ms(40));
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(40)).retransmissions, 102);
    let again = rig.build(DOWN, ms(41), 200).expect("the retransmission");
    assert!(again.is_retransmission());
    rig.receive(DOWN, ms(53), again, ms(45));
    assert_eq!(rig.numbers(), [0, 1, 2]);
    let stages = [Stage::Rlc, Stage::Arq, Stage::Radio, Stage::Harq, Stage::Reordering];
    let spent = |i: usize| stages.map(|stage| rig.delivered[i].stages.spent(stage).as_millis());
    assert_eq!(spent(1), [0, 41, 4, 8, 0]);
    assert_eq!(spent(2), [0, 0, 4, 0, 49]);
    rig.assert_books_close();
}

#[test]
fn a_retransmission_that_does_not_fit_is_segmented() {
    let mut rig = rig();
    assert!(rig.offer(ms(0), 100) && rig.offer(ms(0), 100));
    let lost = rig.build(DOWN, ms(0), 1000).expect("a PDU");
    assert_eq!(lost.size, 2 + 2 + 200);
    rig.lose(DOWN, ms(0), lost);
    rig.wake(ms(45));
    assert!(rig.build(DOWN, ms(46), 4).is_none());
    // 4 bytes of header, 46 of the first SDU; then 54 of the first and 40 of the
    // second with 2 of indicator; then the rest.
    let rooms = [50, 100, 100];
    let parts = rooms.map(|room| rig.build(DOWN, ms(46), room).expect("a segment"));
    assert_eq!(parts.each_ref().map(|part| part.size), [50, 100, 4 + 60]);
    let [first, second, third] = parts;
    rig.receive(DOWN, ms(50), third, ms(50));
    rig.receive(DOWN, ms(50), first, ms(50));
    assert!(rig.delivered.is_empty());
    // ACK_SN, NACK_SN and offsets: 15 + 12 + 30 bits; the poll in the last
    // segment is answered when t-Reordering lets the report speak of it.
    rig.wake(ms(85));
    assert_eq!(rig.bearer.buffer_status(UP, ms(85)).status, 8);
    rig.receive(DOWN, ms(86), second, ms(86));
    assert_eq!(rig.numbers(), [0, 1]);
    rig.assert_books_close();
}

#[test]
fn sdus_in_the_leading_segments_are_handed_up_early() {
    let mut rig = rig();
    assert!(rig.offer(ms(0), 100) && rig.offer(ms(0), 100));
    let lost = rig.build(DOWN, ms(0), 1000).expect("a PDU");
    rig.lose(DOWN, ms(0), lost);
    rig.wake(ms(45));
    let first = rig.build(DOWN, ms(46), 110).expect("a segment");
    rig.receive(DOWN, ms(50), first, ms(50));
    assert_eq!(rig.numbers(), [0]);
    rig.assert_books_close();
}

#[test]
fn after_four_retransmissions_upper_layers_learn_of_it() {
    let mut rig = rig();
    let mut pdus = send(&mut rig, ms(0), 1);
    let mut lost = pdus.pop_front();
    for attempt in 1..=4 {
        rig.lose(DOWN, ms(45 * attempt), lost.take().expect("a PDU"));
        rig.wake(ms(45 * attempt));
        assert_eq!(rig.bearer.rlc().failed(), None);
        lost = rig.build(DOWN, ms(45 * attempt), 102);
    }
    // RETX_COUNT, which began with 0, is 4.
    rig.wake(ms(45 * 5));
    assert_eq!(rig.bearer.rlc().failed(), Some(DOWN));
    rig.reestablish(ms(300), lost.map(|pdu| (DOWN, pdu)));
    assert_eq!(rig.bearer.rlc().failed(), None);
    // All of it goes again, with what has come since.
    assert!(rig.offer(ms(300), 100));
    let again = rig.build(DOWN, ms(310), 500).expect("a PDU");
    assert!(matches!(again.body, Body::Data(Data { sn: 0, retransmission: false, .. })));
    rig.receive(DOWN, ms(314), again, ms(314));
    assert_eq!(rig.numbers(), [0, 1]);
    assert!(rig.bench.drops.0.is_empty());
    rig.assert_books_close();
}

/// Two SDUs of which the receiver has the second, and of which nothing is acknowledged, behind one
/// that is.
fn with_a_gap(mode: Mode, room: u32) -> (Rig, [Pdu; 2]) {
    let mut rig = Rig::new(&config(mode));
    (0..4).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let mut build = || rig.build(DOWN, ms(0), room).expect("a PDU");
    let [first, lost, second, third] = [(); 4].map(|()| build());
    rig.receive(DOWN, ms(4), first, ms(4));
    rig.receive(DOWN, ms(4), second, ms(4));
    (rig, [lost, third])
}

#[test]
fn re_establishment_keeps_what_the_receiver_has_and_delivers_each_once() {
    // TS 36.322, 5.4, and TS 36.323, 5.2; TS 38.322, 5.1.2, and TS 38.323, 5.1.2.
    for (mode, room) in [
        (Mode::Am(Config::default()), 102),
        (Mode::NrAm(Config::default(), SnLength::Twelve), 104),
        (Mode::NrAm(Config::default(), SnLength::Eighteen), 105),
    ] {
        let (mut rig, air) = with_a_gap(mode, room);
        assert_eq!(rig.numbers(), [0]);
        rig.reestablish(ms(100), air.map(|pdu| (DOWN, pdu)));
        assert_eq!(rig.bearer.waiting(DOWN).sdus, 4);
        // The first is sent again, since nothing has confirmed it; nobody gets it twice.
        let mut build = |now| rig.build(DOWN, ms(now), room).expect("a PDU");
        let [first, missing, second] = [110, 120, 130].map(&mut build);
        rig.receive(DOWN, ms(114), first, ms(114));
        assert_eq!(rig.numbers(), [0]);
        // With the second the third goes up, which PDCP has kept.
        rig.receive(DOWN, ms(124), missing, ms(124));
        assert_eq!(rig.numbers(), [0, 1, 2]);
        rig.receive(DOWN, ms(134), second, ms(134));
        let last = rig.build(DOWN, ms(140), room).expect("a PDU");
        rig.receive(DOWN, ms(144), last, ms(144));
        assert_eq!(rig.numbers(), [0, 1, 2, 3]);
        let spent = |n: usize, stage| rig.delivered[n].stages.spent(stage).as_millis();
        // Lost on the air until the failure at 100 ms, then behind the first in the queue.
        let stages = [Stage::Arq, Stage::Reestablishment, Stage::Rlc, Stage::Radio];
        assert_eq!(stages.map(|stage| spent(1, stage)), [100, 0, 20, 4]);
        assert_eq!([Stage::Radio, Stage::Reordering].map(|stage| spent(2, stage)), [4, 120]);
        assert!(rig.bench.drops.0.is_empty());
        rig.assert_books_close();
    }
}

#[test]
fn an_sdu_of_which_a_part_is_acknowledged_is_sent_again_as_a_whole() {
    let mut rig = rig();
    assert!(rig.offer(ms(0), 300));
    let settings = [ms(0), ms(1)].map(|now| rig.build(DOWN, now, 102).expect("a part"));
    let [first, second] = settings;
    rig.receive(DOWN, ms(4), first, ms(4));
    rig.wake(ms(46));
    rig.reestablish(ms(50), [(DOWN, second)]);
    let whole = rig.build(DOWN, ms(60), 500).expect("a PDU");
    assert_eq!(whole.size, 2 + 300);
    rig.receive(DOWN, ms(64), whole, ms(64));
    assert_eq!(rig.numbers(), [0]);
    rig.assert_books_close();
}

/// Sends until the window is full, loses it all, and goes on losing for so long; then all arrives.
/// Gives when the last packet did.
fn outage_with_a_full_window(mode: Mode, sdus: u32, outage: u64) -> u64 {
    let mut settings = config(mode);
    settings.pdcp.reordering = Reordering::InOrder(None);
    let mut rig = Rig::new(&settings);
    (0..sdus).for_each(|_| assert!(rig.offer(ms(0), 100)));
    for now in 0..60_000 {
        rig.wake(ms(now));
        for direction in [DOWN, UP] {
            for _ in 0..20 {
                let Some(pdu) = rig.build(direction, ms(now), 105) else { break };
                match now < outage {
                    true => rig.lose(direction, ms(now), pdu),
                    false => rig.receive(direction, ms(now), pdu, ms(now)),
                }
            }
        }
        if now >= outage && rig.bearer.rlc().failed().is_some() {
            rig.reestablish(ms(now), None);
        }
        if rig.delivered.len() as u32 == sdus {
            assert!(rig.bench.drops.0.is_empty());
            rig.assert_books_close();
            return now;
        }
    }
    panic!("dead for ever");
}

#[test]
fn a_full_window_that_was_lost_is_polled_for_until_it_is_acknowledged() {
    // TS 36.322, 5.2.2.3; TS 38.322, 5.3.3.4: t-PollRetransmit of 45 ms, in both modes and with
    // numbers of 10, 12 and 18 bits, whether maxRetxThreshold has been reached or not.
    let modes = [
        (Mode::Am(Config::default()), 600),
        (Mode::NrAm(Config::default(), SnLength::Twelve), 2_100),
        (Mode::NrAm(Config::default(), SnLength::Eighteen), 3_000),
    ];
    for (mode, sdus) in modes {
        for outage in [150, 200, 800, 5_000] {
            let end = outage_with_a_full_window(mode, sdus, outage);
            // Within two polls and what the queue takes at 20 SDUs a millisecond.
            let most = outage + 2 * 45 + 35 + 2 * u64::from(sdus) / 20;
            assert!(end <= most, "{mode:?}, {outage} ms: {end} ms");
        }
    }
}

/// Options without polls by PDUs and by bytes.
const NEVER: Config = Config {
    poll_retransmit: Duration::from_millis(45),
    poll_pdu: 0,
    poll_byte: Buffer::Unlimited,
    max_retransmissions: 4,
    status_prohibit: Duration::ZERO,
    t_reordering: Duration::from_millis(35),
};

#[test]
fn a_full_window_stalls_until_acknowledged() {
    let settings = NEVER;
    let mut rig = Rig::new(&config(Mode::Am(settings)));
    (0..600).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let pdus: Vec<Pdu> = core::iter::from_fn(|| rig.build(DOWN, ms(0), 102)).collect();
    assert_eq!(pdus.len(), 512);
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(0)).new_data, 0);
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(0)).waiting.sdus, 88);
    for pdu in pdus {
        rig.receive(DOWN, ms(4), pdu, ms(4));
    }
    report(&mut rig, ms(8));
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(8)).new_data, 2 + 88 * 100 + 131);
    rig.assert_books_close();
}

#[test]
fn polls_come_by_pdus_and_by_bytes() {
    let polled = |settings: Config| -> Vec<bool> {
        let mut rig = Rig::new(&config(Mode::Am(settings)));
        (0..10).for_each(|_| assert!(rig.offer(ms(0), 100)));
        let poll = |pdu: Pdu| matches!(pdu.body, Body::Data(Data { poll: true, .. }));
        (0..6).map(|_| poll(rig.build(DOWN, ms(0), 102).expect("a PDU"))).collect()
    };
    assert_eq!(polled(NEVER), [false; 6]);
    let every_second = [false, true, false, true, false, true];
    assert_eq!(polled(Config { poll_pdu: 2, ..NEVER }), every_second);
    let every_third = [false, false, true, false, false, true];
    assert_eq!(polled(Config { poll_byte: Buffer::Bytes(Bytes(250)), ..NEVER }), every_third);
}

#[test]
fn a_report_waits_for_t_status_prohibit() {
    let status_prohibit = Duration::from_millis(20);
    let settings = Config { status_prohibit, ..Config::default() };
    let mut rig = Rig::new(&config(Mode::Am(settings)));
    for (sent, arrived) in [(0, 4), (6, 10)] {
        for pdu in send(&mut rig, ms(sent), 1) {
            rig.receive(DOWN, ms(arrived), pdu, ms(arrived));
        }
        if sent == 0 {
            report(&mut rig, ms(4));
        }
    }
    assert_eq!(rig.bearer.buffer_status(UP, ms(10)).status, 0);
    assert!(rig.build(UP, ms(10), 100).is_none());
    assert_eq!(rig.bearer.next_wake(), Some(ms(24)));
    rig.wake(ms(24));
    report(&mut rig, ms(24));
}

#[test]
fn a_report_says_what_fits() {
    let mut rig = rig();
    let pdus = send(&mut rig, ms(0), 6);
    for (i, pdu) in pdus.into_iter().enumerate() {
        match i % 2 {
            0 => rig.lose(DOWN, ms(0), pdu),
            _ => rig.receive(DOWN, ms(4), pdu, ms(4)),
        }
    }
    // At first up to what had arrived when t-Reordering began, then all.
    rig.wake(ms(39));
    assert_eq!(rig.bearer.buffer_status(UP, ms(39)).status, 4);
    rig.wake(ms(74));
    // Three NACKs: 15 + 3 * 12 = 51 bits; two fit into 5 bytes, none into 3.
    assert_eq!(rig.bearer.buffer_status(UP, ms(74)).status, 7);
    assert!(rig.build(UP, ms(74), 3).is_none());
    let status = rig.build(UP, ms(74), 6).expect("a status report");
    assert_eq!(status.size, 5);
    let nacks = [0, 2].map(|sn| super::super::status::Nack { sn, part: None });
    let Body::Status(said) = &status.body else { panic!("a status report") };
    assert_eq!((said.ack, said.nacks.as_slice()), (4, nacks.as_slice()));
}

#[test]
fn a_discarded_queue_leaves_nothing_unpolled() {
    let mut rig = rig();
    assert!(rig.offer(ms(0), 100) && rig.offer(ms(0), 100));
    let lost = rig.build(DOWN, ms(0), 102).expect("a PDU");
    rig.lose(DOWN, ms(0), lost);
    assert_eq!(rig.bearer.next_wake(), None);
    let limit = Duration::from_millis(50);
    rig.discard(ms(50), limit);
    assert_eq!(rig.bearer.next_wake(), Some(ms(95)));
    rig.wake(ms(95));
    let again = rig.build(DOWN, ms(95), 102).expect("the retransmission");
    rig.receive(DOWN, ms(99), again, ms(99));
    assert_eq!(rig.numbers(), [0]);
    rig.assert_books_close();
}

proptest! {
    #[test]
    fn everything_arrives_in_order_or_is_dropped_with_a_cause(
        seed in any::<u64>(),
        loss in 0.0f64..0.3,
        threshold in prop_oneof![1u32..8, Just(32)],
        prohibit in 0u64..40,
        offered in 1u64..200,
        discard in any::<bool>(),
        sn in prop_oneof![
            Just(None), Just(Some(SnLength::Twelve)), Just(Some(SnLength::Eighteen)),
        ],
    ) {
        let settings = Config {
            max_retransmissions: threshold,
            status_prohibit: Duration::from_millis(prohibit),
            ..Config::default()
        };
        let mut radio = Radio {
            rig: Rig::new(&config(match sn {
                None => Mode::Am(settings),
                Some(sn) => Mode::NrAm(settings, sn),
            })),
            random: Seed(seed).stream("radio"),
            loss,
            air: Vec::new(),
        };
        for now in 0..20_000 {
            if radio.rig.offered < offered && radio.random.chance(0.5) {
                let size = 1 + radio.random.below(1500) as u32;
                assert!(radio.rig.offer(ms(now), size));
            }
            if discard {
                let limit = Duration::from_millis(100);
                radio.rig.discard(ms(now), limit);
            }
            radio.step(now);
            if radio.rig.offered == offered && radio.rig.bearer.held().packets == 0 {
                break;
            }
        }
        prop_assert_eq!(radio.rig.bearer.held().packets, 0);
        // With t-Reordering of NR's PDCP shorter than what RLC takes.
        let late = if sn.is_some() { DropCause::Reordering } else { DropCause::DiscardTimer };
        let allowed = [DropCause::DiscardTimer, late];
        prop_assert!(radio.rig.bench.drops.0.iter().all(|cause| allowed.contains(cause)));
        if !discard && sn.is_none() {
            prop_assert_eq!(radio.rig.delivered.len() as u64, offered);
        }
    }
}

#[test]
fn a_poll_that_is_not_answered_is_repeated_in_new_data() {
    let settings = Config { poll_pdu: 2, ..Config::default() };
    let mut rig = Rig::new(&config(Mode::Am(settings)));
    (0..10).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let mut poll = |now| {
        rig.wake(ms(now));
        let pdu = rig.build(DOWN, ms(now), 102).expect("a PDU");
        let polls = matches!(pdu.body, Body::Data(Data { poll: true, .. }));
        rig.lose(DOWN, ms(now), pdu);
        polls
    };
    assert_eq!([0, 1, 46, 48].map(&mut poll), [false, true, true, false]);
}

#[test]
fn a_duplicate_that_polls_is_answered_at_once() {
    let mut rig = rig();
    for pdu in send(&mut rig, ms(0), 1) {
        rig.receive(DOWN, ms(4), pdu, ms(4));
    }
    let lost = rig.build(UP, ms(8), 100).expect("a status report");
    rig.lose(UP, ms(8), lost);
    rig.wake(ms(45));
    let again = rig.build(DOWN, ms(45), 102).expect("the retransmission");
    rig.receive(DOWN, ms(49), again, ms(49));
    assert_eq!(rig.numbers(), [0]);
    report(&mut rig, ms(50));
    assert_eq!(rig.bearer.next_wake(), None);
    rig.assert_books_close();
}

/// Bytes that RLC reports to have sent again.
#[derive(Default)]
struct Resent(u32);

impl Probe for Resent {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::RlcRetransmission { direction: DOWN, bytes, .. }) = event {
            self.0 += bytes;
        }
    }
}

#[test]
fn retransmissions_are_reported() {
    let mut rig = rig();
    for pdu in send(&mut rig, ms(0), 1) {
        rig.lose(DOWN, ms(0), pdu);
    }
    rig.wake(ms(45));
    let mut resent = Resent::default();
    let Rig { bench, bearer, .. } = &mut rig;
    for room in [60, 60] {
        let mut cx = bench.cx_watched(ms(46), &mut resent);
        bearer.build(DOWN, ms(46), room, &mut cx).expect("a segment");
    }
    // 100 bytes of data in two segments of 4 bytes of header each.
    assert_eq!(resent.0, 108);
}
