//! Calls of an application that reads by itself, and resets of a connection.

use airpath_base::Time;
use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};

use super::connection::{Connection, Segment, State};
use super::receiver::wire;

impl Connection {
    /// Bytes that have arrived in order and that nobody has read.
    pub fn readable(&self) -> u64 {
        self.rx.readable()
    }

    /// The application takes up to so many bytes; how many it gets. They are reported as
    /// delivered, and make room in the receive buffer.
    pub fn read(&mut self, bytes: u64) -> u64 {
        self.rx.read(bytes)
    }

    /// True if the peer has closed and all that it sent has been read.
    pub fn has_read_all(&self) -> bool {
        self.rx.is_finished() && self.rx.is_read()
    }

    /// Gives the connection up. The peer is informed by a reset (RFC 9293, 3.10.5), and again
    /// whenever it sends something. Nothing of what was not acknowledged is sent.
    pub fn abort(&mut self, _now: Time) {
        if matches!(self.state, State::SynReceived | State::Established) {
            self.reset_due = Some(wire(self.initial, self.tx.next));
            self.aborted = true;
        }
        if self.state != State::Failed {
            self.fail();
            self.pending.failed = false;
        }
    }

    /// Answers segments that arrive after this end has given up (RFC 9293, 3.10.7.1). The reset
    /// takes the number that the peer expects, so that it is believed even if data were lost.
    pub(super) fn answer_by_reset(&mut self, repr: &TcpRepr) -> bool {
        let answers = self.aborted
            && repr.flags.contains(TcpFlags::ACK)
            && !repr.flags.contains(TcpFlags::RST);
        if answers {
            self.reset_due = Some(repr.ack);
        }
        answers
    }

    pub(super) fn reset(&mut self) -> Option<Segment> {
        let seq: SeqNumber = self.reset_due.take()?;
        let ack = wire(self.peer_initial, self.rx.next());
        let flags = TcpFlags::RST.with(TcpFlags::ACK);
        Some(Segment::of(TcpRepr { seq, ack, flags, ..TcpRepr::default() }))
    }
}

#[cfg(test)]
#[path = "application_tests.rs"]
mod tests;
