//! A TCP connection at the edge of the network: its packets and its reports.

use airpath_base::{FlowId, Port, Time};
use airpath_net::{Cx, Event, Leg, Packet, Payload, TcpEvent};
use airpath_wire::{Endpoint, Protocol, TcpRepr, Tuple};

use crate::EndpointError;
use crate::control::Controller;
use crate::tcp::{Connection, ConnectionEvent, Segment, TcpConfig};

/// Common properties of a socket's packets.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// For which packets and events are counted.
    pub flow: FlowId,
    /// Data, or what answers them.
    pub leg: Leg,
    /// Differentiated services code point (6 bits).
    pub dscp: u8,
}

/// A connection and what its packets look like.
pub struct Socket {
    label: Label,
    /// Of what leaves.
    tuple: Tuple,
    /// Of what arrives.
    incoming: Tuple,
    /// The connection itself, for its owner to write, read and close.
    pub connection: Connection,
}

impl Socket {
    /// A closed one.
    ///
    /// # Errors
    ///
    /// If the options of TCP cannot be used, or the ends have addresses of different kinds.
    pub fn new(
        label: Label,
        local: Endpoint,
        remote: Endpoint,
        tcp: TcpConfig,
        controller: Controller,
    ) -> Result<Socket, EndpointError> {
        if local.addr.is_ipv4() != remote.addr.is_ipv4() {
            return Err(EndpointError::Addresses);
        }
        let connection = Connection::with_controller(tcp, controller)?;
        let tuple = Tuple { src: local, dst: remote, protocol: Protocol::TCP };
        Ok(Socket { label, tuple, incoming: tuple.reversed(), connection })
    }

    /// Takes a packet, if it is for this connection.
    #[inline]
    pub fn receive(&mut self, now: Time, packet: &Packet) -> bool {
        let here = packet.tuple == self.incoming;
        match &packet.payload {
            Payload::Tcp(header) if here => {
                self.connection.receive(now, &TcpRepr::from(header), packet.ecn)
            }
            _ => false,
        }
    }

    /// Sends all that may leave now; `number` is that of the next packet.
    pub fn transmit(&mut self, now: Time, port: Port, number: &mut u64, cx: &mut Cx<'_>) {
        while let Some(segment) = self.connection.poll_transmit(now) {
            self.send(now, &segment, (port, *number), cx);
            *number += 1;
        }
    }

    fn send(&self, now: Time, segment: &Segment, (port, number): (Port, u64), cx: &mut Cx<'_>) {
        let Label { flow, leg, dscp } = self.label;
        let repr = segment.repr;
        let size = self.tuple.ip_header() + repr.header_len() + repr.payload_len;
        let mut packet = Packet::new(flow, leg, size, self.tuple, now);
        packet.number = number;
        packet.dscp = dscp;
        packet.ecn = segment.ecn;
        packet.payload = Payload::Tcp(repr.into());
        if let Some(reason) = segment.retransmission {
            let again = TcpEvent::Retransmission { reason, bytes: repr.payload_len };
            cx.emit(|| Event::Tcp(flow, again));
        }
        cx.originate(&mut packet);
        cx.send(port, packet);
    }

    /// The next event that is not for measuring only; those are reported.
    #[inline(always)]
    pub fn poll_event(&mut self, cx: &mut Cx<'_>) -> Option<ConnectionEvent> {
        loop {
            let event = self.connection.poll_event()?;
            if let ConnectionEvent::State = event
                && let Some(model) = self.connection.model()
            {
                cx.emit(|| Event::Tcp(self.label.flow, TcpEvent::Model(model)));
            }
            match self.measured(event) {
                Some(tcp) => cx.emit(|| Event::Tcp(self.label.flow, tcp)),
                None => return Some(event),
            }
        }
    }

    fn measured(&self, event: ConnectionEvent) -> Option<TcpEvent> {
        match event {
            ConnectionEvent::Established => Some(TcpEvent::Established),
            ConnectionEvent::Rtt(rtt) => Some(TcpEvent::Rtt(rtt)),
            ConnectionEvent::Timeout { backoff } => Some(TcpEvent::Timeout { backoff }),
            ConnectionEvent::Recovery => Some(TcpEvent::Recovery),
            ConnectionEvent::State => Some(self.state()),
            ConnectionEvent::Delivered { .. }
            | ConnectionEvent::PeerClosed
            | ConnectionEvent::Spurious
            | ConnectionEvent::Flushed
            | ConnectionEvent::Failed => None,
        }
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
}
