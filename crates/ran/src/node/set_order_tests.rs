//! Service by the remaining time of PDU sets beside that of packets.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Node, PduSet};

use super::super::Ran;
use super::super::tests::{asking, config, in_tunnel, run};
use crate::config::{BearerConfig, UeConfig};
use crate::pdcp::{Deadlines, SetConfig};

/// Budget of the first UE's sets; the other UE has the same.
const BUDGET: Duration = Duration::from_millis(14);

/// Times at which packets of two UEs are delivered. The first UE has one each 2 ms from 0 to 10 ms, of sets of `per_set`. The
/// second has one each millisecond from 0 to 11 ms, each a set of its own. A TTI carries about one packet.
fn delivered(deadlines: Deadlines, per_set: u32) -> [Vec<Time>; 2] {
    let mut two = config(7, asking(), 1e10);
    two.cells[0].precedence.deadlines = true;
    two.ues.push(UeConfig { bearers: vec![BearerId(1)], ..two.ues[0].clone() });
    two.bearers.push(BearerConfig { ue: UeId(1), teid: 8, ..two.bearers[0] });
    for bearer in &mut two.bearers {
        bearer.rlc.mode = crate::rlc::Mode::NrUm(crate::rlc::nr::um::Config::default());
        bearer.pdcp.discard_timer = None;
        bearer.pdcp.sets = Some(SetConfig {
            delay_budget: BUDGET,
            integrated: false,
            discard: false,
            low_importance: None,
            deadlines: Some(deadlines),
            delay_status: None,
        });
    }
    let (mut ran, mut bench) = (Ran::new(two, Seed(1)).expect("a network"), Bench::new());
    let begin = Time::from_millis(20);
    let mut left = Vec::new();
    for n in 0..12u64 {
        let now = begin + Duration::from_millis(n);
        left.extend(run(&mut ran, &mut bench, now));
        for (teid, per_set, number) in [(7, per_set, n / 2), (8, 1, n)] {
            if teid == 7 && n % 2 > 0 {
                continue;
            }
            let mut packet = in_tunnel(now, 500, teid);
            let set = number / u64::from(per_set);
            packet.number = number;
            packet.set = Some(Arc::new(PduSet {
                number: set,
                first: set * u64::from(per_set),
                packets: per_set,
                bytes: per_set * 500,
                importance: 1,
                ends_burst: false,
                made: now,
                deadline: BUDGET,
            }));
            ran.receive(now, Ran::CORE, packet, &mut bench.cx(now));
        }
    }
    left.extend(run(&mut ran, &mut bench, Time::from_millis(200)));
    assert_eq!((left.len(), ran.audit()), (18, Ok(())));
    [0, 1].map(|ue| {
        let own = left.iter().filter(|(_, port, _)| *port == Ran::ue(UeId(ue)));
        own.map(|(at, ..)| *at).collect()
    })
}

#[test]
fn a_set_is_in_time_by_sets_and_late_by_packets() {
    // The set of six packets comes from 20 ms on and has until 34 ms. By 30 ms 17 packets have come. By packets they are
    // served in the order of their arrival, so that the last of the set is the seventeenth. By sets it goes first.
    let late = Time::from_millis(20) + BUDGET;
    let last = |by: Deadlines| *delivered(by, 6)[0].last().expect("packets");
    assert!(last(Deadlines::OfSets) <= late, "{:?}", last(Deadlines::OfSets));
    assert!(last(Deadlines::OfPackets) > late, "{:?}", last(Deadlines::OfPackets));
    // Packets of the other UE have 14 ms each, and are in time in both orders.
    let [_, others] = delivered(Deadlines::OfSets, 6);
    let arrivals = (20..32).map(|ms| Time::from_millis(ms) + BUDGET);
    assert!(others.into_iter().zip(arrivals).all(|(at, late)| at <= late));
}

#[test]
fn sets_of_one_packet_are_served_as_packets() {
    assert_eq!(delivered(Deadlines::OfSets, 1), delivered(Deadlines::OfPackets, 1));
}
