//! TCP and its congestion controllers, and traffic sources.
//!
//! [`tcp::Connection`] is one end of a TCP connection without I/O: segments and
//! the time go in, segments and the next deadline come out. What it may send is
//! decided by a [`control::CongestionControl`]. [`TcpEndpoint`], [`RtpSource`]
//! and [`RtpSink`] are nodes: they put such an end, or a stream of media packets,
//! at the edge of a simulated network. Port 0 of each of them is the network.

pub mod control;
mod endpoint;
mod proxy;
pub mod requests;
mod rtp;
mod rtp_media;
pub mod scream;
mod socket;
pub mod tcp;
#[cfg(test)]
mod testbed;
mod timers;
pub mod video;

pub use endpoint::{App, EndpointConfig, EndpointError, Open, TcpEndpoint};
pub use proxy::{Proxy, ProxySide, Split};
pub use rtp::{Marker, RtpConfig, RtpError, RtpSink, RtpSource};
pub use rtp_media::{MediaConfig, MediaError, MediaSink, MediaSource};
