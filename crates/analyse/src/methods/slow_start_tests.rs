use super::*;

const MS: u64 = 1_000_000;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn ack(lost: u32, run: u32, sack: bool, rtt: Option<u64>) -> Duplicate {
    Duplicate { lost, run, sack, rtt }
}

/// Samples of 50 ms, then a run of duplicate ACKs of 1000 that ends at 140 ms, the packets
/// behind them taking from 60 ms on.
fn duplicates(sack: bool) -> SlowStarts {
    let mut slow = SlowStarts::default();
    (0..50).for_each(|_| slow.rtt(50 * MS));
    for n in 1..=40u64 {
        slow.duplicate(ms(100 + n), &ack(1000, n as u32, sack, Some((60 + 10 * n) * MS)));
    }
    slow
}

#[test]
fn a_throughput_that_doubles_is_a_slow_start() {
    let mut slow = duplicates(true);
    slow.data(ms(150), 5000, 1000, false);
    slow.data(ms(250), 6000, 1000, false);
    slow.data(ms(300), 7000, 1000, false);
    slow.recovered();
    let episode = slow.data(ms(341), 8000, 1000, false).expect("an end");
    assert_eq!((episode.r_ss, episode.duplicates, episode.sack), (Some(2.0), 40, true));
    assert_eq!((slow.episodes, slow.by_ratio, slow.undefined), (1, 1, 0));
    assert_eq!(slow.undesired, 0); // the timer was not seen
}

#[test]
fn a_steady_throughput_is_none() {
    let mut slow = duplicates(true);
    (0..20).for_each(|n| assert_eq!(slow.data(ms(141 + 10 * n), 5000, 1000, false), None));
    slow.recovered();
    slow.data(ms(345), 5000, 1000, false);
    assert_eq!((slow.episodes, slow.by_ratio), (1, 0));
}

#[test]
fn without_data_in_the_first_window_a_second_retransmission_tells() {
    for (times, undesired) in [(1, 0), (2, 1)] {
        let mut slow = duplicates(false);
        // At the end of the first window and within the second one.
        for n in 0..times {
            slow.data(ms(245 + 20 * n), 1000, 500, true);
        }
        slow.recovered();
        slow.data(ms(400), 9000, 500, false);
        assert_eq!((slow.undefined, slow.by_ratio), (1, undesired));
    }
}

#[test]
fn a_timeout_that_knew_of_the_queue_would_have_waited() {
    let mut slow = duplicates(true);
    slow.data(ms(145), 1000, 1000, true);
    slow.advanced(ms(145 + 450), 3000, None, 5 * MS);
    slow.recovered();
    slow.data(ms(590), 5000, 5000, false);
    let episode = slow.open.map(|open| open.episode);
    assert_eq!(episode, None); // over at 340 ms, and recovered
    let mut slow = duplicates(true);
    slow.data(ms(145), 1000, 1000, true);
    slow.data(ms(280), 5000, 5000, false);
    slow.timer(ms(281), ms(145), None);
    slow.advanced(ms(300), 3000, None, 5 * MS);
    slow.recovered();
    let episode = slow.data(ms(341), 6000, 1000, false).expect("an end");
    // Steady samples of 50 ms leave a timeout of 250 ms; with those of the duplicate
    // ACKs, up to 460 ms, it is far longer.
    assert!((episode.timeout.unwrap() / 250e6 - 1.0).abs() < 0.01);
    assert!(episode.timeout_with_duplicates.unwrap() > 460e6);
    assert_eq!(episode.recovery, Some(160 * MS));
    assert!(episode.is_by_ratio() && episode.is_preventable());
    assert_eq!((slow.undesired, slow.preventable), (1, 1));
}

#[test]
fn two_duplicate_acks_are_no_episode() {
    let mut slow = SlowStarts::default();
    slow.duplicate(ms(1), &ack(1000, 1, true, None));
    slow.duplicate(ms(2), &ack(1000, 2, true, None));
    slow.data(ms(500), 1000, 9, false);
    assert_eq!(slow.episodes, 0);
}

#[test]
fn the_timer_counts_however_late_it_strikes_in_the_recovery() {
    let mut slow = duplicates(true);
    slow.data(ms(145), 1000, 1000, true);
    assert_eq!(slow.data(ms(900), 1000, 1000, true), None); // not recovered yet
    slow.timer(ms(900), ms(145), None);
    assert_eq!((slow.undesired, slow.ended().undesired), (0, 1));
    assert_eq!(slow.ended().times, [ms(900)]);
    // Another loss ends the episode, too.
    (1..=3).for_each(|run| slow.duplicate(ms(990 + u64::from(run)), &ack(7000, run, true, None)));
    assert_eq!((slow.episodes, slow.undesired, slow.by_ratio), (1, 1, 0));
}

#[test]
fn an_echo_of_what_the_timer_sent_says_that_the_copy_before_was_lost() {
    for (echo, undesired) in [(145, 1), (900, 0), (905, 0)] {
        let mut slow = duplicates(true);
        slow.copied(ms(145));
        slow.timer(ms(900), ms(145), Some(900));
        slow.copied(ms(900));
        // A retransmission of another segment has arrived, which proves nothing here.
        slow.reported(ms(905), ms(200));
        slow.advanced(ms(990), 3000, Some(echo), 0);
        assert_eq!(slow.ended().undesired, undesired, "{echo}");
    }
}

#[test]
fn without_timestamps_what_has_overtaken_the_copy_says_that_it_was_lost() {
    // Before the timer strikes and after.
    for (reports, undesired) in [([800, 950], 0), ([950, 960], 0), ([991, 992], 1)] {
        for passed in [146, 144] {
            let mut slow = duplicates(true);
            slow.copied(ms(145));
            let report = |slow: &mut SlowStarts, within: core::ops::Range<u64>| {
                let own = reports.iter().filter(|at| within.contains(at));
                own.for_each(|at| slow.reported(ms(*at), ms(passed)));
            };
            report(&mut slow, 0..900);
            slow.timer(ms(900), ms(145), None);
            slow.copied(ms(900));
            report(&mut slow, 900..990);
            slow.advanced(ms(990), 3000, None, 0);
            report(&mut slow, 990..2000);
            let expected = if passed == 144 { 1 } else { undesired };
            assert_eq!(slow.ended().undesired, expected, "{reports:?}, {passed}");
        }
    }
}

#[test]
fn the_times_of_so_many_are_kept() {
    let mut slow = SlowStarts::default();
    for n in 0..100u64 {
        (1..=3).for_each(|run| slow.duplicate(ms(1000 * n), &ack(n as u32, run, false, None)));
        slow.timer(ms(1000 * n + 300), ms(1000 * n), None);
    }
    let ended = slow.ended();
    assert_eq!((ended.undesired, ended.times.len()), (100, MOST_TIMES));
    assert_eq!(ended.times[63], ms(63_300));
}
