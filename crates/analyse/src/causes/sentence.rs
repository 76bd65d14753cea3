//! Verdict on a flow: its causes in a sentence.

use serde::Serialize;

use super::{Cause, Causes, Confidence, Position};

/// Verdict on the direction of a flow with more data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// True if it is about what the client sent.
    pub up: bool,
    /// Cause with the greatest share of the time.
    pub cause: Cause,
    /// Share of that cause.
    pub share: f64,
    /// Confidence in the shares.
    pub confidence: Confidence,
    /// Sentence that says all of that.
    pub sentence: String,
}

/// Counts of segments that a sentence mentions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mentioned {
    pub(crate) losses: u64,
    pub(crate) closed_windows: u64,
}

/// Verdict on what the client sent (`up`), or the server.
pub(crate) fn verdict(up: bool, causes: &Causes, mentioned: Mentioned) -> Verdict {
    let (cause, share) = causes.first();
    let sentence = sentence(up, causes, mentioned);
    Verdict { up, cause, share, confidence: causes.confidence, sentence }
}

fn sentence(up: bool, causes: &Causes, mentioned: Mentioned) -> String {
    let way = if up { "Upload" } else { "Download" };
    let ranked = causes.ranked();
    let mut parts = Vec::new();
    for (cause, share) in ranked.iter().take(3).filter(|(_, share)| *share >= 0.1) {
        let percent = 100.0 * share;
        parts.push(format!("{} for {percent:.0}% of the time", words(*cause, causes)));
    }
    if let Some(full) = causes.bottleneck.filter(|_| bottleneck(causes) >= 0.1) {
        let [mean, least, most] = full.queue_ms;
        parts.push(format!("its queue adds {mean:.0} ms ({least:.0} to {most:.0})"));
    }
    parts.extend(counted(mentioned.losses, "loss", "losses"));
    parts.extend(counted(mentioned.closed_windows, "closed window", "closed windows"));
    format!(
        "{way}, {} in {}: {}. {}.",
        size(causes.delivered_bytes),
        seconds(causes.judged_s),
        parts.join(", "),
        sure(causes)
    )
}

fn bottleneck(causes: &Causes) -> f64 {
    causes.share(Cause::Bottleneck) + causes.share(Cause::SharedBottleneck)
}

fn counted(n: u64, one: &str, many: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    }
}

fn words(cause: Cause, causes: &Causes) -> String {
    let rate = causes
        .bottleneck
        .map_or(String::new(), |full| format!(" of about {}", bits(full.rate_bps)));
    cause.rule().words.replace("{rate}", &rate)
}

fn sure(causes: &Causes) -> String {
    let place = match causes.position {
        Position::Sender => "captured at the sender",
        Position::Receiver => "captured at the receiver",
        Position::Between => "captured between the ends",
        Position::Unknown => "where it was captured is not known",
    };
    let word = match causes.confidence {
        Confidence::Certain => "Certain",
        Confidence::Likely => "Likely",
        Confidence::Doubtful => "Doubtful",
    };
    format!("{word}: {place}")
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

fn bits(bps: f64) -> String {
    match bps {
        ..1e3 => format!("{bps:.0} bit/s"),
        1e3..1e6 => format!("{:.0} kbit/s", bps / 1e3),
        1e6..1e8 => format!("{:.1} Mbit/s", bps / 1e6),
        _ => format!("{:.0} Mbit/s", bps / 1e6),
    }
}

fn seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0} ms", 1e3 * seconds),
        1.0..100.0 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}
