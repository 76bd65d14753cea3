use airpath_base::{BitRate, Bytes, Db, Dbm, Duration};
use proptest::prelude::*;

use super::*;

fn fault<T: Quantity>(text: &str) -> Fault {
    match T::parse(text) {
        Err(fault) => fault,
        Ok(value) => panic!("{text} was read as {}", value.show()),
    }
}

#[test]
fn quantities_of_each_kind() {
    assert_eq!(Duration::parse("25 ms"), Ok(Duration::from_millis(25)));
    assert_eq!(Duration::parse("1.5s"), Ok(Duration::from_millis(1_500)));
    assert_eq!(Duration::parse(" 2 min "), Ok(Duration::from_secs(120)));
    assert_eq!(Duration::parse("24 h"), Ok(Duration::from_secs(86_400)));
    assert_eq!(Bytes::parse("10 KiB"), Ok(Bytes(10_240)));
    assert_eq!(Bytes::parse("0.5 KiB"), Ok(Bytes(512)));
    assert_eq!(BitRate::parse("5 Mbit/s"), Ok(BitRate::from_mbps(5)));
    assert_eq!(Hertz::parse("2.12 GHz"), Ok(Hertz(2_120_000_000)));
    assert_eq!(Dbm::parse("-12.5 dBm"), Ok(Dbm(-12.5)));
    assert_eq!(Db::parse("+3 dB"), Ok(Db(3.0)));
    assert_eq!(Metres::parse("0.5 km"), Ok(Metres(500.0)));
    assert_eq!(Limit::parse("100 packets"), Ok(Limit::packets(100)));
    assert_eq!(Limit::parse("64 KiB"), Ok(Limit::bytes(65_536)));
}

#[test]
fn what_is_wrong_is_told_apart() {
    assert_eq!(fault::<Duration>("5 Mbit/s"), Fault::Unit("Mbit/s".into()));
    assert_eq!(fault::<Duration>("5"), Fault::NoUnit);
    assert_eq!(fault::<Duration>("-5 ms"), Fault::Negative);
    assert_eq!(fault::<Duration>("ms"), Fault::Number);
    assert_eq!(fault::<Duration>("5. ms"), Fault::Number);
    assert_eq!(fault::<Duration>(""), Fault::Number);
    for text in ["1,5 ms", "1_000 ms", "1e3 ms", "1E-3 ms", "1 h 30 min"] {
        assert!(matches!(fault::<Duration>(text), Fault::Form(_)), "{text}");
    }
    assert_eq!(fault::<Duration>("1 ems"), Fault::Unit("ems".into()));
    assert_eq!(fault::<Duration>("0.5 ns"), Fault::TooFine("1 ns"));
    assert_eq!(fault::<Duration>("1000001 s"), Fault::TooLarge("1000000 s"));
    assert_eq!(
        fault::<Bytes>("99999999999999999999999999999999999999999 B").describe("a size"),
        "is too large: at most 1000000 GB can be counted"
    );
    assert_eq!(fault::<Limit>("1.5 packets"), Fault::TooFine("1 packet"));
}

#[test]
fn written_in_the_unit_that_fits() {
    assert_eq!(Duration::from_micros(1_500).show(), "1.5 ms");
    assert_eq!(Duration::ZERO.show(), "0 s");
    assert_eq!(BitRate::from_kbps(2_500).show(), "2.5 Mbit/s");
    assert_eq!(Bytes(10_240).show(), "10240 B");
    assert_eq!(Duration::from_nanos(1_000_000_001).show(), "1.000000001 s");
}

/// Every unit that can be read is in the pattern of the schema, in both.
#[test]
fn patterns_name_every_unit() {
    fn check<T: Quantity>() {
        for unit in T::UNITS {
            assert!(T::parse(&format!("1 {unit}")).is_ok(), "{unit}");
        }
        assert!(pattern::<T>().contains(&T::UNITS.join("|")));
    }
    check::<Duration>();
    check::<Bytes>();
    check::<BitRate>();
    check::<Hertz>();
    check::<Db>();
    check::<Dbm>();
    check::<Metres>();
    check::<Limit>();
    check::<Length>();
    check::<Threshold>();
    assert!(pattern::<Limit>().starts_with("^(unlimited|"));
    assert!(pattern::<Db>().starts_with("^([+-]?"));
}

proptest! {
    #[test]
    fn what_is_written_reads_back(n in 0_u64..=1_000_000_000_000_000) {
        let (time, rate) = (Duration::from_nanos(n), BitRate::from_bps(n));
        prop_assert_eq!(Duration::parse(&time.show()), Ok(time));
        prop_assert_eq!(BitRate::parse(&rate.show()), Ok(rate));
        prop_assert_eq!(Bytes::parse(&Bytes(n).show()), Ok(Bytes(n)));
        let hertz = Hertz(n % 1_000_000_000_000);
        prop_assert_eq!(Hertz::parse(&hertz.show()), Ok(hertz));
    }

    #[test]
    fn levels_read_back(level in -1_000.0..1_000.0_f64, length in 0.0..1e6_f64) {
        prop_assert_eq!(Db::parse(&Db(level).show()), Ok(Db(level)));
        prop_assert_eq!(Dbm::parse(&Dbm(level).show()), Ok(Dbm(level)));
        prop_assert_eq!(Metres::parse(&Metres(length).show()), Ok(Metres(length)));
    }

    #[test]
    fn no_text_panics(text in "[-+0-9. a-zA-Z/µ]{0,40}") {
        let _ = (Duration::parse(&text), Limit::parse(&text));
        let _ = (Db::parse(&text), Metres::parse(&text), Bytes::parse(&text));
    }
}
