//! True limit of a flow at each time. Sources are the kernel's readings of the sender's socket each
//! 10 ms, the steps of the programs, and the packets in the model. No rule looks at a capture.
//!
//! The rules, the first that holds counts:
//!
//! Of media over UDP the kernel knows nothing. The cause is the bottleneck if the narrow link has
//! something to send for 90% of 20 ms. It is a loss if 0.5% of a second's packets are lost at
//! random, else it is the program. Of TCP:
//!
//! | at that time | cause |
//! |---|---|
//! | the path is dead to the end: the last ACK has come, and the timer struck three times since | `peer_gone` |
//! | the radio kept the flow's packets waiting, though it was not its rate: promotion, sleep, nothing left the cell for 200 ms, no signal | `radio` |
//! | from the last ACK before the timer strikes to the end of the kernel's state Loss; to the probe of tail loss, if the ACK is 1.5 RTT old by then | `timeout` |
//! | all data of the flow fit ten segments, and nothing was sent again | `nothing` |
//! | Nagle's rule counts, less than a segment waits and others are outstanding | `nagle` |
//! | nothing outstanding (the kernel's chronograph "busy" stands) | whoever is to go on: `client_idle` if the sender's program waits for a request, else `application` |
//! | the chronograph "receive window" runs | `receiver_window` |
//! | the chronograph "send buffer" runs | `send_buffer` |
//! | the host's token bucket, or the pacing rate of the program, was used to 90% around | `queue_before`, `pacing` |
//! | less than three segments to be sent (Nagle's rule holds back that many), room in the congestion window, and so for a smoothed RTT | `application`; `send_buffer` if the program writes all it can |
//! | room in the congestion window, and less than three segments to be sent within an RTT before and within one behind: a sender that paces spreads a write | `application` |
//! | less than three segments to be sent, and room, for less than an RTT: the last window is on its way | what limited it before |
//! | in wires, the way back has something to send for 90% of the least RTT around, and the data's direction has not, or its queue is shorter | `bottleneck_back` |
//! | the bottleneck has something to send for 90% of that time | `bottleneck`, `shared_bottleneck` if a fifth of it is not the flow's |
//! | the chronograph "receive window" ran within a round trip: a sender that paces fills the window for an instant of it | `receiver_window` |
//! | the kernel has sent something again, and the path lost nothing: the timer struck in vain, and the window grows again | `timeout` |
//! | the kernel is in Recovery or CWR, or has sent something again | `loss_without_queue` |
//! | else | `slow_start`: the window grows and nothing else limits |

use airpath_live::transfer::{Reading, Report, Step};
use serde::{Deserialize, Serialize};

use super::draw::{Draw, Kind};
use super::model::Model;
use super::record::START_MS;

/// Cause that can limit a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The sender's program has nothing to send.
    Application,
    /// The client has not sent its request yet.
    ClientIdle,
    /// The receiver has no room.
    ReceiverWindow,
    /// The congestion window grows, and the path is not full yet.
    SlowStart,
    /// The path is full, of this flow.
    Bottleneck,
    /// The path is full, of others as well.
    SharedBottleneck,
    /// Losses keep the window smaller than the path.
    LossWithoutQueue,
    /// The sender waits for its timer, or recovers from it.
    Timeout,
    /// The radio wakes up, sleeps or has no signal.
    Radio,
    /// The other end does not answer any more.
    PeerGone,
    /// The way back is full.
    BottleneckBack,
    /// A queue in the sender's host is full.
    QueueBefore,
    /// The send buffer is full.
    SendBuffer,
    /// The program has set a rate.
    Pacing,
    /// A small segment waits for an acknowledgement.
    Nagle,
    /// All data fits the first window.
    Nothing,
}

/// Record of a flow.
#[derive(Debug, Serialize, Deserialize)]
pub struct Truth {
    /// Plan of the flow.
    pub draw: Draw,
    /// Port of both ends.
    pub port: u16,
    /// Begin of the world's time, in nanoseconds since 1970.
    pub origin_unix_ns: u64,
    /// Time of the first data and of the last answer, in seconds of the world's time.
    pub from_s: f64,
    /// The end.
    pub to_s: f64,
    /// Shares of this time by cause, the largest first.
    pub shares: Vec<(Cause, f64)>,
    /// Data acknowledged over that time, in bit/s.
    pub rate_bps: f64,
    /// Percentiles 20, 50 and 80 of the samples' mean time in queues, in milliseconds.
    pub queue_ms: Option<[f64; 3]>,
    /// Data packets that queues dropped, and that were lost at random.
    pub drops: [u32; 2],
    /// Segments sent again, by the kernel.
    #[serde(default)]
    pub retransmissions: u32,
    /// Of these, those that can be known at the middle and at the receiver; none for cells. Data
    /// that was lost before a point and is sent again in order looks there like new data.
    #[serde(default)]
    pub again: Option<[u32; 2]>,
    /// The samples.
    pub samples: Vec<Sample>,
}

/// A time between two readings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sample {
    /// Its cause.
    pub cause: Cause,
    /// Last readings of the kernel.
    #[serde(flatten)]
    pub kernel: Reading,
    /// Mean time in queues of what was sent, in milliseconds.
    pub queue_ms: Option<f64>,
    /// Mean time in queues of acknowledgements, in milliseconds.
    #[serde(default)]
    pub back_ms: Option<f64>,
    /// Packets of data that queues dropped, and that were lost at random.
    pub drops: [u32; 2],
    /// Share of the time around it in which the bottleneck had something to send.
    pub busy: f64,
}

/// Times by which the bottleneck's work is looked at are no shorter, in nanoseconds.
const LEAST_WINDOW: u64 = 20_000_000;
/// Share of that time from which the bottleneck counts as full.
const FULL: f64 = 0.9;
/// Share of lost packets of a second from which they are the cause of media's quality.
const MEDIA_LOSS: f64 = 0.005;
/// Share of others' bytes from which it counts as shared.
const SHARED: f64 = 0.2;

impl Truth {
    /// By the rules.
    pub fn of(draw: &Draw, [sender, receiver]: &[Report; 2], model: &Model, port: u16) -> Truth {
        let media = Report { readings: media(model), ..sender.clone() };
        let sender = if draw.kind.is_media() { &media } else { sender };
        // Earlier ones are before the captures.
        let begin = match draw.taking.begin_ms {
            0 => 0,
            ms => (START_MS + ms) * 1_000_000,
        };
        let counts = |reading: &Reading| reading.segments > 0 && reading.at >= begin;
        let first = sender.readings.iter().position(counts).unwrap_or(0);
        // Time behind the last answer is in no capture.
        let pairs = sender.readings.windows(2);
        let moved =
            |pair: &[Reading]| pair[1].unacked > 0 || pair[1].acked_bytes > pair[0].acked_bytes;
        let last = pairs.enumerate().rfind(|(_, pair)| moved(pair));
        let end = last.map_or(first, |(place, _)| place + 1);
        let readings = &sender.readings[first.saturating_sub(1)..=end.max(first)];
        let rules = Rules { draw, sender, receiver, model, readings };
        let causes = rules.causes();
        let samples: Vec<Sample> =
            (1..readings.len()).map(|n| rules.sample(n, causes[n - 1])).collect();
        let span = |n: usize| (readings[n].at - readings[n - 1].at) as f64 / 1e9;
        let mut shares: Vec<(Cause, f64)> = Vec::new();
        let all: f64 = (1..readings.len()).map(span).sum();
        for (n, cause) in causes.iter().enumerate() {
            match shares.iter_mut().find(|(known, _)| known == cause) {
                Some((_, share)) => *share += span(n + 1) / all,
                None => shares.push((*cause, span(n + 1) / all)),
            }
        }
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut queues: Vec<f64> = samples.iter().filter_map(|sample| sample.queue_ms).collect();
        queues.sort_by(f64::total_cmp);
        let at = |share: f64| queues[((queues.len() - 1) as f64 * share) as usize];
        let [begin, end] = [readings[0], readings[readings.len() - 1]];
        Truth {
            draw: draw.clone(),
            port,
            origin_unix_ns: sender.origin_unix_ns.unwrap_or(0),
            from_s: begin.at as f64 / 1e9,
            to_s: end.at as f64 / 1e9,
            shares,
            rate_bps: (end.acked_bytes - begin.acked_bytes) as f64 * 8.0 / all,
            queue_ms: (!queues.is_empty()).then(|| [at(0.2), at(0.5), at(0.8)]),
            drops: model.drops(begin.at, end.at),
            retransmissions: end.retransmissions - begin.retransmissions,
            again: (!draw.cell).then(|| model.again(begin.at, end.at)),
            samples,
        }
    }
}

impl Truth {
    /// The shares in percent.
    pub fn in_words(&self) -> String {
        let share = |(cause, share): &(Cause, f64)| format!("{cause:?} {:.0}", 100.0 * share);
        self.shares.iter().map(share).collect::<Vec<_>>().join(", ")
    }
}

/// Input of the rules.
struct Rules<'a> {
    draw: &'a Draw,
    sender: &'a Report,
    receiver: &'a Report,
    model: &'a Model,
    readings: &'a [Reading],
}

impl Rules<'_> {
    /// The cause of each time between two readings.
    fn causes(&self) -> Vec<Cause> {
        let (gone, timeouts, nothing) = (self.gone(), self.timeouts(), self.is_nothing());
        let mut causes: Vec<Cause> = Vec::new();
        // Time and cause of the last hold of available data.
        let mut held: Option<(u64, Cause)> = None;
        for n in 1..self.readings.len() {
            let [from, now] = [&self.readings[n - 1], &self.readings[n]];
            let waits = self.waits(now);
            let cause = if self.draw.kind.is_media() {
                self.media(n)
            } else if nothing {
                Cause::Nothing
            } else if from.at >= gone {
                Cause::PeerGone
            } else if (waits || self.is_asked(now.at)) && self.model.radio(from.at, now.at) > 0.5 {
                Cause::Radio
            } else if timeouts.iter().any(|[begin, end]| now.at > *begin && now.at <= *end) {
                Cause::Timeout
            } else if self.draw.host.nagle
                && now.unacked > 0
                && (1..now.mss).contains(&now.notsent_bytes)
            {
                Cause::Nagle
            } else if now.unacked == 0 && share(now.busy_us - from.busy_us, from, now) < 0.5 {
                self.idle(now)
            } else if share(now.rwnd_limited_us - from.rwnd_limited_us, from, now) >= 0.5 {
                Cause::ReceiverWindow
            } else if share(now.sndbuf_limited_us - from.sndbuf_limited_us, from, now) >= 0.5 {
                Cause::SendBuffer
            } else if let Some(cause) = self.shaped(now) {
                cause
            } else if has_room(now) {
                let within = |at: u64| now.at - at <= u64::from(now.rtt_us) * 1000;
                match held.filter(|(at, _)| within(*at)) {
                    Some((_, cause)) => cause,
                    None => self.idle(now),
                }
            } else if self.is_between_writes(n) {
                self.idle(now)
            } else {
                let cause = self.network(n);
                held = Some((now.at, cause));
                cause
            };
            if cause == Cause::ReceiverWindow {
                held = Some((now.at, cause));
            }
            causes.push(cause);
        }
        causes
    }

    /// True if the sender waits for an ACK.
    fn waits(&self, now: &Reading) -> bool {
        now.unacked > 0
    }

    /// True if a request is under way: the sender's program waits for it, the client's has written
    /// it.
    fn is_asked(&self, at: u64) -> bool {
        let client = step(self.receiver, &self.draw.receiver, at);
        matches!(step(self.sender, &self.draw.sender, at), Some(Step::Read(_)))
            && matches!(client, Some(Step::Read(_)))
    }

    /// End that has to act when there is nothing to send. A program without steps has always more
    /// to write, so the buffer has no room for it.
    fn idle(&self, now: &Reading) -> Cause {
        match step(self.sender, &self.draw.sender, now.at) {
            Some(Step::Read(_)) if now.unacked == 0 => Cause::ClientIdle,
            None => Cause::SendBuffer,
            Some(_) => Cause::Application,
        }
    }

    /// Cause of media's quality: the path, if it loses or delays packets, else the program.
    fn media(&self, n: usize) -> Cause {
        let (busy, others) = self.busy(n, true);
        let [from, to] = around(&self.readings[n], 1_000_000_000);
        let lost = f64::from(self.model.drops(from, to)[1]);
        let sent = self.model.packets_sent(from, to) as f64;
        match () {
            () if busy >= FULL && others >= SHARED => Cause::SharedBottleneck,
            () if busy >= FULL => Cause::Bottleneck,
            () if lost >= MEDIA_LOSS * sent.max(1.0) => Cause::LossWithoutQueue,
            () => Cause::Application,
        }
    }

    /// Cause in the network that holds available data.
    fn network(&self, n: usize) -> Cause {
        let now = &self.readings[n];
        let (busy, others) = self.busy(n, true);
        if self.is_back_full(n) && (busy < FULL || self.waits_more_on_the_way_back(n)) {
            return Cause::BottleneckBack;
        }
        if busy >= FULL {
            return if others >= SHARED { Cause::SharedBottleneck } else { Cause::Bottleneck };
        }
        // A sender that paces fills the window for an instant of each round trip.
        let trip = now.at.saturating_sub(u64::from(now.rtt_us) * 1250);
        let before = self.readings.partition_point(|reading| reading.at < trip).saturating_sub(1);
        if now.rwnd_limited_us > self.readings[before].rwnd_limited_us {
            return Cause::ReceiverWindow;
        }
        let first = self.readings[0];
        let reduced = now.ca_state >= 2 || now.retransmissions > first.retransmissions;
        let lost = || self.model.drops(0, now.at) != [0, 0];
        match reduced {
            true if now.timeouts > first.timeouts && !lost() => Cause::Timeout,
            true => Cause::LossWithoutQueue,
            false => Cause::SlowStart,
        }
    }

    /// True if a sender that paces spreads a small write. The congestion window has room then, and
    /// within an RTT before and behind there are less than three segments to be sent.
    fn is_between_writes(&self, n: usize) -> bool {
        let now = &self.readings[n];
        let trip = u64::from(now.rtt_us) * 1000;
        let [before, behind] = [&self.readings[..n], &self.readings[n + 1..]];
        let mut before = before.iter().rev().take_while(|one| now.at - one.at <= trip);
        let mut behind = behind.iter().take_while(|one| one.at - now.at <= trip);
        window_has_room(now) && before.any(has_room) && behind.any(has_room)
    }

    /// Work of the narrow link of a direction around a reading.
    fn busy(&self, n: usize, data: bool) -> (f64, f64) {
        let [from, to] = around(&self.readings[n], LEAST_WINDOW);
        self.model.busy(from, to, data)
    }

    /// True if the way back in wires has always something to send. In a cell a steady stream of
    /// acknowledgements is always on the air.
    fn is_back_full(&self, n: usize) -> bool {
        !self.draw.cell && self.busy(n, false).0 >= FULL
    }

    /// True if acknowledgements wait longer than data around a reading.
    fn waits_more_on_the_way_back(&self, n: usize) -> bool {
        // A queue moves within a round trip, so a longer time counts.
        let [from, to] = around(&self.readings[n], 200_000_000);
        let wait = |data| self.model.queue_ms(from, to, data).unwrap_or(0.0);
        wait(false) > wait(true)
    }

    /// Limit of the sender's host that is used to the full.
    fn shaped(&self, now: &Reading) -> Option<Cause> {
        let host = &self.draw.host;
        let (kbps, cause) = match (host.bucket_kbps, host.pacing_kbps) {
            (Some(kbps), _) => (kbps, Cause::QueueBefore),
            (None, Some(kbps)) => (kbps, Cause::Pacing),
            (None, None) => return None,
        };
        // Time of ten packets at least.
        let [from, to] = around(now, 120_000_000_000 / kbps);
        let full = kbps as f64 * (to - from) as f64 / 8e6;
        (now.unacked > 0 && self.model.sent(from, to) as f64 >= FULL * full).then_some(cause)
    }

    /// True if all data fits the first window (RFC 6928).
    fn is_nothing(&self) -> bool {
        let last = self.readings[self.readings.len() - 1];
        self.draw.kind == Kind::OneRound && last.retransmissions == 0 && last.segments <= 10
    }

    /// From when on nobody answers.
    fn gone(&self) -> u64 {
        let last = self.readings[self.readings.len() - 1];
        let since = last.at.saturating_sub(u64::from(last.last_ack_ms) * 1_000_000);
        let before = self.readings.iter().rfind(|reading| reading.at <= since);
        let timeouts = before.map_or(0, |reading| last.timeouts - reading.timeouts);
        let dead = self.draw.kind == Kind::PeerGone;
        if dead && timeouts >= 3 && last.unacked > 0 { since } else { u64::MAX }
    }

    /// From the last ACK before the timer strikes to the end of what follows.
    fn timeouts(&self) -> Vec<[u64; 2]> {
        let mut all: Vec<[u64; 2]> = Vec::new();
        for pair in self.readings.windows(2) {
            let [before, now] = [pair[0], pair[1]];
            let silent = u64::from(before.last_ack_ms) * 1_000_000;
            if now.timeouts > before.timeouts || probes(&before, &now) {
                all.push([before.at.saturating_sub(silent), now.at]);
            } else if let Some(last) = all.last_mut().filter(|last| last[1] == before.at) {
                // No ACK has come yet, or what was lost is being sent again.
                if now.ca_state == 4 || now.backoff > 0 {
                    last[1] = now.at;
                }
            }
        }
        all
    }

    fn sample(&self, n: usize, cause: Cause) -> Sample {
        let [from, to] = [self.readings[n - 1].at, self.readings[n].at];
        Sample {
            cause,
            kernel: self.readings[n],
            queue_ms: self.model.queue_ms(from, to, true),
            back_ms: self.model.queue_ms(from, to, false),
            drops: self.model.drops(from, to),
            busy: self.busy(n, true).0,
        }
    }
}

/// The share of a time in which a chronograph ran.
fn share(micros: u64, from: &Reading, to: &Reading) -> f64 {
    micros as f64 * 1e3 / (to.at - from.at).max(1) as f64
}

/// True if the timer for tail losses has sent something again (RFC 8985, 7).
fn probes(before: &Reading, now: &Reading) -> bool {
    before.ca_state <= 1
        && now.retransmissions > before.retransmissions
        && before.last_ack_ms * 1_000 >= before.rtt_us + before.rtt_us / 2
}

/// Times between the first and the last packet of media, as readings of a kernel that has none.
fn media(model: &Model) -> Vec<Reading> {
    let mut own = model.packets.iter().filter(|packet| packet.own && packet.data);
    let Some(first) = own.next() else { return Vec::new() };
    let last = own.next_back().unwrap_or(first);
    let times = (first.born..=last.born).step_by(10_000_000);
    let reading = |at| Reading { at, segments: 1, unacked: 1, ..Reading::default() };
    times.map(reading).collect()
}

/// The least RTT around a reading, or a time that is longer.
fn around(now: &Reading, least: u64) -> [u64; 2] {
    let half = (u64::from(now.min_rtt_us) * 1000).clamp(least, 1_000_000_000.max(least)) / 2;
    [now.at.saturating_sub(half), now.at + half]
}

/// True if the window has room and there is nothing to send.
fn has_room(now: &Reading) -> bool {
    now.notsent_bytes < 3 * now.mss && window_has_room(now)
}

/// True if the congestion window has room, outside a recovery.
fn window_has_room(now: &Reading) -> bool {
    let flight = (now.unacked + now.retrans).saturating_sub(now.sacked + now.lost);
    flight < now.cwnd && now.ca_state <= 1
}

/// Step of a program at a time.
fn step(of: &Report, steps: &[Step], at: u64) -> Option<Step> {
    let done = of.done.partition_point(|done| done.at <= at);
    let next = match done {
        0 => 0,
        done => (of.done[done - 1].step + 1) % steps.len().max(1),
    };
    steps.get(next).copied()
}

#[cfg(test)]
#[path = "truth_tests.rs"]
mod tests;
