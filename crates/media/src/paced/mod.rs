//! A sender whose rate a rule decides, and whose packets a pacer spreads.
//!
//! [`Sender`] keeps the RTP queue, the pacer and the packets under way. It reads reports of RFC 8888,
//! and hands their packets to a [`Rule`], once each. A packet counts as lost when a report leaves it out
//! and names a later one as arrived. A packet that a later report names as arrived is handed over
//! once more.
//!
//! Left out:
//!
//! - retransmission (NACK, RTX) and forward error correction: a loss makes a request for a key frame;
//! - a rule for the time without any report: the rate stays;
//! - a limit of the RTP queue: frames that wait are sent late, and not thrown away.

mod history;
mod pacer;
mod probe;
mod window;

use airpath_base::{Duration, Time};
use airpath_net::MediaState;
use airpath_wire::RtcpRepr;

use crate::key_frame::KeyFrame;
use crate::queue::{MediaPacket, RtpQueue};
use crate::rtp_media::padding_of;
use crate::scream::Poll;
#[cfg(test)]
pub(crate) use history::Arrival;
use history::History;
pub(crate) use history::Reported;
use pacer::Pacer;
pub(crate) use probe::Cluster;
use probe::Prober;
pub(crate) use window::Window;

/// Limits of a rate, and the first one, in bit/s with the headers of RTP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Smallest.
    pub min: f64,
    /// First.
    pub start: f64,
    /// Largest.
    pub max: f64,
}

impl Rates {
    /// True if a sender can work with them.
    pub(crate) fn are_ordered(self) -> bool {
        0.0 < self.min && self.min <= self.start && self.start <= self.max && self.max.is_finite()
    }

    /// The rate within the limits.
    pub(crate) fn hold(self, rate: f64) -> f64 {
        rate.max(self.min).min(self.max)
    }
}

/// Content of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feedback<'a> {
    /// Packets whose fate the report names, those of a stream in order of their numbers.
    pub packets: &'a [Reported],
    /// Time at which the receiver made the report.
    pub made: Time,
    /// Round-trip time of the newest of them that arrived, without its wait for the report.
    pub rtt: Duration,
}

/// Rule of a congestion control for its rates, all in bit/s with the headers of RTP.
pub(crate) trait Rule: core::fmt::Debug + Send {
    /// A report has come.
    fn on_feedback(&mut self, now: Time, feedback: Feedback<'_>);
    /// Target of the congestion control.
    fn target(&self) -> f64;
    /// Rate for the encoder while so many bytes wait in the RTP queue.
    fn encoder_rate(&self, queued: u64) -> f64;
    /// Rate of the pacer while so many bytes wait in the RTP queue.
    fn pacing_rate(&self, queued: u64) -> f64;
    /// Packets leave at multiples of this time; zero for packets one by one.
    fn burst(&self) -> Duration;
    /// Estimate of the queue delay in the network.
    fn queue_delay(&self) -> Duration;
    /// The next cluster of packets that probes the bandwidth, if there is one.
    fn take_probe(&mut self, _now: Time) -> Option<Cluster> {
        None
    }
}

/// A paced sender of one RTP stream, without I/O.
#[derive(Debug)]
pub(crate) struct Sender {
    ssrc: u32,
    rule: Box<dyn Rule>,
    queue: RtpQueue<Time>,
    pacer: Pacer,
    prober: Prober,
    history: History,
    padding: Padding,
    key_frame: KeyFrame,
    rtt: Duration,
}

/// Media that is repeated where a probe has no new media to send: a stream of its own (RFC 4588).
#[derive(Debug, Default)]
struct Padding {
    history: History,
    seq: u16,
    /// The largest packet of media so far.
    like: Option<MediaPacket>,
}

impl Padding {
    /// Media as large as any before goes into the queue.
    fn see(&mut self, packet: &MediaPacket) {
        if self.like.is_none_or(|like| packet.size >= like.size) {
            self.like = Some(*packet);
        }
    }

    /// The next packet, as large as media: the original sequence number (RFC 4588, 4) takes two bytes of it. None before any
    /// media.
    fn make(&mut self) -> Option<MediaPacket> {
        let like = self.like?;
        let seq = self.seq;
        self.seq = self.seq.wrapping_add(1);
        Some(MediaPacket { seq, marker: false, padding: true, ..like })
    }
}

impl Sender {
    /// A sender of the stream `ssrc`.
    pub fn new(ssrc: u32, rule: Box<dyn Rule>) -> Sender {
        Sender {
            ssrc,
            queue: RtpQueue::default(),
            pacer: Pacer::new(rule.burst()),
            prober: Prober::default(),
            history: History::default(),
            padding: Padding::default(),
            key_frame: KeyFrame::default(),
            rtt: Duration::ZERO,
            rule,
        }
    }

    pub fn on_frame(&mut self, now: Time, packets: Vec<MediaPacket>) {
        for packet in packets {
            self.padding.see(&packet);
            self.queue.push(now, packet);
        }
    }

    pub fn poll(&mut self, now: Time) -> Poll {
        while let Some(cluster) = self.rule.take_probe(now) {
            self.prober.add(cluster);
        }
        if self.queue.len() > 0 {
            self.prober.begin(now);
        }
        if let Some(due) = self.prober.due() {
            return self.poll_probe(now, due);
        }
        if self.queue.len() == 0 {
            return Poll::Wait(None);
        }
        if self.pacer.due() > now {
            return Poll::Wait(Some(self.pacer.due()));
        }
        let rate = self.rule.pacing_rate(self.queue.bytes());
        let Some(packet) = self.queue.pop() else { return Poll::Wait(None) };
        self.pacer.sent(now, packet.size, rate);
        self.history.sent(now, packet.seq, packet.size, None);
        Poll::Send(packet)
    }

    /// A packet of a cluster that is on: media if any waits, and padding else.
    fn poll_probe(&mut self, now: Time, due: Time) -> Poll {
        if due > now {
            return Poll::Wait(Some(due));
        }
        let rate = self.rule.pacing_rate(self.queue.bytes());
        let Some(packet) = self.queue.pop().or_else(|| self.padding.make()) else {
            return Poll::Wait(None);
        };
        let cluster = self.prober.sent(now, packet.size);
        self.pacer.sent(now, packet.size, rate);
        let history = if packet.padding { &mut self.padding.history } else { &mut self.history };
        history.sent(now, packet.seq, packet.size, cluster);
        Poll::Send(packet)
    }

    /// Takes a report. Reports on other streams are ignored.
    pub fn on_feedback(&mut self, now: Time, feedback: &RtcpRepr) {
        let lost = self.history.lost();
        let mut packets = self.history.report(now, self.ssrc, feedback);
        packets.extend(self.padding.history.report(now, padding_of(self.ssrc), feedback));
        if self.history.lost() > lost {
            self.key_frame.want();
        }
        let arrivals = packets.iter().filter_map(|packet| Some((packet, packet.arrival?)));
        let newest = arrivals.max_by_key(|(packet, _)| packet.sent);
        if let Some((packet, arrival)) = newest {
            self.rtt = now.saturating_since(packet.sent).saturating_sub(arrival.waited);
            let made = arrival.at + arrival.waited;
            self.rule.on_feedback(now, Feedback { packets: &packets, made, rtt: self.rtt });
        }
    }

    pub fn encoder_target(&self) -> f64 {
        self.rule.encoder_rate(self.queue.bytes())
    }

    pub fn take_key_frame_request(&mut self) -> bool {
        self.key_frame.take()
    }

    /// State for listeners. There is no window.
    pub fn state(&self) -> MediaState {
        MediaState {
            target_bps: self.rule.target() as u64,
            cwnd: 0,
            in_flight: self.history.in_flight() + self.padding.history.in_flight(),
            queue_delay: self.rule.queue_delay(),
            srtt: self.rtt,
            queued_bytes: self.queue.bytes(),
            discarded_packets: 0,
            lost_packets: self.history.lost(),
            lost_arrived_packets: self.history.lost_arrived(),
        }
    }
}

#[cfg(test)]
mod tests;
