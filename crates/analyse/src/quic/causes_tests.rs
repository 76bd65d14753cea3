//! Causes of QUIC downloads whose sender, link and client are modelled here, so that the truth is known.

use std::collections::VecDeque;

use super::testing::{crypto, initial};
use super::*;
use crate::causes::{Cause, Confidence};

/// Payload of a full datagram in bytes.
const FULL: u32 = 1200;
/// Time of a datagram on the link in microseconds: 9.6 Mbit/s.
const ON_LINK: u64 = 1000;
/// Round trip without a queue in microseconds.
const BASE: u64 = 40_000;

/// Datagrams of a download, as they pass at the server and at the client.
#[derive(Default)]
struct Download {
    /// Time in microseconds, side (0 is the client), bytes, and the spin bit.
    at_server: Vec<(u64, usize, u32, bool)>,
    at_client: Vec<(u64, usize, u32, bool)>,
}

/// Server with a window of `window` datagrams, which has `due(t)` datagrams to send until the time t. For each of
/// `requests`, a time in microseconds, the client sends a request.
fn download(window: u64, due: impl Fn(u64) -> u64, requests: &[u64]) -> Download {
    let mut all = Download::default();
    for at in requests {
        all.at_client.push((*at, 0, 100, false));
        all.at_server.push((at + BASE / 2, 0, 100, false));
    }
    let mut acks: VecDeque<(u64, u64, bool)> = VecDeque::new();
    let (mut sent, mut acked, mut free, mut spin) = (0, 0, 0, false);
    for now in (0..8_000_000).step_by(50) {
        while let Some((_, count, client)) = acks.pop_front_if(|(at, ..)| *at <= now) {
            (acked, spin) = (count, client);
            all.at_server.push((now, 0, 40, client));
        }
        if sent < due(now) && sent - acked < window.min(10 + acked) {
            sent += 1;
            free = now.max(free) + ON_LINK;
            let arrives = free + BASE / 2;
            all.at_server.push((now, 1, FULL, spin));
            all.at_client.push((arrives, 1, FULL, spin));
            // The client acknowledges each second datagram, and the last one of a burst (RFC 9000, 13.2.2).
            if sent % 2 == 0 || sent == due(now) {
                all.at_client.push((arrives, 0, 40, !spin));
                acks.push_back((arrives + BASE / 2, sent, !spin));
            }
        }
    }
    all
}

/// Cause that leads with its likelihood, and the confidence, of datagrams at the server (`near`) or at the client.
fn leads(all: Download, near: bool, spins: bool) -> (Cause, f64, Confidence) {
    let mut connection = Connection::default();
    let id = [7; 8];
    let mut passes = |micros: u64, side: usize, len: u32, payload: &[u8]| {
        let at = Time::from_nanos(1000 * (1_000_000 + micros));
        connection.datagram(&Datagram { at, side, up: side == 0, port: 443, len, payload }, true);
    };
    passes(0, 0, FULL, &initial(&id, false, 0, &crypto(0, &[0; 64])));
    passes(0, 0, 40, &[0x40; 40]);
    let mut events = if near { all.at_server } else { all.at_client };
    events.sort_by_key(|(at, ..)| *at);
    for (at, side, len, spin) in events {
        passes(at, side, len, &[if spin && spins { 0x60 } else { 0x40 }; 40]);
    }
    let (one, other) = (Some(1000), Some(1000 * BASE));
    let (to_sender, to_receiver) = if near { (one, other) } else { (other, one) };
    let position = Place { to_sender, to_receiver, offload: false };
    let outcome = connection.causes(1, position, Time::from_nanos(1_000_000_000)).expect("causes");
    let first = &outcome.hypotheses[0];
    (first.cause, first.likelihood, outcome.causes.confidence)
}

#[test]
fn a_queue_that_the_spin_bit_shows_is_a_full_links() {
    for near in [true, false] {
        // 100 datagrams under way, of which the path holds 40: a queue of 60 ms.
        let (cause, likelihood, confidence) = leads(download(100, |_| u64::MAX, &[]), near, true);
        assert_eq!((cause, confidence), (Cause::Bottleneck, Confidence::Likely), "{near}");
        assert!(likelihood > 0.8, "{likelihood}");
    }
}

#[test]
fn a_full_link_without_the_spin_bit_is_not_identified() {
    for near in [true, false] {
        let (cause, likelihood, confidence) = leads(download(100, |_| u64::MAX, &[]), near, false);
        assert_eq!((cause, confidence), (Cause::CannotTell, Confidence::Doubtful), "{near}");
        assert!(likelihood < 0.6, "{likelihood}");
    }
}

#[test]
fn a_small_window_without_a_queue_has_the_rivals_program_and_losses() {
    for near in [true, false] {
        let (cause, likelihood, _) = leads(download(10, |_| u64::MAX, &[]), near, true);
        assert_eq!(cause, Cause::CannotTell, "{near}");
        assert!(likelihood < 0.6, "{likelihood}");
    }
}

#[test]
fn a_silence_is_of_the_end_that_breaks_it() {
    let bursts = |now: u64| 20 * (1 + now / 500_000);
    let requests: Vec<u64> = (0..16).map(|n| 500_000 * n).collect();
    let answers = |now: u64| 20 * (1 + now.saturating_sub(BASE / 2) / 500_000);
    for near in [true, false] {
        assert_eq!(leads(download(100, bursts, &[]), near, true).0, Cause::Application, "{near}");
        let idle = leads(download(100, answers, &requests), near, true).0;
        assert_eq!(idle, Cause::ClientIdle, "{near}");
    }
}
