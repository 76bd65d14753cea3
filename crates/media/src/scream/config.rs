//! Options of SCReAM's sender, and where their defaults come from.

use core::fmt;

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::Rate;
use airpath_schema::{above, above_to, between, choice, record};
use airpath_wire::Ecn;

use crate::Reports;

choice! {
    /// A generation of SCReAM.
    pub enum Version {
        /// RFC 8298 with the L4S extension of 2020.
        V1 = "v1",
        /// The draft draft-ietf-ccwg-rfc8298bis-screamv2.
        V2 = "v2",
    }
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

choice! {
    /// Code point of packets and answer to congestion marks.
    pub enum Marking {
        /// ECT(1), and marks in proportion (RFC 9331).
        L4s = "l4s",
        /// ECT(0), and a mark nearly as a loss (RFC 3168).
        Classic = "classic",
        /// No ECN: packets are Not-ECT.
        Off = "off",
    }
}

choice! {
    /// Begin of the half second that makes the flight void.
    pub enum StallFrom {
        /// The last feedback, or a later packet that was sent with nothing in flight.
        Feedback = "feedback",
    }
}

record! {
    /// Options of SCReAM.
    #[derive(Copy)]
    pub struct Options: Default {
        /// Generation of SCReAM. Default: "v2", the newer.
        version: Version = Version::V2;
        /// Rule for the pace of "v1". Default: "target", the newer.
        pacing: Pacing = Pacing::Target;
        /// Code point of packets and answer to congestion marks. Default: "l4s".
        ecn: Marking = Marking::L4s;
        /// First target bitrate. Default: the lowest of the video.
        start_rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// First congestion window. Default: 25000 B (SCReAM's test tool).
        initial_window: Bytes = Bytes(25_000) => between(Bytes(200), Bytes(1 << 30));
        /// Least congestion window, beside that of SCReAM's library. Default: none: two packets, and
        /// three of 100 B as the largest packet is forgotten (library and plugin of March 2020,
        /// code/ScreamTx.cpp, lines 340 and 459). SCReAM's test tool has 5000 B
        /// (bw-test-tool/code/scream_sender.cpp, line 432).
        min_window: Option<Bytes> => between(Bytes(1), Bytes(1 << 30));
        /// Queue delay to aim at. Default: 60 ms (SCReAM's test tool; RFC 8298, 4.1.1.1, and the
        /// library of March 2020 have 100 ms).
        queue_delay_target: Duration = Duration::from_millis(60)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// By how much the target of "v1" grows in a second at most. Default: "unlimited";
        /// RFC 8298, 4.1.1.1, has 200 kbit/s.
        ramp_up: Rate = Rate::Unlimited => above(BitRate::from_bps(0));
        /// Largest growth of the target of "v1" in a second, as a share of the target. Default: 0.2
        /// (reference code of 2020).
        ramp_up_share: f64 = 0.2 => above_to(0.0, 100.0);
        /// Longest wait of the first packet in the RTP queue, beyond which the queue is cleared and
        /// a key frame requested. Default: 100 ms (reference code).
        max_rtp_queue_delay: Duration = Duration::from_millis(100)
            => above_to(Duration::ZERO, Duration::from_secs(3_600));
        /// Begin of the half second that makes the flight void, so that packets leave although none
        /// is acknowledged. Default: the last packet sent, as the reference code of both versions
        /// has it. Over a link below `min_rate` "v1" then fills the queue without limit. The option
        /// "feedback" begins at the last feedback, which no code has. Its only source is the
        /// self-clocking of RFC 8298, 1.2.
        stall_from: Option<StallFrom>;
    }
}

/// Configuration of a [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Options.
    pub options: Options,
    /// Smallest target bitrate in bit/s. Default: 2 Mbit/s.
    pub min_bitrate: f64,
    /// First target bitrate in bit/s. Default: 2 Mbit/s.
    pub start_bitrate: f64,
    /// Largest target bitrate in bit/s. Default: 70 Mbit/s.
    pub max_bitrate: f64,
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
        let options = Options::default();
        Config { options, min_bitrate: 2e6, start_bitrate: 2e6, max_bitrate: 70e6 }
    }
}

impl Marking {
    /// ECN field of packets.
    pub fn code_point(self) -> Ecn {
        match self {
            Marking::L4s => Ecn::Ect1,
            Marking::Classic => Ecn::Ect0,
            Marking::Off => Ecn::NotEct,
        }
    }
}

impl Options {
    /// True if CE marks are read in proportion to their share (RFC 9331).
    pub(super) fn is_l4s(&self) -> bool {
        self.ecn == Marking::L4s
    }

    /// Largest growth of the target in bit/s in a second.
    pub(super) fn growth(&self) -> f64 {
        self.ramp_up.quantity().map_or(f64::INFINITY, |rate| rate.as_bps() as f64)
    }
}

impl Config {
    /// Rule for the times of the receiver's reports.
    pub fn reports(&self) -> Reports {
        match self.options.version {
            Version::V1 => Reports::ByRate,
            Version::V2 => Reports::ByFrame,
        }
    }

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
        if self.options.queue_delay_target.is_zero() {
            return Err(ConfigError::QueueDelayTarget);
        }
        let grows = self.options.growth() > 0.0 && self.options.ramp_up_share > 0.0;
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
