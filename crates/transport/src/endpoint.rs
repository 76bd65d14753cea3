//! A TCP connection end with its application, as a node.
//!
//! Port 0 is the network. A segment counts as born when it leaves, so its delay
//! does not contain its wait in the send buffer, and a retransmission's delay is
//! its own.

use core::fmt;

use airpath_base::{FlowId, Port, Time};
use airpath_net::{AppEvent, Cx, DropCause, Event, Leg, Node, Packet, Payload, TcpEvent};
use airpath_wire::{Endpoint, Protocol, Tuple};

use crate::control::Controller;
use crate::tcp::{Connection, ConnectionEvent, Segment, TcpConfig, TcpConfigError, earliest};

const NETWORK: Port = Port(0);

/// What the application of an endpoint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum App {
    /// Writes as much as the send buffer takes, from start to stop.
    Greedy,
    /// Writes so many bytes, then closes.
    Finite(u64),
    /// Reads; closes when the peer has.
    Sink {
        /// Bytes after which the transfer is reported as finished.
        expected: Option<u64>,
    },
}

/// Which end opens the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// This one.
    Active,
    /// The other; this one listens.
    Passive,
}

/// Options of a [`TcpEndpoint`].
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointConfig {
    /// The flow for which packets and events are counted. Packets of an end that
    /// writes are [`Leg::Data`], those of a sink [`Leg::Feedback`].
    pub flow: FlowId,
    /// This end.
    pub local: Endpoint,
    /// The other end.
    pub remote: Endpoint,
    /// Differentiated services code point of all packets (6 bits). Default: 0.
    pub dscp: u8,
    /// Options of the connection.
    pub tcp: TcpConfig,
    /// What the application does.
    pub app: App,
    /// Which end opens.
    pub open: Open,
    /// When it opens or begins to listen. Default: time zero.
    pub open_at: Time,
    /// When the application begins to write. Default: time zero, that is as soon
    /// as the connection is established.
    pub start: Time,
    /// When the application closes: it writes no more, what it has written is
    /// still sent. Default: never.
    pub stop: Option<Time>,
}

/// Why an endpoint cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointError {
    /// The options of the connection cannot be used.
    Tcp(TcpConfigError),
    /// One end has an IPv4 and the other an IPv6 address.
    Addresses,
}

/// One end of a TCP connection and its application.
pub struct TcpEndpoint {
    flow: FlowId,
    leg: Leg,
    tuple: Tuple,
    dscp: u8,
    app: App,
    open: Open,
    connection: Connection,
    open_at: Option<Time>,
    start: Option<Time>,
    stop: Option<Time>,
    writing: bool,
    /// Bytes that a finite sender has still to write.
    unwritten: u64,
    read: u64,
    packets: u64,
}

impl EndpointConfig {
    /// An endpoint with the defaults.
    pub fn new(flow: FlowId, local: Endpoint, remote: Endpoint, app: App, open: Open) -> Self {
        EndpointConfig {
            flow,
            local,
            remote,
            dscp: 0,
            tcp: TcpConfig::default(),
            app,
            open,
            open_at: Time::ZERO,
            start: Time::ZERO,
            stop: None,
        }
    }
}

impl TcpEndpoint {
    /// The endpoint that `config` describes.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: EndpointConfig) -> Result<TcpEndpoint, EndpointError> {
        let controller = Controller::new(&config.tcp.controller);
        TcpEndpoint::with_controller(config, controller)
    }

    /// The endpoint that `config` describes, with a controller of the user's.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn with_controller(
        config: EndpointConfig,
        controller: Controller,
    ) -> Result<TcpEndpoint, EndpointError> {
        if config.local.addr.is_ipv4() != config.remote.addr.is_ipv4() {
            return Err(EndpointError::Addresses);
        }
        let connection = Connection::with_controller(config.tcp, controller)?;
        let tuple = Tuple { src: config.local, dst: config.remote, protocol: Protocol::TCP };
        let sink = matches!(config.app, App::Sink { .. });
        Ok(TcpEndpoint {
            flow: config.flow,
            leg: if sink { Leg::Feedback } else { Leg::Data },
            tuple,
            dscp: config.dscp,
            app: config.app,
            open: config.open,
            connection,
            open_at: Some(config.open_at),
            start: (!sink).then_some(config.start),
            stop: config.stop,
            writing: false,
            unwritten: if let App::Finite(bytes) = config.app { bytes } else { 0 },
            read: 0,
            packets: 0,
        })
    }

    /// The connection, to look at.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Does what the application has planned for times up to `now`.
    fn advance(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.open_at.take_if(|at| *at <= now).is_some() {
            match self.open {
                Open::Active => self.connection.connect(now),
                Open::Passive => self.connection.listen(),
            }
        }
        if self.start.take_if(|at| *at <= now).is_some() {
            self.writing = true;
            cx.emit(|| Event::App(self.flow, AppEvent::Started));
        }
        if self.stop.take_if(|at| *at <= now).is_some() {
            self.write();
            (self.writing, self.start) = (false, None);
            self.connection.close();
        }
    }

    fn write(&mut self) {
        if !self.writing {
            return;
        }
        match self.app {
            App::Greedy => _ = self.connection.write(u64::MAX),
            App::Finite(_) => {
                self.unwritten -= self.connection.write(self.unwritten);
                if self.unwritten == 0 {
                    self.connection.close();
                    self.writing = false;
                }
            }
            App::Sink { .. } => {}
        }
    }

    /// Writes, sends and reports all that there is.
    fn flush(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some(event) = self.connection.poll_event() {
            self.report(event, cx);
        }
        self.write();
        while let Some(segment) = self.connection.poll_transmit(now) {
            self.send(now, &segment, cx);
        }
        while let Some(event) = self.connection.poll_event() {
            self.report(event, cx);
        }
    }

    fn send(&mut self, now: Time, segment: &Segment, cx: &mut Cx<'_>) {
        let repr = segment.repr;
        let size = self.tuple.ip_header() + repr.header_len() + repr.payload_len;
        let mut packet = Packet::new(self.flow, self.leg, size, self.tuple, now);
        packet.number = self.packets;
        packet.dscp = self.dscp;
        packet.ecn = segment.ecn;
        packet.payload = Payload::Tcp(repr);
        self.packets += 1;
        if let Some(reason) = segment.retransmission {
            let again = TcpEvent::Retransmission { reason, bytes: repr.payload_len };
            cx.emit(|| Event::Tcp(self.flow, again));
        }
        cx.originate(&mut packet);
        cx.send(NETWORK, packet);
    }

    fn report(&mut self, event: ConnectionEvent, cx: &mut Cx<'_>) {
        let tcp = match event {
            ConnectionEvent::Established => TcpEvent::Established,
            ConnectionEvent::Rtt(rtt) => TcpEvent::Rtt(rtt),
            ConnectionEvent::Timeout { backoff } => TcpEvent::Timeout { backoff },
            ConnectionEvent::Recovery => TcpEvent::Recovery,
            ConnectionEvent::State => {
                cx.emit(|| Event::Tcp(self.flow, self.state()));
                return;
            }
            ConnectionEvent::Delivered { bytes } => return self.delivered(bytes, cx),
            ConnectionEvent::PeerClosed => return self.peer_closed(),
            ConnectionEvent::Spurious | ConnectionEvent::Flushed | ConnectionEvent::Failed => {
                return;
            }
        };
        cx.emit(|| Event::Tcp(self.flow, tcp));
    }

    fn state(&self) -> TcpEvent {
        let state = self.connection.sender_state();
        TcpEvent::State {
            cwnd: state.cwnd,
            ssthresh: state.ssthresh,
            in_flight: state.in_flight,
            srtt: state.srtt,
        }
    }

    fn delivered(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        let before = self.read;
        self.read += bytes;
        cx.emit(|| Event::App(self.flow, AppEvent::Delivered { bytes }));
        if let App::Sink { expected: Some(expected) } = self.app
            && before < expected
            && self.read >= expected
        {
            cx.emit(|| Event::App(self.flow, AppEvent::Finished));
        }
    }

    fn peer_closed(&mut self) {
        if let App::Sink { .. } = self.app {
            self.connection.close();
        }
    }
}

impl Node for TcpEndpoint {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        let here = port == NETWORK && packet.tuple == self.tuple.reversed();
        let taken = match &packet.payload {
            Payload::Tcp(repr) if here => self.connection.receive(now, repr, packet.ecn),
            _ => false,
        };
        if taken {
            cx.consume(&packet);
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
        self.flush(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        self.connection.on_timeout(now);
        self.flush(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        earliest([self.connection.poll_timeout(), self.open_at, self.start, self.stop])
    }
}

impl From<TcpConfigError> for EndpointError {
    fn from(error: TcpConfigError) -> EndpointError {
        EndpointError::Tcp(error)
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Tcp(error) => error.fmt(f),
            EndpointError::Addresses => {
                f.write_str("both ends must have IPv4 or both IPv6 addresses")
            }
        }
    }
}

impl std::error::Error for EndpointError {}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
