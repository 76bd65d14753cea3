use airpath_base::{BearerId, Duration, FlowId, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Leg, Packet};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::*;
use crate::config::BearerConfig;
use crate::mac::Bucket;
use crate::qci::{LogicalChannel, characteristics};

const TTI: Duration = Duration::from_millis(1);
const BLOCK: u32 = 1_000;

/// Two channels of a UE with 8 kB/s each before the other is served; the first has the
/// higher priority.
fn channels() -> Vec<Bearer> {
    (0..2)
        .map(|n| {
            let usual = characteristics(9).expect("a QCI").bearer(None);
            let channel = LogicalChannel { priority: 1 + n as u8, ..usual.channel };
            let config = BearerConfig {
                ue: UeId(0),
                teid: n,
                outer_dscp: None,
                pdcp: crate::pdcp::Config::default(),
                rlc: crate::rlc::Config {
                    mode: crate::rlc::Mode::Um(crate::rlc::um::Config::default()),
                    ..usual.rlc
                },
                channel,
                full_buffers: [None; 2],
            };
            Bearer::new(BearerId(n), config, true)
        })
        .collect()
}

fn fill_queue(bearer: &mut Bearer, bench: &mut Bench, packets: u32) {
    let end = Endpoint::new([192, 0, 2, 1], 5001);
    let tuple = Tuple { src: end, dst: end, protocol: Protocol::UDP };
    for _ in 0..packets {
        let packet = Packet::new(FlowId(0), Leg::Data, 1_000, tuple, Time::ZERO);
        let cx = &mut bench.cx(Time::ZERO);
        bearer.enqueue(Direction::Uplink, Time::ZERO, packet, 0, cx);
    }
}

/// Bytes of PDUs of each channel in a block of a TTI.
fn serve(bearers: &mut [Bearer], bench: &mut Bench, now: Time) -> [u32; 2] {
    let mut pdus = Vec::new();
    let filler = Filler::new(bearers, &mut pdus, (Direction::Uplink, now), true, (BLOCK, 0));
    filler.fill(&[BearerIndex::new(0), BearerIndex::new(1)], Sharing::Priority, &mut bench.cx(now));
    let mut served = [0; 2];
    for (own, pdu) in pdus {
        served[own.index()] += pdu.size;
    }
    served
}

#[test]
fn a_channel_that_was_alone_for_a_second_is_not_starved_afterwards() {
    let (mut bearers, mut bench) = (channels(), Bench::new());
    fill_queue(&mut bearers[1], &mut bench, 3_000);
    let at = |n: u64| Time::ZERO + TTI * n;
    let alone: u32 = (0..1_000).map(|n| serve(&mut bearers, &mut bench, at(n))[1]).sum();
    // It had all of each block, far above its prioritised rate.
    assert!(alone > 990_000, "{alone}");
    fill_queue(&mut bearers[0], &mut bench, 3_000);
    let after: Vec<[u32; 2]> =
        (1_000..2_000).map(|n| serve(&mut bearers, &mut bench, at(n))).collect();
    // Of the next second it gets its 8 kB, the other all else.
    let second: u32 = after.iter().map(|served| served[1]).sum();
    assert!((7_000..=8_800).contains(&second), "{second}");
    let first: u32 = after.iter().map(|served| served[0]).sum();
    assert!(first > 970_000, "{first}");
}

#[test]
fn the_bucket_pays_for_what_the_prioritised_rate_covers_only() {
    let channel = characteristics(9).expect("a QCI").bearer(None).channel;
    let mut bucket = Bucket::new(&channel);
    let second = Time::from_millis(1_000);
    // 8 kB/s for 100 ms.
    assert_eq!(bucket.allowance(second), 800);
    bucket.spend(300);
    assert_eq!(bucket.allowance(second), 500);
    assert_eq!(bucket.allowance(second + TTI * 10), 580);
}
