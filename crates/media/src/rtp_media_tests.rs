use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::Arc;

use super::*;
use crate::scream::{Config, Marking, Options, Pacing, StallFrom, Version};
use crate::video::{FrameList, FrameSizes};
use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, NodeId};
use airpath_net::queue::{AgeConfig, DelayConfig, DelayQueue, Queue, RampConfig};
use airpath_net::{Class, Engine, Held, MediaState, Probe};

/// A bottleneck whose rate changes: a queue, a link that counts bytes of RTP, and a delay
/// in both directions. Port 0 is the source's side, port 1 the sink's.
struct Bottleneck {
    queue: DelayQueue,
    rates: Vec<(Time, BitRate)>,
    delay: Duration,
    sending: Option<(Time, Packet)>,
    forth: VecDeque<(Time, Packet)>,
    back: VecDeque<(Time, Packet)>,
}

impl Bottleneck {
    fn start(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.sending.is_some() {
            return;
        }
        let Some(packet) = self.queue.dequeue(now, cx) else { return };
        let rate = self.rates.iter().rev().find(|(from, _)| *from <= now).expect("a rate").1;
        let size = packet.size - packet.tuple.ip_header() - UDP_HEADER;
        self.sending = Some((now + rate.time_for(Bytes(u64::from(size))), packet));
    }
}

impl Node for Bottleneck {
    fn receive(&mut self, now: Time, port: Port, mut packet: Packet, cx: &mut Cx<'_>) {
        if port == Port(1) {
            packet.charge(Stage::Wired, now + self.delay);
            self.back.push_back((now + self.delay, packet));
            return;
        }
        self.queue.enqueue(now, packet, cx);
        self.start(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        if let Some((done, mut packet)) = self.sending.take_if(|(done, _)| *done <= now) {
            packet.charge(Stage::Wired, done + self.delay);
            self.forth.push_back((done + self.delay, packet));
            self.start(now, cx);
        }
        for (port, line) in [(Port(1), &mut self.forth), (Port(0), &mut self.back)] {
            while line.front().is_some_and(|(due, _)| *due <= now) {
                let (_, packet) = line.pop_front().expect("the one that is due");
                cx.send(port, packet);
            }
        }
        if self.queue.next_wake().is_some_and(|due| due <= now) {
            self.queue.wake(now, cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        let sending = self.sending.as_ref().map(|(done, _)| *done);
        let front = |line: &VecDeque<(Time, Packet)>| line.front().map(|(due, _)| *due);
        let all = [sending, front(&self.forth), front(&self.back), self.queue.next_wake()];
        all.into_iter().flatten().min()
    }

    fn held(&self) -> Held {
        let mut held = self.queue.held();
        let lines = self.forth.iter().chain(&self.back).chain(&self.sending);
        lines.for_each(|(_, packet)| held.add(packet));
        held
    }
}

/// Result of a run.
#[derive(Default)]
pub(super) struct Seen {
    pub bytes: u64,
    pub state: Option<MediaState>,
    pub frames: Vec<FrameMade>,
    pub gave_up: Option<Time>,
    dropped: u64,
    queue: Vec<f64>,
    /// Frames under way: when made, and packets that are missing.
    open: VecDeque<(Time, u32)>,
    /// Delays of complete frames, and time in the RTP queue by packet, in ms.
    pub frame_delays: Vec<f64>,
    sender: Vec<f64>,
    /// Estimates of the queue delay by report, in ms.
    reports: Vec<f64>,
    /// Time of arrival of each packet in s, and its time in the network in s.
    network: Vec<(f64, f64)>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Consumed(packet) if packet.leg == Leg::Data => self.arrived(now, packet),
            Event::App(_, AppEvent::Delivered { bytes }) => self.bytes += bytes,
            Event::App(_, AppEvent::Media(state)) => {
                self.state = Some(*state);
                self.reports.push(state.queue_delay.as_millis_f64());
            }
            Event::App(_, AppEvent::Frame(frame)) => {
                self.frames.push(*frame);
                self.open.push_back((now, frame.packets));
            }
            Event::App(_, AppEvent::GaveUp) => self.gave_up = Some(now),
            Event::Dropped { .. } => self.dropped += 1,
            _ => {}
        }
    }
}

fn frames() -> Arc<[u32]> {
    let lines = include_str!("../../../studies/l4s-5g/frames.txt").lines();
    let words = lines.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    words.map(|word| word.parse().expect("a size")).collect()
}

pub(super) fn config(control: Option<Config>, gain: f64) -> MediaConfig {
    let control = control.map(Control::Scream);
    let end = |n| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), 5000);
    let sizes = FrameSizes::List(FrameList { sizes: frames(), gain });
    MediaConfig {
        control,
        ecn: Ecn::Ect1,
        ssrc: 10,
        video: VideoConfig { sizes, ..VideoConfig::new() },
        ..MediaConfig::new(FlowId(0), end(1), end(2))
    }
}

/// Runs a source behind a bottleneck and samples its estimate of the queue delay each
/// 50 ms, as the reference's run was sampled.
pub(super) fn run(
    media: MediaConfig,
    ramp: bool,
    rates: Vec<(Time, BitRate)>,
    seconds: u64,
) -> Seen {
    let ramp = ramp.then(|| RampConfig { alpha: 1.0, ..RampConfig::default() });
    let queue = DelayConfig { ramp, ..DelayConfig::default() };
    run_with(media, queue, rates, Duration::from_millis(25), seconds)
}

fn run_with(
    media: MediaConfig,
    queue: DelayConfig,
    rates: Vec<(Time, BitRate)>,
    delay: Duration,
    seconds: u64,
) -> Seen {
    let seed = Seed(1);
    let mut engine = Engine::new();
    let source = MediaSource::new(media.clone(), seed.stream("video")).expect("options that work");
    let source = engine.add("source", Class::Packets, Box::new(source));
    let sink = engine.add("sink", Class::Packets, Box::new(MediaSink::new(media)));
    let queue = DelayQueue::new(queue, seed.stream("ramp"));
    let bottleneck = Bottleneck {
        queue,
        rates,
        delay,
        sending: None,
        forth: VecDeque::new(),
        back: VecDeque::new(),
    };
    let bottleneck = engine.add("bottleneck", Class::Packets, Box::new(bottleneck));
    engine.connect((source, NETWORK), (bottleneck, Port(0)), None);
    engine.connect((bottleneck, Port(0)), (source, NETWORK), None);
    engine.connect((bottleneck, Port(1)), (sink, NETWORK), None);
    engine.connect((sink, NETWORK), (bottleneck, Port(1)), None);
    let mut seen = Seen::default();
    for n in 1..=seconds * 20 {
        engine.run_until(Time::from_millis(50 * n), Some(&mut seen)).expect("a run without errors");
        let queue = seen.state.map_or(0.0, |state| state.queue_delay.as_millis_f64());
        seen.queue.push(queue);
    }
    engine.audit().expect("no packet appears or vanishes");
    seen
}

/// Mean and 99th percentile.
fn mean_and_high(values: &[f64]) -> [f64; 2] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    [mean, sorted[(sorted.len() as f64 * 0.99) as usize]]
}

impl Seen {
    fn arrived(&mut self, now: Time, packet: &Packet) {
        let waited = packet.stages.spent(Stage::Sender);
        self.sender.push(waited.as_millis_f64());
        let network = now.since(packet.born()).saturating_sub(waited);
        self.network.push((now.as_secs_f64(), network.as_secs_f64()));
        let at = self.open.partition_point(|(made, _)| *made < packet.born());
        if let Some((made, missing)) = self.open.get_mut(at) {
            *missing -= 1;
            if *missing == 0 {
                self.frame_delays.push(now.since(*made).as_millis_f64());
                self.open.remove(at);
            }
        }
    }

    /// Rate in Mbit/s, mean and 99th percentile of the queue delay in ms.
    fn figures(&self, seconds: f64) -> [f64; 3] {
        let [mean, high] = mean_and_high(&self.queue);
        [self.bytes as f64 * 8e-6 / seconds, mean, high]
    }
}

fn step() -> Vec<(Time, BitRate)> {
    let rate = |seconds: u64, mbps| (Time::from_millis(1000 * seconds), BitRate::from_mbps(mbps));
    vec![rate(0, 20), rate(5, 10), rate(10, 20)]
}

pub(super) fn scream(options: Options) -> Option<Config> {
    Some(Config { options, ..Config::default() })
}

pub(super) fn version_1(pacing: Pacing) -> Options {
    Options { version: Version::V1, pacing, ..Options::default() }
}

fn marking(l4s: bool) -> Marking {
    if l4s { Marking::L4s } else { Marking::Off }
}

/// Within a share, or 2 ms.
fn close(got: f64, wanted: f64, share: f64, least: f64) -> bool {
    (got - wanted).abs() <= (share * wanted).max(least)
}

#[test]
fn a_step_of_capacity_as_the_reference_takes_it() {
    // The closed-loop runs behind scream/data: 20, 10 and 20 Mbit/s, 25 ms each way, a ramp of 5 to
    // 10 ms. Rate received, mean and 99th percentile of the queue delay as the sender estimates it,
    // sampled each 50 ms.
    let (v1, v2) = (version_1(Pacing::Target), Options::default());
    let cases = [(v1, 0.05, [6.42, 0.99, 7.10]), (v2, 0.0, [10.21, 3.03, 53.8])];
    for (options, gain, [rate, mean, high]) in cases {
        let version = options.version;
        let seen = run(config(scream(options), gain), true, step(), 15);
        let [got_rate, got_mean, got_high] = seen.figures(15.0);
        let got_rate = got_rate * 1212.0 / 1200.0; // with the RTP headers
        assert!(close(got_rate, rate, 0.1, 0.0), "{version:?}: {got_rate} Mbit/s, not {rate}");
        assert!(close(got_mean, mean, 0.25, 2.0), "{version:?}: {got_mean} ms, not {mean}");
        assert!(close(got_high, high, 0.25, 2.0), "{version:?}: {got_high} ms, not {high}");
    }
}

/// The reference implementation at a constant capacity, 60 s. Keys are Mbit/s and ms each way;
/// values are with L4S behind a ramp of 5 to 10 ms, and without. A value is the received rate with
/// the headers of RTP in Mbit/s, mean and 99th percentile of the estimated queue delay in ms.
/// Delays are sampled each 50 ms. Values are means of eight runs, of a program that follows
/// EricssonResearch/scream; the runs' delays differ by up to 0.4 ms.
type Constant = [((u64, u64), [f64; 3], [f64; 3]); 4];

/// Of 20 March 2020, commit 975f6d84, bw-test-tool.
const EARLY: Constant = [
    ((5, 10), [3.1, 3.90, 9.8], [4.81, 17.13, 48.5]),
    ((5, 25), [3.57, 4.26, 11.1], [4.81, 18.01, 50.4]),
    ((50, 10), [25.29, 4.94, 8.9], [39.84, 14.72, 52.7]),
    ((50, 25), [29.08, 4.60, 11.4], [39.78, 14.81, 60.2]),
];

/// Of mid 2020, commit 9cecbb56.
const MID: Constant = [
    ((5, 10), [4.42, 3.32, 8.5], [4.82, 13.27, 42.8]),
    ((5, 25), [4.53, 3.97, 9.2], [4.82, 12.97, 47.1]),
    ((50, 10), [34.64, 1.42, 5.9], [39.69, 11.01, 42.1]),
    ((50, 25), [34.98, 1.72, 6.7], [39.58, 11.51, 55.3]),
];

/// Of early 2026, commit d1422307.
const V2: Constant = [
    ((5, 10), [4.29, 5.30, 18.8], [4.85, 19.85, 41.8]),
    ((5, 25), [4.22, 4.02, 12.5], [4.89, 15.24, 41.4]),
    ((50, 10), [38.22, 3.27, 9.8], [48.08, 15.70, 36.7]),
    ((50, 25), [34.86, 2.56, 12.1], [46.56, 13.96, 41.0]),
];

#[test]
fn a_constant_capacity_as_the_reference_takes_it() {
    let versions = [
        (version_1(Pacing::Window), 0.05, EARLY),
        (version_1(Pacing::Target), 0.05, MID),
        (Options::default(), 0.0, V2),
    ];
    for (options, gain, rows) in versions {
        let version = options.version;
        for ((mbps, delay), with, without) in rows {
            for (l4s, wanted) in [(true, with), (false, without)] {
                let media = config(scream(Options { ecn: marking(l4s), ..options }), gain);
                let ecn = marking(l4s).code_point();
                let ramp = l4s.then(|| RampConfig { alpha: 1.0, ..RampConfig::default() });
                let queue = DelayConfig { ramp, ..DelayConfig::default() };
                let rates = vec![(Time::ZERO, BitRate::from_mbps(mbps))];
                let delay = Duration::from_millis(delay);
                let seen = run_with(MediaConfig { ecn, ..media }, queue, rates, delay, 60);
                let mut got = seen.figures(60.0);
                got[0] *= 1212.0 / 1200.0; // with the RTP headers
                let agree = close(got[0], wanted[0], 0.1, 0.0)
                    && (1..3).all(|n| close(got[n], wanted[n], 0.25, 2.0));
                assert!(agree, "{version:?} {l4s} {mbps} {delay:?}: {got:.2?}, not {wanted:.2?}");
            }
        }
    }
}

/// Columns of table A.1 for a run at 50 Mbit/s and 10 ms each way. Rate in Mbit/s, queue delay in
/// ms (mean and 99th percentile), mean time in the RTP queue, frame delay.
fn table_a1(l4s: bool, ramp: bool, age: bool) -> [f64; 6] {
    let options = Options { ecn: marking(l4s), ..version_1(Pacing::Window) };
    let control = Config { options, ..Config::default() };
    let ecn = marking(l4s).code_point();
    let ms = Duration::from_millis;
    let queue = DelayConfig {
        ramp: ramp.then(|| RampConfig { alpha: 1.0, ..RampConfig::default() }),
        age: age.then(|| AgeConfig { one: ms(14), all: ms(20), ..AgeConfig::default() }),
        ..DelayConfig::default()
    };
    let media = MediaConfig { ecn, ..config(Some(control), 0.05) };
    let rates = vec![(Time::ZERO, BitRate::from_mbps(50))];
    let seen = run_with(media, queue, rates, ms(10), 100);
    let rate = seen.bytes as f64 * 8e-8 * 1212.0 / 1200.0; // of 100 s, with the RTP headers
    let [queue, queue_high] = mean_and_high(&seen.reports);
    let [waiting, _] = mean_and_high(&seen.sender);
    let [frame, frame_high] = mean_and_high(&seen.frame_delays);
    [rate, queue, queue_high, waiting, frame, frame_high]
}

#[test]
fn a_fixed_network_as_table_a1_has_it() {
    // Rows: without L4S, with a ramp of 5 to 10 ms, and with drops above 14 and 20 ms. Values: the
    // thesis' table A.1, and the reference code of early 2020 under the settings of the runs here.
    // Agreement is within 25 % or 2 ms; 12 and 17 agree with the constants of 20 March 2020.
    let runs = [(false, false, false), (true, true, false), (false, false, true)];
    let thesis = [
        [44.2, 15.4, 49.7, 4.72, 39.3, 83.2],
        [23.0, 0.52, 3.79, 0.85, 18.8, 30.6],
        [17.3, 0.49, 10.5, 3.89, 18.6, 29.9],
    ];
    let reference = [
        [49.7, 17.2, 43.7, 2.7, 38.2, 65.5],
        [27.8, 2.8, 9.3, 2.2, 19.4, 29.8],
        [26.2, 2.8, 9.3, 1.9, 18.8, 27.5],
    ];
    let got = runs.map(|(l4s, ramp, age)| table_a1(l4s, ramp, age));
    let agree = |wanted: &[[f64; 6]; 3]| {
        let pairs = got.as_flattened().iter().zip(wanted.as_flattened()).enumerate();
        let close = pairs.filter(|(n, (got, wanted))| {
            close(**got, **wanted, 0.25, if n % 6 == 0 { 0.0 } else { 2.0 })
        });
        close.count()
    };
    assert!(agree(&thesis) >= 12, "{} of 18 as the thesis: {got:.2?}", agree(&thesis));
    assert!(agree(&reference) >= 16, "{} of 18: {got:.2?}", agree(&reference));
}

#[test]
fn a_frame_is_cut_into_packets_that_share_its_time() {
    let sizes = FrameSizes::List(FrameList { sizes: Arc::from([2500]), gain: 0.0 });
    let video = VideoConfig { sizes, bitrate: (1.2e6, 1.2e6), ..VideoConfig::new() };
    let media = MediaConfig { video, start: Time::from_millis(20), ..config(None, 0.0) };
    let mut source = MediaSource::new(media, Seed(1).stream("video")).expect("options that work");
    let mut bench = airpath_net::testing::Bench::new();
    for n in 0..2 {
        let due = source.next_wake().expect("a frame is due");
        let start = Time::from_millis(20) + source.encoder.period() * n;
        assert_eq!(due, start);
        source.wake(due, &mut bench.cx(due));
        let sent = bench.sent();
        // A set of three packets with 20 + 8 + 12 bytes of headers each.
        for (position, (_, packet)) in sent.iter().enumerate() {
            let set = packet.set.as_ref().expect("a set");
            assert_eq!((set.number, set.first, set.packets), (n, 3 * n, 3));
            assert_eq!((set.bytes, set.made), (2_500 + 3 * 40, start));
            assert_eq!(set.position(packet.number), position as u32);
        }
        let packets: Vec<RtpRepr> = sent
            .into_iter()
            .filter_map(|(_, packet)| match packet.payload {
                Payload::Rtp(rtp) => Some(rtp),
                _ => None,
            })
            .collect();
        // 1.2 Mbit/s at 60 frames a second are 2500 bytes each.
        let lens: Vec<u32> = packets.iter().map(|rtp| rtp.payload_len).collect();
        assert_eq!(lens, [1200, 1200, 100]);
        let markers: Vec<bool> = packets.iter().map(|rtp| rtp.marker).collect();
        assert_eq!(markers, [false, false, true]);
        assert_eq!(packets[0].seq, 3 * n as u16);
        assert!(packets.iter().all(|rtp| rtp.timestamp == 1800 + 1500 * n as u32));
    }
}

#[test]
fn loss_asks_for_a_key_frame() {
    // A queue of ten packets drops in bursts; each run of losses is answered by a key
    // frame beside those each 2 s.
    let config = MediaConfig {
        video: VideoConfig::new(),
        ecn: Ecn::NotEct,
        ..config(scream(Options::default()), 0.0)
    };
    let limit = airpath_net::queue::Limit::packets(10);
    let queue = DelayConfig { ramp: None, limit, ..DelayConfig::default() };
    let rates = vec![(Time::ZERO, BitRate::from_mbps(10))];
    let seen = run_with(config, queue, rates, Duration::from_millis(25), 10);
    assert!(seen.dropped > 0);
    assert!(seen.frames.iter().filter(|frame| frame.key).count() > 6);
}

/// Longest time of a packet in the network in s, of all and of those that arrive after 5 s. The link
/// has 500 kbit/s, 25 ms each way and no limit. The encoder makes 2 Mbit/s at least.
fn below_the_least_rate(options: Options, stall_from: Option<StallFrom>) -> [f64; 2] {
    let options = Options { stall_from, ecn: Marking::Off, ..options };
    let media = MediaConfig { ecn: Ecn::NotEct, ..config(scream(options), 0.0) };
    let queue = DelayConfig { ramp: None, ..DelayConfig::default() };
    let rates = vec![(Time::ZERO, BitRate::from_kbps(500))];
    let seen = run_with(media, queue, rates, Duration::from_millis(25), 120);
    [0.0, 5.0].map(|from| {
        let late = seen.network.iter().filter(|(at, _)| *at >= from);
        late.map(|(_, network)| *network).fold(0.0, f64::max)
    })
}

#[test]
fn a_flight_that_is_void_by_the_last_feedback_bounds_the_queue() {
    // 500 kbit/s are 62.5 kB/s. A trend is unknown for 2 s, in which a first window of 25 kB grows
    // by what is acknowledged, 125 kB. 150 kB and a packet take 2.42 s, and the way 25 ms.
    let (first, packet, way) = (25.0 + 125.0, 1.2, 0.025);
    let begin = (first + packet) / 62.5 + way;
    // Then the window grows below a queue of 60 ms only. In a round trip of 110 ms it grows by what
    // is acknowledged (fast start). Its slack is a packet, and another one leaves before a report.
    let later = 0.06 + 0.11 + 2.0 * packet / 62.5 + way;
    for options in [version_1(Pacing::Window), version_1(Pacing::Target)] {
        let [most, late] = below_the_least_rate(options, Some(StallFrom::Feedback));
        assert!(most <= begin + 0.05 && most > 2.0, "{most} s, not {begin}");
        assert!(late <= later, "{late} s, not {later}");
        // By the last packet sent: packets leave each half a second, and none is acknowledged.
        let [most, late] = below_the_least_rate(options, None);
        assert!(most > 30.0 && late > 30.0, "{most} {late}");
    }
    // Version 2 may have three windows in flight, of which the first does not grow.
    for stall_from in [None, Some(StallFrom::Feedback)] {
        let [most, late] = below_the_least_rate(Options::default(), stall_from);
        assert!(most <= (3.0 * 25.0 + packet) / 62.5 + way && late <= later, "{most} {late}");
    }
}

#[test]
fn options_that_cannot_work_are_refused() {
    let refused = |config: MediaConfig| MediaSource::new(config, Seed(1).stream("x")).err();
    let base = || config(None, 0.0);
    assert_eq!(refused(MediaConfig { payload: 0, ..base() }), Some(MediaError::Payload));
    let control = Some(Control::Scream(Config { start_bitrate: 1.0, ..Config::default() }));
    let wrong = MediaError::Control(ControlError::Scream(crate::scream::ConfigError::Bitrates));
    assert_eq!(refused(MediaConfig { control, ..base() }), Some(wrong));
}

#[test]
fn strangers_are_dropped() {
    let mut bench = airpath_net::testing::Bench::new();
    let mut sink = MediaSink::new(config(scream(Options::default()), 0.0));
    let tuple = config(None, 0.0).tuple();
    for tuple in [tuple, tuple.reversed()] {
        let packet = Packet::new(FlowId(0), Leg::Data, 100, tuple, Time::ZERO);
        sink.receive(Time::ZERO, NETWORK, packet, &mut bench.cx(Time::ZERO));
    }
    assert_eq!(bench.drops.0, [DropCause::Unexpected; 2]);
}
