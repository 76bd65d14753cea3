//! Unacknowledged mode of NR (TS 38.322, 5.2.2): segments are put together, nothing is put into
//! order.
//!
//! The number of an SDU in the store stands for its sequence number, which only segmented SDUs
//! have. So an SDU of which no segment has come does not start t-Reassembly.

use airpath_base::{Duration, Time};
use airpath_net::Cx;

use super::{Format, Run, SnLength};
use crate::pdcp;
use crate::rlc::pdu::{Body, Pdu};
use crate::rlc::store::{Arrival, Out, Store, pieces};
use crate::rlc::um::LOSS;

/// Configuration of unacknowledged mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Length of the sequence number, 6 or 12 bits.
    pub sn: SnLength,
    /// Wait of the receiver for a segment that others have overtaken (t-Reassembly, TS 38.331,
    /// 6.3.2: 0 to 200 ms).
    pub t_reassembly: Duration,
}

impl Default for Config {
    /// 12 bits; 35 ms, as in LTE four HARQ retransmissions of 8 ms.
    fn default() -> Config {
        Config { sn: SnLength::Twelve, t_reassembly: Duration::from_millis(35) }
    }
}

/// Both ends of one direction.
#[derive(Debug)]
pub(in crate::rlc) struct Pair {
    pub format: Format,
    config: Config,
    /// SDUs of which some has come, in order, and whether a stretch within is missing.
    partial: Vec<(u64, bool)>,
    /// Expiry of t-Reassembly, and the SDU after the last that it concerns.
    reassembly: Option<(Time, u64)>,
}

impl Pair {
    pub fn new(config: Config, mac: bool) -> Pair {
        let format = Format::um(config.sn, mac);
        Pair { format, config, partial: Vec::new(), reassembly: None }
    }

    /// RLC is re-established (TS 38.322, 5.1.2).
    pub fn reestablish(&mut self) {
        self.partial.clear();
        self.reassembly = None;
    }

    pub fn next_wake(&self) -> Option<Time> {
        self.reassembly.map(|(expiry, _)| expiry)
    }

    pub fn build(
        &mut self,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        let sent = store.sent_of_partial();
        let lengths = pieces(now, store, source, cx);
        let packed = self.format.pack(room, sent, u32::MAX, lengths)?;
        let contents = store.take(packed.data, now, cx);
        let run = Run { contents, poll: false, retransmission: false, built: now };
        Some(Pdu { size: packed.size, body: Body::Run(run) })
    }

    pub fn receive(
        &mut self,
        run: &Run,
        arrival: &Arrival,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        for id in run.contents.first..=run.contents.last {
            let Some(size) = store.size_of(id) else { continue };
            let (start, length) = (run.contents.start_of(id), run.contents.length(id, size));
            let hole = start > store.arrived(id);
            if store.arrive_one(id, length, arrival) {
                self.partial.retain(|(other, _)| *other != id);
                store.deliver(id, out);
            } else {
                self.begin(id, hole);
            }
        }
        store.trim(u64::MAX);
        self.supervise(arrival.now, store, cx);
    }

    fn begin(&mut self, id: u64, hole: bool) {
        match self.partial.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(n) => self.partial[n].1 |= hole,
            Err(n) => self.partial.insert(n, (id, hole)),
        }
    }

    /// t-Reassembly runs while a segment is missing that others have overtaken (5.2.2.2.3); SDUs
    /// beyond the window are given up.
    fn supervise(&mut self, now: Time, store: &mut Store, cx: &mut Cx<'_>) {
        self.partial.retain(|(id, _)| store.size_of(*id).is_some());
        while self.partial.len() as u64 > self.config.sn.window() {
            let (id, _) = self.partial.remove(0);
            store.lose_one(id, LOSS, cx);
        }
        let first = self.partial.first();
        if self.reassembly.is_some_and(|(_, end)| first.is_none_or(|(id, _)| *id >= end)) {
            self.reassembly = None;
        }
        let overtaken = self.partial.len() > 1 || first.is_some_and(|(_, hole)| *hole);
        if self.reassembly.is_none() && overtaken {
            let end = self.partial.last().map_or(0, |(id, _)| id + 1);
            self.reassembly = Some((now + self.config.t_reassembly, end));
        }
    }

    /// t-Reassembly may have run out (5.2.2.2.4).
    pub fn wake(&mut self, now: Time, store: &mut Store, cx: &mut Cx<'_>) {
        let Some((_, end)) = self.reassembly.take_if(|(expiry, _)| *expiry <= now) else { return };
        self.partial.retain(|&(id, _)| {
            if id < end {
                store.lose_one(id, LOSS, cx);
            }
            id >= end
        });
        store.trim(u64::MAX);
        self.supervise(now, store, cx);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
