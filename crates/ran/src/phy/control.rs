//! The downlink control channel, PDCCH: how many control channel elements an interval has, how
//! many a grant takes, and how likely a UE misses it.
//!
//! A grant is a DCI of format 1A's size in 1, 2, 4 or 8 elements (TS 36.211, 6.8.1), with NR
//! also 16 (TS 38.211, table 7.3.2.1-1). The cell takes the fewest that meet the target of TS
//! 36.101, 8.4.1: 1% missed. The chance to miss is a normal distribution's in dB, with 3 dB less
//! SINR for each doubling of elements.
//!
//! Left out: search spaces (any free elements will do; TS 36.213, 9.1.1, gives a UE few
//! candidates), common messages, other sizes of DCI. Grants that a UE falsely detects are left out,
//! too.

use airpath_base::math;

/// Resource element groups of a control channel element of LTE (TS 36.211, 6.8.1).
const ELEMENT_GROUPS: u32 = 9;
/// Resource element groups of PCFICH (TS 36.211, 6.7.4).
const FORMAT_GROUPS: u32 = 4;
/// Resource element groups of a group of PHICH (TS 36.211, 6.9.3).
const ACKNOWLEDGEMENT_GROUPS: u32 = 3;
/// Resource blocks for each group of PHICH with N_g = 1 (TS 36.211, 6.9).
const BLOCKS_PER_ACKNOWLEDGEMENT_GROUP: u32 = 8;
/// Resource blocks of the steps in which a CORESET of NR grows (TS 38.211, 7.3.2.2), and resource
/// element groups of an element. A group is a resource block in a symbol.
const CORESET_STEP: u16 = 6;

/// Most elements of a grant in LTE (TS 36.211, table 6.8.1-1).
pub const MOST_ELEMENTS_LTE: u8 = 8;
/// Most elements of a grant in NR (TS 38.211, table 7.3.2.1-1).
pub const MOST_ELEMENTS_NR: u8 = 16;

/// Share of grants that may be missed (TS 36.101, 8.4.1).
const TARGET: f64 = 0.01;
/// Elements of the grants that the curve below is of.
const CURVE_ELEMENTS: f64 = 8.0;
/// Chance to miss a grant of eight elements, and PCFICH before it: 34.3, 20.6, 4.5 and 0.7% at
/// -7, -6, -4 and -2 dB (R4-081920, as points of ns-3's tests). A normal distribution with
/// this mean and deviation meets them within 0.5 points of a percent. The source's number of
/// elements is not with the points; 1% at -2.4 dB fits TS 36.101, table 8.4.1.1-1, test 1:
/// eight elements at -1.7 dB.
const CURVE_MEAN_DB: f64 = -8.0;
const CURVE_DEVIATION_DB: f64 = 2.42;

/// Control channel elements of a subframe of LTE beside PCFICH and PHICH (N_g = 1, normal
/// duration). Inputs are resource blocks, symbols of the control region (1 to 4) and cell-specific
/// antenna ports (1, 2 or 4).
pub fn control_elements_lte(resource_blocks: u16, symbols: u8, ports: u8) -> u16 {
    let blocks = u32::from(resource_blocks);
    // A symbol with reference signals has two groups in a resource block, any other three. The
    // first counts as that of two ports at least (TS 36.211, 6.2.4).
    let groups: u32 = (0..symbols.min(4)).map(|symbol| element_groups(symbol, ports)).sum();
    let acknowledgements = blocks.div_ceil(BLOCKS_PER_ACKNOWLEDGEMENT_GROUP);
    let taken = FORMAT_GROUPS + ACKNOWLEDGEMENT_GROUPS * acknowledgements;
    ((blocks * groups).saturating_sub(taken) / ELEMENT_GROUPS) as u16
}

fn element_groups(symbol: u8, ports: u8) -> u32 {
    match symbol {
        0 => 2,
        1 if ports > 2 => 2,
        _ => 3,
    }
}

/// Control channel elements of a CORESET of NR over a carrier of so many resource blocks, with
/// at most 3 symbols (TS 38.211, 7.3.2.2).
pub fn control_elements_nr(resource_blocks: u16, symbols: u8) -> u16 {
    resource_blocks / CORESET_STEP * u16::from(symbols.min(3))
}

/// Control channel elements of a grant at a linear SINR. It is the fewest of 1, 2, 4 and so on up
/// to `most` with which the grant is missed rarely enough.
pub fn grant_elements(sinr: f64, most: u8) -> u8 {
    let mut elements = 1;
    while elements < most && grant_missed(sinr, elements) > TARGET {
        elements *= 2;
    }
    elements
}

/// The chance that a UE misses a grant in so many elements at a linear SINR, the mean over
/// fading of its control channel.
pub fn grant_missed(sinr: f64, elements: u8) -> f64 {
    let db = 10.0 * math::log10(sinr * f64::from(elements) / CURVE_ELEMENTS);
    let distance = (db - CURVE_MEAN_DB) / CURVE_DEVIATION_DB;
    let missed = 0.5 * (1.0 - math::erf(distance / core::f64::consts::SQRT_2));
    if missed.is_nan() { 1.0 } else { missed }
}

#[cfg(test)]
mod tests {
    use airpath_base::Db;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_of_a_subframe_of_lte() {
        // By hand, 25 resource blocks: 4 groups of PHICH, 12 + 4 = 16 groups of elements are
        // taken; (25 * 2 - 16) / 9 = 3, (25 * 5 - 16) / 9 = 12, (25 * 8 - 16) / 9 = 20.
        // 50: 7 of PHICH, 25 taken: 75, 225, 375. 100: 13 of PHICH, 43 taken: 157, 457, 757.
        let of = |blocks, ports| [1, 2, 3].map(|n| control_elements_lte(blocks, n, ports));
        for ports in [1, 2] {
            assert_eq!(of(25, ports), [3, 12, 20]);
            assert_eq!(of(50, ports), [8, 25, 41]);
            assert_eq!(of(100, ports), [17, 50, 84]);
        }
        // Four ports have 25, 50 and 100 groups less from the second symbol on.
        assert_eq!(of(25, 4), [3, 9, 17]);
        assert_eq!(of(50, 4), [8, 19, 36]);
        assert_eq!(of(100, 4), [17, 39, 73]);
        // Six: 1 of PHICH, 7 taken; (6 * 11 - 7) / 9 = 6.
        assert_eq!([1, 2, 4].map(|n| control_elements_lte(6, n, 1)), [0, 2, 6]);
    }

    #[test]
    fn elements_of_a_coreset() {
        // 106 resource blocks: 102 of them; 102 * 2 / 6. 270 of 273; 24 in one symbol.
        assert_eq!(control_elements_nr(106, 2), 34);
        assert_eq!(control_elements_nr(273, 3), 135);
        assert_eq!(control_elements_nr(24, 1), 4);
    }

    #[test]
    fn grants_are_missed_as_published() {
        for (db, missed) in [(-7.0, 0.343), (-6.0, 0.206), (-4.0, 0.045), (-2.0, 0.007)] {
            let found = grant_missed(Db(db).linear(), 8);
            assert!((found - missed).abs() < 0.005, "{found} at {db} dB");
        }
        // Half the elements need 3.01 dB more.
        let [eight, one] =
            [(-4.0, 8), (5.030_9, 1)].map(|(db, n)| grant_missed(Db(db).linear(), n));
        assert!((eight - one).abs() < 1e-5);
        assert_eq!((grant_missed(0.0, 8), grant_missed(f64::NAN, 8)), (1.0, 1.0));
        assert!(grant_missed(1e10, 1) < 1e-9);
    }

    #[test]
    fn levels_by_the_target() {
        // 1% is 2.3263 deviations above the mean: -2.37 dB with eight elements.
        let of = |db: f64, most| grant_elements(Db(db).linear(), most);
        let levels = [(6.8, 1), (6.5, 2), (3.8, 2), (3.5, 4), (0.8, 4), (0.5, 8), (-30.0, 8)];
        for (db, elements) in levels {
            assert_eq!(of(db, 8), elements, "{db} dB");
        }
        assert_eq!([-2.3, -2.5, -9.0].map(|db| of(db, 16)), [8, 16, 16]);
        assert_eq!(of(-9.0, 2), 2);
    }

    proptest! {
        #[test]
        fn a_better_channel_takes_no_more_and_misses_no_more(
            low in -30.0..30.0f64,
            more in 0.0..20.0f64,
            elements in prop_oneof![Just(1u8), Just(2), Just(4), Just(8), Just(16)],
        ) {
            let [low, high] = [low, low + more].map(|db| Db(db).linear());
            prop_assert!(grant_elements(high, elements) <= grant_elements(low, elements));
            prop_assert!(grant_missed(high, elements) <= grant_missed(low, elements));
            let taken = grant_elements(low, elements);
            prop_assert!(taken == elements || grant_missed(low, taken) <= TARGET);
        }
    }
}
