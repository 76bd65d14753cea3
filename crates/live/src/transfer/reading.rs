//! State of a connection in the kernel.
//!
//! Source: `struct tcp_info` of Linux 6.18, `include/uapi/linux/tcp.h`. An older kernel leaves out
//! what is at its end, which reads as zero.

use serde::{Deserialize, Serialize};

/// Bytes of `struct tcp_info`, and some for what may be added.
pub(super) const BYTES: usize = 256;

/// State of a connection at a time. Sizes of windows are in segments unless another unit is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Time of the reading, in nanoseconds of the world's time.
    pub at: u64,
    /// State of congestion control: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub ca_state: u8,
    /// Number of expiries of the timer since the last acknowledgement.
    pub retransmits: u8,
    /// Probes of a closed window that were not answered.
    pub probes: u8,
    /// Number of doublings of the timer.
    pub backoff: u8,
    /// True if the last sample of the delivery rate was limited by the application.
    pub app_limited: bool,
    /// Retransmission timeout in microseconds.
    pub rto_us: u32,
    /// Segments sent and not acknowledged.
    pub unacked: u32,
    /// Of these, reported by SACK.
    pub sacked: u32,
    /// Of these, taken for lost.
    pub lost: u32,
    /// Of these, sent again and on their way.
    pub retrans: u32,
    /// Smoothed RTT in microseconds; 0 before the first sample.
    pub rtt_us: u32,
    /// The least RTT of late, in microseconds.
    pub min_rtt_us: u32,
    /// Slow-start threshold.
    pub ssthresh: u32,
    /// Congestion window.
    pub cwnd: u32,
    /// Bytes of a full segment.
    pub mss: u32,
    /// Segments sent again.
    pub retransmissions: u32,
    /// Segments with data sent.
    pub segments: u32,
    /// Milliseconds since an ACK came.
    pub last_ack_ms: u32,
    /// Bytes that were acknowledged.
    pub acked_bytes: u64,
    /// Bytes written and not yet sent.
    pub notsent_bytes: u32,
    /// Pacing rate in bytes a second; all ones for none.
    pub pacing_rate: u64,
    /// Time with data outstanding or waiting, in microseconds.
    pub busy_us: u64,
    /// Of this, limited by the receive window.
    pub rwnd_limited_us: u64,
    /// Of this, limited by the send buffer.
    pub sndbuf_limited_us: u64,
    /// The peer's receive window in bytes.
    pub snd_wnd: u32,
    /// Number of expiries of the timer.
    pub timeouts: u16,
}

impl Reading {
    /// From the bytes of `struct tcp_info`.
    pub(super) fn of(bytes: &[u8; BYTES], at: u64) -> Reading {
        let word = |at: usize| u32::from_ne_bytes(array(bytes, at));
        let long = |at: usize| u64::from_ne_bytes(array(bytes, at));
        Reading {
            at,
            ca_state: bytes[1],
            retransmits: bytes[2],
            probes: bytes[3],
            backoff: bytes[4],
            // A bit field: the first bit of a byte where the least significant byte is first.
            app_limited: bytes[7] & if cfg!(target_endian = "little") { 1 } else { 0x80 } != 0,
            rto_us: word(8),
            mss: word(16),
            unacked: word(24),
            sacked: word(28),
            lost: word(32),
            retrans: word(36),
            last_ack_ms: word(56),
            rtt_us: word(68),
            ssthresh: word(76),
            cwnd: word(80),
            retransmissions: word(100),
            pacing_rate: long(104),
            acked_bytes: long(120),
            notsent_bytes: word(144),
            min_rtt_us: word(148),
            segments: word(156),
            busy_us: long(168),
            rwnd_limited_us: long(176),
            sndbuf_limited_us: long(184),
            snd_wnd: word(228),
            timeouts: u16::from_ne_bytes(array(bytes, 240)),
        }
    }
}

fn array<const N: usize>(bytes: &[u8; BYTES], at: usize) -> [u8; N] {
    core::array::from_fn(|n| bytes[at + n])
}
