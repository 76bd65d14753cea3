use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

/// Frames as read: time, interface, length on the wire, bytes.
type Read = Vec<(u64, u32, u32, Vec<u8>)>;

fn read(bytes: &[u8]) -> (Read, Vec<String>) {
    read_in(bytes, 64)
}

/// In chunks of so many bytes.
fn read_in(bytes: &[u8], chunk: usize) -> (Read, Vec<String>) {
    let mut warnings = Warnings::default();
    warnings.begin("c");
    let mut frames = Vec::new();
    let mut all = Interfaces::default();
    let mut reader = Reader::open(decompressed(bytes).unwrap(), chunk, &mut all).unwrap();
    while let Some(found) = reader.step(&mut warnings, &mut all) {
        let frame = reader.frame(&found);
        frames.push((frame.at.as_nanos(), frame.interface, frame.len, frame.bytes.to_vec()));
    }
    (frames, warnings.into_list().iter().map(ToString::to_string).collect())
}

/// 32-bit numbers in either byte order.
fn words(big: bool, words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| if big { w.to_be_bytes() } else { w.to_le_bytes() }).collect()
}

fn halves(big: bool, halves: &[u16]) -> Vec<u8> {
    halves.iter().flat_map(|w| if big { w.to_be_bytes() } else { w.to_le_bytes() }).collect()
}

/// A classic capture of two packets, the second cut to two bytes.
pub(crate) fn pcap(big: bool, magic: u32) -> Vec<u8> {
    let version = halves(big, &[2, 4]);
    let head = [words(big, &[magic]), version, words(big, &[0, 0, 65_535, 101])].concat();
    let longer = if magic == 0xa1b2_cd34 { vec![0; 8] } else { vec![] };
    let record = |seconds, fraction, bytes: &[u8], len| {
        let captured = bytes.len() as u32;
        let head = words(big, &[seconds, fraction, captured, len]);
        [head, longer.clone(), bytes.to_vec()].concat()
    };
    [head, record(1, 5, &[1, 2, 3], 3), record(2, 7, &[4, 5], 1500)].concat()
}

#[test]
fn classic_captures_of_either_order_and_both_resolutions() {
    for big in [false, true] {
        for (magic, unit) in [(0xa1b2_c3d4, 1000), (0xa1b2_3c4d, 1), (0xa1b2_cd34, 1000)] {
            let (frames, warnings) = read(&pcap(big, magic));
            let second = 1_000_000_000;
            let (a, b) = (
                (second + 5 * unit, 0, 3, vec![1, 2, 3]),
                (2 * second + 7 * unit, 0, 1500, vec![4, 5]),
            );
            assert_eq!(frames, [a, b], "{big} {magic:x}");
            assert!(warnings.is_empty());
        }
    }
}

/// A pcapng block.
fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
    let len = padded.len() as u32 + 12;
    [words(big, &[kind, len]), padded, words(big, &[len])].concat()
}

fn section(big: bool) -> Vec<u8> {
    let body = [words(big, &[0x1a2b_3c4d]), halves(big, &[1, 0]), vec![0xff; 8]].concat();
    block(big, pcapng::SECTION_HEADER, &body)
}

fn interface(big: bool, options: &[u8]) -> Vec<u8> {
    block(big, 1, &[halves(big, &[101, 0]), words(big, &[4]), options.to_vec()].concat())
}

fn packet(big: bool, interface: u32, units: u64, bytes: &[u8]) -> Vec<u8> {
    let (high, low, len) = ((units >> 32) as u32, units as u32, bytes.len() as u32);
    let head = words(big, &[interface, high, low, len, len + 9]);
    block(big, 6, &[head, bytes.to_vec()].concat())
}

#[test]
fn sections_of_either_order_with_interfaces_of_their_own_clocks() {
    for big in [false, true] {
        let nanos = [halves(big, &[9, 1]), vec![9, 0, 0, 0]].concat();
        let binary = [halves(big, &[9, 1]), vec![0x80 | 10, 0, 0, 0]].concat();
        let offset = if big { 3u64.to_be_bytes() } else { 3u64.to_le_bytes() };
        let later = [halves(big, &[14, 8]), offset.to_vec()].concat();
        let bytes = [
            section(big),
            interface(big, &[]),
            interface(big, &nanos),
            interface(big, &[binary, later].concat()),
            block(big, 0x0bad, &[7; 9]),
            packet(big, 0, 5, &[1]),
            packet(big, 1, 5 << 32, &[2, 3]),
            packet(big, 2, 512, &[4]),
            block(big, 3, &[words(big, &[9]), vec![6, 7, 8, 9]].concat()),
            section(!big),
            interface(!big, &[]),
            packet(!big, 0, 1, &[5]),
        ];
        let (frames, warnings) = read(&bytes.concat());
        let expected = [
            (5_000, 0, 10, vec![1]),
            (5 << 32, 1, 11, vec![2, 3]),
            (3_500_000_000, 2, 10, vec![4]),
            (3_500_000_000, 0, 9, vec![6, 7, 8, 9]),
            (1_000, 0, 10, vec![5]),
        ];
        assert_eq!((frames, warnings), (expected.to_vec(), vec![]));
    }
}

#[test]
fn what_the_simulator_writes_is_read() {
    let mut writer = airpath_wire::pcapng::Writer::new(Vec::new(), "t").unwrap();
    let points = ["a", "b"].map(|name| writer.add_interface(name, 0).unwrap());
    writer.packet(points[1], Time::from_nanos(77), &[1, 2, 3], 40, Some("why")).unwrap();
    let (frames, warnings) = read(&writer.finish().unwrap());
    assert_eq!((frames, warnings), (vec![(77, 1, 40, vec![1, 2, 3])], vec![]));
}

#[test]
fn compressed_captures_are_recognised() {
    let plain = pcap(false, 0xa1b2_c3d4);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&plain).unwrap();
    let gzip = gzip.finish().unwrap();
    let (first, second) = plain.split_at(30);
    let fast = |part: &[u8]| compress_to_vec(part, CompressionLevel::Fastest);
    let frames = [fast(first), fast(second)].concat();
    assert_eq!(read(&gzip), read(&plain));
    assert_eq!(read(&frames), read(&plain));
    // The readable part of a file that is cut short.
    let (some, warnings) = read(&gzip[..gzip.len() - 8]);
    assert_eq!(some.len(), 2);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn a_wrong_checksum_of_a_compressed_capture_is_told() {
    let plain = pcap(false, 0xa1b2_c3d4);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&plain).unwrap();
    let mut gzip = gzip.finish().unwrap();
    let crc = gzip.len() - 8;
    gzip[crc] ^= 1; // RFC 1952, 2.3.1: CRC32, then the length
    let mut zstd = compress_to_vec(&plain[..], CompressionLevel::Fastest);
    let last = zstd.len() - 1;
    zstd[last] ^= 1;
    for (bytes, format) in [(gzip, "gzip"), (zstd, "Zstandard")] {
        let (frames, warnings) = read(&bytes);
        assert_eq!(frames.len(), 2, "{format}");
        let told =
            warnings.iter().any(|w| w.contains("cannot be read further") && w.contains(format));
        assert!(told, "{format}: {warnings:?}");
        assert!(read_in(&bytes, 1 << 18).1.len() == 1, "{format}");
    }
}

#[test]
fn interfaces_have_their_names() {
    let named = [halves(false, &[2, 4]), b"eth7".to_vec()].concat();
    let parts = [section(false), interface(false, &named), interface(false, &[])];
    let bytes = [parts.concat(), packet(false, 0, 1, &[1]), packet(false, 1, 2, &[2])].concat();
    let mut all = Interfaces::default();
    let mut reader = Reader::open(&bytes[..], 64, &mut all).unwrap();
    let mut labels = Vec::new();
    while let Some(found) = reader.step(&mut Warnings::default(), &mut all) {
        let place = u16::try_from(reader.frame(&found).interface + 1).ok();
        labels.push(all.label(place.and_then(core::num::NonZeroU16::new).unwrap()).to_string());
    }
    assert_eq!(labels, ["eth7", "1"]);
}

#[test]
fn a_cut_file_gives_what_is_there_and_says_where_it_ends() {
    let whole = pcap(false, 0xa1b2_c3d4);
    let (frames, warnings) = read(&whole[..whole.len() - 1]);
    assert_eq!((frames.len(), &frames[1].3[..]), (2, &[4u8][..]));
    assert_eq!(warnings, ["c: byte 43: the file ends within this packet"]);
    let (frames, warnings) = read(&whole[..50]);
    assert_eq!(frames.len(), 1);
    assert_eq!(warnings, ["c: byte 43: the file ends within this record"]);
}

#[test]
fn impossible_lengths_end_the_reading() {
    let mut bytes = pcap(false, 0xa1b2_c3d4);
    bytes[43 + 8..43 + 12].fill(0xff);
    let (frames, warnings) = read(&bytes);
    assert_eq!(frames.len(), 1);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("c: byte 43: a packet of impossible length"));
    let (_, warnings) = read(&[section(false), words(false, &[6, 13, 0])].concat());
    assert!(warnings[0].starts_with("c: byte 28: a block of impossible length"), "{warnings:?}");
}

#[test]
fn trouble_within_a_block_costs_that_block_only() {
    let bytes = [
        section(false),
        packet(false, 0, 1, &[1]), // before any interface
        interface(false, &[]),
        block(false, 6, &words(false, &[0, 0, 0, 99, 99])), // longer than its block
        packet(false, 0, 1, &[2]),
    ];
    let (frames, warnings) = read(&bytes.concat());
    assert_eq!((frames.len(), warnings.len()), (1, 2));
}

#[test]
fn what_is_no_capture_is_refused() {
    let open = |bytes: &[u8]| Reader::open(bytes, 64, &mut Interfaces::default()).map(|_| ());
    assert!(matches!(open(b""), Err(OpenError::Empty)));
    assert!(matches!(open(b"\xd4\xc3\xb2\xa1"), Err(OpenError::Unknown(_))));
    assert!(matches!(
        open(b"PK\x03\x04 and so on, and so on, and so on"),
        Err(OpenError::Unknown(_))
    ));
}

proptest! {
    #[test]
    fn any_change_of_a_capture_is_read_to_some_end(
        ng in any::<bool>(),
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 0..12),
        cut in any::<u16>(),
    ) {
        let mut bytes = if ng {
            [section(false), interface(false, &[9, 0, 1, 0, 9, 0, 0, 0]), packet(false, 0, 9, &[1; 30]), packet(false, 0, 9, &[2; 30])].concat()
        } else {
            pcap(true, 0xa1b2_c3d4)
        };
        for (at, value) in changes {
            let at = 4 + usize::from(at) % (bytes.len() - 4);
            bytes[at] = value;
        }
        bytes.truncate(24.max(bytes.len() - usize::from(cut) % 40));
        let (frames, _) = read(&bytes);
        prop_assert!(frames.iter().map(|frame| frame.3.len()).sum::<usize>() <= bytes.len());
    }
}
