//! A sender's retransmission timer as a monitor can follow it (RFC 6298).

/// Least retransmission timeout of the most common senders (Linux, TCP_RTO_MIN), in
/// nanoseconds; RFC 6298, 2.4, would have 1 s.
const LEAST: f64 = 200e6;

/// Smoothed RTT, its variation, and the timeout from them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rto {
    srtt: f64,
    variation: f64,
    known: bool,
}

impl Rto {
    /// An RTT was measured, in nanoseconds.
    #[inline]
    pub fn sample(&mut self, rtt: u64) {
        let rtt = rtt as f64;
        if self.known {
            // RFC 6298, 2.3: beta = 1/4, alpha = 1/8.
            self.variation += ((self.srtt - rtt).abs() - self.variation) / 4.0;
            self.srtt += (rtt - self.srtt) / 8.0;
        } else {
            (self.srtt, self.variation, self.known) = (rtt, rtt / 2.0, true); // 2.2
        }
    }

    /// The timeout in nanoseconds, once there was a sample. The variation's part is at
    /// least the least timeout, as Linux has it, which keeps a steady RTT from a timeout
    /// just above itself.
    pub fn timeout(&self) -> Option<f64> {
        self.known.then(|| self.srtt + (4.0 * self.variation).max(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_of_the_rfc() {
        let mut rto = Rto::default();
        assert_eq!(rto.timeout(), None);
        rto.sample(400_000_000);
        // SRTT 400 ms, RTTVAR 200 ms: 400 + 4 * 200.
        assert_eq!(rto.timeout(), Some(1_200e6));
        rto.sample(480_000_000);
        // RTTVAR = 3/4 * 200 + 1/4 * 80 = 170; SRTT = 7/8 * 400 + 1/8 * 480 = 410.
        assert_eq!(rto.timeout(), Some(410e6 + 4.0 * 170e6));
    }

    #[test]
    fn a_steady_rtt_leaves_the_least_timeout() {
        let mut rto = Rto::default();
        (0..200).for_each(|_| rto.sample(50_000_000));
        assert!((rto.timeout().unwrap() - 250e6).abs() < 1.0);
    }
}
