//! One direction of a path in wires: the fate of each packet, known when it enters.
//!
//! A packet has a delay before the narrow link and one behind it, both constant. So packets reach
//! the link in the order in which they enter, and its queue is known without events.

use std::collections::HashMap;

use airpath_base::random::{Seed, Stream};

use super::draw::Draw;
use super::model::{Drop, Packet};
use super::record::{PORT, START_MS};
use super::segment::Segment;

const MILLISECOND: f64 = 1e6;

/// Fate of a packet. Times are nanoseconds of the world.
#[derive(Debug, Clone, Copy)]
pub struct Fate {
    /// Time at which it passes the middle, if it does.
    pub middle: Option<u64>,
    /// Time at which it arrives, if it does.
    pub arrives: Option<u64>,
    /// Record of it.
    pub packet: Packet,
}

/// Middle of the path.
#[derive(Debug, Clone, Copy)]
enum Middle {
    /// So many nanoseconds behind the entrance, before the narrow link.
    Before(u64),
    /// So many nanoseconds behind the narrow link.
    Behind(u64),
}

/// One direction.
pub struct Way {
    data: bool,
    /// Delays before and behind the narrow link, in nanoseconds.
    delays: [u64; 2],
    middle: Middle,
    rate_kbps: u64,
    limit_bytes: u64,
    loss: f64,
    loss_first: bool,
    late: Option<(f64, f64)>,
    jitter_ms: f64,
    dead_ms: Vec<[u64; 2]>,
    policer: Option<Policer>,
    tail: Option<Tail>,
    /// Time at which the link is free.
    free: u64,
    /// Time at which packets that wait for a burst arrive.
    burst: u64,
    random: Stream,
}

/// Token bucket without a queue.
struct Policer {
    kbps: u64,
    burst: f64,
    tokens: f64,
    at: u64,
}

/// Loss of the last segment of answers.
struct Tail {
    bytes: u64,
    probability: f64,
    first: u32,
    /// Transmissions by answer, and whether they are lost.
    seen: HashMap<u64, (u32, bool)>,
}

impl Way {
    /// The direction of the data, or the way back.
    pub fn of(draw: &Draw, data: bool) -> Way {
        let wires = &draw.wires;
        let nanos = |ms: f64| (ms * MILLISECOND) as u64;
        let (near, all) = (nanos(wires.near_ms), nanos(draw.delay_ms.max(wires.near_ms)));
        // The narrow link is at the host on its side of the middle.
        let (delays, middle) = match (data, wires.queue_near) {
            (true, true) => ([0, all], Middle::Behind(near)),
            (true, false) => ([all, 0], Middle::Before(near)),
            (false, true) => ([all, 0], Middle::Before(all - near)),
            (false, false) => ([0, all], Middle::Behind(all - near)),
        };
        Way {
            data,
            delays,
            middle,
            rate_kbps: if data { draw.rate_kbps } else { wires.back_kbps },
            limit_bytes: 1_500 * if data { draw.queue_packets } else { wires.back_packets },
            loss: if data { draw.loss } else { 0.0 },
            loss_first: wires.loss_near,
            late: wires.late.filter(|_| data),
            jitter_ms: wires.jitter_ms,
            dead_ms: wires.dead_ms.clone(),
            policer: draw.policer.filter(|_| data).map(|(kbps, kib)| {
                let burst = kib as f64 * 1024.0;
                Policer { kbps, burst, tokens: burst, at: 0 }
            }),
            tail: wires.tail.filter(|_| data).map(|(bytes, probability)| Tail {
                bytes,
                probability,
                first: 0,
                seen: HashMap::new(),
            }),
            free: 0,
            burst: 0,
            random: Seed(draw.seed).stream(if data { "data" } else { "back" }),
        }
    }

    /// Fate of a packet of so many bytes that enters now.
    pub fn enter(&mut self, now: u64, bytes: u64, segment: Option<Segment>) -> Fate {
        let own = segment.is_some_and(|segment| segment.ports.contains(&PORT));
        let middle = match self.middle {
            Middle::Before(delay) => Some(now + delay),
            Middle::Behind(_) => None,
        };
        let packet = Packet {
            own,
            data: self.data,
            bytes,
            born: now,
            ended: now,
            dropped: Some(Drop::Random),
            busy: [now, now],
            queued: 0,
            radio: None,
            end: segment.filter(|segment| own && segment.payload > 0).map(Segment::end),
            passes: middle.is_some(),
        };
        let lost = Fate { middle: None, arrives: None, packet: Packet { passes: false, ..packet } };
        let chance = self.random.chance(self.loss);
        if self.is_dead(now) || (chance && self.loss_first) || self.loses_tail(segment, own) {
            return lost;
        }
        let reaches = now + self.delays[0];
        let full = Packet { dropped: Some(Drop::Queue), ended: reaches, ..packet };
        let waiting = self.free.saturating_sub(reaches) * self.rate_kbps / 8_000_000;
        let refused = self.policer.as_mut().is_some_and(|policer| !policer.passes(reaches, bytes));
        if refused || waiting + bytes > self.limit_bytes {
            return Fate { middle, packet: full, ..lost };
        }
        let begins = self.free.max(reaches);
        self.free = begins + bytes * 8_000_000 / self.rate_kbps;
        let (late, all) = self.delayed();
        let middle = middle.or(match self.middle {
            Middle::Behind(delay) if self.loss_first => Some(self.free + delay + late),
            Middle::Behind(delay) => Some(self.free + delay),
            Middle::Before(_) => None,
        });
        let arrives = all.max(self.free + self.delays[1] + late);
        let packet = Packet {
            ended: arrives,
            dropped: chance.then_some(Drop::Random),
            busy: [reaches, self.free],
            queued: begins - reaches,
            passes: true,
            ..packet
        };
        Fate { middle, arrives: (!chance).then_some(arrives), packet }
    }

    /// Delay by which the packet is overtaken, and the earliest time of its arrival.
    fn delayed(&mut self) -> (u64, u64) {
        let late = self.late.filter(|(share, _)| self.random.chance(*share));
        let late = late.map_or(0, |(_, ms)| (ms * MILLISECOND) as u64);
        if self.jitter_ms > 0.0 && self.free + self.delays[1] > self.burst {
            let wait = self.random.between(0.0, self.jitter_ms) * MILLISECOND;
            self.burst = self.free + self.delays[1] + wait as u64;
        }
        (late, self.burst)
    }

    fn is_dead(&self, now: u64) -> bool {
        let ms = (now / 1_000_000).checked_sub(START_MS);
        ms.is_some_and(|ms| self.dead_ms.iter().any(|[from, to]| (*from..*to).contains(&ms)))
    }

    fn loses_tail(&mut self, segment: Option<Segment>, own: bool) -> bool {
        let (Some(tail), Some(segment)) = (&mut self.tail, segment.filter(|_| own)) else {
            return false;
        };
        if segment.syn {
            tail.first = segment.seq.wrapping_add(1);
            return false;
        }
        let end = segment.end().wrapping_sub(tail.first);
        if segment.payload == 0 || u64::from(end) % tail.bytes != 0 {
            return false;
        }
        let lost = self.random.chance(tail.probability);
        let (seen, lost) = tail.seen.entry(u64::from(end) / tail.bytes).or_insert((0, lost));
        *seen += 1;
        // The probe of tail loss (RFC 8985, 7) is lost as well, so the timer has to strike.
        *lost && *seen <= 2
    }
}

impl Policer {
    fn passes(&mut self, now: u64, bytes: u64) -> bool {
        let earned = now.saturating_sub(self.at) as f64 * self.kbps as f64 / 8e6;
        (self.tokens, self.at) = ((self.tokens + earned).min(self.burst), now);
        let passes = self.tokens >= bytes as f64;
        self.tokens -= if passes { bytes as f64 } else { 0.0 };
        passes
    }
}

#[cfg(test)]
#[path = "way_tests.rs"]
mod tests;
