use airpath_base::rrc::Config;
use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};
use proptest::prelude::*;

use super::*;
use crate::FlowRecord;
use crate::options::{Options, Radio};
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse_hosts, seg, stamped};

const MS: u64 = 1000;
const S: u64 = 1_000_000;

/// A connection that begins at `at` (in microseconds) by the client's clock. Its SYN waits for
/// `promotion` before it is seen. `packets` of data are acknowledged, 20 ms apart. Timestamps have
/// ticks of 10 ms.
fn connection(capture: &mut Capture, at: u64, promotion: u64, packets: u32) {
    let ticks = |at: u64| (at / 10_000) as u32;
    let seen = at + promotion;
    let flags = |flags, seg: TcpRepr| TcpRepr { flags, ..seg };
    let syn = stamped(flags(TcpFlags::SYN, seg(0, 0, 0)), ticks(at), 0);
    capture.tcp(seen, Client, &syn);
    let both = TcpFlags::SYN.with(TcpFlags::ACK);
    capture.tcp(seen + 20 * MS, Server, &stamped(flags(both, seg(0, 1, 0)), 5, ticks(at)));
    capture.tcp(seen + 50 * MS, Client, &stamped(seg(1, 1, 0), ticks(seen + 50 * MS), 5));
    for n in 0..packets {
        let at = seen + 60 * MS + u64::from(n) * 20 * MS;
        capture.tcp(at, Server, &seg(1 + 100 * n, 1, 100));
        capture.tcp(at + 5 * MS, Client, &stamped(seg(1, 101 + 100 * n, 0), ticks(at + 5 * MS), 5));
    }
}

/// With a radio.
fn options() -> Options {
    Options { radio: Some(Radio::MOBISYS_2012), ..Options::default() }
}

fn found(capture: Capture) -> (Vec<FlowRecord>, HostRecord) {
    let (flows, mut hosts, totals) = analyse_hosts(&capture.bytes(), options());
    // Some of these captures are not in the order of time, some have packets twice.
    let expected = |what: &str| what.starts_with("time runs backwards") || what.contains("twice");
    assert!(totals.warnings.iter().all(|warning| expected(&warning.what)));
    assert_eq!(hosts.len() as u64, totals.hosts.hosts);
    assert_eq!(hosts.len(), 1, "{hosts:?}");
    (flows, hosts.remove(0))
}

#[test]
fn promotions_are_told_after_idleness_even_for_short_flows() {
    let mut capture = Capture::new();
    connection(&mut capture, 0, 0, 400); // 8 s, which tell the clock
    capture.port += 1;
    connection(&mut capture, 30 * S, 310 * MS, 1);
    capture.port += 1;
    connection(&mut capture, 40 * S, 250 * MS, 1); // after 10 s: not idle for certain
    capture.port += 1;
    connection(&mut capture, 60 * S, 450 * MS, 0);
    let (flows, host) = found(capture);
    let told: Vec<_> = flows.iter().map(|flow| flow.promotion_delay_ms.is_some()).collect();
    assert_eq!(told, [true, true, false, true]);
    let idle: Vec<_> = flows.iter().map(|flow| flow.idle_before_s.map(f64::round)).collect();
    assert_eq!(idle, [None, Some(22.0), Some(10.0), Some(20.0)]);
    // The first flow's delay is not known to be a promotion.
    let delays = host.promotion_delay_ms.unwrap();
    assert_eq!(delays.samples, 2);
    assert!((delays.p25 - 310.0).abs() < 11.0 && (delays.p75 - 450.0).abs() < 11.0, "{delays:?}");
    let period = host.timestamp_period_ms.unwrap();
    assert!((period - 10.0).abs() < 0.02, "{period}");
    assert_eq!((host.flows, host.up.packets + host.down.packets), (4, 4 * 3 + 2 * 402));
}

#[test]
fn flows_are_active_for_a_second_after_data_to_the_client() {
    let mut capture = Capture::new();
    capture.tcp(0, Server, &seg(1, 1, 100));
    capture.port += 1;
    capture.tcp(500 * MS, Server, &seg(1, 1, 100));
    capture.tcp(3 * S, Client, &seg(1, 101, 100)); // to the server: does not count
    capture.tcp(4 * S, Server, &seg(101, 101, 0));
    let (_, host) = found(capture);
    let concurrency = host.concurrency.unwrap();
    assert!((concurrency.active_s - 1.5).abs() < 1e-9, "{concurrency:?}");
    assert!((concurrency.shares[1] - 1.0 / 3.0).abs() < 1e-9, "{concurrency:?}");
}

#[test]
fn without_a_radio_there_are_no_promotions() {
    let mut capture = Capture::new();
    connection(&mut capture, 0, 300 * MS, 30);
    connection(&mut capture, 100_000 * MS, 300 * MS, 30);
    let (flows, hosts, totals) = analyse_hosts(&capture.bytes(), Options::default());
    assert!(flows.iter().all(|flow| flow.promotion_delay_ms.is_none()));
    assert!(hosts.iter().all(|h| h.radio.is_none() && h.promotion_delay_ms.is_none()));
    assert!(totals.hosts.radio.is_none() && totals.hosts.promotion_delay_ms.is_none());
}

#[test]
fn the_radio_is_promoted_and_has_its_tail() {
    let mut capture = Capture::new();
    capture.tcp(0, Client, &seg(1, 1, 100));
    capture.tcp(40 * S, Server, &seg(1, 101, 100));
    let (_, host) = found(capture);
    let radio = host.radio.unwrap();
    assert_eq!(radio.promotions, 2);
    let tail = Config::MOBISYS_2012.release_after.unwrap().as_secs_f64();
    let time = radio.time_s;
    let connected = time.active + time.short_drx + time.long_drx;
    assert!((connected - 2.0 * tail).abs() < 1e-6, "{time:?}");
    assert!((time.promotion - 0.5202).abs() < 1e-6, "{time:?}");
    // The client's packet is seen after the promotion that it causes, the server's before.
    assert!((time.idle - (40.0 - tail)).abs() < 1e-6, "{time:?}");
    assert!((radio.energy_j.promotion - 2.0 * 0.2601 * 1.2107).abs() < 1e-6);
}

#[test]
fn even_requests_are_found_beside_those_at_random() {
    let mut capture = Capture::new();
    let mut at = 0;
    for n in 0..20u32 {
        capture.port = 443;
        capture.tcp(at, Client, &seg(1 + 100 * n, 1 + 900 * n, 100));
        capture.tcp(at + 90 * MS, Server, &seg(1 + 900 * n, 101 + 100 * n, 900));
        capture.port = 80;
        capture.tcp(at + u64::from(n * n % 11) * 2 * S, Client, &seg(1 + 100 * n, 1, 100));
        at += 30 * S + u64::from(n % 3) * 400 * MS;
    }
    let (_, host) = found(capture);
    let [periodic] = host.periodic[..] else { panic!("{:?}", host.periodic) };
    assert_eq!((periodic.server.port, periodic.requests), (443, 20));
    assert!((periodic.period_s - 30.4).abs() < 0.1, "{periodic:?}");
}

#[test]
fn a_host_that_was_silent_for_an_hour_is_another() {
    let mut capture = Capture::new();
    capture.tcp(0, Client, &seg(1, 1, 100));
    capture.tcp(3000 * S, Client, &seg(101, 1, 100));
    capture.tcp(6601 * S, Client, &seg(201, 1, 100));
    let (flows, hosts, _) = analyse_hosts(&capture.bytes(), options());
    let packets: Vec<_> = hosts.iter().map(|host| host.up.packets).collect();
    assert_eq!((packets, flows.len(), hosts[0].duration_s), (vec![2, 1], 2, Some(3000.0)));
}

#[test]
fn a_server_that_answers_late_is_no_request_and_a_syn_is_one() {
    let mut capture = Capture::new();
    for n in 0..10u64 {
        let syn = TcpRepr { flags: TcpFlags::SYN, seq: SeqNumber(n as u32), ..seg(0, 0, 0) };
        capture.tcp(n * 60 * S, Client, &syn);
    }
    let (flows, host) = found(capture);
    assert_eq!(flows.len(), 10); // each had another sequence number
    assert_eq!(host.periodic[0].period_s, 60.0);
}

#[test]
fn what_is_seen_at_two_points_of_a_path_counts_once() {
    let mut capture = Capture::new();
    for n in 0..10u32 {
        for here in 0..2 {
            capture.here = here;
            capture.tcp(u64::from(n) * S, Client, &seg(1 + 100 * n, 1, 100));
            capture.tcp(u64::from(n) * S + 50 * MS, Server, &seg(1, 101 + 100 * n, 0));
        }
    }
    let (flows, host) = found(capture);
    assert_eq!((flows.len(), host.flows, host.up.packets, host.down.packets), (2, 1, 10, 10));
}

#[test]
fn without_memory_hosts_are_counted_only_and_then_not_told() {
    let mut capture = Capture::new();
    for n in 0..6000u64 {
        capture.client = [10, 0, (n / 250) as u8, (n % 250) as u8];
        capture.tcp(n * MS, Client, &seg(1, 1, 100));
        capture.tcp(n * MS + 400, Server, &seg(1, 101, 100));
    }
    let options = Options { memory: 4 << 20, ..options() };
    let (_, hosts, totals) = analyse_hosts(&capture.bytes(), options);
    assert_eq!(hosts.len() as u64, totals.hosts.hosts);
    let whole = hosts.iter().filter(|host| host.radio.is_some()).count();
    assert!(100 < whole && whole + 100 < hosts.len() && hosts.len() < 5900, "{whole}");
    let starts = |text: String| totals.warnings.iter().any(|w| w.what.starts_with(&text));
    let counted = hosts.len() - whole;
    assert!(starts(format!("of {counted} hosts only flows, packets and bytes were counted")));
    assert!(totals.warnings.iter().any(|w| w.what.contains("belong to hosts that are not told")));
}

/// Microseconds that go by: within the radio's timers and beyond, and back a little.
fn pause() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0i64..300_000, 4 => 300_000i64..15_000_000, 1 => -5_000i64..0]
}

proptest! {
    #[test]
    fn the_radio_and_activity_are_as_if_each_packet_were_told(
        packets in prop::collection::vec((0u16..2, any::<bool>(), 0u32..3, pause()), 1..150),
    ) {
        let options = options();
        let radio = options.radio.unwrap();
        let (mut capture, mut micros) = (Capture::new(), 10 * S);
        let mut next = [[1u32; 2]; 2];
        let (mut tracker, mut active) = (None::<Tracker>, Concurrency::default());
        let mut last = Time::ZERO;
        for (flow, up, len, pause) in packets {
            micros = micros.saturating_add_signed(pause);
            let at = Time::from_nanos(1_000_000_000 + micros * 1000);
            let ends = &mut next[usize::from(flow)];
            let (own, peer) = (ends[usize::from(!up)], ends[usize::from(up)]);
            let segment = seg(own, peer, 100 * len);
            ends[usize::from(!up)] += 100 * len;
            capture.port = 443 + flow;
            capture.tcp(micros, if up { Client } else { Server }, &segment);
            let tracker = tracker.get_or_insert_with(|| {
                let start = at.saturating_sub(radio.promotion);
                Tracker::new(radio.config, radio.promotion, radio.seen, start)
            });
            let size = Bytes(u64::from(20 + segment.header_len() + segment.payload_len));
            match up {
                true => tracker.up(at, size, &mut |_| {}),
                false => tracker.down(at, size, &mut |_| {}),
            }
            if !up && len > 0 {
                active.data(NonZeroU32::MIN.saturating_add(flow.into()), at);
            }
            last = last.max(at);
        }
        let mut tracker = tracker.unwrap();
        let tail = radio.config.release_after.unwrap();
        tracker.finish(last.saturating_add(radio.promotion).saturating_add(tail), &mut |_| {});
        let (_, host) = found(capture);
        prop_assert_eq!(host.radio, Some(usage(&radio.power, tracker.usage())));
        prop_assert_eq!(host.concurrency, Concurrent::new(&active.levels()));
    }
}
