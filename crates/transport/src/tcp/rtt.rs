//! RTT and the retransmission timeout (RFC 6298).

use airpath_base::{Duration, Time};

use super::TcpConfig;

/// Samples are cut to this, so that the sums stay in range.
const LONGEST: Duration = Duration::from_secs(1 << 30);

/// Smoothed RTT, its variation, and the timeout with its backoff.
#[derive(Clone, Debug)]
pub(super) struct RttEstimator {
    srtt: Option<Duration>,
    variation: Duration,
    min: Option<Duration>,
    base: Duration,
    backoff: u32,
    floor: Duration,
    ceiling: Duration,
    granularity: Duration,
}

impl RttEstimator {
    pub fn new(config: &TcpConfig) -> RttEstimator {
        RttEstimator {
            srtt: None,
            variation: Duration::ZERO,
            min: None,
            base: config.initial_rto,
            backoff: 0,
            floor: config.min_rto,
            ceiling: config.max_rto,
            granularity: config.rtt_granularity,
        }
    }

    /// Takes a sample (RFC 6298, 2.2 and 2.3) and ends the backoff.
    pub fn sample(&mut self, rtt: Duration) {
        let rtt = rtt.min(LONGEST);
        self.min = Some(self.min.map_or(rtt, |min| min.min(rtt)));
        let srtt = match self.srtt {
            None => {
                self.variation = rtt / 2;
                rtt
            }
            Some(srtt) => {
                self.variation = (self.variation * 3 + srtt.abs_diff(rtt)) / 4;
                (srtt * 7 + rtt) / 8
            }
        };
        self.srtt = Some(srtt);
        let rto = srtt + self.granularity.max(self.variation * 4);
        self.base = rto.max(self.floor).min(self.ceiling);
        self.backoff = 0;
    }

    /// The SYN was lost: start data with at least 3 s (RFC 6298, 5.7).
    pub fn syn_was_lost(&mut self) {
        if self.srtt.is_none() {
            self.base = self.base.max(Duration::from_secs(3)).min(self.ceiling);
        }
    }

    /// Back to the timeout of the formula.
    pub fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// The timer ran out (RFC 6298, 5.5); how often in a row.
    pub fn back_off(&mut self) -> u32 {
        self.backoff += 1;
        self.backoff
    }

    /// The retransmission timeout with its backoff.
    pub fn rto(&self) -> Duration {
        self.backed_off(self.backoff)
    }

    /// The retransmission timeout doubled `times`.
    pub fn backed_off(&self, times: u32) -> Duration {
        doubled(self.base, times, self.ceiling)
    }

    pub fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    pub fn min(&self) -> Option<Duration> {
        self.min
    }
}

/// `span` doubled `times`, at most `ceiling`.
pub(super) fn doubled(span: Duration, times: u32, ceiling: Duration) -> Duration {
    let nanos = u128::from(span.as_nanos()) << times.min(60);
    let nanos = nanos.min(u128::from(ceiling.as_nanos())) as u64;
    Duration::from_nanos(nanos)
}

/// `now + span`, or the end of time.
pub(super) fn after(now: Time, span: Duration) -> Time {
    Time::from_nanos(now.as_nanos().saturating_add(span.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn estimator(floor: Duration) -> RttEstimator {
        RttEstimator::new(&TcpConfig { min_rto: floor, ..TcpConfig::default() })
    }

    #[test]
    fn the_formulas_of_rfc_6298() {
        let mut rtt = estimator(ms(1));
        assert_eq!(rtt.rto(), ms(1000));
        rtt.sample(ms(100)); // srtt 100, rttvar 50
        assert_eq!(rtt.rto(), ms(300));
        rtt.sample(ms(180)); // rttvar (3*50 + 80)/4 = 57.5, srtt (700 + 180)/8 = 110
        assert_eq!(rtt.srtt(), Some(ms(110)));
        assert_eq!(rtt.rto(), ms(340));
        assert_eq!(rtt.min(), Some(ms(100)));
    }

    #[test]
    fn a_granularity_of_200_ms_is_linux_floor() {
        // Linux, tcp_rto_min: at least 200 ms above the smoothed RTT, however steady it is.
        let granularity = TcpConfig { rtt_granularity: ms(200), ..TcpConfig::default() };
        let mut rtt = RttEstimator::new(&TcpConfig { min_rto: ms(200), ..granularity });
        (0..200).for_each(|_| rtt.sample(ms(210)));
        assert_eq!(rtt.rto(), ms(410));
    }

    #[test]
    fn backoff_doubles_up_to_the_ceiling_and_ends_with_a_sample() {
        let mut rtt = estimator(ms(1000));
        rtt.sample(ms(20));
        let timeouts: Vec<u64> = (0..7)
            .map(|_| {
                rtt.back_off();
                rtt.rto().as_millis() / 1000
            })
            .collect();
        assert_eq!(timeouts, [2, 4, 8, 16, 32, 60, 60]);
        rtt.sample(ms(20));
        assert_eq!(rtt.rto(), ms(1000));
    }

    #[test]
    fn absurd_samples_do_no_harm() {
        let mut rtt = estimator(ms(1000));
        for sample in [Duration::MAX, Duration::ZERO, Duration::MAX, Duration::MAX] {
            rtt.sample(sample);
        }
        assert_eq!(rtt.rto(), Duration::from_secs(60));
    }

    #[test]
    fn a_lost_syn_starts_data_with_three_seconds() {
        let mut rtt = estimator(ms(1000));
        rtt.syn_was_lost();
        assert_eq!(rtt.rto(), ms(3000));
    }
}
