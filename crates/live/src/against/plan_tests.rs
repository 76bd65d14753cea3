use airpath_scenario::LossDetection;

use super::*;

const FLOWS: &str = r#"
duration = "10 s"
radio = "none"
[path.sgi]
rate = "5 Mbit/s"
[[ue]]
name = "a"
[[flow]]
name = "greedy"
kind = "tcp"
direction = "down"
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
[[flow]]
name = "prague"
kind = "tcp"
direction = "up"
tcp = { controller = "prague" }
[[flow]]
name = "asks"
kind = "tcp"
direction = "down"
requests = { response = "10 kB", count = 1 }
"#;

fn halves(text: &str, set: &[&str], as_written: bool) -> Result<Halves, String> {
    let set: Vec<String> = set.iter().map(|one| (*one).to_owned()).collect();
    let scenario = Scenario::parse("test.toml", text, &set).unwrap_or_else(|e| panic!("{e:?}"));
    Halves::new(&scenario, as_written)
}

#[test]
fn the_kernel_carries_what_it_can_and_the_rest_stays_simulated() {
    let halves = halves(FLOWS, &[], false).expect("one is for the kernel");
    assert_eq!(halves.carried, [0]);
    let left = [
        ("prague".to_owned(), "the kernel has no TCP Prague"),
        ("asks".to_owned(), "its application asks for what it gets"),
    ];
    assert_eq!(halves.left, left);
    assert_eq!(halves.mtu, 1500);
}

#[test]
fn where_there_is_nothing_to_carry_it_is_said_why() {
    for (set, why) in [
        (vec!["flow.greedy.tcp.controller=bbr"], "first version"),
        (vec!["flow.greedy.tcp.ecn=accurate"], "accurate ECN"),
        (vec!["flow.greedy.tcp.ect=ect1"], "code point"),
        (vec!["flow.greedy.server_delay=\"5 ms\""], "server_delay"),
        (vec!["flow.greedy.active=false"], "it pauses"),
        (vec![r#"change=[{ at="1 s", set={ "flow.greedy.active"=false } }]"#], "it pauses"),
    ] {
        let error = halves(FLOWS, &set, false).expect_err("there is nothing");
        assert!(error.contains(why) && error.contains("\"bbr1\""), "{error}");
    }
}

#[test]
fn flows_take_what_the_file_does_not_say_from_the_kernel() {
    let set = ["flow.greedy.tcp.min_rto=\"300 ms\"", "flow.greedy.tcp.cubic.beta=0.5"];
    let tuned = halves(FLOWS, &set, false).expect("a flow");
    let tcp = tuned.scenario.flow[0].tcp.as_ref().expect("options");
    assert_eq!(tcp.loss_detection, LossDetection::Rack);
    assert_eq!(tcp.min_rto, airpath_base::Duration::from_millis(300), "as the file has it");
    let cubic = tcp.cubic.as_ref().expect("options");
    assert_eq!((cubic.beta, cubic.slow_start_limit), (0.5, 2));
    let prague = tuned.scenario.flow[2].tcp.as_ref().expect("options");
    assert_eq!(prague.loss_detection, LossDetection::Duplicates, "it stays as it is");
    let written = halves(FLOWS, &set, true).expect("a flow");
    assert!(written.taken.is_empty() && !tuned.taken.is_empty());
    assert_eq!(
        written.scenario.flow[0].tcp.as_ref().map(|tcp| tcp.loss_detection),
        Some(LossDetection::Duplicates)
    );
}

#[test]
fn settings_of_the_kernel_are_those_of_all_flows() {
    let two = FLOWS.replace("\"prague\" }", "\"newreno\" }");
    let set = ["flow.greedy.tcp.ecn=classic", "flow.prague.tcp.ecn=classic"];
    let both = halves(&two, &set, false).expect("two flows");
    let value = |name: &str| {
        let found = both.settings.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| &value[..])
    };
    assert_eq!(both.carried, [0, 2]);
    assert_eq!(value("net.ipv4.tcp_ecn"), "1");
    assert_eq!(value("net.ipv4.tcp_no_metrics_save"), "1");
    // Twice 6 MiB, as half of it is for the kernel.
    assert_eq!(value("net.ipv4.tcp_rmem"), "4096 131072 12582912");
    let error = halves(&two, &set[..1], false).expect_err("one setting, two values");
    for part in ["flow.tcp.ecn", "net.ipv4.tcp_ecn", "\"greedy\"", "\"prague\""] {
        assert!(error.contains(part), "{error}");
    }
}
