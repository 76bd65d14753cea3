//! Counters of a flow.

use airpath_base::{Duration, Time};
use airpath_net::{
    AppEvent, DropCause, FrameMade, Leg, Packet, Payload, Reason, StackEvent, Stage, TcpEvent,
};
use airpath_stats::Welford;
use airpath_wire::datagram::{self, Transport};
use airpath_wire::{Protocol, RtpRepr, UDP_HEADER};

use super::application::{PlaybackCounts, RequestCounts};
use super::budget::BudgetCounts;
use super::cost::HandoverCounts;
use super::media::MediaCounts;
use super::pages::PageCounts;
use super::share::ShareCounts;
use super::stack::StackCounts;
use super::waiting::Waiting;
use crate::Delays;

/// Counters of one flow: packets by their birth, all else by when it happened.
#[derive(Clone, Debug)]
pub struct FlowCounts {
    /// Packets from the sender of the data to their receiver.
    pub data: LegCounts,
    /// Acknowledgements and reports.
    pub feedback: LegCounts,
    /// Delays of the data packets.
    pub delays: Delays,
    /// Of these, the time in queues.
    pub queueing: Delays,
    /// Reports of TCP.
    pub tcp: TcpCounts,
    /// Frames and their controller, if it is a flow of media.
    pub media: Option<Box<MediaCounts>>,
    /// Requests, if its application asks.
    pub requests: Option<Box<RequestCounts>>,
    /// Pages, if it is a user of the web.
    pub pages: Option<Box<PageCounts>>,
    /// Cost of changes of cells; none without, and before the end of the run.
    pub handovers: Option<Box<HandoverCounts>>,
    /// The player, if it has one.
    pub playback: Option<PlaybackCounts>,
    /// Its connections, if its transport is a real stack that has reported.
    pub stack: Option<Box<StackCounts>>,
    /// Packets of its data and of its feedback by the delay budgets of their bearers, where they
    /// have such.
    pub budgets: [Option<BudgetCounts>; 2],
    /// RTP packets of a flow without frames that came within the time of the options. What may still come in time when the run
    /// ends is left out.
    pub within: ShareCounts,
    /// Its data on their way, if they are RTP packets that are judged by their time.
    pub(super) waiting: Option<Waiting>,
    /// Birth of the youngest data packet that has arrived.
    pub(super) newest: Option<Time>,
    pub(super) keep: Keep,
    /// Bytes that reached the application in order, as it reported; none if it
    /// reported nothing.
    app_bytes: Option<u64>,
    /// Payload bytes of received data packets that are not TCP segments.
    datagram_bytes: u64,
    /// Of these bytes, those that were delivered during the warm-up.
    early_bytes: u64,
    /// Bytes of IP that arrived of data packets of the warm-up.
    early_received_bytes: u64,
    /// Time of the last delivery of these bytes.
    pub last_delivery: Option<Time>,
    /// Beginning of the application, or else time of the first packet.
    pub started: Option<Time>,
    /// Completion of a finite transfer.
    pub finished: Option<Time>,
}

/// Options of a flow's counters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    /// Delays that are kept one by one.
    pub(super) exact_delays: usize,
    /// Rows of frames and of requests.
    pub(super) rows: [usize; 2],
    /// Packets that were born before do not count.
    pub(super) from: Time,
    /// True if deadlines are noted that frames missed.
    pub(super) deadlines: bool,
    /// Time within which frames and RTP packets are counted, instead of the deadline of each frame.
    pub(super) within: Option<Duration>,
    /// True if frames are no pictures, so that none can freeze.
    pub(super) no_pictures: bool,
}

/// Counters of one direction of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegCounts {
    /// Packets handed to the network.
    pub sent_packets: u64,
    /// Their bytes of IP.
    pub sent_bytes: u64,
    /// Packets taken from the network.
    pub received_packets: u64,
    /// Their bytes of IP.
    pub received_bytes: u64,
    /// Drops by [`DropCause`], anywhere.
    pub drops: [u64; DropCause::ALL.len()],
    /// Of these, drops at radio nodes.
    pub radio_drops: [u64; DropCause::ALL.len()],
    /// Times that an element set congestion experienced.
    pub marks: u64,
    /// Packets that arrived with congestion experienced.
    pub received_ce: u64,
    /// Time that the received packets spent in each [`Stage`], in nanoseconds.
    pub stage_nanos: [u64; Stage::COUNT],
    /// Time that the dropped packets spent in each [`Stage`] until their drop, in nanoseconds.
    pub lost_stage_nanos: [u64; Stage::COUNT],
    /// Time at which the first packet was sent.
    pub first_sent: Option<Time>,
    /// Time at which the last packet was sent.
    pub last_sent: Option<Time>,
    /// Time at which the first packet was received.
    pub first_received: Option<Time>,
    /// Time at which the last packet was received.
    pub last_received: Option<Time>,
}

/// Reports of a flow's TCP endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TcpCounts {
    /// Segments sent again on duplicate acknowledgements or SACK.
    pub fast_retransmissions: u64,
    /// Segments sent again after a timeout.
    pub timeout_retransmissions: u64,
    /// Bytes sent again.
    pub retransmitted_bytes: u64,
    /// Times that the retransmission timer ran out.
    pub timeouts: u64,
    /// Loss recoveries begun.
    pub recoveries: u64,
    /// Recoveries, those that begin within ten round trips of the one before left out.
    pub setbacks: u64,
    /// Beginnings of the first and the last of these.
    pub set_back: Option<(Time, Time)>,
    /// End of the handshake.
    pub established: Option<Time>,
    /// RTT samples in nanoseconds.
    pub rtt: Welford,
    /// Smallest RTT sample.
    pub min_rtt: Option<Duration>,
    /// Congestion window in bytes at last report.
    pub cwnd: Option<u64>,
    /// Largest congestion window in bytes.
    pub max_cwnd: u64,
    /// Congestion windows in bytes, by report.
    pub cwnds: Welford,
    /// Bytes in flight at last report.
    pub in_flight: u64,
    /// Smoothed RTT at last report.
    pub srtt: Option<Duration>,
}

impl Default for FlowCounts {
    fn default() -> FlowCounts {
        FlowCounts::new(Keep::default())
    }
}

impl FlowCounts {
    pub(super) fn new(keep: Keep) -> FlowCounts {
        FlowCounts {
            data: LegCounts::default(),
            feedback: LegCounts::default(),
            delays: Delays::new(keep.exact_delays),
            queueing: Delays::new(keep.exact_delays),
            tcp: TcpCounts::default(),
            media: None,
            requests: None,
            pages: None,
            handovers: None,
            playback: None,
            stack: None,
            budgets: [None; 2],
            within: ShareCounts::default(),
            waiting: None,
            newest: None,
            keep,
            app_bytes: None,
            datagram_bytes: 0,
            early_bytes: 0,
            early_received_bytes: 0,
            last_delivery: None,
            started: None,
            finished: None,
        }
    }

    /// Bytes delivered to the application since the warm-up: as it reported, or else the
    /// payload of the datagrams received.
    pub fn delivered_bytes(&self) -> u64 {
        self.all_bytes()[0].saturating_sub(self.early_bytes)
    }

    /// In the whole run: bytes delivered to the application, and bytes of IP of data packets
    /// that arrived.
    pub(super) fn all_bytes(&self) -> [u64; 2] {
        let delivered = self.app_bytes.unwrap_or(self.datagram_bytes);
        [delivered, self.data.received_bytes + self.early_received_bytes]
    }

    /// Begins to count events that count by their time.
    pub(super) fn begin(&mut self, at: Time) {
        self.early_bytes = self.all_bytes()[0];
        self.tcp.begin();
        self.media.iter_mut().for_each(|media| media.begin());
        self.playback.iter_mut().for_each(|playback| playback.begin(at));
        self.stack.iter_mut().for_each(|stack| stack.begin());
    }

    #[inline(never)]
    pub(super) fn originated(&mut self, now: Time, packet: &Packet) {
        if packet.leg == Leg::Data {
            self.started.get_or_insert(now);
        }
        if !self.counts(packet) {
            return;
        }
        if let Some(waiting) = self.waiting.as_mut().filter(|_| packet.leg == Leg::Data) {
            waiting.sent(packet.born());
        }
        let leg = self.leg(packet);
        leg.sent_packets += 1;
        leg.sent_bytes += u64::from(packet.size);
        leg.first_sent.get_or_insert(now);
        leg.last_sent = Some(now);
    }

    /// Says whether the packet's stages add up to its delay.
    pub(super) fn consumed(&mut self, now: Time, packet: &Packet) -> bool {
        let counts = self.counts(packet);
        if packet.leg == Leg::Data {
            let datagram = u64::from(datagram_payload(packet));
            self.datagram_bytes += datagram;
            self.delivered(now, datagram);
            self.newest = self.newest.max(Some(packet.born()));
            if let Some(media) = self.media.as_mut().filter(|_| !is_padding(packet)) {
                media.consumed(now, packet);
            }
            match counts {
                true => {
                    self.delays.add(now.saturating_since(packet.born()));
                    self.queueing.add(packet.stages.queued());
                }
                false => self.early_received_bytes += u64::from(packet.size),
            }
        }
        if counts {
            self.leg(packet).received(now, packet);
            self.judge(now, packet, true);
        }
        packet.stages.until() == now
    }

    #[inline]
    fn delivered(&mut self, now: Time, bytes: u64) {
        if bytes > 0 {
            self.last_delivery = Some(now);
        }
    }

    /// Says whether the packet's stages add up to its age.
    pub(super) fn dropped(
        &mut self,
        now: Time,
        packet: &Packet,
        cause: DropCause,
        radio: bool,
    ) -> bool {
        if packet.leg == Leg::Data && !is_padding(packet) {
            self.media.iter_mut().for_each(|media| media.dropped(packet));
        }
        if self.counts(packet) {
            let leg = self.leg(packet);
            leg.drops[cause as usize] += 1;
            leg.radio_drops[cause as usize] += u64::from(radio);
            packet.stages.add_to(&mut leg.lost_stage_nanos);
            self.judge(now, packet, false);
        }
        packet.stages.until() == now
    }

    /// True if the packet is no part of the warm-up.
    #[inline]
    fn counts(&self, packet: &Packet) -> bool {
        self.keep.from == Time::ZERO || packet.born() >= self.keep.from
    }

    #[inline]
    fn judge(&mut self, now: Time, packet: &Packet, received: bool) {
        if let Some(waiting) = self.waiting.as_mut().filter(|_| packet.leg == Leg::Data) {
            waiting.ended(packet.born());
            if let Some(within) = self.keep.within {
                self.within.ended(received && now.saturating_since(packet.born()) <= within);
            }
        }
        let budget = self.budgets[packet.leg as usize].as_mut();
        budget.into_iter().for_each(|budget| budget.ended(now, packet, received));
    }

    pub(super) fn marked(&mut self, packet: &Packet) {
        if self.counts(packet) {
            self.leg(packet).marks += 1;
        }
    }

    #[inline(never)]
    pub(super) fn tcp_event(&mut self, now: Time, event: &TcpEvent) {
        let tcp = &mut self.tcp;
        match *event {
            TcpEvent::Retransmission { reason, bytes } => {
                tcp.retransmitted_bytes += u64::from(bytes);
                match reason {
                    Reason::Fast => tcp.fast_retransmissions += 1,
                    Reason::Timeout => tcp.timeout_retransmissions += 1,
                }
            }
            TcpEvent::State { cwnd, in_flight, srtt, .. } => {
                (tcp.cwnd, tcp.in_flight, tcp.srtt) = (Some(cwnd), in_flight, srtt);
                tcp.max_cwnd = tcp.max_cwnd.max(cwnd);
                tcp.cwnds.add(cwnd as f64);
            }
            TcpEvent::Rtt(sample) => {
                tcp.rtt.add(sample.as_nanos() as f64);
                tcp.min_rtt = Some(tcp.min_rtt.map_or(sample, |least| least.min(sample)));
            }
            TcpEvent::Timeout { .. } => tcp.timeouts += 1,
            TcpEvent::Recovery => {
                tcp.recoveries += 1;
                tcp.set_back(now);
            }
            TcpEvent::Established => tcp.established = tcp.established.or(Some(now)),
            TcpEvent::Model(_) => {}
        }
    }

    #[inline(never)]
    pub(super) fn app_event(&mut self, now: Time, event: &AppEvent) {
        match *event {
            AppEvent::Delivered { bytes } => {
                *self.app_bytes.get_or_insert(0) += bytes;
                self.delivered(now, bytes);
            }
            _ => self.rarer_app_event(now, event),
        }
    }

    #[inline(never)]
    fn rarer_app_event(&mut self, now: Time, event: &AppEvent) {
        match *event {
            AppEvent::Delivered { .. } => {}
            AppEvent::Started => self.started = Some(self.started.map_or(now, |t| t.min(now))),
            AppEvent::Finished => {
                self.finished = Some(now);
                self.stack.iter_mut().for_each(|stack| stack.failed = None);
            }
            // An end that does not learn that the flow is complete gives up in the end.
            AppEvent::Stack(StackEvent::Failed(_)) if self.finished.is_some() => {}
            AppEvent::Frame(frame) => self.frame(now, frame, None),
            AppEvent::FramePacket { timestamp, delays } => {
                self.media().frame_packet(now, timestamp, delays);
            }
            AppEvent::Media(state) => self.media().state(state),
            AppEvent::GaveUp => self.media().gave_up = Some(now),
            AppEvent::Exchange(ref exchange) => self.requests().exchange(exchange),
            AppEvent::Page(ref page) => self.pages().page(page),
            AppEvent::Stack(event) => self.stack.get_or_insert_default().on(event),
            AppEvent::Playback(ref playback) => {
                self.playback.get_or_insert_with(|| PlaybackCounts::new(now)).report(now, playback);
            }
        }
    }

    /// A frame was made, which shows the input of that time.
    pub(super) fn frame(&mut self, now: Time, frame: FrameMade, input: Option<Time>) {
        self.media().frame(now, frame, input);
    }

    #[inline(never)]
    fn media(&mut self) -> &mut MediaCounts {
        self.media.get_or_insert_with(|| Box::new(MediaCounts::new(self.keep)))
    }

    #[inline(never)]
    fn requests(&mut self) -> &mut RequestCounts {
        self.requests.get_or_insert_with(|| Box::new(RequestCounts::new(self.keep)))
    }

    #[inline(never)]
    fn pages(&mut self) -> &mut PageCounts {
        self.pages.get_or_insert_with(|| Box::new(PageCounts::new(self.keep)))
    }

    fn leg(&mut self, packet: &Packet) -> &mut LegCounts {
        match packet.leg {
            Leg::Data => &mut self.data,
            Leg::Feedback => &mut self.feedback,
        }
    }
}

impl LegCounts {
    /// Packets dropped anywhere.
    pub fn lost_packets(&self) -> u64 {
        self.drops.iter().sum()
    }

    /// Packets neither received nor dropped yet.
    pub fn in_flight_packets(&self) -> u64 {
        self.sent_packets.saturating_sub(self.received_packets + self.lost_packets())
    }

    fn received(&mut self, now: Time, packet: &Packet) {
        self.received_packets += 1;
        self.received_bytes += u64::from(packet.size);
        self.received_ce += u64::from(packet.ecn == airpath_wire::Ecn::Ce);
        self.first_received.get_or_insert(now);
        self.last_received = Some(now);
        packet.stages.add_to(&mut self.stage_nanos);
    }
}

impl TcpCounts {
    /// Counts from now on; what it is stays.
    fn begin(&mut self) {
        let TcpCounts { established, cwnd, in_flight, srtt, .. } = *self;
        let max_cwnd = cwnd.unwrap_or(0);
        *self = TcpCounts { established, cwnd, max_cwnd, in_flight, srtt, ..Default::default() };
    }

    fn set_back(&mut self, now: Time) {
        let near = self.srtt.unwrap_or_default() * 10;
        let (first, last) = self.set_back.unwrap_or((now, now));
        if self.setbacks == 0 || now.saturating_since(last) > near {
            self.setbacks += 1;
            self.set_back = Some((first, now));
        }
    }

    /// Segments sent again for whatever reason.
    pub fn retransmissions(&self) -> u64 {
        self.fast_retransmissions + self.timeout_retransmissions
    }
}

/// Bytes that a packet carries for its application; none for TCP, where only
/// the receiver knows what is new.
fn datagram_payload(packet: &Packet) -> u32 {
    let headers = packet.tuple.ip_header()
        + match packet.tuple.protocol {
            Protocol::UDP => UDP_HEADER,
            _ => 0,
        };
    match &packet.payload {
        Payload::Tcp(_) => 0,
        Payload::Rtp(_) if is_padding(packet) => 0,
        Payload::Rtp(rtp) => rtp.payload_len,
        Payload::Bytes(bytes) => real_payload(bytes),
        _ if packet.tuple.protocol == Protocol::TCP => 0,
        _ => packet.size.saturating_sub(headers),
    }
}

/// True if a packet repeats media as padding.
fn is_padding(packet: &Packet) -> bool {
    matches!(&packet.payload, Payload::Rtp(rtp) if rtp.payload_type == RtpRepr::PADDING)
}

/// Payload of a real packet, in bytes: what lies behind its headers, TCP's too, since nobody
/// reports what its receiver finds new.
fn real_payload(bytes: &[u8]) -> u32 {
    match datagram::parse(bytes) {
        Ok((_, Transport::Tcp(tcp))) => tcp.payload_len,
        Ok((_, Transport::Udp { payload_len, .. })) => payload_len,
        Ok((ip, Transport::Esp(_) | Transport::Other)) => ip.payload_len,
        Err(_) => 0,
    }
}
