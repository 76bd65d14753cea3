//! CoDel: controlled delay (RFC 8289).
//!
//! CoDel looks at the wait of each packet when it leaves. After an interval of waits above a
//! target, packets are marked or dropped. The distances between them shrink with the square root of
//! their number. Left out: nothing of RFC 8289; `ce_threshold` of Linux, which the RFC does not
//! have.

use airpath_base::{Duration, Time};
use airpath_schema::{above, record};

use super::fifo::of_one_fifo;
use super::signal::signal;
use super::{Fifo, Limit, Queue, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

record! {
    /// Controlled delay.
    #[derive(Copy)]
    pub struct CodelConfig: Default {
        /// Standing delay that is accepted. Default: 5 ms (RFC 8289, 4.3).
        target: Duration = Duration::from_millis(5) => above(Duration::ZERO);
        /// Time within which senders are expected to react. Default: 100 ms
        /// (RFC 8289, 4.2).
        interval: Duration = Duration::from_millis(100) => above(Duration::ZERO);
        /// Treatment of ECN-capable packets: true marks them, false drops them. Default: true (RFC
        /// 8290, 5.2.6, for the CoDel of each flow there).
        ecn: bool = true;
        /// Limit of the queue in packets or bytes. Default: 1000 packets (Linux, `sch_codel`).
        limit: Limit = Limit::packets(1000);
    }
}

/// A queue under CoDel.
#[derive(Debug)]
pub struct Codel {
    config: CodelConfig,
    fifo: Fifo,
    control: Control,
}

/// CoDel's state, apart from the packets: FQ-CoDel has one for each flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    /// End of the interval, if the delay stays above the target until then.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u32,
    last_count: u32,
    /// The largest packet so far: a queue of one such is no standing queue.
    largest: u32,
}

/// The next drop after one at `at`, the `count`th in a row (RFC 8289, 5.6).
fn control_law(at: Time, interval: Duration, count: u32) -> Time {
    at + interval.mul_f64(1.0 / f64::from(count.max(1)).sqrt())
}

impl Control {
    /// Counts packets that were dropped for lack of room as signals.
    pub fn overflowed(&mut self, packets: u32) {
        self.count = self.count.saturating_add(packets);
    }

    /// Takes out the next packet, and whether it may be dropped (RFC 8289, 5.6).
    fn next(&mut self, now: Time, config: &CodelConfig, fifo: &mut Fifo) -> Option<(Packet, bool)> {
        let Some(oldest) = fifo.pop() else {
            self.first_above = None;
            return None;
        };
        self.largest = self.largest.max(oldest.size);
        if oldest.sojourn(now) < config.target || fifo.bytes() <= u64::from(self.largest) {
            self.first_above = None;
            return Some((oldest.packet, false));
        }
        let end = *self.first_above.get_or_insert(now + config.interval);
        Some((oldest.packet, now >= end))
    }

    /// The next packet to send, some perhaps dropped before it (RFC 8289, 5.5).
    pub fn take(
        &mut self,
        now: Time,
        config: &CodelConfig,
        fifo: &mut Fifo,
        cx: &mut Cx<'_>,
    ) -> Option<Packet> {
        let Some((packet, may_drop)) = self.next(now, config, fifo) else {
            self.dropping = false;
            return None;
        };
        match (self.dropping, may_drop) {
            (_, false) => {
                self.dropping = false;
                Some(packet)
            }
            (true, true) => self.go_on(now, config, packet, fifo, cx),
            (false, true) => self.begin(now, config, packet, fifo, cx),
        }
    }

    /// In the dropping state: signals as often as is due.
    fn go_on(
        &mut self,
        now: Time,
        config: &CodelConfig,
        packet: Packet,
        fifo: &mut Fifo,
        cx: &mut Cx<'_>,
    ) -> Option<Packet> {
        let mut packet = packet;
        while now >= self.drop_next {
            self.count = self.count.saturating_add(1);
            if let Some(marked) = signal(packet, config.ecn, cx) {
                self.drop_next = control_law(self.drop_next, config.interval, self.count);
                return Some(marked);
            }
            let Some((next, may_drop)) = self.next(now, config, fifo) else {
                self.dropping = false;
                return None;
            };
            packet = next;
            if !may_drop {
                self.dropping = false;
                break;
            }
            self.drop_next = control_law(self.drop_next, config.interval, self.count);
        }
        Some(packet)
    }

    /// Enters the dropping state, with the rate of the last time if that was not long
    /// ago.
    fn begin(
        &mut self,
        now: Time,
        config: &CodelConfig,
        packet: Packet,
        fifo: &mut Fifo,
        cx: &mut Cx<'_>,
    ) -> Option<Packet> {
        let out = match signal(packet, config.ecn, cx) {
            Some(marked) => Some(marked),
            None => self.next(now, config, fifo).map(|(packet, _)| packet),
        };
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now < self.drop_next + config.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.last_count = self.count;
        self.drop_next = control_law(now, config.interval, self.count);
        out
    }
}

impl Codel {
    /// An empty queue.
    pub fn new(config: CodelConfig) -> Codel {
        Codel { config, fifo: Fifo::new(), control: Control::default() }
    }
}

impl Queue for Codel {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let size = packet.wire_size();
        if self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            self.fifo.push(now, packet);
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        self.control.take(now, &self.config, &mut self.fifo, cx)
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
            QueueChange::Target(target) => self.config.target = target,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "codel_tests.rs"]
mod tests;
