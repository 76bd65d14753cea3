//! Figures of spans of records that are written by hand.

use airpath_base::{BitRate, FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, PathModel, PathPhase, Probe, TcpEvent};

use super::*;

/// A flow that gets a packet of 1250 B each 10 ms in the first 4 s, 1 Mbit/s, and each 20 ms in the next 4 s.
fn arrivals(trace: &mut SpanTrace, flow: u32) {
    let first = (0..400).map(|n| n * 10);
    let then = (0..200).map(|n| 4_000 + n * 20);
    for ms in first.chain(then) {
        let queued = if ms < 4_000 { 5_000_000 } else { 30_000_000 };
        trace.push(FlowId(flow), ms * 1_000_000, (1_250, queued, queued + 10_000_000), ms >= 7_000);
    }
}

fn figure(trace: &SpanTrace, name: &str, text: &str) -> Option<f64> {
    let measure = SpanMeasure::named(name).expect("a measure");
    let span = Span::parse(measure, text).expect("a span");
    read(trace, measure, &span, &|flow| match flow {
        "one" => vec![0],
        "two" => vec![1],
        _ => Vec::new(),
    })
}

#[test]
fn rates_and_delays_are_those_of_the_span() {
    let mut trace = SpanTrace::default();
    arrivals(&mut trace, 0);
    let of = |name: &str, text: &str| figure(&trace, name, text).expect("a figure");
    let close =
        |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    close(of("rate", "one[0..4]"), 1.0);
    close(of("rate", "one[4..8]"), 0.5);
    close(of("rate", "one[2..6]"), 0.75);
    close(of("queue-mean", "one[0..4]"), 5.0);
    // Of 600 packets, 400 have waited 5 ms: the 95th percentile is one of the others.
    close(of("queue-p50", "one[0..8]"), 5.0);
    close(of("queue-p95", "one[0..8]"), 30.0);
    close(of("span-delay-mean", "one[4..8]"), 40.0);
    close(of("marks", "one[4..8]"), 25.0);
    close(of("gap", "one[4..8]"), 20.0);
    close(of("variation", "one[0..4]"), 0.0);
    // Rates of 1 and 0.5 Mbit/s, four seconds each: a deviation of 0.25 from 0.75.
    close(of("variation", "one[0..8]"), 100.0 / 3.0);
    assert_eq!(figure(&trace, "queue-mean", "none[0..4]"), None);
    assert_eq!(figure(&trace, "queue-mean", "one[9..10]"), None);
}

#[test]
fn levels_are_reached_after_a_time() {
    let mut trace = SpanTrace::default();
    arrivals(&mut trace, 0);
    let of = |name: &str, text: &str| figure(&trace, name, text).expect("a figure");
    // The mean of a second falls by 0.05 Mbit/s each 100 ms after 4 s.
    assert!((of("fall", "one[3..8, 0.755]") - 1.5).abs() < 1e-9);
    assert_eq!(of("rise", "one[0..4, 1]"), 1.0);
    assert_eq!(of("rise", "one[4..8, 0.9]"), 4.0);
    assert!((of("drain", "one[3..8, 10]") - 4.98).abs() < 1e-9);
    assert_eq!(of("drain", "one[0..4, 10]"), 0.0);
}

#[test]
fn flows_are_compared() {
    let mut trace = SpanTrace::default();
    arrivals(&mut trace, 0);
    trace.push(FlowId(1), 1_000_000_000, (125_000, 0, 0), false);
    let of = |name: &str| figure(&trace, name, "one+two[0..4]").expect("a figure");
    // 1 and 0.25 Mbit/s.
    assert!((of("sum") - 1.25).abs() < 1e-9);
    assert!((of("share") - 80.0).abs() < 1e-9);
    assert!((of("jain") - 1.25 * 1.25 / (2.0 * 1.0625)).abs() < 1e-9);
}

#[test]
fn events_of_senders_count() {
    let mut trace = SpanTrace::default();
    let mut on = |ms: u64, event: Event<'_>| {
        trace.on(Time::from_millis(ms), NodeId(0), &event);
    };
    for (ms, cwnd) in [(500, 10_000), (1_500, 30_000), (1_800, 20_000)] {
        let state = TcpEvent::State { cwnd, ssthresh: u64::MAX, in_flight: 0, srtt: None };
        on(ms, Event::Tcp(FlowId(0), state));
    }
    on(1_600, Event::Tcp(FlowId(0), TcpEvent::Recovery));
    on(1_700, Event::App(FlowId(0), AppEvent::Delivered { bytes: 250_000 }));
    let of = |name: &str| figure(&trace, name, "one[1..2]").expect("a figure");
    assert_eq!(of("window-mean"), 25.0);
    assert_eq!((of("window-min"), of("window-max")), (20.0, 30.0));
    // 10 kB until 1.5 s, 30 kB until 1.8 s, then 20 kB.
    assert_eq!(figure(&trace, "window-below", "one[1..2, 25]"), Some(70.0));
    assert_eq!((of("recoveries"), of("expiries")), (1.0, 0.0));
    assert_eq!(of("goodput"), 2.0);
}

#[test]
fn states_of_bbr_have_shares_of_the_time() {
    let mut trace = SpanTrace::default();
    let rate = BitRate::from_mbps;
    for (ms, phase, max_bw, pacing) in [
        (500, PathPhase::Startup, 4, 11),
        (1_400, PathPhase::Drain, 10, 5),
        (1_900, PathPhase::Down, 12, 9),
    ] {
        let model = PathModel { phase, max_bw: rate(max_bw), pacing: rate(pacing) };
        trace.on(Time::from_millis(ms), NodeId(0), &Event::Tcp(FlowId(0), TcpEvent::Model(model)));
    }
    let of = |name: &str| figure(&trace, name, "one[1..2]").expect("a figure");
    assert_eq!((of("in-startup"), of("in-drain"), of("in-down")), (40.0, 50.0, 10.0));
    assert_eq!((of("in-cruise"), of("in-probe-rtt")), (0.0, 0.0));
    assert_eq!((of("pacing"), of("max-bw")), (7.0, 11.0));
    // Before the first report there is no state.
    assert_eq!(figure(&trace, "in-startup", "one[0..1]"), Some(100.0));
    assert_eq!(figure(&trace, "in-startup", "two[0..1]"), None);
}

#[test]
fn texts_that_are_no_span_are_refused() {
    for text in [
        "one",
        "one[1..1]",
        "one[2..1]",
        "one[a..2]",
        "one[0..2, 3]",
        "one+two[0..2]",
        "one[-1..2]",
    ] {
        assert_eq!(Span::parse(SpanMeasure::Rate, text), None, "{text}");
    }
    assert_eq!(Span::parse(SpanMeasure::Rise, "one[0..2]"), None);
    assert_eq!(Span::parse(SpanMeasure::Jain, "one[0..2]"), None);
}
