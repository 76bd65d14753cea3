//! A performance-enhancing proxy that splits TCP connections (RFC 3135, 2.4).
//!
//! It stands on the way and answers for either end with the other's address, so neither end knows
//! of it. The connection of the client ends here, and one of its own goes on to the server. Each
//! has its own options, controller and buffers. Data that arrive on one are relayed to the other
//! through a buffer of limited size. While the buffer is full, nothing is read, and the receive
//! window closes. The end of data (FIN) is relayed behind them. A failure of either side is relayed
//! as a reset at once. Other packets pass in no time.
//!
//! It accepts a client's connection before that to the server is open, as such proxies
//! usually do. Left out: caching and compression, time for processing, and answering
//! resets to what belongs to no connection.

mod pair;

use airpath_base::{FlowId, Port, Time};
use airpath_net::{AppEvent, Cx, Direction, DropCause, Event, Leg, Node, Packet, Payload};
use airpath_wire::{TcpFlags, Tuple};

use crate::EndpointError;
use crate::socket::Label;
use crate::tcp::TcpConfig;
use crate::timers::Timers;
use pair::Pair;

/// Options of one side of a split connection.
#[derive(Clone, Debug)]
pub struct ProxySide {
    /// The flow for which its packets and events are counted.
    pub flow: FlowId,
    /// Options of the connection at the proxy. The reader is the proxy.
    pub tcp: TcpConfig,
}

/// A connection that is split.
#[derive(Clone, Debug)]
pub struct Split {
    /// Addresses and ports of what its client sends.
    pub uplink: Tuple,
    /// Direction of its data, for counting.
    pub data: Direction,
    /// Differentiated services code points of data and of what answers.
    pub dscp: (u8, u8),
    /// Towards the client.
    pub client: ProxySide,
    /// Towards the server.
    pub server: ProxySide,
}

/// The proxy. Packets to the clients come in and leave at [`DOWN`](Proxy::DOWN), those to the
/// servers at [`UP`](Proxy::UP).
pub struct Proxy {
    /// Sorted by tuple.
    pairs: Vec<Pair>,
    /// By pair.
    timers: Timers,
    /// Bytes that may wait between both sides, for each pair and direction.
    relay: u64,
}

/// Sides of a pair.
const CLIENT: usize = 0;
const SERVER: usize = 1;

impl Proxy {
    /// The way to the clients.
    pub const DOWN: Port = Port(0);
    /// The way to the servers.
    pub const UP: Port = Port(1);

    /// A proxy that splits these connections, with `relay` bytes of buffer for each and
    /// direction (at least 1).
    ///
    /// # Errors
    ///
    /// If options of TCP cannot be used.
    pub fn new(splits: Vec<Split>, relay: u64) -> Result<Proxy, EndpointError> {
        let mut pairs = Vec::with_capacity(splits.len());
        for mut split in splits {
            for side in [&mut split.client, &mut split.server] {
                side.tcp.reads_itself = true;
                side.tcp.check()?;
            }
            pairs.push(Pair::new(split));
        }
        pairs.sort_by_key(|pair| pair.uplink());
        Ok(Proxy { pairs, timers: Timers::default(), relay: relay.max(1) })
    }

    /// The pair and the side at which such a packet arrives.
    fn find(&self, port: Port, packet: &Packet) -> Option<(usize, usize)> {
        let (uplink, side) = match port {
            Proxy::UP => (packet.tuple, CLIENT),
            _ => (packet.tuple.reversed(), SERVER),
        };
        let found = self.pairs.binary_search_by_key(&uplink, Pair::uplink).ok()?;
        Some((found, side))
    }

    /// Lets a pair do all it can, and notes when it wants to be called.
    fn settle(&mut self, now: Time, n: usize, cx: &mut Cx<'_>) {
        let due = self.pairs[n].settle(now, self.relay, cx);
        self.timers.set(n, due);
    }
}

/// True if the packet opens a connection.
fn opens(packet: &Packet) -> bool {
    let Payload::Tcp(repr) = &packet.payload else { return false };
    repr.flags.contains(TcpFlags::SYN) && !repr.flags.contains(TcpFlags::ACK)
}

impl Split {
    fn label(&self, side: usize) -> Label {
        let own = if side == CLIENT { &self.client } else { &self.server };
        // The client's side sends on what the server sends, and the other way round.
        let down = self.data == Direction::Downlink;
        let data = down == (side == CLIENT);
        let (leg, dscp) =
            if data { (Leg::Data, self.dscp.0) } else { (Leg::Feedback, self.dscp.1) };
        Label { flow: own.flow, leg, dscp }
    }
}

/// Reports data that the proxy has taken, where it is their receiver.
fn delivered(label: &Label, bytes: u64, cx: &mut Cx<'_>) {
    if label.leg == Leg::Feedback {
        cx.emit(|| Event::App(label.flow, AppEvent::Delivered { bytes }));
    }
}

/// Reports that its sender has closed and all of it been taken, in the same way.
fn finished(label: &Label, cx: &mut Cx<'_>) {
    if label.leg == Leg::Feedback {
        cx.emit(|| Event::App(label.flow, AppEvent::Finished));
    }
}

impl Node for Proxy {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let Some((n, side)) = self.find(port, &packet) else {
            return cx.send(port, packet);
        };
        if self.pairs[n].receive(now, side, &packet) {
            cx.consume(&packet);
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
        self.settle(now, n, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some(n) = self.timers.pop(now) {
            self.pairs[n].on_timeout(now);
            self.settle(now, n, cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.timers.next()
    }

    fn audit(&self) -> Result<(), String> {
        self.pairs.iter().try_for_each(|pair| pair.audit(self.relay))
    }
}
