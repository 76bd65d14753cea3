//! A finite transfer completes to the byte, whatever the path does.

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_schema::units::{Buffer, Rate};
use proptest::prelude::*;

use super::harness::{CLIENT, SERVER, World};
use super::{
    DelayedAck, DelayedAckOption, EcnMode, FlightMeasure, LossDetection, LossRecovery, Pacing,
    RecoveryTimer, Reduction, Segment, TcpConfig,
};
use crate::control::{Avoidance, ControllerName, NewRenoConfig, PragueConfig};

prop_compose! {
    fn options()(
        flags in prop::array::uniform8(any::<bool>()),
        more in prop::array::uniform8(any::<bool>()),
        receive_buffer in 700u64..200_000,
        send_buffer in 1000u64..200_000,
        kbps in prop::option::of(100u64..20_000),
        controller in 0u8..6,
        (ecn, pacing, rack, prr) in (0u8..3, 0u8..3, any::<bool>(), any::<bool>()),
        careful in any::<bool>(),
        threshold in 1u32..6,
        measure in 0u8..3,
        segment in prop::option::of(1u64..2000),
        initial_sequence in prop::option::of(any::<u32>()),
    ) -> TcpConfig {
        let [sack, timestamps, window_scaling, delayed, limited_transmit, rule3, rescue, newreno]
            = flags;
        let [ns3, timer, lower, idle_restart, eifel, abc, karn, new_only] = more;
        let avoidance = if abc { Avoidance::ByteCounting } else { Avoidance::PerAck };
        TcpConfig {
            sack, timestamps, window_scaling,
            limited_transmit, idle_restart, eifel,
            receive_buffer: Bytes(receive_buffer),
            send_buffer: Buffer::Bytes(Bytes(send_buffer)),
            segment: segment.map(|s| Bytes(s.max(100))),
            delayed_ack: if delayed {
                DelayedAckOption::On(DelayedAck::default())
            } else {
                DelayedAckOption::Off
            },
            read_rate: kbps.map_or(Rate::Unlimited, |k| Rate::Limited(BitRate::from_kbps(k))),
            speculative_retransmission: rule3,
            rescue_retransmission: rescue,
            recovery: match (newreno, ns3) {
                (true, _) => LossRecovery::NewReno,
                (false, true) => LossRecovery::Ns3,
                (false, false) => LossRecovery::Sack,
            },
            recovery_timer: match (timer, careful) {
                (false, false) => RecoveryTimer::EveryAck,
                (false, true) => RecoveryTimer::Head,
                (true, false) => RecoveryTimer::FirstPartialAck,
                (true, true) => RecoveryTimer::EachRetransmission,
            },
            rto_from_duplicates: careful,
            rto_always_lowers_ssthresh: lower,
            timeout_exit_counts_new_only: new_only,
            backoff_until_sample: karn,
            duplicate_ack_threshold: threshold,
            flight_measure: match measure {
                0 => FlightMeasure::FlightSize,
                1 => FlightMeasure::Pipe,
                _ => FlightMeasure::Window,
            },
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(5),
            syn_retries: u32::MAX,
            initial_sequence: initial_sequence.unwrap_or(u32::MAX - 5000),
            ecn: Some(match ecn {
                0 => EcnMode::Off,
                1 => EcnMode::Classic,
                _ => EcnMode::Accurate,
            }),
            loss_detection: if rack { LossDetection::Rack } else { LossDetection::Duplicates },
            lost_retransmission_reduces: lower,
            reduction: if prr { Reduction::Proportional } else { Reduction::Step },
            pacing: match pacing {
                0 => Pacing::Off,
                1 => Pacing::Controller,
                _ => Pacing::Always,
            },
            controller: match controller {
                0 => ControllerName::NewReno,
                1 => ControllerName::Cubic,
                2 => ControllerName::Dctcp,
                3 => ControllerName::Prague,
                4 => ControllerName::Bbr,
                _ => ControllerName::Bbr1,
            },
            newreno: Some(NewRenoConfig { avoidance, hystart: abc, ..NewRenoConfig::default() }),
            prague: Some(PragueConfig { classic_fallback: abc, ..PragueConfig::default() }),
            ..TcpConfig::default()
        }
    }
}

/// A path that loses, delays differently, and duplicates.
fn path(
    seed: u64,
    loss: f64,
    jitter_ms: u64,
    twice: f64,
) -> impl FnMut(usize, &Segment) -> Vec<Duration> {
    let mut draws = Seed(seed).stream("path");
    move |_, _| {
        let copies = if draws.chance(loss) { 0 } else { 1 + usize::from(draws.chance(twice)) };
        let delay = |_| Duration::from_micros(10_000 + draws.below(jitter_ms * 1000 + 1));
        (0..copies).map(delay).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 3 / 2))]

    #[test]
    fn a_transfer_completes_exactly(
        client in options(),
        server in options(),
        seed in any::<u64>(),
        loss in 0.0f64..0.3,
        jitter_ms in 0u64..50,
        twice in 0.0f64..0.2,
        marked in 0.0f64..1.0,
        up in 0u64..150_000,
        down in 0u64..20_000,
    ) {
        let mut world = World::new(client, server, path(seed, loss, jitter_ms, twice));
        let mut marks = Seed(seed).stream("marks");
        world.mark = Box::new(move |_, _| marks.chance(marked));
        let mut left = [up, down];
        world.flush(CLIENT);
        let mut steps = 0u64;
        loop {
            for (n, left) in left.iter_mut().enumerate() {
                if *left > 0 || !world.ends[n].is_closed() {
                    *left -= world.ends[n].write(*left);
                    if *left == 0 {
                        world.ends[n].close();
                    }
                    world.flush(n);
                }
            }
            if !world.step(Time::MAX) {
                break;
            }
            steps += 1;
            prop_assert!(steps < 2_000_000, "too long: {:?}", world.now);
        }
        prop_assert_eq!(world.delivered, [down, up]);
        prop_assert!(world.ends[CLIENT].is_closed() && world.ends[SERVER].is_closed());
        prop_assert_eq!(world.ends[CLIENT].sender_state().in_flight, 0);
    }

    #[test]
    fn no_segment_however_odd_does_harm(
        options in options(),
        segments in prop::collection::vec(
            (any::<u32>(), any::<u32>(), 0u16..512, any::<u16>(), 0u32..3000,
             prop::collection::vec((any::<u32>(), any::<u32>()), 0..4), any::<bool>()), 1..60),
    ) {
        let fate = |_: usize, _: &Segment| vec![Duration::from_millis(5)];
        let mut world = World::new(options.clone(), options, fate);
        world.ends[CLIENT].write(50_000);
        world.flush(CLIENT);
        for (seq, ack, flags, window, payload_len, blocks, near) in segments {
            let base = world.ends[CLIENT].initial.0;
            let pick = |n: u32| airpath_wire::SeqNumber(if near { base.wrapping_add(n % 60_000) } else { n });
            let mut repr = airpath_wire::TcpRepr {
                seq: if near { airpath_wire::SeqNumber(seq % 2000) } else { airpath_wire::SeqNumber(seq) },
                ack: pick(ack),
                flags: airpath_wire::TcpFlags(flags),
                window,
                payload_len,
                timestamps: near.then_some(airpath_wire::Timestamps { value: seq, echo: ack }),
                ..airpath_wire::TcpRepr::default()
            };
            for (left, right) in blocks {
                repr.sack.push(pick(left), pick(right));
            }
            world.step(Time::MAX);
            world.ends[CLIENT].receive(world.now, &repr, airpath_wire::Ecn::Ce);
            world.flush(CLIENT);
        }
    }
}
