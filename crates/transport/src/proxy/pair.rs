//! Both connections of a split one, and what is relayed between them.

use airpath_base::{Port, Time};
use airpath_net::{Cx, Packet};
use airpath_wire::Tuple;

use super::{CLIENT, Proxy, SERVER, Split, delivered, finished, opens};
use crate::control::Controller;
use crate::socket::Socket;
use crate::tcp::{ConnectionEvent, earliest};

/// Spreads initial sequence numbers of one connection after the other.
const SPREAD: u32 = 0x9e37_79b9;

/// A split connection; it may be opened anew when it has ended.
pub(super) struct Pair {
    split: Split,
    /// At the client's side and at the server's, once somebody opens.
    sockets: Option<[Socket; 2]>,
    /// Data from the client, and data from the server.
    relays: [Relay; 2],
    /// Connections so far.
    opened: u32,
    numbers: [u64; 2],
    failed: bool,
}

/// One direction.
#[derive(Clone, Copy, Debug, Default)]
struct Relay {
    /// Bytes read on one side so far.
    taken: u64,
    /// Bytes written on the other so far.
    given: u64,
    /// All has been read, and its sender has closed.
    ended: bool,
}

impl Pair {
    pub fn new(split: Split) -> Pair {
        let relays = [Relay::default(); 2];
        Pair { split, sockets: None, relays, opened: 0, numbers: [0; 2], failed: false }
    }

    pub fn uplink(&self) -> Tuple {
        self.split.uplink
    }

    /// Takes a packet that arrives at `side`; one that opens a connection which is not the
    /// present one begins anew.
    pub fn receive(&mut self, now: Time, side: usize, packet: &Packet) -> bool {
        let sockets = self.sockets.as_mut();
        if sockets.is_some_and(|sockets| sockets[side].receive(now, packet)) {
            return true;
        }
        if !opens(packet) || !self.open(now, side) {
            return false;
        }
        self.sockets.as_mut().is_some_and(|sockets| sockets[side].receive(now, packet))
    }

    /// Listens at `side` and connects on the other.
    fn open(&mut self, now: Time, side: usize) -> bool {
        let (Some(client), Some(server)) = (self.socket(CLIENT), self.socket(SERVER)) else {
            return false;
        };
        let sockets = self.sockets.insert([client, server]);
        sockets[side].connection.listen();
        sockets[1 - side].connection.connect(now);
        self.opened = self.opened.wrapping_add(1);
        (self.relays, self.failed) = ([Relay::default(); 2], false);
        true
    }

    fn socket(&self, side: usize) -> Option<Socket> {
        let Split { uplink: Tuple { src, dst, .. }, .. } = self.split;
        let (local, remote) = if side == CLIENT { (dst, src) } else { (src, dst) };
        let own = if side == CLIENT { &self.split.client } else { &self.split.server };
        let mut tcp = own.tcp.clone();
        tcp.initial_sequence = tcp.initial_sequence.wrapping_add(self.opened.wrapping_mul(SPREAD));
        let controller = Controller::new(&tcp);
        Socket::new(self.split.label(side), local, remote, tcp, controller).ok()
    }

    pub fn on_timeout(&mut self, now: Time) {
        for socket in self.sockets.iter_mut().flatten() {
            socket.connection.on_timeout(now);
        }
    }

    /// Relays, sends and reports all there is; when it wants to be called next.
    pub fn settle(&mut self, now: Time, buffer: u64, cx: &mut Cx<'_>) -> Option<Time> {
        for side in [CLIENT, SERVER] {
            self.take_events(now, side, cx);
        }
        for side in [CLIENT, SERVER] {
            if self.relay(side, buffer) {
                finished(&self.split.label(side), cx);
            }
        }
        for (side, port) in [(CLIENT, Proxy::DOWN), (SERVER, Proxy::UP)] {
            self.transmit(now, side, port, cx);
            self.take_events(now, side, cx);
        }
        let [client, server] = self.sockets.as_ref()?;
        earliest([client.connection.poll_timeout(), server.connection.poll_timeout()])
    }

    fn transmit(&mut self, now: Time, side: usize, port: Port, cx: &mut Cx<'_>) {
        let Some(sockets) = &mut self.sockets else { return };
        sockets[side].transmit(now, port, &mut self.numbers[side], cx);
    }

    /// Moves what one side has to the other, as far as there is room; whether that was the
    /// last of it.
    fn relay(&mut self, from: usize, buffer: u64) -> bool {
        let Some([client, server]) = &mut self.sockets else { return false };
        let (from_socket, to_socket) =
            if from == CLIENT { (client, server) } else { (server, client) };
        let relay = &mut self.relays[from];
        if self.failed {
            return false;
        }
        loop {
            let room = buffer - (relay.taken - relay.given);
            let taken = from_socket.connection.read(room);
            relay.taken += taken;
            let given = to_socket.connection.write(relay.taken - relay.given);
            relay.given += given;
            if taken == 0 && given == 0 {
                break;
            }
        }
        let before = relay.ended;
        relay.ended |= from_socket.connection.has_read_all();
        if relay.ended && relay.taken == relay.given {
            to_socket.connection.close();
        }
        relay.ended && !before
    }

    fn take_events(&mut self, now: Time, side: usize, cx: &mut Cx<'_>) {
        let label = self.split.label(side);
        let Some(sockets) = &mut self.sockets else { return };
        while let Some(event) = sockets[side].poll_event(cx) {
            match event {
                ConnectionEvent::Delivered { bytes } => delivered(&label, bytes, cx),
                ConnectionEvent::Failed => {
                    sockets[1 - side].connection.abort(now);
                    self.failed = true;
                }
                _ => {}
            }
        }
    }

    /// Nothing is lost or made up between both sides, and the buffer holds what it may.
    pub fn audit(&self, buffer: u64) -> Result<(), String> {
        for relay in &self.relays {
            let Relay { taken, given, .. } = *relay;
            if given > taken || taken - given > buffer {
                let uplink = self.split.uplink;
                return Err(format!("{uplink:?}: {taken} bytes taken, {given} given"));
            }
        }
        Ok(())
    }
}
