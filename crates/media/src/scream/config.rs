//! Options of SCReAM's sender, and where their defaults come from.

use core::fmt;

use airpath_base::Duration;
use airpath_schema::choice;

/// Generation of the algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// RFC 8298 with the L4S extension of 2020, as EricssonResearch/scream had it then.
    V1 {
        /// Rule for the pace.
        pacing: Pacing,
    },
    /// draft-ietf-ccwg-rfc8298bis-screamv2, as EricssonResearch/scream had it in 2026.
    #[default]
    V2,
}

// The window of early 2020 is limited as RFC 8298 says, and its target grows and shrinks more slowly.
choice! {
    /// Rule for the pace of SCReAM's version 1.
    pub enum Pacing: Target {
        /// 1.5 times the window in each RTT: the reference code of early 2020.
        Window = "window",
        /// 1.25 times the target bitrate: the reference code of mid 2020.
        Target = "target",
    }
}

/// Options of a [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Generation of the algorithm.
    pub version: Version,
    /// True if CE marks are read as L4S (RFC 9331), in proportion to their share; else as classic
    /// ECN (RFC 3168). Default: true.
    pub l4s: bool,
    /// Smallest target bitrate in bit/s. Default: 2 Mbit/s.
    pub min_bitrate: f64,
    /// First target bitrate in bit/s. Default: 2 Mbit/s.
    pub start_bitrate: f64,
    /// Largest target bitrate in bit/s. Default: 70 Mbit/s.
    pub max_bitrate: f64,
    /// First congestion window in bytes. Default: 25,000 bytes.
    pub initial_window: u32,
    /// Queue delay to aim at. Default: 60 ms (the reference code's test tool; RFC 8298 has
    /// 100 ms).
    pub queue_delay_target: Duration,
    /// The target bitrate grows by so much in a second at most, in bit/s; version 1
    /// only. Default: no limit (RFC 8298, 4.1.3: 200 kbit/s).
    pub ramp_up: f64,
    /// The same as a share of the target bitrate; version 1 only. Default: 0.2.
    pub ramp_up_share: f64,
    /// The RTP queue is cleared when its first packet has waited longer. Default: 100 ms.
    pub max_rtp_queue_delay: Duration,
}

/// Reason for which a sender cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The smallest bitrate is not above zero, or above the first or the largest.
    Bitrates,
    /// The queue delay target is zero.
    QueueDelayTarget,
    /// A limit of growth is not above zero.
    RampUp,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            version: Version::default(),
            l4s: true,
            min_bitrate: 2e6,
            start_bitrate: 2e6,
            max_bitrate: 70e6,
            initial_window: 25_000,
            queue_delay_target: Duration::from_millis(60),
            ramp_up: f64::INFINITY,
            ramp_up_share: 0.2,
            max_rtp_queue_delay: Duration::from_millis(100),
        }
    }
}

impl Config {
    /// Checks that a sender can work with these options.
    ///
    /// # Errors
    ///
    /// If it cannot.
    pub fn check(&self) -> Result<(), ConfigError> {
        let ordered = 0.0 < self.min_bitrate
            && self.min_bitrate <= self.start_bitrate
            && self.start_bitrate <= self.max_bitrate
            && self.max_bitrate.is_finite();
        if !ordered {
            return Err(ConfigError::Bitrates);
        }
        if self.queue_delay_target.is_zero() {
            return Err(ConfigError::QueueDelayTarget);
        }
        let grows = self.ramp_up > 0.0 && self.ramp_up_share > 0.0;
        grows.then_some(()).ok_or(ConfigError::RampUp)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConfigError::Bitrates => {
                "bitrates must be above zero and grow from min to start to max"
            }
            ConfigError::QueueDelayTarget => "the queue delay target must be above zero",
            ConfigError::RampUp => "the limits of growth must be above zero",
        })
    }
}

impl std::error::Error for ConfigError {}
