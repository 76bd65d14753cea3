//! Packets of a flow in the order in which they are thought of.

use airpath_base::Time;
use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{
    Ecn, Endpoint, IpRepr, Protocol, SackBlocks, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple,
};

use super::plan::Plan;

/// Window scale of all hosts.
pub(crate) const SCALE: u8 = 4;

/// Packets of several flows, not in order of time.
#[derive(Default)]
pub(crate) struct Packets {
    /// Time in ns, offset in `bytes`, captured length, whole length.
    pub(crate) index: Vec<(u64, u32, u16, u32)>,
    pub(crate) bytes: Vec<u8>,
    scratch: Vec<u8>,
}

/// One connection that writes its packets.
pub(crate) struct Connection<'a> {
    pub(crate) plan: &'a Plan,
    out: &'a mut Packets,
    client: Endpoint,
    server: Endpoint,
    /// Next sequence numbers of client and server.
    pub(crate) seq: [u32; 2],
    /// Next sequence numbers that client and server expect, as acknowledged.
    pub(crate) acked: [u32; 2],
    /// The client's receive window in bytes.
    pub(crate) window: u32,
    /// Timestamp that each end echoes.
    echo: [u32; 2],
}

/// Sender of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client = 0,
    Server = 1,
}

impl Packets {
    /// Adds a packet: its headers, and the text at the beginning of its payload.
    fn add(&mut self, at: f64, inner: Inner<'_>, headers: u32, text: &[u8]) {
        let Ok(len) = emit(inner, &[], headers as usize, &mut self.scratch) else { return };
        let place = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&self.scratch);
        self.bytes.extend_from_slice(text);
        let captured = (self.bytes.len() as u32 - place) as u16;
        self.index.push(((at * 1e9) as u64, place, captured, len));
    }

    /// Adds a UDP datagram with so many bytes of payload, of which some are given.
    pub(crate) fn datagram(
        &mut self,
        at: f64,
        src: Endpoint,
        dst: Endpoint,
        data: &[u8],
        len: u32,
    ) {
        let tuple = Tuple { src, dst, protocol: Protocol::UDP };
        let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 28 + len.max(data.len() as u32));
        self.add(at, Inner::Repr(ip, Content::Zeros), 28, data);
    }

    /// In order of time.
    pub(crate) fn sorted(mut self) -> Self {
        self.index.sort_by_key(|(at, place, ..)| (*at, *place));
        self
    }

    /// A packet's time, bytes and whole length.
    pub(crate) fn get(&self, n: usize) -> Option<(Time, &[u8], u32)> {
        let (at, place, captured, len) = *self.index.get(n)?;
        let place = place as usize;
        Some((Time::from_nanos(at), &self.bytes[place..place + usize::from(captured)], len))
    }
}

impl<'a> Connection<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        client: Endpoint,
        server: Endpoint,
        window: u32,
        out: &'a mut Packets,
    ) -> Self {
        let seq = [u32::from(plan.port) << 12, u32::from(plan.port) << 14];
        Connection { plan, out, client, server, seq, acked: [0; 2], window, echo: [0; 2] }
    }

    /// The client's or the server's clock for a packet that passes the monitor at `at`.
    pub(crate) fn stamp(&self, side: Side, left: f64) -> u32 {
        let period = if side == Side::Client { self.plan.clock } else { 1e-3 };
        // Clocks began at some time of their own.
        ((left + f64::from(self.plan.port) * 0.013_7) / period) as u32
    }

    /// A packet that left its sender at `left` and passes the monitor at `at`.
    fn packet(&mut self, at: f64, left: f64, side: Side, repr: TcpRepr, text: &str) {
        let (src, dst) = match side {
            Side::Client => (self.client, self.server),
            Side::Server => (self.server, self.client),
        };
        let timestamps = (self.plan.clock > 0.0).then(|| {
            let value = self.stamp(side, left);
            self.echo[1 - side as usize] = value;
            Timestamps { value, echo: self.echo[side as usize] }
        });
        let repr = TcpRepr { timestamps, ..repr };
        let tuple = Tuple { src, dst, protocol: Protocol::TCP };
        let headers = 20 + repr.header_len();
        let ip = IpRepr::new(tuple, 0, Ecn::NotEct, headers + repr.payload_len);
        self.out.add(at, Inner::Repr(ip, Content::Tcp(repr)), headers, text.as_bytes());
    }

    /// Instant, in s, at which a packet that passes the monitor at `at` left its sender.
    fn left(&self, side: Side, at: f64) -> f64 {
        let plan = self.plan;
        at - if side == Side::Client { plan.client_side } else { plan.server_side } / 2.0
    }

    /// A SYN, or the SYN-ACK; the radio's waking comes on top of the way to the monitor.
    pub(crate) fn syn(&mut self, at: f64, side: Side) {
        let waking = if side == Side::Client { self.plan.promotion } else { 0.0 };
        let left = self.left(side, at) - waking;
        let repr = TcpRepr {
            seq: SeqNumber(self.seq[side as usize]),
            ack: SeqNumber(if side == Side::Server { self.seq[0].wrapping_add(1) } else { 0 }),
            flags: match side {
                Side::Client => TcpFlags::SYN,
                Side::Server => TcpFlags::SYN.with(TcpFlags::ACK),
            },
            window: u16::MAX,
            mss: Some(1370),
            window_scale: Some(SCALE),
            sack_permitted: self.plan.sack,
            ..TcpRepr::default()
        };
        self.packet(at, left, side, repr, "");
    }

    /// After SYN and SYN-ACK: sequence numbers go on.
    pub(crate) fn connected(&mut self) {
        self.seq = self.seq.map(|seq| seq.wrapping_add(1));
        self.acked = [self.seq[1], self.seq[0]];
    }

    fn plain(&self, side: Side, seq: u32) -> TcpRepr {
        let window = if side == Side::Client { self.window >> SCALE } else { 0xffff };
        TcpRepr {
            seq: SeqNumber(seq),
            ack: SeqNumber(self.acked[side as usize]),
            flags: TcpFlags::ACK,
            window: window as u16,
            ..TcpRepr::default()
        }
    }

    /// New data.
    pub(crate) fn data(&mut self, at: f64, side: Side, len: u32, text: &str) {
        let repr = TcpRepr { payload_len: len, ..self.plain(side, self.seq[side as usize]) };
        let text = text.get(..text.len().min(len as usize)).unwrap_or_default();
        self.packet(at, self.left(side, at), side, repr, text);
        self.seq[side as usize] = self.seq[side as usize].wrapping_add(len);
    }

    /// Data that was sent before.
    pub(crate) fn again(&mut self, at: f64, side: Side, seq: u32, len: u32) {
        let repr = TcpRepr { payload_len: len, ..self.plain(side, seq) };
        self.packet(at, self.left(side, at), side, repr, "");
    }

    /// An ACK; with what of the data behind a hole has come.
    pub(crate) fn ack(&mut self, at: f64, side: Side, to: u32, sack: Option<(u32, u32)>) {
        self.acked[side as usize] = to;
        let mut repr = self.plain(side, self.seq[side as usize]);
        if let Some((left, right)) = sack.filter(|_| self.plan.sack) {
            let mut blocks = SackBlocks::default();
            blocks.push(SeqNumber(left), SeqNumber(right));
            repr.sack = blocks;
        }
        self.packet(at, self.left(side, at), side, repr, "");
    }

    /// A FIN or RST.
    pub(crate) fn close(&mut self, at: f64, side: Side, flag: TcpFlags) {
        let mut repr = self.plain(side, self.seq[side as usize]);
        repr.flags = flag.with(TcpFlags::ACK);
        self.packet(at, self.left(side, at), side, repr, "");
        self.seq[side as usize] = self.seq[side as usize].wrapping_add(1);
    }
}
