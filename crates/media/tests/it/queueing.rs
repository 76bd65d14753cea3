//! Frames of several sources at a link of a fixed rate, beside closed forms of queueing theory.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, NodeId, Port, Time, math};
use airpath_media::frames::{
    Arrivals, FrameDraws, FrameSource, FramesConfig, Part, TruncatedNormal,
};
use airpath_net::{Class, Cx, Engine, Event, Node, Packet, Probe};
use airpath_path::{Link, LinkConfig};
use airpath_wire::Endpoint;

/// Bytes of a frame.
const FRAME: u32 = 5_000;
/// Time that the link needs for a frame.
const SERVICE: Duration = Duration::from_millis(1);

/// Takes what comes.
struct Sink;

impl Node for Sink {
    fn receive(&mut self, _: Time, _: Port, packet: Packet, cx: &mut Cx<'_>) {
        cx.consume(&packet);
    }

    fn next_wake(&self) -> Option<Time> {
        None
    }
}

/// Delays of frames in service times, by flow and number of the frame.
#[derive(Default)]
struct Delays(BTreeMap<(u32, u64), f64>);

impl Probe for Delays {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        let Event::Consumed(packet) = event else { return };
        let Some(set) = &packet.set else { return };
        if set.ends_with(packet.number) {
            let delay = now.since(set.made).as_secs_f64() / SERVICE.as_secs_f64();
            self.0.insert((packet.flow.0, set.number), delay);
        }
    }
}

/// Delays of the frames of these sources at one link, until `end`.
fn delays(seed: u64, arrivals: &[Arrivals], end: Time) -> Delays {
    let mut engine = Engine::new();
    let rate = BitRate::from_bps(u64::from(FRAME) * 8 * 1_000);
    let link = LinkConfig { rate: Some(rate), ..LinkConfig::default() };
    let link = engine.add("link", Class::Packets, Box::new(Link::new(link, Seed(0), "link")));
    let sink = engine.add("sink", Class::Packets, Box::new(Sink));
    engine.connect((link, Link::OUT), (sink, Port(0)), None);
    for (n, arrivals) in arrivals.iter().enumerate() {
        let endpoint = |port| Endpoint::new([10, 0, 0, 1], port);
        let config = FramesConfig {
            flow: FlowId(n as u32),
            source: endpoint(1),
            sink: endpoint(2),
            dscp: 0,
            ssrc: 0,
            start: Time::ZERO,
            stop: None,
            arrivals: *arrivals,
            size: TruncatedNormal::constant(f64::from(FRAME)),
            part: Part::Whole,
            packet: 1_500,
            importance: 1,
            processing: Duration::ZERO,
            deadline: Duration::from_millis(10),
        };
        let keyed = |what: &str| Seed(seed).keyed(&format!("{n} / {what}"));
        let draws = FrameDraws { times: keyed("times"), sizes: keyed("sizes") };
        let source = FrameSource::new(config, draws).expect("options that work");
        let source = engine.add(format!("source {n}"), Class::Packets, Box::new(source));
        engine.connect((source, Port(0)), (link, Port(0)), None);
    }
    let mut probe = Delays::default();
    engine.run_until(end, Some(&mut probe)).expect("a run");
    probe
}

/// Sources of one period, which begin at random positions in it.
fn periodic(seed: u64, sources: usize, period: Duration) -> Vec<Arrivals> {
    let mut phases = Seed(seed).stream("phases");
    let mut one = || Arrivals::Periodic {
        period,
        phase: Duration::from_nanos(phases.below(period.as_nanos())),
        jitter: Duration::ZERO,
        jitter_range: Duration::ZERO,
    };
    (0..sources).map(|_| one()).collect()
}

/// Probability that the work of `n` sources is above `x` service times at a random instant, in the queue nD/D/1. Its period is
/// `period` service times (J. Roberts and J. Virtamo, IEEE Transactions on Communications 39(2), 1991).
fn work_above(n: u32, period: f64, x: f64) -> f64 {
    let of = |k: u32| {
        let inside = (f64::from(k) - x) / period;
        let choose: f64 = (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product();
        let rest = (period - f64::from(n) + x) / (period - f64::from(k) + x);
        choose * inside.powi(k as i32) * (1.0 - inside).powi((n - k) as i32) * rest
    };
    (1..=n).filter(|k| f64::from(*k) > x).map(of).sum()
}

/// Probability that a customer of M/D/1 waits at most `t` service times (C. Crommelin, 1932; A. Erlang, 1909).
fn wait_at_most(load: f64, t: f64) -> f64 {
    let of = |k: i32| {
        let y = load * (f64::from(k) - t);
        let factorial: f64 = (1..=k).map(f64::from).product();
        y.powi(k) / factorial * math::exp(-y)
    };
    (1.0 - load) * (0..=t.floor() as i32).map(of).sum::<f64>()
}

/// The largest difference of the samples' distribution from another, both of which may have an atom at zero.
fn largest_difference(mut waits: Vec<f64>, at_most: impl Fn(f64) -> f64) -> f64 {
    waits.sort_unstable_by(f64::total_cmp);
    let n = waits.len() as f64;
    let each = waits.iter().enumerate().map(|(i, wait)| {
        let now = (i + 1) as f64 / n - at_most(*wait);
        let before = if *wait > 0.0 { i as f64 / n - at_most(*wait) } else { 0.0 };
        let last = waits.get(i + 1).is_none_or(|next| next > wait);
        if last { now.abs().max(before.abs()) } else { before.abs() }
    });
    each.fold(0.0, f64::max)
}

/// Differences above it have a probability of 1% by chance (Kolmogorov and Smirnov).
fn critical(samples: usize) -> f64 {
    1.63 / (samples as f64).sqrt()
}

/// Waiting time, without what rounding to nanoseconds makes of none.
fn waited(delay: f64) -> f64 {
    let wait = delay - 1.0;
    if wait < 1e-4 { 0.0 } else { wait }
}

const RUNS: u64 = 2_000;

/// Waiting times of the second frame of the first source, one of each run.
fn waits_of_periodic(sources: usize, period_ms: u64) -> Vec<f64> {
    let period = Duration::from_millis(period_ms);
    let wait = |seed| {
        let delays =
            delays(seed, &periodic(seed, sources, period), Time::from_millis(4 * period_ms));
        waited(delays.0[&(0, 1)])
    };
    (0..RUNS).map(wait).collect()
}

#[test]
fn the_closed_form_has_the_load_as_probability_of_work() {
    for (n, period) in [(8, 16.0), (12, 14.0)] {
        assert!((work_above(n, period, 0.0) - f64::from(n) / period).abs() < 1e-9);
    }
    assert!((wait_at_most(0.6, 0.0) - 0.4).abs() < 1e-12);
    // The mean wait of M/D/1 is load / (2 (1 - load)).
    let mean: f64 =
        (0..40_000).map(|i| (1.0 - wait_at_most(0.6, f64::from(i) * 5e-4)) * 5e-4).sum();
    assert!((mean - 0.75).abs() < 1e-3, "{mean}");
}

#[test]
fn frames_at_random_phases_wait_as_in_the_queue_nd_d_1() {
    for (sources, period_ms) in [(9, 16), (14, 16)] {
        let others = sources as u32 - 1;
        let waits = waits_of_periodic(sources, period_ms);
        let of = |x: f64| 1.0 - work_above(others, period_ms as f64, x);
        let difference = largest_difference(waits, of);
        assert!(difference < critical(RUNS as usize), "{sources} sources: {difference}");
    }
}

#[test]
fn the_largest_number_of_sources_is_that_of_the_closed_form() {
    // A frame is satisfied within 3 service times: 90% of sources are up to this number.
    let most = |share: &dyn Fn(u32) -> f64| (1..16).take_while(|n| share(*n) >= 0.9).last();
    let formula = most(&|n| 1.0 - work_above(n - 1, 16.0, 2.0));
    let measured = most(&|n| {
        let waits = waits_of_periodic(n as usize, 16);
        waits.iter().filter(|wait| **wait <= 2.0 + 1e-6).count() as f64 / RUNS as f64
    });
    assert_eq!(measured, formula);
    assert!(formula.is_some_and(|n| (4..15).contains(&n)), "{formula:?} says nothing");
}

#[test]
fn files_of_one_size_wait_as_in_the_queue_m_d_1() {
    const NUMBER: u64 = 200;
    let load = 0.6;
    let mean = Duration::from_secs_f64(SERVICE.as_secs_f64() / load);
    let wait = |seed| {
        let delays = delays(seed, &[Arrivals::Poisson { mean }], Time::from_millis(700));
        waited(delays.0[&(0, NUMBER)])
    };
    let waits: Vec<f64> = (0..RUNS).map(wait).collect();
    let difference = largest_difference(waits, |t| wait_at_most(load, t));
    assert!(difference < critical(RUNS as usize), "{difference}");
}
