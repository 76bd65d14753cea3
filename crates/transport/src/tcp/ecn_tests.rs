use std::sync::{Arc, Mutex};

use airpath_base::random::Seed;
use airpath_base::{Bytes, Duration};

use super::super::harness::{CLIENT, SERVER, World};
use super::super::{CodePoint, DelayedAck, DelayedAckOption, Segment, TcpConfig};
use super::*;
use crate::control::{AckSample, BbrConfig, Controller, ControllerName, Start};

const HALF: Duration = Duration::from_millis(20);

fn config(ecn: EcnMode) -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(1000)),
        ecn: Some(ecn),
        controller: ControllerName::NewReno,
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
        let claims = TcpConfig { ect: Some(CodePoint::Ect1), ..config(mode) };
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
    // The acknowledgement that ends where the window ended when the mark was answered still echoes
    // it. Whether there is one depends on how segments are paired.
    for delayed_ack in [DelayedAckOption::Off, DelayedAckOption::On(DelayedAck::default())] {
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
    for delayed in [DelayedAckOption::Off, DelayedAckOption::On(DelayedAck::default())] {
        let config = TcpConfig { delayed_ack: delayed, ..config(EcnMode::Accurate) };
        let (_, told) = counted(config, [1.0; 2], |n| n % 3 == 0 || (50..80).contains(&n));
        let marks = (1..=2000).filter(|n| n % 3 == 0 || (50..80).contains(n)).count() as u32;
        assert_eq!((told.0, told.1), (marks, u64::from(marks) * 1000));
    }
}

/// A controller that counts reported marks: packets, bytes, and the most packets beyond those that
/// the acknowledgement brought.
struct Counting {
    window: u64,
    told: Arc<Mutex<Told>>,
}

type Told = (u32, u64, u32);

impl CongestionControl for Counting {
    fn on_start(&mut self, start: &Start) {
        self.window = 40 * u64::from(start.segment);
    }
    fn on_ack(&mut self, sample: &AckSample) {
        let mut told = self.told.lock().expect("one thread");
        told.0 += sample.ce_packets;
        told.1 += sample.ce_bytes;
        told.2 = told.2.max(sample.ce_packets.saturating_sub(sample.packets));
    }
    fn on_loss(&mut self, _: &LossEvent) {}
    fn on_rto(&mut self, _: &LossEvent) {}
    fn on_spurious(&mut self, _: Time) {}
    fn cwnd(&self) -> u64 {
        self.window
    }
    fn ssthresh(&self) -> u64 {
        u64::MAX
    }
}

/// A client that sends 2000 segments with a window of 40. Of the segments of each end a share
/// arrives; capable ones are marked by `mark`. Gives the marks that its controller received.
fn counted(
    config: TcpConfig,
    arrive: [f64; 2],
    mark: impl Fn(u64) -> bool + 'static,
) -> (u64, Told) {
    let mut draws = Seed(1).stream("losses");
    let fate = move |from: usize, s: &Segment| {
        let syn = s.repr.flags.contains(TcpFlags::SYN);
        if syn || draws.chance(arrive[from]) { vec![HALF] } else { vec![] }
    };
    let told = Arc::<Mutex<Told>>::default();
    let mut world = World::new(config.clone(), config.clone(), fate);
    let own = Counting { window: 1, told: told.clone() };
    let controller = Controller::Custom(Box::new(own));
    world.ends[CLIENT] =
        crate::tcp::Connection::with_controller(config, controller).expect("options");
    world.ends[CLIENT].connect(Time::ZERO);
    let mut number = 0;
    world.mark = Box::new(move |_, _| {
        number += 1;
        mark(number)
    });
    world.ends[CLIENT].write(2_000_000);
    world.ends[CLIENT].close();
    world.run_until(Time::from_millis(600_000));
    let told = *told.lock().expect("one thread");
    (world.delivered[SERVER], told)
}

/// Delayed acknowledgements of up to 20 segments, with the option and without.
fn merged() -> impl Iterator<Item = TcpConfig> {
    [1, 8, 20].into_iter().flat_map(|count| {
        let delayed = DelayedAck { count, ..DelayedAck::default() };
        [true, false].map(|ecn_option| TcpConfig {
            delayed_ack: DelayedAckOption::On(delayed),
            ecn_option,
            ..config(EcnMode::Accurate)
        })
    })
}

#[test]
fn without_marks_on_the_path_none_is_told() {
    for config in merged() {
        for arrive in [[1.0, 1.0], [1.0, 0.7], [0.98, 0.3]] {
            let (delivered, told) = counted(config.clone(), arrive, |_| false);
            assert_eq!((delivered, told), (2_000_000, (0, 0, 0)), "{arrive:?}");
        }
    }
}

#[test]
fn marks_are_told_though_acknowledgements_are_merged_or_lost() {
    for config in merged() {
        for arrive in [[1.0, 1.0], [1.0, 0.7]] {
            let (_, (packets, bytes, beyond)) = counted(config.clone(), arrive, |n| n % 7 == 0);
            // All but those of the last acknowledgements, which may be lost.
            let all = 2000 / 7;
            assert!((all - 5..=all).contains(&packets) && beyond == 0, "{packets}");
            assert_eq!(bytes, u64::from(packets) * 1000);
        }
    }
}

#[test]
fn the_option_is_on_what_acknowledges_news_and_tests_the_path() {
    // RFC 9768, 3.2.3.2.1 and 3.2.3.3.
    let world = transfer(config(EcnMode::Accurate), |n| n == 40);
    let sizes = |end: usize| -> Vec<usize> {
        let option = |s: &Segment| s.repr.accurate_ecn.map_or(0, |option| option.size());
        world.sent[end].iter().map(|(_, segment)| option(segment)).collect()
    };
    let (client, server) = (sizes(CLIENT), sizes(SERVER));
    // SYN, ACK and the first data; what comes behind acknowledges nothing.
    assert_eq!(client[..3], [0, 11, 11]);
    assert!(client[3..].iter().all(|size| *size == 0));
    assert_eq!(server[0], 11);
    // ECT(0) alone, then CE too.
    let data = &server[1..server.len() - 1];
    assert!(data.iter().is_sorted() && data[0] == 5 && data.last() == Some(&8), "{data:?}");
}

#[test]
fn data_make_room_for_the_option() {
    // RFC 6691, 2: a segment with timestamps and an option of 5 or 8 bytes is no longer than any.
    let config = TcpConfig {
        segment: None,
        controller: ControllerName::Prague,
        ..config(EcnMode::Accurate)
    };
    let mut world = world(config.clone(), config);
    let mut number = 0;
    world.mark = Box::new(move |_, _| {
        number += 1;
        number % 20 == 0
    });
    for end in [CLIENT, SERVER] {
        world.ends[end].write(300_000);
    }
    world.run_until(Time::from_millis(20_000));
    assert_eq!(world.delivered, [300_000; 2]);
    let with = |option: bool, end: usize| {
        let sizes = world.sent[end].iter().filter(|(_, s)| s.repr.payload_len > 0);
        let sizes = sizes.filter(move |(_, s)| s.repr.accurate_ecn.is_some() == option);
        sizes.map(|(_, s)| s.repr.header_len() + s.repr.payload_len).max()
    };
    for end in [CLIENT, SERVER] {
        assert_eq!((with(true, end), with(false, end)), (Some(1480), Some(1480)));
    }
}

#[test]
fn an_answer_to_a_syn_goes_again_without_the_option() {
    // RFC 9768, 3.2.3.2.2. The client takes the option as not available until one arrives.
    let mut answers = 0;
    let fate = move |from: usize, s: &Segment| {
        answers += u32::from(from == SERVER && s.repr.flags.contains(TcpFlags::SYN));
        if answers == 1 && from == SERVER { vec![] } else { vec![HALF] }
    };
    let mut world = World::new(config(EcnMode::Accurate), config(EcnMode::Accurate), fate);
    world.keep = true;
    world.ends[CLIENT].write(10_000);
    world.run_until(Time::from_millis(20_000));
    let answers: Vec<bool> = world.sent[SERVER]
        .iter()
        .filter(|(_, s)| s.repr.flags.contains(TcpFlags::SYN))
        .map(|(_, s)| s.repr.accurate_ecn.is_some())
        .collect();
    assert_eq!((answers[0], answers[1]), (true, false));
    assert_eq!(world.delivered[SERVER], 10_000);
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
        let ecn_max_rtt = Duration::from_millis(max_rtt);
        (ControllerName::Bbr, Some(BbrConfig { ecn_max_rtt, ..BbrConfig::default() }))
    };
    let deaf = (ControllerName::Bbr, Some(BbrConfig { ecn: false, ..BbrConfig::default() }));
    let first = (ControllerName::Bbr1, None);
    let (accurate, classic) = (EcnMode::Accurate, EcnMode::Classic);
    for ((controller, bbr), mode, ect) in [
        ((ControllerName::Prague, None), accurate, Ecn::Ect1),
        ((ControllerName::Dctcp, None), accurate, Ecn::Ect0),
        (bbr(50), accurate, Ecn::Ect1),
        (bbr(30), accurate, Ecn::NotEct),
        (bbr(50), classic, Ecn::NotEct), // it answers counted marks only
        (deaf, accurate, Ecn::NotEct),
        (first.clone(), accurate, Ecn::NotEct),
        (first, classic, Ecn::NotEct),
    ] {
        let world = transfer(TcpConfig { controller, bbr, ..config(mode) }, |_| false);
        let mut data = world.sent[CLIENT].iter().filter(|(_, s)| s.repr.payload_len > 0);
        assert!(data.all(|(_, s)| s.ecn == ect), "{controller:?} {mode:?}");
    }
}
