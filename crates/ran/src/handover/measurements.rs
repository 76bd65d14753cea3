//! Measurements of a UE on several carriers.
//!
//! - The carrier of the serving cell is measured as [`Measuring`] does.
//! - Other carriers have a sample at the end of each gap, one carrier after the other. A measurement of one of n carriers
//!   takes n times as long as that of one (TS 36.133, 8.1.2.3.1; TS 38.133, 9.3.5). The share of the filter of layer 3
//!   keeps its time characteristics.
//! - A sample of the serving carrier that falls into a gap is taken at its end.
//! - With another carrier of the serving cell the measurements of both carriers begin anew.
//!
//! Decision: a UE samples other carriers at these times whether it has gaps or not. Reason: a UE without a cell has the
//! values by which it selects one. Price: work for values that no event counts.

use std::ops::Range;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time, UeId};

use super::{Gaps, HandoverConfig, MeasurementConfig, Measuring, Sample};

/// Measurements of one UE on all carriers.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// By carrier.
    carriers: Vec<Measuring>,
    /// Cells of each carrier.
    cells: Vec<Range<usize>>,
    /// Filtered values of all cells; unused with one carrier.
    values: Vec<f64>,
    /// Carrier of the serving cell.
    serving: usize,
    gaps: Gaps,
    /// End of the gap whose sample is next.
    next_gap: Time,
    /// Number of samples of other carriers so far.
    turn: usize,
    /// Samples of a measurement of other carriers, and the time between samples of any.
    rhythm: (usize, Duration),
    /// True while the UE has gaps.
    has_gaps: bool,
}

/// Carriers that have a sample now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// True for the carrier of the serving cell.
    pub own: bool,
    /// Another carrier.
    pub other: Option<usize>,
}

impl Measurements {
    /// Measurements of a UE whose carriers have these cells, and whose serving cell is on the carrier of this number.
    pub fn new(
        config: &HandoverConfig,
        (ue, seed): (UeId, Seed),
        cells: &[Range<usize>],
        serving: usize,
    ) -> Measurements {
        let of = |own: &Range<usize>| {
            Measuring::new(&config.measurement, ue, own.len(), seed).numbered_from(own.start)
        };
        let others = &config.other_carriers;
        let gaps = Gaps::new(others.pattern, ue, seed);
        let samples = others.measurement / others.pattern.period;
        let mut all = Measurements {
            carriers: cells.iter().map(of).collect(),
            cells: cells.to_vec(),
            values: Vec::new(),
            serving: usize::MAX,
            gaps,
            next_gap: if cells.len() > 1 { gaps.next_end(Time::ZERO) } else { Time::MAX },
            turn: 0,
            rhythm: (samples.max(1) as usize, others.pattern.period),
            has_gaps: false,
        };
        if cells.len() > 1 {
            all.values = vec![f64::NEG_INFINITY; cells.iter().map(ExactSizeIterator::len).sum()];
            (0..cells.len()).for_each(|n| all.retune(Time::ZERO, n, n != serving));
        }
        all.serving = serving;
        all
    }

    /// A carrier has samples in gaps from now on, or those of a serving carrier.
    fn retune(&mut self, now: Time, carrier: usize, in_gaps: bool) {
        let (samples, period) = self.rhythm;
        let others = self.carriers.len() as u64 - 1;
        let rhythm = in_gaps.then_some((samples, period * others));
        self.carriers[carrier].retune(now, rhythm);
    }

    /// The serving cell is on the carrier of this number from now on.
    pub fn serve(&mut self, now: Time, carrier: usize) {
        if carrier != self.serving {
            self.retune(now, self.serving, true);
            self.retune(now, carrier, false);
            self.serving = carrier;
        }
    }

    /// Carrier of the serving cell.
    pub fn serving(&self) -> usize {
        self.serving
    }

    /// True if a cell is on the carrier of the serving cell.
    pub fn is_own(&self, cell: usize) -> bool {
        self.cells[self.serving].contains(&cell)
    }

    /// Gaps begin or end.
    pub fn set_gaps(&mut self, has_gaps: bool) {
        self.has_gaps = has_gaps;
    }

    /// Gaps of the UE, whether it has them now or not.
    pub fn gaps(&self) -> Gaps {
        self.gaps
    }

    /// Time of the next sample of the serving carrier.
    fn next_own(&self) -> Time {
        let next = self.carriers[self.serving].next_due();
        match self.has_gaps {
            true => self.gaps.end_around(next).unwrap_or(next),
            false => next,
        }
    }

    /// Time of the next sample.
    pub fn next_due(&self) -> Time {
        self.next_own().min(self.next_gap)
    }

    /// Carriers that have a sample now.
    pub fn due(&self, now: Time) -> Due {
        let turn = self.turn.checked_rem(self.carriers.len() - 1);
        let other = turn.map(|n| n + usize::from(n >= self.serving));
        Due { own: self.next_own() <= now, other: other.filter(|_| self.next_gap <= now) }
    }

    /// Filtered values by cell, dBm or dB. None before the first measurement with one carrier; with several a cell has
    /// negative infinity until then.
    pub fn values(&self) -> &[f64] {
        match &self.carriers[..] {
            [own] => own.values(),
            _ => &self.values,
        }
    }

    /// A sample of a carrier is taken.
    pub fn sample(&mut self, now: Time, carrier: usize, sample: &Sample<'_>) {
        let found = self.carriers[carrier].sample(now, sample);
        if self.cells.len() == 1 {
            return;
        }
        if !found.is_empty() {
            self.values[self.cells[carrier].clone()].copy_from_slice(found);
        }
        if carrier != self.serving {
            self.turn += 1;
            self.next_gap = self.gaps.next_end(now);
        }
    }

    /// Measurements of all cells but the serving one begin.
    pub fn restart(&mut self, serving: usize) {
        let first = self.cells[self.serving].start;
        self.carriers[self.serving].restart(serving - first);
        self.restart_others();
    }

    /// Measurements of other carriers begin.
    pub fn restart_others(&mut self) {
        let serving = self.serving;
        let others = self.carriers.iter_mut().enumerate().filter(|(n, _)| *n != serving);
        others.for_each(|(_, own)| own.restart(usize::MAX));
    }

    /// True if the measurement of the serving carrier has values since its begin.
    pub fn is_complete(&self) -> bool {
        self.carriers[self.serving].is_complete()
    }

    /// True if the measurement of the carrier of a cell has values since its begin.
    pub fn knows(&self, cell: usize) -> bool {
        let carrier = self.cells.iter().position(|own| own.contains(&cell));
        carrier.is_some_and(|carrier| self.carriers[carrier].is_complete())
    }
}

impl MeasurementConfig {
    /// Time of a measurement of another carrier, the only one, with gaps of this period: of LTE 480 ms (TS 36.133,
    /// table 8.1.2.3.1.1-1, configuration 0).
    pub const OTHER_LTE: Duration = Duration::from_millis(480);

    /// Likewise of NR in FR1, with synchronisation signals no less often than gaps: eight gaps, and at least 200 ms (TS
    /// 38.133, table 9.3.5-1).
    pub fn other_nr(period: Duration) -> Duration {
        (period * 8).max(Duration::from_millis(200))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact measurements without a filter, of one cell on each of so many carriers. A cell on the first serves the UE.
    fn exact(carriers: usize, gap_period: u64) -> Measurements {
        let mut config = HandoverConfig::lte();
        (config.measurement.error, config.measurement.filter_coefficient) = (0.0, 0);
        config.other_carriers.pattern.period = Duration::from_millis(gap_period);
        let cells: Vec<Range<usize>> = (0..carriers).map(|n| n..n + 1).collect();
        Measurements::new(&config, (UeId(4), Seed(2)), &cells, 0)
    }

    /// Takes all samples before a time. Gives the times of those of each carrier in ms.
    fn pass(all: &mut Measurements, until: u64, rsrp: &[f64]) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::new(); rsrp.len()];
        while all.next_due() < Time::from_millis(until) {
            let now = all.next_due();
            let due = all.due(now);
            for carrier in due.other.into_iter().chain(due.own.then_some(all.serving())) {
                let sample = Sample { rsrp: &rsrp[carrier..=carrier], noise: -120.0 };
                all.sample(now, carrier, &sample);
                times[carrier].push(now.as_secs_f64() * 1e3);
            }
        }
        times
    }

    #[test]
    fn one_other_carrier_has_a_value_after_480_ms() {
        for (period, samples) in [(40, 12), (80, 6)] {
            let mut all = exact(2, period);
            let first = all.gaps().next_end(Time::ZERO).as_nanos() / 1_000_000;
            // The last of the samples of 480 ms.
            let last = first + (samples - 1) * period;
            pass(&mut all, last, &[-80.0, -90.0]);
            assert!(!all.knows(1) && all.values()[1] == f64::NEG_INFINITY);
            pass(&mut all, last + 1, &[-80.0, -90.0]);
            assert!(all.knows(1) && all.is_complete());
            assert_eq!(all.values(), [-80.0, -90.0]);
        }
    }

    #[test]
    fn gaps_are_for_one_carrier_after_the_other() {
        let mut all = exact(3, 40);
        let times = pass(&mut all, 2_000, &[-80.0, -90.0, -95.0]);
        // Samples of the serving carrier each 40 ms, of the others each 80 ms, 40 ms apart.
        for (own, step) in times.iter().zip([40.0, 80.0, 80.0]) {
            assert!(
                own.len() >= 24 && own.windows(2).all(|two| (two[1] - two[0] - step).abs() < 1e-6)
            );
        }
        assert!((times[2][0] - times[1][0] - 40.0).abs() < 1e-6);
        // 12 samples take 960 ms.
        let mut all = exact(3, 40);
        let last = times[1][11] as u64;
        pass(&mut all, last, &[-80.0, -90.0, -95.0]);
        assert!(!all.knows(1));
        pass(&mut all, last + 1, &[-80.0, -90.0, -95.0]);
        assert!(all.knows(1) && !all.knows(2));
    }

    #[test]
    fn another_serving_carrier_begins_both_measurements_anew() {
        let mut all = exact(2, 40);
        pass(&mut all, 1_000, &[-80.0, -90.0]);
        assert!(all.is_complete() && all.knows(1));
        all.serve(Time::from_millis(1_000), 1);
        assert!(!all.is_complete() && !all.knows(0) && all.is_own(1));
        // Values stay as they were before. The new serving carrier has its own in five samples of 40 ms.
        pass(&mut all, 1_150, &[-70.0, -60.0]);
        assert_eq!(all.values(), [-80.0, -90.0]);
        pass(&mut all, 1_210, &[-70.0, -60.0]);
        assert!(all.is_complete() && !all.knows(0));
        assert_eq!(all.values(), [-80.0, -60.0]);
        pass(&mut all, 1_490, &[-70.0, -60.0]);
        assert!(all.knows(0));
        assert_eq!(all.values(), [-70.0, -60.0]);
    }

    #[test]
    fn samples_of_the_serving_carrier_are_outside_of_gaps() {
        let mut all = exact(2, 20);
        all.set_gaps(true);
        let gaps = all.gaps();
        let times = pass(&mut all, 3_000, &[-80.0, -90.0]);
        let outside =
            |ms: &f64| gaps.end_around(Time::from_nanos((ms * 1e6).round() as u64)).is_none();
        assert!(times.iter().flatten().all(outside));
        assert!((74..=75).contains(&times[0].len()), "{}", times[0].len());
    }
}
