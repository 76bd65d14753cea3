use airpath_base::{BitRate, Bytes};
use airpath_schema::units::Rate;

use super::*;

fn receiver(config: TcpConfig) -> Receiver {
    let mut receiver = Receiver::new(&config);
    receiver.on_syn(1000);
    receiver.window(0);
    receiver
}

fn at(ms: u64) -> Time {
    Time::from_millis(ms)
}

/// Segment `n` of 1000 bytes arrives at `ms`; whether it is acknowledged at once.
fn data(receiver: &mut Receiver, ms: u64, n: u64) -> bool {
    receiver.on_segment(at(ms), 1 + n * 1000, 1000, false);
    let now = receiver.must_acknowledge();
    if now {
        receiver.acknowledged();
    }
    now
}

#[test]
fn every_second_segment_is_acknowledged_at_once() {
    let mut r = receiver(TcpConfig::default());
    let at_once: Vec<bool> = (0..4).map(|n| data(&mut r, n, n)).collect();
    assert_eq!(at_once, [false, true, false, true]);
    assert_eq!(r.take_delivered(), 4000);
}

#[test]
fn a_single_segment_is_acknowledged_after_the_timeout() {
    let mut r = receiver(TcpConfig::default());
    assert!(!data(&mut r, 5, 0));
    assert_eq!(r.next_timeout(), Some(at(45)));
    r.on_timeout(at(45));
    assert!(r.must_acknowledge());
}

#[test]
fn out_of_order_and_gap_filling_segments_are_acknowledged_at_once() {
    let mut r = receiver(TcpConfig::default());
    assert!(data(&mut r, 0, 1));
    assert!(data(&mut r, 0, 3));
    assert!(data(&mut r, 0, 0), "fills the gap");
    assert_eq!((r.next(), r.take_delivered()), (2001, 2000));
    assert!(data(&mut r, 0, 0), "nothing new");
}

#[test]
fn the_latest_block_is_reported_first() {
    let mut r = receiver(TcpConfig::default());
    for n in [2, 6, 4, 7, 10, 12] {
        data(&mut r, 0, n);
    }
    let blocks: Vec<_> = r.blocks().collect();
    let expected = [(12, 13), (10, 11), (6, 8), (4, 5)].map(|(l, r)| (1 + l * 1000, 1 + r * 1000));
    assert_eq!(blocks, expected);
    data(&mut r, 0, 5); // joins 4 and 6..8
    assert_eq!(r.blocks().next(), Some((4001, 8001)));
    assert_eq!(r.blocks().count(), 3);
}

#[test]
fn a_slow_reader_closes_the_window_and_opens_it_by_segments() {
    let read_rate = Rate::Limited(BitRate::from_kbps(80)); // a segment each 100 ms
    let config = TcpConfig { receive_buffer: Bytes(4000), read_rate, ..TcpConfig::default() };
    let mut r = receiver(config);
    (0..4).for_each(|n| _ = data(&mut r, 0, n));
    assert_eq!((r.window(0), r.next_timeout()), (0, Some(at(100))));
    r.on_timeout(at(99));
    assert_eq!((r.window(0), r.must_acknowledge()), (0, false));
    r.on_timeout(at(100));
    assert!(r.must_acknowledge(), "a window update");
    assert_eq!((r.window(0), r.take_delivered()), (1000, 1000));
}

#[test]
fn data_beyond_the_buffer_are_not_taken() {
    let mut r = receiver(TcpConfig { receive_buffer: Bytes(1500), ..TcpConfig::default() });
    r.on_segment(at(0), 1001, 1000, false);
    assert_eq!(r.blocks().next(), Some((1001, 1501)));
}

#[test]
fn a_fin_ends_the_data_even_if_it_overtakes_them() {
    let mut r = receiver(TcpConfig::default());
    r.on_segment(at(0), 1001, 0, true);
    assert!(!r.is_finished());
    data(&mut r, 1, 0);
    assert!(r.is_finished() && r.is_read());
    assert_eq!((r.next(), r.take_delivered()), (1002, 1000));
}

#[test]
fn positions_before_the_start_are_refused() {
    assert_eq!(position(SeqNumber(100), SeqNumber(99), 0), None);
    assert_eq!(position(SeqNumber(u32::MAX), SeqNumber(4), 0), Some(5));
}
