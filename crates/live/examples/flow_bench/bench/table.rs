//! Tables of judged captures.

use std::collections::BTreeMap;

use super::draw::{KINDS, Kind, MEDIA};
use super::judge::{Judged, POINTS, Point};
use super::verdict::Category;

/// Bins of likelihoods, in percent.
const BINS: [u32; 7] = [0, 30, 50, 70, 90, 97, 101];

/// All tables.
pub fn table(all: &[Judged]) -> String {
    let judged: Vec<&Judged> = all.iter().filter(|one| one.truth.is_some()).collect();
    let undecided = all.iter().filter(|one| one.truth.is_none() && one.point == Point::Sender);
    let mut text = format!("flows without a leading cause: {}\n", undecided.count());
    for point in POINTS {
        let here: Vec<&Judged> = judged.iter().copied().filter(|one| one.point == point).collect();
        text += &format!("{point:?}: {} right\n", share(&here, |one| one.right));
        text += &confusion(&here);
    }
    text + &kinds(&judged) + &certain(&judged) + &counts(all) + &calibration(&judged) + &radio(all)
}

/// Those with a property, of all, and in percent.
fn share(all: &[&Judged], holds: impl Fn(&Judged) -> bool) -> String {
    let count = all.iter().filter(|one| holds(one)).count();
    format!("{count} of {} ({:.1}%)", all.len(), 100.0 * count as f64 / all.len().max(1) as f64)
}

/// Verdicts by true category.
fn confusion(here: &[&Judged]) -> String {
    let mut rows: BTreeMap<Category, BTreeMap<Category, usize>> = BTreeMap::new();
    for one in here {
        let row = rows.entry(Category::of(one.truth.expect("judged"))).or_default();
        *row.entry(one.verdict.category).or_default() += 1;
    }
    let mut text = String::new();
    for (category, verdicts) in rows {
        let verdicts = verdicts.iter().map(|(verdict, count)| format!("{verdict:?} {count}"));
        let verdicts: Vec<String> = verdicts.collect();
        text += &format!("  {:<16} {}\n", format!("{category:?}"), verdicts.join(", "));
    }
    text
}

/// Captures that are right, and those judged, by kind and point.
fn kinds(judged: &[&Judged]) -> String {
    let mut text = "kind: right at the sender, between, at the receiver\n".to_owned();
    for kind in KINDS.into_iter().chain(MEDIA) {
        let cells = POINTS.map(|point| {
            let of = |one: &&&Judged| one.kind == kind && one.point == point;
            let here: Vec<&Judged> = judged.iter().filter(of).copied().collect();
            format!("{} of {}", here.iter().filter(|one| one.right).count(), here.len())
        });
        text += &format!(
            "  {:<16} {:<10} {:<10} {}\n",
            format!("{kind:?}"),
            cells[0],
            cells[1],
            cells[2]
        );
    }
    text
}

/// Certain verdicts that are wrong, and plain flows that are called certain.
fn certain(judged: &[&Judged]) -> String {
    let certain: Vec<&Judged> = judged.iter().copied().filter(|one| one.verdict.certain).collect();
    let plain = |kind: Kind| kind.is_plain();
    let plain: Vec<&Judged> = judged
        .iter()
        .copied()
        .filter(|one| plain(one.kind) && one.point == Point::Sender)
        .collect();
    format!(
        "certain and wrong: {}\nplain kinds called certain at the sender: {}\n",
        share(&certain, |one| !one.right),
        share(&plain, |one| one.verdict.certain)
    )
}

/// Counts of segments sent again.
fn counts(all: &[Judged]) -> String {
    let mut text = "segments sent again, within 10% or 2:\n".to_owned();
    let rows = POINTS.iter().flat_map(|point| [(*point, false), (*point, true)]);
    for (point, merged) in rows.filter(|row| *row != (Point::Between, true)) {
        let is = |one: &&Judged| one.point == point && one.merged == merged;
        let here: Vec<&Judged> = all.iter().filter(is).filter(|one| one.again.is_some()).collect();
        let near = share(&here, |one| one.again.is_some_and(|(_, near)| near));
        let merged = if merged { ", of packets that offload merged" } else { "" };
        text += &format!("  {point:?}{merged}: {near}\n");
    }
    text
}

/// Right verdicts by likelihood.
fn calibration(judged: &[&Judged]) -> String {
    if !judged.iter().any(|one| one.verdict.has_likelihoods) {
        return "no likelihoods\n".to_owned();
    }
    let mut text = "likelihood: right\n".to_owned();
    for bin in BINS.windows(2) {
        let within = |one: &&&Judged| {
            let percent = one.verdict.likelihood * 100.0;
            percent >= f64::from(bin[0]) && percent < f64::from(bin[1])
        };
        let here: Vec<&Judged> = judged.iter().filter(within).copied().collect();
        text +=
            &format!("  {:>3} to {:>3}%: {}\n", bin[0], bin[1] - 1, share(&here, |one| one.right));
    }
    text
}

/// Radios named where there is none, and where there is one.
fn radio(all: &[Judged]) -> String {
    let [wired, cells] = [true, false]
        .map(|wired| all.iter().filter(|one| one.wired == wired).collect::<Vec<&Judged>>());
    format!(
        "captures whose verdict is a radio: wires {}, cells {}\n",
        share(&wired, |one| one.verdict.radio),
        share(&cells, |one| one.verdict.radio)
    )
}
