//! Compares what `airpath analyse` says of a capture with what is known of the flow.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::draw::{KINDS, Kind};
use super::truth::{Cause, Truth};

/// A cause has to lead by that much for a flow to be judged.
const LEAD: f64 = 0.1;

/// A capture that was judged.
#[derive(Debug)]
pub struct Judged {
    /// The seed of the flow.
    pub seed: u64,
    /// Kind of the flow.
    pub kind: Kind,
    /// True if it was captured at the data's sender; else at its receiver.
    pub at_sender: bool,
    /// Leading cause and its lead; none if the flow is not judged, as no cause led by enough.
    pub truth: Option<Cause>,
    /// Verdict of the analyser, as in its JSON.
    pub said: String,
    /// Its share.
    pub share: f64,
    /// True if the verdict is right.
    pub right: bool,
    /// True if the verdict is right with a bottleneck of the flow's own distinct from a shared one.
    pub strictly: bool,
}

impl Judged {
    /// Verdict and truth in words.
    pub fn in_words(&self) -> String {
        let place = if self.at_sender { "sender" } else { "receiver" };
        let Judged { seed, kind, truth, said, share, .. } = self;
        let truth = truth.map_or_else(String::new, name);
        format!("{seed} {kind:?} at the {place}: {truth} is called {said} ({share:.2})")
    }
}

/// Judges a flow at both ends.
///
/// # Errors
///
/// If files cannot be read or the analyser fails.
pub fn judge(program: &Path, folder: &Path) -> io::Result<[Judged; 2]> {
    let truth: Truth = serde_json::from_str(&fs::read_to_string(folder.join("truth.json"))?)?;
    let end = |name: &str| -> io::Result<Judged> {
        let capture = capture(folder, name)?;
        let (said, share) = said(program, &capture, &truth)?;
        Ok(judged(&truth, (name == "a") == truth.draw.up, said, share))
    };
    Ok([end("server")?, end("a")?])
}

/// The capture at an end, packed or not.
fn capture(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let endings = [".pcap", ".pcap.zst"].map(|ending| folder.join(format!("{name}{ending}")));
    let found = endings.into_iter().find(|path| path.exists());
    found.ok_or_else(|| io::Error::other(format!("{}: no capture {name}", folder.display())))
}

/// The cause with the greatest share that the analyser gives the flow's data.
fn said(program: &Path, capture: &Path, truth: &Truth) -> io::Result<(String, f64)> {
    let output = Command::new(program).arg("analyse").arg("--json").arg(capture).output()?;
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let ending = format!(":{}", truth.port);
    let flow = json["flows"].as_array().and_then(|flows| {
        flows.iter().find(|flow| flow["server"].as_str().is_some_and(|at| at.ends_with(&ending)))
    });
    let flow = flow.ok_or_else(|| io::Error::other(format!("{}: no flow", capture.display())))?;
    let direction = &flow[if truth.draw.up { "up" } else { "down" }];
    let shares = direction["causes"]["shares"].as_object();
    let all = shares.into_iter().flatten();
    let all = all.map(|(cause, share)| (common(cause), share.as_f64().unwrap_or(0.0)));
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    all.for_each(|(cause, share)| *sums.entry(cause).or_default() += share);
    // A bottleneck is found first, and then its owner.
    let split =
        ["bottleneck", "shared_bottleneck"].map(|cause| sums.get(cause).copied().unwrap_or(0.0));
    let full = if split[1] > split[0] { "shared_bottleneck" } else { "bottleneck" };
    sums.retain(|cause, _| !cause.ends_with("bottleneck"));
    sums.insert(full, split[0] + split[1]);
    let first =
        sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > 0.0);
    let (cause, share) = first.unwrap_or(("nothing", 0.0));
    Ok((cause.to_owned(), share))
}

/// Name of the analyser's cause in the truth.
fn common(cause: &str) -> &str {
    if cause.starts_with("radio") { "radio" } else { cause }
}

fn judged(truth: &Truth, at_sender: bool, said: String, share: f64) -> Judged {
    let leads = leads(truth, |_| true);
    let same = |cause: Cause, strictly: bool| {
        let name = name(cause);
        name == said || (!strictly && name.ends_with("bottleneck") && said.ends_with("bottleneck"))
    };
    // The receiver's capture is empty while the path is dead, and has no verdict.
    let before = self::leads(truth, |cause| cause != Cause::PeerGone);
    let holds = |strictly: bool| {
        leads.is_some_and(|cause| {
            same(cause, strictly)
                || (!at_sender && said == "cannot_tell" && may_be_silent(cause))
                || (!at_sender
                    && cause == Cause::PeerGone
                    && before.is_none_or(|c| same(c, strictly)))
        })
    };
    let (right, strictly) = (holds(false), holds(true));
    let Truth { draw, .. } = truth;
    Judged {
        seed: draw.seed,
        kind: draw.kind,
        at_sender,
        truth: leads,
        said,
        share,
        right,
        strictly,
    }
}

/// True for causes that the receiver's side cannot show. The sender's windows are not visible
/// there, so the limiting one of them or the path is not, either.
fn may_be_silent(cause: Cause) -> bool {
    use Cause::{Bottleneck, LossWithoutQueue, ReceiverWindow, SharedBottleneck, SlowStart};
    matches!(cause, Bottleneck | SharedBottleneck | LossWithoutQueue | ReceiverWindow | SlowStart)
}

/// Cause that leads by enough, among some causes. Bottlenecks count as one, as their owner comes
/// second.
fn leads(truth: &Truth, among: impl Fn(Cause) -> bool) -> Option<Cause> {
    let is_full = |cause: Cause| matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck);
    let shares = truth.shares.iter().filter(|(cause, _)| among(*cause));
    let mut sums: Vec<(Cause, f64)> = Vec::new();
    for (cause, share) in shares {
        match sums.iter_mut().find(|(known, _)| is_full(*known) && is_full(*cause)) {
            Some((_, sum)) => *sum += share,
            None => sums.push((*cause, *share)),
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = sums.iter().map(|(_, share)| share).sum();
    let second = sums.get(1).map_or(0.0, |(_, share)| *share);
    sums.first().filter(|(_, share)| share - second >= LEAD * all).map(|(cause, _)| *cause)
}

/// Name in JSON.
fn name(cause: Cause) -> String {
    let text = serde_json::to_value(cause).expect("a name");
    text.as_str().unwrap_or_default().to_owned()
}

/// Shares that are right, at senders and receivers, and the confusion table of each.
pub fn table(all: &[Judged]) -> String {
    let mut text = String::new();
    for at_sender in [true, false] {
        let here: Vec<&Judged> =
            all.iter().filter(|one| one.at_sender == at_sender && one.truth.is_some()).collect();
        let place = if at_sender { "sender" } else { "receiver" };
        let count = |holds: fn(&Judged) -> bool| here.iter().filter(|one| holds(one)).count();
        let (right, strictly) = (count(|one| one.right), count(|one| one.strictly));
        let percent = |n: usize| 100.0 * n as f64 / here.len().max(1) as f64;
        text += &format!(
            "captured at the {place}: {right} of {} right ({:.1}%), {strictly} ({:.1}%) if own and \
             shared bottlenecks are told apart\n",
            here.len(),
            percent(right),
            percent(strictly)
        );
        text += &confusion(&here);
    }
    text + &kinds(all)
}

/// Captures that are right, and those judged, by what was done to the flow.
fn kinds(all: &[Judged]) -> String {
    let judged = |kind: Kind, at_sender: bool| {
        let here = all.iter().filter(move |one| one.kind == kind && one.at_sender == at_sender);
        here.filter(|one| one.truth.is_some())
    };
    let mut text = "right, at the sender and at the receiver\n".to_owned();
    for kind in KINDS {
        let [sender, receiver] = [true, false].map(|place| {
            let right = judged(kind, place).filter(|one| one.right).count();
            format!("{right} of {}", judged(kind, place).count())
        });
        text += &format!("  {:<20} {sender:<10} {receiver}\n", format!("{kind:?}"));
    }
    text
}

fn confusion(here: &[&Judged]) -> String {
    let mut rows: BTreeMap<Cause, BTreeMap<&str, usize>> = BTreeMap::new();
    for one in here {
        let row = rows.entry(one.truth.expect("judged")).or_default();
        *row.entry(&one.said).or_default() += 1;
    }
    let mut text = String::new();
    for (cause, said) in rows {
        let said = said.iter().map(|(said, count)| format!("{said} {count}"));
        let said: Vec<String> = said.collect();
        text += &format!("  {:<20} {}\n", name(cause), said.join(", "));
    }
    text
}
