//! The ledger of a node: no packet appears or vanishes unnoticed.

use crate::{Held, Packet};

/// Packets and bytes of IP that crossed one line of the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP, without tunnels.
    pub bytes: u64,
}

/// Packets that entered and left one node, or one element within it. At any time
/// `received + originated = sent + dropped + consumed + held`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// From other nodes.
    pub received: Account,
    /// Made here.
    pub originated: Account,
    /// To other nodes, and out of the world.
    pub sent: Account,
    /// Dropped here.
    pub dropped: Account,
    /// Taken by an endpoint here.
    pub consumed: Account,
}

impl Account {
    /// Enters one packet.
    pub fn book(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    fn plus(self, other: Account) -> Account {
        Account { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl Ledger {
    /// Enters all that another ledger has.
    pub(crate) fn add(&mut self, other: &Ledger) {
        self.received = self.received.plus(other.received);
        self.originated = self.originated.plus(other.originated);
        self.sent = self.sent.plus(other.sent);
        self.dropped = self.dropped.plus(other.dropped);
        self.consumed = self.consumed.plus(other.consumed);
    }

    /// True if the ledger closes with the packets that the node holds.
    pub fn closes(&self, held: Held) -> bool {
        let held = Account { packets: held.packets, bytes: held.bytes };
        let entered = self.received.plus(self.originated);
        entered == self.sent.plus(self.dropped).plus(self.consumed).plus(held)
    }
}
