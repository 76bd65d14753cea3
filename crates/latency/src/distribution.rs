//! The distribution of a delay with times of processing, to its far tail.
//!
//! - Delays of the radio are those of [`Delays`], whose parts are spread evenly between two bounds. A block is
//!   sent several times, each with the same share of errors.
//! - Times of processing are added by convolution on a grid, so that nothing is drawn. Results are exact to a
//!   step of the grid.

use airpath_base::{Direction, math};

use crate::phases::Part;
use crate::{Access, Delays, ParseError, Processing, Setting, Tdd};

/// Shares that are left out at the end of a distribution.
const REST: f64 = 1e-9;
/// Means of an exponential time after which its distribution ends.
const TAIL: f64 = 20.0;
/// Steps of a grid at most.
const MOST_STEPS: usize = 2_000_000;

/// An air interface with its duplex mode, its transmissions, and times of processing.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The steps of the radio.
    pub setting: Setting,
    /// Slots.
    pub tdd: Tdd,
    /// Transmissions of a block at most; the last of these succeeds.
    pub transmissions: usize,
    /// Times of processing by their names, all of which a packet takes.
    pub processing: Vec<(String, Processing)>,
}

/// A stage of the delay, and its distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct PartStage {
    /// Name of the stage.
    pub what: String,
    /// Distribution of its time.
    pub distribution: Distribution,
}

/// Distribution of a delay: the shares of packets by steps of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Step in ms.
    step: f64,
    /// Shares of packets with a delay from n steps up to the next; together 1.
    shares: Vec<f64>,
    /// Mean in ms, which the grid does not round.
    mean: f64,
}

impl Interface {
    /// The delay in a direction, on a grid with steps of so many ms.
    ///
    /// # Errors
    ///
    /// As [`Delays::of`], and a grid with too many steps.
    pub fn delay(&self, direction: Direction, step: f64) -> Result<Distribution, ParseError> {
        let radio = self.radio(direction, step, &|part, n| {
            let end = part.course.delivered.get(n).map_or(0.0, |time| time.as_f64());
            [end - part.to.as_f64(), end - part.from.as_f64()]
        })?;
        let all = self.processing.iter();
        Ok(all.fold(radio, |sum, (_, time)| sum.plus(&Distribution::of(*time, step))))
    }

    /// The stages of the delay in a direction, in their order. Their means add up to that of the delay.
    ///
    /// # Errors
    ///
    /// As [`delay`](Interface::delay).
    pub fn stages(&self, direction: Direction, step: f64) -> Result<Vec<PartStage>, ParseError> {
        let until = |end: &dyn Fn(&Part) -> f64| {
            self.radio(direction, step, &|part, _| {
                [end(part) - part.to.as_f64(), end(part) - part.from.as_f64()]
            })
        };
        let mut radio = Vec::new();
        match direction {
            Direction::Downlink => {
                radio.push(("processing and wait", until(&|part| part.course.sent.as_f64())?));
            }
            Direction::Uplink => {
                radio.push(("wait", until(&|part| part.course.begun.as_f64())?));
                let access = self.radio(direction, step, &|part, _| {
                    [part.course.sent.as_f64() - part.course.begun.as_f64(); 2]
                })?;
                let asks = matches!(self.setting.access, Access::SchedulingRequest { .. });
                radio.push((if asks { "request and grant" } else { "preparation" }, access));
            }
        }
        let first = |part: &Part| part.course.delivered.first().map_or(0.0, |time| time.as_f64());
        let sent =
            self.radio(direction, step, &|part, _| [first(part) - part.course.sent.as_f64(); 2])?;
        let again = self.radio(direction, step, &|part, n| {
            let end = part.course.delivered.get(n).map_or(0.0, |time| time.as_f64());
            [end - first(part); 2]
        })?;
        radio.extend([("transmission", sent), ("retransmissions", again)]);
        let radio = radio
            .into_iter()
            .map(|(what, distribution)| PartStage { what: what.to_owned(), distribution });
        let own = self.processing.iter().map(|(what, time)| PartStage {
            what: format!("processing: {what}"),
            distribution: Distribution::of(*time, step),
        });
        Ok(radio.chain(own).collect())
    }

    /// A time of the radio: `bounds` gives its bounds in slots by part and number of transmissions before.
    fn radio(
        &self,
        direction: Direction,
        step: f64,
        bounds: &dyn Fn(&Part, usize) -> [f64; 2],
    ) -> Result<Distribution, ParseError> {
        let own = (&self.tdd, self.transmissions.max(1));
        let delays = Delays::with_transmissions(&self.setting, own, direction)?;
        let (slot, period, parts) = delays.parts();
        let (slot_ms, period) = (slot.as_f64() / 1e6, period as f64);
        let bler = self.setting.bler.share().as_f64();
        let mut sum = Distribution { step, shares: Vec::new(), mean: 0.0 };
        for part in parts {
            let weight = (part.to.as_f64() - part.from.as_f64()) / period;
            for n in 0..self.transmissions.max(1) {
                let last = n + 1 == self.transmissions.max(1);
                let failed = (0..n).fold(1.0, |share, _| share * bler);
                let share = failed * if last { 1.0 } else { 1.0 - bler };
                sum.spread(bounds(part, n).map(|slots| slots * slot_ms), weight * share)?;
            }
        }
        Ok(sum)
    }
}

impl Distribution {
    /// The distribution of a time of processing.
    pub fn of(time: Processing, step: f64) -> Distribution {
        let mut sum = Distribution { step, shares: Vec::new(), mean: 0.0 };
        if let Some(fixed) = time.fixed() {
            // A grid of less than its greatest length has room.
            let _: Result<(), ParseError> = sum.spread([fixed; 2], 1.0);
            return sum;
        }
        let (mut below, mut n) = (0.0, 0);
        while below < 1.0 - REST && n < MOST_STEPS {
            let next = time.at_most((n + 1) as f64 * step);
            sum.shares.push(next - below);
            (below, n) = (next, n + 1);
        }
        let all: f64 = sum.shares.iter().sum();
        sum.shares.iter_mut().for_each(|share| *share /= all.max(f64::MIN_POSITIVE));
        Distribution { mean: time.mean(), ..sum }
    }

    /// Spreads a share evenly between two bounds in ms; a share at a point lies in the middle of a step there.
    fn spread(&mut self, [from, to]: [f64; 2], share: f64) -> Result<(), ParseError> {
        if share <= 0.0 {
            return Ok(());
        }
        self.mean += share * 0.5 * (from + to);
        let half = 0.5 * self.step;
        let [from, to] = if to - from < self.step {
            let middle = 0.5 * (from + to);
            [(middle - half).max(0.0), (middle - half).max(0.0) + self.step]
        } else {
            [from.max(0.0), to]
        };
        let [first, last] = [from, to].map(|bound| bound / self.step);
        if last > MOST_STEPS as f64 {
            return Err(ParseError::new(
                "a delay is longer than the grid of a distribution: a shorter period",
            ));
        }
        let end = last.ceil() as usize;
        if self.shares.len() < end {
            self.shares.resize(end, 0.0);
        }
        for n in first.floor() as usize..end {
            let inside = (last.min((n + 1) as f64) - first.max(n as f64)).max(0.0);
            self.shares[n] += share * inside / (last - first);
        }
        Ok(())
    }

    /// The distribution of the sum with an independent time on the same grid.
    pub fn plus(&self, other: &Distribution) -> Distribution {
        let mut shares = vec![0.0; (self.shares.len() + other.shares.len()).max(1)];
        for (n, own) in self.shares.iter().enumerate().filter(|(_, own)| **own > 0.0) {
            for (m, share) in other.shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                // The sum of two steps lies evenly in the two that follow.
                shares[n + m] += 0.5 * own * share;
                shares[n + m + 1] += 0.5 * own * share;
            }
        }
        Distribution { step: self.step, shares, mean: self.mean + other.mean }
    }

    /// The distribution of the sum with an independent exponential time of this mean in ms.
    pub(crate) fn plus_exponential(&self, mean: f64) -> Distribution {
        if mean <= 0.0 {
            return self.clone();
        }
        let (kept, more) = (math::exp(-self.step / mean), (TAIL * mean / self.step) as usize);
        let own = self.shares.iter().copied().chain(core::iter::repeat_n(0.0, more));
        let (mut shares, mut sum) = (vec![0.0; self.shares.len() + more + 1], 0.0);
        for (n, share) in own.enumerate() {
            sum = kept * sum + (1.0 - kept) * share;
            // The sum of two steps lies evenly in the two that follow, likewise.
            shares[n] += 0.5 * sum;
            shares[n + 1] += 0.5 * sum;
        }
        Distribution { step: self.step, shares, mean: self.mean + mean }
    }

    /// Step of the grid in ms.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Shares of packets by steps of the grid, from zero on.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Mean in ms.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The delay in ms that a share of packets has at most.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut left = share;
        for (n, own) in self.shares.iter().enumerate() {
            if *own >= left && *own > 0.0 {
                return (n as f64 + (left / own).max(0.0)) * self.step;
            }
            left -= own;
        }
        let last = self.shares.iter().rposition(|own| *own > 0.0);
        last.map_or(0.0, |last| (last + 1) as f64 * self.step)
    }
}

#[cfg(test)]
#[path = "distribution_tests.rs"]
mod tests;
