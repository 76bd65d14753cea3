//! An endpoint of quinn-proto with its connections, as a stack.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::Time;
use airpath_base::random::Stream;
use airpath_net::StackEvent;
use airpath_wire::{Ecn, Endpoint};
use bytes::{Bytes, BytesMut};
use quinn_proto::{
    Connection, ConnectionError, ConnectionEvent, ConnectionHandle, DatagramEvent, EcnCodepoint,
    Event, Incoming, StreamEvent, StreamId, TransportConfig, TransportErrorCode, VarInt,
};

use super::application::{Answering, Application, Asking, Datagrams, read};
use super::config::{QuicConfig, Side, socket};
use super::connection::Own;
use super::identity;
use super::logs::Logs;
use super::tls::{Fault, NAME};
use super::watched::Seen;
use crate::clock::Clock;
use crate::stack::{Content, Datagram, Outcome, Report, Sending, Stack, Transmit, interned};

/// State of an application.
enum Work {
    /// It writes to streams, or reads.
    Streams,
    Datagrams(Datagrams),
    Asking(Box<Asking>),
    Answering(Answering),
}

/// An end of QUIC.
pub struct Quic {
    config: QuicConfig,
    logs: Logs,
    clock: Clock,
    endpoint: quinn_proto::Endpoint,
    /// Options of connections that it opens, and of those that it accepts.
    client: Option<quinn_proto::ClientConfig>,
    server: Option<quinn_proto::ServerConfig>,
    connections: Vec<Own>,
    /// Connections so far.
    begun: u32,
    /// Datagrams of the endpoint itself.
    responses: VecDeque<Transmit>,
    reports: VecDeque<Report>,
    work: Work,
    /// True if a source writes nothing for now, and if it has stopped.
    paused: bool,
    stopped: bool,
    /// Bytes that the application has read.
    read: u64,
    ended: bool,
    buffer: Vec<u8>,
}

impl Quic {
    /// An end whose keys come from this stream.
    ///
    /// # Errors
    ///
    /// If TLS refuses its own options.
    pub fn new(config: QuicConfig, draws: &mut Stream, logs: Logs) -> Result<Quic, Fault> {
        let endpoint = Arc::new(identity::endpoint(draws, config.largest_payload)?);
        let (client, server) = match config.side {
            Side::Client => {
                let keys = logs.keys.clone().map(|keys| Arc::new(keys) as Arc<dyn rustls::KeyLog>);
                (Some(identity::client(keys)?), None)
            }
            Side::Server => (None, Some(identity::server(draws)?)),
        };
        let (accepts, mtu_discovery) = (server.clone().map(Arc::new), true);
        Ok(Quic {
            #[cfg(not(feature = "quinn-main"))]
            endpoint: quinn_proto::Endpoint::new(endpoint, accepts, mtu_discovery, None),
            #[cfg(feature = "quinn-main")]
            endpoint: quinn_proto::Endpoint::new(endpoint, accepts, mtu_discovery),
            client,
            server,
            logs,
            clock: Clock::new(),
            connections: Vec::new(),
            begun: 0,
            responses: VecDeque::new(),
            reports: VecDeque::new(),
            work: Work::new(&config.application),
            paused: false,
            stopped: false,
            read: 0,
            ended: false,
            buffer: Vec::new(),
            config,
        })
    }

    /// Options of the next connection.
    fn transport(&self, seen: &Arc<Seen>) -> Arc<TransportConfig> {
        let qlog = self.logs.qlog(self.begun, self.clock.instant(Time::ZERO));
        self.config.transport((self.begun, self.clock), seen, qlog)
    }

    fn open(&mut self, now: Time) {
        let (Some(mut client), seen) = (self.client.clone(), Arc::default()) else { return };
        client.transport_config(self.transport(&seen));
        let (at, remote) = (self.clock.instant(now), socket(self.config.remote));
        match self.endpoint.connect(at, client, remote, NAME) {
            Ok((handle, connection)) => self.add(now, handle, connection, seen),
            Err(_) => self.fail("no connection could be opened"),
        }
    }

    fn accept(&mut self, now: Time, incoming: Incoming) {
        let (Some(mut server), seen) = (self.server.clone(), Arc::default()) else { return };
        server.transport_config(self.transport(&seen));
        self.buffer.clear();
        let (at, server) = (self.clock.instant(now), Some(Arc::new(server)));
        match self.endpoint.accept(incoming, at, &mut self.buffer, server) {
            Ok((handle, connection)) => self.add(now, handle, connection, seen),
            Err(refused) => {
                let response = refused.response.map(|own| self.transmit_of(&own));
                self.responses.extend(response);
                self.fail("a connection could not be accepted");
            }
        }
    }

    fn add(
        &mut self,
        now: Time,
        handle: ConnectionHandle,
        connection: Connection,
        seen: Arc<Seen>,
    ) {
        self.connections.push(Own::new(handle, connection, (self.begun, now), seen));
        self.begun += 1;
        if self.stopped {
            self.close(now);
        }
    }

    fn fail(&mut self, cause: &'static str) {
        self.end(Outcome::Failed(cause));
    }

    fn end(&mut self, outcome: Outcome) {
        if !std::mem::replace(&mut self.ended, true) {
            self.reports.push_back(Report::Ended(outcome));
        }
    }

    /// Closes all connections (RFC 9000, 10.2).
    fn close(&mut self, now: Time) {
        let at = self.clock.instant(now);
        for own in &mut self.connections {
            own.connection.close(at, VarInt::from_u32(0), Bytes::new());
        }
    }

    /// The datagram that `buffer` has.
    fn transmit_of(&self, own: &quinn_proto::Transmit) -> Transmit {
        Transmit {
            ecn: ecn_field(own.ecn),
            remote: Endpoint::new(own.destination.ip(), own.destination.port()),
            payload: self.buffer[..own.size].to_vec(),
            content: Content::Other,
        }
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
        }
        self.work(now);
        self.observe(now);
        self.connections.retain(|own| !own.connection.is_drained());
    }

    /// The application acts.
    fn work(&mut self, now: Time) {
        let connections = &mut self.connections;
        match (&mut self.work, &self.config.application) {
            (Work::Streams, Application::Source { bytes, streams }) => {
                let all = self.config.connections;
                connections.iter_mut().for_each(|own| own.begin((*bytes, *streams), all));
            }
            (Work::Streams, _) => {}
            (Work::Datagrams(own), _) => {
                let ready = connections.iter_mut().find(|own| own.is_ready());
                let sent = ready.map_or(Ok(()), |ready| own.send(now, &mut ready.connection));
                sent.unwrap_or_else(|cause| self.fail(cause));
            }
            (Work::Asking(own), _) => own.ask(now, connections),
            (Work::Answering(own), _) => own.answer(now, connections),
        }
        if !self.paused {
            self.connections.iter_mut().for_each(Own::write);
        }
        if matches!(&self.work, Work::Asking(own) if own.is_finished()) {
            self.end(Outcome::Finished);
        }
        // A client that has all its responses needs its connections no longer.
        let open = self.connections.iter().any(|own| !own.connection.is_closed());
        if open && matches!(&self.work, Work::Asking(own) if own.is_over()) {
            self.close(now);
        }
    }

    /// True if this end lacks nothing of a connection: its peer may have closed it with a packet that was lost.
    fn is_quiet(&self, n: usize) -> bool {
        let own = &self.connections[n];
        own.is_acknowledged()
            && match (&self.work, &self.config.application) {
                (Work::Streams, Application::Sink { expected }) => expected.is_none(),
                (Work::Streams | Work::Datagrams(_), _) => true,
                (Work::Asking(asking), _) => asking.is_over(),
                (Work::Answering(answering), _) => answering.is_over(),
            }
    }

    /// Time of the next act of the application.
    fn next_act(&self) -> Option<Time> {
        let ready = || self.connections.iter().any(Own::is_ready);
        match &self.work {
            Work::Streams => None,
            Work::Datagrams(own) => own.next_wake().filter(|_| ready()),
            Work::Asking(own) => own.next_wake(),
            Work::Answering(own) => own.next_wake(),
        }
    }

    /// Reports what has changed at connections that send data.
    fn observe(&mut self, now: Time) {
        if !self.config.application.sends() {
            return;
        }
        let mut changed = None;
        for own in &mut self.connections {
            if own.observe(&mut self.reports) {
                changed = Some(own.srtt());
            }
        }
        if let Some(srtt) = changed {
            let cwnd = self.connections.iter().map(Own::cwnd).sum();
            let in_flight = self.connections.iter().map(Own::in_flight).sum();
            self.reports.push_back(Report::Sending(Sending { cwnd, in_flight, srtt }));
        }
        if let Some(fault) = self.connections.iter().find_map(Own::fault) {
            let control = self.config.congestion.name();
            self.fail(interned(format!("congestion control {control} with {fault}")));
            self.close(now);
        }
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
                let handshake = own.connect(now);
                if self.config.side == Side::Client {
                    self.reports.push_back(Report::Event(handshake));
                }
            }
            Event::Stream(StreamEvent::Opened { dir }) => {
                let streams = || self.connections[n].connection.streams().accept(dir);
                let opened: Vec<StreamId> = std::iter::from_fn(streams).collect();
                opened.into_iter().for_each(|id| self.read_stream(now, n, id));
            }
            Event::Stream(StreamEvent::Readable { id }) => self.read_stream(now, n, id),
            Event::Stream(StreamEvent::Finished { id }) => own.acknowledged(id),
            Event::Stream(StreamEvent::Writable { id }) => own.writable(id),
            Event::DatagramReceived => {
                while let Some(datagram) = own.connection.datagrams().recv() {
                    let bytes = datagram.len() as u64;
                    self.reports.push_back(Report::Delivered { bytes });
                }
            }
            Event::ConnectionLost { reason } => match cause(&reason) {
                Some(_) if reason == ConnectionError::TimedOut && self.is_quiet(n) => {}
                Some(cause) => self.fail(cause),
                // The peer has all data, or has sent all.
                None => self.ended = true,
            },
            _ => {}
        }
    }

    /// Reads a stream. A sink closes all connections when it has all data.
    fn read_stream(&mut self, now: Time, n: usize, id: StreamId) {
        let own = &mut self.connections[n];
        match &mut self.work {
            Work::Asking(asking) => return asking.read(now, own, id, &mut self.reports),
            Work::Answering(answering) => return answering.read(now, own, id),
            Work::Streams | Work::Datagrams(_) => {}
        }
        let mut bytes = 0;
        let ended = read(&mut own.connection, id, |part| bytes += part.len() as u64);
        if bytes > 0 {
            self.read += bytes;
            self.reports.push_back(Report::Delivered { bytes });
        }
        if ended {
            self.reports.push_back(Report::Event(StackEvent::Stream));
        }
        let Application::Sink { expected: Some(expected) } = &self.config.application else {
            return;
        };
        if self.read >= *expected {
            self.end(Outcome::Finished);
            self.close(now);
        }
    }
}

impl Work {
    fn new(application: &Application) -> Work {
        match application {
            Application::Source { .. } | Application::Sink { .. } => Work::Streams,
            Application::Datagrams { payload, interval } => {
                Work::Datagrams(Datagrams::new(*payload, *interval))
            }
            Application::Client { behaviour, request, streams } => {
                Work::Asking(Box::new(Asking::new((**behaviour).clone(), *request, *streams)))
            }
            Application::Server { reply_delay } => Work::Answering(Answering::new(*reply_delay)),
        }
    }
}

impl Stack for Quic {
    fn begin(&mut self, now: Time) {
        if self.config.side == Side::Client {
            (0..self.config.connections.max(1)).for_each(|_| self.open(now));
        }
        if let Work::Asking(asking) = &mut self.work {
            asking.begin(now);
        }
        self.drive(now);
    }

    fn stop(&mut self, now: Time) {
        match &mut self.work {
            Work::Streams | Work::Datagrams(_) => {
                self.stopped = true;
                self.close(now);
            }
            Work::Asking(own) => own.stop(),
            Work::Answering(_) => {}
        }
        self.drive(now);
    }

    fn receive(&mut self, now: Time, datagram: Datagram<'_>) {
        let (at, remote) = (self.clock.instant(now), socket(datagram.remote));
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
        if let Work::Asking(own) = &mut self.work {
            own.wake(now);
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
        let transport = all.min().map(|at| self.clock.time(at));
        [transport, self.next_act()].into_iter().flatten().min()
    }

    fn finish(&mut self) {
        if let Work::Asking(own) = &mut self.work {
            self.reports.extend(own.unanswered());
        }
    }

    fn set_active(&mut self, now: Time, active: bool) -> bool {
        match &mut self.work {
            Work::Streams => self.paused = !active,
            Work::Datagrams(own) => own.set_active(active),
            Work::Asking(own) => own.set_active(now, active),
            Work::Answering(_) => return false,
        }
        self.drive(now);
        true
    }

    fn report(&mut self) -> Option<Report> {
        self.reports.pop_front()
    }
}

/// Cause of a connection's end, unless an application has closed the connection.
fn cause(reason: &ConnectionError) -> Option<&'static str> {
    match reason {
        ConnectionError::ApplicationClosed(_) | ConnectionError::LocallyClosed => None,
        // The peer has forgotten the connection some time after its close (RFC 9000, 10.3).
        ConnectionError::Reset => None,
        ConnectionError::TimedOut => Some("no packet for the idle timeout"),
        ConnectionError::VersionMismatch => Some("no common version"),
        ConnectionError::TransportError(_) => Some("transport error"),
        // An application closes a connection so before the handshake is complete (RFC 9000, 10.2.3).
        ConnectionError::ConnectionClosed(close)
            if close.error_code == TransportErrorCode::APPLICATION_ERROR =>
        {
            None
        }
        ConnectionError::ConnectionClosed(_) => Some("closed by the peer's transport"),
        ConnectionError::CidsExhausted => Some("no connection identifiers left"),
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
