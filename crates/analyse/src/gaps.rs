//! Silences of one direction of a flow over UDP: how many, how long, and when.
//!
//! Acknowledgements of TCP show the reason of a silence. Other protocols have none, so their
//! silences are reported without a reason.

use airpath_base::{Duration, Time};
use serde::Serialize;

/// Least length of a gap.
const THRESHOLD: Duration = Duration::from_millis(100);
/// Gaps that are listed.
const MOST_LISTED: usize = 64;

/// Silences of a direction of at least [`Gaps::THRESHOLD_S`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gaps {
    /// Number of gaps.
    pub count: u64,
    /// All of them together.
    pub silent_s: f64,
    /// Time of all gaps as a share of the time from the direction's first packet to its last.
    pub silent_share: f64,
    /// The longest time between two packets, however short.
    pub longest_s: f64,
    /// Payload over the direction's time without silences.
    pub active_bps: Option<f64>,
    /// The first 64: when each began, since the flow's first packet, and how long it lasted.
    pub listed: Vec<Gap>,
}

/// A silence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Its beginning, since the flow's first packet.
    pub start_s: f64,
    /// Its length.
    pub length_s: f64,
}

impl Gaps {
    /// Least length of a silence in seconds.
    pub const THRESHOLD_S: f64 = 0.1;
}

/// Silences so far.
#[derive(Debug, Default)]
pub(crate) struct Silences {
    span: Option<(Time, Time)>,
    count: u64,
    silent: Duration,
    longest: Duration,
    listed: Vec<(Time, Duration)>,
}

impl Silences {
    /// A packet.
    pub(crate) fn packet(&mut self, at: Time) {
        let (_, last) = self.span.get_or_insert((at, at));
        let silent = at.saturating_since(*last);
        let before = std::mem::replace(last, at.max(*last));
        self.longest = self.longest.max(silent);
        if silent < THRESHOLD {
            return;
        }
        self.count += 1;
        self.silent =
            Duration::from_nanos(self.silent.as_nanos().saturating_add(silent.as_nanos()));
        if self.listed.len() < MOST_LISTED {
            self.listed.push((before, silent));
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.listed.capacity() * size_of::<(Time, Duration)>()
    }

    /// Report on the gaps of a flow that began at `start`, with the direction's bytes of payload;
    /// none without packets.
    pub(crate) fn report(&self, start: Time, payload: u64) -> Option<Gaps> {
        let (first, last) = self.span?;
        let (silent_s, all) = (self.silent.as_secs_f64(), last.saturating_since(first));
        let gap = |(at, length): &(Time, Duration)| Gap {
            start_s: at.saturating_since(start).as_secs_f64(),
            length_s: length.as_secs_f64(),
        };
        let active = all.as_secs_f64() - silent_s;
        Some(Gaps {
            count: self.count,
            silent_s,
            silent_share: if self.count > 0 { silent_s / all.as_secs_f64() } else { 0.0 },
            longest_s: self.longest.as_secs_f64(),
            active_bps: (active > 0.0).then(|| 8.0 * payload as f64 / active),
            listed: self.listed.iter().map(gap).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silences_are_counted_summed_and_listed() {
        let mut silences = Silences::default();
        // 0, 50, 100 ms; 300 ms; 350 ms; 850 ms.
        for at in [0, 50, 100, 300, 350, 850] {
            silences.packet(Time::from_millis(1000 + at));
        }
        let gaps = silences.report(Time::from_millis(900), 3000).unwrap();
        let listed: Vec<_> = gaps.listed.iter().map(|gap| (gap.start_s, gap.length_s)).collect();
        assert_eq!(listed, [(0.2, 0.2), (0.45, 0.5)]);
        assert_eq!((gaps.count, gaps.silent_s, gaps.longest_s), (2, 0.7, 0.5));
        assert!((gaps.silent_share - 0.7 / 0.85).abs() < 1e-9);
        // 24 000 bits in 0.15 s.
        assert!(gaps.active_bps.is_some_and(|bps| (bps - 160_000.0).abs() < 1e-3));
        assert_eq!(THRESHOLD.as_secs_f64(), Gaps::THRESHOLD_S);
    }

    #[test]
    fn a_packet_that_is_early_begins_no_silence() {
        let mut silences = Silences::default();
        for at in [500, 0, 510] {
            silences.packet(Time::from_millis(at));
        }
        assert_eq!(silences.report(Time::ZERO, 0).map(|gaps| gaps.count), Some(0));
        (0..100).for_each(|n| silences.packet(Time::from_millis(1000 * (n + 1))));
        assert_eq!(silences.report(Time::ZERO, 0).map(|gaps| gaps.listed.len()), Some(64));
    }
}
