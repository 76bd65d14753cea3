//! Whole emulations: programs, devices, a world, and the clock.
//!
//! Expectations leave room for a machine that is busy; what must be exact is.

use std::process::Stdio;
use std::sync::atomic::AtomicBool;

use airpath_base::Duration;
use airpath_live::os::{OsError, Program};
use airpath_live::{Emulation, EmulationError, Ended, Programs};
use airpath_results::FlowSummary;
use airpath_scenario::Scenario;

use crate::roles::{TRANSFER, playing};
use crate::skipped::skipped;

const WIRES: &str = r#"
duration = "1 s"
radio = "none"
[path.sgi]
rate = "8 Mbit/s"
delay = "10 ms"
[[ue]]
name = "host"
[output]
pcap = ["ue"]
"#;

const CELL: &str = r#"
duration = "1 s"
[cell]
resource_blocks = 50
[path]
sgi = { delay = "2 ms" }
s1 = {}
[[ue]]
name = "phone"
count = 2
snr = "25 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

fn scenario(text: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|one| (*one).to_owned()).collect();
    Scenario::parse("test.toml", text, &overrides).expect("valid")
}

pub fn emulation<'a>(scenario: &'a Scenario, ues: &'a [String]) -> Emulation<'a> {
    Emulation {
        name: "test.toml",
        scenario,
        seed: None,
        out: None,
        ues,
        with_flows: false,
        mtu: 1500,
        outside: false,
        settings: Vec::new(),
        carried: &[],
        lead: Duration::ZERO,
        limit: Some(Duration::from_secs(20)),
        interrupt: None,
    }
}

pub fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A program that says nothing here.
pub fn silent(mut program: Program) -> Program {
    (program.stdin, program.stdout) = (Stdio::null(), Stdio::null());
    program
}

fn line(line: &str) -> Program {
    silent(Program::line(line))
}

pub fn programs(servers: Vec<Program>, clients: Vec<Program>) -> Programs {
    Programs { servers, clients: clients.into_iter().enumerate().collect() }
}

/// End of the emulation; none if the machine forbids namespaces, which is printed.
fn run(emulation: &Emulation<'_>, programs: Programs) -> Option<Result<Ended, EmulationError>> {
    match emulation.run(programs, &mut ()) {
        Err(EmulationError::System(
            error @ (OsError::NoTun
            | OsError::TunDenied { .. }
            | OsError::Denied { .. }
            | OsError::ReadOnly { .. }
            | OsError::NoIpv6),
        )) => {
            skipped(&error);
            None
        }
        other => Some(other),
    }
}

pub fn ended(emulation: &Emulation<'_>, programs: Programs) -> Option<Ended> {
    run(emulation, programs).map(|ended| ended.expect("it comes to its end"))
}

pub fn flow<'a>(ended: &'a Ended, name: &str) -> &'a FlowSummary {
    ended.outcome.summary.flows.iter().find(|flow| flow.name == name).expect("there is this flow")
}

#[test]
fn a_transfer_takes_what_the_link_needs_for_it() {
    let (scenario, ues) = (scenario(WIRES, &[]), names(&["host"]));
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let emulation = Emulation { out: Some(&out), ..emulation(&scenario, &ues) };
    let both = programs(vec![silent(playing("server"))], vec![silent(playing("client"))]);
    let Some(ended) = ended(&emulation, both) else { return };
    assert_eq!(ended.exits[0].map(|exit| exit.code), Some(0));
    for name in ["host up", "host down"] {
        let flow = flow(&ended, name);
        assert!(flow.received_bytes > TRANSFER as u64, "{name}: {}", flow.received_bytes);
        assert!(flow.delay_ms.as_ref().is_some_and(|delay| delay.min >= 10.0));
    }
    // Each way 300 kB at 8 Mbit/s, one way after the other.
    assert!(ended.outcome.summary.duration_s > 0.6, "{}", ended.outcome.summary.duration_s);
    let real_time = ended.timing.real_time.expect("it was an emulation");
    assert_eq!([real_time.unread_packets, real_time.refused_packets], [0, 0]);
    assert!(real_time.wakes > 100, "{real_time:?}");
    let capture = std::fs::metadata(out.join("capture-ue.pcapng")).expect("a capture");
    assert!(capture.len() > 2 * TRANSFER as u64, "packets are kept as they are");
}

/// The kernel's TCP goes on behind an outage in which the UE becomes idle: 2 s, with
/// `AIRPATH_TEST_LONG` 10 s.
#[test]
fn a_transfer_of_a_real_kernel_survives_an_outage() {
    let length = if std::env::var_os("AIRPATH_TEST_LONG").is_some() { 10.0 } else { 2.0 };
    let change = |at: f64, snr: &str| {
        format!("[[change]]\nat = \"{at} s\"\nset = {{ \"ue.phone.snr\" = \"{snr}\" }}\n")
    };
    // Without its flow: the transfer is all there is.
    let (cell, _) = CELL.split_once("[[flow]]").expect("a flow");
    let text = cell.replace("duration = \"1 s\"", "duration = \"60 s\"")
        + "[ue.radio_link]\nt310 = \"100 ms\"\nt311 = \"500 ms\"\n"
        + &change(0.4, "-30 dB")
        + &change(0.4 + length, "25 dB");
    // 300 kB each way, which 2 Mbit/s take 2.4 s for.
    let scenario = scenario(&text, &["path.sgi.rate=2 Mbit/s", "ue.phone.count=1"]);
    let ues = names(&["phone"]);
    let limit = Some(Duration::from_secs(50));
    let emulation = Emulation { limit, ..emulation(&scenario, &ues) };
    let both = programs(vec![silent(playing("server"))], vec![silent(playing("client"))]);
    let Some(ended) = ended(&emulation, both) else { return };
    assert_eq!(ended.exits[0].map(|exit| exit.code), Some(0));
    let link = ended.outcome.summary.ues[0].radio_link.clone().expect("a failure");
    assert_eq!((link.failures, link.lost), (1, 1), "{link:?}");
    for name in ["phone up", "phone down"] {
        assert!(flow(&ended, name).received_bytes > TRANSFER as u64, "{name}");
    }
}

#[test]
fn marks_reach_the_kernel() {
    // ECN is agreed on by both ends; the wire marks whatever is capable of it.
    let (scenario, ues) = (scenario(WIRES, &["path.sgi.mark=1.0"]), names(&["host"]));
    let settings = vec![("net.ipv4.tcp_ecn".to_owned(), "1".to_owned())];
    let emulation = Emulation { settings, ..emulation(&scenario, &ues) };
    // The counters have a line of names and one of numbers.
    let client = "\"$0\" --exact roles::role --include-ignored || exit 1
        awk '/^IpExt/ { if (n) for (i = 2; i <= NF; i++) if (name[i] == \"InCEPkts\") exit !($i > 9)
                        for (i = 2; i <= NF; i++) name[i] = $i; n = 1 }' /proc/net/netstat";
    let me = std::env::current_exe().expect("the tests are a program");
    let mut client = Program::new("/bin/sh", &["-c".into(), client.into(), me.into_os_string()]);
    client.variable("AIRPATH_TEST_ROLE", "client");
    let both = programs(vec![silent(playing("server"))], vec![silent(client)]);
    let Some(ended) = ended(&emulation, both) else { return };
    assert_eq!(ended.exits[0].map(|exit| exit.code), Some(0), "the kernel saw marks");
    assert!(flow(&ended, "host down").marks > 9);
}

#[test]
fn real_ues_share_a_cell_with_simulated_ones() {
    let (scenario, ues) = (scenario(CELL, &["ue.0.count=3"]), names(&["phone-0", "phone-2"]));
    let emulation = emulation(&scenario, &ues);
    let clients = ["client", "client v6"].map(|role| silent(playing(role)));
    let all = programs(vec![silent(playing("server"))], clients.into());
    let Some(ended) = ended(&emulation, all) else { return };
    let codes: Vec<Option<i32>> = ended.exits.iter().map(|exit| Some((*exit)?.code)).collect();
    assert_eq!(codes, [Some(0), Some(0)]);
    for name in ["phone-0 down", "phone-2 up"] {
        assert!(flow(&ended, name).received_bytes > TRANSFER as u64, "{name}");
    }
    assert!(flow(&ended, "download phone-1").goodput_bps > Some(1e6));
    assert_eq!(ended.outcome.summary.flows.len(), 5);
}

#[test]
fn it_ends_at_its_limit_and_when_it_is_interrupted() {
    let (scenario, ues) = (scenario(WIRES, &[]), names(&["host"]));
    let limit = Some(Duration::from_millis(200));
    let emulation = Emulation { limit, ..emulation(&scenario, &ues) };
    let Some(ended) = ended(&emulation, programs(vec![], vec![line("sleep 60")])) else { return };
    assert!(ended.exits == [None] && !ended.interrupted);
    assert!(ended.outcome.summary.complete && ended.outcome.summary.duration_s < 5.0);
    let interrupt = AtomicBool::new(true);
    let emulation = Emulation { interrupt: Some(&interrupt), limit: None, ..emulation };
    let Some(ended) = self::ended(&emulation, programs(vec![], vec![line("sleep 60")])) else {
        return;
    };
    assert!(ended.interrupted && !ended.outcome.summary.complete);
}

#[test]
fn what_does_not_start_is_named_and_leaves_no_results() {
    let (scenario, ues) = (scenario(WIRES, &[]), names(&["host"]));
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let emulation = Emulation { out: Some(&out), ..emulation(&scenario, &ues) };
    let nothing: [&str; 0] = [];
    let missing = || silent(Program::new("no-such-program", &nothing));
    let wrong = [
        (
            programs(vec![line("exit 3")], vec![line("true")]),
            "the server `exit 3` ended with code 3",
        ),
        (programs(vec![missing()], vec![line("true")]), "no-such-program"),
        (programs(vec![], vec![missing()]), "no-such-program"),
    ];
    for (programs, said) in wrong {
        let Some(result) = run(&emulation, programs) else { return };
        let error = result.err().expect("it does not start").to_string();
        assert!(error.contains(said), "{error}");
        let left: Vec<_> = folder.path().read_dir().expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }
    let nobody = names(&["nobody"]);
    let emulation = Emulation { ues: &nobody, ..emulation };
    let Some(result) = run(&emulation, programs(vec![], vec![line("true")])) else { return };
    let error = result.err().expect("there is no such UE").to_string();
    assert!(error.contains("none is called \"nobody\""), "{error}");
}

#[test]
fn what_a_program_asks_by_the_control_socket_is_done() {
    let text = WIRES.replace(
        "duration",
        "change = [{ at = \"1 ms\", set = { \"path.sgi.loss\" = 0.0 } }]\nduration",
    );
    let (scenario, ues) = (scenario(&text, &[]), names(&["host"]));
    let controller = programs(vec![], vec![silent(playing("controller"))]);
    let Some(ended) = ended(&emulation(&scenario, &ues), controller) else { return };
    // The program waits for a minute behind its last request, to end the emulation.
    assert_eq!(ended.exits, [None]);
    let made: Vec<Vec<String>> =
        ended.outcome.summary.changes.iter().map(|change| change.set.clone()).collect();
    let set = |text: &str| vec![text.to_owned()];
    let expected =
        ["path.sgi.loss = 0.0", "path.sgi.rate=\"2 Mbit/s\"", "path.sgi.delay=\"20 ms\""];
    assert_eq!(made, expected.map(set));
}

/// Clients of both families and of many kinds come, go and are killed. With `AIRPATH_TEST_LONG`
/// for half an hour.
#[test]
fn nothing_is_lost_or_left_whatever_programs_do() {
    let seconds = if std::env::var_os("AIRPATH_TEST_LONG").is_some() { 1_800 } else { 3 };
    let text = CELL.replace("[cell]", "[cell]\nscheduler = \"round-robin\"");
    let (scenario, ues) = (scenario(&text, &[]), names(&["phone-0"]));
    let limit = Some(Duration::from_secs(seconds + 60));
    let emulation = Emulation { limit, ..emulation(&scenario, &ues) };
    let mut clients = silent(playing("fickle clients"));
    clients.variable("AIRPATH_TEST_SECONDS", seconds.to_string());
    let before = [open_files(), resident_kib()];
    let both = programs(vec![silent(playing("sturdy server"))], vec![clients]);
    let Some(ended) = ended(&emulation, both) else { return };
    assert_eq!(ended.exits[0].map(|exit| exit.code), Some(0));
    // Each run checks at its end that the books close.
    let real_time = ended.timing.real_time.clone().expect("it was an emulation");
    assert_eq!([real_time.unread_packets, real_time.refused_packets], [0, 0]);
    for name in ["phone-0 down", "phone-0 up"] {
        assert!(flow(&ended, name).received_packets > 300, "{name}");
    }
    drop(ended.outcome);
    // Other tests go on beside this one, unless it is the only one.
    if seconds > 3 {
        let after = [open_files(), resident_kib()];
        assert!(after[0] <= before[0] && after[1] < before[1] + 100_000, "{before:?} {after:?}");
    }
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("it can be read").count()
}

/// Memory that the process has.
fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("it can be read");
    let line =
        status.lines().find(|line| line.starts_with("VmRSS:")).expect("there is such a line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
}

#[test]
fn no_server_stays_behind_as_a_zombie() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("server");
    let server = line(&format!("echo $$ > {}; exec sleep 1000", file.display()));
    let (scenario, ues) = (scenario(WIRES, &[]), names(&["host"]));
    let Some(_ended) =
        ended(&emulation(&scenario, &ues), programs(vec![server], vec![line("true")]))
    else {
        return;
    };
    let pid = std::fs::read_to_string(file).expect("the server has begun");
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());
}
