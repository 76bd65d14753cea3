//! Products and rounded quotients that do not overflow but stop at the largest
//! number, as the reference's do.

/// `a * b`.
pub(super) fn multiply(a: u64, b: u64) -> u64 {
    a.saturating_mul(b)
}

/// `a / b`, rounded to the nearest; the largest number for a divisor of 0.
pub(super) fn divide(a: u64, b: u64) -> u64 {
    if b == 0 {
        return u64::MAX;
    }
    ((u128::from(a) + u128::from(b >> 1)) / u128::from(b)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_and_products_saturate() {
        assert_eq!((divide(7, 2), divide(5, 3), divide(4, 3)), (4, 2, 1));
        assert_eq!(divide(u64::MAX, 2), 1 << 63);
        assert_eq!(divide(1, 0), u64::MAX);
        assert_eq!(multiply(1 << 40, 1 << 40), u64::MAX);
    }
}
