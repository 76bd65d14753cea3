//! Transcendental functions that give the same bits on every machine.
//!
//! Transcendental functions of the platform differ in the last bit from one C library to the next.
//! Lints therefore ban the platform's functions everywhere else, and this module takes those of
//! `libm`. Some functions of `libm` have a form for single processors, which another crate of the
//! program may enable. Such a form exists only for operations that IEEE 754 rounds correctly:
//! square roots, multiplication with addition, rounding to integers.

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Logarithm to base 2.
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// Logarithm to base 10.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// 2 to the power of `x`.
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// 10 to the power of `x`.
pub fn exp10(x: f64) -> f64 {
    libm::pow(10.0, x)
}

/// `x` to the power of `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Sine of `x` radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of `x` radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Angle in radians, from -pi/2 to pi/2, whose sine is `x`, from -1 to 1.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

/// Bessel function of the first kind of order zero.
pub fn j0(x: f64) -> f64 {
    libm::j0(x)
}

/// Error function.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// Angle of the vector (x, y) in radians, -pi to pi.
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Length of the vector (x, y).
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_function_of_order_zero() {
        // Abramowitz and Stegun, tables 9.1 and 9.5: J0(1), and its first zero.
        assert!((j0(1.0) - 0.765_197_686_557_966_6).abs() < 1e-15);
        assert!(j0(2.404_825_557_695_773).abs() < 1e-15);
    }

    #[test]
    fn arcsine_of_a_half() {
        assert!((asin(0.5) - core::f64::consts::FRAC_PI_6).abs() < 1e-15);
    }
}
