//! The receiving side in NR: putting packets into order (TS 38.323, 5.2.2.2).

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::{Cx, DropCause, Held, Packet, Stage};

/// One direction of a bearer's PDCP, at the end that receives.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// t-Reordering; `None` for infinity.
    t_reordering: Option<Duration>,
    in_order: bool,
    /// RX_DELIV: the count of the first packet that has not been delivered and is waited for.
    deliv: u64,
    /// Received packets, from RX_DELIV to before RX_NEXT.
    waiting: VecDeque<Option<Packet>>,
    /// Expiry of t-Reordering, and RX_REORD.
    reordering: Option<(Time, u64)>,
}

/// Takes what is delivered.
type Out<'a> = &'a mut dyn FnMut(Packet);

impl Receiver {
    /// Nothing has come yet. Without `in_order` packets are delivered as they come.
    pub fn new(t_reordering: Option<Duration>, in_order: bool) -> Receiver {
        let (waiting, reordering) = (VecDeque::new(), None);
        Receiver { t_reordering, in_order, deliv: 0, waiting, reordering }
    }

    /// RX_NEXT.
    fn next(&self) -> u64 {
        self.deliv + self.waiting.len() as u64
    }

    /// A packet of this count has come from RLC.
    #[inline]
    pub fn receive(
        &mut self,
        count: u64,
        now: Time,
        packet: Packet,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        if !self.in_order || (count == self.deliv && self.waiting.is_empty()) {
            self.deliv = self.deliv.max(count + 1);
            return deliver(packet, now, out);
        }
        let Some(index) = count.checked_sub(self.deliv) else {
            // It was waited for long enough.
            return cx.drop(packet, DropCause::Reordering);
        };
        let index = index as usize;
        if self.waiting.len() <= index {
            self.waiting.resize_with(index + 1, || None);
        }
        self.waiting[index] = Some(packet);
        self.advance(self.deliv, now, out);
        self.supervise(now);
    }

    /// Delivers what is below `to`, and on as far as nothing is missing.
    fn advance(&mut self, to: u64, now: Time, out: Out<'_>) {
        while self.deliv < to || matches!(self.waiting.front(), Some(Some(_))) {
            self.deliv += 1;
            if let Some(packet) = self.waiting.pop_front().flatten() {
                deliver(packet, now, out);
            }
        }
    }

    /// Stops and starts t-Reordering.
    fn supervise(&mut self, now: Time) {
        if self.reordering.is_some_and(|(_, reord)| self.deliv >= reord) {
            self.reordering = None;
        }
        if self.reordering.is_none() && !self.waiting.is_empty() {
            self.reordering = self.t_reordering.map(|timer| (now + timer, self.next()));
        }
    }

    /// t-Reordering may have run out (TS 38.323, 5.2.2.2.2).
    pub fn wake(&mut self, now: Time, out: Out<'_>) {
        if let Some((_, reord)) = self.reordering.take_if(|(expiry, _)| *expiry <= now) {
            self.advance(reord, now, out);
            self.supervise(now);
        }
    }

    /// PDCP is re-established over RLC UM, or released (TS 38.323, 5.1.2 and 5.1.3): what has come
    /// is delivered, and the next packet will have the count `next`.
    pub fn restart(&mut self, next: u64, now: Time, out: Out<'_>) {
        self.advance(self.next(), now, out);
        (self.deliv, self.reordering) = (next, None);
    }

    /// Books the time of each packet that waits to `stage`.
    pub fn charge(&mut self, now: Time, stage: Stage) {
        for packet in self.waiting.iter_mut().flatten() {
            packet.charge(stage, now.max(packet.stages.until()));
        }
    }

    /// Expiry of t-Reordering.
    pub fn next_wake(&self) -> Option<Time> {
        self.reordering.map(|(expiry, _)| expiry)
    }

    /// Packets that wait for others.
    pub fn held(&self) -> Held {
        Held::of(self.waiting.iter().flatten())
    }
}

fn deliver(mut packet: Packet, now: Time, out: Out<'_>) {
    packet.charge(Stage::Reordering, now.max(packet.stages.until()));
    out(packet);
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
