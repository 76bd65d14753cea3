//! An endpoint of noq-proto as a stack of airpath: one connection, one stream, BBRv3, no multipath.
//!
//! noq-proto draws the waits of BBRv3 from random numbers of the process, so two runs differ. Connection identifiers are
//! those of noq-proto too. A stack of which two runs are equal takes all random numbers from `stacks::random`.

use std::collections::VecDeque;
use std::error::Error;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;

use airpath_base::{Duration, Time};
use airpath_scenario::stacks::quic::tls;
use airpath_scenario::stacks::{
    Clock, Content, Datagram, Ecn, Endpoint as Address, Outcome, Report, Sending, Stack, Transmit,
    interned,
};
use bytes::{Bytes, BytesMut};
use noq_proto::congestion::Bbr3Config;
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, Event, FourTuple, PathId, ServerConfig, StreamEvent, StreamId,
    TransportConfig, VarInt,
};
use ring::hmac;

/// Data of the stream: zeros.
static ZEROS: [u8; 16_384] = [0; 16_384];

/// Work of the application of an end.
pub enum Work {
    /// Sends so many bytes; none for as many as the transport takes.
    Source(Option<u64>),
    /// Reads, and closes the connection with this number of bytes.
    Sink(Option<u64>),
}

/// An end.
pub struct Noq {
    clock: Clock,
    endpoint: Endpoint,
    remote: SocketAddr,
    /// Options of the connection that a client opens.
    client: Option<ClientConfig>,
    connection: Option<(ConnectionHandle, Connection)>,
    work: Work,
    stream: Option<StreamId>,
    read: u64,
    reported: Option<Sending>,
    reports: VecDeque<Report>,
    buffer: Vec<u8>,
}

impl Noq {
    /// An end that opens the connection, or waits for it.
    pub fn new(
        opens: bool,
        remote: Address,
        work: Work,
    ) -> Result<Noq, Box<dyn Error + Send + Sync>> {
        let mut config = EndpointConfig::new(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, &[7; 32])));
        config.rng_seed(Some([u8::from(opens); 32]));
        let mut transport = TransportConfig::default();
        transport.enable_segmentation_offload(false);
        transport.max_concurrent_multipath_paths(0);
        transport.congestion_controller_factory(Arc::new(Bbr3Config::default()));
        let transport = Arc::new(transport);
        let (client, server) = if opens {
            let crypto = Arc::new(QuicClientConfig::try_from(tls::client(None)?)?);
            let mut client = ClientConfig::new(crypto);
            client.transport_config(transport);
            (Some(client), None)
        } else {
            let crypto = Arc::new(QuicServerConfig::try_from(tls::server()?)?);
            let mut server = ServerConfig::with_crypto(crypto);
            server.transport_config(transport);
            (None, Some(Arc::new(server)))
        };
        Ok(Noq {
            clock: Clock::new(),
            endpoint: Endpoint::new(Arc::new(config), server, true),
            remote: SocketAddr::new(remote.addr, remote.port),
            client,
            connection: None,
            work,
            stream: None,
            read: 0,
            reported: None,
            reports: VecDeque::new(),
            buffer: Vec::new(),
        })
    }

    fn end(&mut self, outcome: Outcome) {
        self.reports.push_back(Report::Ended(outcome));
    }

    /// The datagram that `buffer` has.
    fn transmit_of(&self, own: &noq_proto::Transmit) -> Transmit {
        let ecn = own.ecn.map_or(Ecn::NotEct, |ecn| Ecn::from_bits(ecn as u8));
        let remote = Address::new(own.destination.ip(), own.destination.port());
        Transmit { ecn, remote, payload: self.buffer[..own.size].to_vec(), content: Content::Other }
    }

    /// Hands events between connection, endpoint and application, until none is left.
    fn drive(&mut self, now: Time) {
        let Some((handle, mut connection)) = self.connection.take() else { return };
        loop {
            if let Some(event) = connection.poll_endpoint_events() {
                let back = self.endpoint.handle_event(handle, event);
                back.into_iter().for_each(|event| connection.handle_event(event));
            } else if let Some(event) = connection.poll() {
                self.heed(now, &mut connection, event);
            } else {
                break;
            }
        }
        self.write(&mut connection);
        self.observe(&mut connection);
        self.connection = Some((handle, connection)).filter(|(_, own)| !own.is_drained());
    }

    fn heed(&mut self, now: Time, connection: &mut Connection, event: Event) {
        match event {
            Event::Connected if matches!(self.work, Work::Source(_)) => {
                self.stream = connection.streams().open(Dir::Uni);
            }
            Event::Stream(StreamEvent::Opened { dir }) => {
                self.stream = connection.streams().accept(dir);
                self.take(now, connection);
            }
            Event::Stream(StreamEvent::Readable { .. }) => self.take(now, connection),
            Event::ConnectionLost { reason: ConnectionError::ApplicationClosed(_) } => {}
            Event::ConnectionLost { reason } => {
                self.end(Outcome::Failed(interned(reason.to_string())));
            }
            _ => {}
        }
    }

    /// The source writes as much as the transport takes.
    fn write(&mut self, connection: &mut Connection) {
        let (Work::Source(left), Some(id)) = (&mut self.work, self.stream) else { return };
        let mut stream = connection.send_stream(id);
        while *left != Some(0) {
            let most = left.map_or(ZEROS.len(), |left| ZEROS.len().min(left as usize));
            match stream.write(&ZEROS[..most]) {
                Ok(bytes) => *left = left.map(|left| left - bytes as u64),
                Err(_) => return,
            }
        }
        _ = stream.finish();
        self.stream = None;
    }

    /// The sink reads.
    fn take(&mut self, now: Time, connection: &mut Connection) {
        let (Work::Sink(expected), Some(id)) = (&self.work, self.stream) else { return };
        let mut bytes = 0;
        let mut stream = connection.recv_stream(id);
        if let Ok(mut chunks) = stream.read(true) {
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                bytes += chunk.bytes.len() as u64;
            }
            _ = chunks.finalize();
        }
        self.read += bytes;
        self.reports.push_back(Report::Delivered { bytes });
        if expected.is_some_and(|expected| self.read >= expected) {
            self.end(Outcome::Finished);
            connection.close(self.clock.instant(now), VarInt::from_u32(0), Bytes::new());
        }
    }

    /// The source reports its window.
    fn observe(&mut self, connection: &mut Connection) {
        let Work::Source(_) = self.work else { return };
        let Some(stats) = connection.path_stats(PathId::ZERO) else { return };
        connection.set_send_window(2 * stats.cwnd + 65_536);
        let srtt = Duration::from_nanos(stats.rtt.as_nanos() as u64);
        let sending = Sending { cwnd: stats.cwnd, in_flight: 0, srtt };
        if self.reported.replace(sending) != Some(sending) {
            self.reports.push_back(Report::Sending(sending));
        }
    }
}

impl Stack for Noq {
    fn begin(&mut self, now: Time) {
        let Some(client) = self.client.clone() else { return };
        let at = self.clock.instant(now);
        match self.endpoint.connect(at, client, self.remote, tls::NAME) {
            Ok(opened) => self.connection = Some(opened),
            Err(error) => self.end(Outcome::Failed(interned(error.to_string()))),
        }
        self.drive(now);
    }

    fn stop(&mut self, now: Time) {
        if let Some((_, own)) = &mut self.connection {
            own.close(self.clock.instant(now), VarInt::from_u32(0), Bytes::new());
        }
        self.drive(now);
    }

    fn receive(&mut self, now: Time, datagram: Datagram<'_>) {
        let (at, path) = (self.clock.instant(now), FourTuple::from(self.remote));
        let (data, ecn) =
            (BytesMut::from(datagram.payload), EcnCodepoint::from_bits(datagram.ecn.bits()));
        self.buffer.clear();
        match self.endpoint.handle(at, path, ecn, data, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, own)) = &mut self.connection {
                    own.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                self.buffer.clear();
                match self.endpoint.accept(incoming, at, &mut self.buffer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(_) => self.end(Outcome::Failed("a connection could not be accepted")),
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            // Negotiation of versions, and resets: neither comes between two ends of this file.
            Some(DatagramEvent::Response(_)) | None => {}
        }
        self.drive(now);
    }

    fn wake(&mut self, now: Time) {
        if let Some((_, own)) = &mut self.connection {
            own.handle_timeout(self.clock.instant(now));
        }
        self.drive(now);
    }

    fn transmit(&mut self, now: Time) -> Option<Transmit> {
        let (_, own) = self.connection.as_mut()?;
        self.buffer.clear();
        let at = self.clock.instant(now);
        let sent = own.poll_transmit(at, NonZeroUsize::MIN, &mut self.buffer);
        if sent.is_none() {
            self.drive(now);
        }
        sent.map(|own| self.transmit_of(&own))
    }

    fn timeout(&mut self) -> Option<Time> {
        self.connection.as_ref()?.1.poll_timeout().map(|at| self.clock.time(at))
    }

    fn report(&mut self) -> Option<Report> {
        self.reports.pop_front()
    }
}
