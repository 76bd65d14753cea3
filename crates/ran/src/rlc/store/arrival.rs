//! Arrival of the bytes of a PDU at the receiver, and the stages of a packet that end with it.

use airpath_base::Time;
use airpath_net::{Packet, Stage};

/// Arrival of bytes at the receiver.
#[derive(Clone, Copy, Debug)]
pub(in crate::rlc) struct Arrival {
    pub now: Time,
    /// End of the first HARQ attempt of the block that carried them.
    pub first_attempt: Time,
    /// Time at which their PDU was built, if RLC had sent them before.
    pub resent: Option<Time>,
}

impl Arrival {
    /// Of a PDU that was built at a time, for the first time or again.
    pub fn of(now: Time, first_attempt: Time, again: bool, built: Time) -> Arrival {
        Arrival { now, first_attempt, resent: again.then_some(built) }
    }

    /// Books the way of a packet whose last byte has just arrived.
    pub(super) fn charge(&self, packet: &mut Packet) {
        let mut until = |stage, time: Time| packet.charge(stage, time.max(packet.stages.until()));
        if let Some(built) = self.resent {
            until(Stage::Arq, built);
        }
        until(Stage::Radio, self.first_attempt.min(self.now));
        if self.first_attempt < self.now {
            until(Stage::Harq, self.now);
        }
    }

    /// Books the first HARQ attempt of a packet that is lost.
    pub(super) fn charge_radio(&self, packet: &mut Packet) {
        let until = self.first_attempt.min(self.now);
        packet.charge(Stage::Radio, until.max(packet.stages.until()));
    }
}
