//! The causes in a sentence.

use serde::Serialize;

use super::{Cause, Causes, Confidence, Position};
use crate::record::{Direction, FlowRecord};

/// What is to be said first about a flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether it is about what the client sent.
    pub up: bool,
    /// What took most of the time.
    pub cause: Cause,
    /// Its share.
    pub share: f64,
    /// How sure that is.
    pub confidence: Confidence,
    /// All of that in words.
    pub sentence: String,
}

/// About the direction with more data, if there is one with causes.
pub(crate) fn verdict(flow: &FlowRecord) -> Option<Verdict> {
    let up = flow.up.payload_bytes > flow.down.payload_bytes;
    let direction = if up { &flow.up } else { &flow.down };
    let causes = direction.causes.as_ref()?;
    let (cause, share) = causes.first();
    let sentence = sentence(flow, up, direction, causes);
    Some(Verdict { up, cause, share, confidence: causes.confidence, sentence })
}

fn sentence(flow: &FlowRecord, up: bool, direction: &Direction, causes: &Causes) -> String {
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
    let back = if up { &flow.down } else { &flow.up };
    parts.extend(counted(direction.retransmissions, "loss", "losses"));
    parts.extend(counted(back.zero_windows, "closed window", "closed windows"));
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
    match cause {
        Cause::Application => "the sending program had nothing to send".into(),
        Cause::ClientIdle => "the client asked for nothing".into(),
        Cause::ReceiverWindow => "the receiver's window was full".into(),
        Cause::SlowStart => "the sender's window still grew from its start".into(),
        Cause::Bottleneck => format!("a bottleneck{rate}"),
        Cause::SharedBottleneck => format!("a bottleneck{rate} that others fill, too"),
        Cause::LossWithoutQueue => "losses without a queue slowed the sender".into(),
        Cause::Timeout => "the sender waited for its timer after losses".into(),
        Cause::RadioPromotion => "a radio woke up".into(),
        Cause::RadioGap => "nothing got through (a radio gap)".into(),
        Cause::PeerGone => "silence, the other end was gone".into(),
        Cause::CannotTell => "the cause cannot be told from here".into(),
    }
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
