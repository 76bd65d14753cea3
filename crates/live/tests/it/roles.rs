//! Processes of other tests: this same program, with the name of its role.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use airpath_live::os::{Program, Session, Side};

use crate::common::{plan, wait};

/// Bytes that are sent each way.
pub const TRANSFER: usize = 300_000;
pub const PORT: u16 = 5000;

/// This program, and how it is started in a role.
pub fn me() -> (PathBuf, [&'static str; 4]) {
    let me = env::current_exe().expect("the tests are a program");
    (me, ["--exact", "roles::role", "--include-ignored", "--nocapture"])
}

/// A program that plays a role.
pub fn playing(role: &str) -> Program {
    let (me, arguments) = me();
    let mut program = Program::new(me, &arguments);
    program.variable("AIRPATH_TEST_ROLE", role);
    program
}

#[test]
#[ignore = "other tests start it"]
fn role() {
    match env::var("AIRPATH_TEST_ROLE").as_deref() {
        Ok("server") => serve(),
        Ok("datagrams") => send_datagrams(),
        Ok("deaf") => overflow_a_socket(&env::var("AIRPATH_TEST_TARGET").expect("it is set")),
        Ok("flood") => flood(),
        Ok("client") => fetch(&env::var("AIRPATH_SERVER").expect("it is set")),
        Ok("client v6") => fetch(&env::var("AIRPATH_SERVER_V6").expect("it is set")),
        Ok("controller") => control(),
        Ok("sturdy server") => crate::mixture::serve_whoever_comes(),
        Ok("fickle clients") => crate::mixture::come_and_go(),
        Ok("refused") => be_refused(&env::var("AIRPATH_TEST_TARGET").expect("it is set")),
        Ok("inner") => crate::outside::be_inner(),
        Ok("shadow") => crate::outside::be_in_the_shadow(),
        Ok("without a translator") => crate::outside::be_without_a_translator(),
        Ok("dropped") => crate::privileges::drop_them(),
        Ok("steady writer") => crate::handover::write_steadily(),
        Ok("reader of gaps") => crate::handover::read_with_gaps(),
        Ok("victim") => be_killed(),
        Ok("terminal") => crate::terminal::run_in_the_foreground(),
        Ok(role) => panic!("there is no role {role}"),
        Err(_) => {}
    }
}

/// Sends back whatever comes, one connection of either family after the other.
fn serve() {
    let any: SocketAddr = "[::]:5000".parse().expect("an address");
    for stream in TcpListener::bind(any).expect("a free port").incoming() {
        let mut stream = stream.expect("a connection");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("all arrives");
        stream.write_all(&bytes).expect("all is sent");
    }
}

/// Datagrams that come back, or do not.
fn send_datagrams() {
    let server = env::var("AIRPATH_SERVER").expect("it is set");
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a free port");
    socket.set_read_timeout(Some(Duration::from_millis(200))).expect("it can wait");
    for size in 1..400 {
        socket.send_to(&vec![7; size], (&server[..], PORT)).expect("it is sent");
        let _ = socket.recv_from(&mut [0; 2_000]);
    }
}

/// Datagrams of a flood, in 1 kB each: more than any default receive buffer holds.
pub const FLOOD: u64 = 1_000;

/// Sends datagrams, which the last tells apart.
fn flood() {
    let server = env::var("AIRPATH_SERVER").expect("it is set");
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a free port");
    for _ in 0..FLOOD {
        socket.send_to(&[7; 1_000], (&server[..], PORT)).expect("it is sent");
        // No faster than the relay of a test carries them.
        wait(1);
    }
}

/// Opens a socket, has it filled by others, and counts what it took: its file gets the number.
fn overflow_a_socket(file: &str) {
    let socket = UdpSocket::bind(("0.0.0.0", PORT)).expect("a free port");
    std::fs::write(format!("{file}.ready"), "").expect("a file");
    while !PathBuf::from(format!("{file}.sent")).exists() {
        wait(10);
    }
    socket.set_read_timeout(Some(Duration::from_millis(300))).expect("it can wait");
    let taken = std::iter::from_fn(|| socket.recv_from(&mut [0; 2_000]).ok()).count();
    std::fs::write(file, taken.to_string()).expect("a file");
}

/// Asks for things by the control socket, and then for the end.
fn control() {
    let path = env::var_os("AIRPATH_CONTROL").expect("it is set");
    let mut socket = UnixStream::connect(path).expect("it listens");
    let mut answers = BufReader::new(socket.try_clone().expect("a handle")).lines();
    for (request, expected) in [
        (r#"{"set": {"path.sgi.rate": "2 Mbit/s"}}"#, r#"{"done":{"time_s":"#),
        (r#"{"set": ["path.sgi.delay=\"20 ms\""]}"#, r#"{"done":{"time_s":"#),
        (r#"{"set": {"path.sgi.rate": "2 ms"}}"#, r#"{"error":"#),
        (r#"{"set": {"path.sgi.layer2": "2 B"}}"#, r#"{"error":"#),
        ("nonsense", r#"{"error":"not JSON"#),
        (r#"{"keys": true}"#, r#"{"keys":["#),
        (r#"{"end": true}"#, r#"{"done":{"time_s":"#),
    ] {
        writeln!(socket, "{request}").expect("it is read");
        let answer = answers.next().expect("an answer").expect("text");
        assert!(answer.starts_with(expected), "{request}: {answer}");
    }
    wait(60_000);
}

fn fetch(server: &str) {
    let server: IpAddr = server.parse().expect("an address");
    let mut stream = (0..100)
        .find_map(|_| {
            wait(20);
            TcpStream::connect((server, PORT)).ok()
        })
        .expect("the server listens");
    let sent: Vec<u8> = (0..TRANSFER).map(|place| (place % 251) as u8).collect();
    stream.write_all(&sent).expect("all is sent");
    stream.shutdown(Shutdown::Write).expect("it is connected");
    let mut back = Vec::new();
    stream.read_to_end(&mut back).expect("all arrives");
    assert_eq!(back, sent);
}

/// Nobody listens for this side.
fn be_refused(target: &str) {
    let target: SocketAddr = target.parse().expect("an address");
    let error = TcpStream::connect_timeout(&target, Duration::from_secs(2));
    error.expect_err("it may not be reached");
}

/// A session with a program that outlives it, until somebody kills it.
fn be_killed() {
    let session = Session::create(plan(1)).expect("the test has tried");
    let line = "sleep 1003 & setsid sleep 1004 & wait";
    let child = session.spawn(Side::Ue(0), Program::line(line)).expect("a shell");
    while session.living().len() < 3 {
        wait(10);
    }
    println!("shell {}", child.pid());
    println!("folder {}", session.folder().display());
    wait(60_000);
}
