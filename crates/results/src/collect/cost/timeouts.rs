//! Retransmission timeouts that were spurious.
//!
//! A timeout is spurious if the sender would have got the acknowledgement without it (RFC 3522, 1). The segment that
//! it sends again is followed until its acknowledgement arrives at the sender. If the receiver sent that
//! acknowledgement before the new copy had reached it, an earlier copy had arrived, and the timeout was spurious.
//! A timeout whose segment is never acknowledged is not spurious. Senders need no detection of their own.

use airpath_base::{NodeId, Time};
use airpath_net::{Leg, Packet, Payload, TcpHeader};
use airpath_wire::{SeqNumber, TcpFlags, Tuple};

/// Timeouts of a flow whose verdict is open.
#[derive(Default)]
pub(super) struct Timeouts {
    /// Timeouts without their segment yet: time, node and row.
    expired: Vec<(Time, NodeId, usize)>,
    /// True if the next packet is sent again for a timeout.
    again: bool,
    followed: Vec<Followed>,
}

/// A segment that a timeout sent again.
struct Followed {
    row: usize,
    at: Time,
    leg: Leg,
    tuple: Tuple,
    /// Its first byte.
    seq: SeqNumber,
    /// Number of the new copy. Older copies have lower numbers.
    copy: u64,
    /// Arrival of the new copy, or of one after it.
    arrived: Option<Time>,
}

impl Timeouts {
    /// A timer has run out at a node, in the window of this row.
    pub(super) fn expired(&mut self, now: Time, node: NodeId, row: usize) {
        self.expired.retain(|(at, ..)| *at == now);
        self.expired.push((now, node, row));
    }

    /// The next packet is sent again for a timeout.
    pub(super) fn sends_again(&mut self) {
        self.again = true;
    }

    /// The last row is none any more.
    pub(super) fn forget(&mut self, row: usize) {
        self.expired.retain(|(.., own)| *own != row);
        self.followed.retain(|one| one.row != row);
    }

    /// A packet leaves: the first that a timeout sends again is followed.
    pub(super) fn originated(&mut self, (now, node): (Time, NodeId), packet: &Packet) {
        if !std::mem::take(&mut self.again) || self.expired.is_empty() {
            return;
        }
        let Payload::Tcp(header) = &packet.payload else { return };
        let (tuple, leg, seq) = (packet.tuple, packet.leg, header.seq);
        if self.followed.iter().any(|one| one.at == now && one.tuple == tuple) {
            return;
        }
        let own = self.expired.iter().position(|(at, by, _)| *at == now && *by == node);
        if let Some(own) = own {
            let (at, _, row) = self.expired.remove(own);
            let copy = packet.id;
            self.followed.push(Followed { row, at, leg, tuple, seq, copy, arrived: None });
        }
    }

    /// A packet arrives. Gives the rows of timeouts that are found to be spurious.
    pub(super) fn consumed(&mut self, now: Time, packet: &Packet) -> Vec<usize> {
        let mut spurious = Vec::new();
        let Payload::Tcp(header) = &packet.payload else { return spurious };
        self.followed.retain_mut(|one| {
            if one.is_copy(packet, header) {
                one.arrived.get_or_insert(now);
                return true;
            }
            if !one.is_acknowledged(packet, header) {
                return true;
            }
            if one.arrived.is_none_or(|arrived| packet.born() < arrived) {
                spurious.push(one.row);
            }
            false
        });
        spurious
    }
}

impl Followed {
    /// True if a packet is the new copy, or one after it.
    fn is_copy(&self, packet: &Packet, header: &TcpHeader) -> bool {
        let into = self.seq.since(header.seq);
        let covers = into == 0 || (into > 0 && i64::from(into) < i64::from(header.payload_len));
        packet.leg == self.leg && packet.tuple == self.tuple && packet.id >= self.copy && covers
    }

    /// True if a packet acknowledges the segment.
    fn is_acknowledged(&self, packet: &Packet, header: &TcpHeader) -> bool {
        let Tuple { src, dst, protocol } = packet.tuple;
        let back = Tuple { src: dst, dst: src, protocol };
        let acknowledges = header.flags.contains(TcpFlags::ACK) && header.ack.since(self.seq) > 0;
        packet.leg != self.leg && back == self.tuple && acknowledges
    }
}
