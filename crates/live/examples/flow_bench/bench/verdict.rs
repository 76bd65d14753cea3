//! Verdict of `airpath analyse` about a capture.

use std::io;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::truth::{Cause, Truth};

/// Category of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The sender's program.
    Application,
    /// The client that does not ask.
    IdleClient,
    /// The receiver's window.
    Receiver,
    /// Buffer, pacing rate or Nagle's rule at the sender.
    SenderHost,
    /// A queue before the capture.
    QueueBefore,
    /// A queue in the direction of the data.
    Bottleneck,
    /// A queue on the way back.
    BottleneckBack,
    /// A queue that several flows fill.
    Shared,
    /// Losses without a queue.
    Loss,
    /// The timer.
    Timer,
    /// The radio.
    Radio,
    /// Slow start.
    SlowStart,
    /// Nothing.
    Nothing,
    /// The other end has gone.
    PeerGone,
    /// No verdict.
    Unknown,
}

impl Category {
    /// Category of a true cause.
    pub fn of(cause: Cause) -> Category {
        match cause {
            Cause::Application => Category::Application,
            Cause::ClientIdle => Category::IdleClient,
            Cause::ReceiverWindow => Category::Receiver,
            Cause::SlowStart => Category::SlowStart,
            Cause::Bottleneck => Category::Bottleneck,
            Cause::SharedBottleneck => Category::Shared,
            Cause::LossWithoutQueue => Category::Loss,
            Cause::Timeout => Category::Timer,
            Cause::Radio => Category::Radio,
            Cause::PeerGone => Category::PeerGone,
            Cause::BottleneckBack => Category::BottleneckBack,
            Cause::QueueBefore => Category::QueueBefore,
            Cause::SendBuffer | Cause::Pacing | Cause::Nagle => Category::SenderHost,
            Cause::Nothing => Category::Nothing,
        }
    }

    /// Category of a cause in the analyser's JSON.
    fn named(cause: &str) -> Category {
        match cause {
            "application" => Category::Application,
            "client_idle" => Category::IdleClient,
            "receiver_window" => Category::Receiver,
            "sender_host" => Category::SenderHost,
            "queue_before" => Category::QueueBefore,
            "bottleneck" => Category::Bottleneck,
            "bottleneck_back" => Category::BottleneckBack,
            "shared_bottleneck" => Category::Shared,
            "loss_without_queue" => Category::Loss,
            "timeout" => Category::Timer,
            "slow_start" => Category::SlowStart,
            "nothing_limits" => Category::Nothing,
            "peer_gone" => Category::PeerGone,
            radio if radio.starts_with("radio") => Category::Radio,
            _ => Category::Unknown,
        }
    }
}

/// Verdict about the judged flow in a capture.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Verdict {
    /// The leading category.
    pub category: Category,
    /// Its likelihood, or its share of the time if the analyser gives no likelihoods.
    pub likelihood: f64,
    /// True if the analyser gives likelihoods.
    pub has_likelihoods: bool,
    /// True if the verdict is called certain.
    pub certain: bool,
    /// True if it names a radio with half of the likelihood, or of the time.
    pub radio: bool,
    /// Segments sent again that the analyser counts.
    pub retransmissions: [u64; 2],
    /// The sentence.
    pub sentence: String,
}

/// Asks the analyser.
///
/// # Errors
///
/// If it fails, or does not find the flow.
pub fn ask(program: &Path, capture: &Path, truth: &Truth) -> io::Result<Verdict> {
    let output = Command::new(program).arg("analyse").arg("--json").arg(capture).output()?;
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let ending = format!(":{}", truth.port);
    let is = |flow: &Value, end: &str, ending: &str| {
        flow[end].as_str().is_some_and(|address| address.ends_with(ending))
    };
    let flow = json["flows"].as_array().and_then(|flows| {
        flows.iter().find(|flow| is(flow, "server", &ending) || is(flow, "client", &ending))
    });
    let flow = flow.ok_or_else(|| io::Error::other(format!("{}: no flow", capture.display())))?;
    // A capture that begins in the middle of a flow may take its client for the server.
    let up = truth.draw.up == is(flow, "server", &ending);
    let direction = &flow[if up { "up" } else { "down" }];
    let verdict = &flow["verdict"];
    let about_data = verdict["up"].as_bool() == Some(up);
    let hypotheses = about_data.then(|| likelihoods(verdict)).filter(|all| !all.is_empty());
    let (has_likelihoods, weights) = match hypotheses {
        Some(all) => (true, all),
        None => (false, shares(direction)),
    };
    let first = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|first| first.1 > 0.0);
    let (category, likelihood) = first.copied().unwrap_or((Category::Unknown, 0.0));
    let radio: f64 = weights.iter().filter(|one| one.0 == Category::Radio).map(|one| one.1).sum();
    let causes = &direction["causes"];
    let confidence = if about_data { &verdict["confidence"] } else { &causes["confidence"] };
    Ok(Verdict {
        category,
        likelihood,
        has_likelihoods,
        certain: confidence == "certain" && category != Category::Unknown,
        radio: radio >= 0.5,
        retransmissions: range(&direction["retransmissions"]),
        sentence: verdict["sentence"].as_str().unwrap_or_default().to_owned(),
    })
}

/// Likelihoods by category.
fn likelihoods(verdict: &Value) -> Vec<(Category, f64)> {
    let all = verdict["hypotheses"].as_array().into_iter().flatten();
    summed(all.map(|one| {
        let cause = one["cause"].as_str().unwrap_or_default();
        (Category::named(cause), one["likelihood"].as_f64().unwrap_or(0.0))
    }))
}

/// Shares of the time by category.
fn shares(direction: &Value) -> Vec<(Category, f64)> {
    let all = direction["causes"]["shares"].as_object().into_iter().flatten();
    let mut all =
        summed(all.map(|(cause, share)| (Category::named(cause), share.as_f64().unwrap_or(0.0))));
    // A bottleneck is found first, and then its owner.
    let of = |all: &[(Category, f64)], wanted| {
        all.iter().find(|one| one.0 == wanted).map_or(0.0, |one| one.1)
    };
    let [own, shared] = [of(&all, Category::Bottleneck), of(&all, Category::Shared)];
    let full = if shared > own { Category::Shared } else { Category::Bottleneck };
    all.retain(|one| !matches!(one.0, Category::Bottleneck | Category::Shared));
    all.push((full, own + shared));
    all
}

fn summed(all: impl Iterator<Item = (Category, f64)>) -> Vec<(Category, f64)> {
    let mut sums: Vec<(Category, f64)> = Vec::new();
    for (category, weight) in all {
        match sums.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum += weight,
            None => sums.push((category, weight)),
        }
    }
    sums
}

/// A count, or the least and the most of it.
fn range(count: &Value) -> [u64; 2] {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    match count.as_array() {
        Some(both) if both.len() == 2 => [number(&both[0]), number(&both[1])],
        _ => [number(count); 2],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hypotheses_and_shares_are_added_up_by_category() {
        let verdict = json!({"hypotheses": [
            {"cause": "radio_gap", "likelihood": 0.25},
            {"cause": "queue_before", "likelihood": 0.4},
            {"cause": "radio_promotion", "likelihood": 0.25},
        ]});
        let found = likelihoods(&verdict);
        assert_eq!(found, [(Category::Radio, 0.5), (Category::QueueBefore, 0.4)]);
        assert!(likelihoods(&json!({})).is_empty());
        // Both bottlenecks are one, of the greater part's name.
        let shares = shares(&json!({"causes": {"shares": {
            "application": 0.25, "bottleneck": 0.25, "shared_bottleneck": 0.5,
        }}}));
        assert_eq!(shares, [(Category::Application, 0.25), (Category::Shared, 0.75)]);
        assert_eq!((range(&json!(3)), range(&json!([1, 4]))), ([3, 3], [1, 4]));
    }
}
