//! The 48 figures of table 2 of the source ("Average Air-interface latency", contribution
//! to 3GPP TSG RAN WG2's Release 13 study on latency reduction, 2015), in ms as printed.
//! They are compared with, never computed from.

use crate::{Access, Bler, Convention, Errors, Figure, Latency, Rational, Setting, Span};

/// TTI, SR period in TTIs; DL without and with 10% errors; UL without errors: SR-related,
/// data, total; UL with 10% errors: the same.
const TABLE_2: [(&str, u64, [&str; 8]); 6] = [
    ("1ms", 5, ["4", "4.8", "9", "4", "13", "9", "4.8", "13.8"]),
    ("0.5ms", 5, ["2", "2.4", "4.5", "2", "6.5", "4.5", "2.4", "6.9"]),
    ("0.1ms", 5, ["0.4", "0.48", "0.9", "0.4", "1.3", "0.9", "0.48", "1.38"]),
    ("1ms", 1, ["4", "4.8", "6.5", "4", "10.5", "6.5", "4.8", "11.3"]),
    ("0.5ms", 1, ["2", "2.4", "3.25", "2", "5.25", "3.25", "2.4", "5.65"]),
    ("0.1ms", 1, ["0.4", "0.48", "0.65", "0.4", "1.05", "0.65", "0.48", "1.13"]),
];

/// Columns of the table.
const COLUMNS: [(Figure, Errors); 8] = [
    (Figure::Downlink, Errors::None),
    (Figure::Downlink, Errors::Share),
    (Figure::UplinkAccess, Errors::None),
    (Figure::UplinkData, Errors::None),
    (Figure::Uplink, Errors::None),
    (Figure::UplinkAccess, Errors::Share),
    (Figure::UplinkData, Errors::Share),
    (Figure::Uplink, Errors::Share),
];

fn setting(tti: &str, sr: u64) -> Setting {
    Setting {
        tti: tti.parse().expect("a TTI"),
        access: Access::SchedulingRequest { period: Span::ttis(sr, 1) },
        convention: Convention::Table,
        bler: Bler::new(Rational::new(1, 10)).expect("a share"),
        ..Setting::default()
    }
}

fn millis(latency: &Latency, figure: Figure, errors: Errors) -> String {
    (latency.figure(figure, errors) / Rational::whole(1_000_000)).to_string()
}

#[test]
fn all_48_figures_of_table_2_come_out_to_their_printed_digits() {
    let mut compared = 0;
    for (tti, sr, published) in TABLE_2 {
        let latency = Latency::of(&setting(tti, sr));
        for ((figure, errors), published) in COLUMNS.into_iter().zip(published) {
            let own = millis(&latency, figure, errors);
            assert_eq!(own, published, "{tti}, SR every {sr} TTI, {figure}, {errors:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 48);
}

#[test]
fn by_step_1_of_table_a_1_the_access_with_an_opportunity_in_each_tti_is_longer() {
    // 0.5 + 1 + 3 + 1 + 1.5 TTIs, where table 2 has 6.5.
    for (tti, access) in [("1ms", "7"), ("0.5ms", "3.5"), ("0.1ms", "0.7")] {
        let setting = Setting { convention: Convention::HalfPeriod, ..setting(tti, 1) };
        assert_eq!(millis(&Latency::of(&setting), Figure::UplinkAccess, Errors::None), access);
    }
}

#[test]
fn with_fewer_opportunities_both_conventions_are_the_published_table() {
    for (tti, sr, published) in &TABLE_2[..3] {
        let setting = Setting { convention: Convention::HalfPeriod, ..setting(tti, *sr) };
        let latency = Latency::of(&setting);
        let own = COLUMNS.map(|(figure, errors)| millis(&latency, figure, errors));
        assert_eq!(own.each_ref().map(String::as_str), *published);
    }
}
