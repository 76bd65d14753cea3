//! Step marking: every packet is marked while the queue is above a threshold, as
//! DCTCP's switches do (RFC 8257, 3.1) and L4S marking in its simplest form.
//!
//! A threshold of time is compared with the wait of each packet when it leaves. A threshold of
//! packets or bytes is compared with the occupancy when a packet arrives. A packet that cannot be
//! marked is dropped.

use airpath_base::{Duration, Time};
use airpath_schema::record;
use airpath_schema::units::Threshold;

use super::fifo::of_one_fifo;
use super::signal::signal;
use super::{Fifo, Limit, Queue, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

record! {
    /// Step marking.
    #[derive(Copy)]
    pub struct StepConfig: Default {
        /// Above this everything is marked: time that a packet has waited when it leaves, or
        /// packets or bytes that it finds when it arrives. Default: 1 ms (Linux,
        /// `sch_dualpi2`).
        threshold: Threshold = Threshold::Delay(Duration::from_millis(1));
        /// Limit of the queue in packets or bytes. Default: 1000 packets.
        limit: Limit = Limit::packets(1000);
    }
}

/// A queue with step marking.
#[derive(Debug)]
pub struct Step {
    config: StepConfig,
    fifo: Fifo,
    /// True if the queue signals nothing.
    off: bool,
}

impl Step {
    /// An empty queue.
    pub fn new(config: StepConfig) -> Step {
        Step { config, fifo: Fifo::new(), off: false }
    }
}

impl Queue for Step {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let size = packet.wire_size();
        if !self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        let above = match self.config.threshold {
            Threshold::Delay(_) => false,
            Threshold::Packets(most) => self.fifo.packets() > most,
            Threshold::Bytes(most) => self.fifo.bytes() > most,
        };
        let kept = if above && !self.off { signal(packet, true, cx) } else { Some(packet) };
        if let Some(packet) = kept {
            self.fifo.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let oldest = self.fifo.pop()?;
            let sojourn = oldest.sojourn(now);
            match self.config.threshold {
                Threshold::Delay(most) if sojourn > most && !self.off => {
                    if let Some(marked) = signal(oldest.packet, true, cx) {
                        return Some(marked);
                    }
                }
                _ => return Some(oldest.packet),
            }
        }
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.fifo.discard(now, limit, cx);
    }

    fn drop_where(&mut self, _now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.fifo.drop_where(which, cx);
    }

    fn change(&mut self, _now: Time, change: QueueChange) -> Result<(), ChangeError> {
        match change {
            QueueChange::Marking(on) => self.off = !on,
            QueueChange::Threshold(threshold) => self.config.threshold = threshold,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
