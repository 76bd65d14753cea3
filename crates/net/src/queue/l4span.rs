//! Marking by the rate at which packets have left (H. Wan and K. Jamieson, "L4Span: Spanning
//! Congestion Signaling over NextG Networks for Interactive Applications", Proc. ACM Netw. 3,
//! CoNEXT4, 2025; parameters and details from the authors' published program).
//!
//! Packets are marked as they arrive, by probabilities that are computed each time that packets
//! have left, from the bytes `Q` that then wait:
//!
//! - L4S (ECT(1)): the rate needed to empty the queue in time is `r = Q / target`. With mean
//!   `r^` and standard deviation `e` of the last 50 rates, `p = clamp((r - r^ + e) / 2e, 0, 1)`;
//!   without deviation 1 where `r` is above `r^`.
//! - Classic (ECT(0)): `p = (K / (r^ q))^2` where more waits than `long_queue`, and 0 elsewhere,
//!   with `K = 1460 * 8 * 1.75 / 2` and the expected delay `q = Q / r^`; so `r^ q` is `Q`. In the
//!   program `K` counts bits and `Q` bytes, and so here: what was published rests on that.
//!
//! A rate, in bytes a second, is the bytes that have left since the last rate, over the time since
//! then. Time with an empty queue is part of it. A rate counts once for each of these packets. It
//! is taken when packets leave, but not less than 1 ms after the last.
//!
//! Two things differ from the program. It ignores packets that leave within 1 ms, so that short
//! slots would never give a rate. It begins with rates of zero, so that it marks everything before
//! the first rate.
//!
//! Left out: marking acknowledgements on their way back instead of the data, and dividing
//! `long_queue` by the number of UEs.

use std::collections::VecDeque;

use airpath_base::random::Stream;
use airpath_base::{Bytes, Duration, Time};
use airpath_schema::{above, between, record};
use airpath_wire::Ecn;

use super::fifo::of_one_fifo;
use super::signal::signal;
use super::{Fifo, Limit, Queue, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

/// Rates are taken at this distance at least.
const SHORTEST: Duration = Duration::from_millis(1);

/// `K` of the classic rule.
const CLASSIC: f64 = 1460.0 * 8.0 * 1.75 / 2.0;

record! {
    /// Marking by the rate at which packets have left.
    #[derive(Copy)]
    pub struct L4SpanConfig: Default {
        /// Time in which the queue is to be emptied. Default: 10 ms (the authors' program).
        target: Duration = Duration::from_millis(10) => above(Duration::ZERO);
        /// Departures whose rates count. Default: 50 (there).
        window: u32 = 50 => between(1, 10_000);
        /// Bytes above which packets with ECT(0) are marked. Default: 225000 B (there, for one
        /// UE).
        long_queue: Bytes = Bytes(225_000);
        /// Drops packets that are not ECN-capable where one with ECT(0) would be marked. Default:
        /// false.
        drop_not_ect: bool = false;
        /// Limit of the queue in packets or bytes. Default: "unlimited".
        limit: Limit = Limit::NONE;
    }
}

/// A queue under the marker.
#[derive(Debug)]
pub struct L4Span {
    config: L4SpanConfig,
    fifo: Fifo,
    departures: Departures,
    /// For L4S and for classic packets.
    probabilities: (f64, f64),
    draws: Stream,
    /// True if the queue signals nothing.
    off: bool,
}

/// Packets that have left, and their rates.
#[derive(Debug, Default)]
struct Departures {
    /// Up to where rates have been taken: an instant at which packets left.
    since: Option<Time>,
    /// The last instant at which packets left, if its end has not been seen.
    open: Option<Time>,
    /// Of what has left after `since`.
    bytes: u64,
    packets: u32,
    rates: VecDeque<f64>,
}

impl L4SpanConfig {
    /// The probability for L4S packets, with so many bytes waiting and this mean rate and
    /// deviation in bytes a second.
    pub fn l4s(&self, waiting: u64, (mean, deviation): (f64, f64)) -> f64 {
        let above = waiting as f64 / self.target.as_secs_f64() - mean;
        match deviation > 0.0 {
            true => ((above + deviation) / (2.0 * deviation)).clamp(0.0, 1.0),
            false => f64::from(u8::from(above > 0.0)),
        }
    }

    /// The probability for classic packets, with so many bytes waiting.
    pub fn classic(&self, waiting: u64) -> f64 {
        if waiting <= self.long_queue.0 {
            return 0.0;
        }
        let root = CLASSIC / waiting as f64;
        (root * root).min(1.0)
    }
}

impl Departures {
    /// A packet leaves; what left before must have been [closed](Departures::close).
    fn leaves(&mut self, now: Time, size: u32) {
        let since = *self.since.get_or_insert(now);
        self.open = Some(now);
        if now > since {
            self.bytes += u64::from(size);
            self.packets += 1;
        }
    }

    /// True if packets left at an instant that is over; takes a rate if it is time for one.
    fn close(&mut self, now: Time, window: u32) -> bool {
        let Some(at) = self.open.filter(|at| *at < now) else { return false };
        self.open = None;
        let span = self.since.map_or(Duration::ZERO, |since| at.saturating_since(since));
        if span >= SHORTEST {
            let rate = self.bytes as f64 / span.as_secs_f64();
            let (window, new) = (window as usize, self.packets.min(window) as usize);
            let kept = (self.rates.len() + new).min(window) - new;
            self.rates.drain(..self.rates.len() - kept);
            self.rates.extend(core::iter::repeat_n(rate, new));
            (self.since, self.bytes, self.packets) = (Some(at), 0, 0);
        }
        true
    }

    /// Mean and standard deviation of the rates, once there is one.
    fn rate(&self) -> Option<(f64, f64)> {
        let count = self.rates.len() as f64;
        let mean = self.rates.iter().sum::<f64>() / count;
        let squares = self.rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>();
        (!self.rates.is_empty()).then(|| (mean, (squares / count).sqrt()))
    }
}

impl L4Span {
    /// An empty queue; marks are drawn from `draws`.
    pub fn new(config: L4SpanConfig, draws: Stream) -> L4Span {
        let (fifo, departures) = (Fifo::new(), Departures::default());
        L4Span { config, fifo, departures, probabilities: (0.0, 0.0), draws, off: false }
    }

    /// The probabilities for L4S and for classic packets.
    pub fn probabilities(&self) -> (f64, f64) {
        self.probabilities
    }

    /// Computes the probabilities anew if packets have left since they were.
    fn catch_up(&mut self, now: Time) {
        if self.departures.close(now, self.config.window) {
            let waiting = self.fifo.bytes();
            let rate = self.departures.rate();
            let l4s = rate.map_or(0.0, |rate| self.config.l4s(waiting, rate));
            self.probabilities = (l4s, self.config.classic(waiting));
        }
    }

    /// Signals to a packet that arrives; `None` if it was dropped.
    fn signalled(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        if self.off {
            return Some(packet);
        }
        let (l4s, classic) = self.probabilities;
        let probability = match packet.visible_ecn() {
            Ecn::Ect1 => l4s,
            Ecn::Ect0 => classic,
            Ecn::NotEct if self.config.drop_not_ect => classic,
            Ecn::NotEct | Ecn::Ce => 0.0,
        };
        match probability > 0.0 && self.draws.chance(probability) {
            true => signal(packet, true, cx),
            false => Some(packet),
        }
    }
}

impl Queue for L4Span {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.catch_up(now);
        let size = packet.wire_size();
        if !self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        if let Some(packet) = self.signalled(packet, cx) {
            self.fifo.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        self.catch_up(now);
        let oldest = self.fifo.pop()?;
        self.departures.leaves(now, oldest.size);
        Some(oldest.packet)
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.discard(now, limit, cx);
    }

    fn drop_where(&mut self, now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.drop_where(which, cx);
    }

    fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
        self.catch_up(now);
        match change {
            QueueChange::Marking(on) => self.off = !on,
            QueueChange::Target(target) => self.config.target = target,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "l4span_tests.rs"]
mod tests;
