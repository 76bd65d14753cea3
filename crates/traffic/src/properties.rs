//! Property: all data are fetched with any losses and any size of buffers.

use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_schema::units::Buffer;
use proptest::prelude::*;

use super::tests::{run, video};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn every_request_is_answered_whatever_is_lost(
        loss in 0.0f64..0.3,
        (receive, send) in (500u64..200_000, 500u64..200_000),
        (objects, rounds) in (1u32..4, 1u64..4),
        response in 1u64..100_000,
        request in 1u64..5_000,
        per_connection in prop::option::of(1u32..3),
        connections in 1u32..4,
        think in 0u64..2_000,
    ) {
        let end = |n, port| Endpoint::new(std::net::Ipv4Addr::new(10, 0, 0, n), port);
        let base = RequestConfig::new(FlowId(0), end(2, 50_000), end(1, 80));
        let mut config = RequestConfig { request, per_connection, connections, ..base };
        (config.tcp.receive_buffer, config.tcp.send_buffer) = (Bytes(receive), Buffer::Bytes(Bytes(send)));
        (config.tcp.syn_retries, config.tcp.max_rto) = (1_000, Duration::from_secs(5));
        let pause = Pause::Think(Spans::Fixed(Duration::from_millis(think)));
        let response = Sizes::Fixed(response);
        let all = u64::from(objects) * rounds;
        let pages = PageConfig { response: response.clone(), objects, pause, count: Some(rounds) };
        let behaviour = Behaviour::Pages(Pages::new(pages));
        let (log, engine) = run(config, behaviour, None, loss, Time::from_millis(50_000_000));
        prop_assert_eq!(log.exchanges.len() as u64, all);
        prop_assert!(log.exchanges.iter().all(|exchange| exchange.done.is_some()));
        prop_assert_eq!(log.delivered[0], all * response.clone().draw());
        prop_assert_eq!(engine.next_wake().filter(|_| per_connection.is_none()), None);
    }

    #[test]
    fn a_player_plays_all_of_it(
        loss in 0.0f64..0.2,
        mbps in 1u64..40,
        (receive, chunk) in (2_000u64..200_000, 1_000u64..2_000_000),
        (start, low, more) in (1u64..3_000, 0u64..5_000, 0u64..5_000),
        reads in any::<bool>(),
        hold in any::<bool>(),
    ) {
        let end = |n, port| Endpoint::new(std::net::Ipv4Addr::new(10, 0, 0, n), port);
        let mut config = RequestConfig::new(FlowId(0), end(2, 50_000), end(1, 80));
        config.tcp.receive_buffer = Bytes(receive);
        (config.tcp.syn_retries, config.tcp.max_rto) = (1_000, Duration::from_secs(5));
        let ms = Duration::from_millis;
        let high = ms((low + more).max(start));
        let player = PlayerConfig {
            bit_rate: BitRate::from_mbps(1),
            chunk: Sizes::Fixed(chunk),
            start: ms(start),
            resume: ms(start),
            low: ms(low),
            high,
            burst: high,
            throttle: if reads { Throttle::Reads } else { Throttle::Requests },
            hold,
            ..video(Some(ms(8_000)))
        };
        let behaviour = Behaviour::Player(Player::new(player));
        let rate = Some(BitRate::from_mbps(mbps));
        let (log, engine) = run(config, behaviour, rate, loss, Time::from_millis(50_000_000));
        prop_assert_eq!(log.delivered[0], 1_000_000);
        prop_assert_eq!(log.states().last().map(|(_, s)| *s), Some(airpath_net::PlaybackState::Ended));
        prop_assert_eq!(engine.next_wake(), None);
    }
}
