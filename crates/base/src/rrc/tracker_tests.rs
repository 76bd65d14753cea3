use proptest::prelude::*;

use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn follow(seen: Seen, packets: &[(u64, bool)], end: u64) -> (Vec<(State, u64, u64)>, Usage) {
    let mut tracker = Tracker::new(Config::MOBISYS_2012, ms(260), seen, Time::ZERO);
    let mut spans = Vec::new();
    let mut note = |span: Span| {
        let millis = |at: Time| at.as_nanos() / 1_000_000;
        spans.push((span.state, millis(span.start), millis(span.end)));
    };
    for &(millis, up) in packets {
        match up {
            true => tracker.up(at(millis), Bytes(100), &mut note),
            false => tracker.down(at(millis), Bytes(1_000), &mut note),
        }
    }
    tracker.finish(at(end), &mut note);
    (spans, *tracker.usage())
}

#[test]
fn a_request_and_its_answer_seen_at_the_ue() {
    let (spans, usage) = follow(Seen::AtUe, &[(1_000, true), (1_300, false)], 20_000);
    let expected = [
        (State::Idle, 0, 1_000),
        (State::Promotion, 1_000, 1_260),
        (State::Active, 1_260, 1_400),
        (State::ShortDrx, 1_400, 1_420),
        (State::LongDrx, 1_420, 12_876),
        (State::Idle, 12_876, 20_000),
    ];
    assert_eq!(spans, expected);
    assert_eq!((usage.up, usage.down, usage.promotions), (Bytes(100), Bytes(1_000), 1));
    // Short: [1400, 1401). Long: 1440, 1480, ..., 12 840: 286 of 1 ms.
    assert_eq!(usage.listening, ms(1 + 286));
    assert_eq!(usage.total(), ms(20_000));
}

#[test]
fn the_same_seen_in_the_network() {
    let (spans, _) = follow(Seen::InNetwork, &[(1_260, true), (1_290, false)], 1_300);
    let expected =
        [(State::Idle, 0, 1_000), (State::Promotion, 1_000, 1_260), (State::Active, 1_260, 1_300)];
    assert_eq!(spans, expected);
    // Sooner after the beginning than a promotion lasts: cut off there.
    let (spans, _) = follow(Seen::InNetwork, &[(100, true)], 200);
    assert_eq!(spans, [(State::Promotion, 0, 100), (State::Active, 100, 200)]);
}

#[test]
fn a_packet_in_drx_wakes_it() {
    let packets = [(0, true), (1_000, false)];
    let (spans, _) = follow(Seen::AtUe, &packets, 1_050);
    let last: Vec<_> = spans.iter().rev().take(2).collect();
    assert_eq!(last, [&(State::Active, 1_000, 1_050), &(State::LongDrx, 380, 1_000)]);
}

#[test]
fn the_end_of_time_is_no_end_of_the_world() {
    let (mut tracker, ignore) =
        (Tracker::new(Config::MOBISYS_2012, ms(260), Seen::AtUe, Time::ZERO), &mut |_| {});
    for at in [0, u64::MAX - 1, 5, u64::MAX] {
        tracker.up(Time::from_nanos(at), Bytes(1), ignore);
        tracker.down(Time::from_nanos(at), Bytes(1), ignore);
    }
    tracker.finish(Time::MAX, ignore);
    assert_eq!(tracker.usage().total(), Duration::MAX);
}

proptest! {
    /// Every instant is in one state, whatever the order of packets.
    #[test]
    fn spans_follow_each_other(
        network in any::<bool>(),
        packets in prop::collection::vec((0u64..60_000, any::<bool>()), 0..60),
    ) {
        let seen = if network { Seen::InNetwork } else { Seen::AtUe };
        let (spans, usage) = follow(seen, &packets, 80_000);
        prop_assert_eq!(spans.first().map(|span| span.1), Some(0));
        prop_assert_eq!(spans.last().map(|span| span.2), Some(80_000));
        prop_assert!(spans.windows(2).all(|pair| pair[0].2 == pair[1].1), "{spans:?}");
        prop_assert_eq!(usage.total(), ms(80_000));
        let promotions = spans.iter().filter(|span| span.0 == State::Promotion).count();
        prop_assert!(usage.promotions >= promotions as u64);
    }
}
