use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::{DropCause, Stage};
use proptest::prelude::*;

use super::super::Mode;
use super::super::testing::{DOWN, Rig, config};
use super::*;
use crate::pdcp::QueueLimit;

fn rig() -> Rig {
    Rig::new(&config(Mode::Um(Config::default())))
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn spent(rig: &Rig, index: usize, stage: Stage) -> u64 {
    rig.delivered[index].stages.spent(stage).as_millis()
}

#[test]
fn an_sdu_crosses_in_one_pdu() {
    let mut rig = rig();
    rig.offer(ms(0), 100);
    let status = rig.bearer.buffer_status(DOWN, ms(0));
    assert_eq!((status.new_data, status.waiting.sdus, status.waiting.bytes), (102, 1, 100));
    let pdu = rig.build(DOWN, ms(1), 549).expect("a PDU");
    assert_eq!(pdu.size, 102);
    assert!(rig.build(DOWN, ms(1), 549).is_none());
    rig.receive(DOWN, ms(4), pdu, ms(4));
    assert_eq!(rig.numbers(), [0]);
    assert_eq!(rig.bearer.next_wake(), None);
    rig.assert_books_close();
}

#[test]
fn stages_follow_the_last_piece() {
    let mut rig = rig();
    rig.offer(ms(0), 1000);
    let first = rig.build(DOWN, ms(1), 600).expect("a PDU");
    let second = rig.build(DOWN, ms(2), 600).expect("a PDU");
    assert_eq!((first.size, second.size), (600, 404));
    rig.receive(DOWN, ms(5), second, ms(5));
    assert!(rig.delivered.is_empty());
    rig.receive(DOWN, ms(12), first, ms(4));
    // At PDCP until 1, cut until the second PDU at 2; the first was tried at 4, decoded at 12.
    let stages = [Stage::Pdcp, Stage::Rlc, Stage::Radio, Stage::Harq, Stage::Reordering];
    assert_eq!(stages.map(|stage| spent(&rig, 0, stage)), [1, 1, 2, 8, 0]);
}

#[test]
fn overtakers_wait_for_t_reordering() {
    let mut rig = rig();
    let mut pdus = VecDeque::new();
    for _ in 0..3 {
        rig.offer(ms(0), 100);
        pdus.extend(rig.build(DOWN, ms(0), 102));
    }
    let lost = pdus.pop_front().expect("the first PDU");
    for pdu in pdus {
        rig.receive(DOWN, ms(3), pdu, ms(3));
    }
    rig.lose(DOWN, ms(30), lost);
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    assert_eq!(rig.bearer.next_wake(), Some(ms(38)));
    rig.wake(ms(37));
    assert!(rig.delivered.is_empty());
    rig.wake(ms(38));
    assert_eq!(rig.numbers(), [1, 2]);
    assert_eq!(spent(&rig, 0, Stage::Reordering), 35);
    rig.assert_books_close();
}

#[test]
fn what_comes_after_t_reordering_is_dropped() {
    let mut rig = rig();
    rig.offer(ms(0), 100);
    rig.offer(ms(0), 100);
    let late = rig.build(DOWN, ms(0), 102).expect("a PDU");
    let second = rig.build(DOWN, ms(0), 102).expect("a PDU");
    rig.receive(DOWN, ms(3), second, ms(3));
    rig.wake(ms(38));
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    rig.receive(DOWN, ms(40), late, ms(3));
    assert_eq!(rig.numbers(), [1]);
    rig.assert_books_close();
}

#[test]
fn an_sdu_that_lost_its_head_is_dropped_when_its_tail_is_sent() {
    let mut rig = rig();
    rig.offer(ms(0), 1000);
    let head = rig.build(DOWN, ms(1), 600).expect("a PDU");
    rig.lose(DOWN, ms(2), head);
    // UM does not know, so the rest is sent all the same.
    assert!(rig.bench.drops.0.is_empty());
    let tail = rig.build(DOWN, ms(3), 600).expect("a PDU");
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    rig.receive(DOWN, ms(6), tail, ms(6));
    rig.wake(ms(41));
    assert!(rig.delivered.is_empty());
    rig.assert_books_close();
}

#[test]
fn a_full_window_moves_on_without_waiting() {
    let sn = SnLength::Five;
    let mut rig = Rig::new(&config(Mode::Um(Config { sn, ..Config::default() })));
    let mut pdus = VecDeque::new();
    for _ in 0..18 {
        rig.offer(ms(0), 100);
        pdus.extend(rig.build(DOWN, ms(0), 101));
    }
    assert!(pdus.iter().all(|pdu| pdu.size == 101));
    let lost = pdus.pop_front().expect("the first PDU");
    rig.lose(DOWN, ms(1), lost);
    for pdu in pdus {
        rig.receive(DOWN, ms(3), pdu, ms(3));
    }
    // The 17th PDU (SN 16) pushes VR(UH) - 16 past SN 0.
    assert_eq!(rig.delivered.len(), 17);
    rig.assert_books_close();
}

#[test]
fn a_full_queue_gives_the_arriving_packet_back() {
    let mut limited = config(Mode::Um(Config::default()));
    limited.pdcp.downlink_queue = QueueLimit::Bytes(250);
    let mut rig = Rig::new(&limited);
    assert_eq!([100, 100, 51, 50].map(|size| rig.offer(ms(0), size)), [true, true, false, true]);
    rig.assert_books_close();
}

#[test]
fn only_untouched_sdus_are_discarded() {
    let mut rig = rig();
    (0..3).for_each(|i| assert!(rig.offer(ms(i), 100)));
    let head = rig.build(DOWN, ms(3), 50).expect("a PDU");
    assert_eq!(rig.bearer.next_wake(), None);
    let limit = Duration::from_millis(100);
    rig.discard(ms(101), limit);
    assert_eq!(rig.bench.drops.0, [DropCause::DiscardTimer]);
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(101)).waiting.bytes, 52 + 100);
    rig.receive(DOWN, ms(104), head, ms(104));
    let rest = rig.build(DOWN, ms(104), 1000).expect("a PDU");
    assert_eq!(rest.size, 2 + 2 + 52 + 100);
    rig.receive(DOWN, ms(107), rest, ms(107));
    assert_eq!(rig.numbers(), [0, 2]);
    rig.assert_books_close();
}

#[derive(Clone, Debug)]
enum Step {
    Offer(u32),
    Build(u32),
    /// Decides one of the PDUs on the air: which, and whether it is decoded.
    Decode(usize, bool),
    Discard,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1u32..3000).prop_map(Step::Offer),
        4 => (0u32..1200).prop_map(Step::Build),
        4 => (0usize..8, prop::bool::weighted(0.8)).prop_map(|(i, ok)| Step::Decode(i, ok)),
        1 => Just(Step::Discard),
    ]
}

proptest! {
    #[test]
    fn nothing_is_lost_unseen(
        steps in prop::collection::vec(step(), 1..300),
        five in any::<bool>(),
        ns3 in any::<bool>(),
    ) {
        let sn = if five { SnLength::Five } else { SnLength::Ten };
        let mut settings = config(Mode::Um(Config { sn, ..Config::default() }));
        settings.rlc.header = if ns3 { HeaderModel::Ns3 } else { HeaderModel::Standard };
        let mut rig = Rig::new(&settings);
        let mut air = VecDeque::new();
        for (now, step) in (1..).map(ms).zip(steps) {
            rig.wake(now);
            play(&mut rig, &mut air, now, &step)?;
            rig.assert_books_close();
        }
        // In the end everything is sent, decoded or lost, and waited for.
        let mut now = ms(1000);
        while let Some(pdu) = rig.build(DOWN, now, 500) {
            air.push_back(pdu);
        }
        for pdu in air {
            rig.receive(DOWN, now, pdu, now);
        }
        while let Some(wake) = rig.bearer.next_wake() {
            now = wake;
            rig.wake(now);
        }
        rig.assert_books_close();
        prop_assert_eq!(rig.bearer.held().packets, 0);
    }

    #[test]
    fn without_loss_everything_arrives_and_pdus_fill_their_room(
        sizes in prop::collection::vec(1u32..2000, 1..50),
        rooms in prop::collection::vec(3u32..900, 1..50),
    ) {
        let mut rig = rig();
        sizes.iter().for_each(|&size| assert!(rig.offer(ms(0), size)));
        for (now, &room) in (1..).map(ms).zip(rooms.iter().cycle()) {
            let Some(pdu) = rig.build(DOWN, now, room) else { break };
            let left = rig.bearer.buffer_status(DOWN, now).waiting.sdus;
            // With 2 bytes of indicator and one of data, more would have fitted.
            prop_assert!(pdu.size <= room && (left == 0 || pdu.size + 3 > room));
            rig.receive(DOWN, now, pdu, now);
        }
        prop_assert_eq!(rig.numbers(), (0..sizes.len() as u64).collect::<Vec<_>>());
        rig.assert_books_close();
    }
}

fn play(
    rig: &mut Rig,
    air: &mut VecDeque<Pdu>,
    now: Time,
    step: &Step,
) -> Result<(), TestCaseError> {
    match *step {
        Step::Offer(size) => assert!(rig.offer(now, size)),
        Step::Build(room) => {
            if let Some(pdu) = rig.build(DOWN, now, room) {
                prop_assert!(pdu.size <= room);
                air.push_back(pdu);
            }
        }
        Step::Decode(index, decoded) => match air.remove(index) {
            Some(pdu) if decoded => rig.receive(DOWN, now, pdu, now),
            Some(pdu) => rig.lose(DOWN, now, pdu),
            None => {}
        },
        Step::Discard => {
            let limit = Duration::from_millis(50);
            rig.discard(now, limit);
        }
    }
    Ok(())
}
