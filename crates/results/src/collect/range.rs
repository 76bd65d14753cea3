//! Time that a UE is out of range of its cell in a direction: its CQI is 0 (TS 36.213, 7.2.3;
//! TS 38.214, 5.2.2.1).

use airpath_base::{Duration, Time};

/// Counters of a UE in a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RangeCounts {
    /// Beginning of its time out of range, if it is out of range.
    since: Option<Time>,
    /// Time out of range before that.
    before: Duration,
    /// The lowest SINR in dB by which it went out of range.
    lowest_db: Option<f32>,
}

impl RangeCounts {
    /// Of a UE that is out of range from `since` on with this SINR in dB, if there is one.
    pub(super) fn new(since: Time, sinr_db: Option<f32>) -> RangeCounts {
        let since = sinr_db.map(|_| since);
        RangeCounts { since, before: Duration::ZERO, lowest_db: sinr_db }
    }

    pub(super) fn change(&mut self, now: Time, in_range: bool, sinr_db: f32) {
        if in_range {
            let since = self.since.take();
            self.before += since.map_or(Duration::ZERO, |since| now.saturating_since(since));
        } else {
            self.since.get_or_insert(now);
            let lowest = self.lowest_db.map_or(sinr_db, |lowest| lowest.min(sinr_db));
            self.lowest_db = Some(lowest);
        }
    }

    /// Statistics begin at `at`.
    pub(super) fn begin(&mut self, at: Time) {
        self.before = Duration::ZERO;
        self.since = self.since.map(|since| since.max(at));
        if self.since.is_none() {
            self.lowest_db = None;
        }
    }

    /// Time out of range until `end`, and the lowest SINR in dB by which it was so; none if it was
    /// always in range.
    pub fn by(&self, end: Time) -> Option<(Duration, f32)> {
        let last = self.since.map_or(Duration::ZERO, |since| end.saturating_since(since));
        let all = self.before + last;
        self.lowest_db.filter(|_| !all.is_zero()).map(|lowest| (all, lowest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_out_of_range_adds_up() {
        let at = Time::from_millis;
        let mut counts = RangeCounts::new(at(0), None);
        assert_eq!(counts.by(at(100)), None);
        counts.change(at(10), false, -9.0);
        counts.change(at(30), true, 3.0);
        counts.change(at(40), false, -8.0);
        assert_eq!(counts.by(at(45)), Some((Duration::from_millis(25), -9.0)));
        // A warm-up that ends at 42 ms leaves 3 ms.
        counts.begin(at(42));
        assert_eq!(counts.by(at(45)), Some((Duration::from_millis(3), -9.0)));
        let always = RangeCounts::new(at(5), Some(-15.0));
        assert_eq!(always.by(at(100)), Some((Duration::from_millis(95), -15.0)));
    }
}
