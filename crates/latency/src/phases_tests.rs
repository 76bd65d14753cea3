use proptest::prelude::*;

use super::*;
use crate::{Bler, Tti};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// A setting of slots of half a millisecond or of subframes, with a request each 5 of them.
fn setting(tti: &str, bler: &str) -> Setting {
    let period = Span::ttis(5, 1);
    let access = Access::SchedulingRequest { period };
    let tti: Tti = tti.parse().expect("a TTI");
    let bler: Bler = bler.parse().expect("a share");
    Setting { tti, access, bler, ..Setting::default() }
}

fn tdd(text: &str) -> Tdd {
    text.parse().expect("a pattern")
}

/// Holds delays against arrivals by hand. A packet that comes in slot `n` of a list is delivered at
/// `first[n]`, and at `again[n]` if it is sent twice, in slots.
fn compare(delays: &Delays, slot_ms: f64, [first, again]: [&[f64]; 2], bler: f64) {
    const FINE: usize = 400;
    let mut all = Vec::new();
    for (n, pair) in first.iter().zip(again).enumerate() {
        for m in 0..FINE {
            let at = n as f64 + (m as f64 + 0.5) / FINE as f64;
            all.push(((pair.0 - at) * slot_ms, 1.0 - bler));
            all.push(((pair.1 - at) * slot_ms, bler));
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let weight = (first.len() * FINE) as f64;
    let mean = all.iter().map(|(delay, share)| delay * share).sum::<f64>() / weight;
    let ms = |nanos: Rational| nanos.as_f64() / 1e6;
    assert!((ms(delays.mean(Errors::Share)) - mean).abs() < 1e-9, "mean {mean}");
    for percent in [1, 10, 25, 50, 75, 90, 95, 99] {
        let mut reached = 0.0;
        let wanted = f64::from(percent) / 100.0;
        let found = all.iter().find(|(_, share)| {
            reached += share / weight;
            reached >= wanted - 1e-12
        });
        let found = found.expect("a delay").0;
        let own = ms(delays.quantile(Errors::Share, Rational::new(percent as u128, 100)));
        assert!((own - found).abs() < 2.0 * slot_ms / FINE as f64, "{percent}%: {own} not {found}");
    }
}

#[test]
fn slots_by_hand() {
    // D D D S U. Downlink, packets of slots 0 to 4 are sent from one slot after the next on: 2, 3,
    // 5, 5, 6. Sent and decoded in 2.5. Feedback 4 slots later in S or U: 8, 8, 9, 9, 13; 4 slots
    // more to D or S: 12, 12, 13, 13, 17.
    let down = Delays::of(&setting("mu1", "0.1"), &tdd("DDDSU"), DOWN).expect("delays");
    let first = [2.0, 3.0, 5.0, 5.0, 6.0].map(|slot| slot + 2.5);
    let again = [12.0, 12.0, 13.0, 13.0, 17.0].map(|slot| slot + 2.5);
    compare(&down, 0.5, [&first, &again], 0.1);
    // Uplink, a request of slots 0 to 2 is sent in 3 and known in 7. Slot 14 has its grant in 10, slot
    // 9 in 5. So all of 0 to 2 are sent in 14, the rest in 19. Half a round trip later 14 is known to
    // have failed, in 18; 24 is granted in 20.
    let up = Delays::of(&setting("mu1", "0.1"), &tdd("DDDSU"), UP).expect("delays");
    let first = [14.0, 14.0, 14.0, 19.0, 19.0].map(|slot| slot + 2.5);
    let again = first.map(|slot| slot + 10.0);
    compare(&up, 0.5, [&first, &again], 0.1);
    // With data in S, slot 13 has its grant in 8 (9 is U), and slot 8 in 3: 13 and 18. 18 is granted
    // in 13 or before, 17 at the earliest is due: 19 has 15, 23 has 18.
    let special = tdd("DDDSU").with_special_uplink().expect("special slots");
    let up = Delays::of(&setting("mu1", "0.1"), &special, UP).expect("delays");
    let first = [13.0, 13.0, 13.0, 18.0, 18.0].map(|slot| slot + 2.5);
    let again = first.map(|slot| slot + 10.0);
    compare(&up, 0.5, [&first, &again], 0.1);
}

#[test]
fn subframes_of_lte_by_hand() {
    // Configuration 2, D S U D D twice. Downlink, packets of 0 to 4 are sent in 3, 3, 4, 5, 6: one
    // subframe after the next one begins. Feedback 4, 4, 8, 7, 6 later (TS 36.213, table 10.1.3.1-1),
    // in 7, 7, 12, 12, 12, and 4 more to D or S: 11, 11, 16, 16, 16.
    let down = Delays::of(&setting("1 ms", "0.2"), &tdd("lte2"), DOWN).expect("delays");
    let first = [3.0, 3.0, 4.0, 5.0, 6.0].map(|slot| slot + 2.5);
    let again = [11.0, 11.0, 16.0, 16.0, 16.0].map(|slot| slot + 2.5);
    compare(&down, 1.0, [&first, &again], 0.2);
    // Uplink, requests in 2 and 7: from subframe 2 on the second. Known 4 later, in 6 and 11. The
    // grant in 8 is for 12, in 13 for 17 (table 8-2). Synchronous, two processes: 10 later.
    let up = Delays::of(&setting("1 ms", "0.2"), &tdd("lte2"), UP).expect("delays");
    let first = [12.0, 12.0, 17.0, 17.0, 17.0].map(|slot| slot + 2.5);
    let again = first.map(|slot| slot + 10.0);
    compare(&up, 1.0, [&first, &again], 0.2);
    // Configuration 6, D S U U U D S U U D: with a period of 10, requests in 2, known in 6. Grants in
    // 6 are for 13; six processes, so that 13 is followed by 24.
    let period = Span::ttis(10, 1);
    let access = Access::SchedulingRequest { period };
    let up = Delays::of(&Setting { access, ..setting("1 ms", "0.2") }, &tdd("lte6"), UP);
    let first = [13.0, 13.0, 23.0, 23.0, 23.0, 23.0, 23.0, 23.0, 23.0, 23.0].map(|slot| slot + 2.5);
    let again = [24.0, 24.0, 34.0, 34.0, 34.0, 34.0, 34.0, 34.0, 34.0, 34.0].map(|slot| slot + 2.5);
    compare(&up.expect("delays"), 1.0, [&first, &again], 0.2);
}

#[test]
fn grants_without_asking_by_hand() {
    // D U: instant access encodes for a slot from the next on; packets of 0 and 1 are sent in 3. Known
    // 2.5 later, sent again in 7 after the next and a slot more.
    let instant = Setting { access: Access::Instant, ..setting("mu0", "0.5") };
    let up = Delays::of(&instant, &tdd("DU"), UP).expect("delays");
    compare(&up, 1.0, [&[5.5, 5.5], &[9.5, 9.5]], 0.5);
    // D D D S U, a configured grant each 5 slots, that of slot 4. Its packet is there 1.5 slots
    // before: half of those of slot 2 wait for 9.
    let configured = Access::Configured { period: Span::ttis(5, 1) };
    let setting = Setting { access: configured, bler: Bler::NONE, ..setting("mu1", "0") };
    let up = Delays::of(&setting, &tdd("DDDSU"), UP).expect("delays");
    // By halves of slots: of 0 to 2.5 in 4, of the others in 9, each + 2.5.
    let mean = (2.5 * (6.5 - 1.25) + 2.5 * (11.5 - 3.75)) / 5.0 * 0.5;
    assert!((up.mean(Errors::Share).as_f64() / 1e6 - mean).abs() < 1e-9);
    let least = up.quantile(Errors::None, Rational::ZERO).as_f64() / 1e6;
    let most = up.quantile(Errors::None, Rational::ONE).as_f64() / 1e6;
    assert_eq!([least, most], [0.5 * 4.0, 0.5 * 9.0]);
}

#[test]
fn flexible_slots_by_hand() {
    // D F S U of 1 ms, flexible by need. Downlink, packets of 0 to 3 are sent in 2, 4, 4 and 5; without
    // the flexible slot that of 3 is sent in 6.
    let by_need = tdd("DFSU").with_flexible_by_need().expect("a flexible slot");
    let setting = setting("mu0", "0");
    let mean = |tdd: &Tdd, sent: [f64; 4]| {
        let delays = Delays::of(&setting, tdd, DOWN).expect("delays");
        let hand = (0..4).map(|n| sent[n] + 2.5 - (n as f64 + 0.5)).sum::<f64>() / 4.0;
        assert!((delays.mean(Errors::None).as_f64() / 1e6 - hand).abs() < 1e-9, "{tdd}");
    };
    mean(&by_need, [2.0, 4.0, 4.0, 5.0]);
    mean(&tdd("DFSU"), [2.0, 4.0, 4.0, 6.0]);
    assert!(tdd("DSU").with_flexible_by_need().is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    for text in ["", "D", "UU", "DXU", "lte7", "lte", "lte-1", &"DU".repeat(161)] {
        assert!(text.parse::<Tdd>().is_err(), "{text}");
    }
    assert!(tdd("lte2").with_special_uplink().is_err() && tdd("DU").with_special_uplink().is_err());
    let refused = |setting: &Setting, text: &str| {
        Delays::of(setting, &tdd(text), UP).expect_err(text).to_string()
    };
    assert!(refused(&setting("mu1", "0"), "lte2").contains("1 ms"));
    assert!(refused(&setting("mu1/2sym", "0"), "DU").contains("mu0 to mu4"));
    let access = Access::SchedulingRequest { period: Span::ttis(3, 2) };
    assert!(refused(&Setting { access, ..setting("mu1", "0") }, "DU").contains("whole number"));
    let access = Access::SchedulingRequest { period: Span::ttis(20_001, 1) };
    assert!(refused(&Setting { access, ..setting("mu1", "0") }, "DU").contains("shorter period"));
}

proptest! {
    #[test]
    fn a_distribution_is_one(
        letters in "D[DFSU]{0,8}U[DSU]{0,4}",
        period in 1u64..30,
        kind in 0..3,
        share in 0u128..=100,
    ) {
        let period = Span::ttis(period, 1);
        let access = match kind {
            0 => Access::SchedulingRequest { period },
            1 => Access::Configured { period },
            _ => Access::Instant,
        };
        let bler = Bler::new(Rational::new(share, 100)).expect("a share");
        let setting = Setting { access, bler, ..setting("mu1", "0") };
        for direction in [DOWN, UP] {
            let delays = Delays::of(&setting, &tdd(&letters), direction).expect("delays");
            for errors in Errors::ALL {
                let corners = delays.corners(errors);
                prop_assert!(corners.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
                prop_assert_eq!(corners.last().map(|corner| corner.1), Some(Rational::ONE));
                // The mean is the area above the distribution function.
                let area: Rational = corners
                    .windows(2)
                    .map(|pair| {
                        let middle = (pair[0].0 + pair[1].0) * HALF;
                        middle * pair[1].1.less(pair[0].1)
                    })
                    .sum();
                prop_assert_eq!(area, delays.mean(errors));
            }
        }
    }
}
