//! Situations of phones and servers, each with neighbours: another direction, another limit, other ends of the capture.

use super::testing::{MSS, Model};
use crate::{Cause, Verdict};

const MS: u64 = 1000;

/// Verdict on a model, whose sentence has at most 30 words and whose likelihoods are those of exclusive hypotheses.
fn verdict(model: &Model) -> Verdict {
    let verdict = model.flow().verdict.expect("a verdict");
    let words = verdict.sentence.split_whitespace().count();
    assert!(words <= 30, "{words} words: {}", verdict.sentence);
    let all: Vec<f64> = verdict.hypotheses.iter().map(|one| one.likelihood).collect();
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
    // Hypotheses below a hundredth are left out.
    let sum: f64 = all.iter().sum();
    assert!((0.85..=1.000_001).contains(&sum), "{sum}: {all:?}");
    verdict
}

/// Asserts that the leading hypothesis is the cause at these positions, with evidence that has a location.
fn leads(cause: Cause, model: &Model, places: &[f64]) {
    for place in places {
        let verdict = verdict(&Model { place: *place, ..model.clone() });
        let lead = &verdict.hypotheses[0];
        assert_eq!(lead.cause, cause, "{place}: {}, {:?}", verdict.sentence, verdict.hypotheses);
        let evidence = lead.evidence.expect("evidence");
        assert!(evidence.from_s < evidence.to_s && evidence.packets[0] < evidence.packets[1]);
    }
}

const ALL: [f64; 3] = [0.0, 0.5, 1.0];

#[test]
fn a_queue_of_acks_is_on_the_way_back_and_one_of_data_on_its_way() {
    // 0.2 Mbit/s carry 480 ACKs a second, each of them for 1448 bytes: 5.6 Mbit/s of data.
    let base = Model { rate: 20.0, queue: 2000, ..Model::default() };
    leads(Cause::BottleneckBack, &Model { back: 0.2, ..base.clone() }, &ALL);
    leads(Cause::Bottleneck, &Model { rate: 5.6, queue: 300, ..base }, &ALL);
}

#[test]
fn a_send_buffer_is_the_senders_hosts_and_a_receive_buffer_the_receivers() {
    let base = Model { rate: 60.0, queue: 1000, ..Model::default() };
    leads(Cause::SenderHost, &Model { host: 20 * MSS, ..base.clone() }, &ALL);
    leads(Cause::ReceiverWindow, &Model { buffer: 20 * MSS, ..base }, &ALL);
}

#[test]
fn a_pacer_is_the_senders_hosts_and_a_link_of_that_rate_a_bottleneck() {
    let base = Model { rate: 60.0, queue: 1000, ..Model::default() };
    // 250 bytes a millisecond are 2 Mbit/s.
    leads(Cause::SenderHost, &Model { pace: 250, ..base }, &ALL);
    leads(Cause::Bottleneck, &Model { rate: 2.0, queue: 60, ..Model::default() }, &ALL);
}

#[test]
fn three_kilobytes_are_limited_by_nothing_and_twice_by_the_program() {
    let once = Model { writes: Some((3000, 100 * MS)), until: 50 * MS, ..Model::default() };
    leads(Cause::NothingLimits, &once, &ALL);
    let twice = Model { until: 150 * MS, ..once };
    leads(Cause::Application, &twice, &ALL);
}

#[test]
fn writes_at_87_percent_of_the_link_are_the_programs_and_more_than_it_carries_the_links() {
    // Of 10 Mbit/s, 9.65 are data: 12 064 bytes in 10 ms. Behind the link, gaps between the writes are short. The
    // program limits until the queue is full: 60 packets are 94 times the excess of 936 bytes, about a second.
    for (bytes, cause) in [(10_500, Cause::Application), (13_000, Cause::Bottleneck)] {
        let writes = Some((bytes, 10 * MS));
        leads(cause, &Model { writes, queue: 60, ..Model::default() }, &[0.0]);
    }
}

#[test]
fn a_window_that_stays_closed_is_the_receivers() {
    let model = Model { buffer: 3 * MSS, reads: 0.0, until: 200 * MS, ..Model::default() };
    leads(Cause::ReceiverWindow, &model, &ALL);
}
