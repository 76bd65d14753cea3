//! Draws by coordinates beyond the uniform.

use airpath_base::math;
use airpath_base::random::Keyed;

/// Standard normal for these coordinates.
pub(crate) fn normal(keyed: Keyed, coordinates: [u64; 3]) -> f64 {
    normals(keyed, coordinates).0
}

/// Two independent standard normals for these coordinates, by the transform of Box and Muller
/// (1958) on the halves of one draw: no value is beyond 6.7.
pub(crate) fn normals(keyed: Keyed, coordinates: [u64; 3]) -> (f64, f64) {
    let bits = keyed.bits(coordinates);
    let radius = (-2.0 * math::ln(upper_half(bits))).sqrt();
    let angle = 2.0 * core::f64::consts::PI * upper_half(bits << 32);
    (radius * math::cos(angle), radius * math::sin(angle))
}

/// The upper half of a draw as a number above 0 and below 1.
pub(crate) fn upper_half(bits: u64) -> f64 {
    (f64::from((bits >> 32) as u32) + 0.5) / 4_294_967_296.0
}

/// One of 0 to `n` - 1, evenly, for these coordinates.
pub(crate) fn below(keyed: Keyed, coordinates: [u64; 3], n: u64) -> u64 {
    ((u128::from(keyed.bits(coordinates)) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    #[test]
    fn moments_of_the_normal() {
        let keyed = Seed(5).keyed("normal");
        let n = 100_000;
        let moment = |power: i32| {
            (0..n).map(|i| normal(keyed, [i, 1, 2]).powi(power)).sum::<f64>() / n as f64
        };
        assert!(moment(1).abs() < 0.015, "{}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "{}", moment(2));
        assert!((moment(4) - 3.0).abs() < 0.15, "{}", moment(4));
    }
}
