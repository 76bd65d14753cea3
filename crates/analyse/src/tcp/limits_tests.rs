use super::*;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// A sender of full segments with room for more.
const BUSY: View =
    View { outstanding: 5000, window: Some(60_000), mss: 1000, recovering: false, full: true };
/// Between the capture point and the sender.
const ROUND_TRIP: u64 = 20_000_000;

#[test]
fn states_are_told_apart() {
    assert_eq!(BUSY.limit(), Limit::CongestionWindow);
    assert_eq!(View { full: false, ..BUSY }.limit(), Limit::Application);
    assert_eq!(View { window: Some(5999), ..BUSY }.limit(), Limit::ReceiveWindow);
    assert_eq!(View { window: Some(6000), ..BUSY }.limit(), Limit::CongestionWindow);
    assert_eq!(View { recovering: true, ..BUSY }.limit(), Limit::Loss);
    assert_eq!(View { outstanding: 0, ..BUSY }.limit(), Limit::Pause);
}

#[test]
fn a_short_pause_behind_a_full_segment_is_the_windows_and_a_long_one_the_applications() {
    for (pause, application) in [(30, 0.0), (31, 1.0)] {
        let mut limits = Limits::default();
        limits.update(ms(1), &View { outstanding: 0, ..BUSY }, || ROUND_TRIP);
        limits.update(ms(1 + pause), &BUSY, || ROUND_TRIP);
        let shares = limits.shares(ms(1 + pause)).unwrap();
        assert_eq!(shares, [application, 0.0, 1.0 - application, 0.0], "{pause}");
    }
}

#[test]
fn shares_sum_to_one() {
    let mut limits = Limits::default();
    limits.update(ms(10), &BUSY, || ROUND_TRIP);
    limits.update(ms(30), &View { recovering: true, ..BUSY }, || ROUND_TRIP);
    limits.update(ms(40), &View { full: false, ..BUSY }, || ROUND_TRIP);
    assert_eq!(limits.shares(ms(50)), Some([0.25, 0.0, 0.5, 0.25]));
    assert_eq!(Limits::default().shares(ms(50)), None);
}
