use super::*;

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Media of 8 kbit/s: a second is 1000 bytes.
fn player(throttle: Throttle, length: Option<Duration>) -> Player {
    let mut player = Player::new(PlayerConfig {
        bit_rate: BitRate::from_kbps(8),
        length,
        chunk: Sizes::Fixed(10_000),
        start: secs(2),
        resume: secs(3),
        low: secs(5),
        high: secs(10),
        burst: secs(20),
        throttle,
        hold: false,
    });
    player.begin(Time::ZERO);
    player.wake(Time::ZERO);
    player
}

#[test]
fn it_starts_stalls_and_resumes_at_its_marks() {
    let mut player = player(Throttle::Requests, None);
    player.received(at(100), 1_999);
    assert_eq!(player.state, PlaybackState::Starting);
    player.received(at(200), 1);
    assert_eq!((player.state, player.next_wake()), (PlaybackState::Playing, Some(at(2_200))));
    player.wake(at(2_200));
    assert_eq!((player.state, player.next_wake()), (PlaybackState::Stalled, None));
    player.received(at(5_000), 2_999);
    assert_eq!(player.state, PlaybackState::Stalled);
    player.received(at(5_100), 1);
    assert_eq!((player.state, player.next_wake()), (PlaybackState::Playing, Some(at(8_100))));
}

#[test]
fn it_fetches_to_the_burst_first_then_between_its_marks() {
    let mut player = player(Throttle::Requests, None);
    player.received(at(1_000), 19_999);
    assert!(player.wants());
    player.received(at(1_000), 1);
    // 20 s in the buffer come down to 5 s by 16 s.
    assert_eq!((player.wants(), player.next_wake()), (false, Some(at(16_000))));
    player.wake(at(16_000));
    assert!(player.wants());
    player.received(at(16_000), 5_000);
    assert_eq!((player.wants(), player.next_wake()), (false, Some(at(21_000))));
}

#[test]
fn a_reader_takes_what_fills_its_buffer() {
    let mut player = player(Throttle::Reads, None);
    assert!(player.wants(), "it asks whatever its buffer holds");
    assert_eq!(player.appetite(Time::ZERO), 20_001);
    player.received(Time::ZERO, 20_001);
    assert_eq!(
        (player.appetite(at(1)), player.next_wake()),
        (0, Some(Time::from_nanos(15_001_000_000)))
    );
}

#[test]
fn the_last_request_is_for_what_is_left_and_the_end_is_played() {
    let mut player = player(Throttle::Requests, Some(secs(12)));
    assert_eq!((player.ask(), player.ask(), player.wants()), (10_000, 2_000, false));
    player.received(at(0), 12_000);
    assert_eq!((player.is_finished(), player.next_wake()), (true, Some(at(12_000))));
    player.wake(at(12_000));
    assert_eq!((player.state, player.next_wake()), (PlaybackState::Ended, None));
}

#[test]
fn media_shorter_than_the_start_mark_are_played_all_the_same() {
    let mut player = player(Throttle::Requests, Some(secs(1)));
    player.received(at(0), 1_000);
    assert_eq!((player.state, player.next_wake()), (PlaybackState::Playing, Some(at(1_000))));
}
