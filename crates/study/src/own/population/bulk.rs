//! Long answers: bursts that a server sends faster than the radio can take them, losses,
//! full windows, pauses.
//!
//! A burst passes the monitor faster than any bandwidth (the study's condition (i)). The client
//! receives the packets at the available bandwidth, and acknowledges two at a time. Gaps between
//! bursts make the used bandwidth less than the available.

use std::collections::VecDeque;

use super::params::Params;
use super::plan::MSS;
use super::script::{answer_text, end, handshake, request};
use super::segments::{Connection, Side};

/// Between two packets of a burst at the monitor: 80 Mbit/s, above the study's C.
const BURST: f64 = MSS as f64 * 8.0 / 80e6;
/// Packets of a burst that does not fill the window, and of one in a grown window.
const PACKETS: u32 = 60;
const GROWN_PACKETS: u32 = 160;
/// Packets at most of a burst in a flow without pauses, and its longest time in s.
const STEADY_PACKETS: f64 = 40.0;
const STEADY_BURST: f64 = 0.25;
/// Share of a flow that comes at a pace if it uses more than its bursts show.
const PACED: f64 = 0.7;
/// Time after a loss in which packets come evenly, in s; longer than R_ss looks.
const EVENLY: f64 = 0.23;
/// Least time between two such packets, in s.
const STEP: f64 = 0.004;
/// Time from the last duplicate ACK to the retransmission by the timer, in s. `GROWTH` has the
/// packets of a slow start: time after the last duplicate ACK in s, and number.
const TIMER: f64 = 0.03;
const GROWTH: [(f64, u32); 2] = [(0.115, 2), (0.16, 4)];

/// The client: arrivals of packets, and ACKs on their way back.
struct Receiver {
    /// Seconds that a byte takes.
    byte: f64,
    /// Instant at which the client has received the last packet, in s.
    free: f64,
    /// Packets that it has not acknowledged.
    pending: u32,
    /// ACKs under way: instant at which each passes the monitor, and its sequence number.
    acks: VecDeque<(f64, u32)>,
}

impl Receiver {
    fn new(bps: f64) -> Receiver {
        Receiver { byte: 8.0 / bps, free: 0.0, pending: 0, acks: VecDeque::new() }
    }

    /// Receives a packet that passed the monitor at `at`; returns the instant of its arrival.
    fn arrives(&mut self, at: f64, way: f64, len: u32) -> f64 {
        self.free = self.free.max(at + way) + f64::from(len) * self.byte;
        self.free
    }

    /// Writes the ACKs that pass by `at`.
    fn acks(&mut self, flow: &mut Connection<'_>, at: f64) {
        while let Some((when, to)) = self.acks.pop_front_if(|(when, _)| *when <= at) {
            flow.ack(when, Side::Client, to, None);
        }
    }
}

/// A long answer with bursts, losses and pauses.
pub(crate) fn paused(flow: &mut Connection<'_>, params: &Params) {
    let plan = flow.plan;
    let begin = handshake(flow);
    let mut ready = request(flow, begin) + 0.001;
    let mut radio = Receiver::new(plan.available);
    let (mut left, mut text) = (plan.down, answer_text(plan));
    let last = plan.start + plan.duration - 2.0 * (plan.server_side + plan.client_side);
    let mut losses = Losses::of(flow);
    while left > 0 {
        let done = f64::from(plan.down - left) / f64::from(plan.down);
        let at = ready.max(begin + (last - begin) * done);
        radio.acks(flow, at);
        if plan.grown && done > 0.05 {
            flow.window = params.grown_window;
        }
        let sent = match losses.due(done) {
            Some(run) => lossy(flow, &mut radio, at, run, left),
            None => {
                let full = plan.full_from.is_some_and(|from| done >= from);
                burst(flow, &mut radio, at, full, left, &text)
            }
        };
        text.clear();
        left -= sent.bytes.min(left);
        ready = sent.next;
    }
    radio.acks(flow, f64::MAX);
    end(flow, (plan.start + plan.duration).max(radio.free + 0.1));
}

/// Result of a burst.
struct Sent {
    bytes: u32,
    /// Earliest beginning of the next burst, in s.
    next: f64,
}

/// Sends packets as fast as the server can, up to a number of them, or until the window is
/// full.
fn burst(
    flow: &mut Connection<'_>,
    radio: &mut Receiver,
    at: f64,
    full: bool,
    left: u32,
    text: &str,
) -> Sent {
    let most = match (full, flow.plan.grown) {
        (true, _) => u32::MAX,
        (_, true) => GROWN_PACKETS,
        _ => PACKETS,
    };
    let (mut when, mut sent, mut packets) = (at, 0, 0);
    while sent < left && packets < most {
        radio.acks(flow, when);
        let room = flow.window - flow.seq[1].wrapping_sub(flow.acked[0]).min(flow.window);
        let len = MSS.min(left - sent);
        if !full && room <= len {
            break;
        }
        let len = len.min(room);
        if len == 0 {
            break;
        }
        send(flow, radio, when, len, if sent == 0 { text } else { "" });
        (when, sent, packets) = (when + BURST, sent + len, packets + 1);
        if len == room {
            break; // it fills the window
        }
    }
    radio.flush(flow);
    // The server hears of the last ACK before it goes on, or at least of some.
    let drained = radio.free + flow.plan.client_side / 2.0;
    Sent { bytes: sent.max(1), next: if full { drained + 0.001 } else { when.max(drained - 0.01) } }
}

/// A packet and the ACK that every second one makes.
fn send(flow: &mut Connection<'_>, radio: &mut Receiver, at: f64, len: u32, text: &str) {
    let way = flow.plan.client_side / 2.0;
    flow.data(at, Side::Server, len, text);
    let came = radio.arrives(at, way, len);
    radio.pending += 1;
    if radio.pending == 2 {
        radio.pending = 0;
        radio.acks.push_back((came + way, flow.seq[1]));
    }
}

impl Receiver {
    /// Acknowledges what is left.
    fn flush(&mut self, flow: &Connection<'_>) {
        if self.pending > 0 {
            self.pending = 0;
            self.acks.push_back((self.free + flow.plan.client_side / 2.0, flow.seq[1]));
        }
    }
}

/// Losses that are still to come.
struct Losses {
    count: u32,
    done: u32,
    duplicates: u32,
    slow: Option<u32>,
}

/// A loss: duplicate ACKs, and whether a slow start follows.
struct Run {
    duplicates: u32,
    slow: bool,
}

impl Losses {
    fn of(flow: &Connection<'_>) -> Losses {
        let plan = flow.plan;
        let slow = plan.slow_start.then_some(plan.losses / 2);
        Losses { count: plan.losses, done: 0, duplicates: plan.duplicates, slow }
    }

    /// The one that is due when this share of the bytes is sent, if there is.
    fn due(&mut self, share: f64) -> Option<Run> {
        // Between 15 and 90 % of the bytes.
        let place = 0.15 + 0.75 * f64::from(self.done) / f64::from(self.count.max(1));
        if self.done >= self.count || share < place {
            return None;
        }
        let slow = self.slow == Some(self.done);
        let duplicates = (self.duplicates / (self.count - self.done)).max(3);
        self.duplicates = self.duplicates.saturating_sub(duplicates);
        self.done += 1;
        Some(Run { duplicates, slow })
    }
}

/// Sends a burst of which one packet is lost. The first packets arrive, and those behind the lost
/// one cause duplicate ACKs. The retransmission follows, then packets one by one or a slow start.
fn lossy(flow: &mut Connection<'_>, radio: &mut Receiver, at: f64, run: Run, left: u32) -> Sent {
    radio.acks(flow, f64::MAX);
    let plan = flow.plan;
    let way = plan.client_side / 2.0;
    let (before, behind) = (4, run.duplicates);
    let (mut when, mut bytes) = (at.max(radio.free), 0);
    for _ in 0..before {
        send(flow, radio, when, MSS, "");
        (when, bytes) = (when + BURST, bytes + MSS);
    }
    radio.acks(flow, f64::MAX);
    let lost = flow.seq[1];
    flow.data(when, Side::Server, MSS, "");
    let hole = flow.seq[1];
    let mut acks = Vec::new();
    for _ in 0..behind {
        when += BURST;
        flow.data(when, Side::Server, MSS, "");
        acks.push((radio.arrives(when, way, MSS) + way, flow.seq[1]));
    }
    bytes += MSS * (1 + behind);
    for (at, right) in &acks {
        flow.ack(*at, Side::Client, lost, Some((hole, *right)));
    }
    let asked = acks.get(2).map_or(when, |(at, _)| *at) + plan.server_side + 0.000_5;
    let last = acks.last().map_or(when, |(at, _)| *at);
    let again = if run.slow { last + TIMER } else { asked };
    flow.again(again, Side::Server, lost, MSS);
    let heard = radio.arrives(again, way, MSS) + way;
    flow.ack(heard.max(last + 0.000_1), Side::Client, flow.seq[1], None);
    let bytes = bytes
        + match run.slow {
            true => restart(flow, radio, last),
            false => evenly(flow, radio, last.max(again), last),
        };
    Sent { bytes: bytes.min(left), next: radio.free.max(last + EVENLY) + way }
}

/// Sends packets after a timeout, twice as many with each round trip.
fn restart(flow: &mut Connection<'_>, radio: &mut Receiver, last: f64) -> u32 {
    let mut bytes = 0;
    for (after, packets) in GROWTH {
        let at = (last + after).max(radio.free);
        for n in 0..packets {
            send(flow, radio, at + BURST * f64::from(n), MSS, "");
            bytes += MSS;
        }
    }
    radio.acks(flow, f64::MAX);
    bytes
}

/// Sends packets after a recovery at an even pace, slower than the radio, for as long as R_ss
/// looks.
fn evenly(flow: &mut Connection<'_>, radio: &mut Receiver, from: f64, last: f64) -> u32 {
    let step = STEP.max(1.1 * f64::from(MSS) * radio.byte);
    let (mut at, mut bytes) = (from + step / 2.0, 0);
    while at < last + EVENLY {
        send(flow, radio, at, MSS, "");
        (at, bytes) = (at + step, bytes + MSS);
    }
    radio.flush(flow);
    radio.acks(flow, f64::MAX);
    bytes
}

/// Sends a long answer without pauses, in bursts that show the bandwidth. A flow that uses more
/// than that adds packets at a pace that shows no bandwidth.
pub(crate) fn steady(flow: &mut Connection<'_>) {
    let plan = flow.plan;
    let begin = request_at(flow);
    let last = plan.start + plan.duration - 2.0 * (plan.server_side + plan.client_side);
    let rate = f64::from(plan.down) * 8.0 / (last - begin).max(0.1);
    // Most packets of a flow that uses more than its bursts show come at a pace.
    let bursts = rate.min(plan.available * 0.97);
    let paced = PACED / (1.0 / rate - (1.0 - PACED) / bursts);
    let each = (bursts * STEADY_BURST / 8.0 / f64::from(MSS)).clamp(2.0, STEADY_PACKETS) as u32;
    let mut radio = Receiver::new(plan.available);
    let (mut left, mut at, mut text) = (plan.down, begin, answer_text(plan));
    while left > 0 {
        let late = f64::from(left) <= PACED * f64::from(plan.down);
        let many = if late && paced > bursts { 1 } else { each };
        radio.byte = 8.0 / if many == 1 { paced * 1.2 } else { plan.available };
        let mut bytes = 0;
        for n in 0..many {
            let len = MSS.min(left);
            radio.acks(flow, at + BURST * f64::from(n));
            send(flow, &mut radio, at + BURST * f64::from(n), len, &text);
            text.clear();
            (left, bytes) = (left - len, bytes + len);
        }
        at += f64::from(bytes) * 8.0 / if many == 1 { paced } else { bursts };
    }
    radio.flush(flow);
    radio.acks(flow, f64::MAX);
    end(flow, (plan.start + plan.duration).max(radio.free + 0.05));
}

/// Handshake and request; gives when the answer may begin.
fn request_at(flow: &mut Connection<'_>) -> f64 {
    let at = handshake(flow);
    request(flow, at) + 0.001
}
