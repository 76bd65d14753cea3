use airpath_base::Duration;

use super::super::harness::{CLIENT, SERVER, World};
use super::super::{Segment, TcpConfig};
use super::*;
use crate::control::{
    Bbr1Config, BbrConfig, BbrEcn, ControllerConfig, DctcpConfig, NewRenoConfig, PragueConfig,
};

const HALF: Duration = Duration::from_millis(20);

fn config(ecn: EcnMode) -> TcpConfig {
    TcpConfig {
        segment: Some(1000),
        ecn,
        controller: ControllerConfig::NewReno(NewRenoConfig::default()),
        ..TcpConfig::default()
    }
}

fn world(
    client: TcpConfig,
    server: TcpConfig,
) -> World<impl FnMut(usize, &Segment) -> Vec<Duration>> {
    let mut world = World::new(client, server, |_, _| vec![HALF]);
    world.keep = true;
    world
}

/// A client that sends 200 segments and is marked by `mark`, which gets the number of
/// the capable segment.
fn transfer(
    config: TcpConfig,
    mark: impl Fn(u64) -> bool + 'static,
) -> World<impl FnMut(usize, &Segment) -> Vec<Duration>> {
    let mut world = world(config.clone(), config);
    let mut number = 0;
    world.mark = Box::new(move |_, _| {
        number += 1;
        mark(number)
    });
    world.ends[CLIENT].write(200_000);
    world.ends[CLIENT].close();
    world.run_until(Time::from_millis(60_000));
    assert_eq!(world.delivered[SERVER], 200_000);
    world
}

#[test]
fn what_both_ends_know_is_agreed() {
    // RFC 9768, table 2, and RFC 3168, 6.1.1.
    use EcnFeedback as F;
    use EcnMode as M;
    let modes = [M::Off, M::Classic, M::Accurate];
    let expected = [
        [F::None, F::None, F::None],
        [F::None, F::Classic, F::Classic],
        [F::None, F::Classic, F::Accurate],
    ];
    for (client, row) in modes.iter().zip(expected) {
        for (server, agreed) in modes.iter().zip(row) {
            let mut world = world(config(*client), config(*server));
            world.run_until(Time::from_millis(100));
            for end in &world.ends {
                assert_eq!(end.feedback(), agreed, "{client:?} {server:?}");
            }
        }
    }
}

#[test]
fn the_flags_of_the_handshake() {
    // RFC 9768, tables 2 and 3: SYN 111, its answer says that the SYN came without
    // ECT, and so does the acknowledgement of that; then the counter, from 5.
    let world = transfer(config(EcnMode::Accurate), |_| false);
    let ace = |end: usize, n: usize| world.sent[end][n].1.repr.flags.ace();
    assert_eq!([ace(CLIENT, 0), ace(SERVER, 0), ace(CLIENT, 1), ace(CLIENT, 2)], [7, 2, 2, 5]);
    assert_eq!(ace(SERVER, 1), 5);
}

#[test]
fn a_sender_may_claim_what_it_is_not() {
    for mode in [EcnMode::Off, EcnMode::Classic] {
        let claims = TcpConfig { ect: Some(Ecn::Ect1), ..config(mode) };
        let mut world = World::new(claims, config(mode), |_, _| vec![HALF]);
        world.keep = true;
        world.ends[CLIENT].write(50_000);
        world.run_until(Time::from_millis(5_000));
        let sent = world.sent[CLIENT].iter().map(|(_, s)| (s.repr.payload_len > 0, s.ecn));
        let fields = [Ecn::NotEct, Ecn::Ect1];
        assert!(sent.clone().any(|(data, _)| data));
        assert!(sent.clone().all(|(data, ecn)| ecn == fields[usize::from(data)]));
    }
}

#[test]
fn capable_are_data_only() {
    for (mode, repaired) in [(EcnMode::Classic, Ecn::NotEct), (EcnMode::Accurate, Ecn::Ect0)] {
        let mut data = 0;
        let fate = move |from: usize, s: &Segment| {
            data += u32::from(from == CLIENT && s.repr.payload_len > 0);
            if from == CLIENT && data == 15 { vec![] } else { vec![HALF] }
        };
        let mut world = World::new(config(mode), config(mode), fate);
        world.keep = true;
        world.ends[CLIENT].write(50_000);
        world.run_until(Time::from_millis(5_000));
        assert!(world.sent[SERVER].iter().all(|(_, s)| s.ecn == Ecn::NotEct));
        for (_, s) in &world.sent[CLIENT] {
            let expected = match s.repr.payload_len {
                0 => Ecn::NotEct,
                _ if s.retransmission.is_some() => repaired,
                _ => Ecn::Ect0,
            };
            assert_eq!(s.ecn, expected);
        }
        assert_eq!(world.retransmissions(CLIENT), 1);
    }
}

#[test]
fn a_classic_mark_is_echoed_until_it_is_answered_once() {
    let world = transfer(config(EcnMode::Classic), |n| n == 40);
    let echoes =
        world.sent[SERVER].iter().skip(1).filter(|(_, s)| s.repr.flags.contains(TcpFlags::ECE));
    let answers: Vec<_> = world.sent[CLIENT]
        .iter()
        .skip(1)
        .filter(|(_, s)| s.repr.flags.contains(TcpFlags::CWR))
        .collect();
    assert!(echoes.count() > 3);
    assert_eq!(answers.len(), 1);
    assert!(answers[0].1.repr.payload_len > 0);
    let state = world.ends[CLIENT].sender_state();
    assert!(state.ssthresh < u64::MAX, "the window was halved");
}

#[test]
fn wherever_a_classic_mark_falls_it_is_answered_once() {
    // The acknowledgement that ends where the window ended when the mark was answered
    // still echoes it: whether there is one depends on how segments are paired.
    for delayed_ack in [None, Some(crate::tcp::DelayedAck::default())] {
        let config = TcpConfig { delayed_ack, ..config(EcnMode::Classic) };
        for marked in 30..60 {
            let world = transfer(config.clone(), move |n| n == marked);
            let mut data = world.sent[CLIENT].iter().filter(|(_, s)| s.repr.payload_len > 0);
            let first = data.position(|(_, s)| s.repr.flags.contains(TcpFlags::CWR));
            let more = data.filter(|(_, s)| s.repr.flags.contains(TcpFlags::CWR)).count();
            assert!(first.is_some() && more == 0, "{marked}: {more} more");
        }
    }
}

#[test]
fn each_accurate_mark_is_counted() {
    for delayed in [None, Some(crate::tcp::DelayedAck::default())] {
        let config = TcpConfig { delayed_ack: delayed, ..config(EcnMode::Accurate) };
        let world = transfer(config, |n| n % 3 == 0 || (50..80).contains(&n));
        let marks = (1..=200).filter(|n| n % 3 == 0 || (50..80).contains(n)).count() as u32;
        assert_eq!(world.ends[SERVER].ecn.received, FIRST_COUNT + marks);
        assert_eq!(world.ends[CLIENT].ecn.reported, FIRST_COUNT + marks);
    }
}

#[test]
fn the_counter_may_wrap_within_an_acknowledgement() {
    // RFC 9768, A.2.1: of nine packets, with two more marks by the bits: not eight.
    let mut ecn = EcnState { feedback: EcnFeedback::Accurate, ..EcnState::new() };
    assert_eq!(ecn.marks(TcpFlags(0).with_ace(7), 3), 2);
    assert_eq!(ecn.marks(TcpFlags(0).with_ace(1), 0), 0, "nothing arrived");
    assert_eq!(ecn.marks(TcpFlags(0).with_ace(1), 10), 10);
    assert_eq!(ecn.marks(TcpFlags(0).with_ace(2), 12), 9);
}

#[test]
fn a_path_that_touches_the_handshake_gets_no_capable_packets() {
    let mut world = world(config(EcnMode::Accurate), config(EcnMode::Accurate));
    world.step(Time::MAX);
    world.flush(CLIENT);
    world.step(Time::MAX);
    // The SYN's answer, as if the SYN had arrived with ECT(1).
    let mut answer = world.sent[SERVER][0].1.repr;
    answer.flags = TcpFlags(answer.flags.0).with_ace(0b011);
    let mut client = crate::tcp::Connection::new(config(EcnMode::Accurate)).expect("options");
    client.connect(Time::ZERO);
    client.poll_transmit(Time::ZERO);
    assert!(client.receive(Time::from_millis(40), &answer, Ecn::NotEct));
    client.write(10_000);
    client.poll_transmit(Time::from_millis(40));
    let data = client.poll_transmit(Time::from_millis(40)).expect("data");
    assert_eq!((data.ecn, client.feedback()), (Ecn::NotEct, EcnFeedback::Accurate));
}

#[test]
fn a_third_syn_offers_nothing() {
    let mut syns = 0;
    let fate = move |from: usize, s: &Segment| {
        syns += u32::from(from == CLIENT && s.repr.flags.contains(TcpFlags::SYN));
        if syns < 3 { vec![] } else { vec![HALF] }
    };
    let mut world = World::new(config(EcnMode::Accurate), config(EcnMode::Accurate), fate);
    world.keep = true;
    world.ends[CLIENT].write(10_000);
    world.run_until(Time::from_millis(20_000));
    let aces: Vec<u8> = world.sent[CLIENT][..3].iter().map(|(_, s)| s.repr.flags.ace()).collect();
    assert_eq!(aces, [7, 7, 0]);
    assert_eq!(
        (world.delivered[SERVER], world.ends[CLIENT].feedback()),
        (10_000, EcnFeedback::None)
    );
}

#[test]
fn the_code_point_says_how_marks_are_answered() {
    // RFC 9331, 4.3: ECT(1) asks for a scalable answer; RFC 3168, 5: without an answer
    // nothing is ECN-capable. The path has an RTT of 40 ms.
    let bbr = |max_rtt: u64| {
        let ecn = BbrEcn { max_rtt: Some(Duration::from_millis(max_rtt)), ..BbrEcn::default() };
        ControllerConfig::Bbr(BbrConfig { ecn: Some(ecn), seed: 0 })
    };
    let deaf = ControllerConfig::Bbr(BbrConfig { ecn: None, seed: 0 });
    let first = ControllerConfig::Bbr1(Bbr1Config::default());
    let (accurate, classic) = (EcnMode::Accurate, EcnMode::Classic);
    for (controller, mode, ect) in [
        (ControllerConfig::Prague(PragueConfig::default()), accurate, Ecn::Ect1),
        (ControllerConfig::Dctcp(DctcpConfig::default()), accurate, Ecn::Ect0),
        (bbr(50), accurate, Ecn::Ect1),
        (bbr(30), accurate, Ecn::NotEct),
        (bbr(50), classic, Ecn::NotEct), // it answers counted marks only
        (deaf, accurate, Ecn::NotEct),
        (first.clone(), accurate, Ecn::NotEct),
        (first, classic, Ecn::NotEct),
    ] {
        let world =
            transfer(TcpConfig { controller: controller.clone(), ..config(mode) }, |_| false);
        let mut data = world.sent[CLIENT].iter().filter(|(_, s)| s.repr.payload_len > 0);
        assert!(data.all(|(_, s)| s.ecn == ect), "{controller:?} {mode:?}");
    }
}
