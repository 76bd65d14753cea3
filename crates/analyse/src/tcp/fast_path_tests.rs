//! Frames of nearly all captures are read and judged by a fast path. The same packets behind a
//! link layer's header for which there is none must come to the same.

use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::link::LinkType;
use airpath_wire::{
    Ecn, Endpoint, IpRepr, Protocol, SackBlocks, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple,
};
use proptest::prelude::*;

use crate::testing::analyse_all;
use crate::{Collected, Options, Totals};

/// Bytes of the frames as the capture says; as many, whatever link they are on.
const FRAME: u32 = 3000;
/// Linux cooked: sent to this host, Ethernet, no address, IPv4.
const COOKED: [u8; 16] = [0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0];
const REQUEST: &[u8] = b"GET /file HTTP/1.1\r\nHost: www.example\r\n\r\n";
const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9000\r\n\r\n";

/// Next step.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Data that follows.
    Data(u32),
    /// Data that follows, lost in front of the capture point.
    Lost(u32),
    /// Data from so many bytes back, again.
    Again(u32),
    /// All that came is acknowledged.
    Ack,
    /// So many bytes less are.
    Part(u32),
    /// The last acknowledgement once more, with SACK of what lies so far above it, or without.
    Duplicate(Option<u32>),
    /// From the next segment on this is the window.
    Window(u16),
    /// A byte before the next, or the last one once more without data.
    KeepAlive(bool),
    /// Bits of control, with what else an acknowledgement has.
    Flags(TcpFlags),
}

/// One end of a flow.
#[derive(Clone, Copy)]
struct End {
    next: u32,
    acked: u32,
    window: u16,
}

/// A flow: addresses, whether it has timestamps, and its ends, the client first.
struct Flow {
    client: [u8; 4],
    port: u16,
    stamped: bool,
    ends: [End; 2],
}

impl Flow {
    fn new(client: [u8; 4], port: u16, stamped: bool, start: u32) -> Flow {
        let end = |next| End { next, acked: 0, window: 1000 };
        let mut ends = [end(start), end(start.wrapping_mul(3))];
        (ends[0].acked, ends[1].acked) = (ends[1].next, ends[0].next);
        Flow { client, port, stamped, ends }
    }

    /// The segment that a step sends, if any.
    fn segment(&mut self, from: usize, step: Step, micros: u64) -> Option<TcpRepr> {
        let peer = self.ends[1 - from];
        let stamps = Timestamps { value: (micros / 4000) as u32 + 7, echo: (micros / 9000) as u32 };
        let end = &mut self.ends[from];
        let mut seg = TcpRepr {
            seq: SeqNumber(end.next),
            flags: TcpFlags::ACK,
            timestamps: self.stamped.then_some(stamps),
            ..TcpRepr::default()
        };
        match step {
            Step::Data(len) => (seg.payload_len, end.next) = (len, end.next.wrapping_add(len)),
            Step::Lost(len) => {
                end.next = end.next.wrapping_add(len);
                return None;
            }
            Step::Again(back) => {
                seg.seq = SeqNumber(end.next.wrapping_sub(back));
                seg.payload_len = back.min(1000);
            }
            Step::Ack => end.acked = peer.next,
            Step::Part(less) => end.acked = peer.next.wrapping_sub(less),
            Step::Duplicate(above) => {
                let at = |n: u32| SeqNumber(end.acked.wrapping_add(n));
                let mut sack = SackBlocks::default();
                above.into_iter().for_each(|above| _ = sack.push(at(above), at(above + 1000)));
                seg.sack = sack;
            }
            Step::Window(window) => {
                end.window = window;
                return None;
            }
            Step::KeepAlive(byte) => {
                seg.seq = SeqNumber(end.next.wrapping_sub(1));
                seg.payload_len = byte.into();
            }
            Step::Flags(flags) => {
                seg.flags = flags;
                let control = flags.contains(TcpFlags::SYN) || flags.contains(TcpFlags::FIN);
                end.next = end.next.wrapping_add(control.into());
            }
        }
        (seg.ack, seg.window) = (SeqNumber(end.acked), end.window);
        Some(seg)
    }

    /// Its packet.
    fn packet(&self, from: usize, seg: &TcpRepr) -> Vec<u8> {
        let ends = [Endpoint::new(self.client, 40_000), Endpoint::new([192, 0, 2, 1], self.port)];
        let (src, dst) = (ends[from], ends[1 - from]);
        let size = 20 + seg.header_len() + seg.payload_len;
        let ip = IpRepr::new(Tuple { src, dst, protocol: Protocol::TCP }, 0, Ecn::NotEct, size);
        let mut bytes = Vec::new();
        emit(Inner::Repr(ip, Content::Tcp(*seg)), &[], 200, &mut bytes).expect("a packet");
        let headers = (20 + seg.header_len()) as usize;
        let text = if from == 0 { REQUEST } else { RESPONSE };
        bytes[headers..].iter_mut().zip(text).for_each(|(byte, text)| *byte = *text);
        bytes
    }
}

/// A capture of packets with their times in microseconds.
fn capture(link: LinkType, header: &[u8], packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let words = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, u32::from(link.0)];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    for (micros, packet) in packets {
        let captured = (header.len() + packet.len()) as u32;
        let words = [(micros / 1_000_000) as u32, (micros % 1_000_000) as u32, captured, FRAME];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend_from_slice(header);
        bytes.extend_from_slice(packet);
    }
    bytes
}

/// Steps of nearly all segments.
fn settled() -> impl Strategy<Value = Step> {
    prop_oneof![
        60 => data().prop_map(Step::Data),
        40 => Just(Step::Ack),
        6 => (1u32..3000).prop_map(Step::Part),
        6 => (500u16..3000).prop_map(Step::Window),
    ]
}

/// All that there may be, one in four of it unusual.
fn wild() -> impl Strategy<Value = Step> {
    let flags = [
        TcpFlags::SYN,
        TcpFlags::SYN.with(TcpFlags::ACK),
        TcpFlags::FIN.with(TcpFlags::ACK),
        TcpFlags::RST.with(TcpFlags::ACK),
        TcpFlags::ACK.with(TcpFlags::PSH),
        TcpFlags::ACK.with(TcpFlags::ECE),
    ];
    prop_oneof![
        90 => settled(),
        3 => data().prop_map(Step::Lost),
        4 => (1u32..5000).prop_map(Step::Again),
        8 => prop::option::of(1u32..6000).prop_map(Step::Duplicate),
        3 => (0u16..2).prop_map(Step::Window),
        3 => any::<bool>().prop_map(Step::KeepAlive),
        1 => prop::sample::select(flags.to_vec()).prop_map(Step::Flags),
    ]
}

fn data() -> impl Strategy<Value = u32> {
    prop_oneof![4 => Just(1000u32), 1 => 1u32..1500]
}

/// Steps of a kind: of which flow, by whom, and after how long.
fn steps(
    step: impl Strategy<Value = Step>,
) -> impl Strategy<Value = Vec<(usize, usize, Step, i64)>> {
    prop::collection::vec((0usize..4, 0usize..10, step, time()), 1..400)
}

/// Microseconds that go by, or that a packet comes too early.
fn time() -> impl Strategy<Value = i64> {
    prop_oneof![20 => 0i64..2_000, 8 => 2_000i64..300_000, 1 => 300_000i64..30_000_000, 1 => -900i64..0]
}

fn told(bytes: &[u8], threads: usize) -> (Collected, Totals) {
    analyse_all(bytes, Options { threads, ..Options::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn the_short_way_comes_to_the_same(
        steps in prop_oneof![1 => steps(settled()), 2 => steps(wild())],
        opened in any::<bool>(),
    ) {
        let mut flows = [
            Flow::new([10, 0, 0, 1], 80, true, 5),
            Flow::new([10, 0, 0, 1], 443, true, u32::MAX - 3000),
            Flow::new([10, 0, 0, 2], 80, false, 70_000),
        ];
        let (mut packets, mut micros) = (Vec::new(), 1_000_000u64);
        let mut send = |n: usize, from: usize, step, micros| {
            let flow: &mut Flow = &mut flows[n];
            if let Some(seg) = flow.segment(from, step, micros) {
                packets.push((micros, flow.packet(from, &seg)));
            }
        };
        for n in 0..3 {
            if opened {
                send(n, 0, Step::Flags(TcpFlags::SYN), micros);
                send(n, 1, Step::Ack, micros);
                send(n, 1, Step::Flags(TcpFlags::SYN.with(TcpFlags::ACK)), micros + 20_000);
                send(n, 0, Step::Ack, micros + 50_000);
            }
        }
        for (n, from, step, time) in steps {
            micros = micros.saturating_add_signed(time);
            // Most of the first flow, which so gets large; most data from the server.
            let data = matches!(step, Step::Data(_) | Step::Lost(_) | Step::Again(_));
            send(n.saturating_sub(1), usize::from(data == (from > 1)), step, micros);
        }
        let raw = capture(LinkType::RAW, &[], &packets);
        let cooked = capture(LinkType::LINUX_SLL, &COOKED, &packets);
        let ((one, totals), (other, others)) = (told(&raw, 1), told(&cooked, 1));
        prop_assert_eq!(&one.flows, &other.flows);
        prop_assert_eq!(&one.hosts, &other.hosts);
        prop_assert_eq!((totals.packets, totals.bytes), (others.packets, others.bytes));
        let (two, _) = told(&raw, 2);
        prop_assert_eq!(&one.flows, &two.flows);
        prop_assert_eq!(&one.hosts, &two.hosts);
    }
}
