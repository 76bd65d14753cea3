//! The server of requests, as a node.

use std::collections::VecDeque;

use airpath_base::{Duration, FlowId, Port, Time};
use airpath_net::{Cx, DropCause, Leg, Node, Packet, Payload};
use airpath_wire::{Endpoint, TcpFlags};

use super::RequestConfig;
use super::side_channel::SideChannel;
use airpath_transport::Timers;
use airpath_transport::control::Controller;
use airpath_transport::tcp::{ConnectionEvent, TcpConfig, earliest};
use airpath_transport::{Label, Socket};

const NETWORK: Port = Port(0);

/// Answers what a [`RequestClient`](super::RequestClient) asks for. Port 0 is the network.
pub struct RequestServer {
    label: Label,
    local: Endpoint,
    client: Endpoint,
    tcp: TcpConfig,
    reply_delay: Duration,
    channel: SideChannel,
    /// By the client's port, from its first on.
    slots: Vec<Option<Box<Slot>>>,
    timers: Timers,
    packets: u64,
}

/// A connection and what it still has to say.
struct Slot {
    socket: Socket,
    number: u32,
    /// Bytes of requests that have not been complete.
    arrived: u64,
    /// Responses that are being thought about.
    replies: VecDeque<(Time, u64)>,
    unwritten: u64,
    closing: bool,
}

impl RequestServer {
    pub(crate) fn new(config: &RequestConfig, channel: SideChannel) -> RequestServer {
        RequestServer {
            label: Label { flow: config.server_flow, leg: Leg::Data, dscp: config.dscp.0 },
            local: config.server,
            client: config.client,
            tcp: config.tcp.clone(),
            reply_delay: config.reply_delay,
            channel,
            slots: (0..config.ports()).map(|_| None).collect(),
            timers: Timers::default(),
            packets: 0,
        }
    }

    /// The flow that it is counted for.
    pub fn flow(&self) -> FlowId {
        self.label.flow
    }

    /// True if some connection takes the packet; a SYN that none knows opens another.
    fn accept(&mut self, now: Time, n: usize, packet: &Packet) -> bool {
        if self.slots[n].as_mut().is_some_and(|slot| slot.socket.receive(now, packet)) {
            return true;
        }
        let Payload::Tcp(repr) = &packet.payload else { return false };
        let opens = repr.flags.contains(TcpFlags::SYN) && !repr.flags.contains(TcpFlags::ACK);
        let port = packet.tuple.src.port;
        let number = self.channel.connection(port).filter(|_| opens);
        let Some(mut slot) = number.and_then(|number| self.slot(port, number)) else {
            return false;
        };
        slot.socket.connection.listen();
        let taken = slot.socket.receive(now, packet);
        self.slots[n] = Some(Box::new(slot));
        taken
    }

    fn slot(&self, port: u16, number: u32) -> Option<Slot> {
        let tcp = self.tcp.clone();
        let client = Endpoint { port, ..self.client };
        let controller = Controller::new(&tcp);
        let socket = Socket::new(self.label, self.local, client, tcp, controller).ok()?;
        let replies = VecDeque::new();
        Some(Slot { socket, number, arrived: 0, replies, unwritten: 0, closing: false })
    }

    fn serve(&mut self, now: Time, n: usize, cx: &mut Cx<'_>) {
        let Some(slot) = &mut self.slots[n] else { return };
        slot.take_events(cx);
        let port = self.client.port + n as u16;
        while let Some(bytes) = self.channel.take(port, slot.number, &mut slot.arrived) {
            slot.replies.push_back((now.saturating_add(self.reply_delay), bytes));
        }
        slot.write(now);
        slot.socket.transmit(now, NETWORK, &mut self.packets, cx);
        slot.take_events(cx);
        let thinking = slot.replies.front().map(|(due, _)| *due);
        self.timers.set(n, earliest([slot.socket.connection.poll_timeout(), thinking]));
    }
}

impl Slot {
    fn take_events(&mut self, cx: &mut Cx<'_>) {
        while let Some(event) = self.socket.poll_event(cx) {
            match event {
                ConnectionEvent::Delivered { bytes } => self.arrived += bytes,
                ConnectionEvent::PeerClosed => self.closing = true,
                _ => {}
            }
        }
    }

    fn write(&mut self, now: Time) {
        while let Some((_, bytes)) = self.replies.pop_front_if(|reply| reply.0 <= now) {
            self.unwritten += bytes;
        }
        self.unwritten -= self.socket.connection.write(self.unwritten);
        if self.closing && self.unwritten == 0 && self.replies.is_empty() {
            self.socket.connection.close();
        }
    }
}

impl Node for RequestServer {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let offset = packet.tuple.src.port.wrapping_sub(self.client.port);
        let n = usize::from(offset);
        let known = port == NETWORK && n < self.slots.len();
        if known && self.accept(now, n, &packet) {
            cx.consume(&packet);
            self.serve(now, n, cx);
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some(n) = self.timers.pop(now) {
            if let Some(slot) = &mut self.slots[n] {
                slot.socket.connection.on_timeout(now);
            }
            self.serve(now, n, cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.timers.next()
    }
}
