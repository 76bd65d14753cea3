use super::*;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

#[test]
fn edges_tell_the_round_trips_to_both_ends() {
    // Ten round trips of 30 ms to the server and 50 ms to the client, ten packets in each.
    let mut spin = Spin::default();
    for round in 0..10u64 {
        let bit = if round % 2 == 0 { 0x40 } else { 0x60 };
        for n in 0..10 {
            spin.datagram(0, ms(80 * round + n), &[bit]);
        }
        for n in 0..10 {
            spin.datagram(1, ms(80 * round + 30 + n), &[bit]);
        }
    }
    let (up, down) = (spin.spread(0).unwrap(), spin.spread(1).unwrap());
    assert_eq!((up.min, up.max, down.min, down.max), (30.0, 30.0, 50.0, 50.0));
    let windows = spin.over_time(0, ms(0));
    assert_eq!((windows.len(), windows[0].samples, windows[0].mean_ms), (1, 9, 30.0));
}

#[test]
fn noise_is_no_spin() {
    let mut spin = Spin::default();
    for n in 0..100u64 {
        spin.datagram((n % 2) as usize, ms(n), &[if n / 2 % 2 == 0 { 0x40 } else { 0x60 }]);
    }
    assert_eq!((spin.spread(0), spin.spread(1)), (None, None));
}
