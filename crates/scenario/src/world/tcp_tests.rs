use airpath_base::Duration;
use airpath_transport::control::{Avoidance, ControllerConfig, NewRenoConfig};
use airpath_transport::tcp::{
    DelayedAck, EcnMode, FlightMeasure, LossRecovery, RecoveryTimer, RttSource, TcpConfig,
};

use super::config;
use crate::Scenario;

const HEAD: &str = r#"
duration = "1 s"
[[ue]]
name = "ue"
snr = "20 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

fn lowered(options: &str) -> TcpConfig {
    let text = format!("{HEAD}{options}");
    let scenario = Scenario::parse("test.toml", &text, &[]).expect("a valid scenario");
    config(scenario.flow[0].tcp.as_ref().expect("options of TCP"), 0)
}

#[test]
fn the_defaults_of_the_file_are_those_of_the_transport() {
    assert_eq!(lowered(""), TcpConfig::default());
}

#[test]
fn the_sender_of_ns3_in_2018_can_be_written_down() {
    let written = lowered(
        r#"
        [flow.tcp]
        controller = "newreno"
        segment = "536 B"
        announce_mss = false
        initial_window = 1
        receive_buffer = "131072 B"
        send_buffer = "131072 B"
        write_size = "512 B"
        delayed_ack = { count = 2, timeout = "200 ms", at_once = 1 }
        syn_timeout = "3 s"
        backoff_until_sample = false
        rtt_source = "timestamps"
        flight_measure = "pipe"
        rescue_retransmission = false
        recovery = "ns3"
        recovery_timer = "first-partial-ack"
        rto_always_lowers_ssthresh = true
        timeout_exit_counts_new_only = true
        idle_restart = false
        [flow.tcp.newreno]
        avoidance = "per-ack"
        whole_bytes = true
        cwnd_limited_only = false
        "#,
    );
    let expected = TcpConfig {
        segment: Some(536),
        announce_mss: false,
        initial_window: 1,
        receive_buffer: 131_072,
        send_buffer: 131_072,
        write_size: 512,
        delayed_ack: Some(DelayedAck { count: 2, timeout: Duration::from_millis(200), at_once: 1 }),
        syn_timeout: Duration::from_secs(3),
        backoff_until_sample: false,
        rtt_source: RttSource::Timestamps,
        flight_measure: FlightMeasure::Pipe,
        rescue_retransmission: false,
        recovery: LossRecovery::Ns3,
        recovery_timer: RecoveryTimer::FirstPartialAck,
        rto_always_lowers_ssthresh: true,
        timeout_exit_counts_new_only: true,
        idle_restart: false,
        controller: ControllerConfig::NewReno(NewRenoConfig {
            slow_start_limit: 1,
            avoidance: Avoidance::PerAck,
            whole_bytes: true,
            cwnd_limited_only: false,
            ..NewRenoConfig::default()
        }),
        ..TcpConfig::default()
    };
    assert_eq!(written, expected);
}

#[test]
fn scalable_controllers_come_with_accurate_feedback() {
    for (controller, ecn) in
        [("prague", EcnMode::Accurate), ("dctcp", EcnMode::Accurate), ("bbr", EcnMode::Off)]
    {
        let options = format!("[flow.tcp]\ncontroller = \"{controller}\"");
        assert_eq!(lowered(&options).ecn, ecn, "{controller}");
    }
    let classic = lowered("[flow.tcp]\ncontroller = \"prague\"\necn = \"classic\"");
    assert_eq!(classic.ecn, EcnMode::Classic);
}
