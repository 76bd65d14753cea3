//! Times of preparation and execution of a handover.

use airpath_base::{Duration, math};

use super::{RangeError, require};
use crate::handover::Draws;

/// Distribution of a delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Always the same.
    Fixed(Duration),
    /// Evenly distributed.
    Uniform {
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// Exponentially distributed.
    Exponential {
        /// Mean.
        mean: Duration,
    },
    /// Lognormally distributed.
    Lognormal {
        /// Median.
        median: Duration,
        /// Standard deviation of the natural logarithm, 0 to 3.
        sigma: f64,
    },
}

impl Delay {
    /// No delay.
    pub const ZERO: Delay = Delay::Fixed(Duration::ZERO);

    /// The delay at coordinates, such as UE and number of the handover.
    pub fn draw(&self, draws: Draws, coordinates: [u64; 3]) -> Duration {
        match *self {
            Delay::Fixed(delay) => delay,
            Delay::Uniform { min, max } => {
                min + max.saturating_sub(min).mul_f64(draws.uniform(coordinates))
            }
            Delay::Exponential { mean } => mean.mul_f64(draws.exponential(coordinates)),
            Delay::Lognormal { median, sigma } => {
                median.mul_f64(math::exp(sigma * draws.normal(coordinates)))
            }
        }
    }

    fn check(&self, name: &'static str) -> Result<(), RangeError> {
        let (span, sigma) = match *self {
            Delay::Fixed(span) | Delay::Exponential { mean: span } => (span, 0.0),
            Delay::Uniform { min, max } => (min.max(max), 0.0),
            Delay::Lognormal { median, sigma } => (median, sigma),
        };
        let good = span <= Duration::from_secs(60) && (0.0..=3.0).contains(&sigma);
        require(good, name, "0 to 60 s, with a deviation of 0 to 3")
    }
}

/// Times of a handover but for its random access.
///
/// Execution is [`rrc_processing`](ProcedureConfig::rrc_processing), then
/// [`synchronisation`](ProcedureConfig::synchronisation), then the random access with its wait T_IU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcedureConfig {
    /// From the reception of a measurement report to the transmission of the command.
    pub preparation: Delay,
    /// Processing of the command by the UE, from its reception (TS 36.331, 11.2: at most 15 ms; TS
    /// 38.331, 12: at most 10 ms).
    pub rrc_processing: Duration,
    /// T_interrupt without T_IU, from the processed command to the begin of the random access. For a known cell:
    ///
    /// - LTE: at most 20 ms (TS 36.133, 5.1.2.1.2).
    /// - NR with an SMTC of 20 ms: at most 20 ms of processing, 20 ms of tracking and 2 ms of margin (TS 38.133,
    ///   6.1.1.2.2).
    ///
    /// The search of an unknown cell adds at most 80 ms in LTE, and three periods of the SMTC in NR.
    pub synchronisation: Duration,
    /// From the completion at the target cell to the switched path of the core network. No
    /// specification has its length.
    pub path_switch: Delay,
    /// T304, from the reception of the command to the failure of the handover, above zero (TS
    /// 36.331, 5.3.5.6; TS 38.331, 5.3.5.8.3). TS 36.331 has 50 ms to 10 s.
    pub t304: Duration,
}

impl ProcedureConfig {
    /// A known LTE cell on the carrier of the serving cell.
    ///
    /// - Preparation: 4 ms of processing in each base station (TR 36.912, B.1.1.1), and 5 ms of transport each way, a
    ///   choice of this model.
    /// - Decision: the UE needs no search and no processing. Reason: it measures the target on a
    ///   carrier to which it is tuned. Price: a slower UE needs a `synchronisation`.
    /// - T304 is 1 s (TS 36.508, `MobilityControlInfo-HO`).
    pub const LTE: ProcedureConfig = ProcedureConfig {
        preparation: Delay::Fixed(Duration::from_millis(18)),
        rrc_processing: Duration::from_millis(15),
        synchronisation: Duration::ZERO,
        path_switch: Delay::ZERO,
        t304: Duration::from_secs(1),
    };

    /// A known NR cell on the carrier of the serving cell: terms as in [`ProcedureConfig::LTE`],
    /// with the processing of TS 38.331, 12.
    pub const NR: ProcedureConfig =
        ProcedureConfig { rrc_processing: Duration::from_millis(10), ..ProcedureConfig::LTE };

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        let most = Duration::from_secs(60);
        self.preparation.check("preparation")?;
        self.path_switch.check("path switch")?;
        require(self.rrc_processing <= most, "RRC processing", "0 to 60 s")?;
        require(self.synchronisation <= most, "synchronisation", "0 to 60 s")?;
        require(!self.t304.is_zero() && self.t304 <= most, "T304", "above 0, to 60 s")
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Quantiles at 25, 50 and 95% and the mean of 20 000 draws, ms.
    fn quantiles(delay: Delay) -> [f64; 4] {
        let draws = Draws::new(Seed(9), "preparation");
        let mut all: Vec<f64> =
            (0..20_000).map(|n| delay.draw(draws, [n, 1, 2]).as_millis_f64()).collect();
        all.sort_by(f64::total_cmp);
        [all[5_000], all[10_000], all[19_000], all.iter().sum::<f64>() / 2e4]
    }

    fn near(found: [f64; 4], expected: [f64; 4]) {
        for (found, expected) in found.into_iter().zip(expected) {
            // At least three deviations of each of them.
            assert!((found - expected).abs() < 0.05 * expected, "{found} {expected}");
        }
    }

    #[test]
    fn distributions_by_closed_forms() {
        near(quantiles(Delay::Fixed(ms(30))), [30.0; 4]);
        near(quantiles(Delay::Uniform { min: ms(20), max: ms(60) }), [30.0, 40.0, 58.0, 40.0]);
        // -ln(1 - p) means.
        near(quantiles(Delay::Exponential { mean: ms(40) }), [11.51, 27.73, 119.83, 40.0]);
        // 100 exp(0.5 z) with z of -0.6745, 0 and 1.6449, and a mean of 100 exp(0.125).
        let lognormal = Delay::Lognormal { median: ms(100), sigma: 0.5 };
        near(quantiles(lognormal), [71.37, 100.0, 227.6, 113.3]);
    }
}
