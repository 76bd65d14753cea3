//! Figures of spans from tables of packets, for runs that no probe has listened to.

use std::collections::BTreeMap;

use airpath_base::FlowId;
use airpath_net::Stage;
use airpath_results::Table;

use super::{Span, SpanMeasure, SpanTrace, read};
use crate::measure::Measure;
use crate::{Quantity, StudyError};

/// Packets of a run.
pub struct Packets {
    trace: SpanTrace,
    /// Names of the flows, by their numbers in the trace.
    names: Vec<String>,
}

impl Packets {
    /// The packets of a table as `packets.parquet` is one.
    ///
    /// # Errors
    ///
    /// A table that lacks a column.
    pub fn of(table: &Table) -> Result<Packets, StudyError> {
        let lacks = |name: &str| StudyError::Data(format!("packets.parquet lacks {name}"));
        let texts = |name: &str| table.texts(name).ok_or_else(|| lacks(name));
        let truths = |name: &str| table.truths(name).ok_or_else(|| lacks(name));
        let counts = |name: &str| table.integers(name).ok_or_else(|| lacks(name));
        let (flows, legs) = (texts("flow")?, texts("leg")?);
        let (delivered, marked) = (truths("delivered")?, truths("ce")?);
        let (sizes, ended) = (counts("size")?, counts("ended_ns")?);
        // The stage of handovers is left out of tables without any.
        let spent = |stage: &Stage| Some((*stage, counts(&format!("{}_ns", stage.name())).ok()?));
        let stages: Vec<_> = Stage::ALL.iter().filter_map(spent).collect();
        let mut packets = Packets { trace: SpanTrace::default(), names: Vec::new() };
        for row in (0..table.rows()).filter(|row| legs[*row] == Some("data")) {
            let count = |column: &[Option<i64>]| column[row].unwrap_or_default().unsigned_abs();
            let sum = |only: &dyn Fn(Stage) -> bool| -> u64 {
                stages.iter().filter(|(own, _)| only(*own)).map(|(_, column)| count(column)).sum()
            };
            let flow = packets.number(flows[row].unwrap_or_default());
            if delivered[row] != Some(true) {
                packets.trace.drop_at(flow, count(&ended));
                continue;
            }
            let bytes = u32::try_from(count(&sizes)).unwrap_or(u32::MAX);
            let (queued, delay) = (sum(&|own| Stage::QUEUES.contains(&own)), sum(&|_| true));
            let marked = marked[row] == Some(true);
            packets.trace.push(flow, count(&ended), (bytes, queued, delay), marked);
        }
        packets.trace.sort();
        Ok(packets)
    }

    fn number(&mut self, name: &str) -> FlowId {
        let at = self.names.iter().position(|own| own == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        FlowId(at as u32)
    }
}

impl Quantity {
    /// True if packets alone give its value.
    pub fn is_of_packets(&self) -> bool {
        let of_packets = |measure| matches!(measure, Measure::Span(own) if own.is_of_packets());
        self.values().all(|value| of_packets(value.measure))
    }

    /// Its value by the packets of its runs; none if a run is not there or has no value.
    pub fn from_packets(&self, runs: &BTreeMap<String, Packets>) -> Option<f64> {
        self.value(&|value| {
            let (Measure::Span(measure), Some(run)) = (value.measure, runs.get(&value.run)) else {
                return None;
            };
            let numbers = |flow: &str| -> Vec<usize> {
                let all = run.names.iter().enumerate();
                all.filter(|(_, name)| *name == flow).map(|(n, _)| n).collect()
            };
            let span = Span::parse(measure, &value.flow)?;
            measure.is_of_packets().then(|| read(&run.trace, measure, &span, &numbers))?
        })
    }
}

impl SpanMeasure {
    /// True for a measure that only the arrivals and drops of packets decide.
    fn is_of_packets(self) -> bool {
        use SpanMeasure as M;
        !matches!(
            self,
            M::Goodput
                | M::WindowMean
                | M::WindowMin
                | M::WindowMax
                | M::WindowBelow
                | M::Pacing
                | M::MaxBw
                | M::In(_)
                | M::RttMin
                | M::RttMean
                | M::Expiries
                | M::Recoveries
                | M::Target
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_table_of_packets() {
        // Four packets of 1250 B in 0.4 s, one of another flow, an ACK, and a drop.
        let flows = ["one", "one", "one", "one", "two", "one", "one"];
        let legs = ["data", "data", "data", "data", "data", "feedback", "data"];
        let ms = [100, 200, 300, 399, 350, 360, 380];
        let table = Table::new()
            .utf8("flow", flows)
            .utf8("leg", legs)
            .u64("size", [1250, 1250, 1250, 1250, 1250, 40, 1250])
            .u64("ended_ns", ms.map(|ms| ms * 1_000_000))
            .bool("delivered", [true, true, true, true, true, true, false])
            .bool("ce", [false, true, false, false, false, false, false])
            .u64("wired_queue_ns", [1, 2, 3, 4, 5, 6, 7].map(|ms| ms * 1_000_000))
            .u64("wired_ns", [10_000_000; 7]);
        let runs = BTreeMap::from([("main".to_owned(), Packets::of(&table).expect("packets"))]);
        let of = |text: &str| Quantity::parse(text).expect("a quantity").from_packets(&runs);
        // 5000 B in 0.4 s are 0.1 Mbit/s.
        assert!((of("rate@main.one[0..0.4]").expect("a rate") - 0.1).abs() < 1e-12);
        assert_eq!(of("queue-max@main.one[0..0.4]"), Some(4.0));
        assert_eq!(of("span-delay-mean@main.one[0..0.15]"), Some(11.0));
        assert_eq!(of("marks@main.one[0..0.4]"), Some(25.0));
        assert_eq!(of("loss@main.one[0..0.4]"), Some(20.0));
        assert_eq!(of("share@main.one+two[0..0.4]"), Some(80.0));
        assert_eq!(of("rate@other.one[0..0.4]"), None);
        assert_eq!(of("window-max@main.one[0..0.4]"), None);
        assert!(!Quantity::parse("rtt-min@main.one[0..1]").expect("one").is_of_packets());
    }
}
