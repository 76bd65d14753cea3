use airpath_wire::{Endpoint, Tuple};

use super::*;

const SYN: Option<TcpFlags> = Some(TcpFlags::SYN);
const SYN_ACK: Option<TcpFlags> = Some(TcpFlags::SYN.with(TcpFlags::ACK));
const ACK: Option<TcpFlags> = Some(TcpFlags::ACK);

/// The key of a flow between 10.0.0.1 (side 0) and 10.0.0.2.
fn key(near: u16, far: u16) -> Key {
    let (src, dst) = (Endpoint::new([10, 0, 0, 1], near), Endpoint::new([10, 0, 0, 2], far));
    Key::new(&Tuple { src, dst, protocol: Protocol::TCP }).0
}

fn at(seconds: u64) -> Time {
    Time::from_millis(1000 * seconds)
}

fn roles(memory: usize) -> Roles {
    Roles::new(&Options { memory, ..Options::default() })
}

#[test]
fn ports_tell_until_a_syn_says_otherwise() {
    let mut roles = roles(1 << 20);
    let (usual, unusual) = (key(40_000, 443), key(443, 50_000));
    assert_eq!(roles.client(&usual, 1, at(0), ACK), 0);
    assert_eq!(roles.client(&unusual, 0, at(0), ACK), 1);
    assert_eq!(roles.client(&unusual, 0, at(1), SYN), 0);
    assert_eq!(roles.client(&unusual, 1, at(2), ACK), 0);
    assert_eq!(roles.client(&unusual, 1, at(2), SYN_ACK), 0);
    assert_eq!(roles.client(&usual, 1, at(2), ACK), 0);
    // Later the other end begins a connection.
    assert_eq!(roles.client(&unusual, 1, at(60), SYN), 1);
    assert_eq!(roles.client(&unusual, 0, at(61), ACK), 1);
}

#[test]
fn where_ports_say_nothing_the_first_to_speak_is_the_client() {
    let mut roles = roles(1 << 20);
    for (first, flags, client) in [(1, ACK, 1), (0, None, 0), (1, SYN_ACK, 0), (1, SYN, 1)] {
        let key = key(50_000 + first as u16, 60_000 + client as u16);
        assert_eq!(roles.client(&key, first, at(0), flags), client);
        assert_eq!(roles.client(&key, 1 - first, at(1), ACK), client);
    }
}

#[test]
fn a_simultaneous_open_has_one_client() {
    let mut roles = roles(1 << 20);
    let key = key(50_000, 60_000);
    for (sender, flags) in [(0, SYN), (1, SYN), (0, SYN_ACK), (1, SYN_ACK)] {
        assert_eq!(roles.client(&key, sender, at(5), flags), 0);
    }
}

#[test]
fn a_simultaneous_open_between_usual_ports_has_one_client() {
    for (near, far, client) in [(50_000, 443, 0), (443, 50_000, 1), (5_000, 50_000, 1)] {
        let key = key(near, far);
        for first in [client, 1 - client] {
            let mut roles = roles(1 << 20);
            let other = 1 - first;
            for (sender, flags) in [(first, SYN), (other, SYN), (first, SYN_ACK), (other, SYN_ACK)]
            {
                let told = roles.client(&key, sender, at(5), flags);
                // Against the ports, the first SYN counts.
                assert_eq!(told, first, "{near} {far}, {first} first");
            }
            assert_eq!(roles.client(&key, other, at(6), ACK), first);
        }
    }
}

#[test]
fn what_the_options_say_needs_no_memory() {
    let clients = vec!["10.0.0.2/32".parse().unwrap()];
    let mut roles = Roles::new(&Options { clients, ..Options::default() });
    assert_eq!(roles.client(&key(40_000, 443), 0, at(0), SYN), 1);
    let mut roles = Roles::new(&Options { port: Some(40_000), ..Options::default() });
    assert_eq!(roles.client(&key(40_000, 443), 0, at(0), SYN), 1);
    assert!(roles.young.is_empty());
}

#[test]
fn what_is_remembered_is_bounded_and_what_is_used_stays() {
    let mut roles = roles(PART * EACH * 2 * 100);
    let used = key(443, 50_000);
    roles.client(&used, 0, at(0), SYN);
    for n in 0..10_000u16 {
        roles.client(&key(40_000, 50_000 + n), 1, at(0), ACK);
        assert_eq!(roles.client(&used, 1, at(0), ACK), 0);
    }
    assert!(roles.young.len() + roles.old.len() <= 200);
}
