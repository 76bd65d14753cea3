//! A flow while it lives.

use core::num::{NonZeroU16, NonZeroU32};

use airpath_base::{BitRate, Duration, Time};
use airpath_wire::datagram::Transport;
use airpath_wire::{Protocol, TcpFlags, TcpRepr};

use crate::decode::Unit;
use crate::handshake::Handshake;
use crate::key::Key;
use crate::quic::{Spin, is_quic};
use crate::tcp::{self, Half, Path, mark};

/// A flow. Kept small: there may be a million of them.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) key: Key,
    pub(crate) start: Time,
    pub(crate) last: Time,
    /// When payload passed last.
    pub(crate) last_payload: Time,
    /// When the first FIN or RST passed; zero before that.
    pub(crate) closing: Time,
    pub(crate) halves: [Half; 2],
    pub(crate) handshake: Handshake,
    /// Which end is the client.
    pub(crate) client: u8,
    /// Whether that is certain, and will not change with a SYN.
    pub(crate) client_certain: bool,
    pub(crate) reset: bool,
    /// Another flow with the same key, seen at another interface; one added to its number.
    pub(crate) sibling: Option<NonZeroU32>,
    /// Interfaces at which the two directions pass, one added to their numbers.
    pub(crate) interfaces: [Option<NonZeroU16>; 2],
    /// Counts uses of this flow's place.
    pub(crate) generation: u32,
    pub(crate) quic: Option<Box<Spin>>,
}

impl Flow {
    pub(crate) fn new(key: Key, at: Time, generation: u32) -> Flow {
        Flow {
            key,
            start: at,
            last: at,
            last_payload: at,
            closing: Time::ZERO,
            halves: [Half::default(), Half::default()],
            handshake: Handshake::default(),
            client: 0,
            client_certain: false,
            reset: false,
            sibling: None,
            interfaces: [None; 2],
            generation,
            quic: None,
        }
    }

    /// A packet of `side`'s.
    #[inline]
    pub(crate) fn packet(&mut self, side: usize, unit: &Unit<'_>, most: BitRate, room: bool) {
        self.last = self.last.max(unit.at);
        match &unit.transport {
            Transport::Tcp(seg) => self.segment(side, unit, seg, (most, room)),
            Transport::Udp { payload_len, payload } => {
                self.halves[side].count(unit.len, *payload_len);
                self.last_payload = unit.at;
                if room && self.quic.is_none() && is_quic(payload) {
                    self.quic = Some(Box::default());
                }
                if let Some(spin) = &mut self.quic {
                    spin.datagram(side, unit.at, payload);
                }
            }
            _ => {}
        }
    }

    fn segment(
        &mut self,
        side: usize,
        unit: &Unit<'_>,
        seg: &TcpRepr,
        (most, room): (BitRate, bool),
    ) {
        let at = unit.at;
        self.halves[side].count(unit.len, seg.payload_len);
        if !self.handshake.is_connected() || seg.flags.contains(TcpFlags::SYN) {
            self.handshake.segment(at, seg, side == usize::from(self.client));
        }
        if seg.payload_len > 0 {
            self.last_payload = at;
        }
        if seg.flags.0 & (TcpFlags::FIN.0 | TcpFlags::RST.0) != 0 && self.closing == Time::ZERO {
            self.closing = at;
            self.reset = seg.flags.contains(TcpFlags::RST);
        }
        let path = self.path(side, most, room);
        let [a, b] = &mut self.halves;
        let (fwd, rev) = if side == 0 { (a, b) } else { (b, a) };
        tcp::step(fwd, rev, at, seg, &path);
        if seg.flags.contains(TcpFlags::RST) {
            self.halves.iter_mut().for_each(|half| half.marks |= mark::FIN);
        }
    }

    /// What the handshake said about the path, the side of the segment's sender first.
    fn path(&self, side: usize, most: BitRate, room: bool) -> Path {
        let shake = &self.handshake;
        let client = shake.client_side().unwrap_or(0);
        let server = shake.server_side().unwrap_or(0);
        let by_client = side == usize::from(self.client);
        let sides = if by_client { [client, server] } else { [server, client] };
        Path { rtt: shake.whole(), sides, most, room }
    }

    /// How long the handshake took at the monitor, from SYN to ACK.
    pub(crate) fn handshake_time(&self) -> Option<Duration> {
        self.handshake.whole().map(Duration::from_nanos)
    }

    /// Whether a handshake was begun and neither completed nor followed by data.
    pub(crate) fn never_connected(&self) -> bool {
        let data = self.halves.iter().any(|half| half.payload > 0);
        self.handshake.is_begun() && !self.handshake.is_connected() && !data
    }

    /// Whether nothing more is expected.
    pub(crate) fn is_closed(&self) -> bool {
        self.halves.iter().all(|half| half.has(mark::FIN))
    }

    /// Whether this SYN of `side`'s begins another connection between the same ends.
    pub(crate) fn is_reused_by(&self, side: usize, seg: &TcpRepr) -> bool {
        let only_syn = seg.flags.0 & (TcpFlags::SYN.0 | TcpFlags::ACK.0) == TcpFlags::SYN.0;
        let half = &self.halves[side];
        only_syn && half.has(mark::NEXT) && half.base != seg.seq.0
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let quic = self.quic.as_ref().map_or(0, |_| size_of::<Spin>());
        self.halves.iter().map(Half::heap).sum::<usize>() + quic
    }

    /// Whether it is TCP.
    pub(crate) fn is_tcp(&self) -> bool {
        self.key.protocol() == Protocol::TCP
    }
}
