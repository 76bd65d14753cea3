//! Likelihoods of hypotheses: the probability that a cause leads.
//!
//! The cause that leads truly is the one with the greatest share of the time. Shares that are measured differ from the
//! true ones, by about a tenth. So a cause leads with a probability that grows exponentially with its share
//! (Luce 1959, the choice axiom). In addition, the evidence of a cause may have another one: each hypothesis knows how
//! likely that is, and which rivals there are.

use airpath_base::Time;
use airpath_base::math::exp;
use serde::Serialize;

use super::exhibits::Exhibits;
use super::hypotheses::Measure;
use super::{Cause, Causes, Confidence};

/// Part of the time by which shares err.
const SPREAD: f64 = 0.12;
/// Least likelihood of a hypothesis that is listed.
const LISTED: f64 = 0.01;

/// Hypothesis about what limited a direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hypothesis {
    /// Cause that it names.
    pub cause: Cause,
    /// Probability that this cause has the greatest share of the time, from 0 to 1.
    pub likelihood: f64,
    /// Evidence, if the cause has any time.
    pub evidence: Option<Evidence>,
}

/// Evidence as a number and a location.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Quantity, with its unit: `queue_ms`, `flight_bytes` or `longest_s`.
    pub measure: &'static str,
    /// Its value: the mean over the cause's time, or the longest time.
    pub value: f64,
    /// Begin of the longest time with the cause, in seconds since the flow's first packet.
    pub from_s: f64,
    /// Its end, in the same way.
    pub to_s: f64,
    /// Numbers of its first and its last packet, counted among the flow's from one.
    pub packets: [u32; 2],
}

/// Hypotheses, the likeliest first. The flow began at `start`.
pub(crate) fn hypotheses(causes: &Causes, exhibits: &Exhibits, start: Time) -> Vec<Hypothesis> {
    let likely = likelihoods(causes, exhibits);
    let mut all: Vec<Hypothesis> = Cause::ALL
        .into_iter()
        .map(|cause| (cause, likely[cause as usize]))
        .filter(|(_, likelihood)| *likelihood >= LISTED)
        .map(|(cause, likelihood)| {
            let evidence = (causes.share(cause) > 0.0).then(|| evidence(cause, exhibits, start));
            Hypothesis { cause, likelihood, evidence }
        })
        .collect();
    all.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
    all
}

fn likelihoods(causes: &Causes, exhibits: &Exhibits) -> [f64; Cause::COUNT] {
    let most = causes.first().1;
    let weigh = |share: f64| if share > 0.0 { exp((share - most) / SPREAD) } else { 0.0 };
    let weights = causes.shares.map(weigh);
    let all: f64 = weights.iter().sum();
    let known = match causes.confidence {
        Confidence::Certain => 1.0,
        Confidence::Likely => 0.98,
        Confidence::Doubtful => 0.85,
    };
    let mut likely = [0.0; Cause::COUNT];
    for cause in Cause::ALL {
        let leads = weights[cause as usize] / all;
        let trust = known * exhibits.of(cause).trust();
        let rivals = cause.rule().rivals;
        likely[cause as usize] += leads * trust;
        for rival in rivals {
            likely[*rival as usize] += leads * (1.0 - trust) / rivals.len() as f64;
        }
    }
    likely
}

fn evidence(cause: Cause, exhibits: &Exhibits, start: Time) -> Evidence {
    let measure = cause.rule().measure;
    let exhibit = exhibits.of(cause);
    let since = |at: Time| at.saturating_since(start).as_secs_f64();
    Evidence {
        measure: match measure {
            Measure::Queue => "queue_ms",
            Measure::Flight => "flight_bytes",
            Measure::Time => "longest_s",
        },
        value: exhibit.value(measure),
        from_s: since(exhibit.run.from),
        to_s: since(exhibit.run.to),
        packets: exhibit.run.packets,
    }
}
