use airpath_net::Direction::{Downlink, Uplink};

use super::*;
use crate::duplex::Purpose;

fn tdd(configuration: u8, special: u8) -> Duplex {
    Duplex::Tdd(Pattern::lte(configuration, special).expect("a configuration of LTE"))
}

#[test]
fn subframes_of_each_configuration() {
    for (n, row) in (0..).zip(SUBFRAMES) {
        let duplex = tdd(n, 7);
        for (subframe, letter) in (20..30).zip(row.chars()) {
            let serves = Purpose::ALL.map(|purpose| duplex.serves(purpose, subframe));
            // Downlink data, uplink data, granted and configured, uplink control, grants.
            let expected = match letter {
                'D' | 'S' => [true, false, false, false, true],
                _ => [false, true, true, true, false],
            };
            assert_eq!(serves, expected, "configuration {n}, subframe {subframe}");
        }
        assert_eq!(Pattern::lte_letters(n), Some(row));
    }
    assert_eq!([Pattern::lte(7, 0), Pattern::lte(0, 10)], [None, None]);
}

#[test]
fn special_subframes_are_as_long_as_the_table_has_them() {
    // TS 36.211, table 4.2-1, in units of 1/30.72 us: the parts downlink and uplink.
    let table = [
        (6_592, 2_192),
        (19_760, 2_192),
        (21_952, 2_192),
        (24_144, 2_192),
        (26_336, 2_192),
        (6_592, 4_384),
        (19_760, 4_384),
        (21_952, 4_384),
        (24_144, 4_384),
        (13_168, 4_384),
    ];
    // A symbol has 2 048, a cyclic prefix 144, the first of each seven symbols 160.
    let length = |symbols: u8| (0..u32::from(symbols)).map(|n| 2_192 + 16 * u32::from(n % 7 == 0));
    for (special, (downlink, uplink)) in (0..).zip(table) {
        let [down, guard, up] = Pattern::lte_special(special).expect("a special subframe");
        assert_eq!(length(down).sum::<u32>(), downlink, "{special}");
        assert_eq!(u32::from(up) * 2_192, uplink, "{special}");
        assert!(guard >= 1 && down + guard + up == 14, "{special}");
    }
    assert_eq!(Pattern::lte_special(10), None);
}

#[test]
fn blocks_in_special_subframes() {
    // TS 36.213, 7.1.7: 3/4 of the resource blocks, 3/8 with special subframe 9, at least one; none
    // at all with 0 and 5.
    for special in 0..=MAX_SPECIAL_SUBFRAME {
        let duplex = tdd(2, special).with_control(3);
        let symbols = duplex.data_symbols(1, Downlink);
        let Duplex::Tdd(pattern) = &duplex else { panic!("no pattern") };
        if [0, 5].contains(&special) {
            assert_eq!((symbols, pattern.part_symbols(Downlink)), (0, vec![]));
            continue;
        }
        let counted = |n| duplex.size_of((Downlink, symbols), n);
        let expected = if special == 9 { [1, 18, 37] } else { [1, 37, 75] };
        assert_eq!([1, 50, 100].map(counted), expected.map(|n| Some((n, 14))), "{special}");
        assert_eq!(pattern.part_symbols(Downlink), [symbols]);
        assert_eq!(pattern.part_symbols(Uplink), []);
    }
    assert_eq!(tdd(2, 7).size_of((Downlink, 14), 50), None);
    assert_eq!(Duplex::Fdd.size_of((Downlink, 10), 50), None);
}

#[test]
fn feedback_of_each_subframe() {
    // TS 36.213, table 10.1.3.1-1: uplink subframes with their downlink association sets.
    let table: [&[(u64, &[u64])]; 7] = [
        &[(2, &[6]), (4, &[4]), (7, &[6]), (9, &[4])],
        &[(2, &[7, 6]), (3, &[4]), (7, &[7, 6]), (8, &[4])],
        &[(2, &[8, 7, 4, 6]), (7, &[8, 7, 4, 6])],
        &[(2, &[7, 6, 11]), (3, &[6, 5]), (4, &[5, 4])],
        &[(2, &[12, 8, 7, 11]), (3, &[6, 5, 4, 7])],
        &[(2, &[13, 12, 9, 8, 7, 5, 4, 11, 6])],
        &[(2, &[7]), (3, &[7]), (4, &[5]), (7, &[7]), (8, &[7])],
    ];
    for (n, row) in (0..).zip(table) {
        let duplex = tdd(n, 7);
        let mut found = Vec::new();
        for (uplink, set) in row {
            for k in *set {
                let data = 20 + uplink - k;
                assert_eq!(duplex.data_to_feedback(data), Some(*k), "{n}, {data}");
                found.push(data % 10);
            }
        }
        found.sort_unstable();
        let downlink: Vec<u64> =
            (0..10).filter(|subframe| duplex.serves(Purpose::DownlinkData, *subframe)).collect();
        assert_eq!(found, downlink, "{n}");
    }
}

#[test]
fn the_grant_of_each_uplink_subframe() {
    for (n, row) in (0..).zip(TABLE_8_2) {
        let duplex = tdd(n, 7);
        let mut found = 0;
        for tti in (20..30).filter(|tti| duplex.serves(Purpose::UplinkData, *tti)) {
            let k = duplex.grant_to_data(tti).expect("a configuration of LTE");
            let grant = (tti - k) % 10;
            let own = row.iter().find(|(subframe, _)| *subframe == grant);
            let (_, table) = own.unwrap_or_else(|| panic!("{n}: no grant in {grant}"));
            // The second part of a grant of configuration 0 is for the subframe 7 later.
            assert!(k == *table || n == 0 && k == 7, "{n}, {tti}: {k} and {table}");
            found += 1;
        }
        assert!(n == 0 || found == row.len(), "{n}");
    }
}

/// TS 36.211, table 4.2-2.
pub(crate) const SUBFRAMES: [&str; 7] = [
    "DSUUUDSUUU",
    "DSUUDDSUUD",
    "DSUDDDSUDD",
    "DSUUUDDDDD",
    "DSUUDDDDDD",
    "DSUDDDDDDD",
    "DSUUUDSUUD",
];

/// TS 36.213, table 8-2: downlink subframes with PHICH or a grant, and k.
pub(crate) const TABLE_8_2: [&[(u64, u64)]; 7] = [
    &[(0, 4), (1, 6), (5, 4), (6, 6)],
    &[(1, 6), (4, 4), (6, 6), (9, 4)],
    &[(3, 4), (8, 4)],
    &[(0, 4), (8, 4), (9, 4)],
    &[(8, 4), (9, 4)],
    &[(8, 4)],
    &[(0, 7), (1, 7), (5, 7), (6, 7), (9, 5)],
];
