use super::*;
use crate::Scenario;

fn text(keys: &str) -> String {
    format!("duration = \"1 s\"\n[[ue]]\nname = \"phone\"\ndistance = \"300 m\"\n[cell]\n{keys}\n")
}

const NR: &str = "technology = \"nr\"";
const TDD: &str = "duplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"";

/// Carriers in MHz, and the band.
fn carriers(keys: &str) -> (f64, Option<f64>, Option<String>) {
    let read = Scenario::parse("s.toml", &text(keys), &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{keys}: {}", errors.plain()));
    let again = Scenario::parse("s.toml", &scenario.to_toml(), &[]);
    assert_eq!(again.unwrap_or_else(|errors| panic!("{}", errors.plain())), scenario, "{keys}");
    let radio = scenario.cell.expect("a cell").radio;
    let mhz = |hertz: Hertz| hertz.0 as f64 / 1e6;
    (radio.carrier.map_or(0.0, mhz), radio.carrier_up.map(mhz), radio.band)
}

fn down(technology: &str, mhz: f64) -> (Option<f64>, Option<String>) {
    let (_, up, band) = carriers(&format!("{technology}\nradio.carrier = \"{mhz} MHz\""));
    (up, band)
}

#[test]
fn pairs_of_the_bands() {
    // TS 36.101, table 5.7.3-1, and TS 38.101-1, table 5.2-1: the lowest frequencies of a band
    // belong together.
    for (technology, mhz, up, band) in [
        ("", 2_120.0, 1_930.0, "1"), // bands 4, 10, 65 and 66 have it too
        ("", 1_842.5, 1_747.5, "3"),
        ("", 881.5, 836.5, "5"),
        ("", 2_655.0, 2_535.0, "7"),
        ("", 1_486.1, 1_438.1, "11"),
        ("", 751.0, 782.0, "13"), // the uplink lies above
        ("", 806.0, 847.0, "20"),
        ("", 1_542.0, 1_643.5, "24"),
        ("", 3_550.0, 3_450.0, "22"), // TDD has it besides: bands 42, 48 and 49
        ("", 2_190.0, 2_010.0, "23"),
        ("", 634.5, 680.5, "71"),
        (NR, 2_120.0, 1_930.0, "n1"),
        (NR, 2_190.0, 2_000.0, "n65"),
        (NR, 763.0, 793.0, "n14"),
        (NR, 922.0, 877.0, "n100"),
        (NR, 942.5, 897.5, "n8"),
    ] {
        let expected = (Some(up), Some(band.to_owned()));
        assert_eq!(down(technology, mhz), expected, "{technology} {mhz}");
    }
    // The other way round.
    let keys = "radio.carrier_up = \"1747.5 MHz\"";
    assert_eq!(carriers(keys), (1_842.5, Some(1_747.5), Some("3".to_owned())));
}

#[test]
fn a_band_that_is_named_counts() {
    let keys = "radio = { carrier = \"2.12 GHz\", band = \"4\" }";
    assert_eq!(carriers(keys), (2_120.0, Some(1_720.0), Some("4".to_owned())));
    let keys = format!("{NR}\n{TDD}\nradio = {{ carrier = \"3.5 GHz\", band = \"n78\" }}");
    assert_eq!(carriers(&keys), (3_500.0, None, Some("n78".to_owned())));
}

#[test]
fn what_nobody_names() {
    assert_eq!(carriers(""), (2_120.0, Some(1_930.0), Some("1".to_owned())));
    assert_eq!(carriers(NR), (2_120.0, Some(1_930.0), Some("n1".to_owned())));
    assert_eq!(carriers(TDD), (3_500.0, None, Some("42".to_owned())));
    let nr = format!("{NR}\n{TDD}");
    assert_eq!(carriers(&nr), (3_500.0, None, Some("n77".to_owned())));
    let wide = format!("{nr}\nnumerology = 3\nbandwidth = \"100 MHz\"");
    assert_eq!(carriers(&wide), (28_000.0, None, Some("n257".to_owned())));
}

#[test]
fn two_carriers_need_no_band() {
    let keys = "radio = { carrier = \"3.5 GHz\", carrier_up = \"3.5 GHz\" }";
    assert_eq!(carriers(keys), (3_500.0, Some(3_500.0), None));
    // Time division duplex needs none either.
    let keys = format!("{TDD}\nradio.carrier = \"5 GHz\"");
    assert_eq!(carriers(&keys), (5_000.0, None, None));
}

/// Checks that keys of a cell are refused, by line, message and help.
fn refused(cases: impl IntoIterator<Item = (String, &'static str, u32, &'static str)>) {
    for (keys, message, line, help) in cases {
        let Err(errors) = Scenario::parse("s.toml", &text(&keys), &[]) else { panic!("{keys}") };
        let plain = errors.plain();
        for part in [message, help, &format!("s.toml:{line}:")] {
            assert!(plain.contains(part), "{keys}: {part:?} is not in\n{plain}");
        }
    }
}

#[test]
fn carriers_that_are_refused() {
    let mhz = |mhz: &str| format!("radio.carrier = \"{mhz} MHz\"");
    let tdd = format!("{TDD}\nradio.carrier = \"3.5 GHz\"\nradio.carrier_up = \"3.5 GHz\"");
    refused([
        (tdd, "`cell.radio.carrier_up` is a second carrier", 10, "share `carrier`"),
        (
            mhz("3000"),
            "`cell.radio.carrier` has no pair: 3 GHz is in no band of FDD",
            6,
            "give carrier_up as well; the nearest band is 7, with 2.62 GHz to 2.69 GHz",
        ),
        (
            mhz("3450"),
            "`cell.radio.carrier` has no pair",
            6,
            "the nearest band is 22, with 3.51 GHz to 3.59 GHz; band 42 has it with duplex = \"tdd\"",
        ),
        (mhz("722"), "has no pair", 6, "band 29 has it, for the downlink alone"),
        (
            format!("{NR}\nbandwidth = \"5 MHz\"\n{}", mhz("1440")),
            "puts none beside 1.44 GHz",
            8,
            "the nearest band is n74",
        ),
        (
            // TS 36.101, table 5.5-1: band 70 has 10 MHz more downlink than uplink.
            mhz("2015"),
            "band 70 puts none beside 2.015 GHz",
            6,
            "give carrier_up as well",
        ),
        (
            "radio.carrier_up = \"2350 MHz\"".to_owned(),
            "`cell.radio.carrier_up` has no pair",
            6,
            "give carrier as well; the nearest band is 30, with 2.305 GHz to 2.315 GHz",
        ),
        (
            format!("{NR}\nradio.carrier = \"28 GHz\""),
            "28 GHz is in no band of FDD",
            7,
            "band n257 has it with duplex = \"tdd\"",
        ),
    ]);
}

#[test]
fn bands_that_are_refused() {
    refused([
        (
            "radio.band = \"n1\"".to_owned(),
            "`cell.radio.band` is no band of LTE",
            6,
            "one of 1, 2,",
        ),
        ("radio.band = \"42\"".to_owned(), "is no band for duplex \"fdd\"", 6, "one of 1, 2,"),
        (
            "radio.band = \"3\"".to_owned(),
            "does not have the carriers 2.12 GHz and 1.93 GHz",
            6,
            "carrier = 1.805 GHz to 1.88 GHz, carrier_up = 1.71 GHz to 1.785 GHz",
        ),
        (
            "radio.band = \"3\"\nradio.carrier = \"2.12 GHz\"".to_owned(),
            "has no pair: 2.12 GHz is not in band 3",
            7,
            "the nearest band is 3",
        ),
    ]);
}

#[test]
fn bands_are_in_their_order_and_as_wide_as_they_say() {
    for all in [tables::LTE, tables::NR] {
        assert!(all.windows(2).all(|pair| pair[0].number < pair[1].number));
        for band in all {
            let wide = |range: Option<Range>| range.is_none_or(|(low, high)| low < high);
            assert!(wide(band.up) && wide(band.down), "{band:?}");
        }
    }
}
