//! Packets of a capture, as they are compared between points.
//!
//! A host whose network card cuts segments captures segments larger than any on the wire. This
//! module cuts them as the card does, by the MSS that the receiver announced, so that they can be
//! found at the other point.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use airpath_wire::link::{interface_index, interface_name};
use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};
use hashbrown::HashMap;

use super::identity::{Identity, fold};
use crate::decode::{Decoder, Layer, Packet, transport};
use crate::input::{Frame, OpenError, Reader, decompressed};
use crate::interfaces::Interfaces;
use crate::key::Key;
use crate::roles::flags;
use crate::warnings::{Warning, Warnings};

/// Bytes of a file that are read at a time.
const CHUNK: usize = 1 << 18;
/// Flows whose MSS is remembered; then it begins anew.
const MOST_SIZES: usize = 1 << 16;
/// The MSS of Ethernet, where no SYN says another: 1500 bytes without IP's and TCP's headers.
const ETHERNET: [u32; 2] = [1460, 1440];

/// A packet passes a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// Nanoseconds since 1970 by the capture's clock.
    pub(super) at: i64,
    /// Number of the interface.
    pub(super) interface: u32,
    /// Flow, if the lesser end is the client; which end sent it.
    pub(super) key: Key,
    pub(super) side: usize,
    /// Flags, if it is TCP.
    pub(super) flags: Option<TcpFlags>,
    pub(super) tos: u8,
    pub(super) ttl: u8,
    /// Bytes that it carries.
    pub(super) payload: u32,
    pub(super) identity: Identity,
}

/// Largest payload of a segment by flow and sender, from SYNs so far.
#[derive(Debug, Default)]
pub(super) struct Sizes(HashMap<(Key, usize), u32>);

/// Reads a capture.
pub(super) struct Feed<'a> {
    reader: Reader<Box<dyn Read + 'a>>,
    decoder: Decoder,
    interfaces: Interfaces,
    warnings: Warnings,
    ready: VecDeque<Passed>,
    /// Packets without a time, by interface: they are left out.
    untimed: BTreeMap<u32, u64>,
}

impl<'a> Feed<'a> {
    /// Begins to read.
    pub(super) fn open(name: &str, input: impl Read + 'a) -> Result<Feed<'a>, OpenError> {
        let (mut interfaces, mut warnings) = (Interfaces::default(), Warnings::default());
        warnings.begin(name);
        let reader = Reader::open(decompressed(input)?, CHUNK, &mut interfaces)?;
        let (decoder, ready) = (Decoder::default(), VecDeque::new());
        let untimed = BTreeMap::new();
        Ok(Feed { reader, decoder, interfaces, warnings, ready, untimed })
    }

    /// Packets without a time until now, by interface.
    pub(super) fn untimed(&self) -> &BTreeMap<u32, u64> {
        &self.untimed
    }

    /// The next packet of TCP or UDP.
    pub(super) fn next(&mut self, sizes: &mut Sizes) -> Option<Passed> {
        loop {
            if let Some(passed) = self.ready.pop_front() {
                return Some(passed);
            }
            let found = self.reader.step(&mut self.warnings, &mut self.interfaces)?;
            if let Some(spent) = self.reader.take_spent() {
                self.reader.recycle(spent);
            }
            let frame = self.reader.frame(&found);
            let index = interface_index(frame.link, frame.bytes);
            let within = |index| self.interfaces.of_kernel(frame.interface, index);
            let interface = index.map_or(frame.interface, within);
            let name = interface_name(frame.link, frame.bytes);
            let interface = name.map_or(interface, |name| self.interfaces.of_name(interface, name));
            let frame = Frame { interface, ..frame };
            if !frame.timed {
                *self.untimed.entry(interface).or_default() += 1;
                continue;
            }
            let ready = &mut self.ready;
            let mut add = |packet: &Packet<'_>| read(packet, sizes, ready);
            if let Some(packet) = self.decoder.decode(&frame, &mut self.warnings, &mut add) {
                add(&packet);
            }
        }
    }

    /// Name of an interface.
    pub(super) fn label(&self, interface: u32) -> String {
        let place = crate::flow::interface(interface);
        place.map(|place| self.interfaces.label(place).to_string()).unwrap_or_default()
    }

    /// Warnings about the captures.
    pub(super) fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_list()
    }
}

/// Adds a packet, or its pieces. What cannot be read is no packet; the analysis warns of it.
fn read(packet: &Packet<'_>, sizes: &mut Sizes, to: &mut VecDeque<Passed>) {
    let Packet { at, interface, key, side, tos, ttl, below, below_len, .. } = *packet;
    let protocol = key.protocol();
    let ends = fold(&key.words()).wrapping_add(side as u64);
    let _ = transport(protocol, below, below_len, |layer, _| {
        let identity = Identity::of(packet, ends, &layer);
        let at = i64::try_from(at.as_nanos()).unwrap_or(i64::MAX);
        let flags = flags(protocol, below);
        let passed = Passed { at, interface, key, side, flags, tos, ttl, payload: 0, identity };
        match layer {
            Layer::Udp { payload_len, .. } => {
                to.push_back(Passed { payload: payload_len, ..passed })
            }
            Layer::Tcp(seg) => {
                sizes.learn(packet, seg);
                let most = sizes.most(packet, below_len - seg.payload_len);
                cut(seg, most, |n, piece| {
                    let identity =
                        if n == 0 && piece == seg { identity } else { identity.piece(piece, n) };
                    to.push_back(Passed { payload: piece.payload_len, identity, ..passed });
                });
            }
        }
    });
}

/// The pieces of at most `most` bytes that a network card makes of a segment.
fn cut(seg: &TcpRepr, most: u32, mut each: impl FnMut(u16, &TcpRepr)) {
    let pieces = seg.payload_len.div_ceil(most.max(1)).max(1);
    for n in 0..pieces {
        let start = n * most;
        let last = n + 1 == pieces;
        let flags = if last { seg.flags } else { TcpFlags(seg.flags.0 & !TcpFlags::FIN.0) };
        let payload_len = if last { seg.payload_len - start } else { most };
        let seq = SeqNumber(seg.seq.0.wrapping_add(start));
        each(n as u16, &TcpRepr { seq, payload_len, flags, ..*seg });
    }
}

impl Sizes {
    /// A SYN says what the other end may send. The least that is seen at either point counts:
    /// hops may lower it.
    fn learn(&mut self, packet: &Packet<'_>, seg: &TcpRepr) {
        let Some(mss) = seg.mss.filter(|_| seg.flags.contains(TcpFlags::SYN)) else { return };
        if self.0.len() >= MOST_SIZES {
            self.0.clear();
        }
        let known = self.0.entry((packet.key, 1 - packet.side)).or_insert(u32::MAX);
        *known = (*known).min(u32::from(mss).max(64));
    }

    /// The largest payload of this packet's sender, behind a TCP header of so many bytes.
    fn most(&self, packet: &Packet<'_>, header: u32) -> u32 {
        let options = header.saturating_sub(TcpRepr::HEADER);
        let v6 = packet.key.end(0).addr.is_ipv6();
        let mss = self.0.get(&(packet.key, packet.side)).copied();
        mss.unwrap_or(ETHERNET[usize::from(v6)]).saturating_sub(options).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_segment_is_cut_as_the_card_does() {
        let flags = TcpFlags::ACK.with(TcpFlags::FIN);
        let seq = SeqNumber(u32::MAX - 999);
        let seg = TcpRepr { seq, flags, payload_len: 3_000, ..TcpRepr::default() };
        let mut pieces = Vec::new();
        cut(&seg, 1_400, |n, piece| pieces.push((n, piece.seq.0, piece.payload_len, piece.flags)));
        let ack = TcpFlags::ACK;
        let wanted =
            [(0, u32::MAX - 999, 1_400, ack), (1, 400, 1_400, ack), (2, 1_800, 200, flags)];
        assert_eq!(pieces, wanted);
        let mut count = 0;
        cut(&TcpRepr::default(), 1_400, |_, _| count += 1);
        assert_eq!(count, 1);
    }
}
