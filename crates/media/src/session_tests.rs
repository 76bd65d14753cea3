//! Begin of sessions in their cycle, and their end.

use super::tests::{config, run, scream, version_1};
use super::*;
use crate::gcc;
use crate::paced::Rates;
use crate::scream::{Options, Pacing};
use crate::video::{FrameList, FrameModel, FrameSizes};
use airpath_base::NodeId;
use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes};
use airpath_net::Probe;
use airpath_net::testing::Bench;
use std::sync::Arc;

/// Frames made, and when, in ms.
#[derive(Default)]
struct Made(Vec<(u64, FrameMade)>);

impl Probe for Made {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        if let Event::App(_, AppEvent::Frame(frame)) = event {
            self.0.push((now.as_nanos() / 1_000_000, *frame));
        }
    }
}

/// Frames at 50 a second and 8 Mbit/s of a source that begins at 100 ms in such a phase.
fn frames(phase: u64, sizes: FrameSizes, until: u64) -> Vec<(u64, FrameMade)> {
    let video = VideoConfig { sizes, frame_rate: 50.0, bitrate: (8e6, 8e6), ..VideoConfig::new() };
    let (start, phase) = (Time::from_millis(100), Duration::from_millis(phase));
    let media = MediaConfig { phase, start, video, ..config(None, 0.0) };
    let mut source = MediaSource::new(media, Seed(1).stream("video")).expect("options that work");
    let (mut bench, mut made) = (Bench::new(), Made::default());
    while let Some(due) = source.next_wake().filter(|due| *due < Time::from_millis(until)) {
        source.wake(due, &mut bench.cx_watched(due, &mut made));
    }
    made.0
}

#[test]
fn a_source_in_a_phase_goes_on_as_one_that_began_earlier() {
    let sizes = [1000, 2000, 3000].into();
    let sizes = || FrameSizes::List(FrameList { sizes: Arc::clone(&sizes), gain: 0.0 });
    let listed = |phase| -> Vec<(u64, u32)> {
        let frames = frames(phase, sizes(), 180);
        frames.into_iter().map(|(at, frame)| (at, frame.bytes)).collect()
    };
    // 8 Mbit/s at 50 frames/s are 20 kB a frame on average, and 10, 20 and 30 kB in turn.
    assert_eq!(listed(0), [(100, 10_000), (120, 20_000), (140, 30_000), (160, 10_000)]);
    assert_eq!(listed(5), [(115, 20_000), (135, 30_000), (155, 10_000), (175, 20_000)]);
    assert_eq!(listed(20), [(100, 20_000), (120, 30_000), (140, 10_000), (160, 20_000)]);
    assert_eq!(listed(60), listed(0), "a cycle later");
}

#[test]
fn key_frames_keep_to_their_cycle_whatever_the_phase() {
    let model = FrameModel { variation: 0.0, ..FrameModel::default() };
    let keys = |phase| -> Vec<u64> {
        let frames = frames(phase, FrameSizes::Model(model), 6_000);
        frames.into_iter().filter(|(_, frame)| frame.key).map(|(at, _)| at).collect()
    };
    assert_eq!(keys(0), [100, 2_100, 4_100]);
    // A session begins with a key frame; those of its cycle were due at -650 ms and so on.
    assert_eq!(keys(750), [110, 1_350, 3_350, 5_350]);
    assert_eq!(keys(2_000), keys(0));
}

#[test]
fn a_session_that_is_poor_for_long_ends() {
    let give_up = |mbps: f64, secs| {
        let below = BitRate::from_bps((mbps * 1e6) as u64);
        Some(GiveUp { below, after: Duration::from_secs(secs) })
    };
    let options = version_1(Pacing::Window);
    // The encoder makes 2 Mbit/s at least; the link takes 1 Mbit/s.
    let ends = |give_up, rates: &[(u64, u64)]| {
        let rate =
            |&(s, kbps): &(u64, u64)| (Time::from_millis(1000 * s), BitRate::from_kbps(kbps));
        let media = MediaConfig { give_up, ..config(scream(options), 0.0) };
        run(media, true, rates.iter().map(rate).collect(), 30)
    };
    // The data before frame number 300, at 300 times 16.666667 ms, are below 1.5 Mbit/s.
    let poor = ends(give_up(1.5, 5), &[(0, 1_000)]);
    assert_eq!((poor.frames.len(), poor.gave_up), (300, Some(Time::from_nanos(5_000_000_100))));
    let last = poor.bytes;
    // 5 s of 1 Mbit/s; what is on its way and in the queue still arrives; in 30 s it would be 3.7 MB.
    assert!((550_000..850_000).contains(&last), "{last}");
    let fair = ends(give_up(0.5, 5), &[(0, 1_000)]);
    assert_eq!((fair.frames.len(), fair.gave_up), (1_800, None));
    // From 10 s on, the rate is 0.4 instead of 5 Mbit/s. The mean of 5 s falls below 1 Mbit/s after
    // less than these 5 s, and after more than a second.
    let later = ends(give_up(1.0, 5), &[(0, 5_000), (10, 400)]);
    let end = later.gave_up.expect("an end").as_secs_f64();
    assert!((11.0..15.0).contains(&end), "{end}");
}

#[test]
fn a_lower_minimum_is_kept_to_where_there_is_less_than_2_mbps() {
    let rates = || vec![(Time::ZERO, BitRate::from_kbps(1_000))];
    for options in [version_1(Pacing::Window), Options::default()] {
        let version = options.version;
        let with = |least: f64| {
            let mut media = config(scream(options), 0.0);
            media.video.bitrate.0 = least;
            let Some(Control::Scream(control)) = &mut media.control else { panic!("no SCReAM") };
            (control.min_bitrate, control.start_bitrate) = (least, least);
            run(media, true, rates(), 30)
        };
        let (low, usual) = (with(2e5), with(2e6));
        let target = low.state.expect("feedback").target_bps;
        assert!((200_000..1_000_000).contains(&target), "{version:?} {target}");
        // At 2 Mbit/s frames wait at the source until they are thrown out.
        let thrown = |seen: &super::tests::Seen| seen.state.map_or(0, |s| s.discarded_packets);
        assert!(
            thrown(&usual) > 1_000 && thrown(&low) < 100,
            "{} {}",
            thrown(&usual),
            thrown(&low)
        );
        let late = |seen: &super::tests::Seen| {
            let late = seen.frame_delays.iter().filter(|delay| **delay > 100.0).count();
            late as f64 / seen.frames.len() as f64
        };
        assert!(low.frame_delays.len() as f64 > 0.9 * low.frames.len() as f64);
        assert!(late(&low) < 0.2, "{}", late(&low));
    }
}

#[test]
fn a_pause_leaves_frames_out_and_lets_what_waits_go() {
    let sizes = [1000, 2000, 3000].into();
    let sizes = FrameSizes::List(FrameList { sizes, gain: 0.0 });
    let video = VideoConfig { sizes, frame_rate: 50.0, bitrate: (8e6, 8e6), ..VideoConfig::new() };
    let media = MediaConfig { video, ..config(None, 0.0) };
    let mut source = MediaSource::new(media, Seed(1).stream("video")).expect("options that work");
    let (mut bench, mut made) = (Bench::new(), Made::default());
    let changes = [(0, false), (30, true), (70, false), (75, false), (140, true), (170, true)];
    for (until, active) in changes {
        let until = Time::from_millis(until);
        while let Some(due) = source.next_wake().filter(|due| *due < until) {
            source.wake(due, &mut bench.cx_watched(due, &mut made));
        }
        let change = Change::Active(active);
        source.change(until, &change, &mut bench.cx(until)).expect("a source");
    }
    let made: Vec<(u64, u32)> = made.0.iter().map(|(at, frame)| (*at, frame.bytes)).collect();
    // The list goes on where it was.
    assert_eq!(made, [(40, 10_000), (60, 20_000), (140, 30_000), (160, 10_000)]);
    let refused = source.change(Time::ZERO, &Change::Rate(None), &mut bench.cx(Time::ZERO));
    assert_eq!(refused.expect_err("a refusal").to_string(), "is a source of video");
}

#[test]
fn what_waits_for_the_control_is_sent_in_a_pause() {
    let options = Options { initial_window: Bytes(5_000), ..version_1(Pacing::Target) };
    let control =
        scream(options).map(|control| crate::scream::Config { start_bitrate: 20e6, ..control });
    let media = config(control, 0.0);
    let draws = Seed(1).stream("video");
    let mut source = MediaSource::new(media.clone(), draws).expect("options that work");
    let mut sink = MediaSink::new(media);
    let (mut bench, mut data) = (Bench::new(), Vec::new());
    for now in (0..500).map(Time::from_millis) {
        for node in [&mut source as &mut dyn Node, &mut sink] {
            if node.next_wake().is_some_and(|due| due <= now) {
                node.wake(now, &mut bench.cx(now));
            }
        }
        if now == Time::ZERO {
            source.change(now, &Change::Active(false), &mut bench.cx(now)).expect("a source");
        }
        for (port, packet) in bench.sent() {
            match packet.leg {
                Leg::Data => {
                    data.push((now, packet.born()));
                    sink.receive(now, port, packet, &mut bench.cx(now));
                }
                Leg::Feedback => source.receive(now, port, packet, &mut bench.cx(now)),
            }
        }
    }
    assert!(data.iter().all(|(_, born)| *born == Time::ZERO), "of the first frame");
    let later = data.iter().filter(|(at, _)| *at > Time::ZERO).count();
    // 20 Mbit/s at the list's frame rate: a frame of more than twenty packets.
    assert!(later > 10 && data.len() - later < 10, "{later} of {}", data.len());
}

#[test]
fn libwebrtc_finds_the_rate_of_a_link_by_probes_whose_padding_is_no_media() {
    let rates = Rates { min: 0.3e6, start: 0.3e6, max: 20e6 };
    let after_three_seconds = |variant| {
        let options = gcc::Options { variant, ..gcc::Options::default() };
        let control = Some(Control::Gcc(options, rates));
        let video = VideoConfig { bitrate: (0.3e6, 20e6), ..config(None, 0.0).video };
        let media = MediaConfig { control, video, ..config(None, 0.0) };
        run(media, false, vec![(Time::ZERO, BitRate::from_mbps(10))], 3)
    };
    let target = |seen: &super::tests::Seen| seen.state.expect("a state").target_bps as f64;
    let seen = after_three_seconds(gcc::Variant::Libwebrtc);
    assert!((6e6..11e6).contains(&target(&seen)), "{}", target(&seen));
    let made: u64 = seen.frames.iter().map(|frame| u64::from(frame.bytes)).sum();
    assert!(seen.bytes <= made, "{} of {made} bytes of media", seen.bytes);
    // 8% in a second from 0.3 Mbit/s.
    let seen = after_three_seconds(gcc::Variant::Draft);
    assert!(target(&seen) < 0.3e6 * 1.08f64.powi(3), "{}", target(&seen));
}
