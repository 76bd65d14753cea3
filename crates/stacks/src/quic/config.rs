//! Options of an end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use airpath_base::random::Stream;
use airpath_transport::control::EcnFeedback;
use airpath_wire::Endpoint;
use quinn_proto::{MtuDiscoveryConfig, QlogStream, TransportConfig, VarInt};

use super::Application;
use super::control::{Congestion, Facts};
use super::watched::{Seen, WatchedFactory};
use crate::clock::Clock;
use crate::random;

/// Largest payload of UDP that quinn-proto tries by default.
const USUAL_PAYLOAD: u16 = 1_452;

/// Side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end that opens connections.
    Client,
    /// The end that listens.
    Server,
}

/// ECN field of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnUse {
    /// ECT(0) (RFC 3168), as quinn-proto sends.
    #[default]
    Classic,
    /// ECT(1) (RFC 9331), by quinn-proto with the change of `patches`. A controller has the number of marks.
    #[cfg(feature = "accurate-ecn")]
    L4s,
    /// Not ECT: [`EndConfig::ecn`](crate::EndConfig::ecn) is false. A controller has no feedback of marks.
    Off,
}

/// Options of an end of QUIC.
#[derive(Clone, Debug)]
pub struct QuicConfig {
    /// Side of its connections.
    pub side: Side,
    /// Its address.
    pub local: Endpoint,
    /// Address of the other end.
    pub remote: Endpoint,
    /// Its application.
    pub application: Application,
    /// Connections that a client opens.
    pub connections: u32,
    /// Congestion control.
    pub congestion: Congestion,
    /// ECN field of its packets.
    pub ecn: EcnUse,
    /// Bytes that a peer may send on a connection before they are read. Default of quinn-proto: no limit.
    pub receive_window: Option<u32>,
    /// Largest payload of UDP that path MTU discovery tries. Default of quinn-proto: 1452.
    pub largest_payload: Option<u16>,
    /// Time without a packet after which a connection ends. Default of quinn-proto: 30 s.
    pub idle_timeout: Option<Duration>,
}

impl QuicConfig {
    /// A client or server with this application, and one connection.
    pub fn new(
        side: Side,
        (local, remote): (Endpoint, Endpoint),
        application: Application,
    ) -> QuicConfig {
        QuicConfig {
            side,
            local,
            remote,
            application,
            connections: 1,
            congestion: Congestion::default(),
            ecn: EcnUse::default(),
            receive_window: None,
            largest_payload: None,
            idle_timeout: None,
        }
    }

    /// Options of quinn-proto for the connection with this number, whose controller notes what it has seen.
    pub(super) fn transport(
        &self,
        (number, clock): (u32, Clock),
        seen: &Arc<Seen>,
        qlog: Option<QlogStream>,
    ) -> Arc<TransportConfig> {
        let mut transport = TransportConfig::default();
        transport.enable_segmentation_offload(false);
        let segment = self.largest_payload.unwrap_or(USUAL_PAYLOAD);
        let facts = Facts { clock, number, segment, feedback: self.feedback() };
        let (inner, seen) = (self.congestion.factory(facts), Arc::clone(seen));
        transport.congestion_controller_factory(Arc::new(WatchedFactory { inner, seen }));
        #[cfg(feature = "accurate-ecn")]
        if self.ecn == EcnUse::L4s {
            transport.ecn_codepoint(quinn_proto::EcnCodepoint::Ect1);
        }
        transport.qlog_stream(qlog);
        if let Some(window) = self.receive_window {
            transport.receive_window(VarInt::from_u32(window));
            transport.stream_receive_window(VarInt::from_u32(window));
        }
        if let Some(most) = self.largest_payload {
            let mut discovery = MtuDiscoveryConfig::default();
            discovery.upper_bound(most);
            transport.mtu_discovery_config(Some(discovery));
        }
        if let Some(timeout) = self.idle_timeout {
            let timeout = quinn_proto::IdleTimeout::try_from(timeout).ok();
            transport.max_idle_timeout(timeout);
        }
        Arc::new(transport)
    }

    /// Feedback of marks that quinn-proto gives to a controller.
    fn feedback(&self) -> EcnFeedback {
        match self.ecn {
            EcnUse::Off => EcnFeedback::None,
            EcnUse::Classic => EcnFeedback::Classic,
            #[cfg(feature = "accurate-ecn")]
            EcnUse::L4s => EcnFeedback::Accurate,
        }
    }
}

/// An address as the standard library has it.
pub(super) fn socket(end: Endpoint) -> SocketAddr {
    SocketAddr::new(end.addr, end.port)
}

/// So many random bytes of a stream.
pub(super) fn bytes<const N: usize>(draws: &mut Stream) -> [u8; N] {
    let mut all = [0; N];
    random::draw(draws, &mut all);
    all
}
