//! Captures that are changed at random, and what must hold of any.

use airpath_base::random::Seed;
use proptest::prelude::*;

use crate::analyser::tests::example;
use crate::names::testing::hello;
use crate::quic::testing as quic;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg};
use crate::tunnels::tests as tunnels;
use crate::{Analyser, FlowRecord, Options};

/// Connections with HTTP, TLS and DNS in them.
fn spoken() -> Capture {
    let mut capture = Capture::new();
    let hello = b"\x16\x03\x01\0\x3b\x01\0\0\x37\x03\x0301234567890123456789012345678901\0\
                  \0\x02\x13\x01\x01\0\0\x0c\0\0\0\x08\0\x06\0\0\x03a.b";
    let dns = b"\0\x15\0\x09\0\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01";
    let responses = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9\r\n\r\n\
                      123456789HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n";
    let (mut micros, mut next) = (0, [1; 2]);
    for (port, from, data) in [
        (443, Client, &hello[..]),
        (53, Client, &dns[..]),
        (80, Client, b"HEAD / HTTP/1.1\r\nHost: a.b\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
        (80, Server, b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        (80, Server, &responses[..]),
    ] {
        capture.port = port;
        let (len, next) = (data.len() as u32, &mut next[usize::from(from == Server)]);
        micros += 1000;
        let segment = seg(*next, 1, len);
        *next += len;
        (0..2).for_each(|again| capture.tcp_with(micros + 100 * again, from, &segment, data));
    }
    capture
}

/// Protocols over UDP.
fn over_udp() -> Capture {
    let mut capture = Capture::new();
    let record = hello("a.b", b"h3");
    let (front, back) = record[5..].split_at(40);
    let id = [1, 2, 3, 4, 5, 6, 7, 8];
    let ack = |n| [2, n, 0, 0, 0];
    capture.udp(0, Client, &quic::initial(&id, false, 0, &quic::crypto(40, back)));
    capture.udp(10, Client, &quic::initial(&id, false, 1, &quic::crypto(0, front)));
    capture.udp(9000, Server, &quic::initial(&id, true, 0, &ack(1)));
    capture.udp(20_000, Client, &quic::initial(&id, false, 2, &ack(0)));
    for n in 0..40 {
        let from = if n % 8 < 4 { Client } else { Server };
        capture.udp(30_000 + 1000 * n, from, &[0x40 | (n as u8 / 8 % 2) << 5, 7, 7, 7, 7]);
    }
    capture.port = 5004;
    for n in 0..30 {
        let (seq, timestamp) = (n as u8, [0, 0, n as u8 / 3, 0]);
        let head = [&[0x90, 96, 0, seq][..], &timestamp, &[0, 0, 0, 7, 0xbe, 0xde, 0, 1]].concat();
        capture.udp(80_000 + 1000 * n, Server, &[&head[..], &[0; 24]].concat());
    }
    let sender = [0x80, 200, 0, 6, 0, 0, 0, 7, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0];
    capture.udp(120_000, Server, &[&sender[..], &[0; 8]].concat());
    let block = [0, 0, 0, 7, 9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0];
    let receiver = [&[0x81, 201, 0, 7, 0, 0, 0, 9][..], &block].concat();
    capture.udp(130_000, Client, &receiver);
    capture
}

/// Tunnels of all kinds.
fn in_tunnels() -> Vec<u8> {
    let frames: Vec<_> = tunnels::all().into_iter().map(|(frame, _)| frame).collect();
    tunnels::pcap(&frames)
}

/// Invariants of the analysis of any bytes.
fn check(bytes: &[u8]) {
    let options = Options { memory: 1 << 16, decapsulate: true, notes: 2, ..Options::default() };
    let mut sum = 0;
    let mut analyser = Analyser::new(options, |flow: &FlowRecord| {
        sum += flow.up.packets + flow.down.packets;
        for direction in [&flow.up, &flow.down] {
            if let Some(causes) = &direction.causes {
                let all: f64 = causes.shares.iter().sum();
                assert!((all - 1.0).abs() < 1e-9, "{causes:?}");
            }
        }
    });
    if analyser.read("mutated", bytes).is_ok() {
        let totals = analyser.finish();
        assert!(sum <= totals.packets && totals.packets <= bytes.len() as u64 / 16);
    }
}

/// The example with some of its bytes changed, moved or cut.
fn mutated(bytes: &[u8], draw: &mut impl FnMut(u64) -> u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draw(8) {
        let at = draw(bytes.len() as u64) as usize;
        match draw(5) {
            0 => bytes[at] ^= 1 << draw(8),
            1 => bytes[at] = draw(256) as u8,
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.splice(at..at, [0xff; 3])),
            _ => {
                let end = (at + 1 + draw(64) as usize).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = draw(bytes.len() as u64) as usize;
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

proptest! {
    #[test]
    fn no_change_of_a_capture_brings_it_down(seed in any::<u64>()) {
        let mut random = Seed(seed).stream("mutations");
        check(&mutated(&example().bytes(), &mut |n| random.below(n)));
        check(&mutated(&spoken().bytes(), &mut |n| random.below(n)));
        check(&mutated(&over_udp().bytes(), &mut |n| random.below(n)));
        check(&mutated(&in_tunnels(), &mut |n| random.below(n)));
    }
}

/// The documented long run (docs/analysis.md): `cargo test --release -p airpath-analyse
/// ten_million -- --ignored`. MUTATIONS sets another number, SEED another seed.
#[test]
#[ignore = "takes half an hour"]
fn ten_million_changed_captures() {
    let number =
        |name, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let bytes = [example().bytes(), spoken().bytes(), over_udp().bytes(), in_tunnels()];
    let mut random = Seed(number("SEED", 1)).stream("mutations");
    for n in 0..number("MUTATIONS", 10_000_000) {
        check(&mutated(&bytes[n as usize % 4], &mut |n| random.below(n)));
    }
}

#[test]
fn what_is_changed_is_understood_to_begin_with() {
    let (flows, _) = analyse(&spoken().bytes(), Options::default());
    let names: Vec<_> = flows.iter().map(|flow| flow.application.name()).collect();
    assert_eq!(names, ["https", "dns", "http"]);
    assert_eq!(flows[0].server_name.as_deref(), Some("a.b"));
    assert_eq!(flows[1].dns.as_ref().map(|dns| dns.queries), Some(1));
    let http = flows[2].http.as_ref().unwrap();
    assert_eq!((http.requests, http.responses, http.down.all().bytes), (2, 3, 12));
    let [quic, rtp] = &over_udp().flows()[..] else { panic!("two flows") };
    assert_eq!((quic.server_name.as_deref(), &quic.alpn[..]), (Some("a.b"), &["h3".into()][..]));
    assert_eq!(quic.handshake_rtt_ms.server_side, Some(8.99));
    let streams = &rtp.down.rtp.as_ref().unwrap().streams;
    assert_eq!((streams[0].packets, streams[0].reported.map(|told| told.lost)), (30, Some(1)));
    assert_eq!(rtp.down.rtt_ms.map(|rtt| rtt.min), Some(10.0));
}
