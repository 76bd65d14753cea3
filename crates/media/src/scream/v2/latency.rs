//! Average of the queue delay, its variation, and the part that never drains.

use super::super::delay::PathDelay;
use crate::ticks::Ticks;

/// Gain of the average upwards; downwards it follows at once.
const AVERAGE_GAIN: f64 = 1.0 / 4.0;
/// Gain with which the extremes drift: the largest to zero, the smallest to the largest.
const EXTREMES_GAIN: f64 = 1.0 / 16.0;
/// Gain of the average difference between them.
const DIFFERENCE_GAIN: f64 = 1.0 / 32.0;
/// A queue delay that varies by so many seconds is anything but steady.
const UNSTEADY: f64 = 0.01;

#[derive(Debug)]
pub(super) struct Latency {
    pub floor: Floor,
    average: f64,
    largest: f64,
    smallest: f64,
    difference: f64,
    scale: f64,
    updated: Ticks,
}

/// The queue delay that has been there for long: it is not of this flow's making, or its
/// base is wrong.
#[derive(Debug)]
pub(super) struct Floor {
    value: f64,
    least: f64,
    updated: Ticks,
}

impl Default for Latency {
    fn default() -> Latency {
        Latency {
            floor: Floor { value: 0.0, least: UNKNOWN, updated: 0 },
            average: 0.0,
            largest: 0.0,
            smallest: UNKNOWN,
            difference: 0.0,
            scale: 1.0,
            updated: 0,
        }
    }
}

/// More than any queue delay in seconds.
const UNKNOWN: f64 = 1000.0;

impl Latency {
    /// Average queue delay in seconds, without its floor.
    pub fn average(&self) -> f64 {
        self.average
    }

    /// 1 if the queue delay is steady, 0 if it varies by 10 ms.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A packet saw this queue delay.
    pub fn note(&mut self, queue: f64, target: f64) {
        self.smallest = self.smallest.min(queue);
        self.largest = self.largest.max(queue).min(target);
    }

    pub fn update(&mut self, now: Ticks, interval: Ticks, path: &PathDelay) {
        if now.saturating_sub(self.updated) <= interval {
            return;
        }
        self.updated = now;
        self.floor.update(now, path.srtt);
        let queue = path.queue - self.floor.value;
        self.average = match queue < self.average {
            true => queue,
            false => self.average + AVERAGE_GAIN * (queue - self.average),
        };
        let apart = (self.largest - self.smallest).clamp(0.0, 2.0 * UNSTEADY);
        self.difference += DIFFERENCE_GAIN * (apart - self.difference);
        self.scale = (1.0 - self.difference / UNSTEADY).clamp(0.0, 1.0);
        self.largest *= 1.0 - EXTREMES_GAIN;
        self.smallest += EXTREMES_GAIN * (self.largest - self.smallest);
    }
}

impl Floor {
    /// In seconds.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The window is updated at this queue delay.
    pub fn note(&mut self, queue: f64) {
        self.least = self.least.min(queue);
    }

    pub fn forget(&mut self) {
        self.value = 0.0;
    }

    /// Each hundred RTTs: down at once, up by an eighth.
    fn update(&mut self, now: Ticks, srtt: Ticks) {
        if now.saturating_sub(self.updated) <= 100 * srtt {
            return;
        }
        self.value = match self.least < self.value {
            true => self.least,
            false => self.value + (self.least - self.value) / 8.0,
        };
        (self.least, self.updated) = (UNKNOWN, now);
    }
}
