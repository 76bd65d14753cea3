//! A video encoder: how large its frames are.
//!
//! The encoder follows a target bitrate, at once or with a lag, within its limits. Frame sizes come
//! from a model or from a list that repeats. The model has key frames, scene changes, and a
//! variation in which a large frame is followed by a small one. Left out: quality, resolutions, and
//! layers.

use core::fmt;
use std::sync::Arc;

use airpath_base::random::Stream;
use airpath_base::{Duration, Time, math};

/// Smallest frame in bytes.
const LEAST: f64 = 16.0;

/// Options of an [`Encoder`].
#[derive(Clone, Debug, PartialEq)]
pub struct VideoConfig {
    /// Frames a second.
    pub frame_rate: f64,
    /// Smallest and largest bitrate of the media in bit/s.
    pub bitrate: (f64, f64),
    /// Time constant with which the encoder follows its target. Default: none.
    pub lag: Duration,
    /// Source of frame sizes.
    pub sizes: FrameSizes,
}

/// Source of frame sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameSizes {
    /// A model.
    Model(FrameModel),
    /// A list that repeats, scaled to the target bitrate.
    List(FrameList),
}

/// A model of frame sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameModel {
    /// Time from key frame to key frame; none for key frames on request only.
    pub key_interval: Option<Duration>,
    /// Size of a key frame in sizes of the others.
    pub key_scale: f64,
    /// Mean time from scene change to scene change, which makes a key frame; none for no
    /// scene changes.
    pub scene_interval: Option<Duration>,
    /// Standard deviation of the other frames' sizes over their mean.
    pub variation: f64,
    /// Correlation of a frame's size with the next one's.
    pub correlation: f64,
}

/// Frame sizes that repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameList {
    /// In bytes; at least one, not all zero.
    pub sizes: Arc<[u32]>,
    /// Gain with which the list's own bitrate, at first its mean, follows its frames: 0
    /// for its mean throughout. The reference encoder of SCReAM had 0.05 in 2020.
    pub gain: f64,
}

/// A frame that the encoder has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number, from 0.
    pub number: u64,
    /// Bytes of media.
    pub bytes: u32,
    /// True if the frame can be decoded without earlier frames.
    pub key: bool,
}

/// Reason for which an encoder cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoError {
    /// The frame rate is not between 0.1 and 10,000 a second.
    FrameRate,
    /// The bitrates are not above zero, or the smallest is above the largest.
    Bitrate,
    /// A value of the model is out of range.
    Model,
    /// The list is empty, or has nothing but zeros.
    List,
}

/// Makes frames of the sizes that a target bitrate asks for.
#[derive(Debug)]
pub struct Encoder {
    config: VideoConfig,
    draws: Stream,
    number: u64,
    /// The bitrate that it has come to.
    rate: Option<f64>,
    made: Option<Time>,
    key_due: Time,
    scene_due: Option<Time>,
    key_wanted: bool,
    /// Frames of the cycle that had passed when it began.
    passed: u64,
    /// Deviation of the last frame in standard deviations.
    deviation: f64,
    /// Bitrate of the list itself.
    nominal: f64,
}

impl Default for FrameModel {
    /// Statistics of 40 s of encoded game video at 60 frames/s (SCReAM's trace). A key frame of
    /// 2.56 others comes each 2 s. The others vary by 0.226 (0.26 with the key frames) and are
    /// correlated by -0.39.
    fn default() -> FrameModel {
        FrameModel {
            key_interval: Some(Duration::from_secs(2)),
            key_scale: 2.56,
            scene_interval: None,
            variation: 0.226,
            correlation: -0.39,
        }
    }
}

impl VideoConfig {
    /// A source with the defaults: 60 frames/s at 2 to 70 Mbit/s (L4S in 5G networks,
    /// chapter 4.4), sizes by the model.
    pub fn new() -> VideoConfig {
        VideoConfig {
            frame_rate: 60.0,
            bitrate: (2e6, 70e6),
            lag: Duration::ZERO,
            sizes: FrameSizes::Model(FrameModel::default()),
        }
    }

    /// Time from frame to frame.
    pub fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.frame_rate)
    }

    /// After how long the sizes repeat: those of a list, or the key frames of the model. A frame
    /// if neither does.
    pub fn cycle(&self) -> Duration {
        match &self.sizes {
            FrameSizes::List(list) => self.period() * list.sizes.len() as u64,
            FrameSizes::Model(model) => model.key_interval.unwrap_or_else(|| self.period()),
        }
    }

    fn check(&self) -> Result<(), VideoError> {
        if !(0.1..=10_000.0).contains(&self.frame_rate) {
            return Err(VideoError::FrameRate);
        }
        let (least, most) = self.bitrate;
        if !(least > 0.0 && least <= most && most.is_finite()) {
            return Err(VideoError::Bitrate);
        }
        match &self.sizes {
            FrameSizes::Model(model) => model.check(),
            FrameSizes::List(list) => list.check(),
        }
    }
}

impl Default for VideoConfig {
    fn default() -> VideoConfig {
        VideoConfig::new()
    }
}

impl FrameModel {
    fn check(&self) -> Result<(), VideoError> {
        let intervals = [self.key_interval, self.scene_interval];
        let fine = (1.0..=1000.0).contains(&self.key_scale)
            && (0.0..=1.0).contains(&self.variation)
            && (-0.99..=0.99).contains(&self.correlation)
            && intervals.iter().flatten().all(|interval| !interval.is_zero());
        fine.then_some(()).ok_or(VideoError::Model)
    }

    /// Size of the frames that are no key frames, in mean sizes of all.
    fn base(&self, frame_rate: f64) -> f64 {
        let keys = self
            .key_interval
            .map_or(0.0, |interval| (1.0 / (interval.as_secs_f64() * frame_rate)).min(1.0));
        1.0 / (1.0 + keys * (self.key_scale - 1.0))
    }
}

impl FrameList {
    fn check(&self) -> Result<(), VideoError> {
        let fine = self.sizes.iter().any(|size| *size > 0) && (0.0..=1.0).contains(&self.gain);
        fine.then_some(()).ok_or(VideoError::List)
    }

    fn mean(&self) -> f64 {
        self.sizes.iter().map(|size| f64::from(*size)).sum::<f64>() / self.sizes.len() as f64
    }
}

impl Encoder {
    /// An encoder; what is random comes from `draws`.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: VideoConfig, draws: Stream) -> Result<Encoder, VideoError> {
        config.check()?;
        let nominal = match &config.sizes {
            FrameSizes::List(list) => list.mean() * 8.0 * config.frame_rate,
            FrameSizes::Model(_) => 0.0,
        };
        Ok(Encoder {
            config,
            draws,
            number: 0,
            rate: None,
            made: None,
            key_due: Time::ZERO,
            scene_due: None,
            key_wanted: false,
            passed: 0,
            deviation: 0.0,
            nominal,
        })
    }

    /// Time from frame to frame.
    pub fn period(&self) -> Duration {
        self.config.period()
    }

    /// Moves an encoder without frames so far by a number of frames in its cycle. A list is read
    /// from there on. Key frames of the model are due as they are then, and the first frame is a
    /// key frame in any case.
    pub fn pass(&mut self, frames: u64) {
        self.passed = frames;
    }

    /// The next frame is to be a key frame.
    pub fn request_key_frame(&mut self) {
        self.key_wanted = true;
    }

    /// Makes a frame for a target in bit/s of media.
    pub fn encode(&mut self, now: Time, target: f64) -> Frame {
        let rate = self.follow(now, target);
        let (scale, key) = match self.config.sizes.clone() {
            FrameSizes::Model(model) => self.model(now, &model),
            FrameSizes::List(list) => self.listed(&list),
        };
        let bytes = (scale * rate / (8.0 * self.config.frame_rate)).max(LEAST);
        let number = self.number;
        self.number += 1;
        self.made = Some(now);
        Frame { number, bytes: bytes.min(f64::from(u32::MAX / 2)) as u32, key }
    }

    /// The bitrate that it comes to.
    fn follow(&mut self, now: Time, target: f64) -> f64 {
        let (least, most) = self.config.bitrate;
        let goal = target.max(least).min(most);
        let rate = match (self.rate, self.made) {
            (Some(rate), Some(made)) if !self.config.lag.is_zero() => {
                let span = now.saturating_since(made).as_secs_f64();
                goal + (rate - goal) * math::exp(-span / self.config.lag.as_secs_f64())
            }
            _ => goal,
        };
        self.rate = Some(rate);
        rate
    }

    /// Size in mean sizes, and whether it is a key frame.
    fn model(&mut self, now: Time, model: &FrameModel) -> (f64, bool) {
        let base = model.base(self.config.frame_rate);
        if self.is_key(now, model) {
            return (base * model.key_scale, true);
        }
        let fresh = (1.0 - model.correlation * model.correlation).sqrt();
        self.deviation = model.correlation * self.deviation + fresh * self.draws.normal(0.0, 1.0);
        (base * (1.0 + model.variation * self.deviation).max(0.0), false)
    }

    fn is_key(&mut self, now: Time, model: &FrameModel) -> bool {
        let first = self.number == 0;
        let mut key = core::mem::take(&mut self.key_wanted) || first;
        if let Some(mean) = model.scene_interval {
            if self.scene_due.is_some_and(|due| due <= now) {
                key = true;
            }
            if first || self.scene_due.is_some_and(|due| due <= now) {
                let wait = self.draws.exponential(mean.as_secs_f64());
                self.scene_due = Some(now + Duration::from_secs_f64(wait));
            }
        }
        let Some(interval) = model.key_interval else { return key };
        key |= self.key_due <= now;
        if key {
            // The first frame counts for one that was due in the cycle before it.
            let into = if first { self.passed_within(interval) } else { Duration::ZERO };
            self.key_due = now + (interval - into);
        }
        key
    }

    /// Time from the last key frame of the cycle, within the interval of key frames.
    fn passed_within(&self, interval: Duration) -> Duration {
        let passed = u128::from(self.passed) * u128::from(self.period().as_nanos());
        Duration::from_nanos((passed % u128::from(interval.as_nanos())) as u64)
    }

    /// A list has no key frames, so a request for one changes nothing.
    fn listed(&mut self, list: &FrameList) -> (f64, bool) {
        self.key_wanted = false;
        let place = (self.passed + self.number) % list.sizes.len() as u64;
        let size = f64::from(list.sizes[place as usize]);
        let rate = size * 8.0 * self.config.frame_rate;
        let scale = rate / self.nominal;
        self.nominal += list.gain * (rate - self.nominal);
        (scale, false)
    }
}

impl fmt::Display for VideoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VideoError::FrameRate => "the frame rate must be 0.1 to 10000 a second",
            VideoError::Bitrate => {
                "bitrates must be above zero, the smallest not above the largest"
            }
            VideoError::Model => "a value of the frame model is out of range",
            VideoError::List => "the list of frame sizes must have one above zero",
        })
    }
}

impl std::error::Error for VideoError {}

#[cfg(test)]
#[path = "video_tests.rs"]
mod tests;
