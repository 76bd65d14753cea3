//! Applications that ask for what they get: players, users of the web, periodic
//! requests.
//!
//! [`RequestClient`] sends requests upstream and takes responses downstream, over one TCP
//! connection or several. Each connection has one request at a time (HTTP/1.1 without pipelining,
//! RFC 9112, 9.3). [`RequestServer`] answers. A [`Behaviour`] decides times and sizes of requests.
//! Data are lengths: the size of a response travels beside the request (`SideChannel`) and counts
//! when all bytes of the request have arrived.
//!
//! Connections of a flow differ in the client's port: [`PORTS`] from the first on, taken in turn,
//! unless there is only one connection ever. Left out: DNS, errors of servers, TLS handshakes and
//! headers of responses. The bytes of a handshake can be added to the first request, and those of
//! headers to the response.

mod behaviour;
mod client;
mod pages;
mod player;
mod server;
mod side_channel;
mod sizes;
mod web;

use airpath_base::{Duration, FlowId, Time};
use airpath_transport::EndpointError;
use airpath_transport::tcp::TcpConfig;
use airpath_wire::Endpoint;
use side_channel::SideChannel;

pub use behaviour::{Ask, Behaviour};
pub use client::RequestClient;
pub use pages::{PageConfig, Pages, Pause};
pub use player::{Player, PlayerConfig, Throttle};
pub use server::RequestServer;
pub use sizes::{Sizes, Spans};
pub use web::{
    Beyond, NextPage, ObjectCount, Reading, Sessions, SizeLaw, SizeShape, Web, WebConfig, WebDraws,
};

/// Ports that a flow of several connections takes at its client.
pub const PORTS: u16 = 16;

/// Most connections that a client has open at a time: its old ones still answer on their
/// ports for a while.
pub const MOST_CONNECTIONS: u32 = 8;

/// Options of a client and its server.
#[derive(Clone, Debug)]
pub struct RequestConfig {
    /// The flow for which packets and events are counted: responses are its data.
    pub flow: FlowId,
    /// The flow for those of the server, where a proxy lies between both ends. Default: as
    /// `flow`.
    pub server_flow: FlowId,
    /// The client, with its first port.
    pub client: Endpoint,
    /// The server.
    pub server: Endpoint,
    /// Differentiated services code points of responses and of requests.
    pub dscp: (u8, u8),
    /// Options of the connections, at both ends.
    pub tcp: TcpConfig,
    /// Bytes of a request, at least 1.
    pub request: u64,
    /// Time that the server takes before it answers.
    pub reply_delay: Duration,
    /// Requests after which the client closes a connection; `None` keeps it.
    pub per_connection: Option<u32>,
    /// Connections at a time, 1 to [`MOST_CONNECTIONS`].
    pub connections: u32,
    /// Start of the application.
    pub start: Time,
    /// Time of the last request, after which the connections close. Default: never.
    pub stop: Option<Time>,
}

impl RequestConfig {
    /// One lasting connection with requests of 400 bytes.
    pub fn new(flow: FlowId, client: Endpoint, server: Endpoint) -> RequestConfig {
        RequestConfig {
            flow,
            server_flow: flow,
            client,
            server,
            dscp: (0, 0),
            tcp: TcpConfig::default(),
            request: 400,
            reply_delay: Duration::ZERO,
            per_connection: None,
            connections: 1,
            start: Time::ZERO,
            stop: None,
        }
    }

    /// Ports that the client may use, from its first on.
    pub fn ports(&self) -> u16 {
        if self.per_connection.is_none() && self.connections == 1 { 1 } else { PORTS }
    }

    /// Both ends.
    ///
    /// # Errors
    ///
    /// If the options of TCP cannot be used, the ends have addresses of different kinds, or
    /// the client's ports go beyond the last.
    pub fn nodes(
        self,
        behaviour: Behaviour,
    ) -> Result<(RequestClient, RequestServer), EndpointError> {
        self.tcp.check()?;
        if self.client.addr.is_ipv4() != self.server.addr.is_ipv4() {
            return Err(EndpointError::Addresses);
        }
        if self.client.port.checked_add(self.ports() - 1).is_none() {
            return Err(EndpointError::Ports);
        }
        let channel = SideChannel::default();
        let server = RequestServer::new(&self, channel.clone());
        Ok((RequestClient::new(self, behaviour, channel), server))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
