//! Comparison of the analyser's verdict with what is known of a flow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::draw::Kind;
use super::truth::{Cause, Truth};
use super::verdict::{Category, Verdict, ask};

/// A cause has to lead by that much for a flow to be judged.
const LEAD: f64 = 0.1;

/// Point of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Point {
    /// Within the host that sends the data.
    Sender,
    /// Between both hosts, with delays to each.
    Between,
    /// Within the host that receives the data.
    Receiver,
}

/// All points.
pub const POINTS: [Point; 3] = [Point::Sender, Point::Between, Point::Receiver];

/// A capture that was judged.
#[derive(Debug, Serialize, Deserialize)]
pub struct Judged {
    /// The seed of the flow.
    pub seed: u64,
    /// Kind of the flow.
    pub kind: Kind,
    /// True if there is no radio on the path.
    pub wired: bool,
    /// Point of the capture.
    pub point: Point,
    /// The leading cause; none if no cause led by enough, so that the flow is not judged.
    pub truth: Option<Cause>,
    /// Verdict of the analyser.
    pub verdict: Verdict,
    /// True if the verdict is right.
    pub right: bool,
    /// Segments sent again that can be known at the point, and whether the analyser's number is
    /// near.
    pub again: Option<(u32, bool)>,
    /// True if packets of the capture are merged segments.
    pub merged: bool,
}

impl Judged {
    /// Verdict and truth in words.
    pub fn in_words(&self) -> String {
        let Judged { seed, kind, point, verdict, .. } = self;
        let Verdict { category, likelihood, certain, .. } = verdict;
        let truth = self.truth.map_or_else(String::new, |cause| format!("{cause:?}"));
        let certain = if *certain { ", certain" } else { "" };
        format!(
            "{seed} {kind:?} {point:?}: {truth} is called {category:?} ({likelihood:.2}{certain})"
        )
    }
}

/// Judges a flow at all points that have a capture.
///
/// # Errors
///
/// If files cannot be read or the analyser fails.
pub fn judge(program: &Path, folder: &Path) -> io::Result<Vec<Judged>> {
    let truth: Truth = serde_json::from_str(&fs::read_to_string(folder.join("truth.json"))?)?;
    let mut all = Vec::new();
    for point in POINTS {
        if let Some(capture) = capture(folder, truth.draw.up, point) {
            all.push(judge_at(program, &truth, point, &capture)?);
        }
    }
    Ok(all)
}

/// Judges a capture.
///
/// # Errors
///
/// If the analyser fails.
pub fn judge_at(program: &Path, truth: &Truth, point: Point, capture: &Path) -> io::Result<Judged> {
    Ok(judged(truth, point, ask(program, capture, truth)?))
}

/// The capture at a point, packed or not.
pub fn capture(folder: &Path, up: bool, point: Point) -> Option<PathBuf> {
    let ends = if up { ["a", "server"] } else { ["server", "a"] };
    let names: &[&str] = match point {
        Point::Sender => &ends[..1],
        Point::Receiver => &ends[1..],
        Point::Between => &["middle", "results/capture-sgi"],
    };
    let endings = [".pcap", ".pcap.zst", ".pcapng"];
    let all = names.iter().flat_map(|name| endings.map(|end| folder.join(format!("{name}{end}"))));
    all.into_iter().find(|path| path.exists())
}

fn judged(truth: &Truth, point: Point, verdict: Verdict) -> Judged {
    let leads = leads(truth, |_| true);
    // The receiver's capture is empty while the path is dead, and has no verdict.
    let before = self::leads(truth, |cause| cause != Cause::PeerGone);
    let is = |cause: Cause| accepts(cause, truth, point).contains(&verdict.category);
    let gone = leads == Some(Cause::PeerGone) && point != Point::Sender;
    let right = leads.is_some_and(|cause| is(cause) || (gone && before.is_none_or(is)));
    let passed = match point {
        // Datagrams are not sent again.
        _ if truth.draw.kind.is_media() => None,
        Point::Sender => Some(truth.retransmissions),
        Point::Between => truth.again.map(|again| again[0]),
        Point::Receiver => truth.again.map(|again| again[1]),
    };
    let again = passed.map(|passed| (passed, is_near(verdict.retransmissions, passed.into())));
    let draw = &truth.draw;
    let (seed, kind, wired) = (draw.seed, draw.kind, !draw.cell);
    let merged = draw.offload && point != Point::Between;
    Judged { seed, kind, wired, point, truth: leads, verdict, right, again, merged }
}

/// Categories that are right at a point.
///
/// One category has its cause, except where a point cannot tell causes apart:
///
/// - A queue between sender and middle is before the capture there and at the receiver. It may be
///   called by that name or by that of a bottleneck.
/// - A queue in the sender's own host is a bottleneck elsewhere, or even departures of the host.
/// - A gap of the radio in which packets are lost is a dead path, on which the timer waits.
/// - An even rate of departures behind the sender may be a pacing rate or a link without a queue.
fn accepts(cause: Cause, truth: &Truth, point: Point) -> Vec<Category> {
    let mut all = vec![Category::of(cause)];
    let near = truth.draw.wires.queue_near && !truth.draw.cell;
    let away = point != Point::Sender;
    match cause {
        Cause::Bottleneck if point == Point::Receiver || (away && near) => {
            all.push(Category::QueueBefore);
        }
        Cause::Radio if truth.draw.kind == Kind::RadioGap => all.push(Category::Timer),
        Cause::QueueBefore if away => all.extend([Category::Bottleneck, Category::SenderHost]),
        Cause::Pacing if away => all.extend([Category::QueueBefore, Category::Bottleneck]),
        _ => {}
    }
    all
}

/// True if a count is within 10% or 2 of a number, whichever is more.
fn is_near([least, most]: [u64; 2], truth: u64) -> bool {
    let room = (truth / 10).max(2);
    least <= truth + room && most + room >= truth
}

/// Cause that leads by enough, among some causes. Causes of a category count as one.
fn leads(truth: &Truth, among: impl Fn(Cause) -> bool) -> Option<Cause> {
    let mut sums: Vec<(Cause, f64)> = Vec::new();
    for (cause, share) in truth.shares.iter().filter(|(cause, _)| among(*cause)) {
        match sums.iter_mut().find(|(known, _)| Category::of(*known) == Category::of(*cause)) {
            Some((_, sum)) => *sum += share,
            None => sums.push((*cause, *share)),
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = sums.iter().map(|(_, share)| share).sum();
    let second = sums.get(1).map_or(0.0, |(_, share)| *share);
    sums.first().filter(|(_, share)| share - second >= LEAD * all).map(|(cause, _)| *cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_near_within_a_tenth_or_two_packets() {
        assert!(is_near([8, 8], 10) && is_near([12, 12], 10) && !is_near([13, 13], 10));
        assert!(is_near([90, 90], 100) && !is_near([89, 89], 100));
        // A range is right if it has the number.
        assert!(is_near([0, 50], 28) && !is_near([0, 20], 28));
    }
}
