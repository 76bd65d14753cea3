use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use airpath_base::Bytes;
use airpath_net::Reason;

use super::super::harness::{CLIENT, SERVER, World};
use super::super::{ConnectionEvent, DelayedAck, DelayedAckOption, Reduction, Segment, TcpConfig};
use super::*;
use crate::control::ControllerName;

const HALF: Duration = Duration::from_millis(20);
const SEGMENT: u64 = 1000;

fn config(reduction: Reduction) -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(SEGMENT)),
        delayed_ack: DelayedAckOption::Off,
        loss_detection: LossDetection::Rack,
        reduction,
        controller: ControllerName::NewReno,
        ..TcpConfig::default()
    }
}

/// A client that sends so many segments; `delay` is called for the n-th that carries data.
fn transfer(
    segments: u64,
    reduction: Reduction,
    delay: impl Fn(u64) -> Option<Duration> + 'static,
) -> World<impl FnMut(usize, &Segment) -> Vec<Duration>> {
    transfer_with(config(reduction), segments, delay)
}

/// A client with these options that sends so many segments.
fn transfer_with(
    config: TcpConfig,
    segments: u64,
    delay: impl Fn(u64) -> Option<Duration> + 'static,
) -> World<impl FnMut(usize, &Segment) -> Vec<Duration>> {
    let mut data = 0;
    let fate = move |from: usize, s: &Segment| {
        if from != CLIENT || s.repr.payload_len == 0 {
            return vec![HALF];
        }
        data += 1;
        delay(data).into_iter().collect()
    };
    let mut world = World::new(config.clone(), config, fate);
    world.keep = true;
    world.ends[CLIENT].write(segments * SEGMENT);
    world.ends[CLIENT].close();
    world.run_until(Time::from_millis(60_000));
    assert_eq!(world.delivered[SERVER], segments * SEGMENT);
    world
}

/// Times in ms and numbers of what was retransmitted, and how often the timer ran out.
fn retransmissions(
    world: &World<impl FnMut(usize, &Segment) -> Vec<Duration>>,
) -> (Vec<(u64, u32)>, usize) {
    let sent = world.sent[CLIENT].iter().filter(|(_, s)| s.retransmission.is_some());
    let numbers =
        sent.map(|(at, s)| (at.as_nanos() / 1_000_000, (s.repr.seq.0 - 1) / SEGMENT as u32));
    let timeouts = |e: &&ConnectionEvent| matches!(e, ConnectionEvent::Timeout { .. });
    (numbers.collect(), world.events[CLIENT].iter().filter(timeouts).count())
}

fn losing(lost: &'static [u64]) -> impl Fn(u64) -> Option<Duration> {
    move |n| (!lost.contains(&n)).then_some(HALF)
}

#[test]
fn a_hole_is_repaired_within_a_round_trip() {
    // Sent at 80 ms, with ten others after it; three of those are SACKed at 120 ms.
    let world = transfer(60, Reduction::Step, losing(&[15]));
    assert_eq!(retransmissions(&world), (vec![(120, 14)], 0));
}

#[test]
fn a_lost_tail_is_probed_before_the_timeout() {
    // RFC 8985, 7.2: two smoothed RTTs after the last, then repaired as a loss.
    let world = transfer(30, Reduction::Step, losing(&[30]));
    let (sent, timeouts) = retransmissions(&world);
    assert_eq!(timeouts, 0);
    assert_eq!(sent.len(), 1);
    let last = world.sent[CLIENT].iter().find(|(_, s)| s.repr.seq.0 as u64 == 29 * SEGMENT + 1);
    let waited = sent[0].0 - last.expect("the last").0.as_nanos() / 1_000_000;
    assert!((80..=120).contains(&waited), "{waited}");
    assert!(world.ends[CLIENT].sender_state().ssthresh < u64::MAX);
}

#[test]
fn a_lost_retransmission_is_found_by_time() {
    // The fifteenth, and its copy, the 45th that carries data at the earliest.
    let lost_twice = |n| {
        let world = transfer(200, Reduction::Step, move |k| (k != 15 && k != n).then_some(HALF));
        retransmissions(&world)
    };
    let copy = (16..80).find(|n| lost_twice(*n).0.iter().filter(|(_, s)| *s == 14).count() == 2);
    assert_eq!(lost_twice(copy.expect("the copy")).1, 0, "no timeout");
}

#[test]
fn the_loss_of_a_retransmission_lowers_the_window_again_unless_told_otherwise() {
    // RFC 5681, 4.3: halved for the loss, and again for that of its copy.
    for (reduction, again_too, factor) in [
        (Reduction::Step, true, 0.5),
        (Reduction::Proportional, true, 0.5),
        (Reduction::Step, false, 1.0),
        (Reduction::Proportional, false, 1.0),
    ] {
        let config = TcpConfig { lost_retransmission_reduces: again_too, ..config(reduction) };
        let threshold = |copy| {
            let fate = move |k| (k != 100 && k != copy).then_some(HALF);
            let world = transfer_with(config.clone(), 400, fate);
            let copies = retransmissions(&world).0.iter().filter(|(_, s)| *s == 99).count();
            (copies, world.ends[CLIENT].sender_state().ssthresh as f64)
        };
        let (_, once) = threshold(0);
        let mut found = (101..260).map(threshold).filter(|(copies, _)| *copies == 2);
        let (_, twice) = found.next().expect("the copy");
        assert!((twice / once - factor).abs() < 0.05, "{reduction:?}: {twice} {once}");
    }
}

#[test]
fn a_little_reordering_costs_nothing() {
    // 5 ms late is within a quarter of 40 ms. The ninth of the first ten shows that the
    // path reorders; until then three SACKed segments mean a loss (6.2, step 4).
    let late = |n| Some(if n == 9 || n % 20 == 0 { Duration::from_millis(25) } else { HALF });
    let world = transfer(200, Reduction::Step, late);
    assert_eq!(retransmissions(&world), (vec![], 0));
}

#[test]
fn in_proportion_the_window_comes_down_with_what_arrives() {
    let spread = |reduction| {
        let world = transfer(400, reduction, losing(&[100]));
        let (sent, _) = retransmissions(&world);
        let begin = sent[0].0;
        let later = world.sent[CLIENT].iter().filter(|(at, s)| {
            let ms = at.as_nanos() / 1_000_000;
            s.repr.payload_len > 0
                && s.retransmission != Some(Reason::Timeout)
                && (begin..begin + 40).contains(&ms)
        });
        later.count()
    };
    // Half of what is in flight leaves in the round trip, at once or bit by bit.
    let (step, proportional) = (spread(Reduction::Step), spread(Reduction::Proportional));
    assert!(proportional.abs_diff(step) <= step / 2 + 2, "{step} {proportional}");
    assert!(proportional > 5);
}

#[test]
fn behind_a_queue_about_as_much_is_sent_again_as_was_lost() {
    // A link of a segment each millisecond, with room for 60; times by the timestamps.
    let (busy, lost) = (Cell::new(0), Rc::new(Cell::new(0)));
    let count = Rc::clone(&lost);
    let fate = move |from: usize, s: &Segment| {
        let now = s.repr.timestamps.map_or(0, |t| t.value);
        if from != CLIENT || s.repr.payload_len == 0 {
            return vec![HALF];
        }
        let through = busy.get().max(now) + 1;
        if through - now > 60 {
            count.set(count.get() + 1);
            return vec![];
        }
        busy.set(through);
        vec![HALF + Duration::from_millis(u64::from(through - now))]
    };
    let mut world = World::new(config(Reduction::Step), config(Reduction::Step), fate);
    world.keep = true;
    world.ends[CLIENT].write(20_000 * SEGMENT);
    world.run_until(Time::from_millis(15_000));
    let (sent, lost) = (world.retransmissions(CLIENT), lost.get());
    assert!(lost > 20 && sent < lost * 3 / 2, "{sent} retransmitted, {lost} lost");
}

/// Numbers of times that the segments of a long transfer left, behind a link of a segment each 2.4
/// ms with room for `room` of them.
fn copies_behind_a_full_queue(room: usize) -> Vec<u32> {
    const SERVICE: Duration = Duration::from_micros(2400);
    let clock: Rc<Cell<Time>> = Rc::default();
    let (time, half) = (Rc::clone(&clock), Duration::from_millis(10));
    let mut departures: VecDeque<Time> = VecDeque::new();
    let fate = move |from: usize, s: &Segment| {
        let now = time.get();
        if from != CLIENT || s.repr.payload_len == 0 {
            return vec![half];
        }
        while departures.front().is_some_and(|at| *at <= now) {
            departures.pop_front();
        }
        if departures.len() > room {
            return vec![];
        }
        let through = departures.back().map_or(now, |last| (*last).max(now)) + SERVICE;
        departures.push_back(through);
        vec![through.saturating_since(now) + half]
    };
    let config = TcpConfig {
        delayed_ack: DelayedAckOption::On(DelayedAck::default()),
        controller: ControllerName::Cubic,
        ..config(Reduction::Step)
    };
    let mut world = World::new(config.clone(), config, fate);
    (world.keep, world.clock) = (true, clock);
    world.ends[CLIENT].write(20_000 * SEGMENT);
    world.run_until(Time::from_millis(20_000));
    let mut copies = vec![0; 20_000];
    for (_, s) in world.sent[CLIENT].iter().filter(|(_, s)| s.repr.payload_len > 0) {
        copies[((s.repr.seq.0 - 1) / SEGMENT as u32) as usize] += 1;
    }
    copies
}

#[test]
fn what_is_found_lost_by_time_leaves_in_the_place_of_another_segment() {
    // Sent beside what the acknowledgement before has let out, it is one too many for the
    // queue and is dropped as well.
    for room in [20, 40, 80] {
        let copies = copies_behind_a_full_queue(room);
        assert!(copies.iter().filter(|n| **n == 2).count() > 5, "{room}");
        assert_eq!(copies.iter().filter(|n| **n > 2).count(), 0, "{room}");
    }
}

#[test]
fn if_no_acknowledgement_follows_it_leaves_by_itself() {
    // A burst of ten, of which 3 and 5 to 10 are lost: the fourth tells of the third, and
    // nothing comes after it.
    let world = transfer(10, Reduction::Step, losing(&[3, 5, 6, 7, 8, 9, 10]));
    let (sent, timeouts) = retransmissions(&world);
    assert_eq!(sent[0].1, 2);
    // Found 10 ms (a quarter of 40) after the acknowledgement of the fourth at 80 ms. Six are in
    // flight, so it waits for a third of the RTT.
    assert_eq!(sent[0].0, 103, "{sent:?} {timeouts}");
}
