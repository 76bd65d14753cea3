//! The kernel's TCP across handovers.

use std::env;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use airpath_scenario::Scenario;

use crate::common::wait;
use crate::emulation::{emulation, ended, flow, names, programs, silent};
use crate::roles::{PORT, playing};

/// A car between two sites. The UE is without a cell for 315 ms a handover: 15 ms of processing of the command (TS
/// 36.331, 11.2) and 300 ms of synchronisation, without random access.
const DRIVE: &str = r#"
duration = "60 s"
[path]
sgi = { delay = "2 ms" }
[network]
environment = "umi"
layout = "given"
radius = "1 km"
site = [{ x = "-150 m", y = "0 m", sectors = ["0 deg"] }, { x = "150 m", y = "0 m", sectors = ["180 deg"] }]
antenna = { element = "isotropic", elements = 1 }
streets = { blocks = [2, 2], block = ["400 m", "400 m"], width = "60 m" }
[network.handover]
synchronisation = "300 ms"
random_access = "none"
event = { kind = "a3", hysteresis = "1 dB", time_to_trigger = "40 ms" }
[[ue]]
name = "car"
route = { kind = "waypoints", point = [{ x = "-60 m", y = "10 m" }, { x = "60 m", y = "10 m" }], speed = "72 km/h" }
"#;

/// Time without a cell in ms.
const INTERRUPTION: f64 = 315.0;
/// Bytes of a write, and writes of a connection, each 2 ms: 6 s.
const PIECE: usize = 100;
const PIECES: usize = 3_000;

#[test]
fn tcp_of_a_real_kernel_waits_for_a_handover_and_loses_nothing() {
    let scenario = Scenario::parse("drive.toml", DRIVE, &[]).expect("valid");
    let ues = names(&["car"]);
    let emulation = emulation(&scenario, &ues);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gaps");
    let mut reader = silent(playing("reader of gaps"));
    reader.variable("AIRPATH_TEST_TARGET", file.to_str().expect("a path"));
    let both = programs(vec![silent(playing("steady writer"))], vec![reader]);
    let Some(ended) = ended(&emulation, both) else { return };
    assert_eq!(ended.exits[0].map(|exit| exit.code), Some(0), "all bytes arrive");
    let handovers = ended.outcome.summary.events.handovers.clone().expect("handovers");
    assert!(handovers.handovers > 0, "{handovers:?}");
    assert_eq!((handovers.command_lost, handovers.reestablished), (0, 0), "{handovers:?}");
    let text = std::fs::read_to_string(&file).expect("gaps");
    let gaps: Vec<f64> = text.lines().map(|line| line.parse().expect("a number")).collect();
    // Writes are 2 ms apart, and the clock of a busy machine is late.
    let long = gaps.iter().filter(|gap| **gap > 0.8 * INTERRUPTION);
    assert_eq!(long.clone().count() as u64, handovers.handovers, "{handovers:?}");
    for gap in long {
        assert!((INTERRUPTION - 5.0..INTERRUPTION + 60.0).contains(gap), "{gap}");
    }
    // Forwarding and an acknowledged bearer lose nothing.
    assert_eq!(flow(&ended, "car down").lost_packets, 0);
}

/// Writes small pieces at a steady rate to whoever comes.
#[expect(
    clippy::disallowed_methods,
    reason = "a program beside the cell has the time of the machine"
)]
pub fn write_steadily() {
    let (mut stream, _) =
        TcpListener::bind(("0.0.0.0", PORT)).expect("a free port").accept().expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let begin = Instant::now();
    for n in 0..PIECES {
        stream.write_all(&[7; PIECE]).expect("it is connected");
        let next = begin + Duration::from_millis(2 * (n as u64 + 1));
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

/// Reads to the end. The file gets the times between reads in ms.
#[expect(
    clippy::disallowed_methods,
    reason = "a program beside the cell has the time of the machine"
)]
pub fn read_with_gaps() {
    let server = env::var("AIRPATH_SERVER").expect("it is set");
    let mut stream = (0..100)
        .find_map(|_| {
            wait(20);
            TcpStream::connect((&server[..], PORT)).ok()
        })
        .expect("the server listens");
    let (mut last, mut all, mut lines) = (Instant::now(), 0, String::new());
    let mut bytes = [0; 10_000];
    loop {
        let count = stream.read(&mut bytes).expect("it is connected");
        if count == 0 {
            break;
        }
        all += count;
        lines += &format!("{}\n", last.elapsed().as_secs_f64() * 1e3);
        last = Instant::now();
    }
    assert_eq!(all, PIECE * PIECES);
    std::fs::write(env::var("AIRPATH_TEST_TARGET").expect("it is set"), lines).expect("a file");
}
