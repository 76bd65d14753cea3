//! Video of an end: frames at fixed times, cut into packets of RTP.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_base::random::Stream;
use airpath_media::video::{Encoder, VideoError};
use airpath_media::{Patience, Timetable, timestamp};
use airpath_net::FrameMade;

use super::config::VideoSource;

/// Frames whose times are remembered: packets of older ones are sent no more.
const MOST: usize = 1_024;

/// A source of video.
#[derive(Debug)]
pub(super) struct Source {
    config: VideoSource,
    encoder: Encoder,
    times: Timetable,
    patience: Option<Patience>,
    /// Times of frames, by their RTP timestamps.
    made: VecDeque<(u32, Time)>,
    /// Target in bit/s of RTP payload.
    target: f64,
}

/// A packet of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub bytes: u32,
    pub marker: bool,
}

impl Source {
    /// A source; what is random comes from `draws`.
    pub fn new(config: VideoSource, draws: Stream) -> Result<Source, VideoError> {
        let mut encoder = Encoder::new(config.encoder.clone(), draws)?;
        let spans = (encoder.period(), config.phase);
        let (times, passed) = Timetable::new(config.start, spans, config.stop);
        encoder.pass(passed);
        let patience = config.give_up.filter(|_| config.start_bps.is_some());
        let patience = patience.map(|give_up| Patience::new(give_up, encoder.period()));
        let target = config.start_bps.unwrap_or(config.encoder.bitrate.1);
        Ok(Source { config, encoder, times, patience, made: VecDeque::new(), target })
    }

    /// The largest bitrate in bit/s.
    pub fn most(&self) -> f64 {
        self.config.encoder.bitrate.1
    }

    /// First target in bit/s, with bandwidth estimation.
    pub fn start_bps(&self) -> Option<f64> {
        self.config.start_bps
    }

    /// Time of the next frame.
    pub fn due(&self) -> Option<Time> {
        self.times.due()
    }

    /// True before the first frame.
    pub fn is_new(&self) -> bool {
        self.times.frames() == 0
    }

    /// Target of the encoder in bit/s: the estimate within the limits of the encoder.
    pub fn target(&self) -> f64 {
        let (least, most) = self.config.encoder.bitrate;
        self.target.max(least).min(most)
    }

    /// The bandwidth estimation has a new target in bit/s.
    pub fn set_target(&mut self, target: f64) {
        self.target = target;
    }

    /// The next frame is to be a key frame.
    pub fn request_key_frame(&mut self) {
        self.encoder.request_key_frame();
    }

    /// So many bytes of media have left the source.
    pub fn left(&mut self, bytes: u32) {
        self.patience.iter_mut().for_each(|patience| patience.sent(bytes));
    }

    /// True if the session ends for a poor rate instead of the next frame. To be called once a frame.
    pub fn gives_up(&mut self) -> bool {
        self.patience.as_mut().is_some_and(Patience::is_over)
    }

    /// No frame is made any more.
    pub fn end(&mut self) {
        self.times.end();
    }

    /// Pauses, or goes on.
    pub fn set_active(&mut self, now: Time, active: bool) {
        self.times.set_active(now, active);
    }

    /// Makes the frame that is due.
    pub fn make(&mut self, now: Time) -> (FrameMade, impl Iterator<Item = Packet> + use<>) {
        let frame = self.encoder.encode(now, self.target);
        let (bytes, most) = (frame.bytes, self.config.packet);
        let count = bytes.div_ceil(most).max(1);
        if self.made.len() == MOST {
            self.made.pop_front();
        }
        self.made.push_back((timestamp(now), now));
        self.times.made();
        let made = FrameMade {
            timestamp: timestamp(now),
            bytes,
            packets: count,
            key: frame.key,
            processing: self.config.processing,
            deadline: self.config.deadline,
        };
        let packets = (0..count)
            .map(move |n| Packet { bytes: (bytes - n * most).min(most), marker: n + 1 == count });
        (made, packets)
    }

    /// Time of the frame with this timestamp.
    pub fn time_of(&self, timestamp: u32) -> Option<Time> {
        self.made.iter().rev().find(|(own, _)| *own == timestamp).map(|(_, at)| *at)
    }
}
