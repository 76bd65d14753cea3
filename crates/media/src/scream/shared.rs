//! State on which both versions of the controller work.

use super::config::Config;
use super::delay::PathDelay;
use super::flight::{Flight, Passed};
use crate::key_frame::KeyFrame;
use crate::queue::RtpQueue;
use crate::ticks::{SECOND, Ticks, ticks};

/// The RTP queue, the flight and the path, and the wish for a key frame.
#[derive(Debug)]
pub(super) struct Shared {
    pub config: Config,
    pub queue: RtpQueue,
    pub flight: Flight,
    pub path: PathDelay,
    pub bytes: StreamBytes,
    /// Target queue delay in seconds.
    pub queue_delay_target: f64,
    /// Packets thrown out of the RTP queue.
    pub discarded: u64,
    /// Packets that count as lost in the network.
    pub lost: u64,
    discarded_at: Ticks,
    key_frame: KeyFrame,
}

/// Bytes of a stream since the rates were last computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamBytes {
    pub made: u64,
    pub sent: u64,
    pub acked: u64,
}

/// The controller's view of one acknowledged packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acked {
    pub size: u64,
    pub ce: bool,
    /// True if the packet is the newest of its report.
    pub last: bool,
}

impl Shared {
    pub fn new(config: Config, srtt: Ticks) -> Shared {
        Shared {
            config,
            queue: RtpQueue::default(),
            flight: Flight::default(),
            path: PathDelay::new(srtt),
            bytes: StreamBytes::default(),
            queue_delay_target: config.options.queue_delay_target.as_secs_f64(),
            discarded: 0,
            lost: 0,
            discarded_at: 0,
            key_frame: KeyFrame::default(),
        }
    }

    /// From the second frame on the time counts after which the RTP queue may be cleared.
    pub fn await_discards(&mut self, now: Ticks) {
        if self.discarded_at == 0 {
            self.discarded_at = now;
        }
    }

    /// Clears the RTP queue if it has grown too old, but not twice within `apart`; says
    /// whether it did.
    pub fn discard_if_old(&mut self, now: Ticks, apart: Ticks) -> bool {
        let limit = ticks(self.config.options.max_rtp_queue_delay) as f64 / SECOND as f64;
        let old = self.queue.delay(now) > limit && now.saturating_sub(self.discarded_at) > apart;
        if old {
            self.discarded += self.queue.clear() as u64;
            self.discarded_at = now;
            self.key_frame.want();
        }
        old
    }

    /// Clears the RTP queue while the network's queue is left to drain; says whether.
    pub fn drain(&mut self, now: Ticks) -> bool {
        let draining = self.path.draining(now);
        if draining {
            let cleared = self.queue.clear();
            self.discarded += cleared as u64;
            if cleared > 0 {
                self.key_frame.want();
            }
        }
        draining
    }

    pub fn note_losses(&mut self, passed: &Passed) {
        let lost = passed.lost_packets();
        self.lost += lost;
        if lost > 0 {
            self.key_frame.want();
        }
    }

    /// True if the encoder should make a key frame now.
    pub fn take_key_frame(&mut self) -> bool {
        self.key_frame.take()
    }

    pub fn clamp_bitrate(&self, bitrate: f64) -> f64 {
        bitrate.max(self.config.min_bitrate).min(self.config.max_bitrate)
    }
}
