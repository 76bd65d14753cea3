//! Mixed traffic: programs of this test and of others, that come, go and are killed at random.
//!
//! Other programs are iperf3, curl and ping, if they are installed. A QUIC transfer with quinn is
//! one, too, if `AIRPATH_TEST_QUIC` names the example `quic` of the benches. A part that cannot run
//! is left out and counted as skipped.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{now, wait};
use crate::roles::{PORT, TRANSFER, me};
use crate::skipped::skipped;

const WEB_PORT: u16 = 5080;
const QUIC_PORT: u16 = 5443;
/// Variable with the path of the built example.
const QUIC: &str = "AIRPATH_TEST_QUIC";

/// Echoes data of TCP and UDP, answers requests of HTTP, and starts the servers of other programs.
/// It goes on after any end of its clients.
pub fn serve_whoever_comes() {
    let datagrams = UdpSocket::bind(any(PORT)).expect("a free port");
    thread::spawn(move || {
        let mut bytes = [0; 2_000];
        while let Ok((length, from)) = datagrams.recv_from(&mut bytes) {
            let _ = datagrams.send_to(&bytes[..length], from);
        }
    });
    each_comer(WEB_PORT, answer);
    let mut servers = Vec::new();
    if installed("iperf3") {
        servers.push(quiet("iperf3").args(["-s"]).spawn().expect("it starts"));
    }
    if let Some(program) = env::var_os(QUIC) {
        let port = QUIC_PORT.to_string();
        servers.push(quiet(program).args(["server", &port]).spawn().expect("it starts"));
    }
    each_comer(PORT, |stream| {
        let _ = std::io::copy(&mut &stream, &mut &stream);
    });
    for mut server in servers {
        let _ = server.wait();
    }
    loop {
        thread::park();
    }
}

fn any(port: u16) -> SocketAddr {
    (std::net::Ipv6Addr::UNSPECIFIED, port).into()
}

/// Does something with each connection, in a thread of its own.
fn each_comer(port: u16, serve: fn(TcpStream)) {
    let listener = TcpListener::bind(any(port)).expect("a free port");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
}

/// A page by HTTP.
fn answer(mut stream: TcpStream) {
    let request = BufReader::new(&stream);
    for line in request.lines() {
        match line {
            Ok(line) if line.is_empty() => break,
            Ok(_) => {}
            Err(_) => return,
        }
    }
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {TRANSFER}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&vec![b'x'; TRANSFER]);
}

/// Starts clients of both families and of all kinds for the given time, and kills some of them at
/// random. All others must end well, at least once of each kind.
pub fn come_and_go() {
    let seconds = env::var("AIRPATH_TEST_SECONDS").expect("it is set");
    let end = now() + Duration::from_secs(seconds.parse().expect("a number"));
    let kinds = kinds();
    let mut well: BTreeMap<&str, [u32; 2]> = kinds.iter().map(|kind| (*kind, [0; 2])).collect();
    let mut random: u64 = 1;
    while now() < end {
        let clients: Vec<_> = kinds.iter().map(|kind| (*kind, client(kind))).collect();
        // Knuth's numbers for a linear congruence (MMIX).
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        wait(random >> 56);
        for (n, (kind, mut client)) in clients.into_iter().enumerate() {
            let killed = random >> (40 + n) & 1 == 1;
            if killed {
                let _ = client.kill();
            }
            let ended = client.wait().expect("it ends");
            let count = well.get_mut(kind).expect("it is a kind");
            count[0] += u32::from(!killed);
            count[1] += u32::from(!killed && ended.success());
        }
    }
    for (kind, [left, well]) in well {
        eprintln!("{kind}: {well} of {left} that were left alone ended well");
        assert!(left < 3 || well > 0, "no {kind} ended well");
    }
}

/// Kinds of clients that are installed.
fn kinds() -> Vec<&'static str> {
    let mut kinds = vec!["client", "client v6", "datagrams"];
    for program in ["curl", "iperf3", "ping"] {
        if installed(program) {
            kinds.push(program);
        } else {
            skipped(format_args!("{program} is not installed: its part is left out"));
        }
    }
    if env::var_os(QUIC).is_some() {
        kinds.push("quic");
    } else {
        skipped(format_args!("{QUIC} names no program: QUIC is left out"));
    }
    kinds
}

fn installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn client(kind: &str) -> Child {
    let server = env::var("AIRPATH_SERVER").expect("it is set");
    let mut command = match kind {
        "curl" => {
            let page = format!("http://{server}:{WEB_PORT}/");
            let mut curl = quiet("curl");
            curl.args(["--fail", "--max-time", "30", "--output", "/dev/null", &page]);
            curl
        }
        "iperf3" => {
            let mut iperf3 = quiet("iperf3");
            iperf3.args(["--client", &server, "--time", "1"]);
            iperf3
        }
        "ping" => {
            let mut ping = quiet("ping");
            ping.args(["-c", "5", "-i", "0.2", "-s", "1000", &server]);
            ping
        }
        "quic" => {
            let mut quic = quiet(env::var_os(QUIC).expect("it was there"));
            let server = format!("{server}:{QUIC_PORT}");
            quic.args(["client", &server, &TRANSFER.to_string()]);
            quic
        }
        role => {
            let (program, arguments) = me();
            let mut me = quiet(program);
            me.args(arguments).env("AIRPATH_TEST_ROLE", role);
            me
        }
    };
    command.spawn().expect("it starts")
}

fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
