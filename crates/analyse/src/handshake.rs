//! What is seen of a TCP handshake.

use airpath_base::Time;
use airpath_wire::{TcpFlags, TcpRepr};

use crate::accurate::Flags;

/// Bits of what was seen.
const SYN: u8 = 1;
const SYN_ACK: u8 = 2;
const SYN_AGAIN: u8 = 4;
const SYN_ACK_AGAIN: u8 = 8;
const CONNECTED: u8 = 16;
const SERVER_SIDE: u8 = 32;
const CLIENT_SIDE: u8 = 64;
const TIMESTAMPS: u8 = 128;

/// A handshake; times of SYN and SYN-ACK make way for the round trips. A round trip is not
/// told if the packet that began it came more than once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handshake {
    /// Time of the SYN; then the round trip to the server.
    server: u64,
    /// Time of the SYN-ACK; then the round trip to the client.
    client: u64,
    /// TSval of SYN and ACK.
    timestamps: [u32; 2],
    seen: u8,
    /// What SYN and SYN-ACK say of feedback.
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
                if let Some(timestamps) = seg.timestamps {
                    self.timestamps[0] = timestamps.value;
                    self.seen |= TIMESTAMPS;
                }
            }
            (true, true) => {
                self.see(SYN_ACK, SYN_ACK_AGAIN);
                self.answered(now);
                if !self.has(CLIENT_SIDE) {
                    self.client = now;
                }
            }
            (false, true) if by_client && self.has(SYN_ACK) && !self.is_connected() && !reset => {
                self.seen |= CONNECTED;
                if !self.has(SYN_ACK_AGAIN) && self.client <= now {
                    self.client = now - self.client;
                    self.seen |= CLIENT_SIDE;
                }
                match seg.timestamps {
                    Some(timestamps) => self.timestamps[1] = timestamps.value,
                    None => self.seen &= !TIMESTAMPS,
                }
            }
            // The SYN is refused.
            (false, true) if reset && !by_client && !self.has(SYN_ACK) => self.answered(now),
            _ => {}
        }
    }

    /// Whether this segment of the client's ends the handshake.
    pub(crate) fn would_end(&self, seg: &TcpRepr) -> bool {
        let bits = seg.flags.0 & (TcpFlags::SYN.0 | TcpFlags::ACK.0 | TcpFlags::RST.0);
        bits == TcpFlags::ACK.0 && self.has(SYN_ACK) && !self.is_connected()
    }

    /// The server answers the SYN.
    fn answered(&mut self, now: u64) {
        if self.seen & (SYN | SYN_AGAIN | SERVER_SIDE) == SYN && self.server <= now {
            self.server = now - self.server;
            self.seen |= SERVER_SIDE;
        }
    }

    /// Whether a SYN or a SYN-ACK was seen.
    pub(crate) fn is_begun(&self) -> bool {
        self.seen & (SYN | SYN_ACK) != 0
    }

    /// Whether the client has acknowledged a SYN-ACK.
    pub(crate) fn is_connected(&self) -> bool {
        self.has(CONNECTED)
    }

    /// Whether it is over, or was not seen, so that no segment says more of it but SYNs.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_connected() || !self.has(SYN_ACK)
    }

    /// From SYN to SYN-ACK, in nanoseconds.
    pub(crate) fn server_side(&self) -> Option<u64> {
        self.has(SERVER_SIDE).then_some(self.server)
    }

    /// From SYN-ACK to ACK, in nanoseconds.
    pub(crate) fn client_side(&self) -> Option<u64> {
        self.has(CLIENT_SIDE).then_some(self.client)
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

    /// TSval of SYN and ACK, if both have one.
    pub(crate) fn timestamps(&self) -> Option<[u32; 2]> {
        self.has(TIMESTAMPS | CONNECTED).then_some(self.timestamps)
    }

    fn has(&self, bits: u8) -> bool {
        self.seen & bits == bits
    }

    fn see(&mut self, first: u8, again: u8) {
        self.seen |= if self.has(first) { again } else { first };
    }
}

#[cfg(test)]
mod tests {
    use airpath_wire::Timestamps;

    use super::*;

    fn seg(flags: TcpFlags, value: u32) -> TcpRepr {
        let timestamps = Some(Timestamps { value, echo: 0 });
        TcpRepr { flags, timestamps, ..TcpRepr::default() }
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
    fn a_syn_alone_is_begun_and_not_connected() {
        let shake =
            shake(&[(5, TcpFlags::SYN, true), (6, TcpFlags::RST.with(TcpFlags::ACK), false)]);
        assert!(shake.is_begun() && !shake.is_connected());
        assert_eq!((shake.server_side(), shake.client_side()), (Some(1_000_000), None));
    }
}
