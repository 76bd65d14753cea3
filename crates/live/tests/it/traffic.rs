//! Packets between namespaces.

use std::process::Stdio;
use std::sync::Mutex;

use airpath_live::os::{Program, Side};

use crate::common::{output, packets, plan, relayed, session, wait};
use crate::roles::{FLOOD, TRANSFER, playing};
use crate::skipped::skipped;

#[test]
fn bytes_arrive_over_tcp_in_both_families_in_packets_of_the_mtu() {
    let Some(session) = session(plan(1)) else { return };
    let seen = Mutex::new(Vec::new());
    let keep = |packet: &[u8]| seen.lock().expect("no panic").push(packet.to_vec());
    relayed(&session, 1, &keep, || {
        let mut server = playing("server");
        server.stdout = Stdio::null();
        let _server = session.spawn(Side::Server, server).expect("it starts");
        for client in ["client", "client v6"] {
            let (exit, text) = output(&session, Side::Ue(0), playing(client));
            assert_eq!(exit.code, 0, "{text}");
        }
    });
    let seen = seen.into_inner().expect("no panic");
    assert!(seen.iter().map(Vec::len).sum::<usize>() > 4 * TRANSFER);
    assert_eq!(seen.iter().map(Vec::len).max(), Some(1500));
    let wrong: Vec<_> = seen.iter().filter(|packet| sum_of_tcp(packet) != 0xffff).collect();
    assert_eq!(wrong.len(), 0, "checksums are complete: {:?}", wrong.first());
    assert_eq!(session.unread(Side::Server).expect("a counter"), 0);
}

/// The sum over pseudo-header and segment, all ones if the checksum is right (RFC 9293, 3.1).
fn sum_of_tcp(packet: &[u8]) -> u32 {
    let (addresses, segment) = match packet[0] >> 4 {
        4 => (&packet[12..20], &packet[20..]),
        _ => (&packet[8..40], &packet[40..]),
    };
    let words = addresses.chunks(2).chain(segment.chunks(2));
    let word =
        |pair: &[u8]| u32::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    let mut sum = 6 + segment.len() as u32 + words.map(word).sum::<u32>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

#[test]
fn echoes_go_between_all_sides() {
    let Some(session) = session(plan(2)) else { return };
    if output(&session, Side::Server, Program::line("ping -V")).0.code != 0 {
        skipped("there is no ping");
        return;
    }
    relayed(&session, 2, &|_| {}, || {
        for (side, target) in [
            (Side::Ue(0), "$AIRPATH_SERVER"),
            (Side::Ue(1), "$AIRPATH_SERVER_V6"),
            (Side::Ue(0), "10.45.0.3"),
            (Side::Ue(1), "fd00:a1::1:0"),
            (Side::Server, "10.45.0.2"),
            (Side::Server, "fd00:a1::1:1"),
        ] {
            let line = format!("ping -c 2 -i 0.01 -W 2 {target}");
            let (exit, text) = output(&session, side, Program::line(&line));
            assert_eq!(exit.code, 0, "{line}: {text}");
            assert!(!text.contains("Redirect"), "{text}");
        }
    });
}

#[test]
fn devices_are_silent_until_a_program_sends() {
    let Some(session) = session(plan(1)) else { return };
    wait(1500);
    let none: Vec<Vec<u8>> = Vec::new();
    assert_eq!(packets(session.server_tun()), none);
    assert_eq!(packets(session.ue_tun(0)), none);
}

#[test]
fn what_nobody_reads_is_counted() {
    let Some(session) = session(plan(1)) else { return };
    let line = "i=0; while [ $i -lt 10200 ]; do echo x; i=$((i+1)); done > \
                /dev/udp/$AIRPATH_SERVER/9";
    let nothing = Program::new("bash", &["-c", line]);
    let exit = output(&session, Side::Ue(0), nothing).0;
    if exit.code != 0 {
        skipped("there is no bash with /dev/udp");
        return;
    }
    assert_eq!(session.unread(Side::Ue(0)).expect("a counter"), 200);
    assert_eq!(session.unread(Side::Server).expect("a counter"), 0);
}

#[test]
fn what_no_socket_has_room_for_is_counted() {
    let Some(session) = session(plan(1)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("taken").display().to_string();
    let taken = relayed(&session, 1, &|_| {}, || {
        let mut deaf = playing("deaf");
        deaf.stdout = Stdio::null();
        deaf.variable("AIRPATH_TEST_TARGET", file.clone());
        let mut deaf = session.spawn(Side::Server, deaf).expect("it starts");
        while !std::path::Path::new(&format!("{file}.ready")).exists() {
            wait(10);
        }
        let (exit, text) = output(&session, Side::Ue(0), playing("flood"));
        assert_eq!(exit.code, 0, "{text}");
        wait(200);
        std::fs::write(format!("{file}.sent"), "").expect("a file");
        deaf.wait().expect("it ends");
        std::fs::read_to_string(&file).expect("a number").parse::<u64>().expect("a number")
    });
    assert!((1..FLOOD).contains(&taken), "{taken}");
    // Packets that the program took, and packets for which the kernel had no room.
    assert_eq!(session.lost_at_sockets(Side::Server).expect("a counter"), FLOOD - taken);
    assert_eq!(session.lost_at_sockets(Side::Ue(0)).expect("a counter"), 0);
}

#[test]
fn a_hundred_ues_have_their_own_namespaces() {
    let Some(session) = session(plan(100)) else { return };
    let addresses = "cat /proc/net/fib_trie | grep -c 10.45.0.101; \
                     grep -c airpath0 /proc/net/ipv6_route";
    let (_, text) = output(&session, Side::Ue(99), Program::line(addresses));
    assert!(!text.starts_with('0'), "{text}");
    let (_, text) = output(&session, Side::Ue(98), Program::line(addresses));
    assert!(text.starts_with('0'), "{text}");
    let count = output(&session, Side::Server, Program::line("grep -c airpath0 /proc/net/route")).1;
    assert_eq!(count, "100\n", "a route for each");
}
