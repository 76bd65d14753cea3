use std::sync::Arc;

use airpath_base::{Duration, FlowId};
use airpath_net::{Leg, PduSet};
use airpath_wire::datagram::Transport;
use airpath_wire::{Ecn, Endpoint, SeqNumber, TcpFlags};

use super::*;

const SGI: PointId = PointId(4);

/// An enhanced packet block, taken apart (draft-ietf-opsawg-pcapng, 4.3).
#[derive(Debug)]
struct Seen {
    interface: u32,
    nanos: u64,
    len: u32,
    bytes: Vec<u8>,
}

fn read(capture: &[u8]) -> Vec<Seen> {
    let word = |n: usize| u32::from_le_bytes(capture[n..n + 4].try_into().expect("four bytes"));
    let (mut at, mut seen) = (0, Vec::new());
    while at < capture.len() {
        let block = word(at + 4) as usize;
        assert_eq!(word(at + block - 4) as usize, block, "both lengths of a block");
        if word(at) == 6 {
            let captured = word(at + 20) as usize;
            seen.push(Seen {
                interface: word(at + 8),
                nanos: (u64::from(word(at + 12)) << 32) | u64::from(word(at + 16)),
                len: word(at + 24),
                bytes: capture[at + 28..at + 28 + captured].to_vec(),
            });
        }
        at += block;
    }
    seen
}

fn packet(payload: Payload, protocol: Protocol) -> Packet {
    let (src, dst) = (Endpoint::new([10, 0, 0, 1], 5004), Endpoint::new([10, 45, 0, 2], 6000));
    let tuple = Tuple { src, dst, protocol };
    let mut packet = Packet::new(FlowId(0), Leg::Data, 500, tuple, Time::ZERO);
    (packet.id, packet.payload, packet.dscp, packet.ecn) = (70_000, payload, 46, Ecn::Ect1);
    packet
}

fn tcp() -> Packet {
    let tcp = TcpRepr {
        seq: SeqNumber(99),
        flags: TcpFlags::ACK,
        timestamps: Some(Default::default()),
        payload_len: 448,
        ..TcpRepr::default()
    };
    packet(Payload::Tcp(tcp.into()), Protocol::TCP)
}

fn capture(snap: Snap, packets: &[Packet]) -> Vec<Seen> {
    let points = [(PointId(9), "s1-u"), (SGI, "sgi")];
    let mut writer = PcapWriter::new(Vec::new(), &points, snap).expect("a vector");
    for packet in packets {
        let passed = Event::Passed { point: SGI, packet };
        writer.on(Time::from_nanos(5_000_000_001), NodeId(0), &passed);
        writer.on(Time::ZERO, NodeId(0), &Event::Passed { point: PointId(1), packet });
        writer.on(Time::ZERO, NodeId(0), &Event::Consumed(packet));
    }
    read(&writer.finish().expect("a vector"))
}

/// The sum in ones' complement arithmetic (RFC 1071) of 16-bit words.
fn ones_complement(parts: &[&[u8]]) -> u32 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let sum = words.fold(0, |sum, word| {
        sum + u32::from(word[0]) * 256 + u32::from(*word.get(1).unwrap_or(&0))
    });
    let folded = (sum & 0xffff) + (sum >> 16);
    (folded & 0xffff) + (folded >> 16)
}

#[test]
fn only_packets_at_chosen_points_are_written() {
    let seen = capture(Snap::Headers, &[tcp()]);
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].interface, seen[0].nanos, seen[0].len), (1, 5_000_000_001, 500));
    // 20 of IPv4, 20 of TCP, 12 of options.
    assert_eq!(seen[0].bytes.len(), 52);
    let (ip, transport) = datagram::parse(&seen[0].bytes).expect("valid headers");
    assert_eq!((ip.dscp, ip.ecn, ip.ident), (46, Ecn::Ect1, 4_464)); // 70,000 - 65,536
    assert!(matches!(transport, Transport::Tcp(tcp) if tcp.seq == SeqNumber(99)));
}

#[test]
fn a_whole_datagram_has_valid_checksums() {
    let seen = capture(Snap::Whole, &[packet(Payload::None, Protocol::UDP)]);
    let bytes = &seen[0].bytes;
    assert_eq!(bytes.len(), 500);
    let (header, datagram) = bytes.split_at(20);
    assert_eq!(ones_complement(&[header]), 0xffff);
    // Pseudo-header: addresses, protocol, length (RFC 768).
    let pseudo = [&header[12..20], &[0, 17], &480u16.to_be_bytes()].concat();
    assert_eq!(ones_complement(&[&pseudo, datagram]), 0xffff);
}

#[test]
fn how_much_is_kept() {
    let kept = |snap, packet: Packet| capture(snap, &[packet]).remove(0).bytes.len();
    let rtp = Payload::Rtp(RtpRepr { payload_len: 460, ..RtpRepr::default() });
    assert_eq!(kept(Snap::Headers, packet(rtp, Protocol::UDP)), 40);
    assert_eq!(kept(Snap::Headers, packet(Payload::None, Protocol::UDP)), 28);
    assert_eq!(kept(Snap::Headers, packet(Payload::None, Protocol(1))), 20);
    assert_eq!(kept(Snap::Bytes(96), tcp()), 96);
    assert_eq!(kept(Snap::Bytes(9000), tcp()), 500);
    let real = capture(Snap::Whole, &[tcp()]).remove(0).bytes;
    let whole = packet(Payload::Bytes(real.clone().into()), Protocol::TCP);
    assert_eq!(kept(Snap::Headers, whole), 52);
    let broken = packet(Payload::Bytes(real[..7].into()), Protocol::TCP);
    assert_eq!(kept(Snap::Headers, broken), 7);
}

#[test]
fn tunnels_are_shown() {
    let ends = (Endpoint::new([192, 0, 2, 1], 2152), Endpoint::new([192, 0, 2, 2], 2152));
    let mut packet = tcp();
    let gtpu = TunnelKind::Gtpu { teid: 7, qfi: None, congestion: None };
    let esp = TunnelKind::Esp { spi: 3 };
    for (kind, overhead) in [(gtpu, 36), (esp, 20 + 8 + 8 + 2 + 16)] {
        let outer = Outer { kind, ends, dscp: 10, ecn: Ecn::Ce, overhead };
        packet.push_outer(outer).expect("two tunnels nest");
    }
    let whole = packet.wire_size();
    let seen = capture(Snap::Headers, &[packet]).remove(0);
    assert_eq!(seen.len, whole);
    // 20 + 8 + 8 of ESP, 20 + 8 + 8 of GTP-U, 52 of TCP over IP.
    assert_eq!(seen.bytes.len(), 36 + 36 + 52);
    let (ip, transport) = datagram::parse(&seen.bytes).expect("valid headers");
    assert_eq!((ip.ecn, ip.dscp), (Ecn::Ce, 10));
    assert!(matches!(transport, Transport::Esp(EspRepr { spi: 3, seq: 70_001 })));
}

#[test]
fn the_information_on_a_pdu_set_is_shown() {
    let ends = (Endpoint::new([192, 0, 2, 1], 2152), Endpoint::new([192, 0, 2, 2], 2152));
    let mut packet = tcp();
    packet.number = 72;
    packet.set = Some(Arc::new(PduSet {
        number: 1_024 + 5,
        first: 70,
        packets: 3,
        bytes: 70_000,
        importance: 2,
        ends_burst: false,
        made: Time::ZERO,
        deadline: Duration::from_millis(10),
    }));
    let kind = TunnelKind::Gtpu { teid: 7, qfi: Some(9), congestion: None };
    let outer = Outer { kind, ends, dscp: 0, ecn: Ecn::NotEct, overhead: 36 + 20 };
    packet.push_outer(outer).expect("a tunnel");
    let whole = packet.wire_size();
    let seen = capture(Snap::Headers, &[packet]).remove(0);
    assert_eq!((seen.len, seen.bytes.len()), (whole, 36 + 20 + 52));
    let Ok((_, Transport::Udp { payload, .. })) = datagram::parse(&seen.bytes) else {
        panic!("not UDP")
    };
    let (header, at) = GtpuRepr::parse(payload).expect("a header");
    assert_eq!((header.teid, header.payload_len, at), (7, 500, 28));
    // PSSN has 10 bits; packet 72 is the third of the set, and its last.
    let set = PduSetInformation {
        qfi: 9,
        ends_burst: false,
        ends_set: true,
        number: 5,
        importance: 2,
        position: 2,
        size: Some(70_000),
    };
    assert_eq!(header.set, Some(set));
}

#[test]
fn what_cannot_be_written_is_counted_or_reported() {
    let mut giant = packet(Payload::None, Protocol::UDP);
    giant.size = 70_000;
    let points = [(SGI, "sgi")];
    let mut writer = PcapWriter::new(Vec::new(), &points, Snap::Headers).expect("a vector");
    writer.on(Time::ZERO, NodeId(0), &Event::Passed { point: SGI, packet: &giant });
    assert_eq!(writer.too_long(), 1);

    /// Takes what a capture begins with, and no packet.
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = PcapWriter::new(Full(2), &points, Snap::Headers).expect("room for two");
    for _ in 0..3 {
        writer.on(Time::ZERO, NodeId(0), &Event::Passed { point: SGI, packet: &tcp() });
    }
    let error = writer.finish().err().expect("a full disk");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
