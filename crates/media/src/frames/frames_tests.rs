use std::net::Ipv4Addr;

use airpath_base::random::Seed;
use airpath_net::testing::Bench;

use super::*;

fn config() -> FramesConfig {
    let end = |n| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), 4000);
    FramesConfig {
        flow: FlowId(1),
        source: end(1),
        sink: end(2),
        dscp: 0,
        ssrc: 7,
        start: Time::ZERO,
        stop: None,
        arrivals: periodic(Duration::ZERO, Duration::ZERO),
        size: TruncatedNormal::constant(4_000.0),
        part: Part::Whole,
        packet: 1_500,
        importance: 1,
        processing: Duration::ZERO,
        deadline: Duration::from_millis(10),
    }
}

/// 50 frames a second.
fn periodic(phase: Duration, jitter_range: Duration) -> Arrivals {
    let (period, jitter) = (Duration::from_millis(20), Duration::from_millis(2));
    Arrivals::Periodic { period, phase, jitter, jitter_range }
}

fn draws(seed: u64) -> FrameDraws {
    FrameDraws { times: Seed(seed).keyed("times"), sizes: Seed(seed).keyed("sizes") }
}

fn sent(config: FramesConfig, seed: u64, until: u64) -> Vec<(Time, Packet)> {
    let mut source = FrameSource::new(config, draws(seed)).expect("options that work");
    let mut bench = Bench::new();
    let mut sent = Vec::new();
    while let Some(due) = source.next_wake().filter(|due| *due < Time::from_millis(until)) {
        source.wake(due, &mut bench.cx(due));
        sent.extend(bench.sent().into_iter().map(|(_, packet)| (due, packet)));
    }
    sent
}

fn times(config: FramesConfig, seed: u64, until: u64) -> Vec<Time> {
    let mut times: Vec<Time> = sent(config, seed, until).into_iter().map(|(at, _)| at).collect();
    times.dedup();
    times
}

#[test]
fn packets_of_a_frame_are_one_set() {
    let packets = sent(config(), 1, 40);
    let parts: Vec<_> = packets
        .iter()
        .map(|(at, packet)| {
            let set = packet.set.as_ref().expect("a part of a set");
            let Payload::Rtp(rtp) = packet.payload else { panic!("not RTP") };
            assert_eq!(
                (set.packets, set.bytes, rtp.marker),
                (3, 4_000, set.ends_with(packet.number))
            );
            (at.as_nanos() / 1_000_000, set.number, set.position(packet.number), packet.size)
        })
        .collect();
    // 4000 B are 1334 + 1333 + 1333.
    let frame = |at, n| [(at, n, 0, 1_334), (at, n, 1, 1_333), (at, n, 2, 1_333)];
    assert_eq!(parts, [frame(0, 0), frame(20, 1)].concat());
}

#[test]
fn phases_and_jitter_are_within_their_bounds_and_keep_the_order() {
    let (phase, range) = (Duration::from_millis(15), Duration::from_millis(4));
    let config = FramesConfig { arrivals: periodic(phase, range), ..config() };
    let times = times(config, 3, 20_000);
    assert_eq!(times.len(), 1_000);
    // A cycle that began 15 ms before: the next of its frames is due after 5 ms; the jitter's range is added.
    let shifts: Vec<f64> = times
        .iter()
        .enumerate()
        .map(|(n, at)| at.as_nanos() as f64 / 1e6 - (5.0 + 20.0 * n as f64 + 4.0))
        .collect();
    assert!(shifts.iter().all(|shift| (-4.0..=4.0).contains(shift)));
    let mean = shifts.iter().sum::<f64>() / 1e3;
    let variance = shifts.iter().map(|x| x * x).sum::<f64>() / 1e3 - mean * mean;
    // The deviation of a normal distribution that is cut at two deviations: 0.8796 of it.
    assert!(mean.abs() < 0.2 && (variance.sqrt() - 1.759).abs() < 0.14, "{mean} {variance}");
    assert!(times.is_sorted());
}

#[test]
fn streams_of_one_source_share_their_times() {
    let range = Duration::from_millis(4);
    let base = || FramesConfig { arrivals: periodic(Duration::ZERO, range), ..config() };
    let slices = Part::ISlice { slices: 8, ratio: 1.5 };
    let rest = Part::PSlices { slices: 8, ratio: 1.5 };
    let first = times(FramesConfig { part: slices, ..base() }, 9, 2_000);
    assert_eq!(first, times(FramesConfig { part: rest, ..base() }, 9, 2_000));
    let (pictures, ratio) = (8, 1.5);
    let keys = times(FramesConfig { part: Part::IFrames { pictures, ratio }, ..base() }, 9, 2_000);
    let each_eighth: Vec<Time> = first.iter().copied().step_by(8).collect();
    assert_eq!(keys, each_eighth);
}

#[test]
fn a_pause_moves_no_later_frame() {
    let range = Duration::from_millis(4);
    let config = || FramesConfig { arrivals: periodic(Duration::ZERO, range), ..config() };
    let whole = times(config(), 5, 400);
    let mut source = FrameSource::new(config(), draws(5)).expect("options that work");
    let mut bench = Bench::new();
    let mut made = Vec::new();
    for (until, active) in [(100, false), (200, true), (400, true)] {
        let until = Time::from_millis(until);
        while let Some(due) = source.next_wake().filter(|due| *due < until) {
            source.wake(due, &mut bench.cx(due));
            made.push(due);
        }
        source.change(until, &Change::Active(active), &mut bench.cx(until)).expect("a source");
    }
    let expected =
        whole.iter().filter(|at| **at < Time::from_millis(100) || **at >= Time::from_millis(200));
    assert_eq!(made, expected.copied().collect::<Vec<_>>());
}

#[test]
fn files_come_as_a_poisson_process() {
    let mean = Duration::from_millis(20);
    let config = FramesConfig { arrivals: Arrivals::Poisson { mean }, ..config() };
    let times = times(config, 2, 200_000);
    let n = times.len() as f64;
    // 10,000 expected, with a deviation of 100.
    assert!((n - 10_000.0).abs() < 400.0, "{n}");
    let gaps: Vec<f64> =
        times.windows(2).map(|two| two[1].since(two[0]).as_secs_f64() * 1e3).collect();
    let longer = gaps.iter().filter(|gap| **gap > 20.0).count() as f64 / gaps.len() as f64;
    assert!((longer - airpath_base::math::exp(-1.0)).abs() < 0.02, "{longer}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let refused = |config: FramesConfig| FrameSource::new(config, draws(1)).err();
    let jitter = periodic(Duration::ZERO, Duration::from_micros(10_001));
    assert_eq!(refused(FramesConfig { arrivals: jitter, ..config() }), Some(FramesError::Jitter));
    assert_eq!(refused(FramesConfig { packet: 40, ..config() }), Some(FramesError::Packet));
    let arrivals = Arrivals::Poisson { mean: Duration::ZERO };
    assert_eq!(refused(FramesConfig { arrivals, ..config() }), Some(FramesError::Period));
}
