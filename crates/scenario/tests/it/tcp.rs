//! Options of TCP in a scenario file.

use airpath_base::{Bytes, Duration};
use airpath_scenario::Scenario;
use airpath_schema::units::Buffer;
use airpath_transport::control::{Avoidance, ControllerName, NewRenoConfig};
use airpath_transport::tcp::{
    DelayedAck, DelayedAckOption, EcnMode, FlightMeasure, LossRecovery, RecoveryTimer, RttSource,
    TcpConfig,
};

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
    scenario.flow[0].tcp.clone().expect("options of TCP")
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
        newreno = { avoidance = "per-ack", whole_bytes = true, cwnd_limited_only = false }
        "#,
    );
    let expected = TcpConfig {
        segment: Some(Bytes(536)),
        announce_mss: false,
        initial_window: 1,
        receive_buffer: Bytes(131_072),
        send_buffer: Buffer::Bytes(Bytes(131_072)),
        write_size: Bytes(512),
        delayed_ack: DelayedAckOption::On(DelayedAck {
            count: 2,
            timeout: Duration::from_millis(200),
            at_once: 1,
        }),
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
        ecn: Some(EcnMode::Off),
        controller: ControllerName::NewReno,
        newreno: Some(NewRenoConfig {
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
        assert_eq!(lowered(&options).ecn, Some(ecn), "{controller}");
    }
    let classic = lowered("[flow.tcp]\ncontroller = \"prague\"\necn = \"classic\"");
    assert_eq!(classic.ecn, Some(EcnMode::Classic));
}
