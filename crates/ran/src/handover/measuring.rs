//! Measurements of a UE: samples of layer 1 with an error, and their filter.
//!
//! - A sample has the quantity of each cell and the error, Gaussian in dB. Errors are independent
//!   between UEs, cells and samples.
//! - Layer 1 averages the samples of the last 200 ms, and layer 3 filters this mean after each
//!   sample. Layer 1 is up to the UE (TS 36.300, 10.6; TS 38.300, 9.2.4).
//! - Decision: the mean is one of decibels. Reason: the samples have no fast fading, and an error in
//!   decibels stays without bias. Price: a mean of powers would be higher by a fraction of a dB.
//!
//! Left out: identification of cells, which takes time, and its limit by their SINR.

use airpath_base::random::Seed;
use airpath_base::{Dbm, Duration, Time, UeId, math};

use super::{Draws, Filter, MeasurementConfig, Quantity};

/// Bounds of a measured value, dBm or dB: no value leaves the range of a filter.
const LEAST: f64 = -200.0;
const MOST: f64 = 200.0;
/// Resource elements of a resource block in a symbol.
const ELEMENTS: f64 = 12.0;

/// Powers at a UE at one time.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// RSRP of each cell, dBm, without fast fading.
    pub rsrp: &'a [f64],
    /// Noise in a resource element, and interference of other sources, dBm.
    pub noise: f64,
}

impl Sample<'_> {
    /// Power of a cell in a resource element, mW.
    fn received(&self, cell: usize) -> f64 {
        Dbm(self.rsrp[cell]).milliwatts()
    }

    /// Quantity of a cell without error, dBm or dB. `total` is the power of all cells and of noise in
    /// a resource element, mW.
    fn value(&self, quantity: Quantity, cell: usize, total: f64) -> f64 {
        let db = |ratio: f64| 10.0 * math::log10(ratio);
        match quantity {
            Quantity::Rsrp => self.rsrp[cell],
            // N RSRP over the RSSI of N resource blocks.
            Quantity::Rsrq => self.rsrp[cell] - db(ELEMENTS * total),
            Quantity::Sinr => {
                let noise = Dbm(self.noise).milliwatts();
                self.rsrp[cell] - db((total - self.received(cell)).max(noise))
            }
        }
    }

    /// Power of all cells and of noise in a resource element, mW; 0 for RSRP, which takes none.
    fn total(&self, quantity: Quantity) -> f64 {
        if quantity == Quantity::Rsrp {
            return 0.0;
        }
        let cells: f64 = (0..self.rsrp.len()).map(|cell| self.received(cell)).sum();
        cells + Dbm(self.noise).milliwatts()
    }
}

/// Measurements of one UE.
#[derive(Clone, Debug)]
pub struct Measuring {
    config: MeasurementConfig,
    ue: u64,
    cells: usize,
    /// Number of its first cell in the network, by which errors are drawn.
    first: usize,
    /// Samples of a measurement, and the time between them.
    samples: usize,
    period: Duration,
    /// Added to the number of a sample, by which errors are drawn.
    mark: u64,
    errors: Draws,
    /// Deviation of the error of one sample, dB.
    deviation: f64,
    filter: Filter,
    /// Samples of the last period, one after another, each with all cells.
    window: Vec<f64>,
    /// Number of samples since the begin.
    count: usize,
    /// Number of samples before the begin of the measurement of neighbours, and the cell that was measured before.
    restart: (usize, Option<usize>),
    filtered: Vec<f64>,
    next: Time,
}

impl Measuring {
    /// Measurements of a UE in a network of so many cells.
    ///
    /// UEs sample at different phases of the period. Phases and errors are pure functions of the
    /// seed, of the UE's number, of the cell and of the sample.
    pub fn new(config: &MeasurementConfig, ue: UeId, cells: usize, seed: Seed) -> Measuring {
        let mut config = *config;
        config.sample_period = config.sample_period.max(Duration::from_nanos(1));
        let (samples, ue) = (config.samples(), u64::from(ue.0));
        let phase = seed.keyed("measurement phase").uniform([ue, 0, 0]);
        Measuring {
            ue,
            cells,
            first: 0,
            samples,
            period: config.sample_period,
            mark: 0,
            errors: Draws::new(seed, "measurement error"),
            // Independent errors of n samples: their mean has the deviation of a measurement.
            deviation: config.error * (samples as f64).sqrt(),
            filter: Filter::new(config.filter_coefficient, config.sample_period),
            window: vec![0.0; samples * cells],
            count: 0,
            restart: (0, None),
            filtered: Vec::with_capacity(cells),
            next: Time::ZERO + config.sample_period.mul_f64(phase),
            config,
        }
    }

    /// Of the cells from this number on.
    pub(crate) fn numbered_from(self, first: usize) -> Measuring {
        Measuring { first, ..self }
    }

    /// Samples come in another rhythm from now on, which the caller has: a measurement has so many, a period apart. It
    /// begins anew. `None`: samples are those of the configuration again.
    pub(super) fn retune(&mut self, now: Time, rhythm: Option<(usize, Duration)>) {
        let own = (self.config.samples(), self.config.sample_period);
        (self.samples, self.period) = rhythm.unwrap_or(own);
        self.mark = if rhythm.is_some() { 1 << 63 } else { 0 };
        self.deviation = self.config.error * (self.samples as f64).sqrt();
        self.filter = Filter::new(self.config.filter_coefficient, self.period);
        self.window = vec![0.0; self.samples * self.cells];
        (self.count, self.restart) = (0, (0, Some(usize::MAX)));
        if self.next <= now {
            let late = now.since(self.next) / self.config.sample_period;
            self.next += self.config.sample_period * (late + 1);
        }
    }

    /// Time of the next sample.
    pub fn next_due(&self) -> Time {
        self.next
    }

    /// Filtered values by cell, dBm or dB; none before the first measurement, which takes a period.
    pub fn values(&self) -> &[f64] {
        &self.filtered
    }

    /// A measurement of all cells but one begins: it has its first values after a period, without those of before.
    pub fn restart(&mut self, but: usize) {
        self.restart = (self.count, Some(but));
    }

    /// True if the measurement of neighbours has values since its begin.
    pub fn is_complete(&self) -> bool {
        self.count >= self.restart.0 + self.samples
    }

    /// A sample is taken. Gives the filtered [values](Measuring::values). Cells beyond those of the
    /// sample have the least value.
    pub fn sample(&mut self, now: Time, sample: &Sample<'_>) -> &[f64] {
        let period = self.period;
        let number = (now.as_nanos() / period.as_nanos()) | self.mark;
        let (samples, cells) = (self.samples, self.cells);
        let row = self.count % samples;
        self.count += 1;
        let total = sample.total(self.config.quantity);
        let first = self.count == self.restart.0 + samples;
        for cell in 0..cells {
            let known = cell < sample.rsrp.len();
            let exact = if known { sample.value(self.config.quantity, cell, total) } else { LEAST };
            let measured = exact + self.error(cell, number);
            let measured = if measured.is_nan() { LEAST } else { measured };
            self.window[row * cells + cell] = measured.clamp(LEAST, MOST);
            if self.count < samples {
                continue;
            }
            let sum: f64 = (0..samples).map(|row| self.window[row * cells + cell]).sum();
            let anew = first && self.restart.1.is_some_and(|but| but != cell);
            let before = self.filtered.get(cell).copied().filter(|_| !anew);
            let value = self.filter.update(before, sum / samples as f64);
            match self.filtered.get_mut(cell) {
                Some(filtered) => *filtered = value,
                None => self.filtered.push(value),
            }
        }
        let late = now.saturating_since(self.next) / period;
        self.next += period * (late + 1);
        &self.filtered
    }

    /// Error of a sample of a cell, dB.
    fn error(&self, cell: usize, number: u64) -> f64 {
        if self.deviation == 0.0 {
            return 0.0;
        }
        self.deviation * self.errors.normal([self.ue, (self.first + cell) as u64, number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: MeasurementConfig = MeasurementConfig {
        sample_period: Duration::from_millis(200),
        error: 0.0,
        filter_coefficient: 0,
        ..MeasurementConfig::DEFAULT
    };

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    /// Values of one sample of two cells at -80 and -90 dBm, with noise at -100 dBm.
    fn values(quantity: Quantity) -> Vec<f64> {
        let config = MeasurementConfig { quantity, ..EXACT };
        let sample = Sample { rsrp: &[-80.0, -90.0], noise: -100.0 };
        Measuring::new(&config, UeId(1), 2, Seed(1)).sample(Time::ZERO, &sample).to_vec()
    }

    #[test]
    fn quantities_by_hand() {
        assert_eq!(values(Quantity::Rsrp), [-80.0, -90.0]);
        // In units of the noise: 100, 10 and 1. RSRQ: 100 / (12 * 111) and 10 / (12 * 111).
        let rsrq = values(Quantity::Rsrq);
        near(rsrq[0], -11.245_042_248);
        near(rsrq[1], -21.245_042_248);
        // SINR: 100 / 11 and 10 / 101.
        let sinr = values(Quantity::Sinr);
        near(sinr[0], 9.586_073_148);
        near(sinr[1], -10.043_213_738);
    }

    #[test]
    fn rsrq_of_an_isolated_cell() {
        // 1 of 12 elements: -10.79 dB.
        let sample = Sample { rsrp: &[-70.0], noise: -190.0 };
        let config = MeasurementConfig { quantity: Quantity::Rsrq, ..EXACT };
        let mut measuring = Measuring::new(&config, UeId(0), 1, Seed(1));
        let found = measuring.sample(Time::ZERO, &sample)[0];
        assert!((found + 10.791_8).abs() < 1e-4, "{found}");
    }

    /// Filtered RSRP of a cell at -90 dBm after one period, for 4000 UEs.
    fn errors(sample_period: Duration) -> Vec<f64> {
        let config = MeasurementConfig { sample_period, error: 1.5, ..EXACT };
        let sample = Sample { rsrp: &[-90.0], noise: -120.0 };
        let error = |ue| {
            let mut measuring = Measuring::new(&config, UeId(ue), 1, Seed(4));
            for _ in 0..config.samples() {
                measuring.sample(measuring.next_due(), &sample);
            }
            measuring.values()[0] + 90.0
        };
        (0..4_000).map(error).collect()
    }

    #[test]
    fn error_of_a_measurement_has_its_deviation_for_any_period() {
        // The error of a variance of 2.25 by 4000 draws is 0.05, that of the mean 0.024.
        for millis in [40, 100, 200] {
            let all = errors(Duration::from_millis(millis));
            let mean = all.iter().sum::<f64>() / 4e3;
            let variance = all.iter().map(|x| x * x).sum::<f64>() / 4e3;
            assert!(mean.abs() < 0.1 && (variance - 2.25).abs() < 0.2, "{mean} {variance}");
        }
    }

    #[test]
    fn errors_do_not_depend_on_other_cells_and_samples() {
        let config = MeasurementConfig { error: 0.86, ..EXACT };
        let value = |cells: usize, skipped: u64| {
            let mut measuring = Measuring::new(&config, UeId(3), cells, Seed(8));
            let rsrp = vec![-90.0; cells];
            let sample = Sample { rsrp: &rsrp, noise: -120.0 };
            let at = measuring.next_due() + Duration::from_millis(200) * skipped;
            measuring.sample(at, &sample)[0]
        };
        assert_eq!(value(1, 5).to_bits(), value(9, 5).to_bits());
        assert_ne!(value(1, 5).to_bits(), value(1, 6).to_bits());
    }

    #[test]
    fn the_first_measurement_takes_a_period() {
        // Samples of -90, -91 to -94 dBm have a mean of -92 dBm. Then -91 to -95 with -93 dBm.
        let config = MeasurementConfig { error: 0.0, ..MeasurementConfig::DEFAULT };
        let mut measuring = Measuring::new(&config, UeId(2), 1, Seed(1));
        let mut level = -90.0;
        let mut next = || {
            let sample = Sample { rsrp: &[level], noise: -120.0 };
            level -= 1.0;
            measuring.sample(measuring.next_due(), &sample).first().copied()
        };
        let values: Vec<Option<f64>> = (0..6).map(|_| next()).collect();
        assert_eq!(values[..5], [None, None, None, None, Some(-92.0)]);
        // The share of k = 4 for 40 ms: 1 - 0.5^0.2 = 0.129 449.
        near(values[5].unwrap(), -92.129_449_4);
    }

    #[test]
    fn a_measurement_that_begins_again_has_no_values_of_before() {
        let config = MeasurementConfig { error: 0.0, ..MeasurementConfig::DEFAULT };
        let mut measuring = Measuring::new(&config, UeId(2), 2, Seed(1));
        let sample = |measuring: &mut Measuring, level: f64| {
            let sample = Sample { rsrp: &[level; 2], noise: -120.0 };
            measuring.sample(measuring.next_due(), &sample).to_vec()
        };
        (0..5).for_each(|_| drop(sample(&mut measuring, -90.0)));
        assert!(measuring.is_complete());
        measuring.restart(0);
        for _ in 0..4 {
            sample(&mut measuring, -100.0);
            assert!(!measuring.is_complete());
        }
        // The neighbour has the mean of five samples. Cell 0 is filtered on: means of -92 to -100 dBm, of which each adds
        // a share of 0.129 449.
        let values = sample(&mut measuring, -100.0);
        assert!(measuring.is_complete());
        near(values[1], -100.0);
        near(values[0], -93.274_976_0);
    }

    #[test]
    fn values_without_power_stay_finite() {
        for quantity in [Quantity::Rsrp, Quantity::Rsrq, Quantity::Sinr] {
            let config = MeasurementConfig { quantity, error: 0.86, ..EXACT };
            let mut measuring = Measuring::new(&config, UeId(0), 3, Seed(1));
            let nothing = [f64::NEG_INFINITY, f64::NAN];
            let sample = Sample { rsrp: &nothing, noise: f64::NEG_INFINITY };
            let values = measuring.sample(Time::ZERO, &sample);
            assert!(values.len() == 3 && values.iter().all(|v| v.is_finite()), "{values:?}");
        }
    }
}
