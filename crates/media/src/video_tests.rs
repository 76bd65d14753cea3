use super::*;
use airpath_base::random::Seed;

fn frames(config: VideoConfig, count: u64, target: impl Fn(Time) -> f64) -> Vec<Frame> {
    let mut encoder = Encoder::new(config, Seed(1).stream("video")).expect("options that work");
    let period = encoder.period();
    (0..count)
        .map(|n| {
            let now = Time::ZERO + period * n;
            encoder.encode(now, target(now))
        })
        .collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[test]
fn the_statistics_of_the_trace() {
    // 40 s of encoded game video (SCReAM's key frame trace): a large frame each 120, the
    // others correlated by -0.39, all with a coefficient of variation of 0.26.
    let frames = frames(VideoConfig::new(), 60_000, |_| 10e6);
    let keys: Vec<u64> = frames.iter().filter(|f| f.key).map(|f| f.number).collect();
    assert_eq!((keys[0], keys[1], keys[2]), (0, 120, 240));
    let all = frames.iter().map(|f| f64::from(f.bytes));
    let middle = mean(all.clone());
    assert!((middle * 8.0 * 60.0 / 10e6 - 1.0).abs() < 0.01, "{middle}");
    let spread = mean(all.map(|x| (x - middle) * (x - middle))).sqrt() / middle;
    assert!((spread - 0.264).abs() < 0.01, "{spread}");
    let others: Vec<f64> = frames.iter().filter(|f| !f.key).map(|f| f64::from(f.bytes)).collect();
    let middle = mean(others.iter().copied());
    let variance = mean(others.iter().map(|x| (x - middle) * (x - middle)));
    let lagged = mean(others.windows(2).map(|w| (w[0] - middle) * (w[1] - middle)));
    assert!((lagged / variance + 0.39).abs() < 0.02, "{}", lagged / variance);
}

#[test]
fn key_frames_on_request_and_at_scene_changes() {
    let model = FrameModel { key_interval: None, ..FrameModel::default() };
    let config = VideoConfig { sizes: FrameSizes::Model(model), ..VideoConfig::new() };
    let mut encoder = Encoder::new(config.clone(), Seed(1).stream("video")).expect("fine");
    let mut key = |n: u64| encoder.encode(Time::from_millis(20 * n), 5e6).key;
    assert_eq!([key(0), key(1)], [true, false]);
    encoder.request_key_frame();
    let mut key = |n: u64| encoder.encode(Time::from_millis(20 * n), 5e6).key;
    assert_eq!([key(2), key(3)], [true, false]);

    let model = FrameModel { scene_interval: Some(Duration::from_secs(5)), ..model };
    let config = VideoConfig { sizes: FrameSizes::Model(model), ..config };
    let scenes = frames(config, 60_000, |_| 5e6).iter().filter(|f| f.key).count();
    assert!((150..=250).contains(&scenes), "{scenes} in 1000 s");
}

#[test]
fn the_target_is_followed_with_a_lag_and_within_limits() {
    let model = FrameModel { key_interval: None, variation: 0.0, ..FrameModel::default() };
    let config = VideoConfig {
        lag: Duration::from_secs(1),
        sizes: FrameSizes::Model(model),
        ..VideoConfig::new()
    };
    let step = |now: Time| if now < Time::from_millis(1000) { 1e6 } else { 100e6 };
    let frames = frames(config, 400, step);
    let rate = |n: usize| f64::from(frames[n].bytes) * 480.0;
    assert!((rate(30) - 2e6).abs() < 500.0); // the smallest
    // The first frame that sees the step comes 1/60 s after the last that did not.
    let expected = 70e6 - 68e6 * math::exp(-61.0 / 60.0);
    assert!((rate(120) - expected).abs() < 1e3, "{} {expected}", rate(120));
    assert!((rate(399) / 70e6 - 1.0).abs() < 0.02);
}

#[test]
fn a_list_is_scaled_to_the_target_and_repeats() {
    let list = FrameList { sizes: Arc::from([1000, 3000]), gain: 0.0 };
    let config = VideoConfig {
        frame_rate: 50.0,
        sizes: FrameSizes::List(list.clone()),
        ..VideoConfig::new()
    };
    // 8 Mbit/s at 50 frames/s is 20,000 bytes a frame.
    let sizes: Vec<u32> = frames(config.clone(), 4, |_| 8e6).iter().map(|f| f.bytes).collect();
    assert_eq!(sizes, [10_000, 30_000, 10_000, 30_000]);
    // With a gain of 0.5 the nominal rate goes from 800 kbit/s to 600 to 900 to 650.
    let list = FrameList { gain: 0.5, ..list };
    let config = VideoConfig { sizes: FrameSizes::List(list), ..config };
    let sizes: Vec<u32> = frames(config, 4, |_| 8e6).iter().map(|f| f.bytes).collect();
    assert_eq!(sizes, [10_000, 40_000, 8888, 36_923]);
}

#[test]
fn options_that_cannot_work_are_refused() {
    let refused = |config: VideoConfig| Encoder::new(config, Seed(1).stream("x")).err();
    let base = VideoConfig::new;
    assert_eq!(refused(VideoConfig { frame_rate: 0.0, ..base() }), Some(VideoError::FrameRate));
    assert_eq!(refused(VideoConfig { bitrate: (2.0, 1.0), ..base() }), Some(VideoError::Bitrate));
    let sizes = FrameSizes::Model(FrameModel { correlation: 1.0, ..FrameModel::default() });
    assert_eq!(refused(VideoConfig { sizes, ..base() }), Some(VideoError::Model));
    let sizes = FrameSizes::List(FrameList { sizes: Arc::from([0]), gain: 0.0 });
    assert_eq!(refused(VideoConfig { sizes, ..base() }), Some(VideoError::List));
}
