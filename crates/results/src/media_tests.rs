use super::*;
use airpath_base::FlowId;
use airpath_net::Leg;
use airpath_wire::{Endpoint, Protocol, RtpRepr, Tuple};
use std::net::Ipv4Addr;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn made(timestamp: u32, packets: u32) -> FrameMade {
    FrameMade {
        timestamp,
        bytes: 1000 * packets,
        packets,
        key: timestamp == 0,
        processing: Duration::from_millis(5),
        deadline: Duration::from_millis(100),
    }
}

fn arrival(timestamp: u32, born: Time) -> Packet {
    let end = |n| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), 5000);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    let mut packet = Packet::new(FlowId(0), Leg::Data, 1040, tuple, born);
    packet.payload = Payload::Rtp(RtpRepr { timestamp, ..RtpRepr::default() });
    packet.charge(Stage::Sender, born + Duration::from_millis(2));
    packet
}

#[test]
fn a_frame_is_complete_with_its_last_packet() {
    let mut media = MediaCounts::new(10, 10);
    media.frame(ms(0), made(0, 2));
    media.frame(ms(20), made(1800, 1));
    media.consumed(ms(30), &arrival(0, ms(0)));
    assert_eq!((media.complete, media.lost()), (0, 0));
    media.consumed(ms(35), &arrival(1800, ms(20)));
    assert_eq!((media.complete, media.lost()), (1, 1)); // the first is overtaken
    media.consumed(ms(120), &arrival(0, ms(0)));
    assert_eq!((media.complete, media.lost(), media.late), (2, 0, 1));
    let delays: Vec<f64> = media.delays.summary().map(|d| vec![d.min, d.max]).unwrap_or_default();
    assert_eq!(delays, [20.0, 125.0]);
    assert_eq!((media.keys, media.sender.summary().map(|d| d.mean)), (1, Some(2.0)));
    let rows: Vec<(u64, bool)> = media.rows.iter().map(|r| (r.number, r.key)).collect();
    assert_eq!(rows, [(1, false), (0, true)]);
}

#[test]
fn frames_without_an_end_are_lost_in_the_table() {
    let mut media = MediaCounts::new(10, 2);
    (0..3).for_each(|n| media.frame(ms(20 * n), made(1800 * n as u32, 1)));
    media.finish();
    assert!(media.rows.iter().all(|row| row.delay.is_none()));
    assert_eq!((media.rows.len(), media.rows_omitted), (2, 1));
}

#[test]
fn memory_is_bounded() {
    let mut media = MediaCounts::new(10, 0);
    (0..10_000u64).for_each(|n| media.frame(ms(n), made(90 * n as u32, 1)));
    assert_eq!((media.open.len(), media.lost()), (MOST_OPEN, 10_000 - MOST_OPEN as u64));
    assert!(media.rows.is_empty());
}
