//! How long the queue is on average, and how much that varies.

use super::super::ticks::Ticks;

/// Gain of the average upwards; downwards it follows at once.
const AVERAGE_GAIN: f64 = 1.0 / 4.0;
/// Gain with which the extremes drift: the largest to zero, the smallest to the largest.
const EXTREMES_GAIN: f64 = 1.0 / 16.0;
/// Gain of the average difference between them.
const DIFFERENCE_GAIN: f64 = 1.0 / 32.0;

#[derive(Debug)]
pub(super) struct Latency {
    average: f64,
    largest: f64,
    smallest: f64,
    difference: f64,
    scale: f64,
    updated: Ticks,
}

impl Default for Latency {
    fn default() -> Latency {
        let smallest = f64::INFINITY;
        Latency { average: 0.0, largest: 0.0, smallest, difference: 0.0, scale: 1.0, updated: 0 }
    }
}

impl Latency {
    /// Average queue delay in seconds.
    pub fn average(&self) -> f64 {
        self.average
    }

    /// 1 if the queue delay is steady, 0 if it varies by a sixth of its target.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A packet saw this queue delay.
    pub fn note(&mut self, queue: f64, target: f64) {
        self.smallest = self.smallest.min(queue);
        self.largest = self.largest.max(queue).min(target);
    }

    pub fn update(&mut self, now: Ticks, interval: Ticks, queue: f64, target: f64) {
        if now.saturating_sub(self.updated) <= interval {
            return;
        }
        self.updated = now;
        self.average = match queue < self.average {
            true => queue,
            false => self.average + AVERAGE_GAIN * (queue - self.average),
        };
        let sixth = target / 6.0;
        let apart = (self.largest - self.smallest).clamp(0.0, 2.0 * sixth);
        self.difference += DIFFERENCE_GAIN * (apart - self.difference);
        self.scale = (1.0 - self.difference / sixth).clamp(0.0, 1.0);
        self.largest *= 1.0 - EXTREMES_GAIN;
        self.smallest += EXTREMES_GAIN * (self.largest - self.smallest);
    }
}
