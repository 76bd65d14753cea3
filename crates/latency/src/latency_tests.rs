use airpath_base::Duration;
use proptest::prelude::*;

use super::*;
use crate::{Bler, Convention, Length, Numerology, Span};

const MILLI: Rational = Rational::whole(1_000_000);

fn millis(setting: &Setting, figure: Figure) -> String {
    (Latency::of(setting).figure(figure, Errors::Share) / MILLI).to_string()
}

#[test]
fn instant_access_is_the_data_part_alone() {
    let setting = Setting { access: Access::Instant, ..Setting::default() };
    assert_eq!(millis(&setting, Figure::UplinkAccess), "0");
    assert_eq!(millis(&setting, Figure::Uplink), "4.8");
    assert_eq!(setting.mean_delay(Direction::Uplink), setting.mean_delay(Direction::Downlink));
}

#[test]
fn a_configured_grant_costs_its_wait_and_no_request() {
    let period = Span::Time(Duration::from_millis(10));
    let setting = Setting { access: Access::Configured { period }, ..Setting::default() };
    assert_eq!(millis(&setting, Figure::UplinkAccess), "5");
    assert_eq!(millis(&setting, Figure::Uplink), "9.8");
}

#[test]
fn the_mean_delay_keeps_half_a_period_under_either_convention() {
    // By hand: 0.5 + 1 + 3 + 1 + 3 + 1 + 1.5 + 0.1 * 8 TTIs.
    let access = Access::SchedulingRequest { period: Span::ttis(1, 1) };
    for convention in Convention::ALL {
        let setting = Setting { access, convention, ..Setting::default() };
        assert_eq!(setting.mean_delay(Direction::Uplink), Rational::whole(11_800_000));
        assert_eq!(setting.mean_delay(Direction::Downlink), Rational::whole(4_800_000));
    }
}

#[test]
fn two_symbols_of_30_khz() {
    // 13 TTIs of a seventh of half a millisecond.
    let mu = Numerology::new(1).expect("a numerology");
    let tti = Tti::Nr(mu, Length::Two);
    let setting = Setting { tti, bler: Bler::NONE, ..Setting::default() };
    assert_eq!(millis(&setting, Figure::Uplink), "0.928571");
    let latency = Latency::of(&setting);
    let uplink = latency.figure(Figure::Uplink, Errors::None);
    assert_eq!(latency.ttis(uplink), Rational::whole(13));
}

#[test]
fn a_processing_time_need_not_follow_the_tti() {
    let mut setting = Setting { bler: Bler::NONE, ..Setting::default() };
    setting.tti = Tti::Time(Duration::from_micros(100));
    setting.steps.set(Step::DownlinkDecoding, Span::Time(Duration::from_millis(1)));
    assert_eq!(millis(&setting, Figure::Downlink), "1.25");
    let sources: Vec<&str> =
        Latency::of(&setting).downlink.iter().map(|line| line.source).collect();
    assert_eq!(sources, ["A.1", "A.1", "A.1", OWN]);
}

#[test]
fn figures_have_words() {
    for figure in Figure::ALL {
        assert_eq!(figure.to_string().parse(), Ok(figure));
    }
    for errors in Errors::ALL {
        assert_eq!(errors.to_string().parse(), Ok(errors));
    }
    assert!("some".parse::<Errors>().is_err());
    let error = "sidelink".parse::<Figure>().expect_err("no figure").to_string();
    assert!(error.contains("uplink-access"));
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        (0_u64..=1_000_000_000_000_000)
            .prop_map(|billionths| Span::ttis(billionths, 1_000_000_000)),
        (0_u64..=1_000_000_000_000).prop_map(|nanos| Span::Time(Duration::from_nanos(nanos))),
    ]
}

fn tti() -> impl Strategy<Value = Tti> {
    let nr = (0_u8..=4, 0_usize..4).prop_map(|(mu, length)| {
        let mu = Numerology::new(mu).expect("0 to 4");
        Tti::Nr(mu, Length::ALL[length].1)
    });
    prop_oneof![nr, (1_u64..=1_000_000_000).prop_map(|n| Tti::Time(Duration::from_nanos(n)))]
}

fn setting() -> impl Strategy<Value = Setting> {
    let access = (0..3, span()).prop_map(|(kind, period)| match kind {
        0 => Access::SchedulingRequest { period },
        1 => Access::Configured { period },
        _ => Access::Instant,
    });
    let steps = proptest::collection::vec(span(), 10);
    let share = (0_u64..=1_000_000_000).prop_map(|n| Rational::new(n.into(), 1_000_000_000));
    (tti(), access, share, span(), steps).prop_map(|(tti, access, share, harq, spans)| {
        let mut setting = Setting { tti, access, harq_round_trip: harq, ..Setting::default() };
        setting.bler = Bler::new(share).expect("up to 1");
        for (step, span) in Step::all().zip(spans) {
            setting.steps.set(step, span);
        }
        setting
    })
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in "[0-9a-zµ./% -]{0,16}") {
        let _ = (text.parse::<Tti>(), text.parse::<Span>(), text.parse::<Bler>());
        let _ = (text.parse::<Step>(), text.parse::<Figure>(), text.parse::<Convention>());
    }

    #[test]
    fn what_is_shown_reads_back(tti in tti(), span in span()) {
        prop_assert_eq!(tti.to_string().parse(), Ok(tti));
        prop_assert_eq!(span.to_string().parse(), Ok(span));
    }

    // All that the parsers accept stays in range, and parts make their whole.
    #[test]
    fn parts_add_up(setting in setting()) {
        let latency = Latency::of(&setting);
        for errors in [Errors::None, Errors::Share] {
            let of = |figure| latency.figure(figure, errors);
            prop_assert_eq!(of(Figure::UplinkAccess) + of(Figure::UplinkData), of(Figure::Uplink));
            prop_assert!(latency.ttis(of(Figure::Uplink)) >= Rational::ZERO);
        }
        let [none, share] = [Errors::None, Errors::Share].map(|e| latency.figure(Figure::Downlink, e));
        let again = setting.bler.share() * setting.harq_round_trip.nanos(setting.tti);
        prop_assert_eq!(none + again, share);
    }
}
