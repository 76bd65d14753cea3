//! Turning of channels by hand.

use super::*;

fn known(gains: [f64; 2]) -> Known {
    let gains = gains.map(|gain| Complex64::new(gain, 0.0)).to_vec();
    Known { gains, slot: 100, ..Known::new(0.9) }
}

#[test]
fn a_channel_turns_with_the_square_of_time() {
    let before = [Complex64::new(1.0, 0.0), Complex64::default()];
    let mut known = known([0.9_f64.sqrt(), 0.1_f64.sqrt()]);
    assert_eq!(known.error(101), 1.0);
    known.turn(&before, 2, 4);
    // A tenth of the power is beside the old direction. As much is along a new one by chance, so a fifth has turned.
    assert!((known.error(104) - 0.2).abs() < 1e-9);
    assert!((known.error(108) - (1.0 - 0.8_f64.powi(4))).abs() < 1e-9);
    assert!(known.error(100) == 0.0);
}

#[test]
fn channels_without_relation_are_almost_unknown() {
    let before = [Complex64::new(1.0, 0.0), Complex64::default()];
    let mut known = known([0.0, 1.0]);
    known.turn(&before, 2, 4);
    assert!((known.error(104) - MOST_TURNED).abs() < 1e-9);
}
