//! Open-loop runs of the reference implementation, replayed. Windows and targets must stay within 1
//! % at every state that the data carry, behind a marking ramp of 5 to 10 ms. The step of capacity
//! has the state after each event. The runs with losses have it after each 25th, which is all that
//! was recorded of them.

use super::super::config::{Options, Pacing};
use super::*;
use airpath_wire::ArrivalOffset;
use std::collections::HashSet;

/// A run under way.
struct Replay {
    sender: Sender,
    now: Ticks,
    seq: u16,
    frame: u64,
    /// The sender looks again when its pace lets it, unless something happens before.
    look: Option<Ticks>,
    /// Packets that reports have named.
    named: HashSet<u16>,
    /// In how many blocks a report names its packets.
    blocks: usize,
    /// The last state of the data, which says what has changed.
    wanted: [f64; 6],
    states: usize,
}

impl Replay {
    fn new(config: Config, seq: u16) -> Replay {
        let mut sender = Sender::new(10, config).expect("options that work");
        sender.began = Some(Time::ZERO);
        let (named, wanted) = (HashSet::new(), [0.0; 6]);
        Replay { sender, now: 0, seq, frame: 0, look: None, named, blocks: 1, wanted, states: 0 }
    }

    fn run(&mut self, data: &str) {
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let kind = words.next().expect("a kind of line");
            let words: Vec<&str> = words.collect();
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
            let packet = MediaPacket { size, seq, timestamp, marker, frame, padding: false };
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
        let end = number(words[2]) as u16;
        let mut packets = self.arrivals(end, words[3]);
        // Those further back: named by an earlier report, or not there.
        let count = if matches!(self.sender.control, Control::V1(_)) { 64 } else { 32 };
        for back in packets.len() as u16..count {
            let known = self.named.contains(&end.wrapping_sub(back));
            packets.push(known.then_some(KNOWN));
        }
        packets.reverse();
        let mut begin_seq = end.wrapping_sub(packets.len() as u16 - 1);
        let mut streams = Vec::new();
        for part in packets.chunks(packets.len().div_ceil(self.blocks)) {
            streams.push(StreamReport { ssrc: 10, begin_seq, packets: part.to_vec() });
            begin_seq = begin_seq.wrapping_add(part.len() as u16);
        }
        let blocks: Vec<&StreamReport> = streams.iter().collect();
        self.sender.report(self.now, &blocks, timestamp as u32);
        self.sender.look(self.now);
    }

    /// Arrivals of the packets up to `end` in a line, the newest first.
    fn arrivals(&mut self, end: u16, word: &str) -> Vec<Option<Arrival>> {
        let (mut units, mut ecn, mut packets) = (0, Ecn::Ect1, Vec::new());
        let mut letters = word.chars();
        while let Some(letter) = letters.next() {
            let step = match letter {
                '!' => {
                    ecn = Ecn::Ce;
                    continue;
                }
                '-' | '=' => {
                    packets.push((letter == '=').then_some(KNOWN));
                    continue;
                }
                '(' => {
                    let digits: String = letters.by_ref().take_while(|c| *c != ')').collect();
                    digits.parse().expect("a number")
                }
                _ => letter.to_digit(36).expect("a digit") as i32,
            };
            units += step;
            self.named.insert(end.wrapping_sub(packets.len() as u16));
            let offset = ArrivalOffset::from_units(units as u32);
            packets.push(Some(Arrival { ecn, offset }));
            ecn = Ecn::Ect1;
        }
        packets
    }

    fn compare(&mut self, words: &[&str]) {
        for (wanted, word) in self.wanted.iter_mut().zip(words).filter(|(_, word)| **word != ".") {
            *wanted = word.parse().expect("a number");
        }
        let state = self.sender.state();
        let pace = match &self.sender.control {
            Control::V1(v1) => v1.pace(),
            Control::V2(v2) => v2.pace(),
        };
        let close = |name: &str, value: f64, wanted: f64, least: f64| {
            let off = (value - wanted).abs();
            let at = self.now as f64 / SECOND as f64;
            assert!(off <= 0.01 * wanted + least, "{name} at {at} s: {value}, not {wanted}");
        };
        close("window", state.cwnd as f64, self.wanted[0], 0.0);
        close("target", state.target, self.wanted[1], 0.0);
        close("alpha", state.alpha, self.wanted[2], 1e-5);
        close("smoothed RTT", state.srtt * SECOND as f64, self.wanted[3], 1.0);
        close("queue delay", state.queue_delay, self.wanted[4], 1e-6);
        close("pace", pace as f64, self.wanted[5], 1.0);
        self.states += 1;
    }
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

/// An arrival of an earlier report, which is not read again.
const KNOWN: Arrival = Arrival { ecn: Ecn::Ect1, offset: ArrivalOffset::UNAVAILABLE };

fn version_1(pacing: Pacing) -> Options {
    Options { version: Version::V1, pacing, ..Options::default() }
}

#[test]
fn a_step_of_capacity() {
    // 20, 10 and 20 Mbit/s, 15 s. It must not matter in how many blocks a report names its
    // packets.
    let runs = [
        (version_1(Pacing::Target), include_str!("data/v1.txt"), 2451),
        (Options::default(), include_str!("data/v2.txt"), 2289),
    ];
    for ((options, data, states), blocks) in runs.into_iter().flat_map(|r| [(r, 1), (r, 3)]) {
        let mut replay = Replay::new(Config { options, ..Config::default() }, 0);
        replay.blocks = blocks;
        replay.run(data);
        assert_eq!(replay.states, states);
    }
}

#[test]
fn losses_discards_and_limits() {
    // 4 Mbit/s, 1 from 5.5 to 6.5 s, then 5. Targets of 0.8 to 2.5 Mbit/s, 2 % lost from 3.5 to 4.5
    // s and 0.4 % out of order. 5 % of the reports are lost, frames are large each second, and
    // sequence numbers wrap.
    let runs = [
        (version_1(Pacing::Window), include_str!("data/v1_early_loss.txt"), 963 / 25),
        (version_1(Pacing::Target), include_str!("data/v1_loss.txt"), 878 / 25),
        (Options::default(), include_str!("data/v2_loss.txt"), 1047 / 25),
    ];
    for (options, data, states) in runs {
        let config = Config { options, min_bitrate: 0.8e6, start_bitrate: 2e6, max_bitrate: 2.5e6 };
        let mut replay = Replay::new(config, 65_200);
        replay.run(data);
        assert_eq!(replay.states, states);
        let state = replay.sender.state();
        assert!(state.lost_packets > 3 && state.discarded_packets > 50, "{state:?}");
    }
}
