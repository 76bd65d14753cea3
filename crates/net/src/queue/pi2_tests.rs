use super::*;
use crate::queue::samples::{millis, ms};

#[test]
fn gains_follow_from_the_longest_round_trip() {
    // RFC 9332, figure 2: target 15 ms and 100 ms give 0.15 Hz and 3 Hz; updates each
    // 16 ms 0.16 Hz.
    let figure = Pi2Config::for_rtt(millis(15), millis(15), millis(100));
    assert!((figure.alpha - 0.15).abs() < 1e-12 && (figure.beta - 3.0).abs() < 1e-12);
    let recommended = Pi2Config::for_rtt(millis(15), millis(16), millis(100));
    assert!((recommended.alpha - 0.16).abs() < 1e-12);
    assert_eq!((Pi2Config::default().alpha, Pi2Config::default().beta), (0.16, 3.2));
}

#[test]
fn the_response_to_a_step() {
    // A packet waits from 0 on: 16 ms at the first update, 32 ms at the second.
    let mut pi2 = Pi2::new(Pi2Config::default());
    pi2.catch_up(ms(16), Some(ms(0)));
    // 0.16 * 1 ms + 3.2 * 16 ms.
    assert!((pi2.base() - 0.05136).abs() < 1e-12);
    pi2.catch_up(ms(47), Some(ms(0)));
    // + 0.16 * 17 ms + 3.2 * 16 ms.
    assert!((pi2.base() - 0.10528).abs() < 1e-12);
    // Gone: 0.16 * -15 ms + 3.2 * -32 ms, not below zero.
    pi2.catch_up(ms(48), None);
    assert!((pi2.base() - 0.00048).abs() < 1e-12);
    pi2.catch_up(ms(64), None);
    assert_eq!(pi2.base(), 0.0);
}

#[test]
fn catching_up_is_the_same_as_stepping_along() {
    let (mut lazy, mut eager) = (Pi2::new(Pi2Config::default()), Pi2::new(Pi2Config::default()));
    for (from, to, oldest) in
        [(0, 9_000, Some(ms(5))), (9_000, 30_000, None), (30_000, 30_100, Some(ms(30_001)))]
    {
        (from..=to).for_each(|at| eager.catch_up(ms(at), oldest));
        lazy.catch_up(ms(to), oldest);
        assert_eq!((lazy.base, lazy.last), (eager.base, eager.last));
    }
}
