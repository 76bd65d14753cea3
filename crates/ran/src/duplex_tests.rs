use airpath_net::Direction::{Downlink, Uplink};
use proptest::prelude::*;

use super::*;

fn special() -> Option<SpecialSlot> {
    SpecialSlot::new(10, 2, 2)
}

fn tdd(letters: &str) -> Duplex {
    Duplex::Tdd(Pattern::new(letters, special()).expect("a pattern"))
}

#[test]
fn what_the_slots_of_a_pattern_carry() {
    let duplex = tdd("DDDSU");
    let slots = |purpose| (5..10).map(|n| duplex.serves(purpose, n)).collect::<Vec<_>>();
    assert_eq!(slots(Purpose::DownlinkData), [true, true, true, true, false]);
    assert_eq!(slots(Purpose::UplinkData), [false, false, false, false, true]);
    assert_eq!(slots(Purpose::UplinkControl), [false, false, false, true, true]);
    assert_eq!(slots(Purpose::Grant), [true, true, true, true, false]);
    let symbols = |direction| (0..5).map(|n| duplex.data_symbols(n, direction)).collect::<Vec<_>>();
    assert_eq!(symbols(Downlink), [14, 14, 14, 10, 0]);
    assert_eq!(symbols(Uplink), [0, 0, 0, 0, 14]);
    let shares = [Purpose::DownlinkData, Purpose::UplinkData, Purpose::Grant];
    assert_eq!(shares.map(|purpose| duplex.share(purpose)), [0.8, 0.2, 0.8]);
    assert_eq!(shares.map(|purpose| Duplex::Fdd.share(purpose)), [1.0; 3]);
}

/// Of a special slot 10:2:2 the symbols 0 to 9 are downlink, 12 and 13 uplink.
#[test]
fn mini_slots_have_the_symbols_of_their_slot() {
    let cut = |symbols, with: fn(Pattern) -> Pattern| {
        let pattern = with(Pattern::new("DSU", special()).expect("a pattern"));
        let duplex = Duplex::Tdd(pattern.in_mini_slots(symbols));
        let of = |direction| {
            let all = (0..duplex.period()).map(|n| duplex.data_symbols(n, direction));
            all.collect::<Vec<u8>>()
        };
        [Downlink, Uplink].map(of)
    };
    let [down, up] = cut(7, |pattern| pattern);
    assert_eq!((down, up), (vec![14, 14, 14, 3, 0, 0], vec![0, 0, 0, 0, 14, 14]));
    let [_, up] = cut(7, Pattern::with_special_uplink);
    assert_eq!(up, [0, 0, 0, 2, 14, 14]);
    let [down, up] = cut(2, |pattern| pattern);
    assert_eq!(down, [[14; 12].as_slice(), &[0; 9]].concat());
    assert_eq!(up, [[0; 14].as_slice(), &[14; 7]].concat());
    let [_, up] = cut(2, Pattern::with_special_uplink);
    assert_eq!(up[12..14], [0, 14]);
    // A scheduling request fits the uplink symbols of the special slot.
    let duplex = Duplex::Tdd(Pattern::new("DSU", special()).expect("a pattern").in_mini_slots(2));
    assert_eq!(duplex.next(Purpose::UplinkControl, 0), 13);
    assert_eq!(duplex.next(Purpose::UplinkData, 0), 14);
}

#[test]
fn the_next_slot_and_the_last() {
    let duplex = tdd("DDDSUDDSUU");
    let next = |purpose, n| duplex.next(purpose, n);
    assert_eq!([0, 3, 4, 5, 13].map(|n| next(Purpose::UplinkData, n)), [4, 4, 4, 8, 14]);
    assert_eq!([0, 4, 5, 9].map(|n| next(Purpose::UplinkControl, n)), [3, 4, 7, 9]);
    assert_eq!([3, 4, 8, 9].map(|n| next(Purpose::DownlinkData, n)), [3, 5, 10, 10]);
    let last = |purpose, n| duplex.last(purpose, n);
    assert_eq!(
        [3, 4, 7, 12].map(|n| last(Purpose::UplinkData, n)),
        [None, Some(4), Some(4), Some(9)]
    );
    assert_eq!([0, 4, 9].map(|n| last(Purpose::Grant, n)), [Some(0), Some(3), Some(7)]);
}

#[test]
fn a_short_downlink_part_carries_grants_and_no_data() {
    let special = SpecialSlot::new(2, 2, 10);
    let duplex = Duplex::Tdd(Pattern::new("DSU", special).expect("a pattern"));
    assert!(duplex.serves(Purpose::Grant, 1) && !duplex.serves(Purpose::DownlinkData, 1));
    // Six symbols of which the control region takes four are refused, too. LTE has such a special
    // slot with nine for data and control, and one with three for control alone.
    let data = |downlink, control| {
        let special = SpecialSlot::new(downlink, 2, 12 - downlink);
        let duplex = Duplex::Tdd(Pattern::new("DSU", special).expect("a pattern"));
        duplex.with_control(control).data_symbols(1, Downlink)
    };
    assert_eq!([data(6, 4), data(6, 3), data(9, 3), data(3, 3)], [0, 6, 9, 0]);
    // Nor is its uplink part for data.
    assert!(duplex.serves(Purpose::UplinkControl, 1) && !duplex.serves(Purpose::UplinkData, 1));
}

#[test]
fn what_is_no_pattern() {
    use PatternError::{Length, Letter, NoDownlink, NoSpecial, NoUplink, UnusedSpecial};
    let error = |letters: &str, special| Pattern::new(letters, special).err();
    assert_eq!(error("DDXU", None), Some(Letter('X')));
    assert_eq!(error("DDSU", None), Some(NoSpecial));
    assert_eq!(error("DDU", special()), Some(UnusedSpecial));
    assert_eq!([error("UU", None), error("SU", special())], [Some(NoDownlink); 2]);
    assert_eq!([error("D", None), error("DS", special())], [Some(NoUplink); 2]);
    assert_eq!(error("", None), Some(NoDownlink));
    assert_eq!(error(&"DU".repeat(161), None), Some(Length(322)));
    assert_eq!((error(&"DU".repeat(160), None), error("DDDSU", special())), (None, None));
    assert_eq!(
        [(10, 2, 1), (14, 0, 1), (255, 255, 16)].map(|(d, g, u)| SpecialSlot::new(d, g, u)),
        [None; 3]
    );
}

proptest! {
    #[test]
    fn next_and_last_are_found_as_by_looking_at_each_slot(
        letters in "D[DSU]{0,8}U[DSU]{0,4}",
        n in 0u64..1_000,
    ) {
        let duplex = Duplex::Tdd(
            Pattern::new(&letters, letters.contains('S').then(special).flatten())
                .expect("a pattern"),
        );
        let letters = letters.as_bytes();
        let letter = |n: u64| letters[n as usize % letters.len()];
        for (purpose, serving) in [
            (Purpose::DownlinkData, "DS"),
            (Purpose::UplinkData, "U"),
            (Purpose::UplinkControl, "SU"),
            (Purpose::Grant, "DS"),
        ] {
            let serves = |&n: &u64| serving.as_bytes().contains(&letter(n));
            prop_assert_eq!(Some(duplex.next(purpose, n)), (n..).find(serves));
            prop_assert_eq!(duplex.last(purpose, n), (0..=n).rev().find(serves));
        }
    }
}
