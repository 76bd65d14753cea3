//! Round trips of a direction over time: data under way, rate and delays, as a picture shows them.

use airpath_base::Time;

use super::evidence::known::path::Path;
use super::stretch::Stretch;

/// Round trips that are kept of a direction.
const MOST: usize = 100_000;

/// Round trip of a direction's data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    /// Seconds since the flow's first packet, as an [`Interval`](super::Interval) has them.
    pub from_s: f64,
    /// Its end, in the same way.
    pub to_s: f64,
    /// Most bytes under way.
    pub flight_bytes: u32,
    /// Bytes that were acknowledged, over the time, in bit/s.
    pub rate_bps: f64,
    /// Delay above the path's least, both ways together, in ms.
    pub queue_ms: f64,
    /// Parts of it on the way of the data and on the way back, if the ends' clocks tell.
    pub ways_ms: Option<[f64; 2]>,
}

/// Round trips that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds(Vec<(Time, Round)>);

impl Rounds {
    /// Adds a stretch, if it is a round trip. Its times are known at the end.
    pub(crate) fn add(&mut self, stretch: &Stretch, path: &Path) {
        if !stretch.is_round() || stretch.nanos() == 0 || self.0.len() >= MOST {
            return;
        }
        let ms = |micros: u32| f64::from(micros) / 1e3;
        let ways = path.queued(stretch).map(|queued| [queued.forth(), queued.back].map(ms));
        self.0.push((
            stretch.from,
            Round {
                from_s: 0.0,
                to_s: stretch.nanos() as f64 / 1e9,
                flight_bytes: stretch.flight,
                rate_bps: 8e9 * stretch.rate(),
                queue_ms: ms(path.level(stretch)),
                ways_ms: ways,
            },
        ));
    }

    /// All of them, with times since `start`.
    pub(crate) fn since(&self, start: Time) -> Vec<Round> {
        let round = |(from, round): &(Time, Round)| {
            let from_s = from.saturating_since(start).as_secs_f64();
            Round { from_s, to_s: from_s + round.to_s, ..*round }
        };
        self.0.iter().map(round).collect()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.0.capacity() * size_of::<(Time, Round)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::stretch::Range;

    #[test]
    fn a_round_trip_has_its_flight_rate_and_queue() {
        let mut path = Path::new(0);
        let near = |ms: u32| Range { least: 1000 * ms, most: 1000 * ms };
        let [from, to] = [1_100, 1_200].map(Time::from_millis);
        let quiet = Stretch { near: near(40), ..Stretch::default() };
        let (flight, delivered) = (30_000, 25_000);
        let full = Stretch { from, to, near: near(100), flight, delivered, ..Stretch::default() };
        path.meet(&quiet);
        let mut rounds = Rounds::default();
        rounds.add(&quiet, &path);
        rounds.add(&full, &path);
        let [round] = rounds.since(Time::from_millis(1_000)).try_into().expect("one round trip");
        assert_eq!((round.flight_bytes, round.queue_ms, round.ways_ms), (30_000, 60.0, None));
        // 25 kB in 0.1 s.
        assert!((round.rate_bps - 2e6).abs() < 1e-3 && (round.from_s - 0.1).abs() < 1e-9);
        assert!((round.to_s - 0.2).abs() < 1e-9);
    }
}
