use super::*;
use crate::{Access, Bler, Rational, Span};

const UP: Direction = Direction::Uplink;

/// LTE with a request each ten TTIs, a tenth of errors, four transmissions.
fn lte(processing: &[Processing]) -> Interface {
    let access = Access::SchedulingRequest { period: Span::ttis(10, 1) };
    let bler = Bler::new(Rational::new(1, 10)).expect("a share");
    let setting = Setting { access, bler, ..Setting::default() };
    let processing = processing.iter().map(|time| ("host".to_owned(), *time)).collect();
    Interface { setting, tdd: Tdd::fdd(), transmissions: 4, processing }
}

#[test]
fn frequency_division_by_hand_to_five_nines() {
    // A wait of 0 to 10, then 1 + 3 + 1 + 1.5 + 1.5 = 8 to the data, 1 on the air, 1.5 decoding: 10.5 to 20.5. Each
    // retransmission takes 8 more, with a probability of 0.1, 0.01, 0.001.
    let found = lte(&[]).delay(UP, 0.01).expect("a distribution");
    let mean = 15.5 + 8.0 * (0.1 + 0.01 + 0.001);
    assert!((found.mean() - mean).abs() < 1e-9, "{} not {mean}", found.mean());
    // Four transmissions: 34.5 to 44.5 for a thousandth. Of the thousandth a hundredth lies above 44.4.
    for (share, expected) in [(0.45, 15.5), (0.999_99, 44.4), (0.999_95, 44.0), (1.0, 44.5)] {
        let quantile = found.quantile(share);
        // Of the first 10 ms, packets of the second transmission begin at 18.5: below that 0.9 a tenth of ms.
        assert!((quantile - expected).abs() < 0.02, "{share}: {quantile} not {expected}");
    }
}

#[test]
fn processing_is_added_by_convolution() {
    // A constant moves all quantiles. The sum of two exponential times of mean 1 has P(X > x) = (1 + x) exp(-x).
    let fixed = lte(&[Processing::Fixed(2.5)]).delay(UP, 0.01).expect("a distribution");
    let plain = lte(&[]).delay(UP, 0.01).expect("a distribution");
    for share in [0.1, 0.5, 0.999] {
        let apart = fixed.quantile(share) - plain.quantile(share) - 2.5;
        assert!(apart.abs() < 0.021, "{share}: {apart}");
    }
    let one = Distribution::of(Processing::Exponential(1.0), 0.01);
    let two = one.plus(&one);
    for x in [0.5, 1.678_3, 4.743_9, 16.45] {
        let beyond = (1.0 + x) * math::exp(-x);
        let found = two.quantile(1.0 - beyond);
        assert!((found - x).abs() < 0.03, "{found} not {x}");
    }
    assert!((two.mean() - 2.0).abs() < 1e-9);
    let recursive = one.plus_exponential(1.0);
    for share in [0.1, 0.9, 0.999_99] {
        let apart = recursive.quantile(share) - two.quantile(share);
        assert!(apart.abs() < 0.01, "{share}: {apart}");
    }
}

#[test]
fn stages_add_up_to_the_delay() {
    for direction in [UP, Direction::Downlink] {
        let own = lte(&[Processing::Lognormal(0.5, 0.5), Processing::Uniform(0.1, 0.3)]);
        let whole = own.delay(direction, 0.05).expect("a distribution");
        let stages = own.stages(direction, 0.05).expect("stages");
        let sum: f64 = stages.iter().map(|stage| stage.distribution.mean()).sum();
        assert!((sum - whole.mean()).abs() < 1e-9, "{sum} not {}", whole.mean());
        assert!(stages.iter().any(|stage| stage.what == "processing: host"));
    }
    let stages = lte(&[]).stages(UP, 0.05).expect("stages");
    let means: Vec<f64> = stages.iter().map(|stage| stage.distribution.mean()).collect();
    for (found, expected) in means.iter().zip([5.0, 8.0, 2.5, 0.888]) {
        assert!((found - expected).abs() < 1e-9, "{means:?}");
    }
}

#[test]
fn shares_are_whole_with_time_division() {
    let mut own = lte(&[Processing::Exponential(0.4)]);
    own.setting.tti = "mu1".parse().expect("a TTI");
    own.tdd = "DDDSU".parse().expect("a pattern");
    for direction in [UP, Direction::Downlink] {
        let found = own.delay(direction, 0.02).expect("a distribution");
        let all: f64 = found.shares().iter().sum();
        assert!((all - 1.0).abs() < 1e-6, "{all}");
        // The exact form has two transmissions; with the rest lost in the third digit.
        let exact = Delays::of(&own.setting, &own.tdd, direction).expect("delays");
        let exact = exact.mean(crate::Errors::Share).as_f64() / 1e6 + 0.4;
        assert!((found.mean() / exact - 1.0).abs() < 0.02, "{} {exact}", found.mean());
    }
}
