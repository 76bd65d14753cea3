//! Options of TCP.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::units::{Buffer, Rate};
use airpath_schema::{above, above_to, between, choice, record};
use airpath_transport::control::{
    BbrConfig, ControllerName, CubicConfig, DctcpConfig, NewRenoConfig, PragueConfig,
};
use airpath_transport::tcp::{
    DelayedAck, EcnMode, FlightMeasure, LossDetection, LossRecovery, Pacing, RecoveryTimer,
    Reduction, RttSource,
};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);

record! {
    /// Options of both ends of a connection.
    pub struct Tcp {
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
        /// Whether TCP's option AccECN goes with accurate feedback (RFC 9768, 3.2.3), which says how
        /// many bytes were marked. Default: true (RFC 9768, 3.2.3: recommended).
        ecn_option: bool = true;
        /// Code point of all data packets, whatever the controller and `ecn` would have: that of
        /// a sender that claims to be what it is not. With ecn = "off" it is marked and does not
        /// care. Default: none, they decide.
        ect: Option<CodePoint>;
        /// What is paced. Default: "controller", if the controller asks for it.
        pacing: Pacing = Pacing::Controller;
        /// Which end opens the connection. Default: "ue".
        opened_by: Opener = Opener::Ue;
        /// Maximum segment size, options included. Default: 1460 B, an MTU of 1500 less
        /// 40 bytes of headers (RFC 6691, 2).
        mss: Bytes = Bytes(1_460) => between(Bytes(64), Bytes(65_495));
        /// Payload of a full segment, whatever options go with it. Default: what `mss`
        /// leaves.
        segment: Option<Bytes> => between(Bytes(1), Bytes(65_495));
        /// Whether the SYN carries the maximum segment size. Default: true (RFC 9293,
        /// 3.7.1).
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
        /// What the application may have written and the peer not yet acknowledged.
        /// Default: 4194304 B (Linux, largest value of `tcp_wmem`).
        send_buffer: Buffer = Buffer::Bytes(Bytes(4 << 20)) => above(Bytes(0));
        /// In pieces of how many bytes the application writes; a piece is taken whole or not
        /// at all. Default: 1 B, so that the buffer is always full; ns-3's: 512 B.
        write_size: Bytes = Bytes(1) => between(Bytes(1), Bytes(1 << 30));
        /// How fast the application reads; "unlimited" for at once. Default: "unlimited".
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
        /// Whether a doubled timeout lasts until an RTT sample, rather than until new
        /// data are acknowledged. Default: true (RFC 6298, 5.7).
        backoff_until_sample: bool = true;
        /// Where RTT samples come from. Default: "segments".
        rtt_source: RttSource = RttSource::Segments;
        /// Whether each duplicate acknowledgement gives an RTT sample, by SACK or else in
        /// the order of sending, and moves the timer that runs, so that a queue that grows
        /// causes no timeout during recovery (Huang et al., SIGCOMM 2013, 5). Default:
        /// false (RFC 7323, 4.1).
        rto_from_duplicates: bool = false;
        /// Timeout of the first SYN. Default: 1 s (RFC 6298, 2.1).
        syn_timeout: Duration = SECOND => above_to(Duration::ZERO, HOUR);
        /// How often a SYN is repeated. Default: 6 (Linux, `tcp_syn_retries`).
        syn_retries: u32 = 6 => between(0, 127);
        /// Duplicate acknowledgements that mean a loss. Default: 3 (RFC 5681, 3.2).
        duplicate_ack_threshold: u32 = 3 => between(1, 1_000);
        /// Limited transmit (RFC 3042). Default: true.
        limited_transmit: bool = true;
        /// Loss recovery with SACK. Default: "sack" (RFC 6675).
        recovery: LossRecovery = LossRecovery::Sack;
        /// How losses are found with SACK. Default: "duplicates" (RFC 6675).
        loss_detection: LossDetection = LossDetection::Duplicates;
        /// Whether the loss of a retransmission, which "rack" finds, lowers the window once
        /// more. Default: true (RFC 5681, 4.3: two signs of congestion). Linux only sends
        /// it again.
        lost_retransmission_reduces: bool = true;
        /// How the window comes down in fast recovery. Default: "step" (RFC 6675, 5).
        reduction: Reduction = Reduction::Step;
        /// What the slow start threshold is a share of after a loss. Default:
        /// "flight-size" (RFC 5681, equation 4).
        flight_measure: FlightMeasure = FlightMeasure::FlightSize;
        /// Whether segments not known to be lost may be sent again when there is nothing
        /// else to send. Default: true (RFC 6675, 4, rule 3).
        speculative_retransmission: bool = true;
        /// Whether each recovery may send one rescue retransmission. Default: true
        /// (RFC 6675, 4, rule 4).
        rescue_retransmission: bool = true;
        /// What restarts the retransmission timer in fast recovery: which partial
        /// acknowledgements, and perhaps retransmissions. Default: "every-ack" (RFC 6298,
        /// 5.3).
        recovery_timer: RecoveryTimer = RecoveryTimer::EveryAck;
        /// Whether repeated timeouts of a segment lower the slow start threshold again.
        /// Default: false (RFC 5681, 3.1); ns-3 does.
        rto_always_lowers_ssthresh: bool = false;
        /// Whether the acknowledgement that ends recovery from a timeout grows the window
        /// only for whole segments sent after it. Default: false; ns-3 does.
        timeout_exit_counts_new_only: bool = false;
        /// Whether the window falls back to the initial one after a timeout of silence.
        /// Default: true (RFC 5681, 4.1).
        idle_restart: bool = true;
        /// Detection of needless retransmissions by timestamps (RFC 3522). Default: false.
        eifel: bool = false;
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
    /// Which end opens a connection.
    pub enum Opener {
        /// The UE.
        Ue = "ue",
        /// The server.
        Server = "server",
    }
}

/// Delayed acknowledgements, or one for each segment.
#[derive(Clone, Debug, PartialEq)]
pub enum DelayedAckOption {
    /// Delayed so.
    On(DelayedAck),
    /// Each segment is acknowledged at once.
    Off,
}
