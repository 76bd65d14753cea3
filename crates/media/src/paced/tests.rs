//! Rules behind a link of a fixed rate, and reports.

use airpath_wire::{Arrival as Named, ArrivalOffset, Ecn, StreamReport};

use super::*;
use crate::gcc::{self, Gcc, Variant};
use crate::nada::{self, Nada};
use crate::ticks::ntp;

/// Result of the last ten seconds: mean rate in bit/s, mean and largest queue delay in seconds.
#[derive(Debug)]
struct Seen {
    rate: f64,
    mean: f64,
    largest: f64,
}

/// A rule whose packets of 1200 bytes go at its target over a link. Reports come each so many
/// milliseconds, and 40 ms after the packets without a queue.
fn behind(mut rule: Box<dyn Rule>, link: f64, seconds: u64, report_ms: u64) -> Seen {
    let (mut free, mut next, mut number) = (Time::ZERO, Time::ZERO, 0);
    let mut under_way: Vec<Reported> = Vec::new();
    let (mut rates, mut delays) = (Vec::new(), Vec::new());
    let bits = 8.0 * 1200.0;
    for ms in 0..1000 * seconds {
        let now = Time::from_millis(ms);
        let late = ms >= 1000 * (seconds - 10);
        while next <= now {
            free = free.max(next) + Duration::from_secs_f64(bits / link);
            let at = free + Duration::from_millis(20);
            let arrival = Some(Arrival { at, waited: Duration::ZERO, ce: false });
            under_way.push(Reported { number, sent: next, bytes: 1200, arrival, cluster: None });
            if late {
                delays.push(free.since(next).as_secs_f64() - bits / link);
            }
            (next, number) = (next + Duration::from_secs_f64(bits / rule.target()), number + 1);
        }
        if ms % report_ms == 0 && ms > 20 {
            let made = Time::from_millis(ms - 20);
            let has_come = |packet: &Reported| packet.arrival.is_some_and(|one| one.at <= made);
            let packets: Vec<Reported> = under_way.extract_if(.., |one| has_come(one)).collect();
            if let Some(last) = packets.last() {
                let rtt = made.since(last.sent) + Duration::from_millis(20);
                rule.on_feedback(now, Feedback { packets: &packets, made, rtt });
            }
        }
        if late {
            rates.push(rule.target());
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let largest = delays.iter().fold(0.0, |most: f64, delay| most.max(*delay));
    Seen { rate: mean(&rates), mean: mean(&delays), largest }
}

const RATES: Rates = Rates { min: 0.3e6, start: 0.3e6, max: 10e6 };

#[test]
fn nada_rests_where_its_equations_do() {
    // RFC 8698, equations 5 to 7: x_offset = 0, so the queue delay is XREF * RMAX / r.
    for (link, expected) in [(5e6, 0.020), (2.5e6, 0.040)] {
        let rule = Box::new(Nada::new(nada::Options::default(), RATES, 30.0));
        let seen = behind(rule, link, 120, 100);
        assert!((seen.rate - link).abs() < 0.02 * link, "{seen:?}");
        assert!((seen.mean - expected).abs() < 0.1 * expected, "{seen:?}");
    }
}

#[test]
fn gcc_fills_a_link_without_a_standing_queue() {
    for variant in [Variant::Draft, Variant::Libwebrtc] {
        let options = gcc::Options { variant, ..gcc::Options::default() };
        for link in [1e6, 3e6, 8e6] {
            let seen = behind(Box::new(Gcc::new(options, RATES)), link, 120, 50);
            assert!((0.8 * link..1.03 * link).contains(&seen.rate), "{variant:?} {link} {seen:?}");
            assert!(seen.mean < 0.06 && seen.largest < 0.4, "{variant:?} {link} {seen:?}");
        }
    }
}

#[test]
fn a_rule_leaves_a_link_that_becomes_slower() {
    for variant in [Variant::Draft, Variant::Libwebrtc] {
        let options = gcc::Options { variant, ..gcc::Options::default() };
        let high = Rates { start: 6e6, ..RATES };
        let seen = behind(Box::new(Gcc::new(options, high)), 1e6, 60, 50);
        assert!(seen.rate < 1.03e6, "{variant:?} {seen:?}");
    }
    let high = Rates { start: 6e6, ..RATES };
    let seen = behind(Box::new(Nada::new(nada::Options::default(), high, 30.0)), 1e6, 120, 100);
    assert!(seen.rate < 1.05e6 && seen.mean < 0.2, "{seen:?}");
}

/// A report on numbers from `begin` on; a number without an arrival is false.
fn report(now: Time, begin: u16, arrived: &[bool]) -> RtcpRepr {
    let named = Named { ecn: Ecn::NotEct, offset: ArrivalOffset::from_units(4) };
    let packets = arrived.iter().map(|arrived| arrived.then_some(named)).collect();
    let streams = vec![StreamReport { ssrc: 1, begin_seq: begin, packets }];
    RtcpRepr { ssrc: 2, streams, timestamp: ntp(now) }
}

#[test]
fn each_packet_is_handed_over_once_and_once_more_if_it_was_lost_too_early() {
    let mut history = History::default();
    for n in 0..6u16 {
        history.sent(Time::from_millis(u64::from(n)), 65_533u16.wrapping_add(n), 100, None);
    }
    let now = Time::from_millis(50);
    let fates = |packets: Vec<Reported>| {
        packets.iter().map(|packet| packet.arrival.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(history.in_flight(), 600);
    let first = report(now, 65_533, &[true, false, true, false]);
    assert_eq!(fates(history.report(now, 1, &first)), [true, false, true]);
    assert_eq!((history.in_flight(), history.lost()), (300, 1));
    assert_eq!(fates(history.report(now, 1, &first)), [] as [bool; 0]);
    assert_eq!(fates(history.report(now, 3, &first)), [] as [bool; 0], "another stream");
    let second = report(now, 65_533, &[true, true, true, false, true]);
    let seen = history.report(now, 1, &second);
    assert_eq!(fates(seen.clone()), [true, false, true]);
    assert_eq!((history.in_flight(), history.lost(), history.lost_arrived()), (100, 2, 1));
    // 4/1024 s before the report.
    let arrival = seen[0].arrival.expect("an arrival");
    assert_eq!(arrival.waited, Duration::from_nanos(3_906_250));
    assert!(now.since(arrival.at + arrival.waited) < Duration::from_micros(16));
}
