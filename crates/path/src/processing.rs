//! Processing of packets by hosts, modems, base stations and core networks: a time for each packet, by its
//! distribution. Packets of a direction stay in order.

use std::collections::VecDeque;

use airpath_base::random::{Seed, Stream};
use airpath_base::{Duration, Port, Time, math};
use airpath_net::{Cx, Held, Node, Packet, Stage};

use crate::delay::later;

/// Distribution of the time that a packet takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcessingTime {
    /// Always the same.
    Fixed(Duration),
    /// Evenly distributed between two bounds, the first of which is the lesser.
    Uniform(Duration, Duration),
    /// Exponentially distributed with this mean.
    Exponential(Duration),
    /// Lognormally distributed: the median, and the standard deviation of the natural logarithm.
    Lognormal(Duration, f64),
}

impl ProcessingTime {
    fn draw(self, draws: &mut Stream) -> Duration {
        match self {
            ProcessingTime::Fixed(time) => time,
            ProcessingTime::Uniform(min, max) => {
                min + max.saturating_sub(min).mul_f64(draws.uniform())
            }
            ProcessingTime::Exponential(mean) => mean.mul_f64(draws.exponential(1.0)),
            ProcessingTime::Lognormal(median, sigma) => {
                median.mul_f64(math::exp(draws.normal(0.0, sigma)))
            }
        }
    }

    /// True if no packet ever takes any time.
    pub fn is_none(self) -> bool {
        match self {
            ProcessingTime::Fixed(time)
            | ProcessingTime::Exponential(time)
            | ProcessingTime::Lognormal(time, _)
            | ProcessingTime::Uniform(_, time) => time.is_zero(),
        }
    }
}

/// An element whose processing takes time: from port [`OUTER`](Processing::OUTER) to
/// [`INNER`](Processing::INNER), and back. No packet overtakes another.
#[derive(Debug)]
pub struct Processing {
    ways: [Way; 2],
}

/// A direction: times of which each packet takes the sum.
#[derive(Debug)]
struct Way {
    times: Vec<ProcessingTime>,
    draws: Stream,
    leave: Port,
    last: Time,
    held: VecDeque<(Time, Packet)>,
}

impl Processing {
    /// The side of the servers, or of the application at a UE.
    pub const OUTER: Port = Port(0);
    /// The side of the radio.
    pub const INNER: Port = Port(1);

    /// An element with times of packets from outside, and times of packets from the radio. Draws are those
    /// of the seed with this name.
    pub fn new(
        inwards: &[ProcessingTime],
        outwards: &[ProcessingTime],
        seed: Seed,
        name: &str,
    ) -> Processing {
        let way = |times: &[ProcessingTime], leave, word| Way {
            times: times.to_vec(),
            draws: seed.stream(&format!("{name} / {word}")),
            leave,
            last: Time::ZERO,
            held: VecDeque::new(),
        };
        let inwards = way(inwards, Processing::INNER, "inwards");
        Processing { ways: [inwards, way(outwards, Processing::OUTER, "outwards")] }
    }
}

impl Way {
    fn receive(&mut self, now: Time, mut packet: Packet, cx: &mut Cx<'_>) {
        let draw = |time: &ProcessingTime| time.draw(&mut self.draws);
        let time: Duration = self.times.iter().map(draw).sum();
        self.last = self.last.max(later(now, time));
        packet.charge(Stage::Processing, self.last);
        self.held.push_back((self.last, packet));
        self.wake(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, packet)) = self.held.pop_front_if(|(due, _)| *due <= now) {
            cx.send(self.leave, packet);
        }
    }
}

impl Node for Processing {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let way = usize::from(port != Processing::OUTER);
        self.ways[way].receive(now, packet, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.ways.iter_mut().for_each(|way| way.wake(now, cx));
    }

    fn next_wake(&self) -> Option<Time> {
        let first = |way: &Way| way.held.front().map(|(due, _)| *due);
        self.ways.iter().filter_map(first).min()
    }

    fn held(&self) -> Held {
        Held::of(self.ways.iter().flat_map(|way| way.held.iter().map(|(_, packet)| packet)))
    }
}

#[cfg(test)]
#[path = "processing_tests.rs"]
mod tests;
