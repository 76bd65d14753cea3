//! Open-loop runs of the reference implementation, replayed: windows and targets must
//! stay within 1 % at every state that the data carry. 20, 10 and 20 Mbit/s behind a
//! marking ramp of 5 to 10 ms, 15 s.

use super::super::config::Pacing;
use super::*;
use airpath_wire::{Arrival, ArrivalOffset};

/// A run under way.
struct Replay {
    sender: Sender,
    now: Ticks,
    seq: u16,
    frame: u64,
    /// The sender looks again when its pace lets it, unless something happens before.
    look: Option<Ticks>,
    states: usize,
}

impl Replay {
    fn new(version: Version) -> Replay {
        let config = Config { version, ..Config::default() };
        let mut sender = Sender::new(10, config).expect("options that work");
        sender.began = Some(Time::ZERO);
        Replay { sender, now: 0, seq: 0, frame: 0, look: None, states: 0 }
    }

    fn run(&mut self, data: &str) {
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            let (kind, rest) = line.split_once(' ').expect("a kind of line");
            let words: Vec<&str> = rest.split(' ').collect();
            match kind {
                "F" => self.frame(number(words[0]), number(words[1])),
                "T" => words.into_iter().for_each(|word| self.leave(word)),
                "R" => self.report(&words),
                _ => self.compare(&words),
            }
        }
    }

    fn advance(&mut self, span: Ticks) {
        self.now += span;
        if let Some(at) = self.look.take_if(|at| *at <= self.now) {
            self.sender.look(at);
        }
    }

    fn frame(&mut self, span: Ticks, bytes: u64) {
        self.advance(span);
        let mut left = bytes as u32;
        while left > 0 {
            let size = left.min(1212);
            left -= size;
            let timestamp = (self.now * 90_000 / 65_536) as u32;
            let (seq, marker, frame) = (self.seq, left == 0, self.frame);
            let packet = MediaPacket { size, seq, timestamp, marker, frame };
            self.sender.shared.queue.push(self.now, packet);
            self.seq = self.seq.wrapping_add(1);
        }
        self.frame += 1;
        self.sender.frame_made(self.now, bytes);
        self.sender.look(self.now);
    }

    fn leave(&mut self, word: &str) {
        let (span, times) = word.split_once('*').unwrap_or((word, "1"));
        for _ in 0..number(times) {
            self.advance(number(span));
            self.sender.look(self.now);
            let packet = self.sender.shared.queue.pop().expect("the reference sent a packet");
            self.sender.sent(self.now, packet);
            self.look = Some(self.sender.next);
        }
    }

    fn report(&mut self, words: &[&str]) {
        self.advance(number(words[0]));
        let timestamp = self.now - number(words[1]);
        let (mut units, mut ecn, mut packets) = (0, Ecn::Ect1, Vec::new());
        for letter in words[3].chars() {
            if letter == '!' {
                ecn = Ecn::Ce;
                continue;
            }
            units += letter.to_digit(36).expect("a digit");
            let offset = ArrivalOffset::from_units(units);
            packets.push(Some(Arrival { ecn, offset }));
            ecn = Ecn::Ect1;
        }
        packets.reverse();
        let begin_seq = (number(words[2]) as u16).wrapping_sub(packets.len() as u16 - 1);
        let stream = StreamReport { ssrc: 10, begin_seq, packets };
        self.sender.report(self.now, &stream, timestamp as u32);
        self.sender.look(self.now);
    }

    fn compare(&mut self, words: &[&str]) {
        let state = self.sender.state();
        let pace = match &self.sender.control {
            Control::V1(v1) => v1.pace(),
            Control::V2(v2) => v2.pace(),
        };
        let close = |name: &str, value: f64, word: &str, least: f64| {
            let wanted: f64 = word.parse().expect("a number");
            let off = (value - wanted).abs();
            let at = self.now as f64 / SECOND as f64;
            assert!(off <= 0.01 * wanted + least, "{name} at {at} s: {value}, not {wanted}");
        };
        close("window", state.cwnd as f64, words[0], 0.0);
        close("target", state.target, words[1], 0.0);
        close("alpha", state.alpha, words[2], 1e-5);
        close("smoothed RTT", state.srtt * SECOND as f64, words[3], 1.0);
        close("queue delay", state.queue_delay, words[4], 1e-6);
        close("pace", pace as f64, words[5], 1.0);
        self.states += 1;
    }
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

#[test]
fn version_1_follows_the_reference() {
    let mut replay = Replay::new(Version::V1 { pacing: Pacing::Target });
    replay.run(include_str!("data/v1.txt"));
    assert_eq!(replay.states, 2451 / 50);
}

#[test]
fn version_2_follows_the_reference() {
    let mut replay = Replay::new(Version::V2);
    replay.run(include_str!("data/v2.txt"));
    assert_eq!(replay.states, 2289 / 50);
}
