//! Comparison of the packets of a flow at two interfaces. If the same packets pass at both, the
//! interfaces are two points of a path, and the flow is reported once for each. If different packets
//! pass at each, it is one flow: over several links, or from one section of a capture to the next.

use std::collections::BTreeSet;

use crate::batch::{Batch, Entry};
use crate::decode::{Layer, Unit};
use crate::tcp::{self, Origin};

/// Packets before and behind one that are looked at for the same at another interface.
const WINDOW: usize = 4_096;
/// Packets of the flow at each interface that are looked at.
const MOST: usize = 256;

/// A packet among those that are worked on together.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) batch: &'a Batch,
    /// All of the shard.
    pub(crate) entries: &'a [Entry],
    /// Index of the sight.
    pub(crate) at: usize,
}

/// Fingerprint that distinguishes a packet from others of its flow and direction.
pub(crate) fn print(unit: &Unit<'_>) -> u32 {
    let Unit { ident, data, .. } = *unit;
    match unit.transport {
        Layer::Tcp(seg) => tcp::print(seg, &Origin { ident, data }),
        Layer::Udp { payload_len, payload } => {
            let content = if ident == 0 { tcp::digest(payload) } else { u64::from(ident) };
            tcp::digest(&[content.to_le_bytes(), u64::from(payload_len).to_le_bytes()].concat())
                as u32
        }
    }
}

impl Around<'_> {
    /// True if most of the flow's packets at this packet's interface, or at the others, pass at
    /// both within one batch.
    pub(crate) fn is_second_point(&self) -> bool {
        let this = &self.entries[self.at];
        let from = self.at.saturating_sub(WINDOW);
        let to = self.entries.len().min(self.at + WINDOW);
        let (mut here, mut there) = (BTreeSet::new(), BTreeSet::new());
        for entry in &self.entries[from..to] {
            if entry.hash != this.hash || entry.key != this.key {
                continue;
            }
            let own = entry.seen.interface == this.seen.interface;
            let prints = if own { &mut here } else { &mut there };
            if prints.len() < MOST {
                let side = entry.side();
                // A packet that cannot be read has no print.
                let _ = self.batch.read(entry, |unit| _ = prints.insert((side, print(unit))));
            }
        }
        let both = here.intersection(&there).count();
        both > 0 && 2 * both >= here.len().min(there.len())
    }
}
