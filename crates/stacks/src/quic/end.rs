//! An endpoint of quinn-proto with its connections, as a stack.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::Time;
use airpath_base::random::Stream;
use airpath_wire::Ecn;
use bytes::{Bytes, BytesMut};
use quinn_proto::{
    Connection, ConnectionError, ConnectionEvent, ConnectionHandle, ConnectionStats, DatagramEvent,
    Dir, EcnCodepoint, Endpoint, Event, Incoming, StreamEvent, StreamId, VarInt,
};

use super::application::{Application, Writing, read};
use super::config::{QuicConfig, Side, socket};
use super::identity::{self, Fault, NAME};
use crate::clock::Clock;
use crate::stack::{Datagram, Outcome, Report, Stack, Transmit};

/// An end of QUIC.
pub struct Quic {
    config: QuicConfig,
    clock: Clock,
    endpoint: Endpoint,
    /// Options of connections that it opens.
    client: Option<quinn_proto::ClientConfig>,
    connections: Vec<Own>,
    /// Datagrams of the endpoint itself.
    responses: VecDeque<Transmit>,
    reports: VecDeque<Report>,
    /// Bytes that the application has read.
    read: u64,
    ended: bool,
    buffer: Vec<u8>,
}

/// A connection.
struct Own {
    handle: ConnectionHandle,
    connection: Connection,
    /// Its number, from 0.
    number: u32,
    connected: bool,
    writing: Writing,
}

impl Quic {
    /// An end whose keys come from this stream. `log` writes the keys of TLS of a client's connections.
    ///
    /// # Errors
    ///
    /// If TLS refuses its own options.
    pub fn new(
        config: QuicConfig,
        draws: &mut Stream,
        log: Option<Arc<dyn rustls::KeyLog>>,
    ) -> Result<Quic, Fault> {
        let transport = config.transport();
        let endpoint = Arc::new(identity::endpoint(draws));
        let (client, server) = match config.side {
            Side::Client => (Some(identity::client(transport, log)?), None),
            Side::Server => (None, Some(Arc::new(identity::server(transport, draws)?))),
        };
        Ok(Quic {
            endpoint: Endpoint::new(endpoint, server, true, None),
            client,
            clock: Clock::new(),
            connections: Vec::new(),
            responses: VecDeque::new(),
            reports: VecDeque::new(),
            read: 0,
            ended: false,
            buffer: Vec::new(),
            config,
        })
    }

    /// Counts of quinn-proto for each connection that has not ended, in the order of their begins.
    pub fn stats(&self) -> impl Iterator<Item = ConnectionStats> {
        self.connections.iter().map(|own| own.connection.stats())
    }

    fn open(&mut self, now: Time) {
        let Some(client) = self.client.clone() else { return };
        let remote = socket(self.config.remote);
        let at = self.clock.instant(now);
        match self.endpoint.connect(at, client, remote, NAME) {
            Ok((handle, connection)) => self.add(handle, connection),
            Err(error) => self.end(Outcome::Failed(error.to_string())),
        }
    }

    fn accept(&mut self, now: Time, incoming: Incoming) {
        self.buffer.clear();
        let at = self.clock.instant(now);
        match self.endpoint.accept(incoming, at, &mut self.buffer, None) {
            Ok((handle, connection)) => self.add(handle, connection),
            Err(refused) => {
                let response = refused.response.map(|own| self.transmit_of(&own));
                self.responses.extend(response);
            }
        }
    }

    fn add(&mut self, handle: ConnectionHandle, connection: Connection) {
        let number = self.connections.len() as u32;
        let writing = Writing::default();
        let own = Own { handle, connection, number, connected: false, writing };
        self.connections.push(own);
    }

    fn end(&mut self, outcome: Outcome) {
        if !std::mem::replace(&mut self.ended, true) {
            self.reports.push_back(Report::Ended(outcome));
        }
    }

    /// The datagram that `buffer` has.
    fn transmit_of(&self, own: &quinn_proto::Transmit) -> Transmit {
        Transmit { ecn: ecn_field(own.ecn), payload: self.buffer[..own.size].to_vec() }
    }

    /// Hands events between connections, endpoint and application, until none is left.
    fn drive(&mut self, now: Time) {
        for n in 0..self.connections.len() {
            loop {
                let own = &mut self.connections[n];
                if let Some(event) = own.connection.poll_endpoint_events() {
                    let (handle, back) =
                        (own.handle, self.endpoint.handle_event(own.handle, event));
                    back.into_iter().for_each(|event| self.hand(handle, event));
                } else if let Some(event) = own.connection.poll() {
                    self.heed(now, n, event);
                } else {
                    break;
                }
            }
            let own = &mut self.connections[n];
            if own.connected && !own.connection.is_closed() {
                let of = (own.number, self.config.connections);
                own.writing.write(&mut own.connection, self.config.application, of);
            }
        }
        self.connections.retain(|own| !own.connection.is_drained());
    }

    fn hand(&mut self, handle: ConnectionHandle, event: ConnectionEvent) {
        if let Some(own) = self.connections.iter_mut().find(|own| own.handle == handle) {
            own.connection.handle_event(event);
        }
    }

    /// An event of a connection for its application.
    fn heed(&mut self, now: Time, n: usize, event: Event) {
        let own = &mut self.connections[n];
        match event {
            Event::Connected => {
                own.connected = true;
                self.reports.push_back(Report::Connected);
            }
            Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                let streams = || self.connections[n].connection.streams().accept(Dir::Uni);
                let opened: Vec<StreamId> = std::iter::from_fn(streams).collect();
                opened.into_iter().for_each(|id| self.read_stream(now, n, id));
            }
            Event::Stream(StreamEvent::Readable { id }) => self.read_stream(now, n, id),
            Event::ConnectionLost { reason } => {
                let outcome = match reason {
                    // The peer has all data.
                    ConnectionError::ApplicationClosed(_) | ConnectionError::LocallyClosed => {
                        Outcome::Finished
                    }
                    reason => Outcome::Failed(reason.to_string()),
                };
                self.end(outcome);
            }
            _ => {}
        }
    }

    /// Reads a stream. The end that reads closes all connections when it has all data.
    fn read_stream(&mut self, now: Time, n: usize, id: StreamId) {
        let bytes = read(&mut self.connections[n].connection, id);
        if bytes > 0 {
            self.read += bytes;
            self.reports.push_back(Report::Delivered { bytes });
        }
        let Application::Sink { expected: Some(expected) } = self.config.application else {
            return;
        };
        if self.read >= expected {
            self.end(Outcome::Finished);
            let at = self.clock.instant(now);
            for own in &mut self.connections {
                own.connection.close(at, VarInt::from_u32(0), Bytes::new());
            }
        }
    }
}

impl Stack for Quic {
    fn begin(&mut self, now: Time) {
        if self.config.side == Side::Client {
            (0..self.config.connections.max(1)).for_each(|_| self.open(now));
        }
        self.drive(now);
    }

    fn stop(&mut self, now: Time) {
        for own in &mut self.connections {
            own.writing.stop(&mut own.connection);
        }
        self.drive(now);
    }

    fn receive(&mut self, now: Time, datagram: Datagram<'_>) {
        let (at, remote) = (self.clock.instant(now), socket(self.config.remote));
        let (data, ecn) = (BytesMut::from(datagram.payload), code_point(datagram.ecn));
        self.buffer.clear();
        let event = self.endpoint.handle(at, remote, None, ecn, data, &mut self.buffer);
        match event {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => self.hand(handle, event),
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming),
            Some(DatagramEvent::Response(own)) => {
                let response = self.transmit_of(&own);
                self.responses.push_back(response);
            }
            None => {}
        }
        self.drive(now);
    }

    fn wake(&mut self, now: Time) {
        let at = self.clock.instant(now);
        for own in &mut self.connections {
            if own.connection.poll_timeout().is_some_and(|due| due <= at) {
                own.connection.handle_timeout(at);
            }
        }
        self.drive(now);
    }

    fn transmit(&mut self, now: Time) -> Option<Transmit> {
        if let Some(response) = self.responses.pop_front() {
            return Some(response);
        }
        let at = self.clock.instant(now);
        for n in 0..self.connections.len() {
            self.buffer.clear();
            let own = self.connections[n].connection.poll_transmit(at, 1, &mut self.buffer);
            if let Some(own) = own {
                return Some(self.transmit_of(&own));
            }
        }
        self.drive(now);
        None
    }

    fn timeout(&mut self) -> Option<Time> {
        let all = self.connections.iter_mut().filter_map(|own| own.connection.poll_timeout());
        all.min().map(|at| self.clock.time(at))
    }

    fn report(&mut self) -> Option<Report> {
        self.reports.pop_front()
    }
}

fn ecn_field(ecn: Option<EcnCodepoint>) -> Ecn {
    match ecn {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

fn code_point(ecn: Ecn) -> Option<EcnCodepoint> {
    EcnCodepoint::from_bits(ecn.bits())
}

#[cfg(test)]
#[path = "end_tests.rs"]
mod tests;
