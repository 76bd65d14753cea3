//! Judgement of the limit that holds a flow.
//!
//! A full element comes first. If none is full, the window is computed that each signal of
//! congestion would allow by itself. The smallest counts if the flow's own window is about that.
//! Otherwise the sender is the limit.

use airpath_results::{FlowSummary, RunSummary};

use super::asked::{Answers, Asked};
use super::places::{Element, Place, active_s, places};

/// Share of its capacity from which on an element is full. Controllers that keep queues short leave
/// some capacity, and so do those that fall back to 0.7 of a window (RFC 9438, 4.6).
pub(super) const FULL: f64 = 0.8;
/// Share from which on an element holds a sender of media that nothing else holds. The target of
/// SCReAM is a queue delay, which bursts of frames reach before the element is full (RFC 8298,
/// 4.1.2).
const FULL_OF_MEDIA: f64 = 0.6;
/// Decrease of SCReAM's window at a loss (draft-johansson-ccwg-rfc8298bis-screamv2: 1 - BETA_LOSS).
const MEDIA_DECREASE: f64 = 0.3;
/// A flow with this part of its even share of a full element is held by the element.
const MOST_OF_SHARE: f64 = 0.8;
/// A flow with this part is held by the element if nothing else holds it.
const HALF_OF_SHARE: f64 = 0.5;
/// A flow that gets this share of what its application makes has all of it.
const ALL: f64 = 0.9;
/// A wait below this share of the delay, or below so many milliseconds, is no cause of delay.
const LONG_SHARE: f64 = 0.25;
const LONG_MS: f64 = 5.0;
/// A buffer is the limit if the flow has this share of the rate that it allows.
const BUFFER: f64 = 0.8;
/// A buffer that is in flight to this share is the limit beside a full element, if two conditions hold. No signal of congestion
/// came, and no packet waits long. Flow control alone can then have held the window.
const ALL_IN_FLIGHT: f64 = 0.9;
/// A signal is the limit if it allows at most so many times the window that the flow has.
const NEAR: f64 = 3.0;
/// BBR answers losses from this share on (draft-ietf-ccwg-bbr, BBR.LossThresh), and GCC grows below it
/// (draft-ietf-rmcat-gcc-02, 6). At this share NADA takes a loss for four times its reference delay
/// (RFC 8698, equation 2).
const TOLERATED: f64 = 0.02;
/// Losses of this share spoil what does not adapt.
const SPOILED: f64 = 0.01;
/// Causes of drops that come from a queue.
const QUEUES: [&str; 3] = ["queue_full", "aqm", "discard_timer"];
/// A flow that waits for its requests for this share of its time is held by them.
const BUSY: f64 = 0.9;

/// Cause that holds a flow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'a> {
    /// An element that is full, or in which its packets wait.
    Place(Place<'a>),
    /// This share of its packets was lost, not at a full element.
    Losses(f64),
    /// This share of its packets was marked, not at a full element.
    Marks(f64),
    /// It has what its application asks for.
    Application,
    /// A buffer of so many bytes, by its name.
    Buffer(f64, &'static str),
    /// The receiver reads so many bits a second.
    Reader(f64),
    /// The sender by itself.
    Sender,
}

/// Case of a flow with some goodput.
pub(super) struct Case<'a> {
    pub(super) run: &'a RunSummary,
    pub(super) flow: &'a FlowSummary,
    pub(super) asked: Asked,
    places: Vec<Place<'a>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(run: &'a RunSummary, flow: &'a FlowSummary) -> Case<'a> {
        Case { run, flow, asked: Asked::of(run, flow), places: places(run, flow) }
    }

    pub(super) fn cause(&self) -> Cause<'a> {
        if self.flow.kind == "full-buffer" {
            let radio =
                self.places.iter().find(|place| matches!(place.element, Element::Radio(..)));
            return radio.map_or(Cause::Sender, |place| Cause::Place(*place));
        }
        match () {
            () if self.is_satisfied() => self.satisfied(),
            () if self.asked.adapts => self.held(),
            () => self.spoiled(),
        }
    }

    /// An application with more requests would get the rest of the fullest element, or an even share
    /// of it if it adapts. A flow without queues would have less delay. The greater gain of the two
    /// is named.
    fn satisfied(&self) -> Cause<'a> {
        let elastic = self.asked.adapts;
        let room = |(place, used): (Place<'_>, f64)| {
            let even = if elastic { place.own_of_even() } else { 1.0 };
            (1.0 / used.max(1e-9)).max(1.0 / even.max(1e-9))
        };
        let room = self.fullest().map_or(f64::INFINITY, room);
        let longest = self.longest().filter(|place| place.wait_ms >= LONG_MS);
        let Some((place, delay)) = longest.zip(self.flow.delay_ms.as_ref()) else {
            return Cause::Application;
        };
        let sooner = delay.mean / (delay.mean - place.wait_ms).max(1e-9);
        if sooner > room { Cause::Place(place) } else { Cause::Application }
    }

    /// The element in which the packets wait longest.
    fn longest(&self) -> Option<Place<'a>> {
        self.places.iter().max_by(|a, b| a.wait_ms.total_cmp(&b.wait_ms)).copied()
    }

    /// True if the flow has the rate of its application.
    fn is_satisfied(&self) -> bool {
        let (flow, asked) = (self.flow, &self.asked);
        if !asked.adapts {
            return is_media(flow) && self.lost() < SPOILED;
        }
        if let Some(play) = &flow.playback {
            return play.startup_s.is_some() && play.stalled_s < 0.01 * play.played_s;
        }
        if let Some(busy) = self.busy().filter(|_| asked.most_bps.is_none()) {
            return busy < BUSY;
        }
        let media = flow.media.as_ref().and_then(|media| media.target_bps).unwrap_or(0.0);
        let got = flow.goodput_bps.unwrap_or(0.0).max(media);
        asked.most_bps.is_some_and(|most| got >= ALL * most)
    }

    /// Share of its time in which a flow that asks waits for an answer.
    fn busy(&self) -> Option<f64> {
        let flow = self.flow;
        let pages = flow.pages.as_ref().map(|p| (p.finished, p.delay_ms.as_ref()));
        let requests = flow.requests.as_ref().map(|r| (r.answered, r.duration_ms.as_ref()));
        let (count, times) = pages.or(requests)?;
        let ms = times.map_or(f64::INFINITY, |times| times.mean);
        Some(count as f64 * ms / (1e3 * active_s(self.run, flow)))
    }

    /// The element in which the packets wait long.
    fn waits(&self) -> Option<Place<'a>> {
        self.longest().filter(|place| self.is_long(place.wait_ms))
    }

    fn is_long(&self, ms: f64) -> bool {
        let delay = self.flow.delay_ms.as_ref().map_or(f64::INFINITY, |delay| delay.mean);
        ms >= LONG_MS && ms >= LONG_SHARE * delay
    }

    /// The element that is used most.
    pub(super) fn fullest(&self) -> Option<(Place<'a>, f64)> {
        let known = self.places.iter().filter_map(|place| Some((*place, place.used?)));
        known.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The element that is full and of which the flow has this part of an even share, or in which its
    /// packets wait long. Others may fill an element beside a flow that something else holds.
    fn full(&self, part: f64) -> Option<Place<'a>> {
        let (place, _) = self.fullest().filter(|(_, used)| *used >= FULL)?;
        let waits = self.is_long(place.wait_ms);
        (place.own_of_even() >= part || waits).then_some(place)
    }

    /// Cause of a flow that adapts and has less than its application would send.
    fn held(&self) -> Cause<'a> {
        let unsignalled = self.flow.lost_packets == 0 && self.flow.marks == 0;
        if let Some((bytes, name)) = self.filled(ALL_IN_FLIGHT)
            && unsignalled
            && self.waits().is_none()
        {
            return Cause::Buffer(bytes, name);
        }
        if let Some(place) = self.full(MOST_OF_SHARE) {
            return Cause::Place(place);
        }
        let got = self.flow.goodput_bps.unwrap_or(0.0);
        if let Some(read) = self.asked.read_bps.filter(|read| got >= BUFFER * read) {
            return Cause::Reader(read);
        }
        if let Some((bytes, name)) = self.filled(BUFFER) {
            return Cause::Buffer(bytes, name);
        }
        if let Some(signal) = self.signal() {
            return signal;
        }
        if let Some(place) = self.full(HALF_OF_SHARE) {
            return Cause::Place(place);
        }
        let dropped = self.lost() > self.lost_on_the_way();
        let holds = |used: f64| dropped || (is_media(self.flow) && used >= FULL_OF_MEDIA);
        let busiest = self.fullest().filter(|(_, used)| holds(*used)).map(|(place, _)| place);
        self.waits().or(busiest).map_or(Cause::Sender, Cause::Place)
    }

    /// The buffer of the flow, if its bytes in an RTT are at least this share of it.
    fn filled(&self, share: f64) -> Option<(f64, &'static str)> {
        let in_flight = self.flow.goodput_bps.unwrap_or(0.0) * self.rtt_s() / 8.0;
        self.asked.buffer.filter(|(bytes, _)| in_flight >= share * bytes)
    }

    /// Cause of a flow that does not adapt and loses packets.
    fn spoiled(&self) -> Cause<'a> {
        let full = self.fullest().filter(|(_, used)| *used >= FULL).map(|(place, _)| place);
        match full.or_else(|| self.waits()) {
            Some(place) => Cause::Place(place),
            None => Cause::Losses(self.lost()),
        }
    }

    /// Marks or losses, whichever allows the smaller window.
    fn signal(&self) -> Option<Cause<'a>> {
        let (lost, marked) = (self.lost_on_the_way(), self.marked());
        // RFC 9438, 5.1, and RFC 5681 by M. Mathis et al. (1997): sqrt(1.5 / p) segments.
        let classic = |share: f64| (1.5 / share).sqrt();
        // Two marks in a round trip (RFC 9332, 2.1): 2 / p segments.
        let of_marks = match self.asked.answers {
            Answers::Scalable => 2.0 / marked,
            Answers::Classic | Answers::Tolerant | Answers::Media => classic(marked),
        };
        let tolerated = self.asked.answers == Answers::Tolerant && lost < TOLERATED;
        let of_losses = if tolerated { f64::INFINITY } else { classic(lost) };
        // A window that falls by d at each signal goes as 1 / sqrt(d). At a mark d is p / 2.
        let gentler = match self.asked.answers {
            Answers::Media => (2.0 * MEDIA_DECREASE / marked).sqrt(),
            _ => 1.0,
        };
        let smaller = match of_marks * gentler <= of_losses {
            true => (of_marks, Cause::Marks(marked)),
            false => (of_losses, Cause::Losses(lost)),
        };
        (smaller.0 <= NEAR * self.window()).then_some(smaller.1)
    }

    /// The flow's window in packets: what it gets in a round trip.
    fn window(&self) -> f64 {
        let flow = self.flow;
        let packets = flow.received_packets as f64 / active_s(self.run, flow).max(1e-9);
        packets * self.rtt_s()
    }

    /// The RTT in seconds: TCP's own, or else the delay and the least delay back.
    pub(super) fn rtt_s(&self) -> f64 {
        let delays = self.flow.delay_ms.as_ref().map_or(0.0, |delay| delay.mean + delay.min);
        self.flow.rtt_ms.unwrap_or(delays) * 1e-3
    }

    fn lost(&self) -> f64 {
        self.flow.lost_packets as f64 / self.flow.sent_packets.max(1) as f64
    }

    /// Share of packets lost, without what queues dropped because they were full or too long: that
    /// is a signal of the element.
    fn lost_on_the_way(&self) -> f64 {
        let queued: u64 = QUEUES.iter().filter_map(|name| self.flow.dropped.get(name)).sum();
        self.flow.lost_packets.saturating_sub(queued) as f64 / self.flow.sent_packets.max(1) as f64
    }

    fn marked(&self) -> f64 {
        self.flow.marks as f64 / self.flow.sent_packets.max(1) as f64
    }
}

/// True if the flow is RTP, whether or not a real stack sends it.
fn is_media(flow: &FlowSummary) -> bool {
    matches!(&*flow.kind, "rtp" | "webrtc" | "xr")
}
