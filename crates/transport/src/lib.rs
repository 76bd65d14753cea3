//! TCP and its congestion controllers.
//!
//! [`tcp::Connection`] is one end of a TCP connection without I/O: segments and the time go in,
//! segments and the next deadline come out. A [`control::CongestionControl`] decides what it may
//! send. A [`Socket`] puts it on packets of a network. [`TcpEndpoint`] is a node with one of them,
//! at the edge of a simulated network, where port 0 is the network. [`Proxy`] is a node with two
//! for each connection that it splits.

pub mod control;
mod endpoint;
mod proxy;
mod socket;
pub mod tcp;
pub mod testing;
mod timers;

pub use endpoint::{App, EndpointConfig, EndpointError, Open, TcpEndpoint};
pub use proxy::{Proxy, ProxySide, Split};
pub use socket::{Label, Socket};
pub use timers::Timers;
