use super::*;
use airpath_base::FlowId;
use airpath_net::Leg;
use airpath_wire::{Endpoint, Protocol, RtpRepr, Tuple};
use std::net::Ipv4Addr;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn keep(rows: usize) -> Keep {
    Keep { exact_delays: 10, rows: [rows, 0], from: Time::ZERO, deadlines: true, ..Keep::default() }
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
    let mut media = MediaCounts::new(keep(10));
    media.frame(ms(0), made(0, 2), None);
    media.frame(ms(20), made(1800, 1), None);
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
    let mut media = MediaCounts::new(keep(2));
    (0..3).for_each(|n| media.frame(ms(20 * n), made(1800 * n as u32, 1), None));
    media.finish(ms(130)); // the deadlines of the first two are over
    assert_eq!((media.lost(), media.late), (0, 2));
    assert!(media.rows.iter().all(|row| row.delay.is_none()));
    assert_eq!((media.rows.len(), media.rows_omitted), (2, 1));
}

#[test]
fn each_frame_that_has_not_come_at_the_end_counts_once() {
    let mut media = MediaCounts::new(Keep { from: ms(20), ..keep(9) });
    (0..9).for_each(|n| media.frame(ms(20 * n), made(1800 * n as u32, 2), None));
    // The warm-up's frame, and those of 40, 80 and 140 ms lose a packet.
    [0, 2, 4, 7].into_iter().for_each(|n| media.dropped(&arrival(1800 * n, ms(20 * u64::from(n)))));
    // The frame of 60 ms comes whole and late, that of 40 ms lacks a packet.
    [ms(50), ms(200)].into_iter().for_each(|at| media.consumed(at, &arrival(5400, ms(60))));
    media.consumed(ms(60), &arrival(3600, ms(40)));
    media.finish(ms(220));
    // Lost: 20 and 40 ms behind that of 60 ms, then 80 and 140 ms. Late: 60 and 100 ms. Those of 120 ms on may still come.
    assert_eq!((media.made, media.complete, media.lost(), media.late), (8, 1, 4, 2));
}

#[test]
fn a_frame_that_lost_a_packet_and_came_whole_by_a_copy_is_not_lost() {
    let mut media = MediaCounts::new(keep(2));
    media.frame(ms(0), made(0, 1), None);
    media.dropped(&arrival(0, ms(0)));
    assert_eq!(media.lost(), 1);
    media.consumed(ms(30), &arrival(0, ms(0)));
    assert_eq!((media.complete, media.lost(), media.late), (1, 0, 0));
}

#[test]
fn memory_is_bounded() {
    let mut media = MediaCounts::new(keep(0));
    (0..10_000u64).for_each(|n| media.frame(ms(n), made(90 * n as u32, 1), None));
    assert_eq!((media.open.len(), media.lost()), (MOST_OPEN, 10_000 - MOST_OPEN as u64));
    assert!(media.rows.is_empty());
}

#[test]
fn frames_of_the_warm_up_are_in_the_table_only() {
    let mut media = MediaCounts::new(Keep { from: ms(20), ..keep(10) });
    (0..4).for_each(|n| media.frame(ms(10 * n), made(900 * n as u32, 1), None));
    let state = |discarded_packets, millis| MediaState {
        target_bps: 1_000_000 * millis,
        cwnd: 0,
        in_flight: 0,
        queue_delay: Duration::from_millis(millis),
        srtt: Duration::ZERO,
        queued_bytes: 0,
        discarded_packets,
        lost_packets: 2 * discarded_packets,
        lost_arrived_packets: discarded_packets - 2,
    };
    media.state(state(3, 50));
    media.begin();
    media.state(state(5, 8));
    // The first and the third are never seen; the second comes from the warm-up.
    media.consumed(ms(40), &arrival(900, ms(10)));
    media.consumed(ms(45), &arrival(2700, ms(30)));
    media.finish(ms(1_000));
    assert_eq!((media.made, media.keys, media.complete, media.lost()), (2, 0, 1, 1));
    assert_eq!((media.delays.count(), media.sender.count()), (1, 1));
    assert_eq!((media.discarded_packets(), media.target.mean()), (2, Some(8e6)));
    // 10 and 6 declared lost, of which 3 and 1 arrived.
    assert_eq!((media.declared_lost_packets(), media.declared_lost_arrived_packets()), (4, 2));
    assert_eq!(media.network.exact(), Some(&[8_000_000][..]));
    let rows: Vec<(u64, bool)> =
        media.rows.iter().map(|row| (row.number, row.delay.is_some())).collect();
    assert_eq!(rows, [(1, true), (3, true), (0, false), (2, false)]);
}
