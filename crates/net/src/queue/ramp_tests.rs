use super::*;
use crate::queue::samples::{millis, ms, stream};

#[test]
fn the_instantaneous_probability_is_linear_between_the_thresholds() {
    let config = RampConfig::default();
    let at = |micros| config.instantaneous(Duration::from_micros(micros));
    assert_eq!([0, 5_000, 6_000, 7_500, 10_000, 90_000].map(at), [0.0, 0.0, 0.2, 0.5, 1.0, 1.0]);
    let step = RampConfig { low: millis(5), high: millis(5), ..config };
    assert_eq!((step.instantaneous(millis(5)), step.instantaneous(millis(6))), (0.0, 1.0));
}

#[test]
fn the_probability_is_smoothed_each_5_ms() {
    let mut ramp = Ramp::new(RampConfig::default(), stream("ramp"));
    // The oldest came at 7.5 ms: 2.5, 7.5, 12.5 and 17.5 ms at the updates.
    let oldest = Some(Time::from_nanos(7_500_000));
    let mut after = |at| {
        ramp.catch_up(ms(at), oldest);
        ramp.probability()
    };
    assert_eq!(after(10), 0.0);
    assert_eq!(after(15), 0.125);
    assert_eq!(after(19), 0.125);
    assert_eq!(after(20), 0.25 + 0.75 * 0.125);
    assert_eq!(after(25), 0.25 + 0.75 * 0.34375);
    assert_eq!(after(10_000), 1.0);
    ramp.catch_up(ms(10_005), None);
    assert_eq!(ramp.probability(), 0.75);
}
