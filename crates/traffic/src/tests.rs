use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Port};
use airpath_net::{Change, Class, Engine, Exchange, PlaybackState};
use airpath_schema::units::Rate;
use std::net::Ipv4Addr;

use super::*;
use airpath_transport::testing::{Log, Wire};

fn config() -> RequestConfig {
    let end = |n, port| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), port);
    RequestConfig::new(FlowId(0), end(2, 50_000), end(1, 80))
}

/// A run over a wire of 10 ms each way.
pub(crate) fn run(
    config: RequestConfig,
    behaviour: Behaviour,
    rate: Option<BitRate>,
    loss: f64,
    end: Time,
) -> (Log, Engine) {
    run_paused(config, behaviour, (rate, loss), &[], end)
}

/// The client is active or not from these seconds on.
pub(crate) fn run_paused(
    config: RequestConfig,
    behaviour: Behaviour,
    (rate, loss): (Option<BitRate>, f64),
    changes: &[(u64, bool)],
    end: Time,
) -> (Log, Engine) {
    let (client, server) = config.nodes(behaviour).expect("options that work");
    let mut engine = Engine::new();
    let client = engine.add("client", Class::Packets, Box::new(client));
    let server = engine.add("server", Class::Packets, Box::new(server));
    let wire = Wire::new(Duration::from_millis(10), rate, loss, Seed(7).stream("wire"));
    let wire = engine.add("wire", Class::Packets, Box::new(wire));
    for (node, port) in [(client, Port(0)), (server, Port(1))] {
        engine.connect((node, Port(0)), (wire, port), None);
        engine.connect((wire, port), (node, Port(0)), None);
    }
    let mut log = Log::default();
    for (secs, active) in changes {
        let change = Change::Active(*active);
        engine.change(at(*secs), client, &change, Some(&mut log)).expect("it asks");
    }
    engine.run_until(end, Some(&mut log)).expect("a run without errors");
    engine.finish(Some(&mut log)).expect("an end without errors");
    assert!(engine.books().all(|(_, _, ledger, held)| ledger.closes(held)));
    (log, engine)
}

fn pages(response: u64, objects: u32, pause: Pause, count: u64) -> Behaviour {
    let response = Sizes::Fixed(response);
    Behaviour::Pages(Pages::new(PageConfig { response, objects, pause, count: Some(count) }))
}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn at(secs: u64) -> Time {
    Time::from_millis(1000 * secs)
}

/// Milliseconds of an exchange: request, first byte, last byte.
fn times(exchange: &Exchange) -> [Option<u64>; 3] {
    [Some(exchange.asked), exchange.first, exchange.done]
        .map(|at| at.map(|at| at.as_nanos() / 1_000_000))
}

#[test]
fn a_request_by_the_clock_is_answered_in_a_round_trip() {
    let pause = Pause::Period(secs(5));
    let reply_delay = Duration::from_millis(7);
    let config = RequestConfig { reply_delay, ..config() };
    let (log, engine) = run(config, pages(1000, 1, pause, 3), None, 0.0, at(60));
    let all: Vec<_> = log.exchanges.iter().map(times).collect();
    // The first waits for the handshake, 20 ms.
    let expected = [(0, 47), (5000, 5027), (10_000, 10_027)];
    assert_eq!(all, expected.map(|(asked, done)| [Some(asked), Some(done), Some(done)]));
    assert_eq!(log.delivered[0], 3000);
    assert_eq!(log.established.len(), 2);
    assert_eq!(log.finished, Some(Time::from_millis(10_027)));
    assert_eq!(engine.next_wake(), None, "both ends have closed and rest");
}

#[test]
fn thinking_begins_when_all_objects_are_there() {
    let pause = Pause::Think(Spans::Fixed(secs(1)));
    let (log, _) = run(config(), pages(1000, 3, pause, 2), None, 0.0, at(60));
    let asked: Vec<_> = log.exchanges.iter().map(|e| times(e)[0].unwrap()).collect();
    // One after the other on one connection.
    assert_eq!(asked, [0, 40, 60, 1080, 1100, 1120]);
}

#[test]
fn objects_are_fetched_over_parallel_connections() {
    let config = RequestConfig { connections: 3, ..config() };
    let pause = Pause::Think(Spans::Fixed(secs(1)));
    let (log, _) = run(config, pages(1000, 6, pause, 1), None, 0.0, at(60));
    let mut done: Vec<_> = log.exchanges.iter().map(|e| times(e)[2].unwrap()).collect();
    done.sort_unstable();
    assert_eq!(done, [40, 40, 40, 60, 60, 60]);
    assert_eq!(log.established.len(), 6, "both ends of three connections");
}

#[test]
fn connections_are_closed_after_so_many_requests_and_ports_come_again() {
    let config = RequestConfig { per_connection: Some(2), ..config() };
    let pause = Pause::Period(secs(1));
    let (log, engine) = run(config, pages(1000, 1, pause, 80), None, 0.0, at(120));
    let numbers: Vec<u32> = log.exchanges.iter().map(|e| e.connection).collect();
    assert_eq!(numbers, (0..80).map(|n| n / 2).collect::<Vec<u32>>());
    assert!(log.exchanges.iter().all(|e| e.done.is_some()));
    // Forty connections on sixteen ports.
    assert_eq!(log.established.len(), 80);
    assert_eq!(engine.next_wake(), None);
}

#[test]
fn what_was_not_answered_is_told_at_the_end() {
    let reply_delay = secs(100);
    let config = RequestConfig { reply_delay, ..config() };
    let pause = Pause::Period(secs(100));
    let (log, _) = run(config, pages(1000, 1, pause, 1), None, 0.0, at(5));
    assert_eq!(log.exchanges.len(), 1);
    assert_eq!((log.exchanges[0].first, log.exchanges[0].done), (None, None));
}

/// Video of 8 Mbit/s in chunks of 1 MB, which are a second each.
pub(crate) fn video(length: Option<Duration>) -> PlayerConfig {
    PlayerConfig {
        bit_rate: BitRate::from_mbps(8),
        length,
        chunk: Sizes::Fixed(1_000_000),
        start: secs(1),
        resume: secs(1),
        low: secs(5),
        high: secs(10),
        burst: secs(10),
        throttle: Throttle::Requests,
        hold: false,
    }
}

#[test]
fn rounds_that_fall_due_in_a_pause_begin_as_one() {
    let asked = |pause, changes: &[(u64, bool)]| {
        let (log, _) = run_paused(config(), pages(1000, 1, pause, 4), (None, 0.0), changes, at(90));
        assert!(log.exchanges.iter().all(|exchange| exchange.done.is_some()));
        log.exchanges.iter().map(|e| times(e)[0].expect("a time")).collect::<Vec<u64>>()
    };
    let changes = [(6, false), (7, false), (22, true), (23, true), (24, false), (25, true)];
    assert_eq!(asked(Pause::Period(secs(5)), &changes), [0, 5_000, 22_000, 27_000]);
    // From 40 ms and from 1.06 s on it thinks for a second; the third time ends at 3.12 s.
    let think = || Pause::Think(Spans::Fixed(secs(1)));
    assert_eq!(asked(think(), &[]), [0, 1_040, 2_060, 3_080]);
    assert_eq!(asked(think(), &[(2, false), (5, true)]), [0, 1_040, 5_000, 6_020]);
    assert_eq!(asked(think(), &[(0, false), (1, true)]), [1_000, 2_040, 3_060, 4_080]);
}

#[test]
fn a_player_that_is_paused_plays_what_it_has() {
    // 10 s of media at most, 5 s at least; a second of them is a chunk.
    for (throttle, left) in [(Throttle::Requests, 5..=10), (Throttle::Reads, 4..=10)] {
        let mut player = video(None);
        player.throttle = throttle;
        if throttle == Throttle::Reads {
            player.chunk = Sizes::Fixed(u64::MAX);
        }
        let behaviour = || Behaviour::Player(Player::new(player.clone()));
        let wire = (Some(BitRate::from_mbps(100)), 0.0);
        let mut config = config();
        config.tcp.receive_buffer = Bytes(100_000);
        let changes = [(20, false), (40, true)];
        let (log, _) = run_paused(config.clone(), behaviour(), wire, &changes, at(60));
        let states = log.states();
        let stall = states.iter().find(|(_, state)| *state == PlaybackState::Stalled);
        let stall = stall.expect("a stall").0;
        assert!(left.contains(&((stall - 20_000) / 1_000)), "{states:?}");
        let (on, state) = *states.last().expect("states");
        assert!(state == PlaybackState::Playing && (40_000..42_000).contains(&on), "{states:?}");
        let asked = log.exchanges.iter().map(|e| times(e)[0].expect("a time"));
        assert!(asked.clone().all(|at| !(20_000..40_000).contains(&at)));
        let (whole, _) = run_paused(config, behaviour(), wire, &[], at(60));
        assert!(whole.states().iter().all(|(_, state)| *state != PlaybackState::Stalled));
    }
}

#[test]
fn a_player_fills_its_buffer_and_then_asks_in_bursts() {
    let player = Behaviour::Player(Player::new(video(None)));
    let rate = Some(BitRate::from_mbps(100));
    let (log, _) = run(config(), player, rate, 0.0, at(60));
    let asked: Vec<_> = log.exchanges.iter().map(|e| times(e)[0].unwrap()).collect();
    let gaps: Vec<u64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Bursts of chunks at link speed; between them the buffer plays five seconds down.
    let long: Vec<u64> = gaps.iter().copied().filter(|gap| *gap > 1000).collect();
    assert!(long.len() >= 8 && long.iter().all(|gap| (4900..6000).contains(gap)), "{gaps:?}");
    assert_eq!(log.states().len(), 2, "it starts and never stalls: {:?}", log.states());
    let high = log.playback.iter().map(|(.., level)| level.as_millis()).max();
    assert!(high.is_some_and(|high| (10_000..11_000).contains(&high)), "{high:?}");
    assert!(
        log.exchanges.iter().all(|e| times(e)[2].is_none_or(|d| d - times(e)[0].unwrap() < 1000))
    );
}

#[test]
fn a_link_below_the_bit_rate_makes_stalls_that_add_up() {
    let length = secs(20);
    let player = Behaviour::Player(Player::new(video(Some(length))));
    let (log, engine) = run(config(), player, Some(BitRate::from_mbps(6)), 0.0, at(60));
    let states = log.states();
    assert!(states.iter().filter(|(_, s)| *s == PlaybackState::Stalled).count() >= 2);
    let (end, last) = states[states.len() - 1];
    assert_eq!(last, PlaybackState::Ended);
    // 20 MB at 6 Mbit/s with headers take 27.7 s; the last second is played at the end.
    assert!((27_500..29_500).contains(&end), "{end}");
    let waited: u64 = states
        .windows(2)
        .filter(|pair| pair[0].1 != PlaybackState::Playing)
        .map(|pair| pair[1].0 - pair[0].0)
        .sum();
    assert!(waited.abs_diff(end - 20_000) <= 20, "{waited} {end}");
    assert_eq!((log.delivered[0], engine.next_wake()), (20_000_000, None));
}

/// The audio application of Huang et al. (2013), 7.2 and figure 23: 1 MB of 30 s, a
/// receive window of 131.8 KB, and a reader that stops.
fn audio(high: Duration) -> (RequestConfig, Behaviour) {
    let player = PlayerConfig {
        bit_rate: BitRate::of(Bytes(1_000_000), secs(30)),
        chunk: Sizes::Fixed(u64::MAX),
        start: secs(1),
        resume: secs(1),
        low: high,
        high,
        burst: high,
        throttle: Throttle::Reads,
        hold: true,
        ..video(Some(secs(30)))
    };
    let mut config = config();
    config.tcp.receive_buffer = Bytes(131_800);
    (config, Behaviour::Player(Player::new(player)))
}

#[test]
fn a_reader_that_stops_makes_a_short_download_long() {
    let rate = Some(BitRate::from_mbps(4));
    let end = |high| {
        let (config, player) = audio(high);
        let (log, engine) = run(config, player, rate, 0.0, at(60));
        // 30 s of 266,666 bit/s.
        assert_eq!((log.delivered[0], engine.next_wake()), (999_997, None));
        assert_eq!(log.states().len(), 3, "{:?}", log.states());
        let last = log.states()[2];
        assert_eq!(last.1, PlaybackState::Ended);
        assert!((30_000..30_500).contains(&last.0), "{last:?}");
        log.finished.expect("all of it").as_secs_f64()
    };
    // At 4 Mbit/s with headers, 1 MB takes 2.1 s. With 18 s of buffer, the rest comes as it is
    // played, so the transfer ends 18 s before playback.
    assert!((2.0..2.3).contains(&end(secs(40))));
    assert!((11.8..12.5).contains(&end(secs(18))));
}

#[test]
fn a_slow_reader_of_tcp_may_be_beneath_a_player_that_asks() {
    let mut config = config();
    config.tcp.read_rate = Rate::Limited(BitRate::from_mbps(9));
    config.tcp.receive_buffer = Bytes(131_072);
    let player = Behaviour::Player(Player::new(video(Some(secs(10)))));
    let (log, _) = run(config, player, None, 0.0, at(60));
    assert_eq!(log.delivered[0], 10_000_000);
}

#[test]
fn a_stop_ends_asking_and_closes() {
    let stop = Some(Time::from_millis(3_500));
    let config = RequestConfig { stop, ..config() };
    let player = Behaviour::Player(Player::new(video(None)));
    let (log, engine) = run(config, player, Some(BitRate::from_mbps(8)), 0.0, at(60));
    assert_eq!(log.states().last().map(|(_, s)| *s), Some(PlaybackState::Ended));
    assert_eq!(engine.next_wake(), None);
}

#[test]
fn options_that_cannot_work_are_refused() {
    let behaviour = || pages(1, 1, Pause::Period(secs(1)), 1);
    let mut wrong = config();
    (wrong.connections, wrong.client.port) = (2, 65_530);
    assert_eq!(wrong.nodes(behaviour()).err(), Some(EndpointError::Ports));
    let mut wrong = config();
    wrong.tcp.initial_window = 0;
    assert!(matches!(wrong.nodes(behaviour()).err(), Some(EndpointError::Tcp(_))));
}
