//! Random drives with legs: all packets stay in the books, in order.

use proptest::prelude::*;

use super::*;
use crate::pdcp::{QueueLimit, Reordering};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    /// Signals of two UEs, two anchors and two legs that change each 100 ms.
    #[test]
    fn random_drives_with_legs_keep_all_packets_in_the_books(
        levels in prop::collection::vec(prop::collection::vec(-122.0f64..-75.0, 8), 5..40),
        (threshold, leg) in (prop::option::of(0u64..5_000), any::<bool>()),
        (transport, period) in (0u64..12, 1u64..20),
        (changes, releases, has_access) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (power, t304, t310) in (-120.0f64..23.0, 30u64..400, 50u64..1_000),
        (duplicates, unacknowledged) in (any::<[bool; 2]>(), any::<bool>()),
        bursts in prop::collection::vec(0u32..80, 5..40),
    ) {
        let unacknowledged = unacknowledged && duplicates != [false; 2];
        let (mut config, channel) = dual((2, 2, 2), |dual| {
            for split in &mut dual.bearers {
                (split.threshold, split.duplicates) = (threshold, duplicates);
                if unacknowledged {
                    split.rlc.mode = Mode::NrUm(nr::um::Config::default());
                }
                split.primary = if leg { PrimaryPath::Leg } else { PrimaryPath::Anchor };
            }
            (dual.transport, dual.status_period) = (ms(transport), ms(period));
            dual.change = dual.change.filter(|_| changes);
            dual.release = dual.release.filter(|_| releases);
            dual.access = dual.access.filter(|_| has_access);
            if let Some(access) = &mut dual.access {
                (access.max_power, access.preambles) = (Dbm(power), 2);
            }
            dual.procedure.t304 = ms(t304);
            dual.radio_link.t310 = ms(t310);
        });
        // Bursts that come one behind the other are more than a UE's layer 2 buffer has room for.
        for bearer in &mut config.bearers {
            bearer.pdcp.downlink_queue = QueueLimit::Unlimited;
            bearer.pdcp.uplink_queue = QueueLimit::Unlimited;
            if unacknowledged {
                bearer.rlc.mode = Mode::Um(um::Config::default());
                bearer.pdcp.reordering = Reordering::InOrder(Some(ms(100)));
            }
        }
        let mut lab = Lab::of(config, channel);
        for (n, levels) in levels.iter().enumerate() {
            for ue in 0..2 {
                lab.channel.set(ue, &levels[4 * ue as usize..][..4]);
            }
            let (at, ue) = (100 * n as u64, n as u32 % 2);
            let first = 100 + (lab.sent / 2) as u32;
            let burst = bursts[n % bursts.len()];
            lab.burst((ue, at), Direction::Downlink, first..first + burst);
            lab.burst((ue, at), Direction::Uplink, first..first + burst);
            lab.feed(ue, at, at + 100);
            lab.check_books();
        }
        let end = 100 * levels.len() as u64;
        (0..2).for_each(|ue| lab.channel.set(ue, &[-80.0, -100.0, -80.0, -100.0]));
        lab.run(end + 60_000);
        prop_assert_eq!(lab.ran.held(), Held::default());
        lab.check_books();
        // With good signals both directions of both bearers carry again.
        for ue in 0..2u32 {
            let at = end + 61_000 + 2_000 * u64::from(ue);
            let first = 100 + (lab.sent / 2) as u32;
            let before = lab.sizes(Ran::ue(UeId(ue))).len();
            lab.feed(ue, at, at + 200);
            lab.run(at + 1_900);
            let sizes = lab.sizes(Ran::ue(UeId(ue)));
            let all: Vec<u32> = (first..first + 50).collect();
            prop_assert!(unacknowledged || sizes[before..] == all, "{:?}", &sizes[before..]);
        }
        for ue in 0..2 {
            let sizes = lab.sizes(Ran::ue(UeId(ue)));
            prop_assert!(sizes.is_sorted(), "downlink of UE {} in order", ue);
            // Of all sizes one packet was sent down and one up: nothing comes twice.
            for port in [Ran::ue(UeId(ue)), CORE] {
                let mut sizes = lab.sizes(port);
                let all = sizes.len();
                sizes.sort_unstable();
                sizes.dedup();
                prop_assert_eq!(sizes.len(), all);
            }
        }
        lab.end();
        let [made, withdrawn, needless] = lab.seen.copies;
        prop_assert!(withdrawn + needless <= made && (made == 0 || duplicates != [false; 2]));
        // With forwarding and acknowledged mode only UEs that become idle lose packets.
        let idle = |cause: &DropCause| *cause == DropCause::LinkFailure;
        prop_assert!(unacknowledged || lab.seen.drops.iter().all(idle), "{:?}", lab.seen.drops);
        // A leg ends before another begins.
        for ue in 0..2 {
            let own = lab.seen.legs.iter().filter(|change| change.ue == UeId(ue));
            let mut leg = None;
            for change in own {
                prop_assert!(change.source.is_none() || change.source == leg, "{:?}", change);
                leg = match change.outcome {
                    LegOutcome::Added | LegOutcome::Changed => change.target,
                    _ if change.source.is_some() => None,
                    _ => leg,
                };
            }
        }
    }
}
