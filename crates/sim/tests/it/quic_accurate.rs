//! Prague on QUIC, by a quinn-proto that sends ECT(1), hands on the number of marks and paces by a rate.

use airpath_results::FlowSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A download of 30 s over a wire of 20 Mbit/s whose queue marks.
fn made(flow: &str) -> FlowSummary {
    let text = format!(
        "duration = \"30 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n\
         queue = {{ kind = \"dualpi2\" }}\n[[flow]]\nname = \"flow\"\ndirection = \"down\"\n{flow}"
    );
    let scenario = Scenario::parse("l4s.toml", &text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run").summary.flows.remove(0)
}

/// Time in the queue on average: the delay without those of the wire and of a packet of 1.5 kB.
fn queue_ms(flow: &FlowSummary) -> f64 {
    flow.delay_ms.as_ref().expect("delays").mean - 10.0 - 0.6
}

#[test]
fn prague_on_quic_is_near_prague_on_tcp() {
    let own = made("kind = \"quic\"\n[flow.quic]\ncongestion_control = \"airpath-prague\"\n");
    let tcp = made("kind = \"tcp\"\n[flow.tcp]\ncontroller = \"prague\"\n");
    let classic = made("kind = \"quic\"\n");
    assert_eq!(own.quic.as_ref().and_then(|quic| quic.failed.clone()), None);
    // Two marks in a round trip of 20 ms, as RFC 9332, 2.1, counts on: some thousand in 30 s.
    assert!(own.marks > 1_000, "{}", own.marks);
    assert_eq!(own.quic.as_ref().map(|quic| quic.declared_lost_packets), Some(0));
    let ratio = own.goodput_bps.expect("a rate") / tcp.goodput_bps.expect("a rate");
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
    // The low latency queue marks from 1 ms on (RFC 9332, 2.5.1.1), and the classic one aims at 15 ms.
    assert!(queue_ms(&own) < 2.0, "{} {}", queue_ms(&own), queue_ms(&tcp));
    assert!(queue_ms(&classic) > 5.0, "{}", queue_ms(&classic));
}

#[test]
fn bbr_paces_by_its_rate() {
    let keys = "kind = \"quic\"\n[flow.quic]\ncongestion_control = \"airpath-bbr\"\n";
    let (own, tcp) = (made(keys), made("kind = \"tcp\"\n[flow.tcp]\ncontroller = \"bbr\"\n"));
    let ratio = own.goodput_bps.expect("a rate") / tcp.goodput_bps.expect("a rate");
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
    // A window of two bandwidth-delay products without its pacing would keep a queue of a whole RTT.
    assert!(queue_ms(&own) < queue_ms(&tcp) + 3.0, "{} {}", queue_ms(&own), queue_ms(&tcp));
}
