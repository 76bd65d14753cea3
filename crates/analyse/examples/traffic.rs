//! Writes a large capture of headers that looks more like traffic than that of `capture`. There are
//! FLOWS downloads of PACKETS data segments on average. Their sizes are Pareto-distributed, so the
//! largest flows have most of the segments. Ten flows are of one client. They begin at random
//! within the time that 25 000 segments a second take. A flow has rounds of 10, 20, 40 segments and
//! so on up to 80, each a round trip after the one before, and an ACK for two segments. Of 200
//! segments one is lost behind the capture point, reported by SACK and sent again. FINs are at the
//! end.
//!
//!     cargo run --release -p airpath-analyse --example traffic -- FLOWS PACKETS OUT

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use airpath_base::math::exp;
use airpath_base::random::{Seed, Stream};
use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{
    Ecn, Endpoint, IpRepr, Protocol, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple,
};

/// Bytes of data in a segment.
const DATA: u32 = 1448;
/// Segments a second.
const RATE: f64 = 25_000.0;
/// Microseconds from one segment of a round to the next.
const PACE: u64 = 120;
/// Segments of the first round and of the largest.
const ROUNDS: (u32, u32) = (10, 80);
/// One segment of so many is lost.
const LOSS: u64 = 200;

const ACK: TcpFlags = TcpFlags::ACK;

/// A flow under way.
struct Flow {
    up: Tuple,
    /// Microseconds.
    rtt: u64,
    /// Segments to be sent, those that were, and those of the next round.
    size: u32,
    sent: u32,
    round: u32,
}

/// Event: a packet passes, upward or not, or a flow's next round begins.
#[derive(Clone, Copy)]
enum Event {
    Packet(bool, TcpRepr),
    Round,
}

/// Events by time, then in the order in which they were put in.
#[derive(Default)]
struct Agenda {
    heap: BinaryHeap<Reverse<(u64, u64, u32, usize)>>,
    events: Vec<Event>,
    free: Vec<usize>,
    count: u64,
}

impl Agenda {
    fn add(&mut self, at: u64, flow: u32, event: Event) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.events.push(event);
            self.events.len() - 1
        });
        self.events[place] = event;
        self.count += 1;
        self.heap.push(Reverse((at, self.count, flow, place)));
    }

    fn next(&mut self) -> Option<(u64, u32, Event)> {
        let Reverse((at, _, flow, place)) = self.heap.pop()?;
        self.free.push(place);
        Some((at, flow, self.events[place]))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, count, packets, out] = &args[..] else { return Err("FLOWS PACKETS OUT".into()) };
    let (count, packets): (u32, f64) = (count.parse()?, packets.parse()?);
    let mut file = BufWriter::new(File::create(out)?);
    file.write_all(&0xa1b2_c3d4_u32.to_le_bytes())?;
    for word in [0x0004_0002_u32, 0, 0, 96, 101] {
        file.write_all(&word.to_le_bytes())?;
    }
    let mut random = Seed(1).stream("traffic");
    let sizes: Vec<f64> = (0..count).map(|_| exp(random.exponential(1.0 / 1.2))).collect();
    let scale = packets * f64::from(count) / sizes.iter().sum::<f64>();
    let span = packets * f64::from(count) / RATE * 1e6;
    let mut agenda = Agenda::default();
    let mut flows = Vec::new();
    for (n, size) in sizes.iter().enumerate() {
        let n = n as u32;
        let [_, a, b, c] = (n / 10).to_be_bytes();
        let client = Endpoint::new([10, a, b, c], 32_768 + (n % 10) as u16);
        let server = Endpoint::new([192, 0, 2, (n % 251) as u8], 443);
        let up = Tuple { src: client, dst: server, protocol: Protocol::TCP };
        let rtt = (20_000.0 * exp(2.0 * random.uniform())) as u64;
        let size = (size * scale).round().max(1.0) as u32;
        flows.push(Flow { up, rtt, size, sent: 0, round: ROUNDS.0 });
        agenda.add((span * random.uniform()) as u64, n, Event::Round);
    }
    while let Some((at, n, event)) = agenda.next() {
        let flow = &mut flows[n as usize];
        match event {
            Event::Round => flow.go_on(at, n, &mut random, &mut agenda),
            Event::Packet(up, seg) => write(&mut file, at, flow, up, seg)?,
        }
    }
    file.flush()?;
    Ok(())
}

impl Flow {
    /// A round: segments now, their ACKs a round trip later.
    fn go_on(&mut self, at: u64, n: u32, random: &mut Stream, to: &mut Agenda) {
        if self.sent == 0 {
            self.open(at, n, to);
        }
        let begin = at + if self.sent == 0 { self.rtt + 100 } else { 0 };
        let segments = self.round.min(self.size - self.sent);
        let seq = |n: u32| SeqNumber(1).add(DATA.wrapping_mul(n));
        let down = |n: u32| TcpRepr { seq: seq(n), payload_len: DATA, ..down() };
        let mut lost = None;
        for k in 0..segments {
            let this = self.sent + k;
            let then = begin + u64::from(k) * PACE;
            to.add(then, n, Event::Packet(false, down(this)));
            let back = then + self.rtt;
            if lost.is_none() && k + 4 < segments && random.below(LOSS) == 0 {
                lost = Some(this);
            } else if let Some(lost) = lost {
                let mut ack = TcpRepr { ack: seq(lost), ..up() };
                ack.sack.push(seq(lost + 1), seq(this + 1));
                to.add(back, n, Event::Packet(true, ack));
            } else if this % 2 == 1 || k + 1 == segments {
                to.add(back, n, Event::Packet(true, TcpRepr { ack: seq(this + 1), ..up() }));
            }
        }
        self.sent += segments;
        let mut end = begin + u64::from(segments) * PACE + self.rtt;
        if let Some(lost) = lost {
            to.add(end, n, Event::Packet(false, down(lost)));
            end += self.rtt;
            to.add(end, n, Event::Packet(true, TcpRepr { ack: seq(self.sent), ..up() }));
        }
        self.round = if lost.is_some() { ROUNDS.0 } else { (2 * self.round).min(ROUNDS.1) };
        match self.sent < self.size {
            true => to.add(end + 200, n, Event::Round),
            false => self.close(end + 200, n, seq(self.sent), to),
        }
    }

    fn open(&self, at: u64, n: u32, to: &mut Agenda) {
        let syn = TcpRepr { window_scale: Some(7), sack_permitted: true, ..TcpRepr::default() };
        let flags = TcpFlags::SYN;
        to.add(at, n, Event::Packet(true, TcpRepr { flags, window: 64_000, ..syn }));
        let both = TcpRepr { flags: flags.with(ACK), ack: SeqNumber(1), window: 64_000, ..syn };
        to.add(at + 50, n, Event::Packet(false, both));
        to.add(at + self.rtt, n, Event::Packet(true, TcpRepr { ack: SeqNumber(1), ..up() }));
    }

    fn close(&self, at: u64, n: u32, seq: SeqNumber, to: &mut Agenda) {
        let flags = TcpFlags::FIN.with(ACK);
        to.add(at, n, Event::Packet(false, TcpRepr { seq, flags, ..down() }));
        let fin = TcpRepr { ack: seq.add(1), flags, ..up() };
        to.add(at + self.rtt, n, Event::Packet(true, fin));
        let last = TcpRepr { seq: seq.add(1), ack: SeqNumber(2), ..down() };
        to.add(at + self.rtt + 50, n, Event::Packet(false, last));
    }
}

fn up() -> TcpRepr {
    TcpRepr { seq: SeqNumber(1), flags: ACK, window: 4000, ..TcpRepr::default() }
}

fn down() -> TcpRepr {
    TcpRepr { ack: SeqNumber(1), flags: ACK, window: 500, ..TcpRepr::default() }
}

fn write(
    file: &mut impl Write,
    at: u64,
    flow: &Flow,
    up: bool,
    seg: TcpRepr,
) -> Result<(), Box<dyn std::error::Error>> {
    let tuple = if up { flow.up } else { flow.up.reversed() };
    let stamp = (at / 1000) as u32;
    let echo = stamp.wrapping_sub((flow.rtt / 1000) as u32);
    let seg = TcpRepr { timestamps: Some(Timestamps { value: stamp, echo }), ..seg };
    let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 20 + seg.header_len() + seg.payload_len);
    let mut bytes = Vec::with_capacity(96);
    let len = emit(Inner::Repr(ip, Content::Tcp(seg)), &[], 96, &mut bytes)
        .map_err(|_| io::Error::other("a packet is too long"))?;
    bytes.truncate(20 + seg.header_len() as usize);
    for word in [(at / 1_000_000) as u32, (at % 1_000_000) as u32, bytes.len() as u32, len] {
        file.write_all(&word.to_le_bytes())?;
    }
    file.write_all(&bytes)?;
    Ok(())
}
