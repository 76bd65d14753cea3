//! A flow while it lives.

use core::num::{NonZeroU16, NonZeroU32};

use airpath_base::{Duration, Time};
use airpath_wire::{Protocol, TcpFlags, TcpRepr};

use crate::accurate::Reports;
use crate::batch::{Batch, Entry, Seen};
use crate::causes::{Beside, Standing};
use crate::datagram::Datagram;
use crate::decode::{Layer, Unit};
use crate::handshake::Handshake;
use crate::host::{Event, Silence};
use crate::key::Key;
use crate::methods::Clock;
use crate::names::Names;
use crate::sights;
use crate::signs::{FEW, Passed, Sign, Signs};
use crate::tcp::{self, HalfConnection, Origin, Path, Premises, Sight, Signals, Study, mark};
use crate::udp::Udp;

/// Time after the client's last payload within which further payload is no new request.
const TOGETHER: Duration = Duration::from_secs(1);

/// A flow. Kept small: there may be a million of them.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) key: Key,
    /// Tells it from all others that its client has had.
    pub(crate) id: NonZeroU32,
    /// The client's host.
    pub(crate) host: u32,
    /// Another flow with the same key, seen at another interface; one added to its number.
    pub(crate) sibling: Option<NonZeroU32>,
    /// Interfaces at which the two directions pass, one added to their numbers.
    pub(crate) interfaces: [Option<NonZeroU16>; 2],
    /// Bytes on the heap when they were counted last.
    pub(crate) weight: u32,
    /// True if plain segments cannot change the handshake any more.
    settled: bool,
    /// True if a packet passed at time zero, which stands for no time.
    undated: bool,
    /// True if the capture has no time for a packet.
    pub(crate) untimed: bool,
    /// True if the flow's packets pass at several interfaces, each at one.
    pub(crate) spread: bool,
    /// True if the client sent the last payload.
    pub(crate) asked: bool,
    /// True if the flow is seen at another interface too, and this is not the first.
    pub(crate) repeated: bool,
    pub(crate) last: Time,
    /// The longest time between two packets.
    pub(crate) longest_gap: Duration,
    /// Time of the last payload.
    pub(crate) last_payload: Time,
    pub(crate) names: Names,
    pub(crate) halves: [HalfConnection; 2],
    pub(crate) handshake: Handshake,
    pub(crate) start: Time,
    /// Time of the first FIN or RST; zero before that.
    pub(crate) closing: Time,
    pub(crate) reset: bool,
    /// For how long the client's host was silent before.
    pub(crate) silence: Silence,
    /// Number of attempts to take the flow for RTP in vain.
    in_vain: u8,
    /// Signs of a radio.
    signs: Option<Box<Signs>>,
    /// Protocol over UDP, if it is recognised.
    pub(crate) udp: Option<Box<Udp>>,
}

impl Flow {
    pub(crate) fn new(key: Key, at: Time) -> Flow {
        Flow {
            key,
            id: NonZeroU32::MIN,
            start: at,
            last: at,
            longest_gap: Duration::ZERO,
            last_payload: at,
            closing: Time::ZERO,
            halves: [HalfConnection::default(), HalfConnection::default()],
            handshake: Handshake::default(),
            reset: false,
            settled: false,
            undated: false,
            untimed: false,
            spread: false,
            asked: false,
            host: 0,
            silence: Silence::default(),
            repeated: false,
            sibling: None,
            interfaces: [None; 2],
            weight: 0,
            in_vain: 0,
            signs: None,
            udp: None,
            names: Names::default(),
        }
    }

    /// Notes what other flows of the client's host have carried and measured, up and down.
    #[inline]
    pub(crate) fn beside(&mut self, ways: [Beside; 2]) {
        let client = self.key.client();
        for (side, mut others) in [client, 1 - client].into_iter().zip(ways) {
            let half = &mut self.halves[side];
            others.bytes = others.bytes.saturating_sub(half.bytes);
            if let Some(watch) = half.sent.as_mut().and_then(|sent| sent.watch.as_mut()) {
                watch.beside(others);
            }
            if let Some(udp) = &mut self.udp {
                udp.beside(side, others);
            }
        }
    }

    /// Queues of the last round trips, up and down, once.
    #[inline]
    pub(crate) fn take_standing(&mut self) -> [Option<Standing>; 2] {
        let client = self.key.client();
        [client, 1 - client].map(|side| {
            let sent = self.halves[side].sent.as_mut();
            sent.and_then(|sent| sent.watch.as_mut()).and_then(|watch| watch.take_standing())
        })
    }

    /// A packet.
    pub(crate) fn packet(&mut self, unit: &Unit<'_>, study: &Study, detailed: bool) {
        let side = unit.side;
        self.longest_gap = self.longest_gap.max(unit.at.saturating_since(self.last));
        self.last = self.last.max(unit.at);
        match unit.transport {
            Layer::Tcp(seg) => {
                self.segment(side, unit, seg, (study, detailed));
                let ack = seg.flags.contains(TcpFlags::ACK).then_some(seg.ack.0);
                let end = seg.seq.0.wrapping_add(seg.payload_len);
                self.sign(unit.at, side, Passed { end, len: seg.payload_len, ack }, detailed);
            }
            Layer::Udp { payload_len, payload } => {
                let half = &mut self.halves[side];
                half.count(unit.len, payload_len, Signals::new(unit.tos, 0));
                half.next_print = sights::print(unit);
                if half.packets == 1 {
                    half.base = half.next_print;
                }
                self.last_payload = unit.at;
                if detailed {
                    self.names.datagram(unit.at, self.server_port(), payload);
                }
                let (at, up, port) = (unit.at, side == self.key.client(), self.server_port());
                let datagram = Datagram { at, side, up, port, len: payload_len, payload };
                self.datagram(&datagram, detailed);
            }
        }
        self.undated |= unit.at == Time::ZERO;
        self.untimed |= !unit.timed;
        self.settled = self.is_tcp() && self.handshake.is_settled() && !self.undated;
    }

    /// Books a plain segment by the fast path; gives its meaning to the client's host. If that path
    /// does not take the segment, nothing is done.
    #[inline(always)]
    pub(crate) fn fast_path(
        &mut self,
        entry: &Entry,
        batch: &Batch,
        detailed: bool,
    ) -> Option<Event> {
        let Entry { seen: Seen { at, len, .. }, ref segment, .. } = *entry;
        let side = entry.side();
        if !self.settled || at == Time::ZERO {
            return None;
        }
        let up = side == self.key.client();
        let [a, b] = &mut self.halves;
        let (fwd, rev) = if side == 0 { (a, b) } else { (b, a) };
        let round_trip = || self.handshake.side(!up);
        let print = || tcp::print_of(segment, entry.ident, || tcp::digest(batch.bytes(entry)));
        let seen = (at, len, detailed, entry.tos);
        if !tcp::fast_path(fwd, rev, seen, segment, (print, entry.ident), round_trip) {
            return None;
        }
        self.longest_gap = self.longest_gap.max(at.saturating_since(self.last));
        self.last = self.last.max(at);
        let end = segment.seq.wrapping_add(segment.len);
        let passed = Passed { end, len: segment.len, ack: Some(segment.ack) };
        self.sign(at, side, passed, detailed);
        let timed = true;
        let mut event = Event { at, timed, len, up, request: false, data: None, clock: None };
        if segment.len > 0 {
            let paused = at.saturating_since(self.last_payload) >= TOGETHER;
            event.request = up && (!self.asked || paused);
            event.data = (!up).then_some(self.id);
            self.asked = up;
            self.last_payload = at;
            if detailed {
                let (port, place) = (self.server_port(), (segment.seq, segment.len));
                self.names.segment(at, up, port, place, batch.bytes(entry));
            }
        }
        Some(event)
    }

    /// Looks for signs of a radio, if there is memory for that and the flow is not a short one.
    #[inline]
    fn sign(&mut self, at: Time, side: usize, passed: Passed, detailed: bool) {
        if self.signs.is_none() && detailed && self.halves[0].packets + self.halves[1].packets > FEW
        {
            self.signs = Some(Box::default());
        }
        if let Some(signs) = &mut self.signs {
            signs.take(at, side, passed);
        }
    }

    /// Signs of a radio that it has.
    pub(crate) fn signs(&self) -> Vec<Sign> {
        self.signs.as_ref().map_or_else(Vec::new, |signs| signs.found())
    }

    fn datagram(&mut self, datagram: &Datagram<'_>, detailed: bool) {
        if detailed && self.udp.is_none() {
            self.udp = Udp::begun_by(datagram, self.in_vain);
        }
        if self.udp.as_mut().is_some_and(|udp| !udp.datagram(datagram, detailed)) {
            self.udp = None;
            self.in_vain = self.in_vain.saturating_add(1);
        }
    }

    fn segment(
        &mut self,
        side: usize,
        unit: &Unit<'_>,
        seg: &TcpRepr,
        (study, detailed): (&Study, bool),
    ) {
        self.halves[side].count(unit.len, seg.payload_len, Signals::new(unit.tos, seg.flags.0));
        let [fwd, rev] = [&self.halves[side], &self.halves[1 - side]];
        let premises = (study.notes > 0).then(|| Premises::of(fwd, rev, seg));
        self.classified(side, unit, seg, (study, detailed));
        if let Some(premises) = premises.filter(|_| detailed) {
            premises.note(&mut self.halves[side], unit.number, study.notes);
        }
    }

    /// Takes a segment that is counted.
    fn classified(
        &mut self,
        side: usize,
        unit: &Unit<'_>,
        seg: &TcpRepr,
        (study, detailed): (&Study, bool),
    ) {
        let at = unit.at;
        let [fwd, rev] = [&self.halves[side], &self.halves[1 - side]];
        let origin = Origin { ident: unit.ident, data: unit.data };
        let print = tcp::print(seg, &origin);
        let rtt = self.handshake.whole();
        match tcp::sight(fwd, rev, at, seg, (print, &origin), rtt) {
            Sight::New => {}
            Sight::Copy => return self.halves[side].tally().copies += 1,
            Sight::CopyOrSentAgain => return self.halves[side].tally().open += 1,
        }
        if !self.handshake.is_connected() || seg.flags.contains(TcpFlags::SYN) {
            self.handshake.segment(at, seg, side == self.key.client());
        }
        self.feedback(side, unit, seg);
        if seg.payload_len > 0 {
            self.last_payload = at;
            if detailed {
                let (up, port) = (side == self.key.client(), self.server_port());
                let place = (seg.seq.0, seg.payload_len);
                self.names.segment(at, up, port, place, unit.data);
            }
        }
        if seg.flags.0 & (TcpFlags::FIN.0 | TcpFlags::RST.0) != 0 && self.closing == Time::ZERO {
            self.closing = at;
            self.reset = seg.flags.contains(TcpFlags::RST);
        }
        let (cut, ident) = (unit.cut, unit.ident);
        let path = Path { cut, print, ident, ..self.path(side, study, detailed) };
        let [a, b] = &mut self.halves;
        let (fwd, rev) = if side == 0 { (a, b) } else { (b, a) };
        tcp::step(fwd, rev, at, seg, &path);
        if seg.flags.contains(TcpFlags::RST) {
            self.halves.iter_mut().for_each(|half| half.marks |= mark::FIN);
        }
    }

    /// Reads the congestion feedback of a segment. If the answer to a SYN takes accurate feedback,
    /// both ends report from then on.
    fn feedback(&mut self, side: usize, unit: &Unit<'_>, seg: &TcpRepr) {
        if !seg.flags.contains(TcpFlags::SYN) {
            let (flags, ack) = (seg.flags.0, seg.ack.0);
            self.halves[side].report(flags, ack, seg.payload_len, unit.options);
        } else if seg.flags.contains(TcpFlags::ACK) && self.handshake.ecn.are_accurate() {
            for (n, half) in self.halves.iter_mut().enumerate() {
                let by_client = n == self.key.client();
                let new = || Box::new(Reports::new(by_client));
                half.tally().reports.get_or_insert_with(new);
            }
            // Its counters are those at the beginning.
            let answers = self.halves[side].tally();
            answers.reports.iter_mut().for_each(|reports| reports.options(unit.options, 0));
        }
    }

    /// True if packets of this direction pass at this interface.
    #[inline]
    pub(crate) fn passes(&self, side: usize, number: u32) -> bool {
        self.interfaces[side] == interface(number) || self.spread
    }

    /// True if a packet is equal to an earlier one: to the last ones, to one that is under way, or
    /// to the first datagram.
    pub(crate) fn has_seen(&self, unit: &Unit<'_>) -> bool {
        let (half, print) = (&self.halves[unit.side], sights::print(unit));
        if half.packets == 0 {
            return false;
        }
        match unit.transport {
            Layer::Udp { .. } => print == half.next_print || print == half.base,
            Layer::Tcp(seg) if seg.seq_len() == 0 => {
                seg.seq.0 == half.next && print as u16 == half.ack_print
            }
            Layer::Tcp(seg) => {
                let end = seg.seq.0.wrapping_add(seg.seq_len());
                let sent = half.sent.as_ref().and_then(|sent| sent.queue.passed(end));
                end == half.next && print == half.next_print
                    || sent.is_some_and(|(_, other)| other == print)
            }
        }
    }

    /// The interfaces at which its packets pass up and down; none for a direction without any.
    pub(crate) fn places(&self) -> [Option<NonZeroU16>; 2] {
        [self.interfaces[self.key.client()], self.interfaces[1 - self.key.client()]]
    }

    /// Event of a packet for the client's host; to be called before the packet is taken in.
    pub(crate) fn event(&mut self, unit: &Unit<'_>) -> Event {
        let (at, len, up) = (unit.at, unit.len, unit.side == self.key.client());
        let timed = unit.timed;
        let mut event = Event { at, timed, len, up, request: false, data: None, clock: None };
        let payload = match unit.transport {
            Layer::Udp { payload_len, .. } => payload_len > 0,
            Layer::Tcp(seg) => {
                let data = seg.payload_len > 0;
                event.data = (!up && data).then_some(self.id);
                if up && !self.handshake.is_connected() {
                    let ends = self.handshake.would_end(seg);
                    event.clock = seg.timestamps.filter(|_| ends).map(|stamp| stamp.value);
                    event.request = seg.flags.contains(TcpFlags::SYN);
                }
                data
            }
        };
        if payload {
            let paused = || unit.at.saturating_since(self.last_payload) >= TOGETHER;
            event.request |= up && (!self.asked || paused());
            self.asked = up;
        }
        event
    }

    /// The clock of the client, if the flow was large enough to look at it.
    pub(crate) fn client_clock(&self) -> Option<&Clock> {
        self.halves[self.key.client()].estimators.as_ref().map(|estimators| &estimators.clock)
    }

    /// The time from SYN to ACK: ticks of the client's clock, and by the monitor's.
    pub(crate) fn waited(&self) -> Option<(u32, Duration)> {
        let [syn, ack] = self.handshake.timestamps()?;
        Some((ack.wrapping_sub(syn), self.handshake_time()?))
    }

    /// Round trips of the handshake, the side of the segment's sender first, and the options of the
    /// analysis.
    fn path<'a>(&self, side: usize, study: &'a Study, detailed: bool) -> Path<'a> {
        let (shake, up) = (&self.handshake, side == self.key.client());
        let sides = [shake.side(up), shake.side(!up)];
        let keep = study.keep.keeps(self.key.end(self.key.client()), self.key.server());
        let (rtt, start) = (shake.whole(), self.start);
        Path { rtt, sides, start, study, detailed, up, keep, cut: false, print: 0, ident: 0 }
    }

    /// Duration of the handshake at the monitor, from SYN to ACK.
    pub(crate) fn handshake_time(&self) -> Option<Duration> {
        self.handshake.whole().map(Duration::from_nanos)
    }

    /// True if a handshake was begun and neither completed nor followed by data.
    pub(crate) fn never_connected(&self) -> bool {
        let data = self.halves.iter().any(|half| half.payload > 0);
        self.handshake.is_begun() && !self.handshake.is_connected() && !data
    }

    /// True if no further packet is expected.
    pub(crate) fn is_closed(&self) -> bool {
        self.halves.iter().all(|half| half.has(mark::FIN))
    }

    /// True if this SYN of `side`'s begins another connection between the same ends.
    pub(crate) fn is_reused_by(&self, side: usize, seg: &TcpRepr) -> bool {
        let only_syn = seg.flags.0 & (TcpFlags::SYN.0 | TcpFlags::ACK.0) == TcpFlags::SYN.0;
        let half = &self.halves[side];
        only_syn && half.has(mark::NEXT) && half.base != seg.seq.0
    }

    /// Bytes on the heap when they were counted last, and now.
    pub(crate) fn weighed(&mut self) -> (usize, usize) {
        let before = self.weight;
        self.weight = u32::try_from(self.heap()).unwrap_or(u32::MAX);
        (before as usize, self.weight as usize)
    }

    /// Bytes on the heap.
    fn heap(&self) -> usize {
        let udp = self.udp.as_ref().map_or(0, |udp| udp.heap());
        let signs = self.signs.as_ref().map_or(0, |signs| size_of::<Signs>() + signs.heap());
        let halves: usize = self.halves.iter().map(HalfConnection::heap).sum();
        halves + udp + signs + self.names.heap()
    }

    /// Port of the server.
    pub(crate) fn server_port(&self) -> u16 {
        self.key.port(1 - self.key.client())
    }

    /// True if the flow is TCP.
    pub(crate) fn is_tcp(&self) -> bool {
        self.key.protocol() == Protocol::TCP
    }
}

/// The number of an interface, as flows keep it.
#[inline]
pub(crate) fn interface(number: u32) -> Option<NonZeroU16> {
    NonZeroU16::new(number.saturating_add(1).min(u32::from(u16::MAX)) as u16)
}
