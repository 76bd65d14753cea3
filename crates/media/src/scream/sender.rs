//! The sender: frames and reports go in, packets and the next deadline come out.

use airpath_base::Time;
use airpath_wire::{Arrival, Ecn, RtcpRepr, StreamReport};

use super::config::{Config, ConfigError, Version};
use super::flight::Sent;
use super::shared::{Acked, Shared};
use super::v1::{self, V1};
use super::v2::{self, V2};
use crate::queue::MediaPacket;
use crate::ticks::{SECOND, Ticks, instant, ticks};

/// After so long a time without a packet or, as an option, without feedback the flight is void.
const STALL: Ticks = SECOND / 2;

/// A SCReAM sender of one RTP stream, without I/O.
#[derive(Debug)]
pub struct Sender {
    ssrc: u32,
    shared: Shared,
    control: Control,
    began: Option<Time>,
    /// Time at which the pace allows the next packet.
    next: Ticks,
    /// Begin of the time after which the flight is void.
    quiet: Ticks,
    /// True if nothing has happened since the last packet, so that its pace has to pass.
    resting: bool,
}

#[derive(Debug)]
enum Control {
    V1(Box<V1>),
    V2(Box<V2>),
}

/// State of a sender for listeners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Congestion window in bytes.
    pub cwnd: u64,
    /// Bytes of RTP in flight.
    pub in_flight: u64,
    /// Target bitrate of the encoder in bit/s.
    pub target: f64,
    /// Smoothed round-trip time in seconds; before the first report a guess.
    pub srtt: f64,
    /// Queue delay in the network as estimated last, in seconds.
    pub queue_delay: f64,
    /// Average share of marks, which decides how far the window is reduced.
    pub alpha: f64,
    /// Packets that wait in the RTP queue.
    pub queued_packets: usize,
    /// Bytes that wait in the RTP queue.
    pub queued_bytes: u64,
    /// Packets thrown out of the RTP queue so far.
    pub discarded_packets: u64,
    /// Packets that the sender has declared lost so far.
    pub lost_packets: u64,
    /// Of these, packets that later feedback reports as arrived.
    pub lost_arrived_packets: u64,
}

/// Time at which a sender has to be called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Send this packet now, and ask again.
    Send(MediaPacket),
    /// Nothing before this instant, or before something happens if there is none.
    Wait(Option<Time>),
}

impl Sender {
    /// A sender of the stream `ssrc`.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(ssrc: u32, config: Config) -> Result<Sender, ConfigError> {
        config.check()?;
        let srtt = match config.options.version {
            Version::V1 => 0,
            Version::V2 => v2::INITIAL_SRTT,
        };
        let shared = Shared::new(config, srtt);
        let control = match config.options.version {
            Version::V1 => Control::V1(Box::new(V1::new(&shared))),
            Version::V2 => Control::V2(Box::new(V2::new(&shared))),
        };
        Ok(Sender { ssrc, shared, control, began: None, next: 0, quiet: 0, resting: false })
    }

    /// Time since the first call.
    fn clock(&mut self, now: Time) -> Ticks {
        ticks(now.saturating_since(*self.began.get_or_insert(now)))
    }

    /// The encoder has made a frame of these packets.
    pub fn on_frame(&mut self, now: Time, packets: impl IntoIterator<Item = MediaPacket>) {
        let at = self.clock(now);
        let mut bytes = 0;
        for packet in packets {
            bytes += u64::from(packet.size);
            self.shared.queue.push(at, packet);
        }
        self.frame_made(at, bytes);
    }

    fn frame_made(&mut self, now: Ticks, bytes: u64) {
        self.resting = false;
        match &mut self.control {
            Control::V1(v1) => v1.on_frame(now, bytes, &mut self.shared),
            Control::V2(v2) => v2.on_frame(now, bytes, &mut self.shared),
        }
    }

    /// A packet to send, or when to ask again.
    pub fn poll(&mut self, now: Time) -> Poll {
        let at = self.clock(now);
        if self.resting && at < self.next {
            return Poll::Wait(self.when(self.next));
        }
        self.resting = false;
        let Some(size) = self.look(at) else { return Poll::Wait(None) };
        let stalled = at.saturating_sub(self.quiet) > STALL;
        if stalled {
            self.shared.flight.clear();
        }
        if !stalled && !self.may_send(size) {
            // A report opens the window; if none comes, the stall does.
            return Poll::Wait(self.when(self.quiet + STALL + 1));
        }
        if !stalled && at < self.next {
            return Poll::Wait(self.when(self.next));
        }
        match self.shared.queue.pop() {
            Some(packet) => {
                self.sent(at, packet);
                Poll::Send(packet)
            }
            None => Poll::Wait(None),
        }
    }

    fn when(&self, at: Ticks) -> Option<Time> {
        self.began.map(|began| instant(began, at))
    }

    /// Does the work that is due at any call; returns the size of the next packet.
    fn look(&mut self, now: Ticks) -> Option<u32> {
        match &mut self.control {
            Control::V1(v1) => v1.before_transmit(now, &mut self.shared),
            Control::V2(v2) => v2.before_transmit(now, &mut self.shared),
        }
        self.shared.queue.next_size()
    }

    fn may_send(&self, size: u32) -> bool {
        match &self.control {
            Control::V1(v1) => v1.may_send(size, &self.shared),
            Control::V2(v2) => v2.may_send(size, &self.shared),
        }
    }

    fn sent(&mut self, now: Ticks, packet: MediaPacket) {
        let MediaPacket { size, seq, timestamp, marker, .. } = packet;
        if !self.stalls_from_feedback() || self.shared.flight.bytes() == 0 {
            self.quiet = now;
        }
        self.shared.flight.add(now, size, seq, timestamp, marker);
        self.shared.bytes.sent += u64::from(size);
        let pace = match &mut self.control {
            Control::V1(v1) => {
                v1.on_sent(size);
                v1.pace()
            }
            Control::V2(v2) => {
                v2.on_sent(size);
                v2.pace()
            }
        };
        self.next = now + pace;
        self.resting = true;
    }

    fn stalls_from_feedback(&self) -> bool {
        self.shared.config.options.stall_from.is_some()
    }

    /// Takes a report. Reports on other streams are ignored, and all blocks on this stream are
    /// taken together, as in the reference code.
    pub fn on_feedback(&mut self, now: Time, feedback: &RtcpRepr) {
        let (at, ssrc) = (self.clock(now), self.ssrc);
        let blocks = feedback.streams.iter().filter(|block| block.ssrc == ssrc);
        let blocks: Vec<&StreamReport> = blocks.collect();
        if !blocks.is_empty() {
            self.report(at, &blocks, feedback.timestamp);
        }
    }

    fn report(&mut self, now: Ticks, blocks: &[&StreamReport], timestamp: u32) {
        self.resting = false;
        if self.stalls_from_feedback() {
            self.quiet = now;
        }
        let arrivals = self.arrivals(blocks);
        let Some(end) = arrivals.last().map(|(seq, _)| *seq) else { return };
        let behind = self.shared.flight.behind(end);
        let tolerated = match self.control {
            Control::V1(_) => 0,
            Control::V2(_) => 512,
        };
        if behind > tolerated {
            return; // overtaken by a newer report
        }
        for (n, (seq, arrival)) in arrivals.iter().enumerate() {
            // Of a number that was not sent lately nothing is known.
            let offset = u32::from(arrival.offset.units().unwrap_or(0)) << 6; // 2^-10 to 2^-16 s
            let arrived = timestamp.wrapping_sub(offset);
            self.reported(now, *seq, arrived, arrival.ecn, n + 1 == arrivals.len());
        }
        match &mut self.control {
            Control::V1(v1) => v1.on_report(now, &mut self.shared),
            Control::V2(v2) => v2.on_report(now, &mut self.shared),
        }
    }

    /// Arrivals that blocks report, with extended numbers; none before the first packet has been
    /// sent.
    fn arrivals(&self, blocks: &[&StreamReport]) -> Vec<(u64, Arrival)> {
        let mut arrivals = Vec::new();
        for block in blocks {
            for (n, arrival) in block.packets.iter().enumerate() {
                let seq = self.shared.flight.extended(block.begin_seq.wrapping_add(n as u16));
                arrivals.extend(seq.zip(*arrival));
            }
        }
        arrivals
    }

    fn reported(&mut self, now: Ticks, seq: u64, arrived: u32, ecn: Ecn, last: bool) {
        match &mut self.control {
            Control::V1(v1) => v1.on_reported(&self.shared),
            Control::V2(v2) => v2.on_reported(&self.shared),
        }
        let acked = self.shared.flight.ack(seq);
        if let Some(sent) = acked {
            self.acked(now, sent, arrived, ecn == Ecn::Ce, last);
        }
        let by_frame = match &self.control {
            Control::V1(v1) => v1.looks_at_markers(),
            Control::V2(_) => true,
        };
        if last || by_frame && acked.is_some_and(|sent| sent.marker) {
            self.passed(now, seq);
        }
        if let Control::V2(v2) = &mut self.control {
            v2.on_delay(&self.shared);
        }
    }

    fn acked(&mut self, now: Ticks, sent: Sent, arrived: u32, ce: bool, last: bool) {
        self.shared.path.on_arrival(now, sent.time, arrived);
        let acked = Acked { size: u64::from(sent.size), ce, last };
        match &mut self.control {
            Control::V1(v1) => v1.on_acked(acked),
            Control::V2(v2) => v2.on_acked(now, acked, &mut self.shared),
        }
        if last {
            self.shared.path.on_rtt(now, now.saturating_sub(sent.time));
        }
    }

    fn passed(&mut self, now: Ticks, seq: u64) {
        let rule = match self.control {
            Control::V1(_) => v1::LOSS_RULE,
            Control::V2(_) => v2::LOSS_RULE,
        };
        let passed = self.shared.flight.pass(seq, rule);
        self.shared.note_losses(&passed);
        self.shared.bytes.acked += passed.bytes;
        match &mut self.control {
            Control::V1(v1) => v1.on_passed(now, &passed, &self.shared),
            Control::V2(v2) => v2.on_passed(now, &passed, &self.shared),
        }
    }

    /// Target bitrate of the encoder in bit/s, with the headers of RTP.
    pub fn target(&self) -> f64 {
        match &self.control {
            Control::V1(v1) => v1.target(),
            Control::V2(v2) => v2.target(),
        }
    }

    /// Rate for the encoder, in bit/s with the headers of RTP: the target, or less for a moment
    /// with version 2. To be called once a frame.
    pub fn encoder_target(&mut self, now: Time) -> f64 {
        let at = self.clock(now);
        match &mut self.control {
            Control::V1(v1) => v1.target(),
            Control::V2(v2) => v2.encoder_target(at, &mut self.shared),
        }
    }

    /// True if the encoder should make a key frame, since data are missing at the decoder. To be
    /// called once a frame, as the call clears the request.
    pub fn take_key_frame_request(&mut self) -> bool {
        self.shared.take_key_frame()
    }

    /// State of the sender for listeners.
    pub fn state(&self) -> State {
        let (cwnd, alpha) = match &self.control {
            Control::V1(v1) => (v1.cwnd(), v1.alpha()),
            Control::V2(v2) => (v2.cwnd(), v2.alpha()),
        };
        State {
            cwnd,
            in_flight: self.shared.flight.bytes(),
            target: self.target(),
            srtt: self.shared.path.srtt_seconds(),
            queue_delay: self.shared.path.queue,
            alpha,
            queued_packets: self.shared.queue.len(),
            queued_bytes: self.shared.queue.bytes(),
            discarded_packets: self.shared.discarded,
            lost_packets: self.shared.lost,
            lost_arrived_packets: self.shared.flight.lost_arrived(),
        }
    }
}

#[cfg(test)]
#[path = "replay.rs"]
mod replay;
