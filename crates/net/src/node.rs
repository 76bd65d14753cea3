//! The interface between a model and the engine.

use airpath_base::{Port, Time};

use crate::{Change, ChangeError, Cx, Packet};

/// A state machine that packets pass through.
///
/// It is handed the time and never asks for it. After each call the engine asks
/// for [`next_wake`](Node::next_wake). A wake-up may come early or for nothing
/// (a timer that has moved); the node then does nothing and says again when.
/// Every packet that enters a node leaves it through
/// [`Cx::send`], [`Cx::drop`] or [`Cx::consume`], or is counted by
/// [`held`](Node::held).
pub trait Node: Send {
    /// A packet arrives.
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>);

    /// Wakes the node at the time of [`next_wake`](Node::next_wake).
    fn wake(&mut self, _now: Time, _cx: &mut Cx<'_>) {}

    /// Time of the node's next wake-up, if there is one: O(1), from a cache.
    fn next_wake(&self) -> Option<Time> {
        None
    }

    /// Something about the node becomes different now, before whatever else happens at this
    /// instant.
    ///
    /// # Errors
    ///
    /// If the node cannot do that; all is then as it was.
    fn change(&mut self, _now: Time, _: &Change, _: &mut Cx<'_>) -> Result<(), ChangeError> {
        Err(ChangeError::new("has nothing that can change"))
    }

    /// Packets and bytes inside.
    fn held(&self) -> Held {
        Held::default()
    }

    /// Checks the ledgers of the elements inside, where a node consists of several, and
    /// that [`held`](Node::held) is what they hold. It may take its time.
    ///
    /// # Errors
    ///
    /// The first element whose ledger does not close, and what it says.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }

    /// The run ends: report what is still to be reported.
    fn finish(&mut self, _now: Time, _cx: &mut Cx<'_>) {}
}

/// Packets and bytes inside a node, for the conservation of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP, without tunnels.
    pub bytes: u64,
}

impl Held {
    /// Counts one packet more.
    pub fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Held) -> Held {
        Held { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }

    /// The sum of all packets of an iterator.
    pub fn of<'a>(packets: impl IntoIterator<Item = &'a Packet>) -> Held {
        let mut held = Held::default();
        packets.into_iter().for_each(|packet| held.add(packet));
        held
    }
}
