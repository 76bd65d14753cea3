//! Times at which packets may leave.

use airpath_base::{Duration, Time};

/// Spreads packets by a rate.
#[derive(Debug)]
pub(super) struct Pacer {
    /// Packets leave at multiples of this time; zero for packets one by one.
    burst: Duration,
    /// Time at which all that was sent has passed at the rate.
    passed: Time,
}

impl Pacer {
    pub fn new(burst: Duration) -> Pacer {
        Pacer { burst, passed: Time::ZERO }
    }

    /// Time from which on the next packet may leave.
    pub fn due(&self) -> Time {
        let (at, burst) = (self.passed.as_nanos(), self.burst.as_nanos());
        Time::from_nanos(at - at.checked_rem(burst).unwrap_or(0))
    }

    /// A packet of so many bytes leaves, at a rate in bit/s.
    pub fn sent(&mut self, now: Time, bytes: u32, rate: f64) {
        let span = Duration::from_secs_f64(8.0 * f64::from(bytes) / rate);
        self.passed = self.passed.max(now).saturating_add(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times in ms at which 12 packets of 1250 bytes leave at 4 Mbit/s, thus one in 2.5 ms.
    fn times(burst: u64) -> Vec<f64> {
        let mut pacer = Pacer::new(Duration::from_millis(burst));
        let mut now = Time::from_millis(20);
        let send = |_| {
            now = now.max(pacer.due());
            pacer.sent(now, 1250, 4e6);
            now.as_nanos() as f64 / 1e6
        };
        (0..12).map(send).collect()
    }

    #[test]
    fn packets_leave_one_by_one_or_in_bursts() {
        assert_eq!(times(0)[..4], [20.0, 22.5, 25.0, 27.5]);
        assert_eq!(times(5)[..6], [20.0, 20.0, 25.0, 25.0, 30.0, 30.0]);
    }
}
