//! Queues. Python decides what enters, in which order packets leave, and what is marked or dropped;
//! the packets stay here.

use std::collections::BTreeMap;

use airpath_base::{Duration, Time};
use airpath_net::queue::{Queue, Waiting, Which};
use airpath_net::{Cx, DropCause, Held, Packet};
use airpath_wire::Ecn;
use pyo3::prelude::*;

use super::facts::{Backlog, Packet as Facts};
use super::{Part, nonsense, shown};

/// A queue in Python: push in, first out.
pub struct Own {
    part: Part,
    ranks: bool,
    judges_departures: bool,
    arrivals: u64,
    bytes: u64,
    /// By rank and then by arrival.
    waiting: BTreeMap<(u64, u64), Waiting>,
    /// The rank of each arrival that waits.
    rank_of: BTreeMap<u64, u64>,
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Own {
    pub fn new(part: Part) -> Own {
        let ranks = part.overrides("Queue", "rank");
        let judges_departures = part.overrides("Queue", "on_departure");
        let (waiting, rank_of) = (BTreeMap::new(), BTreeMap::new());
        Own { part, ranks, judges_departures, arrivals: 0, bytes: 0, waiting, rank_of }
    }

    fn backlog(&self, now: Time) -> Backlog {
        Backlog::new(now, self.waiting.len(), self.bytes, self.oldest())
    }

    fn judge(&self, now: Time, method: &'static str, waiting: &Waiting) -> Verdict {
        let facts = Facts::new(&waiting.packet, waiting.size, waiting.sojourn(now));
        let given = (facts, self.backlog(now));
        let verdict = self.part.call(now, method, given, |_, gave| verdict(gave));
        verdict.unwrap_or(Verdict::Pass)
    }

    /// Marks, or drops what cannot be marked (RFC 3168, 5); none if it is dropped.
    fn apply(verdict: Verdict, mut waiting: Waiting, cx: &mut Cx<'_>) -> Option<Waiting> {
        match (verdict, waiting.packet.visible_ecn()) {
            (Verdict::Pass, _) | (Verdict::Mark, Ecn::Ce) => Some(waiting),
            (Verdict::Mark, Ecn::Ect0 | Ecn::Ect1) => {
                cx.mark(&mut waiting.packet);
                Some(waiting)
            }
            (Verdict::Mark, Ecn::NotEct) | (Verdict::Drop, _) => {
                cx.drop(waiting.packet, DropCause::Aqm);
                None
            }
        }
    }

    fn rank(&self, now: Time, waiting: &Waiting) -> u64 {
        if !self.ranks {
            return 0;
        }
        let facts = Facts::new(&waiting.packet, waiting.size, Duration::ZERO);
        let given = (facts, self.backlog(now));
        self.part.call(now, "rank", given, |_, gave| rank(gave)).unwrap_or(0)
    }

    fn take(&mut self, key: (u64, u64)) -> Option<Waiting> {
        let waiting = self.waiting.remove(&key)?;
        self.rank_of.remove(&key.1);
        self.bytes -= u64::from(waiting.size);
        Some(waiting)
    }
}

fn verdict(gave: &Bound<'_, PyAny>) -> PyResult<Verdict> {
    match gave.extract::<u8>() {
        Ok(0) => Ok(Verdict::Pass),
        Ok(1) => Ok(Verdict::Mark),
        Ok(2) => Ok(Verdict::Drop),
        _ if gave.is_none() => Ok(Verdict::Pass),
        _ => Err(nonsense(format!("it gave {}: a Verdict, or None to pass", shown(gave)))),
    }
}

/// A number so that ranks have its order: the bits of floating-point numbers have that of their
/// magnitudes.
fn rank(gave: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = gave.extract::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| nonsense(format!("it gave {}: a number", shown(gave))))?;
    let bits = (number + 0.0).to_bits();
    Ok(if number.is_sign_negative() && number != 0.0 { !bits } else { bits | 1 << 63 })
}

impl Queue for Own {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let waiting = Waiting { since: now, size: packet.wire_size(), packet };
        let verdict = self.judge(now, "on_arrival", &waiting);
        let Some(waiting) = Own::apply(verdict, waiting, cx) else { return };
        let (rank, arrival) = (self.rank(now, &waiting), self.arrivals);
        self.arrivals += 1;
        self.bytes += u64::from(waiting.size);
        self.rank_of.insert(arrival, rank);
        self.waiting.insert((rank, arrival), waiting);
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let first = *self.waiting.first_key_value()?.0;
            let waiting = self.take(first)?;
            let verdict = match self.judges_departures {
                true => self.judge(now, "on_departure", &waiting),
                false => Verdict::Pass,
            };
            if let Some(waiting) = Own::apply(verdict, waiting, cx) {
                return Some(waiting.packet);
            }
        }
    }

    fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn held(&self) -> Held {
        Held::of(self.waiting.values().map(|waiting| &waiting.packet))
    }

    fn oldest(&self) -> Option<Time> {
        let (arrival, rank) = self.rank_of.first_key_value()?;
        Some(self.waiting.get(&(*rank, *arrival))?.since)
    }

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        while let Some((&arrival, &rank)) = self.rank_of.first_key_value()
            && self.waiting[&(rank, arrival)].sojourn(now) >= limit
        {
            if let Some(oldest) = self.take((rank, arrival)) {
                cx.drop(oldest.packet, DropCause::DiscardTimer);
            }
        }
    }

    fn drop_where(&mut self, _now: Time, which: Which<'_>, cx: &mut Cx<'_>) {
        let keys: Vec<_> = self.rank_of.iter().map(|(arrival, rank)| (*rank, *arrival)).collect();
        for key in keys {
            let cause = self.waiting.get(&key).and_then(|waiting| which(&waiting.packet));
            if let Some((waiting, cause)) = cause.and_then(|cause| Some((self.take(key)?, cause))) {
                cx.drop(waiting.packet, cause);
            }
        }
    }

    fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        for (arrival, rank) in &self.rank_of {
            if let Some(waiting) = self.waiting.get_mut(&(*rank, *arrival)) {
                visit(&mut waiting.packet);
            }
        }
    }
}
