//! What is handed from the reader of a capture to those who analyse: a chunk of the file,
//! and where in it the packets are, those of one shard together.
//!
//! Where a batch ends depends on the file only, not on who works on it.

use airpath_base::Time;
use airpath_wire::ParseError;

use crate::decode::{Packet, Unit, transport};
use crate::key::Key;

/// Parts into which clients are divided; each is worked on by one thread at a time. It does
/// not depend on the number of threads, so that nothing that is found does.
pub(crate) const SHARDS: usize = 64;

/// Packets for all shards, in the order in which they were captured.
#[derive(Debug, Default)]
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
    pub(crate) at: Time,
    /// The latest time that was seen in the capture up to here.
    pub(crate) now: Time,
    /// Where in the file it is.
    pub(crate) offset: u64,
    pub(crate) interface: u32,
    len: u32,
    below_len: u32,
    /// Where the bytes behind the IP header begin, and how many there are.
    start: u32,
    captured: u32,
    side: bool,
    put_together: bool,
}

impl Batch {
    /// Adds a packet that was found in `chunk`, with the key of its flow.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        packet: &Packet<'_>,
        (key, hash): (Key, u64),
        now: Time,
        chunk: &[u8],
    ) {
        if self.shards.is_empty() {
            self.shards = vec![Vec::new(); SHARDS];
        }
        let Packet { at, interface, len, offset, side, below_len, below, .. } = *packet;
        let start = place(chunk, below);
        let put_together = start.is_none();
        let start = start.unwrap_or_else(|| {
            self.whole.extend_from_slice(below);
            self.whole.len() - below.len()
        });
        self.shards[shard(key.host())].push(Entry {
            key,
            hash,
            at,
            now,
            offset,
            interface,
            len,
            below_len,
            start: start as u32,
            captured: below.len() as u32,
            side: side != 0,
            put_together,
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

    /// Reads something of a packet, so that its header is at hand.
    #[inline]
    pub(crate) fn touch(&self, entry: &Entry) -> u64 {
        let bytes = if entry.put_together { &self.whole } else { &self.chunk };
        bytes.get(entry.start as usize).map_or(0, |byte| u64::from(*byte))
    }

    /// The packet's bytes behind the IP header.
    #[inline]
    fn below(&self, entry: &Entry) -> &[u8] {
        let bytes = if entry.put_together { &self.whole } else { &self.chunk };
        let start = entry.start as usize;
        &bytes[start..start + entry.captured as usize]
    }

    /// Reads the packet's transport header, and hands the packet on with it.
    ///
    /// # Errors
    ///
    /// If the header cannot be read; then nothing is handed on.
    #[inline]
    pub(crate) fn read(
        &self,
        entry: &Entry,
        found: impl FnOnce(&Unit<'_>),
    ) -> Result<(), ParseError> {
        let Entry { at, interface, len, key, hash, side, .. } = *entry;
        let side = usize::from(side);
        transport(key.protocol(), self.below(entry), entry.below_len, |transport, data| {
            found(&Unit { at, interface, len, key, hash, side, transport, data });
        })
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

/// Where in `chunk` the bytes of `part` are, if they are in it.
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
            let packet =
                Packet { at, interface: 2, len: 39, offset: 8, key, side, below_len: 11, below };
            batch.add(&packet, (key, 0), at, &chunk);
        }
        batch.close(chunk);
        let entries: Vec<&Entry> = (0..SHARDS).flat_map(|n| batch.shard(n)).collect();
        assert_eq!(entries.iter().map(|e| e.put_together).collect::<Vec<_>>(), [false, true]);
        for entry in entries {
            let check = |unit: &Unit<'_>| {
                assert_eq!((unit.data, unit.side, unit.len), (&b"abc"[..], side, 39));
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
