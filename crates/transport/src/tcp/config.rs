//! Options of a connection.

use core::fmt;

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::{Buffer, Rate};
use airpath_schema::{
    Decoder, Field, Json, Node, Value, above, above_to, between, choice, json, record,
};
use airpath_wire::Ecn;

use super::{EcnMode, LossDetection, Pacing, Reduction};
use crate::control::{
    BbrConfig, ControllerName, CubicConfig, DctcpConfig, NewRenoConfig, PragueConfig,
};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);

record! {
    /// Options of both ends of a connection.
    pub struct TcpConfig: Default {
        /// Congestion controller. Default: "cubic", that of all common hosts (RFC 9438, 1).
        controller: ControllerName = ControllerName::Cubic;
        /// Options of "cubic".
        cubic: Option<CubicConfig>;
        /// Options of "newreno".
        newreno: Option<NewRenoConfig>;
        /// Options of "dctcp".
        dctcp: Option<DctcpConfig>;
        /// Options of "prague".
        prague: Option<PragueConfig>;
        /// Options of "bbr".
        bbr: Option<BbrConfig>;
        /// Feedback of congestion marks that both ends offer and take. Default:
        /// "accurate" for the controllers "dctcp" and "prague", else "off".
        ecn: Option<EcnMode>;
        /// Sends TCP's option AccECN with accurate feedback, which says how many bytes were marked.
        /// Default: true (RFC 9768, 3.2.3: recommended).
        ecn_option: bool = true;
        /// Code point of all data packets, whatever the controller and `ecn` would have: that of
        /// a sender that claims to be what it is not. With ecn = "off" it is marked and does not
        /// care. Default: none, they decide.
        ect: Option<CodePoint>;
        /// Pacing of data. Default: "controller", if the controller asks for it.
        pacing: Pacing = Pacing::Controller;
        /// End that opens the connection. Default: "ue".
        opened_by: Opener = Opener::Ue;
        /// Maximum segment size, options included. Default: 1460 B, an MTU of 1500 less
        /// 40 bytes of headers (RFC 6691, 2).
        mss: Bytes = Bytes(1_460) => between(Bytes(64), Bytes(65_495));
        /// Payload of a full segment, whatever options go with it. Default: what `mss`
        /// leaves.
        segment: Option<Bytes> => between(Bytes(1), Bytes(65_495));
        /// Announces the maximum segment size on the SYN. Default: true (RFC 9293, 3.7.1).
        announce_mss: bool = true;
        /// Initial window in segments. Default: 10 (RFC 6928, 2).
        initial_window: u32 = 10 => between(1, 10_000);
        /// Initial slow start threshold. Default: "unlimited" (RFC 5681, 3.1:
        /// arbitrarily high).
        initial_ssthresh: Buffer = Buffer::Unlimited => above(Bytes(0));
        /// Selective acknowledgements (RFC 2018). Default: true.
        sack: bool = true;
        /// Timestamps (RFC 7323). Default: true.
        timestamps: bool = true;
        /// Tick of the timestamp clock. Default: 1 ms (RFC 7323, 5.4: 1 ms to 1 s).
        timestamp_tick: Duration = Duration::from_millis(1) => above_to(Duration::ZERO, SECOND);
        /// Window scaling (RFC 7323). Default: true.
        window_scaling: bool = true;
        /// Receive buffer, all of it offered as window. Default: 6291456 B (Linux, largest
        /// value of `tcp_rmem`).
        receive_buffer: Bytes = Bytes(6 << 20) => between(Bytes(1), Bytes(1 << 30));
        /// Bytes that the application may have written and the peer not yet acknowledged. Default:
        /// 4194304 B (Linux, largest value of `tcp_wmem`).
        send_buffer: Buffer = Buffer::Bytes(Bytes(4 << 20)) => above(Bytes(0));
        /// In pieces of how many bytes the application writes; a piece is taken whole or not
        /// at all. Default: 1 B, so that the buffer is always full; ns-3's: 512 B.
        write_size: Bytes = Bytes(1) => between(Bytes(1), Bytes(1 << 30));
        /// Rate at which the application reads; "unlimited" for at once. Default: "unlimited".
        read_rate: Rate = Rate::Unlimited => above(BitRate::from_bps(0));
        /// Delayed acknowledgements (RFC 9293, 3.8.6.3): a table, or "off".
        delayed_ack: DelayedAckOption = DelayedAckOption::On(DelayedAck::default());
        /// Lowest retransmission timeout. Default: 1 s (RFC 6298, 2.4). Linux has 200 ms,
        /// with `rtt_granularity` of 200 ms too.
        min_rto: Duration = SECOND => above_to(Duration::ZERO, HOUR);
        /// Retransmission timeout before the first sample. Default: 1 s (RFC 6298, 2.1).
        initial_rto: Duration = SECOND => above_to(Duration::ZERO, HOUR);
        /// Highest retransmission timeout. Default: 60 s (RFC 6298, 2.5).
        max_rto: Duration = Duration::from_secs(60) => above_to(Duration::ZERO, HOUR);
        /// Clock granularity in the formula of the timeout, which is at least so much above
        /// the smoothed RTT. Default: 1 ms (RFC 6298, 4: 100 ms or finer). Linux has 200 ms
        /// here (`tcp_rto_min`).
        rtt_granularity: Duration = Duration::from_millis(1) => between(Duration::ZERO, SECOND);
        /// End of a doubled timeout: true at an RTT sample, false at the acknowledgement of new
        /// data. Default: true (RFC 6298, 5.7).
        backoff_until_sample: bool = true;
        /// Source of RTT samples. Default: "segments".
        rtt_source: RttSource = RttSource::Segments;
        /// Takes an RTT sample from each duplicate acknowledgement, by SACK or else in the order of
        /// sending. The sample moves the timer that runs, so that a queue that grows causes no
        /// timeout during recovery (Huang et al., SIGCOMM 2013, 5). Default: false (RFC 7323, 4.1).
        rto_from_duplicates: bool = false;
        /// Timeout of the first SYN. Default: 1 s (RFC 6298, 2.1).
        syn_timeout: Duration = SECOND => above_to(Duration::ZERO, HOUR);
        /// Number of repetitions of a SYN. Default: 6 (Linux, `tcp_syn_retries`).
        syn_retries: u32 = 6 => between(0, 127);
        /// Duplicate acknowledgements that mean a loss. Default: 3 (RFC 5681, 3.2).
        duplicate_ack_threshold: u32 = 3 => between(1, 1_000);
        /// Limited transmit (RFC 3042). Default: true.
        limited_transmit: bool = true;
        /// Loss recovery with SACK. Default: "sack" (RFC 6675).
        recovery: LossRecovery = LossRecovery::Sack;
        /// Detection of losses with SACK. Default: "duplicates" (RFC 6675).
        loss_detection: LossDetection = LossDetection::Duplicates;
        /// Lowers the window once more at the loss of a retransmission, which "rack" finds.
        /// Default: true (RFC 5681, 4.3: two signs of congestion). Linux only sends it again.
        lost_retransmission_reduces: bool = true;
        /// Reduction of the window in fast recovery. Default: "step" (RFC 6675, 5).
        reduction: Reduction = Reduction::Step;
        /// Quantity of which the slow start threshold is a share after a loss. Default:
        /// "flight-size" (RFC 5681, equation 4).
        flight_measure: FlightMeasure = FlightMeasure::FlightSize;
        /// Sends segments again that are not known to be lost when there is nothing else to send.
        /// Default: true (RFC 6675, 4, rule 3).
        speculative_retransmission: bool = true;
        /// Allows one rescue retransmission in each recovery. Default: true (RFC 6675, 4, rule 4).
        rescue_retransmission: bool = true;
        /// Events that restart the retransmission timer in fast recovery: partial acknowledgements,
        /// and perhaps retransmissions. Default: "every-ack" (RFC 6298, 5.3).
        recovery_timer: RecoveryTimer = RecoveryTimer::EveryAck;
        /// Lowers the slow start threshold again at repeated timeouts of a segment. Default: false
        /// (RFC 5681, 3.1); ns-3 does.
        rto_always_lowers_ssthresh: bool = false;
        /// Grows the window only for whole segments sent after a timeout, at the acknowledgement
        /// that ends the recovery. Default: false; ns-3 does.
        timeout_exit_counts_new_only: bool = false;
        /// Lets the window fall to the initial one after a timeout of silence. Default: true (RFC
        /// 5681, 4.1).
        idle_restart: bool = true;
        /// Detection of needless retransmissions by timestamps (RFC 3522). Default: false.
        eifel: bool = false;
    }    beside {
        /// The application takes data by [`Connection::read`](super::Connection::read) alone,
        /// whatever `read_rate` is.
        reads_itself: bool = false;
        /// Seed of a controller's random waits.
        seed: u64 = 0;
        /// Initial sequence number.
        initial_sequence: u32 = 0;
    }
}

record! {
    /// Delay of acknowledgements.
    #[derive(Copy)]
    pub struct DelayedAck: Default {
        /// Segments after which it must be sent. Default: 2 (RFC 9293, 3.8.6.3).
        count: u32 = 2 => between(1, 1_000);
        /// Time after which it must be sent. Default: 40 ms (Linux, `TCP_DELACK_MIN`; RFC
        /// 9293 allows up to 500 ms).
        timeout: Duration = Duration::from_millis(40)
            => above_to(Duration::ZERO, Duration::from_secs(10));
        /// Number of first segments that are acknowledged at once. Default: 0; ns-3 has 1.
        at_once: u32 = 0;
    }
}

/// Delayed acknowledgements, or one for each segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DelayedAckOption {
    /// Delayed so.
    On(DelayedAck),
    /// Each segment is acknowledged at once.
    Off,
}

impl DelayedAckOption {
    /// Options of the delay, if there is one.
    pub fn options(self) -> Option<DelayedAck> {
        match self {
            DelayedAckOption::On(options) => Some(options),
            DelayedAckOption::Off => None,
        }
    }
}

impl From<CodePoint> for Ecn {
    fn from(point: CodePoint) -> Ecn {
        match point {
            CodePoint::Ect0 => Ecn::Ect0,
            CodePoint::Ect1 => Ecn::Ect1,
        }
    }
}

choice! {
    /// A code point of the ECN field that says ECN-capable.
    pub enum CodePoint {
        /// ECT(0), of classic senders (RFC 3168, 5).
        Ect0 = "ect0",
        /// ECT(1), of scalable senders (RFC 9331, 4.1).
        Ect1 = "ect1",
    }
}

choice! {
    /// End that opens a connection.
    pub enum Opener {
        /// The UE opens it.
        Ue = "ue",
        /// The server opens it.
        Server = "server",
    }
}

choice! {
    /// Source of RTT samples.
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
    /// Repair of losses.
    pub enum LossRecovery {
        /// Repair by scoreboard (RFC 6675).
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
    /// Quantity of which the slow start threshold is a share after a loss.
    pub enum FlightMeasure {
        /// All that is sent and not cumulatively acknowledged.
        // Less what limited transmit let out (RFC 5681, 3.2; RFC 6675, 4.2).
        FlightSize = "flight-size",
        /// Segments thought to be in the network (ns-3).
        // Neither SACKed nor lost.
        Pipe = "pipe",
        /// The congestion window (Linux).
        // RFC 9438, 4.6, allows it.
        Window = "window",
    }
}

choice! {
    /// Events that restart the retransmission timer in fast recovery (RFC 6582, 4).
    pub enum RecoveryTimer {
        /// Each partial acknowledgement: slow but steady.
        // RFC 6298, 5.3.
        EveryAck = "every-ack",
        /// The first one of a recovery: impatient.
        // RFC 6582, 3.2.
        FirstPartialAck = "first-partial-ack",
        /// Each partial acknowledgement and each retransmission (RFC 6675, 6).
        EachRetransmission = "each-retransmission",
        /// Each partial acknowledgement, and each retransmission of the first segment that is
        /// missing (Linux). With `rto_from_duplicates`, a duplicate acknowledgement for what was
        /// sent before that retransmission does, too.
        // The timer is not prolonged in another way (Linux, `tcp_xmit_retransmit_queue` and
        // `tcp_clean_rtx_queue`).
        Head = "head",
    }
}

/// Reason for which options cannot be used.
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

impl TcpConfig {
    /// Feedback of congestion marks: unless given, accurate for controllers that need it.
    pub fn ecn(&self) -> EcnMode {
        let scalable = matches!(self.controller, ControllerName::Dctcp | ControllerName::Prague);
        self.ecn.unwrap_or(if scalable { EcnMode::Accurate } else { EcnMode::Off })
    }

    /// Fills in what follows from other keys: options of the controller, feedback of marks.
    pub fn fill(&mut self) {
        match self.controller {
            ControllerName::Cubic => _ = self.cubic.get_or_insert_default(),
            ControllerName::NewReno => _ = self.newreno.get_or_insert_default(),
            ControllerName::Dctcp => _ = self.dctcp.get_or_insert_default(),
            ControllerName::Prague => _ = self.prague.get_or_insert_default(),
            ControllerName::Bbr => _ = self.bbr.get_or_insert_default(),
            ControllerName::Bbr1 => {}
        }
        self.ecn = Some(self.ecn());
    }

    /// Controllers that have a table of options, each with whether it is given.
    pub fn tables(&self) -> [(ControllerName, bool); 5] {
        [
            (ControllerName::Cubic, self.cubic.is_some()),
            (ControllerName::NewReno, self.newreno.is_some()),
            (ControllerName::Dctcp, self.dctcp.is_some()),
            (ControllerName::Prague, self.prague.is_some()),
            (ControllerName::Bbr, self.bbr.is_some()),
        ]
    }

    /// Checks that a connection can work with these options.
    ///
    /// # Errors
    ///
    /// The first option that makes that impossible.
    pub fn check(&self) -> Result<(), TcpConfigError> {
        const LARGEST: Bytes = Bytes(65_495); // a 16-bit IPv4 length less 40
        let ticks = [self.timestamp_tick, self.initial_rto, self.min_rto, self.syn_timeout];
        let delay = self.delayed_ack.options().unwrap_or_default();
        let checks = [
            ((Bytes(64)..=LARGEST).contains(&self.mss), TcpConfigError::Mss),
            (self.segment.is_none_or(|s| Bytes::ZERO < s && s <= LARGEST), TcpConfigError::Segment),
            (self.initial_window > 0, TcpConfigError::InitialWindow),
            (self.send_buffer.bytes() > 0, TcpConfigError::Buffer),
            ((1..=1 << 30).contains(&self.receive_buffer.0), TcpConfigError::Buffer),
            (!self.read_rate.quantity().is_some_and(BitRate::is_zero), TcpConfigError::Reader),
            (!ticks.iter().any(|t| t.is_zero()), TcpConfigError::Timer),
            (self.timestamp_tick <= Duration::from_secs(1), TcpConfigError::Timer),
            (self.min_rto <= self.max_rto, TcpConfigError::Timer),
            (!delay.timeout.is_zero(), TcpConfigError::Timer),
            (self.duplicate_ack_threshold > 0 && delay.count > 0, TcpConfigError::Count),
            (self.write_size > Bytes::ZERO, TcpConfigError::Count),
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

impl Field for DelayedAckOption {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        match &node.value {
            Value::String(word) if word == "off" => Some(DelayedAckOption::Off),
            Value::Table(_) => DelayedAck::decode(node, cx).map(DelayedAckOption::On),
            _ => cx.wrong_kind(node, "\"off\" or a table, as { count = 2, timeout = \"40 ms\" }"),
        }
    }
    fn encode(&self) -> Json {
        match self {
            DelayedAckOption::On(options) => options.encode(),
            DelayedAckOption::Off => json!("off"),
        }
    }
    fn schema() -> Json {
        json!({"anyOf": [DelayedAck::schema(), {"const": "off"}]})
    }
}
