//! Simulated flows with known causes, each alone and in pairs.

use super::testing::{MSS, Model};
use crate::Cause;

const MS: u64 = 1000;
/// Flows are judged where the largest share leads by so much.
const LEAD: f64 = 0.1;
/// Share of them that are to be right.
const RIGHT: f64 = 0.97;

/// Limits that are alone, on paths of that round trip in milliseconds.
fn alone(rtt: u64, cell: bool) -> Vec<(&'static str, Model)> {
    let base = Model { rtt: rtt * MS, cell, ..Model::default() };
    let wide = Model { rate: 60.0, queue: 1000, ..base.clone() };
    let writes = |bytes, every| Model { writes: Some((bytes, every * MS)), ..base.clone() };
    vec![
        ("deep", Model { queue: 200, ..base.clone() }),
        ("shallow", Model { queue: 40, ..base.clone() }),
        ("slow", Model { rate: 2.0, queue: 60, ..base.clone() }),
        ("loss 60", Model { lost: 61, ..wide.clone() }),
        ("loss 30", Model { lost: 31, ..wide.clone() }),
        ("write 300", writes(300, 5)),
        ("write 3000", writes(3000, 9)),
        ("write 20000", writes(20_000, 100)),
        ("write 60000", writes(60_000, 500)),
        ("buffer", Model { buffer: 12 * MSS, ..wide.clone() }),
        ("reader", Model { buffer: 100_000, reads: 200.0, ..wide.clone() }),
        ("reader, paced", Model { buffer: 100_000, reads: 200.0, paced: true, ..wide.clone() }),
        ("start", Model { rate: 400.0, queue: 4000, until: 5 * rtt * MS, ..base.clone() }),
    ]
}

/// Limits that hold for a while.
fn whiles(rtt: u64, cell: bool) -> Vec<(&'static str, Model)> {
    let base = Model { rtt: rtt * MS, cell, ..Model::default() };
    let writes = Some((2 * MSS + 10, 40 * MS));
    let wakes = Some((8 * MSS + 10, 700 * MS));
    vec![
        ("gap", Model { still: (700 * MS, 3200 * MS), writes, ..base.clone() }),
        ("outage", Model { outage: (900 * MS, 2400 * MS), ..base.clone() }),
        ("gone", Model { dead: 1000 * MS, until: 6000 * MS, ..base.clone() }),
        ("wakes", Model { sleeps: (300 * MS, 450 * MS), writes: wakes, ..base }),
    ]
}

/// One behind the other.
fn pairs(rtt: u64, cell: bool) -> Vec<(String, Model)> {
    let chosen = ["deep", "loss 60", "write 3000", "buffer", "reader"];
    let mut all = alone(rtt, cell);
    all.retain(|(name, _)| chosen.contains(name));
    let mut pairs = Vec::new();
    for (one, a) in &all {
        let small = |name: &str| ["buffer", "reader"].contains(&name);
        // A window that was announced is not taken back.
        let others = all.iter().filter(|(other, _)| other != one && (small(one) || !small(other)));
        for (other, b) in others {
            for turn in [1400, 2700] {
                let then = Some((turn * MS, Box::new(b.clone())));
                pairs
                    .push((format!("{one}, {other} at {turn}"), Model { turn: then, ..a.clone() }));
            }
        }
    }
    pairs
}

/// True if the cause with the greatest share is the true one; none if no cause leads by enough.
fn is_right(name: &str, model: &Model) -> Option<bool> {
    let run = model.run();
    let truth = run.shares();
    let (first, share) = truth[0];
    let second = truth.get(1).map_or(0.0, |(_, share)| *share);
    if share - second < LEAD {
        return None;
    }
    let causes = run.capture().flow().down.causes.expect("causes");
    let said = causes.first().0;
    if said != first {
        let ranked = causes.ranked();
        println!("{name} at {}, RTT {}: {truth:?}, said {ranked:?}", model.place, model.rtt / MS);
    }
    Some(said == first)
}

fn bench(rtts: &[u64], places: &[f64]) {
    let mut judged = Vec::new();
    for (rtt, cell) in rtts.iter().flat_map(|rtt| [(*rtt, false), (*rtt, true)]) {
        let one = alone(rtt, cell).into_iter().chain(whiles(rtt, cell));
        let one = one.map(|(name, model)| (name.to_owned(), model));
        for (name, model) in one.chain(pairs(rtt, cell)) {
            let name = if cell { format!("{name}, cell") } else { name };
            // Nothing is seen at the receiver of what does not arrive.
            for place in places.iter().filter(|place| **place == 0.0 || model.dead == u64::MAX) {
                let turn = model.turn.clone().map(|(at, mut then)| {
                    then.place = *place;
                    (at, then)
                });
                let model = Model { place: *place, turn, ..model.clone() };
                judged.extend(is_right(&name, &model));
            }
        }
    }
    let right = judged.iter().filter(|right| **right).count();
    println!("{right} of {}", judged.len());
    assert!(judged.len() > 50 && right as f64 >= RIGHT * judged.len() as f64);
}

#[test]
fn each_cause_alone_and_in_pairs_is_told() {
    match std::env::var_os("AIRPATH_TEST_LONG").is_some() {
        true => bench(&[15, 30, 60, 100, 150, 250], &[0.0, 0.5, 1.0]),
        false => bench(&[60], &[0.0, 0.5, 1.0]),
    }
}

#[test]
fn what_leads_is_known_of_the_simulated_flows_themselves() {
    let shares = |model: &Model| model.run().shares();
    let deep = Model { queue: 200, ..Model::default() };
    assert_eq!(shares(&deep)[0].0, Cause::Bottleneck);
    let writes = Model { writes: Some((300, 5 * MS)), ..Model::default() };
    assert_eq!(shares(&writes), [(Cause::Application, 1.0)]);
}
