//! QUIC over UDP: what its handshake shows, and RTTs from its spin bit.
//!
//! A flow is QUIC once a long header of a known version was seen (RFC 9000, 17.2; RFC 9369, 3.1). A
//! header of a reserved version counts too, in a datagram as large as a client's first. Initial
//! packets of the flow are opened, for the server's name and for their acknowledgements. The number
//! of opened packets is limited, so that the cost is at the beginning alone.
//!
//! Left out: connections that go on between other addresses (their packets are other flows),
//! and Initial packets that the capture cuts.

mod crypto;
mod frames;
mod keys;
mod packet;
#[cfg(test)]
mod properties;
mod shake;
mod spin;
#[cfg(test)]
pub(crate) mod testing;
mod version;

use airpath_base::Time;
use serde::Serialize;

use crate::causes::{Beside, Outcome, Place, QuicWatch};
use crate::datagram::Datagram;
use crate::names::Said;
use crypto::Crypto;
use frames::{Frame, Frames};
use keys::{Keys, Opened};
use packet::{Packet, Part, Parts};
use shake::Shake;
use version::{Kind, Version};

pub use packet::PacketKind;
pub(crate) use packet::{is_quic, kinds};
pub use shake::QuicOutcome;
use spin::Spin;

/// Initial packets of a flow that are opened, or tried.
const MOST_OPENED: u8 = 48;
/// Keys that are made for a flow.
const MOST_KEYS: u8 = 8;
/// Versions that are listed.
const MOST_VERSIONS: usize = 8;
/// Least payload of a datagram that begins a watch, in bytes. ACKs are smaller.
const LARGE: u32 = 600;

/// Properties of a QUIC connection beside its RTTs and rates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Quic {
    /// Versions in long headers, in the order in which they came: `1`, `2`, `draft-29`, or a
    /// number; at most 8.
    pub versions: Vec<String>,
    /// Versions that the server has, by its version negotiation packet; at most 8.
    pub offered_versions: Vec<String>,
    /// Outcome of the handshake.
    pub outcome: QuicOutcome,
    /// The error with which the server ended the handshake in an Initial packet (RFC 9000, 20.1).
    pub error: Option<u64>,
    /// True if the server requested a proof of the client's address (Retry).
    pub retry: bool,
    /// From the client's first Initial packet to its first with a short header.
    pub handshake_s: Option<f64>,
    /// Packets with 0-RTT data.
    pub zero_rtt_packets: u64,
}

/// A connection.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) spin: Spin,
    shake: Shake,
    versions: Vec<Version>,
    offered: Vec<Version>,
    retry: bool,
    zero_rtt: u32,
    said: Said,
    /// True if the client's first message was seen to its end.
    heard: bool,
    /// State for Initial packets, while they are opened.
    setup: Option<Box<Setup>>,
    over: bool,
    /// Watches over both sides, from the first large datagram on.
    watches: [Option<Box<QuicWatch>>; 2],
}

/// State for the opening of Initial packets.
#[derive(Debug)]
struct Setup {
    /// The connection ID that keys are made of.
    id: Vec<u8>,
    version: Version,
    keys: [Option<Keys>; 2],
    /// One more than the greatest packet number of each end.
    next: [u64; 2],
    crypto: Crypto,
    opens: u8,
    made: u8,
}

impl Connection {
    /// A datagram; `detailed` if there is memory to open packets.
    pub(crate) fn datagram(&mut self, datagram: &Datagram<'_>, detailed: bool) {
        let Datagram { at, side, up, payload, .. } = *datagram;
        let round_trip = self.spin.datagram(side, at, payload);
        self.watch(datagram, round_trip, detailed);
        if self.over && payload.first().is_none_or(|first| first & packet::LONG == 0) {
            return;
        }
        for part in Parts::new(payload) {
            match part {
                Part::Long(packet) => self.packet(up, at, &packet, detailed),
                Part::Short if up && !self.over && !self.versions.is_empty() => {
                    self.shake.client_goes_on(at);
                    self.shake.completed = Some(at);
                    self.over = true;
                    self.end_setup();
                }
                Part::Short => {}
            }
        }
    }

    /// Watches over what both ends send. `round_trip` is one to the sender of the datagram and back, in nanoseconds.
    fn watch(&mut self, datagram: &Datagram<'_>, round_trip: Option<u64>, detailed: bool) {
        let Datagram { at, side, up, len, .. } = *datagram;
        if detailed && len >= LARGE && self.over && self.watches[side].is_none() {
            let [client, server] = self.round_trips();
            let sides = if up { [client, server] } else { [server, client] };
            self.watches[side] = Some(Box::new(QuicWatch::new(at, !up, sides)));
        }
        let [one, other] = &mut self.watches;
        let (own, others) = if side == 0 { (one, other) } else { (other, one) };
        if let Some(own) = own {
            round_trip.into_iter().for_each(|nanos| own.spun(at, true, nanos));
            own.data(at, len);
        }
        if let Some(others) = others {
            round_trip.into_iter().for_each(|nanos| others.spun(at, false, nanos));
            others.answer(at);
        }
    }

    /// Other flows of the client's host in the direction of `side`.
    pub(crate) fn beside(&mut self, side: usize, others: Beside) {
        self.watches[side].iter_mut().for_each(|watch| watch.beside(others));
    }

    /// Causes of the rate of what `side` sends. `place` is the position by the handshake.
    pub(crate) fn causes(&self, side: usize, place: Place, start: Time) -> Option<Outcome> {
        let spins = self.spin.spread(side).is_some();
        self.watches[side].as_ref()?.causes(place, start, spins)
    }

    fn packet(&mut self, up: bool, at: Time, packet: &Packet<'_>, detailed: bool) {
        match packet.kind {
            Kind::Negotiation if !up => return self.negotiation(at, packet),
            Kind::Negotiation => return,
            _ => note(&mut self.versions, packet.version),
        }
        match packet.kind {
            Kind::Initial => self.initial(up, at, packet, detailed),
            Kind::Retry if !up => {
                self.retry = true;
                self.shake.turn(at, false);
            }
            Kind::ZeroRtt if up => self.zero_rtt = self.zero_rtt.saturating_add(1),
            Kind::Handshake if up => self.shake.client_goes_on(at),
            Kind::Handshake => self.shake.answered = true,
            _ => {}
        }
    }

    /// A version negotiation packet (RFC 9000, 17.2.1).
    fn negotiation(&mut self, at: Time, packet: &Packet<'_>) {
        let list = packet.bytes.get(packet.body..).unwrap_or_default();
        for version in list.chunks_exact(4).take(MOST_VERSIONS) {
            let number = version.iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
            note(&mut self.offered, Version(number));
        }
        self.shake.turn(at, true);
    }

    fn initial(&mut self, up: bool, at: Time, packet: &Packet<'_>, detailed: bool) {
        if up && self.shake.begun.is_none() && !self.shake.answered && !self.over {
            self.shake.begun = Some(at);
            self.setup = detailed.then(|| Box::new(Setup::new(packet)));
        }
        let setup = self.setup.as_deref_mut().filter(|_| detailed);
        let opened = setup.and_then(|setup| setup.open(up, packet));
        self.shake.initial(!up, at, opened.as_ref().map(|opened| opened.number));
        let Some(opened) = opened else { return };
        for frame in Frames::new(opened.frames()) {
            match frame {
                Frame::Ack(number) => self.shake.acknowledged(!up, at, number),
                Frame::Crypto { offset, data } if up => self.crypto(offset, data),
                Frame::Close(error) if !up => self.shake.refuse(at, error),
                _ => {}
            }
        }
    }

    fn crypto(&mut self, offset: u64, data: &[u8]) {
        let Some(setup) = self.setup.as_mut().filter(|_| !self.heard) else { return };
        setup.crypto.add(offset, data);
        if setup.crypto.is_whole() {
            (self.said, self.heard) = (setup.crypto.said(), true);
            setup.crypto = Crypto::default();
        }
    }

    /// No more packets are opened; what was not seen to its end has to do.
    fn end_setup(&mut self) {
        if let Some(setup) = self.setup.take().filter(|_| !self.heard) {
            self.said = setup.crypto.said();
        }
    }

    /// Content of the client's first message.
    pub(crate) fn said(&self) -> Said {
        match &self.setup {
            Some(setup) if !self.heard => setup.crypto.said(),
            _ => self.said.clone(),
        }
    }

    /// Round trips to the client and to the server, in nanoseconds.
    pub(crate) fn round_trips(&self) -> [Option<u64>; 2] {
        [self.shake.client_side(), self.shake.server_side()]
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let setup = self.setup.as_ref().map_or(0, |s| size_of::<Setup>() + 20 + s.crypto.heap());
        let lists = 4 * (self.versions.capacity() + self.offered.capacity());
        let watches: usize = self.watches.iter().flatten().map(|watch| watch.heap()).sum();
        setup + lists + self.said.heap() + self.spin.heap() + watches
    }

    /// Record of the connection.
    pub(crate) fn report(&self) -> Quic {
        let named = |list: &[Version]| list.iter().map(ToString::to_string).collect();
        let took = self.shake.completed.zip(self.shake.begun);
        Quic {
            versions: named(&self.versions),
            offered_versions: named(&self.offered),
            outcome: self.shake.outcome(),
            error: self.shake.refused,
            retry: self.retry,
            handshake_s: took.map(|(to, from)| to.saturating_since(from).as_secs_f64()),
            zero_rtt_packets: self.zero_rtt.into(),
        }
    }
}

impl Setup {
    fn new(packet: &Packet<'_>) -> Setup {
        Setup {
            id: packet.destination.to_vec(),
            version: packet.version,
            keys: [None; 2],
            next: [0; 2],
            crypto: Crypto::default(),
            opens: MOST_OPENED,
            made: MOST_KEYS,
        }
    }

    /// Opens an Initial packet, if there are keys for it. Each version has keys of its own (RFC
    /// 9369, 4.1), and after a Retry they follow from another connection ID (RFC 9001, 5.2).
    fn open(&mut self, up: bool, packet: &Packet<'_>) -> Option<Opened> {
        self.opens = self.opens.checked_sub(1)?;
        if self.version != packet.version {
            (self.version, self.keys) = (packet.version, [None; 2]);
        }
        let end = usize::from(!up);
        let keys = self.keys(end)?;
        let mut opened = keys.open(packet, self.next[end]);
        if opened.is_none() && up && self.id != packet.destination {
            let before = std::mem::replace(&mut self.id, packet.destination.to_vec());
            let kept = std::mem::take(&mut self.keys);
            opened = self.keys(end).and_then(|keys| keys.open(packet, 0));
            match opened {
                Some(_) => (self.next, self.crypto) = ([0; 2], Crypto::default()),
                None => (self.id, self.keys) = (before, kept),
            }
        }
        let opened = opened?;
        self.next[end] = self.next[end].max(opened.number.saturating_add(1));
        Some(opened)
    }

    fn keys(&mut self, end: usize) -> Option<Keys> {
        if self.keys[end].is_none() {
            self.made = self.made.checked_sub(1)?;
            self.keys[end] = Keys::new(self.version, &self.id, end == 1);
        }
        self.keys[end]
    }
}

/// Adds a version to a list.
fn note(list: &mut Vec<Version>, version: Version) {
    if list.len() < MOST_VERSIONS && !list.contains(&version) {
        list.push(version);
    }
}

#[cfg(test)]
mod causes_tests;

#[cfg(test)]
#[path = "quic_tests.rs"]
mod tests;
