//! An end of a call, as a stack.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use airpath_base::Time;
use airpath_base::random::Stream;
use airpath_net::{MediaState, StackEvent};
use airpath_wire::Ecn;
use str0m::bwe::BweKind;
use str0m::net::{Protocol, Receive};
use str0m::rtp::rtcp::Rtcp;
use str0m::rtp::{RawPacket, RtpWrite, SeqNo};
use str0m::{Event, IceConnectionState, Input, Output, Rtc, RtcError};

use super::config::WebrtcConfig;
use super::epoch;
use super::packet::{REPEATED, VIDEO, rtp_header};
use super::session::{self, socket};
use super::source::Source;
use super::watch::Watch;
use crate::clock::Clock;
use crate::random;
use crate::stack::{Content, Datagram, Outcome, Report, Stack, Transmit};

/// Calls of str0m at one instant; a further one waits for [`NUDGE`].
const MOST_CALLS: usize = 1_000;
const NUDGE: airpath_base::Duration = airpath_base::Duration::from_millis(1);
/// Bytes of a packet that RTP's smallest header has, with that of transport-wide numbers beside it.
const LEAST_PAYLOAD: usize = 1;

/// A fault of an end's options.
type Fault = Box<dyn core::error::Error + Send + Sync>;

/// An end of a call.
pub struct Webrtc {
    config: WebrtcConfig,
    clock: Clock,
    /// State of fastrand, from which str0m's identifiers come.
    identifiers: u64,
    rtc: Option<Box<Rtc>>,
    source: Option<Source>,
    watch: Watch,
    begun: Time,
    /// Time of the next work of str0m.
    due: Option<Time>,
    /// Time of the end of the call, until then.
    end: Option<Time>,
    connected: bool,
    reached: bool,
    ended: bool,
    /// Number of the next packet of video.
    number: u64,
    /// True if the datagram that str0m takes was sent again.
    repeated: bool,
    transmits: VecDeque<Transmit>,
    reports: VecDeque<Report>,
    /// Content of all packets of video: str0m encrypts it.
    content: Arc<[u8]>,
}

impl Webrtc {
    /// An end whose identifiers come from this stream, and whose frames from `frames`.
    ///
    /// # Errors
    ///
    /// If the encoder cannot be made, or str0m does not show its time of day.
    pub fn new(config: WebrtcConfig, draws: &mut Stream, frames: Stream) -> Result<Webrtc, Fault> {
        let clock = Clock::from(epoch::zero().ok_or("str0m does not show its time of day")?);
        let video = config.video.clone();
        Ok(Webrtc {
            clock,
            identifiers: draws.bits(),
            rtc: None,
            source: video.map(|video| Source::new(video, frames)).transpose()?,
            watch: Watch::new(clock.instant(Time::ZERO)),
            begun: Time::ZERO,
            due: None,
            end: config.end,
            connected: false,
            reached: false,
            ended: false,
            number: 0,
            repeated: false,
            transmits: VecDeque::new(),
            reports: VecDeque::new(),
            content: Arc::from([]),
            config,
        })
    }

    /// Calls str0m with identifiers of this end.
    fn call<T>(&mut self, act: impl FnOnce(&mut Webrtc) -> T) -> T {
        let mut identifiers = self.identifiers;
        let done = random::with_fastrand(&mut identifiers, || act(self));
        self.identifiers = identifiers;
        done
    }

    fn open(&mut self, now: Time) {
        let rates = self.source.as_ref().map_or((None, 0.0), |own| (own.start_bps(), own.most()));
        match session::connect(&self.config, self.source.is_some(), rates, self.clock.instant(now))
        {
            Ok(rtc) => self.rtc = Some(Box::new(rtc)),
            Err(error) => self.fail(cause(&error)),
        }
    }

    /// Ends the call with a reason.
    fn fail(&mut self, cause: &'static str) {
        if !std::mem::replace(&mut self.ended, true) {
            self.reports.push_back(Report::Ended(Outcome::Failed(cause)));
        }
        self.leave();
    }

    /// Nothing is sent or taken any more.
    fn leave(&mut self) {
        (self.rtc, self.due, self.end) = (None, None, None);
        self.source.iter_mut().for_each(Source::end);
    }

    /// Hands an input to str0m.
    fn input(&mut self, input: Input<'_>) {
        let done = self.rtc.as_mut().map_or(Ok(()), |rtc| rtc.handle_input(input));
        done.unwrap_or_else(|error| self.fail(cause(&error)));
    }

    /// Forgets the stream of probes. str0m wakes for the timer of its first received stream alone, in the order of a hash map.
    /// That order differs between runs. A further probe opens the stream again.
    fn forget_probes(&mut self) {
        if let Some(rtc) = &mut self.rtc {
            rtc.direct_api().remove_stream_rx(0.into());
        }
    }

    /// Takes all outputs of str0m, which is called as often as it wants at this instant.
    fn drive(&mut self, now: Time) {
        let at = self.clock.instant(now);
        for _ in 0..MOST_CALLS {
            self.due = None;
            match self.poll(now) {
                None => return,
                Some(due) if due > at => {
                    self.due = Some(self.clock.time(due));
                    return;
                }
                Some(_) => self.input(Input::Timeout(at)),
            }
        }
        self.due = Some(now + NUDGE);
    }

    /// Takes outputs up to the next timeout. None if the call is over.
    fn poll(&mut self, now: Time) -> Option<Instant> {
        loop {
            match self.rtc.as_mut()?.poll_output() {
                Ok(Output::Timeout(due)) => return Some(due),
                Ok(Output::Transmit(own)) => self.send(own.contents.into()),
                Ok(Output::Event(event)) => self.heed(now, event),
                Err(error) => self.fail(cause(&error)),
            }
        }
    }

    fn send(&mut self, payload: Vec<u8>) {
        let content = match rtp_header(&payload) {
            Some(own) if own.payload_type == VIDEO => {
                let made =
                    self.source.as_ref().and_then(|own_source| own_source.time_of(own.timestamp));
                Content::Media { made }
            }
            Some(_) => Content::Media { made: None },
            None => Content::Other,
        };
        self.transmits.push_back(Transmit {
            ecn: Ecn::NotEct,
            remote: self.config.remote,
            payload,
            content,
        });
    }

    fn heed(&mut self, now: Time, event: Event) {
        match event {
            Event::Connected => self.connect(now),
            Event::IceConnectionStateChange(state) => self.heed_ice(now, state),
            Event::EgressBitrateEstimate(BweKind::Twcc { estimate, .. }) => {
                self.source.iter_mut().for_each(|own| own.set_target(estimate.as_f64()));
            }
            Event::KeyframeRequest(_) => {
                self.source.iter_mut().for_each(Source::request_key_frame);
            }
            Event::RtpPacket(packet) => {
                let (timestamp, bytes) = (packet.header.timestamp, packet.payload.len() as u64);
                let repeated = self.repeated;
                self.reports.push_back(Report::Media { timestamp, bytes, repeated });
            }
            Event::RawPacket(packet) => self.heed_raw(now, *packet),
            Event::Closed => self.leave(),
            _ => {}
        }
    }

    fn connect(&mut self, now: Time) {
        self.connected = true;
        if let Some(source) = &mut self.source {
            source.request_key_frame();
            let took = now.saturating_since(self.begun);
            self.reports.push_back(Report::Event(StackEvent::Handshake { took }));
        }
    }

    fn heed_ice(&mut self, now: Time, state: IceConnectionState) {
        match state {
            IceConnectionState::Connected | IceConnectionState::Completed => {
                if !std::mem::replace(&mut self.reached, true) && self.source.is_some() {
                    let took = now.saturating_since(self.begun);
                    self.reports.push_back(Report::Event(StackEvent::Path { took }));
                }
            }
            IceConnectionState::Disconnected if self.reached => self.fail("ICE lost the path"),
            IceConnectionState::Disconnected => self.fail("ICE found no path"),
            IceConnectionState::New | IceConnectionState::Checking => {}
        }
    }

    fn heed_raw(&mut self, now: Time, packet: RawPacket) {
        match packet {
            RawPacket::RtpTx(header, bytes) => {
                if header.ext_vals.transport_cc.is_some() {
                    self.watch.sent(now, bytes.len() as u64);
                }
                match *header.payload_type {
                    REPEATED => {
                        self.reports.push_back(Report::Event(StackEvent::Repeated { packets: 1 }))
                    }
                    _ => {
                        let payload = bytes.len().saturating_sub(header.header_len) as u32;
                        self.source.iter_mut().for_each(|own| own.left(payload));
                    }
                }
            }
            RawPacket::RtcpRx(Rtcp::Twcc(twcc)) => {
                self.watch.feedback(now, twcc);
                self.show();
            }
            RawPacket::RtcpRx(Rtcp::Nack(nack)) => {
                let named =
                    |entry: str0m::rtp::rtcp::NackEntry| 1 + u64::from(entry.blp.count_ones());
                let packets = nack.reports.into_iter().map(named).sum();
                self.reports.push_back(Report::Event(StackEvent::Nacked { packets }));
            }
            _ => {}
        }
    }

    /// Reports the state of the sender.
    fn show(&mut self) {
        let (video, _) = self.config.role.ssrcs();
        let stream = self.rtc.as_mut().map(|rtc| rtc.direct_api());
        let queued =
            stream.and_then(|mut direct| Some(direct.stream_tx(&video)?.queue_info()?.byte_size()));
        let Some(source) = &self.source else { return };
        self.reports.push_back(Report::State(MediaState {
            target_bps: source.target() as u64,
            cwnd: 0,
            in_flight: self.watch.in_flight,
            queue_delay: self.watch.queue_delay,
            srtt: self.watch.rtt,
            queued_bytes: queued.unwrap_or(0) as u64,
            discarded_packets: 0,
            lost_packets: self.watch.lost,
            lost_arrived_packets: self.watch.lost_arrived,
        }));
    }

    /// Makes a frame, and writes it if the call is connected.
    fn make_frame(&mut self, now: Time) {
        let Some(source) = &mut self.source else { return };
        if source.is_new() {
            self.reports.push_back(Report::Started);
        }
        if source.gives_up() {
            source.end();
            self.reports.push_back(Report::GaveUp);
            return;
        }
        let (frame, packets) = source.make(now);
        self.reports.push_back(Report::Frame(frame));
        let (video, _) = self.config.role.ssrcs();
        let at = self.clock.instant(now);
        let Some(rtc) = self.rtc.as_mut().filter(|_| self.connected) else { return };
        let mut direct = rtc.direct_api();
        let Some(stream) = direct.stream_tx(&video) else { return };
        for packet in packets {
            let bytes = (packet.bytes as usize).max(LEAST_PAYLOAD);
            if self.content.len() != bytes {
                self.content = Arc::from(vec![0; bytes]);
            }
            let number = SeqNo::from(self.number);
            let write =
                RtpWrite::new(VIDEO.into(), number, frame.timestamp, at, Arc::clone(&self.content));
            stream.write_rtp(write.marker(packet.marker).nackable(true));
            self.number += 1;
        }
    }

    /// Says good-bye (RFC 3550, 6.6, and close_notify of RFC 5246, 7.2.1), and leaves.
    fn close(&mut self, now: Time) {
        let closed = self.rtc.as_mut().map_or(Ok(()), |rtc| rtc.close());
        if closed.is_ok() {
            self.drive(now);
        }
        self.leave();
    }
}

impl Stack for Webrtc {
    fn begin(&mut self, now: Time) {
        self.begun = now;
        self.call(|own| {
            own.open(now);
            own.input(Input::Timeout(own.clock.instant(now)));
            own.drive(now);
        });
    }

    fn stop(&mut self, _: Time) {
        // The timetable of the source has the stop.
    }

    fn receive(&mut self, now: Time, datagram: Datagram<'_>) {
        let (source, destination) = (socket(self.config.remote), socket(self.config.local));
        let Ok(own) = Receive::new(Protocol::Udp, source, destination, datagram.payload) else {
            return;
        };
        let at = self.clock.instant(now);
        let header = rtp_header(datagram.payload);
        self.repeated = header.is_some_and(|header| header.payload_type == REPEATED);
        self.call(|end| {
            end.input(Input::Receive(at, own));
            if header.is_some_and(|header| header.ssrc == 0) {
                end.forget_probes();
            }
            end.drive(now);
        });
    }

    fn wake(&mut self, now: Time) {
        self.call(|own| {
            while own.source.as_ref().and_then(Source::due).is_some_and(|due| due <= now) {
                own.make_frame(now);
            }
            own.input(Input::Timeout(own.clock.instant(now)));
            own.drive(now);
            if own.end.take_if(|at| *at <= now).is_some() {
                own.close(now);
            }
        });
    }

    fn transmit(&mut self, _: Time) -> Option<Transmit> {
        self.transmits.pop_front()
    }

    fn timeout(&mut self) -> Option<Time> {
        let frame = self.source.as_ref().and_then(Source::due);
        [self.due, frame, self.end].into_iter().flatten().min()
    }

    fn set_active(&mut self, now: Time, active: bool) -> bool {
        self.source.iter_mut().for_each(|own| own.set_active(now, active));
        self.source.is_some()
    }

    fn report(&mut self) -> Option<Report> {
        self.reports.pop_front()
    }
}

/// Cause of a call's end.
fn cause(error: &RtcError) -> &'static str {
    match error {
        RtcError::Dtls(_) => "DTLS failed",
        RtcError::Ice(_) => "ICE failed",
        RtcError::Net(_) => "a datagram that is none of WebRTC",
        _ => "str0m failed",
    }
}

#[cfg(test)]
#[path = "end_tests.rs"]
mod tests;
