use airpath_ran::Tti;

use super::*;

fn part(period_us: u64, [d, ds, us, u]: [u32; 4]) -> TddPart {
    TddPart {
        period: Duration::from_micros(period_us),
        downlink_slots: d,
        downlink_symbols: ds,
        uplink_slots: u,
        uplink_symbols: us,
    }
}

fn slots(mu: u8, part: &TddPart) -> Option<Vec<[u8; 2]>> {
    let tti = Tti::nr(mu, 14).expect("a slot");
    let found = part.slots(tti, Flexible::Unused)?;
    // Downlink and uplink symbols, as "10:2:2" has them.
    let symbols = |slot: SpecialSlot| match slot {
        SpecialSlot::DOWNLINK => [14, 0],
        SpecialSlot::UPLINK => [0, 14],
        SpecialSlot::FLEXIBLE => [0, 0],
        other => {
            let all = (0..14u8).flat_map(|down| (0..14 - down).map(move |up| [down, up]));
            let own =
                |[down, up]: &[u8; 2]| SpecialSlot::new(*down, 14 - down - up, *up) == Some(other);
            all.into_iter().find(own).expect("symbols of a slot")
        }
    };
    Some(found.into_iter().map(symbols).collect())
}

#[test]
fn slots_of_system_information() {
    // TS 38.213, 11.1: 2.5 ms of 30 kHz are five slots, D D D S U with 10 and 2 symbols in S.
    let found = slots(1, &part(2_500, [3, 10, 2, 1]));
    assert_eq!(found, Some(vec![[14, 0], [14, 0], [14, 0], [10, 2], [0, 14]]));
    // Ten slots: symbols downlink behind the downlink slots, uplink before the uplink slots, and
    // flexible slots between.
    let found = slots(1, &part(5_000, [4, 6, 4, 2])).expect("a pattern");
    assert_eq!(found[4..], [[6, 0], [0, 0], [0, 0], [0, 4], [0, 14], [0, 14]]);
    // 0.625 ms are five slots of 120 kHz, and no whole number of 60 kHz.
    assert_eq!(slots(3, &part(625, [4, 0, 0, 1])).map(|slots| slots.len()), Some(5));
    assert_eq!(slots(2, &part(625, [1, 0, 0, 1])), None);
    // No room: six slots of five, symbols without a slot, 15 symbols of one.
    assert_eq!(slots(1, &part(2_500, [4, 0, 0, 2])), None);
    assert_eq!(slots(1, &part(2_500, [4, 2, 0, 1])), None);
    assert_eq!(slots(1, &part(2_500, [3, 10, 5, 1])), None);
}
