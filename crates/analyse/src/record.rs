//! Record of a flow.

use std::sync::Arc;

use airpath_base::Time;
use airpath_wire::Endpoint;
use serde::Serialize;

use crate::accurate::{EcnHandshake, EcnReports};
use crate::causes::{Causes, Hypothesis, Interval, QueueCourse, Round, Verdict};
use crate::dscp::DscpCount;
use crate::gaps::Gaps;
use crate::names::{Application, Dns, Http};
use crate::over_time::RttWindow;
use crate::quic::Quic;
use crate::rtp::Rtp;
use crate::serial::{display, perhaps_seconds, text};
use crate::signs::Sign;
use crate::sketch::{RttSource, Spread};
use crate::tcp::Note;
use crate::tunnels::Tunnel;

/// A flow, from its first packet to its last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRecord {
    /// Its number in the order in which flows ended, from 1.
    pub number: u64,
    /// The end that began it (see [`Options::clients`](crate::Options::clients)).
    #[serde(serialize_with = "display")]
    pub client: Endpoint,
    /// The other end.
    #[serde(serialize_with = "display")]
    pub server: Endpoint,
    /// Transport protocol.
    pub protocol: FlowProtocol,
    /// Tunnels around it that were looked through ([`Options::decapsulate`](crate::Options::decapsulate)), the
    /// outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tunnels: Vec<Tunnel>,
    /// Kind of application.
    pub application: Application,
    /// Name of the server that the client addresses: TLS's server name, or HTTP's Host.
    pub server_name: Option<String>,
    /// Protocols that the client offers (ALPN, RFC 7301), the first 8.
    pub alpn: Vec<String>,
    /// Seconds since 1970; none if a packet of it has no time, as are all times and what needs them.
    #[serde(serialize_with = "perhaps_seconds")]
    pub start: Option<Time>,
    /// From first to last packet.
    pub duration_s: Option<f64>,
    /// The longest time without a packet in between.
    pub longest_gap_s: Option<f64>,
    /// Reason of the flow's end.
    pub end_reason: EndReason,
    /// From the last payload to the first FIN or RST; none without either.
    pub delayed_fin_s: Option<f64>,
    /// RTTs of the handshake of TCP or QUIC.
    pub handshake_rtt_ms: Handshake,
    /// Feedback of congestion marks on which the ends agreed; TCP with a SYN or SYN-ACK only.
    pub ecn: Option<EcnHandshake>,
    /// For how long the client neither sent nor received anything before; none if it was
    /// not seen before.
    pub idle_before_s: Option<f64>,
    /// Promotion delay of the client's radio before the SYN, by timestamps, unless the client was
    /// not idle before. A client that was not seen before may not have been idle.
    pub promotion_delay_ms: Option<f64>,
    /// Content of HTTP, if it is visible.
    pub http: Option<Http>,
    /// DNS lookups, where they are seen.
    pub dns: Option<Dns>,
    /// Properties of QUIC, if the flow is QUIC.
    pub quic: Option<Quic>,
    /// Signs of a radio; nothing where none was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<Sign>,
    /// Verdict on the flow's rate; TCP, QUIC and RTP with data only.
    pub verdict: Option<Verdict>,
    /// From the client to the server.
    pub up: Direction,
    /// From the server to the client.
    pub down: Direction,
}

/// Transport protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowProtocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// QUIC.
    Quic,
    /// RTP, RTCP, and what shares their ports.
    Rtp,
}

/// Reason of a flow's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A FIN came first.
    Fin,
    /// A RST came first.
    Rst,
    /// There were only SYNs, or SYNs and answers that nobody acknowledged.
    NeverConnected,
    /// Nothing came any more.
    TimedOut,
    /// The capture ended.
    CaptureEnd,
    /// It was left so that the memory does for the others.
    Evicted,
}

/// RTTs of a handshake between the capture point and the two ends, in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Handshake {
    /// From the SYN-ACK to the ACK; QUIC: from the server's first answer to what shows that the
    /// client has it.
    pub client_side: Option<f64>,
    /// From the SYN to the SYN-ACK, or to the RST that refuses it; QUIC: from the client's
    /// Initial packet to the server's answer.
    pub server_side: Option<f64>,
}

/// One direction of a flow: what its sender sent, and what limited it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Direction {
    /// Packets.
    pub packets: u64,
    /// Bytes of the frames, link layer included.
    pub bytes: u64,
    /// Name of the interface at which the packets passed; none without packets. An interface
    /// without a name has its number in the capture, or the kernel's index in a capture of all
    /// interfaces of a Linux host. `several` if packets passed at different interfaces.
    #[serde(serialize_with = "text")]
    pub interface: Option<Arc<str>>,
    /// Packets with ECT(0) in their IP headers (RFC 3168, 5).
    pub ect0_packets: u64,
    /// Packets with ECT(1) in their IP headers.
    pub ect1_packets: u64,
    /// Packets with CE in their IP headers.
    pub ce_packets: u64,
    /// Segments with the flag ECE, SYNs included (RFC 3168, 6.1); with accurate feedback
    /// (AccECN) the flag is part of a counter.
    pub ece_segments: u64,
    /// Segments with the flag CWR, SYNs included.
    pub cwr_segments: u64,
    /// Reports in this direction's segments on the other direction's packets, if the ends agreed on
    /// accurate feedback (AccECN).
    pub ecn_reports: Option<EcnReports>,
    /// Code points of differentiated services that its packets had, in the order in which they
    /// came: in a tunnel, those of the inner packets.
    pub dscp: Vec<DscpCount>,
    /// Number of packets with another code point than the packet before.
    pub dscp_changes: u64,
    /// Bytes of payload, sent again or not.
    pub payload_bytes: u64,
    /// Payload over the duration of the flow.
    pub rate_bps: Option<f64>,
    /// Segments that passed before, or that fill a gap too late to have been overtaken.
    pub retransmissions: u64,
    /// Of them, sent after duplicate ACKs.
    pub fast_retransmissions: u64,
    /// Of them, sent by the timer.
    pub timeout_retransmissions: u64,
    /// Of them, what had been acknowledged before.
    pub spurious_retransmissions: u64,
    /// Packets that were sent again, at least and at most. An offloaded segment counts as the packets that it has of
    /// the MSS. Both numbers are equal where the capture tells.
    pub retransmitted_packets: [u64; 2],
    /// Of these packets, those whose copies were lost, at least and at most: all but those that came twice, as the receiver
    /// reports (RFC 2883).
    pub lost_packets: [u64; 2],
    /// ACKs of this direction's that repeat the one before.
    pub duplicate_acks: u64,
    /// Packets that had just passed: captured twice, or made twice on the way. They count as
    /// packets and payload, and as nothing else.
    pub copies: u64,
    /// Segments that are either copies or retransmissions. An equal segment had just passed, and
    /// they have neither an identification nor timestamps. In addition, either their payload was
    /// not captured, or a duplicate ACK for them passed in between. They count as packets and
    /// payload, and as nothing else.
    pub copies_or_retransmissions: u64,
    /// Segments that were overtaken before the capture point.
    pub out_of_order: u64,
    /// Segments that close this end's receive window.
    pub zero_windows: u64,
    /// Segments that fill the other end's receive window.
    pub window_full: u64,
    /// Time of the first of them, since the flow's first packet, in seconds.
    pub first_window_full_s: Option<f64>,
    /// Notes on its segments, as Wireshark's expert information has them, if they are kept
    /// ([`Options::notes`](crate::Options::notes)).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// RTTs of this direction's data: capture point to receiver and back.
    pub rtt_ms: Option<Spread>,
    /// Source of the RTTs.
    pub rtt_source: Option<RttSource>,
    /// RTTs of the spin bit or of RTCP over time, in at most 64 windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rtt_over_time: Vec<RttWindow>,
    /// Silences; QUIC and RTP only.
    pub gaps: Option<Gaps>,
    /// RTP and RTCP.
    pub rtp: Option<Rtp>,
    /// Greatest amount of data that was not acknowledged.
    pub most_in_flight_bytes: Option<u64>,
    /// True if this direction's sender offered selective acknowledgements in its SYN; false if its
    /// SYN was not seen.
    pub sack_permitted: bool,
    /// The receive window that this direction's data had, least and greatest.
    pub receive_window_bytes: Option<[u64; 2]>,
    /// Period of the sender's timestamp clock.
    pub timestamp_period_ms: Option<f64>,
    /// Its standard error, relative.
    pub timestamp_period_error: Option<f64>,
    /// Bandwidth that was there for this direction's data.
    pub bandwidth_bps: Option<f64>,
    /// Slow starts for want of RTTs from duplicate ACKs: the timer struck in a recovery that
    /// they had begun.
    pub undesired_slow_starts: u64,
    /// Times of the timer in the first 64 of them, since the flow's first packet, in seconds.
    pub undesired_slow_starts_at_s: Vec<f64>,
    /// Of them, those which such RTTs would have prevented.
    pub preventable_slow_starts: u64,
    /// Slow starts after duplicate ACKs by the study's ratio of throughputs.
    pub slow_starts_by_ratio: u64,
    /// Causes of the sender's limited rate; TCP, QUIC and RTP with data only.
    pub causes: Option<Causes>,
    /// Number of the link that it shared with other flows ([`Totals::links`](crate::Totals::links)), if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<u32>,
    /// Hypotheses about what limited it, the likeliest first; the verdict has those of its direction.
    #[serde(skip)]
    pub hypotheses: Vec<Hypothesis>,
    /// Causes over time, if they are kept ([`Options::keep`](crate::Options::keep)).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
    /// Round trips over time, if intervals are kept; TCP only.
    #[serde(skip)]
    pub rounds: Vec<Round>,
    /// Course of the queue that it met.
    #[serde(skip)]
    pub(crate) course: Option<Box<QueueCourse>>,
}

impl EndReason {
    /// All of them.
    pub const ALL: [EndReason; 6] = [
        EndReason::Fin,
        EndReason::Rst,
        EndReason::NeverConnected,
        EndReason::TimedOut,
        EndReason::CaptureEnd,
        EndReason::Evicted,
    ];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Fin => "fin",
            EndReason::Rst => "rst",
            EndReason::NeverConnected => "never_connected",
            EndReason::TimedOut => "timed_out",
            EndReason::CaptureEnd => "capture_end",
            EndReason::Evicted => "evicted",
        }
    }
}

impl FlowProtocol {
    /// All of them.
    pub const ALL: [FlowProtocol; 4] =
        [FlowProtocol::Tcp, FlowProtocol::Udp, FlowProtocol::Quic, FlowProtocol::Rtp];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            FlowProtocol::Tcp => "tcp",
            FlowProtocol::Udp => "udp",
            FlowProtocol::Quic => "quic",
            FlowProtocol::Rtp => "rtp",
        }
    }
}
