//! Properties of every sender under any feedback.

use std::collections::VecDeque;

use airpath_base::{BitRate, Duration, Time};
use airpath_schema::units::Rate;
use airpath_wire::{Arrival, ArrivalOffset, Ecn, RtcpRepr, RtpRepr, StreamReport};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::queue::MediaPacket;
use crate::receiver::Receiver;
use crate::ticks::ntp;

fn versions() -> [Options; 6] {
    let early = Options { version: Version::V1, pacing: Pacing::Window, ..Options::default() };
    let all = [early, Options { pacing: Pacing::Target, ..early }, Options::default()];
    let stall_from = Some(StallFrom::Feedback);
    let [a, b, c] = all.map(|options| Options { stall_from, ..options });
    [all[0], all[1], all[2], a, b, c]
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Frame(u32),
    /// Reports on packets around what was sent last: offset, how many, which arrived,
    /// ECN, age in 1/1024 s, clock.
    Report(i32, u8, u64, u8, u16, u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..40_000u64).prop_map(Step::Wait),
        (0..5u64).prop_map(|s| Step::Wait(s * 300_000)),
        (1..60_000u32).prop_map(Step::Frame),
        (-300..20i32, 0..64u8, any::<u64>(), any::<u8>(), 0..9000u16, any::<u32>())
            .prop_map(|(o, n, got, ecn, age, clock)| Step::Report(o, n, got, ecn, age, clock)),
    ]
}

/// A sender with its packets and its clock.
struct Run {
    sender: Sender,
    now: Time,
    seq: u16,
    frame: u64,
    /// Number of sent packets, and the number of the last.
    sent: u64,
    newest: u16,
}

impl Run {
    fn new(config: Config, seq: u16) -> Run {
        let sender = Sender::new(1, config).expect("options that work");
        Run { sender, now: Time::ZERO, seq, frame: 0, sent: 0, newest: seq }
    }

    fn frame(&mut self, bytes: u32) {
        self.make(bytes);
        self.send();
    }

    /// A frame for the RTP queue.
    fn make(&mut self, bytes: u32) {
        let count = bytes.div_ceil(1200);
        let packets: Vec<MediaPacket> = (0..count)
            .map(|n| MediaPacket {
                size: 12 + (bytes - n * 1200).min(1200),
                seq: self.seq.wrapping_add(n as u16),
                timestamp: (self.now.as_nanos() * 9 / 100_000) as u32,
                marker: n + 1 == count,
                frame: self.frame,
                padding: false,
            })
            .collect();
        self.seq = self.seq.wrapping_add(count as u16);
        self.frame += 1;
        self.sender.on_frame(self.now, packets);
    }

    /// Sends what it may at once.
    fn send(&mut self) -> Option<Time> {
        for _ in 0..10_000 {
            match self.sender.poll(self.now) {
                Poll::Send(packet) => {
                    self.sent += 1;
                    self.newest = packet.seq;
                }
                Poll::Wait(next) => {
                    assert!(next.is_none_or(|next| next > self.now), "a deadline that is past");
                    return next;
                }
            }
        }
        panic!("the sender does not come to rest");
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Wait(micros) => {
                let until = self.now + Duration::from_micros(micros);
                while let Some(next) = self.send().filter(|next| *next <= until) {
                    self.now = next;
                }
                self.now = until;
                self.send();
            }
            Step::Frame(bytes) => self.frame(bytes),
            Step::Report(offset, count, got, ecn, age, clock) => {
                let begin_seq = self.seq.wrapping_add(offset as u16);
                let packets = (0..count)
                    .map(|n| {
                        let offset = ArrivalOffset::from_units(u32::from(age));
                        let ecn = Ecn::from_bits(ecn >> (n % 7));
                        (got >> n & 1 == 1).then_some(Arrival { ecn, offset })
                    })
                    .collect();
                let stream = StreamReport { ssrc: 1, begin_seq, packets };
                let timestamp = clock >> (count % 32);
                self.sender
                    .on_feedback(self.now, &RtcpRepr { ssrc: 2, streams: vec![stream], timestamp });
                self.send();
            }
        }
        let State { cwnd, target, alpha, srtt, queue_delay, .. } = self.sender.state();
        assert!((200..1 << 40).contains(&cwnd), "window {cwnd}");
        assert!((2e6..=70e6).contains(&target), "target {target}");
        assert!((0.0..=1.0).contains(&alpha) && srtt >= 0.0 && queue_delay >= 0.0);
    }

    /// A report on the newest packets, all received without a mark.
    fn acknowledge(&mut self, packets: u16) {
        let begin_seq = self.newest.wrapping_sub(packets - 1);
        let arrival = Arrival { ecn: Ecn::Ect1, offset: ArrivalOffset::from_units(0) };
        let packets = vec![Some(arrival); usize::from(packets)];
        let streams = vec![StreamReport { ssrc: 1, begin_seq, packets }];
        let timestamp = ntp(self.now);
        self.sender.on_feedback(self.now, &RtcpRepr { ssrc: 2, streams, timestamp });
        self.send();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    #[test]
    fn nothing_that_comes_makes_it_panic(
        version in 0..6usize,
        l4s: bool,
        seq: u16,
        steps in vec(step(), 1..120),
    ) {
        let ecn = if l4s { Marking::L4s } else { Marking::Classic };
        let options = Options { ecn, ..versions()[version] };
        let config = Config { options, ..Config::default() };
        let mut run = Run::new(config, seq);
        steps.iter().for_each(|step| run.apply(step));
    }

    #[test]
    fn it_goes_on_after_all_feedback_is_lost(version in 0..6usize, seq: u16) {
        let mut run = Run::new(Config { options: versions()[version], ..Config::default() }, seq);
        let mut last = 0;
        for second in 0..5u64 {
            for _ in 0..50 {
                run.apply(&Step::Wait(20_000));
                run.frame(6000);
            }
            prop_assert!(run.sent > last, "nothing in second {second}");
            last = run.sent;
        }
    }
}

#[test]
fn sequence_numbers_and_clocks_wrap() {
    for options in versions() {
        let mut run = Run::new(Config { options, ..Config::default() }, 65_000);
        run.now = Time::ZERO + Duration::from_secs(65_530); // 2^16 s is 6 s ahead
        for _ in 0..600 {
            run.apply(&Step::Wait(20_000));
            run.frame(6000);
            run.apply(&Step::Wait(10_000));
            run.acknowledge(32);
        }
        let state = run.sender.state();
        assert_eq!((state.lost_packets, state.discarded_packets), (0, 0), "{options:?}");
        assert!(state.queue_delay < 0.03, "{options:?}: {}", state.queue_delay);
        assert!(run.sent > 2900, "{options:?}: {}", run.sent);
    }
}

#[test]
fn a_packet_that_is_reported_after_it_was_declared_lost_is_counted() {
    for options in versions() {
        let config = Config { options, ..Config::default() };
        let mut sender = Sender::new(1, config).expect("options that work");
        let ms = Time::from_millis;
        // Two packets of one frame, 100 ms apart: more than either margin, 10 and 30 ms.
        for (n, at) in [0, 100].into_iter().enumerate() {
            let (seq, marker) = (n as u16, n == 1);
            let packet =
                MediaPacket { size: 1212, seq, timestamp: 0, marker, frame: 0, padding: false };
            sender.on_frame(ms(at), [packet]);
            assert_eq!(sender.poll(ms(at)), Poll::Send(packet), "{options:?}");
        }
        let arrival = Arrival { ecn: Ecn::Ect1, offset: ArrivalOffset::from_units(0) };
        // The first packet is late. The report that names both is repeated.
        let reports = [(150, None), (160, Some(arrival)), (170, Some(arrival))];
        let counts = reports.map(|(at, first)| {
            let packets = vec![first, Some(arrival)];
            let streams = vec![StreamReport { ssrc: 1, begin_seq: 0, packets }];
            sender.on_feedback(ms(at), &RtcpRepr { ssrc: 2, streams, timestamp: ntp(ms(at)) });
            let state = sender.state();
            (state.lost_packets, state.lost_arrived_packets)
        });
        assert_eq!(counts, [(1, 0), (1, 1), (1, 1)], "{options:?}");
    }
}

#[test]
fn a_frame_after_a_rest_leaves_at_the_pace() {
    for options in versions() {
        let mut run = Run::new(Config { options, ..Config::default() }, 0);
        for _ in 0..100 {
            run.apply(&Step::Wait(20_000));
            run.frame(6000);
            run.apply(&Step::Wait(10_000));
            run.acknowledge(32);
        }
        assert_eq!(run.sender.state().in_flight, 0, "{options:?}");
        run.apply(&Step::Wait(5_000_000));
        let before = run.sent;
        run.frame(60_000);
        assert_eq!(run.sent, before + 1, "{options:?}");
    }
}

#[test]
fn options_that_cannot_work_are_refused() {
    let config = Config { min_bitrate: 3e6, ..Config::default() };
    assert_eq!(config.check(), Err(ConfigError::Bitrates));
    let config = Config { max_bitrate: f64::NAN, ..Config::default() };
    assert_eq!(config.check(), Err(ConfigError::Bitrates));
    let ramp_up = Rate::Limited(BitRate::from_bps(0));
    let options = Options { ramp_up, ..Options::default() };
    let config = Config { options, ..Config::default() };
    assert_eq!(Sender::new(1, config).err(), Some(ConfigError::RampUp));
}

/// A call over a link of 20, 3 and 20 Mbit/s, for 5 s each, with an unlimited queue and 10 ms
/// each way.
fn call_over_a_dip(options: Options) -> State {
    let options = Options { ecn: Marking::Classic, ..options };
    let config = Config { options, ..Config::default() };
    let (tick, delay) = (Duration::from_micros(100), Duration::from_millis(10));
    let mut receiver = Receiver::new(2, 1, config.reports());
    let mut run = Run::new(config, 0);
    let (mut queue, mut flying) = (VecDeque::new(), VecDeque::new());
    let (mut reports, mut credit, mut frame) = (VecDeque::new(), 0u64, Time::ZERO);
    while run.now < Time::from_millis(15_000) {
        run.now += tick;
        if run.now >= frame {
            frame += Duration::from_micros(16_667);
            let bytes = run.sender.encoder_target(run.now) / 8.0 / 60.0;
            run.make(bytes as u32);
        }
        while let Poll::Send(packet) = run.sender.poll(run.now) {
            queue.push_back(packet);
        }
        let fast = !(5_000..10_000).contains(&(run.now.as_nanos() / 1_000_000));
        credit += if fast { 20_000_000 } else { 3_000_000 };
        while let Some(packet) =
            queue.pop_front_if(|p: &mut MediaPacket| u64::from(p.size) * 80_000 <= credit)
        {
            credit -= u64::from(packet.size) * 80_000;
            flying.push_back((run.now + delay, packet));
        }
        credit = if queue.is_empty() { 0 } else { credit };
        while let Some((at, packet)) = flying.pop_front_if(|(at, _)| *at <= run.now) {
            let MediaPacket { seq, marker, size, .. } = packet;
            let rtp = RtpRepr { seq, marker, payload_len: size - 12, ..RtpRepr::default() };
            receiver.on_packet(at, &rtp, Ecn::NotEct);
        }
        reports.extend(receiver.poll(run.now).map(|report| (run.now + delay, report)));
        while let Some((_, report)) = reports.pop_front_if(|(at, _)| *at <= run.now) {
            run.sender.on_feedback(run.now, &report);
        }
    }
    run.sender.state()
}

#[test]
fn a_cleared_rtp_queue_is_no_loss() {
    for options in versions() {
        let state = call_over_a_dip(options);
        assert!(state.discarded_packets > 0, "{options:?}");
        assert_eq!(state.lost_packets, 0, "{options:?}");
    }
}
