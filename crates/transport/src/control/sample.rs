//! Information that a connection gives to its congestion controller.

use airpath_base::{BitRate, Bytes, Duration, Time};

/// State of the connection when it is established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Time of the call.
    pub now: Time,
    /// Payload bytes of a full segment (SMSS).
    pub segment: u32,
    /// Initial window in bytes.
    pub initial_window: u64,
    /// Initial slow start threshold in bytes; `u64::MAX` for none.
    pub initial_ssthresh: u64,
    /// Kind of feedback about congestion marks that the peer will give.
    pub feedback: EcnFeedback,
    /// True if acknowledgements show several losses in an RTT (draft-ietf-ccwg-bbr, 2.2, C.has_selective_acks).
    pub selective_acks: bool,
    /// RTT of the handshake, if it gave one.
    pub rtt: Option<Duration>,
}

/// Kind of feedback about congestion marks from the receiver of data to the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnFeedback {
    /// Nothing: packets are not ECN-capable.
    #[default]
    None,
    /// A flag that there was one, until the sender has answered (RFC 3168, 6.1).
    Classic,
    /// The number of marks (RFC 9768).
    Accurate,
}

/// Content of an acknowledgement. Sizes are bytes of payload.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckSample {
    /// Time of its arrival.
    pub now: Time,
    /// Bytes by which the cumulative acknowledgement moved, as far as it counts for the window.
    pub acked: u64,
    /// Newly reported by SACK.
    pub sacked: u64,
    /// Newly known to have arrived, by either; a byte counts once.
    pub delivered: u64,
    /// Segments that these bytes make up.
    pub packets: u32,
    /// All bytes known to have arrived so far, these included
    /// (draft-ietf-ccwg-bbr, 4.1, C.delivered).
    pub delivered_in_all: u64,
    /// All bytes known to have arrived when the newest of the segments that have now arrived was
    /// sent (P.delivered). A round trip has passed once this reaches what `delivered_in_all` was at
    /// its beginning.
    pub prior_delivered: u64,
    /// Bytes in flight when that segment was sent, itself included.
    pub sent_in_flight: u64,
    /// Bytes found lost since that segment was sent.
    pub lost_since_sent: u64,
    /// True if the application was the limit when that segment was sent (draft-ietf-ccwg-bbr, 4.1,
    /// RS.is_app_limited), with a delivery rate or without.
    pub sent_app_limited: bool,
    /// RTT of the segment sent last among those that this acknowledgement is
    /// the first to report, unless it had been retransmitted (Karn).
    pub rtt: Option<Duration>,
    /// Smoothed RTT (RFC 6298), this sample included.
    pub srtt: Option<Duration>,
    /// Lowest RTT of the connection so far.
    pub min_rtt: Option<Duration>,
    /// Delivery rate, if this acknowledgement allows an estimate.
    pub rate: Option<RateSample>,
    /// In flight before this acknowledgement.
    pub in_flight_before: u64,
    /// In flight after it.
    pub in_flight: u64,
    /// Bytes that met congestion (CE), newly reported: by the option AccECN all that had arrived
    /// when the acknowledgement left, duplicates too; without it an estimate.
    pub ce_bytes: u64,
    /// Packets that met congestion (CE), newly reported; at most `packets`.
    pub ce_packets: u32,
    /// True if the acknowledgement carried ECE (RFC 3168).
    pub ece: bool,
    /// True if the application had nothing more to send.
    pub app_limited: bool,
    /// True if the congestion window held data back since the acknowledged data were sent. Growth
    /// of the window means nothing without (RFC 9438, 5.8).
    pub cwnd_limited: bool,
    /// True if pacing held data back since the acknowledged data were sent.
    pub pacing_limited: bool,
    /// True if a fast recovery was going on at its arrival, so that Reno-like windows must not
    /// grow. False while recovering from a timeout.
    pub in_recovery: bool,
}

impl AckSample {
    /// True if it reports congestion marks, so that Reno-like windows must not grow (RFC 3168,
    /// 6.1.2).
    pub fn reports_marks(&self) -> bool {
        self.ece || self.ce_packets > 0
    }
}

/// A delivery rate (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered in the interval.
    pub delivered: u64,
    /// Bytes delivered in all when the sampled segment was sent.
    pub prior_delivered: u64,
    /// The interval.
    pub interval: Duration,
    /// True if the application was the limit when the sampled segment was sent: the path may be
    /// faster.
    pub app_limited: bool,
}

impl RateSample {
    /// The rate. Computed on demand: most controllers never ask.
    pub fn rate(&self) -> BitRate {
        BitRate::of(Bytes(self.delivered), self.interval)
    }
}

/// Segments that have been found lost, at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Time at which they were found lost.
    pub now: Time,
    /// Number of packets.
    pub packets: u32,
    /// Ranges of sequence numbers that they make up.
    pub ranges: u32,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes in flight when the newest of them was sent, itself included.
    pub sent_in_flight: u64,
    /// Bytes found lost since it was sent, these included.
    pub lost_since_sent: u64,
    /// True if the application was the limit when it was sent.
    pub app_limited: bool,
}

/// A loss that the controller must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossEvent {
    /// Time at which it was noticed.
    pub now: Time,
    /// Bytes that the answer is a share of. By the connection's options they are RFC 5681's
    /// FlightSize, RFC 6675's pipe, or the window.
    pub in_flight: u64,
    /// True if the timer has run out before for the same segment; then ssthresh stays (RFC 5681,
    /// 3.1). Always false for losses found otherwise.
    pub repeated: bool,
}
