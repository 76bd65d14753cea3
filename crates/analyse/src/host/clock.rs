//! The clock that all flows of a host share.
//!
//! Each flow's packets draw a line of their own, since newer systems add a random number to the
//! timestamps of each connection (RFC 7323, 5.4). The slope is the same for all flows. The lines'
//! slopes are therefore averaged, each with the weight that its ticks give it. If a host adds
//! nothing, the first timestamps of all its flows lie on one line too, and a far longer one. Of
//! both estimates the one with the lesser standard error counts.

use airpath_base::Time;

use crate::methods::{Clock, Slope};

/// Standard error of a clock's period above which the period is not reported.
pub(crate) const WORST_PERIOD: f64 = 0.01;
/// After so many flows whose first timestamps lie on no line, no line is expected.
const TRIED: u32 = 16;
/// Standard error above which they lie on none.
const NO_LINE: f64 = 0.1;

/// Estimates of a host's clock.
#[derive(Debug, Default)]
pub(crate) struct SharedClock {
    /// The flows' slopes together.
    within: Slope,
    /// A point for each flow.
    between: Option<Box<Clock>>,
    points: u32,
}

impl SharedClock {
    /// A flow has ended that had this clock.
    pub(crate) fn flow(&mut self, clock: &Clock) {
        if let Some(slope) = clock.slope() {
            self.within.join(&slope);
        }
    }

    /// The ACK of a handshake came with this timestamp. (The SYN waits for the radio.)
    pub(crate) fn handshake(&mut self, at: Time, value: u32) {
        if self.points > TRIED && self.between.is_none() {
            return;
        }
        self.points += 1;
        let between = self.between.get_or_insert_default();
        between.add(at, value);
        let line = || between.period().is_some_and(|period| period.error < NO_LINE);
        if self.points == TRIED && !line() {
            (self.between, self.points) = (None, TRIED + 1);
        }
    }

    /// Seconds a tick, and the standard error relative to that, if it is known.
    pub(crate) fn period(&self) -> Option<(f64, f64)> {
        let between = self.between.as_ref().and_then(|clock| clock.period());
        let between = between.map(|period| (period.seconds, period.error));
        [self.within.period(), between]
            .into_iter()
            .flatten()
            .filter(|(_, error)| *error <= WORST_PERIOD)
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.between.as_ref().map_or(0, |clock| size_of::<Clock>() + clock.heap() + 32)
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::{Seed, Stream};

    use super::*;

    /// Period of a host's clock of 10 ms a tick after `flows` flows that begin 5 s apart. Each flow
    /// has `packets` packets, 20 ms apart. Each packet is delayed by up to 15 ms, and each flow's
    /// timestamps are moved by `offset`.
    fn period(flows: u32, packets: u32, seed: u64, offset: fn(&mut Stream) -> u32) -> (f64, f64) {
        let mut random = Seed(seed).stream("host");
        let mut shared = SharedClock::default();
        for flow in 0..flows {
            let (mut clock, offset) = (Clock::default(), offset(&mut random));
            for packet in 0..packets {
                let sent = 1000.0 + 5.0 * f64::from(flow) + 0.02 * f64::from(packet);
                let at = Time::from_nanos(((sent + 0.015 * random.uniform()) * 1e9) as u64);
                let value = ((sent * 100.0) as u32).wrapping_add(offset);
                if packet == 0 {
                    shared.handshake(at, value);
                }
                clock.add(at, value);
            }
            shared.flow(&clock);
        }
        shared.period().unwrap_or_default()
    }

    fn worst(flows: u32, packets: u32, offset: fn(&mut Stream) -> u32) -> f64 {
        let errors =
            (0..50).map(|seed| (period(flows, packets, seed, offset).0 / 0.01 - 1.0).abs());
        errors.fold(0.0, f64::max)
    }

    #[test]
    fn many_flows_of_their_own_offsets_say_more_than_one() {
        let random: fn(&mut Stream) -> u32 = |random| random.below(1 << 32) as u32;
        let (one, many) = (worst(1, 100, random), worst(25, 100, random));
        assert!(one < 0.02 && many < 0.004 && many < one / 2.0, "{one} {many}");
    }

    #[test]
    fn one_offset_for_all_flows_makes_one_long_line() {
        // A minute of flows that would say nothing on their own.
        let worst = worst(12, 3, |_| 77);
        assert!(worst < 0.001, "{worst}");
    }

    #[test]
    fn short_flows_of_random_offsets_say_nothing() {
        for seed in 0..200 {
            let period = period(40, 3, seed, |random| random.below(1 << 32) as u32);
            assert_eq!(period, (0.0, 0.0), "{seed}");
        }
    }
}
