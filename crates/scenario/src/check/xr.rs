//! Checks of traffic of extended reality.

use std::collections::BTreeMap;

use super::Checker;
use crate::file::{Flow, FlowKind, Scenario, Xr, XrPart};

/// Smallest IP packet of RTP: its headers and a byte.
const LEAST: f64 = 41.0;

pub(super) fn check(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    if flow.kind != FlowKind::Xr {
        return;
    }
    if flow.size.is_some() {
        let allowed = "say xr.size, or xr.rate";
        checker.fail(&format!("{path}.size"), "is for flows of kind \"tcp\"", allowed);
    }
    let Some(xr) = &flow.xr else {
        let allowed = "add xr = \"vr\", or another model";
        return checker.fail(&format!("{path}.kind"), "has no model", allowed);
    };
    let path = |key: &str| format!("{path}.xr.{key}");
    if xr.rate.is_some() && xr.size.is_some() {
        checker.fail(&path("size"), "is beside rate", "give one of them");
    }
    check_model(xr, &path, checker);
    if xr.mean_size() * xr.min < LEAST {
        let is_wrong = format!("makes frames of {:.0} B", xr.mean_size() * xr.min);
        let key = if xr.size.is_some() { "size" } else { "rate" };
        let allowed = format!("frames of {LEAST} B or more: headers and a byte");
        checker.fail(&path(key), &is_wrong, allowed);
    }
    if xr.is_periodic() && xr.range() * 2 > xr.period() {
        let most = xr.period() / 2;
        let is_wrong = format!("lets frames overtake each other: one comes each {}", xr.period());
        let key = if xr.jitter_range.is_some() { "jitter_range" } else { "jitter" };
        let allowed = format!("a jitter_range of at most {most}, half of that");
        checker.fail(&path(key), &is_wrong, allowed);
    }
}

/// Keys that the model or the part has no use for.
fn check_model(xr: &Xr, path: &impl Fn(&str) -> String, checker: &mut Checker<'_>) {
    let word = xr.model.word();
    if xr.is_periodic() && xr.interval.is_some() {
        let allowed = "give frame_rate, or model = \"ftp-3\"";
        checker.fail(&path("interval"), &format!("is not for \"{word}\""), allowed);
    }
    if !xr.is_periodic() {
        let others = [
            ("frame_rate", xr.frame_rate.is_some()),
            ("rate", xr.rate.is_some()),
            ("phase", xr.phase.is_some()),
            ("part", xr.part != XrPart::Whole),
        ];
        for (key, _) in others.into_iter().filter(|(_, given)| *given) {
            let is_wrong = "is not for \"ftp-3\", whose files come as a Poisson process";
            checker.fail(&path(key), is_wrong, "leave it out; size and interval give its rate");
        }
    }
}

/// Frames after which sizes of the flow repeat.
fn cycle(xr: &Xr) -> u32 {
    match xr.part {
        XrPart::IFrames | XrPart::PFrames => xr.group,
        XrPart::Whole | XrPart::ISlice | XrPart::PSlices => 1,
    }
}

/// The part that completes a part of an encoder's frames; none for whole frames.
fn other_part(part: XrPart) -> Option<XrPart> {
    match part {
        XrPart::Whole => None,
        XrPart::ISlice => Some(XrPart::PSlices),
        XrPart::PSlices => Some(XrPart::ISlice),
        XrPart::IFrames => Some(XrPart::PFrames),
        XrPart::PFrames => Some(XrPart::IFrames),
    }
}

/// A part of frames has the other part beside it, in the same direction and from the same encoder.
fn check_parts(scenario: &Scenario, checker: &mut Checker<'_>) {
    let parts = |n: usize| {
        let flow = &scenario.flow[n];
        let xr = flow.xr.as_ref().filter(|_| flow.kind == FlowKind::Xr)?;
        Some((xr.encoder.as_deref()?, flow.direction, xr.part))
    };
    for n in 0..scenario.flow.len() {
        let Some((encoder, direction, part)) = parts(n) else { continue };
        let Some(other) = other_part(part) else { continue };
        let own = scenario.members(&scenario.flow[n].ue, scenario.flow[n].only.as_ref());
        let of_ue = |ue: usize, wanted: XrPart| {
            let has = |n: &usize| {
                let flow = &scenario.flow[*n];
                parts(*n) == Some((encoder, direction, wanted))
                    && scenario.members(&flow.ue, flow.only.as_ref()).contains(&ue)
            };
            (0..scenario.flow.len()).filter(has).count()
        };
        if own.into_iter().any(|ue| of_ue(ue, other) != 1 || of_ue(ue, part) != 1) {
            let allowed = format!(
                "one flow of each part, \"{}\" and \"{}\", with encoder = \"{encoder}\" and one direction, or part = \"whole\"",
                part.word(),
                other.word()
            );
            let key = format!("flow.{n}.xr.part");
            return checker.fail(
                &key,
                "is a part of frames whose other part has no flow",
                &allowed,
            );
        }
    }
}

/// Flows of one encoder have the same times of frames.
pub(super) fn check_encoders(scenario: &Scenario, checker: &mut Checker<'_>) {
    check_parts(scenario, checker);
    let mut known: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (n, flow) in scenario.flow.iter().enumerate() {
        let Some(xr) = flow.xr.as_ref().filter(|_| flow.kind == FlowKind::Xr) else { continue };
        let Some(name) = xr.encoder.as_deref() else { continue };
        for ue in scenario.members(&flow.ue, flow.only.as_ref()) {
            let first = *known.entry((ue, name)).or_insert(n);
            let other = &scenario.flow[first];
            let Some(of) = &other.xr else { continue };
            let same = [
                ("frame_rate", xr.frame_rate == of.frame_rate),
                ("jitter", xr.jitter == of.jitter),
                ("jitter_range", xr.range() == of.range()),
                ("phase", xr.phase == of.phase),
                ("part", cycle(xr) == cycle(of)),
                ("start", flow.start == other.start),
            ];
            if let Some((key, _)) = same.into_iter().find(|(_, same)| !same) {
                let is_wrong = format!("is not that of \"{}\", the same encoder", other.name);
                let table = if key == "start" { "" } else { "xr." };
                let allowed = "the same in both flows, or another encoder";
                return checker.fail(&format!("flow.{n}.{table}{key}"), &is_wrong, allowed);
            }
        }
    }
}
