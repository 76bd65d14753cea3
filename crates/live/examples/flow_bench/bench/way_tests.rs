use super::super::draw::Wires;
use super::super::model::Model;
use super::*;

const MS: u64 = 1_000_000;

/// 12 Mbit/s, on which 1500 bytes take 1 ms, 10 ms one way, the middle after 4 ms.
fn draw(queue_near: bool) -> Draw {
    let wires = Wires {
        near_ms: 4.0,
        queue_near,
        back_kbps: 12_000,
        back_packets: 2,
        loss_near: true,
        ..Wires::default()
    };
    let plain = Draw { rate_kbps: 12_000, delay_ms: 10.0, queue_packets: 2, ..Draw::of(4) };
    Draw { wires, loss: 0.0, policer: None, ..plain }
}

fn own(seq: u32, payload: u32) -> Option<Segment> {
    Some(Segment { ports: [PORT, 1], seq, payload, syn: false })
}

/// Times of the middle and of the arrival of a packet that enters now.
fn times(way: &mut Way, now: u64) -> [Option<u64>; 2] {
    let fate = way.enter(now, 1500, None);
    [fate.middle, fate.arrives]
}

#[test]
fn a_packet_takes_its_time_on_the_link_and_the_delay() {
    let far = |data| times(&mut Way::of(&draw(false), data), 0);
    assert_eq!(far(true), [Some(4 * MS), Some(11 * MS)], "the link is behind the middle");
    assert_eq!(far(false), [Some(7 * MS), Some(11 * MS)], "6 ms behind the link");
    let near = |data| times(&mut Way::of(&draw(true), data), 0);
    assert_eq!(near(true), [Some(5 * MS), Some(11 * MS)]);
    assert_eq!(near(false), [Some(6 * MS), Some(11 * MS)]);
}

#[test]
fn a_queue_holds_two_packets_and_drops_the_third() {
    let mut way = Way::of(&draw(false), true);
    assert_eq!(times(&mut way, 0)[1], Some(11 * MS));
    let second = way.enter(0, 1500, own(1, 1448));
    assert_eq!((second.arrives, second.packet.queued), (Some(12 * MS), MS));
    // It has passed the middle, and was dropped at the link.
    let third = way.enter(0, 1500, own(1449, 1448));
    assert_eq!((third.middle, third.arrives), (Some(4 * MS), None));
    assert_eq!(third.packet.dropped, Some(Drop::Queue));
    let fourth = way.enter(2 * MS, 1500, own(2897, 1448));
    assert_eq!((fourth.arrives, fourth.packet.end), (Some(13 * MS), Some(4345)));
    let again = way.enter(4 * MS, 1500, own(1449, 1448));
    let packets = [second, third, fourth, again].map(|fate| fate.packet).to_vec();
    let model = Model { packets, radio: Vec::new(), asleep: Vec::new() };
    assert_eq!(model.again(0, MS), [0, 0]);
    assert_eq!(model.again(0, 9 * MS), [1, 1], "at the receiver it fills a gap");
    let model = Model { packets: model.packets[..1].to_vec(), ..model };
    assert_eq!(model.again(0, 9 * MS), [0, 0]);
}

#[test]
fn dead_spans_policers_and_tails_lose_packets() {
    let dead = Wires { dead_ms: vec![[5, 10]], ..draw(false).wires };
    let mut way = Way::of(&Draw { wires: dead, ..draw(false) }, true);
    let at = |ms: u64| (START_MS + ms) * MS;
    let arrives = [4, 5, 9, 10].map(|ms| times(&mut way, at(ms))[1].is_some());
    assert_eq!(arrives, [true, false, false, true]);
    // 8 Mbit/s are a byte each microsecond; the bucket of 1 KiB is full again after 1.024 ms.
    let mut policer = Policer { kbps: 8_000, burst: 1024.0, tokens: 1024.0, at: 0 };
    let passes = [0, 1, 1_000, 1_001].map(|us| policer.passes(us * 1_000, 1_000));
    assert_eq!(passes, [true, false, true, false]);
    let tail = Wires { tail: Some((2_000, 1.0)), ..draw(false).wires };
    let mut way = Way::of(&Draw { wires: tail, ..draw(false) }, true);
    way.enter(0, 60, Some(Segment { syn: true, ..own(99, 0).expect("a segment") }));
    let sent = [(100, 1_448), (1_548, 552), (1_548, 552), (1_548, 552)];
    let arrives =
        sent.map(|(seq, payload)| way.enter(9 * MS, 600, own(seq, payload)).arrives.is_some());
    assert_eq!(arrives, [true, false, false, true], "the last segment and its probe are lost");
}

#[test]
fn a_share_of_packets_is_late_and_overtaken() {
    let late = Wires { late: Some((1.0, 3.0)), ..draw(false).wires };
    let mut way = Way::of(&Draw { wires: late, ..draw(false) }, true);
    assert_eq!(times(&mut way, 0)[1], Some(14 * MS));
}
