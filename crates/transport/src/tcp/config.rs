//! Options of a connection.

use core::fmt;

use airpath_base::{BitRate, Duration};
use airpath_schema::{above_to, between, choice, record};
use airpath_wire::Ecn;

use super::{EcnMode, LossDetection, Pacing, Reduction};
use crate::control::ControllerConfig;

/// Options of one end of a connection. Defaults follow the standards; where
/// these leave a choice, Linux.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpConfig {
    /// Maximum segment size in bytes, options included, as announced on the SYN
    /// and as limit of what is sent. Default: 1460, an MTU of 1500 less 40 bytes
    /// of IPv4 and TCP headers (RFC 6691, 2). With timestamps, 12 bytes of each
    /// segment are options and 1448 payload.
    pub mss: u32,
    /// Payload bytes of a full segment, whatever options go with it; overrides
    /// what follows from `mss` at the sender. Default: none.
    pub segment: Option<u32>,
    /// Whether the SYN carries the maximum segment size option. Default: yes
    /// (RFC 9293, 3.7.1: should); ns-3: no.
    pub announce_mss: bool,
    /// Initial window in segments. Default: 10 (RFC 6928, 2). It is one segment
    /// if the SYN or its answer was lost (RFC 5681, 3.1).
    pub initial_window: u32,
    /// Initial slow start threshold in bytes. Default: `u64::MAX`, "arbitrarily
    /// high" (RFC 5681, 3.1).
    pub initial_ssthresh: u64,
    /// Whether to offer and use SACK (RFC 2018). Default: yes.
    pub sack: bool,
    /// Whether to offer and use timestamps (RFC 7323). Default: yes.
    pub timestamps: bool,
    /// Tick of the timestamp clock. Default: 1 ms (RFC 7323, 5.4: 1 ms to 1 s).
    pub timestamp_tick: Duration,
    /// Whether to offer and use window scaling (RFC 7323). Default: yes.
    pub window_scaling: bool,
    /// Receive buffer in bytes, all of it offered as window. Default: 6 MiB
    /// (Linux, largest value of `tcp_rmem`).
    pub receive_buffer: u64,
    /// How the application takes data from the receive buffer. Default: at once.
    pub reader: Reader,
    /// Most bytes that the application may have written and the peer not yet
    /// acknowledged. Default: 4 MiB (Linux, largest value of `tcp_wmem`);
    /// `u64::MAX` for no limit.
    pub send_buffer: u64,
    /// In pieces of how many bytes the application writes; a piece is taken whole or
    /// not at all, but for the last; pieces larger than the buffer count as large as
    /// it. Default: 1.
    pub write_size: u32,
    /// Delayed acknowledgements; `None` acknowledges each segment at once.
    pub delayed_ack: Option<DelayedAck>,
    /// Lowest retransmission timeout. Default: 1 s (RFC 6298, 2.4). Linux: 200 ms,
    /// with a granularity of 200 ms.
    pub min_rto: Duration,
    /// Retransmission timeout before the first RTT sample. Default: 1 s
    /// (RFC 6298, 2.1).
    pub initial_rto: Duration,
    /// Highest retransmission timeout. Default: 60 s (RFC 6298, 2.5).
    pub max_rto: Duration,
    /// Clock granularity G of the timeout's formula, by which the timeout exceeds the
    /// smoothed RTT at least. Default: 1 ms. Linux: 200 ms (`tcp_rto_min`).
    pub rtt_granularity: Duration,
    /// Whether a doubled timeout lasts until an RTT sample (Karn's algorithm; RFC
    /// 6298, 5.7), rather than until new data are acknowledged. Default: yes.
    pub backoff_until_sample: bool,
    /// Where RTT samples come from. Default: the segments' own times.
    pub rtt_source: RttSource,
    /// Whether each duplicate acknowledgement gives an RTT sample and moves the
    /// retransmission timer that runs to the timeout that follows (Huang et al.,
    /// SIGCOMM 2013, 5). Default: no; with `RttSource::Segments` what is SACKed
    /// still counts for the timeouts of segments sent later.
    pub rto_from_duplicates: bool,
    /// Timeout of the first SYN; doubles with each. Default: 1 s (RFC 6298, 2.1).
    pub syn_timeout: Duration,
    /// How often a SYN is repeated before the connection fails. Default: 6
    /// (Linux, `tcp_syn_retries`).
    pub syn_retries: u32,
    /// Duplicate acknowledgements that mean a loss. Default: 3 (RFC 5681, 3.2).
    pub duplicate_ack_threshold: u32,
    /// Whether duplicate acknowledgements below the threshold let new data out
    /// (RFC 3042). Default: yes.
    pub limited_transmit: bool,
    /// Loss recovery. Without SACK, agreed by both ends, it is RFC 6582's
    /// whatever is set here. Default: RFC 6675.
    pub recovery: LossRecovery,
    /// What ssthresh is a share of after a loss. Default: FlightSize.
    pub flight_measure: FlightMeasure,
    /// Whether NextSeg may send segments that are not known to be lost when
    /// there is nothing else (RFC 6675, 4, rule 3). Default: yes.
    pub speculative_retransmission: bool,
    /// Whether NextSeg may send one rescue retransmission in each recovery
    /// (RFC 6675, 4, rule 4). Default: yes.
    pub rescue_retransmission: bool,
    /// What restarts the retransmission timer in fast recovery. Default: each
    /// acknowledgement of new data.
    pub recovery_timer: RecoveryTimer,
    /// Whether each timeout lowers ssthresh, repeated ones for the same segment
    /// too. Default: no (RFC 5681, 3.1); ns-3 does.
    pub rto_always_lowers_ssthresh: bool,
    /// Whether the acknowledgement that ends recovery from a timeout grows the
    /// window only for whole segments sent after the timeout. Default: no; ns-3:
    /// yes.
    pub timeout_exit_counts_new_only: bool,
    /// Whether the window is cut to the initial window after nothing was sent
    /// for a timeout (RFC 5681, 4.1). Default: yes.
    pub idle_restart: bool,
    /// Whether the Eifel algorithm (RFC 3522) detects that a retransmission was
    /// for nothing; needs timestamps. Default: no.
    pub eifel: bool,
    /// Feedback of congestion marks that is offered and taken. Default: none.
    pub ecn: EcnMode,
    /// Whether the option AccECN goes with accurate feedback (RFC 9768, 3.2.3). Default: yes. What
    /// the peer sends of it is read in any case.
    pub ecn_option: bool,
    /// ECN field of all segments with data, whatever the controller and the feedback: that of a
    /// sender that claims to be what it is not. Default: none, they decide.
    pub ect: Option<Ecn>,
    /// How losses are found. Default: by duplicates.
    pub loss_detection: LossDetection,
    /// Whether the loss of a retransmission lowers the window once more. Default: yes
    /// (RFC 5681, 4.3); Linux repairs it only. Such losses are found by RACK alone.
    pub lost_retransmission_reduces: bool,
    /// How the window comes down in fast recovery. Default: at once.
    pub reduction: Reduction,
    /// What is paced. Default: what the controller asks to.
    pub pacing: Pacing,
    /// The congestion controller. Default: CUBIC.
    pub controller: ControllerConfig,
    /// Initial sequence number. Default: 0.
    pub initial_sequence: u32,
}

record! {
    /// When an acknowledgement may wait.
    #[derive(Copy)]
    pub struct DelayedAck: Default {
        /// Segments after which it must be sent. Default: 2 (RFC 9293, 3.8.6.3).
        count: u32 = 2 => between(1, 1_000);
        /// Time after which it must be sent. Default: 40 ms (Linux, `TCP_DELACK_MIN`; RFC
        /// 9293 allows up to 500 ms).
        timeout: Duration = Duration::from_millis(40)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// How many of the first segments are acknowledged at once. Default: 0; ns-3 has
        /// 1.
        at_once: u32 = 0;
    }
}

/// How the application takes received data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// As soon as they are in order.
    #[default]
    Instant,
    /// At most so fast, in pieces of at most a segment, so that the receive
    /// buffer fills.
    Rate(BitRate),
    /// Only what it takes by [`Connection::read`](super::Connection::read).
    Itself,
}

choice! {
    /// Where RTT samples come from.
    pub enum RttSource {
        /// The times at which segments were sent, to the nanosecond.
        // The first newly acknowledged segment counts, unless it has been retransmitted (Karn's
        // algorithm); then the timestamp option, if there is one.
        Segments = "segments",
        /// The timestamp option, in its ticks.
        // Samples of less than a tick are skipped (RFC 7323, 4.1). Without timestamps as `Segments`.
        Timestamps = "timestamps",
    }
}

choice! {
    /// How losses are repaired.
    pub enum LossRecovery {
        /// By scoreboard (RFC 6675).
        Sack = "sack",
        /// By scoreboard as ns-3 up to 3.29 does it.
        // `docs/models.md` has what differs from RFC 6675.
        Ns3 = "ns3",
        /// By partial acknowledgements (RFC 6582).
        // Duplicate acknowledgements inflate the window.
        NewReno = "newreno",
    }
}

choice! {
    /// What the slow start threshold is a share of after a loss.
    pub enum FlightMeasure {
        /// All that is sent and not cumulatively acknowledged.
        // Less what limited transmit let out (RFC 5681, 3.2; RFC 6675, 4.2).
        FlightSize = "flight-size",
        /// What is thought to be in the network (ns-3).
        // Neither SACKed nor lost.
        Pipe = "pipe",
        /// The congestion window (Linux).
        // RFC 9438, 4.6, allows it.
        Window = "window",
    }
}

choice! {
    /// What restarts the retransmission timer in fast recovery (RFC 6582, 4).
    pub enum RecoveryTimer {
        /// Each partial acknowledgement: slow but steady.
        // RFC 6298, 5.3.
        EveryAck = "every-ack",
        /// The first one of a recovery: impatient.
        // RFC 6582, 3.2.
        FirstPartialAck = "first-partial-ack",
        /// Each partial acknowledgement and each retransmission (RFC 6675, 6).
        EachRetransmission = "each-retransmission",
        /// Each partial acknowledgement, each retransmission of the first segment that is
        /// missing and, with `rto_from_duplicates`, a duplicate acknowledgement for what was
        /// sent before that retransmission (Linux).
        // The timer is not prolonged in another way (Linux, `tcp_xmit_retransmit_queue` and
        // `tcp_clean_rtx_queue`).
        Head = "head",
    }
}

/// Why options cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpConfigError {
    /// The maximum segment size leaves no room for data beside options (needs 64
    /// to 65,495 bytes).
    Mss,
    /// A segment size of 0, or more than 65,495 bytes.
    Segment,
    /// An initial window of 0 segments.
    InitialWindow,
    /// A buffer of 0 bytes, or a receive buffer above 1 GiB (RFC 7323, 2.3).
    Buffer,
    /// A reader that never reads.
    Reader,
    /// A timeout or clock tick of zero, a tick above 1 s (RFC 7323, 5.4), or
    /// timeouts of which the lowest is above the highest.
    Timer,
    /// A threshold or count of zero.
    Count,
}

impl Default for TcpConfig {
    fn default() -> TcpConfig {
        let second = Duration::from_secs(1);
        TcpConfig {
            mss: 1460,
            segment: None,
            announce_mss: true,
            initial_window: 10,
            initial_ssthresh: u64::MAX,
            sack: true,
            timestamps: true,
            timestamp_tick: Duration::from_millis(1),
            window_scaling: true,
            receive_buffer: 6 << 20,
            reader: Reader::Instant,
            send_buffer: 4 << 20,
            write_size: 1,
            delayed_ack: Some(DelayedAck::default()),
            min_rto: second,
            initial_rto: second,
            max_rto: Duration::from_secs(60),
            rtt_granularity: Duration::from_millis(1),
            backoff_until_sample: true,
            rtt_source: RttSource::Segments,
            rto_from_duplicates: false,
            syn_timeout: second,
            syn_retries: 6,
            duplicate_ack_threshold: 3,
            limited_transmit: true,
            recovery: LossRecovery::Sack,
            flight_measure: FlightMeasure::FlightSize,
            speculative_retransmission: true,
            rescue_retransmission: true,
            recovery_timer: RecoveryTimer::EveryAck,
            rto_always_lowers_ssthresh: false,
            timeout_exit_counts_new_only: false,
            idle_restart: true,
            eifel: false,
            ecn: EcnMode::Off,
            ecn_option: true,
            ect: None,
            loss_detection: LossDetection::Duplicates,
            lost_retransmission_reduces: true,
            reduction: Reduction::Step,
            pacing: Pacing::Controller,
            controller: ControllerConfig::default(),
            initial_sequence: 0,
        }
    }
}

impl TcpConfig {
    /// Checks that a connection can work with these options.
    ///
    /// # Errors
    ///
    /// The first option that makes that impossible.
    pub fn check(&self) -> Result<(), TcpConfigError> {
        const LARGEST: u32 = 65_495; // a 16-bit IPv4 length less 40
        let ticks = [self.timestamp_tick, self.initial_rto, self.min_rto, self.syn_timeout];
        let delay = self.delayed_ack.unwrap_or_default();
        let checks = [
            ((64..=LARGEST).contains(&self.mss), TcpConfigError::Mss),
            (self.segment.is_none_or(|s| (1..=LARGEST).contains(&s)), TcpConfigError::Segment),
            (self.initial_window > 0, TcpConfigError::InitialWindow),
            (self.send_buffer > 0, TcpConfigError::Buffer),
            ((1..=1 << 30).contains(&self.receive_buffer), TcpConfigError::Buffer),
            (!matches!(self.reader, Reader::Rate(r) if r.is_zero()), TcpConfigError::Reader),
            (!ticks.iter().any(|t| t.is_zero()), TcpConfigError::Timer),
            (self.timestamp_tick <= Duration::from_secs(1), TcpConfigError::Timer),
            (self.min_rto <= self.max_rto, TcpConfigError::Timer),
            (!delay.timeout.is_zero(), TcpConfigError::Timer),
            (self.duplicate_ack_threshold > 0 && delay.count > 0, TcpConfigError::Count),
            (self.write_size > 0, TcpConfigError::Count),
        ];
        checks.iter().find(|(fine, _)| !fine).map_or(Ok(()), |(_, error)| Err(*error))
    }
}

impl fmt::Display for TcpConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TcpConfigError::Mss => "the maximum segment size must be 64 to 65495 bytes",
            TcpConfigError::Segment => "a segment must have 1 to 65495 bytes",
            TcpConfigError::InitialWindow => "the initial window must be at least one segment",
            TcpConfigError::Buffer => "buffers must have at least a byte, to receive at most 1 GiB",
            TcpConfigError::Reader => "the reader must have a rate above zero",
            TcpConfigError::Timer => "timeouts must be above zero, ordered, and ticks at most 1 s",
            TcpConfigError::Count => "thresholds and counts must be above zero",
        })
    }
}

impl std::error::Error for TcpConfigError {}
