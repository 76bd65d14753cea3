//! Observed handshake of TCP.

use airpath_base::Time;
use airpath_wire::{TcpFlags, TcpRepr};

use crate::accurate::Flags;
use crate::sequence::after;

/// Bits of what was seen.
const SYN: u16 = 1;
const SYN_ACK: u16 = 2;
const SYN_AGAIN: u16 = 4;
const SYN_ACK_AGAIN: u16 = 8;
const CONNECTED: u16 = 16;
const SERVER_SIDE: u16 = 32;
const CLIENT_SIDE: u16 = 64;
const TIMESTAMPS: u16 = 128;
/// The client sent the SYN-ACK.
const BY_CLIENT: u16 = 256;

/// Most data that a SYN can have, in bytes: the acknowledgement may include it (RFC 7413, 4.2.2).
const MOST_EARLY: u32 = 65_535;

/// A handshake; times of SYN and SYN-ACK make way for the round trips. A round trip is unknown if
/// the packet that began it came more than once. It is unknown as well if the next packet
/// acknowledges another number: then the answer was not captured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handshake {
    /// Time of the SYN; then the round trip to the server.
    server: u64,
    /// Time of the SYN-ACK; then the round trip to the client.
    client: u64,
    /// TSval of SYN and ACK.
    timestamps: [u32; 2],
    /// The acknowledgement that the SYN asks for; then the one that the SYN-ACK does.
    expected: u32,
    seen: u16,
    /// ECN flags of SYN and SYN-ACK.
    pub(crate) ecn: Flags,
}

impl Handshake {
    /// A segment of a connection that is not connected yet, or a SYN.
    pub(crate) fn segment(&mut self, at: Time, seg: &TcpRepr, by_client: bool) {
        let (syn, ack) = (seg.flags.contains(TcpFlags::SYN), seg.flags.contains(TcpFlags::ACK));
        let reset = seg.flags.contains(TcpFlags::RST);
        let now = at.as_nanos();
        if syn {
            self.ecn.segment(seg.flags);
        }
        match (syn, ack) {
            (true, false) => {
                self.see(SYN, SYN_AGAIN);
                if !self.has(SERVER_SIDE) {
                    self.server = now;
                }
                if !self.has(SYN_ACK) {
                    self.expected = seg.seq.0.wrapping_add(1);
                }
                if let Some(timestamps) = seg.timestamps {
                    self.timestamps[0] = timestamps.value;
                    self.seen |= TIMESTAMPS;
                }
            }
            // Both ends open at the same time (RFC 9293, 3.5): nothing answers at once.
            (true, true) if self.has(SYN_ACK) && self.has(BY_CLIENT) != by_client => {
                self.seen |= SYN_ACK_AGAIN;
            }
            (true, true) => {
                if by_client {
                    self.seen |= BY_CLIENT;
                }
                self.answered(now, seg);
                self.see(SYN_ACK, SYN_ACK_AGAIN);
                self.expected = seg.seq.0.wrapping_add(1);
                if !self.has(CLIENT_SIDE) {
                    self.client = now;
                }
            }
            (false, true) if by_client != self.has(BY_CLIENT) && self.connects(seg) && !reset => {
                self.seen |= CONNECTED;
                let exact = seg.ack.0 == self.expected;
                if exact && !self.has(SYN_ACK_AGAIN) && self.client <= now {
                    self.client = now - self.client;
                    self.seen |= CLIENT_SIDE;
                }
                match seg.timestamps {
                    Some(timestamps) => self.timestamps[1] = timestamps.value,
                    None => self.seen &= !TIMESTAMPS,
                }
            }
            // The SYN is refused.
            (false, true) if reset && !by_client && !self.has(SYN_ACK) => self.answered(now, seg),
            _ => {}
        }
    }

    /// True if this segment of the client's ends the handshake.
    pub(crate) fn would_end(&self, seg: &TcpRepr) -> bool {
        let bits = seg.flags.0 & (TcpFlags::SYN.0 | TcpFlags::ACK.0 | TcpFlags::RST.0);
        let exact = self.connects(seg) && seg.ack.0 == self.expected;
        bits == TcpFlags::ACK.0 && exact && !self.has(BY_CLIENT)
    }

    /// True if the segment acknowledges the SYN-ACK, or more.
    fn connects(&self, seg: &TcpRepr) -> bool {
        self.has(SYN_ACK) && !self.is_connected() && !after(self.expected, seg.ack.0)
    }

    /// The server answers the SYN, if it acknowledges it.
    fn answered(&mut self, now: u64, seg: &TcpRepr) {
        let answers = seg.ack.0.wrapping_sub(self.expected) <= MOST_EARLY;
        let first = self.seen & (SYN | SYN_AGAIN | SERVER_SIDE) == SYN && !self.has(SYN_ACK);
        if first && answers && self.server <= now {
            self.server = now - self.server;
            self.seen |= SERVER_SIDE;
        }
    }

    /// True if a SYN or a SYN-ACK was seen.
    pub(crate) fn is_begun(&self) -> bool {
        self.seen & (SYN | SYN_ACK) != 0
    }

    /// True if the client has acknowledged a SYN-ACK.
    pub(crate) fn is_connected(&self) -> bool {
        self.has(CONNECTED)
    }

    /// True if the handshake is over, or was not seen, so that only SYNs can change it.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_connected() || !self.has(SYN_ACK)
    }

    /// Round trip between the capture point and the server, in nanoseconds: from SYN to SYN-ACK, if
    /// the server sent that.
    pub(crate) fn server_side(&self) -> Option<u64> {
        self.parts()[usize::from(self.has(BY_CLIENT))]
    }

    /// Round trip between the capture point and the client, in nanoseconds: from SYN-ACK to ACK, if
    /// the server sent the SYN-ACK.
    pub(crate) fn client_side(&self) -> Option<u64> {
        self.parts()[usize::from(!self.has(BY_CLIENT))]
    }

    /// From SYN to SYN-ACK, and from SYN-ACK to ACK.
    fn parts(&self) -> [Option<u64>; 2] {
        let known = |bit: u16, nanos: u64| self.has(bit).then_some(nanos);
        [known(SERVER_SIDE, self.server), known(CLIENT_SIDE, self.client)]
    }

    /// Round trip between the capture point and the client or the server, in nanoseconds; zero
    /// if it is not known.
    pub(crate) fn side(&self, client: bool) -> u64 {
        let side = if client { self.client_side() } else { self.server_side() };
        side.unwrap_or(0)
    }

    /// From SYN to ACK, in nanoseconds.
    pub(crate) fn whole(&self) -> Option<u64> {
        Some(self.server_side()?.saturating_add(self.client_side()?))
    }

    /// The client's TSval of SYN and ACK, if both have one.
    pub(crate) fn timestamps(&self) -> Option<[u32; 2]> {
        let by_client = !self.has(BY_CLIENT);
        (by_client && self.has(TIMESTAMPS | CONNECTED)).then_some(self.timestamps)
    }

    fn has(&self, bits: u16) -> bool {
        self.seen & bits == bits
    }

    fn see(&mut self, first: u16, again: u16) {
        self.seen |= if self.has(first) { again } else { first };
    }
}

#[cfg(test)]
mod tests {
    use airpath_wire::Timestamps;

    use super::*;

    fn seg(flags: TcpFlags, value: u32) -> TcpRepr {
        let timestamps = Some(Timestamps { value, echo: 0 });
        let ack = airpath_wire::SeqNumber(u32::from(flags.contains(TcpFlags::ACK)));
        TcpRepr { flags, timestamps, ack, ..TcpRepr::default() }
    }

    fn shake(segments: &[(u64, TcpFlags, bool)]) -> Handshake {
        let mut shake = Handshake::default();
        for (at, flags, by_client) in segments {
            shake.segment(Time::from_millis(*at), &seg(*flags, *at as u32), *by_client);
        }
        shake
    }

    const BOTH: TcpFlags = TcpFlags::SYN.with(TcpFlags::ACK);

    #[test]
    fn the_capture_point_splits_the_round_trip() {
        let seen = [(5, TcpFlags::SYN, true), (25, BOTH, false), (80, TcpFlags::ACK, true)];
        let shake = shake(&seen);
        assert_eq!(
            (shake.server_side(), shake.client_side()),
            (Some(20_000_000), Some(55_000_000))
        );
        assert_eq!((shake.whole(), shake.timestamps()), (Some(75_000_000), Some([5, 80])));
    }

    #[test]
    fn a_repeated_packet_tells_no_round_trip() {
        let (syn, ack) = (TcpFlags::SYN, TcpFlags::ACK);
        let again =
            shake(&[(5, syn, true), (1005, syn, true), (1020, BOTH, false), (1030, ack, true)]);
        assert_eq!((again.server_side(), again.client_side()), (None, Some(10_000_000)));
        let again =
            shake(&[(5, syn, true), (20, BOTH, false), (1020, BOTH, false), (1030, ack, true)]);
        assert_eq!((again.server_side(), again.client_side()), (Some(15_000_000), None));
        assert!(again.is_connected());
    }

    #[test]
    fn times_that_run_backwards_tell_none() {
        let seen = [(50, BOTH, false), (60, TcpFlags::SYN, true), (70, TcpFlags::ACK, true)];
        let shake = shake(&seen);
        assert_eq!((shake.server_side(), shake.client_side()), (None, Some(20_000_000)));
    }

    #[test]
    fn what_acknowledges_more_than_the_answer_is_none_to_it() {
        // A capture without the ACKs that have no data: the first of the client's acknowledges 83 kB.
        let number = airpath_wire::SeqNumber;
        let mut shake = shake(&[(5, TcpFlags::SYN, true), (25, BOTH, false)]);
        let late = TcpRepr { ack: number(83_001), ..seg(TcpFlags::ACK, 0) };
        assert!(!shake.would_end(&late));
        shake.segment(Time::from_millis(4138), &late, true);
        assert!(shake.is_connected());
        assert_eq!((shake.server_side(), shake.client_side()), (Some(20_000_000), None));
        // The SYN-ACK, and the RST, of another connection.
        for answer in [BOTH, TcpFlags::RST.with(TcpFlags::ACK)] {
            let mut shake = self::shake(&[(5, TcpFlags::SYN, true)]);
            let other = TcpRepr { ack: number(900_000), ..seg(answer, 0) };
            shake.segment(Time::from_millis(9), &other, false);
            assert_eq!(shake.server_side(), None);
        }
    }

    #[test]
    fn sides_are_those_of_the_ends_whoever_is_called_the_client() {
        let ack = TcpFlags::ACK;
        let both = shake(&[(5, TcpFlags::SYN, false), (25, BOTH, true), (80, ack, false)]);
        assert_eq!((both.client_side(), both.server_side()), (Some(20_000_000), Some(55_000_000)));
        assert_eq!(both.timestamps(), None);
    }

    #[test]
    fn a_simultaneous_open_tells_no_round_trip() {
        let syn = TcpFlags::SYN;
        let both = [(0, syn, true), (1, syn, false), (40, BOTH, true), (41, BOTH, false)];
        let mut shake = shake(&both);
        shake.segment(Time::from_millis(80), &seg(TcpFlags::ACK, 0), true);
        assert_eq!((shake.server_side(), shake.client_side()), (None, None));
    }

    #[test]
    fn a_syn_alone_is_begun_and_not_connected() {
        let shake =
            shake(&[(5, TcpFlags::SYN, true), (6, TcpFlags::RST.with(TcpFlags::ACK), false)]);
        assert!(shake.is_begun() && !shake.is_connected());
        assert_eq!((shake.server_side(), shake.client_side()), (Some(1_000_000), None));
    }
}
