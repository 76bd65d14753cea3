//! Verdict on a flow: its leading hypothesis in a sentence.

use serde::Serialize;

use super::hypotheses::Measure;
use super::{Cause, Causes, Confidence, Hypothesis, Position};

/// Likelihood from which the leading hypothesis is certain, and below which it is doubtful.
const CERTAIN: f64 = 0.95;
const DOUBTFUL: f64 = 0.5;

/// Verdict on the direction of a flow with more data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// True if it is about what the client sent.
    pub up: bool,
    /// Cause with the greatest share of the time.
    pub cause: Cause,
    /// Share of that cause.
    pub share: f64,
    /// Confidence in the leading hypothesis. It is not above the confidence in the shares.
    pub confidence: Confidence,
    /// Sentence about the leading hypothesis, in at most 30 words.
    pub sentence: String,
    /// Hypotheses that explain the evidence, the likeliest first.
    pub hypotheses: Vec<Hypothesis>,
}

/// Counts of segments that a sentence mentions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mentioned {
    pub(crate) losses: u64,
    pub(crate) closed_windows: u64,
    pub(crate) part: Option<Part>,
}

/// Part that a direction had of a link which it shared: the link's number, rate and mean queue, and the share of its
/// bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) link: u32,
    pub(crate) share: f64,
    pub(crate) rate_bps: f64,
    pub(crate) queue_ms: f64,
}

/// Verdict on what the client sent (`up`), or the server.
pub(crate) fn verdict(
    up: bool,
    causes: &Causes,
    hypotheses: &[Hypothesis],
    mentioned: Mentioned,
) -> Verdict {
    let (cause, share) = causes.first();
    let likelihood = hypotheses.first().map_or(0.0, |first| first.likelihood);
    let confidence = match causes.confidence {
        Confidence::Certain if likelihood < CERTAIN => Confidence::Likely,
        confidence => confidence,
    };
    let confidence = if likelihood < DOUBTFUL { Confidence::Doubtful } else { confidence };
    let hypotheses = hypotheses.to_vec();
    let sentence = sentence(up, causes, &hypotheses, (confidence, mentioned));
    Verdict { up, cause, share, confidence, sentence, hypotheses }
}

fn sentence(
    up: bool,
    causes: &Causes,
    hypotheses: &[Hypothesis],
    (confidence, mentioned): (Confidence, Mentioned),
) -> String {
    let way = if up { "Upload" } else { "Download" };
    let (first, share) = causes.first();
    let lead = hypotheses.first();
    let cause = lead.map_or(first, |lead| lead.cause);
    let share = if cause == first { share } else { causes.share(cause) };
    let percent = 100.0 * share;
    let likelihood = 100.0 * lead.map_or(0.0, |lead| lead.likelihood);
    format!(
        "{way}, {} in {}: {} for {percent:.0}% of the time{}. {}, {likelihood:.0}%, {}.",
        size(causes.delivered_bytes),
        seconds(causes.judged_s),
        words(cause, causes, mentioned.part),
        evidence(cause, causes, lead, mentioned),
        word(confidence),
        position(causes.position),
    )
}

/// Evidence as a number and a location.
fn evidence(
    cause: Cause,
    causes: &Causes,
    lead: Option<&Hypothesis>,
    mentioned: Mentioned,
) -> String {
    let Some(evidence) = lead.and_then(|lead| lead.evidence) else { return String::new() };
    let [first, last] = evidence.packets;
    let number = match (cause, cause.rule().measure) {
        (Cause::ReceiverWindow, _) if mentioned.closed_windows > 0 => {
            counted(mentioned.closed_windows, "closed window", "closed windows")
        }
        (Cause::LossWithoutQueue | Cause::Timeout, _) if mentioned.losses > 0 => {
            counted(mentioned.losses, "loss", "losses")
        }
        (_, Measure::Queue) => {
            let own = causes.bottleneck.map_or(evidence.value, |full| full.queue_ms[0]);
            // A flow that began behind the queue has measured a part of it alone.
            let mean = mentioned.part.filter(|_| is_full(cause)).map_or(own, |part| part.queue_ms);
            format!("queue {mean:.0} ms")
        }
        (_, Measure::Flight) => format!("{} under way", size(evidence.value as u64)),
        (_, Measure::Time) => format!("longest {}", seconds(evidence.value)),
    };
    format!(", {number} (packets {first}-{last})")
}

fn counted(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// True for causes that are a full link's.
fn is_full(cause: Cause) -> bool {
    matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck | Cause::QueueBefore)
}

fn words(cause: Cause, causes: &Causes, part: Option<Part>) -> String {
    if let Some(Part { link, share, rate_bps, .. }) = part.filter(|_| is_full(cause)) {
        return format!("its share of link {link}, {:.0}% of {},", 100.0 * share, bits(rate_bps));
    }
    let rate = causes
        .bottleneck
        .map_or(String::new(), |full| format!(" of about {}", bits(full.rate_bps)));
    cause.rule().words.replace("{rate}", &rate)
}

fn position(position: Position) -> &'static str {
    match position {
        Position::Sender => "at the sender",
        Position::Receiver => "at the receiver",
        Position::Between => "between the ends",
        Position::Unknown => "position unknown",
    }
}

fn word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "Certain",
        Confidence::Likely => "Likely",
        Confidence::Doubtful => "Doubtful",
    }
}

/// Bytes, in the unit that suits them.
fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        0.0..1e3 => format!("{bytes:.0} bytes"),
        1e3..1e6 => format!("{:.1} kB", bytes / 1e3),
        1e6..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} GB", bytes / 1e9),
    }
}

pub(crate) fn bits(bps: f64) -> String {
    match bps {
        ..1e3 => format!("{bps:.0} bit/s"),
        1e3..1e6 => format!("{:.0} kbit/s", bps / 1e3),
        1e6..1e8 => format!("{:.1} Mbit/s", bps / 1e6),
        _ => format!("{:.0} Mbit/s", bps / 1e6),
    }
}

pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0} ms", 1e3 * seconds),
        1.0..100.0 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}
