//! Keys that can change while the world runs.

use crate::file::Scenario;

/// Kind of a step of a key.
#[derive(Clone, Copy)]
enum Step {
    /// This.
    Word(&'static str),
    /// A name or a number.
    Any,
    /// One of these.
    OneOf(&'static [&'static str]),
}

use Step::{Any, OneOf, Word};

const WIRES: &[&str] = &["sgi", "s5", "s1"];
const OF_WIRE: &[&str] = &["rate", "delay", "loss", "mark"];
const OF_QUEUE: &[&str] = &["low", "high", "threshold", "target", "ramp_low", "ramp_high", "step"];
const QUEUES: &[&str] = &["queue", "uplink_queue"];

/// The keys, as rows of steps.
const KEYS: &[&[Step]] = &[
    &[Word("path"), OneOf(WIRES), OneOf(OF_WIRE)],
    &[Word("path"), OneOf(WIRES), Word("up"), OneOf(OF_WIRE)],
    &[Word("path"), OneOf(WIRES), Word("queue"), OneOf(OF_QUEUE)],
    &[Word("path"), OneOf(WIRES), Word("up"), Word("queue"), OneOf(OF_QUEUE)],
    &[Word("path"), Word("proxy"), Word("link"), OneOf(OF_WIRE)],
    &[Word("path"), Word("proxy"), Word("link"), Word("up"), OneOf(OF_WIRE)],
    &[Word("ue"), Any, Word("snr")],
    &[Word("ue"), Any, Word("snr"), OneOf(&["down", "up"])],
    &[Word("flow"), Any, Word("active")],
    &[Word("bearer"), Any, Word("marking")],
    &[Word("bearer"), Any, OneOf(QUEUES), OneOf(OF_QUEUE)],
    &[Word("bearer"), Any, Word("qos_flow"), Any, OneOf(QUEUES), OneOf(OF_QUEUE)],
    &[Word("bearer"), Any, Word("uplink_marking"), OneOf(&["low", "high"])],
];

/// Keys that can change, in words.
pub(super) const ALLOWED: &str = "these can: path.LINK.rate, .delay, .loss and .mark, with .up \
    for the way from the UEs; ue.NAME.snr; flow.NAME.active; bearer.NAME.marking; and of queues \
    low and high of a ramp, threshold of a step, target of codel, fq-codel, pie, l4span and \
    dualpi2, and of dualpi2 ramp_low, ramp_high and step";

/// True if a key is of the kind that can change.
pub(crate) fn is_known(key: &str) -> bool {
    let steps: Vec<&str> = key.split('.').map(str::trim).collect();
    let fits = |(step, word): (&Step, &&str)| match step {
        Word(known) => known == word,
        Any => !word.is_empty(),
        OneOf(known) => known.contains(word),
    };
    KEYS.iter().any(|key| key.len() == steps.len() && key.iter().zip(&steps).all(fits))
}

/// The keys of a scenario that can change, but for those of queues.
pub(super) fn of(scenario: &Scenario) -> Vec<String> {
    let path = &scenario.path;
    let proxy = path.proxy.as_ref().and_then(|proxy| proxy.link.as_ref());
    let links = [
        ("sgi", Some(&path.sgi)),
        ("s5", path.s5.as_ref()),
        ("s1", path.s1.as_ref()),
        ("proxy.link", proxy),
    ];
    let links = links.into_iter().filter(|(_, link)| link.is_some());
    let wires = links.flat_map(|(name, _)| {
        ["", "up."]
            .into_iter()
            .flat_map(move |way| OF_WIRE.iter().map(move |key| format!("path.{name}.{way}{key}")))
    });
    let fixed = scenario.cell.is_some() && scenario.network.is_none();
    let ues = scenario.ue.iter().filter(|_| fixed).map(|ue| format!("ue.{}.snr", ue.name));
    let flows = scenario.flow.iter().map(|flow| format!("flow.{}.active", flow.name));
    let bearers = scenario.bearer.iter().filter(|bearer| bearer.has_marks());
    let bearers = bearers.map(|bearer| format!("bearer.{}.marking", bearer.name));
    wires.chain(ues).chain(flows).chain(bearers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_can_change_are_told_from_others() {
        for key in [
            "path.sgi.rate",
            "path.s1.up.delay",
            "path.proxy.link.loss",
            "ue.near.snr.down",
            "ue.0.snr",
            "bearer.games.qos_flow.video.queue.low",
        ] {
            assert!(is_known(key), "{key}");
        }
        for key in ["path.sgi", "path.sgi.layer2", "cell.bandwidth", "ue.near", "flow..active", ""]
        {
            assert!(!is_known(key), "{key}");
        }
    }
}
