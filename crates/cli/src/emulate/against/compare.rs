//! Comparison of both halves over all runs, with verdicts.

use airpath_live::against::{FlowHalf, Half};
use airpath_stats::{CONFIDENCE, Verdict, mean_interval};
use serde::Serialize;

/// Comparison over all runs of both halves.
pub struct Comparison {
    /// Seeds of the runs.
    pub seeds: Vec<u64>,
    /// Simulated halves, one for each seed.
    pub simulated: Vec<Half>,
    /// Halves of the kernel, one for each seed.
    pub kernel: Vec<Half>,
    /// Flows with their measures.
    pub flows: Vec<FlowRows>,
}

/// Flow with its measures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRows {
    /// Name of the flow.
    pub name: String,
    /// Congestion controller of the flow.
    pub controller: &'static str,
    /// Measures of the flow.
    pub rows: Vec<Row>,
}

/// One measure in both halves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the measure.
    pub measure: &'static str,
    /// Unit of the measure.
    pub unit: &'static str,
    /// Mean over runs of the simulated half.
    pub simulated: Option<Mean>,
    /// Mean over runs of the kernel's half.
    pub kernel: Option<Mean>,
    /// Kernel's mean divided by the simulated one.
    pub ratio: Option<f64>,
    /// Verdict on the agreement of both halves; none of a measure that is only shown.
    #[serde(serialize_with = "Verdict::as_optional_figure")]
    pub verdict: Option<Verdict>,
}

/// A mean over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half of its 95% interval; none of a single run.
    pub half: Option<f64>,
}

/// Largest difference of halves that agree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// Within this share of the simulated value.
    Within(f64),
    /// By no more than this factor.
    Factor(f64),
    /// By no more than this, in the unit.
    Points(f64),
    /// It is shown and not judged.
    None,
}

/// A measure of a flow, beside the others of its half.
struct Measure {
    name: &'static str,
    unit: &'static str,
    limit: Limit,
    of: fn(&FlowHalf, &Half) -> Option<f64>,
}

const MEASURES: [Measure; 8] = [
    Measure {
        name: "goodput",
        unit: "Mbit/s",
        limit: Limit::Within(0.05),
        of: |flow, _| flow.goodput_bps.map(|bps| bps / 1e6),
    },
    Measure {
        name: "share of the goodput",
        unit: "%",
        limit: Limit::Points(10.0),
        of: |flow, half| {
            let all: f64 = half.flows.iter().filter_map(|flow| flow.goodput_bps).sum();
            flow.goodput_bps.filter(|_| half.flows.len() > 1 && all > 0.0).map(|g| g / all * 100.0)
        },
    },
    Measure { name: "one-way delay", unit: "ms", limit: Limit::None, of: |flow, _| flow.delay_ms },
    Measure {
        name: "of this in queues",
        unit: "ms",
        limit: Limit::Within(0.15),
        of: |flow, _| flow.queue_ms,
    },
    Measure { name: "RTT", unit: "ms", limit: Limit::None, of: |flow, _| flow.rtt_ms },
    Measure {
        name: "segments sent again",
        unit: "",
        limit: Limit::None,
        of: |flow, _| Some(flow.retransmissions as f64),
    },
    Measure {
        name: "of all segments",
        unit: "%",
        limit: Limit::Factor(2.0),
        of: |flow, _| {
            let sent = flow.sent_packets as f64;
            (sent > 0.0).then(|| flow.retransmissions as f64 / sent * 100.0)
        },
    },
    Measure {
        name: "congestion marks",
        unit: "",
        limit: Limit::None,
        of: |flow, half| {
            let marked = half.flows.iter().any(|flow| flow.marks > 0);
            marked.then_some(flow.marks as f64)
        },
    },
];

impl Comparison {
    /// Compares both halves over all runs, one for each seed.
    pub fn new(seeds: Vec<u64>, simulated: Vec<Half>, kernel: Vec<Half>) -> Comparison {
        let flows = simulated.first().map_or(&[][..], |half| &half.flows[..]);
        let rows = |place: usize, flow: &FlowHalf| FlowRows {
            name: flow.name.clone(),
            controller: flow.controller,
            rows: MEASURES.iter().filter_map(|m| m.row(place, &simulated, &kernel)).collect(),
        };
        let flows = flows.iter().enumerate().map(|(place, flow)| rows(place, flow)).collect();
        Comparison { seeds, simulated, kernel, flows }
    }

    /// Warnings of runs whose half of the kernel is doubtful.
    pub fn warnings(&self) -> Vec<String> {
        let runs = self.seeds.iter().zip(&self.kernel);
        let warnings = runs.filter_map(|(seed, half)| {
            let warning = half.real_time.as_ref()?.warning.as_ref()?;
            Some(format!("seed {seed}: {warning}"))
        });
        warnings.collect()
    }

    /// Sentence on the measures that agree and those that differ.
    pub fn verdict(&self) -> String {
        let said = |wanted: Verdict| -> Vec<String> {
            MEASURES.iter().filter_map(|measure| self.said(measure, wanted)).collect()
        };
        let parts = [
            ("agree in", said(Verdict::Holds)),
            ("differ in", said(Verdict::Fails)),
            ("may differ, but for the spread of these runs, in", said(Verdict::NotResolved)),
        ];
        let parts = parts.iter().filter(|(_, said)| !said.is_empty());
        let parts: Vec<String> =
            parts.map(|(words, said)| format!("{words} {}", said.join(", "))).collect();
        match parts.is_empty() {
            true => "There is nothing to compare.".to_owned(),
            false => format!("Kernel and simulation {}.", parts.join("; they ")),
        }
    }

    /// The flows whose measure has this verdict: all of them need no names.
    fn said(&self, measure: &Measure, wanted: Verdict) -> Option<String> {
        let rows = self.flows.iter().filter_map(|flow| {
            let row = flow.rows.iter().find(|row| row.measure == measure.name)?;
            Some((flow, row.verdict?))
        });
        let rows: Vec<_> = rows.collect();
        let found: Vec<_> = rows.iter().filter(|(_, verdict)| *verdict == wanted).collect();
        if found.is_empty() {
            return None;
        }
        let name = match measure.name {
            "of this in queues" => "time in queues",
            "of all segments" => "the rate of retransmissions",
            name => name,
        };
        let names: Vec<&str> = found.iter().map(|(flow, _)| &flow.name[..]).collect();
        let whose = if found.len() == rows.len() {
            String::new()
        } else {
            format!(" of {}", names.join(" and "))
        };
        Some(format!("{name}{whose} ({})", measure.limit.words(wanted)))
    }
}

impl Measure {
    /// Its row; none if neither half has it.
    fn row(&self, place: usize, simulated: &[Half], kernel: &[Half]) -> Option<Row> {
        let mean = |halves: &[Half]| {
            let of = |half: &Half| (self.of)(half.flows.get(place)?, half);
            Mean::of(&halves.iter().filter_map(of).collect::<Vec<f64>>())
        };
        let (simulated, kernel) = (mean(simulated), mean(kernel));
        let ours = simulated.filter(|mean| mean.mean > 0.0);
        let ratio = kernel.zip(ours).map(|(kernel, ours)| kernel.mean / ours.mean);
        let verdict =
            simulated.zip(kernel).and_then(|(ours, kernel)| self.limit.judge(ours, kernel));
        let (measure, unit) = (self.name, self.unit);
        (simulated.is_some() || kernel.is_some()).then_some(Row {
            measure,
            unit,
            simulated,
            kernel,
            ratio,
            verdict,
        })
    }
}

impl Mean {
    fn of(values: &[f64]) -> Option<Mean> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let half = mean_interval(values, CONFIDENCE).map(|interval| interval.half_width());
        (!values.is_empty()).then_some(Mean { mean, half })
    }

    /// Checks that the intervals of both means meet.
    fn meets(self, other: Mean) -> bool {
        let halves = self.half.zip(other.half).map(|(one, other)| one + other);
        halves.is_some_and(|halves| (self.mean - other.mean).abs() <= halves)
    }
}

impl Limit {
    fn judge(self, ours: Mean, kernel: Mean) -> Option<Verdict> {
        let (one, other) = (ours.mean, kernel.mean);
        let near = match self {
            Limit::Within(share) => (one - other).abs() <= share * one,
            Limit::Factor(factor) => one <= factor * other && other <= factor * one,
            Limit::Points(points) => (one - other).abs() <= points,
            Limit::None => return None,
        };
        Some(match near {
            true => Verdict::Holds,
            false if ours.meets(kernel) => Verdict::NotResolved,
            false => Verdict::Fails,
        })
    }

    fn words(self, verdict: Verdict) -> String {
        let within = match self {
            Limit::Within(share) => format!("{:.0}%", share * 100.0),
            Limit::Factor(factor) => format!("a factor of {factor}"),
            Limit::Points(points) => format!("{points} points"),
            Limit::None => return String::new(),
        };
        match verdict {
            Verdict::Holds => format!("within {within}"),
            _ => format!("by more than {within}"),
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
pub(super) mod tests;
