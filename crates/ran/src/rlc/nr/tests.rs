use std::collections::VecDeque;

use airpath_base::random::Seed;
use airpath_net::{Direction, DropCause, Stage};
use airpath_schema::units::Buffer;
use proptest::prelude::*;

use super::*;
use crate::pdcp::Reordering;
use crate::rlc::am;
use crate::rlc::testing::{DOWN, Radio, Rig, config};
use crate::rlc::{Mode, Pdu};

const UP: Direction = Direction::Uplink;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn um() -> Rig {
    Rig::new(&config(Mode::NrUm(Config { sn: SnLength::Six, ..Config::default() })))
}

fn am() -> Rig {
    Rig::new(&config(Mode::NrAm(am::Config::default(), SnLength::Twelve)))
}

#[test]
fn a_block_takes_a_run_of_sdus_in_one_pdu() {
    let mut rig = um();
    (0..3).for_each(|_| assert!(rig.offer(ms(0), 100)));
    // 3 bytes of MAC and 1 of RLC for each, at most.
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(0)).new_data, 300 + 3 * 4);
    let run = rig.build(DOWN, ms(1), 260).expect("PDUs");
    // Two whole ones of 2 + 1 + 100, and 2 + 1 + 51 of the third.
    assert_eq!(run.size, 260);
    let rest = rig.build(DOWN, ms(2), 260).expect("the rest");
    assert_eq!(rest.size, 2 + 3 + 49);
    rig.receive(DOWN, ms(4), run, ms(4));
    assert_eq!(rig.numbers(), [0, 1]);
    rig.receive(DOWN, ms(5), rest, ms(5));
    assert_eq!(rig.numbers(), [0, 1, 2]);
    let spent = |stage| rig.delivered[2].stages.spent(stage).as_millis();
    assert_eq!([Stage::Pdcp, Stage::Rlc, Stage::Radio].map(spent), [1, 1, 3]);
    rig.assert_books_close();
}

#[test]
fn pdcp_puts_into_order_what_rlc_does_not() {
    let mut rig = um();
    let mut pdus: VecDeque<Pdu> = VecDeque::new();
    for _ in 0..3 {
        rig.offer(ms(0), 100);
        pdus.extend(rig.build(DOWN, ms(0), 200));
    }
    let first = pdus.pop_front().expect("the first");
    for pdu in pdus {
        rig.receive(DOWN, ms(4), pdu, ms(4));
    }
    assert_eq!((rig.numbers(), rig.bearer.next_wake()), (vec![], Some(ms(104))));
    rig.receive(DOWN, ms(12), first, ms(4));
    assert_eq!((rig.numbers(), rig.bearer.next_wake()), (vec![0, 1, 2], None));
    let spent = |n: usize, stage| rig.delivered[n].stages.spent(stage).as_millis();
    assert_eq!([spent(0, Stage::Harq), spent(1, Stage::Reordering)], [8, 8]);
    rig.assert_books_close();
}

#[test]
fn what_is_lost_is_waited_for_until_t_reordering_ends() {
    let mut settings = config(Mode::NrUm(Config::default()));
    settings.pdcp.reordering = Reordering::InOrder(Some(Duration::from_millis(40)));
    let mut rig = Rig::new(&settings);
    (0..2).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let [lost, second] = [(); 2].map(|()| rig.build(DOWN, ms(0), 104).expect("a PDU"));
    rig.lose(DOWN, ms(3), lost);
    rig.receive(DOWN, ms(4), second, ms(4));
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    rig.wake(ms(43));
    assert!(rig.delivered.is_empty());
    rig.wake(ms(44));
    assert_eq!(rig.numbers(), [1]);
    rig.assert_books_close();
}

#[test]
fn t_reassembly_gives_up_an_sdu_whose_segment_is_missing() {
    let mut rig = um();
    assert!(rig.offer(ms(0), 1_000));
    let first = rig.build(DOWN, ms(0), 400).expect("a segment");
    let second = rig.build(DOWN, ms(1), 400).expect("a segment");
    // Bytes that others have overtaken are missing: the timer starts.
    rig.receive(DOWN, ms(5), second, ms(5));
    assert_eq!(rig.bearer.next_wake(), Some(ms(40)));
    rig.wake(ms(40));
    // The rest is still to be sent; what comes late is for nothing.
    let third = rig.build(DOWN, ms(41), 400).expect("a segment");
    assert_eq!(rig.bench.drops.0, [DropCause::RlcLoss]);
    rig.receive(DOWN, ms(42), first, ms(42));
    rig.receive(DOWN, ms(45), third, ms(45));
    assert!(rig.delivered.is_empty());
    rig.assert_books_close();
}

#[test]
fn segments_that_come_in_order_start_no_timer() {
    let mut rig = um();
    assert!(rig.offer(ms(0), 1_000));
    for (sent, arrived) in [(0, 4), (100, 104), (200, 204)] {
        let segment = rig.build(DOWN, ms(sent), 400).expect("a segment");
        rig.receive(DOWN, ms(arrived), segment, ms(arrived));
        assert_eq!(rig.bearer.next_wake(), None);
    }
    assert_eq!(rig.numbers(), [0]);
}

#[test]
fn am_sends_again_what_the_report_misses_in_segments_if_need_be() {
    let mut rig = am();
    (0..3).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let pdus = [(); 3].map(|()| rig.build(DOWN, ms(0), 104).expect("a PDU"));
    let [first, lost, third] = pdus;
    rig.lose(DOWN, ms(3), lost);
    rig.receive(DOWN, ms(4), first, ms(4));
    rig.receive(DOWN, ms(4), third, ms(4));
    rig.wake(ms(39));
    // 2 of MAC; ACK_SN 3 bytes, a NACK 2.
    let status = rig.build(UP, ms(39), 100).expect("a status report");
    assert_eq!(status.size, 2 + 3 + 2);
    rig.receive(UP, ms(40), status, ms(40));
    assert_eq!(rig.bearer.buffer_status(DOWN, ms(40)).retransmissions, 104);
    let [half, rest] = [64, 64].map(|room| rig.build(DOWN, ms(41), room).expect("a segment"));
    // 2 of MAC and 2 of RLC; the second has an offset besides.
    assert_eq!([half.size, rest.size], [64, 2 + 4 + 40]);
    assert!(half.is_retransmission() && rest.is_retransmission());
    rig.receive(DOWN, ms(45), rest, ms(45));
    assert_eq!(rig.numbers(), [0]);
    rig.receive(DOWN, ms(53), half, ms(45));
    assert_eq!(rig.numbers(), [0, 1, 2]);
    let stages = [Stage::Arq, Stage::Radio, Stage::Harq, Stage::Reordering];
    let spent = |n: usize| stages.map(|stage| rig.delivered[n].stages.spent(stage).as_millis());
    assert_eq!((spent(1), spent(2)), ([41, 4, 8, 0], [0, 4, 0, 49]));
    rig.assert_books_close();
}

#[test]
fn a_window_of_2048_sdus_stalls_until_acknowledged() {
    let (poll_pdu, poll_byte) = (0, Buffer::Unlimited);
    let settings = am::Config { poll_pdu, poll_byte, ..am::Config::default() };
    let mut rig = Rig::new(&config(Mode::NrAm(settings, SnLength::Twelve)));
    (0..2_100).for_each(|_| assert!(rig.offer(ms(0), 100)));
    let run = rig.build(DOWN, ms(0), 1_000_000).expect("PDUs");
    assert_eq!(run.size, 2_048 * 104);
    assert!(rig.build(DOWN, ms(0), 1_000).is_none());
    rig.receive(DOWN, ms(4), run, ms(4));
    let status = rig.build(UP, ms(8), 100).expect("a full window polls");
    rig.receive(UP, ms(8), status, ms(8));
    assert_eq!(rig.build(DOWN, ms(8), 1_000_000).expect("PDUs").size, 52 * 104);
}

proptest! {
    #[test]
    fn um_delivers_in_order_or_drops_with_a_cause(
        seed in any::<u64>(), loss in 0.0f64..0.3, offered in 1u64..200, six in any::<bool>(),
    ) {
        let sn = if six { SnLength::Six } else { SnLength::Twelve };
        let mode = Mode::NrUm(Config { sn, ..Config::default() });
        let random = Seed(seed).stream("radio");
        let mut radio = Radio { rig: Rig::new(&config(mode)), random, loss, air: Vec::new() };
        for now in 0..20_000 {
            if radio.rig.offered < offered && radio.random.chance(0.5) {
                let size = 1 + radio.random.below(1500) as u32;
                assert!(radio.rig.offer(ms(now), size));
            }
            radio.step(now);
            if radio.rig.offered == offered && radio.rig.bearer.held().packets == 0 {
                break;
            }
        }
        prop_assert_eq!(radio.rig.bearer.held().packets, 0);
        let allowed = [DropCause::RlcLoss, DropCause::Reordering];
        prop_assert!(radio.rig.bench.drops.0.iter().all(|cause| allowed.contains(cause)));
        if loss == 0.0 {
            prop_assert_eq!(radio.rig.delivered.len() as u64, offered);
        }
    }
}
