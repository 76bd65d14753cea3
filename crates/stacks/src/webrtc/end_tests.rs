//! Two ends over a link of the engine.

use airpath_base::random::Seed;
use airpath_base::{BitRate, Duration, FlowId, NodeId, Port};
use airpath_media::video::VideoConfig;
use airpath_net::queue::DropTail;
use airpath_net::{AppEvent, Class, Engine, Event as NetEvent, Leg, Pattern, Probe};
use airpath_path::{Link, LinkConfig};
use airpath_schema::units::Limit;
use airpath_wire::Endpoint as Address;

use super::super::{Role, VideoSource};
use super::*;
use crate::end::{EndConfig, StackEnd};

/// Flow of the video of the server, and of that of the client.
const FLOWS: [FlowId; 2] = [FlowId(0), FlowId(1)];

/// Packets that end, as texts, and what comes to the applications.
#[derive(Default)]
struct Seen {
    packets: Vec<String>,
    frames: [u64; 2],
    bytes: [u64; 2],
    delivered: [u64; 2],
    targets: [Vec<(Time, u64)>; 2],
    handshakes: Vec<Duration>,
    repeated: u64,
    nacked: u64,
    failed: Option<(Time, &'static str)>,
    dropped: u64,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, _: NodeId, event: &NetEvent<'_>) {
        match event {
            NetEvent::Consumed(packet) => {
                let (size, flow, born) = (packet.size, packet.flow, packet.born());
                self.packets.push(format!("{now} {flow:?} {:?} {size} {born}", packet.leg));
            }
            NetEvent::Dropped { .. } => self.dropped += 1,
            NetEvent::App(flow, event) => self.application(now, flow.0 as usize, event),
            _ => {}
        }
    }
}

impl Seen {
    fn application(&mut self, now: Time, flow: usize, event: &AppEvent) {
        match event {
            AppEvent::Delivered { bytes } => self.delivered[flow] += bytes,
            AppEvent::Frame(frame) => {
                self.frames[flow] += 1;
                self.bytes[flow] += u64::from(frame.bytes);
            }
            AppEvent::Media(state) => self.targets[flow].push((now, state.target_bps)),
            AppEvent::Stack(StackEvent::Handshake { took }) => self.handshakes.push(*took),
            AppEvent::Stack(StackEvent::Repeated { packets }) => self.repeated += packets,
            AppEvent::Stack(StackEvent::Nacked { packets }) => self.nacked += packets,
            AppEvent::Stack(StackEvent::Failed(cause)) => {
                self.failed = self.failed.or(Some((now, cause)));
            }
            _ => {}
        }
    }
}

fn ends() -> [Address; 2] {
    let at = |octet: u8, port| Address::new(std::net::Ipv4Addr::new(10, 0, 0, octet), port);
    [at(1, 3478), at(2, 40_000)]
}

/// Options of a link in both directions, and of both ends.
#[derive(Clone, Copy)]
struct Setup {
    mbps: u64,
    delay_ms: u64,
    both: bool,
    loss: Option<u64>,
    end: Option<Time>,
}

const USUAL: Setup = Setup { mbps: 3, delay_ms: 20, both: false, loss: None, end: None };

fn video() -> VideoSource {
    VideoSource {
        encoder: VideoConfig { frame_rate: 30.0, bitrate: (150e3, 10e6), ..VideoConfig::new() },
        packet: 1_200,
        start: Time::from_millis(1_000),
        phase: Duration::ZERO,
        stop: None,
        start_bps: Some(300e3),
        give_up: None,
        processing: Duration::ZERO,
        deadline: Duration::from_millis(100),
    }
}

/// The server sends to the client over links until this time, and with `both` the client to the server.
fn run(setup: Setup, until: Time) -> (Seen, Engine) {
    let [server, client] = ends();
    let mut engine = Engine::new();
    let mut nodes = Vec::new();
    let both = [(Role::Server, server, client, true), (Role::Client, client, server, setup.both)];
    for (role, local, remote, sends) in both {
        let config = WebrtcConfig {
            role,
            local,
            remote,
            video: sends.then(video),
            receives: setup.both || !sends,
            end: setup.end,
        };
        let stream = |what: &str| Seed(1).stream(&format!("{what} {role:?}"));
        let mut draws = stream("stack");
        let stack = Webrtc::new(config, &mut draws, stream("frames")).expect("an end");
        let of = |own: bool| FLOWS[usize::from((role == Role::Client) == own)];
        let end = EndConfig {
            flow: if setup.both { of(true) } else { FLOWS[0] },
            received: if setup.both { of(false) } else { FLOWS[0] },
            starts: false,
            leg: if sends && !setup.both { Leg::Data } else { Leg::Feedback },
            local,
            next_port: None,
            dscp: 0,
            ecn: false,
            start: Time::ZERO,
            stop: None,
        };
        let end = StackEnd::new(end, stack, draws);
        nodes.push(engine.add(format!("{role:?}"), Class::Packets, Box::new(end)));
    }
    for (n, name) in ["down", "up"].into_iter().enumerate() {
        let config = LinkConfig {
            rate: Some(BitRate::from_bps(setup.mbps * 1_000_000)),
            delay: Duration::from_millis(setup.delay_ms),
            queue: DropTail::new(Limit::bytes(100_000)).into(),
            loss: setup.loss.map_or(Pattern::Never, Pattern::Every),
            ..LinkConfig::default()
        };
        let link = engine.add(name, Class::Packets, Box::new(Link::new(config, Seed(1), name)));
        engine.connect((nodes[n], Port(0)), (link, Port(0)), None);
        engine.connect((link, Link::OUT), (nodes[1 - n], Port(0)), None);
    }
    let mut seen = Seen::default();
    engine.run_until(until, Some(&mut seen)).expect("a run without errors");
    assert!(engine.books().all(|(_, _, ledger, held)| ledger.closes(held)));
    (seen, engine)
}

#[test]
fn the_handshake_takes_three_round_trips_and_video_fills_the_link() {
    for both in [false, true] {
        let (seen, _) = run(Setup { both, ..USUAL }, Time::from_millis(21_000));
        assert_eq!(seen.failed, None);
        // A check of ICE is a round trip of 40 ms (RFC 8445, 7.2), and DTLS without cookie two (RFC 6347, 4.2.4). The
        // server has the last message of the client half a round trip earlier. 3 Mbit/s add some milliseconds.
        let expected = if both { vec![100.0, 120.0] } else { vec![100.0] };
        assert_eq!(seen.handshakes.len(), expected.len());
        for (took, least) in seen.handshakes.iter().zip(expected) {
            let took = took.as_secs_f64() * 1e3;
            assert!((least..least + 10.0).contains(&took), "{took} {least}");
        }
        for flow in 0..=usize::from(both) {
            // 30 frames a second from 1 s on, and 1200 of 1280 bytes of a packet are media.
            assert_eq!(seen.frames[flow], 601);
            let rate = 8.0 * seen.delivered[flow] as f64 / 20.0;
            assert!((0.75 * 2.8e6..2.8e6).contains(&rate), "{rate}");
            assert!(seen.targets[flow].len() > 100);
        }
    }
}

#[test]
fn lost_packets_are_named_and_sent_again() {
    let (seen, _) = run(Setup { mbps: 50, loss: Some(20), ..USUAL }, Time::from_millis(11_000));
    assert!(seen.dropped > 100 && seen.nacked > 100, "{} {}", seen.dropped, seen.nacked);
    assert!(seen.repeated > 100, "{}", seen.repeated);
    // Video of the last round trips is still on its way. Without repair, 5% are missing.
    let made = seen.bytes[0] as f64;
    assert!(
        (0.97 * made..=made).contains(&(seen.delivered[0] as f64)),
        "{made} {}",
        seen.delivered[0]
    );
}

#[test]
fn a_link_that_loses_all_ends_the_call() {
    let (seen, engine) = run(Setup { loss: Some(1), ..USUAL }, Time::from_millis(60_000));
    let (at, cause) = seen.failed.expect("a cause");
    assert_eq!(cause, "ICE found no path");
    // Nine retransmissions from 250 ms on, doubled up to 3 s, are some 20 s (is, `DEFAULT_MAX_RETRANSMITS`).
    assert!((5.0..40.0).contains(&at.as_secs_f64()), "{at}");
    assert!(seen.handshakes.is_empty());
    assert_eq!(engine.next_wake(), None);
}

#[test]
fn a_call_ends_at_its_time() {
    let setup = Setup { both: true, end: Some(Time::from_millis(3_000)), ..USUAL };
    let (seen, engine) = run(setup, Time::from_millis(10_000));
    assert_eq!(seen.failed, None);
    assert_eq!(engine.next_wake(), None);
    // A period of a third of 100 ms, rounded down, has its 60th end just before 3 s.
    assert_eq!(seen.frames, [61; 2]);
}

#[test]
fn runs_have_the_same_times_and_sizes() {
    // Ten, as hash maps of a process have another order each time. Losses let NACKs wait for RTTs.
    let setup = Setup { both: true, loss: Some(30), ..USUAL };
    let packets = || run(setup, Time::from_millis(5_000)).0.packets;
    let one = packets();
    assert!(one.len() > 500, "{}", one.len());
    assert!((0..10).all(|_| packets() == one));
}
