use super::*;
use crate::tcp::rate::RateSampler;

const SMSS: u32 = 100;

fn board(segments: u64) -> Scoreboard {
    let mut board = Scoreboard::default();
    for n in 0..segments {
        board.push(Sent {
            start: n * u64::from(SMSS),
            len: SMSS,
            fin: false,
            sacked: false,
            lost: false,
            retx_in_flight: false,
            retransmitted: false,
            at: Time::from_millis(n),
            snapshot: Snapshot::default(),
        });
    }
    board
}

fn sack(board: &mut Scoreboard, segments: core::ops::Range<u64>) -> NewlyAcked {
    let mut newly = NewlyAcked::default();
    let (left, right) = (segments.start * 100, segments.end * 100);
    board.sack(Time::from_millis(50), left, right, &mut newly);
    board.update_lost(3, SMSS);
    newly
}

fn recomputed(board: &Scoreboard) -> (u64, usize) {
    let pipe = board.segments.iter().map(Sent::in_pipe).sum();
    (pipe, board.segments.iter().filter(|s| s.needs_retransmission()).count())
}

#[test]
fn three_segments_above_a_hole_make_it_lost() {
    let mut board = board(10);
    assert_eq!(sack(&mut board, 1..2).sacked, 100);
    assert_eq!(sack(&mut board, 1..3).sacked, 100);
    assert!(!board.is_head_lost(), "200 bytes are not more than two segments");
    assert_eq!(board.pipe(), 800);
    sack(&mut board, 1..4);
    assert!(board.is_head_lost());
    assert_eq!(board.pipe(), 600);
    assert_eq!(board.next_lost(), Some(0));
}

#[test]
fn ranges_that_are_lost_are_counted_across_acknowledgements() {
    let mut board = board(20);
    sack(&mut board, 1..2);
    sack(&mut board, 4..7);
    let (_, found) = board.take_lost().expect("losses");
    // Segment 0, and 2 and 3.
    assert_eq!((found.packets, found.ranges), (3, 2));
    sack(&mut board, 8..12);
    let (_, found) = board.take_lost().expect("a loss");
    assert_eq!((found.packets, found.ranges), (1, 1));
}

#[test]
fn three_separate_ranges_make_what_lies_below_lost() {
    let mut board = board(10);
    sack(&mut board, 2..3);
    sack(&mut board, 4..5);
    assert!(!board.is_head_lost());
    sack(&mut board, 6..7);
    assert!(board.is_head_lost());
    // Of 0, 1, 3, 5 only those below three ranges are lost.
    assert_eq!(recomputed(&board), (board.pipe(), 2));
}

#[test]
fn a_block_that_cuts_segments_counts_for_whole_ones_only() {
    let mut board = board(10);
    let mut newly = NewlyAcked::default();
    board.sack(Time::ZERO, 150, 450, &mut newly);
    assert_eq!((newly.sacked, board.sacked_bytes()), (200, 200));
    board.sack(Time::ZERO, 100, 500, &mut newly);
    assert_eq!((newly.sacked, board.sacked_bytes()), (400, 400));
}

#[test]
fn retransmission_counts_in_the_pipe_and_moves_the_search() {
    let mut board = board(10);
    sack(&mut board, 3..8);
    assert_eq!((board.pipe(), board.next_lost()), (200, Some(0)));
    board.on_retransmit(0, Time::ZERO, Snapshot::default(), false);
    assert_eq!((board.pipe(), board.next_lost()), (300, Some(1)));
}

#[test]
fn a_partial_acknowledgement_within_a_segment_trims_it() {
    let mut board = board(3);
    let mut newly = NewlyAcked::default();
    board.acknowledge(Time::from_millis(9), 150, &mut newly);
    assert_eq!((newly.acked, board.pipe()), (150, 150));
    assert_eq!(board.get(0).map(|s| (s.start, s.len)), Some((150, 50)));
}

#[test]
fn karn_takes_no_rtt_from_a_retransmitted_segment() {
    let mut board = board(2);
    board.mark_head_lost(false);
    board.on_retransmit(0, Time::from_millis(30), Snapshot::default(), false);
    let mut newly = NewlyAcked::default();
    board.acknowledge(Time::from_millis(40), 100, &mut newly);
    assert_eq!((newly.first_rtt, newly.last_rtt, newly.retransmitted), (None, None, true));
    board.acknowledge(Time::from_millis(41), 200, &mut newly);
    assert_eq!(newly.first_rtt, Some(Duration::from_millis(40)));
}

#[test]
fn a_timeout_loses_all_but_what_was_sacked() {
    let mut board = board(6);
    sack(&mut board, 4..5);
    board.all_lost();
    assert_eq!(recomputed(&board), (0, 5));
    board.none_lost();
    assert_eq!((board.pipe(), board.next_lost()), (500, None));
}

#[test]
fn rules_three_and_four() {
    let mut board = board(6);
    sack(&mut board, 2..3);
    assert_eq!((board.next_lost(), board.next_speculative()), (None, Some(0)));
    board.on_retransmit(1, Time::ZERO, Snapshot::default(), false);
    assert_eq!(board.next_speculative(), None, "nothing above the retransmission is missing");
    assert_eq!(board.last_missing(), Some(5));
}

mod sums {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_incremental_sums_are_the_sums(
            steps in prop::collection::vec((0u8..6, 0u64..30, 1u64..6), 1..60)
        ) {
            let mut board = board(30);
            let mut newly = NewlyAcked::default();
            let mut una = 0;
            for (kind, at, len) in steps {
                match kind {
                    0 => {
                        una = una.max((at * 100).min(una + 150));
                        board.acknowledge(Time::ZERO, una, &mut newly);
                    }
                    1 | 2 => { board.sack(Time::ZERO, (at * 100).max(una), (at + len) * 100, &mut newly); }
                    3 => board.update_lost(3, SMSS),
                    4 => if let Some(n) = board.next_lost() {
                        board.on_retransmit(n, Time::ZERO, Snapshot::default(), false);
                    },
                    _ => if at < 4 { board.all_lost() } else { board.mark_head_lost(at % 2 == 0) },
                }
                prop_assert_eq!(recomputed(&board), (board.pipe(), board.to_retransmit));
                let sacked: u64 =
                    board.segments.iter().filter(|s| s.sacked).map(|s| u64::from(s.len)).sum();
                prop_assert_eq!(sacked, board.sacked_bytes());
                let first = board.segments.iter().position(Sent::needs_retransmission);
                prop_assert_eq!(board.next_lost(), first);
            }
        }
    }
}

/// Losses that RACK finds by looking at every segment, and the time at which the last other comes
/// due.
fn by_each_segment(
    board: &Scoreboard,
    latest: u64,
    now: Time,
    wait: Duration,
) -> (Vec<bool>, Option<Time>) {
    let open = |s: &&Sent| !s.sacked && (!s.lost || s.retx_in_flight) && s.snapshot.order < latest;
    let found = |s: &Sent| (open(&s) && s.at + wait <= now) || (s.lost && !s.retx_in_flight);
    let due =
        board.segments.iter().filter(open).map(|s| s.at + wait).filter(|due| *due > now).max();
    (board.segments.iter().map(found).collect(), due)
}

proptest::proptest! {
    #[test]
    fn rack_in_order_of_departure_finds_what_a_look_at_each_segment_finds(
        steps in proptest::collection::vec((0u8..8, 0u64..40, 1u64..6), 1..120),
    ) {
        let (mut board, mut rates, mut now) = (Scoreboard::default(), RateSampler::default(), Time::ZERO);
        let (mut sent, mut acked) = (0, 0);
        for (what, place, count) in steps {
            now += Duration::from_micros(500 * (place % 3));
            match what {
                0 | 1 => for _ in 0..count {
                    let snapshot = rates.on_sent(now, false);
                    board.push(Sent {
                        start: sent, len: SMSS, fin: false, sacked: false, lost: false,
                        retx_in_flight: false, retransmitted: false, at: now, snapshot,
                    });
                    sent += u64::from(SMSS);
                },
                2 => if let Some(n) = board.next_lost() {
                    let snapshot = rates.on_sent(now, false);
                    board.on_retransmit(n, now, snapshot, false);
                },
                3 => {
                    let left = acked + 100 * place;
                    board.sack(now, left, left + 100 * count, &mut NewlyAcked::default());
                }
                // Parts of segments are acknowledged too.
                4 => {
                    acked = (acked + 50 * count).min(sent);
                    board.acknowledge(now, acked, &mut NewlyAcked::default());
                }
                5 if place < 4 => board.all_lost(),
                5 if place < 8 => board.none_lost(),
                _ => {
                    let (latest, wait) = (board.first_from(acked + 100 * place), Duration::from_millis(count));
                    let Some(latest) = latest.map(|s| s.snapshot.order) else { continue };
                    let (lost, due) = by_each_segment(&board, latest, now, wait);
                    proptest::prop_assert_eq!(board.detect_loss(latest, now, wait), due);
                    let found: Vec<bool> = board.segments.iter().map(|s| s.lost && !s.retx_in_flight).collect();
                    proptest::prop_assert_eq!(found, lost);
                }
            }
            proptest::prop_assert_eq!(recomputed(&board).0, board.pipe());
        }
    }
}
