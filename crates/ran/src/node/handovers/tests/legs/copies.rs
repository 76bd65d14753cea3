//! Duplication by PDCP on split bearers, in whole cells.

use super::*;

/// A UE with a leg, duplication downlink and uplink or without, and a delay between the nodes in milliseconds.
fn lab(duplicates: [bool; 2], transport: u64, change: impl Fn(&mut DualConnectivity)) -> Lab {
    with_leg(-80.0, |dual| {
        dual.transport = ms(transport);
        dual.bearers[0].duplicates = duplicates;
        change(dual);
    })
}

/// Times at which packets that come one by one from 1 s on leave a port, relative to the first entry.
fn times(mut lab: Lab, direction: Direction) -> Vec<Time> {
    for n in 0..40 {
        let size = 200 + n as u32;
        lab.burst((0, 1_000 + 23 * n), direction, size..size + 1);
    }
    lab.run(4_000);
    lab.check_books();
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let port = if direction == Direction::Uplink { CORE } else { Ran::ue(UeId(0)) };
    assert_eq!(lab.sizes(port), (200..240).collect::<Vec<u32>>());
    lab.times[&port].clone()
}

#[test]
fn a_packet_comes_with_the_first_of_both_paths() {
    // Uplink each path can be had alone. The leg is 5 ms or 60 ms longer by the delay between the nodes.
    for transport in [0, 5, 60] {
        let alone = |primary| {
            let change = |dual: &mut DualConnectivity| {
                (dual.bearers[0].primary, dual.bearers[0].threshold) = (primary, None);
            };
            times(lab([false; 2], transport, change), Direction::Uplink)
        };
        let [anchor, leg] = [PrimaryPath::Anchor, PrimaryPath::Leg].map(alone);
        let both = times(lab([false, true], transport, |_| {}), Direction::Uplink);
        let first: Vec<Time> =
            anchor.iter().zip(&leg).map(|(one, other)| *one.min(other)).collect();
        assert_eq!(both, first, "{transport} ms");
    }
}

#[test]
fn a_slow_leg_delays_no_packet_downlink() {
    let anchor = times(lab([false; 2], 60, |dual| dual.bearers.clear()), Direction::Downlink);
    assert_eq!(times(lab([true, false], 60, |_| {}), Direction::Downlink), anchor);
    // Without a delay between the nodes the leg is no later than the anchor, with slots as long.
    let quick = times(lab([true, false], 0, |_| {}), Direction::Downlink);
    assert!(quick.iter().zip(&anchor).all(|(quick, anchor)| quick <= anchor));
}

#[test]
fn each_copy_is_withdrawn_or_needless_when_nothing_is_lost() {
    for direction in Direction::ALL {
        let mut duplicates = [false; 2];
        duplicates[direction as usize] = true;
        let mut lab = lab(duplicates, 5, |_| {});
        lab.burst((0, 1_000), direction, 100..1_100);
        lab.run(10_000);
        let port = if direction == Direction::Uplink { CORE } else { Ran::ue(UeId(0)) };
        assert_eq!(lab.sizes(port), (100..1_100).collect::<Vec<u32>>());
        assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
        let [made, withdrawn, needless] = lab.seen.copies;
        assert_eq!(made, 1_000);
        assert_eq!(withdrawn + needless, made, "{withdrawn} {needless}");
        // The faster path confirms a part before the slower one has begun with it.
        assert!(withdrawn > 0 && needless > 0, "{withdrawn} {needless}");
    }
}

#[test]
fn without_a_leg_packets_take_the_anchor_alone() {
    let mut lab = lab([true; 2], 5, |_| {});
    lab.channel.set(0, &[-80.0, -112.0]);
    lab.run(2_000);
    assert_eq!(lab.outcomes(), [LegOutcome::Added, LegOutcome::Released]);
    lab.feed(0, 2_000, 3_000);
    lab.run(4_000);
    let all: Vec<u32> = (100..350).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(CORE)), (all.clone(), all));
    assert_eq!((lab.seen.copies, lab.ran.held()), ([0; 3], Held::default()));
}
