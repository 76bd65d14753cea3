//! PDU sets of a transmitter: what waits of those that are lost, and their deadlines.

use airpath_base::Time;
use airpath_net::queue::Queue;
use airpath_net::{Cx, Packet, Stage};

use super::Transmitter;
use crate::pdcp::sets::SetKey;
use crate::tti::earlier;

impl Transmitter {
    /// A packet of a PDU set has been lost or dropped, here or on the air. Drops what waits of the set, if all of it is
    /// needed.
    pub(crate) fn lose_set(&mut self, now: Time, key: SetKey, cx: &mut Cx<'_>) {
        if self.sets.as_mut().is_some_and(|sets| sets.lose(key)) {
            self.drop_lost(now, cx);
        }
    }

    /// Drops what waits of sets that are lost.
    pub(super) fn drop_lost(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(sets) = self.sets.as_deref() else { return };
        let which = &mut |packet: &Packet| sets.cause(now, packet);
        let queues = self.queues.iter_mut();
        cx.waiting_in(Stage::Pdcp, |cx| queues.for_each(|queue| queue.drop_where(now, which, cx)));
        self.count();
    }

    /// Begin of the wait of the oldest set: arrival of its first packet. A packet of no set is a set of its own.
    pub fn oldest_set(&self) -> Option<Time> {
        earlier(self.oldest, self.sets.as_ref().and_then(|sets| sets.since()))
    }

    /// True if packets of the newest set have not come yet.
    pub fn expects_more(&self) -> bool {
        self.sets.as_ref().is_some_and(|sets| sets.expects_more())
    }

    /// Arrival of the first packet of the set whose packet RLC took last.
    pub fn pulled_since(&self) -> Option<Time> {
        self.sets.as_ref().and_then(|sets| sets.pulled())
    }
}
