//! Congestion control of QUIC: a user's controllers, and those of airpath.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use airpath_results::FlowSummary;
use airpath_scenario::Scenario;
use airpath_scenario::stacks::quic::MakeQuinnControl;
use airpath_scenario::stacks::quic::quinn_proto::RttEstimator;
use airpath_scenario::stacks::quic::quinn_proto::congestion::{Controller, ControllerFactory};
use airpath_scenario::world::OwnParts;
use airpath_sim::{RunOptions, run};

/// A download of 60 s over a wire with a queue of one bandwidth-delay product.
fn wire(mbps: u64, rtt_ms: u64, kind: &str, keys: &str) -> String {
    let (half, queue) = (rtt_ms / 2, mbps * rtt_ms * 125);
    format!(
        "duration = \"60 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"{mbps} Mbit/s\"\n\
         delay = \"{half} ms\"\nqueue = \"{queue} B\"\n[[flow]]\nname = \"flow\"\nkind = \"{kind}\"\n\
         direction = \"down\"\n{keys}"
    )
}

fn made(text: &str, own: OwnParts<'_>) -> FlowSummary {
    let scenario = Scenario::parse("quic.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions { own, ..RunOptions::default() })
        .expect("a run")
        .summary
        .flows
        .remove(0)
}

fn goodput(kind: &str, keys: &str, mbps: u64, rtt_ms: u64) -> f64 {
    let flow = made(&wire(mbps, rtt_ms, kind, keys), OwnParts::default());
    flow.goodput_bps.expect("a rate")
}

/// Payload of a full packet: UDP less header, tag and frame of QUIC; TCP less its timestamps.
const QUIC_SHARE: f64 = 1_425.0 / 1_480.0;
const TCP_SHARE: f64 = 1_448.0 / 1_500.0;

#[test]
fn cubic_of_airpath_on_quic_is_near_that_of_tcp_and_that_of_quinn() {
    let fast = std::env::var_os("AIRPATH_TEST_LONG").map(|_| (50, 60));
    for (mbps, rtt_ms) in [(5, 60), (20, 20)].into_iter().chain(fast) {
        let quic = |control: &str| {
            let keys = format!("[flow.quic]\necn = \"off\"\ncongestion_control = \"{control}\"\n");
            goodput("quic", &keys, mbps, rtt_ms) / QUIC_SHARE
        };
        let own = quic("airpath-cubic");
        let of_quinn = quic("cubic");
        let tcp = goodput("tcp", "[flow.tcp]\ncontroller = \"cubic\"\n", mbps, rtt_ms) / TCP_SHARE;
        for other in [of_quinn, tcp] {
            let ratio = own / other;
            assert!((0.95..1.05).contains(&ratio), "{mbps} Mbit/s, {rtt_ms} ms: {ratio}");
        }
        // A wire that is never idle for long, but for slow start and its loss.
        assert!((0.9..1.0).contains(&(own / (mbps as f64 * 1e6))), "{own}");
    }
}

#[test]
fn each_controller_of_airpath_fills_a_wire() {
    for control in ["airpath-newreno", "airpath-bbr", "airpath-bbr1"] {
        let keys = format!("[flow.quic]\ncongestion_control = \"{control}\"\n");
        let rate = goodput("quic", &keys, 20, 40);
        assert!((0.85 * 20e6..0.97 * 20e6).contains(&rate), "{control} {rate}");
    }
}

#[test]
fn a_mark_on_quic_lowers_the_window_without_a_loss() {
    let mark = "queue = { kind = \"codel\", ecn = true }";
    let keys = "[flow.quic]\ncongestion_control = \"airpath-cubic\"\n";
    let text = wire(20, 20, "quic", keys).replace("queue = \"50000 B\"", mark);
    let flow = made(&text, OwnParts::default());
    let rate = flow.goodput_bps.expect("a rate");
    assert!(flow.marks > 20, "{}", flow.marks);
    assert_eq!(flow.quic.expect("results of QUIC").declared_lost_packets, 0);
    assert!((0.85 * 20e6..0.97 * 20e6).contains(&rate), "{rate}");
    // CoDel aims at 5 ms, and a window that does not answer would wait for seconds.
    assert!(flow.delay_ms.expect("delays").mean < 40.0);
}

/// A window of so many bytes, until so many bytes have been acknowledged or a packet was lost.
#[derive(Clone, Debug)]
struct Shuts {
    window: u64,
    then: u64,
    left: Option<u64>,
    at_loss: bool,
}

impl Shuts {
    const fn fixed(window: u64) -> Shuts {
        Shuts { window, then: window, left: None, at_loss: false }
    }
}

impl ControllerFactory for Shuts {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new((*self).clone())
    }
}

impl Controller for Shuts {
    fn on_ack(&mut self, _: Instant, _: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        self.left = self.left.map(|left| left.saturating_sub(bytes));
        if self.left == Some(0) {
            self.window = self.then;
        }
    }

    fn on_congestion_event(
        &mut self,
        _: Instant,
        _: Instant,
        _: bool,
        #[cfg(feature = "quinn-main")] _: bool,
        lost: u64,
    ) {
        if self.at_loss && lost > 0 {
            self.window = self.then;
        }
    }

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn with(control: Shuts, text: &str) -> FlowSummary {
    let make = |_: &str, name: &str| {
        let factory: MakeQuinnControl = Arc::new(control.clone());
        Some((format!("shuts of {name}"), factory))
    };
    made(text, OwnParts { quic_controller: Some(&make), ..OwnParts::default() })
}

#[test]
fn a_controller_of_a_user_has_its_window() {
    // 50 kB in a round trip of 40 ms: 10 Mbit/s, less headers.
    let flow = with(Shuts::fixed(50_000), &wire(50, 40, "quic", ""));
    let rate = flow.goodput_bps.expect("a rate");
    assert!((0.9 * 10e6..10e6).contains(&rate), "{rate}");
    assert_eq!(flow.quic.expect("results of QUIC").failed, None);
}

#[test]
fn a_window_of_nothing_ends_the_flow_whenever_it_comes() {
    let usual = Shuts::fixed(200_000);
    let shut = "a window of 0 bytes";
    let small = "a window of at most one packet, and nothing in flight";
    let cases = [
        (Shuts::fixed(0), shut),
        (Shuts::fixed(1_000), small),
        (Shuts { then: 0, left: Some(1_000_000), ..usual.clone() }, shut),
        (Shuts { then: 1_200, left: Some(1_000_000), ..usual.clone() }, small),
        (Shuts { then: 0, at_loss: true, ..usual.clone() }, shut),
        (Shuts { then: 1_000, at_loss: true, ..usual }, small),
    ];
    for direction in ["down", "up"] {
        let text = wire(20, 20, "quic", "").replace("down", direction);
        for (control, fault) in cases.clone() {
            let failed = with(control.clone(), &text).quic.expect("results of QUIC").failed;
            let expected = format!("congestion control shuts of flow with {fault}");
            assert_eq!(failed, Some(expected), "{direction} {control:?}");
        }
    }
}
