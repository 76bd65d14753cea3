use airpath_wire::{TcpFlags, TcpRepr};

use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg, stamped};
use crate::{Direction, Options};

const MS: u64 = 1000;

/// Difference between a segment and the next, half a millisecond behind it.
#[derive(Clone, Copy)]
struct Two {
    idents: [u16; 2],
    /// Timestamps, if there are any.
    values: Option<[u32; 2]>,
    acks: [u32; 2],
    windows: [u16; 2],
    /// The first byte of the payload.
    bytes: [u8; 2],
    /// Captured bytes of a packet.
    snap: usize,
}

const SAME: Two = Two {
    idents: [7, 7],
    values: Some([5, 5]),
    acks: [1, 1],
    windows: [1000, 1000],
    bytes: [b'a', b'a'],
    snap: 400,
};
/// IPv6, say, and no timestamps.
const BARE: Two = Two { idents: [0, 0], values: None, ..SAME };

/// The server's segments, after a handshake: copies, copies or retransmissions, retransmissions.
fn counts(two: Two) -> [u64; 3] {
    let mut capture = Capture::new();
    capture.snap = two.snap;
    capture.handshake();
    for n in 0..2 {
        let one = TcpRepr { window: two.windows[n], ..seg(1, two.acks[n], 100) };
        let one = two.values.map_or(one, |values| stamped(one, values[n], 1));
        capture.ident = two.idents[n];
        let mut data = [b'x'; 100];
        data[50] = two.bytes[n];
        capture.tcp_with(60 * MS + 500 * n as u64, Server, &one, &data);
    }
    counted(&capture.flow().down)
}

fn counted(way: &Direction) -> [u64; 3] {
    [way.copies, way.copies_or_retransmissions, way.retransmissions]
}

const COPY: [u64; 3] = [1, 0, 0];
const OPEN: [u64; 3] = [0, 1, 0];
/// tshark 4.0.17 counts each of these pairs as one retransmission (tcp.analysis.retransmission).
const SENT_AGAIN: [u64; 3] = [0, 0, 1];

#[test]
fn a_copy_is_equal_in_identification_acknowledgement_timestamps_and_window() {
    assert_eq!(counts(SAME), COPY);
    for other in [
        Two { idents: [7, 8], ..SAME },
        Two { idents: [0, 8], ..SAME },
        Two { values: Some([5, 6]), ..SAME },
        Two { idents: [0, 0], values: Some([5, 6]), ..SAME },
        Two { acks: [1, 2], ..SAME },
        Two { windows: [1000, 999], ..SAME },
        Two { acks: [1, 2], ..BARE },
        Two { windows: [1000, 999], ..BARE },
    ] {
        assert_eq!(counts(other), SENT_AGAIN);
    }
    // One of them is enough, whatever was captured of the payload.
    for one in [Two { values: None, ..SAME }, Two { idents: [0, 0], ..SAME }] {
        assert_eq!(counts(one), COPY);
        assert_eq!(counts(Two { snap: 52, ..one }), COPY);
    }
}

#[test]
fn without_identification_and_timestamps_the_payload_decides() {
    assert_eq!(counts(BARE), COPY);
    assert_eq!(counts(Two { bytes: [b'a', b'b'], ..BARE }), SENT_AGAIN);
    // Only headers were captured, or a part of the payload.
    for snap in [40, 90] {
        assert_eq!(counts(Two { snap, ..BARE }), OPEN);
    }
}

#[test]
fn what_stays_open_is_warned_of_and_in_neither_count() {
    let mut capture = Capture::new();
    capture.snap = 40;
    capture.handshake();
    for n in 0..2 {
        capture.tcp(60 * MS + 500 * n, Server, &seg(1, 1, 100));
    }
    let (flows, totals) = analyse(&capture.bytes(), Options::default());
    assert_eq!(counted(&flows[0].down), OPEN);
    assert_eq!((flows[0].down.packets, flows[0].down.payload_bytes), (3, 200));
    let what = &totals.warnings[0].what;
    assert!(what.starts_with("1 segments came twice within 3 ms, copies or retr"), "{what}");
}

#[test]
fn a_bare_fin_and_then_data_with_fin_are_no_copies() {
    // tshark 4.0.17: the third segment is a retransmission, the FIN before it is none.
    for idents in [[0, 0], [9, 9]] {
        let mut capture = Capture::new();
        capture.handshake();
        let fin =
            |segment: TcpRepr| TcpRepr { flags: segment.flags.with(TcpFlags::FIN), ..segment };
        capture.tcp(60 * MS, Server, &seg(1, 1, 1000));
        capture.ident = idents[0];
        capture.tcp(61 * MS, Server, &fin(seg(1001, 1, 0)));
        capture.ident = idents[1];
        capture.tcp(62 * MS, Server, &fin(seg(1, 1, 1000)));
        assert_eq!(counted(&capture.flow().down), SENT_AGAIN);
    }
}

#[test]
fn a_bare_segment_for_which_an_ack_has_asked_may_have_been_sent_again() {
    for (acks, counts) in [(0, COPY), (1, OPEN), (2, SENT_AGAIN)] {
        let mut capture = Capture::new();
        capture.snap = 400;
        capture.handshake();
        let data = [b'x'; 100];
        capture.tcp_with(60 * MS, Server, &seg(1, 1, 100), &data);
        for n in 0..acks {
            capture.tcp(60 * MS + 200 + 100 * n, Client, &seg(1, 1, 0));
        }
        capture.tcp_with(60 * MS + 500, Server, &seg(1, 1, 100), &data);
        assert_eq!(counted(&capture.flow().down), counts, "{acks} ACKs");
    }
}

#[test]
fn an_identification_tells_copies_of_acks_from_duplicate_ones() {
    // Nothing else came twice. tshark 4.0.17 calls both duplicate ACKs.
    for (idents, copies, duplicates) in [([3, 3], 1, 0), ([3, 4], 0, 1)] {
        let mut capture = Capture::new();
        capture.handshake();
        capture.tcp(60 * MS, Server, &seg(1, 1, 100));
        for (n, ident) in idents.into_iter().enumerate() {
            capture.ident = ident;
            capture.tcp(90 * MS + 300 * n as u64, Client, &seg(1, 101, 0));
        }
        let up = capture.flow().up;
        assert_eq!((up.copies, up.duplicate_acks), (copies, duplicates));
    }
}

#[test]
fn a_syn_that_is_sent_again_may_be_captured_twice_too() {
    let mut capture = Capture::new();
    let syn = TcpRepr { flags: TcpFlags::SYN, window: 1000, ..seg(0, 0, 0) };
    for (at, ident) in [(0, 1), (1, 1), (1000, 2), (1001, 2)] {
        capture.ident = ident;
        capture.tcp(at * MS, Client, &syn);
    }
    assert_eq!(counted(&capture.flow().up), [2, 0, 1]);
}

#[test]
fn equal_packets_over_a_fast_path_are_copies_if_they_have_an_identification() {
    // A round trip of 0.4 ms: a duplicate ACK that was not captured may be the cause.
    for (ident, counts) in [(7, COPY), (0, SENT_AGAIN)] {
        let mut capture = Capture::new();
        let syn = TcpRepr { flags: TcpFlags::SYN, window: 1000, ..seg(0, 0, 0) };
        capture.tcp(0, Client, &syn);
        let flags = TcpFlags::SYN.with(TcpFlags::ACK);
        capture.tcp(200, Server, &TcpRepr { flags, ..seg(0, 1, 0) });
        capture.tcp(400, Client, &seg(1, 1, 0));
        capture.ident = ident;
        for at in [2_000, 2_900] {
            capture.tcp(at, Server, &stamped(seg(1, 1, 100), 5, 1));
        }
        assert_eq!(counted(&capture.flow().down), counts);
    }
}
