use super::*;
use crate::names::{Dns as Lookups, Http, Lookup};
use crate::record::EndReason;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, seg};

/// A flow of the analyser's, to be changed.
fn flow() -> FlowRecord {
    let mut capture = Capture::new();
    capture.handshake();
    capture.tcp(60_000, Client, &seg(1, 1, 100));
    capture.tcp(90_000, Server, &seg(1, 101, 1000));
    capture.flow()
}

/// The flow with so many bytes downward in so many seconds.
fn sized(bytes: u64, seconds: f64) -> FlowRecord {
    let mut flow = flow();
    flow.duration_s = Some(seconds);
    flow.down.payload_bytes = bytes;
    flow.down.rate_bps = (seconds > 0.0).then(|| 8.0 * bytes as f64 / seconds);
    flow
}

#[test]
fn nothing_comes_to_nothing() {
    assert_eq!(Summary::default().report(), SummaryReport::default());
}

#[test]
fn shares_are_of_their_wholes() {
    let mut summary = Summary::default();
    for (end_reason, seconds) in [
        (EndReason::Fin, 4.9),
        (EndReason::Fin, 5.0),
        (EndReason::Rst, 180.0),
        (EndReason::NeverConnected, 700.0),
    ] {
        summary.add(&FlowRecord { end_reason, ..sized(1000, seconds) });
    }
    let udp = FlowRecord { protocol: FlowProtocol::Udp, ..flow() };
    summary.add(&FlowRecord { application: Application::Dns, ..udp });
    let report = summary.report();
    assert_eq!((report.protocols["tcp"].flows, report.protocols["tcp"].flows_share), (4, 0.8));
    assert_eq!(report.applications["dns"].bytes_share, 0.2);
    let tcp = report.tcp.unwrap();
    assert_eq!(tcp.applications["https"].flows_share, 1.0);
    assert_eq!((tcp.ends["fin"], tcp.ends["rst"], tcp.ends.len()), (0.5, 0.25, 3));
    let lasting = [tcp.shorter_than_5_s, tcp.at_least_180_s, tcp.at_least_600_s];
    assert_eq!(lasting, [0.25, 0.5, 0.25]);
    let whole = tcp.handshake_rtt_ms.whole.unwrap();
    assert!((whole.p50 / 50.0 - 1.0).abs() < 0.004);
    assert_eq!(tcp.without_retransmission, 1.0);
}

#[test]
fn the_greatest_flows_and_what_they_carry() {
    let mut summary = Summary::default();
    for n in 0..99 {
        let mut flow = sized(if n < 5 { 1_000_000 } else { 100 }, 1.0);
        let mut http = Http::default();
        http.down.message(Content::Video);
        http.down.bytes(if n == 0 { Content::Image } else { Content::Video }, 1000);
        if n < 4 {
            (flow.application, flow.http) = (Application::Http, Some(http));
        }
        summary.add(&flow);
    }
    summary.add(&sized(0, 1.0));
    let report = summary.report();
    let down = report.tcp.unwrap().down;
    assert!((down.without_payload - 0.01).abs() < 1e-12);
    let top = down.top_5_percent.unwrap();
    assert!((top.http_flows_share, top.media_bytes_share) == (0.8, Some(0.75)), "{top:?}");
    assert!((top.least_bytes / 1e6 - 1.0).abs() < 0.004, "{top:?}");
    let of_all = down.top.iter().find(|top| top.flows_share == 0.05).unwrap().bytes_share;
    assert!((of_all - 5.0 / 5.0094).abs() < 1e-9, "{of_all}");
    let http = report.http.unwrap();
    assert_eq!((http.flows, http.bytes_shares["image"]), (4, 0.25));
}

#[test]
fn a_rate_that_falls_with_duration_is_correlated_negatively() {
    let mut summary = Summary::default();
    (1..100).for_each(|n| summary.add(&sized(10_000, f64::from(n))));
    let down = summary.report().tcp.unwrap().down.correlation;
    assert!(down.duration_rate.log.unwrap() < -0.999, "{down:?}");
    assert_eq!(down.size_duration.log, None);
    let up = summary.report().tcp.unwrap().up;
    assert_eq!(up.payload_bytes.unwrap().p50, 100.0);
}

#[test]
fn lookups_are_counted_and_timed() {
    let lookup = |time_ms| {
        let name = "a.example".into();
        Lookup { name, kind: 1, rcode: 0, time_ms, retries: 0 }
    };
    let dns = Lookups {
        queries: 4,
        retries: 1,
        answers: 3,
        time_ms: None,
        listed: vec![lookup(2.0), lookup(9.9), lookup(10.0)],
    };
    let mut summary = Summary::default();
    summary.add(&FlowRecord { dns: Some(dns), ..flow() });
    let dns = summary.report().dns.unwrap();
    assert_eq!((dns.queries, dns.answers, dns.retries), (4, 3, 1));
    assert!((dns.sooner_than_10_ms - 2.0 / 3.0).abs() < 1e-12);
    assert!((dns.time_ms.unwrap().p50 / 9.9 - 1.0).abs() < 0.004);
}
