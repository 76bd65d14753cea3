//! A TCP connection end with its application, as a node.
//!
//! Port 0 is the network. A segment counts as born when it leaves. Its delay therefore does not
//! contain its wait in the send buffer, and a retransmission's delay is its own.
//!
//! An end that writes can be paused. It then takes back what it has written and has not been sent,
//! and only repairs of losses leave. It writes these data again when it goes on.

use core::fmt;

use airpath_base::{FlowId, Port, Time};
use airpath_net::{AppEvent, Change, ChangeError, Cx, DropCause, Event, Leg, Node, Packet};
use airpath_wire::Endpoint;

use crate::control::Controller;
use crate::socket::{Label, Socket};
use crate::tcp::{Connection, ConnectionEvent, TcpConfig, TcpConfigError, earliest};

const NETWORK: Port = Port(0);

/// Work of the application of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum App {
    /// Writes as much as the send buffer takes, from start to stop; what has not been sent
    /// by then is not.
    Greedy,
    /// Writes so many bytes, then closes.
    Finite(u64),
    /// Reads; closes when the peer has.
    Sink {
        /// Bytes after which the transfer is reported as finished.
        expected: Option<u64>,
    },
}

/// End that opens the connection.
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
    /// Work of the application.
    pub app: App,
    /// End that opens.
    pub open: Open,
    /// Time at which it opens or begins to listen. Default: time zero.
    pub open_at: Time,
    /// Time at which the application begins to write. Default: time zero, that is as soon as the
    /// connection is established.
    pub start: Time,
    /// Time at which the application stops ([`Connection::stop`]): nothing is sent from then on but
    /// repairs of losses. Default: never.
    pub stop: Option<Time>,
}

/// Reason for which an endpoint cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointError {
    /// The options of the connection cannot be used.
    Tcp(TcpConfigError),
    /// One end has an IPv4 and the other an IPv6 address.
    Addresses,
    /// It needs more ports than there are from its first on.
    Ports,
}

/// One end of a TCP connection and its application.
pub struct TcpEndpoint {
    flow: FlowId,
    socket: Socket,
    app: App,
    open: Open,
    open_at: Option<Time>,
    start: Option<Time>,
    stop: Option<Time>,
    writing: bool,
    paused: bool,
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
        let controller = Controller::new(&config.tcp);
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
        let sink = matches!(config.app, App::Sink { .. });
        let leg = if sink { Leg::Feedback } else { Leg::Data };
        let label = Label { flow: config.flow, leg, dscp: config.dscp };
        let socket = Socket::new(label, config.local, config.remote, config.tcp, controller)?;
        Ok(TcpEndpoint {
            flow: config.flow,
            socket,
            app: config.app,
            open: config.open,
            open_at: Some(config.open_at),
            start: (!sink).then_some(config.start),
            stop: config.stop,
            writing: false,
            paused: false,
            unwritten: if let App::Finite(bytes) = config.app { bytes } else { 0 },
            read: 0,
            packets: 0,
        })
    }

    /// The connection, to look at.
    pub fn connection(&self) -> &Connection {
        &self.socket.connection
    }

    /// Does what the application has planned for times up to `now`.
    fn advance(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.open_at.take_if(|at| *at <= now).is_some() {
            match self.open {
                Open::Active => self.socket.connection.connect(now),
                Open::Passive => self.socket.connection.listen(),
            }
        }
        if self.start.take_if(|at| *at <= now).is_some() {
            self.writing = true;
            cx.emit(|| Event::App(self.flow, AppEvent::Started));
        }
        if self.stop.take_if(|at| *at <= now).is_some() {
            (self.writing, self.start) = (false, None);
            self.socket.connection.stop();
        }
    }

    #[inline(always)]
    fn write(&mut self) {
        if !self.writing || self.paused {
            return;
        }
        match self.app {
            App::Greedy => _ = self.socket.connection.write(u64::MAX),
            App::Finite(_) => {
                self.unwritten -= self.socket.connection.write(self.unwritten);
                if self.unwritten == 0 {
                    self.socket.connection.close();
                    self.writing = false;
                }
            }
            App::Sink { .. } => {}
        }
    }

    fn pause(&mut self) {
        self.paused = true;
        let unsent = self.socket.connection.withdraw();
        if unsent > 0 && matches!(self.app, App::Finite(_)) {
            self.unwritten += unsent;
            self.writing = true;
        }
    }

    /// Writes, sends and reports all that there is.
    fn flush(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some(event) = self.socket.poll_event(cx) {
            self.report(event, cx);
        }
        self.write();
        self.socket.transmit(now, NETWORK, &mut self.packets, cx);
        while let Some(event) = self.socket.poll_event(cx) {
            self.report(event, cx);
        }
    }

    fn report(&mut self, event: ConnectionEvent, cx: &mut Cx<'_>) {
        match event {
            ConnectionEvent::Delivered { bytes } => self.delivered(bytes, cx),
            ConnectionEvent::PeerClosed => self.peer_closed(),
            _ => {}
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
            self.socket.connection.close();
        }
    }
}

impl Node for TcpEndpoint {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        let taken = port == NETWORK && self.socket.receive(now, &packet);
        if taken {
            cx.consume(&packet);
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
        self.flush(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        self.socket.connection.on_timeout(now);
        self.flush(now, cx);
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        match (change, self.app) {
            (Change::Active(_), App::Sink { .. }) => {
                return Err(ChangeError::new("is no source of data"));
            }
            (Change::Active(false), _) => self.pause(),
            (Change::Active(true), _) => {
                self.paused = false;
                self.flush(now, cx);
            }
            _ => return Err(ChangeError::new("is an end of a TCP connection")),
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        earliest([self.socket.connection.poll_timeout(), self.open_at, self.start, self.stop])
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
            EndpointError::Ports => f.write_str("the ports of the connections go beyond 65535"),
        }
    }
}

impl std::error::Error for EndpointError {}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
