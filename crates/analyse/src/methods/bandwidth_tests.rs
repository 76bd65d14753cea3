use super::*;

/// Data sent at `sending` Mbit/s, received at `receiving` Mbit/s; an ACK for two packets
/// each, whose way back jitters. TSvals are in ms.
fn run(sending: f64, receiving: f64, acks: u32) -> Bandwidth {
    let mut bandwidth = Bandwidth::new(DEFAULT_MOST_BANDWIDTH);
    for n in 1..=acks {
        bandwidth.ack(point(n, sending, receiving));
    }
    bandwidth
}

fn point(n: u32, sending: f64, receiving: f64) -> Point {
    let bits = f64::from(n) * 2.0 * 1448.0 * 8.0;
    let received = bits / (receiving * 1e6);
    let jitter = f64::from(n * 7 % 5) * 0.004;
    Point {
        ack: n * 2 * 1448,
        sent: Time::from_nanos((bits / (sending * 1e6) * 1e9) as u64),
        at: Time::from_nanos(((received + 0.05 + jitter) * 1e9) as u64),
        timestamp: Some((received * 1e3) as u32),
        packets: 2,
    }
}

#[test]
fn a_sender_faster_than_c_shows_the_bandwidth() {
    let estimate = run(50.0, 10.0, 400).estimate(Some(0.001)).unwrap();
    assert!((estimate / 10e6 - 1.0).abs() < 0.01, "{estimate}");
}

#[test]
fn a_slower_sender_shows_nothing() {
    assert_eq!(run(20.0, 10.0, 400).estimate(Some(0.001)), None);
}

#[test]
fn without_the_clock_arrival_times_must_do() {
    let estimate = run(50.0, 10.0, 400).estimate(None).unwrap();
    assert!((estimate / 10e6 - 1.0).abs() < 0.05, "{estimate}");
}

#[test]
fn a_delayed_ack_ends_no_window() {
    let mut bandwidth = Bandwidth::new(DEFAULT_MOST_BANDWIDTH);
    bandwidth.ack(point(1, 50.0, 10.0));
    for n in 2..100 {
        bandwidth.ack(Point { packets: 1, ..point(n, 50.0, 10.0) });
    }
    assert_eq!(bandwidth.estimate(Some(0.001)), None);
}

#[test]
fn no_window_spans_a_disturbance() {
    // Each window is 100 ms. After the disturbance the sender's position has jumped by a pause. A
    // window across the jump would have been too slow, or too fast at the receiver.
    let mut bandwidth = Bandwidth::new(DEFAULT_MOST_BANDWIDTH);
    for n in 1..=100 {
        if n == 51 {
            bandwidth.disturbed();
        }
        let mut point = point(n, 50.0, 10.0);
        if n > 50 {
            point.timestamp = point.timestamp.map(|ticks| ticks + 10_000);
            point.at += Duration::from_secs(10);
        }
        bandwidth.ack(point);
    }
    let estimate = bandwidth.estimate(Some(0.001)).unwrap();
    assert!((estimate / 10e6 - 1.0).abs() < 0.03, "{estimate}");
}

#[test]
fn a_coarse_clock_has_no_bias_over_many_windows() {
    // Bursts of 10 packets at 100 Mbit/s each 100 ms, received at 8 Mbit/s: 11.6 ms each,
    // which is one tick of 10 ms or two.
    let mut bandwidth = Bandwidth::new(DEFAULT_MOST_BANDWIDTH);
    for burst in 0..400u32 {
        for n in 0..=5u32 {
            let bytes = burst * 14_480 + n * 2896;
            let (sent, received) = (f64::from(n) * 0.00023, f64::from(n) * 0.002896);
            let start = f64::from(burst) * 0.1003;
            bandwidth.ack(Point {
                ack: bytes,
                sent: Time::from_nanos(((start + sent) * 1e9) as u64),
                at: Time::from_nanos(((start + received + 0.02) * 1e9) as u64),
                timestamp: Some(((start + received) * 100.0) as u32),
                packets: 2,
            });
        }
        bandwidth.disturbed();
    }
    let estimate = bandwidth.estimate(Some(0.01)).unwrap();
    assert!((estimate / 8e6 - 1.0).abs() < 0.05, "{estimate}");
}
