//! Packet representations and their bytes.
//!
//! A simulated packet carries a representation ([`TcpRepr`], [`RtpRepr`], …) rather than bytes.
//! This crate turns representations into bytes with valid checksums and back. It also holds the
//! rules by which tunnels treat the ECN field. Time and queues are unknown here.

mod accurate_ecn;
mod addr;
mod bytes;
mod congestion;
pub mod datagram;
pub mod dscp;
mod ecn;
mod esp;
mod gtpu;
mod ip;
pub mod link;
pub mod pcapng;
mod pdu_set;
pub mod radio;
mod rtcp;
mod rtp;
mod tcp;
mod tcp_bytes;
pub mod tunnel;
pub mod udp;

pub use accurate_ecn::{AccurateEcn, strip_accurate_ecn};
pub use addr::{Endpoint, Protocol, Tuple};
pub use bytes::ParseError;
pub use congestion::CongestionInformation;
pub use ecn::Ecn;
pub use esp::{EspRepr, EspTransform};
pub use gtpu::GtpuRepr;
pub use ip::{DEFAULT_TTL, Fragment, IpRepr, set_ecn};
pub use pdu_set::PduSetInformation;
pub use rtcp::{Arrival, ArrivalOffset, RtcpRepr, StreamReport};
pub use rtp::RtpRepr;
pub use tcp::{SackBlocks, SeqNumber, TcpFlags, TcpRepr, Timestamps};

/// Bytes of an IPv4 header without options (RFC 791, 3.1).
pub const IPV4_HEADER: u32 = 20;
/// Bytes of an IPv6 header without extensions (RFC 8200, 3).
pub const IPV6_HEADER: u32 = 40;
/// Bytes of a UDP header (RFC 768).
pub const UDP_HEADER: u32 = 8;
