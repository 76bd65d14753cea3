use std::process::Command;

use super::*;
use crate::datagram::{Content, Inner, OuterKind, OuterRepr, emit};
use crate::{
    AccurateEcn, Ecn, Endpoint, GtpuRepr, IpRepr, Protocol, TcpFlags, TcpRepr, Timestamps, Tuple,
};

/// A block as a reader that knows only the draft's section 3.1 sees it.
#[derive(Debug, PartialEq)]
struct Block {
    kind: u32,
    body: Vec<u8>,
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |word, &byte| word * 256 + u32::from(byte))
}

fn blocks(mut bytes: &[u8]) -> Vec<Block> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let len = word(&bytes[4..]) as usize;
        assert_eq!(len % 4, 0);
        assert_eq!(word(&bytes[len - 4..]) as usize, len, "both lengths of a block agree");
        found.push(Block { kind: word(bytes), body: bytes[8..len - 4].to_vec() });
        bytes = &bytes[len..];
    }
    found
}

fn options(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut found = Vec::new();
    loop {
        let (code, len) = (word(bytes) as u16, (word(bytes) >> 16) as usize);
        if code == 0 {
            assert_eq!(bytes.len(), 4, "the end of options ends the block");
            return found;
        }
        found.push((code, bytes[4..4 + len].to_vec()));
        bytes = &bytes[4 + len.next_multiple_of(4)..];
    }
}

#[test]
fn a_capture_is_read_as_written() {
    let mut writer = Writer::new(Vec::new(), "airpath").unwrap();
    let sgi = writer.add_interface("sgi", 96).unwrap();
    let s1u = writer.add_interface("s1-u", 0).unwrap();
    let late = Time::from_nanos(0x1_0000_0002);
    writer.packet(sgi, Time::from_nanos(7), &[1, 2, 3, 4, 5], 1500, None).unwrap();
    writer.packet(s1u, late, &[9; 8], 8, Some("marked")).unwrap();
    let found = blocks(&writer.finish().unwrap());
    let kinds: Vec<u32> = found.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [0x0a0d_0d0a, 1, 1, 6, 6]);

    assert_eq!(found[0].body[..8], [0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0]);
    assert_eq!(options(&found[0].body[16..]), [(4, b"airpath".to_vec())]);
    assert_eq!(found[1].body[..8], [101, 0, 0, 0, 96, 0, 0, 0]);
    assert_eq!(options(&found[1].body[8..]), [(2, b"sgi".to_vec()), (9, vec![9])]);
    assert_eq!(options(&found[2].body[8..])[0].1, b"s1-u");

    let fields = |body: &[u8]| [0, 4, 8, 12, 16].map(|at| word(&body[at..]));
    assert_eq!(fields(&found[3].body), [0, 0, 7, 5, 1500]);
    assert_eq!(found[3].body[20..28], [1, 2, 3, 4, 5, 0, 0, 0]);
    assert_eq!(fields(&found[4].body), [1, 1, 2, 8, 8]);
    assert_eq!(options(&found[4].body[28..]), [(1, b"marked".to_vec())]);
}

#[test]
fn a_comment_too_long_is_cut_between_characters() {
    let mut writer = Writer::new(Vec::new(), "airpath").unwrap();
    let point = writer.add_interface("x", 0).unwrap();
    let comment = "é".repeat(40_000);
    writer.packet(point, Time::ZERO, &[], 0, Some(&comment)).unwrap();
    let found = blocks(&writer.finish().unwrap());
    let cut = &options(&found[2].body[20..])[0].1;
    assert_eq!(std::str::from_utf8(cut).unwrap().chars().count(), 32_767);
}

#[test]
fn errors_of_the_output_are_handed_on() {
    let mut space = [0u8; 16];
    assert!(Writer::new(&mut space[..], "airpath").is_err());
}

fn example() -> Vec<u8> {
    let end = |host, port| Endpoint::new([10, 0, 0, host], port);
    let tuple = Tuple { src: end(1, 443), dst: end(2, 40000), protocol: Protocol::TCP };
    let tcp = TcpRepr { flags: TcpFlags::ACK, payload_len: 1001, ..TcpRepr::default() };
    let inner = Inner::Repr(IpRepr::new(tuple, 0, Ecn::Ect1, 1041), Content::Tcp(tcp));
    let (src, dst) = (end(8, GtpuRepr::PORT), end(9, GtpuRepr::PORT));
    let kind = OuterKind::Gtpu { teid: 1, set: None, congestion: None };
    let outer = OuterRepr { kind, src, dst, dscp: 0, ecn: Ecn::Ect1 };
    let mut writer = Writer::new(Vec::new(), "airpath").unwrap();
    let point = writer.add_interface("s1-u", 0).unwrap();
    let mut bytes = Vec::new();
    for (snap, outers) in [(usize::MAX, &[][..]), (usize::MAX, &[outer]), (96, &[outer])] {
        let len = emit(inner, outers, snap, &mut bytes).unwrap();
        writer.packet(point, Time::from_millis(1), &bytes, len, None).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn tshark_finds_every_checksum_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("example.pcapng");
    let protocols = ["ip", "tcp", "udp"];
    let verify = protocols.iter().flat_map(|p| ["-o".into(), format!("{p}.check_checksum:TRUE")]);
    let bad = "_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 \
               || udp.checksum.status == 0";
    std::fs::write(&path, example()).unwrap();
    let run = Command::new("tshark").args(verify).args(["-Y", bad, "-r"]).arg(&path).output();
    match run {
        // Not by a macro, whose output the test harness would hide.
        Err(_) => writeln!(io::stderr(), "SKIPPED: tshark is not installed").unwrap(),
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        }
    }
}

#[test]
fn tshark_reads_the_option_as_it_was_written() {
    // Both orders and all lengths of RFC 9768, table 5, and what a device has overwritten.
    let end = |host, port| Endpoint::new([10, 0, 0, host], port);
    let tuple = Tuple { src: end(1, 443), dst: end(2, 40000), protocol: Protocol::TCP };
    let mut writer = Writer::new(Vec::new(), "airpath").unwrap();
    let point = writer.add_interface("sgi", 0).unwrap();
    let (mut bytes, mut expected) = (Vec::new(), String::new());
    for fields in 0..4 {
        for order in 0..2 {
            let counters = &[0x01_0203, 0x11_1213, 0x21_2223][..fields];
            let orders = [AccurateEcn::order_0, AccurateEcn::order_1];
            let option = orders[order](counters);
            let (timestamps, accurate_ecn) = (Some(Timestamps::default()), Some(option));
            let mut tcp =
                TcpRepr { flags: TcpFlags::ACK, timestamps, accurate_ecn, ..TcpRepr::default() };
            let ip = IpRepr::new(tuple, 0, Ecn::NotEct, 20 + tcp.header_len());
            for strip in [false, true] {
                if strip {
                    tcp.strip_accurate_ecn();
                }
                let inner = Inner::Repr(ip, Content::Tcp(tcp));
                let len = emit(inner, &[], usize::MAX, &mut bytes).unwrap();
                writer.packet(point, Time::from_millis(1), &bytes, len, None).unwrap();
                let told = |field: Option<u32>| {
                    field.filter(|_| !strip).map(|n| n.to_string()).unwrap_or_default()
                };
                let [ect0, ce, ect1] = [option.ect0(), option.ce(), option.ect1()].map(told);
                expected += &format!("0;{ect0};{ce};{ect1}\n");
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("option.pcapng");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    let fields = ["tcp.len", "tcp.options.acc_ecn.ee0b", "tcp.options.acc_ecn.eceb"];
    let fields = fields.into_iter().chain(["tcp.options.acc_ecn.ee1b"]);
    let fields = fields.flat_map(|field| ["-e", field]);
    let mut tshark = Command::new("tshark");
    tshark.args(["-T", "fields", "-E", "separator=;"]).args(fields).arg("-r").arg(&path);
    let run = tshark.output();
    match run {
        Err(_) => writeln!(io::stderr(), "SKIPPED: tshark is not installed").unwrap(),
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), expected),
    }
}
