//! Figures from records.

use airpath_net::PathModel;
use airpath_stats::nearest_rank;

use super::trace::{Arrival, Record};
use super::{Span, SpanMeasure, SpanTrace};

/// A second, over which rates of [`SpanMeasure::Rise`] and others are means.
const SECOND: u64 = 1_000_000_000;
/// Step of that second.
const STEP: u64 = 100_000_000;

/// A figure of flows; `numbers` has those of a scenario's flow in all UEs. None without any event that it needs.
pub(crate) fn read(
    trace: &SpanTrace,
    measure: SpanMeasure,
    span: &Span,
    numbers: &dyn Fn(&str) -> Vec<usize>,
) -> Option<f64> {
    let records = |flow: &str| -> Vec<&Record> {
        numbers(flow).into_iter().filter_map(|n| trace.record(n)).collect()
    };
    let of: Vec<Vec<&Record>> = span.flows.iter().map(|flow| records(flow)).collect();
    let rates = || of.iter().map(|own| span.rate(own)).collect::<Vec<f64>>();
    match measure {
        SpanMeasure::Sum => Some(rates().iter().sum()),
        SpanMeasure::Share => {
            let rates = rates();
            let sum: f64 = rates.iter().sum();
            (sum > 0.0).then(|| rates[0] / sum * 100.0)
        }
        SpanMeasure::Jain => {
            let rates = rates();
            let (sum, squares) =
                (rates.iter().sum::<f64>(), rates.iter().map(|r| r * r).sum::<f64>());
            (squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
        }
        _ => span.of_flow(measure, of.first()?),
    }
}

impl Span {
    fn holds(&self, at: u64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Mbit/s of all of them.
    fn rate(&self, records: &[&Record]) -> f64 {
        let arrivals = records.iter().flat_map(|record| self.arrivals(record));
        let bytes: u64 = arrivals.map(|arrival| u64::from(arrival.bytes)).sum();
        bytes as f64 * 8e-6 / self.seconds()
    }

    fn arrivals<'a>(&self, record: &'a Record) -> &'a [Arrival] {
        let before = |bound: u64| record.arrivals.partition_point(|arrival| arrival.at < bound);
        &record.arrivals[before(self.from)..before(self.to)]
    }

    fn of_flow(&self, measure: SpanMeasure, records: &[&Record]) -> Option<f64> {
        use SpanMeasure as M;
        if records.is_empty() {
            return None;
        }
        let values = |each: fn(&Record) -> &[(u64, u64)]| {
            let all = records.iter().flat_map(move |record| each(record));
            all.filter(|(at, _)| self.holds(*at)).map(|(_, value)| *value as f64)
        };
        let count = |each: fn(&Record) -> &[u64]| {
            records.iter().flat_map(|record| each(record)).filter(|at| self.holds(**at)).count()
                as f64
        };
        let arrived = || records.iter().flat_map(|record| self.arrivals(record));
        let windows = || sorted(values(|record| &record.windows).map(|bytes| bytes / 1e3));
        let rtts = || sorted(values(|record| &record.rtts).map(|nanos| nanos / 1e6));
        match measure {
            M::Rate => Some(self.rate(records)),
            M::Goodput => {
                Some(values(|record| &record.delivered).sum::<f64>() * 8e-6 / self.seconds())
            }
            M::Loss => {
                let dropped = count(|record| &record.dropped);
                percent(dropped, dropped + arrived().count() as f64)
            }
            M::Marks => {
                let marked = arrived().filter(|arrival| arrival.marked).count();
                percent(marked as f64, arrived().count() as f64)
            }
            M::WindowMean => mean(&windows()),
            M::WindowMin => windows().first().copied(),
            M::WindowMax => windows().last().copied(),
            M::WindowBelow | M::In(_) | M::Pacing | M::MaxBw => self.model(measure, records),
            M::RttMin => rtts().first().copied(),
            M::RttMean => mean(&rtts()),
            M::Expiries => Some(count(|record| &record.expiries)),
            M::Recoveries => Some(count(|record| &record.recoveries)),
            M::Target => {
                let all = records.iter().flat_map(|record| &record.targets);
                let within = all.filter(|(at, _)| self.holds(*at)).map(|(_, bps)| bps / 1e6);
                mean(&within.collect::<Vec<_>>())
            }
            M::Rise => Some(self.first(records, |rate, level| rate >= level)),
            M::Fall => Some(self.first(records, |rate, level| rate <= level)),
            M::Drain => {
                let late = arrived().filter(|arrival| arrival.queued as f64 / 1e6 > self.level);
                Some(late.map(|arrival| arrival.at - self.from).max().unwrap_or(0) as f64 / 1e9)
            }
            M::Variation => self.variation(records),
            M::Gap => self.gap(records),
            _ => self.delay(measure, records),
        }
    }

    /// Shares of time, and figures of the model that BBR has of the path.
    fn model(&self, measure: SpanMeasure, records: &[&Record]) -> Option<f64> {
        use SpanMeasure as M;
        match measure {
            M::WindowBelow => {
                let low = self.level * 1e3;
                self.time(records, |record| &record.windows, |bytes| (*bytes as f64) < low)
            }
            M::In(phase) => {
                self.time(records, |record| &record.models, |model| model.phase == phase)
            }
            M::Pacing | M::MaxBw => {
                let all = records.iter().flat_map(|record| &record.models);
                let own = |model: &PathModel| match measure {
                    M::Pacing => model.pacing,
                    _ => model.max_bw,
                };
                let within = all.filter(|(at, _)| self.holds(*at));
                mean(&within.map(|(_, model)| own(model).as_bps() as f64 / 1e6).collect::<Vec<_>>())
            }
            _ => None,
        }
    }

    /// Percent of the time since the first report, within the span, in which the last report fits.
    fn time<T>(
        &self,
        records: &[&Record],
        of: fn(&Record) -> &[(u64, T)],
        fits: impl Fn(&T) -> bool,
    ) -> Option<f64> {
        let (mut all, mut held) = (0, 0);
        for reports in records.iter().map(|record| of(record)) {
            let ends = reports.iter().skip(1).map(|(at, _)| *at).chain([self.to]);
            for ((at, report), end) in reports.iter().zip(ends) {
                let span = end.min(self.to).saturating_sub((*at).max(self.from));
                all += span;
                held += if fits(report) { span } else { 0 };
            }
        }
        percent(held as f64, all as f64)
    }

    /// A figure of times in queues or of one-way delays, in ms.
    fn delay(&self, measure: SpanMeasure, records: &[&Record]) -> Option<f64> {
        use SpanMeasure as M;
        let arrived = records.iter().flat_map(|record| self.arrivals(record));
        let is_queue = matches!(
            measure,
            M::QueueMean | M::QueueMedian | M::QueueP95 | M::QueueP99 | M::QueueMax
        );
        let nanos = arrived.map(|own| if is_queue { own.queued } else { own.delay });
        let ms = sorted(nanos.map(|nanos| nanos as f64 / 1e6));
        match measure {
            M::QueueMean | M::DelayMean => mean(&ms),
            M::QueueMedian => nearest_rank(&ms, 500),
            M::QueueP95 | M::DelayP95 => nearest_rank(&ms, 950),
            M::QueueP99 | M::DelayP99 => nearest_rank(&ms, 990),
            M::QueueMax => ms.last().copied(),
            _ => None,
        }
    }

    /// Seconds until the mean rate of a second, which ends then, fits the level; the length of the span if it never does.
    fn first(&self, records: &[&Record], fits: fn(f64, f64) -> bool) -> f64 {
        let ends = (self.from + SECOND..=self.to).step_by(STEP as usize);
        let rate = |end: u64| Span { from: end - SECOND, to: end, ..self.clone() }.rate(records);
        let mut ends = ends.filter(|end| fits(rate(*end), self.level));
        ends.next().map_or(self.seconds(), |end| (end - self.from) as f64 / 1e9)
    }

    /// Standard deviation of the rates of whole seconds over their mean, in percent.
    fn variation(&self, records: &[&Record]) -> Option<f64> {
        let seconds = (self.from..self.to).step_by(SECOND as usize);
        let whole = seconds.filter(|from| from + SECOND <= self.to);
        let rates: Vec<f64> = whole
            .map(|from| Span { from, to: from + SECOND, ..self.clone() }.rate(records))
            .collect();
        let all = mean(&rates).filter(|mean| *mean > 0.0)?;
        let squares: Vec<f64> = rates.iter().map(|rate| (rate - all) * (rate - all)).collect();
        Some(mean(&squares)?.sqrt() / all * 100.0)
    }

    /// Longest time in ms between arrivals, or between one and an end of the span.
    fn gap(&self, records: &[&Record]) -> Option<f64> {
        let arrivals = records.iter().flat_map(|record| self.arrivals(record));
        let mut times: Vec<u64> = arrivals.map(|arrival| arrival.at).collect();
        times.extend([self.from, self.to]);
        times.sort_unstable();
        let gap = times.windows(2).map(|pair| pair[1] - pair[0]).max()?;
        Some(gap as f64 / 1e6)
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn percent(part: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| part / of * 100.0)
}
