//! Calls of WebRTC, from a file to its results.

use airpath_results::{FlowSummary, RunSummary};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A wire of 5 Mbit/s with an RTT of 40 ms.
const WIRE: &str = r#"
duration = "8 s"
radio = "none"
[path.sgi]
rate = "5 Mbit/s"
delay = "20 ms"
queue = "100 packets"
"#;

const VIDEO: &str =
    "video = { frame_rate = 25, min_rate = \"200 kbit/s\", max_rate = \"3 Mbit/s\" }\n";

fn call(keys: &str, options: &str) -> String {
    format!(
        "{WIRE}[[flow]]\nname = \"call\"\nkind = \"webrtc\"\ndirection = \"down\"\n{keys}\
         [flow.webrtc]\n{VIDEO}{options}"
    )
}

fn made(text: &str) -> RunSummary {
    let scenario = Scenario::parse("call.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run").summary
}

fn flows(text: &str) -> Vec<FlowSummary> {
    made(text).flows
}

#[test]
fn a_call_has_video_and_handshakes_of_both_directions() {
    let flows = flows(&call("", ""));
    assert_eq!(flows.iter().map(|flow| &*flow.name).collect::<Vec<_>>(), ["call", "call back"]);
    // Ways of 20 ms. ICE: a check and its response, and a third for the server that the UE nominates (RFC 8445, 8.1.1).
    // DTLS without cookie takes four from there (RFC 6347, 4.2.4), of which the server has the last message a way earlier.
    for (flow, ways) in flows.iter().zip([(3.0, 5.0), (2.0, 6.0)]) {
        let media = flow.media.as_ref().expect("media");
        // Frames each 40 ms from 1 s to 8 s, both included.
        assert_eq!((media.frames, media.frames_lost), (176, 0));
        assert!(media.frames_complete >= 174, "{}", media.frames_complete);
        let call = flow.webrtc.as_ref().expect("a call");
        assert_eq!((call.failed.as_deref(), call.nacked_packets), (None, 0));
        let [ice, handshake] = [call.ice_ms, call.handshake_ms].map(|ms| ms.expect("a time"));
        assert!((20.0 * ways.0..20.0 * ways.0 + 10.0).contains(&ice), "{ice}");
        assert!((20.0 * ways.1..20.0 * ways.1 + 10.0).contains(&handshake), "{handshake}");
        // 20 ms of the path, and the pacer's and the link's time for a frame of 15 kB, 24 ms at 5 Mbit/s.
        let delay = media.frame_delay_ms.as_ref().expect("delays");
        assert!((20.0..80.0).contains(&delay.p50), "{}", delay.p50);
        assert!(media.target_bps.is_some_and(|rate| (1e6..=3e6).contains(&rate)));
        assert!(flow.goodput_bps.is_some_and(|rate| (2e6..3.1e6).contains(&rate)));
    }
}

#[test]
fn frames_before_the_end_of_the_handshake_are_lost() {
    let flows = flows(&call("", "media_after = \"0 s\"\nboth_directions = false\n"));
    let media = flows[0].media.as_ref().expect("media");
    // 100 ms and some: the frames at 0, 40 and 80 ms.
    assert_eq!((flows.len(), media.frames, media.frames_lost), (1, 201, 3));
}

#[test]
fn losses_are_repaired_by_repeated_packets() {
    let text = call("", "both_directions = false\n")
        .replace("queue = \"100 packets\"", "loss = { every = 25 }");
    let flow = flows(&text).remove(0);
    let (media, call) = (flow.media.expect("media"), flow.webrtc.expect("a call"));
    assert!(call.nacked_packets > 20 && call.repeated_packets > 20, "{call:?}");
    // A frame of ten packets at 3 Mbit/s would lose one in three.
    assert!(media.frames_lost < 5, "{}", media.frames_lost);
    assert!(media.declared_lost_packets > 20);
}

#[test]
fn a_wire_that_loses_all_ends_the_call() {
    let text = call("", "").replace("queue = \"100 packets\"", "loss = { every = 1 }");
    let summary = made(&text.replace("8 s", "60 s"));
    for flow in &summary.flows {
        let call = flow.webrtc.as_ref().expect("a call");
        assert_eq!((call.ice_ms, call.handshake_ms), (None, None));
        assert_eq!(call.failed.as_deref(), Some("ICE found no path"));
        assert_eq!(flow.delivered_bytes, 0);
    }
    let text = summary.given_up_flows().expect("a sentence");
    assert!(text.contains("call (ICE found no path)"), "{text}");
}

#[test]
fn a_call_that_stops_or_pauses_sends_no_frames() {
    let flows_of = |keys: &str| flows(&call(keys, "both_directions = false\n"));
    let media = flows_of("stop = \"3 s\"\n").remove(0).media.expect("media");
    // Frames each 40 ms from 1 s on.
    assert_eq!((media.frames, media.frames_complete), (50, 50));
    let change = "[[change]]\nat = \"3 s\"\nset = { \"flow.call.active\" = false }\n\
                  [[change]]\nat = \"5 s\"\nset = { \"flow.call.active\" = true }\n";
    let text = format!("{}{change}", call("", ""));
    for flow in flows(&text) {
        assert_eq!(flow.media.expect("media").frames, 126);
    }
}

#[test]
fn without_bandwidth_estimation_the_encoder_has_its_largest_rate() {
    let flow = flows(&call("", "bandwidth_estimation = false\n")).remove(0);
    let media = flow.media.expect("media");
    assert_eq!(media.frames_lost, 0);
    let rate = flow.goodput_bps.expect("a rate");
    assert!((2.8e6..3.1e6).contains(&rate), "{rate}");
}

#[test]
fn another_flow_changes_nothing_of_a_call() {
    // Without a rate, packets of several flows do not meet.
    let text =
        call("", "").replace("rate = \"5 Mbit/s\"\n", "").replace("queue = \"100 packets\"\n", "");
    let other = "[[flow]]\nname = \"other\"\nkind = \"webrtc\"\ndirection = \"up\"\n";
    let (alone, both) = (flows(&text), flows(&format!("{text}{other}")));
    assert_eq!((alone.len(), both.len()), (2, 4));
    assert_eq!(alone[..], both[..2]);
}
