//! Batches, which the reader of a capture hands to the workers: a chunk of the file, and the
//! offsets of its packets, sorted by shard.
//!
//! Where a batch ends depends on the file only, not on who works on it.

use airpath_base::Time;
use airpath_wire::ParseError;

use crate::decode::{Layer, Packet, Unit, transport};
use crate::key::Key;
use crate::plain::{Plain, Segment};

/// Parts into which clients are divided; each is worked on by one thread at a time. It does
/// not depend on the number of threads, so that nothing that is found does.
pub(crate) const SHARDS: usize = 64;

/// Packets for all shards, in the order in which they were captured.
#[derive(Debug)]
pub(crate) struct Batch {
    chunk: Vec<u8>,
    /// Packets that were put together from fragments.
    whole: Vec<u8>,
    shards: Vec<Vec<Entry>>,
}

/// A packet in a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    /// The key's hash, for [`Table`](crate::table::Table).
    pub(crate) hash: u64,
    pub(crate) seen: Seen,
    /// Segment of a plain packet.
    pub(crate) segment: Segment,
    below_len: u32,
    /// Offset of the bytes behind the IP header, for a plain packet of its data, and their number.
    start: u32,
    captured: u32,
    form: Form,
    side: bool,
    /// The octet of DSCP and ECN in its IP header.
    pub(crate) tos: u8,
    /// True if the capture has a time for the packet.
    timed: bool,
    /// IPv4's identification; zero with IPv6.
    pub(crate) ident: u16,
}

/// Kept fields of a packet's IP header, and its sender.
#[derive(Clone, Copy)]
struct Header {
    side: usize,
    tos: u8,
    ident: u16,
    timed: bool,
}

/// Form in which a packet is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Its headers have been read.
    Plain,
    /// Bytes of the chunk.
    Bytes,
    /// Reassembled bytes.
    Whole,
}

/// Position of a packet in the capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) at: Time,
    /// The latest time that was seen in the capture up to here.
    pub(crate) now: Time,
    /// Offset in the file.
    pub(crate) offset: u64,
    pub(crate) interface: u32,
    /// Bytes of its frames.
    pub(crate) len: u32,
    /// Number of its last frame in the captures, from 1.
    pub(crate) number: u32,
}

impl Entry {
    /// Index of the key's end that sent the packet.
    #[inline]
    pub(crate) fn side(&self) -> usize {
        usize::from(self.side)
    }

    /// True if the packet is a plain one of the same flow as the other, at the same interface.
    #[inline]
    pub(crate) fn follows(&self, other: &Entry) -> bool {
        self.hash == other.hash
            && self.is_plain()
            && self.key == other.key
            && self.seen.interface == other.seen.interface
    }

    /// True if the packet is plain, so that its segment counts.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.form == Form::Plain
    }
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { chunk: Vec::new(), whole: Vec::new(), shards: vec![Vec::new(); SHARDS] }
    }
}

impl Batch {
    /// Adds a plain packet that was found in `chunk`; `key` is its flow's, with its hash.
    #[inline(always)]
    pub(crate) fn add_plain(
        &mut self,
        packet: &Plain<'_>,
        (key, side, hash): (Key, usize, u64),
        seen: Seen,
        chunk: &[u8],
    ) {
        let data = packet.data;
        let start = data.as_ptr().addr() - chunk.as_ptr().addr();
        let (form, below_len) = match packet.has_other_options() {
            true => (Form::Bytes, packet.len),
            false => (Form::Plain, 0),
        };
        let place = (start, data.len(), below_len);
        let header = Header { side, tos: packet.tos(), ident: packet.ident(), timed: true };
        self.push((key, hash), seen, (packet.segment(), form), header, place);
    }

    /// Adds a packet that was found in `chunk`, or put together.
    #[inline(never)]
    pub(crate) fn add(
        &mut self,
        packet: &Packet<'_>,
        (key, hash): (Key, u64),
        (now, number): (Time, u32),
        chunk: &[u8],
    ) {
        let Packet { at, timed, interface, len, offset, below_len, below, .. } = *packet;
        let Packet { side, tos, ident, .. } = *packet;
        let start = place(chunk, below);
        let form = if start.is_some() { Form::Bytes } else { Form::Whole };
        let start = start.unwrap_or_else(|| {
            self.whole.extend_from_slice(below);
            self.whole.len() - below.len()
        });
        let seen = Seen { at, now, interface, len, offset, number };
        let place = (start, below.len(), below_len);
        let header = Header { side, tos, ident, timed };
        self.push((key, hash), seen, (Segment::default(), form), header, place);
    }

    #[inline(always)]
    fn push(
        &mut self,
        (key, hash): (Key, u64),
        seen: Seen,
        (segment, form): (Segment, Form),
        Header { side, tos, ident, timed }: Header,
        (start, captured, below_len): (usize, usize, u32),
    ) {
        let (start, captured, side) = (start as u32, captured as u32, side != 0);
        self.shards[shard(key.host())].push(Entry {
            key,
            hash,
            seen,
            segment,
            below_len,
            start,
            captured,
            form,
            side,
            tos,
            timed,
            ident,
        });
    }

    /// The chunk in which its packets are.
    pub(crate) fn close(&mut self, chunk: Vec<u8>) {
        self.chunk = chunk;
    }

    /// Packets of a shard.
    pub(crate) fn shard(&self, n: usize) -> &[Entry] {
        self.shards.get(n).map_or(&[], Vec::as_slice)
    }

    /// The packet's bytes behind the IP header; of a plain one, its data.
    #[inline]
    pub(crate) fn bytes(&self, entry: &Entry) -> &[u8] {
        let bytes = if entry.form == Form::Whole { &self.whole } else { &self.chunk };
        let start = entry.start as usize;
        &bytes[start..start + entry.captured as usize]
    }

    /// Reads the packet's transport header, and hands the packet on with it.
    ///
    /// # Errors
    ///
    /// If the header cannot be read; then nothing is handed on.
    pub(crate) fn read(
        &self,
        entry: &Entry,
        found: impl FnOnce(&Unit<'_>),
    ) -> Result<(), ParseError> {
        let Entry { key, hash, seen: Seen { at, interface, len, number, .. }, .. } = *entry;
        let Entry { tos, ident, timed, .. } = *entry;
        let (side, bytes) = (entry.side(), self.bytes(entry));
        let found = |transport: Layer<'_>, [options, data]: [&[u8]; 2]| {
            let payload = match transport {
                Layer::Tcp(seg) => seg.payload_len,
                Layer::Udp { payload_len, .. } => payload_len,
            };
            let cut = entry.captured.saturating_add(payload) < entry.below_len;
            found(&Unit {
                at,
                timed,
                interface,
                number,
                len,
                key,
                hash,
                side,
                tos,
                ident,
                cut,
                transport,
                options,
                data,
            });
        };
        if entry.is_plain() {
            found(Layer::Tcp(&entry.segment.repr()), [&[], bytes]);
            return Ok(());
        }
        transport(key.protocol(), bytes, entry.below_len, found)
    }

    /// An empty batch in the memory of this one, and its chunk.
    pub(crate) fn renew(mut self) -> (Batch, Vec<u8>) {
        self.whole.clear();
        self.shards.iter_mut().for_each(Vec::clear);
        let chunk = std::mem::take(&mut self.chunk);
        (self, chunk)
    }
}

/// The shard of a client.
#[inline]
fn shard([high, low]: [u64; 2]) -> usize {
    // Multiplication by an odd number near 2^64 over the golden ratio spreads to the top.
    let mixed = (high.rotate_left(32) ^ low).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 58) as usize % SHARDS
}

/// Offset in `chunk` of the bytes of `part`, if `part` lies in it.
#[inline]
fn place(chunk: &[u8], part: &[u8]) -> Option<usize> {
    let start = part.as_ptr().addr().checked_sub(chunk.as_ptr().addr())?;
    (start + part.len() <= chunk.len()).then_some(start)
}

#[cfg(test)]
mod tests {
    use airpath_wire::{Endpoint, Protocol, Tuple};

    use super::*;

    #[test]
    fn a_packet_comes_out_as_it_went_in_from_the_chunk_and_put_together() {
        let (src, dst) = (Endpoint::new([10, 0, 0, 1], 4000), Endpoint::new([10, 0, 0, 2], 53));
        let tuple = Tuple { src, dst, protocol: Protocol::UDP };
        let below = [0x0f, 0xa0, 0, 53, 0, 11, 0, 0, b'a', b'b', b'c'];
        let chunk = [&[9; 20], &below[..], &[9; 7]].concat();
        let (key, side) = Key::new(&tuple);
        let mut batch = Batch::default();
        for below in [&chunk[20..31], &below[..]] {
            let at = Time::from_millis(3);
            let packet = Packet {
                at,
                timed: true,
                interface: 2,
                len: 39,
                offset: 8,
                key,
                side,
                tos: 3,
                ttl: 64,
                ident: 0,
                below_len: 11,
                below,
            };
            batch.add(&packet, (key, 0), (at, 1), &chunk);
        }
        batch.close(chunk);
        let entries: Vec<&Entry> = (0..SHARDS).flat_map(|n| batch.shard(n)).collect();
        assert_eq!(entries.iter().map(|e| e.form).collect::<Vec<_>>(), [Form::Bytes, Form::Whole]);
        for entry in entries {
            let check = |unit: &Unit<'_>| {
                assert_eq!((unit.data, unit.side, unit.len), (&b"abc"[..], side, 39));
                assert_eq!(unit.tos, 3);
            };
            batch.read(entry, check).unwrap();
        }
    }

    #[test]
    fn clients_of_one_network_are_spread_evenly() {
        let mut counts = [0; SHARDS];
        for n in 0..6400u64 {
            counts[shard([0, 0xffff_0a00_0000 + n])] += 1;
        }
        assert!(counts.iter().all(|n| (50..200).contains(n)), "{counts:?}");
    }
}
