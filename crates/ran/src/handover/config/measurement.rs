//! Configuration of measurements.

use airpath_base::Duration;

use super::{RangeError, require};

/// Quantity that a UE measures and compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Reference signal received power, dBm (TS 36.214, 5.1.1; TS 38.215, 5.1.1).
    Rsrp,
    /// Reference signal received quality, dB (TS 36.214, 5.1.3; TS 38.215, 5.1.3).
    Rsrq,
    /// Ratio of reference signals to interference and noise, dB (TS 36.214, 5.1.13; TS 38.215,
    /// 5.1.5).
    Sinr,
}

/// Measurements of a UE: samples of layer 1, and the filter of layer 3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasurementConfig {
    /// Quantity of all events and reports.
    pub quantity: Quantity,
    /// Time between samples of layer 1, above zero. Layer 1 averages those of one
    /// [period](MeasurementConfig::PERIOD), and at least one.
    pub sample_period: Duration,
    /// Standard deviation of the error of a measurement over one period, dB, 0 to 20. 0 turns the
    /// error off. [`deviation_of_bound`] gives it for an accuracy.
    pub error: f64,
    /// Filter coefficient k of layer 3, 0 to 19 (TS 36.331 and TS 38.331, 5.5.3.2). The standard
    /// has 0 to 9 and the odd numbers to 19; 0 turns the filter off.
    pub filter_coefficient: u8,
}

impl MeasurementConfig {
    /// Measurement period, to which an accuracy and the filter coefficient refer: 200 ms (TS
    /// 36.133, 8.1.2.2.1; TS 38.133, 9.2.5, at least, in FR1; TS 36.331, 5.5.3.2).
    pub const PERIOD: Duration = Duration::from_millis(200);

    /// RSRP by a sample each 40 ms, five in a period, with k of 4, the default of TS 36.331 and TS
    /// 38.331 (`FilterCoefficient`, 6.3.5 and 6.3.2).
    ///
    /// Error: 0.86 dB. Errors of two cells, which are independent, then differ by at most 2 dB in
    /// 90% of measurements, the relative accuracy (TS 36.133, 9.1.2.2). Events compare cells, and
    /// an error that all cells share moves only thresholds.
    pub const DEFAULT: MeasurementConfig = MeasurementConfig {
        quantity: Quantity::Rsrp,
        sample_period: Duration::from_millis(40),
        error: 0.86,
        filter_coefficient: 4,
    };

    /// Samples of one measurement period, at least one.
    pub fn samples(&self) -> usize {
        let period = self.sample_period.max(Duration::from_nanos(1));
        (MeasurementConfig::PERIOD / period).clamp(1, 200) as usize
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        let period = self.sample_period;
        let good = period >= Duration::from_millis(1) && period <= Duration::from_secs(10);
        require(good, "sample period", "1 ms to 10 s")?;
        require((0.0..=20.0).contains(&self.error), "measurement error", "0 to 20 dB")?;
        require(self.filter_coefficient <= 19, "filter coefficient", "0 to 19")
    }
}

/// Standard deviation, dB, of a Gaussian error whose absolute value is at most `bound` dB in 90% of
/// measurements: `bound` / 1.6449.
///
/// Accuracies of TS 36.133, 9.1.2, and TS 38.133, 10.1.2, are taken as such bounds: 6 dB is 3.65 dB.
/// A bound on the difference of two cells is a deviation of each by a further 1 / sqrt(2).
pub fn deviation_of_bound(bound: f64) -> f64 {
    // 95% of the standard normal distribution lie below.
    bound / 1.644_853_626_951_472_6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_of_accuracies() {
        // Tables of the normal distribution: 90% within 1.6449 deviations.
        assert!((deviation_of_bound(6.0) - 3.6477).abs() < 1e-4);
        let relative = deviation_of_bound(2.0) / 2f64.sqrt();
        assert!((relative - MeasurementConfig::DEFAULT.error).abs() < 1e-3, "{relative}");
    }

    #[test]
    fn samples_of_a_period() {
        let of = |millis| {
            let sample_period = Duration::from_millis(millis);
            MeasurementConfig { sample_period, ..MeasurementConfig::DEFAULT }.samples()
        };
        assert_eq!([40, 200, 150, 480, 0].map(of), [5, 1, 1, 1, 200]);
    }
}
